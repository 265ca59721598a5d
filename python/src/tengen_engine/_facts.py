"""`Position`: what a board knows without asking the engine."""

from __future__ import annotations

from typing import Any

from ._values import Json, Outcome, Side


class BoardFacts:
    """A position, and what the engine said about it."""

    _subject: Json
    _facts: Json

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

    def __repr__(self) -> str:
        moves = " ".join(self._subject["moves"])
        fen = "" if self.start_fen is None else f", fen={self.start_fen!r}"
        options = self._subject.get("board", {})
        more = "".join(f", {name}={value!r}" for name, value in options.items())
        return f"{type(self).__name__}({self.variant!r}, {moves!r}{fen}{more})"

    def __eq__(self, other: object) -> bool:
        """Whether both are the same game in the same position, by whatever moves."""
        if not isinstance(other, BoardFacts):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        """The hash of the position. A board that is a key must not be played on."""
        return hash(self._identity())

    def _identity(self) -> tuple[Any, ...]:
        return (self.variant, self.rules, *self.fen.split()[:2])
