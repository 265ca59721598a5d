"""The exceptions of the package."""

from __future__ import annotations

from typing import Any


class EngineError(Exception):
    """An error with the engine's own message.

    ``code`` is the kind of the error, as the manual page of the JSON protocol lists it, and ``field``
    the wrong field of the query, if there is one.
    """

    def __init__(self, message: str, code: str = "internal", field: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.field = field


class PositionError(EngineError, ValueError):
    """The engine refuses the variant, the board, the position, a move or the record."""


class EngineStartError(EngineError):
    """The program is missing, may not be run, is no Tengen, or is of another version."""


class EngineTerminatedError(EngineError):
    """The engine ended, and a repetition of the query did not help."""


class EngineClosedError(EngineError):
    """The engine was closed."""


class EngineTimeoutError(EngineError, TimeoutError):
    """The engine did not answer within the time."""


class EngineWarning(UserWarning):
    """A warning of the engine: the query was answered."""


_POSITION_CODES = frozenset(
    ("unknown_variant", "bad_board", "bad_position", "bad_move", "bad_record", "not_exact")
)


def error_of(message: dict[str, Any]) -> EngineError:
    """Returns the exception for an ``error`` of the engine."""
    code, text = str(message.get("code")), str(message.get("message"))
    kind = PositionError if code in _POSITION_CODES else EngineError
    return kind(text, code, message.get("field"))
