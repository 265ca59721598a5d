"""What searches, proofs and reviews find."""

from __future__ import annotations

import html
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar, overload

from ._errors import EngineError
from ._openings import Opening
from ._scores import Json, Outcome, Score, Side, Wdl, hash_by_value, wdl_of

T = TypeVar("T")

#: What is known about a win of a side. A search that ended early is never a "no".
Verdict = Literal["wins", "does_not_win", "no_win_found"]


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

    __hash__ = hash_by_value


@dataclass(frozen=True)
class Proof:
    """A proven result: the winner (``None`` for a draw), the plies if known, and a sentence.

    A book can prove a position without a move. Then ``move_proven`` is false: the best move is a guess, and
    the score is that of the guess.
    """

    winner: Side | None
    plies: int | None
    grounds: str
    text: str
    move_proven: bool = True


def _proof(value: Json | None) -> Proof | None:
    if value is None:
        return None
    move_proven = value.get("move_proven", True)
    return Proof(value.get("winner"), value.get("plies"), value["grounds"], value["text"], move_proven)


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
    opening: Opening | None = None

    __hash__ = hash_by_value

    def verdict(self, side: Side | None = None) -> Verdict:
        """Returns what is known about a win of ``side``, by default the side to move: only a proof is a yes or a no."""
        if self.outcome is None and self.proof is None:
            return "no_win_found"
        winner = self.proof.winner if self.proof is not None else self.outcome
        return "wins" if winner == (side or self.turn) else "does_not_win"

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
                wdl_of(line.get("wdl"), turn),
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
            wdl_of(reply.get("wdl"), turn),
            depth,
            nodes,
            time,
            _proof(reply.get("proof")),
            reply.get("ended_by"),
            reply,
            Opening.of(reply.get("opening")),
        )

    @property
    def _items(self) -> list[Info]:
        return self.infos

    def _repr_html_(self) -> str:
        rows = [["", "move", "score", "win", "draw", "loss", "line"]]
        for it in self.infos:
            chances = [] if it.wdl is None else [it.wdl.win, it.wdl.draw, it.wdl.loss]
            shares = [f"{chance / 10:.1f} %" for chance in chances] or [""] * 3
            rows.append([str(it.rank), it.move, str(it.score), *shares, " ".join(it.pv[:12])])
        cells = ["".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in rows]
        body = "".join(f"<tr>{row}</tr>" for row in cells)
        about = f"{self.turn} to move, depth {self.depth}, {self.nodes:,} nodes, {self.time:.2f} s"
        return f"<table><caption>{about}</caption>{body}</table>"


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

    __hash__ = hash_by_value

    @classmethod
    def of(cls, reply: Json) -> SwapResult:
        """Reads a ``swap``."""
        _check_results(reply)
        moves, seconds = list(reply["moves"]), reply["time_ms"] / 1000
        return cls(reply["choice"], moves, reply["nodes"], seconds, reply["ended_by"], reply)


@dataclass(frozen=True)
class Threat:
    """A move that makes a threat.

    ``win_in`` is the length in plies of a win by fours that begins with the move; ``line`` is this win. ``None``: no
    such win was found. Only with `Threats.complete` there is none. Other wins are not searched for.
    """

    move: str
    kind: str
    win_in: int | None
    line: list[str]

    __hash__ = hash_by_value


@dataclass(frozen=True)
class Threats:
    """The threats of a side, best first. ``complete`` says whether all fours were searched to the end for wins by fours."""

    side: Side
    moves: list[Threat]
    complete: bool
    text: list[str] = field(default_factory=list)

    __hash__ = hash_by_value

    def __str__(self) -> str:
        return "\n".join(self.text)

    @classmethod
    def of(cls, value: Json) -> Threats:
        """Reads the threats of a side."""
        moves = [Threat(it["move"], it["kind"], it["win_in"], it["line"]) for it in value["moves"]]
        return cls(value["side"], moves, value["complete"], value["text"])


@dataclass(frozen=True)
class Solution:
    """The proven value of a position.

    ``solver_score`` is the number that ``tengen solve`` prints; ``None`` if nothing was proven within
    the limits. Then ``bounds`` are the least and the greatest number that is possible, if they are known.
    ``columns`` has the number of every move, if they were asked for.
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
    bounds: tuple[int, int] | None = None

    __hash__ = hash_by_value

    @classmethod
    def of(cls, reply: Json) -> Solution:
        """Reads a ``solution``."""
        _check_results(reply)
        turn: Side = reply["turn"]
        columns, bounds = reply.get("columns"), reply.get("bounds")
        return cls(
            turn,
            reply.get("outcome"),
            None if reply["score"] is None else Score.of(reply["score"], turn),
            reply["solver_score"],
            wdl_of(reply.get("wdl"), turn),
            reply["nodes"],
            reply["time_ms"] / 1000,
            None if columns is None else {it["move"]: it["solver_score"] for it in columns},
            _proof(reply.get("proof")),
            reply["ended_by"],
            reply,
            None if bounds is None else (bounds[0], bounds[1]),
        )


@dataclass(frozen=True)
class Reason:
    """Why a move is bad: facts that a replay by the rules shows, and ``text`` in words.

    ``kind`` is the field ``kind`` of the JSON protocol, such as ``"allows_win"``. ``line`` is a proven win of ``side``: in place of
    the move if the kind is ``"misses_win"``, from it on if ``"wins"``, else after it. ``by`` says what the winner's moves are.
    """

    kind: str
    side: Side
    text: str
    line: list[str]
    points: list[str]
    stops: list[str]
    by: str | None = None
    json: Json = field(default_factory=dict, repr=False)

    __hash__ = hash_by_value

    @classmethod
    def of(cls, it: Json | None) -> Reason | None:
        """Reads the field ``reason`` of a reply."""
        if it is None:
            return None
        return cls(it["kind"], it["side"], it["text"], it["line"], it["points"], it["stops"], it.get("by"), it)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class ReviewedMove:
    """A judged move. ``mark`` is ``""``, ``?!``, ``?`` or ``??``; scores are for the player of the move.

    ``reason`` says why a move with a mark is bad.
    """

    number: int
    side: Side
    move: str
    before: Score
    after: Score
    grade: str
    best: list[str]
    reason: Reason | None = None

    __hash__ = hash_by_value

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

    __hash__ = hash_by_value

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
                Reason.of(it.get("reason")),
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
