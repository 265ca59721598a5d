//! Comments of people, other names of players, trees of variations, and games found by them.

use tengen_games::CATALOG;
use tengen_records::{Format, ReadOptions, read};
use tengen_shelf::{Filter, Shelf, TreeEdit};

use crate::support::{Desk, add, after, explored, found};

const GAMES: &str = "(;GM[4]SZ[15]RU[renju]PB[Ivan P.]PW[Ben];B[hh];W[ig];B[ii]C[A Strong move])
(;GM[4]SZ[15]RU[renju]PB[Ben]PW[Ivanov, Petr];B[hh];W[ih])
(;GM[4]SZ[15]RU[renju]PB[Ben]PW[Cleo];B[hh];W[ig];B[gg];W[aa])";

fn ids(shelf: &mut Shelf, filter: Filter) -> Vec<i64> {
    found(shelf, &filter).ids
}

#[test]
fn games_are_found_by_opponent_colour_length_words_and_file() {
    let desk = Desk::new();
    let (mut shelf, ..) = desk.with("a.sgf", GAMES);
    add(&mut shelf, &[&desk.file("club.txt", "h8 i9 a1\n")]);
    let some = |text: &str| Some(text.to_owned());
    let all = Filter::default();
    for (filter, games) in [
        (Filter { player: some("ben"), against: some("cleo"), ..all.clone() }, vec![3]),
        (Filter { player: some("cleo"), against: some("ivan"), ..all.clone() }, vec![]),
        (Filter { against: some("cleo"), ..all.clone() }, vec![3]),
        (Filter { sides: [some("ben"), None], ..all.clone() }, vec![2, 3]),
        (Filter { sides: [None, some("ben")], ..all.clone() }, vec![1]),
        (Filter { plies: Some((0, 2)), ..all.clone() }, vec![2]),
        (Filter { plies: Some((3, 9)), ..all.clone() }, vec![1, 3, 4]),
        (Filter { comment: some("strong MOVE"), ..all.clone() }, vec![1]),
        (Filter { source: some("club"), ..all.clone() }, vec![4]),
    ] {
        assert_eq!(ids(&mut shelf, filter.clone()), games, "{filter:?}");
    }
    let ivan = |shelf: &mut Shelf, name: &str| {
        ids(shelf, Filter { player: some(name), ..Filter::default() })
    };
    assert_eq!(ivan(&mut shelf, "Petr"), [2]);
    shelf.set_alias("Ivan P.", Some("Ivanov, Petr")).unwrap();
    assert_eq!((ivan(&mut shelf, "petr"), ivan(&mut shelf, "IVAN P.")), (vec![1, 2], vec![1, 2]));
    shelf.undo(None).unwrap();
    assert_eq!(ivan(&mut shelf, "petr"), [2]);
    assert!(shelf.set_alias("Ivan P.", None).is_err());
}

#[test]
fn comments_have_an_author_are_merged_and_undone() {
    let desk = Desk::new();
    let (mut one, ..) = desk.with("a.sgf", GAMES);
    let mut other = desk.shelf_named("other.shelf");
    add(&mut other, &[&desk.path("a.sgf")]);
    let asked = after(&mut one, "h8 i9");
    let id = one.add_comment(&asked, Some("A"), Some("Sōlid"), Some("Anna")).unwrap();
    for (label, text, author) in [
        (None, None, "Anna"),
        (Some(""), Some(" "), "Anna"),
        (Some("A\n"), None, "Anna"),
        (None, Some("\u{1b}[2J"), "Anna"),
        (Some("A"), None, "Anna\tBen"),
    ] {
        assert!(one.add_comment(&asked, label, text, Some(author)).is_err(), "{label:?} {text:?}");
    }
    for edit in [TreeEdit::Label("A\tB".to_owned()), TreeEdit::Comment("\u{7}".to_owned())] {
        assert!(one.edit_tree(&asked, None, &edit).is_err(), "{edit:?}");
    }
    // The same position in another orientation.
    let turned = after(&mut other, "h8 g7");
    other.add_comment(&turned, None, Some("Weak"), Some("Ben")).unwrap();
    for _ in 0..2 {
        one.merge(&mut other, &mut |_| true).unwrap();
        let comments = one.comments_at(&asked).unwrap();
        let authors = comments.iter().map(|comment| comment.author.as_deref().unwrap());
        assert_eq!(authors.collect::<Vec<_>>(), ["Anna", "Ben"]);
    }
    let stored = explored(&mut one, "h8 i9").stored;
    assert_eq!(
        (stored.label.as_deref(), stored.comments),
        (Some("A"), vec!["Sōlid".to_owned(), "Weak".to_owned()])
    );
    let games = Filter { comment: Some("solid".to_owned()), ..Filter::default() };
    assert_eq!(ids(&mut one, games), [1, 3]);
    assert_eq!(one.search_comments("solid").unwrap().len(), 1);
    one.change_comment(id, Some(""), None).unwrap();
    one.change_comment(id, None, Some("")).unwrap();
    assert_eq!(one.comments_at(&asked).unwrap().len(), 1);
    assert!(one.change_comment(id, None, Some("x")).is_err());
    one.undo(None).unwrap();
    one.undo(None).unwrap();
    assert_eq!(one.comments_at(&asked).unwrap()[0].label.as_deref(), Some("A"));
}

