//! Games of the engine with itself, from random openings.

use std::ops::RangeInclusive;
use std::path::Path;

use anyhow::Result;
use fastrand::Rng;
use tengen_arena::record::{GameRecord, GameScore};
use tengen_engine::{Cell, Chosen, Game, Notation, Side, Style};
use tengen_games::gomoku::Board;

use crate::matches::MatchSetup;
use crate::playing::{Player, read_score};

/// A finished game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// All moves.
    pub moves: Vec<Cell>,
    /// How many moves at the start were random.
    pub opening: usize,
    /// For each later move, the search's score for the side that made it, from -[`MAX_SCORE`] to
    /// [`MAX_SCORE`]. A proven win or loss has the largest size.
    pub scores: Vec<i32>,
    /// The winner; `None` after a draw.
    pub winner: Option<Side>,
}

/// The maximum score of a record, for either side.
pub const MAX_SCORE: i32 = 3000;

/// How many random moves a game begins with. Games with fewer repeat each other up to symmetry, and
/// the net would learn them by heart.
pub(super) const OPENING: RangeInclusive<usize> = 5..=10;

/// Plays `games` games of `variant` on the empty board `start`: five to ten random moves, each
/// close to those before it, then moves searched with `nodes` nodes. The games are kept in
/// `folder`; those that it already holds are not played again.
pub fn play(
    variant: &str,
    start: &Board,
    seed: u64,
    games: u32,
    nodes: u64,
    folder: &Path,
) -> Result<Vec<Record>> {
    let chosen = size_options(start);
    let setup = MatchSetup::new(variant, &chosen, &openings(start, seed, games))?;
    let mut player = Player::new(variant, &chosen)?;
    let games = setup.self_play(games, nodes, folder, &mut player)?;
    games.iter().map(|game| Record::of(start, game)).collect()
}

/// Returns the size of `board` as options of a variant.
pub(super) fn size_options(board: &Board) -> Chosen {
    let grid = board.grid();
    let sides = [("BoardWidth", grid.width()), ("BoardHeight", grid.height())];
    sides.into_iter().map(|(name, side)| (name, side.into())).collect()
}

impl Record {
    fn of(start: &Board, game: &GameRecord) -> Result<Self> {
        let mut board = start.clone();
        let mut moves = Vec::new();
        for text in &game.moves {
            let mv = board.read_move(text)?;
            board.play(mv);
            moves.push(mv);
        }
        let score = |note| {
            let value = read_score(note)?.map_or(0, |score| score.value());
            Ok(value.clamp(-i64::from(MAX_SCORE), MAX_SCORE.into()) as i32)
        };
        let scores = game.notes.iter().map(score).collect::<Result<_>>()?;
        let winner = match game.score {
            GameScore::First => Some(Side::First),
            GameScore::Second => Some(Side::Second),
            GameScore::Draw => None,
        };
        Ok(Self { moves, opening: game.opening_plies, scores, winner })
    }
}

/// Returns `count` random openings that do not end the game.
fn openings(start: &Board, seed: u64, count: u32) -> Vec<Vec<String>> {
    let mut rng = Rng::with_seed(seed);
    let mut openings = Vec::new();
    while openings.len() < count as usize {
        let (mut board, mut moves, mut texts) = (start.clone(), Vec::new(), Vec::new());
        let plies = rng.usize(OPENING);
        while moves.len() < plies && board.outcome().is_none() {
            let mv = close_move(&mut rng, &board, &moves);
            texts.push(board.write_move(mv, Style::Plain));
            board.play(mv);
            moves.push(mv);
        }
        if board.outcome().is_none() {
            openings.push(texts);
        }
    }
    openings
}

/// Returns a random legal move at most two steps from a stone, or from the middle of the empty
/// board.
pub(super) fn close_move(rng: &mut Rng, board: &Board, before: &[Cell]) -> Cell {
    let grid = board.grid();
    let middle = grid.cell(grid.width() / 2, grid.height() / 2);
    loop {
        let by = rng.choice(before).copied().unwrap_or(middle);
        let near = grid.step(by, (rng.i32(-2..=2), rng.i32(-2..=2)), 1);
        if let Some(mv) = near.filter(|&mv| board.is_allowed(mv)) {
            return mv;
        }
    }
}
