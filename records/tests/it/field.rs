//! Files as users have them: how they are read, and which warnings they get.

use tengen_engine::GridNotation;
use tengen_engine::backend::Catalog;
use tengen_games::CATALOG;
use tengen_records::{
    Collection, Format, ReadOptions, Record, TextEncoding, board_of_large_list, format_of, read,
};

use crate::games::board;

fn collection(file: impl AsRef<[u8]>) -> Collection {
    read(file.as_ref(), &ReadOptions::new()).unwrap_or_else(|fault| panic!("{fault}"))
}

/// Returns the moves of the first game, the value of a property, and the warnings.
fn game(file: &str, property: &str) -> (String, Option<String>, Vec<String>) {
    let games = collection(file);
    let record = &games.records()[0];
    let side = record.board_size().unwrap().map_or(15, |(width, _)| width);
    let moves = record.to_moves(board(side)).unwrap_or_else(|fault| panic!("{fault}: {file}"));
    let value = record.node(record.root()).text(property);
    (moves, value, games.warnings().iter().map(ToString::to_string).collect())
}

#[test]
fn everything_after_the_end_of_a_psq_is_ignored_but_the_result_of_gomocup() {
    let file = |moves: &str, tail: &str| {
        format!("Piskvorky 15x15, 11:11, 0\r\n{moves}A.zip\r\nB.zip\r\n-1\r\n{tail}")
    };
    let even = "8,8,0\r\n9,9,0\r\n8,9,40\r\n";
    let odd = "8,8,0\r\n9,9,30\r\n8,9,40\r\n";
    let five = "1,1,0\r\n1,9,1\r\n2,1,1\r\n2,9,1\r\n3,1,1\r\n3,9,1\r\n4,1,1\r\n4,9,1\r\n5,1,1\r\n";
    for (moves, line, result, is_said) in [
        (even, "1,Renju_2", "B+", true),
        (even, "2,Renju_2", "W+", true),
        (odd, "1,Renju_2", "W+", true),
        (odd, "0,Renju_2", "0", false),
        (five, "2,Renju_2", "B+", false),
        (five, "1,Renju_2", "B+", false),
    ] {
        let (_, found, warnings) = game(&file(moves, line), "RE");
        assert_eq!(found.as_deref(), Some(result), "{moves}{line}");
        assert_eq!(warnings.len(), usize::from(is_said), "{warnings:?}");
    }
    let (_, _, warnings) = game(&file(odd, "1,Caro"), "RE");
    assert_eq!(
        warnings,
        [
            "line 8, character 1: the result 1 after an opening of 1 stones is read as a win of the second player"
        ]
    );
    for (line, variant) in [
        ("1,Renju_2", "renju"),
        ("2,Standard15", "gomoku"),
        ("0,Caro", "caro"),
        ("0,Freestyle15_1", "gomokufreestyle"),
    ] {
        let games = collection(file(even, line));
        assert_eq!(games.records()[0].spec(&CATALOG).unwrap().0.variant, variant, "{line}");
    }
    // The name of the file has the winner by colour.
    let options = ReadOptions::new().named("a/3_21_4_2.psq");
    let games = read(file(odd, "2,Caro").as_bytes(), &options).unwrap();
    let record = &games.records()[0];
    assert_eq!(record.node(record.root()).text("RE").as_deref(), Some("W+"));
    assert!(games.warnings().is_empty());
    assert_eq!(record.to_psq(board(15)).unwrap(), file(odd, "2,Caro\r\n").replace('\r', ""));
    let (moves, name, _) = game(&file(even, "<html>\r\n7,7,7\r\n"), "PB");
    assert_eq!((moves.as_str(), name.as_deref()), ("h8 i7 h7", Some("A.zip")));
    let numbers = game("Piskvorky 15x15, 11:11, 0\n8,8,1\n007\n42\n0\n", "PW");
    assert_eq!(numbers.1.as_deref(), Some("42"));
    // Files that were put together.
    let games = collection(file(even, "1,Caro\r\n") + &file(odd, "0,Caro\r\n"));
    assert_eq!(games.records().len(), 2);
}

