//! Tests of books of small boards, and of journals.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tengen_engine::search::{Context, Search, Task};
use tengen_engine::table::Table;
use tengen_engine::{BookSource, Game, Limits, Notation, OpeningBook, Proof, Score};

use super::super::{AnySize, Board, CfourEvaluator, Classic};
use super::*;

type Small = AnySize<u64>;

fn small() -> Small {
    AnySize::new(5, 4, 4).unwrap()
}

fn solve(board: &Board<Small>, table: &mut Table) -> Score {
    let context = Context::unlimited();
    let mut search = Search::new(*board, CfourEvaluator::new(), table.view(), context);
    let limits = Limits::default().with_proof(Proof::Score);
    search.run(&Task::new(limits), &mut |_| ()).report.score
}

fn book(plies: u32) -> Book<Small> {
    let layers = Layers::new(small(), plies);
    let mut table = Table::new(4).unwrap();
    let solved = |number| solve(&layers.board(plies, number), &mut table);
    let last: Vec<Score> = (0..layers.count(plies)).map(solved).collect();
    Book::new(&layers, &last)
}

/// Returns a book of `plies` plies as a search takes it.
fn open_book(plies: u32) -> Option<Arc<dyn OpeningBook<Board<Small>>>> {
    Some(Arc::new(book(plies)))
}

#[test]
fn a_book_has_the_scores_of_a_search() {
    let (book, layers) = (book(5), Layers::new(small(), 5));
    let mut table = Table::new(4).unwrap();
    for ply in 0..=5 {
        for number in 0..layers.count(ply) {
            let board = layers.board(ply, number);
            assert_eq!(book.score(&board), Some(solve(&board, &mut table)));
            let Some(best) = book.best(&board) else {
                assert_eq!(ply, 5, "only the last ply has no move");
                continue;
            };
            let mut child = board;
            child.play(best);
            let theirs = if child.outcome().is_some() {
                Score::loss_in(0)
            } else {
                solve(&child, &mut table)
            };
            assert_eq!(book.score(&board), Some(-theirs.to_root(1)));
        }
    }
    let start = Board::new(small());
    // It cannot occur in play; it has one ply too many; the wrong side is to move.
    for text in ["5/5/5/PP3 w", "5/5/2p2/pPPpP b", "5/5/5/P4 w"] {
        let board = start.read_position(text).unwrap_or_else(|_| panic!("{text}"));
        assert_eq!((book.score(&board), book.best(&board)), (None, None), "{text}");
    }
}

#[test]
fn a_search_finds_the_same_with_a_book_as_without() {
    let book = open_book(4);
    let mut table = Table::new(4).unwrap();
    for ply in 0..=6 {
        let layers = Layers::new(small(), ply);
        for number in (0..layers.count(ply)).step_by(1 + layers.count(ply) / 20) {
            let board = layers.board(ply, number);
            let expected = solve(&board, &mut table);
            for proof in [None, Some(Proof::Score), Some(Proof::Outcome)] {
                table.clear();
                let (view, context) = (table.view(), Context::unlimited());
                let mut search = Search::new(board, CfourEvaluator::new(), view, context)
                    .with_book(book.clone());
                let mut limits = Limits::default();
                limits.proof = proof;
                let report = search.run(&Task::new(limits), &mut |_| ()).report;
                assert_eq!(report.probe_hits > 0, ply <= 4, "{board:?}");
                if proof == Some(Proof::Outcome) {
                    assert_eq!(report.score > Score::DRAW, expected > Score::DRAW);
                    assert_eq!(report.score < Score::DRAW, expected < Score::DRAW);
                    continue;
                }
                assert_eq!(report.score, expected, "{board:?}");
                assert!(proof.is_none() || ply > 4 || report.nodes == 0, "{board:?}");
                if let (None, Some(plies)) = (proof, expected.plies()) {
                    // A line from the book may end at the last ply of the book.
                    let shown = report.pv.len() as u32;
                    let least = if ply <= 4 { (4 - ply).clamp(1, plies) } else { plies };
                    assert!((least..=plies).contains(&shown), "{board:?}");
                    let mut after = board;
                    report.pv.iter().for_each(|&mv| after.play(mv));
                    let is_over = after.outcome().is_some();
                    let left = if is_over { Some(0) } else { solve(&after, &mut table).plies() };
                    assert_eq!(left, Some(plies - shown), "{board:?}");
                }
            }
        }
    }
}

