"""The engine that boards and records ask, whoever it is.

Boards know no engine: `_engine.py` says here how the shared one is started.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from ._errors import EngineStartError
from ._requests import Request
from ._scores import Json

T = TypeVar("T")

#: Seconds in which an engine has to answer a query that needs no search.
RULES_TIMEOUT = 30.0


class Rules(Protocol):
    """An engine that answers a request. A blocking one waits in the thread that asks."""

    is_blocking: bool

    async def _run(self, request: Request[T], timeout: float | None = None) -> T: ...

    @property
    def variants(self) -> Sequence[Json]:
        """The variants, with the options of their boards."""
        ...

    @property
    def closed(self) -> bool:
        """Whether the engine was closed."""
        ...


_lock = threading.Lock()
_shared: Rules | None = None
_owner = 0
_start: Callable[[], Rules] | None = None


def share(start: Callable[[], Rules]) -> None:
    """Says how the shared engine is started."""
    global _start
    _start = start


def shared_rules() -> Rules:
    """Returns the engine that all boards share. It is started at the first use, also after a fork."""
    global _shared, _owner
    with _lock:
        if _shared is None or _shared.closed or _owner != os.getpid():
            if _start is None:
                raise EngineStartError("no engine to ask", "no_program")
            _shared, _owner = _start(), os.getpid()
        return _shared


def _unlock() -> None:
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    # Another thread of the parent may hold the lock.
    os.register_at_fork(after_in_child=_unlock)


def blocking_rules(engine: Any) -> Rules:
    """Returns the engine of a board: ``engine``, or the shared one."""
    if engine is None:
        return shared_rules()
    if not getattr(engine, "is_blocking", False):
        raise TypeError(
            f"engine: a {type(engine).__name__} cannot answer a Board, which waits in its thread; "
            "use AsyncBoard.create(engine, ...)"
        )
    rules: Rules = engine
    return rules
