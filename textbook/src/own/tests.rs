//! The observer, around an evaluator that notes what it is asked.

use std::cell::RefCell;
use std::collections::BTreeSet;

use tengen_engine::{
    Context, Coverage, Defences, Evaluator, ExtensionTuning, Game, HistoryTuning, Interrupt,
    LateMove, LosingMoves, MoveOrdering, Outcome, Probe, ProofEffort, ProofTuning, Prover,
    ReSearchMargin, RootSchedule, Score, Selectivity, SingularTuning, Window,
};

use super::*;

/// One side of a coin is turned up, and the game is over.
#[derive(Clone)]
struct Coin(bool);

impl Game for Coin {
    type Move = u8;
    type Undo = ();
    type Symmetry = ();

    fn turn(&self) -> Side {
        Side::First
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.then_some(Outcome::Draw)
    }

    fn moves(&self, out: &mut Vec<u8>) {
        out.extend([0, 1]);
    }

    fn play(&mut self, _mv: u8) {
        self.0 = true;
    }

    fn undo(&mut self, _mv: u8, (): ()) {
        self.0 = false;
    }

    fn plies_left(&self) -> u32 {
        u32::from(!self.0)
    }

    fn key(&self) -> (u64, ()) {
        (u64::from(self.0), ())
    }
}

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
const MARGINS: FutilityMargins = FutilityMargins { worse: 3, improving: 4 };
const LIMITS: MoveCountLimits = MoveCountLimits { worse: 4, improving: 5, pv: 6 };
const PROBE: Probe<u8> = Probe { score: Score::DRAW, line: Vec::new() };

impl Evaluator<Coin> for Recorder {
    type Undo = ();

    fn reset(&mut self, _game: &Coin) {}

    fn played(&mut self, _game: &Coin, _mv: u8) {}

    fn undone(&mut self, _game: &Coin, _mv: u8, (): ()) {}

    fn evaluate(&mut self, _game: &Coin) -> Score {
        Score::DRAW
    }
}

impl MoveOrdering<Coin> for Recorder {
    fn candidates(&self, game: &Coin, out: &mut Vec<u8>) -> Coverage {
        self.note("candidates");
        game.moves(out);
        Coverage::Partial
    }

    fn searches_all_at_root(&self) -> bool {
        self.note("searches_all_at_root");
        true
    }

    fn only_move(&self, _game: &Coin) -> Option<u8> {
        self.note("only_move");
        Some(2)
    }

    fn rank(&self, _game: &Coin, _mv: u8) -> i32 {
        self.note("rank");
        7
    }

    fn rank_played(&self, _before: &Coin, _game: &Coin, _outer_window: bool) -> i32 {
        self.note("rank_played");
        8
    }

    fn history_tuning(&self) -> HistoryTuning {
        self.note("history_tuning");
        HISTORY
    }

    fn is_threat(&self, _game: &Coin, _mv: u8) -> bool {
        self.note("is_threat");
        true
    }

    fn noisy(&self, _game: &Coin, out: &mut Vec<u8>) {
        self.note("noisy");
        out.push(1);
    }
}

impl Selectivity<Coin> for Recorder {
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

    fn reduction(&self, _game: &Coin, _mv: u8, _late: &LateMove) -> u32 {
        self.note("reduction");
        1
    }

    fn extension(&self, _game: &Coin, _mv: u8) -> u32 {
        self.note("extension");
        2
    }

    fn futility_margins(&self, _game: &Coin, _depth: u32) -> Option<FutilityMargins> {
        self.note("futility_margins");
        Some(MARGINS)
    }

    fn move_count_limits(&self, _game: &Coin, _depth: u32) -> MoveCountLimits {
        self.note("move_count_limits");
        LIMITS
    }
}

impl Prover<Coin> for Recorder {
    const SOLVER_NAME: &'static str = "a recorder";
    const KEEPS_WINS: bool = true;

    fn static_bounds(&self, _game: &Coin, _wanted: Window) -> (Score, Score) {
        self.note("static_bounds");
        (Score::DRAW, Score::DRAW)
    }

    fn probe(
        &mut self,
        _game: &Coin,
        _window: Window,
        _ctx: &mut Context,
    ) -> Result<Option<Probe<u8>>, Interrupt> {
        self.note("probe");
        Ok(Some(PROBE))
    }

    fn probe_horizon(
        &mut self,
        _game: &Coin,
        _window: Window,
        _ctx: &mut Context,
    ) -> Result<Option<Probe<u8>>, Interrupt> {
        self.note("probe_horizon");
        Ok(Some(PROBE))
    }

