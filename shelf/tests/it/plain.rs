//! The index against a recount of random games that shares no code with it.

use std::collections::BTreeMap;

use fastrand::Rng;
use tengen_shelf::Shelf;

use crate::support::{Desk, Notes, add, explored, found, try_add};

const SIDE: i32 = 15;

/// The stones of a position: column, row, and whether the first player owns it.
type Board = Vec<(i32, i32, bool)>;

/// Returns the least image of a position.
fn canonical(board: &Board) -> Board {
    let image = |symmetry: i32| {
        let mut image: Board = board
            .iter()
            .map(|&(column, row, first)| {
                let column = if symmetry & 1 == 0 { column } else { SIDE - 1 - column };
                let row = if symmetry & 2 == 0 { row } else { SIDE - 1 - row };
                if symmetry & 4 == 0 { (column, row, first) } else { (row, column, first) }
            })
            .collect();
        image.sort_unstable();
        image
    };
    (0..8).map(image).min().unwrap_or_default()
}

/// A random game near the centre, which repeats itself often, and its result.
fn game(rng: &mut Rng, lines: &mut Vec<Vec<(i32, i32)>>) -> (Vec<(i32, i32)>, i32) {
    let mut moves: Vec<(i32, i32)> = Vec::new();
    if !lines.is_empty() && rng.u32(..3) > 0 {
        let line = &lines[rng.usize(..lines.len())];
        moves.extend_from_slice(&line[..rng.usize(..=line.len())]);
        if moves.len() > 30 && rng.bool() {
            // Two late moves of a side in the other order.
            let at = moves.len() - 3;
            moves.swap(at, at + 2);
        }
    }
    let length = rng.usize(20..45);
    while moves.len() < length {
        // Stones of a side are never beside each other in a row, so that nobody wins.
        let (column, row) = (rng.i32(3..12), rng.i32(3..12));
        let side = moves.len() % 2;
        let fits = (column + 2 * row) % 4 / 2 == side as i32;
        if fits && !moves.contains(&(column, row)) {
            moves.push((column, row));
        }
    }
    lines.push(moves.clone());
    (moves, rng.i32(-1..=1))
}

fn text(moves: &[(i32, i32)], result: i32) -> String {
    let moves =
        moves.iter().map(|(column, row)| format!("{}{}", (b'a' + *column as u8) as char, row + 1));
    let word = ["0-1", "1/2-1/2", "1-0"][(result + 1) as usize];
    format!("{} {word}\n", moves.collect::<Vec<_>>().join(" "))
}

/// A game of cells and a result.
type PlainGame = (Vec<(i32, i32)>, i32);

/// A set of games without repetitions, and the file with them.
fn games(seed: u64, count: usize) -> (Vec<PlainGame>, String) {
    let mut rng = Rng::with_seed(seed);
    let (mut lines, mut games) = (Vec::new(), BTreeMap::new());
    let mut file = String::new();
    for _ in 0..count {
        let (moves, result) = game(&mut rng, &mut lines);
        file += &text(&moves, result);
        // The same game in any orientation stands once.
        let image = (0..8).map(|symmetry| turned(&moves, symmetry)).min().unwrap_or_default();
        games.entry((image, result)).or_insert((moves, result));
    }
    (games.into_values().collect(), file)
}

fn turned(moves: &[(i32, i32)], symmetry: i32) -> Vec<(i32, i32)> {
    let turn = |&(column, row): &(i32, i32)| {
        let column = if symmetry & 1 == 0 { column } else { SIDE - 1 - column };
        let row = if symmetry & 2 == 0 { row } else { SIDE - 1 - row };
        if symmetry & 4 == 0 { (column, row) } else { (row, column) }
    };
    moves.iter().map(turn).collect()
}

