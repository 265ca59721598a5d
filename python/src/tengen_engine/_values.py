"""Scores, limits and results."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import total_ordering
from typing import Any, Literal, TypeVar, overload

from ._errors import EngineError

T = TypeVar("T")

Side = Literal["first", "second"]
Outcome = Literal["first", "second", "draw"]
Json = dict[str, Any]

_UNPROVEN = 2_000_000


def other(side: Side) -> Side:
    """Returns the opponent of a side."""
    return "second" if side == "first" else "first"


@total_ordering
@dataclass(frozen=True)
class Score:
    """A score for one side: exactly one of ``cp`` (hundredths), ``win_in`` and ``loss_in`` (plies).

    ``str(score)`` is the only way in which a score is printed, and the one of the program:
    ``+27``, ``win in 3``, ``loss in 2``.
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

    def _key(self) -> tuple[int, int]:
        if self.win_in is not None:
            return (1, -self.win_in)
        if self.loss_in is not None:
            return (-1, self.loss_in)
        return (0, self.cp or 0)

    def __lt__(self, other: Score) -> bool:
        """Whether the score is worse than another one, for its own side."""
        if not isinstance(other, Score):
            return NotImplemented
        return self._key() < other.pov(self.side)._key()

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


def _wdl(value: Sequence[int] | None, side: Side) -> Wdl | None:
    return None if value is None else Wdl(side, value[0], value[1], value[2])


@dataclass(frozen=True)
class Limit:
    """When a search ends. The first limit that is reached counts; without limits it is the engine's.

    ``time``, ``left``, ``increment`` and ``opponent_left`` are seconds, ``depth`` and ``mate`` plies.
    ``left`` is the time on a game clock, from which the engine takes what suits the move.
    """

    time: float | None = None
    nodes: int | None = None
    depth: int | None = None
    mate: int | None = None
    left: float | None = None
    increment: float | None = None
    opponent_left: float | None = None

    def fields(self) -> Json:
        """Returns the fields of a query."""
        fields: Json = {"nodes": self.nodes, "depth": self.depth, "mate": self.mate}
        if self.time is not None:
            fields["time_ms"] = max(1, round(self.time * 1000))
        if self.left is not None:
            clock = {
                "left_ms": self.left,
                "inc_ms": self.increment,
                "opponent_left_ms": self.opponent_left,
            }
            fields["clock"] = {
                name: max(0, round(value * 1000)) for name, value in clock.items() if value is not None
            }
        return {name: value for name, value in fields.items() if value is not None}


def _check_results(reply: Json) -> None:
    """Refuses the reply of a search that ended before it found anything."""
    if reply.get("no_results"):
        why = str(reply.get("ended_by"))
        raise EngineError(f"the search ended before its first result: {why}", why)


@dataclass(frozen=True)
class Info:
    """A ranked move: the best one has rank 1."""

    rank: int
    move: str
    score: Score
    bound: str
    wdl: Wdl | None
    pv: list[str]
    depth: int
    nodes: int
    time: float


@dataclass(frozen=True)
class Proof:
    """A proven result: the winner (``None`` for a draw), the plies if known, and a sentence."""

    winner: Side | None
    plies: int | None
    grounds: str
    text: str


def _proof(value: Json | None) -> Proof | None:
    if value is None:
        return None
    return Proof(value.get("winner"), value.get("plies"), value["grounds"], value["text"])


class Items(Sequence[T]):
    """A sequence of the items of one of its fields."""

    @property
    @abstractmethod
    def _items(self) -> list[T]: ...

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)


@dataclass(frozen=True)
class Analysis(Items[Info]):
    """The result of a search: the ranked moves, best first. Empty if the game is over.

    ``raw`` is the reply of the engine.
    """

    infos: list[Info]
    turn_number: int
    turn: Side
    outcome: Outcome | None
    best: str | None
    ponder: str | None
    score: Score
    wdl: Wdl | None
    depth: int
    nodes: int
    time: float
    proof: Proof | None
    ended_by: str | None
    raw: Json = field(repr=False, compare=False)

    @classmethod
    def of(cls, reply: Json) -> Analysis:
        """Reads an ``answer`` or a ``report``."""
        _check_results(reply)
        turn: Side = reply["turn"]
        depth, nodes, time = reply["depth"], reply["nodes"], reply["time_ms"] / 1000
        infos = [
            Info(
                line["rank"],
                line["move"],
                Score.of(line["score"], turn),
                line["bound"],
                _wdl(line.get("wdl"), turn),
                line["pv"],
                depth,
                nodes,
                time,
            )
            for line in reply["moves"]
        ]
        return cls(
            infos,
            reply["turn_number"],
            turn,
            reply.get("outcome"),
            reply["best"],
            reply["ponder"],
            Score.of(reply["score"], turn),
            _wdl(reply.get("wdl"), turn),
            depth,
            nodes,
            time,
            _proof(reply.get("proof")),
            reply.get("ended_by"),
            reply,
        )

    @property
    def _items(self) -> list[Info]:
        return self.infos


