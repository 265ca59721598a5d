"""Tengen, an engine for n-in-a-row games, from Python.

    import tengen_engine as tengen

    with tengen.Engine() as engine:
        board = tengen.Board("renju", "h8 i9 i8")
        info = engine.analyse(board, tengen.Limit(time=1.0), multi_pv=3)
        print(info[0].score.pov("first"), info[0].pv, board.forbidden())
"""

from __future__ import annotations

from collections.abc import Iterable

from ._async import AsyncEngine
from ._base import EngineBase
from ._board import AsyncBoard, Board
from ._engine import Engine
from ._errors import (
    EngineClosedError,
    EngineError,
    EngineStartError,
    EngineTerminatedError,
    EngineTimeoutError,
    EngineWarning,
    PositionError,
)
from ._facts import BoardFacts
from ._game import Game, read_games
from ._limit import Limit
from ._openings import Opening, OpeningRule, OpeningState, OpeningStep
from ._options import Options, ProgramOptions, SearchOptions
from ._program import find_program
from ._requests import Position
from ._scores import Outcome, Score, Side, Wdl
from ._shelf import (
    Changed,
    Explored,
    ExploredMove,
    GameList,
    OtherOrder,
    Results,
    ShelfChange,
    ShelfGame,
    ShelfNote,
)
from ._streams import (
    AnalysisStream,
    Answer,
    Answers,
    AsyncAnalysisStream,
    AsyncAnswers,
    AsyncPonder,
    Ponder,
)
from ._symmetry import Symmetry, inverse
from ._tree import GameTree, Node, Visitor
from ._values import (
    Analysis,
    Info,
    PlayResult,
    Proof,
    Reason,
    Review,
    ReviewedMove,
    Solution,
    SwapResult,
    Threat,
    Threats,
    Verdict,
)
from ._version import VERSION as __version__

__all__ = [
    "Analysis",
    "AnalysisStream",
    "Answer",
    "Answers",
    "AsyncAnalysisStream",
    "AsyncAnswers",
    "AsyncBoard",
    "AsyncEngine",
    "AsyncPonder",
    "Board",
    "BoardFacts",
    "Changed",
    "Engine",
    "EngineBase",
    "EngineClosedError",
    "EngineError",
    "EngineStartError",
    "EngineTerminatedError",
    "EngineTimeoutError",
    "EngineWarning",
    "Explored",
    "ExploredMove",
    "Game",
    "GameList",
    "GameTree",
    "Info",
    "Limit",
    "Node",
    "Opening",
    "OpeningRule",
    "OpeningState",
    "OpeningStep",
    "Options",
    "OtherOrder",
    "Outcome",
    "PlayResult",
    "Ponder",
    "Position",
    "PositionError",
    "ProgramOptions",
    "Proof",
    "Results",
    "Reason",
    "Review",
    "ReviewedMove",
    "Score",
    "SearchOptions",
    "ShelfChange",
    "ShelfGame",
    "ShelfNote",
    "Side",
    "Solution",
    "SwapResult",
    "Symmetry",
    "Threat",
    "Threats",
    "Verdict",
    "Visitor",
    "Wdl",
    "__version__",
    "find_program",
    "inverse",
    "read_games",
    "solve",
]


def solve(
    positions: Iterable[Position],
    *,
    threads: int = 1,
    hash: int | None = None,
    limit: Limit | None = None,
    outcome_only: bool = False,
    all_moves: bool = False,
    variant: str | None = None,
    timeout: float | None = None,
) -> list[Solution]:
    """Proves the value of positions of four in a row, on ``threads`` threads.

    Several positions are solved at once, each on one thread; a single one gets all threads.
    """
    if isinstance(positions, str):
        raise TypeError("a list of positions is expected, not one text")
    positions = list(positions)
    workers = max(1, min(threads, len(positions)))
    with Engine(workers=workers, threads=max(1, threads // workers), hash=hash) as engine:
        return engine.solve(
            positions,
            limit,
            outcome_only=outcome_only,
            all_moves=all_moves,
            variant=variant,
            timeout=timeout,
        )
