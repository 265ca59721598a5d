//! Compares the textbook algorithms with each other, with an independent minimax, and with theory.

use std::collections::HashMap;

use super::trees::{self, Plan, Shape};
use fastrand::Rng;
use tengen_engine::{Game, Notation, Score, SearchEvaluator, Side};
use tengen_games::cfour::{AnySize, Board, CfourEvaluator, Classic, MisereEvaluator};
use tengen_games::mnk::{Mnk, MnkEvaluator, Rules};
use tengen_games::tree::{EXAMPLE, MAX_NESTING, TreeEvaluator, TreeGame, TreeMove};
use tengen_textbook::{Algorithm, TreeResult, WalkCounts, WinSolver, tengen};

/// The size of the smallest table, in MiB.
const TABLE_MIB: usize = 1;

type Results = HashMap<Algorithm, (TreeResult<TreeMove>, WalkCounts)>;

fn measure(game: &TreeGame) -> Results {
    let run = |algorithm: Algorithm| {
        (algorithm, algorithm.measure(game, &TreeEvaluator, game.plies_left()))
    };
    Algorithm::ALL.into_iter().map(run).collect()
}

fn leaves(results: &Results, algorithm: Algorithm) -> u64 {
    results[&algorithm].1.leaves
}

/// Checks everything that holds for every tree.
fn check(plan: &Plan) {
    let game = plan.game();
    let (value, best) = plan.solve(game.turn());
    let results = measure(&game);
    let mut all: Vec<_> = results.iter().map(|(name, result)| (name.name(), *result)).collect();
    all.push(("tengen", tengen(&game, &TreeEvaluator, game.plies_left(), TABLE_MIB).unwrap()));
    for (name, (found, counts)) in all {
        let context = || format!("{name} on {}", plan.literal());
        assert_eq!(found.value, Score::heuristic(value), "{}", context());
        assert_eq!(found.best.map(TreeMove::index), best, "{}", context());
        assert!(counts.distinct_leaves <= counts.leaves, "{}", context());
        // A shallower horizon evaluates inner nodes too.
        if !["aspiration", "tengen"].contains(&name) {
            assert!(counts.distinct_leaves <= plan.leaves(), "{}", context());
        }
        assert!(counts.leaves <= counts.nodes, "{}", context());
    }
    check_leaves(&results, plan);
}

fn check_leaves(results: &Results, plan: &Plan) {
    use Algorithm::{
        AlphaBetaHard, AlphaBetaSoft, Aspiration, GrandparentBound, MinMaxSearch, MinimalWindow,
        Minimax, Negamax, ParentBound, PostorderEvaluation,
    };
    let count = |algorithm| leaves(results, algorithm);
    let literal = || plan.literal();
    for algorithm in [Minimax, Negamax, PostorderEvaluation] {
        assert_eq!(count(algorithm), plan.leaves(), "{algorithm:?} on {}", literal());
        assert_eq!(results[&algorithm].1, results[&Minimax].1, "{algorithm:?} on {}", literal());
    }
    assert!(count(ParentBound) <= count(Minimax), "{}", literal());
    assert_eq!(results[&MinMaxSearch].1, results[&ParentBound].1, "{}", literal());
    assert!(count(GrandparentBound) <= count(ParentBound), "{}", literal());
    assert!(count(AlphaBetaSoft) <= count(AlphaBetaHard), "{}", literal());
    assert_eq!(count(AlphaBetaHard), count(GrandparentBound), "{}", literal());
    for (algorithm, (_, counts)) in results {
        if ![Aspiration, MinimalWindow].contains(algorithm) {
            assert_eq!(counts.leaves, counts.distinct_leaves, "{algorithm:?} on {}", literal());
        }
    }
}

#[test]
fn all_agree_on_thousands_of_random_trees() {
    let mut rng = Rng::with_seed(1);
    for _ in 0..20_000 {
        let plan = Shape::draw(&mut rng).plan(&mut rng);
        check(&plan);
    }
}

#[test]
fn all_agree_on_deep_trees_and_chains() {
    let mut rng = Rng::with_seed(2);
    for height in [1, 2, 3, 50, 199, 200] {
        for _ in 0..6 {
            check(&trees::caterpillar(height, &mut rng));
        }
        let chain = (0..height).fold(Plan::Leaf(-3), |plan, _| Plan::Inner(vec![plan]));
        check(&chain);
    }
}

#[test]
fn a_root_that_is_a_leaf_has_a_value_and_no_move() {
    for value in [-1_000_000, -7, 0, 5, 1_000_000] {
        check(&Plan::Leaf(value));
    }
}

