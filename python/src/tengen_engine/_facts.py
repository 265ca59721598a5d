"""`BoardFacts`: what a board knows without asking the engine."""

from __future__ import annotations

import hashlib
from typing import Any

from ._openings import Opening
from ._scores import Json, Outcome, Side
from ._symmetry import Symmetry, fen_of, image_of, images, stones_of, symmetries


class BoardFacts:
    """A position, and what the engine said about it."""

    _subject: Json
    _facts: Json

    def subject(self) -> Json:
        """Returns the fields that name the position in a query."""
        return dict(self._subject)

    def _after(self, move: str) -> BoardFacts:
        """Returns the position after a move, of which no facts are known."""
        position = BoardFacts()
        position._subject = self._subject | {"moves": [*self._subject["moves"], move]}
        return position

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
        return stones_of(self.fen)

    def piece_at(self, point: str) -> Side | None:
        """Returns whose stone is on a point; ``None`` if it is empty."""
        return self.stones.get(point)

    @property
    def ply(self) -> int:
        """The number of moves from the start position."""
        return len(self._subject["moves"])

    def peek(self) -> str:
        """Returns the last move."""
        if not self._subject["moves"]:
            raise IndexError("no move was played")
        return str(self._subject["moves"][-1])

    @property
    def opening(self) -> Opening | None:
        """The name of the opening, if it has one."""
        return Opening.of(self._facts.get("opening"))

    @property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """The symmetries of the board: all eight of a square one, left and right where stones fall."""
        return symmetries(self.width, self.height, self.gravity)

    def image_of(self, move: str, symmetry: Symmetry) -> str:
        """Returns the image of a move under a symmetry."""
        self._check_symmetry(symmetry)
        return image_of(move, symmetry, self.width, self.height)

    def _check_symmetry(self, symmetry: Symmetry) -> None:
        if symmetry not in self.symmetries:
            raise ValueError(f"{symmetry!r}: the board has {', '.join(self.symmetries)}")

    def canonical(self) -> tuple[str, Symmetry]:
        """Returns a key that is equal for equal positions, turned and mirrored ones too, and a symmetry.

        The symmetry turns this position into that of the key, so that values of moves can be stored for all
        positions at once: ``board.image_of(move, symmetry)``, and back with `inverse` of the symmetry.
        """
        stones, width, height = self.stones, self.width, self.height
        rest = f"{self.turn} {width}x{height} {self.variant} {self.rules}"
        texts = {it: fen_of(images(stones, it, width, height), "", width, height) for it in self.symmetries}
        symmetry = min(self.symmetries, key=lambda it: texts[it])
        text = texts[symmetry]
        digest = hashlib.blake2b(f"{text} {rest}".encode(), digest_size=16)
        return digest.hexdigest(), symmetry

    @property
    def canonical_key(self) -> str:
        """The key of `canonical`."""
        return self.canonical()[0]

    def _image(self, symmetry: Symmetry) -> Json:
        """Returns the fields that name the image of the position."""
        self._check_symmetry(symmetry)
        width, height = self.width, self.height
        subject = self.subject()
        subject["moves"] = [image_of(move, symmetry, width, height) for move in subject["moves"]]
        if "fen" in subject:
            stones = images(stones_of(subject["fen"]), symmetry, width, height)
            subject["fen"] = fen_of(stones, subject["fen"], width, height)
        return subject

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
