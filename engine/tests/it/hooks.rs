//! What an evaluator is asked for: a toy writes little, and a wrapper forwards everything.

use std::cell::RefCell;
use std::collections::BTreeSet;

use crate::maze::{Maze, worth};
use tengen_engine::{
    Context, Coverage, Evaluator, ExtensionTuning, Game, HistoryTuning, Interrupt, LateMove,
    LosingMoves, MoveOrdering, Probe, ProofEffort, ProofTuning, Prover, ReSearchMargin,
    RootSchedule, Score, SearchEvaluator, Selectivity, SingularTuning, Window, Wrapper,
    delegate_search_hooks,
};

/// Notes the name of every hook that it is asked by, and answers nothing that a default answers.
#[derive(Clone, Default)]
struct Recorder {
    asked: RefCell<BTreeSet<&'static str>>,
}

impl Recorder {
    fn note(&self, hook: &'static str) {
        self.asked.borrow_mut().insert(hook);
    }
}

const HISTORY: HistoryTuning = HistoryTuning::new(1, 2, 3);
const EXTENSIONS: ExtensionTuning =
    ExtensionTuning::new(SingularTuning::new(3, 4), [ReSearchMargin::new(5, 6); 2]);
const TUNING: ProofTuning = {
    let mut tuning = ProofTuning::PLAIN;
    tuning.near_end = 5;
    tuning
};
const PROBE: Probe<u8> = Probe { score: Score::DRAW, line: Vec::new() };

impl Evaluator<Maze> for Recorder {
    type Undo = ();

    fn reset(&mut self, _game: &Maze) {}

    fn played(&mut self, _game: &Maze, _mv: u8) {}

    fn undone(&mut self, _game: &Maze, _mv: u8, (): ()) {}

    fn evaluate(&mut self, game: &Maze) -> Score {
        worth(game)
    }
}

impl MoveOrdering<Maze> for Recorder {
    fn candidates(&self, game: &Maze, out: &mut Vec<u8>) -> Coverage {
        self.note("candidates");
        game.moves(out);
        Coverage::Partial
    }

    fn searches_all_at_root(&self) -> bool {
        self.note("searches_all_at_root");
        true
    }

    fn only_move(&self, _game: &Maze) -> Option<u8> {
        self.note("only_move");
        Some(2)
    }

    fn rank(&self, _game: &Maze, _mv: u8) -> i32 {
        self.note("rank");
        7
    }

    fn rank_played(&self, _before: &Maze, _game: &Maze, _outer_window: bool) -> i32 {
        self.note("rank_played");
        8
    }

    fn history_tuning(&self) -> HistoryTuning {
        self.note("history_tuning");
        HISTORY
    }

    fn is_threat(&self, _game: &Maze, _mv: u8) -> bool {
        self.note("is_threat");
        true
    }

    fn noisy(&self, _game: &Maze, out: &mut Vec<u8>) {
        self.note("noisy");
        out.push(1);
    }
}

impl Selectivity<Maze> for Recorder {
    fn exact(&self) -> bool {
        self.note("exact");
        false
    }

    fn schedule(&self) -> RootSchedule {
        self.note("schedule");
        RootSchedule::Proving
    }

    fn extension_tuning(&self) -> ExtensionTuning {
        self.note("extension_tuning");
        EXTENSIONS
    }

    fn proof_tuning(&self) -> ProofTuning {
        self.note("proof_tuning");
        TUNING
    }

    fn reduction(&self, _game: &Maze, _mv: u8, _late: &LateMove) -> u32 {
        self.note("reduction");
        1
    }

    fn extension(&self, _game: &Maze, _mv: u8) -> u32 {
        self.note("extension");
        2
    }

    fn futility_margins(&self, _game: &Maze, _depth: u32) -> Option<[i32; 2]> {
        self.note("futility_margins");
        Some([3, 4])
    }

    fn move_count_limits(&self, _game: &Maze, _depth: u32) -> [usize; 3] {
        self.note("move_count_limits");
        [4, 5, 6]
    }
}

impl Prover<Maze> for Recorder {
    const SOLVER_NAME: &'static str = "a recorder";

    fn static_bounds(&self, _game: &Maze, _wanted: Window) -> (Score, Score) {
        self.note("static_bounds");
        (Score::DRAW, Score::DRAW)
    }

    fn probe(
        &mut self,
        _game: &Maze,
        _window: Window,
        _ctx: &mut Context,
    ) -> Result<Option<Probe<u8>>, Interrupt> {
        self.note("probe");
        Ok(Some(PROBE))
    }

    fn probe_horizon(
        &mut self,
        _game: &Maze,
        _window: Window,
        _ctx: &mut Context,
    ) -> Result<Option<Probe<u8>>, Interrupt> {
        self.note("probe_horizon");
        Ok(Some(PROBE))
    }

    fn solve(
        &mut self,
        _game: &Maze,
        _nodes: u64,
        _ctx: &mut Context,
    ) -> Result<Option<Probe<u8>>, Interrupt> {
        self.note("solve");
        Ok(Some(PROBE))
    }

    fn others_lose(
        &mut self,
        _game: &Maze,
        others: &[u8],
        effort: ProofEffort,
        _ctx: &mut Context,
    ) -> Result<LosingMoves, Interrupt> {
        self.note("others_lose");
        Ok(LosingMoves { count: others.len(), plies: effort as u32 })
    }
}

impl SearchEvaluator<Maze> for Recorder {}

