"""What comes one after another: the reports of a search, and the answers about many positions."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Generic, TypeVar

from ._base import EngineBase
from ._blocking import finish
from ._connection import Call
from ._errors import EngineClosedError, EngineError, EngineTimeoutError
from ._limit import Limit
from ._requests import Position, Request
from ._values import Analysis, PlayResult

T = TypeVar("T")


class AsyncAnalysisStream(AsyncIterator[Analysis]):
    """A running search for ``async for``: an `Analysis` for each report, and at last the result."""

    def __init__(self, engine: EngineBase, request: Request[Analysis]) -> None:
        self._engine = engine
        self._request = request
        self._ended = False
        self._call = engine._send(request)

    def __aiter__(self) -> AsyncAnalysisStream:
        return self

    async def __anext__(self) -> Analysis:
        analysis = await self._next()
        if analysis is None:
            raise StopAsyncIteration
        return analysis

    async def _next(self) -> Analysis | None:
        """Returns the next report, at last the result, and then ``None``."""
        if self._ended:
            return None
        report = await self._engine._next_report(self._call, self._engine._waits(math.inf))
        if report is not None:
            return Analysis.of(report)
        self._ended = True
        return await self.wait()

    def stop(self) -> None:
        """Ends the search. The last `Analysis` still comes."""
        self._engine._connection.terminate(self._call)

    async def wait(self, timeout: float | None = None) -> Analysis:
        """Waits for the end of the search and returns its result."""
        waits = self._engine._waits(timeout)
        return await self._engine._wait(self._request, self._call, waits)

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
        if call is not None and not call.is_over:
            self.stop()


class AnalysisStream(Iterator[Analysis]):
    """A running search: an iterator of an `Analysis` for each report, and at last the result."""

    def __init__(self, stream: AsyncAnalysisStream) -> None:
        self._stream = stream

    def __iter__(self) -> AnalysisStream:
        return self

    def __next__(self) -> Analysis:
        analysis = finish(self._stream._next())
        if analysis is None:
            raise StopIteration
        return analysis

    def stop(self) -> None:
        """Ends the search. The last `Analysis` still comes."""
        self._stream.stop()

    def wait(self, timeout: float | None = None) -> Analysis:
        """Waits for the end of the search and returns its result."""
        return finish(self._stream.wait(timeout))

    def __enter__(self) -> AnalysisStream:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()


class AsyncPonder:
    """A search of the position after the move that the opponent is expected to play."""

    def __init__(self, stream: AsyncAnalysisStream, play: Request[PlayResult]) -> None:
        self._stream = stream
        self._play = play

    async def hit(self, limit: Limit | None = None, *, timeout: float | None = None) -> PlayResult:
        """The opponent played the expected move: chooses a reply within the limit.

        The search continues with the table that pondering has filled, if the engine has one worker.
        """
        await self.miss()
        lines = [line | ({} if limit is None else limit.fields()) for line in self._play.lines]
        return await self._stream._engine._run(Request(lines, self._play.decode), timeout)

    async def miss(self) -> None:
        """The opponent played another move: ends the search."""
        self._stream.stop()
        await self._stream.wait()


class Ponder:
    """A search of the position after the move that the opponent is expected to play."""

    def __init__(self, ponder: AsyncPonder) -> None:
        self._ponder = ponder

    def hit(self, limit: Limit | None = None, *, timeout: float | None = None) -> PlayResult:
        """The opponent played the expected move: chooses a reply within the limit."""
        return finish(self._ponder.hit(limit, timeout=timeout))

    def miss(self) -> None:
        """The opponent played another move: ends the search."""
        finish(self._ponder.miss())


@dataclass(frozen=True)
class Answer(Generic[T]):
    """The answer about one of many positions: its ``index`` in the input, and a ``result`` or an ``error``."""

    index: int
    result: T | None
    error: Exception | None

    def get(self) -> T:
        """Returns the result, or raises the error."""
        if self.error is not None:
            raise self.error
        assert self.result is not None
        return self.result


class AsyncAnswers(AsyncIterator[Answer[T]]):
    """The answers about many positions, in the order of the input, for ``async for``.

    Positions are read as they are needed: a few more than the engine searches at once.
    """

    def __init__(
        self,
        engine: EngineBase,
        positions: Iterable[Position],
        request_of: Callable[[Position], Request[T]],
        timeout: float | None,
    ) -> None:
        if isinstance(positions, str):
            raise TypeError("a list of positions is expected, not one text")
        self._engine = engine
        self._positions = enumerate(positions)
        self._request_of = request_of
        # Without a timeout for all, each position has that of the engine.
        self._waits = None if timeout is None else engine._waits(timeout)
        self._ahead = 4 * engine.workers + 4
        self._open: deque[tuple[int, Request[T], Call] | Answer[T]] = deque()

    def __aiter__(self) -> AsyncAnswers[T]:
        return self

    async def __anext__(self) -> Answer[T]:
        answer = await self._next()
        if answer is None:
            raise StopAsyncIteration
        return answer

    async def _next(self) -> Answer[T] | None:
        """Returns the next answer, ``None`` after the last one."""
        try:
            while len(self._open) < self._ahead and (item := next(self._positions, None)) is not None:
                self._open.append(self._begin(*item))
            if not self._open:
                return None
            first = self._open[0]
            answer = first if isinstance(first, Answer) else await self._end(*first)
        except BaseException:
            self.stop()
            raise
        self._open.popleft()
        return answer

    def _begin(self, index: int, position: Position) -> tuple[int, Request[T], Call] | Answer[T]:
        try:
            request = self._request_of(position)
            return index, request, self._engine._send(request)
        except EngineClosedError:
            raise
        except (EngineError, TypeError, ValueError) as error:
            return Answer(index, None, error)

    async def _end(self, index: int, request: Request[T], call: Call) -> Answer[T]:
        try:
            waits = self._waits or self._engine._waits(None)
            result = await self._engine._wait(request, call, waits)
            return Answer(index, result, None)
        except EngineError as error:
            is_for_all = isinstance(error, EngineTimeoutError) and self._waits is not None
            if is_for_all or isinstance(error, EngineClosedError):
                raise
            return Answer(index, None, error)

    async def _all(self) -> list[T]:
        """Returns all results, or raises the first error."""
        try:
            results = []
            while (answer := await self._next()) is not None:
                results.append(answer.get())
            return results
        finally:
            self.stop()

    def stop(self) -> None:
        """Ends all searches and the answers."""
        for item in self._open:
            if not isinstance(item, Answer):
                self._engine._connection.forget(item[2])
        self._open.clear()
        self._positions = enumerate(())

    def __del__(self) -> None:
        if getattr(self, "_open", None):
            self.stop()


class Answers(Iterator[Answer[T]]):
    """The answers about many positions, in the order of the input."""

    def __init__(self, answers: AsyncAnswers[T]) -> None:
        self._answers = answers

    def __iter__(self) -> Answers[T]:
        return self

    def __next__(self) -> Answer[T]:
        answer = finish(self._answers._next())
        if answer is None:
            raise StopIteration
        return answer

    def stop(self) -> None:
        """Ends all searches and the answers."""
        self._answers.stop()