#[test]
fn all_passes_after_the_last_stone_are_left_out() {
    for passes in [";B[]", ";B[];W[]", ";B[tt];W[tt];B[tt]", ";B[pass];W[PASS]"] {
        let file = format!("(;GM[4]SZ[15];B[hh];W[ii]{passes})");
        assert_eq!(game(&file, "GM").0, "h8 i7", "{passes}");
        let file = format!("(;GM[4]SZ[15]{passes})");
        assert_eq!(game(&file, "GM").0, "startpos", "{passes}");
    }
    assert_eq!(game("h8 i9 pass pass", "GM").0, "h8 i9");
}

#[test]
fn lists_are_read_in_every_usual_spelling() {
    for list in [
        "1. h8 i9 2. j10",
        "1.h8 i9\n2.j10",
        "1 h8\n2 i9\n3 j10",
        "1) h8\n2) i9\n3) j10",
        "h8-i9-j10",
        "h8 \u{2192} i9 \u{2192} j10",
        "(7,7) (8,6) (9,5)",
        "[(7, 7), (8, 6), (9, 5)]",
        "hhigjf",
        "hh ig jf",
        "hh\nig\njf",
        "H8 I9 J10 *",
    ] {
        assert_eq!(game(list, "GM").0, "h8 i9 j10", "{list}");
    }
    assert_eq!(game("1. h8 i9 2. j10 1-0", "RE").1.as_deref(), Some("B+"));
    assert_eq!(collection("1. h8 i9\n2. j10\n1. a1 b1\n2. c1").records().len(), 2);
    let fault = read(b"1. h8 i9\n  2. h8", &ReadOptions::new()).unwrap_err();
    assert_eq!(fault.to_string(), "line 2, character 6: move 3 \"h8\": h8 is taken");
}

#[test]
fn pairs_of_numbers_say_from_where_they_are_counted() {
    let said = "line 1, character 1: \"8,8\" is read as i7: columns and rows count from 0 at the top left; from 1 it is h8";
    assert_eq!(
        game("8,8 9,9", "GM"),
        ("i7 j6".to_owned(), Some("4".to_owned()), vec![said.to_owned()])
    );
    // A point in the first row, or beyond the last one, decides.
    assert_eq!(game("8,8 0,9", "GM"), ("i7 a6".to_owned(), Some("4".to_owned()), vec![]));
    let (moves, _, warnings) = game("8,8 15,15", "GM");
    assert_eq!(moves, "h8 o1");
    assert_eq!(
        warnings,
        [
            "line 1, character 1: \"8,8\" is read as h8: columns and rows count from 1 at the top left; from 0 it is i12 on a board of 20x20"
        ]
    );
}

#[test]
fn a_drawing_of_a_board_is_read() {
    let spec = CATALOG.describe("tictactoe", &Default::default()).unwrap();
    let mut position = CATALOG.position(&spec);
    position.play_all(&["b2", "a1"]).unwrap();
    let notation = spec.grid.unwrap();
    let drawing = notation.draw(|point| position.stone(point));
    let games = collection(format!("\n{drawing}\nTurn: first player\n"));
    assert_eq!(games.format(), Format::DRAWING);
    let line = games.records()[0].line(notation).unwrap();
    let text = notation.write_position(
        |point| line.start.stone(notation.grid(), point),
        line.start.turn,
        false,
    );
    assert_eq!(text, position.fen(false));
    // As `tengen analyze` shows it: the last stone is in brackets.
    let shown = " 3 . . .\n 2 .[X].\n 1 O . .\n   a b c\nThe second player is to move.\n";
    let text = String::from_utf8(collection(shown).to_sgf()).unwrap();
    assert_eq!(text, "(;FF[4]SZ[3]AB[bb]AW[ac]PL[W])\n");
    // Other signs, without blanks.
    let games = collection("+++\n+x+\n+xo\n");
    let text = String::from_utf8(games.to_sgf()).unwrap();
    assert_eq!(text, "(;FF[4]SZ[3]AB[bb][bc]AW[cc]PL[W])\n");
}

