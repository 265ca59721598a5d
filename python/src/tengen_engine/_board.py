"""`Board`: a position of a game. The rules come from the engine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ._shared import shared_engine
from ._values import Json, Outcome, Side, Threats

if TYPE_CHECKING:
    from ._engine import Engine


class Board:
    """A position: a game, a start position and moves.

    ``moves`` is a list of moves, or one text in any usual spelling, such as ``"h8 i9"`` or ``"4455"``.
    ``fen`` is the position before the first move. ``width``, ``height``, ``connect``, ``gravity`` and
    ``overline`` choose another board, where the variant allows it. ``sgf`` is a game record in place of
    ``moves`` and ``fen``. Without ``engine`` the board asks a process that all boards share.

    A board raises `PositionError` for a variant, a board, a position or a move that the engine refuses.
    """

    def __init__(
        self,
        variant: str | None = None,
        moves: str | Iterable[str] = "",
        *,
        fen: str | None = None,
        sgf: str | None = None,
        width: int | None = None,
        height: int | None = None,
        connect: int | None = None,
        gravity: bool | None = None,
        overline: bool | None = None,
        engine: Engine | None = None,
    ) -> None:
        self._engine = engine
        size = {"width": width, "height": height, "connect": connect}
        rules = {"gravity": gravity, "overline": overline}
        options = {name: value for name, value in (size | rules).items() if value is not None}
        subject: Json = {"variant": variant} if variant is not None or sgf is not None else {}
        subject |= {"variant": "cfour"} if not subject else {}
        subject |= {"board": options} if options else {}
        if sgf is not None:
            if fen is not None or moves:
                raise ValueError("sgf: cannot be combined with fen or moves")
            subject["sgf"] = sgf
        else:
            subject |= {} if fen is None else {"fen": fen}
            subject["moves"] = moves if isinstance(moves, str) else list(moves)
        self._facts = self._ask(subject)
        if sgf is not None:
            # From here on, the board is known by its moves.
            subject = self._subject_of_record(subject)
        subject["variant"] = self._facts["variant"]
        subject["moves"] = list(self._facts["moves"])
        self._subject = subject

    def _ask(self, subject: Json, **include: bool) -> Json:
        engine = shared_engine() if self._engine is None else self._engine
        return engine.rules(
            subject,
            **(include or {"board": True, "moves": True, "winning_line": True, "forbidden": True}),
        )

    def _subject_of_record(self, subject: Json) -> Json:
        """Returns the subject of a record by its moves and its start position."""
        engine = shared_engine() if self._engine is None else self._engine
        rules = {name: subject[name] for name in ("variant", "board") if subject.get(name)}
        game = engine.read_games(subject["sgf"].encode(), **rules)[0]
        return dict(game.board(engine=self._engine)._subject)

    def subject(self) -> Json:
        """Returns the fields that name the position in a query."""
        return dict(self._subject)

    @property
    def variant(self) -> str:
        """The name of the game."""
        return str(self._facts["variant"])

    @property
    def rules(self) -> str:
        """The rules in a few words."""
        return str(self._facts["rules"])

    def _size(self, name: str) -> int:
        board = self._facts.get("board")
        if board is None:
            raise ValueError(f"{self.variant} has no board")
        return int(board[name])

    @property
    def width(self) -> int:
        """The number of columns."""
        return self._size("width")

    @property
    def height(self) -> int:
        """The number of rows."""
        return self._size("height")

    @property
    def gravity(self) -> bool:
        """Whether stones fall."""
        return bool(self._size("gravity"))

    @property
    def moves(self) -> list[str]:
        """The moves from the start position."""
        return list(self._subject["moves"])

    @property
    def start_fen(self) -> str | None:
        """The position before the first move; ``None`` for the usual one."""
        return self._subject.get("fen")

    @property
    def turn(self) -> Side:
        """The side to move."""
        side: Side = self._facts["turn"]
        return side

    @property
    def legal_moves(self) -> list[str]:
        """The legal moves; none if the game is over."""
        return list(self._facts["legal"])

    def is_legal(self, move: str) -> bool:
        """Returns whether a move, written like ``h8``, is legal."""
        return move in self._facts["legal"]

    def forbidden(self) -> dict[str, str]:
        """Returns the points on which the side to move may not play, each with the name of the rule."""
        return {point["move"]: point["why"] for point in self._facts["forbidden"]}

    def threats(self) -> dict[Side, Threats]:
        """Returns the threats of both sides, in games of five in a row."""
        found = map(Threats.of, self._picture("threats"))
        return {threats.side: threats for threats in found}

    @property
    def outcome(self) -> Outcome | None:
        """The result, ``first``, ``second`` or ``draw``; ``None`` if the game is not over."""
        outcome: Outcome | None = self._facts["outcome"]
        return outcome

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.outcome is not None

    @property
    def winning_line(self) -> list[str]:
        """The points of the line that ended the game; empty if no line ended it."""
        return list(self._facts["winning_line"])

    @property
    def fen(self) -> str:
        """The position as a FEN."""
        return str(self._facts["fen"])

    @property
    def key(self) -> str:
        """A number for the position, in hexadecimal digits."""
        return str(self._facts["key"])

    @property
    def stones(self) -> dict[str, Side]:
        """The stones, by their points."""
        stones: dict[str, Side] = {}
        rows = self.fen.split()[0].split("[")[0].split("/")
        for row, text in zip(range(len(rows), 0, -1), rows):
            column, digits = 0, ""
            for sign in text + " ":
                if sign.isdigit():
                    digits += sign
                    continue
                column, digits = column + int(digits or 0), ""
                if sign in "Pp":
                    stones[f"{chr(ord('a') + column)}{row}"] = "first" if sign == "P" else "second"
                    column += 1
        return stones

    def push(self, move: str) -> None:
        """Plays a move. A move that is refused changes nothing."""
        subject = self._subject | {"moves": [*self._subject["moves"], move]}
        self._facts = self._ask(subject)
        self._subject = subject | {"moves": list(self._facts["moves"])}

    def pop(self) -> str:
        """Takes the last move back and returns it."""
        moves = self._subject["moves"]
        if not moves:
            raise IndexError("no move to take back")
        subject = self._subject | {"moves": moves[:-1]}
        self._facts = self._ask(subject)
        self._subject = subject
        return str(moves[-1])

    def at(self, turn: int) -> Board:
        """Returns the position after the first ``turn`` moves."""
        if not 0 <= turn <= len(self._subject["moves"]):
            raise IndexError(f"turn {turn}: the game has {len(self._subject['moves'])} moves")
        board = self.copy()
        board._subject = self._subject | {"moves": self._subject["moves"][:turn]}
        board._facts = board._ask(board._subject)
        return board

    def copy(self) -> Board:
        """Returns a copy."""
        board = Board.__new__(Board)
        board._engine, board._facts = self._engine, self._facts
        board._subject = self._subject | {"moves": list(self._subject["moves"])}
        return board

    def text(self) -> str:
        """Returns a drawing in text."""
        return str(self._picture("text")).rstrip("\n")

    def svg(self) -> str:
        """Returns a drawing in SVG."""
        return str(self._picture("svg"))

    def sgf(self) -> str:
        """Returns the game as SGF."""
        return str(self._picture("sgf"))

    def _picture(self, name: str) -> Any:
        include = {"legal": False, "forbidden": False, name: True}
        return self._ask(self._subject, **include)[name]

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        moves = " ".join(self._subject["moves"])
        fen = "" if self.start_fen is None else f", fen={self.start_fen!r}"
        options = self._subject.get("board", {})
        more = "".join(f", {name}={value!r}" for name, value in options.items())
        return f"Board({self.variant!r}, {moves!r}{fen}{more})"

    def __eq__(self, other: object) -> bool:
        """Whether both are the same game in the same position, by whatever moves."""
        if not isinstance(other, Board):
            return NotImplemented
        return self._identity() == other._identity()

    def _identity(self) -> tuple[Any, ...]:
        return (self.variant, self.rules, self.fen.split()[:2])

    __hash__ = None  # type: ignore[assignment]
