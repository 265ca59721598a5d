//! Positions of the last ply of a book: the book has their score, but not their best move.

use std::collections::HashMap;
use std::ops::ControlFlow;

use tengen_engine::backend::Settings;
use tengen_engine::search::{Context, Search, Task};
use tengen_engine::table::Table;
use tengen_engine::{
    Answer, Chosen, Client, Game, Limits, Notation, Proof, Query, Report, Score, Side, Strength,
    Style,
};
use tengen_games::CATALOG;
use tengen_games::cfour::book::{Book, EmbeddedBook, Layers};
use tengen_games::cfour::{self, AnySize, Board, CfourEvaluator, Classic, Shape};

use crate::support::published::skip;

type Small = Board<AnySize<u64>>;

const PLIES: u32 = 6;

fn shape() -> AnySize<u64> {
    AnySize::new(5, 5, 4).expect("the board fits")
}

/// Returns the value of an unfinished game for the side to move.
fn value<S: Shape>(board: &Board<S>, table: &mut Table) -> Score {
    let context = Context::unlimited();
    let mut search = Search::new(*board, CfourEvaluator::new(), table.view(), context);
    let limits = Limits::default().with_proof(Proof::Score);
    search.run(&Task::new(limits), &mut |_| ()).report.score
}

/// Returns the value of a move for the side that plays it.
fn value_after<S: Shape>(board: &Board<S>, mv: &str, table: &mut Table) -> Score {
    let mut child = *board;
    child.play(board.read_move(mv).unwrap_or_else(|error| panic!("{error}")));
    match child.outcome() {
        Some(_) => Score::win_in(1),
        None => -value(&child, table).to_root(1),
    }
}

/// Returns a small book and some positions of its last ply.
fn positions(table: &mut Table) -> (&'static EmbeddedBook<AnySize<u64>>, Vec<Small>) {
    let layers = Layers::new(shape(), PLIES);
    let boards: Vec<_> = (0..layers.count(PLIES)).map(|at| layers.board(PLIES, at)).collect();
    let scores: Vec<_> = boards.iter().map(|board| value(board, table)).collect();
    let bytes = Book::new(&layers, &scores).bytes().to_vec();
    let book = Box::leak(Box::new(EmbeddedBook::new(shape(), bytes.leak())));
    (book, boards.into_iter().step_by(37).collect())
}

/// Returns all reports and the answer of a search.
fn search(
    board: &Small,
    book: &'static EmbeddedBook<AnySize<u64>>,
    settings: &Settings,
    limits: Limits,
) -> (Vec<Report<cfour::Drop>>, Answer<String>) {
    let mut client = Client::over_with_books(*board, CfourEvaluator::new(), book, settings)
        .expect("a small table");
    let mut reports = Vec::new();
    let mut on_report = |report: &Report<cfour::Drop>| {
        reports.push(report.clone());
        ControlFlow::Continue(())
    };
    let query = Query::from(limits).with_listener(&mut on_report);
    let answer = client.search(query).unwrap_or_else(|error| panic!("{error}"));
    (reports, answer.map(|moves| client.write_line(&moves)))
}

fn settings(threads: usize, multi_pv: usize) -> Settings {
    Settings::default().with_hash_mib(1).with_threads(threads).with_multi_pv(multi_pv)
}

#[test]
fn any_number_of_threads_finds_a_move_with_the_score_of_the_book() {
    let mut table = Table::new(4).expect("enough memory");
    let (book, boards) = positions(&mut table);
    for board in &boards {
        let expected = value(board, &mut table);
        for threads in 1..=3 {
            let limits = Limits::default();
            let (reports, answer) = search(board, book, &settings(threads, 1), limits);
            let best = answer.best.expect("a game that is not over has a move");
            assert_eq!(answer.report.score, expected, "{board:?}");
            assert_eq!(value_after(board, &best, &mut table), expected, "{board:?} {best}");
            assert!(reports.iter().all(|report| report.score == expected), "{board:?}");
            let is_reported_at_once = reports.first().is_some_and(|report| report.nodes == 0);
            assert!(threads > 1 || is_reported_at_once, "{board:?}");
        }
    }
}

#[test]
fn a_stopped_search_says_the_value_of_the_book_and_claims_it_for_no_guess() {
    let mut table = Table::new(4).expect("enough memory");
    let (book, boards) = positions(&mut table);
    let mut guesses = 0;
    for board in &boards {
        let expected = value(board, &mut table);
        for nodes in [1, 40, 400] {
            for lines in [1, 3] {
                let limits = Limits::default().with_nodes(nodes);
                let (reports, answer) = search(board, book, &settings(1, lines), limits);
                let is_claim = |report: &&Report<_>| lines == 1 && report.pv.is_empty();
                assert!(
                    reports.iter().filter(is_claim).all(|it| it.score == expected),
                    "{board:?}"
                );
                let best = answer.best.clone().expect("a game that is not over has a move");
                check_claims(&answer, board.turn(), expected, || {
                    value_after(board, &best, &mut table)
                });
                guesses += usize::from(answer.settled.is_some_and(|settled| !settled.is_of_move));
            }
        }
    }
    assert!(guesses > 0, "some search was too short");
}

