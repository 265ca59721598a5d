"""The connection with a process of the engine, and the queries that wait for its replies.

Threads read and write, so that nothing here needs an event loop. A `Call` is a query that is open; the
engines for threads and for asyncio both wait for its news.
"""

from __future__ import annotations

import atexit
import collections
import itertools
import json
import operator
import os
import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Protocol

from ._errors import (
    EngineClosedError,
    EngineError,
    EngineTerminatedError,
    EngineTimeoutError,
    error_of,
)
from ._process import GRACE

Message = dict[str, Any]
Start = Callable[[Callable[[bytes], None], Callable[["Transport"], None]], "Transport"]

PROTOCOL = 1
#: Seconds of waiting after which the engine is asked whether it runs.
SILENCE = 5.0
#: Seconds in which the engine has to answer this question.
ANSWER = 30.0
#: The bytes of a record that the engine reads in a second, at least. Meanwhile it answers nothing.
RECORD_BYTES = 20_000
#: The bytes of a line, until the engine has said how many it reads.
LINE_BYTES = 1 << 20
#: The newest reports of a search that nobody has taken.
_REPORTS = 1000


class Transport(Protocol):
    """What carries lines to an engine and back: a process or a connection to a server."""

    #: How many lines were sent.
    lines: int
    #: The number of the process; ``None`` if it runs elsewhere.
    pid: int | None

    def send(self, text: bytes) -> None:
        """Sends lines, without waiting until they are written."""
        ...

    def why_it_ended(self) -> str:
        """Returns how it ended, with its last words."""
        ...

    def close(self, grace: float = GRACE) -> None:
        """Ends the transport within about ``grace`` seconds."""
        ...

    def leave(self) -> None:
        """Closes this process's copies of the streams, after a fork."""
        ...


class Call:
    """A query that is open, its replies, and its ``news``: a future that is done when something has come."""

    def __init__(self, lines: list[Message], turns: int = 1, is_once: bool = False) -> None:
        self.lines = lines
        #: Whether it is not repeated after a crash, because it may have been done.
        self.is_once = is_once
        self.id = ""
        self.text = b""
        # The numbers of the lines in the input of the process.
        self.numbers = range(0)
        self.is_repeated = False
        self.replies: list[Message] = []
        self.reports: collections.deque[Message] = collections.deque(maxlen=_REPORTS)
        self.error: EngineError | None = None
        self.is_over = False
        self.news: Future[None] = Future()
        self._turns = self._open_turns = turns

    def encode(self, name: str, longest: int) -> None:
        """Makes the text of the query. Refuses what the engine could not answer."""
        self.id = name
        lines = [_line_of(line, name) for line in self.lines]
        for line in lines:
            if len(line) > longest:
                raise EngineError(
                    f"a query of {len(line):,} bytes: the engine reads lines of at most {longest:,} bytes",
                    "too_large",
                )
        self.text = b"".join(lines)

    def repeat(self) -> None:
        """Forgets the replies of an engine that ended."""
        self.is_repeated = True
        self.replies = []
        self._open_turns = self._turns

    def take(self, message: Message) -> bool:
        """Takes a reply. Returns whether it is the last one."""
        kind = message["type"]
        if kind == "report":
            self.reports.append(message)
            self._tell()
            return False
        self.replies.append(message)
        if kind in ("move", "warning"):
            return False
        if kind in ("answer", "solution") or (kind == "error" and "turn_number" in message):
            self._open_turns -= 1
            return self._open_turns <= 0
        return not (kind in ("record", "record_part") and message.get("more"))

    def end(self, error: EngineError | None = None) -> None:
        """Ends the call, with its replies or with an error."""
        self.error = error
        self.is_over = True
        self._tell()

    def _tell(self) -> None:
        news, self.news = self.news, Future()
        news.set_result(None)

    def result(self) -> list[Message]:
        """Returns the replies of a call that is over."""
        if self.error is not None:
            raise self.error
        return self.replies

    def wait(self, timeout: float) -> list[Message]:
        """Waits for the end of the call."""
        end = time.monotonic() + timeout
        while True:
            news = self.news
            if self.is_over:
                return self.result()
            news.result(max(0.0, end - time.monotonic()))


