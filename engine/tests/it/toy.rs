//! A toy game needs its rules, its text and an evaluator, and nothing else.

mod heap;

use std::sync::{Arc, Mutex};

use heap::{Heap, NoKnowledge, sees_draws};
use tengen_engine::search::{Context, Search, SearchOptions, Task};
use tengen_engine::table::Table;
use tengen_engine::{
    Coverage, Evaluator, Game, Interrupt, Limits, MoveOrdering, Probe, ProofEffort, Prover, Score,
    SearchEvaluator, Selectivity, Side, Window, laws,
};

#[test]
fn a_toy_keeps_the_laws() {
    assert_eq!(laws::check(&Heap(14, Side::First), &NoKnowledge), Ok(()));
}

#[test]
fn a_toy_is_searched_to_its_end() {
    for counters in 1..20 {
        let mut table = Table::new(1).expect("enough memory");
        let (game, context) = (Heap(counters, Side::First), Context::unlimited());
        let mut search = Search::new(game, NoKnowledge, table.view(), SearchOptions::ALL, context);
        let answer = search.run(&Task::new(Limits::default()), &mut |_| ());
        // Whoever leaves a multiple of four wins.
        let expected = if counters % 4 == 0 {
            Score::loss_in(counters / 2)
        } else {
            Score::win_in(2 * counters.div_ceil(4) - 1)
        };
        assert_eq!(answer.report.score, expected, "{counters}");
    }
}

/// The heap that the first player leaves to win. The win takes more plies than the search is deep.
const LEFT: u32 = 20;

/// Knows that whoever has [`LEFT`] counters loses, and says so in null windows alone, after `silent`
/// questions without an answer.
#[derive(Clone)]
struct NullWindowSolver {
    silent: u32,
}

sees_draws!(NullWindowSolver);

impl MoveOrdering<Heap> for NullWindowSolver {}

impl Selectivity<Heap> for NullWindowSolver {
    fn exact(&self) -> bool {
        false
    }
}

impl Prover<Heap> for NullWindowSolver {
    fn probe(
        &mut self,
        game: &Heap,
        window: Window,
        _ctx: &mut Context,
    ) -> Result<Option<Probe<u32>>, Interrupt> {
        if game.0 != LEFT || !window.is_scout() {
            return Ok(None);
        }
        if self.silent > 0 {
            self.silent -= 1;
            return Ok(None);
        }
        let line = losing_line(LEFT);
        Ok(Some(Probe { score: Score::loss_in(line.len() as u32), line }))
    }

    /// Shows the win once the heap is smaller.
    fn solve(
        &mut self,
        game: &Heap,
        _nodes: u64,
        _ctx: &mut Context,
    ) -> Result<Option<Probe<u32>>, Interrupt> {
        let taken = game.0 % 4;
        if game.0 >= LEFT || taken == 0 {
            return Ok(None);
        }
        let line = [vec![taken], losing_line(game.0 - taken)].concat();
        Ok(Some(Probe { score: Score::win_in(line.len() as u32), line }))
    }
}

impl SearchEvaluator<Heap> for NullWindowSolver {}

/// Returns how whoever has so many counters, a multiple of four, loses.
fn losing_line(counters: u32) -> Vec<u32> {
    [1, 3].into_iter().cycle().take(counters as usize / 2).collect()
}

/// After four questions without an answer only iterations with aspiration windows are left.
#[test]
fn a_proven_win_that_fails_high_stays_proven() {
    for (depth, is_proven) in [(3, false), (8, true)] {
        let mut table = Table::new(1).expect("enough memory");
        let (game, context) = (Heap(LEFT + 3, Side::First), Context::unlimited());
        let solver = NullWindowSolver { silent: 4 };
        let mut search = Search::new(game, solver, table.view(), SearchOptions::ALL, context);
        let answer = search.run(&Task::new(Limits::default().with_depth(depth)), &mut |_| ());
        let expected = if is_proven { Score::win_in(LEFT / 2 + 1) } else { Score::DRAW };
        assert_eq!(answer.report.score, expected, "{depth}");
        if is_proven {
            assert_eq!(answer.report.pv.len() as u32, LEFT / 2 + 1);
        }
    }
}

/// Lists one reply of the second player and proves nothing of the others. Notes with which effort it
/// was to prove it.
#[derive(Clone, Default)]
struct PartialLists {
    efforts: Arc<Mutex<Vec<ProofEffort>>>,
}

sees_draws!(PartialLists);

impl MoveOrdering<Heap> for PartialLists {
    fn candidates(&self, game: &Heap, out: &mut Vec<u32>) -> Coverage {
        game.moves(out);
        if game.turn() == Side::First {
            return Coverage::Complete;
        }
        out.truncate(1);
        Coverage::Partial
    }
}

impl Selectivity<Heap> for PartialLists {
    fn exact(&self) -> bool {
        false
    }
}

impl Prover<Heap> for PartialLists {
    fn others_lose(
        &mut self,
        _game: &Heap,
        _listed: &[u32],
        effort: ProofEffort,
        _ctx: &mut Context,
    ) -> Result<Option<u32>, Interrupt> {
        self.efforts.lock().expect("no panic").push(effort);
        Ok(None)
    }
}

impl SearchEvaluator<Heap> for PartialLists {}

#[test]
fn an_unproven_win_is_worth_the_most_effort_and_a_far_node_the_least() {
    // The second player's last move is three and five plies below the root.
    for (counters, plies, first_effort) in [(11, 5, ProofEffort::Medium), (15, 7, ProofEffort::Low)]
    {
        let mut table = Table::new(1).expect("enough memory");
        let (game, context) = (Heap(counters, Side::First), Context::unlimited());
        let evaluator = PartialLists::default();
        let mut options = SearchOptions::ALL;
        options.table = false;
        let mut search = Search::new(game, evaluator.clone(), table.view(), options, context);
        let answer = search.run(&Task::new(Limits::default().with_depth(plies + 1)), &mut |_| ());
        assert_eq!(answer.report.score, Score::heuristic(Score::MAX_HEURISTIC), "{counters}");
        let efforts = evaluator.efforts.lock().expect("no panic");
        assert_eq!(efforts.first(), Some(&first_effort));
        assert_eq!(efforts.last(), Some(&ProofEffort::High));
    }
}
