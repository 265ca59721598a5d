//! Libraries of RenLib in its versions, written here in the same way as by RenLib.

use fastrand::Rng;
use tengen_engine::{Grid, GridNotation};
use tengen_games::CATALOG;
use tengen_records::{FaultKind, Format, Place, ReadOptions, TextEncoding, read};

use crate::games::{GameParameters, Tree, board, played};

/// The versions of the file format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Version {
    /// No header, comments of seven bits, the first move at the centre.
    Oldest,
    /// A header, and no node for the root.
    V30,
    /// A node for the root.
    V34,
}

pub(crate) const VERSIONS: [Version; 3] = [Version::Oldest, Version::V30, Version::V34];

/// Returns the bytes of a library. The root may have at most one child, unless the version has a
/// node for the root.
pub(crate) fn write(tree: &Tree, version: Version, encoding: TextEncoding) -> Vec<u8> {
    let mut out = Vec::new();
    if version != Version::Oldest {
        let minor = if version == Version::V30 { 0 } else { 4 };
        out.extend_from_slice(b"\xffRenLib\xff");
        out.extend_from_slice(&[3, minor]);
        out.extend_from_slice(&[0xff; 10]);
    }
    if version == Version::V34 {
        write_node(&mut out, tree, false, version, encoding);
    } else {
        write_children(&mut out, tree, version, encoding);
    }
    out
}

fn write_children(out: &mut Vec<u8>, tree: &Tree, version: Version, encoding: TextEncoding) {
    for (place, child) in tree.children.iter().enumerate() {
        write_node(out, child, place + 1 < tree.children.len(), version, encoding);
    }
}

fn write_node(
    out: &mut Vec<u8>,
    tree: &Tree,
    has_sibling: bool,
    version: Version,
    encoding: TextEncoding,
) {
    let point = tree.point.map_or(0, |(column, row)| 16 * row + column + 1);
    let mut flags = if has_sibling { 0x80 } else { 0 };
    flags |= if tree.children.is_empty() { 0x40 } else { 0 };
    let has_comment = !tree.comment.is_empty();
    flags |= match version {
        Version::Oldest if has_comment => 0x20,
        _ if has_comment => 0x08,
        _ => 0,
    };
    out.extend_from_slice(&[point as u8, flags]);
    if has_comment {
        // The first line is the title, and a backspace ends it.
        let text = tree.comment.replacen('\n', "\u{8}", 1).replace('\n', "\r\n");
        let mut bytes = encoding.encode(&text).expect("letters of the encoding").into_owned();
        if version == Version::Oldest {
            *bytes.last_mut().expect("a comment") |= 0x80;
            if bytes.len() % 2 == 1 {
                bytes.push(0);
            }
        } else {
            bytes.push(0);
            if bytes.len() % 2 == 1 {
                bytes.push(0);
            }
        }
        out.extend_from_slice(&bytes);
    }
    write_children(out, tree, version, encoding);
}

/// Returns a random library for this version.
pub(crate) fn random(rng: &mut Rng, version: Version, letters: &str) -> Tree {
    let alphabet: Vec<char> = "abc XYZ 019.\n".chars().chain(letters.chars()).collect();
    let mut tree =
        Tree::random(rng, &GameParameters { side: 15, max_moves: 40, alphabet: &alphabet });
    tidy(&mut tree);
    if version != Version::V34 {
        tree.comment.clear();
        tree.children.truncate(1);
    }
    if version == Version::Oldest {
        // The centre as the first move identifies a file of this version.
        tree.children[0].point = Some((7, 7));
        let mut rest = std::mem::take(&mut tree.children[0].children);
        without_centre(&mut rest);
        tree.children[0].children = rest;
    }
    tree
}

fn without_centre(trees: &mut Vec<Tree>) {
    trees.retain(|tree| tree.point != Some((7, 7)));
    trees.iter_mut().for_each(|tree| without_centre(&mut tree.children));
}

/// Removes empty lines at the ends of comments, which RenLib does not keep.
fn tidy(tree: &mut Tree) {
    tree.comment = tree.comment.trim_matches('\n').to_owned();
    tree.children.iter_mut().for_each(tidy);
}

#[test]
fn libraries_of_every_version_are_read_as_written() {
    let mut rng = Rng::with_seed(77);
    for round in 0..300 {
        let version = VERSIONS[round % VERSIONS.len()];
        let (label, letters) = match version {
            Version::Oldest => ("UTF-8", ""),
            _ => [("UTF-8", "\u{738b}"), ("Shift_JIS", "\u{8868}"), ("GB18030", "\u{9ed1}")]
                [round / 3 % 3],
        };
        let encoding = TextEncoding::named(label).unwrap();
        let tree = random(&mut rng, version, letters);
        let bytes = write(&tree, version, encoding);
        let options = ReadOptions::new().named("x.lib").encoding(encoding);
        let library = read(&bytes, &options).unwrap_or_else(|fault| panic!("{fault}: {version:?}"));
        assert_eq!(library.format(), Format::LIB);
        assert_eq!(Tree::of(&library.records()[0]), tree, "{version:?}");
        assert_eq!(played(&library.records()[0], 15), tree.main_line());
        let (spec, warning) = library.records()[0].spec(&CATALOG).unwrap();
        assert_eq!((spec.variant, spec.size(), warning), ("renju", Some((15, 15)), None));
        // The tree survives a round trip through our own library.
        let own = library.records()[0].to_lib(board(15), encoding).unwrap();
        let again = read(&own, &options).unwrap();
        assert_eq!(Tree::of(&again.records()[0]), tree, "{version:?}");
        // And through SGF.
        let sgf = read(&library.to_sgf(), &ReadOptions::new()).unwrap();
        assert_eq!(Tree::of(&sgf.records()[0]), tree);
    }
}

