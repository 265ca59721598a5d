"""The symmetries of a board: turns and mirrors of points and positions."""

from __future__ import annotations

from typing import Literal

from ._scores import Side

#: A symmetry: turns are to the right, ``mirror`` exchanges left and right, ``flip`` above and below,
#: ``transpose`` mirrors at the diagonal from the lower left, ``anti`` at the other one.
Symmetry = Literal[
    "identity", "turn90", "turn180", "turn270", "mirror", "flip", "transpose", "anti"
]
Stones = dict[str, Side]

ALL: tuple[Symmetry, ...] = (
    "identity",
    "turn90",
    "turn180",
    "turn270",
    "mirror",
    "flip",
    "transpose",
    "anti",
)
_INVERSE: dict[Symmetry, Symmetry] = {"turn90": "turn270", "turn270": "turn90"}


def inverse(symmetry: Symmetry) -> Symmetry:
    """Returns the symmetry that takes another one back."""
    return _INVERSE.get(symmetry, symmetry)


def symmetries(width: int, height: int, gravity: bool) -> tuple[Symmetry, ...]:
    """Returns the symmetries of a board."""
    if gravity:
        return ("identity", "mirror")
    return ALL if width == height else ("identity", "turn180", "mirror", "flip")


def image_of(point: str, symmetry: Symmetry, width: int, height: int) -> str:
    """Returns the image of a point such as ``h8``."""
    column, row = ord(point[0]) - ord("a"), int(point[1:]) - 1
    right, top = width - 1 - column, height - 1 - row
    x, y = {
        "identity": (column, row),
        "turn90": (row, right),
        "turn180": (right, top),
        "turn270": (top, column),
        "mirror": (right, row),
        "flip": (column, top),
        "transpose": (row, column),
        "anti": (top, right),
    }[symmetry]
    return f"{chr(ord('a') + x)}{y + 1}"


def images(stones: Stones, symmetry: Symmetry, width: int, height: int) -> Stones:
    """Returns the images of stones."""
    return {image_of(point, symmetry, width, height): side for point, side in stones.items()}


def stones_of(fen: str) -> Stones:
    """Returns the stones of a FEN, by their points."""
    stones: Stones = {}
    rows = fen.split()[0].split("[")[0].split("/")
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


def fen_of(stones: Stones, fen: str, width: int, height: int) -> str:
    """Returns a FEN with other stones."""
    placement, _, rest = fen.partition(" ")
    rows = []
    for row in range(height, 0, -1):
        text, empty = "", 0
        for column in range(width):
            side = stones.get(f"{chr(ord('a') + column)}{row}")
            if side is None:
                empty += 1
                continue
            text += f"{empty or ''}{'P' if side == 'first' else 'p'}"
            empty = 0
        rows.append(text + str(empty or ""))
    _, bracket, hand = placement.partition("[")
    return "/".join(rows) + bracket + hand + (f" {rest}" if rest else "")
