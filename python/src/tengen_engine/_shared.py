"""The process that boards ask about the rules."""

from __future__ import annotations

import os
import threading

from ._engine import Engine

_lock = threading.Lock()
_engine: Engine | None = None
_owner = 0


def shared_engine() -> Engine:
    """Returns the engine that all boards share. It is started at the first use."""
    global _engine, _owner
    with _lock:
        # After a fork the process belongs to the parent.
        if _engine is None or _engine.closed or _owner != os.getpid():
            _engine, _owner = Engine(workers=1, threads=1, hash=1), os.getpid()
        return _engine
