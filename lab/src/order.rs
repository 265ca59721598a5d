//! Samples for the order of moves in four in a row: what it costs to search each move of a node.

use anyhow::{Context as _, Result};
use fastrand::Rng;
use tengen_engine::search::{Context, Search, Task};
use tengen_engine::table::Table;
use tengen_engine::{Evaluator, Game, Limits, MoveOrdering, Proof, Prover, Score, Window};
use tengen_games::cfour::learned::{KINDS, Order, RANKS, STATES, features};
use tengen_games::cfour::{Board, CfourEvaluator, Classic};

use crate::positions::open_position;

/// Where the numbers of the ranks begin, after those of both sides' lines.
pub const RANKS_AT: usize = 2 * SIDE;
/// How many numbers there are.
pub const COUNT: usize = RANKS_AT + 2 * RANKS;
/// How many numbers the lines of one side's moves have.
pub const SIDE: usize = KINDS * STATES;

const TABLE_MIB: usize = 64;

/// A move of a node.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    /// The indices of the numbers whose sum ranks the move.
    pub features: Vec<u16>,
    /// Whether no other move leads to a better outcome.
    pub has_best_outcome: bool,
    /// The nodes that the search of the move took.
    pub nodes: f32,
}

/// A position without a forced move, and the search results of its moves.
#[derive(Clone, Debug)]
pub struct Node {
    /// The position.
    pub board: Board<Classic>,
    /// The positions after the open moves and the forced moves that follow.
    pub after: Vec<Board<Classic>>,
    /// The moves, in the order of `after`.
    pub moves: Vec<Sample>,
}

/// Searches positions and their moves, all on one table.
#[derive(Debug)]
pub struct Sampler {
    rng: Rng,
    table: Table,
}

impl Sampler {
    /// Returns a sampler whose positions follow from `seed`.
    pub fn new(seed: u64) -> Result<Self> {
        let table = Table::new(TABLE_MIB).ok().context("not enough memory for the table")?;
        Ok(Self { rng: Rng::with_seed(seed), table })
    }

    /// Samples a random position with `plies` plies left, then a random child of it, and so on down
    /// to `least` plies left.
    pub fn sample(&mut self, plies: u32, least: u32) -> Vec<Node> {
        self.table.clear();
        let mut board = open_position(&mut self.rng, plies);
        let mut nodes = Vec::new();
        while board.plies_left() >= least {
            let after = open_children(&board);
            if after.is_empty() {
                break;
            }
            let next = after[self.rng.usize(..after.len())];
            nodes.extend(self.search_all(board, after));
            board = next;
        }
        nodes
    }

    /// Searches all moves of a node; `None` if there is no choice, or if every move loses.
    fn search_all(&mut self, board: Board<Classic>, after: Vec<Board<Classic>>) -> Option<Node> {
        if after.len() < 2 {
            return None;
        }
        // The first search fills the table for the others, so the first move is a random one.
        let first = self.rng.usize(..after.len());
        let mut outcomes: Vec<(i32, u64)> = vec![(0, 0); after.len()];
        for index in (0..after.len()).map(|index| (first + index) % after.len()) {
            outcomes[index] = self.outcome(&board, after[index]);
        }
        let best = outcomes.iter().map(|&(outcome, _)| outcome).max()?;
        if best < 0 {
            return None;
        }
        let sample = |(after, &(outcome, nodes)): (&Board<Classic>, &(i32, u64))| Sample {
            features: numbers_of(&board, after),
            has_best_outcome: outcome == best,
            nodes: (nodes + 1) as f32,
        };
        let moves = after.iter().zip(&outcomes).map(sample).collect();
        Some(Node { board, after, moves })
    }

    /// Returns the outcome of `after` for the side to move on `board`, from -1 to 1, and the nodes
    /// that the search took.
    fn outcome(&mut self, board: &Board<Classic>, after: Board<Classic>) -> (i32, u64) {
        self.table.age();
        let context = Context::unlimited();
        let mut search = Search::new(after, CfourEvaluator::new(), self.table.view(), context);
        let limits = Limits::default().with_proof(Proof::Outcome);
        let score = search.run(&Task::new(limits), &mut |_| ()).report.score;
        let score = if after.turn() == board.turn() { score } else { -score };
        (outcome_of(score), search.own_nodes())
    }
}

