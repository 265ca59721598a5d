//! The `tree` game: its literal, its errors, its moves and positions as text, and its size.

use std::fmt::Write;

use super::trees::{self, Shape};
use fastrand::Rng;
use proptest::prelude::*;
use tengen_engine::{Game, Notation, NotationError, Outcome, Score, Side, Style, laws};
use tengen_games::tree::{EXAMPLE, MAX_NESTING, Tree, TreeEvaluator, TreeGame, parse};

/// Returns the position of the error, in characters from 1, and its reason.
fn refusal(text: &str) -> (usize, String) {
    match parse(text) {
        Ok(_) => panic!("\"{text}\" was read"),
        Err(error) => (error.at, error.fault.to_string()),
    }
}

fn names(tree: &Tree) -> Vec<&str> {
    tree.children(tree.root()).iter().map(|child| tree.name(*child)).collect()
}

#[test]
fn the_example_is_read_as_written() {
    let tree = parse(EXAMPLE).unwrap();
    assert_eq!((tree.len(), tree.leaves(), tree.height(tree.root())), (13, 9, 2));
    assert_eq!((tree.name(tree.root()), names(&tree)), ("A", vec!["B", "C", "D"]));
    let leaves = tree.children(tree.children(tree.root())[0]);
    assert_eq!(
        leaves.iter().map(|leaf| tree.value(*leaf)).collect::<Vec<_>>(),
        [Some(3), Some(12), Some(8)]
    );
    assert_eq!(TreeGame::example().write_position(false), EXAMPLE);
}