/// Fails if an answer claims more than is true: `value` is that of the position, and `of_move` that of
/// the best move. `turn` is the side to move.
fn check_claims(
    answer: &Answer<String>,
    turn: Side,
    value: Score,
    of_move: impl FnOnce() -> Score,
) {
    let Answer { report, settled, .. } = answer;
    assert!(!report.pv.is_empty(), "a score without a move: {answer:?}");
    let winner = |score: Score| match score {
        score if score.is_win() => Some(turn),
        score if score.is_loss() => Some(turn.other()),
        _ => None,
    };
    let claims_win = report.score.is_win() || report.score.is_unproven_win();
    let is_of_move = settled.is_some_and(|settled| settled.is_of_move);
    if claims_win || is_of_move {
        let of_move = of_move();
        assert!(!claims_win || of_move.is_win(), "{of_move:?}: {answer:?}");
        assert!(!is_of_move || of_move == report.score, "{of_move:?}: {answer:?}");
    }
    assert!(!report.score.is_loss() || value.is_loss(), "{value:?}: {answer:?}");
    if let Some(settled) = settled {
        assert_eq!(settled.winner, winner(value), "{answer:?}");
        assert!(settled.is_of_move || settled.score(turn) == Some(value), "{answer:?}");
    }
}

/// Returns positions of the last ply of the program's book that the side to move wins or draws:
/// moves from the start, and the value.
fn positions_of_ten_plies(table: &mut Table) -> Vec<(Vec<String>, Board<Classic>, Score)> {
    // A search of a few nodes finds no winning move here.
    let known = "b1 e1 d1 b2 a1 c1 c2 b3 b4 e2".split(' ').map(str::to_owned).collect();
    let mut rng = fastrand::Rng::with_seed(10);
    let mut found = Vec::new();
    let mut lists: Vec<Vec<String>> = vec![known];
    while found.len() < 6 {
        let moves = lists.pop().unwrap_or_else(|| {
            let mut board = Board::new(Classic);
            let (mut moves, mut legal) = (Vec::new(), Vec::new());
            while moves.len() < 10 && board.outcome().is_none() {
                legal.clear();
                board.moves(&mut legal);
                let mv = legal[rng.usize(..legal.len())];
                moves.push(board.write_move(mv, Style::Plain));
                board.play(mv);
            }
            moves
        });
        let mut board = Board::new(Classic);
        for mv in &moves {
            board.play(board.read_move(mv).unwrap_or_else(|error| panic!("{error}")));
        }
        // A position that the search sees through at once tells nothing.
        let mut is_open = |board: &Board<Classic>| {
            let value = value(board, table);
            (!value.is_loss() && value.plies().is_none_or(|plies| plies > 8)).then_some(value)
        };
        if board.outcome().is_none()
            && let Some(value) = is_open(&board)
        {
            found.push((moves, board, value));
        }
    }
    found
}

#[test]
fn a_claim_of_any_limit_and_level_holds_for_the_move_that_is_sent() {
    let mut client = Client::open(&CATALOG, "cfour", &Chosen::new(), &settings(1, 1))
        .unwrap_or_else(|error| panic!("{error}"));
    if !client.spec().has_own_book {
        return skip("the opening book");
    }
    let mut table = Table::new(64).expect("enough memory");
    let mut guesses = 0;
    for (moves, board, expected) in positions_of_ten_plies(&mut table) {
        let moves: Vec<&str> = moves.iter().map(String::as_str).collect();
        client.set(None, &moves).unwrap_or_else(|error| panic!("{error}"));
        let mut known: HashMap<String, Score> = HashMap::new();
        for (level, lines) in [(10, 1), (10, 2), (9, 1), (5, 1), (0, 1)] {
            for nodes in [1, 30, 300, 1500, 20_000] {
                let strength = Strength::default().with_skill(level);
                let settings = settings(1, lines).with_strength(strength);
                client.configure(&settings).unwrap_or_else(|error| panic!("{error}"));
                client.clear_hash();
                let answer = client.search(Limits::default().with_nodes(nodes));
                let answer = answer.unwrap_or_else(|error| panic!("{error}"));
                let answer = answer.map(|moves| client.write_line(&moves));
                let best = answer.best.clone().expect("a game that is not over has a move");
                check_claims(&answer, board.turn(), expected, || {
                    *known.entry(best).or_insert_with_key(|mv| value_after(&board, mv, &mut table))
                });
                guesses += usize::from(answer.settled.is_some_and(|settled| !settled.is_of_move));
            }
        }
    }
    assert!(guesses > 0, "some search was too short");
}
