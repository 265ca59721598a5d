"""Searches, and many of them at once."""

from __future__ import annotations

import threading

import pytest

import tengen_engine as tengen
from tengen_engine import Board, Engine, Limit

FOUR = "h8 a1 i8 c1 j8 e1"


def test_analyse_ranks_moves(engine: Engine) -> None:
    board = Board("gomokufreestyle", FOUR)
    result = engine.analyse(board, Limit(nodes=2000), multi_pv=3)
    assert len(result) == 3 and [info.rank for info in result] == [1, 2, 3]
    best = result[0]
    assert best.move == best.pv[0] == result.best
    assert str(best.score) == "win in 3" and str(best.score.pov("second")) == "loss in 3"
    assert best.score == best.score.pov("first") and best.score > result[2].score
    assert result.proof is not None and result.proof.winner == "first"
    assert result.wdl is not None and result.wdl.expected == 1.0
    assert result.wdl.pov("second").expected == 0.0


def test_a_text_of_moves_is_a_position(engine: Engine) -> None:
    assert engine.analyse("4455", Limit(nodes=100)).best in ("c1", "f1")
    assert engine.analyse(FOUR, Limit(nodes=2000), variant="gomoku").turn == "first"
    with pytest.raises(ValueError, match="variant"):
        engine.analyse(Board(), variant="gomoku")


def test_a_finished_game_has_no_moves(engine: Engine) -> None:
    result = engine.analyse(Board("cfour", "1212121"))
    assert len(result) == 0 and result.best is None and result.outcome == "first"
    assert engine.play(Board("cfour", "1212121")).move is None


def test_play_at_a_level(engine: Engine) -> None:
    board = Board("gomoku", "h8 i9")
    for level in (0, 5, 10):
        result = engine.play(board, Limit(nodes=500), level=level, seed=1)
        assert result.move is not None and board.is_legal(result.move)
    with pytest.raises(tengen.EngineError, match="level"):
        engine.play(board, level=11)
    assert engine.play(board, Limit(left=1.0, increment=0.1, depth=4)).move is not None


def test_swap2_places_stones_and_chooses_a_side(engine: Engine) -> None:
    limit = Limit(nodes=500)
    first = engine.swap2(Board("gomoku"), limit)
    assert first.choice == "three" and len(first.moves) == 3 and first.nodes <= 500
    second = engine.swap2(Board("gomoku", first.moves), limit, level=10)
    assert second.choice in ("two", "stay", "swap")
    five = " ".join([*first.moves, "a1", "a2"])
    assert engine.swap2(five, limit, variant="gomoku").choice in ("stay", "swap")
    with pytest.raises(tengen.EngineError, match="stones"):
        engine.swap2(Board("gomoku", "h8"), limit)


def test_analysis_streams_until_the_loop_ends(engine: Engine) -> None:
    board = Board("gomoku", "h8 i9")
    depths = []
    for update in engine.analysis(board, every=0.02):
        depths.append(update.depth)
        if len(depths) == 3:
            break
    assert len(depths) == 3
    with engine.analysis(board, every=0.02) as stream:
        next(stream)
        stream.stop()
        rest = list(stream)
    assert rest[-1].ended_by == "terminated" and rest[-1].best is not None
    # The engine is idle again: with one worker busy for ever, these would wait.
    for _ in range(4):
        engine.analyse(board, Limit(nodes=10), timeout=20)


def test_many_queries_are_answered_out_of_order(engine: Engine) -> None:
    positions = [Board("gomoku", moves) for moves in ("h8", "h8 i9", "h8 i9 g7")]
    results = engine.analyse_all(positions * 10, Limit(nodes=200))
    assert [it.get().turn_number for it in results] == [1, 2, 3] * 10
    slow = engine.analysis(Board("gomoku", "h8 i9"))
    assert engine.analyse("4455", Limit(nodes=100), timeout=20).turn_number == 4
    slow.stop()
    assert slow.wait(20).ended_by == "terminated"


def test_every_turn_of_a_game(engine: Engine) -> None:
    turns = engine.analyse_game(Board("gomoku", "h8 i9 g7"), Limit(nodes=200))
    assert [turn.turn_number for turn in turns] == [0, 1, 2, 3]


def test_two_threads_share_an_engine(engine: Engine) -> None:
    found: list[int] = []

    def ask() -> None:
        for _ in range(20):
            found.append(engine.analyse("4455", Limit(nodes=50)).turn_number)
            Board("gomoku", "h8").push("i9")

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == [4] * 40


def test_solve() -> None:
    first, second = tengen.solve(["4455", "44444"], threads=2)
    assert (first.solver_score, str(first.score)) == (18, "win in 3")
    assert (second.solver_score, str(second.score)) == (-1, "loss in 36")
    (columns,) = tengen.solve(["4455"], all_moves=True)
    assert columns.columns is not None and columns.columns["c1"] == 18
    (winner,) = tengen.solve([Board("cfour", "4455")], outcome_only=True)
    assert winner.solver_score == 1 and winner.score is None
    with pytest.raises(tengen.PositionError, match="exact"):
        tengen.solve(["h8"], variant="gomoku")
    with pytest.raises(TypeError):
        tengen.solve("4455")


def test_an_unknown_field_is_a_warning(engine: Engine) -> None:
    with pytest.warns(tengen.EngineWarning, match="komi"):
        engine.analyse("44", Limit(nodes=10), komi=7)


def test_the_engine_describes_itself(engine: Engine) -> None:
    assert engine.version == tengen.__version__
    assert {"cfour", "renju"} <= {variant["name"] for variant in engine.variants}
    engine.clear()


def test_the_opening_book_is_read(engine: Engine) -> None:
    scores = engine.book("44")
    assert scores is not None and scores["d3"] == 1 and len(scores) == 7
    assert engine.book("444444322116") is None