#[test]
fn pgn_is_read_and_written() {
    let file = "[Event \"The \\\"Cup\\\"\"]\n[White \"One\"]\n[Black \"Two\"]\n[Result \"1-0\"]\n[Variant \"renju\"]\n[TimeControl \"40/60\"]\n\n{Begin} 1. h8! {book} i9 {+0.30/12 0.512s} 2. j10?? $99 ({one}{two} 2. g7 h7) 2... a1\n; to the end } of the line\n1-0\n\n[White \"B\"]\n[Black \"C\"]\n[FEN \"3/1P1/3 b - - 0 1\"]\n\n1... a1 2. -- *\n";
    let games = collection(file);
    let [first, second] = games.records() else { panic!("two games") };
    let (spec, warning) = first.spec(&CATALOG).unwrap();
    assert_eq!((spec.variant, warning), ("renju", None));
    assert_eq!(first.to_moves(board(15)).unwrap(), "h8 i9 j10 a1");
    let root = first.node(first.root());
    for (name, value) in [
        ("EV", "The \"Cup\""),
        ("PB", "One"),
        ("PW", "Two"),
        ("RE", "B+"),
        ("XP", "TimeControl:40/60"),
        ("C", "Begin"),
    ] {
        assert_eq!(root.text(name).as_deref(), Some(value));
    }
    let ids: Vec<_> = first.main_line().collect();
    assert_eq!(first.node(ids[1]).text("TE").as_deref(), Some("1"));
    assert_eq!(first.node(ids[2]).time().unwrap().as_millis(), 512);
    assert_eq!(first.node(ids[3]).text("BM").as_deref(), Some("2"));
    assert_eq!(first.node(ids[2]).children().len(), 2);
    let text = first.to_pgn(&spec).unwrap();
    let again = collection(&text);
    assert_eq!(again.records()[0].to_pgn(&spec).unwrap(), text);
    assert_eq!(second.board_size().unwrap(), Some((3, 3)));
    assert!(!second.line(board(3)).unwrap().is_from_start());
    // Stones fall.
    let games = collection("[Variant \"cfour\"]\n\n1. d1 d2 2. 5 *\n");
    let (spec, _) = games.records()[0].spec(&CATALOG).unwrap();
    let mut games = games;
    games.declare(0, &spec, &CATALOG);
    let text = String::from_utf8(games.to_sgf()).unwrap();
    assert_eq!(text, "(;FF[4]RU[cfour]SZ[7:6]\n;B[df];W[de];B[ef])\n");
    for (file, message) in [
        (
            "[Event \"x\"]\n\n1. Nf3 *",
            "line 3, character 4: expected a move such as h8, found \"Nf3\"",
        ),
        (
            "[Event \"x\"]\n\n1. h8 {a",
            "line 3, character 7: expected \"}\", which ends a comment, found the end of the file",
        ),
        (
            "[Event \"x\"]\n\n1. h8 (1. i9",
            "line 3, character 13: expected \")\", which ends a variation, found the end of the file",
        ),
        (
            "[Event \"x\"]\n\n1. h8 )",
            "line 3, character 7: expected a move such as h8, found \")\"",
        ),
        ("[FEN \"rnbq/8\"]\n\n1. h8", "line 1, character 1: FEN[rnbq/8] is not a position"),
    ] {
        assert_eq!(read(file.as_bytes(), &ReadOptions::new()).unwrap_err().to_string(), message);
    }
    // A program that names Black first has Black move first.
    let games = collection("[Black \"One\"]\n[White \"Two\"]\n[Result \"1-0\"]\n\n1. h8 i9 1-0\n");
    let root = games.records()[0].node(games.records()[0].root());
    assert_eq!((root.text("PB").as_deref(), games.warnings().len()), (Some("One"), 1));
}

