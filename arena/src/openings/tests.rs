//! Openings in every format, good and bad, on boards of real games.

use proptest::prelude::*;
use tengen_engine::backend::Catalog;
use tengen_engine::{Chosen, Position};
use tengen_games::CATALOG;
use tengen_records::TextEncoding;

use super::*;
use crate::config::OpeningFormat;

fn board(variant: &str, side: i64) -> Box<dyn Position> {
    let mut chosen = Chosen::new();
    if side > 0 {
        chosen.insert("BoardWidth", side);
        chosen.insert("BoardHeight", side);
    }
    CATALOG.position(&CATALOG.describe(variant, &chosen).unwrap())
}

fn openings(
    text: &str,
    style: OpeningFormat,
    position: &mut dyn Position,
) -> Result<Vec<Opening>, file::BadOpening> {
    file::read(text.as_bytes(), (style, None), None, position)
}

/// Returns the openings as lines.
fn lines(text: &str, style: OpeningFormat, position: &mut dyn Position) -> Vec<String> {
    let openings = openings(text, style, position).unwrap_or_else(|fault| panic!("{fault:?}"));
    openings.iter().map(|opening| opening.to_line(position).unwrap()).collect()
}

#[test]
fn every_format_reads_the_same_opening() {
    let mut gomoku = board("gomokufreestyle", 0);
    let expected = ["startpos moves h8 i9 g7"];
    for (text, style) in [
        ("0,0, 1,-1, -1,1\n", OpeningFormat::Offset),
        ("h8i7g9", OpeningFormat::Pos),
        ("# a comment\n\nh8 i9 g7\n", OpeningFormat::Moves),
        ("h8i9,g7", OpeningFormat::Moves),
        (
            "[Event \"x\"]\n\n1. h8 i9 {a comment; (with (all)} 2. g7 (2. a1 b2) $3 *\n",
            OpeningFormat::Pgn,
        ),
        ("1.h8 i9 2.g7 ; the rest\n1/2-1/2\n", OpeningFormat::Pgn),
        ("(;GM[4]SZ[15];B[hh](;W[ig];B[gi])(;W[bb]))", OpeningFormat::Sgf),
    ] {
        assert_eq!(lines(text, style, &mut *gomoku), expected, "{text}");
    }
    let mut cfour = board("cfour", 0);
    for text in ["44152", "d1 d2 a1 e1 b1", "4,4,1,5,2"] {
        assert_eq!(
            lines(text, OpeningFormat::Moves, &mut *cfour),
            ["startpos moves d1 d2 a1 e1 b1"]
        );
    }
}

#[test]
fn positions_are_read_with_and_without_operations() {
    let mut cfour = board("cfour", 0);
    let fen = "7/7/7/7/3p3/3PP2 b - - 0 2";
    for (text, style) in [
        (fen, OpeningFormat::Fen),
        ("7/7/7/7/3p3/3PP2 b", OpeningFormat::Fen),
        ("7/7/7/7/3p3/3PP2 b - - id \"one\"; ce 5;", OpeningFormat::Epd),
        ("  7/7/7/7/3p3/3PP2 b id \"one\";", OpeningFormat::Epd),
    ] {
        assert_eq!(lines(text, style, &mut *cfour), [format!("fen {fen}")], "{text}");
    }
    let pgn =
        format!("[FEN \"{fen}\"]\n[Result \"*\"]\n\n1... d3 2. d4 *\n\n[Event \"2\"]\n\n1. a1 *\n");
    let found = lines(&pgn, OpeningFormat::Pgn, &mut *cfour);
    assert_eq!(found, [format!("fen {fen} moves d3 d4"), "startpos moves a1".to_owned()]);
}

