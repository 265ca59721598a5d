"""Finds the program of the engine."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path

from ._errors import EngineStartError

NAME = "tengen.exe" if sys.platform == "win32" else "tengen"


def _folders_of_wheel() -> list[Path]:
    """Returns the folders in which an installed wheel can have put the program."""
    package = Path(__file__).resolve().parent
    user_scheme = sysconfig.get_preferred_scheme("user")
    scripts = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", scheme=user_scheme)]
    # `pip install --target FOLDER` puts programs into FOLDER/bin.
    return [package, *(Path(path) for path in scripts if path), package.parent / "bin"]


def find_program() -> str:
    """Returns the path of the program: ``TENGEN``, else that of the wheel, else that on ``PATH``."""
    chosen = os.environ.get("TENGEN")
    if chosen:
        return chosen
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
