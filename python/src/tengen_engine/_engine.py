"""`Engine`: the engine whose methods wait for their results. It runs the coroutines of `AsyncEngine`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar

from ._async import AsyncEngine
from ._base import START_TIMEOUT, EngineBase
from ._blocking import blocking, named_like
from ._rules import share
from ._streams import AnalysisStream, Answers, Ponder

P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S")


def _turned(
    kind: Callable[[S], T], method: Callable[Concatenate[Any, P], S]
) -> Callable[Concatenate[Any, P], T]:
    """Returns the form of a method that gives the synchronous ``kind`` of its stream."""

    @functools.wraps(method)
    def call(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return kind(method(self, *args, **kwargs))

    return named_like(call, method)


class Engine(EngineBase):
    """A process of the engine. It may be used by several threads at once.

    ``program`` is the path of the program: by default ``TENGEN``, else that of the wheel, else the one
    on ``PATH``. ``workers`` positions are searched in parallel, each with ``threads`` threads and a
    table of ``hash`` MiB. ``shelf`` is a file of ``tengen shelf``, for `explore`, `find` and `read_game`; it
    is only read, unless ``edit`` is true. ``arguments`` are further arguments of the program, ``cwd`` and ``env`` its folder and its
    environment.

    After a crash the process is started again and open queries are repeated once, unless ``restart`` is
    false. ``timeout`` is the number of seconds that a query may take, unless it has its own. Without one a
    query may take as long as its search. An engine that is silent for 5 seconds is asked whether it
    runs; without an answer in 30 seconds the call raises `EngineTimeoutError`. After a fork the child
    process cannot use the engine: each call raises `EngineError` with the code ``forked``.
    """

    is_blocking = True

    async def _pause(self, news: Future[None], seconds: float) -> None:
        try:
            news.result(seconds)
        except FutureTimeoutError:
            pass

    async def _read(self, work: Callable[[], T]) -> T:
        return work()

    @classmethod
    def connect(
        cls,
        host: str = "127.0.0.1",
        port: int = 7879,
        *,
        token: str | None = None,
        restart: bool = True,
        timeout: float | None = None,
        start_timeout: float = START_TIMEOUT,
    ) -> Engine:
        """Returns an engine that asks `tengen serve`. The arguments are those of `AsyncEngine.connect`."""
        return cls._of_server(host, port, token, restart, timeout, start_timeout)

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

    analyse = blocking(AsyncEngine.analyse)
    analyse_all = _turned(Answers, AsyncEngine.analyse_all)
    analyse_game = blocking(AsyncEngine.analyse_game)
    analysis = _turned(AnalysisStream, AsyncEngine.analysis)
    play = blocking(AsyncEngine.play)
    ponder = _turned(Ponder, AsyncEngine.ponder)
    swap2 = blocking(AsyncEngine.swap2)
    opening = blocking(AsyncEngine.opening)
    solve = blocking(AsyncEngine.solve)
    solve_all = _turned(Answers, AsyncEngine.solve_all)
    book = blocking(AsyncEngine.book)
    review = blocking(AsyncEngine.review)
    read_games = blocking(AsyncEngine.read_games)
    convert = blocking(AsyncEngine.convert)
    explore = blocking(AsyncEngine.explore)
    find = blocking(AsyncEngine.find)
    read_game = blocking(AsyncEngine.read_game)
    edit_games = blocking(AsyncEngine.edit_games)
    delete_games = blocking(AsyncEngine.delete_games)
    comment = blocking(AsyncEngine.comment)
    change_comment = blocking(AsyncEngine.change_comment)
    edit_tree = blocking(AsyncEngine.edit_tree)
    undo = blocking(AsyncEngine.undo)
    redo = blocking(AsyncEngine.redo)
    changes = blocking(AsyncEngine.changes)
    ping = blocking(AsyncEngine.ping)
    clear = blocking(AsyncEngine.clear)
    rules = blocking(AsyncEngine.rules)


share(lambda: Engine(workers=1, threads=1, hash=1))
