"""How the synchronous classes use the coroutines of those for asyncio.

A synchronous engine waits in the thread that calls it, so that a coroutine that asks it never suspends: it
runs to its end at its first step. No event loop and no further thread is needed.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., object])

_PACKAGE = str(Path(__file__).parent)


def finish(steps: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine that does not suspend."""
    try:
        steps.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    steps.close()
    raise RuntimeError("a coroutine of a synchronous engine was suspended")


def blocking(
    method: Callable[Concatenate[Any, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[Any, P], T]:
    """Returns the synchronous form of a method for asyncio, with its arguments and its documentation."""

    @functools.wraps(method)
    def call(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return finish(method(self, *args, **kwargs))

    return named_like(call, method)


def named_like(call: F, method: Callable[..., object]) -> F:
    """Gives a function the signature of another one, as documentation shows it, without its kind."""
    vars(call).pop("__wrapped__", None)
    vars(call)["__signature__"] = inspect.signature(method)
    return call


def frames_of_package() -> int:
    """Returns how many frames below the caller belong to this package, for ``stacklevel`` of a warning."""
    frame, count = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, count = frame.f_back, count + 1
    return count
