"""Arrows and marks on the engine's drawing of a board."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from typing import Union

#: An arrow from one point to another, in a colour if it has a third item.
Arrow = Union[tuple[str, str], tuple[str, str, str]]

_LABEL = re.compile(r'<text x="(\d+)" y="(\d+)" fill="[^"]*">(?:([a-z])|(\d+))</text>')
_GREEN = "#15803d"
#: The base line of a label is lower than the centre of its row.
_BASE = 5


def decorate(
    svg: str, size: int | None, arrows: Iterable[Arrow], marks: Mapping[str, str] | Iterable[str]
) -> str:
    """Returns a drawing with another width in pixels, and with arrows and marks.

    The labels of the drawing say where its columns and rows are.
    """
    columns: dict[str, int] = {}
    rows: dict[str, int] = {}
    for x, y, column, row in _LABEL.findall(svg):
        if column:
            columns.setdefault(column, int(x))
        elif int(row) == len(rows) + 1:
            rows[row] = int(y) - _BASE

    def centre(point: str) -> tuple[int, int]:
        column, row = point[:1], point[1:]
        if column not in columns or row not in rows:
            raise ValueError(f"{point!r}: no point of the board, such as a1")
        return columns[column], rows[row]

    parts = [_mark(*centre(point), text) for point, text in _items(marks)]
    for arrow in arrows:
        (from_x, from_y), (to_x, to_y) = centre(arrow[0]), centre(arrow[1])
        colour = html.escape(arrow[2] if len(arrow) > 2 else _GREEN)
        parts.append(_arrow(from_x, from_y, to_x, to_y, colour))
    if size is not None:
        svg = re.sub(r'width="(\d+)" height="(\d+)"', lambda it: _scaled(it, size), svg, count=1)
    return svg.replace("</svg>", "".join(parts) + "</svg>")


def _items(marks: Mapping[str, str] | Iterable[str]) -> Iterable[tuple[str, str]]:
    return marks.items() if isinstance(marks, Mapping) else ((point, "") for point in marks)


def _scaled(found: re.Match[str], size: int) -> str:
    width, height = int(found[1]), int(found[2])
    return f'width="{size}" height="{max(1, round(size * height / width))}"'


def _mark(x: int, y: int, text: str) -> str:
    if not text:
        return f'<circle cx="{x}" cy="{y}" r="8" fill="none" stroke="{_GREEN}" stroke-width="3"/>\n'
    words = html.escape(text)
    return (
        f'<circle cx="{x}" cy="{y}" r="11" fill="#ffffff" fill-opacity="0.8"/>\n'
        f'<text x="{x}" y="{y + _BASE}" fill="{_GREEN}" font-weight="bold">{words}</text>\n'
    )


def _arrow(from_x: int, from_y: int, to_x: int, to_y: int, colour: str) -> str:
    along_x, along_y = to_x - from_x, to_y - from_y
    length = max(1.0, (along_x**2 + along_y**2) ** 0.5)
    unit_x, unit_y = along_x / length, along_y / length
    base_x, base_y = to_x - 12 * unit_x, to_y - 12 * unit_y
    head = [(to_x, to_y)]
    head += [(base_x - s * 6 * unit_y, base_y + s * 6 * unit_x) for s in (1, -1)]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in head)
    return (
        f'<path stroke="{colour}" stroke-width="4" stroke-linecap="round" opacity="0.8" '
        f'd="M{from_x} {from_y}L{base_x:.1f} {base_y:.1f}"/>\n'
        f'<polygon points="{points}" fill="{colour}" opacity="0.8"/>\n'
    )
