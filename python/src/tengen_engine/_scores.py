"""The two sides, and scores and chances for one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import total_ordering
from typing import Any, Literal

Side = Literal["first", "second"]
Outcome = Literal["first", "second", "draw"]
Json = dict[str, Any]

_UNPROVEN = 2_000_000


_UNPROVEN = 2_000_000


def other(side: Side) -> Side:
    """Returns the opponent of a side."""
    return "second" if side == "first" else "first"


@total_ordering
@dataclass(frozen=True, eq=False)
class Score:
    """A score for one side: exactly one of ``cp`` (hundredths), ``win_in`` and ``loss_in`` (plies).

    ``str(score)`` is the only way in which a score is printed, and the one of the program:
    ``+27``, ``win in 3``, ``loss in 2``. Scores are equal if they say the same, for whichever side. Only scores
    for the same side have an order: ``<`` means worse for that side. Use `pov` before you sort scores of both.
    """

    side: Side
    cp: int | None = None
    win_in: int | None = None
    loss_in: int | None = None

    @classmethod
    def of(cls, value: Json, side: Side) -> Score:
        """Reads the score of a reply. ``side`` is the side that it is for."""
        return cls(side, value.get("cp"), value.get("win_in"), value.get("loss_in"))

    def pov(self, side: Side) -> Score:
        """Returns the score from the point of view of ``side``."""
        if side not in ("first", "second"):
            raise ValueError(f"side {side!r}: \"first\" or \"second\" is expected")
        if side == self.side:
            return self
        cp = None if self.cp is None else -self.cp
        return Score(side, cp, self.loss_in, self.win_in)

    @property
    def is_proven(self) -> bool:
        """Whether the score is a proven win or loss."""
        return self.cp is None

    def score(self, *, mate_score: int) -> int:
        """Returns the score as one number: ``mate_score`` less the plies for a win, and its negative for a loss."""
        if self.win_in is not None:
            return mate_score - self.win_in
        if self.loss_in is not None:
            return self.loss_in - mate_score
        cp = self.cp or 0
        if abs(cp) == _UNPROVEN:
            # A win that is not proven is worth less than every proven one.
            return (mate_score - 1000) * (1 if cp > 0 else -1)
        return cp

    def _key(self) -> tuple[int, int]:
        if self.win_in is not None:
            return (1, -self.win_in)
        if self.loss_in is not None:
            return (-1, self.loss_in)
        return (0, self.cp or 0)

    def __lt__(self, other: Score) -> bool:
        """Whether the score is worse than another one for the same side."""
        if not isinstance(other, Score):
            return NotImplemented
        if self.side != other.side:
            raise TypeError(
                f"scores of both sides have no order: {self!r}, {other!r}; compare score.pov(\"first\")"
            )
        return self._key() < other._key()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Score):
            return NotImplemented
        return self._key() == other.pov(self.side)._key()

    def __hash__(self) -> int:
        return hash(self.pov("first")._key())

    def __str__(self) -> str:
        if self.win_in is not None:
            return f"win in {self.win_in}"
        if self.loss_in is not None:
            return f"loss in {self.loss_in}"
        cp = self.cp or 0
        if abs(cp) == _UNPROVEN:
            return "win, unproven" if cp > 0 else "loss, unproven"
        return f"{cp:+}"


@dataclass(frozen=True)
class Wdl:
    """Chances of a win, a draw and a loss for one side, in per mille."""

    side: Side
    win: int
    draw: int
    loss: int

    def pov(self, side: Side) -> Wdl:
        """Returns the chances from the point of view of ``side``."""
        return self if side == self.side else Wdl(side, self.loss, self.draw, self.win)

    @property
    def expected(self) -> float:
        """The expected points, from 0 to 1. A draw counts half."""
        return (self.win + self.draw / 2) / 1000


def wdl_of(value: Sequence[int] | None, side: Side) -> Wdl | None:
    return None if value is None else Wdl(side, value[0], value[1], value[2])


def hash_by_value(self: Any) -> int:
    """Returns the hash of a dataclass whose fields may be lists and dicts."""
    return hash(tuple(_frozen(getattr(self, it.name)) for it in fields(self) if it.compare))


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return frozenset((name, _frozen(it)) for name, it in value.items())
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
