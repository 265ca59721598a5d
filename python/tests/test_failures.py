"""What goes wrong is one clear exception, and nothing hangs."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tengen_engine as tengen
from conftest import is_running
from tengen_engine import Board, Engine, Limit, _connection
from tengen_engine._process import Process

Script = Callable[[str], Path]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")


def kill(engine: Engine) -> None:
    assert engine.pid is not None
    os.kill(engine.pid, signal.SIGKILL)


def test_a_context_leaves_no_process() -> None:
    with Engine(workers=1, hash=1) as engine:
        pid = engine.pid
        engine.analysis(Board("gomoku", "h8"))
        assert pid is not None and is_running(pid)
    assert not is_running(pid) and engine.closed and engine.pid is None


def test_an_exception_in_a_context_leaves_no_process() -> None:
    with pytest.raises(KeyError):
        with Engine(workers=1, hash=1) as engine:
            pid = engine.pid
            raise KeyError
    assert pid is not None and not is_running(pid)


def test_a_program_that_ends_leaves_no_process(tmp_path: Path) -> None:
    text = (
        "import tengen_engine as tengen\n"
        "engine = tengen.Engine(workers=1, hash=1)\n"
        "stream = engine.analysis(tengen.Board('gomoku', 'h8'))\n"
        "next(stream)\n"
        "print(engine.pid)\n"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert not is_running(int(done.stdout))


def test_a_killed_engine_starts_again_and_repeats_the_query() -> None:
    with Engine(workers=1, hash=1) as engine:
        stream = engine.analysis("h8 i9", Limit(time=0.8), variant="gomoku", every=0.05)
        next(stream)
        kill(engine)
        assert list(stream)[-1].best is not None and engine.restarts == 1
        kill(engine)
        deadline = time.monotonic() + 20
        while engine.pid is not None and time.monotonic() < deadline:
            time.sleep(0.01)
        # Without an open query it starts again at the next one.
        assert engine.analyse("44", Limit(nodes=10)).best is not None and engine.restarts == 2


def test_an_engine_that_is_killed_twice_is_an_exception() -> None:
    with Engine(workers=1, hash=1) as engine:
        stream = engine.analysis("h8 i9", variant="gomoku", every=0.02)
        next(stream)
        kill(engine)
        while engine.restarts == 0:
            time.sleep(0.01)
        kill(engine)
        with pytest.raises(tengen.EngineTerminatedError, match="twice.*signal 9"):
            list(stream)
        assert engine.analyse("44", Limit(nodes=10)).best is not None


@pytest.mark.parametrize("restart", [True, False])
def test_a_program_that_ends_before_its_first_query_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, restart: bool
) -> None:
    program = tmp_path / "tengen"
    program.write_text("#!/bin/sh\necho no luck >&2\nexit 3\n")
    program.chmod(0o755)
    begin, why_it_ended = Process.__init__, Process.why_it_ended
    ended = threading.Event()

    def told(process: Process) -> str:
        why = why_it_ended(process)
        ended.set()
        return why

    def begin_and_end(process: Process, *args: Any, **options: Any) -> None:
        begin(process, *args, **options)
        assert ended.wait(60)

    monkeypatch.setattr(Process, "why_it_ended", told)
    monkeypatch.setattr(Process, "__init__", begin_and_end)
    with pytest.raises(tengen.EngineStartError, match="status 3: no luck"):
        Engine(program, restart=restart)


def test_a_killed_engine_without_restart_is_an_exception() -> None:
    with Engine(workers=1, hash=1, restart=False) as engine:
        stream = engine.analysis("h8 i9", variant="gomoku", every=0.02)
        next(stream)
        kill(engine)
        with pytest.raises(tengen.EngineTerminatedError, match="signal 9"):
            list(stream)
        with pytest.raises(tengen.EngineTerminatedError, match="has ended"):
            engine.analyse("44")


def test_a_closed_engine_is_an_exception() -> None:
    engine = Engine(workers=1, hash=1)
    stream = engine.analysis("h8 i9", variant="gomoku", every=0.02)
    next(stream)
    errors: list[BaseException] = []

    def wait() -> None:
        try:
            list(stream)
        except tengen.EngineError as error:
            errors.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    engine.close()
    thread.join(20)
    assert isinstance(errors[0], tengen.EngineClosedError)
    engine.close()
    with pytest.raises(tengen.EngineClosedError, match="closed"):
        engine.analyse("44")


def test_a_search_that_takes_too_long_is_an_exception(engine: Engine) -> None:
    begin = time.monotonic()
    with pytest.raises(tengen.EngineTimeoutError, match="0.2 s") as caught:
        engine.analyse(Board("gomoku", "h8"), infinite=True, timeout=0.2)
    assert isinstance(caught.value, TimeoutError) and time.monotonic() - begin < 10
    # The search was ended, too.
    assert len(list(engine.analyse_all(["44"] * 4, Limit(nodes=10), timeout=20))) == 4


def test_a_stopped_engine_does_not_hang() -> None:
    with Engine(workers=1, hash=1, timeout=0.5) as engine:
        assert engine.pid is not None
        os.kill(engine.pid, signal.SIGSTOP)
        with pytest.raises(tengen.EngineTimeoutError):
            engine.analyse("44", Limit(nodes=10))


def test_a_stopped_engine_does_not_hang_without_a_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_connection, "SILENCE", 0.05)
    monkeypatch.setattr(_connection, "ANSWER", 2.0)
    with Engine(workers=1, hash=1) as engine:
        stream = engine.analysis(Board("gomoku", "h8"), every=0.05)
        assert engine.pid is not None and next(stream).best is not None
        os.kill(engine.pid, signal.SIGSTOP)
        with pytest.raises(tengen.EngineTimeoutError, match="query_version in 2 s"):
            list(stream)
        with pytest.raises(tengen.EngineTimeoutError, match="stopped"):
            engine.analyse("44", Limit(nodes=10))
        os.kill(engine.pid, signal.SIGCONT)
        stream.stop()
        assert engine.analyse("44", Limit(nodes=10)).best is not None


def test_a_long_search_is_not_a_stopped_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_connection, "SILENCE", 0.01)
    with Engine(workers=1, hash=1) as engine:
        assert engine.analyse("h8 i9", Limit(time=0.5), variant="gomoku").best is not None


def test_a_large_record_is_not_a_stopped_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_connection, "SILENCE", 0.05)
    monkeypatch.setattr(_connection, "ANSWER", 0.2)
    games = b"h8 i9 h9 i10 h10\n" * 10_000
    with Engine(workers=1, hash=1) as engine:
        assert engine.convert(games, "pgn", variant="gomoku").count(b"[Event ") == 10_000


def test_a_reply_that_cannot_be_read(script: Script) -> None:
    version = {"version": tengen.__version__, "protocol": 1}
    with Engine(script(FAKE.replace("VERSION", repr(version)))) as engine:
        with pytest.raises(tengen.EngineError, match="cannot be read.*is it Tengen") as caught:
            engine.analyse("44")
        assert caught.value.code == "other_program"


def test_a_missing_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(tengen.EngineStartError, match="No such file") as caught:
        Engine(tmp_path / "nothing")
    assert caught.value.code == "no_program"
    from tengen_engine import _program

    monkeypatch.setattr(_program, "_folders_of_wheel", lambda: [])
    monkeypatch.setattr(_program, "_faster_program", lambda: None)
    monkeypatch.delenv("TENGEN", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(tengen.EngineStartError, match="set TENGEN"):
        Engine()
    (tmp_path / "tengen").write_text("")
    (tmp_path / "tengen").chmod(0o755)
    assert tengen.find_program() == str(tmp_path / "tengen")
    monkeypatch.setenv("TENGEN", "/elsewhere")
    assert tengen.find_program() == "/elsewhere"


def test_the_program_suits_the_processor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from tengen_engine import _program

    for name in ("tengen", *_program.FASTER):
        (tmp_path / name).write_text("")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setattr(_program, "__file__", str(tmp_path / "_program.py"))
    monkeypatch.setattr(_program, "CPU_FILE", tmp_path / "cpuinfo")
    monkeypatch.delenv("TENGEN", raising=False)
    v2 = "flags\t\t: fpu sse4_2 popcnt avx\n"
    v3 = f"flags\t\t: fpu {' '.join(_program.V3_FLAGS)}\n"
    v4 = f"flags\t\t: fpu {' '.join(_program.V4_FLAGS)}\n"
    assert tengen.find_program() == str(tmp_path / "tengen")
    for text, name in (
        (v2, "tengen"),
        (v3 + v2, "tengen"),
        (v3 + v3, "tengen-x86-64-v3"),
        (v4 + v3, "tengen-x86-64-v3"),
        (v4, "tengen-x86-64-v4"),
    ):
        (tmp_path / "cpuinfo").write_text(text)
        assert tengen.find_program() == str(tmp_path / name)
    # An installer that loses the right to execute does no harm.
    (tmp_path / "tengen-x86-64-v4").chmod(0o644)
    assert tengen.find_program() == str(tmp_path / "tengen-x86-64-v3")


def test_a_program_without_permission(tmp_path: Path) -> None:
    path = tmp_path / "engine"
    path.write_text("")
    path.chmod(0o644)
    with pytest.raises(tengen.EngineStartError, match="no permission") as caught:
        Engine(path)
    assert caught.value.code == "no_permission"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import sys; sys.exit('a library is missing')", "status 1: a library is missing"),
        ("import sys\nfor line in sys.stdin: print(line, end='', flush=True)", "is it Tengen"),
        ("import time; time.sleep(60)", "no answer to query_version"),
        ("print('hello', flush=True); import time; time.sleep(60)", "no answer to query_version"),
    ],
)
def test_another_program(script: Script, text: str, message: str) -> None:
    with pytest.raises(tengen.EngineStartError, match=message) as caught:
        Engine(script(text), start_timeout=1.5)
    assert caught.value.code == ("ended" if "status" in message else "other_program")


FAKE = """
import json, sys
for line in sys.stdin:
    query = json.loads(line)
    print(json.dumps({"type": "version", "id": query["id"], "variants": []} | VERSION), flush=True)
