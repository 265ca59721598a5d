"""Scores, and what may be a key or leave the process."""

from __future__ import annotations

import pickle

import pytest

import tengen_engine as tengen
from tengen_engine import Board, Engine, Limit, Score


def test_scores_compare_and_print_in_one_way() -> None:
    scores = [
        Score("first", loss_in=2),
        Score("first", loss_in=8),
        Score("first", cp=-27),
        Score("first", cp=0),
        Score("first", cp=31),
        Score("first", win_in=9),
        Score("first", win_in=1),
    ]
    assert scores == sorted(scores)
    assert [str(score) for score in scores[1:5]] == ["loss in 8", "-27", "+0", "+31"]
    assert [score.pov("second").pov("first") for score in scores] == scores
    assert str(Score("first", cp=2_000_000)) == "win, unproven"
    assert not scores[2].is_proven and scores[0].is_proven
    with pytest.raises(ValueError, match="second"):
        scores[0].pov("white")  # type: ignore[arg-type]


def test_scores_of_both_sides_are_equal_by_value_and_have_no_order() -> None:
    one, same = Score("first", cp=5), Score("second", cp=-5)
    assert one == same and hash(one) == hash(same) and len({one, same}) == 1
    assert Score("first", win_in=3) == Score("second", loss_in=3) != Score("second", win_in=3)
    for compare in (lambda: one < same, lambda: one >= same, lambda: sorted([one, same])):
        with pytest.raises(TypeError, match="pov"):
            compare()


def test_a_score_is_one_number_on_request() -> None:
    scores = [Score("first", cp=31), Score("first", win_in=3), Score("first", loss_in=4)]
    assert [it.score(mate_score=10_000) for it in scores] == [31, 9_997, -9_996]
    assert Score("first", cp=-2_000_000).score(mate_score=10_000) == -9_000


def test_values_are_keys_and_leave_the_process(engine: Engine) -> None:
    board = Board("gomoku", "h8 i9 j7", engine=engine)
    other = Board("gomoku", "j7 i9 h8")
    assert {board: 1}[other] == 1
    copy = pickle.loads(pickle.dumps(board))
    assert copy == board
    copy.push("a1")
    result = engine.analyse(board, Limit(nodes=200), multi_pv=2)
    game = tengen.Game.of(board)
    for value in (result, result[0], engine.solve(["4455"])[0], board.threats()["first"], game):
        assert hash(value) == hash(pickle.loads(pickle.dumps(value)))
        assert pickle.loads(pickle.dumps(value)) == value


def test_a_search_that_proves_nothing_says_no_win_found(engine: Engine) -> None:
    open_three = engine.analyse(Board("gomokufreestyle", "h8 a1 i8 c1 j8 e1", engine=engine), Limit(nodes=5_000))
    assert (open_three.verdict(), open_three.verdict("second")) == ("wins", "does_not_win")
    start = engine.analyse(Board("gomokufreestyle", "h8 a1", engine=engine), Limit(nodes=1))
    assert (start.verdict(), start.verdict("second")) == ("no_win_found", "no_win_found")


def test_an_analysis_is_a_table_in_a_notebook(engine: Engine) -> None:
    page = engine.analyse("4455", Limit(nodes=200), multi_pv=2)._repr_html_()
    assert page.startswith("<table>") and page.count("<tr>") == 3 and "first to move" in page


def test_openings_have_names(engine: Engine) -> None:
    opening = Board("renju", "h8 h9 i9").opening
    assert opening is not None and str(opening) == "D4 Kagetsu 花月 Flower Moon"
    assert engine.analyse("h8 h9 i9", Limit(nodes=50), variant="renju").opening == opening
    assert Board("renju", "a1").opening is None


def test_opening_rules_are_followed(engine: Engine) -> None:
    state = engine.opening("rif", "h8 h9 h7 stay h6 g8", variant="renju")
    assert state.moves == ["h8", "h9", "h7", "h6"] and state.first == 1 and state.chosen == []
    step = state.step
    assert step is not None
    assert (step.kind, step.count, step.offered, step.player) == ("offer", 2, ["g8"], 1)
    decided = engine.opening("swap2", decide=True, limit=Limit(nodes=200), level=3)
    assert len(decided.chosen) >= 3
    with pytest.raises(tengen.PositionError, match="i7") as caught:
        engine.opening("rif", ["h8", "h9", "h7", "stay", "h6", "g8", "i7"], variant="renju")
    assert caught.value.field == "acts[6]"
    names = next(it["opening_rules"] for it in engine.variants if it["name"] == "renju")
    names += next(it["opening_rules"] for it in engine.variants if it["name"] == "gomoku")
    from tengen_engine._openings import OpeningRule

    assert set(names) == set(OpeningRule.__args__)  # type: ignore[attr-defined]
