//! Tests of every search technique, on and off, against a plain minimax that shares no code with
//! the search.

use crate::maze::{Maze, Oracle, PLAIN, mazes, minimax, static_eval};
use proptest::prelude::*;
use tengen_engine::search::{Context, Search, Switched, Task};
use tengen_engine::table::Table;
use tengen_engine::{
    Coverage, Evaluator, Game, Limits, MoveCountLimits, MoveOrdering, Outcome, Prover, Report,
    Score, SearchEvaluator, Selectivity, Side,
};

fn search(
    maze: &Maze,
    evaluator: impl SearchEvaluator<Maze>,
    options: Switched,
    depth: u32,
) -> Report<u8> {
    let mut table = Table::new(1).unwrap();
    let limits = Limits::default().with_depth(depth);
    let context = Context::unlimited();
    Search::with_techniques(maze.clone(), evaluator, table.view(), options, context)
        .run(&Task::new(limits), &mut |_| ())
        .report
}

/// Omits candidates, and prunes late moves.
#[derive(Clone)]
struct Pruning;

impl Evaluator<Maze> for Pruning {
    type Undo = ();

    fn reset(&mut self, _game: &Maze) {}

    fn played(&mut self, _game: &Maze, _mv: u8) {}

    fn undone(&mut self, _game: &Maze, _mv: u8, (): ()) {}

    fn evaluate(&mut self, game: &Maze) -> Score {
        static_eval(game)
    }
}

impl MoveOrdering<Maze> for Pruning {
    fn candidates(&self, game: &Maze, out: &mut Vec<u8>) -> Coverage {
        game.moves(out);
        let all = out.len();
        out.truncate(1 + (game.hash(8) % 2) as usize);
        if out.len() == all { Coverage::Complete } else { Coverage::Partial }
    }
}

impl Selectivity<Maze> for Pruning {
    fn exact(&self) -> bool {
        false
    }

    fn move_count_limits(&self, _game: &Maze, depth: u32) -> MoveCountLimits {
        let more = depth as usize / 4;
        MoveCountLimits { worse: 1 + more, improving: 2 + more, pv: 3 + more }
    }
}

impl Prover<Maze> for Pruning {}