fn outcome_of(score: Score) -> i32 {
    i32::from(score > Score::DRAW) - i32::from(score < Score::DRAW)
}

/// Returns the positions after the moves whose outcome the rules alone do not settle. Forced
/// replies are played too.
fn open_children(board: &Board<Classic>) -> Vec<Board<Classic>> {
    let mut threats = CfourEvaluator::new();
    threats.reset(board);
    let mut moves = Vec::new();
    threats.candidates(board, &mut moves);
    moves.into_iter().filter_map(|mv| open_child(*board, mv)).collect()
}

fn open_child(
    mut board: Board<Classic>,
    mv: <Board<Classic> as Game>::Move,
) -> Option<Board<Classic>> {
    let mut threats = CfourEvaluator::new();
    let mut next = Some(mv);
    while let Some(mv) = next {
        board.play(mv);
        if board.outcome().is_some() {
            return None;
        }
        threats.reset(&board);
        let (low, high) = threats.static_bounds(&board, Window::FULL);
        if outcome_of(low) == outcome_of(high) {
            return None;
        }
        next = threats.only_move(&board);
    }
    Some(board)
}

/// Returns the indices of the numbers whose sum ranks the move from `board` to `after`.
fn numbers_of(board: &Board<Classic>, after: &Board<Classic>) -> Vec<u16> {
    let mover = board.turn();
    let (own, theirs) = (after.own(), after.theirs());
    let (movers, others) = if after.turn() == mover { (own, theirs) } else { (theirs, own) };
    let number = |(kind, state)| mover.index() * SIDE + kind * STATES + state;
    let mut numbers: Vec<usize> = features(movers, others).into_iter().map(number).collect();
    let mut threats = CfourEvaluator::new();
    threats.reset(after);
    let rank = (threats.rank_by_threats(board, after).max(0) as usize).min(RANKS - 1);
    numbers.push(RANKS_AT + mover.index() * RANKS + rank);
    numbers.into_iter().map(|number| number as u16).collect()
}

/// Returns the numbers in use, in the order of [`Sample::features`].
pub fn numbers_in_use() -> Vec<f32> {
    let Order { ranks, lines } = Order::LEARNED;
    let lines = lines.as_flattened().as_flattened();
    lines.iter().chain(ranks.as_flattened()).map(|&number| f32::from(number)).collect()
}

#[cfg(test)]
mod tests {
    use tengen_engine::Side;
    use tengen_textbook::WinSolver;

    use super::*;

    /// Returns the outcome of a position for `side`, found by trying every move.
    fn truth(
        provers: &mut [WinSolver<Board<Classic>>; 2],
        board: Board<Classic>,
        side: Side,
    ) -> i32 {
        let mut wins = |winner: Side| provers[winner.index()].wins(&mut board.clone());
        i32::from(wins(side)) - i32::from(wins(side.other()))
    }

    #[test]
    fn a_move_cuts_exactly_if_no_move_leads_to_a_better_outcome() {
        let mut provers = [WinSolver::new(Side::First), WinSolver::new(Side::Second)];
        let mut sampler = Sampler::new(1).unwrap();
        let nodes: Vec<Node> = (0..6).flat_map(|_| sampler.sample(16, 10)).collect();
        assert!(nodes.iter().any(|node| node.moves.iter().any(|mv| !mv.has_best_outcome)));
        for Node { board, after, moves } in nodes {
            let truths: Vec<i32> =
                after.iter().map(|&after| truth(&mut provers, after, board.turn())).collect();
            let best = truths.iter().max().unwrap();
            let expected: Vec<bool> = truths.iter().map(|truth| truth == best).collect();
            assert_eq!(
                moves.iter().map(|mv| mv.has_best_outcome).collect::<Vec<_>>(),
                expected,
                "{board:?}"
            );
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_samples() {
        let sample = || Sampler::new(3).unwrap().sample(20, 16);
        let moves = |nodes: Vec<Node>| -> Vec<_> { nodes.into_iter().map(|n| n.moves).collect() };
        assert_eq!(moves(sample()), moves(sample()));
    }
}
