"""Finds the program of the engine."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path

from ._errors import EngineStartError

#: The features of x86-64-v3 that v2 lacks, in the words of Linux: ``abm`` stands for LZCNT.
V3_FLAGS = frozenset(("abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "xsave"))
V4_FLAGS = V3_FLAGS | {"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"}
#: The further programs in a wheel for Linux x86-64, fastest first, and what they need.
FASTER = {"tengen-x86-64-v4": V4_FLAGS, "tengen-x86-64-v3": V3_FLAGS}
CPU_FILE = Path("/proc/cpuinfo")
NAME = "tengen.exe" if sys.platform == "win32" else "tengen"


def _folders_of_wheel() -> list[Path]:
    """Returns the folders in which an installed wheel can have put the program."""
    package = Path(__file__).resolve().parent
    user_scheme = sysconfig.get_preferred_scheme("user")
    scripts = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", scheme=user_scheme)]
    # `pip install --target FOLDER` puts programs into FOLDER/bin.
    return [package, *(Path(path) for path in scripts if path), package.parent / "bin"]


def _processor_flags() -> set[str]:
    """Returns the features that all processors have, as Linux says; none on other systems."""
    try:
        lines = CPU_FILE.read_text().splitlines()
    except OSError:
        return set()
    flags = [set(line.partition(":")[2].split()) for line in lines if line.startswith("flags")]
    return set.intersection(*flags) if flags else set()


def _faster_program() -> str | None:
    """Returns the fastest further program of the wheel that the processor can run."""
    folder, flags = Path(__file__).resolve().parent, _processor_flags()
    for name, needed in FASTER.items():
        if needed <= flags and os.access(folder / name, os.X_OK):
            return str(folder / name)
    return None


def find_program() -> str:
    """Returns the path of the program: ``TENGEN``, else that of the wheel, else that on ``PATH``.

    If the wheel has several programs, it is the fastest one that the processor can run.
    """
    chosen = os.environ.get("TENGEN")
    if chosen:
        return chosen
    faster = _faster_program()
    if faster is not None:
        return faster
    for folder in _folders_of_wheel():
        if (folder / NAME).is_file():
            return str(folder / NAME)
    found = shutil.which("tengen")
    if found:
        return found
    raise EngineStartError(
        "no program tengen: install the wheel tengen-engine, set TENGEN to the path of the program, or "
        "put the program on PATH",
        "no_program",
    )