#[test]
fn the_games_of_a_run_are_a_collection() {
    let line = r#"{"id":7,"attempt":0,"round":2,"players":[0,1],"opening":0,"opening_plies":1,"moves":["h8","i9"],"notes":[{"us":1500000,"s":"+0.30","d":12,"n":9}],"score":"0-1","end":{"kind":"time","text":"One ran out of time"},"started":"2026-11-28T10:00:00Z","millis":5,"usage":[],"names":["One","Two"],"variant":"gomoku"}"#;
    let games = collection(format!("{line}\n{line}\n"));
    assert_eq!((games.format(), games.records().len()), (Format::JSONL, 2));
    let record = &games.records()[0];
    let root = record.node(record.root());
    for (name, value) in [("PB", "One"), ("RE", "W+T"), ("DT", "2026-11-28"), ("RO", "3")] {
        assert_eq!(root.text(name).as_deref(), Some(value));
    }
    let last = record.main_line().last().unwrap();
    let comment = record.node(last).comment().unwrap();
    assert_eq!(comment, "+0.30/12 1.500s n=9\nOne ran out of time");
    let fault = read(format!("{line}\n{{\"moves\":3}}").as_bytes(), &ReadOptions::new());
    assert!(fault.unwrap_err().to_string().starts_with("line 2, character 10: expected a game of"));
}

#[test]
fn what_the_user_named_is_written_into_the_file() {
    let spec = CATALOG.describe("renju", &Default::default()).unwrap();
    let mut games = collection("(;FF[4]\nSZ[15] ;B[hh] )");
    games.declare(0, &spec, &CATALOG);
    let text = String::from_utf8(games.to_annotated_sgf(&[])).unwrap();
    assert_eq!(text, "(;FF[4]\nSZ[15]GM[4]RU[renju] ;B[hh] )");
    // Another game stands there: the file is written anew.
    let mut games = collection("(;GM[4]RU[Free]SZ[15];B[hh])");
    games.declare(0, &spec, &CATALOG);
    let text = String::from_utf8(games.to_annotated_sgf(&[])).unwrap();
    assert_eq!(text, "(;FF[4]GM[4]RU[renju]SZ[15]\n;B[hh])\n");
    // A game of options has no name.
    let chosen = [("ConnectK", 5), ("Gravity", 0), ("BoardWidth", 9), ("BoardHeight", 9)].into();
    let custom = CATALOG.describe("custom", &chosen).unwrap();
    let mut games = collection("e5 f6");
    let mut record = games.records_mut().remove(0);
    record = {
        let root = record.root();
        record.node_mut(root).remove("SZ");
        record
    };
    record.declare(&custom, &CATALOG);
    assert_eq!(record.spec(&CATALOG).unwrap(), (custom, None));
}

#[test]
fn a_point_that_is_taken_in_a_variation_is_reported() {
    let file = "(;GM[4]SZ[15];B[hh](;W[ii])(;W[ig];B[hh];W[aa])(;W[aa];B[bb]))";
    let games = collection(file);
    let faults = games.records()[0].check_stones(board(15)).unwrap();
    let texts: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["line 1, character 38: move 3 \"hh\": h8 is taken"]);
    let twice = collection("(;GM[1]SZ[15];B[hh];W[];B[hh])");
    assert!(twice.records()[0].check_stones(board(15)).is_err());
}