#[test]
fn the_deepest_nesting_is_searched() {
    let mut rng = Rng::with_seed(3);
    let plan = trees::caterpillar(MAX_NESTING as u32, &mut rng);
    let game = plan.game();
    assert_eq!(game.plies_left() as usize, MAX_NESTING);
    for (algorithm, (found, _)) in measure(&game) {
        assert_eq!(found.value, Score::heuristic(plan.solve(game.turn()).0), "{algorithm:?}");
    }
    let (found, _) = tengen(&game, &TreeEvaluator, game.plies_left(), TABLE_MIB).unwrap();
    assert_eq!(found.value, Score::heuristic(plan.solve(game.turn()).0));
}

#[test]
fn perfect_order_reaches_the_knuth_moore_minimum() {
    use Algorithm::{AlphaBetaHard, AlphaBetaSoft, GrandparentBound, MinimalWindow};
    let mut rng = Rng::with_seed(4);
    for width in 1..=5_usize {
        for height in 0..=6_u32 {
            let minimum = width.pow(height.div_ceil(2)) + width.pow(height / 2) - 1;
            let plan = trees::perfectly_ordered(width, height, &mut rng);
            let game = plan.game();
            for algorithm in [GrandparentBound, AlphaBetaHard, AlphaBetaSoft, MinimalWindow] {
                let (_, counts) = algorithm.measure(&game, &TreeEvaluator, height);
                let context = format!("{algorithm:?}, width {width}, height {height}");
                assert_eq!(counts.leaves, minimum as u64, "{context}");
            }
        }
    }
}

#[test]
fn alpha_beta_visits_seven_of_nine_leaves_of_the_example() {
    let game = trees::game(EXAMPLE);
    let results = measure(&game);
    for (algorithm, (found, counts)) in &results {
        assert_eq!(found.value, Score::heuristic(3), "{algorithm:?}");
        assert_eq!(found.best.map(TreeMove::index), Some(0), "{algorithm:?}");
        assert_eq!(counts.beta_cuts, 0, "{algorithm:?}");
    }
    let soft = results[&Algorithm::AlphaBetaSoft].1;
    assert_eq!((soft.leaves, soft.distinct_leaves, soft.alpha_cuts), (7, 7, 1));
    assert_eq!(results[&Algorithm::Minimax].1.leaves, 9);
}

/// The second child of B is better for Min than the first, so minimal-window search searches the
/// child twice.
const SEARCHED_TWICE: &str = "[A, [B, (D, 9), (E, 8)], [C, (F, 7)]]";
/// A tree whose value is far from the guess of 0: aspiration fails high and searches the whole tree
/// again.
const FAR_FROM_THE_GUESS: &str = "[A, [B, (D, 90), (E, 80)], [C, (F, 70)]]";

#[test]
fn a_second_search_can_cost_more_than_it_saves() {
    let results = measure(&trees::game(SEARCHED_TWICE));
    assert_eq!(leaves(&results, Algorithm::AlphaBetaSoft), 3);
    let (_, pvs) = results[&Algorithm::MinimalWindow];
    assert_eq!((pvs.leaves, pvs.distinct_leaves), (4, 3));

    let results = measure(&trees::game(FAR_FROM_THE_GUESS));
    assert_eq!(leaves(&results, Algorithm::AlphaBetaSoft), 3);
    let (_, aspiration) = results[&Algorithm::Aspiration];
    assert_eq!((aspiration.leaves, aspiration.distinct_leaves), (7, 5));
}

#[test]
fn the_textbooks_agree_at_every_horizon() {
    let mut rng = Rng::with_seed(5);
    for _ in 0..500 {
        let game = Shape::draw(&mut rng).plan(&mut rng).game();
        for horizon in 0..=game.plies_left() {
            check_agreement(&game, &TreeEvaluator, horizon);
        }
    }
    let rules = Rules::new(4, 4, 3, false, true).unwrap();
    let mut board = Board::new(Classic);
    for horizon in 0..=4 {
        check_agreement(&Mnk::new(rules), &MnkEvaluator::new(&rules), horizon);
        check_agreement(&board, &CfourEvaluator::new(), horizon);
    }
    let mv = first_move(&board);
    board.play(mv);
    check_agreement(&board, &CfourEvaluator::new(), 5);
}

/// Checks that all textbook algorithms find the same result, and returns it.
fn check_agreement<G: Game, E: SearchEvaluator<G>>(
    game: &G,
    evaluator: &E,
    horizon: u32,
) -> TreeResult<G::Move> {
    let results = Algorithm::ALL.map(|it| it.run(game, evaluator, horizon, &mut ()));
    for (found, algorithm) in results.iter().zip(Algorithm::ALL) {
        assert_eq!(*found, results[0], "{algorithm:?} to depth {horizon}");
    }
    results[0]
}

fn first_move<G: Game>(game: &G) -> G::Move {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    moves[0]
}