/// The name of a technique and the function that switches it.
type Switch = (&'static str, fn(&mut Switched, bool));

/// The techniques that must not change the value of a search to a fixed depth.
const NEUTRAL: [Switch; 12] = [
    ("deepening", |t, on| t.deepening = on),
    ("aspiration", |t, on| t.aspiration = on),
    ("scout", |t, on| t.scout = on),
    ("cutoffs", |t, on| t.cutoffs = on),
    ("table", |t, on| t.table = on),
    ("table_move", |t, on| t.table_move = on),
    ("rank", |t, on| t.rank = on),
    ("killers", |t, on| t.killers = on),
    ("history", |t, on| t.history = on),
    ("candidates", |t, on| t.candidates = on),
    ("mate_distance", |t, on| t.mate_distance = on),
    ("probe_children", |t, on| t.probe_children = on),
];

/// Returns each technique alone, with cut-offs, and missing from all techniques.
fn combinations(switches: &[Switch]) -> impl Iterator<Item = (String, Switched)> {
    let mut quiet = Switched::NONE;
    quiet.quiescence = true;
    let mut ways = vec![("none".into(), quiet), ("all".into(), Switched::ALL)];
    for (name, set) in switches {
        let (mut alone, mut cut, mut without) = (quiet, quiet, Switched::ALL);
        set(&mut alone, true);
        cut.cutoffs = true;
        set(&mut cut, true);
        set(&mut without, false);
        ways.push((format!("{name} alone"), alone));
        ways.push((format!("{name} with cutoffs"), cut));
        ways.push((format!("all but {name}"), without));
    }
    ways.into_iter()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn techniques_that_are_neutral_keep_the_value_at_every_depth(maze in mazes(), noisy: bool) {
        let oracle = Oracle { noisy, ..PLAIN };
        for depth in 1..=maze.length {
            let expected = minimax(&maze, &oracle, depth, 0);
            for (name, options) in combinations(&NEUTRAL) {
                // A search may end at a lower depth if a deeper search cannot change the value.
                let found = search(&maze, oracle, options, depth);
                prop_assert_eq!(found.score, expected, "{} at depth {}", name, depth);
                check_line(&maze, &found)?;
            }
        }
    }

    #[test]
    fn proofs_from_the_evaluator_keep_the_value_of_a_search_to_the_end(maze in mazes()) {
        let oracle = Oracle { hooks: true, ..PLAIN };
        let expected = minimax(&maze, &oracle, maze.length, 0);
        let proofs: [Switch; 3] = [
            ("bounds", |t, on| t.bounds = on),
            ("probe", |t, on| t.probe = on),
            ("candidates", |t, on| t.candidates = on),
        ];
        for (name, options) in combinations(&proofs) {
            let found = search(&maze, oracle, options, maze.length);
            prop_assert_eq!(found.score, expected, "{}", name);
            check_line(&maze, &found)?;
        }
    }

    #[test]
    fn reductions_and_extensions_never_prove_a_false_win_or_loss(maze in mazes()) {
        let oracle = Oracle { exact: false, noisy: false, hooks: false };
        let truth = minimax(&maze, &oracle, maze.length, 0);
        let shaping: [Switch; 2] = [
            ("reductions", |t, on| t.reductions = on),
            ("extensions", |t, on| t.extensions = on),
        ];
        for (name, options) in combinations(&shaping) {
            for depth in 1..=2 * maze.length {
                let found = search(&maze, oracle, options, depth);
                prop_assert!(
                    !found.score.is_decisive() || found.score.is_win() == truth.is_win(),
                    "{} at depth {}: {:?}, truly {:?}", name, depth, found.score, truth
                );
                check_line_of_a_bound(&maze, &found)?;
            }
        }
    }

    #[test]
    fn pruning_never_proves_a_false_win_or_loss(maze in mazes()) {
        let truth = minimax(&maze, &PLAIN, maze.length, 0);
        for depth in 1..=2 * maze.length {
            let found = search(&maze, Pruning, Switched::ALL, depth);
            prop_assert!(
                !found.score.is_decisive() || found.score.is_win() == truth.is_win(),
                "at depth {}: {:?}, truly {:?}", depth, found.score, truth
            );
            check_line_of_a_bound(&maze, &found)?;
        }
    }

    #[test]
    fn without_quiescence_the_horizon_has_the_static_evaluation(maze in mazes()) {
        let loud = Oracle { noisy: true, ..PLAIN };
        for depth in 1..=maze.length {
            let expected = minimax(&maze, &PLAIN, depth, 0);
            let mut off = Switched::ALL;
            off.quiescence = false;
            prop_assert_eq!(search(&maze, loud, off, depth).score, expected);
        }
    }

    #[test]
    fn a_restricted_search_stores_nothing_false_in_the_table(
        maze in mazes(),
        picks: [prop::sample::Index; 4],
    ) {
        let mut table = Table::new(1).unwrap();
        let mut below = maze.clone();
        for pick in &picks {
            let mut moves = Vec::new();
            below.moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            let mv = moves[pick.index(moves.len())];
            let mut task = Task::new(Limits::default());
            task.search_moves = vec![mv];
            let context = Context::unlimited();
            Search::new(below.clone(), PLAIN, table.view(), context)
                .run(&task, &mut |_| ());
            below.play(mv);
        }
        table.age();
        let limits = Limits::default().with_depth(maze.length);
        let found =
            Search::new(maze.clone(), PLAIN, table.view(), Context::unlimited())
                .run(&Task::new(limits), &mut |_| ())
                .report;
        prop_assert_eq!(found.score, minimax(&maze, &PLAIN, maze.length, 0));
    }

    #[test]
    fn an_exact_evaluator_is_never_reduced_or_extended(maze in mazes()) {
        let all = search(&maze, PLAIN, Switched::ALL, maze.length);
        let mut none = Switched::ALL;
        none.reductions = false;
        none.extensions = false;
        prop_assert_eq!(all.nodes, search(&maze, PLAIN, none, maze.length).nodes);
    }

    #[test]
    fn a_search_is_reproducible_to_the_node(maze in mazes(), hooks: bool, exact: bool) {
        let oracle = Oracle { exact, noisy: true, hooks };
        let once = search(&maze, oracle, Switched::ALL, maze.length);
        let again = search(&maze, oracle, Switched::ALL, maze.length);
        prop_assert_eq!((once.nodes, once.score, once.pv), (again.nodes, again.score, again.pv));
    }

    #[test]
    fn multi_pv_ranks_every_move_by_its_value(maze in mazes(), lines in 1usize..6) {
        let mut table = Table::new(1).unwrap();
        let limits = Limits::default().with_depth(maze.length);
        let mut task = Task::new(limits);
        task.multi_pv = lines;
        let mut last = Vec::new();
        Search::new(maze.clone(), PLAIN, table.view(), Context::unlimited()).run(
            &task,
            &mut |report| {
                if report.line == 1 {
                    last.clear();
                }
                last.push(report);
            },
        );
        let depth = last[0].depth;
        let mut moves = Vec::new();
        maze.moves(&mut moves);
        let mut values: Vec<Score> = moves
            .iter()
            .map(|&mv| {
                let mut child = maze.clone();
                child.play(mv);
                -minimax(&child, &PLAIN, depth - 1, 1)
            })
            .collect();
        values.sort_by(|a, b| b.cmp(a));
        values.truncate(lines);
        let found: Vec<Score> = last.iter().map(|report| report.score).collect();
        prop_assert_eq!(found, values);
        let mut firsts: Vec<u8> = last.iter().map(|report| report.pv[0]).collect();
        firsts.sort_unstable();
        firsts.dedup();
        prop_assert_eq!(firsts.len(), last.len(), "each line has a first move of its own");
        for report in &last {
            check_line(&maze, report)?;
        }
    }

    #[test]
    fn only_the_search_moves_are_searched(maze in mazes(), pick: prop::sample::Index) {
        let mut moves = Vec::new();
        maze.moves(&mut moves);
        let only = moves[pick.index(moves.len())];
        let mut table = Table::new(1).unwrap();
        let limits = Limits::default().with_depth(maze.length);
        let mut task = Task::new(limits);
        task.search_moves = vec![only];
        let answer = Search::new(maze.clone(), PLAIN, table.view(), Context::unlimited())
            .run(&task, &mut |_| ());
        let mut child = maze.clone();
        child.play(only);
        prop_assert_eq!(answer.best, Some(only));
        prop_assert_eq!(answer.report.score, -minimax(&child, &PLAIN, answer.report.depth - 1, 1));
    }
}

/// Checks the end of the line, and that a decisive line is as long as its score says.
fn check_line(maze: &Maze, report: &Report<u8>) -> Result<(), TestCaseError> {
    check_end(maze, report)?;
    if let Some(plies) = report.score.plies() {
        prop_assert_eq!(report.pv.len(), plies as usize, "{:?}", report);
    }
    Ok(())
}

/// Like [`check_line`] for a game that is not exact: the line may end sooner, with a move of the
/// same side.
fn check_line_of_a_bound(maze: &Maze, report: &Report<u8>) -> Result<(), TestCaseError> {
    check_end(maze, report)?;
    if let Some(plies) = report.score.plies() {
        let sooner = (plies as usize).checked_sub(report.pv.len());
        prop_assert!(sooner.is_some_and(|plies| plies.is_multiple_of(2)), "{:?}", report);
    }
    Ok(())
}

/// Checks that the line is legal and not empty, and that a decisive line ends with the right
/// winner.
fn check_end(maze: &Maze, report: &Report<u8>) -> Result<(), TestCaseError> {
    let mut game = maze.clone();
    for &mv in &report.pv {
        let mut legal = Vec::new();
        game.moves(&mut legal);
        prop_assert!(legal.contains(&mv), "{:?} is not legal in {:?}", mv, report.pv);
        game.play(mv);
    }
    prop_assert!(!report.pv.is_empty());
    prop_assert!(report.pv.len() > 1 || game.outcome().is_some(), "a reply is named");
    if report.score.is_decisive() {
        let winner = if report.score.is_win() { Side::First } else { Side::Second };
        prop_assert_eq!(game.outcome(), Some(Outcome::Win(winner)));
    }
    Ok(())
}
