//! Tests of the search with a toy game, which has only rules, text and an evaluator.

mod heap;

use std::sync::{Arc, Mutex};

use heap::{Heap, NoKnowledge, sees_draws};
use tengen_engine::search::{Context, Search, Switched, Task};
use tengen_engine::table::Table;
use tengen_engine::{
    Coverage, Evaluator, ExtensionTuning, Game, Interrupt, LateMove, Limits, LosingMoves,
    MoveOrdering, Probe, ProofEffort, Prover, ReSearchMargin, Score, Selectivity, Side,
    SingularTuning, Window, laws,
};

#[test]
fn a_toy_game_keeps_the_laws() {
    assert_eq!(laws::check(&Heap(14, Side::First), &NoKnowledge), Ok(()));
}

#[test]
fn a_toy_game_is_searched_to_its_end() {
    for counters in 1..20 {
        let mut table = Table::new(1).expect("enough memory");
        let (game, context) = (Heap(counters, Side::First), Context::unlimited());
        let mut search = Search::new(game, NoKnowledge, table.view(), context);
        let answer = search.run(&Task::new(Limits::default()), &mut |_| ());
        // The player who leaves a multiple of four wins.
        let expected = if counters % 4 == 0 {
            Score::loss_in(counters / 2)
        } else {
            Score::win_in(2 * counters.div_ceil(4) - 1)
        };
        assert_eq!(answer.report.score, expected, "{counters}");
    }
}

/// The heap that the first player leaves to win. The win takes more plies than the depth of the
/// search.
const LEFT: u32 = 20;

/// A solver that proves the loss of the side to move with [`LEFT`] counters, in null windows only.
/// The first `silent` probes find nothing.
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

    /// Finds the win once the heap is smaller.
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

/// Returns the line by which the side to move loses with this many counters, a multiple of four.
fn losing_line(counters: u32) -> Vec<u32> {
    [1, 3].into_iter().cycle().take(counters as usize / 2).collect()
}

/// After four probes without a result, all later iterations have aspiration windows.
#[test]
fn a_proven_win_that_fails_high_stays_proven() {
    for (depth, is_proven) in [(3, false), (8, true)] {
        let mut table = Table::new(1).expect("enough memory");
        let (game, context) = (Heap(LEFT + 3, Side::First), Context::unlimited());
        let solver = NullWindowSolver { silent: 4 };
        let mut search = Search::new(game, solver, table.view(), context);
        let answer = search.run(&Task::new(Limits::default().with_depth(depth)), &mut |_| ());
        let expected = if is_proven { Score::win_in(LEFT / 2 + 1) } else { Score::DRAW };
        assert_eq!(answer.report.score, expected, "{depth}");
        if is_proven {
            assert_eq!(answer.report.pv.len() as u32, LEFT / 2 + 1);
        }
    }
}

/// Lists all moves, or only the first one.
fn list_moves(game: &Heap, only_first: bool, out: &mut Vec<u32>) -> Coverage {
    game.moves(out);
    if !only_first {
        return Coverage::Complete;
    }
    out.truncate(1);
    Coverage::Partial
}

/// Lists only one move of the second player, and records the efforts for proofs that the others
/// lose.
#[derive(Clone, Default)]
struct PartialLists {
    /// Whether it proves a loss of the first of the other moves.
    proves_first: bool,
    efforts: Arc<Mutex<Vec<ProofEffort>>>,
}

sees_draws!(PartialLists);

impl MoveOrdering<Heap> for PartialLists {
    fn candidates(&self, game: &Heap, out: &mut Vec<u32>) -> Coverage {
        list_moves(game, game.turn() == Side::Second, out)
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
        game: &Heap,
        others: &[u32],
        effort: ProofEffort,
        _ctx: &mut Context,
    ) -> Result<LosingMoves, Interrupt> {
        self.efforts.lock().expect("no panic").push(effort);
        let left = others.first().map_or(0, |taken| game.0 - taken);
        // The side to move loses with a multiple of four.
        let is_loss = self.proves_first && !left.is_multiple_of(4);
        let first = LosingMoves { count: 1, plies: 2 * left.div_ceil(4) };
        Ok(if is_loss { first } else { LosingMoves::NONE })
    }
}

/// Returns the score of a heap with the first player to move, searched `depth` plies deep, and the
/// efforts of the proofs.
fn score_with_partial_lists(
    counters: u32,
    depth: u32,
    proves_first: bool,
) -> (Score, Vec<ProofEffort>) {
    let mut table = Table::new(1).expect("enough memory");
    let (game, context) = (Heap(counters, Side::First), Context::unlimited());
    let evaluator = PartialLists { proves_first, ..PartialLists::default() };
    let mut options = Switched::ALL;
    options.table = false;
    let mut search =
        Search::with_techniques(game, evaluator.clone(), table.view(), options, context);
    let answer = search.run(&Task::new(Limits::default().with_depth(depth)), &mut |_| ());
    let efforts = evaluator.efforts.lock().expect("no panic").clone();
    (answer.report.score, efforts)
}

#[test]
fn a_proof_close_to_the_root_may_take_more_effort_than_a_far_one() {
    // The second player's last move is three and five plies below the root.
    for (counters, plies, effort) in [(11, 5, ProofEffort::High), (15, 7, ProofEffort::Low)] {
        assert_eq!(score_with_partial_lists(counters, plies, false).1.first(), Some(&effort));
    }
}

