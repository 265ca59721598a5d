"""The tests run the program of the wheel, or that of ``TENGEN``."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tengen_engine as tengen


@pytest.fixture(scope="module")
def engine() -> Iterator[tengen.Engine]:
    with tengen.Engine(workers=2, threads=1, hash=4) as engine:
        yield engine


@pytest.fixture
def script(tmp_path: Path):  # type: ignore[no-untyped-def]
    """Writes a program in Python that stands for an engine, and returns its path."""

    def write(text: str) -> Path:
        path = tmp_path / "engine"
        path.write_text(f"#!{sys.executable}\n{text}")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    return write


GAMES = """\
(;GM[4]SZ[15]RU[renju]PB[Anna]PW[Olga]EV[Open]DT[2020-05]RE[B+R];B[hh];W[ig];B[hi];W[hj])
(;GM[4]SZ[15]RU[renju]PB[Ben]PW[Anna]DT[2021]RE[W+];B[hh];W[gi]C[strong](;B[hf];W[ii])(;B[ii]LB[jj:A]))
(;GM[4]SZ[15]RU[renju]PB[Ben]PW[Cleo]DT[2019]RE[0];B[hh];W[hg];B[ii])
"""


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A shelf with three games. A program without shelves skips the test."""
    program = tengen.find_program()
    if subprocess.run([program, "shelf", "--help"], capture_output=True).returncode != 0:
        pytest.skip("the program is built without shelves")
    folder = tmp_path_factory.mktemp("shelf")
    games, path = folder / "games.sgf", folder / "games.shelf"
    games.write_text(GAMES)
    subprocess.run([program, "shelf", "import", games, "--shelf", path], check=True, capture_output=True)
    return path


def is_running(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
