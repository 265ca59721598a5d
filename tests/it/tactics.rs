//! Published positions of five in a row, read from `../shared/data`, with a known best move, a
//! known win by VCF or VCT, or no win within a number of moves.

use crate::support::analyst::Analyst;
use crate::support::boards::compact;
use crate::support::published;
use tengen_engine::search::Context;
use tengen_engine::{Answer, Game, Limits, Notation, Outcome, Score};
use tengen_games::gomoku::{Board, GomokuEvaluator, Rule, SolverResult, VcfScope, VctLimits};

/// Node limits of the search for a win, and for a best move.
const WIN_NODES: u64 = 8_000_000;
const BEST_NODES: u64 = 250_000;
const CAMPAIGN_BEST_NODES: u64 = 1_000_000;

/// Wins that take more than a second, so that only the campaign searches them.
const LONG: [&str; 3] = [
    "quintet/test_vct_fukumi_move/VCTDFPNS<=7",
    "quintet/bench_vct_black/VCTDFPNS<=14",
    "quintet/bench_vct_unstable/VCTDFPNS<=12",
];

/// Wins by threats that need fours outside the local scope of VCF: far apart, or without a two on
/// another line.
const OTHER_FOURS: [&str; 2] = ["win0594", "win3990"];

/// The node limit for each of `OTHER_FOURS`.
const OTHER_FOURS_NODES: u64 = 400_000;

/// Positions whose published answer is customary and not proven: in the first, the search finds
/// another move that it scores as a win; in the second, it finds no move that saves the game.
const UNPROVEN_ANSWERS: [&str; 2] =
    ["gomoku2d/local_create_closed_four", "gomoku2d/local_prevent_closed_four_from_closed_three"];

/// A position with a known answer.
struct Case {
    id: String,
    board: Board,
    known: Known,
}

enum Known {
    /// One of these is the best move.
    Best(Vec<String>),
    /// There is a win.
    Win,
    /// There is no VCT within this number of moves of the attacker.
    None(u32),
}

impl Known {
    fn read(text: &str) -> Self {
        let mut words = text.split([' ', ':']);
        let mut number = || words.find_map(|word| word.parse().ok()).expect("a number");
        match () {
            () if text.starts_with("best:") => {
                Self::Best(text[5..].split(',').map(str::to_lowercase).collect())
            }
            () if text.starts_with("no VCT in") => Self::None(number()),
            // A depth in plies; the attacker makes every other ply.
            () if text.contains("'not-win'") => Self::None(number().div_ceil(2)),
            () if ["'win'", "exists", "in <="].iter().any(|said| text.contains(said)) => Self::Win,
            () => panic!("{text}"),
        }
    }
}

/// Reads a row: id, rule with size, side to move, stones of Black, stones of White, known answer.
fn case(row: &[&str]) -> Case {
    let mut words = row[1].split(' ');
    let rule = match words.next() {
        Some("freestyle") => Rule::Freestyle,
        Some("renju") => Rule::Renju,
        other => panic!("{other:?}"),
    };
    let side = words.nth(1).map_or(15, |size| size.parse().expect("a size"));
    let board = board(rule, side, row[2], [row[3], row[4]]);
    Case { id: row[0].to_owned(), board, known: Known::read(row[5]) }
}