#[test]
fn multi_pv_takes_scores_of_moves_from_the_book() {
    let book = open_book(4);
    let mut table = Table::new(4).unwrap();
    for ply in 0..=5 {
        let layers = Layers::new(small(), ply);
        for number in (0..layers.count(ply)).step_by(1 + layers.count(ply) / 20) {
            let board = layers.board(ply, number);
            let mut moves = Vec::new();
            board.moves(&mut moves);
            let after = |mv| {
                let mut child = board;
                child.play(mv);
                child
            };
            let value = |mv, table: &mut Table| match after(mv).outcome() {
                Some(_) => Score::win_in(1),
                None => -solve(&after(mv), table).to_root(1),
            };
            let mut expected: Vec<_> = moves.iter().map(|&mv| value(mv, &mut table)).collect();
            expected.sort_unstable_by_key(|score| std::cmp::Reverse(*score));

            table.clear();
            let (view, context) = (table.view(), Context::unlimited());
            let mut search =
                Search::new(board, CfourEvaluator::new(), view, context).with_book(book.clone());
            let mut task = Task::new(Limits::default());
            task.multi_pv = moves.len();
            let mut lines = vec![None; moves.len()];
            let answer = search.run(&task, &mut |report| {
                let line = report.line - 1;
                lines[line] = Some(report);
            });
            let lines: Vec<_> = lines.into_iter().flatten().collect();
            let scores: Vec<_> = lines.iter().map(|line| line.score).collect();
            assert_eq!(scores, expected, "{board:?}");
            for line in &lines {
                assert_eq!(value(line.pv[0], &mut table), line.score, "{board:?}");
                let first = lines.iter().filter(|other| other.pv[0] == line.pv[0]);
                assert_eq!(first.count(), 1, "{board:?}");
            }
            // The book has the score of a position of its last ply, but not of the moves.
            assert_eq!(answer.report.probe_hits > 0, ply <= 4, "{board:?}");
            assert!(ply >= 4 || answer.report.nodes == 0, "{board:?}");
        }
    }
}

#[test]
fn a_book_is_read_as_it_was_written() {
    for plies in [0, 1, 4] {
        let book = book(plies);
        let bytes = book.bytes().to_vec();
        assert_eq!(Book::read(small(), bytes.clone()), Ok(book.clone()));
        let header = Header::read(&bytes).unwrap();
        assert_eq!(Header::book_length(&bytes[..Header::SIZE]), Ok(bytes.len() as u64));
        let layers = Layers::new(small(), plies);
        let total = layers.total();
        assert_eq!((header.plies, header.positions), (plies, total as u64));
        assert_eq!((0..=plies).map(|ply| book.scores(ply).count()).sum::<usize>(), total);
        assert_eq!(book.check(&layers), Ok(()));
        assert_eq!(Book::read(Classic, bytes).unwrap_err(), BookError::OtherBoard(header));
    }
}

#[test]
fn every_damaged_bit_is_detected() {
    let bytes = book(3).bytes().to_vec();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            assert!(Book::read(small(), damaged).is_err(), "byte {at}, bit {bit}");
        }
        assert!(Book::read(small(), bytes[..at].to_vec()).is_err(), "cut off at {at}");
    }
    let longer = [bytes.as_slice(), &[0]].concat();
    assert!(Book::read(small(), longer).is_err());
}

