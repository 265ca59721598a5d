//! Edits, deletes and undos: the shelf against what it was before, and against a recount.

use std::fs;
use std::path::Path;

use fastrand::Rng;
use rusqlite::{Connection, types::Value};
use tengen_engine::{Bound, Score};
use tengen_games::CATALOG;
use tengen_records::{Format, Record};
use tengen_shelf::{
    Analysis, Filter, ImportOptions, ImportReport, Shelf, Silent, TreeEdit, ValueFilter, import,
};

use crate::support::{Desk, add, after, counts, explored, found};

/// The tables whose content an undo restores.
const TABLES: [&str; 18] = [
    "games",
    "trees",
    "tree_moves",
    "notes",
    "sources",
    "problems",
    "other_sources",
    "other_names",
    "edited",
    "queries",
    "analysis",
    "comments",
    "aliases",
    "occurrences",
    "counts",
    "players",
    "events",
    "changes",
];

/// Returns all rows of the shelf at `path`.
pub(crate) fn content(path: &Path) -> Vec<Vec<Vec<Value>>> {
    let db = Connection::open(path).unwrap();
    let rows = |table: &&str| {
        // A change that was taken back has a number below 0.
        let only = if *table == "changes" { "WHERE id > 0" } else { "" };
        let mut select = db.prepare(&format!("SELECT * FROM {table} {only}")).unwrap();
        let columns = select.column_count();
        let row = |row: &rusqlite::Row<'_>| (0..columns).map(|column| row.get(column)).collect();
        select.query_map([], row).unwrap().collect::<Result<_, _>>().unwrap()
    };
    TABLES.iter().map(rows).collect()
}

pub(crate) fn is_right(shelf: &mut Shelf) {
    let checked = shelf.check(&mut |_, _| true).unwrap();
    assert_eq!(checked.differences, 0, "{:?}", checked.shown);
}

/// A file of random games that share positions, with comments and variations.
fn games(rng: &mut Rng) -> String {
    let game = |_| {
        let mut cells: Vec<u8> = (0..40).collect();
        let fixed = rng.usize(0..30);
        rng.shuffle(&mut cells[fixed..]);
        let length = rng.usize(2..40);
        let moves = cells[..length].iter().enumerate().map(|(ply, cell)| {
            let (column, row) = (b'a' + cell % 8, b'a' + cell / 8 * 2);
            let side = if ply % 2 == 0 { 'B' } else { 'W' };
            let comment = if rng.u32(..9) == 0 { "C[good]" } else { "" };
            format!(";{side}[{}{}]{comment}", char::from(column), char::from(row))
        });
        let moves: String = moves.collect();
        let player = ["Anna", "Ben", "Cleo"][rng.usize(..3)];
        let date = ["1999-05-12", "5/6/2019", "2020-01", "2020-12-31", ""][rng.usize(..5)];
        let result = ["B+R", "W+", "0", "?"][rng.usize(..4)];
        format!("(;GM[4]SZ[15]RU[gomokufreestyle]PB[{player}]DT[{date}]RE[{result}]{moves})\n")
    };
    (0..8).map(game).collect()
}

