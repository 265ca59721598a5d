//! Proofs of game values: what can be claimed of a position, and the search for a strategy.

mod four;
mod grid;
mod journal;
mod opening;
mod rules;
mod solver;
mod stones;

use std::path::Path;
use std::sync::Mutex;

use tengen_engine::table::Table;
use tengen_engine::{
    Answer, Client, GameSpec, Limits, Move, Position, Proof, Query, Score, SearchError, Settings,
    Side, Style,
};
use tengen_games::CATALOG;
use tengen_proofs::{Board, Claim};

use crate::{Error, Monitor};
use four::Prover;
use grid::{Body, Shared};
use journal::Journal;
use opening::Opening;
use solver::Solver;
use stones::Stones;

/// The rules of the board that has a prover of its own.
const FOUR: &str = "7x6 board, 4 in a row, stones fall";

/// The node limits of the searches for a proof in a game that the search does not solve.
const NODES: [u64; 3] = [20_000, 500_000, 10_000_000];

/// What is to be proven.
#[derive(Clone, Debug)]
pub struct Goal {
    spec: GameSpec,
    moves: String,
    claim: Claim,
    /// The plies of the opening.
    opening: u32,
}

impl Goal {
    /// Returns what can be claimed of the client's position for `side`; `None` is the winner.
    ///
    /// Fails with [`Error::Refused`] if the game is over, if the search proves no result, if the other side wins, or if
    /// the game is drawn and no side is given.
    ///
    /// With an `opening` the search need not prove a result: in the first plies, as many as it says, moves are tried
    /// whose win the search does not see. The claim is then a win of `side`; `None` is the side to move.
    pub fn of(
        client: &mut Client,
        side: Option<Side>,
        opening: u32,
        monitor: Monitor<'_>,
    ) -> Result<Self, Error> {
        let spec = client.spec().clone();
        let refusal = |why: &str| Err(Error::Refused(why.to_owned()));
        if client.position().outcome().is_some() {
            return refusal("the game is over: there is nothing to prove");
        }
        if spec.grid.is_none() {
            return Err(Error::Refused(format!("{}: it has no board of points", spec.variant)));
        }
        let position = client.position();
        let moves = position.start().write_line(position.played(), Style::Plain).join(" ");
        if opening > 0 {
            if spec.is_exact {
                return refusal("the search solves this game: leave --opening out");
            }
            let side = side.unwrap_or_else(|| position.turn());
            return Ok(Self { spec, moves, claim: Claim { side, wins: true }, opening });
        }
        let answer = solve(client, monitor)?;
        let Some(settled) = answer.settled else {
            if monitor.signal.is_stopped() {
                return Err(Error::Interrupted("the result is not known yet".to_owned()));
            }
            return Err(Error::Refused(format!(
                "no proof was found with {} nodes, which does not say who wins: add moves",
                answer.report.nodes
            )));
        };
        let winner = settled.winner;
        let Some(side) = side.or(winner) else {
            return refusal(
                "the game is drawn: --side first or --side second says whose strategy is wanted",
            );
        };
        if winner == Some(side.other()) {
            return refusal("the other side wins, so this side has no strategy: leave --side out");
        }
        Ok(Self { spec, moves, claim: Claim { side, wins: winner.is_some() }, opening })
    }

    /// Searches for a strategy from the client's position, and returns the bytes of the proof.
    ///
    /// `folder` keeps what was found, until the caller has saved the proof and removes it. For four in a row on
    /// 7x6, `effort` (0 to 1000) says up to which size parts of the strategy are searched for the fewest positions.
    pub fn prove(
        &self,
        client: &mut Client,
        effort: u32,
        settings: &Settings,
        folder: &Path,
        monitor: Monitor<'_>,
    ) -> Result<Vec<u8>, Error> {
        let position = client.position().duplicate();
        let is_mover = position.turn() == self.claim.side;
        let mut claim = format!("{} {}", self.claim.text(), self.moves);
        if self.spec.rules != FOUR {
            claim = format!("{}: {claim}", self.spec.rules);
        }
        let (journal, found) = Journal::open(folder, &claim)?;
        let lines = if self.spec.rules == FOUR {
            let no_memory =
                |_| Error::Failed(format!("hash {} MiB: not enough memory", settings.hash_mib));
            let mut table = Table::new(settings.hash_mib).map_err(no_memory)?;
            let view = table.view();
            let solvers =
                (0..settings.threads).map(|_| Solver::new(self.claim.wins, view)).collect();
            let prover = Prover::new(solvers, effort, (journal, found), monitor);
            prover.prove(stones(&*position), is_mover)?
        } else {
            let no_board = || Error::Failed("no board".to_owned());
            let (journal, known) = (Mutex::new(journal), Mutex::new(found.lines));
            let shared =
                Shared { claim: self.claim, monitor, journal, known, open: Mutex::default() };
            if self.opening > 0 {
                let board = Board::new(position.duplicate()).ok_or_else(no_board)?;
                let opening = Opening::new(&shared, found.proven);
                opening.find(&board, self.opening, &mut self.clients(settings)?)?;
            }
            let board = Board::new(position).ok_or_else(no_board)?;
            Body::new(&shared, client, board).prove()?
        };
        Ok(tengen_proofs::write(&self.spec, &self.moves, self.claim, &lines))
    }

    /// Opens a search for each thread.
    fn clients(&self, settings: &Settings) -> Result<Vec<Client>, Error> {
        let mut each = *settings;
        each.hash_mib = (settings.hash_mib / settings.threads).max(1);
        each.threads = 1;
        let open = |_| Client::of(&CATALOG, &self.spec, &each);
        let clients: Result<_, _> = (0..settings.threads).map(open).collect();
        clients.map_err(|why| Error::Failed(why.to_string()))
    }
}

/// Searches for who wins the client's position: to the end if the search solves the game, else with more and more nodes
/// until a result is proven.
fn solve(client: &mut Client, monitor: Monitor<'_>) -> Result<Answer<Move>, SearchError> {
    let limits = match client.spec().is_exact {
        true => vec![Limits::default().with_proof(Proof::Outcome)],
        false => NODES.map(|nodes| Limits::default().with_nodes(nodes)).to_vec(),
    };
    let mut answer = Answer::blank(Score::DRAW, None);
    for limits in limits {
        answer = client.search(Query::from(limits).with_signal(monitor.signal))?;
        if answer.settled.is_some() || monitor.signal.is_stopped() {
            break;
        }
    }
    Ok(answer)
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
