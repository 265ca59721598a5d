//! Swap2: three stones are proposed, and the players choose their sides.
//!
//! A player who stays plays white, the second side, and puts the next stone. A player who swaps
//! plays black. Gomocup engines decide themselves, on their clocks; for others a search decides.

use tengen_engine::opening::SwapDecision;
use tengen_engine::text::quotable;
use tengen_engine::{Move, Side, Style};
use tengen_protocol::client::ClientDialect;

use super::state::GameState;
use super::thinking::Answer;
use crate::config::Proto;
use crate::record::{EndKind, GameEnd, GameScore};
use crate::referee::RefereeVerdict;

/// Decides for engines that cannot be asked.
pub trait ChooseSides {
    /// The decision on so many stones: three for a proposal on an empty board, and so on.
    fn choose(&mut self, stones: &[Move]) -> Option<SwapDecision>;
}

/// The end of a game in its opening; `None` where the run ends.
type Over = Option<(GameScore, GameEnd)>;

/// A decision as it was written.
enum Decision {
    Swap,
    Stones(usize),
}

impl GameState<'_> {
    /// Plays the opening. `Err` is the end of the game.
    pub(super) fn swap2(&mut self, chooser: &mut dyn ChooseSides) -> Result<(), Over> {
        const PROPOSER: usize = 0;
        const OTHER: usize = 1;
        self.decide(PROPOSER, chooser, "proposes", &[3], false)?;
        let black = match self.decide(OTHER, chooser, "puts", &[1, 2], true)? {
            Decision::Swap => OTHER,
            Decision::Stones(1) => PROPOSER,
            Decision::Stones(_) => match self.decide(PROPOSER, chooser, "puts", &[1], true)? {
                Decision::Swap => PROPOSER,
                Decision::Stones(_) => OTHER,
            },
        };
        if black == OTHER {
            self.exchange_sides();
        }
        Ok(())
    }

    /// Asks a side, and puts its stones. `counts`: how many it may put.
    fn decide(
        &mut self,
        side: usize,
        chooser: &mut dyn ChooseSides,
        verb: &str,
        counts: &[usize],
        may_swap: bool,
    ) -> Result<Decision, Over> {
        let player = &self.rules.players[self.players[side]];
        let name = player.setup.name.clone();
        let is_asked = player.setup.proto == Proto::Gomocup;
        let text = if is_asked { self.ask_swap(side)? } else { self.choose(chooser)? };
        let by = if is_asked { "" } else { " by a search of the arena" };
        if may_swap && text.eq_ignore_ascii_case("swap") {
            self.swap2.push(format!("{name} swaps{by}"));
            return Ok(Decision::Swap);
        }
        let lost = |why: String| {
            Some((GameScore::won_by(1 - side), GameEnd { kind: EndKind::Illegal, text: why }))
        };
        let stones: Vec<&str> = text.split_ascii_whitespace().collect();
        if !counts.contains(&stones.len()) {
            return Err(lost(format!("answered SWAP2BOARD with \"{}\"", quotable(&text))));
        }
        let before = self.referee.texts().len();
        for stone in &stones {
            // Whose turn it is on the board is not whose engine puts the stone.
            let (mv, verdict) = self.referee.play(stone);
            if mv.is_none() || verdict != RefereeVerdict::Open {
                let stone = quotable(stone);
                return Err(lost(format!("answered SWAP2BOARD with the stone \"{stone}\"")));
            }
        }
        self.note_drops();
        let put = self.referee.texts()[before..].join(" ");
        self.swap2.push(format!("{name} {verb} {put}{by}"));
        Ok(Decision::Stones(stones.len()))
    }

    /// Asks a Gomocup engine, on its clock.
    fn ask_swap(&mut self, side: usize) -> Result<String, Over> {
        let seat = self.seats[side];
        let engine_host = &mut *self.engine_host;
        if let Some(session) = &mut *self.sessions[side] {
            let dialect: &mut dyn ClientDialect = session.dialect();
            let board = self.referee.board();
            dialect.swap(board, board.played(), &mut |line| engine_host.send(seat, &line));
        }
        let begun = self.engine_host.now();
        let mover = if side == 0 { Side::First } else { Side::Second };
        match self.await_move(mover, begun, false) {
            Answer::Move { text, took, .. } => {
                self.clocks[side].spend(took);
                Ok(text)
            }
            Answer::Lost(lost) => Err(Some(self.lost(lost))),
            Answer::Aborted => Err(None),
        }
    }

    /// Has a search decide.
    fn choose(&mut self, chooser: &mut dyn ChooseSides) -> Result<String, Over> {
        let board = self.referee.board();
        let decision = chooser.choose(board.played());
        let grid = board.spec().grid;
        let text = match (decision, grid) {
            (Some(SwapDecision::Swap), _) => "swap".to_owned(),
            (Some(SwapDecision::Stones(points)), Some(grid)) => {
                let moves = points.iter().map(|point| grid.write_move(*point, Style::Plain));
                moves.collect::<Vec<_>>().join(" ")
            }
            _ => String::new(),
        };
        Ok(text)
    }

    /// The player who was to move second moves first.
    fn exchange_sides(&mut self) {
        self.sessions.swap(0, 1);
        self.players.swap(0, 1);
        self.seats.swap(0, 1);
        self.clocks.swap(0, 1);
        self.usage.swap(0, 1);
    }
}
