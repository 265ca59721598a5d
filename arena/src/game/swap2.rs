//! The Swap2 opening: one player proposes three stones, then the players choose their sides.
//!
//! A player who swaps plays black, the first side. A player who does not swap plays white and puts
//! the next stone. Gomocup engines decide on their clocks. For other engines a search decides.

use tengen_engine::opening::SwapDecision;
use tengen_engine::text::quotable;
use tengen_engine::{Move, Side, Style};
use tengen_protocol::client::ClientDialect;

use super::state::GameState;
use super::thinking::Answer;
use crate::config::Proto;
use crate::game::referee::RefereeVerdict;
use crate::tournament::record::{EndKind, GameEnd, GameScore};

/// Chooses for engines whose dialect has no Swap2, given the stones on the board: none before the
/// proposal, then three or five. Returns `None` if the search fails.
pub type SideChooser = Box<dyn FnMut(&[Move]) -> Option<SwapDecision> + Send>;

/// The end of a game in its opening; `None` if the run is aborted.
type Over = Option<(GameScore, GameEnd)>;

/// The decision of a player; `Stones` has their number.
enum Decision {
    Swap,
    Stones(usize),
}

impl GameState<'_> {
    /// Plays the opening. The error is the end of the game.
    pub(super) fn swap2(&mut self, chooser: &mut SideChooser) -> Result<(), Over> {
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

    /// Asks a side for its decision and puts its stones.
    ///
    /// `counts` are the allowed numbers of stones, `verb` is for the record.
    fn decide(
        &mut self,
        side: usize,
        chooser: &mut SideChooser,
        verb: &str,
        counts: &[usize],
        may_swap: bool,
    ) -> Result<Decision, Over> {
        let player = &self.rules.players[self.players[side]];
        let name = player.setup.name.clone();
        let has_swap2 = player.setup.proto == Proto::Gomocup;
        let text = if has_swap2 { self.ask_engine(side)? } else { self.ask_search(chooser)? };
        let by = if has_swap2 { "" } else { " by a search of the arena" };
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
            // In the opening, the side to move on the board may differ from the player who decides.
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

    /// Asks a Gomocup engine for its decision, on its clock.
    fn ask_engine(&mut self, side: usize) -> Result<String, Over> {
        let seat = self.seats[side];
        let host = &mut *self.host;
        if let Some(session) = &mut *self.sessions[side] {
            let dialect: &mut dyn ClientDialect = session.dialect();
            let board = self.referee.board();
            dialect.swap(board, board.played(), &mut |line| host.send(seat, &line));
        }
        let started_at = self.host.now();
        let mover = if side == 0 { Side::First } else { Side::Second };
        match self.await_move(mover, started_at, false) {
            Answer::Move { text, took, .. } => {
                self.clocks[side].spend(took);
                Ok(text)
            }
            Answer::Lost(lost) => Err(Some(self.lost(lost))),
            Answer::Aborted => Err(None),
        }
    }

    /// Asks the search for the decision.
    fn ask_search(&mut self, chooser: &mut SideChooser) -> Result<String, Over> {
        let board = self.referee.board();
        let decision = chooser(board.played());
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

    /// Exchanges the sides of the players.
    fn exchange_sides(&mut self) {
        self.sessions.swap(0, 1);
        self.players.swap(0, 1);
        self.seats.swap(0, 1);
        self.clocks.swap(0, 1);
        self.usage.swap(0, 1);
    }
}
