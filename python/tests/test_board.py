"""Boards: the rules are those of the engine."""

from __future__ import annotations

import pytest

import tengen_engine as tengen
from tengen_engine import Board, PositionError


def test_a_board_knows_what_the_rules_say() -> None:
    board = Board("renju", "h8 i9 i8")
    assert (board.variant, board.width, board.height, board.gravity) == ("renju", 15, 15, False)
    assert board.moves == ["h8", "i9", "i8"]
    assert board.turn == "second" and board.outcome is None and not board.is_over
    assert len(board.legal_moves) == 222 and board.is_legal("a1") and not board.is_legal("h8")
    assert board.stones == {"h8": "first", "i9": "second", "i8": "first"}
    assert board.winning_line == [] and board.fen.endswith(" b - - 0 2")
    assert Board("renju", "g8 a1 i8 a3 h7 a5 h9 a7").forbidden() == {"h8": "double-three"}


def test_moves_are_played_and_taken_back() -> None:
    board = Board("tictactoe")
    for move in ("a1", "b2", "b1", "c3"):
        board.push(move)
    board.push("c1")
    assert board.outcome == "first" and board.winning_line == ["a1", "b1", "c1"]
    assert board.legal_moves == []
    with pytest.raises(PositionError, match="over"):
        board.push("a3")
    assert board.pop() == "c1" and board.outcome is None
    assert board.at(1).moves == ["a1"] and board.moves == ["a1", "b2", "b1", "c3"]
    copy = board.copy()
    copy.push("a2")
    assert board.moves == ["a1", "b2", "b1", "c3"]
    with pytest.raises(IndexError):
        Board().pop()


def test_spellings_of_moves_are_those_of_the_engine() -> None:
    assert Board(moves="4455") == Board("connect4", ["d1", "d2", "e1", "e2"])
    assert Board("cfour", "4455").moves == ["d1", "d2", "e1", "e2"]
    assert Board("gomoku", "h8i9").moves == ["h8", "i9"]


def test_fen_and_sgf_lead_to_equal_boards() -> None:
    board = Board("gomoku", "h8 i9 j7", width=11, height=12)
    assert (board.width, board.height) == (11, 12)
    set_up = Board("gomoku", fen=board.fen, width=11, height=12)
    assert set_up == board and set_up.moves == []
    for other in (board, set_up):
        again = Board(sgf=other.sgf())
        assert again == board and again.moves == other.moves
    assert Board(sgf=board.sgf()).at(1).moves == ["h8"]
    custom = Board("custom", "c1 c2", width=5, height=5, connect=3, gravity=True, overline=False)
    assert custom.gravity and custom.moves == ["c1", "c2"]


def test_a_finished_position_has_its_line_without_its_moves() -> None:
    board = Board("cfour", "1212121")
    assert board.winning_line == ["a1", "a2", "a3", "a4"]
    assert Board("cfour", fen=board.fen).winning_line == board.winning_line


def test_pictures() -> None:
    board = Board("tictactoe", "b2 a1")
    assert str(board) == board.text() and len(board.text().splitlines()) >= 3
    assert board.svg().startswith("<svg") and board._repr_svg_() == board.svg()
    assert repr(board) == "Board('tictactoe', 'b2 a1')"
    import xml.etree.ElementTree

    xml.etree.ElementTree.fromstring(board.svg())
    xml.etree.ElementTree.fromstring(Board("cfour", "1212121").svg())


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ({"variant": "chess"}, "unknown_variant", 'no variant "chess"'),
        ({"variant": "gomoku", "width": 99}, "bad_board", "width"),
        ({"variant": "cfour", "width": 9}, "bad_board", "cfour takes no width"),
        ({"variant": "gomoku", "fen": "x"}, "bad_position", "fen"),
        ({"variant": "gomoku", "moves": "h8 h8"}, "bad_move", "h8"),
        ({"variant": "cfour", "moves": ["d1", "h8"]}, "bad_move", "gomokufreestyle"),
        ({"sgf": "(;GM[4]SZ[15];B[hh"}, "bad_record", "line 1"),
    ],
)
def test_what_the_engine_refuses_is_one_exception(
    arguments: dict[str, object], code: str, message: str
) -> None:
    with pytest.raises(PositionError, match=message) as caught:
        Board(**arguments)  # type: ignore[arg-type]
    assert caught.value.code == code and isinstance(caught.value, tengen.EngineError)