/// The number of games, of wins of the first player, and of draws, by position and by the position
/// after.
fn recount(games: &[(Vec<(i32, i32)>, i32)]) -> BTreeMap<Board, BTreeMap<Board, [u64; 3]>> {
    let mut counts: BTreeMap<Board, BTreeMap<Board, [u64; 3]>> = BTreeMap::new();
    for (moves, result) in games {
        let mut board = Board::new();
        for (ply, (column, row)) in moves.iter().enumerate() {
            let before = canonical(&board);
            board.push((*column, *row, ply % 2 == 0));
            let count = counts.entry(before).or_default().entry(canonical(&board)).or_default();
            count[0] += 1;
            count[1] += u64::from(*result == 1);
            count[2] += u64::from(*result == 0);
        }
    }
    counts
}

/// Compares the counts of every position of some games with the recount.
fn compare(shelf: &mut Shelf, games: &[(Vec<(i32, i32)>, i32)], step: usize) {
    let counts = recount(games);
    for (moves, _) in games.iter().step_by(step) {
        let mut board = Board::new();
        let mut line = String::new();
        for (ply, (column, row)) in moves.iter().enumerate() {
            let known = explored(shelf, &line);
            let expected = &counts[&canonical(&board)];
            let mut found = BTreeMap::new();
            for mv in &known.moves {
                let mut after = board.clone();
                after.push((mv.point.column as i32, mv.point.row as i32, ply % 2 == 0));
                let results = &mv.results;
                let first = if ply % 2 == 0 { results.wins } else { results.losses };
                found.insert(canonical(&after), [results.games, first, results.draws]);
            }
            assert_eq!(&found, expected, "after {line}");
            board.push((*column, *row, ply % 2 == 0));
            line += &format!("{}{} ", (b'a' + *column as u8) as char, row + 1);
        }
    }
}

#[test]
fn every_position_has_the_counts_of_a_plain_recount() {
    let desk = Desk::new();
    let (games, file) = games(7, 400);
    let (mut shelf, report, _) = desk.with("a.txt", file);
    assert_eq!(report.new, games.len() as u64);
    compare(&mut shelf, &games, 3);
    let checked = shelf.check(&mut |_, _| true).unwrap();
    assert_eq!(checked.differences, 0, "{:?}", checked.shown);
}

#[test]
fn games_of_several_imports_are_counted_together() {
    let desk = Desk::new();
    let (all, file) = games(11, 300);
    let mut shelf = desk.shelf();
    let lines: Vec<&str> = file.lines().collect();
    for (index, part) in lines.chunks(60).enumerate() {
        add(&mut shelf, &[&desk.file(&format!("{index}.txt"), part.join("\n") + "\n")]);
    }
    compare(&mut shelf, &all, 7);
    assert_eq!(shelf.check(&mut |_, _| true).unwrap().differences, 0);
}

#[test]
fn an_import_that_ended_early_continues_to_the_same_shelf() {
    let desk = Desk::new();
    let files: Vec<_> =
        (0..6).map(|seed| desk.file(&format!("{seed}.txt"), games(seed, 40).1)).collect();
    let files: Vec<&std::path::Path> = files.iter().map(|file| file.as_path()).collect();
    let mut whole = desk.shelf_named("whole.shelf");
    add(&mut whole, &files);
    let mut cut = desk.shelf_named("cut.shelf");
    let mut ends = 0;
    while try_add(&mut cut, &files, &mut Notes { left: Some(ends), ..Notes::default() }).is_err() {
        ends += 1;
        drop(cut);
        cut = desk.shelf_named("cut.shelf");
    }
    assert!(ends > 1, "it ended early");
    let content = |shelf: &mut Shelf| {
        let ids = found(shelf, &tengen_shelf::Filter::default()).ids;
        let mut games: Vec<String> = ids
            .iter()
            .map(|id| format!("{:?}", shelf.game(*id).unwrap()).replace(&format!("id: {id},"), ""))
            .collect();
        games.sort();
        games
    };
    assert_eq!(content(&mut cut), content(&mut whole));
    assert_eq!(cut.check(&mut |_, _| true).unwrap(), whole.check(&mut |_, _| true).unwrap());
}
