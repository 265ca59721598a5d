//! Counts of the games, positions and tree nodes of a small m,n,k game.
//!
//! Positions are counted ply by ply. Boards that are equal up to symmetry are one class, stored
//! with the number of move sequences that lead to it. So 255,168 games of tic-tac-toe are counted
//! on 765 boards.

mod symmetry;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use tengen_engine::{Game, Outcome, Side, Signal};
use tengen_games::mnk::{Mnk, Rules};

use symmetry::{Symmetries, stone_code};

/// The counts of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Sequences of moves to the end of the game: won, lost and drawn by the first player.
    pub games: [u64; 3],
    /// Sequences of moves of any length, the empty one included.
    pub nodes: u64,
    /// Distinct boards.
    pub positions: u64,
    /// Distinct boards up to symmetry.
    pub classes: u64,
}

/// The counts of a game, and how far they go.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counted {
    /// The counts of the complete plies.
    pub counts: Counts,
    /// The number of plies that are counted completely.
    pub plies: u32,
    /// Whether the signal ended the count.
    pub is_partial: bool,
}

/// A class of boards that are equal up to symmetry, represented by one of them.
struct Class {
    game: Mnk,
    code: u64,
    /// How many sequences of moves lead to a board of the class.
    paths: u64,
}

/// Counts a game until `signal` is stopped. Before each ply `on_ply` gets its number and that of its boards up to
/// symmetry. A board must have at most 32 points.
pub fn count(rules: &Rules, signal: &Signal, mut on_ply: impl FnMut(u32, usize)) -> Counted {
    let symmetries = Symmetries::of(rules);
    let mut counted = Counted::default();
    let mut layer = vec![Class { game: Mnk::new(*rules), code: 0, paths: 1 }];
    while !layer.is_empty() {
        on_ply(counted.plies, layer.len());
        let mut counts = counted.counts;
        let Some(next) = next_layer(layer, &symmetries, &mut counts, signal) else {
            return Counted { is_partial: true, ..counted };
        };
        layer = next;
        counted.counts = counts;
        counted.plies += 1;
    }
    counted
}

/// Adds a layer to the counts. Returns the layer one ply further on; `None` after `signal`.
fn next_layer(
    layer: Vec<Class>,
    symmetries: &Symmetries,
    counts: &mut Counts,
    signal: &Signal,
) -> Option<Vec<Class>> {
    let mut next: Vec<Class> = Vec::new();
    let mut indices: HashMap<u64, usize> = HashMap::new();
    let mut moves = Vec::new();
    for Class { game, code, paths } in layer {
        if signal.is_stopped() {
            return None;
        }
        counts.nodes += paths;
        counts.classes += 1;
        counts.positions += symmetries.images(code);
        if let Some(outcome) = game.outcome() {
            counts.games[outcome_index(outcome)] += paths;
            continue;
        }
        moves.clear();
        game.moves(&mut moves);
        for mv in &moves {
            let code = code | stone_code(mv.index(), game.turn());
            match indices.entry(symmetries.canonical(code)) {
                Entry::Occupied(known) => next[*known.get()].paths += paths,
                Entry::Vacant(entry) => {
                    entry.insert(next.len());
                    let mut game = game.clone();
                    game.play(*mv);
                    next.push(Class { game, code, paths });
                }
            }
        }
    }
    Some(next)
}

/// Returns the index at which an outcome is counted.
fn outcome_index(outcome: Outcome) -> usize {
    match outcome {
        Outcome::Win(Side::First) => 0,
        Outcome::Win(Side::Second) => 1,
        Outcome::Draw | Outcome::Value(_) => 2,
    }
}

/// Returns how many boards have numbers of stones that can occur in a game: an upper bound on the
/// positions. Complete lines are ignored.
pub fn arrangements(rules: &Rules) -> u128 {
    let grid = rules.grid();
    // The number of ways to choose the occupied cells, by the number of stones.
    let (columns, tallest) =
        if rules.falls() { (grid.width(), grid.height()) } else { (grid.cells() as u32, 1) };
    let mut fillings = vec![1_u128];
    for _ in 0..columns {
        let mut more = vec![0_u128; fillings.len() + tallest as usize];
        for (stones, ways) in fillings.iter().enumerate() {
            for sum in &mut more[stones..=stones + tallest as usize] {
                *sum = sum.saturating_add(*ways);
            }
        }
        fillings = more;
    }
    let total = |sum: u128, (stones, ways): (usize, &u128)| {
        sum.saturating_add(ways.saturating_mul(choose(stones as u128, stones as u128 / 2)))
    };
    fillings.iter().enumerate().fold(0, total)
}

/// Returns how many ways there are to choose `few` of `all`.
fn choose(all: u128, few: u128) -> u128 {
    (0..few).fold(1_u128, |ways, chosen| ways.saturating_mul(all - chosen) / (chosen + 1))
}
