//! Positions beside the lines of games, with the chances that short searches give them.

use std::sync::Arc;

use anyhow::Result;
use fastrand::Rng;
use tengen_engine::{Cell, Chosen, Game, Notation, Score, Style};
use tengen_games::gomoku::Board;
use tengen_games::gomoku::features::Features;

use super::float_net::{ODDS_UNITS, chance};
use super::games::{MAX_SCORE, Record, close_move, sides_of};
use super::learn::TaughtPosition;
use crate::playing::Player;

/// At most so many random moves lead from a game to a position.
const MOST_BESIDE: usize = 3;

/// Games from which a position is taken only while the score is within this of nothing.
const OPEN_SCORE: i32 = MAX_SCORE / 2;

/// After so many positions that are not quiet there is none.
const MOST_TRIES: usize = 10_000;

/// Takes positions beside the lines of games and searches them. The same seed gives the same
/// positions.
pub struct SearchTeacher<'a> {
    start: Arc<Board>,
    /// Games, and the plies after which a position is taken.
    places: Vec<(&'a Record, usize)>,
    features: Features,
    player: Player,
    rng: Rng,
    nodes: u64,
}

impl<'a> SearchTeacher<'a> {
    /// Takes positions of these games, on the empty board `start` of a variant. A search has so many
    /// `nodes`.
    pub fn new(
        variant: &str,
        start: Board,
        records: &'a [Record],
        nodes: u64,
        seed: u64,
    ) -> Result<Self> {
        let sides: Chosen = sides_of(&start);
        Ok(Self {
            places: records.iter().flat_map(open_places).collect(),
            features: Features::new(&start),
            start: Arc::new(start),
            player: Player::new(variant, &sides)?,
            rng: Rng::with_seed(seed),
            nodes,
        })
    }

    /// Returns another position, which is quiet; `None` if none is found in many tries.
    pub fn teach(&mut self) -> Result<Option<TaughtPosition>> {
        for _ in 0..MOST_TRIES {
            let Some(&(record, ply)) = self.rng.choice(&self.places) else { break };
            let Some(moves) = self.beside(&record.moves[..ply]) else { continue };
            let chance = self.chance_after(&moves)?;
            return Ok(Some(TaughtPosition { start: self.start.clone(), moves, chance }));
        }
        Ok(None)
    }

    /// Returns these moves and a few random ones close to them; `None` if the position after them is
    /// not quiet.
    fn beside(&mut self, moves: &[Cell]) -> Option<Vec<Cell>> {
        let mut board = Board::clone(&self.start);
        let mut moves = moves.to_vec();
        moves.iter().for_each(|&mv| board.play(mv));
        for _ in 0..self.rng.usize(..=MOST_BESIDE) {
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

    /// Returns the chance of the side to move by a search.
    fn chance_after(&mut self, moves: &[Cell]) -> Result<f32> {
        let texts: Vec<String> =
            moves.iter().map(|&mv| self.start.write_move(mv, Style::Plain)).collect();
        self.player.set_up(&texts)?;
        Ok(chance_of(self.player.score(self.nodes)?))
    }
}

/// Returns the places of a game whose positions may be taken.
fn open_places(record: &Record) -> impl Iterator<Item = (&Record, usize)> {
    let is_open = |&(_, score): &(usize, &i32)| score.abs() < OPEN_SCORE;
    let scores = record.scores.iter().enumerate();
    scores.filter(is_open).map(move |(place, _)| (record, record.opening + place))
}

/// Returns how likely the side to move wins, from 0 to 1.
fn chance_of(score: Score) -> f32 {
    match score {
        score if score.is_win() => 1.0,
        score if score.is_loss() => 0.0,
        score => chance(score.raw() as f32 / ODDS_UNITS),
    }
}