#[test]
fn tic_tac_toe_is_counted_and_drawn() {
    let rules = Rules::new(3, 3, 3, false, true).unwrap();
    let (game, evaluator) = (Mnk::new(rules), MnkEvaluator::new(&rules));
    let (found, counts) = Algorithm::Minimax.measure(&game, &evaluator, 9);
    assert_eq!((found.value, counts.nodes, counts.leaves), (Score::DRAW, 549_946, 255_168));
    assert_eq!(counts.distinct_leaves, counts.leaves);
    assert_eq!(check_agreement(&game, &evaluator, 9), found);
    assert_eq!(tengen(&game, &evaluator, 9, TABLE_MIB).unwrap().0, found);
}

#[test]
fn our_own_search_agrees_on_boards_played_to_the_end() {
    let mut rng = Rng::with_seed(6);
    for (width, height, connect, falls) in [(3, 3, 3, false), (4, 3, 3, true), (3, 4, 3, true)] {
        let rules = Rules::new(width, height, connect, falls, true).unwrap();
        for _ in 0..100 {
            let plies = 1 + rng.u64(..5);
            let game = played(Mnk::new(rules), plies, &mut rng);
            check_own_search(&game, &MnkEvaluator::new(&rules));
        }
    }
    for _ in 0..100 {
        let plies = 31 + rng.u64(..8);
        let game = played(Board::new(Classic), plies, &mut rng);
        check_own_search(&game, &CfourEvaluator::new());
    }
}

// In misère the loser makes the last move, so the shortest wins and losses differ from other games.
#[test]
fn our_own_search_agrees_where_a_line_loses() {
    let mut rng = Rng::with_seed(8);
    for (width, height, connect, min_plies, plies) in
        [(3, 3, 3, 0, 4), (4, 3, 3, 2, 4), (4, 4, 4, 4, 6)]
    {
        let shape = AnySize::<u64>::new(width, height, connect).expect("the board fits");
        for _ in 0..60 {
            let game = played(Board::misere(shape), min_plies + rng.u64(..plies), &mut rng);
            check_own_search(&game, &MisereEvaluator::default());
        }
    }
    for _ in 0..60 {
        let game = played(Board::misere(Classic), 31 + rng.u64(..8), &mut rng);
        check_own_search(&game, &MisereEvaluator::default());
    }
}

/// Returns the game after `plies` random moves, or at its end.
fn played<G: Game>(mut game: G, plies: u64, rng: &mut Rng) -> G {
    for _ in 0..plies {
        let mut moves = Vec::new();
        game.moves(&mut moves);
        if moves.is_empty() {
            break;
        }
        game.play(moves[rng.usize(..moves.len())]);
    }
    game
}

fn check_own_search<G: Game + Notation, E: SearchEvaluator<G>>(game: &G, evaluator: &E) {
    let horizon = game.plies_left();
    let found = Algorithm::GrandparentBound.run(game, evaluator, horizon, &mut ());
    let ours = tengen(game, evaluator, horizon, TABLE_MIB).unwrap().0;
    assert_eq!(ours, found, "{}, {}", game.rules(), game.write_position(false));
}

#[test]
fn win_prover_agrees_with_alpha_beta() {
    let mut rng = Rng::with_seed(9);
    let rules = Rules::new(4, 4, 4, false, true).unwrap();
    let (empty, evaluator) = (Mnk::new(rules), MnkEvaluator::new(&rules));
    let mut provers = [Side::First, Side::Second].map(WinSolver::new);
    let mut wins = 0;
    for _ in 0..300 {
        // Random stones, which need not be reachable by play.
        let text = ["w", "b"][rng.usize(..2)];
        let Ok(mut game) = empty.read_position(&random_board(&mut rng, text)) else { continue };
        let horizon = game.plies_left();
        let value = Algorithm::AlphaBetaSoft.run(&game, &evaluator, horizon, &mut ()).value;
        for prover in &mut provers {
            let wins_here = prover.wins(&mut game);
            let is_ours = prover.winner() == game.turn();
            assert_eq!(wins_here, if is_ours { value.is_win() } else { value.is_loss() });
            wins += u32::from(wins_here);
        }
    }
    assert!(wins > 20, "{wins}");
}

/// Returns a 4x4 board with at most nine empty cells.
fn random_board(rng: &mut Rng, turn: &str) -> String {
    let mut rows = vec![String::new(); 4];
    let mut empties = 0;
    for cell in 0..16 {
        let kind = rng.u64(..if empties < 9 { 4 } else { 2 });
        empties += u32::from(kind > 1);
        rows[cell / 4].push(['P', 'p', '.', '.'][kind as usize]);
    }
    let counted = rows.iter().map(|row| {
        let runs = ["....", "...", "..", "."].iter().zip(["4", "3", "2", "1"]);
        runs.fold(row.clone(), |row, (run, digit)| row.replace(run, digit))
    });
    format!("{} {turn}", counted.collect::<Vec<_>>().join("/"))
}