#[test]
fn one_damaged_text_does_not_decide_the_encoding_of_a_library() {
    let gbk = TextEncoding::named("GBK").unwrap();
    // "Black wins, White has to stop the four" in Chinese.
    let text =
        "\u{9ed1}\u{68cb}\u{80dc}\u{ff0c}\u{767d}\u{68cb}\u{5fc5}\u{987b}\u{6321}\u{4f4f}\u{56db}";
    let mut bytes =
        b"\xffRenLib\xff\x03\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\x08".to_vec();
    bytes.extend_from_slice(&gbk.encode(text).unwrap());
    bytes.extend_from_slice(b"\0\0\x78\x48ab\xff\xff!\0");
    let games = collection(&bytes);
    let record = &games.records()[0];
    assert_eq!(record.node(record.root()).comment().as_deref(), Some(text));
    let warnings: Vec<String> = games.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "the file names no encoding: its text is read as gb18030",
            "byte 46: 2 characters are not gb18030, and are lost",
        ]
    );
    assert_eq!(games.source_encoding(), gbk);
}

#[test]
fn what_a_library_cannot_hold_is_refused() {
    for (file, message) in [
        ("(;GM[4]SZ[19];B[hh])", "RenLib cannot hold a board other than 15x15"),
        (
            "(;GM[4]SZ[15]AB[hh];W[ii])",
            "RenLib cannot hold stones put down without a move (AB, AW, AE)",
        ),
        (
            "(;GM[4]SZ[15];B[hh]C[\u{738b}])",
            "RenLib cannot hold the text \"\u{738b}\" in ISO-8859-1",
        ),
    ] {
        let games = collection(file);
        let record = &games.records()[0];
        let side = record.board_size().unwrap().unwrap().0;
        let fault = record.to_lib(board(side), TextEncoding::LATIN_1).unwrap_err();
        assert_eq!(fault.to_string(), message);
    }
}

/// Returns the moves of each game of a list on the board of 15x15, or of `notation`.
fn lists(text: &str, notation: Option<GridNotation>) -> (Vec<String>, Vec<String>) {
    let games = read(text.as_bytes(), &ReadOptions::new().on(notation)).unwrap();
    let on = |record: &Record| notation.unwrap_or_else(|| board(size(record)));
    let moves = games.records().iter().map(|record| record.to_moves(on(record)).unwrap());
    (moves.collect(), games.warnings().iter().map(ToString::to_string).collect())
}

/// Returns the number of columns of a record.
fn size(record: &Record) -> u32 {
    record.board_size().unwrap().unzip().0.unwrap_or(15)
}

#[test]
fn a_list_goes_on_after_a_comma_and_one_move_a_line_may_be_a_pair() {
    for text in [
        "[7, 7], [8, 8],\n  [6, 7], [9, 9]",
        "(7, 7),\n(8, 8),\n(6, 7),\n(9, 9)",
        "7,7\n8,8\n6,7\n9,9",
        "[[7, 7], [8, 8],\n [6, 7], [9, 9]]",
        "{7,7},{8,8},{6,7},{9,9}",
        "h8 i7 ->\ng8 j6",
        "h8 -> i7->g8 -> j6",
    ] {
        assert_eq!(lists(text, None).0, ["h8 i7 g8 j6"], "{text}");
    }
    // Each game of a list of lists has brackets of its own.
    assert_eq!(lists("[(7, 7), (8, 8)],\n[(6, 7), (9, 9)]", None).0, ["h8 i7", "g8 j6"]);
}

#[test]
fn values_after_columns_are_no_moves() {
    let spec = CATALOG.describe("cfour", &Default::default()).unwrap();
    let (moves, warnings) = lists("4455 -2\n44 3\n1 2\n", spec.grid);
    assert_eq!(moves, ["d1 d2 e1 e2", "d1 d2", "a1"]);
    assert_eq!(
        warnings,
        [
            "line 1, character 6: \"-2\" after the moves is read as a value of the position, which is not kept, as on all lines"
        ]
    );
    // Columns only.
    assert_eq!(lists("4 4 5", spec.grid), (vec!["d1 d2 e1".to_owned()], vec![]));
    let fault = read(b"4 4 8", &ReadOptions::new().on(spec.grid)).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "line 1, character 5: move 3 \"8\": column out of range (a to g or 1 to 7)"
    );
}