#[test]
fn a_win_without_a_proof_is_proven_by_a_search_of_the_unlisted_moves() {
    for (counters, plies) in [(11, 5), (15, 7), (19, 9)] {
        for proves_first in [false, true] {
            let (score, efforts) = score_with_partial_lists(counters, plies + 1, proves_first);
            assert_eq!(score, Score::win_in(plies), "{counters} {proves_first}");
            assert_eq!(efforts.last(), Some(&ProofEffort::Low));
        }
    }
}

/// The second player wins by an unlisted move.
#[test]
fn an_unlisted_move_that_does_not_lose_prevents_the_proof() {
    for counters in [8, 12, 16] {
        for depth in 1..=10 {
            for proves_first in [false, true] {
                let (score, _) = score_with_partial_lists(counters, depth, proves_first);
                assert!(!score.is_win(), "{counters} to depth {depth}: {score:?}");
            }
        }
    }
}

/// Lists only one move at the root.
#[derive(Clone)]
struct PartialRoot {
    /// The root's heap.
    counters: u32,
    /// Whether the root searches the other moves, too.
    searches_all: bool,
}

sees_draws!(PartialRoot);

impl MoveOrdering<Heap> for PartialRoot {
    fn candidates(&self, game: &Heap, out: &mut Vec<u32>) -> Coverage {
        list_moves(game, game.0 == self.counters, out)
    }

    fn searches_all_at_root(&self) -> bool {
        self.searches_all
    }
}

impl Selectivity<Heap> for PartialRoot {
    fn exact(&self) -> bool {
        false
    }
}

impl Prover<Heap> for PartialRoot {}

/// The first two searches find the loss of the listed move in an aspiration window, the others in a
/// full window.
#[test]
fn if_the_listed_moves_of_the_root_lose_all_moves_are_searched() {
    for (counters, score, best) in [
        (20, Score::loss_in(10), None),
        (22, Score::win_in(11), Some(2)),
        (4, Score::loss_in(2), None),
        (3, Score::win_in(1), Some(3)),
    ] {
        let mut table = Table::new(1).expect("enough memory");
        let (game, context) = (Heap(counters, Side::First), Context::unlimited());
        let evaluator = PartialRoot { counters, searches_all: false };
        let mut search = Search::new(game, evaluator, table.view(), context);
        let answer = search.run(&Task::new(Limits::default()), &mut |_| ());
        assert_eq!(answer.report.score, score, "{counters}");
        assert!(best.is_none() || answer.best == best, "{counters} {:?}", answer.best);
    }
}

/// With seven counters, taking three wins. The listed move loses after more plies than the depth of
/// the search.
#[test]
fn the_root_searches_unlisted_moves_if_the_game_asks_for_it() {
    for (searches_all, score, best) in
        [(false, Score::DRAW, Some(1)), (true, Score::win_in(3), Some(3))]
    {
        let mut table = Table::new(1).expect("enough memory");
        let (game, context) = (Heap(7, Side::First), Context::unlimited());
        let evaluator = PartialRoot { counters: 7, searches_all };
        let mut search = Search::new(game, evaluator, table.view(), context);
        let answer = search.run(&Task::new(Limits::default().with_depth(3)), &mut |_| ());
        assert_eq!((answer.report.score, answer.best), (score, best));
    }
}

/// Reduces late moves by one ply, and has these margins of deeper re-searches. A multiple of three
/// is bad for the side to move, so that some late moves fail high.
#[derive(Clone)]
struct DeeperReSearches([ReSearchMargin; 2]);

impl Evaluator<Heap> for DeeperReSearches {
    type Undo = ();
    fn reset(&mut self, _game: &Heap) {}
    fn played(&mut self, _game: &Heap, _mv: u32) {}
    fn undone(&mut self, _game: &Heap, _mv: u32, (): ()) {}
    fn evaluate(&mut self, game: &Heap) -> Score {
        Score::heuristic(if game.0.is_multiple_of(3) { -100 } else { 100 })
    }
}

impl MoveOrdering<Heap> for DeeperReSearches {}

impl Selectivity<Heap> for DeeperReSearches {
    fn exact(&self) -> bool {
        false
    }

    fn reduction(&self, _game: &Heap, _mv: u32, late: &LateMove) -> u32 {
        u32::from(late.depth > 1)
    }

    fn extension_tuning(&self) -> ExtensionTuning {
        ExtensionTuning::new(SingularTuning::NONE, self.0)
    }
}

impl Prover<Heap> for DeeperReSearches {}

/// Returns the selective depth of a search of depth 6.
fn seldepth(evaluator: DeeperReSearches, extends: bool) -> usize {
    let mut table = Table::new(1).expect("enough memory");
    let (game, context) = (Heap(60, Side::First), Context::unlimited());
    let mut options = Switched::ALL;
    options.extensions = extends;
    let mut search = Search::with_techniques(game, evaluator, table.view(), options, context);
    search.run(&Task::new(Limits::default().with_depth(6)), &mut |_| ()).report.seldepth as usize
}

#[test]
fn a_late_move_that_fails_high_is_searched_again_as_deep_as_the_game_asks() {
    let (always, never) = (ReSearchMargin::new(-1, 0), ReSearchMargin::NEVER);
    let margins = [[never, never], [always, never], [always, always]];
    let [full, one_more, two_more] =
        margins.map(|margins| seldepth(DeeperReSearches(margins), true));
    assert_eq!(full, 6);
    assert!(full < one_more && one_more < two_more);
    assert_eq!(seldepth(DeeperReSearches([always; 2]), false), 6);
}
