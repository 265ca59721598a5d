//! Records of public files and of other programs, each with the form that once was read wrongly.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use tengen_engine::backend::Catalog;
use tengen_engine::{Outcome, Side};
use tengen_games::CATALOG;
use tengen_records::{Collection, Format, ReadOptions, Record, read};

fn collection(text: impl AsRef<[u8]>) -> Collection {
    let text = text.as_ref();
    read(text, &ReadOptions::new())
        .unwrap_or_else(|fault| panic!("{fault}: {}", String::from_utf8_lossy(text)))
}

/// Returns a file of the reports; `None` if the folder is not there, which is said on standard error.
fn report(name: &str) -> Option<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/reports");
    let file = folder.join(name);
    if !file.exists() {
        let line = format!("skipped: {} is absent\n", file.display());
        std::io::stderr().write_all(line.as_bytes()).unwrap();
        return None;
    }
    Some(fs::read(file).unwrap())
}

fn header(record: &Record, name: &str) -> String {
    record.node(record.root()).text(name).unwrap_or_default()
}

fn warnings(games: &Collection) -> Vec<String> {
    games.warnings().iter().map(ToString::to_string).collect()
}

/// Writes the first game in a format.
fn written(games: Collection, format: Format) -> String {
    let specs: Vec<_> =
        games.records().iter().map(|record| Some(record.spec(&CATALOG).unwrap().0)).collect();
    let mut games = games;
    games.settle(&specs, false, &CATALOG);
    String::from_utf8(games.write(format, &specs, None).unwrap()).unwrap()
}

fn moves(record: &Record) -> String {
    let (spec, _) = record.spec(&CATALOG).unwrap();
    let played = record.play(&mut *CATALOG.position(&spec)).unwrap().legal();
    let played = played.unwrap_or_else(|fault| panic!("{fault}"));
    let moves: Vec<String> = played.line.moves.iter().map(|mv| mv.point.to_string()).collect();
    moves.join(" ")
}

const FIVE: &str = "1. a1 b1 2. a2 b2 3. a3 b3 4. a4 b4 5. a5";

#[test]
fn the_winner_is_that_of_the_board_then_of_the_termination_then_of_the_tag() {
    let white = "[White \"Anna\"]\n[Black \"Ben\"]\n";
    let black = "[Black \"Anna\"]\n[White \"Ben\"]\n";
    let five = "[Termination \"Black win by five connection\"]\n";
    let crash = "[Termination \"White win by opponent crash\"]\n";
    for (tags, result, moves, expected) in [
        // As c-gomoku-cli writes it: the result is that of White.
        (black.to_owned(), "0-1", "", "B+"),
        (format!("{black}{five}"), "0-1", "", "B+"),
        (format!("{black}{crash}"), "1-0", "", "W+F"),
        (black.to_owned(), "1/2-1/2", "", "0"),
        (black.to_owned(), "0-1", FIVE, "B+"),
        // Another program means the first player.
        (black.to_owned(), "1-0", FIVE, "B+"),
        (format!("{black}[Site \"PlayOK\"]\n"), "1-0", "1. h8 i9", "B+"),
        // The tags are sorted.
        (format!("[White \"Ben\"]\n[Black \"Anna\"]\n{five}"), "0-1", FIVE, "B+"),
        (white.to_owned(), "1-0", "", "B+"),
        (format!("{white}{five}"), "0-1", "", "W+"),
    ] {
        let games = collection(format!("{tags}[Result \"{result}\"]\n\n{moves} {result}\n"));
        let record = &games.records()[0];
        assert_eq!(header(record, "RE"), expected, "{tags}{result} {moves}");
        assert_eq!(header(record, "PB"), "Anna", "{tags}{result} {moves}");
    }
    // A contradiction is told, and no result is taken.
    let games = collection(format!("{white}{five}[Result \"1-0\"]\n\n1-0\n"));
    assert_eq!(games.records()[0].outcome(), None);
    assert!(
        warnings(&games).iter().any(|why| why.contains("contradict")),
        "{:?}",
        warnings(&games)
    );
    let games = collection(format!("{white}[Result \"0-1\"]\n\n{FIVE} 0-1\n"));
    let record = &games.records()[0];
    let (spec, _) = record.spec(&CATALOG).unwrap();
    let played = record.play(&mut *CATALOG.position(&spec)).unwrap();
    assert!(played.has_wrong_result() && played.result().is_none());
    let Some(file) = report("A1-cgomokucli.pgn") else { return };
    let games = collection(file);
    let results: Vec<String> = games.records().iter().map(|game| header(game, "RE")).collect();
    assert_eq!(results, ["B+", "W+F", "0"]);
    let first: Vec<String> = games.records().iter().map(|game| header(game, "PB")).collect();
    assert_eq!(first, ["Alpha", "Beta", "Alpha"]);
}