#[test]
fn trees_are_exported_and_searched() {
    let desk = Desk::new();
    let sgf =
        "(;GM[4]SZ[15]RU[renju];B[hh](;W[ig]C[the diagonal];B[ii]LB[aa:x])(;W[hg];B[hi]C[a line]))";
    let source = read(sgf.as_bytes(), &ReadOptions::new()).unwrap();
    let (spec, _) = source.records()[0].spec(&CATALOG).unwrap();
    let library = source.write(Format::LIB, &[Some(spec)], None).unwrap();
    let mut shelf = desk.shelf();
    let (report, _) = add(&mut shelf, &[&desk.file("a.lib", &library)]);
    assert_eq!((report.new, report.trees), (0, 1));
    let trees = shelf.libraries(None).unwrap();
    assert_eq!((trees.len(), shelf.libraries(Some("gomoku 15x15")).unwrap().len()), (1, 0));
    // With a game that has variations and comments of its own.
    let game =
        "(;GM[4]SZ[15]RU[renju]PB[Anna]C[a game];B[hh];W[ig]C[often](;B[jj]C[good])(;B[kk]))";
    add(&mut shelf, &[&desk.file("b.sgf", game)]);
    let (record, _) = shelf.tree_of(&[1], &trees).unwrap();
    let comments = record.ids().filter_map(|id| record.node(id).comment());
    assert_eq!(comments.collect::<Vec<_>>(), ["a game", "often\nthe diagonal", "good", "a line"]);
    assert_eq!(record.node_count(), 1 + 2 + 3 + 2);
    let (sgf, _) = shelf.library(trees[0]).unwrap();
    assert!(sgf.contains("the diagonal") && sgf.contains("a line"), "{sgf}");
    let (_, lost) = shelf.written_with_losses(1, Format::PSQ).unwrap().unwrap();
    assert!(lost.unwrap().contains("variations"));
    let of_source =
        |shelf: &mut Shelf, source| shelf.tree_positions("renju 15x15", 0, source).unwrap().len();
    let [all, library, game] =
        [None, Some("A.LIB"), Some("b.sgf")].map(|it| of_source(&mut shelf, it));
    assert!(library > 0 && game > 0 && library < all && game < all && all < library + game);
    assert_eq!(of_source(&mut shelf, Some("c.sgf")), 0);
    let keys = |source| shelf.keys_of_trees("renju 15x15", source).unwrap().len();
    assert!(keys(None) > keys(Some("no such file")) && keys(Some("no such file")) == 0);
    let positions = shelf.tree_positions("renju 15x15", 0, None).unwrap();
    // The start, h8, two replies, and a reply to each of the library; two of the game.
    assert_eq!(positions.len(), 1 + 1 + 2 + 2 + 2);
    let (database, left_out) = shelf.database(None).unwrap();
    assert_eq!((database.positions(), left_out), (4, 0));
}

#[test]
fn a_game_with_one_known_player_keeps_the_side_in_every_format() {
    let desk = Desk::new();
    let (mut shelf, ..) = desk.with("a.sgf", "(;GM[4]SZ[15]RU[renju]PW[Ben];B[hh];W[ig])");
    for format in [Format::SGF, Format::PGN, Format::JSONL] {
        let (written, _) = shelf.written_with_losses(1, format).unwrap().unwrap();
        let name = format!("{}.{}", format.name(), format.extensions()[0]);
        let mut other = desk.shelf_named(&format!("{name}.shelf"));
        add(&mut other, &[&desk.file(&name, &written)]);
        assert_eq!(other.game(1).unwrap().players, [None, Some("Ben".to_owned())], "{name}");
    }
}

#[test]
fn a_faulty_game_is_the_same_after_a_round_trip_through_sgf() {
    let desk = Desk::new();
    let games = "(;GM[4]SZ[15]RU[renju]RE[B+];B[hh];W[ig];B[hh];W[zz];B[aa])
(;GM[4]SZ[15]RU[renju]AB[hh]AW[gg]PL[B];B[hi];W[hh])";
    let (mut shelf, report, _) = desk.with("a.sgf", games);
    assert_eq!(report.marked[0], 2);
    let written: Vec<u8> = (1..=2)
        .flat_map(|id| shelf.written_with_losses(id, Format::SGF).unwrap().unwrap().0)
        .collect();
    let mut other = desk.shelf_named("other.shelf");
    add(&mut other, &[&desk.file("b.sgf", &written)]);
    for id in 1..=2 {
        let (one, same) = (shelf.game(id).unwrap(), other.game(id).unwrap());
        assert_eq!((&one.moves, &one.rest, one.marks), (&same.moves, &same.rest, same.marks));
        assert_eq!(one.headers, same.headers);
    }
    let again = add(&mut shelf, &[&desk.path("b.sgf")]).0;
    assert_eq!((again.new, again.merged), (0, 2));
}