#[test]
fn errors_have_line_and_character() {
    let mut gomoku = board("gomokufreestyle", 0);
    let mut refused = |text: &str, style| {
        let (place, why) = openings(text, style, &mut *gomoku).unwrap_err();
        (place, why)
    };
    for (text, style, place, why) in [
        ("0,0\n0,0, 8,8", OpeningFormat::Offset, Some((2, 6)), "8,8 lies outside the 15x15 board"),
        ("0,0, 0,0", OpeningFormat::Offset, Some((1, 6)), "h8 is taken"),
        ("0,0, 1", OpeningFormat::Offset, Some((1, 6)), "a row is missing after the last column"),
        ("0,x", OpeningFormat::Offset, Some((1, 3)), "\"x\" is not a number"),
        ("h8 p9", OpeningFormat::Pos, Some((1, 4)), "p9 lies outside the 15x15 board"),
        ("h8?", OpeningFormat::Pos, Some((1, 3)), "\"?\": a letter and a row expected"),
        ("h8 i9\nh8 h8", OpeningFormat::Moves, Some((2, 4)), "move \"h8\": h8 is taken"),
        (
            "a1 a2 b1 b2 c1 c2 d1 d2 e1",
            OpeningFormat::Moves,
            Some((1, 1)),
            "the game is over at the end of the opening",
        ),
        ("\n15/15 w", OpeningFormat::Fen, Some((2, 6)), "position \"15/15 w\": 2 of 15 rows"),
        (
            "1. h8 {x",
            OpeningFormat::Pgn,
            Some((1, 7)),
            "expected \"}\", which ends a comment, found the end of the file",
        ),
        ("1. h8 )", OpeningFormat::Pgn, Some((1, 7)), "expected a move such as h8, found \")\""),
        ("1. h8\n2. h8", OpeningFormat::Pgn, Some((2, 4)), "move 2 \"h8\": h8 is taken"),
        (
            "(;SZ[15];B[hh];B[ii])",
            OpeningFormat::Sgf,
            Some((1, 18)),
            "move 2 \"ii\": the other player is to move",
        ),
    ] {
        let found = refused(text, style);
        assert_eq!(found.0, place, "{text}: {}", found.1);
        assert_eq!(found.1, why, "{text}");
    }
    assert_eq!(
        file::read(b"h8\n\xff", (OpeningFormat::Moves, None), None, &mut *gomoku).unwrap_err().0,
        Some((2, 1))
    );
}

#[test]
fn a_file_is_read_in_the_encoding_that_is_named() {
    let mut gomoku = board("gomokufreestyle", 0);
    for (text, style) in [
        ("# \u{738b}\nh8 i9\n", OpeningFormat::Moves),
        ("[White \"\u{738b}\"]\n\n1. h8 i9 *\n", OpeningFormat::Pgn),
        ("(;GM[4]SZ[15]PB[\u{738b}];B[hh];W[ig])", OpeningFormat::Sgf),
    ] {
        for name in ["GBK", "Big5"] {
            let encoding = TextEncoding::named(name).unwrap();
            let bytes = encoding.encode(text).unwrap();
            let list = file::read(&bytes, (style, Some(encoding)), None, &mut *gomoku).unwrap();
            let line = list[0].to_line(&mut *gomoku).unwrap();
            assert_eq!(line, "startpos moves h8 i9", "{style:?} {name}");
        }
    }
    let encoding = TextEncoding::named("GBK");
    let style = (OpeningFormat::Moves, encoding);
    let fault = file::read(b"# \xff\xff\nh8 i9\n", style, None, &mut *gomoku).unwrap_err();
    assert_eq!(fault, (None, "the text is not gb18030".to_owned()));
}

#[test]
fn games_are_cut_to_the_number_of_plies() {
    let mut gomoku = board("gomokufreestyle", 0);
    let game = "[Result \"1-0\"]\n\n1. a1 a2 2. b1 b2 3. c1 c2 4. d1 d2 5. e1 1-0\n";
    let fault = openings(game, OpeningFormat::Pgn, &mut *gomoku).unwrap_err();
    assert_eq!(fault, (Some((3, 40)), "the game is over at the end of the opening".to_owned()));
    let cut =
        file::read(game.as_bytes(), (OpeningFormat::Pgn, None), Some(3), &mut *gomoku).unwrap();
    assert_eq!(cut[0].to_line(&mut *gomoku).unwrap(), "startpos moves a1 a2 b1");
}

#[test]
fn openings_equal_by_symmetry_are_counted() {
    let mut gomoku = board("gomokufreestyle", 0);
    let text = "h8 i9\nh8 g7\nh8 i8\nh8 h9\ni9 h8\n";
    let list = openings(text, OpeningFormat::Moves, &mut *gomoku).unwrap();
    assert_eq!(OpeningList::new(list, &mut *gomoku).repeated, 2);
    let mut cfour = board("cfour", 0);
    let list = openings("4\n3\n5\n1\n", OpeningFormat::Moves, &mut *cfour).unwrap();
    assert_eq!(OpeningList::new(list, &mut *cfour).repeated, 1);
}

