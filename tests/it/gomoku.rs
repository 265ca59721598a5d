//! Checks the claims of the evaluator of five in a row against every defence, by the rules alone:
//! wins by fours, static bounds, and complete lists of candidates. Also checks that its solver does
//! not use up all nodes of a search.

use crate::support::boards::{gomoku, moves_of};
use crate::support::referee::{Referee, picture};
use fastrand::Rng;
use tengen_engine::Cell;
use tengen_engine::search::{Context, Search, Task};
use tengen_engine::table::Table;
use tengen_engine::{Coverage, LosingMoves, MoveOrdering, Outcome, ProofEffort, Prover};
use tengen_engine::{Evaluator, Game, Limits, Report, Score, Side, Window};
use tengen_games::gomoku::{Board, Class, GomokuEvaluator, Rule};

fn wins_at_once(board: &Board, side: Side) -> bool {
    let mut empty = board.grid().all().filter(|&cell| board.stone(cell).is_none());
    empty.any(|cell| board.classes(cell, side).contains(&Class::Five))
}

fn solve(board: &Board, nodes: u64) -> Option<Vec<Cell>> {
    let mut evaluator = GomokuEvaluator::new(board);
    let win = evaluator.solve(board, nodes, &mut Context::unlimited()).expect("nothing stops it");
    win.map(|win| win.line)
}

/// Plays the win that `line` claims for the side to move against every defence. After each defence
/// the attacker wins immediately, continues `line`, or has another win if there are several
/// answers.
fn check_win(board: &mut Board, line: &[Cell]) {
    let attacker = board.turn();
    assert!(board.is_allowed(line[0]));
    board.play(line[0]);
    if line.len() == 1 {
        assert_eq!(board.outcome(), Some(Outcome::Win(attacker)));
    } else {
        assert_eq!(board.outcome(), None, "{}", picture(board));
        for defence in moves_of(board) {
            board.play(defence);
            assert_eq!(board.outcome(), None, "{}", picture(board));
            if !wins_at_once(board, attacker) {
                let other = || solve(board, 1_000_000).expect("a win against every answer");
                let rest = if defence == line[1] { line[2..].to_vec() } else { other() };
                check_win(board, &rest);
            }
            board.undo(defence, ());
        }
    }
    board.undo(line[0], ());
}

/// Checks that a line leads from the position to the end of the game.
fn check_line(board: &Board, line: &[Cell]) {
    let mut board = board.clone();
    for (ply, &mv) in line.iter().enumerate() {
        assert_eq!(board.outcome(), None, "over before ply {ply}");
        assert!(board.is_allowed(mv));
        board.play(mv);
    }
    let winner = if line.len() % 2 == 1 { board.turn().other() } else { board.turn() };
    assert_eq!(board.outcome(), Some(Outcome::Win(winner)));
}

/// Plays random games and calls `check` with every position. The moves are candidates of the
/// evaluator, the better ones more often, so that threats arise.
fn random_games(
    rule: Rule,
    games: impl IntoIterator<Item = u64>,
    mut check: impl FnMut(&mut Board, &GomokuEvaluator),
) {
    for seed in games {
        let mut rng = Rng::with_seed(seed);
        let sides = [(15, 15), (9, 9), (7, 6), (13, 8)][rng.usize(..4)];
        let (mut board, mut evaluator) = gomoku(rule, sides.0, sides.1);
        while board.outcome().is_none() {
            check(&mut board, &evaluator);
            let mv = likely_move(&board, &evaluator, &mut rng);
            board.play(mv);
            evaluator.played(&board, mv);
        }
    }
}

/// Returns a random candidate of the evaluator, the better ones more often.
fn likely_move(board: &Board, evaluator: &GomokuEvaluator, rng: &mut Rng) -> Cell {
    let mut moves = Vec::new();
    evaluator.candidates(board, &mut moves);
    moves.sort_by_key(|&mv| std::cmp::Reverse(evaluator.rank(board, mv)));
    let most = rng.usize(..moves.len()) + 1;
    moves[rng.usize(..most)]
}

/// Returns whether the side that wins by `line` makes a four with every move but the last.
fn is_all_fours(board: &Board, line: &[Cell]) -> bool {
    let mut board = board.clone();
    line.iter().enumerate().all(|(ply, &mv)| {
        let side = board.turn();
        board.play(mv);
        ply % 2 == 1 || ply + 1 == line.len() || wins_at_once(&board, side)
    })
}