#[derive(Clone)]
struct Wrapped<E>(E);

impl<E: Evaluator<Maze>> Evaluator<Maze> for Wrapped<E> {
    type Undo = E::Undo;

    fn reset(&mut self, game: &Maze) {
        self.0.reset(game);
    }

    fn played(&mut self, game: &Maze, mv: u8) -> E::Undo {
        self.0.played(game, mv)
    }

    fn undone(&mut self, game: &Maze, mv: u8, undo: E::Undo) {
        self.0.undone(game, mv, undo);
    }

    fn evaluate(&mut self, game: &Maze) -> Score {
        self.0.evaluate(game)
    }
}

impl<E: SearchEvaluator<Maze>> Wrapper<Maze> for Wrapped<E> {
    type Game = Maze;
    type Inner = E;

    fn inner(&self) -> &E {
        &self.0
    }

    fn inner_mut(&mut self) -> &mut E {
        &mut self.0
    }

    fn inner_game(game: &Maze) -> &Maze {
        game
    }
}

delegate_search_hooks! {
    impl[E: SearchEvaluator<Maze>] Wrapped<E>, Maze;
    ordering {}
    selectivity {}
    prover {}
}

/// Asks every hook; the answers that differ from what the recorder says.
fn ask_all(evaluator: &mut impl SearchEvaluator<Maze>) -> Vec<&'static str> {
    let game = Maze { seed: 7, width: 5, length: 9, ply: 0, place: 0, ends_early: false };
    let ctx = &mut Context::unlimited();
    let late = LateMove::new(1, 1);
    let (mut moves, mut noisy) = (Vec::new(), Vec::new());
    let coverage = evaluator.candidates(&game, &mut moves);
    let losing = LosingMoves { count: 1, plies: ProofEffort::High as u32 };
    evaluator.noisy(&game, &mut noisy);
    let answers = [
        ("candidates", coverage == Coverage::Partial && !moves.is_empty()),
        ("searches_all_at_root", evaluator.searches_all_at_root()),
        ("only_move", evaluator.only_move(&game) == Some(2)),
        ("rank", evaluator.rank(&game, 0) == 7),
        ("rank_played", evaluator.rank_played(&game, &game, true) == 8),
        ("history_tuning", evaluator.history_tuning() == HISTORY),
        ("is_threat", evaluator.is_threat(&game, 0)),
        ("noisy", noisy == [1]),
        ("exact", !evaluator.exact()),
        ("schedule", evaluator.schedule() == RootSchedule::Proving),
        ("extension_tuning", evaluator.extension_tuning() == EXTENSIONS),
        ("proof_tuning", evaluator.proof_tuning() == TUNING),
        ("reduction", evaluator.reduction(&game, 0, &late) == 1),
        ("extension", evaluator.extension(&game, 0) == 2),
        ("futility_margins", evaluator.futility_margins(&game, 1) == Some([3, 4])),
        ("move_count_limits", evaluator.move_count_limits(&game, 1) == [4, 5, 6]),
        ("static_bounds", evaluator.static_bounds(&game, Window::FULL).1 == Score::DRAW),
        ("probe", evaluator.probe(&game, Window::FULL, ctx) == Ok(Some(PROBE))),
        ("probe_horizon", evaluator.probe_horizon(&game, Window::FULL, ctx) == Ok(Some(PROBE))),
        ("solve", evaluator.solve(&game, 1, ctx) == Ok(Some(PROBE))),
        ("others_lose", evaluator.others_lose(&game, &[0], ProofEffort::High, ctx) == Ok(losing)),
    ];
    answers.into_iter().filter(|(_, is_right)| !is_right).map(|(hook, _)| hook).collect()
}

/// The methods of the trait that a source file declares.
fn methods_of(source: &'static str, name: &str) -> BTreeSet<&'static str> {
    let body = source.split(&format!("pub trait {name}<")).nth(1).expect("the trait");
    let body = body.split("\n}\n").next().expect("its end");
    let names = body.lines().filter_map(|line| line.strip_prefix("    fn "));
    names.filter_map(|line| line.split(['(', '<']).next()).collect()
}

#[test]
fn a_wrapper_made_by_the_macro_forwards_every_hook() {
    let hooks: BTreeSet<_> = [
        methods_of(include_str!("../../src/ordering.rs"), "MoveOrdering"),
        methods_of(include_str!("../../src/selectivity.rs"), "Selectivity"),
        methods_of(include_str!("../../src/prover.rs"), "Prover"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut wrapped = Wrapped(Wrapped(Recorder::default()));
    assert_eq!(ask_all(&mut wrapped), [""; 0], "answers that got lost");
    assert_eq!(wrapped.0.0.asked.into_inner(), hooks, "every hook of the traits is asked here");
    assert_eq!(<Wrapped<Recorder> as Prover<Maze>>::SOLVER_NAME, Recorder::SOLVER_NAME);
}

#[test]
fn no_trait_asks_more_than_eight_questions() {
    for (source, name) in [
        (include_str!("../../src/evaluator.rs"), "Evaluator"),
        (include_str!("../../src/ordering.rs"), "MoveOrdering"),
        (include_str!("../../src/selectivity.rs"), "Selectivity"),
        (include_str!("../../src/prover.rs"), "Prover"),
        (include_str!("../../src/book.rs"), "OpeningBook"),
    ] {
        let methods = methods_of(source, name);
        assert!((1..=8).contains(&methods.len()), "{name}: {methods:?}");
    }
}