#[test]
fn random_changes_are_undone_exactly() {
    let desk = Desk::new();
    let path = desk.path("my.shelf");
    let mut shelf = desk.shelf();
    let mut rng = Rng::with_seed(5);
    let mut before = Vec::new();
    for step in 0..120 {
        let ids = found(&mut shelf, &Filter::default()).ids;
        let some: Vec<i64> = ids.iter().copied().filter(|_| rng.u32(..4) == 0).collect();
        let state = content(&path);
        let changes = shelf.changes().unwrap().len();
        match rng.u32(..6) {
            0 | 1 => {
                let file = desk.file(&format!("{}.sgf", rng.usize(..9)), games(&mut rng));
                match rng.bool() {
                    true => drop(replace(&mut shelf, &file)),
                    false => drop(add(&mut shelf, &[&file])),
                }
            }
            2 => assert_eq!(shelf.delete(&some).unwrap(), some.len() as u64),
            3 => {
                let (name, text) = [
                    ("DT", "2021-03-04"),
                    ("DT", "1.2.1990"),
                    ("DT", ""),
                    ("PB", "Dora"),
                    ("RE", "0-1"),
                    ("RE", "*"),
                    ("PC", "Kyoto"),
                ][rng.usize(..7)];
                if shelf.edit(&some, &[(name.to_owned(), text.to_owned())]).is_err() {
                    // The board shows the result of one of the games.
                    assert!(name == "RE" && content(&path) == state);
                }
            }
            4 => {
                let asked = after(&mut shelf, "a1");
                shelf.begin_change("analyze").unwrap();
                let (score, line) = (Score::heuristic(rng.i32(-99..99)), Vec::new());
                let (depth, engine) = (rng.u32(1..9), "test".to_owned());
                let analysis =
                    Analysis { score, bound: Bound::Exact, depth, nodes: 9, line, engine, at: 1 };
                shelf.keep_analysis(&asked, &analysis).unwrap();
                shelf.end_change().unwrap();
            }
            _ => {
                let changed = content(&path);
                let undone = shelf.undo(None).unwrap();
                assert_eq!(undone.is_none(), before.is_empty());
                if let Some(state) = before.pop() {
                    assert!(content(&path) == state, "step {step}: {undone:?}");
                    if rng.bool() {
                        is_right(&mut shelf);
                        let redone = shelf.redo().unwrap().unwrap();
                        let last = TABLES.len() - 1;
                        let is_same = content(&path)[..last] == changed[..last];
                        assert!(is_same, "step {step}: {redone:?} again");
                        before.push(state);
                    }
                }
                is_right(&mut shelf);
                continue;
            }
        }
        is_right(&mut shelf);
        if shelf.changes().unwrap().len() > changes {
            before.push(state);
        }
    }
    assert!(before.len() > 5, "few changes");
    while let Some(state) = before.pop() {
        assert!(shelf.undo(None).unwrap().is_some());
        assert!(content(&path) == state);
        is_right(&mut shelf);
    }
}

#[test]
fn counts_follow_an_edit_and_a_delete() {
    let desk = Desk::new();
    let sgf = "(;GM[4]SZ[15]RU[renju]PB[Ana]DT[2020-05]RE[B+R]PC[Rome];B[hh];W[ig]C[x])
(;GM[4]SZ[15]RU[renju]PB[Ben]DT[2019]RE[0];B[hh];W[ig];B[aa])";
    let (mut shelf, ..) = desk.with("a.sgf", sgf);
    let edit = |shelf: &mut Shelf, name: &str, text: &str| {
        shelf.edit(&[1], &[(name.to_owned(), text.to_owned())])
    };
    assert_eq!(edit(&mut shelf, "RE", "0-1").unwrap(), 1);
    assert_eq!(edit(&mut shelf, "PB", "Anna").unwrap(), 1);
    assert_eq!(edit(&mut shelf, "DT", "5/6/2018").unwrap(), 1);
    assert_eq!(edit(&mut shelf, "PC", "").unwrap(), 1);
    assert_eq!(edit(&mut shelf, "PC", "").unwrap(), 0);
    assert_eq!(counts(&mut shelf, "h8"), [[2, 1, 1, 0]]);
    assert_eq!(explored(&mut shelf, "h8").total.last.as_deref(), Some("2019"));
    let game = shelf.game(1).unwrap();
    assert_eq!((game.players[0].as_deref(), game.date.as_deref()), (Some("Anna"), Some("2018")));
    let sgf = shelf.written(1, Format::SGF).unwrap().unwrap();
    let sgf = String::from_utf8(sgf).unwrap();
    assert!(
        sgf.contains("PB[Anna]") && sgf.contains("DT[5/6/2018]") && !sgf.contains("PC["),
        "{sgf}"
    );
    assert!(sgf.contains("RE[W+]") && sgf.contains("C[x]"), "{sgf}");
    for (name, text) in [("DT", "spring"), ("RE", "who"), ("place", "Rome")] {
        assert!(edit(&mut shelf, name, text).is_err(), "{name}");
    }
    for name in ["Anna\nBen", "Anna\u{1b}", "Anna\u{202e}", "An\u{2028}na"] {
        assert!(edit(&mut shelf, "PB", name).is_err(), "{name:?}");
    }
    assert!(shelf.edit(&[7], &[]).is_err() && shelf.delete(&[1, 7]).is_err());
    // A game that is named twice counts once.
    assert_eq!(shelf.delete(&[1, 1]).unwrap(), 1);
    assert_eq!(counts(&mut shelf, "h8"), [[1, 0, 1, 0]]);
    is_right(&mut shelf);
    // A file that is known does not bring a removed game back.
    let (report, _) = add(&mut shelf, &[&desk.path("a.sgf")]);
    assert_eq!((report.known_files, report.new), (1, 0));
    assert_eq!(shelf.undo(None).unwrap().unwrap().what, "delete game 1");
    assert_eq!(counts(&mut shelf, "h8"), [[2, 1, 1, 0]]);
    let whats: Vec<String> =
        shelf.changes().unwrap().into_iter().map(|change| change.what).collect();
    assert_eq!(whats[..2], ["edit PC of game 1", "edit date of game 1"]);
}