@dataclass(frozen=True)
class PlayResult:
    """The move to play, the expected reply, and the search. ``move`` is ``None`` if the game is over."""

    move: str | None
    ponder: str | None
    analysis: Analysis


@dataclass(frozen=True)
class SwapResult:
    """What a player does in the opening Swap2.

    ``choice`` is ``three`` or ``two`` (places these stones), ``stay`` (continues as the second player) or
    ``swap`` (takes the first player's side). ``moves`` has the stones, for ``stay`` the next move.
    """

    choice: str
    moves: list[str]
    nodes: int
    time: float
    ended_by: str
    raw: Json = field(repr=False, compare=False)

    @classmethod
    def of(cls, reply: Json) -> SwapResult:
        """Reads a ``swap``."""
        _check_results(reply)
        moves, seconds = list(reply["moves"]), reply["time_ms"] / 1000
        return cls(reply["choice"], moves, reply["nodes"], seconds, reply["ended_by"], reply)


@dataclass(frozen=True)
class Threat:
    """A move that makes a threat. ``win_in`` is in plies, ``None`` without a win; ``line`` is the win."""

    move: str
    kind: str
    win_in: int | None
    line: list[str]


@dataclass(frozen=True)
class Threats:
    """The threats of a side, best first. ``complete`` says whether all were searched to the end."""

    side: Side
    moves: list[Threat]
    complete: bool

    @classmethod
    def of(cls, value: Json) -> Threats:
        """Reads the threats of a side."""
        moves = [Threat(it["move"], it["kind"], it["win_in"], it["line"]) for it in value["moves"]]
        return cls(value["side"], moves, value["complete"])


@dataclass(frozen=True)
class Solution:
    """The proven value of a position.

    ``solver_score`` is the number that ``tengen solve`` prints; ``None`` if nothing was proven within
    the limits. ``columns`` has the number of every move, if they were asked for.
    """

    turn: Side
    outcome: Outcome | None
    score: Score | None
    solver_score: int | None
    wdl: Wdl | None
    nodes: int
    time: float
    columns: dict[str, int | None] | None
    proof: Proof | None
    ended_by: str
    raw: Json = field(repr=False, compare=False)

    @classmethod
    def of(cls, reply: Json) -> Solution:
        """Reads a ``solution``."""
        _check_results(reply)
        turn: Side = reply["turn"]
        columns = reply.get("columns")
        return cls(
            turn,
            reply.get("outcome"),
            None if reply["score"] is None else Score.of(reply["score"], turn),
            reply["solver_score"],
            _wdl(reply.get("wdl"), turn),
            reply["nodes"],
            reply["time_ms"] / 1000,
            None if columns is None else {it["move"]: it["solver_score"] for it in columns},
            _proof(reply.get("proof")),
            reply["ended_by"],
            reply,
        )


@dataclass(frozen=True)
class ReviewedMove:
    """A judged move. ``mark`` is ``""``, ``?!``, ``?`` or ``??``; scores are for the player of the move."""

    number: int
    side: Side
    move: str
    before: Score
    after: Score
    grade: str
    best: list[str]

    MARKS = {"fine": "", "doubtful": "?!", "mistake": "?", "blunder": "??"}

    @property
    def mark(self) -> str:
        """The sign of the grade."""
        return self.MARKS.get(self.grade, "")

    def __str__(self) -> str:
        better = f"; better: {' '.join(self.best)}" if self.mark else ""
        return f"{self.number}. {self.move}{self.mark} ({self.before}, then {self.after}){better}"


@dataclass(frozen=True)
class Review:
    """A judged game. ``chances`` has the first player's expected points in each turn, from 0 to 1."""

    moves: list[ReviewedMove]
    mistakes: dict[Side, int]
    chances: list[float]
    sgf: str | None = field(repr=False)
    svg: str = field(repr=False)
    ended_by: str | None = None

    @classmethod
    def of(cls, replies: list[Json]) -> Review:
        """Reads the replies of a review."""
        moves = [
            ReviewedMove(
                it["number"],
                it["side"],
                it["move"],
                Score.of(it["before"], it["side"]),
                Score.of(it["after"], it["side"]),
                it["grade"],
                it["best"],
            )
            for it in replies[:-1]
        ]
        game = replies[-1]
        chances = [chance / 1000 for chance in game["chances"]]
        sgf, svg = game.get("sgf"), game["svg"]
        return cls(moves, game["mistakes"], chances, sgf, svg, game.get("ended_by"))

    def __str__(self) -> str:
        return "\n".join(map(str, self.moves))

    def _repr_html_(self) -> str:
        import base64

        # As an image, since the styles of the plot are for the picture only.
        data = base64.b64encode(self.svg.encode()).decode()
        return f'<img alt="chances of the first player" src="data:image/svg+xml;base64,{data}">'
