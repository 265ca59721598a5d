//! Positions of the last ply of a book: the book has their score, but not their best move.

use std::ops::ControlFlow;

use tengen_engine::backend::Settings;
use tengen_engine::search::{Context, Search, Task};
use tengen_engine::table::Table;
use tengen_engine::{Answer, Client, Game, Limits, Notation, Proof, Query, Report, Score};
use tengen_games::cfour::book::{Book, EmbeddedBook, Layers};
use tengen_games::cfour::{self, AnySize, Board, CfourEvaluator};

type Small = Board<AnySize<u64>>;

const PLIES: u32 = 6;

fn shape() -> AnySize<u64> {
    AnySize::new(5, 5, 4).expect("the board fits")
}

/// Returns the value of an unfinished game for the side to move.
fn value(board: &Small, table: &mut Table) -> Score {
    let context = Context::unlimited();
    let mut search = Search::new(*board, CfourEvaluator::new(), table.view(), context);
    let limits = Limits::default().with_proof(Proof::Score);
    search.run(&Task::new(limits), &mut |_| ()).report.score
}

/// Returns the value of a move for the side that plays it.
fn value_after(board: &Small, mv: &str, table: &mut Table) -> Score {
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
fn a_stopped_search_keeps_the_score_of_the_book_and_claims_no_win_of_a_guess() {
    let mut table = Table::new(4).expect("enough memory");
    let (book, boards) = positions(&mut table);
    let mut guesses = 0;
    for board in &boards {
        let expected = value(board, &mut table);
        for nodes in [1, 40, 400] {
            let limits = Limits::default().with_nodes(nodes);
            let (reports, answer) = search(board, book, &settings(1, 1), limits.clone());
            let best = answer.best.clone().expect("a game that is not over has a move");
            assert!(reports.iter().all(|report| report.score == expected), "{board:?}");
            assert_eq!(answer.report.score, expected, "{board:?}");
            if expected != Score::DRAW && !answer.report.pv.is_empty() {
                assert_eq!(value_after(board, &best, &mut table), expected, "{board:?} {best}");
            }
            guesses += usize::from(answer.report.pv.is_empty());

            let (_, answer) = search(board, book, &settings(1, 3), limits);
            let best = answer.best.expect("a game that is not over has a move");
            let claims =
                answer.report.score.is_win() || answer.report.score >= Score::win_in(0).unproven();
            assert!(!claims || value_after(board, &best, &mut table).is_win(), "{board:?} {best}");
        }
    }
    assert!(guesses > 0, "some search was too short");
}