#[test]
fn blanks_quotes_signs_and_any_script_are_read() {
    let text = "\t[ 根 ,\n(\"two words\",-1000000),('it''s', +7)]";
    assert_eq!(refusal(text), (36, "expected `,`, found `'`".to_owned()));
    let text = r#" [根, ("two words", -1000000), ('it\'s', +7), ("\\\"", 000), (été-1, 0)] "#;
    let tree = parse(text).unwrap();
    assert_eq!(tree.name(tree.root()), "根");
    assert_eq!(names(&tree), ["two words", "it's", "\\\"", "été-1"]);
    let written = trees::game(text).write_position(false);
    assert_eq!(written, r#"[根, ("two words", -1000000), ("it's", 7), ("\\\"", 0), (été-1, 0)]"#);
}

#[test]
fn errors_name_the_character_and_what_was_expected() {
    let cases = [
        ("", 1, "expected `[` or `(`, found the end"),
        ("A", 1, "expected `[` or `(`, found `A`"),
        ("[", 2, "expected a name (a word, or a string in quotes), found the end"),
        ("[, (B, 1)]", 2, "expected a name (a word, or a string in quotes), found `,`"),
        ("[#1, (B, 1)]", 2, "expected a name (a word, or a string in quotes), found `#`"),
        ("[A]", 3, "expected a child: an inner node has at least one"),
        ("[A (B, 1)]", 4, "expected `,`, found `(`"),
        ("[A, ]", 5, "expected `[` or `(`, found `]`"),
        ("[A, (B, 1),]", 12, "expected `[` or `(`, found `]`"),
        ("[A, (B, 1)", 11, "expected `,` or `]`, found the end"),
        ("[A, (B, 1)) ", 11, "expected `,` or `]`, found `)`"),
        ("[é, (日本, x)]", 10, "expected a whole number, found `x`"),
        ("[A, (B, 1.5)]", 10, "expected `)`, found `.`"),
        ("[A, (B)]", 7, "expected `,`, found `)`"),
        ("[A, (B, -)]", 9, "expected a whole number, found `-`"),
        ("(A, 1000001)", 5, "expected a value from -1,000,000 to 1,000,000"),
        ("(A, -1000001)", 5, "expected a value from -1,000,000 to 1,000,000"),
        ("(A, 99999999999999999999)", 5, "expected a value from -1,000,000 to 1,000,000"),
        ("(A, 1) (B, 2)", 8, "expected the end of the tree, found `(`"),
        ("(\"A, 1)", 8, "expected the closing \", found the end"),
        ("(\"\", 1)", 2, "expected a name of at least one character"),
        (r#"("\n", 1)"#, 4, r#"expected `"`, `'` or `\` after `\`, found `n`"#),
        ("(\"a\u{7}\", 1)", 4, "expected a name without control characters"),
        ("(a\u{7}, 1)", 3, "expected `,`, found a control character"),
    ];
    for (text, at, reason) in cases {
        assert_eq!(refusal(text), (at, reason.to_owned()), "{text}");
    }
    let error = TreeGame::example().read_position("min [A]").unwrap_err();
    let reason = "expected a child: an inner node has at least one";
    assert_eq!(error, NotationError::position("min [A]", 7, reason));
}

/// Returns a literal of `depth` nested inner nodes around a leaf.
fn nested(depth: usize) -> String {
    "[n, ".repeat(depth) + "(x, 1)" + &"]".repeat(depth)
}

#[test]
fn nesting_is_limited_and_never_overflows_the_stack() {
    assert!(parse(&nested(MAX_NESTING)).is_ok());
    let reason = format!("expected at most {MAX_NESTING} levels of `[`");
    assert_eq!(refusal(&nested(MAX_NESTING + 1)), (4 * MAX_NESTING + 1, reason.clone()));
    assert_eq!(refusal(&"[n, ".repeat(1_000_000)), (4 * MAX_NESTING + 1, reason));
    assert_eq!(refusal(&"[".repeat(1_000_000)).0, 2);
    assert_eq!(refusal(&"(".repeat(1_000_000)).0, 2);
}

#[test]
fn a_million_nodes_are_read() {
    let mut text = "[root".to_owned();
    for inner in 0..1_000 {
        let _ = write!(text, ", [n{inner}");
        for leaf in 0..1_000 {
            let _ = write!(text, ", (n{inner}x{leaf}, {leaf})");
        }
        text.push(']');
    }
    text.push(']');
    assert_eq!(parse(&text).unwrap().len(), 1_001_001);
}

#[test]
fn moves_are_names_or_numbers() {
    let game = trees::game(r##"[A, (B, 1), (C, 2), (C, 3), (moves, 4), ("D d", 5), ("#1", 6)]"##);
    let mut moves = Vec::new();
    game.moves(&mut moves);
    let written: Vec<_> = moves.iter().map(|mv| game.write_move(*mv, Style::Drop)).collect();
    assert_eq!(written, ["B", "#2", "#3", "#4", "#5", "#6"]);
    for (place, mv) in moves.iter().enumerate() {
        assert_eq!(game.read_move(&written[place]), Ok(*mv));
        assert_eq!(game.read_move(&format!("#{}", place + 1)), Ok(*mv));
    }
    let refusals = [
        ("E", "no child has this name"),
        ("C", "this name does not identify the child: write #2"),
        ("moves", "this name does not identify the child: write #4"),
        ("#0", "expected a place from #1 to #6"),
        ("#7", "expected a place from #1 to #6"),
        ("#+1", "expected a place from #1 to #6"),
        ("#", "expected a place from #1 to #6"),
    ];
    for (text, reason) in refusals {
        assert_eq!(game.read_move(text), Err(NotationError::mv(text, reason)), "{text}");
    }
}

#[test]
fn a_position_ends_at_its_closing_bracket() {
    let game = TreeGame::example();
    let end = |text: &str| game.position_end(text, "moves");
    let literal = r#"[A, (" moves ] ", 1), [moves, ('[\'', 2)]]"#;
    assert_eq!(end(literal), literal.len());
    assert_eq!(end(&format!("{literal} moves #2")), literal.len() + 1);
    assert_eq!(end(&format!("min {literal}\tmoves #2")), literal.len() + 5);
    assert_eq!(end(&format!("{literal}moves")), literal.len());
    let trailing = format!("{literal} nonsense moves #2");
    assert_eq!(&trailing[end(&trailing)..], "moves #2");
    assert!(game.read_position(&trailing[..end(&trailing)]).is_err());
    // A literal without a closing bracket ends where the moves seem to begin.
    assert_eq!(end("[A, (B, 1) moves B"), 11);
    assert_eq!(end("] moves B"), 2);
    assert_eq!(end(""), 0);
}

#[test]
fn leaves_end_the_game_with_their_value() {
    let mut game = trees::game("[A, (B, 0), (C, -5)]");
    assert_eq!((game.outcome(), game.turn(), game.plies_left()), (None, Side::First, 1));
    let mv = game.read_move("C").unwrap();
    game.play(mv);
    let value = Outcome::Value(Score::heuristic(-5));
    assert_eq!((game.outcome(), game.turn(), game.plies_left()), (Some(value), Side::Second, 0));
    assert_eq!(game.write_position(false), "min (C, -5)");
    let mut moves = Vec::new();
    game.moves(&mut moves);
    assert!(moves.is_empty());
}

#[test]
fn a_drawing_has_no_blank_line_and_a_limit() {
    assert_eq!(TreeGame::example().draw().lines().next(), Some("A  max"));
    let wide = format!("[A{}]", ", (B, 1)".repeat(1_000));
    let drawing = trees::game(&wide).draw();
    assert_eq!(drawing.lines().count(), 61);
    assert!(drawing.lines().all(|line| !line.trim().is_empty()));
}

#[test]
fn random_trees_keep_the_laws_of_a_game() {
    let mut rng = Rng::with_seed(8);
    for seed in 0..300 {
        let game = Shape::draw(&mut rng).plan(&mut rng).game();
        let kept = laws::check_walk(&game, &TreeEvaluator, seed);
        kept.unwrap_or_else(|broken| panic!("{broken}"));
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in r#"([\[\](),"'\\#Aé 1-]|moves|min ){0,40}"#) {
        let game = TreeGame::example();
        let end = game.position_end(&text, "moves");
        prop_assert!(text.is_char_boundary(end));
        let _ = game.read_move(&text);
        if let Ok(read) = game.read_position(&text) {
            let written = read.write_position(false);
            prop_assert_eq!(game.read_position(&written).map(|again| again.key()), Ok(read.key()));
            prop_assert_eq!(game.position_end(&written, "moves"), written.len());
        } else if let Err(error) = parse(&text) {
            prop_assert!(error.at <= text.chars().count() + 1);
        }
    }

    #[test]
    fn any_name_survives_writing_and_reading(name in "\\PC{1,12}") {
        let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
        let game = trees::game(&format!("[\"{quoted}\", (\"{quoted}\", 1)]"));
        let again = game.read_position(&game.write_position(false)).unwrap();
        prop_assert_eq!(again.tree().name(again.node()), name);
        prop_assert_eq!(again.key(), game.key());
        let mut moves = Vec::new();
        game.moves(&mut moves);
        let written = game.write_move(moves[0], Style::Plain);
        prop_assert!(!written.contains(char::is_whitespace));
        prop_assert_eq!(game.read_move(&written), Ok(moves[0]));
    }
}
