"""`Game`: a game of a record. The engine reads and writes the formats."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ._board import Board
from ._errors import PositionError
from ._shared import shared_engine
from ._values import Json

if TYPE_CHECKING:
    from ._engine import Engine

#: The formats that are written, by the extension of a file.
FORMATS = {".sgf": "sgf", ".pgn": "pgn", ".psq": "psq", ".lib": "lib", ".txt": "moves"}


def rules_of(variant: str | None, board: Json | None) -> Json:
    """Returns the fields that name the game of records that do not name it."""
    rules = {"variant": variant, "board": board}
    return {name: value for name, value in rules.items() if value is not None}


@dataclass(frozen=True)
class _Source:
    """The file of a record, and where the game is in it."""

    data: bytes
    name: str | None
    encoding: str | None
    rules: Json
    number: int


@dataclass(frozen=True)
class Game:
    """A game: its main line, and what the record says about it.

    Variations and everything else that the record holds are kept when the game is written. Use
    `Game.read` or `read_games` for records, and `Game.of` for a board. ``problem`` says why the main line
    cannot be played; it is ``None`` if it can.
    """

    variant: str | None
    moves: list[str]
    fen: str | None = None
    first: str | None = None
    second: str | None = None
    result: str | None = None
    event: str | None = None
    date: str | None = None
    times: list[float | None] = field(default_factory=list)
    comments: list[tuple[int, str]] = field(default_factory=list)
    nodes: int = 0
    problem: str | None = None
    _options: Json = field(default_factory=dict, repr=False)
    _source: _Source | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, board: Board) -> Game:
        """Returns the game of a board."""
        source = _Source(board.sgf().encode(), None, "UTF-8", {}, 1)
        options = board.subject().get("board", {})
        return cls(board.variant, board.moves, board.start_fen, _options=options, _source=source)

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

    def board(self, turn: int | None = None, *, engine: Engine | None = None) -> Board:
        """Returns the position after ``turn`` moves, by default at the end."""
        if self.problem is not None:
            raise PositionError(self.problem, "bad_record")
        moves = self.moves if turn is None else self.moves[:turn]
        return Board(self.variant, moves, fen=self.fen, engine=engine, **self._options)

    def convert(self, to: str, *, encoding: str | None = None, engine: Engine | None = None) -> bytes:
        """Returns the game in the format ``sgf``, ``pgn``, ``psq``, ``lib`` or ``moves``."""
        source = self._source
        if source is None:
            source = Game.of(self.board(engine=engine))._source
            assert source is not None
        engine = shared_engine() if engine is None else engine
        from . import _requests as requests

        return engine._run(
            requests.convert_record(
                source.data, to, source.name, source.encoding, encoding, source.number, source.rules
            )
        )

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


def games_of(
    replies: list[Json], data: bytes, name: str | None, encoding: str | None, rules: Json
) -> list[Game]:
    """Returns the games of the replies to ``read_record``."""
    return [
        _game_of(reply, _Source(data, name, encoding, rules, reply["number"])) for reply in replies
    ]


def _game_of(reply: Json, source: _Source) -> Game:
    about, line = reply["about"], reply["line"]
    words = {name: about.get(name) for name in ("first", "second", "result", "event", "date")}
    if line is None:
        return Game(
            None, [], **words, nodes=reply["nodes"], problem=reply["message"], _source=source
        )
    return Game(
        line["variant"],
        line["moves"],
        line["fen"],
        **words,
        times=[None if time is None else time / 1000 for time in line["times_ms"]],
        comments=[(it["turn_number"], it["text"]) for it in line["comments"]],
        nodes=reply["nodes"],
        _options=_options_of(line),
        _source=source,
    )


def _options_of(line: Json) -> Json:
    """Returns the options of the board that the variant lets a client choose."""
    known = {it["name"]: it["board"] for it in shared_engine().variants}
    return {name: line["board"][name] for name in known.get(line["variant"], []) if name in line["board"]}


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
    return shared_engine().read_games(record, encoding=encoding, variant=variant, board=board)