#[test]
fn openings_counted_from_the_centre_are_read() {
    let (moves, warnings) = lists("0,0, -1,3, 2,-1\n1,1, 0,1\n", None);
    assert_eq!(moves, ["h8 g5 j9", "i7 h7"]);
    assert_eq!(
        warnings,
        [
            "line 1, character 6: \"-1\" is read as a number counted from the centre of the board, rows downwards"
        ]
    );
    assert_eq!(lists("-9,0, 9,9", None).0, ["b10 t1"]);
    // One move outside of 15x15 makes no larger board, nor does one opening of eleven.
    let eleven = format!("{}-9,0, 9,9", "0,0, -1,3\n".repeat(10));
    for (text, place, found) in [
        ("0,0, -1,3\n0,0, 0,44", "line 2, character 8", "44"),
        ("0,0, -1,3, 2,-1, 1,1, 9,0", "line 1, character 23", "9"),
        (&eleven, "line 11, character 1", "-9"),
    ] {
        let fault = read(text.as_bytes(), &ReadOptions::new()).unwrap_err();
        assert_eq!(
            fault.to_string(),
            format!(
                "{place}: expected a point on the board, counted from its centre, found \"{found}\""
            )
        );
    }
}

#[test]
fn a_drawing_is_read_as_a_whole_or_refused() {
    // B and W, and two boards.
    let two = " 3 B . .\n 2 . W .\n 1 . . .\n   a b c\n\n...\n.X.\n..O\n";
    let games = collection(two);
    let text = String::from_utf8(games.to_sgf()).unwrap();
    assert_eq!(text, "(;FF[4]SZ[3]AB[aa]AW[bb]PL[B])\n(;FF[4]SZ[3]AB[bb]AW[cc]PL[B])\n");
    assert!(games.warnings().is_empty());
    for (file, message) in [
        (
            "....\n.X#.\n.O..\n....\n",
            "line 2, character 3: expected X, O or \".\" for a point of the board, found \"#\"",
        ),
        (
            "5 . . .\n4 . . .\n3 . . .\nthe rest\n",
            "line 4, character 1: expected the next row of the drawing, down to row 1, found \"the rest\"",
        ),
        (
            "5 . . .\n4 . . .\n3 . . .\n",
            "line 4, character 1: expected the next row of the drawing, down to row 1, found the end of the file",
        ),
    ] {
        assert_eq!(read(file.as_bytes(), &ReadOptions::new()).unwrap_err().to_string(), message);
    }
    let games = collection("(;GM[4]SZ[15];B[hh]C[so:\n...\n.X.\n..O\n];W[ii])");
    assert_eq!(games.format(), Format::SGF);
    let games = collection("Game of Anna\n...\n.X.\n..O\nTurn: second player\n");
    let warnings: Vec<String> = games.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        ["line 1, character 1: \"Game of Anna\" is read as text beside a board, which is not kept"]
    );
}

