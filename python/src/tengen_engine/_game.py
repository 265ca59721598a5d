"""`Game`: a game of a record. The engine reads and writes the formats."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from . import _requests as requests
from ._blocking import finish
from ._board import Board
from ._errors import PositionError
from ._rules import Rules, blocking_rules, shared_rules
from ._scores import Json, Outcome, hash_by_value
from ._tree import GameTree, outcome_of, result_of

#: The formats that are written, by the extension of a file.
FORMATS = {".sgf": "sgf", ".pgn": "pgn", ".psq": "psq", ".lib": "lib", ".txt": "moves"}


def rules_of(variant: str | None, board: Json | None) -> Json:
    """Returns the fields that name the game of records that do not name it."""
    rules = {"variant": variant, "board": board}
    return {name: value for name, value in rules.items() if value is not None}


@dataclass(frozen=True)
class _Source:
    """The file of a record, where the game is in it, and what it said about the game."""

    data: bytes
    name: str | None
    encoding: str | None
    rules: Json
    number: int
    said: tuple[Any, ...] = ()


#: The headers of a tree that are fields of a game.
_NAMES = ("first", "second", "event", "date")


@dataclass(frozen=True)
class Game:
    """A game: its main line, and what the record says about it.

    Use `Game.read` or `read_games` for records, `Game.of` for a board and `Game.of_tree` for a tree.
    Variations and everything else that the record holds are kept when the game is written, also after
    ``dataclasses.replace``; `tree` has them. ``result`` is ``first``, ``second``, ``draw`` or ``None``, and
    ``result_text`` what the record says about it. ``problem`` says why the main line cannot be played; it is
    ``None`` if it can.
    """

    variant: str | None
    moves: list[str]
    fen: str | None = None
    first: str | None = None
    second: str | None = None
    result: Outcome | None = None
    event: str | None = None
    date: str | None = None
    times: list[float | None] = field(default_factory=list)
    comments: list[tuple[int, str]] = field(default_factory=list)
    nodes: int = 0
    problem: str | None = None
    result_text: str | None = None
    _options: Json = field(default_factory=dict, repr=False)
    _source: _Source | None = field(default=None, repr=False, compare=False)

    __hash__ = hash_by_value

    @classmethod
    def of(cls, board: Board) -> Game:
        """Returns the game of a board. A finished board has a result."""
        source = _Source(board.sgf().encode(), None, "UTF-8", {}, 1)
        options = board.subject().get("board", {})
        game = cls(board.variant, board.moves, board.start_fen, _options=options)
        return replace(_with_source(game, source), result=board.outcome)

    @classmethod
    def of_tree(cls, tree: GameTree, *, engine: Rules | None = None) -> Game:
        """Returns the game of a tree, with its variations."""
        data = tree.sgf().encode()
        return finish(games_of(blocking_rules(engine), data, None, "UTF-8", {}))[0]

    @classmethod
    def read(
        cls,
        record: str | os.PathLike[str] | bytes,
        *,
        encoding: str | None = None,
        variant: str | None = None,
        board: Json | None = None,
    ) -> Game:
        """Reads the first game of a record, as `read_games` does."""
        return read_games(record, encoding=encoding, variant=variant, board=board)[0]

    def subject(self) -> Json:
        """Returns the fields that name the last position in a query."""
        if self.problem is not None:
            raise PositionError(self.problem, "bad_record")
        fields = {"variant": self.variant, "board": self._options, "fen": self.fen}
        return {name: value for name, value in fields.items() if value} | {"moves": self.moves}

    def board(self, turn: int | None = None, *, engine: Rules | None = None) -> Board:
        """Returns the position after ``turn`` moves, by default at the end."""
        if self.problem is not None:
            raise PositionError(self.problem, "bad_record")
        moves = self.moves if turn is None else self.moves[:turn]
        return Board(self.variant, moves, fen=self.fen, engine=engine, **self._options)

    def tree(self, *, engine: Rules | None = None) -> GameTree:
        """Returns the game with its headers, comments and variations, to read and to change."""
        return GameTree.parse(finish(self._sgf(blocking_rules(engine))))

    def convert(self, to: str, *, encoding: str | None = None, engine: Rules | None = None) -> bytes:
        """Returns the game in the format ``sgf``, ``pgn``, ``psq``, ``lib`` or ``moves``."""
        return finish(self._convert(blocking_rules(engine), to, encoding))

    async def _convert(self, engine: Rules, to: str, encoding: str | None) -> bytes:
        source = self._source
        if source is None or source.said != _said(self):
            text = await self._sgf(engine)
            source = _Source(text.encode(), None, "UTF-8", {}, 1)
        request = requests.convert_record(
            source.data, to, source.name, source.encoding, encoding, source.number, source.rules
        )
        return await engine._run(request)

    async def _sgf(self, engine: Rules) -> str:
        """Returns the game as SGF, with what was changed since it was read."""
        source = self._source
        if source is None:
            position = await engine._run(requests.position(self.subject(), sgf=True, legal=False))
            source = _Source(position["sgf"].encode(), None, "UTF-8", {}, 1)
        request = requests.convert_record(
            source.data, "sgf", source.name, source.encoding, "UTF-8", source.number, source.rules
        )
        text = (await engine._run(request)).decode()
        if source.said == _said(self):
            return text
        tree = GameTree.parse(text)
        self._change(tree)
        return tree.sgf()

    def _change(self, tree: GameTree) -> None:
        """Makes a tree say what the fields say."""
        if self.problem is None and tree.moves() != self.moves:
            tree.set_main_line(self.moves)
        for name in _NAMES:
            text = getattr(self, name)
            if text:
                tree.headers[name] = text
            else:
                tree.headers.pop(name, None)
        known = tree.headers.get("result")
        if outcome_of(known) != self.result:
            tree.headers["result"] = result_of(self.result)
        if self.problem is None:
            comments = dict(self.comments)
            for turn, node in enumerate([tree.root, *tree.main_line()]):
                node.comment = comments.get(turn, "")

    def save(self, path: str | os.PathLike[str], *, encoding: str | None = None) -> None:
        """Writes the game. The extension decides the format: ``.sgf``, ``.pgn``, ``.psq``, ``.lib``, ``.txt``.

        The file is written beside its place and then moved there, so that it is never half written.
        """
        path = Path(path)
        to = FORMATS.get(path.suffix.lower())
        if to is None:
            known = ", ".join(FORMATS)
            raise ValueError(f"{path}: unknown extension; {known} are known")
        write_file(path, self.convert(to, encoding=encoding))

    def _repr_svg_(self) -> str:
        return self.board().svg()


def _said(game: Game) -> tuple[Any, ...]:
    """Returns the fields that a changed game may have changed."""
    names = [getattr(game, name) for name in (*_NAMES, "result", "variant", "fen")]
    return (*names, tuple(game.moves), tuple(game.comments))


def _with_source(game: Game, source: _Source) -> Game:
    return replace(game, _source=replace(source, said=_said(game)))


def write_file(path: Path, data: bytes) -> None:
    """Writes a file as a whole or not at all. An error names the file."""
    # A symbolic link stays one.
    place = path.resolve()
    beside: str | None = None
    try:
        if place.exists() and not place.is_file():
            # A device, such as /dev/stdout.
            with open(place, "wb", buffering=0) as device:
                device.write(data)
            return
        handle, beside = tempfile.mkstemp(prefix=f".{place.name}.", dir=place.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if place.exists():
            os.chmod(beside, place.stat().st_mode & 0o7777)
        else:
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(beside, 0o666 & ~umask)
        os.replace(beside, place)
    except OSError as error:
        if beside is not None:
            try:
                os.unlink(beside)
            except OSError:
                pass
        raise type(error)(error.errno, error.strerror, str(path)) from None


def data_of(record: str | os.PathLike[str] | bytes) -> tuple[bytes, str | None]:
    """Returns the bytes of a record and the name of its file."""
    if isinstance(record, bytes):
        return record, None
    path = Path(record)
    # Not every name of a file is a text. It only helps to see the format.
    return path.read_bytes(), os.fsencode(path.name).decode(errors="replace")


async def games_of(
    engine: Rules,
    data: bytes,
    name: str | None,
    encoding: str | None,
    rules: Json,
    timeout: float | None = None,
) -> list[Game]:
    """Returns the games of a record."""
    replies = await engine._run(requests.read_record(data, name, encoding, rules), timeout)
    sources = [_Source(data, name, encoding, rules, reply["number"]) for reply in replies]
    variants = engine.variants
    return [_game_of(reply, source, variants) for reply, source in zip(replies, sources)]


def _game_of(reply: Json, source: _Source, variants: Sequence[Json]) -> Game:
    about, line = reply["about"], reply["line"]
    words = {name: about.get(name) for name in _NAMES}
    game = Game(
        None,
        [],
        **words,
        result=about.get("outcome"),
        result_text=about.get("result"),
        nodes=reply["nodes"],
        problem=reply["message"],
    )
    if line is not None:
        game = replace(
            game,
            variant=line["variant"],
            moves=line["moves"],
            fen=line["fen"],
            times=[None if time is None else time / 1000 for time in line["times_ms"]],
            comments=[(it["turn_number"], it["text"]) for it in line["comments"]],
            problem=None,
            _options=requests.options_of(line, variants),
        )
    return _with_source(game, source)


def read_games(
    record: str | os.PathLike[str] | bytes,
    *,
    encoding: str | None = None,
    variant: str | None = None,
    board: Json | None = None,
) -> list[Game]:
    """Reads the games of a record in any format: the path of a file, or bytes.

    ``variant`` and ``board`` (``{"width": 19, "height": 19}``) name the game if the record does not, and
    ``encoding`` the encoding.
    """
    data, name = data_of(record)
    return finish(games_of(shared_rules(), data, name, encoding, rules_of(variant, board)))
