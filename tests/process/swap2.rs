//! The opening in which the players swap sides, between two engines and alone: every choice that
//! there is, is made, and no stone is put where none can be.

use crate::support::running::Engine;

/// Openings of three stones, black, white, black. By a shallow search, some are good for black,
/// some for white and some for neither.
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

/// What an engine says in such an opening.
#[derive(Debug)]
enum Choice {
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

/// The next line that is no message.
fn answer(engine: &mut Engine) -> String {
    loop {
        let line = engine.line().expect("an answer");
        if !line.starts_with("MESSAGE") {
            return line;
        }
    }
}

/// The choice after these stones, of which none is put on another or outside.
fn choose(engine: &mut Engine, stones: &[Cell]) -> Choice {
    engine.send(format!("SWAP2BOARD\n{}DONE\n", rows(stones)));
    let line = answer(engine);
    if line == "SWAP" {
        return Choice::Swap;
    }
    let cell = |word: &str| {
        let (x, y) = word.split_once(',').unwrap_or_else(|| panic!("no cell: {line}"));
        (x.parse().unwrap(), y.parse().unwrap())
    };
    let more: Vec<Cell> = line.split(' ').map(cell).collect();
    for (index, stone) in more.iter().enumerate() {
        assert!(stone.0 < 15 && stone.1 < 15, "{line}");
        assert!(!stones.contains(stone) && !more[..index].contains(stone), "{stones:?}: {line}");
    }
    Choice::Stones(more)
}

#[test]
fn three_stones_are_swapped_or_kept_or_made_five() {
    let mut engine = engine();
    let mut seen = [0; 3];
    for stones in OPENINGS {
        match choose(&mut engine, &stones) {
            Choice::Swap => seen[0] += 1,
            Choice::Stones(more) if more.len() <= 2 => seen[more.len()] += 1,
            other => panic!("{stones:?}: {other:?}"),
        }
    }
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
}

#[test]
fn two_engines_agree_on_five_stones_and_play_on() {
    let (mut first, mut second) = (engine(), engine());
    let Choice::Stones(mut stones) = choose(&mut first, &[]) else { panic!("nothing to swap") };
    assert_eq!(stones.len(), 3);
    // Whatever the second one would do with these, it is to leave a choice.
    stones = OPENINGS
        .into_iter()
        .find_map(|opening| match choose(&mut second, &opening) {
            Choice::Stones(more) if more.len() == 2 => Some([&opening[..], &more].concat()),
            _ => None,
        })
        .expect("an opening that is good for neither side");
    // A swap: the first one takes black, and white is to move; else it has moved as white.
    let (mut black, mut white) = match choose(&mut first, &stones) {
        Choice::Swap => (first, second),
        Choice::Stones(more) => {
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
