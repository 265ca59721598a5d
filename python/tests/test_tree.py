"""Game trees, and what a game keeps."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tengen_engine import Board, Engine, EngineError, Game, GameTree, Limit, Node, PositionError, Visitor

SGF = (
    "(;GM[4]SZ[15]RU[renju]PB[Anna]PW[Ben]EV[Open\\]]RE[B+R]DT[2026-11-01];B[hh]C[centre]"
    ";W[ih](;B[ii]LB[jj:A])(;B[gg]C[or this];W[ff]))"
).encode()


def test_a_changed_game_keeps_what_the_record_says() -> None:
    game = Game.read(SGF)
    assert (game.result, game.result_text, game.event) == ("first", "B+R", "Open]")
    changed = replace(game, second="Cleo", comments=[(1, "the centre"), (3, "well")])
    for made in (changed, replace(changed, date="2026-12-01")):
        again = Game.read(made.convert("sgf"))
        assert (again.first, again.second, again.event, again.result) == ("Anna", "Cleo", "Open]", "first")
        assert again.comments == [(1, "the centre"), (3, "well")] and again.nodes == game.nodes
        assert again.result_text == "B+R" and b"or this" in made.convert("sgf")
    lost = Game.read(replace(game, result="second", event=None).convert("pgn"), variant="renju")
    assert (lost.result, lost.event, lost.first) == ("second", None, "Anna")
    longer = Game.read(replace(game, moves=["h8", "i8", "i7", "a1"]).convert("sgf"))
    assert longer.moves == ["h8", "i8", "i7", "a1"] and longer.comments[0] == (1, "centre")


def test_a_finished_board_has_a_result() -> None:
    game = Game.of(Board("tictactoe", "a1 a2 b1 b2 c1"))
    assert game.result == "first" and Game.read(game.convert("sgf")).result == "first"
    named = replace(game, first="Anna", second="Ben")
    assert b"PB[Anna]" in named.convert("sgf") and Game.of(Board("tictactoe")).result is None


def test_a_review_keeps_names_comments_and_variations(engine: Engine) -> None:
    review = engine.review(Game.read(SGF), Limit(nodes=100))
    assert review.sgf is not None
    for kept in ("PB[Anna]", "DT[2026-11-01]", "centre", "or this", "B[gg]"):
        assert kept in review.sgf
    begun = Game.read(b"(;GM[4]SZ[15]AB[hh]AW[ii]PL[B]PB[Anna];B[gg];W[jj])")
    sgf = engine.review(begun, Limit(nodes=100)).sgf
    assert sgf is not None and "PB[Anna]" in sgf


def test_a_tree_is_read_and_changed() -> None:
    tree = Game.read(SGF).tree()
    assert (tree.headers["first"], tree.headers["event"], tree.moves()) == ("Anna", "Open]", ["h8", "i8", "i7"])
    other = tree.find(["h8", "i8", "g9"])
    assert other is not None and other.comment == "or this" and (other.side, other.ply) == ("first", 3)
    other.promote()
    tree.headers["first"] = "Olga [b]"
    del tree.headers["date"]
    end = other.add_line(["f10", "f9"])
    end.comment = "a \\ and ]"
    game = Game.of_tree(tree)
    assert game.moves == ["h8", "i8", "g9", "f10", "f9"] and game.first == "Olga [b]" and game.date is None
    assert game.comments[-1] == (5, "a \\ and ]")
    again = game.tree()
    assert again.sgf() == GameTree.parse(again.sgf()).sgf()
    assert [len(node.variations) for node in again.main_line()] == [1, 2, 1, 1, 0]
    kept = again.find(["h8", "i8", "i7"])
    assert kept is not None and kept.properties["LB"] == ["jj:A"]
    kept.remove()
    assert again.find(["h8", "i8", "i7"]) is None
    with pytest.raises(ValueError, match="root"):
        again.root.remove()
    with pytest.raises(KeyError, match="first"):
        again.headers["nobody"]
    again.root.add("z9")
    with pytest.raises(ValueError, match="z9"):
        again.sgf()


def test_a_tree_is_made_from_nothing() -> None:
    tree = GameTree(15, 15, "gomoku")
    tree.headers["first"] = "Anna"
    node = tree.root.add_line(["h8", "i9"])
    node.add("h7", "main")
    node.add("g7")
    game = Game.of_tree(tree)
    assert (game.variant, game.moves, game.comments) == ("gomoku", ["h8", "i9", "h7"], [(3, "main")])
    node.add("h8", main=True)
    with pytest.raises(PositionError, match="h8"):
        Game.of_tree(tree).board()


def test_a_visitor_sees_variations_after_the_main_move() -> None:
    class Moves(Visitor[str]):
        def __init__(self) -> None:
            self.parts: list[str] = []

        def visit_header(self, name: str, text: str) -> None:
            self.parts += [f"{name}={text}"] if name == "first" else []

        def visit_node(self, node: Node) -> None:
            self.parts += [node.move] if node.move else []

        def begin_variation(self, node: Node) -> bool:
            self.parts.append("(")
            return node.move != "a1"

        def end_variation(self, node: Node) -> None:
            self.parts.append(")")

        def result(self) -> str:
            return " ".join(self.parts)

    tree = Game.read(SGF).tree()
    after = tree.find(["h8", "i8"])
    assert after is not None
    after.add("a1").add("a2")
    assert tree.accept(Moves()) == "first=Anna h8 i8 ( g9 f10 ) ( i7"


def test_long_trees_are_walked() -> None:
    points = [f"{chr(97 + number % 19)}{number // 19 + 1}" for number in range(361)]
    tree = GameTree(19, 19)
    tree.root.add_line(points)
    assert len(list(tree.root.walk())) == 362 and GameTree.parse(tree.sgf()).moves() == points


@pytest.mark.parametrize(
    ("sgf", "message"),
    [
        ("(;SZ[15];B[zz])", "zz"),
        ("(;SZ[x];B[aa])", "SZ"),
        ("(;SZ[15];B[a", "SGF"),
        ("hello", "SGF|game"),
        ("", "game"),
        ("(;SZ[15]))", "game|SGF"),
    ],
)
def test_what_is_no_sgf_is_an_error(sgf: str, message: str) -> None:
    with pytest.raises(EngineError, match=message):
        GameTree.parse(sgf)


def test_moves_in_one_node_are_nodes_in_order() -> None:
    tree = GameTree.parse("(;SZ[3]B[aa]W[bb]C[both];B[cc]C[one]C[two])")
    assert tree.moves() == ["a3", "b2", "c1"]
    assert [node.comment for node in tree.main_line()] == ["", "both", "one\n\ntwo"]
