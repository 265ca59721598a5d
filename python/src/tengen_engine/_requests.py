"""The queries of the package, and how their replies are read.

The synchronous and the asynchronous engine both send these.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, Union

from ._connection import Message, checked
from ._facts import BoardFacts
from ._openings import OpeningRule, OpeningState
from ._shelf import Changed, Explored, GameList, ShelfChange, ShelfGame
from ._limit import Limit
from ._scores import Json, Outcome
from ._values import Analysis, PlayResult, Review, Solution, SwapResult

T = TypeVar("T")

#: A board, or a list of moves from the start position in one text.
Position = Union[BoardFacts, str]

#: The bytes of a record in one line. A line of the protocol has at most 1 MiB.
_CHUNK = 600_000


@dataclass
class Request(Generic[T]):
    """A query, and the function that reads its replies."""

    lines: list[Message]
    decode: Callable[[list[Message]], T]
    turns: int = 1
    is_once: bool = False


def subject_of(position: Position, variant: str | None = None) -> Json:
    """Returns the fields that name a position. ``variant`` is the game of a text."""
    if isinstance(position, str):
        return {"moves": position} | ({} if variant is None else {"variant": variant})
    if variant is not None:
        raise ValueError("variant: a board has its own")
    return position.subject()


def after(position: Position, move: str) -> Position:
    """Returns the position after a move."""
    return f"{position} {move}" if isinstance(position, str) else position._after(move)


def given(**fields: Any) -> Json:
    return {name: value for name, value in fields.items() if value is not None}


def _analyze_fields(limit: Limit | None, multi_pv: int, options: Mapping[str, object]) -> Json:
    fields = {} if limit is None else limit.fields()
    return {"action": "analyze", "multi_pv": multi_pv, **fields, **options}


def analyse(
    position: Position, limit: Limit | None, multi_pv: int, variant: str | None, options: Mapping[str, object]
) -> Request[Analysis]:
    """Asks for a search of a position."""
    fields = _analyze_fields(limit, multi_pv, options)
    return Request(
        [fields | subject_of(position, variant)], lambda replies: Analysis.of(checked(replies)[-1])
    )


def analyse_game(
    position: Position, limit: Limit | None, multi_pv: int, variant: str | None, options: Mapping[str, object]
) -> Request[list[Analysis]]:
    """Asks for a search of each turn of a game."""
    fields = _analyze_fields(limit, multi_pv, options) | {"analyze_turns": "all"}
    # The number of turns is known from the moves of a board only.
    if isinstance(position, str):
        raise TypeError("a board is expected: its moves are the turns")

    def decode(replies: list[Message]) -> list[Analysis]:
        turns = [Analysis.of(reply) for reply in checked(replies)]
        return sorted(turns, key=lambda turn: turn.turn_number)

    return Request([fields | subject_of(position, variant)], decode, turns=len(position.moves) + 1)


def play(
    position: Position,
    limit: Limit | None,
    level: int | None,
    elo: int | None,
    seed: int | None,
    variant: str | None,
    options: Mapping[str, object],
) -> Request[PlayResult]:
    """Asks for the move to play."""
    strength = given(level=level, elo=elo, level_seed=seed)
    fields = _analyze_fields(limit, 1, options) | strength

    def decode(replies: list[Message]) -> PlayResult:
        analysis = Analysis.of(checked(replies)[-1])
        return PlayResult(analysis.best, analysis.ponder, analysis)

    return Request([fields | subject_of(position, variant)], decode)


def swap2(
    position: Position,
    limit: Limit | None,
    level: int | None,
    elo: int | None,
    seed: int | None,
    variant: str | None,
    options: Mapping[str, object],
) -> Request[SwapResult]:
    """Asks for the stones or the choice of a player in Swap2."""
    fields: Json = {"action": "swap2"} | given(level=level, elo=elo, level_seed=seed)
    fields |= {} if limit is None else limit.fields()
    return Request(
        [{**fields, **options, **subject_of(position, variant)}],
        lambda replies: SwapResult.of(checked(replies)[-1]),
    )


def solve(
    position: Position,
    limit: Limit | None,
    outcome_only: bool,
    all_moves: bool,
    variant: str | None,
    options: Mapping[str, object],
) -> Request[Solution]:
    """Asks for the proven value of a position."""
    fields = given(mode="outcome" if outcome_only else None, all=all_moves or None)
    fields |= {} if limit is None else limit.fields()
    return Request(
        [{"action": "solve", **fields, **options, **subject_of(position, variant)}],
        lambda replies: Solution.of(checked(replies)[-1]),
    )


def opening(
    rule: OpeningRule,
    acts: str | Sequence[str],
    decide: bool,
    limit: Limit | None,
    strength: Json,
    subject: Json,
    options: Mapping[str, object],
) -> Request[OpeningState]:
    """Asks for the next step of an opening, or for the decision of the engine."""
    acts = acts if isinstance(acts, str) else list(acts)
    fields = {"action": "opening", "rule": rule, "acts": acts, "decide": decide, **strength}
    fields |= {} if limit is None else limit.fields()
    return Request(
        [{**fields, **options, **subject}], lambda replies: OpeningState.of(checked(replies)[-1])
    )


def review(
    subject: Json, limit: Limit | None, multi_pv: int, options: Mapping[str, object]
) -> Request[Review]:
    """Asks for a judgement of every move of a game."""
    fields = {"action": "review", "multi_pv": multi_pv, "include_svg": True, "include_sgf": True}
    fields |= {} if limit is None else limit.fields()
    return Request([{**fields, **options, **subject}], lambda replies: Review.of(checked(replies)))


def position(subject: Json, **include: bool) -> Request[Json]:
    """Asks what the rules say about a position."""
    fields = {f"include_{name}": wanted for name, wanted in include.items()}
    return Request(
        [{"action": "position"} | fields | subject], lambda replies: checked(replies)[-1]
    )


def version() -> Request[Json]:
    """Asks for the version, the limits and the variants."""
    return Request([{"action": "query_version"}], lambda replies: checked(replies)[-1])


def clear() -> Request[None]:
    """Asks for empty tables."""

    def decode(replies: list[Message]) -> None:
        checked(replies)

    return Request([{"action": "clear_cache"}], decode)


def _record(action: str, data: bytes, fields: Json) -> list[Message]:
    chunks = [data[at : at + _CHUNK] for at in range(0, len(data), _CHUNK)] or [b""]
    lines: list[Message] = [
        {"action": action, "base64": base64.b64encode(chunk).decode(), "part": part, "more": True}
        for part, chunk in enumerate(chunks, 1)
    ]
    # Fields other than the data count in the last part, and `to` is required in each.
    for line in lines[:-1]:
        line |= {"to": fields["to"]} if "to" in fields else {}
    lines[-1] = lines[-1] | fields | {"more": False}
    return lines


def read_record(
    data: bytes, name: str | None, encoding: str | None, rules: Json
) -> Request[list[Json]]:
    """Asks for the games of a record."""
    fields = given(name=name, encoding=encoding) | rules
    return Request(_record("read_record", data, fields), checked)


def game_filter(
    player: str | None,
    event: str | None,
    opening: str | None,
    result: Outcome | None,
    year: int | None,
    to_year: int | None,
    offset: int,
    limit: int,
    **others: str | int | None,
) -> Json:
    """Returns the fields that choose games of a shelf, and those of the list."""
    names = given(player=player, event=event, opening=opening, result=result)
    return names | given(year=year, to_year=to_year, offset=offset, limit=limit, **others)


def explore(position: Position, variant: str | None, games: Json) -> Request[Explored]:
    """Asks what games of a shelf played in a position."""
    fields: Json = {"action": "explore"} | games
    return Request(
        [fields | subject_of(position, variant)], lambda replies: Explored.of(checked(replies)[-1])
    )


def find(
    position: Position | None,
    pattern: str | None,
    drawing: str | None,
    variant: str | None,
    games: Json,
) -> Request[GameList]:
    """Asks for games of a shelf."""
    subject = given(variant=variant) if position is None else subject_of(position, variant)
    fields: Json = {"action": "find"} | given(pattern=pattern, drawing=drawing) | games | subject
    return Request([fields], lambda replies: GameList.of(checked(replies)[-1]))


def read_game(game: int | ShelfGame) -> Request[bytes]:
    """Asks for a whole game of a shelf, as SGF."""
    return Request([{"action": "read_game", "game": _number(game)}], _data_of)


def _number(game: int | ShelfGame) -> int:
    return game.number if isinstance(game, ShelfGame) else game


def change(action: str, fields: Json) -> Request[Changed]:
    """Asks for a change of a shelf. It is not repeated after a crash."""
    return Request(
        [{"action": action} | fields], lambda replies: Changed.of(checked(replies)[-1]), is_once=True
    )


def games_of_shelf(games: Sequence[int | ShelfGame]) -> Json:
    """Returns the field that names games of a shelf."""
    return {"games": [_number(game) for game in games]}


def changes(limit: int) -> Request[list[ShelfChange]]:
    """Asks for the last changes of a shelf."""
    return Request(
        [{"action": "changes", "limit": limit}],
        lambda replies: [ShelfChange.of(it) for it in checked(replies)[-1]["list"]],
    )


def _data_of(replies: list[Message]) -> bytes:
    """Returns the bytes of the parts of a record."""

    def part(reply: Message) -> bytes:
        text = reply.get("text")
        return base64.b64decode(reply["base64"]) if text is None else str(text).encode()

    return b"".join(map(part, checked(replies)))


def convert_record(
    data: bytes,
    to: str,
    name: str | None,
    encoding: str | None,
    to_encoding: str | None,
    game: int | None,
    rules: Json,
) -> Request[bytes]:
    """Asks for a record in another format."""
    fields = given(to=to, name=name, encoding=encoding, to_encoding=to_encoding, game=game)
    return Request(_record("convert_record", data, fields | rules), _data_of)


def options_of(line: Json, variants: Sequence[Json]) -> Json:
    """Returns the options of a record's board that its variant lets a client choose."""
    names: list[str] = next((it["board"] for it in variants if it["name"] == line["variant"]), [])
    return {name: line["board"][name] for name in names if name in line["board"]}
