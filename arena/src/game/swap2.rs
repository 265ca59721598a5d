//! The Swap2 opening: one player proposes three stones, then the players choose their sides.
//!
//! A player who swaps plays black, the first side. A player who does not swap plays white and puts
//! the next stone. Gomocup engines decide on their clocks. For other engines a search decides.

use std::ops::ControlFlow;

use tengen_engine::backend::Catalog;
use tengen_engine::opening::{MoveRanking, SwapDecision, SwapOpening};
use tengen_engine::text::quotable;
use tengen_engine::{
    Client, ClientError, GameSpec, GridNotation, Limits, Move, Query, Report, Settings, Side, Style,
};

use super::state::GameState;
use super::thinking::Over;
use crate::config::Proto;
use crate::game::referee::loss;
use crate::tournament::record::EndKind;

/// Chooses for engines whose dialect has no Swap2, given the stones on the board: none before the
/// proposal, then three or five. Returns `None` if the search fails.
pub type SideChooser = Box<dyn FnMut(&[Move]) -> Option<SwapDecision> + Send>;

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
        let player = &self.rules.players[self.record.players[side]];
        let (name, has_swap2) = (player.label(), player.proto == Proto::Gomocup);
        let text = if has_swap2 { self.ask_engine(side)? } else { self.ask_search(chooser) };
        let by = if has_swap2 { "" } else { " by a search of the arena" };
        if may_swap && text.eq_ignore_ascii_case("swap") {
            self.record.swap2.push(format!("{name} swaps{by}"));
            return Ok(Decision::Swap);
        }
        let lost = |why: String| Some(loss(side, EndKind::Illegal, why));
        let stones: Vec<&str> = text.split_ascii_whitespace().collect();
        if !counts.contains(&stones.len()) {
            return Err(lost(format!("answered SWAP2BOARD with \"{}\"", quotable(&text))));
        }
        let before = self.referee.texts().len();
        for stone in &stones {
            // In the opening, the side to move on the board may differ from the player who decides.
            let (mv, verdict) = self.referee.play(stone);
            if mv.is_none() || verdict.is_some() {
                let stone = quotable(stone);
                return Err(lost(format!("answered SWAP2BOARD with the stone \"{stone}\"")));
            }
        }
        let put = self.referee.texts()[before..].join(" ");
        self.record.swap2.push(format!("{name} {verb} {put}{by}"));
        Ok(Decision::Stones(stones.len()))
    }

    /// Asks a Gomocup engine for its decision, on its clock.
    fn ask_engine(&mut self, side: usize) -> Result<String, Over> {
        let board = self.referee.board().duplicate();
        self.speak(side, |dialect, out| {
            dialect.swap(&*board, board.played(), out);
        });
        let started_at = self.host.now();
        let mover = if side == 0 { Side::First } else { Side::Second };
        let answer = self.await_move(mover, started_at, false)?;
        self.clocks[side].spend(answer.took);
        Ok(answer.text)
    }

    /// Asks the search for the decision.
    fn ask_search(&self, chooser: &mut SideChooser) -> String {
        let board = self.referee.board();
        match (chooser(board.played()), board.spec().grid) {
            (Some(SwapDecision::Swap), _) => "swap".to_owned(),
            (Some(SwapDecision::Stones(points)), Some(grid)) => {
                let moves = points.iter().map(|point| grid.write_move(*point, Style::Plain));
                moves.collect::<Vec<_>>().join(" ")
            }
            _ => String::new(),
        }
    }

    /// Exchanges the sides of the players.
    fn exchange_sides(&mut self) {
        self.sessions.swap(0, 1);
        self.record.players.swap(0, 1);
        self.seats.swap(0, 1);
        self.clocks.swap(0, 1);
        self.record.usage.swap(0, 1);
    }
}

/// The nodes of each search of [`SwapChoice`].
const NODES: u64 = 20_000;

/// The size of the transposition table, in MiB. It is cleared for each decision, so it is small.
const HASH_MIB: usize = 8;

/// Decides in an opening by a search, for engines whose dialect has no such opening. The search is
/// limited by nodes, so that equal games have equal openings.
pub struct SwapChoice {
    client: Client,
    opening: &'static dyn SwapOpening,
    notation: GridNotation,
}

impl SwapChoice {
    /// Opens a search for the game of a run; `None` if the game has no such opening. This starts a
    /// thread.
    pub fn open(catalog: &dyn Catalog, spec: &GameSpec) -> Option<Result<Self, ClientError>> {
        let notation = spec.grid.filter(|notation| !notation.falls())?;
        let opening = catalog.swap_opening(spec)?;
        let settings = Settings::default().with_hash_mib(HASH_MIB);
        let opened = Client::of(catalog, spec, &settings);
        Some(opened.map(|client| Self { client, opening, notation }))
    }

    /// Returns the decision on the stones on the board: none before the proposal, then three or
    /// five. `None` for another number of stones, or if the search fails.
    pub fn choose(&mut self, stones: &[Move]) -> Option<SwapDecision> {
        let points: Option<Vec<_>> =
            stones.iter().map(|stone| self.notation.point_of(*stone)).collect();
        let start = self.opening.stones(&points?, self.notation.grid())?;
        let mut board = self.client.position().duplicate();
        board.reset();
        for point in &start {
            board.play(self.notation.move_to(*point)).ok()?;
        }
        let mut moves = board.legal();
        moves.retain(|mv| {
            let point = self.notation.point_of(*mv);
            point.is_some_and(|point| self.opening.considers(&start, point))
        });
        let lines = if self.opening.needs_one_line(&start) { 1 } else { moves.len().max(1) };
        let settings = Settings::default().with_hash_mib(HASH_MIB).with_multi_pv(lines);
        self.client.configure(&settings).ok()?;
        self.client.clear_hash();
        self.client.set_position(board);
        let mut ranking = MoveRanking::default();
        let mut listen = |report: &Report<Move>| {
            ranking.note(report);
            ControlFlow::Continue(())
        };
        let query = Query::from(Limits::default().with_nodes(NODES));
        let query = query.with_moves(moves).with_listener(&mut listen);
        let answer = self.client.search(query).ok()?;
        ranking.decide(self.opening, &start, &answer, self.notation)
    }
}

#[cfg(test)]
mod tests {
    use tengen_engine::Chosen;
    use tengen_games::CATALOG;

    use super::*;

    #[test]
    fn a_search_proposes_and_decides() {
        let spec = CATALOG.describe("gomokufreestyle", &Chosen::new()).unwrap();
        let mut choice = SwapChoice::open(&CATALOG, &spec).unwrap().unwrap();
        let Some(SwapDecision::Stones(proposed)) = choice.choose(&[]) else { panic!() };
        assert_eq!(proposed.len(), 3);
        let notation = spec.grid.unwrap();
        let stones: Vec<Move> = proposed.iter().map(|point| notation.move_to(*point)).collect();
        match choice.choose(&stones) {
            Some(SwapDecision::Swap) => {}
            Some(SwapDecision::Stones(more)) => assert!((1..=2).contains(&more.len())),
            None => panic!(),
        }
        assert!(choice.choose(&stones[..1]).is_none());
        let falls = CATALOG.describe("cfour", &Chosen::new()).unwrap();
        assert!(SwapChoice::open(&CATALOG, &falls).is_none());
    }
}
