//! `tengen shelf` as a process: import, explore, find, export, analyze, check, merge.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

/// A folder with a shelf, which is removed on drop.
struct Desk(PathBuf);

impl Desk {
    fn new(name: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("tengen-shelf-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for the test");
        Self(folder)
    }

    fn file(&self, name: &str, content: &str) -> String {
        let path = self.0.join(name);
        fs::write(&path, content).expect("a file");
        text_of(&path)
    }

    /// Runs `tengen shelf` with the shelf of the folder.
    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
        command.arg("shelf").args(arguments).arg("--shelf").arg(self.0.join("my.shelf"));
        command.output().expect("the program runs")
    }

    /// Returns the standard output of a command that succeeds.
    fn done(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{arguments:?}: {stdout}{stderr}");
        stdout
    }

    /// Returns the status and the standard error of a command.
    fn refused(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let output = self.run(arguments);
        (output.status.code(), text(&output.stderr))
    }

    fn explored(&self, moves: &str) -> Value {
        let line = self.done(&["explore", moves, "--json"]);
        serde_json::from_str(&line).expect("an object")
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        // A folder that cannot be removed does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a command that must be refused with one line.
fn refused_by(command: &mut Command, message: &str) {
    let output = command.output().expect("the program runs");
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains(message) && stderr.lines().count() == 1, "{stderr}");
}

fn text_of(path: &Path) -> String {
    path.to_str().expect("a path in text").to_owned()
}

const GAMES: &str = "\
(;GM[4]SZ[15]PB[Anna]PW[Ben]DT[2020]RE[B+R];B[hh];W[ig];B[hi])
(;GM[4]SZ[15]PB[Ben]PW[Anna]DT[2021]RE[W+];B[hh];W[ig];B[hg])
(;GM[4]SZ[15];B[zz])
";

#[test]
fn games_are_imported_explored_and_found() {
    let desk = Desk::new("games");
    let file = desk.file("a.sgf", GAMES);
    let output = desk.run(&["import", &file]);
    assert!(output.status.success());
    // The move of the third game is outside the board.
    let stdout = text(&output.stdout);
    assert!(stdout.contains("games: 3 new") && stdout.contains("1 illegal move"), "{stdout}");
    let known = desk.explored("h8 i9");
    assert!(known["games"] == 2 && known["wins"] == 1 && known["losses"] == 1, "{known}");
    assert_eq!(known["moves"].as_array().expect("moves").len(), 2);
    let found = desk.done(&["find", "--player", "anna", "--year", "2021"]);
    assert!(found.contains("2021 Ben - Anna 0-1"), "{found}");
    assert!(found.ends_with("1 games\n"), "{found}");
    assert!(desk.done(&["check"]).ends_with(": 0 differences\n"));
    assert!(desk.done(&["stats"]).starts_with("games: "));
}