#[test]
fn a_choice_of_colours_in_pgn_is_no_move() {
    let tags = "[Black \"Anna\"]\n[White \"Ben\"]\n[BlackElo \"1\"]\n";
    for (moves, stones, names, result) in [
        // Ben chose white after three stones; he puts down the next one.
        ("1. h8 i9 2. j8 white 3. -- i7 4. g7 a1 1-0", "h8 i9 j8 i7 g7 a1", ["Anna", "Ben"], "B+"),
        // Ben chose black: Anna has the white stones.
        ("1. h8 i9 2. j8 black 3. i7 g7 0-1", "h8 i9 j8 i7 g7", ["Ben", "Anna"], "B+"),
        // Anna chose after five stones, of which Ben put down two.
        (
            "1. h8 i9 2. j8 i7 3. g7 -- 4. white -- 5. a1 1-0",
            "h8 i9 j8 i7 g7 a1",
            ["Ben", "Anna"],
            "W+",
        ),
        ("1. h8 i9 2. j8 i7 3. g7 -- 4. black a1 1-0", "h8 i9 j8 i7 g7 a1", ["Anna", "Ben"], "B+"),
    ] {
        let games = collection(format!("{tags}\n{moves}\n"));
        let record = &games.records()[0];
        let root = record.node(record.root());
        assert_eq!(record.to_moves(board(15)).unwrap(), stones, "{moves}");
        let found = ["PB", "PW", "RE"].map(|name| root.text(name).unwrap());
        assert_eq!(found, [names[0], names[1], result], "{moves}");
        let exchanged = usize::from(names[0] == "Ben");
        assert_eq!(games.warnings().len(), 1 + exchanged, "{moves}");
        assert_eq!(root.text(if exchanged == 1 { "WR" } else { "BR" }).as_deref(), Some("1"));
    }
}

#[test]
fn the_games_of_a_psq_beside_a_bad_one_are_read_on_request() {
    let file = "Piskvorky 15x15\n8,8\n\nPiskvorky 15x15\n8;8\n\nPiskvorky 15x15\n9,9\n";
    let games = read(file.as_bytes(), &ReadOptions::new().skips_bad_games(true)).unwrap();
    assert_eq!(games.records().len(), 3);
    assert!(games.fault(1).unwrap().to_string().starts_with("line 5, character 1: expected"));
    assert_eq!(games.records()[2].to_moves(board(15)).unwrap(), "i7");
    assert!(read(file.as_bytes(), &ReadOptions::new()).is_err());
}

#[test]
fn the_content_of_a_file_is_more_than_its_name() {
    for (name, file, format) in [
        ("a.pgn", "(;GM[4]SZ[15];B[hh])", Format::SGF),
        ("a.sgf", "[Event \"a\"]\n\n1. h8 *\n", Format::PGN),
        ("a.psq", "[Event \"a\"]\n\n1. h8 *\n", Format::PGN),
        ("a.pgn", "Piskvorky 15x15\n8,8\n", Format::PSQ),
        ("a.pgn", "1. h8 i9 *\n", Format::PGN),
        ("a.txt", "mail\n(;GM[4];B[hh])", Format::SGF),
        ("a.sgf", "(7,7) (8,6)", Format::MOVES),
        ("a.sgf", "h8 i9", Format::SGF),
        ("a.txt", "...\n.X.\n..O\n", Format::DRAWING),
    ] {
        let found = format_of(file.as_bytes(), &ReadOptions::new().named(name));
        assert_eq!(found, Ok(format), "{name}: {file}");
    }
}

#[test]
fn a_large_list_is_of_20x20_if_one_line_in_ten_is() {
    let board = |outside: usize| {
        let text = "h8 i9\n".repeat(20 - outside) + &"h8 t20\n".repeat(outside);
        board_of_large_list(text.as_bytes()).unwrap().grid().width()
    };
    assert_eq!([0, 1, 2, 20].map(board), [15, 15, 20, 20]);
}

#[test]
fn lists_of_moves_are_read_as_sites_and_programs_write_them() {
    for list in [
        "h8_i9_j10",
        "h8|i9|j10",
        "h8! i9? j10!?",
        "[\"h8\",\"i9\",\"j10\"]",
        "['h8', 'i9', 'j10']",
        "[h8, i9, j10]",
        "[\n  \"h8\",\n  \"i9\",\n  \"j10\"\n]",
        "[[7,7],[8,6],[9,5]]",
        "startpos moves h8 i9 j10",
        "position startpos moves h8 i9 j10\n",
    ] {
        let games = collection(list);
        assert_eq!(games.records().len(), 1, "{list}");
        assert_eq!(games.records()[0].to_moves(board(15)).unwrap(), "h8 i9 j10", "{list}");
    }
    for list in [
        "[\n  [\"h8\", \"i9\"],\n  [\"j10\", \"a1\"]\n]\n",
        "[\"h8\", \"i9\"]\n[\"j10\", \"a1\"]\n",
        "startpos moves h8 i9\nstartpos moves j10 a1\n",
    ] {
        assert_eq!(lists(list, None).0, ["h8 i9", "j10 a1"], "{list}");
    }
}

