//! Positions near the lines of games, with the chances that short searches give them.

use std::sync::Arc;

use anyhow::Result;
use fastrand::Rng;
use tengen_engine::{Cell, Game, Notation, Score, Style};
use tengen_games::gomoku::Board;
use tengen_games::gomoku::features::Features;

use super::float_net::{ODDS_UNITS, chance};
use super::games::{MAX_SCORE, Record, close_move, size_options};
use super::learn::{HELD_OUT, LabelledPosition};
use crate::playing::Player;

/// The maximum number of random moves that are added to the moves of a game.
const MAX_RANDOM_MOVES: usize = 3;

/// Positions with a score of this or more for either side are left out.
const DECIDED: i32 = MAX_SCORE / 2;

/// The maximum number of unsuitable positions in a row that are tried.
const MAX_TRIES: usize = 10_000;

/// Makes positions near the lines of games and searches them. The same seed gives the same
/// positions.
pub struct SearchTeacher<'a> {
    start: Arc<Board>,
    /// Games, and the number of moves after which a position is taken.
    places: Vec<(&'a Record, usize)>,
    features: Features,
    player: Player,
    rng: Rng,
    nodes: u64,
}

impl<'a> SearchTeacher<'a> {
    /// Creates a teacher that takes positions of `records`, except those that
    /// [`learn`](super::learn) holds out. `start` is the empty board of `variant`. Each position is
    /// searched with `nodes` nodes.
    pub fn new(
        variant: &str,
        start: Board,
        records: &'a [Record],
        nodes: u64,
        seed: u64,
    ) -> Result<Self> {
        let learned = records.iter().enumerate().filter(|(game, _)| game % HELD_OUT != 0);
        Ok(Self {
            places: learned.flat_map(|(_, record)| open_places(record)).collect(),
            features: Features::new(&start),
            player: Player::new(variant, &size_options(&start))?,
            start: Arc::new(start),
            rng: Rng::with_seed(seed),
            nodes,
        })
    }

    /// Returns the next quiet position; `None` if many tries find none.
    pub fn teach(&mut self) -> Result<Option<LabelledPosition>> {
        for _ in 0..MAX_TRIES {
            let Some(&(record, ply)) = self.rng.choice(&self.places) else { break };
            let Some(moves) = self.add_random_moves(&record.moves[..ply]) else { continue };
            let Some(score) = self.score_after(&moves)? else { continue };
            let (start, chance) = (self.start.clone(), chance_of(score));
            return Ok(Some(LabelledPosition { start, moves, chance }));
        }
        Ok(None)
    }

    /// Returns `moves` and a few random moves close to them; `None` if the position after them is
    /// not quiet.
    fn add_random_moves(&mut self, moves: &[Cell]) -> Option<Vec<Cell>> {
        let mut board = Board::clone(&self.start);
        let mut moves = moves.to_vec();
        moves.iter().for_each(|&mv| board.play(mv));
        for _ in 0..self.rng.usize(..=MAX_RANDOM_MOVES) {
            let mv = close_move(&mut self.rng, &board, &moves);
            board.play(mv);
            moves.push(mv);
            if board.outcome().is_some() {
                return None;
            }
        }
        self.features.reset(&board);
        self.features.is_quiet(&board).then_some(moves)
    }

    /// Returns the score of a search after `moves`, for the side to move; `None` if its nodes do
    /// not suffice for one iteration.
    fn score_after(&mut self, moves: &[Cell]) -> Result<Option<Score>> {
        let texts: Vec<String> =
            moves.iter().map(|&mv| self.start.write_move(mv, Style::Plain)).collect();
        self.player.set_up(&texts)?;
        self.player.score(self.nodes)
    }
}

/// Returns the undecided positions of a game, each with its number of moves.
fn open_places(record: &Record) -> impl Iterator<Item = (&Record, usize)> {
    let is_open = |&(_, score): &(usize, &i32)| score.abs() < DECIDED;
    let scores = record.scores.iter().enumerate();
    scores.filter(is_open).map(move |(index, _)| (record, record.opening + index))
}

/// Returns how likely the side to move wins, from 0 to 1.
fn chance_of(score: Score) -> f32 {
    match score {
        score if score.is_win() => 1.0,
        score if score.is_loss() => 0.0,
        score => chance(score.raw() as f32 / ODDS_UNITS),
    }
}
