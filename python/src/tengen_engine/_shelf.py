"""What the engine knows from a shelf: games, their results, and comments of people."""

from __future__ import annotations

from dataclasses import dataclass, field

from ._scores import Json, Outcome, Score, Side, hash_by_value
from ._values import Items

#: The least number of known results that give a share of the points.
ENOUGH = 10


@dataclass(frozen=True)
class Results:
    """The results of games, for one player. ``last`` is the date of the last game, ``None`` if unknown."""

    games: int
    wins: int
    draws: int
    losses: int
    last: str | None

    @classmethod
    def of(cls, value: Json) -> Results:
        """Reads the results of a position or of a move."""
        return cls(value["games"], value["wins"], value["draws"], value["losses"], value["last"])

    @property
    def points(self) -> float | None:
        """The share of the points, from 0 to 1; ``None`` with less than ten known results. A draw counts half."""
        known = self.wins + self.draws + self.losses
        return (self.wins + self.draws / 2) / known if known >= ENOUGH else None


@dataclass(frozen=True)
class ExploredMove:
    """A move that was played, that a tree of variations has, or that has a value.

    It stands for its images under symmetry. ``results`` and ``score`` are for its player, ``label`` is a
    text on the point or a label, and ``tree`` says whether a tree of variations has the move.
    """

    move: str
    results: Results
    score: Score | None
    label: str | None
    tree: bool


@dataclass(frozen=True)
class ShelfNote:
    """A comment or a label of a person about a position; what is unknown is ``None``.

    ``at`` is when it was written, in universal time. ``number`` is that of a comment of the shelf, for
    `Engine.change_comment`, ``tree`` that of the tree of variations that has it, for `Engine.edit_tree`.
    """

    text: str | None
    label: str | None
    author: str | None
    at: str | None
    number: int | None
    tree: int | None

    @classmethod
    def of(cls, value: Json) -> ShelfNote:
        """Reads a note of a position."""
        return cls(**{name: value[name] for name in cls.__dataclass_fields__})


@dataclass(frozen=True)
class OtherOrder:
    """Another stone that was the last move to a position, in ``games`` games or in a ``tree`` of variations."""

    move: str
    games: int
    tree: bool


@dataclass(frozen=True)
class ShelfChange:
    """A change of a shelf: its number, when it was made in universal time, and what was done."""

    number: int
    at: str
    what: str

    @classmethod
    def of(cls, value: Json) -> ShelfChange:
        """Reads a change of a list."""
        return cls(value["number"], value["at"], value["what"])


@dataclass(frozen=True)
class Changed:
    """What a call did to a shelf.

    ``change`` is ``None`` if nothing changed. ``count`` games, comments or trees have changed; it is ``None`` after
    an undo or a redo. ``number`` is that of a new comment.
    """

    change: ShelfChange | None
    count: int | None
    number: int | None

    @classmethod
    def of(cls, reply: Json) -> Changed:
        """Reads the reply to a change."""
        change = reply["change"]
        return cls(None if change is None else ShelfChange.of(change), reply["count"], reply["number"])


@dataclass(frozen=True)
class ShelfGame:
    """A game of the shelf. ``number`` is its number there; what is unknown is ``None``.

    ``board`` has ``width``, ``height`` and ``gravity``. ``marks`` are the notes of the import, such as
    ``illegal move``.
    """

    number: int
    variant: str
    board: Json
    first: str | None
    second: str | None
    event: str | None
    round: str | None
    date: str | None
    result: Outcome | None
    ending: str | None
    opening: str | None
    plies: int
    marks: list[str]

    __hash__ = hash_by_value

    @classmethod
    def of(cls, value: Json) -> ShelfGame:
        """Reads a game of a list."""
        names = [name for name in cls.__dataclass_fields__ if name != "number"]
        return cls(value["game"], **{name: value[name] for name in names})


@dataclass(frozen=True)
class GameList(Items[ShelfGame]):
    """A page of games, the latest first. ``found`` is the number of all games.

    If ``found`` is ``None``, ``not_listed`` says why: ``too_many``
    (more than 20,000 games) or ``time`` (the time was over; another try may have the list).
    """

    games: list[ShelfGame]
    found: int | None
    not_listed: str | None

    __hash__ = hash_by_value

    @classmethod
    def of(cls, reply: Json) -> GameList:
        """Reads the games of a reply."""
        return cls([ShelfGame.of(it) for it in reply["list"]], reply["found"], reply["not_listed"])

    @property
    def _items(self) -> list[ShelfGame]:
        return self.games


@dataclass(frozen=True)
class Explored(Items[ExploredMove]):
    """What the shelf knows about a position: its moves, the most played first.

    ``results`` and ``score`` are for the side to move. ``games`` are those that reached the position.
    ``notes`` are the comments with who wrote them, ``other_orders`` the other last moves that lead to it.
    ``on_board`` is the number of games on this board, ``not_indexed`` that of games that do not count yet,
    because an import goes on.
    """

    moves: list[ExploredMove]
    turn_number: int
    turn: Side
    results: Results
    score: Score | None
    depth: int | None
    nodes: int | None
    engine: str | None
    label: str | None
    comments: list[str]
    notes: list[ShelfNote]
    other_orders: list[OtherOrder]
    games: GameList
    on_board: int
    not_indexed: int
    raw: Json = field(repr=False, compare=False)

    __hash__ = hash_by_value

    @classmethod
    def of(cls, reply: Json) -> Explored:
        """Reads the reply to ``explore``."""
        turn: Side = reply["turn"]

        def score(value: Json) -> Score | None:
            return None if value["score"] is None else Score.of(value["score"], turn)

        moves = [
            ExploredMove(it["move"], Results.of(it), score(it), it["label"], it["tree"])
            for it in reply["moves"]
        ]
        return cls(
            moves,
            reply["turn_number"],
            turn,
            Results.of(reply),
            score(reply),
            reply["depth"],
            reply["nodes"],
            reply["engine"],
            reply["label"],
            reply["comments"],
            [ShelfNote.of(it) for it in reply.get("notes", [])],
            [
                OtherOrder(it["move"], it["games"], it["tree"])
                for it in reply.get("other_orders", [])
            ],
            GameList.of(reply),
            reply["on_board"],
            reply["not_indexed"],
            reply,
        )

    @property
    def _items(self) -> list[ExploredMove]:
        return self.moves