#[test]
fn moves_of_one_node_keep_their_order_and_all_comments_stay() {
    let games = collection("(;GM[4]SZ[15]RU[freestyle];B[hh]W[ig]C[so]B[gj]C[and so];W[aa])");
    assert_eq!(moves(&games.records()[0]), "h8 i9 g6 a15");
    let sgf = String::from_utf8(games.to_sgf()).unwrap();
    assert!(sgf.ends_with(";B[hh];W[ig]C[so];B[gj]C[and so];W[aa])\n"), "{sgf}");
    // In the root, with a header after the moves.
    let games = collection("(;GM[4]SZ[15]B[hh]W[ig]B[gj]PB[Anna]AB[aa]AW[bb])");
    let record = &games.records()[0];
    assert_eq!((moves(record).as_str(), header(record, "PB").as_str()), ("h8 i9 g6", "Anna"));
    let games = collection("(;GM[4]SZ[15]RU[freestyle]PB[A]PB[B];B[hh]C[one]C[two][three];W[ig])");
    assert_eq!(warnings(&games).len(), 1, "{:?}", warnings(&games));
    let pgn = written(games, Format::PGN);
    assert!(pgn.contains("1. h8 {one} {two} {three} 1... i9"), "{pgn}");
    for (name, expected) in
        [("B1-moves-in-root-node.sgf", "B[hh];W[ig];B[gj]"), ("B3-two-comments.sgf", "")]
    {
        let Some(file) = report(name) else { continue };
        let games = collection(file);
        let sgf = String::from_utf8(games.to_sgf()).unwrap().replace('\n', "");
        assert!(sgf.contains(expected), "{sgf}");
        if expected.is_empty() {
            let pgn = written(games, Format::PGN);
            assert!(pgn.contains("{first remark} {second remark}"), "{pgn}");
        }
    }
}

#[test]
fn usual_results_are_read_and_others_kept_with_a_warning() {
    for (result, expected) in
        [("1 - 0", "B+"), ("0:1", "W+"), ("0.5-0.5", "0"), ("1\u{2013}0", "B+"), ("Draw", "0")]
    {
        let games = collection(format!("[Result \"{result}\"]\n\n1. h8 i9\n"));
        assert_eq!(header(&games.records()[0], "RE"), expected, "{result}");
        assert!(games.warnings().is_empty());
        if result == "Draw" {
            continue;
        }
        let games = collection(format!("[Event \"x\"]\n\n1. h8 i9 {result}\n"));
        assert_eq!(header(&games.records()[0], "RE"), expected, "{result}");
        let games = collection(format!("h8 i9 {result}\n"));
        assert_eq!(header(&games.records()[0], "RE"), expected, "{result}");
    }
    for (result, expected) in [
        ("1/2", Outcome::Draw),
        ("\u{9ed1}\u{80dc}", Outcome::Win(Side::First)),
        ("White+R", Outcome::Win(Side::Second)),
    ] {
        let games = collection(format!("(;GM[4]SZ[15]RE[{result}];B[hh])"));
        assert_eq!(games.records()[0].outcome(), Some(expected), "{result}");
        assert!(games.warnings().is_empty(), "{result}");
    }
    let unknown = "the result \"later\" is not known, and kept as text";
    let games = collection("[Event \"x\"]\n[Result \"later\"]\n\n1. h8 *\n");
    assert_eq!(warnings(&games), [unknown]);
    assert_eq!(header(&games.records()[0], "RE"), "later");
    let games = collection("(;GM[4]SZ[15]RE[later];B[hh])");
    assert!(warnings(&games)[0].ends_with(unknown));
    assert_eq!(games.lost_in(Format::PGN).as_deref(), Some("the result"));
    assert!(collection("(;GM[4]SZ[15]RE[Void];B[hh])").warnings().is_empty());
    for (name, outcome) in
        [("C1-result-blanks.pgn", Outcome::Win(Side::First)), ("C4-result-half.sgf", Outcome::Draw)]
    {
        let Some(file) = report(name) else { continue };
        assert_eq!(collection(file).records()[0].outcome(), Some(outcome), "{name}");
    }
}