/// Plays games of the engine against itself, 2,000 nodes a move, from openings of random moves.
/// Calls `check` with every position and the report of its search, until `check` returns true.
fn own_games(rule: Rule, mut check: impl FnMut(&mut Board, &Report<Cell>) -> bool) {
    let mut table = Table::new(8).expect("the memory is there");
    for seed in 0.. {
        let mut rng = Rng::with_seed(seed);
        let sides = [(15, 15), (12, 12), (9, 9), (13, 8)][rng.usize(..4)];
        let (mut board, mut evaluator) = gomoku(rule, sides.0, sides.1);
        for _ in 0..5 + rng.usize(..4) {
            if board.outcome().is_none() {
                let mv = likely_move(&board, &evaluator, &mut rng);
                board.play(mv);
                evaluator.played(&board, mv);
            }
        }
        table.clear();
        while board.outcome().is_none() {
            table.age();
            let context = Context::limited(2_000);
            let (own, view) = (board.clone(), table.view());
            let mut search = Search::new(own, evaluator.clone(), view, context);
            let found = search.run(&Task::new(Limits::default()), &mut |_| ());
            if check(&mut board, &found.report) {
                return;
            }
            board.play(found.best.expect("a game that is not over has a move"));
        }
    }
}

/// Checks `wanted` wins that the engine claims in games against itself under one rule, each against
/// every defence. Some of the wins are not by fours alone.
fn check_claims(rule: Rule, wanted: u32) {
    let (mut claims, mut by_threats) = (0, 0);
    own_games(rule, |board, found| {
        let plies = found.score.plies().filter(|&plies| found.score.is_win() && plies > 3);
        if let Some(plies) = plies {
            assert!(found.pv.len() <= plies as usize);
            check_line(board, &found.pv);
            Referee::new(board).check(board, &found.pv, plies);
            claims += 1;
            by_threats += u32::from(!is_all_fours(board, &found.pv));
        }
        claims == wanted
    });
    assert!(by_threats >= wanted / 10, "{rule:?}: only {by_threats} by threats");
}

/// The number of claims checked for each rule in every run, and in the campaign.
const CLAIMS: u32 = 50;
const CAMPAIGN_CLAIMS: u32 = 400;

#[test]
fn claims_in_freestyle_hold_against_every_defence() {
    check_claims(Rule::Freestyle, CLAIMS);
}

#[test]
fn claims_in_standard_hold_against_every_defence() {
    check_claims(Rule::Standard, CLAIMS);
}

#[test]
fn claims_in_renju_hold_against_every_defence() {
    check_claims(Rule::Renju, CLAIMS);
}

#[test]
fn claims_in_caro_hold_against_every_defence() {
    check_claims(Rule::Caro, CLAIMS);
}

#[test]
fn claims_in_caro_with_exactly_five_hold_against_every_defence() {
    check_claims(Rule::CaroExact, CLAIMS);
}

#[test]
#[ignore = "campaign"]
fn campaign_claims_in_freestyle() {
    check_claims(Rule::Freestyle, CAMPAIGN_CLAIMS);
}

#[test]
#[ignore = "campaign"]
fn campaign_claims_in_standard() {
    check_claims(Rule::Standard, CAMPAIGN_CLAIMS);
}

#[test]
#[ignore = "campaign"]
fn campaign_claims_in_renju() {
    check_claims(Rule::Renju, CAMPAIGN_CLAIMS);
}

#[test]
#[ignore = "campaign"]
fn campaign_claims_in_caro() {
    check_claims(Rule::Caro, CAMPAIGN_CLAIMS);
}

#[test]
#[ignore = "campaign"]
fn campaign_claims_in_caro_with_exactly_five() {
    check_claims(Rule::CaroExact, CAMPAIGN_CLAIMS);
}

/// Checks the wins by fours that the evaluator finds in `games` games of each rule. There must be
/// one in four games at least.
fn check_wins_by_fours(games: u64) {
    for rule in Rule::ALL {
        let mut claims = 0;
        random_games(rule, 0..games, |board, evaluator| {
            let line = evaluator.clone().solve(board, 2_000, &mut Context::unlimited());
            let win = line.expect("nothing stops it").filter(|win| win.line.len() > 3);
            let Some(win) = win.filter(|win| is_all_fours(board, &win.line)) else { return };
            check_line(board, &win.line);
            check_win(board, &win.line);
            claims += 1;
        });
        assert!(claims >= games / 4, "{rule:?}: only {claims} claims");
    }
}

#[test]
fn a_win_by_fours_holds_against_every_defence() {
    check_wins_by_fours(8);
}

#[test]
#[ignore = "campaign"]
fn campaign_wins_by_fours() {
    check_wins_by_fours(40);
}

/// Returns whether the side to move loses in at most four plies after `mv`, by the rules alone: it
/// cannot make a four, and the opponent makes an open four or two fours.
fn loses_in_four(board: &mut Board, mv: Cell) -> bool {
    let opponent = board.turn().other();
    board.play(mv);
    let winning = |board: &mut Board, threat: Cell| {
        board.play(threat);
        let wins = board.outcome() == Some(Outcome::Win(opponent))
            || (board.outcome().is_none() && {
                let replies = moves_of(board);
                replies.into_iter().all(|reply| {
                    board.play(reply);
                    let wins = board.outcome().is_none() && wins_at_once(board, opponent);
                    board.undo(reply, ());
                    wins
                })
            });
        board.undo(threat, ());
        wins
    };
    let threats: Vec<Cell> = moves_of(board)
        .into_iter()
        .filter(|&cell| board.classes(cell, opponent).iter().any(|&class| class >= Class::Four))
        .collect();
    let loses = board.outcome().is_none() && threats.into_iter().any(|cell| winning(board, cell));
    board.undo(mv, ());
    loses
}

