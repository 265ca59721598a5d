"""What both kinds of engines share: the program, its version, and how a reply is awaited."""

from __future__ import annotations

import math
import operator
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from . import _connection
from . import _requests as requests
from ._blocking import frames_of_package
from ._connection import (
    LINE_BYTES,
    PROTOCOL,
    Call,
    Connection,
    Message,
    Start,
    checked,
    warnings_of,
)
from ._errors import (
    EngineError,
    EngineStartError,
    EngineTerminatedError,
    EngineTimeoutError,
    EngineWarning,
)
from ._options import SearchOptions
from ._process import Process
from ._program import find_program
from ._requests import Request
from ._scores import Json
from ._socket import Socket
from ._version import VERSION

if sys.version_info >= (3, 11):
    from typing import Unpack
elif TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")
E = TypeVar("E", bound="EngineBase")

#: Seconds in which an engine has to answer its first query.
START_TIMEOUT = 10.0


class EngineBase:
    """What both kinds of engines share."""

    is_blocking: bool

    def __init__(
        self,
        program: str | os.PathLike[str] | None = None,
        *,
        workers: int | None = None,
        threads: int | None = None,
        hash: int | None = None,
        variant: str | None = None,
        shelf: str | os.PathLike[str] | None = None,
        edit: bool = False,
        arguments: Sequence[str] = (),
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        restart: bool = True,
        timeout: float | None = None,
        start_timeout: float = START_TIMEOUT,
    ) -> None:
        name = find_program() if program is None else os.fspath(program)
        command = [name, "--dialect", "json", "--quit-without-waiting"]
        for option, value in (("workers", workers), ("threads", threads), ("hash", hash)):
            if value is not None:
                command += [f"--{option}", str(operator.index(value))]
        if variant is not None:
            command += ["--variant", variant]
        if shelf is not None:
            command += ["--shelf", os.fspath(shelf)]
        if edit:
            command += ["--edit"]
        command += arguments
        start = partial(Process, command, cwd=cwd, env=env)
        self._begin(name, start, restart, timeout, start_timeout)

    @classmethod
    def _of_server(
        cls: type[E],
        host: str,
        port: int,
        token: str | None,
        restart: bool,
        timeout: float | None,
        start_timeout: float,
    ) -> E:
        engine = cls.__new__(cls)
        start = partial(Socket, host, port, token, start_timeout)
        engine._begin(f"tcp {host}:{port}", start, restart, timeout, start_timeout)
        return engine

    def _begin(
        self,
        name: str,
        start: Start,
        restart: bool,
        timeout: float | None,
        start_timeout: float,
    ) -> None:
        #: Seconds that a query may take, unless it has its own ``timeout``; ``None`` for no limit.
        self.timeout = timeout
        self._options: SearchOptions = {}
        self._program = name
        self._connection = Connection(start, restart)
        try:
            self._version = self._checked_version(start_timeout)
        except BaseException:
            self._connection.close(grace=0)
            raise
        limits = self._version.get("limits", {})
        self._connection.line_bytes = limits.get("line_bytes", LINE_BYTES)

    def _checked_version(self, timeout: float) -> Json:
        """Asks for the version of the engine, and refuses another one."""
        try:
            call = Call(requests.version().lines)
            # A program that ends at once is not started again.
            call.is_repeated = True
            self._connection.send(call)
            version = checked(call.wait(timeout))[-1]
        except FutureTimeoutError:
            message = f"{self._program}: no answer to query_version in {timeout:g} s; is it Tengen?"
            raise EngineStartError(message, "other_program") from None
        except EngineError as error:
            # A program that has ended says why, such as an argument that it does not know.
            has_ended = isinstance(error, EngineTerminatedError)
            code, doubt = ("ended", "") if has_ended else ("other_program", "; is it Tengen?")
            raise EngineStartError(f"{self._program}: {error}{doubt}", code) from None
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
        """The path of the program, or the address of the server."""
        return self._program

    @property
    def variants(self) -> list[Json]:
        """The variants: ``name``, ``summary``, ``aliases``, ``board``, ``size``."""
        return list(self._version["variants"])

    @property
    def workers(self) -> int:
        """How many positions the engine searches at once."""
        return int(self._version.get("workers", 1))

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

    @property
    def options(self) -> SearchOptions:
        """The fields that `configure` has set for all searches."""
        return {**self._options}

    def configure(self, **options: Unpack[SearchOptions]) -> None:
        """Sets fields for all later searches that do not have their own; ``None`` takes one back."""
        unknown = options.keys() - SearchOptions.__annotations__.keys()
        if unknown:
            known = ", ".join(SearchOptions.__annotations__)
            raise TypeError(f"{', '.join(sorted(unknown))}: the options of all searches are {known}")
        self._options.update(options)

    def _with(self, options: Mapping[str, object]) -> Mapping[str, object]:
        """Returns the options of a search."""
        return {name: it for name, it in {**self._options, **options}.items() if it is not None}

    async def _pause(self, news: Future[None], seconds: float) -> None:
        """Waits until something has come, at most for a time."""
        raise NotImplementedError

    async def _read(self, work: Callable[[], T]) -> T:
        """Runs what reads a file."""
        raise NotImplementedError

    def _send(self, request: Request[Any]) -> Call:
        call = Call(request.lines, request.turns, request.is_once)
        self._connection.send(call)
        return call

    async def _run(self, request: Request[T], timeout: float | None = None) -> T:
        return await self._wait(request, self._send(request), self._waits(timeout))

    async def _wait(self, request: Request[T], call: Call, waits: Iterator[float]) -> T:
        """Waits for the end of a query, which ends if nobody waits for it any more."""
        try:
            while await self._next_report(call, waits) is not None:
                pass
        except BaseException:
            self._connection.forget(call)
            raise
        return self._decode(request, call.result())

    async def _next_report(self, call: Call, waits: Iterator[float]) -> Message | None:
        """Waits for the next report of a search; ``None`` if it is over."""
        while True:
            news = call.news
            if call.reports:
                return call.reports.popleft()
            if call.is_over:
                return None
            await self._pause(news, next(waits))

    def _decode(self, request: Request[T], replies: list[Message]) -> T:
        for message in warnings_of(replies):
            warnings.warn(message, EngineWarning, stacklevel=frames_of_package())
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
        yield min(_connection.SILENCE, timeout)
        while True:
            left = end - time.monotonic()
            if left <= 0:
                raise EngineTimeoutError(f"no answer in {timeout:g} s", "timeout")
            self._connection.check()
            yield min(_connection.SILENCE, left)

    def __del__(self) -> None:
        connection = getattr(self, "_connection", None)
        if connection is not None and not (connection.closed or connection.is_foreign):
            # Not here: the garbage collector may run in a thread that the engine needs.
            try:
                threading.Thread(target=connection.close, daemon=True).start()
            except RuntimeError:
                # The interpreter ends, and closes all engines.
                pass
