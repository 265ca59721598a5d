"""One process of the engine, and the queries that wait for its replies.

Threads read and write, so that nothing here needs an event loop. Each query is a `Call` with a
future; the synchronous and the asynchronous interface both wait for this future.
"""

from __future__ import annotations

import atexit
import collections
import itertools
import json
import queue
import subprocess
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

from ._errors import (
    EngineClosedError,
    EngineError,
    EngineStartError,
    EngineTerminatedError,
    EngineTimeoutError,
    error_of,
)

Message = dict[str, Any]
Listener = Callable[[Message], None]

PROTOCOL = 1
#: Seconds until a process that should end is killed.
GRACE = 2.0
#: Seconds of waiting after which the engine is asked whether it runs.
SILENCE = 5.0
#: Seconds in which the engine has to answer this question.
ANSWER = 30.0


class Call:
    """A query that is open, and its replies."""

    def __init__(self, lines: list[Message], turns: int, listener: Listener | None) -> None:
        self.lines = lines
        self.turns = turns
        self.listener = listener
        self.id = ""
        self.repeated = False
        self.future: Future[list[Message]] = Future()
        self.future.set_running_or_notify_cancel()
        self._forget()

    def _forget(self) -> None:
        self._messages: list[Message] = []
        self._open_turns = self.turns

    def text(self) -> bytes:
        """Returns the lines of the query."""
        lines = (json.dumps({"id": self.id} | line, separators=(",", ":")) for line in self.lines)
        return ("\n".join(lines) + "\n").encode()

    def repeat(self) -> None:
        """Forgets the replies of an engine that ended."""
        self.repeated = True
        self._forget()

    def take(self, message: Message) -> bool:
        """Takes a reply. Returns whether it is the last one."""
        kind = message.get("type")
        if kind in ("report", "move") and self.listener is not None:
            self.listener(message)
        else:
            self._messages.append(message)
        if kind in ("report", "move", "warning"):
            return False
        if kind in ("answer", "solution") or (kind == "error" and "turn_number" in message):
            self._open_turns -= 1
            return self._open_turns <= 0
        return not (kind in ("record", "record_part") and message.get("more"))

    def finish(self) -> None:
        self.future.set_result(self._messages)

    def fail(self, error: EngineError) -> None:
        self.future.set_exception(error)


class _Process:
    """A process with the threads that read and write its streams."""

    def __init__(self, command: Sequence[str], owner: Connection) -> None:
        self._owner = owner
        try:
            self.popen = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
            )
        except PermissionError as error:
            message = f"{command[0]}: no permission to run it; is it executable?"
            raise EngineStartError(message, "no_permission") from error
        except OSError as error:
            message = f"{command[0]}: {error.strerror or error}"
            raise EngineStartError(message, "no_program") from error
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._errors: collections.deque[str] = collections.deque(maxlen=8)
        self._threads = [
            threading.Thread(target=work, name=f"tengen-{name}", daemon=True)
            for name, work in (
                ("errors", self._read_errors),
                ("writer", self._write),
                ("reader", self._read),
            )
        ]
        for thread in self._threads:
            thread.start()

    def send(self, text: bytes) -> None:
        self._lines.put(text)

    def end_input(self) -> None:
        self._lines.put(None)

    def _write(self) -> None:
        stdin = self.popen.stdin
        assert stdin is not None
        try:
            while True:
                text = self._lines.get()
                if text is None:
                    break
                view = memoryview(text)
                while view:
                    view = view[stdin.write(view) or 0 :]
        except OSError:
            # The process has ended; the reader tells.
            pass
        finally:
            try:
                stdin.close()
            except OSError:
                pass

    def _read(self) -> None:
        stdout = self.popen.stdout
        assert stdout is not None
        rest: list[bytes] = []
        while True:
            chunk = stdout.read(1 << 16)
            if not chunk:
                break
            *lines, last = chunk.split(b"\n")
            for line in lines:
                self._owner._line(b"".join([*rest, line]) if rest else line)
                rest.clear()
            if last:
                rest.append(last)
        self._owner._ended(self)

    def _read_errors(self) -> None:
        stderr = self.popen.stderr
        assert stderr is not None
        rest = b""
        while chunk := stderr.read(4096):
            *lines, rest = (rest + chunk).split(b"\n")
            self._errors.extend(line.decode(errors="replace").rstrip() for line in lines)
            rest = rest[-4096:]
        if rest:
            self._errors.append(rest.decode(errors="replace").rstrip())

    def why_it_ended(self) -> str:
        """Returns how the process ended, with its last words."""
        self.finish(GRACE)
        self._threads[0].join(GRACE)
        status = self.popen.returncode
        how = f"signal {-status}" if status < 0 else f"status {status}"
        words = "; ".join(line for line in self._errors if line)
        return f"{how}: {words}" if words else how

    def finish(self, grace: float) -> None:
        """Waits for the end of the process, and kills it if it does not end."""
        try:
            self.popen.wait(grace)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()

    def close(self) -> None:
        self.end_input()
        self.finish(GRACE)
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(GRACE)
        for stream in (self.popen.stdout, self.popen.stderr):
            if stream is not None:
                stream.close()


