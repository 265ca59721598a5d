"""Records and reviews."""

from __future__ import annotations

from pathlib import Path

import pytest

import tengen_engine as tengen
from tengen_engine import Board, Engine, Game, Limit

SGF = (
    "(;GM[4]SZ[15]RU[renju]PB[Anna]PW[Ben]RE[B+]DT[2026-11-01];B[hh]C[zentrum, für]"
    ";W[ih](;B[ii]XT[31])(;B[gg]))"
).encode()


def test_a_record_is_read_with_what_it_says() -> None:
    game = Game.read(SGF)
    assert (game.variant, game.moves, game.first, game.second) == (
        "renju", ["h8", "i8", "i7"], "Anna", "Ben",
    )
    assert (game.result, game.date, game.event) == ("first", "2026-11-01", None)
    assert game.times == [None, None, 0.031] and game.comments == [(1, "zentrum, für")]
    assert game.nodes == 5 and game.board().moves == game.moves
    assert game.board(1).moves == ["h8"] and game._repr_svg_().startswith("<svg")


@pytest.mark.parametrize("ending", ["sgf", "pgn", "psq", "lib", "txt"])
def test_every_format_is_written_and_read(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"game.{ending}"
    Game.read(SGF).save(path, encoding="GBK" if ending == "lib" else None)
    (game,) = tengen.read_games(path, variant="renju")
    assert game.moves == ["h8", "i8", "i7"]
    if ending != "lib":
        assert Game.of(game.board()).convert("moves") == b"h8 i8 i7\n"


def test_a_record_is_larger_than_a_line() -> None:
    text = b"\n".join([b"h8 i9 h9 i10 h10"] * 50_000)
    assert len(text) > 600_000
    games = tengen.read_games(text, variant="gomoku")
    assert len(games) == 50_000 and games[-1].moves[-1] == "h10"
    with Engine(workers=1, hash=1) as engine:
        pgn = engine.convert(text, "pgn", variant="gomoku")
    assert pgn.count(b"[Event ") == 50_000


def test_a_game_that_cannot_be_played_does_not_hide_the_others() -> None:
    games = tengen.read_games(b"(;GM[4]SZ[15];B[hh];W[hh])(;GM[4]SZ[15];B[hh])")
    assert [game.problem is None for game in games] == [False, True]
    with pytest.raises(tengen.PositionError, match="h8 is taken"):
        games[0].board()
    with pytest.raises(tengen.PositionError, match="Go"):
        Game.read(b"(;GM[1]SZ[19];B[pd])").board()
    with pytest.raises(tengen.PositionError, match="empty"):
        Game.read(b"")


def test_a_game_that_begins_with_stones(engine: Engine) -> None:
    game = Game.read(b"(;GM[4]SZ[15]AB[hh]AW[ii]PL[B];B[gg];W[jj])")
    assert game.fen is not None and game.moves == ["g9", "j6"]
    assert len(game.board().stones) == 4
    assert len(engine.review(game, Limit(nodes=100)).moves) == 2


def test_a_review_has_marks_chances_and_pictures(engine: Engine) -> None:
    board = Board("gomokufreestyle", "h8 a1 i8 c1 j8 e1 k2 g8")
    review = engine.review(Game.of(board), Limit(nodes=2000), fresh=True, threads=1)
    assert [move.number for move in review.moves] == list(range(1, 9))
    # The second player lets a row of three stand, far away.
    assert review.moves[1].mark == "?" and "better:" in str(review.moves[1])
    reason = review.moves[1].reason
    assert reason is not None and reason.kind == "quiet" and reason.side == "second"
    assert str(reason).startswith("No forced win is known") and review.moves[0].reason is None
    assert review.mistakes["second"] >= 1 and len(review.chances) == 9
    assert all(0 <= chance <= 1 for chance in review.chances)
    assert review.sgf is not None and "Tengen:" in review.sgf
    assert review.svg.startswith("<svg") and "base64" in review._repr_html_()
    assert "2. a1? (" in str(review)


def test_a_review_names_the_win_that_a_move_misses(engine: Engine) -> None:
    board = Board("gomokufreestyle", "h8 g8 i8 h7 j8 i7 k8 o15 a1")
    review = engine.review(Game.of(board), Limit(nodes=2000), fresh=True, threads=1)
    reason = review.moves[8].reason
    assert reason is not None and (reason.kind, reason.by) == ("misses_win", "at_once")
    assert reason.points == reason.line == ["l8"] and reason.text == "l8 wins at once."


def test_a_board_of_its_own_size_survives(engine: Engine) -> None:
    board = Board("custom", "a1 a2 b1", width=6, height=6, connect=4, gravity=True)
    game = Game.read(Game.of(board).convert("sgf"))
    assert game.board() == board