    fn solve(
        &mut self,
        _game: &Coin,
        _nodes: u64,
        _ctx: &mut Context,
    ) -> Result<Option<Probe<u8>>, Interrupt> {
        self.note("solve");
        Ok(Some(PROBE))
    }

    fn win_within(
        &mut self,
        _game: &Coin,
        _plies: u32,
        _nodes: u64,
        _ctx: &mut Context,
    ) -> Result<Option<Probe<u8>>, Interrupt> {
        self.note("win_within");
        Ok(Some(PROBE))
    }

    fn attack_within(
        &mut self,
        _game: &Coin,
        plies: u32,
        effort: ProofEffort,
        _nodes: u64,
        _ctx: &mut Context,
    ) -> Result<Option<u8>, Interrupt> {
        self.note("attack_within");
        Ok((plies == 5 && effort == ProofEffort::High).then_some(3))
    }

    fn defences(
        &mut self,
        _game: &Coin,
        plies: u32,
        _ctx: &mut Context,
    ) -> Result<Option<Defences<u8>>, Interrupt> {
        self.note("defences");
        Ok(Some(Defences { moves: vec![4], others_lose_in: plies }))
    }

    fn others_lose(
        &mut self,
        _game: &Coin,
        others: &[u8],
        effort: ProofEffort,
        _ctx: &mut Context,
    ) -> Result<LosingMoves, Interrupt> {
        self.note("others_lose");
        Ok(LosingMoves { count: others.len(), plies: effort as u32 })
    }
}

/// Asks every hook; the answers that differ from what the recorder says.
fn ask_all(evaluator: &mut Observer<Recorder>) -> Vec<&'static str> {
    let game = Coin(false);
    let ctx = &mut Context::unlimited();
    let late = LateMove::new(1, 1);
    let (mut moves, mut noisy) = (Vec::new(), Vec::new());
    let coverage = evaluator.candidates(&game, &mut moves);
    let losing = LosingMoves { count: 1, plies: ProofEffort::High as u32 };
    let defences = Defences { moves: vec![4], others_lose_in: 5 };
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
        ("futility_margins", evaluator.futility_margins(&game, 1) == Some(MARGINS)),
        ("move_count_limits", evaluator.move_count_limits(&game, 1) == LIMITS),
        ("static_bounds", evaluator.static_bounds(&game, Window::FULL).1 == Score::DRAW),
        ("probe", evaluator.probe(&game, Window::FULL, ctx) == Ok(Some(PROBE))),
        ("probe_horizon", evaluator.probe_horizon(&game, Window::FULL, ctx) == Ok(Some(PROBE))),
        ("solve", evaluator.solve(&game, 1, ctx) == Ok(Some(PROBE))),
        ("win_within", evaluator.win_within(&game, 5, 1, ctx) == Ok(Some(PROBE))),
        (
            "attack_within",
            evaluator.attack_within(&game, 5, ProofEffort::High, 1, ctx) == Ok(Some(3)),
        ),
        ("defences", evaluator.defences(&game, 5, ctx) == Ok(Some(defences))),
        ("others_lose", evaluator.others_lose(&game, &[0], ProofEffort::High, ctx) == Ok(losing)),
    ];
    answers.into_iter().filter(|(_, is_right)| !is_right).map(|(hook, _)| hook).collect()
}

/// Returns the names of the methods of a trait, read from its source file.
fn methods_of(source: &'static str, name: &str) -> BTreeSet<&'static str> {
    let body = source.split(&format!("pub trait {name}<")).nth(1).expect("the trait");
    let body = body.split("\n}\n").next().expect("its end");
    let names = body.lines().filter_map(|line| line.strip_prefix("    fn "));
    names.filter_map(|line| line.split(['(', '<']).next()).collect()
}

#[test]
fn the_observer_forwards_every_method_of_the_search_traits() {
    let methods: BTreeSet<_> = [
        methods_of(
            include_str!("../../../engine/src/search/evaluator/ordering.rs"),
            "MoveOrdering",
        ),
        methods_of(
            include_str!("../../../engine/src/search/evaluator/selectivity.rs"),
            "Selectivity",
        ),
        methods_of(include_str!("../../../engine/src/search/evaluator/prover.rs"), "Prover"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut observer = Observer { evaluator: Recorder::default(), log: Log::default() };
    assert_eq!(ask_all(&mut observer), [""; 0], "answers that got lost");
    assert_eq!(observer.evaluator.asked.into_inner(), methods, "every method is asked here");
    assert_eq!(<Observer<Recorder> as Prover<Coin>>::SOLVER_NAME, Recorder::SOLVER_NAME);
    const { assert!(<Observer<Recorder> as Prover<Coin>>::KEEPS_WINS) };
}
