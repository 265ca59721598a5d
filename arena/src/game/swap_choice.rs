//! [`SwapChoice`]: a search that decides in openings with a choice of sides, such as Swap2.
//!
//! It decides for engines whose dialect has no such opening. The search is limited by nodes, so
//! that equal games have equal openings.

use std::ops::ControlFlow;

use tengen_engine::backend::Catalog;
use tengen_engine::opening::{MoveRanking, SwapDecision, SwapOpening};
use tengen_engine::{
    Client, ClientError, GameSpec, GridNotation, Limits, Move, Query, Report, Settings,
};

/// The nodes of each search.
const NODES: u64 = 20_000;

/// The size of the transposition table, in MiB. It is cleared for each decision, so it is small.
const HASH_MIB: usize = 8;

/// Decides in an opening by a search.
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
