"""The tests run the program of the wheel, or that of ``TENGEN``."""

from __future__ import annotations

import os
import stat
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


def is_running(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