/// Returns `bytes` after `change`, with a correct checksum.
fn sealed(bytes: &[u8], change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = bytes[..bytes.len() - 4].to_vec();
    change(&mut bytes);
    let sum = crc32fast::hash(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

#[test]
fn each_invalid_book_has_its_own_error() {
    let bytes = book(2).bytes().to_vec();
    let refused =
        |change: fn(&mut Vec<u8>)| Book::read(small(), sealed(&bytes, change)).unwrap_err();
    assert_eq!(Book::read(small(), sealed(&bytes, |_| ())), Ok(book(2)));
    assert_eq!(refused(|bytes| bytes[8] = 1), BookError::Version(1));
    assert_eq!(refused(|bytes| bytes[12] = 15), BookError::TooDeep(15));
    assert_eq!(refused(|bytes| bytes.push(0)), BookError::Length);
    assert_eq!(refused(|bytes| bytes.truncate(bytes.len() - 1)), BookError::Length);
    let tiny = AnySize::<u64>::new(3, 3, 3).unwrap();
    let of_tiny = sealed(&bytes, |bytes| bytes[9..13].copy_from_slice(&[3, 3, 3, 10]));
    assert_eq!(Book::read(tiny, of_tiny), Err(BookError::TooLong(10)));
}

#[test]
fn a_check_finds_every_kind_of_flaw() {
    let (bytes, layers) = (book(2).bytes().to_vec(), Layers::new(small(), 2));
    let flaw = |change: fn(&mut Vec<u8>)| {
        Book::read(small(), sealed(&bytes, change)).unwrap().check(&layers).unwrap_err()
    };
    // A score has five bits. Changing one gives another number of plies; setting all removes the
    // score.
    let flaws = [
        flaw(|bytes| bytes[13] += 1),
        flaw(|bytes| bytes[21] ^= 0b0_0010),
        flaw(|bytes| bytes[21] |= 0b1_1111),
    ];
    let (expected, score) = (layers.total(), book(2).scores(0).next().unwrap());
    let declared = expected as u64 + 1;
    assert_eq!(flaws[0], Flaw::Positions { expected, declared, held: expected });
    let is_contradiction = matches!(flaws[1], Flaw::Contradiction { ply: 0, number: 0, expected, found }
        if expected == score && found != score);
    assert!(is_contradiction, "{:?}", flaws[1]);
    let words = "ply 0, position 0: the book says loss in 2, its next ply draw";
    assert_eq!((score, flaws[1].to_string().as_str()), (Score::DRAW, words));
    assert_eq!(in_words(Score::win_in(41)), "win in 41");
    assert_eq!(flaws[2], Flaw::Missing { ply: 0, number: 0 });

    // Both stones in one column: the second player's cannot be the lower one.
    let mut unreal = book(2);
    let board = Board::new(small()).read_position("5/5/P4/p4 w").unwrap();
    assert_eq!(unreal.score(&board), None);
    unreal.put(&board, Score::DRAW);
    let declared = expected as u64;
    assert_eq!(
        unreal.check(&layers),
        Err(Flaw::Positions { expected, declared, held: expected + 1 })
    );
}

#[cfg(feature = "book")]
#[test]
fn the_embedded_book_is_consistent() {
    let book = CLASSIC.book().expect("the embedded book can be read");
    assert_eq!(book.check(&Layers::new(Classic, book.plies())), Ok(()));
    assert_eq!(book.score(&Board::new(Classic)), Some(Score::win_in(41)));
}

#[cfg(not(feature = "book"))]
#[test]
fn a_build_without_the_book_says_so_and_opens_files() {
    assert!(CLASSIC.book().is_none() && !CLASSIC.has_own());
    let Err(error) = CLASSIC.open(None) else { panic!("there is no book") };
    assert!(error.to_string().contains("has no opening book"), "{error}");
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/books/cfour.book");
    let book = CLASSIC.open(Some(Path::new(file))).expect("the file is a book");
    let start = book.probe(&Board::new(Classic)).expect("the start is in the book");
    assert_eq!(start.score, Score::win_in(41));
}

#[test]
fn a_book_can_be_provided_later_and_stays() {
    static LATER: EmbeddedBook<Classic> = EmbeddedBook::absent(Classic);
    assert!(LATER.book().is_none() && !LATER.has_own() && LATER.open(None).is_err());
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/books/cfour.book");
    let bytes = std::fs::read(file).expect("the book");
    let mut damaged = bytes.clone();
    damaged[1000] ^= 1;
    assert_eq!(LATER.provide(damaged), Err(BookError::Checksum));
    assert!(!LATER.has_own());
    assert_eq!(LATER.provide(bytes), Ok(()));
    let start = LATER.open(None).expect("a book").probe(&Board::new(Classic));
    assert_eq!(start.expect("the start is in the book").score, Score::win_in(41));
    assert_eq!(LATER.provide(Vec::new()), Err(BookError::NoBook));
    assert!(LATER.has_own());
}

/// A temporary file, removed on drop.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let name = format!("tengen-{}-{name}.journal", std::process::id());
        Self(std::env::temp_dir().join(name))
    }
}

