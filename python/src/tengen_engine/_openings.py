"""Openings: their names, and the rules by which a game begins."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ._errors import EngineError
from ._scores import Json, Side, hash_by_value

#: The name of an opening rule.
OpeningRule = Literal[
    "free",
    "pro",
    "longpro",
    "swap",
    "swap2",
    "swap1",
    "rif",
    "yamaguchi",
    "tarannikov",
    "taraguchi10",
    "soosorv8",
]


@dataclass(frozen=True)
class Opening:
    """The name of an opening: its code, its native and romanised names, and ``names`` by language (``en``, ...)."""

    code: str
    native: str | None
    romanised: str | None
    names: dict[str, str]

    __hash__ = hash_by_value

    @classmethod
    def of(cls, value: Json | None) -> Opening | None:
        """Reads the field ``opening`` of a reply."""
        if value is None:
            return None
        names = {language: name for language, name in (value.get("names") or {}).items() if name}
        return cls(value["code"], value.get("native"), value.get("romanised"), names)

    def __str__(self) -> str:
        names = (self.code, self.romanised, self.native, self.names.get("en"))
        return " ".join(name for name in names if name)


@dataclass(frozen=True)
class OpeningStep:
    """The next step of an opening rule.

    ``player`` (1 or 2; 1 begins) has the ``side`` now. ``kind`` is ``place``, ``swap``, ``declare``, ``offer`` or
    ``keep``, ``points`` are the points that are allowed, and ``text`` says the step in words. ``stone`` is the
    side of a stone to place, ``other`` a third choice beside ``swap`` and ``stay``, ``most`` the largest number to
    declare, ``count`` the number of points to offer and ``offered`` those so far.
    """

    player: int
    side: Side
    kind: Literal["place", "swap", "declare", "offer", "keep"]
    points: list[str]
    text: str
    stone: Side | None
    other: str | None
    most: int | None
    count: int | None
    offered: list[str]

    __hash__ = hash_by_value

    @classmethod
    def of(cls, value: Json | None) -> OpeningStep | None:
        """Reads the field ``step`` of a reply."""
        if value is None:
            return None
        fields: Json = {name: value.get(name) for name in cls.__dataclass_fields__}
        fields |= {name: list(fields[name] or []) for name in ("points", "offered")}
        return cls(**fields)


@dataclass(frozen=True)
class OpeningState:
    """How far an opening has gone: all ``acts``, the ``moves`` on the board, and the next ``step``.

    ``step`` is ``None`` once the opening is over. ``first`` is the player who has the first side now, 1 or 2.
    ``chosen`` are the acts that the engine has decided, and ``then`` is the first move after the opening, if it
    found one.
    """

    rule: OpeningRule
    acts: list[str]
    moves: list[str]
    first: int
    step: OpeningStep | None
    chosen: list[str]
    then: str | None
    raw: Json = field(repr=False, compare=False)

    __hash__ = hash_by_value

    @classmethod
    def of(cls, reply: Json) -> OpeningState:
        """Reads an ``opening``."""
        if reply.get("no_results"):
            why = str(reply.get("ended_by"))
            raise EngineError(f"the search ended before its first result: {why}", why)
        return cls(
            reply["rule"],
            list(reply["acts"]),
            list(reply["moves"]),
            reply["first"],
            OpeningStep.of(reply.get("step")),
            list(reply.get("chosen") or []),
            reply.get("then"),
            reply,
        )
