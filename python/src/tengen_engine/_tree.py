"""`GameTree`: a game with its comments and variations, to read and to change.

The text of a tree is SGF as the engine writes it. Every other format is read and written by the engine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, MutableMapping, Sequence
from typing import Generic, TypeVar

from ._errors import EngineError
from ._scores import Outcome, Side, other

T = TypeVar("T")

#: The names of headers, and their properties in SGF.
HEADERS = {
    "first": "PB",
    "second": "PW",
    "first_rating": "BR",
    "second_rating": "WR",
    "event": "EV",
    "round": "RO",
    "place": "PC",
    "date": "DT",
    "result": "RE",
    "opening": "ON",
    "rules": "RU",
    "time": "TM",
    "annotator": "AN",
    "source": "SO",
    "comment": "GC",
}
_RESULTS: dict[str, Outcome] = {"B": "first", "W": "second", "0": "draw", "D": "draw"}
_MOVES: dict[str, Side] = {"B": "first", "W": "second"}
_TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]+)|\[((?:[^\]\\]|\\.)*)\])", re.S)

#: The text of a move by which a player gives up the turn.
PASS = "pass"


def outcome_of(result: str | None) -> Outcome | None:
    """Returns who won by a result in the words of SGF; ``None`` if it does not say."""
    return None if not result or result == "?" else _RESULTS.get(result[:1].upper())


def result_of(outcome: Outcome | None) -> str:
    """Returns a result in the words of SGF."""
    return {"first": "B+", "second": "W+", "draw": "0", None: "?"}[outcome]


class Node:
    """A position of a tree: the move that led to it, a comment, and the variations that follow.

    The first variation is the main one. ``properties`` are the further properties of SGF, as they are written.
    """

    def __init__(self, move: str | None = None, comment: str = "", parent: Node | None = None) -> None:
        self.move = move
        self.comment = comment
        self.parent = parent
        self.variations: list[Node] = []
        self.properties: dict[str, list[str]] = {}
        #: Who made the move; ``None`` at the root.
        self.side: Side | None = None

    @property
    def ply(self) -> int:
        """The number of moves before the position."""
        return len(self.moves())

    def moves(self) -> list[str]:
        """Returns the moves from the root to the position."""
        moves: list[str] = []
        node: Node | None = self
        while node is not None:
            if node.move is not None:
                moves.append(node.move)
            node = node.parent
        return moves[::-1]

    def main_line(self) -> Iterator[Node]:
        """Gives the nodes after this one, along the main variations."""
        node = self
        while node.variations:
            node = node.variations[0]
            yield node

    def walk(self) -> Iterator[Node]:
        """Gives this node and all that follow, a variation after the one before it."""
        stack: list[Node] = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.variations))

    def variation(self, move: str) -> Node | None:
        """Returns the variation that begins with a move; ``None`` if there is none."""
        return next((it for it in self.variations if it.move == move), None)

    def add(self, move: str, comment: str = "", *, main: bool = False) -> Node:
        """Adds a variation, at the end or as the ``main`` one. Returns the one that begins with the move, if any."""
        node = self.variation(move)
        if node is None:
            node = Node(move, parent=self)
            begins: Side = "second" if self.properties.get("PL") == ["W"] else "first"
            node.side = begins if self.side is None else other(self.side)
            self.variations.append(node)
        if comment:
            node.comment = comment
        if main:
            node.promote(to_main=True)
        return node

    def add_line(self, moves: Sequence[str], *, main: bool = False) -> Node:
        """Adds moves one after another. Returns the last node."""
        node = self
        for move in moves:
            node = node.add(move, main=main)
        return node

    def promote(self, *, to_main: bool = False) -> None:
        """Moves the variation one place forward, or to the first place."""
        siblings = self._siblings()
        at = siblings.index(self)
        siblings.insert(0 if to_main else max(0, at - 1), siblings.pop(at))

    def demote(self) -> None:
        """Moves the variation one place back."""
        siblings = self._siblings()
        at = siblings.index(self)
        siblings.insert(at + 1, siblings.pop(at))

    def remove(self) -> None:
        """Removes the node and all that follows."""
        self._siblings().remove(self)
        self.parent = None

    def _siblings(self) -> list[Node]:
        if self.parent is None:
            raise ValueError("the root of a tree stays where it is")
        return self.parent.variations

    def __repr__(self) -> str:
        return f"<Node {' '.join(self.moves()) or 'root'}, {len(self.variations)} variations>"


class Headers(MutableMapping[str, str]):
    """What a tree says about its game: ``first``, ``second``, ``event``, ``result``, ...; also a property of SGF."""

    def __init__(self, root: Node) -> None:
        self._properties = root.properties

    @staticmethod
    def _property(name: str) -> str:
        known = HEADERS.get(name, name)
        if not re.fullmatch("[A-Z]+", known) or known in ("B", "W", "C"):
            raise KeyError(f"{name!r}: the headers are {', '.join(HEADERS)}, and properties of SGF")
        return known

    def __getitem__(self, name: str) -> str:
        return _plain(self._properties[self._property(name)][0])

    def __setitem__(self, name: str, text: str) -> None:
        self._properties[self._property(name)] = [_escaped(text)]

    def __delitem__(self, name: str) -> None:
        del self._properties[self._property(name)]

    def __iter__(self) -> Iterator[str]:
        names = {known: name for name, known in HEADERS.items()}
        return (names.get(it, it) for it in self._properties)

    def __len__(self) -> int:
        return len(self._properties)


class Visitor(Generic[T]):
    """Goes through a tree by `GameTree.accept`. Override what you need; each method does nothing."""

    def begin_game(self, tree: GameTree) -> None:
        """Comes first."""

    def visit_header(self, name: str, text: str) -> None:
        """Comes for each header."""

    def visit_node(self, node: Node) -> None:
        """Comes for the root and for each move, the main variation first."""

    def begin_variation(self, node: Node) -> bool:
        """Comes before a variation that is not the main one. ``False`` leaves it out."""
        return True

    def end_variation(self, node: Node) -> None:
        """Comes after such a variation."""

    def result(self) -> T | None:
        """Comes last. `GameTree.accept` returns this."""
        return None


class GameTree:
    """A game with its headers, comments and variations.

    `Game.tree` and `GameTree.parse` make one of a record, ``GameTree(15, 15, "gomoku")`` an empty one. After
    changes, `Game.of_tree` makes a game that is converted and saved in any format.
    """

    def __init__(self, width: int, height: int, variant: str | None = None) -> None:
        self.width, self.height = width, height
        self.root = Node()
        self.root.properties = {"FF": ["4"], "GM": ["4"], "SZ": [f"{width}:{height}"]}
        self.headers = Headers(self.root)
        if variant is not None:
            self.headers["rules"] = variant

    @classmethod
    def parse(cls, sgf: str) -> GameTree:
        """Reads SGF as the engine writes it: one game. `Game.read` reads every other record."""
        return _Reader(sgf).tree()

    def main_line(self) -> list[Node]:
        """Returns the nodes of the main line, from the first move."""
        return list(self.root.main_line())

    def moves(self) -> list[str]:
        """Returns the moves of the main line."""
        return [node.move for node in self.main_line() if node.move is not None]

    def set_main_line(self, moves: Sequence[str]) -> None:
        """Makes the moves the main line. What follows another move of the old one is removed."""
        node = self.root
        for move in moves:
            if node.variations and node.variations[0].move != move:
                node.variations[0].remove()
            node = node.add(move, main=True)
        while node.variations:
            node.variations[0].remove()

    def find(self, moves: Sequence[str]) -> Node | None:
        """Returns the node after these moves; ``None`` if the tree does not have it."""
        node: Node | None = self.root
        for move in moves:
            node = None if node is None else node.variation(move)
        return node

    def accept(self, visitor: Visitor[T]) -> T | None:
        """Shows the tree to a visitor and returns its result."""
        visitor.begin_game(self)
        for name, text in self.headers.items():
            visitor.visit_header(name, text)
        # A variation that begins is a pair with True, one that ends a pair with False.
        steps: list[tuple[Node, bool | None]] = [(self.root, None)]
        while steps:
            node, begins = steps.pop()
            if begins is False:
                visitor.end_variation(node)
                continue
            if begins and not visitor.begin_variation(node):
                continue
            if begins:
                steps.append((node, False))
            visitor.visit_node(node)
            steps.extend((it, None) for it in node.variations[:1])
            steps.extend((it, True) for it in reversed(node.variations[1:]))
        return visitor.result()

    def sgf(self) -> str:
        """Returns the tree as SGF."""
        parts: list[str] = []
        steps: list[Node | str] = [")", self.root, "("]
        while steps:
            step = steps.pop()
            if isinstance(step, str):
                parts.append(step)
                continue
            parts.append(self._text_of(step))
            several = len(step.variations) > 1
            for node in reversed(step.variations):
                steps.extend([")", node, "("] if several else [node])
        return "".join(parts)

    def _text_of(self, node: Node) -> str:
        text = ";"
        if node.move is not None:
            text += f"{'B' if node.side == 'first' else 'W'}[{self._letters(node.move)}]"
        if node.comment:
            text += f"C[{_escaped(node.comment)}]"
        for name, values in node.properties.items():
            text += name + "".join(f"[{value}]" for value in values)
        return text + "\n"

    def _letters(self, move: str) -> str:
        if move == PASS:
            return ""
        column, row = ord(move[:1]) - ord("a"), move[1:]
        if not (0 <= column < self.width and row.isdecimal() and 0 < int(row) <= self.height):
            raise ValueError(f"{move!r}: no point of a board of {self.width}x{self.height}, such as h8")
        return chr(ord("a") + column) + chr(ord("a") + self.height - int(row))

    def _point(self, letters: str) -> str:
        if letters == "":
            return PASS
        if re.fullmatch("[a-z]{2}", letters):
            column, row = (ord(it) - ord("a") for it in letters)
            if column < self.width and row < self.height:
                return f"{letters[0]}{self.height - row}"
        board = f"a board of {self.width}x{self.height}"
        raise EngineError(f"[{letters}]: no point of {board}", "bad_record")


class _Reader:
    """Reads one game of SGF."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def _next(self) -> re.Match[str] | None:
        found = _TOKEN.match(self._text, self._at)
        if found is None:
            if self._text[self._at :].strip():
                wrong = self._text[self._at : self._at + 20]
                raise EngineError(f"character {self._at + 1}: {wrong!r} is not SGF", "bad_record")
            return None
        self._at = found.end()
        return found

    def tree(self) -> GameTree:
        root = node = Node()
        branches: list[Node] = []
        letters: list[tuple[Node, str]] = []
        is_root, name = True, ""
        while (token := self._next()) is not None:
            sign, word, value = token.groups()
            if sign == "(":
                branches.append(node)
            elif sign == ")" and branches:
                node = branches.pop()
                if not branches:
                    break
            elif sign == ";":
                if is_root:
                    is_root = False
                else:
                    child = Node(parent=node)
                    node.variations.append(child)
                    node = child
            elif word is not None:
                name = word
            elif name in _MOVES:
                if node.move is not None or node is root:
                    # A move in the root, and a second move in a node, is a node of its own.
                    child = Node(parent=node)
                    node.variations.append(child)
                    node = child
                node.move, node.side = PASS, _MOVES[name]
                letters.append((node, value))
            elif name == "C":
                node.comment = "\n\n".join(it for it in (node.comment, _plain(value)) if it)
            else:
                node.properties.setdefault(name, []).append(value)
        if is_root or branches or self._next() is not None:
            raise EngineError("a tree is one whole game of SGF", "bad_record")
        size = root.properties.get("SZ", ["15"])[0]
        found = re.fullmatch(r"\s*(\d{1,2})(?::(\d{1,2}))?\s*", size)
        if found is None:
            raise EngineError(f"SZ[{size}]: no size of a board", "bad_record")
        tree = GameTree(int(found[1]), int(found[2] or found[1]))
        tree.root, tree.headers = root, Headers(root)
        for node, text in letters:
            node.move = tree._point(text.strip())
        return tree


def _plain(value: str) -> str:
    """Returns the text of a value."""
    return re.sub(r"\\(\r\n|\n\r|.)", lambda it: "" if it[1][0] in "\r\n" else it[1], value, flags=re.S)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")
