//! Swap2 openings, with one engine and between two: every decision occurs, and all stones are on
//! free cells.

use crate::support::running::Engine;

/// Openings of three stones: black, white, black. For a shallow search some are good for black,
/// some for white, and some are even.
const OPENINGS: [[Cell; 3]; 10] = [
    [(7, 7), (0, 0), (8, 8)],
    [(6, 5), (8, 6), (6, 7)],
    [(8, 5), (8, 6), (8, 7)],
    [(0, 0), (7, 7), (14, 14)],
    [(1, 3), (6, 6), (1, 8)],
    [(9, 4), (11, 5), (12, 11)],
    [(12, 1), (2, 9), (9, 7)],
    [(2, 2), (0, 13), (0, 3)],
    [(2, 4), (1, 5), (4, 13)],
    [(11, 2), (0, 4), (0, 11)],
];

type Cell = (u32, u32);

/// The decision of an engine in an opening.
#[derive(Debug)]
enum Decision {
    Swap,
    Stones(Vec<Cell>),
}

fn engine() -> Engine {
    let mut engine = Engine::start();
    engine.send("START 15\nINFO timeout_turn 60000\nINFO max_depth 2\n");
    engine.until("OK");
    engine
}

fn rows(stones: &[Cell]) -> String {
    stones.iter().map(|(x, y)| format!("{x},{y}\n")).collect()
}

/// Returns the next line other than a `MESSAGE`.
fn answer(engine: &mut Engine) -> String {
    loop {
        let line = engine.line().expect("an answer");
        if !line.starts_with("MESSAGE") {
            return line;
        }
    }
}

/// Returns the decision after `stones`. Checks that new stones are on free cells of the board.
fn decide(engine: &mut Engine, stones: &[Cell]) -> Decision {
    engine.send(format!("SWAP2BOARD\n{}DONE\n", rows(stones)));
    let line = answer(engine);
    if line == "SWAP" {
        return Decision::Swap;
    }
    let cell = |word: &str| {
        let (x, y) = word.split_once(',').unwrap_or_else(|| panic!("no cell: {line}"));
        (x.parse().unwrap(), y.parse().unwrap())
    };
    let new: Vec<Cell> = line.split(' ').map(cell).collect();
    for (index, stone) in new.iter().enumerate() {
        assert!(stone.0 < 15 && stone.1 < 15, "{line}");
        assert!(!stones.contains(stone) && !new[..index].contains(stone), "{stones:?}: {line}");
    }
    Decision::Stones(new)
}

#[test]
fn three_stones_are_swapped_or_kept_or_made_five() {
    let mut engine = engine();
    let mut seen = [0; 3];
    for stones in OPENINGS {
        match decide(&mut engine, &stones) {
            Decision::Swap => seen[0] += 1,
            Decision::Stones(more) if more.len() <= 2 => seen[more.len()] += 1,
            other => panic!("{stones:?}: {other:?}"),
        }
    }
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
}

#[test]
fn two_engines_agree_on_five_stones_and_play_on() {
    let (mut first, mut second) = (engine(), engine());
    let Decision::Stones(mut stones) = decide(&mut first, &[]) else { panic!("nothing to swap") };
    assert_eq!(stones.len(), 3);
    // The test needs an opening in which the second engine adds two stones.
    stones = OPENINGS
        .into_iter()
        .find_map(|opening| match decide(&mut second, &opening) {
            Decision::Stones(more) if more.len() == 2 => Some([&opening[..], &more].concat()),
            _ => None,
        })
        .expect("an opening that is good for neither side");
    // With a swap the first engine takes black, and white is to move. Else it has moved as white.
    let (mut black, mut white) = match decide(&mut first, &stones) {
        Decision::Swap => (first, second),
        Decision::Stones(more) => {
            assert_eq!(more.len(), 1);
            stones.extend(more);
            (second, first)
        }
    };
    for turn in stones.len()..stones.len() + 4 {
        let player = if turn.is_multiple_of(2) { &mut black } else { &mut white };
        let field = |index: usize| if (turn - index).is_multiple_of(2) { 1 } else { 2 };
        let row = |(index, (x, y)): (usize, &Cell)| format!("{x},{y},{}\n", field(index));
        let board: String = stones.iter().enumerate().map(row).collect();
        player.send(format!("BOARD\n{board}DONE\n"));
        let line = answer(player);
        let (x, y) = line.split_once(',').expect("a move");
        let cell = (x.parse().unwrap(), y.parse().unwrap());
        assert!(!stones.contains(&cell), "{line}");
        stones.push(cell);
    }
}