#[test]
fn a_comment_before_a_variation_stays_with_it() {
    let text = "[Event \"x\"]\n[Variant \"freestyle\"]\n\n{start} 1. h8 ({first} i8 {after} j8) i9 ({second} i7) ({only}) 2. g7 *\n";
    let pgn = written(collection(text), Format::PGN);
    let expected =
        "{start} 1. h8 (1. i8 {first} {after} 1... j8) 1... i9 {only} (1... i7 {second}) 2. g7 *";
    assert!(pgn.replace('\n', " ").contains(expected), "{pgn}");
    assert_eq!(written(collection(&pgn), Format::PGN), pgn);
    let Some(file) = report("D1-comment-begins-variation.pgn") else { return };
    let pgn = written(collection(file), Format::PGN);
    assert!(pgn.contains("(1. i8 {first} {after} 1... j8)"), "{pgn}");
}

#[test]
fn a_variation_beside_a_node_without_a_move_is_written_beside_the_next_move() {
    let tree = |after: &str| {
        let text = format!("(;GM[4]SZ[15]RU[freestyle];B[hh](;C[well]{after})(;W[ii])(;LB[aa:1]))");
        (collection(&text), text)
    };
    let pgn = written(tree(";W[jj]").0, Format::PGN);
    assert!(pgn.contains("1. h8 {well} 1... j6 (1... i7) *"), "{pgn}");
    let games = collection(&pgn);
    assert_eq!(written(games, Format::PGN), pgn);
    let (games, text) = tree("");
    let specs = [Some(games.records()[0].spec(&CATALOG).unwrap().0)];
    let refused = games.write(Format::PGN, &specs, None).unwrap_err().to_string();
    assert!(refused.contains("a variation beside no move"), "{text}: {refused}");
}

#[test]
fn signs_beside_moves_are_read_or_left_out_with_a_warning() {
    let text = "[Event \"x\"]\n[Variant \"freestyle\"]\n\n1. h8 i9? \u{b1} 2. g7 = j10!\u{b1} 3. a1 ! b1+- 4. c1 \u{394} d1+ *\n";
    let games = collection(text);
    assert_eq!(moves(&games.records()[0]), "h8 i9 g7 j10 a1 b1 c1 d1");
    assert_eq!(warnings(&games).len(), 0, "{:?}", warnings(&games));
    let pgn = written(games, Format::PGN).replace('\n', " ");
    for part in ["i9 $2 $16", "g7 $10", "j10 $1 $16", "a1 $1", "b1 $18"] {
        assert!(pgn.contains(part), "{part}: {pgn}");
    }
    let games = collection("[Event \"x\"]\n\n1. h8 \u{2690} i9 *\n");
    assert_eq!(warnings(&games).len(), 1);
    assert!(warnings(&games)[0].ends_with("is not known, and left out"), "{:?}", warnings(&games));
    let Some(file) = report("E1-plusminus-glyphs.pgn") else { return };
    assert_eq!(moves(&collection(file).records()[0]), "h8 i9 g7 j10");
}

