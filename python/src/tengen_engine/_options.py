"""The further fields of queries, and the arguments of an engine, with their types."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict, Union

from ._scores import Side


class MoveFilter(TypedDict, total=False):
    """Moves that are allowed or avoided for one side."""

    moves: Sequence[str]
    side: Side
    until_depth: int


class SearchOptions(TypedDict, total=False):
    """The fields that all searches have: those of `Engine.configure`."""

    threads: int | None
    book: bool | None
    fresh: bool | None
    priority: int | None


class Options(SearchOptions, total=False):
    """Further fields of a query, as the manual page of the JSON protocol lists them.

    Some are for some queries only. The engine warns of a field that a query does not have.
    """

    notation: Literal["plain", "drop", "column"]
    infinite: bool
    wdl: bool
    allow_moves: Union[Sequence[str], Sequence[MoveFilter]]
    avoid_moves: Union[Sequence[str], Sequence[MoveFilter]]
    values: Literal["none", "static", "search"]
    include_legal: bool
    include_forbidden: bool
    include_variations: bool
    include_reasons: bool
    language: Literal["en", "zh", "ja", "vi", "ru"]


class ProgramOptions(TypedDict, total=False):
    """The arguments of an engine, as `Engine` explains them."""

    workers: int | None
    threads: int | None
    hash: int | None
    variant: str | None
    shelf: str | os.PathLike[str] | None
    edit: bool
    arguments: Sequence[str]
    cwd: str | os.PathLike[str] | None
    env: Mapping[str, str] | None
    restart: bool
    timeout: float | None
    start_timeout: float
