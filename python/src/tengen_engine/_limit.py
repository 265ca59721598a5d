"""`Limit`: when a search ends."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass

from ._scores import Json


@dataclass(frozen=True)
class Limit:
    """When a search ends. The first limit that is reached counts; without limits it is the engine's.

    ``time``, ``left``, ``increment`` and ``opponent_left`` are seconds, ``depth`` and ``mate`` plies.
    ``left`` is the time on a game clock, from which the engine takes what suits the move. ``moves_to_go`` is the
    number of moves to the next time control.
    """

    time: float | None = None
    nodes: int | None = None
    depth: int | None = None
    mate: int | None = None
    left: float | None = None
    increment: float | None = None
    opponent_left: float | None = None
    moves_to_go: int | None = None

    def fields(self) -> Json:
        """Returns the fields of a query."""
        fields: Json = {name: _whole(name, getattr(self, name)) for name in ("nodes", "depth", "mate")}
        fields["time_ms"] = _milliseconds("time", self.time, 1)
        clock: Json = {
            "left_ms": _milliseconds("left", self.left, 0),
            "inc_ms": _milliseconds("increment", self.increment, 0),
            "opponent_left_ms": _milliseconds("opponent_left", self.opponent_left, 0),
            "moves_to_go": _whole("moves_to_go", self.moves_to_go),
        }
        fields["clock"] = _given(clock) or None
        if fields["clock"] and self.left is None:
            raise ValueError("left is missing: a game clock is the time that the side to move has left")
        return _given(fields)


def _given(fields: Json) -> Json:
    return {name: value for name, value in fields.items() if value is not None}


def _whole(name: str, value: int | None) -> int | None:
    try:
        return None if value is None else operator.index(value)
    except TypeError:
        raise TypeError(f"{name} {value!r}: a whole number is expected") from None


def _milliseconds(name: str, value: float | None, least: int) -> int | None:
    """Returns seconds in milliseconds. A very short time is ``least``."""
    if value is None:
        return None
    seconds = float(value)
    if not (seconds >= 0 and math.isfinite(seconds)):
        raise ValueError(f"{name} {value!r}: a number of seconds is expected")
    return max(least, round(seconds * 1000))