fn fixture(pair: u64) -> Fixture {
    Fixture { id: 2 * pair, round: pair / 4, encounter: pair / 2, players: [0, 1] }
}

fn config(order: OpeningSequence, start: u64, policy: Policy, transform: bool) -> OpeningsConfig {
    OpeningsConfig {
        order,
        start,
        policy,
        transform,
        count: 1,
        nodes: 1,
        ..OpeningsConfig::default()
    }
}

#[test]
fn pairs_take_openings_by_the_policy() {
    let mut gomoku = board("gomokufreestyle", 0);
    let openings = openings("a1\nb1\nc1\n", OpeningFormat::Moves, &mut *gomoku).unwrap();
    let list = OpeningList::new(openings, &mut *gomoku);
    let mut taken = |config: OpeningsConfig| {
        let spec = gomoku.spec().clone();
        let order = OpeningOrder::new(&list, &config, &spec, &mut fastrand::Rng::with_seed(1));
        let numbers = (0..8).map(|pair| order.opening_of(&fixture(pair), &mut *gomoku).0);
        numbers.collect::<Vec<_>>()
    };
    let sequential = |start, policy| config(OpeningSequence::Sequential, start, policy, false);
    assert_eq!(taken(sequential(1, Policy::Default)), [0, 1, 2, 0, 1, 2, 0, 1]);
    assert_eq!(taken(sequential(3, Policy::Default)), [2, 0, 1, 2, 0, 1, 2, 0]);
    assert_eq!(taken(sequential(1, Policy::Encounter)), [0, 0, 1, 1, 2, 2, 0, 0]);
    assert_eq!(taken(sequential(1, Policy::Round)), [0, 0, 0, 0, 1, 1, 1, 1]);
    let random = taken(config(OpeningSequence::Random, 1, Policy::Default, false));
    assert_eq!(random, taken(config(OpeningSequence::Random, 1, Policy::Default, false)));
    assert_eq!(random[..3].iter().collect::<HashSet<_>>().len(), 3);
}

#[test]
fn a_list_is_turned_when_it_begins_again() {
    let mut gomoku = board("gomokufreestyle", 0);
    let openings = openings("a1 b3", OpeningFormat::Moves, &mut *gomoku).unwrap();
    let list = OpeningList::new(openings, &mut *gomoku);
    let spec = gomoku.spec().clone();
    let turned = config(OpeningSequence::Sequential, 1, Policy::Default, true);
    let order = OpeningOrder::new(&list, &turned, &spec, &mut fastrand::Rng::with_seed(1));
    assert_eq!(order.order.len() * order.symmetries.len(), 8);
    // A run that is continued has the order of its beginning.
    let moves = ["a1 b3", "o1 n3", "o15 n13", "a15 b13", "a1 c2", "a15 c14", "o15 m14", "o1 m2"];
    for (pair, moves) in (0..).zip(moves) {
        let (_, opening) = order.opening_of(&fixture(pair), &mut *gomoku);
        let line = opening.to_line(&mut *gomoku).unwrap();
        assert_eq!(line, format!("startpos moves {moves}"));
    }
}

proptest! {
    #[test]
    fn openings_are_read_back_as_they_were_written(
        choices in proptest::collection::vec(any::<prop::sample::Index>(), 0..20),
        from_fen in any::<bool>(),
        symmetry in 0_usize..8,
    ) {
        let mut position = board("gomokufreestyle", 0);
        for choice in choices {
            let legal = position.legal();
            if legal.is_empty() || position.outcome().is_some() {
                break;
            }
            position.play(legal[choice.index(legal.len())]).unwrap();
        }
        prop_assume!(position.outcome().is_none());
        let opening = match from_fen {
            true => Opening { start: Some(position.fen(false)), moves: Vec::new() },
            false => Opening { start: None, moves: position.played().to_vec() },
        };
        let mut other = board("gomokufreestyle", 0);
        let line = opening.to_line(&mut *other).unwrap();
        prop_assert_eq!(&Opening::from_line(&line, &mut *other).unwrap(), &opening);
        // A turned opening has the key of the original.
        let notation = other.spec().grid.unwrap();
        let turned = opening.turned(&symmetry::in_order(notation)[symmetry], &mut *other);
        turned.set_up(&mut *other).unwrap();
        prop_assert_eq!(symmetry::canonical(&*other), symmetry::canonical(&*position));
    }
}
