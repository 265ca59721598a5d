//! Decides in an opening in which players swap sides, for engines whose dialect cannot ask them.
//!
//! Its limit is nodes, so that equal games get equal openings.

use std::ops::ControlFlow;

use tengen_engine::backend::Catalog;
use tengen_engine::opening::{MoveRanking, SwapDecision, SwapOpening};
use tengen_engine::{
    Client, ClientError, GameSpec, GridNotation, Limits, Move, Query, Report, Settings,
};

use crate::game::ChooseSides;

/// Nodes of a search.
const NODES: u64 = 20_000;

/// The table of a search, in MiB: it is cleared for each decision.
const HASH: usize = 8;

/// Decides by a search.
pub struct SwapChoice {
    client: Client,
    opening: &'static dyn SwapOpening,
    notation: GridNotation,
}

impl SwapChoice {
    /// Opens a search for the game of a run; `None` where the game has no such opening. It starts a
    /// thread.
    pub fn open(catalog: &dyn Catalog, spec: &GameSpec) -> Option<Result<Self, ClientError>> {
        let notation = spec.grid.filter(|notation| !notation.falls())?;
        let opening = catalog.swap_opening(spec)?;
        let settings = Settings::default().with_hash_mib(HASH);
        let opened = Client::of(catalog, spec, &settings);
        Some(opened.map(|client| Self { client, opening, notation }))
    }
}

impl ChooseSides for SwapChoice {
    fn choose(&mut self, stones: &[Move]) -> Option<SwapDecision> {
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
        let settings = Settings::default().with_hash_mib(HASH).with_multi_pv(lines);
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
