//! Proves any game on a grid that the search solves: one line for each position, with the solver's move.

use std::collections::HashMap;

use tengen_engine::{Client, Move};
use tengen_proofs::{Board, Claim};

use super::solve;
use crate::{Error, Monitor};

/// A proof that is being written.
pub(super) struct Body<'a> {
    pub(super) client: &'a mut Client,
    pub(super) board: Board,
    pub(super) claim: Claim,
    pub(super) monitor: Monitor<'a>,
    pub(super) lines: Vec<String>,
    /// The line of each position, by its least image.
    pub(super) places: HashMap<Vec<u8>, usize>,
}

impl Body<'_> {
    /// Adds the lines of the position on the board.
    pub(super) fn write(&mut self) -> Result<(), Error> {
        if self.board.position().outcome().is_some() {
            return Ok(());
        }
        match self.board.turn() == self.claim.side {
            true => self.side(),
            false => self.board.legal().into_iter().try_for_each(|reply| self.play(reply)),
        }
    }

    fn side(&mut self) -> Result<(), Error> {
        if self.board.winning_move().is_some() {
            return Ok(());
        }
        if let [only] = self.board.safe_moves()[..] {
            return self.play(only);
        }
        let key = self.board.least();
        if let Some(place) = self.places.get(&key) {
            let line = &mut self.lines[*place];
            if !line.starts_with('*') {
                line.insert(0, '*');
            }
            return Ok(());
        }
        let mv = self.best()?;
        self.places.insert(key, self.lines.len());
        self.lines.push(self.board.write_point(mv));
        self.monitor.progress.step();
        self.play(mv)
    }

    fn play(&mut self, mv: Move) -> Result<(), Error> {
        self.board.play(mv);
        let written = self.write();
        self.board.undo();
        written
    }

    /// Returns the solver's move, with which the side reaches its aim.
    fn best(&mut self) -> Result<Move, Error> {
        if self.monitor.signal.is_stopped() {
            return Err(Error::Interrupted(format!("positions: {}", self.lines.len())));
        }
        self.client.set_position(self.board.position().duplicate());
        let answer = solve(self.client, self.monitor)?;
        let score = answer.report.score;
        let is_reached = score.is_win() || (!self.claim.wins && !score.is_loss());
        if answer.settled.is_none() || !is_reached {
            return Err(Error::Failed(format!("not solved after {}", self.board.line())));
        }
        answer.best.ok_or_else(|| Error::Failed("the solver has no move".to_owned()))
    }
}