#[test]
fn a_shelf_of_schema_1_is_read_as_it_is_and_migrated_with_a_copy() {
    let desk = Desk::new();
    let games = "(;GM[4]SZ[15]RU[renju];B[hh];W[ig];B[ii];W[hh];B[aa])";
    let (shelf, ..) = desk.with("a.sgf", games);
    drop(shelf);
    let path = desk.path("my.shelf");
    let db = Connection::open(&path).unwrap();
    let later = ["other_sources", "other_names", "edited", "queries"];
    for table in later.iter().chain(&["old_rows", "added", "changes", "comments", "aliases"]) {
        db.execute_batch(&format!("DROP TABLE {table}")).unwrap();
    }
    db.execute_batch("DROP INDEX games_source").unwrap();
    db.execute_batch("UPDATE games SET line = 0; PRAGMA user_version = 1").unwrap();
    drop(db);
    let mut shelf = Shelf::open_to_read(&path, &CATALOG).unwrap();
    assert_eq!(counts(&mut shelf, "h8").len(), 1);
    assert_eq!(found(&mut shelf, &Filter::default()).total, 1);
    drop(shelf);
    let version = |path: &Path| {
        let db = Connection::open(path).unwrap();
        db.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!(version(&path), 1);
    let copy = desk.path("my.shelf.schema-1");
    assert!(!copy.exists());
    let mut shelf = desk.shelf();
    assert_eq!((version(&path), version(&copy)), (3, 1));
    // The same game in another orientation is known.
    let turned = "(;GM[4]SZ[15]RU[renju];B[hh];W[gg];B[gi];W[hh];B[oa])";
    let (report, _) = add(&mut shelf, &[&desk.file("b.sgf", turned)]);
    assert_eq!((report.new, report.merged), (0, 1));
    shelf.delete(&[1]).unwrap();
    assert_eq!(found(&mut shelf, &Filter::default()).total, 0);
    is_right(&mut shelf);
}

#[test]
fn a_shelf_of_schema_2_is_migrated_with_what_people_edited() {
    let desk = Desk::new();
    let (mut shelf, ..) = desk.with("a.sgf", "(;GM[4]SZ[15];B[hh];W[ig])(;GM[4]SZ[15];B[aa])");
    shelf.edit(&[1], &[("PB".to_owned(), "Anna".to_owned())]).unwrap();
    drop(shelf);
    let path = desk.path("my.shelf");
    let db = Connection::open(&path).unwrap();
    let old = "DROP TABLE other_sources; DROP TABLE other_names; DROP TABLE edited; DROP TABLE queries; DROP INDEX games_source; \
               PRAGMA user_version = 2";
    db.execute_batch(old).unwrap();
    drop(db);
    let mut shelf = Shelf::open_to_read(&path, &CATALOG).unwrap();
    assert_eq!(found(&mut shelf, &Filter::default()).total, 2);
    drop(shelf);
    let mut shelf = desk.shelf();
    assert!(desk.path("my.shelf.schema-2").exists());
    let file = desk.file("a.sgf", "(;GM[4]SZ[15];B[ac])");
    let replaced = replace(&mut shelf, &file).replaced;
    assert_eq!((replaced.removed, replaced.edited), (1, vec![1]));
    is_right(&mut shelf);
}

/// Imports a file in place of what an earlier import of it added.
fn replace(shelf: &mut Shelf, file: &Path) -> ImportReport {
    let game = |record: &Record| record.spec(&CATALOG);
    let options = ImportOptions { replaces: true, ..ImportOptions::new(&game) };
    import(shelf, &[file.to_owned()], &options, &mut Silent).unwrap()
}

#[test]
fn a_corrected_file_replaces_its_games_and_keeps_what_others_have_or_people_edited() {
    let desk = Desk::new();
    let game = |player: &str, rest: &str| format!("(;GM[4]SZ[15]RU[renju]PB[{player}]{rest})\n");
    let games = [
        game("Anna", ";B[hh];W[hi]"),
        game("Ben", ";B[hh];W[ii];B[ih]"),
        game("Cleo", ";B[hh];W[hi];B[aa]C[good]"),
        game("Dora", ";B[hh];W[hi];B[bb](;W[cc])(;W[dd])"),
        "(;GM[4]SZ[15]RU[renju];B[hh](;W[aa]C[why])(;W[ac]))\n".to_owned(),
    ];
    let (mut shelf, ..) = desk.with("a.sgf", games.concat());
    // Another file has the third game, turned, with a comment of its own.
    add(&mut shelf, &[&desk.file("b.sgf", game("Cleo", ";B[hh];W[ih];B[aa]C[good]"))]);
    shelf.edit(&[2], &[("EV".to_owned(), "Open".to_owned())]).unwrap();
    let place = after(&mut shelf, "h8 h7");
    shelf.add_comment(&place, None, Some("of a person"), Some("Anna")).unwrap();
    let before = content(&desk.path("my.shelf"));
    let corrected = desk.file("a.sgf", game("Anna", "DT[2020];B[hh];W[hi]"));
    let (report, _) = add(&mut shelf, &[&corrected]);
    assert_eq!(report.warnings.len(), 1, "it is told that the old games stay");
    assert_eq!(found(&mut shelf, &Filter::default()).total, 5, "the date was added to a game");
    shelf.undo(None).unwrap();
    assert_eq!(content(&desk.path("my.shelf")), before);
    let report = replace(&mut shelf, &corrected);
    let replaced = &report.replaced;
    assert_eq!((replaced.files, replaced.removed, replaced.shared), (1, 3, 1), "{replaced:?}");
    assert_eq!((report.new, &replaced.edited), (1, &vec![2]), "{replaced:?}");
    let names = |shelf: &mut Shelf| {
        let ids = found(shelf, &Filter::default()).ids;
        let name = |id: i64| shelf.game(id).unwrap().players[0].clone().unwrap_or_default();
        let mut names: Vec<String> = ids.into_iter().map(name).collect();
        names.sort();
        names.join(" ")
    };
    assert_eq!(names(&mut shelf), "Anna Ben Cleo");
    assert_eq!(explored(&mut shelf, "h8 h7").stored.comments, ["of a person"]);
    let cleo = Filter { player: Some("Cleo".to_owned()), ..Filter::default() };
    let cleo = found(&mut shelf, &cleo).ids[0];
    assert_eq!(shelf.game(cleo).unwrap().source.1, 1, "the number in the other file");
    is_right(&mut shelf);
    // A file with the same content keeps its games.
    add(&mut shelf, &[&desk.file("c.sgf", fs::read(&corrected).unwrap())]);
    let other = desk.file("a.sgf", game("Emil", ";B[hh];W[hi]"));
    let report = replace(&mut shelf, &other);
    assert_eq!((report.replaced.removed, report.replaced.shared), (0, 1));
    assert_eq!(names(&mut shelf), "Anna Ben Cleo Emil");
    shelf.undo(None).unwrap();
    shelf.undo(None).unwrap();
    desk.file("a.sgf", game("Anna", "DT[2020];B[hh];W[hi]"));
    // The same import again finds nothing to do.
    let report = replace(&mut shelf, &corrected);
    assert_eq!((report.known_files, report.new), (1, 0));
    shelf.undo(None).unwrap();
    assert_eq!(content(&desk.path("my.shelf")), before);
    assert_eq!(names(&mut shelf), " Anna Ben Cleo Dora");
    shelf.redo().unwrap();
    assert_eq!(names(&mut shelf), "Anna Ben Cleo");
    is_right(&mut shelf);
}

#[test]
fn values_of_an_engine_are_forgotten_and_brought_back() {
    let desk = Desk::new();
    let (mut shelf, ..) = desk.with("a.txt", "h8 i9\n");
    for (moves, depth, engine, at) in [("h8", 5, "Old 1", 1), ("h8 i9", 9, "New 2", 1 << 30)] {
        let asked = after(&mut shelf, moves);
        let (score, line, engine) = (Score::heuristic(7), Vec::new(), engine.to_owned());
        let analysis = Analysis { score, bound: Bound::Exact, depth, nodes: 9, line, engine, at };
        shelf.keep_analysis(&asked, &analysis).unwrap();
    }
    let valued = |shelf: &mut Shelf| {
        ["h8", "h8 i9"].map(|moves| explored(shelf, moves).stored.value.is_some())
    };
    let some = |text: &str| Some(text.to_owned());
    let all = ValueFilter::default();
    for (filter, left) in [
        (ValueFilter { engine: some("old"), ..all.clone() }, [false, true]),
        (ValueFilter { before: some("2000-01-01"), ..all.clone() }, [false, true]),
        (ValueFilter { below_depth: Some(9), ..all.clone() }, [false, true]),
        (ValueFilter { below_depth: Some(5), ..all.clone() }, [true, true]),
        (all, [false, false]),
    ] {
        let forgotten = left.iter().filter(|is_left| !**is_left).count();
        assert_eq!(shelf.forget_values(&filter).unwrap(), forgotten as u64);
        assert_eq!(valued(&mut shelf), left);
        // Nothing forgotten is no change.
        if forgotten > 0 {
            assert_eq!(shelf.undo(None).unwrap().unwrap().what, "forget values");
        }
        assert_eq!(shelf.changes().unwrap().len(), 1, "the import");
        assert_eq!(valued(&mut shelf), [true, true]);
    }
    let wrong = ValueFilter { before: some("spring"), ..ValueFilter::default() };
    assert!(shelf.forget_values(&wrong).is_err());
}

#[test]
fn undone_changes_are_made_again_in_their_order_until_the_next_change() {
    let desk = Desk::new();
    let (mut shelf, ..) = desk.with("a.txt", "h8 i9\nh8 i8\n");
    let path = desk.path("my.shelf");
    let edit = |shelf: &mut Shelf, name: &str| {
        shelf.edit(&[1], &[("PB".to_owned(), name.to_owned())]).unwrap();
    };
    let mut states = vec![content(&path)];
    edit(&mut shelf, "Anna");
    states.push(content(&path));
    shelf.delete(&[1]).unwrap();
    states.push(content(&path));
    let asked = after(&mut shelf, "h8");
    shelf.edit_tree(&asked, None, &TreeEdit::Comment("good".to_owned())).unwrap();
    states.push(content(&path));
    let last = TABLES.len() - 1;
    for _ in 0..2 {
        for state in states[..3].iter().rev() {
            shelf.undo(None).unwrap().unwrap();
            assert!(content(&path)[..last] == state[..last]);
        }
        for state in &states[1..] {
            shelf.redo().unwrap().unwrap();
            assert!(content(&path)[..last] == state[..last]);
            is_right(&mut shelf);
        }
        assert!(shelf.redo().unwrap().is_none());
    }
    // The change that was undone last is made again first, also one that was made again before.
    for (is_undo, state) in [(true, 2), (true, 1), (false, 2), (true, 1), (false, 2), (false, 3)] {
        let done = if is_undo { shelf.undo(None) } else { shelf.redo() };
        done.unwrap().unwrap();
        assert!(content(&path)[..last] == states[state][..last], "{state}");
        is_right(&mut shelf);
    }
    let whats: Vec<String> = shelf.changes().unwrap().into_iter().map(|it| it.what).collect();
    assert_eq!(whats[..3], ["comment in a tree", "delete game 1", "edit first of game 1"]);
    shelf.undo(None).unwrap();
    shelf.undo(None).unwrap();
    edit(&mut shelf, "Ben");
    assert!(shelf.redo().unwrap().is_none());
}
