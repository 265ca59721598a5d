"""`Socket`: a connection to `tengen serve` over TCP, in place of a process."""

from __future__ import annotations

import json
import queue
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from ._errors import EngineStartError
from ._process import GRACE, log_lines, read_lines


class Socket:
    """A connection with the threads that read and write it."""

    #: The engine runs elsewhere.
    pid: int | None = None

    def __init__(
        self,
        host: str,
        port: int,
        token: str | None,
        timeout: float,
        on_line: Callable[[bytes], None],
        on_end: Callable[[Any], None],
    ) -> None:
        self._on_line, self._on_end = on_line, on_end
        self._where = f"{host}:{port}"
        self.lines = 0
        self._error = ""
        try:
            self._socket = socket.create_connection((host, port), timeout)
        except OSError as error:
            message = f"tcp {self._where}: {error.strerror or error}; does tengen serve run there?"
            raise EngineStartError(message, "no_server") from error
        self._socket.settimeout(None)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._input: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        if token is not None:
            # Not by `send`: the log must not have the token.
            self.lines += 1
            hello = {"id": "h", "action": "hello", "token": token}
            self._input.put(json.dumps(hello).encode() + b"\n")
        self._threads = [
            threading.Thread(target=work, name=f"tengen{work.__name__}", daemon=True)
            for work in (self._write, self._read)
        ]
        for thread in self._threads:
            thread.start()

    def send(self, text: bytes) -> None:
        """Sends lines, without waiting until they are written."""
        self.lines += text.count(b"\n")
        log_lines(f"{self._where} <<", text)
        self._input.put(text)

    def _write(self) -> None:
        with suppress(OSError):
            while (text := self._input.get()) is not None:
                self._socket.sendall(text)

    def _read(self) -> None:
        try:
            with suppress(OSError, ValueError):
                read_lines(partial(self._socket.recv, 1 << 16), f"{self._where} >>", self._take)
        finally:
            self._on_end(self)

    def _take(self, line: bytes) -> None:
        if b'"error"' in line:
            with suppress(ValueError, AttributeError):
                self._error = str(json.loads(line).get("message", ""))
        self._on_line(line)

    def why_it_ended(self) -> str:
        """Returns the last error of the server."""
        return f"the end of the connection: {self._error}" if self._error else "the end of the connection"

    def close(self, grace: float = GRACE) -> None:
        """Ends the connection and its threads."""
        self._input.put(None)
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(GRACE)
        self._socket.close()

    def leave(self) -> None:
        """Closes this process's copy of the socket, after a fork."""
        self._socket.close()
