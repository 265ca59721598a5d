"""`AsyncEngine`: an engine for ``asyncio``. `Engine` has the same methods, which wait.

`Engine` runs these coroutines too. They ask only what `EngineBase` has.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from . import _requests as requests
from ._base import START_TIMEOUT, EngineBase
from ._game import Game, data_of, games_of, rules_of
from ._openings import OpeningRule, OpeningState
from ._options import Options, ProgramOptions, SearchOptions
from ._requests import Position, Request
from ._rules import RULES_TIMEOUT
from ._shelf import Changed, Explored, GameList, ShelfChange, ShelfGame
from ._streams import AsyncAnalysisStream, AsyncAnswers, AsyncPonder
from ._limit import Limit
from ._scores import Json, Outcome
from ._values import Analysis, PlayResult, Review, Solution, SwapResult

if sys.version_info >= (3, 11):
    from typing import Unpack
elif TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")


def _streaming(
    position: Position,
    limit: Limit | None,
    multi_pv: int,
    variant: str | None,
    every: float,
    options: Mapping[str, object],
) -> Request[Analysis]:
    fields: Json = {"report_every_ms": min(60_000, max(20, round(every * 1000)))}
    if limit is None:
        fields["infinite"] = True
    return requests.analyse(position, limit, multi_pv, variant, fields | {**options})


class AsyncEngine(EngineBase):
    """An engine for ``asyncio``, with the methods of `Engine`.

    ``await AsyncEngine.start()`` starts it without blocking the loop, and so does ``async with
    AsyncEngine.open() as engine``, which also closes it. A cancelled task ends its search.
    """

    is_blocking = False

    async def _pause(self, news: Future[None], seconds: float) -> None:
        loop = asyncio.get_running_loop()
        has_come = asyncio.Event()

        def tell(_: object) -> None:
            try:
                loop.call_soon_threadsafe(has_come.set)
            except RuntimeError:
                # The loop has ended, and with it who waits.
                pass

        news.add_done_callback(tell)
        try:
            await asyncio.wait_for(has_come.wait(), seconds)
        except asyncio.TimeoutError:
            pass

    async def _read(self, work: Callable[[], T]) -> T:
        return await asyncio.to_thread(work)

    @classmethod
    async def start(
        cls, program: str | os.PathLike[str] | None = None, **options: Unpack[ProgramOptions]
    ) -> AsyncEngine:
        """Starts an engine. The arguments are those of `Engine`."""
        return await asyncio.to_thread(partial(cls, program, **options))

    @classmethod
    @asynccontextmanager
    async def open(
        cls, program: str | os.PathLike[str] | None = None, **options: Unpack[ProgramOptions]
    ) -> AsyncIterator[AsyncEngine]:
        """Starts an engine for an ``async with`` block, which closes it. The arguments are those of `Engine`."""
        async with await cls.start(program, **options) as engine:
            yield engine

    @classmethod
    async def connect(
        cls,
        host: str = "127.0.0.1",
        port: int = 7879,
        *,
        token: str | None = None,
        restart: bool = True,
        timeout: float | None = None,
        start_timeout: float = START_TIMEOUT,
    ) -> AsyncEngine:
        """Returns an engine that asks `tengen serve` at its address for TCP.

        After the end of the connection it connects again and repeats open queries once, unless ``restart``
        is false. The server refuses records, `clear`, and whatever its limits forbid.
        """
        begin = partial(cls._of_server, host, port, token, restart, timeout, start_timeout)
        return await asyncio.to_thread(begin)

    async def __aenter__(self) -> AsyncEngine:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the process. Open queries raise `EngineClosedError`."""
        await asyncio.to_thread(self._connection.close)

    async def analyse(
        self,
        position: Position,
        limit: Limit | None = None,
        *,
        multi_pv: int = 1,
        variant: str | None = None,
        timeout: float | None = None,
        **options: Unpack[Options],
    ) -> Analysis:
        """Searches a position."""
        request = requests.analyse(position, limit, multi_pv, variant, self._with(options))
        return await self._run(request, timeout)

    def analyse_all(
        self,
        positions: Iterable[Position],
        limit: Limit | None = None,
        *,
        multi_pv: int = 1,
        variant: str | None = None,
        timeout: float | None = None,
        **options: Unpack[Options],
    ) -> AsyncAnswers[Analysis]:
        """Searches many positions, as many at once as the engine has workers.

        Gives an `Answer` for each, in order: an index, and an `Analysis` or an error. ``timeout`` is for all.
        """

        def request_of(position: Position) -> Request[Analysis]:
            return requests.analyse(position, limit, multi_pv, variant, self._with(options))

        return AsyncAnswers(self, positions, request_of, timeout)

    async def analyse_game(
        self,
        position: Position,
        limit: Limit | None = None,
        *,
        multi_pv: int = 1,
        timeout: float | None = None,
        **options: Unpack[Options],
    ) -> list[Analysis]:
        """Searches every turn of the game that led to the position."""
        request = requests.analyse_game(position, limit, multi_pv, None, self._with(options))
        return await self._run(request, timeout)

    def analysis(
        self,
        position: Position,
        limit: Limit | None = None,
        *,
        multi_pv: int = 1,
        variant: str | None = None,
        every: float = 0.1,
        **options: Unpack[Options],
    ) -> AsyncAnalysisStream:
        """Searches a position and gives an `Analysis` about every ``every`` seconds.

        Without a limit the search goes on until the loop ends, by ``break`` or `AnalysisStream.stop`, or
        until the position is solved.
        """
        request = _streaming(position, limit, multi_pv, variant, every, self._with(options))
        return AsyncAnalysisStream(self, request)

    async def play(
        self,
        position: Position,
        limit: Limit | None = None,
        *,
        level: int | None = None,
        elo: int | None = None,
        seed: int | None = None,
        variant: str | None = None,
        timeout: float | None = None,
        **options: Unpack[Options],
    ) -> PlayResult:
        """Chooses a move, at full strength or at a weaker ``level`` (0 to 10) or ``elo``."""
        request = requests.play(position, limit, level, elo, seed, variant, self._with(options))
        return await self._run(request, timeout)

    def ponder(
        self,
        position: Position,
        move: str,
        *,
        level: int | None = None,
        elo: int | None = None,
        seed: int | None = None,
        variant: str | None = None,
        **options: Unpack[Options],
    ) -> AsyncPonder:
        """Searches the position after the ``move`` that the opponent is expected to play, such as `PlayResult.ponder`.

        Call ``hit`` when the opponent has played it, else ``miss``.
        """
        fields = self._with(options)
        expected = requests.after(position, move)
        search = _streaming(expected, None, 1, variant, 60.0, fields)
        play = requests.play(expected, None, level, elo, seed, variant, fields)
        return AsyncPonder(AsyncAnalysisStream(self, search), play)

    async def swap2(
        self,
        position: Position,
        limit: Limit | None = None,
        *,
        level: int | None = None,
        elo: int | None = None,
        seed: int | None = None,
        variant: str | None = None,
        timeout: float | None = None,
        **options: Unpack[Options],
    ) -> SwapResult:
        """Takes part in the opening Swap2, with no, three or five stones on the board."""
        request = requests.swap2(position, limit, level, elo, seed, variant, self._with(options))
        return await self._run(request, timeout)

    async def opening(
        self,
        rule: OpeningRule,
        acts: str | Sequence[str] = (),
        *,
        decide: bool = False,
        limit: Limit | None = None,
        level: int | None = None,
        elo: int | None = None,
        seed: int | None = None,
        variant: str = "gomoku",
        board: Json | None = None,
        timeout: float | None = None,
        **options: Unpack[Options],
    ) -> OpeningState:
        """Follows an opening rule: what comes after ``acts``, such as ``"h8 h9 h7 stay"``.

        With ``decide`` the engine decides for the player whose turn it is, until the other one decides. An act that is
        not allowed raises `PositionError`.
        """
        strength = requests.given(level=level, elo=elo, level_seed=seed)
        subject = rules_of(variant, board)
        request = requests.opening(rule, acts, decide, limit, strength, subject, self._with(options))
        return await self._run(request, timeout)

    def solve_all(
        self,
        positions: Iterable[Position],
        limit: Limit | None = None,
        *,
        outcome_only: bool = False,
        all_moves: bool = False,
        variant: str | None = None,
        timeout: float | None = None,
        **options: Unpack[Options],
    ) -> AsyncAnswers[Solution]:
        """Proves the values of many positions. Gives an `Answer` for each, as `analyse_all` does."""
        return _solutions(self, positions, limit, outcome_only, all_moves, variant, timeout, self._with(options))

    async def solve(
        self,
        positions: Iterable[Position],
        limit: Limit | None = None,
        *,
        outcome_only: bool = False,
        all_moves: bool = False,
        variant: str | None = None,
        timeout: float | None = None,
        **options: Unpack[Options],
    ) -> list[Solution]:
        """Proves the value of positions of four in a row and other exact games. Raises the first error."""
        return await _solutions(
            self, positions, limit, outcome_only, all_moves, variant, timeout, self._with(options)
        )._all()

    async def book(
        self, position: Position, *, variant: str | None = None, timeout: float | None = None
    ) -> dict[str, int] | None:
        """Returns what the opening book says of four in a row: the solver's score of each move; ``None`` if nothing."""
        request = requests.solve(position, Limit(nodes=1), False, True, variant, {})
        found = await self._run(request, timeout)
        if found.proof is None or found.proof.grounds != "book" or found.columns is None:
            return None
        return {move: score for move, score in found.columns.items() if score is not None}

    async def review(
        self,
        game: Game,
        limit: Limit | None = None,
        *,
        multi_pv: int = 1,
        timeout: float | None = None,
        **options: Unpack[Options],
    ) -> Review:
        """Judges every move of a game."""
        rules = {name: value for name, value in game.subject().items() if name in ("variant", "board")}
        subject = rules | {"sgf": await game._sgf(self)}
        return await self._run(requests.review(subject, limit, multi_pv, self._with(options)), timeout)

    async def read_games(
        self,
        record: str | os.PathLike[str] | bytes,
        *,
        encoding: str | None = None,
        variant: str | None = None,
        board: Json | None = None,
        timeout: float | None = None,
    ) -> list[Game]:
        """Reads the games of a record in any format: the path of a file, or bytes."""
        data, name = await self._read(partial(data_of, record))
        return await games_of(self, data, name, encoding, rules_of(variant, board), timeout)

    async def convert(
        self,
        record: str | os.PathLike[str] | bytes,
        to: str,
        *,
        game: int | None = None,
        encoding: str | None = None,
        to_encoding: str | None = None,
        variant: str | None = None,
        board: Json | None = None,
        timeout: float | None = None,
    ) -> bytes:
        """Returns a record in the format ``sgf``, ``pgn``, ``psq``, ``lib`` or ``moves``."""
        data, name = await self._read(partial(data_of, record))
        rules = rules_of(variant, board)
        return await self._run(
            requests.convert_record(data, to, name, encoding, to_encoding, game, rules), timeout
        )

    async def explore(
        self,
        position: Position,
        *,
        player: str | None = None,
        event: str | None = None,
        opening: str | None = None,
        result: Outcome | None = None,
        year: int | None = None,
        to_year: int | None = None,
        against: str | None = None,
        first: str | None = None,
        second: str | None = None,
        comment: str | None = None,
        min_plies: int | None = None,
        max_plies: int | None = None,
        source: str | None = None,
        offset: int = 0,
        limit: int = 20,
        variant: str | None = None,
        timeout: float | None = None,
    ) -> Explored:
        """Returns what the games of the shelf played in a position, and with what result.

        ``player`` to ``source`` choose the games that count: parts of names, the code or the name of the
        opening, the result, the first and the last year, the opponent, the players by colour, a text in
        comments, the number of moves, a part of the name of their file. ``offset`` games are skipped in the list, which
        has ``limit`` games at most (0 to 100), the latest first.
        """
        names = {"against": against, "first": first, "second": second, "comment": comment}
        others = {"min_plies": min_plies, "max_plies": max_plies, "source": source}
        games = requests.game_filter(
            player, event, opening, result, year, to_year, offset, limit, **names, **others
        )
        return await self._run(requests.explore(position, variant, games), timeout)

    async def find(
        self,
        position: Position | None = None,
        *,
        pattern: str | None = None,
        drawing: str | None = None,
        player: str | None = None,
        event: str | None = None,
        opening: str | None = None,
        result: Outcome | None = None,
        year: int | None = None,
        to_year: int | None = None,
        against: str | None = None,
        first: str | None = None,
        second: str | None = None,
        comment: str | None = None,
        min_plies: int | None = None,
        max_plies: int | None = None,
        source: str | None = None,
        offset: int = 0,
        limit: int = 20,
        variant: str | None = None,
        timeout: float | None = None,
    ) -> GameList:
        """Returns games of the shelf, the latest first.

        They reached ``position``, or the one of ``drawing``, a board as other programs print it, and show
        ``pattern``, a part of a board such as ``".xxx."``. Without a
        position ``variant`` chooses the games on its default board. The other arguments are those of
        `explore`.
        """
        names = {"against": against, "first": first, "second": second, "comment": comment}
        others = {"min_plies": min_plies, "max_plies": max_plies, "source": source}
        games = requests.game_filter(
            player, event, opening, result, year, to_year, offset, limit, **names, **others
        )
        return await self._run(requests.find(position, pattern, drawing, variant, games), timeout)

    async def read_game(self, game: int | ShelfGame, *, timeout: float | None = None) -> Game:
        """Returns a whole game of the shelf, by its number or from a list, with comments and variations."""
        record = await self._run(requests.read_game(game), timeout)
        return (await games_of(self, record, None, None, {}, timeout))[0]

    async def edit_games(
        self,
        games: Sequence[int | ShelfGame],
        *,
        first: str | None = None,
        second: str | None = None,
        event: str | None = None,
        round: str | None = None,
        date: str | None = None,
        result: str | None = None,
        rules: str | None = None,
        opening: str | None = None,
        timeout: float | None = None,
    ) -> Changed:
        """Sets headers of games of the shelf. An empty text removes a header.

        This and the next methods need ``edit=True``, or a server with ``--edit``. Each change can be taken back
        by `undo`. After a crash it is not repeated: `changes` says whether it was made.
        """
        names = requests.given(first=first, second=second, event=event, round=round)
        headers = names | requests.given(date=date, result=result, rules=rules, opening=opening)
        fields = requests.games_of_shelf(games) | {"headers": headers}
        return await self._run(requests.change("edit_games", fields), timeout)

    async def delete_games(
        self, games: Sequence[int | ShelfGame], *, timeout: float | None = None
    ) -> Changed:
        """Removes games of the shelf, with their trees."""
        fields = requests.games_of_shelf(games)
        return await self._run(requests.change("delete_games", fields), timeout)

    async def comment(
        self,
        position: Position,
        text: str | None = None,
        *,
        label: str | None = None,
        author: str | None = None,
        variant: str | None = None,
        timeout: float | None = None,
    ) -> Changed:
        """Writes a comment, a label or both about a position into the shelf."""
        fields = requests.given(text=text, label=label, author=author)
        fields |= requests.subject_of(position, variant)
        return await self._run(requests.change("comment", fields), timeout)

    async def change_comment(
        self,
        number: int,
        text: str | None = None,
        *,
        label: str | None = None,
        timeout: float | None = None,
    ) -> Changed:
        """Changes a comment of the shelf, by its number. An empty text removes it."""
        fields = requests.given(number=number, text=text, label=label)
        return await self._run(requests.change("comment", fields), timeout)

    async def edit_tree(
        self,
        position: Position,
        *,
        remove: bool = False,
        label: str | None = None,
        comment: str | None = None,
        tree: int | None = None,
        variant: str | None = None,
        timeout: float | None = None,
    ) -> Changed:
        """Adds the line to a position to a tree of variations of the shelf.

        ``remove`` removes the last move instead, with all moves after it; ``label`` sets the text on its point,
        ``comment`` the comment of the position, and an empty text removes them. ``tree`` names one tree.
        """
        fields = requests.given(remove=remove or None, label=label, comment=comment, tree=tree)
        fields |= requests.subject_of(position, variant)
        return await self._run(requests.change("edit_tree", fields), timeout)

    async def undo(
        self, change: int | ShelfChange | None = None, *, timeout: float | None = None
    ) -> Changed:
        """Takes the last change of the shelf back. ``change`` must be the last one."""
        number = change.number if isinstance(change, ShelfChange) else change
        return await self._run(requests.change("undo", requests.given(change=number)), timeout)

    async def redo(self, *, timeout: float | None = None) -> Changed:
        """Makes the change of the shelf again that was taken back last, if nothing was changed since."""
        return await self._run(requests.change("redo", {}), timeout)

    async def changes(self, limit: int = 20, *, timeout: float | None = None) -> list[ShelfChange]:
        """Returns the last changes of the shelf, the latest first."""
        return await self._run(requests.changes(limit), timeout)

    async def ping(self) -> float:
        """Asks whether the engine runs. Returns the seconds until its answer."""
        begin = time.monotonic()
        await self._run(requests.version(), RULES_TIMEOUT)
        return time.monotonic() - begin

    async def clear(self) -> None:
        """Empties the tables."""
        await self._run(requests.clear())

    async def rules(self, /, subject: Json, **include: bool) -> Json:
        """Returns what the rules say about a position: a reply to the action ``position``."""
        return await self._run(requests.position(subject, **include), RULES_TIMEOUT)


def _solutions(
    engine: EngineBase,
    positions: Iterable[Position],
    limit: Limit | None,
    outcome_only: bool,
    all_moves: bool,
    variant: str | None,
    timeout: float | None,
    options: Mapping[str, object],
) -> AsyncAnswers[Solution]:
    def request_of(position: Position) -> Request[Solution]:
        return requests.solve(position, limit, outcome_only, all_moves, variant, options)

    return AsyncAnswers(engine, positions, request_of, timeout)
