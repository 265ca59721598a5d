//! Proofs of game values: what can be claimed of a position, and the search for a strategy.

mod four;
mod grid;
mod journal;
mod rules;
mod solver;
mod stones;

use std::collections::HashMap;
use std::path::Path;

use tengen_engine::{
    Answer, Client, GameSpec, Limits, Move, Position, Proof, Query, SearchError, Side, Style,
};
use tengen_proofs::{Board, Claim};

use crate::{Error, Monitor};
use four::Prover;
use journal::Journal;
use stones::Stones;

/// The rules of the board that has a prover of its own.
const FOUR: &str = "7x6 board, 4 in a row, stones fall";

/// What is to be proven.
#[derive(Clone, Debug)]
pub struct Goal {
    spec: GameSpec,
    moves: String,
    claim: Claim,
}

impl Goal {
    /// Returns what can be claimed of the client's position for `side`; `None` is the winner.
    ///
    /// Fails with [`Error::Refused`] if the game is over, is not solved by the search, is won by the other
    /// side, or is drawn and no side is given.
    pub fn of(
        client: &mut Client,
        side: Option<Side>,
        monitor: Monitor<'_>,
    ) -> Result<Self, Error> {
        let spec = client.spec().clone();
        let refusal = |why: &str| Err(Error::Refused(why.to_owned()));
        if client.position().outcome().is_some() {
            return refusal("the game is over: there is nothing to prove");
        }
        if !spec.is_exact || spec.grid.is_none() {
            let why = format!("{}: the search does not solve this game", spec.variant);
            return Err(Error::Refused(why));
        }
        let turn = client.position().turn();
        let answer = solve(client, monitor)?;
        if answer.settled.is_none() {
            return Err(Error::Failed("the search ended without a result".to_owned()));
        }
        let score = answer.report.score;
        let winner = match (score.is_win(), score.is_loss()) {
            (true, _) => Some(turn),
            (_, true) => Some(turn.other()),
            _ => None,
        };
        let Some(side) = side.or(winner) else {
            return refusal("the game is drawn: say the side whose strategy is wanted");
        };
        if winner == Some(side.other()) {
            return refusal("the other side wins, so this side has no strategy");
        }
        let position = client.position();
        let moves = position.start().write_line(position.played(), Style::Plain).join(" ");
        Ok(Self { spec, moves, claim: Claim { side, wins: winner.is_some() } })
    }

    /// Searches for a strategy from the client's position, and returns the bytes of the proof.
    ///
    /// For four in a row on 7x6, `effort` (1 to 1000) says up to which size parts of the strategy are
    /// searched for the fewest positions, and `folder` keeps what was learned until the proof is complete.
    pub fn prove(
        &self,
        client: &mut Client,
        effort: u32,
        folder: &Path,
        monitor: Monitor<'_>,
    ) -> Result<Vec<u8>, Error> {
        let position = client.position().duplicate();
        let is_mover = position.turn() == self.claim.side;
        let lines = if self.spec.rules == FOUR {
            let claim = format!("{} {}", self.claim.text(), self.moves);
            let journal = Journal::open(folder, &claim)?;
            let prover = Prover::new(self.claim, effort, journal, monitor)?;
            prover.prove(stones(&*position), is_mover)?
        } else {
            let no_board = || Error::Failed("no board".to_owned());
            let board = Board::new(position).ok_or_else(no_board)?;
            let (lines, places) = (Vec::new(), HashMap::new());
            let claim = self.claim;
            let mut body = grid::Body { client, board, claim, monitor, lines, places };
            body.write()?;
            body.lines
        };
        Ok(tengen_proofs::write(&self.spec, &self.moves, self.claim, &lines))
    }
}

/// Searches for who wins the client's position.
fn solve(client: &mut Client, monitor: Monitor<'_>) -> Result<Answer<Move>, SearchError> {
    let limits = Limits::default().with_proof(Proof::Outcome);
    client.search(Query::from(limits).with_signal(monitor.signal))
}

/// Returns a position of four in a row in two words.
fn stones(position: &dyn Position) -> Stones {
    let mut stones = Stones::default();
    let Some(notation) = position.spec().grid else { return stones };
    for at in notation.grid().all().map(|cell| notation.grid().point(cell)) {
        let bit = stones::point(&at.to_string()).unwrap_or_default();
        if let Some(side) = position.stone(at) {
            stones.all |= bit;
            stones.own |= if side == position.turn() { bit } else { 0 };
        }
    }
    stones
}