/// Returns the position with these stones of Black and White; `turn` is `b` or `w`.
fn board(rule: Rule, side: usize, turn: &str, stones: [&str; 2]) -> Board {
    let mut letters = vec![vec!['1'; side]; side];
    for (stones, letter) in stones.into_iter().zip(['P', 'p']) {
        for point in stones.split(',').filter(|point| *point != "-" && !point.is_empty()) {
            let column = point.as_bytes()[0] - b'A';
            let up: usize = point[1..].parse().expect("a row");
            letters[side - up][usize::from(column)] = letter;
        }
    }
    let lines: Vec<String> =
        letters.iter().map(|line| compact(&line.iter().collect::<String>())).collect();
    // In a FEN, `w` is the first player, Black.
    let fen_turn = if turn == "b" { "w" } else { "b" };
    let start = Board::new(rule, side as u32, side as u32).expect("the size fits");
    let text = format!("{} {fen_turn}", lines.join("/"));
    start.read_position(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn search(board: &Board, nodes: u64) -> Answer<String> {
    let mut analyst = Analyst::over(board.clone(), GomokuEvaluator::new(board));
    let limits = Limits::default().with_nodes(nodes);
    let answer = analyst.ask(Some(&board.write_position(false)), "", limits);
    answer.map(|moves| analyst.written(&moves))
}

/// Checks that a line ends with a win of the side that begins.
fn check_line(board: &Board, line: &[String]) {
    let mut board = board.clone();
    let winner = board.turn();
    for text in line {
        assert_eq!(board.outcome(), None);
        let mv = board.read_move(text).expect("a legal move");
        board.play(mv);
    }
    assert_eq!(board.outcome(), Some(Outcome::Win(winner)), "{line:?}");
}

/// Checks one position. `best_nodes` is the node limit for a best move.
fn check(case: &Case, best_nodes: u64) {
    let Case { id, board, known } = case;
    match known {
        Known::Best(best) => {
            let answer = search(board, best_nodes);
            let (played, score) = (answer.best.expect("a move"), answer.report.score);
            match UNPROVEN_ANSWERS.iter().position(|unproven| id == unproven) {
                Some(0) => assert!(score > Score::DRAW, "{id}: {score:?}"),
                Some(_) => assert!(score < Score::DRAW, "{id}: {score:?}"),
                None => assert!(best.contains(&played), "{id}: {played} and not one of {best:?}"),
            }
        }
        Known::Win => {
            let report = search(board, WIN_NODES).report;
            assert!(report.score.is_win(), "{id}: {:?}", report.score);
            check_line(board, &report.pv);
        }
        // The published limit does not count the five after a move without an answer.
        Known::None(moves) => {
            let moves = Some(moves + 1);
            let limits = VctLimits {
                moves,
                quiet: u32::MAX,
                nodes: 50_000_000,
                vcf_nodes: 1_000_000,
                vcf_scope: VcfScope::Full,
            };
            let result = GomokuEvaluator::new(board).vct(board, limits, &mut Context::unlimited());
            assert!(matches!(result, Ok(SolverResult::NoWin)), "{id}");
        }
    }
}

/// Reads all positions; `None` if the data is missing.
fn cases() -> Option<Vec<Case>> {
    let text = published::text("gomoku/tactics_misc.tsv")?;
    let cases: Vec<Case> = published::rows(&text).map(|row| case(&row)).collect();
    assert!(cases.len() > 20);
    Some(cases)
}

#[test]
fn published_tactics_are_solved() {
    let Some(mut cases) = cases() else { return };
    let all = cases.len();
    cases.retain(|case| !LONG.contains(&case.id.as_str()));
    assert_eq!(cases.len() + LONG.len(), all);
    cases.iter().for_each(|case| check(case, BEST_NODES));
}

#[test]
#[ignore = "campaign"]
fn campaign_published_tactics() {
    let Some(cases) = cases() else { return };
    cases.iter().for_each(|case| check(case, CAMPAIGN_BEST_NODES));
}

#[test]
fn wins_by_threats_that_local_vcf_misses_are_found() {
    let Some(text) = published::text("gomoku/renju_win_puzzles.tsv") else { return };
    let rows: Vec<_> = published::rows(&text).filter(|row| OTHER_FOURS.contains(&row[0])).collect();
    assert_eq!(rows.len(), OTHER_FOURS.len());
    for row in rows {
        let board = board(Rule::Renju, 15, row[4], [row[8], row[9]]);
        let report = search(&board, OTHER_FOURS_NODES).report;
        assert!(report.score.is_win(), "{}: {:?}", row[0], report.score);
        check_line(&board, &report.pv);
    }
}
