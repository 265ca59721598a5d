"""The examples of the README, the manual and the notebook run as they are printed."""

from __future__ import annotations

import doctest
import inspect
import json
import re
from pathlib import Path
from typing import Any

import pytest

import tengen_engine as tengen
from tengen_engine import gym

ROOT = Path(__file__).parents[2]
MANUAL = ROOT / "docs" / "manual" / "python.md"
NOTEBOOK = ROOT / "examples" / "review.ipynb"


def blocks(path: Path, language: str = "python") -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", path.read_text(encoding="utf-8"), re.S)


def run_lines(text: str) -> int:
    """Runs a session as it is printed. Returns the number of its examples."""
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
    test = doctest.DocTestParser().get_doctest(text, {}, "python.md", str(MANUAL), 0)
    report: list[str] = []
    result = doctest.DocTestRunner(optionflags=options).run(test, out=report.append)
    assert result.failed == 0, "".join(report)
    return result.attempted


def test_the_example_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (text,) = blocks(ROOT / "python" / "README.md")
    exec(compile(text, "README.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4 and lines[2] == "18"


@pytest.mark.skipif(not MANUAL.exists(), reason="the package was installed without the repository")
def test_the_tutorial_runs() -> None:
    assert run_lines("".join(blocks(MANUAL))) > 30


@pytest.mark.skipif(not MANUAL.exists(), reason="the package was installed without the repository")
def test_the_lines_about_shelves_run(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shelf.parent)
    (text,) = blocks(MANUAL, "python shelf")
    assert run_lines(text) > 5


@pytest.mark.skipif(not NOTEBOOK.exists(), reason="the package was installed without the repository")
def test_the_notebook_runs() -> None:
    """Runs the cells as a notebook does: the last expression of a cell is shown."""
    names: dict[str, Any] = {}
    shown = []
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        assert not cell.get("outputs")
        if cell["cell_type"] != "code":
            continue
        *lines, last = "".join(cell["source"]).splitlines()
        is_shown = re.fullmatch(r"\w+(\.\w+)?(\(.*\))?", last) and not last.startswith("print")
        exec("\n".join(lines if is_shown else [*lines, last]), names)
        if is_shown:
            shown.append(eval(last, names))
    assert len(shown) == 3 and shown[0]._repr_svg_() and shown[1]._repr_html_()


def public_members() -> list[tuple[str, object]]:
    """Returns all classes and functions of the API pages, and the methods and properties of the classes."""
    objects = [getattr(tengen, name) for name in tengen.__all__] + list(vars(gym).values())
    found: list[tuple[str, object]] = []
    for it in objects:
        if inspect.isfunction(it):
            found.append((it.__name__, it))
        if not inspect.isclass(it) or not it.__module__.startswith(tengen.__name__):
            continue
        found.append((it.__name__, it))
        for name, member in vars(it).items():
            member = getattr(member, "__func__", member)
            if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
                found.append((f"{it.__name__}.{name}", member))
    return found


def test_the_api_pages_have_a_text_for_every_name() -> None:
    members = public_members()
    assert len(members) > 100
    assert [name for name, member in members if not inspect.getdoc(member)] == []


def test_docstrings_name_what_exists() -> None:
    """A name in backticks is one of the package, or of the class that the text is about."""
    wrong = []
    for name, member in public_members():
        scopes: list[object] = [tengen, gym]
        scopes += [getattr(tengen, name.partition(".")[0], tengen)]
        for said in re.findall(r"(?<!`)`([A-Za-z_.]+)`(?!`)", inspect.getdoc(member) or ""):
            if not any(is_found(scope, said) for scope in scopes):
                wrong.append(f"{name}: {said}")
    assert wrong == []


def is_found(scope: object, path: str) -> bool:
    for name in path.split("."):
        if not hasattr(scope, name):
            return name in getattr(scope, "__annotations__", {})
        scope = getattr(scope, name)
    return True
