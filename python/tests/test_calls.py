"""Every call ends: with a result, or with an error that says what is wrong."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tengen_engine as tengen
from tengen_engine import Board, Engine, Limit

Script = Callable[[str], Path]
NESTED: Any = "h8"
for _ in range(150):
    NESTED = [NESTED]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"random": float("nan")}, "bad_json"),
        ({"random": "\ud800"}, "bad_json"),
        ({"avoid_moves": NESTED}, "bad_json"),
        ({"avoid_moves": ["h8"] * 300_000}, "too_large"),
        ({"analyze_turns": object()}, None),
        ({"id": "mine"}, None),
    ],
)
def test_a_query_that_the_engine_cannot_read_is_an_error(
    engine: Engine, options: dict[str, Any], code: str | None
) -> None:
    with pytest.raises((tengen.EngineError, TypeError)) as caught:
        engine.analyse("44", Limit(nodes=10), timeout=20, **options)
    assert getattr(caught.value, "code", None) == code
    # A call that was not sent is not kept, and the engine goes on.
    assert not engine._connection._calls
    assert engine.analyse("44", Limit(nodes=10), timeout=20).best is not None


@pytest.mark.parametrize("moves", ["h8 " * 400_000, "\ud800", "h8 \udcff"])
def test_texts_that_no_line_can_hold_are_errors(moves: str) -> None:
    with pytest.raises(tengen.EngineError):
        Board("gomoku", moves)


def test_an_error_without_an_id_ends_its_call_alone(engine: Engine) -> None:
    stream = engine.analysis(Board("gomoku", "h8"), every=0.02)
    next(stream)
    with pytest.raises(tengen.EngineError, match="recursion"):
        engine.analyse("44", Limit(nodes=10), timeout=20, avoid_moves=NESTED)
    stream.stop()
    assert stream.wait(20).ended_by == "terminated"


@pytest.mark.skipif(sys.platform != "linux", reason="names of files")
def test_a_file_may_have_any_name(tmp_path: Path) -> None:
    path = os.path.join(os.fsencode(tmp_path), "五子棋.sgf".encode("GBK"))
    with open(path, "wb") as file:
        file.write(b"(;GM[4]SZ[15];B[hh])")
    (game,) = tengen.read_games(os.fsdecode(path))
    assert game.moves == ["h8"]


def test_numbers_of_other_libraries_are_numbers(engine: Engine) -> None:
    class Number:
        """Like a number of NumPy."""

        def __init__(self, value: int) -> None:
            self.value = value

        def __index__(self) -> int:
            return self.value

    limit = Limit(nodes=Number(50))  # type: ignore[arg-type]
    assert engine.analyse("44", limit, multi_pv=Number(2)).turn_number == 2  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="nodes 1.5"):
        engine.analyse("44", Limit(nodes=1.5))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="time nan"):
        engine.analyse("44", Limit(time=float("nan")))
    with pytest.raises(ValueError, match="left is missing"):
        engine.analyse("44", Limit(increment=1.0))
    numpy = pytest.importorskip("numpy")
    nodes = Limit(nodes=numpy.int64(50), time=numpy.float32(5))
    assert engine.analyse("44", nodes, threads=numpy.int32(1)).turn_number == 2


def test_a_refused_call_does_not_stop_a_restart() -> None:
    with Engine(workers=1, hash=1) as engine:
        with pytest.raises(TypeError):
            engine.analyse("44", analyze_turns=object())  # type: ignore[call-arg]
        stream = engine.analysis("h8", Limit(time=0.3), variant="gomoku", every=0.05)
        next(stream)
        engine._connection._process.popen.kill()  # type: ignore[union-attr]
        assert list(stream)[-1].best is not None and engine.restarts == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")
def test_a_fork_gets_an_error_at_once(engine: Engine) -> None:
    board = Board("gomoku", "h8")
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        child = os.fork()
    if child == 0:
        try:
            try:
                engine.analyse("44", Limit(nodes=10))
            except tengen.EngineError as error:
                os.write(write, error.code.encode())
            # Boards start an engine of their own.
            board.push("i9")
            os.write(write, f" {board.peek()}".encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    os.close(write)
    with open(read) as said:
        assert said.read() == "forked i9"
    # The parent's engine is untouched.
    assert engine.analyse("44", Limit(nodes=10), timeout=20).best is not None


def test_answers_come_in_order_with_an_error_each(engine: Engine) -> None:
    taken = 0

    def positions() -> Iterator[str]:
        nonlocal taken
        for number in range(200):
            taken += 1
            yield "4z" if number == 2 else "44"

    answers = engine.analyse_all(positions(), Limit(nodes=10), timeout=60)
    first = next(answers)
    assert first.index == 0 and first.get().turn_number == 2
    # Only some are read ahead.
    assert taken < 50
    rest = list(answers)
    assert [it.index for it in rest] == list(range(1, 200))
    assert [it.index for it in rest if it.error is not None] == [2]
    with pytest.raises(tengen.PositionError):
        rest[1].get()
    wrong: list[Any] = ["44", Board("gomoku"), "44"]
    kinds = [type(it.error) for it in engine.analyse_all(wrong, Limit(nodes=10), variant="cfour")]
    assert kinds == [type(None), ValueError, type(None)]


def test_a_timeout_is_for_all_answers_together(engine: Engine) -> None:
    answers = engine.analyse_all(["44"] * 50, infinite=True, timeout=0.3)
    with pytest.raises(tengen.EngineTimeoutError):
        list(answers)
    assert list(answers) == [] and not engine._connection._calls
    # The timeout of the engine is for each position.
    with Engine(workers=1, hash=1, timeout=0.2) as other:
        kinds = [type(it.error) for it in other.analyse_all(["44"] * 3, infinite=True)]
    assert kinds == [tengen.EngineTimeoutError] * 3
    assert [it.get().outcome for it in engine.solve_all(["4455", "44444"])] == [None, None]


def test_answers_under_asyncio() -> None:
    async def main() -> None:
        async with tengen.AsyncEngine.open(workers=2, threads=1, hash=4) as engine:
            found = [it async for it in engine.analyse_all(["44", "4z", "4"], Limit(nodes=10))]
            assert [it.error is None for it in found] == [True, False, True]
            async for answer in engine.analyse_all(["44"] * 99, infinite=True):
                raise AssertionError(answer)

    with pytest.raises(asyncio.TimeoutError):
        asyncio.run(asyncio.wait_for(main(), 5))


def test_wrong_arguments_are_quoted(script: Script) -> None:
    for arguments in ({"workers": 0}, {"variant": "chess"}, {"arguments": ["--nonsense"]}):
        with pytest.raises(tengen.EngineStartError, match="status") as caught:
            Engine(**arguments)  # type: ignore[arg-type]
        assert caught.value.code == "ended"
        assert "twice" not in str(caught.value) and "is it Tengen" not in str(caught.value)
    with pytest.raises(TypeError):
        Engine(threads="two")  # type: ignore[arg-type]


@pytest.mark.skipif(sys.platform == "win32", reason="scripts")
def test_a_start_that_fails_leaves_no_process(script: Script, tmp_path: Path) -> None:
    text = f"import os, time; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    with pytest.raises(tengen.EngineStartError, match="in 1 s"):
        Engine(script(text), start_timeout=1)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_a_warning_names_the_line_of_the_caller(engine: Engine) -> None:
    def warned(act: Callable[[], object]) -> str:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            act()
        (warning,) = caught
        return warning.filename

    assert warned(lambda: engine.analyse("44", Limit(nodes=10), komi=7)) == __file__  # type: ignore[call-arg]
    assert warned(lambda: list(engine.analyse_all(["44"], Limit(nodes=10), komi=7))) == __file__  # type: ignore[call-arg]
    game = tengen.Game.of(Board("gomoku", "h8"))
    assert warned(lambda: game.convert("moves")) == __file__

    async def main() -> None:
        async with tengen.AsyncEngine.open(workers=1, hash=1) as other:
            await other.analyse("44", Limit(nodes=10), komi=7)  # type: ignore[call-arg]

    assert warned(lambda: asyncio.run(main())) == __file__


def test_the_program_has_its_folder_environment_and_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    environment = os.environ | {"TENGEN_NOTHING": "1"}
    with caplog.at_level(logging.DEBUG, "tengen_engine"):
        with Engine(workers=1, hash=1, cwd=tmp_path, env=environment, arguments=["--log", "own.log"]) as engine:
            engine.analyse("44", Limit(nodes=10))
    assert (tmp_path / "own.log").exists()
    said = [record.message for record in caplog.records]
    assert any('<< {"id":"q2","action":"analyze"' in line for line in said)
    assert any('>> {"type":"answer","id":"q2"' in line for line in said)


def test_an_engine_is_configured_and_asked(engine: Engine) -> None:
    assert 0 <= engine.ping() < 20
    engine.configure(threads=1, book=False)
    assert engine.options == {"threads": 1, "book": False}
    assert engine.analyse("44", Limit(nodes=50)).proof is None
    engine.configure(threads=None, book=None)
    with pytest.raises(TypeError, match="hash.*threads, book"):
        engine.configure(hash=5)  # type: ignore[call-arg]
    assert engine.play("44", Limit(left=5.0, moves_to_go=2, depth=3)).move is not None


def test_pondering_continues_after_the_expected_move(engine: Engine) -> None:
    board = Board("gomoku", "h8 i9")
    pondering = engine.ponder(board, "h7")
    assert pondering.hit(Limit(nodes=500)).analysis.turn_number == 3
    pondering = engine.ponder("44", "d3")
    pondering.miss()
    assert not engine._connection._calls


def test_an_engine_is_dropped_while_threads_wait() -> None:
    engine = Engine(workers=1, hash=1)
    failed: list[BaseException] = []

    def wait() -> None:
        try:
            engine.analyse("44", infinite=True)
        except tengen.EngineError as error:
            failed.append(error)

    threads = [threading.Thread(target=wait) for _ in range(4)]
    for thread in threads:
        thread.start()
    engine.ping()
    engine.close()
    for thread in threads:
        thread.join(20)
    assert len(failed) == 4