_open: weakref.WeakSet[Connection] = weakref.WeakSet()


class Connection:
    """A process of the engine that is started again if it ends too early."""

    def __init__(self, command: Sequence[str], restart: bool) -> None:
        self._command = list(command)
        self._restart = restart
        self._lock = threading.RLock()
        self._calls: dict[str, Call] = {}
        self._numbers = itertools.count(1)
        self._closed = False
        self._restarts = 0
        # When the engine was asked whether it runs; None if it said something since then.
        self._asked: float | None = None
        # How the last process ended.
        self._end = ""
        # A process may end at once. Its reader waits until it is known here.
        with self._lock:
            self._process: _Process | None = _Process(self._command, self)
        _open.add(self)

    @property
    def pid(self) -> int | None:
        """The number of the process; ``None`` if none runs."""
        process = self._process
        return None if process is None else process.popen.pid

    @property
    def restarts(self) -> int:
        """How many times the engine was started again."""
        return self._restarts

    @property
    def closed(self) -> bool:
        return self._closed

    def send(self, call: Call) -> None:
        """Sends a query. Its replies go to the call."""
        with self._lock:
            if self._closed:
                raise EngineClosedError("the engine is closed", "closed")
            call.id = f"q{next(self._numbers)}"
            if self._process is None:
                if not self._restart:
                    message = f"the engine has ended, with {self._end}"
                    raise EngineTerminatedError(message, "terminated")
                self._start_again()
            assert self._process is not None
            self._calls[call.id] = call
            self._process.send(call.text())

    def terminate(self, call: Call) -> None:
        """Ends a query. The last reply still comes."""
        with self._lock:
            if call.id in self._calls and self._process is not None:
                end = {"action": "terminate", "terminate_id": call.id}
                end["id"] = f"t{next(self._numbers)}"
                self._process.send((json.dumps(end) + "\n").encode())

    def forget(self, call: Call) -> None:
        """Ends a query whose replies nobody waits for."""
        with self._lock:
            self.terminate(call)
            self._calls.pop(call.id, None)

    def check(self) -> None:
        """Asks the engine whether it runs. Raises if it said nothing since the last such question."""
        with self._lock:
            if self._process is None:
                return
            now = time.monotonic()
            if self._asked is None:
                self._asked = now
                query = {"id": f"v{next(self._numbers)}", "action": "query_version"}
                self._process.send((json.dumps(query) + "\n").encode())
            elif now - self._asked >= ANSWER:
                message = (
                    f"the engine did not answer query_version in {ANSWER:g} s: its process is stopped, "
                    "or waits for memory or a disk"
                )
                raise EngineTimeoutError(message, "timeout")

    def close(self) -> None:
        """Ends the process. Open queries fail."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            process, self._process = self._process, None
            calls = list(self._calls.values())
            self._calls.clear()
            _open.discard(self)
        for call in calls:
            call.fail(EngineClosedError("the engine was closed before it answered", "closed"))
        if process is not None:
            process.close()

    def kill(self) -> None:
        """Kills the process, which then is started again if queries are open."""
        process = self._process
        if process is not None:
            process.popen.kill()

    def _start_again(self) -> None:
        self._process = _Process(self._command, self)
        self._asked = None
        self._restarts += 1

    def _line(self, line: bytes) -> None:
        """Handles a line of the engine, in the reader's thread."""
        self._asked = None
        if not line.strip():
            return
        try:
            message = json.loads(line)
            name = message.get("id")
        except (ValueError, AttributeError):
            # Not an object: this is no Tengen, or a line that was cut off by a kill.
            return
        with self._lock:
            call = self._calls.get(name)
        if call is None:
            return
        if "type" not in message:
            with self._lock:
                self._calls.pop(name, None)
            return call.fail(EngineError("a reply without a type", "other_program"))
        if call.take(message):
            with self._lock:
                if self._calls.pop(name, None) is None:
                    return
            call.finish()

    def _ended(self, process: _Process) -> None:
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
                if call.repeated or not self._restart:
                    del self._calls[call.id]
                    twice = " twice" if call.repeated else ""
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
                        self._process.send(call.text())
        for stream in (process.popen.stdout, process.popen.stderr):
            if stream is not None:
                stream.close()
        process.end_input()
        for call, error in failed:
            call.fail(error)


@atexit.register
def _close_all() -> None:
    for connection in list(_open):
        connection.close()


def checked(messages: list[Message]) -> list[Message]:
    """Returns the replies without warnings; raises the first error."""
    for message in messages:
        if message.get("type") == "error":
            raise error_of(message)
    return [message for message in messages if message.get("type") != "warning"]
