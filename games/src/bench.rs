//! The positions of the bench: some of every game, so that a change to the search shows wherever it
//! matters.

use tengen_engine::backend::{BenchPosition, Chosen};

/// Every position with the depth it is searched to.
pub(crate) fn positions() -> Vec<BenchPosition> {
    let mut all = Vec::new();
    all.extend(CLASSIC.iter().map(|&(moves, depth)| on("cfour", Chosen::new(), moves, depth)));
    all.push(on("cfour-misere", Chosen::new(), "", 13));
    all.extend(TICTACTOE.iter().map(|&(moves, d)| on("tictactoe", Chosen::new(), moves, d)));
    for &(width, height, connect, moves, depth) in FALLING {
        all.push(on("custom", board(width, height, connect, true), moves, depth));
    }
    for &(width, height, connect, moves, depth) in PLAIN {
        all.push(on("custom", board(width, height, connect, false), moves, depth));
    }
    all.extend(FIVE.iter().map(|&(variant, moves, d)| on(variant, Chosen::new(), moves, d)));
    all
}

const CLASSIC: &[(&str, u32)] = &[
    ("", 16),
    ("d1 d2 d3 d4", 16),
    ("d1 d2 c1 e1 c2 c3", 16),
    ("4 4 4 4 4 2 2 2 6 6 1", 18),
    ("2 2 5 2 5 7 6 2 5 7 6 3 2 4 1", 42),
    ("1 1 1 1 1 1 7 7 7 7 7 7 4 4 4 4", 42),
];

const TICTACTOE: &[(&str, u32)] = &[("", 9), ("a1 b2", 9)];

const FALLING: &[(i64, i64, i64, &str, u32)] =
    &[(9, 7, 5, "", 12), (12, 9, 4, "f1 g1", 11), (5, 5, 4, "", 25), (13, 10, 5, "g1", 8)];

const PLAIN: &[(i64, i64, i64, &str, u32)] = &[
    (5, 5, 4, "c3", 10),
    (10, 10, 5, "e5 f6 e6", 8),
    (15, 15, 5, "", 7),
    (15, 15, 5, "h8 i9 h10 h9 g9 i10", 8),
];

const FIVE: &[(&str, &str, u32)] = &[
    ("gomokufreestyle", "h8 i9 i7", 8),
    ("gomokufreestyle", "h8 i9 h10 h9 g9 i10", 8),
    ("gomoku", "h8 h9 i9 g7", 8),
    ("renju", "h8 i9 j8 g8 h7", 8),
    ("caro", "h8 g9 h10 h9", 8),
    ("freestyle20", "k10 k11 l11", 7),
];

fn on(variant: &'static str, chosen: Chosen, moves: &'static str, depth: u32) -> BenchPosition {
    BenchPosition { variant, chosen, moves, depth }
}

fn board(width: i64, height: i64, connect: i64, falls: bool) -> Chosen {
    let options = [
        ("BoardWidth", width),
        ("BoardHeight", height),
        ("ConnectK", connect),
        ("Gravity", i64::from(falls)),
    ];
    options.into_iter().collect()
}