impl std::ops::Drop for Scratch {
    fn drop(&mut self) {
        // A file that stays does no harm.
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn a_journal_cut_off_anywhere_keeps_its_complete_records() {
    let scratch = Scratch::new("cut");
    let path = &scratch.0;
    let layers = Layers::new(small(), 3);
    let entries = [(4, Score::win_in(3)), (0, Score::DRAW), (7, Score::loss_in(16))];
    let (mut journal, known) = BookJournal::open(path, &layers).unwrap();
    assert!(known.iter().all(Option::is_none) && known.len() == layers.count(3));
    for (number, score) in entries {
        journal.add(number, score).unwrap();
    }
    drop(journal);
    let whole = std::fs::read(path).unwrap();
    for length in 0..=whole.len() {
        std::fs::write(path, &whole[..length]).unwrap();
        let (mut journal, known) = BookJournal::open(path, &layers).unwrap();
        let records = length.saturating_sub(17) / 9;
        assert_eq!(known.iter().flatten().count(), records, "cut off at {length}");
        assert_eq!(journal.damaged(), 0, "cut off at {length}");
        for (number, score) in &entries[..records] {
            assert_eq!(known[*number], Some(*score));
        }
        journal.add(1, Score::win_in(1)).unwrap();
        drop(journal);
        let (_, known) = BookJournal::open(path, &layers).unwrap();
        assert_eq!(known.iter().flatten().count(), records + 1, "cut off at {length}");
        assert_eq!(known[1], Some(Score::win_in(1)));
    }
}

#[test]
fn a_damaged_record_is_skipped() {
    let scratch = Scratch::new("damage");
    let path = &scratch.0;
    let layers = Layers::new(small(), 3);
    let (mut journal, _) = BookJournal::open(path, &layers).unwrap();
    for number in 0..5 {
        journal.add(number, Score::DRAW).unwrap();
    }
    drop(journal);
    let mut bytes = std::fs::read(path).unwrap();
    // A damaged number, a damaged checksum, and the number of no position.
    bytes[17 + 9] ^= 1;
    bytes[17 + 3 * 9 + 8] ^= 1;
    let mut beyond = 1_000_000_u32.to_le_bytes().to_vec();
    beyond.push(0);
    let sum = crc32fast::hash(&beyond);
    bytes.extend(beyond);
    bytes.extend(sum.to_le_bytes());
    // An incomplete record, as after a kill.
    std::fs::write(path, [&bytes[..], &[7; 4]].concat()).unwrap();
    let held = |known: &[Option<Score>]| (0..5).filter(|at| known[*at].is_some()).collect();
    let (mut journal, known) = BookJournal::open(path, &layers).unwrap();
    let whole: Vec<usize> = held(&known);
    assert_eq!((whole, journal.damaged()), (vec![0, 2, 4], 3));
    assert_eq!(std::fs::read(path).unwrap(), bytes);
    journal.add(1, Score::win_in(1)).unwrap();
    drop(journal);
    let (journal, known) = BookJournal::open(path, &layers).unwrap();
    let whole: Vec<usize> = held(&known);
    assert_eq!((whole, journal.damaged()), (vec![0, 1, 2, 4], 3));
}

#[test]
fn a_file_of_another_kind_is_refused_and_unchanged() {
    let scratch = Scratch::new("other");
    let path = &scratch.0;
    let layers = Layers::new(small(), 3);
    let open = |layers: &Layers<Small>| BookJournal::open(path, layers).map(|_| ());
    open(&layers).unwrap();
    let whole = std::fs::read(path).unwrap();
    let other = open(&Layers::new(small(), 4)).unwrap_err().to_string();
    let expected = "the journal belongs to a book of 3 plies on 5x4, 4 in a row, not of 4 plies on 5x4, 4 in a row";
    assert_eq!(other, expected);
    let mut changed = Vec::new();
    for (at, why) in [
        (0, "the file is not a book journal"),
        (8, "version 0 of the journal's format is not known, only version 1 is"),
        (12, "the journal is damaged: the checksum of its header is wrong"),
    ] {
        changed.clone_from(&whole);
        changed[at] ^= 1;
        std::fs::write(path, &changed).unwrap();
        assert_eq!(open(&layers).unwrap_err().to_string(), why);
        assert_eq!(std::fs::read(path).unwrap(), changed);
    }
    std::fs::write(path, b"TENGEN").unwrap();
    open(&layers).unwrap();
    std::fs::write(path, b"tengen").unwrap();
    assert!(matches!(open(&layers), Err(BookJournalError::NoJournal)));
}

#[test]
fn a_journal_cannot_be_opened_twice() {
    let scratch = Scratch::new("lock");
    let path = &scratch.0;
    let layers = Layers::new(small(), 3);
    let (journal, _) = BookJournal::open(path, &layers).unwrap();
    let second = BookJournal::open(path, &layers).map(|_| ());
    assert!(matches!(second, Err(BookJournalError::Busy)), "{second:?}");
    drop(journal);
    assert!(BookJournal::open(path, &layers).is_ok());
}

#[test]
fn a_book_file_replaces_the_embedded_book() {
    let scratch = Scratch::new("file");
    let path = &scratch.0;
    std::fs::write(path, book(5).bytes()).unwrap();
    let own = EmbeddedBook::new(small(), book(3).bytes().to_vec().leak());
    let knows = |file: Option<&Path>, plies: u32| {
        let board = Layers::new(small(), plies).board(plies, 0);
        own.open(file).unwrap().probe(&board).is_some()
    };
    assert!(knows(None, 3) && !knows(None, 5));
    assert!(knows(Some(path), 5));

    let bytes = book(5).bytes().to_vec();
    let damaged = sealed(&bytes, |bytes| bytes[9] += 1);
    for wrong in [Vec::new(), bytes[..50].to_vec(), [&bytes[..], &[0]].concat(), damaged] {
        std::fs::write(path, wrong).unwrap();
        assert!(own.open(Some(path)).is_err());
    }
    std::fs::remove_file(path).unwrap();
    assert!(own.open(Some(path)).is_err());
    let folder = own.open(Some(&std::env::temp_dir())).err().expect("a folder is not a book");
    assert_eq!(folder.to_string(), "not a regular file");
}