#[test]
fn a_list_may_have_positions_and_games_without_moves() {
    let file = "startpos\nfen 3/1P1/3 b moves a1 c3\n3/1P1/3 b\nposition fen 3/3/2P b moves b2\n";
    let games = collection(file);
    let text = String::from_utf8(games.to_sgf()).unwrap();
    let sgf = "(;FF[4]GM[4]SZ[3])\n(;FF[4]GM[4]SZ[3]AB[bb]PL[W]\n;W[ac];B[ca])\n\
               (;FF[4]GM[4]SZ[3]AB[bb]PL[W])\n(;FF[4]GM[4]SZ[3]AB[cc]PL[W]\n;W[bb])\n";
    assert_eq!(text, sgf);
    assert_eq!(games.records()[0].to_moves(board(3)).unwrap(), "startpos");
    let other = ReadOptions::new().on(board(15));
    let fault = read(b"fen 3/1P1/3 b moves a1", &other).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "line 1, character 5: FEN[3/1P1/3 b]: this game is played on 15x15 points"
    );
}

#[test]
fn drawings_have_many_signs() {
    for drawing in [
        "+++\n+\u{2715}+\n+\u{2715}\u{25cb}\n",
        "\u{253c}\u{253c}\u{253c}\n\u{253c}\u{9ed1}\u{253c}\n\u{253c}\u{9ed1}\u{767d}\n",
        "\u{250c}\u{2500}\u{252c}\u{2500}\u{2510}\n\u{251c}\u{2500}\u{25cf}\u{2500}\u{2524}\n\u{2514}\u{2500}\u{25cf}\u{2500}\u{25cb}\n",
        ". . .\n. \u{26ab}\u{fe0f} .\n. \u{26ab}\u{fe0f} \u{26aa}\u{fe0f}\n",
        "\u{ff0e}\u{ff0e}\u{ff0e}\n\u{ff0e}\u{ff38}\u{ff0e}\n\u{ff0e}\u{ff38}\u{ff2f}\n",
        "0 0 0\n0 1 0\n0 1 2\n",
        "000\n010\n012\n",
        "[[0 0 0]\n [0 1 0]\n [0 1 2]]\n",
        "[[0, 0, 0],\n [0, 1, 0],\n [0, 1, 2]]\n",
        "  0 1 2\n0 . . .\n1 . X .\n2 . X O\n",
    ] {
        let games = collection(drawing);
        assert_eq!(games.format(), Format::DRAWING, "{drawing}");
        let text = String::from_utf8(games.to_sgf()).unwrap();
        assert_eq!(text, "(;FF[4]SZ[3]AB[bb][bc]AW[cc]PL[W])\n", "{drawing}");
        assert!(games.warnings().is_empty(), "{drawing}: {:?}", games.warnings());
    }
    // Lists of columns are no drawings.
    let cfour = CATALOG.describe("cfour", &Default::default()).unwrap().grid;
    for list in ["1212\n1122\n2211\n", "12 0\n21 0\n11 1\n"] {
        let games = read(list.as_bytes(), &ReadOptions::new().on(cfour)).unwrap();
        assert_eq!(games.format(), Format::MOVES, "{list}");
    }
}

#[test]
fn a_line_has_no_more_moves_than_a_board() {
    let passes = "pass ".repeat(1 << 20);
    let fault = read(format!("h8 {passes}").as_bytes(), &ReadOptions::new()).unwrap_err();
    assert!(fault.to_string().contains("no board has room for so many moves"), "{fault}");
}