#[test]
fn a_number_that_does_not_follow_and_text_after_a_game_are_told() {
    let pgn = "[Event \"e\"]\n[Variant \"freestyle\"]\n\n";
    let jump = "the number 3 stands where 2 is due: a move may be missing";
    for (text, told) in [
        (format!("{pgn}1. h8 i9 3. g7 j10 *"), vec![jump]),
        (format!("{pgn}1. h8 i9 (1... j9 2. g7) 2. g7 j10 3. h7 *"), vec![]),
        (format!("{pgn}1. h8 2. i9 3. g7 4. j10 *"), vec![]),
        ("1. h8 i9 3. g7 j10".to_owned(), vec![jump]),
        ("1. h8 i9 2. g7 j10 3. h7 0.5-0.5".to_owned(), vec![]),
        ("1. h8 2. i9 3. g7".to_owned(), vec![]),
        (
            "(;GM[4]SZ[15];B[hh];W[ii])\nWhite resigned".to_owned(),
            vec!["\"White resigned\" after the last game is left out"],
        ),
        ("(;GM[4]SZ[15];B[hh];W[ii])\r\n\u{1a}".to_owned(), vec![]),
    ] {
        let games = collection(&text);
        let found = warnings(&games);
        let is_told = |part: &&str| found.iter().any(|warning| warning.ends_with(part));
        assert!(told.iter().all(is_told) && found.len() == told.len(), "{text}: {found:?}");
    }
}

#[test]
fn empty_values_set_nothing_up() {
    let games = collection("(;GM[4]SZ[]RU[renju]HA[0]AB[]AW[]AE[]PL[]KM[];B[hh];W[ii];B[hi])");
    assert_eq!(moves(&games.records()[0]), "h8 i7 h7");
    assert_eq!(written(games, Format::MOVES), "h8 i7 h7\n");
    let Some(file) = report("F1-empty-ab-ha0.sgf") else { return };
    assert_eq!(moves(&collection(file).records()[0]), "h8 i7 h7");
}

#[test]
fn a_move_outside_of_all_boards_is_illegal_and_makes_no_board() {
    let text = "[Event \"e\"]\n[Variant \"gomokufreestyle\"]\n\n1. h8 h9 2. h10 u4 3. i9 1-0\n";
    for text in [text.to_owned(), text.replace("[Variant \"gomokufreestyle\"]\n", "")] {
        let games = collection(&text);
        let record = &games.records()[0];
        let (spec, _) = record.spec(&CATALOG).unwrap();
        assert_eq!(spec.size(), Some((15, 15)));
        let played = record.play(&mut *CATALOG.position(&spec)).unwrap();
        let fault = played.clone().legal().unwrap_err().to_string();
        assert!(fault.contains("move 4 \"u4\""), "{fault}");
        assert_eq!((played.line.moves.len(), played.unreadable.join(" ")), (3, "u4 i9".to_owned()));
    }
    // A board of 20x20 is usual.
    let games = collection("[Event \"e\"]\n\n1. h8 t20 *\n");
    assert_eq!(header(&games.records()[0], "SZ"), "20");
}