#[test]
fn a_share_of_points_needs_ten_known_results() {
    // Games that differ in their third move.
    let game = |(number, result): (usize, &str)| {
        let point = [b'a' + (number / 14) as u8, b'a' + (number % 14) as u8];
        let point = String::from_utf8_lossy(&point).into_owned();
        format!("(;GM[4]SZ[15]RU[freestyle]{result};B[hh];W[ig];B[{point}])\n")
    };
    let games = |results: &[(usize, &'static str)]| -> String {
        let all = results.iter().flat_map(|(count, result)| std::iter::repeat_n(*result, *count));
        all.enumerate().map(game).collect()
    };
    let one_of_thirty = games(&[(1, "RE[B+R]"), (29, "")]);
    let nine = games(&[(4, "RE[B+R]"), (5, "RE[0]"), (20, "")]);
    let ten = games(&[(4, "RE[B+R]"), (5, "RE[0]"), (1, "RE[W+R]"), (20, "")]);
    let shown = |name: &str, games: &[u8]| {
        let desk = Desk::new(name);
        let path = desk.0.join("games.sgf");
        fs::write(&path, games).expect("a file");
        desk.done(&["import", &text_of(&path)]);
        (desk.done(&["explore", "h8", "--by-year"]), desk.done(&["stats"]))
    };
    let reported = crate::support::published::bytes("reports/I1-one-known-result-of-30.sgf");
    for (name, games) in [
        ("one-known", Some(one_of_thirty.into_bytes())),
        ("nine-known", Some(nine.into_bytes())),
        ("reported", reported),
    ] {
        let Some(games) = games else { continue };
        let (explored, stats) = shown(name, &games);
        assert!(explored.contains("(few known results)"), "{explored}");
        assert!(!(explored + &stats).contains('%'), "{name}");
    }
    let (explored, _) = shown("ten-known", ten.as_bytes());
    assert!(explored.contains("(35 % of the points)"), "{explored}");
}

#[test]
fn games_are_exported_in_all_formats_and_read_back() {
    let desk = Desk::new("export");
    let file = desk.file("a.sgf", &GAMES.lines().take(2).collect::<Vec<_>>().join("\n"));
    desk.done(&["import", &file]);
    for extension in ["sgf", "pgn", "psq", "txt", "jsonl", "lib"] {
        let out = text_of(&desk.0.join(format!("out.{extension}")));
        assert_eq!(desk.done(&["export", &out]), "2 games\n", "{extension}");
        let other = Desk::new(&format!("export-{extension}"));
        other.done(&["import", &out]);
        let known = other.explored("h8 i9");
        assert_eq!(known["moves"].as_array().map(Vec::len), Some(2), "{extension}: {known}");
    }
    let (status, stderr) = desk.refused(&["export", &text_of(&desk.0.join("out.sgf"))]);
    assert_eq!(status, Some(2));
    assert!(stderr.contains("--force"), "{stderr}");
}

#[test]
fn text_of_records_reaches_no_terminal_as_escape_sequences() {
    let desk = Desk::new("escapes");
    let evil = "\u{1b}[2Jown\u{7}\u{202e}";
    let game = format!(
        "(;GM[4]SZ[15]PB[An{evil}na]EV[{evil}]DT[2020]C[one{evil}\ntwo];B[hh];W[ig]LB[hh:{evil}])\n(;SZ[99{evil}])\n"
    );
    let mut written = Vec::new();
    let file = desk.file("a.sgf", &game);
    let output = desk.run(&["import", &file]);
    written.extend([output.stdout, output.stderr].concat());
    for arguments in [&["find"][..], &["explore"], &["stats"], &["stats", "--problems"]] {
        let output = desk.run(arguments);
        written.extend([output.stdout, output.stderr].concat());
    }
    let written = text(&written);
    assert!(written.contains("own") && written.contains("\ntwo"), "{written}");
    let is_evil = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
    assert!(!written.contains(is_evil), "{written:?}");
}

#[test]
fn values_are_kept_and_shown() {
    let desk = Desk::new("analyze");
    let file = desk.file("a.txt", "h8 i9 h7\nh8 i9 g9\n");
    desk.done(&["import", &file]);
    let (status, error) = desk.refused(&["analyze", "--nodes", "200", "--often", "1"]);
    assert!(status == Some(2) && error.contains("--player"), "{error}");
    let of_one = "analyze --nodes 200 --often 1 --workers 1 --length 3";
    let done = desk.done(&of_one.split(' ').collect::<Vec<_>>());
    assert!(done.contains(": 5 positions, 5 values kept"), "{done}");
    desk.done(&["undo"]);
    let of_games = "grow --hours 0.0005 --nodes 200 --workers 1 --hash 1 --length 3";
    assert!(desk.done(&of_games.split(' ').collect::<Vec<_>>()).contains(" searches"));
    desk.done(&["undo"]);
    let done = desk.done(&["analyze", "--nodes", "200", "--often", "2", "--workers", "1"]);
    assert!(done.contains("values kept"), "{done}");
    let known = desk.explored("h8 i9");
    assert!(known["score"].is_object(), "{known}");
    assert!(known["engine"].as_str().is_some_and(|name| name.starts_with("Tengen")), "{known}");
    // Nothing is left to do.
    let done = desk.done(&["analyze", "--nodes", "200", "--often", "2", "--workers", "1"]);
    assert!(done.contains(" 0 positions") || done.contains(": 0 positions"), "{done}");
}

#[test]
fn an_opening_is_found_by_its_code_and_its_names() {
    let desk = Desk::new("openings");
    let file = desk.file("a.sgf", "(;GM[4]SZ[15]RU[renju]ON[our o'clock line];B[hh];W[hg];B[ig])");
    desk.done(&["import", &file]);
    for name in ["D4", "d4", "kagetsu", "\u{82b1}\u{6708}", "Flower Moon", "our o'clock line"] {
        assert!(desk.done(&["find", "--opening", name]).ends_with("\n1 games\n"), "{name}");
    }
    assert_eq!(desk.done(&["find", "--opening", "I7"]), "no game found\n");
}

#[test]
fn queries_are_saved_and_asked_again() {
    let desk = Desk::new("queries");
    desk.done(&["import", &desk.file("a.sgf", GAMES)]);
    let options = ["find", "--pattern", "x?/?o", "--year", "2020", "--variant", "gomokufreestyle"];
    let found = desk.done(&options);
    assert_eq!(desk.done(&[&options[..], &["--save", "of 2020"]].concat()), found);
    assert_eq!(desk.done(&["find", "--saved", "of 2020"]), found);
    let list = desk.done(&["queries"]);
    assert_eq!(list, "of 2020: --pattern=x?/?o --year=2020-2020 --variant=gomokufreestyle\n");
    let out = text_of(&desk.0.join("out.sgf"));
    desk.done(&["export", &out, "--saved", "of 2020"]);
    let (status, error) = desk.refused(&["find", "--saved", "no"]);
    assert!(status == Some(2) && error.contains("no query with this name"), "{error}");
    let (status, _) = desk.refused(&["find", "--saved", "of 2020", "--year", "2021"]);
    assert_eq!(status, Some(2));
    desk.done(&["queries", "--remove", "of 2020"]);
    assert_eq!(desk.done(&["queries"]), "");
    desk.done(&["undo"]);
    assert_eq!(desk.done(&["queries"]), list);
}

#[test]
fn a_corrected_file_replaces_what_it_added() {
    let desk = Desk::new("corrected");
    let file = desk.file("a.txt", "h8 i9 h7\nh8 g8\n");
    desk.done(&["import", &file]);
    desk.done(&["edit", "2", "--set", "first=Anna"]);
    desk.file("a.txt", "h8 i9 h6\n");
    let added = desk.done(&["import", &file]);
    assert!(added.contains("imported before with another content, which stays"), "{added}");
    let replaced = desk.done(&["import", "--replace", &file]);
    let lines = "replaced files: 1\nold games: 1 removed, 0 kept that other files have\n\
                 games kept that were edited here: 2\n";
    assert!(replaced.contains(lines), "{replaced}");
    assert!(desk.done(&["find"]).ends_with("\n2 games\n"));
    desk.done(&["check"]);
    assert!(desk.done(&["undo"]).contains("import"));
    assert!(desk.done(&["find"]).ends_with("\n3 games\n"));
}

#[test]
fn a_book_grows_from_an_empty_shelf_and_goes_on() {
    let desk = Desk::new("grow");
    let positions = || {
        let arguments =
            "grow --variant gomokufreestyle --hours 0.0005 --nodes 2000 --workers 1 --hash 1";
        let done = desk.done(&arguments.split(' ').collect::<Vec<_>>());
        assert!(done.contains("\nvalue: ") && done.contains("\nworst leaf: "), "{done}");
        let (_, rest) = done.split_once("the book has ").expect("a number of positions");
        rest.split(' ').next().and_then(|number| number.parse::<u64>().ok()).expect("a number")
    };
    let first = positions();
    assert!(first >= 2 && positions() >= first);
    // The number of moves of each position is that of grow.
    let checked = desk.done(&["check", "--book", ""]);
    assert!(checked.contains(" positions of the book: 0 values differ"), "{checked}");
    // Values of another book are not written over these.
    let output = desk.run(&["check", "--book", "", "--multi-pv", "2", "--repair"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("the book grew with 5; only these values"));
    let output = desk.run(&["check", "--book", "h8 a1 b2"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).starts_with("no book grew from these moves; "));
}

/// Returns what the program writes for lines of UCI.
fn uci(lines: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tengen"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    // `go` is answered before the end of the input is read.
    child.stdin.take().expect("an input").write_all(lines.as_bytes()).expect("lines");
    text(&child.wait_with_output().expect("an output").stdout)
}

#[test]
fn the_engine_plays_from_a_shelf_and_says_so() {
    let desk = Desk::new("book");
    let file = desk.file("a.txt", "h8 i9 h7 1-0\nh8 i9 h7 0-1\nh8 i9 g9\n");
    desk.done(&["import", &file, "--variant", "gomoku"]);
    let shelf = text_of(&desk.0.join("my.shelf"));
    let head = format!(
        "uci\nsetoption name UCI_Variant value gomoku\nsetoption name BookFile value {shelf}\n"
    );
    let output = uci(&format!("{head}position startpos moves h8 i9\ngo nodes 100\n"));
    assert!(output.contains("option name BookChoice type combo default best"), "{output}");
    assert!(output.contains("info string book my.shelf: 3 games of gomoku 15x15"), "{output}");
    // h7 and g8 are images of each other.
    let note = ["h7", "g8"].map(|mv| {
        format!(
            "info string book my.shelf: {mv}, 2 games, won 1, drawn 0, lost 1\nbestmove P@{mv}\n"
        )
    });
    assert!(note.iter().any(|note| output.contains(note)), "{output}");
    // The position is not in the book; an analysis and a limit of stones leave the book alone.
    for lines in [
        "position startpos moves a1\ngo nodes 100\n",
        "position startpos moves h8 i9\ngo depth 1\n",
        "setoption name BookDepth value 2\nposition startpos moves h8 i9\ngo nodes 100\n",
        "setoption name OwnBook value false\nposition startpos moves h8 i9\ngo nodes 100\n",
    ] {
        let output = uci(&format!("{head}{lines}"));
        assert!(output.contains("info depth 1"), "{lines}{output}");
    }
    let output = uci(&format!("{head}position startpos moves a1\ngo nodes 100\n"));
    assert!(output.contains("book my.shelf: no move for this position"), "{output}");
    // Each of the two most played moves is chosen with some seed.
    let mut moves = std::collections::BTreeSet::new();
    for seed in 1..20 {
        let output = uci(&format!(
            "{head}setoption name BookChoice value played\nsetoption name BookWidth value 2\n\
             setoption name Skill Seed value {seed}\nposition startpos moves h8 i9\ngo nodes 100\n"
        ));
        moves.extend(output.lines().find(|line| line.starts_with("bestmove")).map(str::to_owned));
    }
    assert_eq!(moves.len(), 2, "{moves:?}");
}

#[test]
fn a_book_that_cannot_be_read_is_refused_in_every_game() {
    let desk = Desk::new("no-book");
    let other = desk.file("a.txt", "h8 i9 h7\n");
    let missing = text_of(&desk.0.join("missing.shelf"));
    let mut files = vec![
        (other, "this is no shelf"),
        (missing, "No such file"),
        (text_of(&desk.0), "this is no file"),
    ];
    if cfg!(unix) {
        let pipe = text_of(&desk.0.join("pipe"));
        let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
        assert!(made.success());
        files.push((pipe, "this is no file, but a folder, a pipe or a device"));
    }
    for (file, why) in files {
        for variant in ["renju", "gomoku", "tictactoe"] {
            let lines = format!(
                "uci\nsetoption name UCI_Variant value {variant}\nsetoption name BookFile value {file}\ngo nodes 1\n"
            );
            let output = uci(&lines);
            let note = format!("info string option BookFile: \"{file}\": {why}");
            assert!(output.contains(&note) && output.contains("bestmove"), "{variant}: {output}");
        }
    }
}

#[test]
fn bad_input_is_quoted_in_one_line() {
    let desk = Desk::new("bad");
    for (arguments, message) in [
        (&["explore"][..], "there is no shelf"),
        (&["find", "--pattern", "xy"], "'y' is no point"),
        (&["find", "--year", "soon"], "a year such as 2020"),
        (&["find", "--result", "win"], "1-0"),
        (&["find", "--player", " "], "a name is needed"),
    ] {
        let (status, stderr) = desk.refused(arguments);
        assert_eq!(status, Some(2), "{arguments:?}");
        assert!(stderr.contains(message) && stderr.lines().count() == 1, "{stderr}");
    }
    let file = desk.file("a.txt", "h8 i9 h7\n");
    desk.done(&["import", &file]);
    let (status, stderr) = desk.refused(&["explore", "h8", "h8"]);
    assert_eq!(status, Some(2));
    assert!(stderr.contains("move 2 \"h8\""), "{stderr}");
    for (arguments, message) in [
        (&["find", "--opening", "nosuch"][..], "--opening \"nosuch\": no opening has this code"),
        (
            &["explore", "--fen", "3/3/3 w - - 0 1"],
            "--fen \"3/3/3 w - - 0 1\": the shelf has no games on a board of 3x3",
        ),
    ] {
        let (status, stderr) = desk.refused(arguments);
        assert_eq!(status, Some(2), "{arguments:?}");
        assert!(stderr.contains(message) && stderr.lines().count() == 1, "{stderr}");
    }
    // A folder, and a file in a folder that is not there.
    for (shelf, message) in [("", ": this is a folder"), ("none/a.shelf", "there is no folder")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
        command.args(["shelf", "import", &file, "--shelf"]).arg(desk.0.join(shelf));
        refused_by(&mut command, message);
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    refused_by(
        command.args(["shelf", "explore", "--shelf"]).arg(desk.0.join("")),
        ": this is a folder",
    );
    let (status, stderr) = desk.refused(&["import", "/no/such/file.sgf"]);
    assert_eq!(status, Some(2));
    assert!(stderr.contains("/no/such/file.sgf"), "{stderr}");
}

#[test]
fn games_are_corrected_removed_and_brought_back() {
    let desk = Desk::new("changes");
    desk.done(&["import", &desk.file("a.sgf", GAMES)]);
    let done = desk.done(&["edit", "--player", "anna", "--set", "event=Open", "--set", "PC=Rome"]);
    assert!(done.starts_with("2 games changed"), "{done}");
    assert!(desk.done(&["find", "--event", "open"]).ends_with("2 games\n"));
    desk.done(&["edit", "2", "--set", "result=1-0"]);
    let counts = |desk: &Desk| {
        let known = desk.explored("h8");
        ["games", "wins", "losses"].map(|name| known[name].as_i64().expect("a number"))
    };
    assert_eq!(counts(&desk), [2, 0, 2]);
    assert!(desk.done(&["delete", "1"]).starts_with("1 game removed"));
    assert_eq!(counts(&desk), [1, 0, 1]);
    let id = desk.done(&["comment", "h8", "--text", "the centre", "--author", "Anna"]);
    assert_eq!(id, "comment 1\n");
    assert!(desk.done(&["comment", "--search", "CENTRE"]).contains("Anna: the centre"));
    desk.done(&["alias", "Annie", "Anna"]);
    assert!(desk.done(&["find", "--player", "annie"]).ends_with("1 games\n"));
    let list = desk.done(&["undo", "--list"]);
    let whats = [
        "alias Annie",
        "comment",
        "delete game 1",
        "edit result of game 2",
        "edit event, PC of 2 games",
    ];
    for (line, what) in list.lines().zip(whats) {
        assert!(line.ends_with(what), "{list}");
    }
    for _ in 0..3 {
        assert!(desk.done(&["undo"]).starts_with("taken back: "));
    }
    assert_eq!(counts(&desk), [2, 0, 2]);
    let sgf = desk.done(&["export", "-", "--to", "sgf", "--game", "2"]);
    assert!(sgf.matches("(;").count() == 1 && sgf.contains("PB[Ben]"), "{sgf}");
    let copy = text_of(&desk.0.join("copy.shelf"));
    desk.done(&["backup", &copy]);
    for (arguments, why) in [
        (vec!["edit", "--set", "date=2020"], "choose games"),
        (vec!["edit", "2", "--set", "date"], "NAME=TEXT"),
        (vec!["edit", "2", "--set", "result=who"], "1-0, 0-1"),
        (vec!["edit", "99", "--set", "date=2020"], "game 99: the shelf has no such game"),
        (vec!["delete"], "choose games"),
        (vec!["backup", copy.as_str()], "exists"),
    ] {
        let (status, error) = desk.refused(&arguments);
        assert!(status == Some(2) && error.contains(why), "{arguments:?}: {error}");
    }
    assert!(desk.done(&["check", "--repair"]).ends_with(" 0 differences\n"));
}

#[test]
fn trees_are_edited_and_exported() {
    let desk = Desk::new("trees");
    desk.done(&["import", &desk.file("a.sgf", GAMES)]);
    let done = desk.done(&["tree", "h8", "i9", "j10", "k11"]);
    assert!(done.starts_with("1 tree changed"), "{done}");
    desk.done(&["tree", "h8", "i9", "j10", "--label", "A"]);
    desk.done(&["tree", "h8", "i9", "j10", "--comment", "the diagonal"]);
    assert_eq!(desk.done(&["tree", "h8", "i9", "j10"]), "nothing has changed\n");
    let library = text_of(&desk.0.join("a.lib"));
    desk.done(&["export", &library]);
    let library = fs::read(&library).expect("the library");
    assert!(library.windows(12).any(|part| part == b"the diagonal"));
    desk.done(&["tree", "h8", "i9", "j10", "--remove"]);
    let known = desk.explored("h8 i9 j10");
    assert!(known["notes"] == json!([]) && known["moves"] == json!([]), "{known}");
    for (arguments, why) in [
        (vec!["tree", "h8", "i9", "j10", "--remove"], "no tree of variations has this move"),
        (vec!["tree", "--variant", "renju", "--label", "A"], "a move is needed"),
        (vec!["tree", "h8", "--tree", "99"], "tree 99"),
        (vec!["tree", ""], "a move is needed"),
    ] {
        let (status, error) = desk.refused(&arguments);
        assert!(status == Some(2) && error.contains(why), "{arguments:?}: {error}");
    }
    assert!(desk.done(&["undo"]).contains("remove a branch of a tree"));
    assert_eq!(desk.explored("h8 i9 j10")["comments"], json!(["the diagonal"]));
    assert!(desk.done(&["redo"]).starts_with("made again: "));
    assert_eq!(desk.explored("h8 i9 j10")["comments"], json!([]));
    let (status, error) = desk.refused(&["redo"]);
    assert!(status == Some(2) && error.contains("no change to make again"), "{error}");
}

#[test]
fn games_are_found_by_a_drawing() {
    let desk = Desk::new("drawing");
    desk.done(&["import", &desk.file("a.txt", "h8 i9 h7 a1\nh8 i9 g9\nh8 h9 i9\n")]);
    let row = |row: u32| match row {
        9 => "........O......",
        8 => ".......X.......",
        _ => "...............",
    };
    let rows: Vec<&str> = (1..=15).rev().map(row).collect();
    let drawing = desk.file("drawing", &rows.join("\n"));
    assert!(desk.done(&["find", "--drawing", &drawing]).ends_with("2 games\n"));
    let record = desk.file("a.sgf", "(;GM[4]SZ[15];B[hh];W[hg])");
    assert!(desk.done(&["find", "--drawing", &record]).ends_with("1 games\n"));
    let (status, error) = desk.refused(&["find", "--drawing", &desk.file("empty", "")]);
    assert!(status == Some(2) && error.contains("empty"), "{error}");
}