#[test]
fn the_encoding_of_comments_is_guessed() {
    for (label, text) in [
        ("UTF-8", "Schwarz gewinnt: \u{738b}"),
        (
            "windows-1252",
            "H\u{e4}r vinner svart med fyra p\u{e5} rad, d\u{e5} vit m\u{e5}ste t\u{e4}cka",
        ),
        (
            "GB18030",
            "\u{9ed1}\u{68cb}\u{80dc}\u{ff0c}\u{767d}\u{68cb}\u{5fc5}\u{987b}\u{6321}\u{4f4f}\u{56db}",
        ),
        (
            "Shift_JIS",
            "\u{9ed2}\u{306e}\u{52dd}\u{3061}\u{3067}\u{3059}\u{3002}\u{767d}\u{306f}\u{9632}\u{3050}",
        ),
        ("EUC-KR", "\u{d751}\u{c774} \u{c774}\u{ae34}\u{b2e4}\u{ace0} \u{d569}\u{b2c8}\u{b2e4}"),
    ] {
        let leaf = Tree { point: Some((7, 7)), comment: text.to_owned(), ..Tree::default() };
        let tree = Tree { children: vec![leaf], ..Tree::default() };
        let bytes = write(&tree, Version::V34, TextEncoding::named(label).unwrap());
        let library = read(&bytes, &ReadOptions::new()).unwrap();
        assert_eq!(Tree::of(&library.records()[0]), tree, "{label}");
    }
}

/// Returns a header and `nodes`.
fn library(nodes: &[u8]) -> Vec<u8> {
    [b"\xffRenLib\xff\x03\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", nodes].concat()
}

#[test]
fn marks_texts_on_the_board_and_passes_are_kept() {
    // The root; h8, marked; after it a text on i8, whose move was removed; g9 with a text; a pass.
    let bytes = library(b"\0\0\x78\x10\x79\xc3\0\x01A\0\x67\x01\0\x01go on\0\0\x40");
    let library = read(&bytes, &ReadOptions::new()).unwrap();
    let text = String::from_utf8(library.to_sgf()).unwrap();
    assert_eq!(text, "(;FF[4]GM[4]SZ[15]RU[Renju]\n;B[hh]HO[1]LB[ih:A][gg:go on];W[gg];B[])\n");
}

#[test]
fn the_oldest_comments_have_nordic_letters() {
    // "j}" is j and a with a ring.
    let bytes = b"\x78\x60j\xfd";
    let library = read(bytes, &ReadOptions::new().named("OLD.LIB")).unwrap();
    assert_eq!(Tree::of(&library.records()[0]).children[0].comment, "j\u{e5}");
}

#[test]
fn the_error_of_a_broken_library_names_its_byte() {
    for (bytes, message) in [
        (library(b"\0\0\x78\x80"), "byte 24: the file ends where another move was expected"),
        (library(b"\0\0\x78"), "byte 23: the file ends where another move was expected"),
        (
            library(b"\0\0\x78\x48ab"),
            "byte 26: the file ends where the end of a comment was expected",
        ),
        (
            library(b"\0\0\xf8\x40"),
            "byte 22: expected a point of the board of 15x15, found \"0xf8\"",
        ),
        (
            library(b"\0\0\x70\x40"),
            "byte 22: expected a point of the board of 15x15, found \"0x70\"",
        ),
        (b"\xffRenLib\xff\x03".to_vec(), "byte 9: the file ends where the version was expected"),
        (
            b"\xffRenLib\xff\x03\x04\xff".to_vec(),
            "byte 11: the file ends where the rest of the header was expected",
        ),
        (
            b"\xffRenLib\xff\x04\x00".to_vec(),
            "byte 8: RenLib version 4.0: versions up to 3 are read",
        ),
    ] {
        assert_eq!(read(&bytes, &ReadOptions::new()).unwrap_err().to_string(), message);
    }
    // A library may have no moves.
    assert_eq!(read(&library(b""), &ReadOptions::new()).unwrap().records()[0].node_count(), 1);
    assert_eq!(
        read(&library(b"\0\x40"), &ReadOptions::new()).unwrap().records()[0].node_count(),
        1
    );
    // RenLib saves from a later position without an end for the moves before it.
    let part = read(&library(b"\0\0\x78\0"), &ReadOptions::new()).unwrap();
    assert_eq!(part.records()[0].node_count(), 2);
}

#[test]
fn the_error_of_a_taken_point_names_the_byte_of_the_move() {
    let library = read(&library(b"\0\0\x78\0\x78\x40"), &ReadOptions::new()).unwrap();
    let fault = library.records()[0].line(board(15)).unwrap_err();
    assert_eq!(fault.place(), Some(Place::Byte(24)));
    assert!(matches!(fault.kind(), FaultKind::Move { number: 2, .. }), "{fault}");
    let small = GridNotation::new(Grid::new(10, 10).unwrap(), false);
    let fault = library.records()[0].line(small).unwrap_err();
    assert_eq!(fault.to_string(), "SZ[15]: this game is played on 10x10 points");
}