def test_sgf_excludes_moves() -> None:
    with pytest.raises(ValueError, match="sgf"):
        Board(sgf="(;GM[4])", moves="h8")


def test_boards_compare_by_game_and_position() -> None:
    assert Board("gomoku", "h8 i9 j7") == Board("gomoku", "j7 i9 h8")
    assert Board("gomoku", "h8") != Board("renju", "h8") and Board() != "cfour"


def test_threats_of_both_sides() -> None:
    threats = Board("gomoku", "h8 a1 i8 a3 j8").threats()
    assert threats["second"].moves == [] and threats["second"].complete
    assert threats["first"].text[0] == "Black, if it were to move:" and str(threats["second"]).endswith("no threats")
    best = threats["first"].moves[0]
    assert (best.win_in, best.line[0]) == (3, best.move) and "four" in best.kind
    with pytest.raises(tengen.EngineError, match="threats"):
        Board("cfour").threats()


def test_what_is_on_a_board() -> None:
    board = Board("gomoku", "h8 i9")
    assert (board.piece_at("h8"), board.piece_at("i9"), board.piece_at("a1")) == ("first", "second", None)
    assert (board.ply, board.peek()) == (2, "i9")
    with pytest.raises(IndexError):
        Board().peek()


@pytest.mark.parametrize(
    ("board", "count"),
    [
        (Board("gomoku", "h8 i9 c4 d12"), 8),
        (Board("cfour", "d1 d2 e1"), 2),
        (Board("gomoku", "h8 i9 b2", width=12, height=10), 4),
    ],
)
def test_equal_positions_have_one_canonical_key(board: Board, count: int) -> None:
    assert len(board.symmetries) == count
    seen = set()
    for symmetry in board.symmetries:
        turned = board.transform(symmetry)
        assert turned.canonical_key == board.canonical_key
        assert turned.transform(tengen.inverse(symmetry)) == board
        key, back = turned.canonical()
        seen.add(" ".join(turned.image_of(move, back) for move in turned.moves))
    # A move of any of them is the same move of the canonical position.
    assert len(seen) == 1
    assert board.mirror().mirror() == board
    board_of_a_fen = Board(board.variant, fen=board.fen, **board.subject().get("board", {}))
    assert board_of_a_fen.mirror().canonical_key == board.canonical_key
    other = Board(board.variant, board.moves[:-1], **board.subject().get("board", {}))
    assert other.canonical_key != board.canonical_key
    with pytest.raises(ValueError, match="identity"):
        Board("cfour").transform("flip")


def test_a_picture_has_a_size_arrows_and_marks() -> None:
    import xml.etree.ElementTree

    board = Board("gomoku", "h8 i9")
    svg = board.svg(size=300, arrows=[("h8", "i9"), ("a1", "o15", "red")], marks={"c3": "<1>", "d4": ""})
    root = xml.etree.ElementTree.fromstring(svg)
    assert root.get("width") == "300" and svg.count("<polygon") == 2 and "&lt;1&gt;" in svg
    # The ring of a mark is where the stone would be.
    plain = Board("gomoku", "d4").svg()
    (stone,) = [line for line in plain.splitlines() if 'r="14"' in line]
    (ring,) = [line for line in Board("gomoku").svg(marks=["d4"]).splitlines() if 'r="8"' in line]
    assert stone.split()[1:3] == ring.split()[1:3]
    with pytest.raises(ValueError, match="z99"):
        board.svg(marks=["z99"])
    xml.etree.ElementTree.fromstring(Board("cfour", "44").svg(size=100, marks=["a1"]))
