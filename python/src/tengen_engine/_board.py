"""`Board` and `AsyncBoard`: a position of a game. The rules come from the engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from . import _requests as requests
from ._blocking import blocking, finish
from ._facts import BoardFacts
from ._rules import RULES_TIMEOUT, Rules, blocking_rules
from ._scores import Json, Side
from ._svg import Arrow, decorate
from ._symmetry import Symmetry
from ._values import Threats

B = TypeVar("B", bound="_Asking")

_FACTS = {"board": True, "moves": True, "winning_line": True, "forbidden": True}


def _options(
    width: int | None,
    height: int | None,
    connect: int | None,
    gravity: bool | None,
    overline: bool | None,
) -> Json:
    size = {"width": width, "height": height, "connect": connect}
    options = size | {"gravity": gravity, "overline": overline}
    return {name: value for name, value in options.items() if value is not None}


def _subject_of(
    variant: str | None, moves: str | Iterable[str], fen: str | None, sgf: str | None, board: Json
) -> Json:
    """Returns the fields that name a position in a query."""
    subject: Json = {"board": board} if board else {}
    if sgf is None:
        subject |= {"variant": "cfour" if variant is None else variant}
        subject |= {} if fen is None else {"fen": fen}
        return subject | {"moves": moves if isinstance(moves, str) else list(moves)}
    if fen is not None or moves:
        raise ValueError("sgf: cannot be combined with fen or moves")
    return subject | {"variant": variant, "sgf": sgf}


class _Asking(BoardFacts):
    """What both kinds of boards ask the engine."""

    _own_engine: Rules | None

    def _rules(self) -> Rules:
        return blocking_rules(self._own_engine)

    async def _set_up(self, subject: Json) -> None:
        if "sgf" in subject:
            # From here on, the board is known by its moves.
            subject = await self._subject_of_record(subject)
        self._facts = await self._ask(subject, **_FACTS)
        subject["variant"] = self._facts["variant"]
        subject["moves"] = list(self._facts["moves"])
        self._subject = subject

    async def _ask(self, subject: Json, **include: bool) -> Json:
        return await self._rules()._run(requests.position(subject, **include), RULES_TIMEOUT)

    async def _subject_of_record(self, subject: Json) -> Json:
        """Returns the subject of a record by its moves and its start position."""
        # The engine judges the record as a whole, and says what is wrong with it.
        await self._ask(subject, legal=False, forbidden=False)
        rules = {name: subject[name] for name in ("variant", "board") if subject.get(name)}
        request = requests.read_record(subject["sgf"].encode(), None, None, rules)
        line = (await self._rules()._run(request, RULES_TIMEOUT))[0]["line"]
        fields = {"variant": line["variant"], "fen": line["fen"], "moves": line["moves"]}
        fields["board"] = requests.options_of(line, self._rules().variants)
        return {name: value for name, value in fields.items() if name == "moves" or value}

    async def _go_to(self, turn: int) -> None:
        subject = self._subject | {"moves": self._subject["moves"][:turn]}
        self._facts = await self._ask(subject, **_FACTS)
        self._subject = subject

    async def _at(self: B, turn: int) -> B:
        if not 0 <= turn <= len(self._subject["moves"]):
            raise IndexError(f"turn {turn}: the game has {len(self._subject['moves'])} moves")
        board = self.copy()
        await board._go_to(turn)
        return board

    async def _transform(self: B, symmetry: Symmetry) -> B:
        board = self.copy()
        await board._set_up(self._image(symmetry))
        return board

    def copy(self: B) -> B:
        """Returns a copy."""
        board = type(self).__new__(type(self))
        board._own_engine, board._facts = self._own_engine, self._facts
        board._subject = self._subject | {"moves": list(self._subject["moves"])}
        return board

    def __getstate__(self) -> Json:
        # An engine stays in its process. Elsewhere the shared engine answers.
        return self.__dict__ | {"_own_engine": None}

    async def _picture(self, name: str) -> Any:
        include = {"legal": False, "forbidden": False, name: True}
        return (await self._ask(self._subject, **include))[name]


class AsyncBoard(_Asking):
    """A position for ``asyncio``: ``await AsyncBoard.create(engine, "gomoku", "h8 i9")``.

    It is a `Board` whose methods that ask the engine are awaited.
    """

    def __init__(self) -> None:
        raise TypeError("a board for asyncio is made by: await AsyncBoard.create(engine, ...)")

    def _rules(self) -> Rules:
        if self._own_engine is None:
            raise TypeError("a board for asyncio has left its process; make another one")
        return self._own_engine

    @classmethod
    async def create(
        cls,
        engine: Rules,
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
    ) -> AsyncBoard:
        """Returns a position. The arguments are those of `Board`."""
        options = _options(width, height, connect, gravity, overline)
        board = cls.__new__(cls)
        board._own_engine = engine
        await board._set_up(_subject_of(variant, moves, fen, sgf, options))
        return board

    async def push(self, move: str) -> None:
        """Plays a move. A move that is refused changes nothing."""
        subject = self._subject | {"moves": [*self._subject["moves"], move]}
        self._facts = await self._ask(subject, **_FACTS)
        self._subject = subject | {"moves": list(self._facts["moves"])}

    async def pop(self) -> str:
        """Takes the last move back and returns it."""
        moves = self._subject["moves"]
        if not moves:
            raise IndexError("no move to take back")
        await self._go_to(len(moves) - 1)
        return str(moves[-1])

    async def at(self, turn: int) -> AsyncBoard:
        """Returns the position after the first ``turn`` moves."""
        return await self._at(turn)

    async def transform(self, symmetry: Symmetry) -> AsyncBoard:
        """Returns the position turned or mirrored, with its moves."""
        return await self._transform(symmetry)

    async def mirror(self) -> AsyncBoard:
        """Returns the position with left and right exchanged."""
        return await self._transform("mirror")

    async def threats(self) -> dict[Side, Threats]:
        """Returns the threats of both sides, in games of five in a row."""
        found = map(Threats.of, await self._picture("threats"))
        return {threats.side: threats for threats in found}

    async def text(self) -> str:
        """Returns a drawing in text."""
        return str(await self._picture("text")).rstrip("\n")

    async def svg(
        self,
        *,
        size: int | None = None,
        arrows: Iterable[Arrow] = (),
        marks: Mapping[str, str] | Iterable[str] = (),
    ) -> str:
        """Returns a drawing in SVG.

        ``size`` is its width in pixels. ``arrows`` are pairs of points, or triples with a colour of CSS. ``marks`` are
        points that get a ring, or points with a short text each.
        """
        return decorate(str(await self._picture("svg")), size, arrows, marks)

    async def sgf(self) -> str:
        """Returns the game as SGF."""
        return str(await self._picture("sgf"))


class Board(_Asking):
    """A position: a game, a start position and moves.

    ``moves`` is a list of moves, or one text in any usual spelling, such as ``"h8 i9"`` or ``"4455"``.
    ``fen`` is the position before the first move. ``width``, ``height``, ``connect``, ``gravity`` and
    ``overline`` choose another board, where the variant allows it. ``sgf`` is a game record in place of
    ``moves`` and ``fen``. Without ``engine`` the board asks a process that all boards share.

    A board raises `PositionError` for a variant, a board, a position or a move that the engine refuses.
    Boards are equal if they are the same game in the same position.
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
        engine: Rules | None = None,
    ) -> None:
        self._own_engine = engine
        options = _options(width, height, connect, gravity, overline)
        finish(self._set_up(_subject_of(variant, moves, fen, sgf, options)))

    push = blocking(AsyncBoard.push)
    pop = blocking(AsyncBoard.pop)
    threats = blocking(AsyncBoard.threats)
    text = blocking(AsyncBoard.text)
    svg = blocking(AsyncBoard.svg)
    sgf = blocking(AsyncBoard.sgf)

    def at(self, turn: int) -> Board:
        """Returns the position after the first ``turn`` moves."""
        return finish(self._at(turn))

    def transform(self, symmetry: Symmetry) -> Board:
        """Returns the position turned or mirrored, with its moves."""
        return finish(self._transform(symmetry))

    def mirror(self) -> Board:
        """Returns the position with left and right exchanged."""
        return finish(self._transform("mirror"))

    def __str__(self) -> str:
        return self.text()

    def _repr_svg_(self) -> str:
        return self.svg()