/// Checks the moves that complete lists leave out, in `games` games of each rule. Most games have a
/// list to check.
fn check_complete_lists(games: u64) {
    for rule in Rule::ALL {
        let mut lists = 0;
        random_games(rule, 0..games, |board, evaluator| {
            let side = board.turn();
            let mut listed = Vec::new();
            let coverage = evaluator.candidates(board, &mut listed);
            let legal = moves_of(board);
            let has_win = wins_at_once(board, side)
                || evaluator.static_bounds(board, Window::FULL).0.is_win();
            if coverage == Coverage::Partial || has_win || listed.len() == legal.len() {
                return;
            }
            for mv in legal.into_iter().filter(|mv| !listed.contains(mv)) {
                assert!(
                    loses_in_four(board, mv),
                    "{mv:?} was left out of {listed:?}:\n{}",
                    picture(board)
                );
            }
            lists += 1;
        });
        assert!(lists >= games * 3 / 4, "{rule:?}: only {lists} lists");
    }
}

#[test]
fn a_complete_list_leaves_out_only_losing_moves() {
    check_complete_lists(4);
}

#[test]
#[ignore = "campaign"]
fn campaign_complete_lists() {
    check_complete_lists(12);
}

#[test]
fn moves_claimed_to_lose_to_fours_do_lose() {
    for rule in Rule::ALL {
        let mut rng = Rng::with_seed(3);
        let mut proofs = 0;
        random_games(rule, 0..25, |board, evaluator| {
            let mut listed = Vec::new();
            if evaluator.candidates(board, &mut listed) == Coverage::Complete {
                return;
            }
            let mut evaluator = evaluator.clone();
            let mut others = moves_of(board);
            others.retain(|mv| !listed.contains(mv));
            let ctx = &mut Context::unlimited();
            let asked = evaluator.others_lose(board, &others, ProofEffort::Low, ctx);
            let LosingMoves { count, plies } = asked.expect("nothing stops it");
            if count == 0 {
                return;
            }
            let mv = others[rng.usize(..count)];
            board.play(mv);
            let line = solve(board, 1_000_000).expect("a win by fours");
            assert!(line.len() < plies as usize + 1, "{}", picture(board));
            check_win(board, &line);
            board.undo(mv, ());
            proofs += 1;
        });
        assert!(proofs >= 20, "{rule:?}: only {proofs} proofs");
    }
}

#[test]
fn moves_claimed_to_lose_to_threes_and_fours_do_lose() {
    const WANTED: u32 = 5;
    for rule in Rule::ALL {
        let mut rng = Rng::with_seed(4);
        let mut proofs = 0;
        random_games(rule, 0..60, |board, evaluator| {
            if proofs == WANTED {
                return;
            }
            let mut listed = Vec::new();
            if evaluator.candidates(board, &mut listed) == Coverage::Complete {
                return;
            }
            let mut evaluator = evaluator.clone();
            let mut others = moves_of(board);
            others.retain(|mv| !listed.contains(mv));
            let mut asked = |effort| {
                let ctx = &mut Context::unlimited();
                evaluator.others_lose(board, &others, effort, ctx).expect("nothing stops it")
            };
            let (low, high) = (asked(ProofEffort::Low), asked(ProofEffort::High));
            if high.count <= low.count {
                return;
            }
            let plies = high.plies;
            let mv = others[rng.usize(low.count..high.count)];
            board.play(mv);
            Referee::new(board).check_win(board, plies - 1);
            board.undo(mv, ());
            proofs += 1;
        });
        assert_eq!(proofs, WANTED, "{rule:?}: too few proofs");
    }
}

#[test]
fn static_bounds_hold_against_every_defence() {
    for rule in Rule::ALL {
        let mut wins = 0;
        random_games(rule, 0..40, |board, evaluator| {
            let (low, high) = evaluator.static_bounds(board, Window::FULL);
            let side = board.turn();
            let at_once = wins_at_once(board, side);
            assert_eq!(at_once, low == Score::win_in(1), "{}", picture(board));
            if low == Score::win_in(3) {
                check_win(board, &solve(board, 1_000).expect("an open four or two fours"));
                wins += 1;
            }
            if high == Score::loss_in(2) {
                for mv in moves_of(board) {
                    board.play(mv);
                    assert!(wins_at_once(board, side.other()), "{}", picture(board));
                    board.undo(mv, ());
                }
            }
        });
        assert!(wins >= 10, "{rule:?}: only {wins} wins");
    }
}

#[test]
fn the_solver_leaves_nodes_for_the_search() {
    for rule in Rule::ALL {
        let mut positions = 0;
        own_games(rule, |board, report| {
            assert!(report.depth > 0, "{rule:?}: {}", picture(board));
            positions += 1;
            positions == 60
        });
    }
}
