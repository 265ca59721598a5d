"""`Engine` and `AsyncEngine`: a process of the engine that answers many queries at once."""

from __future__ import annotations

import asyncio
import math
import os
import queue
import threading
import time
import warnings
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from concurrent import futures
from concurrent.futures import TimeoutError as FutureTimeoutError
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from . import _process
from . import _requests as requests
from ._errors import (
    EngineError,
    EngineStartError,
    EngineTerminatedError,
    EngineTimeoutError,
    EngineWarning,
)
from ._process import PROTOCOL, Call, Connection, Listener, Message, checked
from ._program import find_program
from ._requests import Position, Request, warnings_of
from ._shelf import Explored, GameList, ShelfGame
from ._values import Analysis, Json, Limit, Outcome, PlayResult, Review, Solution, SwapResult
from ._version import VERSION

if TYPE_CHECKING:
    # The API pages read the type `Position` from here.
    from ._board import Board  # noqa: F401
    from ._game import Game

T = TypeVar("T")

#: Seconds in which an engine has to answer its first query.
START_TIMEOUT = 10.0
#: Seconds in which an engine has to answer a query that needs no search.
RULES_TIMEOUT = 30.0


class _Base:
    """What both kinds of engines share."""

    def __init__(
        self,
        program: str | os.PathLike[str] | None = None,
        *,
        workers: int | None = None,
        threads: int | None = None,
        hash: int | None = None,
        variant: str | None = None,
        shelf: str | os.PathLike[str] | None = None,
        restart: bool = True,
        timeout: float | None = None,
        start_timeout: float = START_TIMEOUT,
    ) -> None:
        self.timeout = timeout
        self._program = find_program() if program is None else os.fspath(program)
        command = [self._program, "--dialect", "json", "--quit-without-waiting"]
        for name, value in (("workers", workers), ("threads", threads), ("hash", hash)):
            if value is not None:
                command += [f"--{name}", str(value)]
        if variant is not None:
            command += ["--variant", variant]
        if shelf is not None:
            command += ["--shelf", os.fspath(shelf)]
        self._connection = Connection(command, restart)
        try:
            self._version = self._checked_version(start_timeout)
        except BaseException:
            self._connection.close()
            raise

    def _checked_version(self, timeout: float) -> Json:
        """Asks for the version of the engine, and refuses another one."""
        try:
            call = self._send(requests.version())
            version = checked(call.future.result(timeout))[-1]
        except FutureTimeoutError:
            message = f"{self._program}: no answer to query_version in {timeout:g} s; is it Tengen?"
            raise EngineStartError(message, "other_program") from None
        except EngineError as error:
            # A program that has ended says why, such as a shelf that is not there.
            doubt = "" if isinstance(error, EngineTerminatedError) else "; is it Tengen?"
            raise EngineStartError(f"{self._program}: {error}{doubt}", "other_program") from None
        protocol, found = version.get("protocol"), str(version.get("version"))
        if protocol != PROTOCOL:
            message = (
                f"{self._program}: it speaks version {protocol} of the protocol, and this package "
                f"version {PROTOCOL}"
            )
            raise EngineStartError(message, "other_version")
        if found.split(".")[:2] != VERSION.split(".")[:2]:
            message = f"{self._program}: it is Tengen {found}, and this package is of {VERSION}"
            raise EngineStartError(message, "other_version")
        return version

    @property
    def version(self) -> str:
        """The version of the program."""
        return str(self._version["version"])

    @property
    def program(self) -> str:
        """The path of the program."""
        return self._program

    @property
    def variants(self) -> list[Json]:
        """The variants: ``name``, ``summary``, ``aliases``, ``board``, ``size``."""
        return list(self._version["variants"])

    @property
    def pid(self) -> int | None:
        """The number of the process; ``None`` if none runs."""
        return self._connection.pid

    @property
    def restarts(self) -> int:
        """How many times the process was started again after it had ended."""
        return self._connection.restarts

    @property
    def closed(self) -> bool:
        """Whether the engine was closed."""
        return self._connection.closed

    def _send(self, request: Request[Any], listener: Listener | None = None) -> Call:
        call = Call(request.lines, request.turns, listener)
        self._connection.send(call)
        return call

    def _decode(self, request: Request[T], replies: list[Message]) -> T:
        for message in warnings_of(replies):
            warnings.warn(message, EngineWarning, stacklevel=4)
        try:
            return request.decode(replies)
        except (IndexError, KeyError, TypeError) as error:
            message = f"{self._program}: a reply that cannot be read ({error!r}); is it Tengen?"
            raise EngineError(message, "other_program") from error

    def _waits(self, timeout: float | None) -> Iterator[float]:
        """Yields how many seconds to wait for a reply, again and again.

        Raises `EngineTimeoutError` when ``timeout`` is over, or when the engine seems stopped.
        """
        timeout = self.timeout if timeout is None else timeout
        timeout = math.inf if timeout is None else timeout
        end = time.monotonic() + timeout
        yield min(_process.SILENCE, timeout)
        while True:
            left = end - time.monotonic()
            if left <= 0:
                raise EngineTimeoutError(f"no answer in {timeout:g} s", "timeout")
            self._connection.check()
            yield min(_process.SILENCE, left)

    def __del__(self) -> None:
        connection = getattr(self, "_connection", None)
        if connection is not None and not connection.closed:
            # Not here: the garbage collector may run in a thread that the engine needs.
            try:
                threading.Thread(target=connection.close, daemon=True).start()
            except RuntimeError:
                # The interpreter ends, and closes all engines.
                pass


