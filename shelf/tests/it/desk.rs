//! Trees of variations that a person edits.

use std::path::Path;

use fastrand::Rng;
use rusqlite::Connection;
use tengen_shelf::{Explored, Shelf, TreeEdit};

use crate::changes::{content, is_right};
use crate::support::{Desk, add, after, explored};

/// Rows of `tree_moves` and `notes` of a tree.
type Rows = (Vec<(i64, i64, i64, Option<String>)>, Vec<(i64, String)>);

fn rows(path: &Path, tree: i64) -> Rows {
    let db = Connection::open(path).unwrap();
    let mut moves = db
        .prepare("SELECT key, move, child, label FROM tree_moves WHERE tree = ?1 ORDER BY 1, 2")
        .unwrap();
    let moves = moves
        .query_map([tree], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        .unwrap();
    let mut notes =
        db.prepare("SELECT key, comment FROM notes WHERE tree = ?1 ORDER BY 1").unwrap();
    let notes = notes.query_map([tree], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    (moves.collect::<Result<_, _>>().unwrap(), notes.collect::<Result<_, _>>().unwrap())
}

fn edit(shelf: &mut Shelf, moves: &str, edit: TreeEdit) -> Result<u64, tengen_shelf::Error> {
    let asked = after(shelf, moves);
    shelf.edit_tree(&asked, None, &edit)
}

fn label(text: &str) -> TreeEdit {
    TreeEdit::Label(text.to_owned())
}

fn comment(text: &str) -> TreeEdit {
    TreeEdit::Comment(text.to_owned())
}

/// Returns the moves of trees with their labels.
fn in_trees(known: &Explored) -> Vec<(String, Option<&str>)> {
    let moves = known.moves.iter().filter(|mv| mv.is_in_tree);
    moves.map(|mv| (mv.point.to_string(), mv.label.as_deref())).collect()
}

#[test]
fn moves_labels_and_comments_are_added_and_removed() {
    let desk = Desk::new();
    let (mut shelf, ..) = desk.with("a.txt", "h8 i9 h7\n");
    let before = content(&desk.path("my.shelf"));
    assert_eq!(edit(&mut shelf, "h8 i9 j10", TreeEdit::Add).unwrap(), 1);
    // The same move again, and its mirror image, are there.
    assert_eq!(edit(&mut shelf, "h8 i9 j10", TreeEdit::Add).unwrap(), 0);
    assert_eq!(edit(&mut shelf, "h8 g9 f10", TreeEdit::Add).unwrap(), 0);
    assert_eq!(edit(&mut shelf, "h8 i9 j10 k11", TreeEdit::Add).unwrap(), 1);
    assert_eq!(edit(&mut shelf, "h8 i9 j10", label("A")).unwrap(), 1);
    assert_eq!(edit(&mut shelf, "h8 i9 j10", comment("the line; (\"]\\)")).unwrap(), 1);
    assert_eq!(edit(&mut shelf, "h8 g9", label("B")).unwrap(), 1);
    let known = explored(&mut shelf, "h8 i9");
    assert_eq!(in_trees(&known), [("j10".to_owned(), Some("A"))]);
    assert_eq!(in_trees(&explored(&mut shelf, "h8"))[0].1, Some("B"));
    let known = explored(&mut shelf, "h8 g9 f10");
    assert_eq!(known.stored.comments, ["the line; (\"]\\)"]);
    assert_eq!((known.notes.len(), known.notes[0].tree), (1, Some(1)));
    assert_eq!(edit(&mut shelf, "h8 i9 j10", label("")).unwrap(), 1);
    assert_eq!(edit(&mut shelf, "h8 i9 j10", comment("")).unwrap(), 1);
    assert!(explored(&mut shelf, "h8 g9 f10").notes.is_empty());
    // Its image is removed with what follows.
    assert_eq!(edit(&mut shelf, "h8 g9 f10", TreeEdit::Remove).unwrap(), 1);
    assert!(in_trees(&explored(&mut shelf, "h8 i9")).is_empty());
    assert!(in_trees(&explored(&mut shelf, "h8 i9 j10")).is_empty());
    let again = edit(&mut shelf, "h8 g9 f10", TreeEdit::Remove).unwrap_err();
    assert!(again.to_string().contains("no tree"), "{again}");
    assert!(edit(&mut shelf, "", label("x")).is_err());
    // What changes nothing is no change.
    assert_eq!(edit(&mut shelf, "h8 i9 a1", label("")).unwrap(), 0);
    assert_eq!(edit(&mut shelf, "a1", comment("")).unwrap(), 0);
    assert_eq!(shelf.changes().unwrap().len(), 9);
    for _ in 0..8 {
        shelf.undo(None).unwrap();
    }
    assert!(content(&desk.path("my.shelf")) == before);
}

#[test]
fn an_imported_tree_is_edited_at_transpositions_and_a_played_move_stays() {
    let desk = Desk::new();
    let sgf = "(;GM[4]SZ[15]RU[gomokufreestyle]PB[Ana];B[hh];W[ig]LB[ii:A][gi:B](;B[ii]C[first];W[gg])(;B[aa];W[bb]))";
    let (mut shelf, ..) = desk.with("a.sgf", sgf);
    let library = desk.file("b.sgf", sgf);
    add(&mut shelf, &[&library]);
    let db = Connection::open(desk.path("my.shelf")).unwrap();
    db.execute(
        "INSERT INTO trees SELECT 7, board, source, 9, NULL, nodes, sgf FROM trees WHERE id = 1",
        [],
    )
    .unwrap();
    db.execute(
        "INSERT INTO tree_moves SELECT key, move, 7, child, label FROM tree_moves WHERE tree = 1",
        [],
    )
    .unwrap();
    db.execute("INSERT INTO notes SELECT key, 7, comment FROM notes WHERE tree = 1", []).unwrap();
    drop(db);
    assert_eq!(edit(&mut shelf, "h8 i9 a15", TreeEdit::Remove).unwrap(), 1);
    // The other tree is that of the game, in which the move is a variation.
    let asked = after(&mut shelf, "h8 i9 a15");
    let refused = edit(&mut shelf, "h8 i9 a15", TreeEdit::Remove).unwrap_err().to_string();
    assert!(refused.contains("tree 1 of game 1"), "{refused}");
    assert_eq!(shelf.edit_tree(&asked, Some(1), &TreeEdit::Remove).unwrap(), 1);
    let played = after(&mut shelf, "h8 i9 i7");
    let refused = shelf.edit_tree(&played, Some(1), &TreeEdit::Remove).unwrap_err().to_string();
    assert!(refused.contains("was played"), "{refused}");
    assert_eq!(shelf.edit_tree(&played, Some(1), &comment("second")).unwrap(), 1);
    let notes = explored(&mut shelf, "h8 i9 i7").notes;
    let texts: Vec<_> = notes.iter().map(|note| (note.tree, note.text.as_deref())).collect();
    assert_eq!(texts, [(Some(1), Some("second")), (Some(7), Some("first"))]);
    assert_eq!(edit(&mut shelf, "h8 i9 i7", label("C")).unwrap(), 1);
    let path = desk.path("my.shelf");
    let labels = |tree| rows(&path, tree).0.into_iter().filter_map(|row| row.3).collect::<Vec<_>>();
    let (mut of_game, mut of_library) = (labels(1), labels(7));
    of_game.sort();
    of_library.sort();
    assert_eq!(
        (of_game, of_library),
        (vec!["A".to_owned(), "B".to_owned()], vec!["B".to_owned(), "C".to_owned()])
    );
    assert!(shelf.edit_tree(&asked, Some(9), &TreeEdit::Add).is_err());
    is_right(&mut shelf);
}

/// Random edits, and a recount of each tree from its text.
#[test]
fn rows_follow_random_edits_and_are_undone() {
    let desk = Desk::new();
    let path = desk.path("my.shelf");
    let (mut shelf, ..) = desk.with("a.txt", "h8 i9 h7\n");
    let mut rng = Rng::with_seed(3);
    let points = ["h8", "i8", "h9", "g8", "h7", "i9"];
    let mut before = Vec::new();
    for step in 0..150 {
        let mut line = points;
        rng.shuffle(&mut line);
        let moves = line[..rng.usize(1..5)].join(" ");
        let change = match rng.u32(..6) {
            0 => TreeEdit::Remove,
            1 => label(["A", "B", ""][rng.usize(..3)]),
            2 => comment(["good", "bad", ""][rng.usize(..3)]),
            _ => TreeEdit::Add,
        };
        let (state, changes) = (content(&path), shelf.changes().unwrap().len());
        match edit(&mut shelf, &moves, change.clone()) {
            Ok(_) => {}
            Err(why) => assert!(change == TreeEdit::Remove, "{why}"),
        }
        if shelf.changes().unwrap().len() > changes {
            before.push(state);
        } else {
            assert!(content(&path) == state);
        }
        if step % 10 == 0 {
            for tree in shelf.libraries(None).unwrap() {
                let (sgf, _) = shelf.library(tree).unwrap();
                let other = Desk::new();
                other.with("tree.sgf", &sgf);
                let counted = rows(&other.path("my.shelf"), 1);
                assert_eq!(rows(&path, tree), counted, "step {step}: {sgf}");
            }
        }
    }
    assert!(before.len() > 50, "{}", before.len());
    while let Some(state) = before.pop() {
        shelf.undo(None).unwrap();
        assert!(content(&path) == state);
    }
}

#[test]
fn the_other_orders_of_a_position_are_listed() {
    let desk = Desk::new();
    let games = "h8 i9 h7 a1\nh7 i9 h8 a2\nh8 a15 b1 i9 h7\n";
    let (mut shelf, ..) = desk.with("a.txt", games);
    let orders = |shelf: &mut Shelf, moves: &str| {
        let known = explored(shelf, moves).other_orders.into_iter();
        known.map(|it| (it.point.to_string(), it.games, it.is_in_tree)).collect::<Vec<_>>()
    };
    assert_eq!(orders(&mut shelf, "h8 i9 h7"), [("h8".to_owned(), 1, false)]);
    assert_eq!(orders(&mut shelf, "h7 i9 h8"), [("h7".to_owned(), 1, false)]);
    edit(&mut shelf, "h7 i9 h8", TreeEdit::Add).unwrap();
    assert_eq!(orders(&mut shelf, "h8 i9 h7"), [("h8".to_owned(), 1, true)]);
    // Both stones of the first player are images of each other.
    assert!(orders(&mut shelf, "h8").is_empty());
    assert!(orders(&mut shelf, "").is_empty());
}
