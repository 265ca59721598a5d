"""An engine on another machine: `tengen serve`."""

from __future__ import annotations

import asyncio
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import tengen_engine as tengen
from tengen_engine import AsyncEngine, Board, Engine, Limit

TOKEN = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    token = tmp_path / "token"
    token.write_text(TOKEN)
    token.chmod(0o600)
    command = [tengen.find_program(), "serve", "--http", "127.0.0.1:0", "--tcp", "127.0.0.1:0"]
    server = subprocess.Popen(
        [*command, "--workers", "1", "--hash", "1", "--token-file", token],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    try:
        found = re.search(r"tcp 127\.0\.0\.1:(\d+)", server.stdout.readline())
        if found is None:
            pytest.skip("the program is built without serve")
        yield int(found[1])
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


def test_a_server_answers_like_a_program(port: int) -> None:
    with Engine.connect(port=port, token=TOKEN) as engine:
        assert engine.pid is None and engine.program.endswith(str(port))
        assert engine.analyse("4455", Limit(nodes=100)).best in ("c1", "f1")
        board = Board("gomoku", "h8", engine=engine)
        board.push("i9")
        for update in engine.analysis(board, every=0.02):
            assert update.turn_number == 2
            break
        with pytest.raises(tengen.EngineError, match="recursion"):
            nested: list[object] = []
            for _ in range(150):
                nested = [nested]
            engine.analyse("44", timeout=20, avoid_moves=nested)  # type: ignore[arg-type]
        with pytest.raises(tengen.EngineError) as caught:
            engine.clear()
        assert caught.value.code == "forbidden"

    async def main() -> None:
        async with await AsyncEngine.connect(port=port, token=TOKEN) as other:
            assert (await other.play("44", Limit(nodes=50))).move is not None

    asyncio.run(asyncio.wait_for(main(), 60))


def test_a_wrong_token_and_a_missing_server_are_errors(port: int) -> None:
    with pytest.raises(tengen.EngineStartError, match="wrong token"):
        Engine.connect(port=port, token=TOKEN[::-1])
    with pytest.raises(tengen.EngineStartError, match="needs a token"):
        Engine.connect(port=port)
    with pytest.raises(tengen.EngineStartError, match="tengen serve") as caught:
        Engine.connect(port=1)
    assert caught.value.code == "no_server"