def _data_of(record: str | os.PathLike[str] | bytes) -> tuple[bytes, str | None]:
    """Returns the bytes of a record and the name of its file."""
    if isinstance(record, bytes):
        return record, None
    path = Path(record)
    return path.read_bytes(), path.name


class Engine(_Base):
    """A process of the engine. It may be used by several threads at once.

    ``program`` is the path of the program: by default ``TENGEN``, else that of the wheel, else the one
    on ``PATH``. ``workers`` positions are searched in parallel, each with ``threads`` threads and a
    table of ``hash`` MiB. ``shelf`` is a file of ``tengen shelf``, for `explore`, `find` and `read_game`; it
    is only read. After a crash the process is started again and open queries are repeated once,
    unless ``restart`` is false. ``timeout`` is the number of seconds that a query may take, unless it has
    its own. Without one a query may take as long as its search. An engine that is silent for 5 seconds
    is asked whether it runs; without an answer in 30 seconds the call raises `EngineTimeoutError`.
    """

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the process. Open queries raise `EngineClosedError`."""
        self._connection.close()

    def _run(self, request: Request[T], timeout: float | None = None) -> T:
        return self._wait(request, self._send(request), timeout)

    def _wait(self, request: Request[T], call: Call, timeout: float | None) -> T:
        try:
            for seconds in self._waits(timeout):
                if futures.wait([call.future], seconds).done:
                    break
        except BaseException:
            self._connection.forget(call)
            raise
        return self._decode(request, call.future.result())

    def _run_all(self, all_requests: Iterable[Request[T]], timeout: float | None) -> list[T]:
        sent = []
        try:
            for request in all_requests:
                sent.append((request, self._send(request)))
            return [self._wait(request, call, timeout) for request, call in sent]
        except BaseException:
            for _, call in sent:
                self._connection.forget(call)
            raise

    def analyse(
        self,
        position: Position,
        limit: Limit | None = None,
        *,
        multi_pv: int = 1,
        variant: str | None = None,
        timeout: float | None = None,
        **options: Any,
    ) -> Analysis:
        """Searches a position. ``options`` are further fields of the query, such as ``book=False``."""
        return self._run(requests.analyse(position, limit, multi_pv, variant, options), timeout)

    def analyse_all(
        self,
        positions: Iterable[Position],
        limit: Limit | None = None,
        *,
        multi_pv: int = 1,
        variant: str | None = None,
        timeout: float | None = None,
        **options: Any,
    ) -> list[Analysis]:
        """Searches many positions, as many at once as the engine has workers."""
        return self._run_all(
            (requests.analyse(it, limit, multi_pv, variant, options) for it in positions), timeout
        )

    def analyse_game(
        self,
        position: Position,
        limit: Limit | None = None,
        *,
        multi_pv: int = 1,
        timeout: float | None = None,
        **options: Any,
    ) -> list[Analysis]:
        """Searches every turn of the game that led to the position."""
        return self._run(requests.analyse_game(position, limit, multi_pv, None, options), timeout)

    def analysis(
        self,
        position: Position,
        limit: Limit | None = None,
        *,
        multi_pv: int = 1,
        variant: str | None = None,
        every: float = 0.1,
        **options: Any,
    ) -> AnalysisStream:
        """Searches a position and gives an `Analysis` about every ``every`` seconds.

        Without a limit the search goes on until the loop ends, by ``break`` or `AnalysisStream.stop`, or
        until the position is solved.
        """
        return AnalysisStream(self, _streaming(position, limit, multi_pv, variant, every, options))

    def play(
        self,
        position: Position,
        limit: Limit | None = None,
        *,
        level: int | None = None,
        elo: int | None = None,
        seed: int | None = None,
        variant: str | None = None,
        timeout: float | None = None,
        **options: Any,
    ) -> PlayResult:
        """Chooses a move, at full strength or at a weaker ``level`` (0 to 10) or ``elo``."""
        return self._run(
            requests.play(position, limit, level, elo, seed, variant, options), timeout
        )

    def swap2(
        self,
        position: Position,
        limit: Limit | None = None,
        *,
        level: int | None = None,
        elo: int | None = None,
        seed: int | None = None,
        variant: str | None = None,
        timeout: float | None = None,
        **options: Any,
    ) -> SwapResult:
        """Takes part in the opening Swap2, with no, three or five stones on the board."""
        request = requests.swap2(position, limit, level, elo, seed, variant, options)
        return self._run(request, timeout)

    def solve(
        self,
        positions: Iterable[Position],
        limit: Limit | None = None,
        *,
        outcome_only: bool = False,
        all_moves: bool = False,
        variant: str | None = None,
        timeout: float | None = None,
        **options: Any,
    ) -> list[Solution]:
        """Proves the value of positions of four in a row and other exact games."""
        return self._run_all(
            (
                requests.solve(it, limit, outcome_only, all_moves, variant, options)
                for it in _several(positions)
            ),
            timeout,
        )

    def review(
        self,
        game: Game,
        limit: Limit | None = None,
        *,
        multi_pv: int = 1,
        timeout: float | None = None,
        **options: Any,
    ) -> Review:
        """Judges every move of a game."""
        return self._run(requests.review(game, limit, multi_pv, options), timeout)

    def read_games(
        self,
        record: str | os.PathLike[str] | bytes,
        *,
        encoding: str | None = None,
        variant: str | None = None,
        board: Json | None = None,
        timeout: float | None = None,
    ) -> list[Game]:
        """Reads the games of a record in any format: the path of a file, or bytes."""
        from ._game import games_of, rules_of

        data, name = _data_of(record)
        rules = rules_of(variant, board)
        replies = self._run(requests.read_record(data, name, encoding, rules), timeout)
        return games_of(replies, data, name, encoding, rules)

    def convert(
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
        from ._game import rules_of

        data, name = _data_of(record)
        rules = rules_of(variant, board)
        return self._run(
            requests.convert_record(data, to, name, encoding, to_encoding, game, rules), timeout
        )

    def explore(
        self,
        position: Position,
        *,
        player: str | None = None,
        event: str | None = None,
        opening: str | None = None,
        result: Outcome | None = None,
        year: int | None = None,
        to_year: int | None = None,
        offset: int = 0,
        limit: int = 20,
        variant: str | None = None,
        timeout: float | None = None,
    ) -> Explored:
        """Returns what the games of the shelf played in a position, and with what result.

        ``player`` to ``to_year`` choose the games that count: parts of names, the code or the name of the
        opening, the result, the first and the last year. ``offset`` games are skipped in the list, which
        has ``limit`` games at most (0 to 100), the latest first.
        """
        games = requests.game_filter(player, event, opening, result, year, to_year, offset, limit)
        return self._run(requests.explore(position, variant, games), timeout)

    def find(
        self,
        position: Position | None = None,
        *,
        pattern: str | None = None,
        player: str | None = None,
        event: str | None = None,
        opening: str | None = None,
        result: Outcome | None = None,
        year: int | None = None,
        to_year: int | None = None,
        offset: int = 0,
        limit: int = 20,
        variant: str | None = None,
        timeout: float | None = None,
    ) -> GameList:
        """Returns games of the shelf, the latest first.

        They reached ``position`` and show ``pattern``, a part of a board such as ``".xxx."``. Without a
        position ``variant`` chooses the games on its default board. The other arguments are those of
        `explore`.
        """
        games = requests.game_filter(player, event, opening, result, year, to_year, offset, limit)
        return self._run(requests.find(position, pattern, variant, games), timeout)

    def read_game(self, game: int | ShelfGame, *, timeout: float | None = None) -> Game:
        """Returns a whole game of the shelf, by its number or from a list, with comments and variations."""
        record = self._run(requests.read_game(game), timeout)
        return self.read_games(record, timeout=timeout)[0]

    def clear(self) -> None:
        """Empties the tables."""
        self._run(requests.clear())

    def rules(self, subject: Json, **include: bool) -> Json:
        """Returns what the rules say about a position: a reply to the action ``position``."""
        return self._run(requests.position(subject, **include), RULES_TIMEOUT)


def _several(positions: Iterable[Position]) -> Iterable[Position]:
    if isinstance(positions, str):
        raise TypeError("a list of positions is expected, not one text")
    return positions


def _streaming(
    position: Position,
    limit: Limit | None,
    multi_pv: int,
    variant: str | None,
    every: float,
    options: Json,
) -> Request[Analysis]:
    fields: Json = {"report_every_ms": min(60_000, max(20, round(every * 1000)))}
    if limit is None:
        fields["infinite"] = True
    return requests.analyse(position, limit, multi_pv, variant, fields | options)


class AnalysisStream(Iterator[Analysis]):
    """A running search: an iterator of an `Analysis` for each report, and at last the result."""

    def __init__(self, engine: Engine, request: Request[Analysis]) -> None:
        self._engine = engine
        self._request = request
        self._reports: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._ended = False
        reports = self._reports
        self._call = engine._send(request, reports.put)
        self._call.future.add_done_callback(lambda _: reports.put(None))

    def __iter__(self) -> AnalysisStream:
        return self

    def __next__(self) -> Analysis:
        if self._ended:
            raise StopIteration
        report = self._next_report()
        if report is not None:
            return Analysis.of(report)
        self._ended = True
        return self.wait()

    def _next_report(self) -> Message | None:
        for seconds in self._engine._waits(math.inf):
            try:
                return self._reports.get(timeout=seconds)
            except queue.Empty:
                pass
        return None

    def stop(self) -> None:
        """Ends the search. The last `Analysis` still comes."""
        self._engine._connection.terminate(self._call)

    def wait(self, timeout: float | None = None) -> Analysis:
        """Waits for the end of the search and returns its result."""
        return self._engine._wait(self._request, self._call, timeout)

    def __enter__(self) -> AnalysisStream:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def __del__(self) -> None:
        call = getattr(self, "_call", None)
        if call is not None and not call.future.done():
            self.stop()


class AsyncEngine(_Base):
    """An engine for ``asyncio``, with the methods of `Engine`.

    ``await AsyncEngine.start()`` starts it without blocking the loop, and so does ``async with
    AsyncEngine.open() as engine``.
    """

    @classmethod
    async def start(
        cls, program: str | os.PathLike[str] | None = None, **options: Any
    ) -> AsyncEngine:
        """Starts an engine. The arguments are those of `Engine`."""
        return await asyncio.to_thread(cls, program, **options)

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

    async def _run(self, request: Request[T], timeout: float | None = None) -> T:
        return await self._wait(request, self._send(request), timeout)

    async def _wait(self, request: Request[T], call: Call, timeout: float | None) -> T:
        future = asyncio.wrap_future(call.future)
        try:
            for seconds in self._waits(timeout):
                done, _ = await asyncio.wait([future], timeout=seconds)
                if done:
                    break
        except BaseException:
            self._connection.forget(call)
            raise
        return self._decode(request, future.result())

    async def _run_all(self, all_requests: Sequence[Request[T]], timeout: float | None) -> list[T]:
        tasks = [asyncio.ensure_future(self._run(request, timeout)) for request in all_requests]
        try:
            return list(await asyncio.gather(*tasks))
        except BaseException:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            raise

    async def analyse(
        self,
        position: Position,
        limit: Limit | None = None,
        *,
        multi_pv: int = 1,
        variant: str | None = None,
        timeout: float | None = None,
        **options: Any,
    ) -> Analysis:
        """Searches a position. A cancelled task ends its search."""
        request = requests.analyse(position, limit, multi_pv, variant, options)
        return await self._run(request, timeout)

    async def analyse_all(
        self,
        positions: Iterable[Position],
        limit: Limit | None = None,
        *,
        multi_pv: int = 1,
        variant: str | None = None,
        timeout: float | None = None,
        **options: Any,
    ) -> list[Analysis]:
        """Searches many positions, as many at once as the engine has workers."""
        return await self._run_all(
            [requests.analyse(it, limit, multi_pv, variant, options) for it in positions], timeout
        )

    async def analyse_game(
        self,
        position: Position,
        limit: Limit | None = None,
        *,
        multi_pv: int = 1,
        timeout: float | None = None,
        **options: Any,
    ) -> list[Analysis]:
        """Searches every turn of the game that led to the position."""
        request = requests.analyse_game(position, limit, multi_pv, None, options)
        return await self._run(request, timeout)

    def analysis(
        self,
        position: Position,
        limit: Limit | None = None,
        *,
        multi_pv: int = 1,
        variant: str | None = None,
        every: float = 0.1,
        **options: Any,
    ) -> AsyncAnalysisStream:
        """Searches a position and gives an `Analysis` about every ``every`` seconds."""
        request = _streaming(position, limit, multi_pv, variant, every, options)
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
        **options: Any,
    ) -> PlayResult:
        """Chooses a move, at full strength or at a weaker ``level`` (0 to 10) or ``elo``."""
        request = requests.play(position, limit, level, elo, seed, variant, options)
        return await self._run(request, timeout)

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
        **options: Any,
    ) -> SwapResult:
        """Takes part in the opening Swap2, with no, three or five stones on the board."""
        request = requests.swap2(position, limit, level, elo, seed, variant, options)
        return await self._run(request, timeout)

    async def solve(
        self,
        positions: Iterable[Position],
        limit: Limit | None = None,
        *,
        outcome_only: bool = False,
        all_moves: bool = False,
        variant: str | None = None,
        timeout: float | None = None,
        **options: Any,
    ) -> list[Solution]:
        """Proves the value of positions of four in a row and other exact games."""
        all_requests = [
            requests.solve(it, limit, outcome_only, all_moves, variant, options)
            for it in _several(positions)
        ]
        return await self._run_all(all_requests, timeout)

    async def review(
        self,
        game: Game,
        limit: Limit | None = None,
        *,
        multi_pv: int = 1,
        timeout: float | None = None,
        **options: Any,
    ) -> Review:
        """Judges every move of a game."""
        return await self._run(requests.review(game, limit, multi_pv, options), timeout)

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
        from ._game import games_of, rules_of

        data, name = await asyncio.to_thread(_data_of, record)
        rules = rules_of(variant, board)
        replies = await self._run(requests.read_record(data, name, encoding, rules), timeout)
        return games_of(replies, data, name, encoding, rules)

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
        from ._game import rules_of

        data, name = await asyncio.to_thread(_data_of, record)
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
        offset: int = 0,
        limit: int = 20,
        variant: str | None = None,
        timeout: float | None = None,
    ) -> Explored:
        """Returns what the games of the shelf played in a position, and with what result.

        The arguments are those of `Engine.explore`.
        """
        games = requests.game_filter(player, event, opening, result, year, to_year, offset, limit)
        return await self._run(requests.explore(position, variant, games), timeout)

    async def find(
        self,
        position: Position | None = None,
        *,
        pattern: str | None = None,
        player: str | None = None,
        event: str | None = None,
        opening: str | None = None,
        result: Outcome | None = None,
        year: int | None = None,
        to_year: int | None = None,
        offset: int = 0,
        limit: int = 20,
        variant: str | None = None,
        timeout: float | None = None,
    ) -> GameList:
        """Returns games of the shelf, the latest first.

        The arguments are those of `Engine.find`.
        """
        games = requests.game_filter(player, event, opening, result, year, to_year, offset, limit)
        return await self._run(requests.find(position, pattern, variant, games), timeout)

    async def read_game(self, game: int | ShelfGame, *, timeout: float | None = None) -> Game:
        """Returns a whole game of the shelf, by its number or from a list, with comments and variations."""
        record = await self._run(requests.read_game(game), timeout)
        return (await self.read_games(record, timeout=timeout))[0]

    async def clear(self) -> None:
        """Empties the tables."""
        await self._run(requests.clear())

    async def rules(self, subject: Json, **include: bool) -> Json:
        """Returns what the rules say about a position: a reply to the action ``position``."""
        return await self._run(requests.position(subject, **include), RULES_TIMEOUT)


class AsyncAnalysisStream(AsyncIterator[Analysis]):
    """A running search for ``async for``."""

    def __init__(self, engine: AsyncEngine, request: Request[Analysis]) -> None:
        self._engine = engine
        self._request = request
        self._reports: asyncio.Queue[Message | None] = asyncio.Queue()
        self._ended = False
        loop, reports = asyncio.get_running_loop(), self._reports

        def put(message: Message | None) -> None:
            try:
                loop.call_soon_threadsafe(reports.put_nowait, message)
            except RuntimeError:
                # The loop has ended, and with it who waits.
                pass

        self._call = engine._send(request, put)
        self._call.future.add_done_callback(lambda _: put(None))

    def __aiter__(self) -> AsyncAnalysisStream:
        return self

    async def __anext__(self) -> Analysis:
        if self._ended:
            raise StopAsyncIteration
        report = await self._next_report()
        if report is not None:
            return Analysis.of(report)
        self._ended = True
        return await self.wait()

    async def _next_report(self) -> Message | None:
        for seconds in self._engine._waits(math.inf):
            try:
                return await asyncio.wait_for(self._reports.get(), seconds)
            except asyncio.TimeoutError:
                pass
        return None

    def stop(self) -> None:
        """Ends the search. The last `Analysis` still comes."""
        self._engine._connection.terminate(self._call)

    async def wait(self, timeout: float | None = None) -> Analysis:
        """Waits for the end of the search and returns its result."""
        return await self._engine._wait(self._request, self._call, timeout)

    async def __aenter__(self) -> AsyncAnalysisStream:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def __del__(self) -> None:
        call = getattr(self, "_call", None)
        if call is not None and not call.future.done():
            self.stop()