"""


@pytest.mark.parametrize(
    ("version", "message"),
    [
        ({"version": "0.1.7", "protocol": 2}, "version 2 of the protocol"),
        ({"version": "0.9.0", "protocol": 1}, "it is Tengen 0.9.0"),
    ],
)
def test_another_version(script: Script, version: dict[str, object], message: str) -> None:
    with pytest.raises(tengen.EngineStartError, match=message) as caught:
        Engine(script(FAKE.replace("VERSION", repr(version))))
    assert caught.value.code == "other_version"


def test_the_usual_version_in_a_fake_engine(script: Script) -> None:
    version = {"version": tengen.__version__, "protocol": 1}
    with Engine(script(FAKE.replace("VERSION", repr(version)))) as engine:
        assert engine.version == tengen.__version__


def test_a_full_disk_and_a_missing_permission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = tengen.Game.of(Board("gomoku", "h8 i9"))
    path = tmp_path / "game.sgf"
    game.save(path)
    before = path.read_bytes()

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match=r"No space left.*game\.sgf"):
            game.save(path)
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["game.sgf"]
    with pytest.raises(OSError, match=r"No such file.*folder/game\.sgf"):
        game.save(tmp_path / "folder" / "game.sgf")
    if os.geteuid() != 0:
        tmp_path.chmod(0o500)
        with pytest.raises(PermissionError, match=r"game\.sgf"):
            game.save(path)
        tmp_path.chmod(0o700)
    if Path("/dev/full").exists():
        (tmp_path / "full.sgf").symlink_to("/dev/full")
        with pytest.raises(OSError, match=r"No space left.*full\.sgf"):
            game.save(tmp_path / "full.sgf")
    with pytest.raises(ValueError, match="extension"):
        game.save(tmp_path / "game.xyz")


def test_wrong_limits_are_the_messages_of_the_engine(engine: Engine) -> None:
    with pytest.raises(tengen.EngineError, match="nodes") as caught:
        engine.analyse("44", Limit(nodes=-1))
    assert (caught.value.code, caught.value.field) == ("bad_field", "nodes")
    with pytest.raises(tengen.PositionError, match="nothing"):
        engine.analyse("44", variant="nothing")
