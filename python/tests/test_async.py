"""The same engine under asyncio."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Coroutine
from typing import Any

import pytest

import tengen_engine as tengen
from conftest import is_running
from tengen_engine import AsyncBoard, AsyncEngine, Board, Limit, _connection


def run(coroutine: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(coroutine, 120))


def test_queries_run_at_once() -> None:
    async def main() -> None:
        async with await AsyncEngine.start(workers=2, threads=1, hash=4) as engine:
            pid = engine.pid
            one, two = await asyncio.gather(
                engine.analyse(Board("gomoku", "h8 i9"), Limit(nodes=500)),
                engine.play("4455", Limit(nodes=500)),
            )
            assert one.best and two.move
            solved = await engine.solve(["4455", "44"], all_moves=True)
            assert [it.turn for it in solved] == ["first", "first"]
            many = engine.analyse_all(["44", "4455"] * 5, Limit(nodes=50))
            assert [it.get().turn_number async for it in many] == [2, 4] * 5
            turns = await engine.analyse_game(Board(moves="44"), Limit(nodes=50))
            assert len(turns) == 3
            games = await engine.read_games(b"(;GM[4]SZ[15];B[hh];W[ii])")
            review = await engine.review(games[0], Limit(nodes=100))
            assert len(review.moves) == 2 and len(review.chances) == 3
            assert await engine.convert(b"h8 i9", "moves", variant="gomoku") == b"h8 i9\n"
            swap = await engine.swap2("h8 i9 h10", Limit(nodes=50), variant="gomoku")
            assert swap.choice in ("two", "stay", "swap")
            await engine.clear()
            assert (await engine.rules({"variant": "renju"}))["variant"] == "renju"
        assert pid is not None and not is_running(pid)

    run(main())


def test_a_cancelled_task_ends_its_search() -> None:
    async def main() -> None:
        async with await AsyncEngine.start(workers=1, threads=1, hash=4) as engine:
            board = Board("gomoku", "h8")
            task = asyncio.create_task(engine.analyse(board, infinite=True))
            await asyncio.sleep(0.1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            # The only worker is free again.
            assert await engine.analyse(board, Limit(nodes=50), timeout=20)
            with pytest.raises(tengen.EngineTimeoutError):
                await engine.analyse(board, infinite=True, timeout=0.1)
            assert await engine.analyse(board, Limit(nodes=50), timeout=20)

    run(main())


def test_a_stream_ends_by_break() -> None:
    async def main() -> None:
        async with await AsyncEngine.start(workers=1, threads=1, hash=4) as engine:
            board = Board("gomoku", "h8 i9")
            async for update in engine.analysis(board, every=0.02):
                assert update.turn == "first"
                break
            assert await engine.analyse(board, Limit(nodes=50), timeout=20)
            async with engine.analysis(board, every=0.02) as stream:
                await stream.__anext__()
                stream.stop()
                assert [it async for it in stream][-1].ended_by == "terminated"

    run(main())


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_stopped_engine_is_an_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_connection, "SILENCE", 0.05)
    monkeypatch.setattr(_connection, "ANSWER", 1.0)

    async def main() -> None:
        async with await AsyncEngine.start(workers=1, threads=1, hash=4) as engine:
            stream = engine.analysis(Board("gomoku", "h8"), every=0.05)
            await stream.__anext__()
            assert engine.pid is not None
            os.kill(engine.pid, signal.SIGSTOP)
            with pytest.raises(tengen.EngineTimeoutError, match="query_version"):
                [it async for it in stream]
            with pytest.raises(tengen.EngineTimeoutError, match="stopped"):
                await engine.analyse("44", Limit(nodes=10))

    run(main())


def test_errors_and_a_closed_engine() -> None:
    async def main() -> None:
        engine = await AsyncEngine.start(workers=1, threads=1, hash=4)
        with pytest.raises(tengen.PositionError, match="chess"):
            await engine.analyse("e2e4", variant="chess")
        waiting = asyncio.create_task(engine.analyse("44", infinite=True))
        await asyncio.sleep(0.05)
        await engine.close()
        with pytest.raises(tengen.EngineClosedError):
            await waiting
        with pytest.raises(tengen.EngineClosedError):
            await engine.analyse("44")
        with pytest.raises(tengen.EngineStartError):
            await AsyncEngine.start("/nothing")

    run(main())


def test_boards_under_asyncio() -> None:
    async def main() -> None:
        async with AsyncEngine.open(workers=1, threads=1, hash=4) as engine:
            board = await AsyncBoard.create(engine, "gomoku", "h8 i9")
            await board.push("j7")
            assert board.ply == 3 and board == Board("gomoku", "h8 i9 j7")
            assert await board.pop() == "j7" and (await board.at(1)).moves == ["h8"]
            assert (await board.svg(size=50)).startswith("<svg") and "X" in await board.text()
            assert (await board.threats())["first"].complete
            assert (await board.mirror()).moves == ["h8", "g9"]
            again = await AsyncBoard.create(engine, sgf=await board.sgf())
            assert again == board
            assert (await engine.analyse(board, Limit(nodes=50))).turn_number == 2
            with pytest.raises(tengen.PositionError):
                await board.push("h8")
            with pytest.raises(TypeError, match="AsyncBoard"):
                Board("gomoku", engine=engine)
            with pytest.raises(TypeError, match="create"):
                AsyncBoard()
            assert await engine.ping() >= 0
            assert (await engine.ponder(board, "h7").hit(Limit(nodes=50))).move is not None

    run(main())
