//! Compares the names of the 26 openings of renju with a published list, read from `../shared/data`.

use std::collections::BTreeSet;

use tengen_engine::opening::OpeningName;
use tengen_engine::{Catalog, Chosen};
use tengen_games::CATALOG;

use crate::support::published;

/// A column and a row, from the centre of a board of 15x15.
type Offset = (i32, i32);

fn offset_of(name: &str) -> Offset {
    let column = name.as_bytes()[0].to_ascii_lowercase() - b'a';
    (i32::from(column) - 7, name[1..].parse::<i32>().expect("a row") - 8)
}

fn name_of((column, row): Offset) -> String {
    let letter = char::from(b'a' + u8::try_from(column + 7).expect("a column"));
    format!("{letter}{}", row + 8)
}

/// Returns a point after one of the eight symmetries of the board.
fn image((column, row): Offset, symmetry: u8) -> Offset {
    let (column, row) = if symmetry & 1 == 0 { (column, row) } else { (row, column) };
    let side = |is_mirrored, at: i32| if is_mirrored { -at } else { at };
    (side(symmetry & 2 != 0, column), side(symmetry & 4 != 0, row))
}

fn opening(moves: &[String]) -> &'static OpeningName {
    let spec = CATALOG.describe("renju", &Chosen::new()).expect("renju");
    let mut position = CATALOG.position(&spec);
    let moves: Vec<&str> = moves.iter().map(String::as_str).collect();
    position.play_all(&moves).expect("legal moves");
    CATALOG.opening_name(&*position).unwrap_or_else(|| panic!("{moves:?} has no name"))
}

/// Lists add a second translation in brackets.
fn without_brackets(name: &str) -> String {
    let parts = name.split('(').map(|part| part.split_once(')').map_or(part, |(_, rest)| rest));
    parts.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_26_openings_have_the_published_names_under_all_symmetries() {
    let Some(text) = published::text("renju/renju_openings_26.tsv") else { return };
    let mut codes = BTreeSet::new();
    let mut triples = BTreeSet::new();
    for row in published::rows(&text).skip(1) {
        let [code, native, romanised, english, first, second, third, ..] = row[..] else {
            panic!("{row:?}")
        };
        codes.insert(code.to_owned());
        for symmetry in 0..8 {
            let moves = [first, second, third].map(|at| name_of(image(offset_of(at), symmetry)));
            let found = opening(&moves);
            let in_english = found.names.iter().find(|(language, _)| *language == "en");
            let known = (found.code, found.native, found.romanised, in_english.map(|name| name.1));
            let without_brackets = without_brackets(english);
            let wanted = (code, Some(native), Some(romanised), Some(without_brackets.as_str()));
            assert_eq!(known, wanted, "{moves:?}");
            triples.insert(moves);
        }
    }
    assert_eq!((codes.len(), triples.len()), (26, 184));
}
