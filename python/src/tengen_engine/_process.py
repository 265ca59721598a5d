"""A process of the engine, with the threads that read and write its streams."""

from __future__ import annotations

import collections
import logging
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import IO, Any

from ._errors import EngineStartError

#: Seconds until a process that should end is killed.
GRACE = 2.0

#: The traffic with the engine: at the level DEBUG each line, and at INFO what it says on standard error.
LOG = logging.getLogger("tengen_engine")


def log_lines(whence: str, text: bytes) -> None:
    """Logs lines of the traffic."""
    if LOG.isEnabledFor(logging.DEBUG):
        for line in text.decode(errors="replace").splitlines():
            LOG.debug("%s %s", whence, line)


def read_lines(read: Callable[[], bytes], whence: str, on_line: Callable[[bytes], None]) -> None:
    """Passes the lines that ``read`` gives to ``on_line``, until there are no more."""
    rest: list[bytes] = []
    while chunk := read():
        *lines, last = chunk.split(b"\n")
        for line in lines:
            whole = b"".join([*rest, line]) if rest else line
            rest.clear()
            log_lines(whence, whole)
            on_line(whole)
        if last:
            rest.append(last)


class Process:
    """A process with the threads that read and write its streams.

    ``on_line`` gets each line of the output, and ``on_end`` is called once after the last one; both in
    the thread that reads.
    """

    def __init__(
        self,
        command: Sequence[str],
        on_line: Callable[[bytes], None],
        on_end: Callable[[Any], None],
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self._on_line, self._on_end = on_line, on_end
        self.lines = 0
        try:
            self.popen = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=cwd,
                env=env,
                # No console window.
                creationflags=0x08000000 if sys.platform == "win32" else 0,
            )
        except PermissionError as error:
            message = f"{error.filename or command[0]}: no permission to run it; is it executable?"
            raise EngineStartError(message, "no_permission") from error
        except OSError as error:
            message = f"{error.filename or command[0]}: {error.strerror or error}"
            raise EngineStartError(message, "no_program") from error
        self.pid: int | None = self.popen.pid
        self._input: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._errors: collections.deque[str] = collections.deque(maxlen=8)
        works = (self._read_errors, self._write, self._read)
        self._threads = [
            threading.Thread(target=work, name=f"tengen{work.__name__}", daemon=True)
            for work in works
        ]
        for thread in self._threads:
            thread.start()

    def send(self, text: bytes) -> None:
        """Sends lines, without waiting until they are written."""
        self.lines += text.count(b"\n")
        log_lines(f"{self.pid} <<", text)
        self._input.put(text)

    def _write(self) -> None:
        stdin = self.popen.stdin
        assert stdin is not None
        try:
            while (text := self._input.get()) is not None:
                view = memoryview(text)
                while view:
                    view = view[stdin.write(view) or 0 :]
        except OSError:
            # The process has ended; the reader tells.
            pass
        finally:
            _close(stdin)

    def _read(self) -> None:
        stdout = self.popen.stdout
        assert stdout is not None
        try:
            read_lines(partial(stdout.read, 1 << 16), f"{self.pid} >>", self._on_line)
        except (OSError, ValueError):
            # The stream was closed.
            pass
        finally:
            self._on_end(self)

    def _read_errors(self) -> None:
        stderr = self.popen.stderr
        assert stderr is not None
        rest = b""
        try:
            while chunk := stderr.read(4096):
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    self._said(line)
                rest = rest[-4096:]
        except (OSError, ValueError):
            # The stream was closed.
            pass
        if rest:
            self._said(rest)

    def _said(self, line: bytes) -> None:
        text = line.decode(errors="replace").rstrip()
        LOG.info("%d: %s", self.pid, text)
        self._errors.append(text)

    def why_it_ended(self) -> str:
        """Returns how the process ended, with its last words."""
        self._finish(GRACE)
        self._threads[0].join(GRACE)
        status = self.popen.returncode
        how = f"signal {-status}" if status < 0 else f"status {status}"
        words = "; ".join(line for line in self._errors if line)
        return f"{how}: {words}" if words else how

    def _finish(self, grace: float) -> None:
        """Waits for the end of the process, and kills it if it does not end."""
        try:
            self.popen.wait(grace)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()

    def close(self, grace: float = GRACE) -> None:
        """Ends the process and its threads."""
        self._input.put(None)
        self._finish(grace)
        end = time.monotonic() + GRACE / 4
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, end - time.monotonic()))
        # A program that the process has started may keep the streams open, and their threads in a read.
        for thread, stream in zip(self._threads[::2], (self.popen.stderr, self.popen.stdout)):
            if not thread.is_alive() or thread is threading.current_thread():
                _close(stream)

    def leave(self) -> None:
        """Closes this process's copies of the streams, after a fork."""
        self.popen.returncode = 0
        for stream in (self.popen.stdin, self.popen.stdout, self.popen.stderr):
            _close(stream)


def _close(stream: IO[bytes] | None) -> None:
    try:
        if stream is not None:
            stream.close()
    except OSError:
        pass
