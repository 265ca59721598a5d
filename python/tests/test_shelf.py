"""Games and positions of a shelf."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import tengen_engine as tengen
from tengen_engine import AsyncEngine, Board, Engine


def test_a_position_is_explored(shelf: Path) -> None:
    with Engine(shelf=shelf, workers=1, threads=1, hash=4) as engine:
        known = engine.explore("h8 i9", variant="renju")
        results = known.results
        assert (results.games, results.wins, results.losses, results.last) == (2, 1, 1, "2021")
        assert results.points is None and known.turn == "first" and known.turn_number == 2
        assert known.comments == ["strong"] and known.score is None and known.on_board == 3
        # The first game went to an image of the move.
        assert sorted((mv.results.games, mv.tree) for mv in known) == [(0, True), (1, False), (1, True)]
        assert [game.date for game in known.games] == ["2021", "2020-05"]
        assert (known.games.found, known.games.not_listed) == (2, None)
        assert engine.explore(Board("renju", "h8 i9"), player="olga").results.wins == 1
        assert len(engine.explore(Board("renju", "h8"), limit=1, offset=1).games) == 1
        nothing = engine.explore("a1", variant="renju")
        assert (nothing.results.games, nothing.results.points, len(nothing)) == (0, None, 0)


def test_a_shelf_is_edited_and_each_change_is_undone(shelf: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.shelf"
    copy.write_bytes(shelf.read_bytes())
    with Engine(shelf=copy, edit=True, workers=1, threads=1, hash=4) as engine:
        before = engine.changes()
        game = engine.find(year=2021)[0]
        changed = engine.edit_games([game], first="Dora", date="5.6.2019")
        assert changed.count == 1 and changed.change is not None and changed.number is None
        assert engine.find(first="dora")[0].date == "2019-06-05"
        place = Board("renju", "h8 i9")
        number = engine.comment(place, "solid", author="Anna", label="S").number
        assert number is not None and engine.edit_tree(place, label="B").count == 1
        engine.change_comment(number, "weak")
        *_, note = engine.explore("h8 i9", variant="renju").notes
        assert (note.text, note.label, note.author, note.number) == ("weak", "S", "Anna", number)
        assert engine.edit_tree("h8 i9 a1", variant="renju").count == 1
        assert engine.explore("a1 i9 h8", variant="renju").other_orders == [tengen.OtherOrder("a1", 0, True)]
        engine.edit_tree("h8 i9 a1", variant="renju", remove=True)
        engine.delete_games([game])
        assert engine.find().found == 2
        with pytest.raises(tengen.EngineError, match="was changed since"):
            engine.undo(changed.change)
        for change in engine.changes():
            if change not in before:
                assert engine.undo(change).change == change
        assert engine.changes() == before and engine.find().found == 3
        redone = engine.redo().change
        assert redone is not None and redone.what == changed.change.what
        engine.undo(redone)
        engine.comment(place, "of now")
        with pytest.raises(tengen.EngineError, match="no change to make again"):
            engine.redo()
    with Engine(shelf=copy, workers=1, threads=1, hash=4) as engine:
        with pytest.raises(tengen.EngineError, match="--edit"):
            engine.undo()


def test_few_known_results_give_no_share() -> None:
    assert tengen.Results(40_300, 2, 0, 7, None).points is None
    assert tengen.Results(40_300, 2, 2, 6, None).points == 0.3


def test_games_are_found_and_read(shelf: Path) -> None:
    with Engine(shelf=shelf, workers=1, threads=1, hash=4) as engine:
        assert engine.find().found == 3
        assert engine.find(player="anna", year=2020, to_year=2021).found == 2
        assert engine.find(player="anna", against="nobody").found == 0
        assert engine.find(player="anna", min_plies=0, max_plies=0).found == 0
        assert engine.find(Board("renju", "h8 g9"), result="second").found == 1
        assert engine.find(pattern="x?/?o", variant="renju").found == 2
        rows = ["." * 15] * 7 + [".......X......."] + ["." * 15] * 7
        rows[6] = "........O......"
        drawing = "\n".join(f"{15 - n:2} {' '.join(row)}" for n, row in enumerate(rows))
        assert engine.find(drawing=drawing, variant="renju").found == 2
        assert engine.find(source=".sgf").found == 3 and engine.find(source="/").found == 0
        (game,) = engine.find(event="open")
        assert (game.first, game.second, game.result, game.ending) == ("Anna", "Olga", "first", "resigned")
        assert (game.variant, game.board["width"], game.plies, game.marks) == ("renju", 15, 4, [])
        whole = engine.read_game(game)
        assert whole.moves == ["h8", "i9", "h7", "h6"] and whole.first == "Anna"
        assert whole.variant == "renju"
        commented = engine.read_game(engine.find(year=2021)[0].number)
        assert commented.comments == [(2, "strong")] and commented.nodes == 6


def test_bad_requests_are_quoted(shelf: Path) -> None:
    with Engine(shelf=shelf, workers=1, threads=1, hash=4) as engine:
        with pytest.raises(tengen.EngineError, match="no such game") as caught:
            engine.read_game(99)
        assert caught.value.field == "game"
        with pytest.raises(tengen.EngineError, match="xy") as caught:
            engine.find(pattern="xy")
        assert caught.value.field == "pattern"
        with pytest.raises(tengen.PositionError, match="h8"):
            engine.explore("h8 h8", variant="renju")


def test_an_engine_without_a_shelf_and_a_missing_one(engine: Engine, shelf: Path) -> None:
    with pytest.raises(tengen.EngineError, match="--shelf"):
        engine.explore("h8", variant="renju")
    missing = shelf.with_name("missing.shelf")
    with pytest.raises(tengen.EngineStartError, match="missing.shelf") as caught:
        Engine(shelf=missing)
    assert "is it Tengen" not in str(caught.value) and not missing.exists()


def test_the_same_under_asyncio(shelf: Path) -> None:
    async def main() -> None:
        async with await AsyncEngine.start(shelf=shelf, workers=1, threads=1, hash=4) as engine:
            known, games = await asyncio.gather(
                engine.explore("h8 i9", variant="renju"), engine.find(player="Cleo")
            )
            assert known.results.games == 2 and games.found == 1
            assert (await engine.read_game(games[0])).moves == ["h8", "h9", "i7"]

    asyncio.run(asyncio.wait_for(main(), 60))