#[test]
fn one_wrong_move_makes_no_larger_board() {
    let pgn = |moves: &str| format!("[Event \"e\"]\n\n{moves} *\n");
    let wrong = "h8 h9 h10 p4 i9";
    let right = "h8 h9 h10 p4 q5 i9";
    let size = |text: &str| {
        let games = collection(text);
        games.records().iter().map(|record| header(record, "SZ")).collect::<Vec<_>>()
    };
    assert_eq!((size(&pgn(wrong)), size(&pgn(right))), (vec!["15".into()], vec!["20".into()]));
    // A list is refused with the place.
    let fault = |text: &str| read(text.as_bytes(), &ReadOptions::new()).unwrap_err().to_string();
    let said = fault(&format!("a1 b2\n{wrong}\n"));
    assert!(said.starts_with("line 2, character 11: move 4 \"p4\": outside the board"), "{said}");
    assert_eq!(size(right), ["20"]);
    for list in ["7,7 8,8 16,3 9,9 1,1", "hh ii pc jj bb"] {
        let said = fault(list);
        assert!(said.contains(": move 3 \"") || said.contains(": move 4 \""), "{said}");
    }
    // Two games of 30, beside good ones.
    let list = "h8 h9 h10\n".repeat(28) + &"h8 h9 p4\n".repeat(2);
    assert!(fault(&list).starts_with("line 29, character 7: move 3 \"p4\""));
    // The board of an SGF without one is that of its game.
    let games = collection("(;GM[4]RU[freestyle];B[hh];W[ii];B[pq];W[aa])");
    let (spec, _) = games.records()[0].spec(&CATALOG).unwrap();
    let played = games.records()[0].play(&mut *CATALOG.position(&spec)).unwrap();
    let fault = played.legal().unwrap_err().to_string();
    assert!(spec.size() == Some((15, 15)) && fault.contains("move 3 \"pq\""), "{fault}");
    // A PSQ says its board.
    let psq = "Piskvorky 15x15, 11:11, 0\n8,8,0\n17,3,0\n9,9,0\na\nb\n-1\n";
    let fault = read(psq.as_bytes(), &ReadOptions::new()).unwrap_err().to_string();
    assert!(fault.starts_with("line 3, character 1: expected a move"), "{fault}");
}

#[test]
fn no_text_of_others_controls_a_terminal() {
    let own = "(;GM[4]SZ[15]RU[renju\u{1b}[36m\\]]PB[An\u{1b}\\]0;x\u{7}na]PW[\u{9b}31mBen\u{202e}]\
               EV[Ev\u{1b}[2J\\]ent]RE[B+\u{1b}[1m\\]];B[hh]C[com\u{1b}[31m\\]\nment];W[ig])";
    let files = [Some(own.as_bytes().to_vec()), report("escape-in-record.sgf")];
    for file in files.into_iter().flatten() {
        let is_hostile = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        let games = collection(&file);
        for name in ["PB", "PW", "EV", "RU", "RE", "ON"] {
            let text = header(&games.records()[0], name);
            assert!(!text.contains(is_hostile), "{text:?}");
        }
        let sgf = String::from_utf8(games.to_sgf()).unwrap();
        assert!(!sgf.contains(is_hostile), "{sgf:?}");
        let annotated = String::from_utf8(games.to_annotated_sgf(&[])).unwrap();
        assert!(!annotated.contains(is_hostile), "{annotated:?}");
        for format in [Format::PGN, Format::PSQ] {
            let text = written(games.clone(), format);
            assert!(!text.contains(is_hostile), "{text:?}");
        }
    }
}

#[test]
fn what_is_written_is_read_and_nothing_is_written_for_nothing() {
    let empty = "(;GM[4]SZ[15]RU[renju])";
    for text in [empty, "(;GM[4]SZ[15]RU[renju];B[])", "Piskvorky 15x15, 11:11, 0\n-1\n"] {
        let games = collection(text);
        let specs = [Some(games.records()[0].spec(&CATALOG).unwrap().0)];
        for format in Format::written() {
            match games.clone().write(format, &specs, None) {
                Ok(bytes) => {
                    let again = read(&bytes, &ReadOptions::new().format(format));
                    let again = again.unwrap_or_else(|why| panic!("{format:?}: {why}"));
                    assert_eq!(again.records().len(), 1, "{format:?}");
                }
                Err(why) => {
                    assert!(why.to_string().contains("cannot hold a game without moves"), "{why}");
                }
            }
        }
    }
    let games = collection(format!("{empty}(;GM[4]SZ[15]RU[renju];B[hh])"));
    assert_eq!(written(games, Format::MOVES), "startpos\nh8\n");
}