def _line_of(fields: Message, name: str) -> bytes:
    """Returns the line of a query."""
    if "id" in fields:
        raise TypeError("id: the package numbers its queries")
    try:
        line = json.dumps(
            {"id": name} | fields,
            separators=(",", ":"),
            ensure_ascii=False,
            allow_nan=False,
            default=_plain,
        )
        return line.encode() + b"\n"
    except UnicodeEncodeError as error:
        wrong = error.object[max(0, error.start - 10) : error.end + 10]
        raise EngineError(f"{wrong!r}: half a character, which no text may have", "bad_json") from None
    except RecursionError:
        raise EngineError("a value has too many lists in one another", "bad_json") from None
    except ValueError as error:
        raise EngineError(f"a query that JSON cannot hold: {error}", "bad_json") from None


def _plain(value: Any) -> Any:
    """Returns a value of another library, such as a number of NumPy, as one that JSON has."""
    if hasattr(value, "__index__"):
        return operator.index(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    if hasattr(value, "__iter__"):
        return list(value)
    raise TypeError(f"{value!r}: no value of a query is a {type(value).__name__}")


_open: weakref.WeakSet[Connection] = weakref.WeakSet()


class Connection:
    """A process of the engine that is started again if it ends too early."""

    def __init__(self, start: Start, restart: bool) -> None:
        self._start = start
        self._restart = restart
        self._lock = threading.RLock()
        self._calls: dict[str, Call] = {}
        self._numbers = itertools.count(1)
        self._closed = False
        self._owner = os.getpid()
        #: How many times the engine was started again.
        self.restarts = 0
        #: The most bytes of a line.
        self.line_bytes = LINE_BYTES
        # When the engine was asked whether it runs; None if it said something since then.
        self._asked: float | None = None
        # How the last process ended.
        self._end = ""
        # A process may end at once. Its reader waits until it is known here.
        with self._lock:
            self._process: Transport | None = start(self._line, self._ended)
        _open.add(self)

    @property
    def pid(self) -> int | None:
        """The number of the process; ``None`` if none runs."""
        process = self._process
        return None if process is None else process.pid

    @property
    def is_foreign(self) -> bool:
        """Whether another process, of which this one is a fork, has started the engine."""
        return self._owner != os.getpid()

    @property
    def closed(self) -> bool:
        """Whether the connection was closed."""
        return self._closed

    def send(self, call: Call) -> None:
        """Sends a query. Its replies go to the call."""
        if self.is_foreign:
            raise EngineError(
                f"the engine belongs to process {self._owner}, of which this one is a fork; start "
                "another engine here",
                "forked",
            )
        call.encode(f"q{next(self._numbers)}", self.line_bytes)
        with self._lock:
            if self._closed:
                raise EngineClosedError("the engine is closed", "closed")
            if self._process is None:
                if call.is_repeated or not self._restart:
                    message = f"the engine has ended, with {self._end}"
                    raise EngineTerminatedError(message, "terminated")
                self._start_again()
            assert self._process is not None
            self._pass(call, self._process)
            self._calls[call.id] = call

    def _pass(self, call: Call, process: Transport) -> None:
        first = process.lines + 1
        process.send(call.text)
        call.numbers = range(first, process.lines + 1)

    def _say(self, query: Message) -> None:
        """Sends a query whose reply nobody waits for."""
        if self._process is not None:
            self._process.send(_line_of(query, f"c{next(self._numbers)}"))

    def terminate(self, call: Call) -> None:
        """Ends a query. The last reply still comes."""
        if self.is_foreign:
            return
        with self._lock:
            if call.id in self._calls:
                self._say({"action": "terminate", "terminate_id": call.id})

    def forget(self, call: Call) -> None:
        """Ends a query whose replies nobody waits for."""
        if self.is_foreign:
            return
        with self._lock:
            self.terminate(call)
            self._calls.pop(call.id, None)

    def check(self) -> None:
        """Asks the engine whether it runs. Raises if it said nothing since the last such question."""
        with self._lock:
            if self._process is None:
                return
            now = time.monotonic()
            # Only records are long.
            records = sum(len(call.text) for call in self._calls.values())
            most = ANSWER + records // RECORD_BYTES
            if self._asked is None:
                self._asked = now
                self._say({"action": "query_version"})
            elif now - self._asked >= most:
                message = (
                    f"the engine did not answer query_version in {most:g} s: its process is stopped, "
                    "or waits for memory or a disk"
                )
                raise EngineTimeoutError(message, "timeout")

    def close(self, grace: float = GRACE) -> None:
        """Ends the process, which has ``grace`` seconds to end by itself. Open queries fail."""
        if self.is_foreign:
            self._closed = True
            return
        with self._lock:
            if self._closed:
                return
            self._closed = True
            process, self._process = self._process, None
            calls = list(self._calls.values())
            self._calls.clear()
            _open.discard(self)
        for call in calls:
            call.end(EngineClosedError("the engine was closed before it answered", "closed"))
        if process is not None:
            process.close(grace)

    def _start_again(self) -> None:
        self._process = self._start(self._line, self._ended)
        self._asked = None
        self.restarts += 1

    def _line(self, line: bytes) -> None:
        """Handles a line of the engine, in the reader's thread."""
        self._asked = None
        try:
            message = json.loads(line)
        except ValueError:
            # This is no Tengen, or a line that was cut off by a kill.
            return
        if not isinstance(message, dict):
            return
        with self._lock:
            call = self._call_of(message)
            if call is None:
                return
            if message.get("id") is None:
                # The engine could not read the query.
                end: EngineError | None = error_of(message)
            elif not isinstance(message.get("type"), str):
                end = EngineError("a reply without a type", "other_program")
            elif call.take(message):
                end = None
            else:
                return
            del self._calls[call.id]
        call.end(end)

    def _call_of(self, message: Message) -> Call | None:
        """Returns the open call to which a message belongs."""
        name = message.get("id")
        if name is not None:
            return self._calls.get(name) if isinstance(name, str) else None
        line = message.get("input_line")
        return next((call for call in self._calls.values() if line in call.numbers), None)

    def _ended(self, process: Transport) -> None:
        """Handles the end of a process, in its reader's thread. Repeats each open query once."""
        if self._closed:
            return
        why = process.why_it_ended()
        failed: list[tuple[Call, EngineError]] = []
        with self._lock:
            if self._process is not process or self._closed:
                return
            self._process = None
            self._end = why
            for call in list(self._calls.values()):
                if call.is_repeated or call.is_once or not self._restart:
                    del self._calls[call.id]
                    twice = " twice" if self.restarts and call.is_repeated else ""
                    message = f"the engine ended{twice} before it answered, with {why}"
                    failed.append((call, EngineTerminatedError(message, "terminated")))
            if self._calls:
                try:
                    self._start_again()
                except EngineError as no_start:
                    failed.extend((call, no_start) for call in self._calls.values())
                    self._calls.clear()
                else:
                    assert self._process is not None
                    for call in self._calls.values():
                        call.repeat()
                        self._pass(call, self._process)
        process.close()
        for call, error in failed:
            call.end(error)

    def leave(self) -> None:
        """Closes this process's copies of the streams, after a fork."""
        if self._process is not None:
            self._process.leave()


@atexit.register
def _close_all() -> None:
    for connection in list(_open):
        connection.close()


def _leave_all() -> None:
    for connection in list(_open):
        connection.leave()
    _open.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_all)


def checked(messages: list[Message]) -> list[Message]:
    """Returns the replies without warnings; raises the first error."""
    for message in messages:
        if message["type"] == "error":
            raise error_of(message)
    return [message for message in messages if message["type"] != "warning"]


def warnings_of(messages: list[Message]) -> list[str]:
    """Returns the warnings among the replies."""
    return [str(it["message"]) for it in messages if it["type"] == "warning"]
