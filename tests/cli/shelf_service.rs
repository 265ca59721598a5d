//! A shelf in JSON: lookups and changes, at standard input and over TCP.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use boon::{Compiler, Schemas};
use serde_json::{Value, json};
use tengen_protocol::dialect::json::schema::schema;

const PROGRAM: &str = env!("CARGO_BIN_EXE_tengen");

/// A folder with a shelf, which is removed on drop.
struct Desk(PathBuf);

impl Desk {
    /// Makes a shelf of these records.
    fn new(name: &str, records: &[(&str, &str)]) -> Self {
        let folder =
            std::env::temp_dir().join(format!("tengen-service-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for the test");
        let desk = Self(folder);
        for (name, content) in records {
            fs::write(desk.0.join(name), content).expect("a file");
            let output = desk.import(&desk.0.join(name));
            assert!(output.status.success(), "{}", text(&output.stderr));
        }
        desk
    }

    fn shelf(&self) -> PathBuf {
        self.0.join("my.shelf")
    }

    fn import(&self, file: &Path) -> Output {
        let mut command = Command::new(PROGRAM);
        command.args(["shelf", "import"]).arg(file).arg("--shelf").arg(self.shelf());
        command.output().expect("the program runs")
    }

    /// Returns the last reply to a query at standard input. A lookup that a busy machine interrupts is
    /// asked again.
    fn ask(&self, query: &Value) -> Value {
        loop {
            let reply = self.replies(query).pop().expect("a reply");
            if reply["code"] != "interrupted" {
                return reply;
            }
        }
    }

    fn replies(&self, query: &Value) -> Vec<Value> {
        self.replies_with(&[], query)
    }

    /// Returns the reply to a query in a session that may change the shelf.
    fn edit(&self, query: Value) -> Value {
        let mut query = query;
        query["id"] = json!("c");
        self.replies_with(&["--edit"], &query).pop().expect("a reply")
    }

    fn replies_with(&self, options: &[&str], query: &Value) -> Vec<Value> {
        let mut command = Command::new(PROGRAM);
        command.args(["--dialect", "json"]).args(options).arg("--shelf").arg(self.shelf());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the program runs");
        let mut input = child.stdin.take().expect("its input");
        writeln!(input, "{query}").expect("the query is sent");
        drop(input);
        let output = child.wait_with_output().expect("the program ends");
        let lines = text(&output.stdout);
        let replies: Vec<Value> =
            lines.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
        replies.iter().for_each(check_schema);
        replies
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

fn check_schema(reply: &Value) {
    let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
    compiler.add_resource("tengen.json", schema()).expect("the schema");
    let index = compiler.compile("tengen.json#/$defs/reply", &mut schemas).expect("the schema");
    if let Err(error) = schemas.validate(reply, index) {
        panic!("{reply}: {error:#}");
    }
}

const GAMES: &str = "\
(;GM[4]SZ[15]RU[renju]PB[Anna]PW[O'Brien]EV[Open]DT[2020-05]RE[B+R];B[hh];W[ig];B[hi])
(;GM[4]SZ[15]RU[renju]PB[Ben]PW[Anna]DT[2021]RE[W+];B[hh];W[gi]C[the teacher: strong](;B[hg])(;B[ii]LB[jj:A]))
(;GM[4]SZ[15]RU[renju]PB[Ben]PW[Cleo]DT[2019]RE[0];B[hh];W[hg];B[ii])
";

fn explore(moves: &str) -> Value {
    json!({ "id": "e", "action": "explore", "variant": "renju", "moves": moves })
}

/// Returns a drawing of a board with a stone in the centre and a row below it, from its eighth column on.
fn drawing(row: &str) -> String {
    let empty = ".".repeat(15);
    let mut rows = vec![empty.clone(); 15];
    rows[7].replace_range(7..8, "X");
    rows[8] = format!("{}{row}", &empty[..7]);
    rows.join("\n")
}

fn find(fields: Value) -> Value {
    let mut query = json!({ "id": "f", "action": "find" });
    for (name, value) in fields.as_object().expect("fields") {
        query[name] = value.clone();
    }
    query
}

#[test]
fn a_position_is_explored_with_its_moves_games_and_comments() {
    let desk = Desk::new("explore", &[("a.sgf", GAMES)]);
    // I9 and G7 are images of each other.
    let known = desk.ask(&explore("h8 i9"));
    assert_eq!((&known["type"], &known["turn_number"]), (&json!("explore"), &json!(2)), "{known}");
    let results = ["games", "wins", "draws", "losses"].map(|name| known[name].as_u64());
    assert_eq!(results, [Some(2), Some(1), Some(0), Some(1)], "{known}");
    assert_eq!(known["last"], "2021");
    assert_eq!(known["comments"], json!(["the teacher: strong"]));
    assert_eq!((&known["found"], &known["on_board"]), (&json!(2), &json!(3)));
    assert_eq!((&known["not_listed"], &known["turn"]), (&json!(null), &json!("first")));
    assert_eq!(known["list"][0]["first"], "Ben");
    assert_eq!(known["list"][0]["result"], "second");
    let moves = known["moves"].as_array().expect("moves");
    assert!(moves.iter().all(|mv| mv["games"].is_u64() && mv["move"].is_string()), "{known}");
    assert!(moves.iter().any(|mv| mv["tree"] == true), "{known}");
    // A page of the games, and those of a player.
    let mut second = explore("h8");
    (second["offset"], second["limit"]) = (json!(1), json!(1));
    let page = desk.ask(&second);
    assert_eq!((&page["found"], &page["list"][0]["date"]), (&json!(3), &json!("2020-05")));
    let mut of_cleo = explore("h8");
    of_cleo["player"] = json!("cleo");
    assert_eq!(desk.ask(&of_cleo)["games"], 1);
    let nothing = desk.ask(&explore("a1"));
    assert!(nothing["games"] == 0 && nothing["list"] == json!([]), "{nothing}");
}

#[test]
fn games_are_found_by_every_field_and_read_whole() {
    let desk = Desk::new("find", &[("a.sgf", GAMES)]);
    for (fields, found) in [
        (json!({}), 3),
        (json!({ "player": "o'brien" }), 1),
        (json!({ "event": "ope" }), 1),
        (json!({ "comment": "THE TEACHER" }), 1),
        (json!({ "player": "anna", "against": "anna" }), 0),
        (json!({ "first": "nobody" }), 0),
        (json!({ "min_plies": 1, "max_plies": 900 }), 3),
        (json!({ "max_plies": 0 }), 0),
        (json!({ "result": "draw" }), 1),
        (json!({ "result": "first" }), 1),
        (json!({ "year": 2020 }), 1),
        (json!({ "year": 2019, "to_year": 2020 }), 2),
        (json!({ "variant": "renju", "moves": "h8 g7" }), 2),
        (json!({ "variant": "gomoku" }), 0),
        (json!({ "pattern": "x?/?o" }), 2),
        (json!({ "source": ".SGF" }), 3),
        (json!({ "source": "/" }), 0),
        (json!({ "variant": "renju", "drawing": drawing("O.......") }), 1),
        (json!({ "variant": "renju", "drawing": drawing(".O......") }), 2),
        (json!({ "opening": "no such opening" }), 0),
        (json!({ "opening": "i9" }), 2),
        (json!({ "player": "anna", "year": 2021, "pattern": "x" }), 1),
    ] {
        let reply = desk.ask(&find(fields.clone()));
        assert_eq!(reply["found"], found, "{fields}: {reply}");
        assert_eq!(reply["list"].as_array().map(Vec::len), Some(found), "{fields}: {reply}");
    }
    let game = &desk.ask(&find(json!({ "year": 2021 })))["list"][0]["game"];
    let read = json!({ "id": "r", "action": "read_game", "game": game });
    let record = desk.ask(&read);
    assert_eq!((&record["type"], &record["more"]), (&json!("record_part"), &json!(false)));
    let sgf = record["text"].as_str().expect("text");
    for part in ["PB[Ben]", "C[the teacher: strong]", "LB[jj:A]"] {
        assert!(sgf.contains(part), "{part}: {sgf}");
    }
}

#[test]
fn the_commands_write_the_replies_of_the_protocol() {
    let desk = Desk::new("commands", &[("a.sgf", GAMES)]);
    let written = |arguments: &[&str]| -> Value {
        let mut command = Command::new(PROGRAM);
        command.arg("shelf").args(arguments).args(["--json", "--shelf"]).arg(desk.shelf());
        let output = command.output().expect("the program runs");
        let reply = serde_json::from_slice(&output.stdout).expect("one object");
        check_schema(&reply);
        reply
    };
    let mut query = explore("h8 i9");
    (query["id"], query["limit"]) = (json!("1"), json!(0));
    let mut known = written(&["explore", "--by-year", "h8", "i9"]);
    let years = known.as_object_mut().and_then(|known| known.remove("years"));
    let year = |year: u64, wins: u64| json!({ "year": year, "games": 1, "wins": wins, "draws": 0, "losses": 1 - wins });
    assert_eq!(years, Some(json!([year(2020, 1), year(2021, 0)])));
    for mv in known["moves"].as_array_mut().expect("moves") {
        assert!(mv.as_object_mut().and_then(|mv| mv.remove("years")).is_some(), "{mv}");
    }
    assert_eq!(known, desk.ask(&query));
    let mut found = written(&["find", "--player", "anna", "--limit", "1"]);
    let source = found["list"][0].as_object_mut().and_then(|game| game.remove("source"));
    let source = source.expect("the source of a game");
    assert!(source["file"].as_str().is_some_and(|file| file.ends_with("a.sgf")), "{source}");
    assert_eq!(source["number"], 2);
    let mut query = find(json!({ "player": "anna", "limit": 1 }));
    query["id"] = json!("1");
    assert_eq!(found, desk.ask(&query));
}

#[test]
fn wild_input_finds_nothing_and_is_refused_with_its_field() {
    let desk = Desk::new("attacks", &[("a.sgf", GAMES)]);
    for name in ["' OR 1=1 --", "%", "_", "\"; DROP TABLE games; --", "\\", "名前", "')"] {
        for field in ["player", "event", "opening", "first", "against", "comment"] {
            let reply = desk.ask(&find(json!({ field: name })));
            assert_eq!(reply["found"], 0, "{field} {name}: {reply}");
        }
    }
    let long = "a".repeat(257);
    for (fields, field) in [
        (json!({ "player": long }), "player"),
        (json!({ "player": "" }), "player"),
        (json!({ "event": "a\u{0}b" }), "event"),
        (json!({ "opening": 7 }), "opening"),
        (json!({ "result": "1-0" }), "result"),
        (json!({ "year": 0 }), "year"),
        (json!({ "to_year": 2020 }), "to_year"),
        (json!({ "year": 2020, "to_year": 2019 }), "to_year"),
        (json!({ "limit": 101 }), "limit"),
        (json!({ "offset": -1 }), "offset"),
        (json!({ "pattern": "xx/x" }), "pattern"),
        (json!({ "drawing": "X X\nO" }), "drawing"),
        (json!({ "drawing": ".", "moves": "h8" }), "drawing"),
        (json!({ "pattern": "...." }), "pattern"),
        (json!({ "pattern": "x".repeat(27) }), "pattern"),
        (json!({ "pattern": "x".repeat(2000) }), "pattern"),
    ] {
        let reply = desk.ask(&find(fields.clone()));
        assert!(reply["code"] == "bad_field" && reply["field"] == field, "{fields}: {reply}");
    }
    for game in [json!(0), json!("1"), json!(999), json!(9_007_199_254_740_991_u64)] {
        let reply = desk.ask(&json!({ "id": "r", "action": "read_game", "game": game }));
        assert!(reply["code"] == "bad_field" && reply["field"] == "game", "{game}: {reply}");
    }
    let far = desk.ask(&find(json!({ "offset": 9_007_199_254_740_991_u64 })));
    assert!(far["found"] == 3 && far["list"] == json!([]), "{far}");
    let illegal = desk.ask(&explore("h8 h8"));
    assert_eq!(illegal["code"], "bad_move");
}

/// `tengen serve` on free ports, which is killed on drop.
struct Service {
    child: Child,
    tcp: String,
}

impl Service {
    fn start(shelf: &Path) -> Self {
        let mut command = Command::new(PROGRAM);
        command.args(["serve", "--http", "127.0.0.1:0", "--tcp", "127.0.0.1:0", "--shelf"]);
        let command = command.arg(shelf).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the program runs");
        let mut line = String::new();
        let output = child.stdout.take().expect("its output");
        BufReader::new(output).read_line(&mut line).expect("its addresses");
        let tcp = line.rsplit("tcp ").next().expect("an address").trim().to_owned();
        Self { child, tcp }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It has ended already if the test failed early.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn many_clients_explore_while_another_process_imports() {
    let desk = Desk::new("clients", &[("a.sgf", GAMES)]);
    let service = Service::start(&desk.shelf());
    let more = desk.0.join("more.sgf");
    let letter = |number: u32| char::from(b'a' + (number % 15) as u8);
    let mut games = String::new();
    for number in 0..2000 {
        let [a, b, c] = [number, number / 15, number / 225 + 8].map(letter);
        games += &format!("(;GM[4]SZ[15]RU[renju];B[hh];W[ig];B[{a}{b}];W[a{c}])\n");
    }
    fs::write(&more, games).expect("a file");
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        for client in 0..6 {
            let (tcp, is_done) = (&service.tcp, &is_done);
            scope.spawn(move || {
                let stream = TcpStream::connect(tcp).expect("a connection");
                let mut input = BufReader::new(stream.try_clone().expect("a handle"));
                let mut output = stream;
                let mut known = 0;
                loop {
                    let was_done = is_done.load(Relaxed);
                    writeln!(output, "{}", explore("h8 i9")).expect("the query is sent");
                    let mut line = String::new();
                    input.read_line(&mut line).expect("a reply");
                    let reply: Value = serde_json::from_str(&line).expect("an object");
                    if reply["code"] == "interrupted" {
                        continue;
                    }
                    let games = reply["games"].as_u64().unwrap_or_else(|| panic!("{reply}"));
                    assert!(games >= known, "{client}: {games} after {known}");
                    known = games;
                    if was_done {
                        assert!(known > 2, "{reply}");
                        break;
                    }
                }
            });
        }
        let output = desk.import(&more);
        is_done.store(true, Relaxed);
        assert!(output.status.success(), "{}", text(&output.stderr));
    });
}

#[test]
fn a_shelf_that_was_replaced_is_served_as_it_is_now() {
    let desk = Desk::new("replaced", &[("a.sgf", GAMES)]);
    let one = Desk::new("replacement", &[("b.txt", "h8 i9 h7\n")]);
    let service = Service::start(&desk.shelf());
    let stream = TcpStream::connect(&service.tcp).expect("a connection");
    let mut input = BufReader::new(stream.try_clone().expect("a handle"));
    let mut output = stream;
    let mut found = || loop {
        writeln!(output, "{}", find(json!({}))).expect("the query is sent");
        let mut line = String::new();
        input.read_line(&mut line).expect("a reply");
        let reply: Value = serde_json::from_str(&line).expect("an object");
        if reply["code"] != "interrupted" {
            return reply["found"].clone();
        }
    };
    assert_eq!(found(), 3);
    let old = desk.0.join("old.shelf");
    fs::copy(desk.shelf(), &old).expect("a copy");
    // Another file, and another content of the file.
    let moved = desk.0.join("moved.shelf");
    fs::copy(one.shelf(), &moved).expect("a copy");
    fs::rename(&moved, desk.shelf()).expect("a move");
    assert_eq!((found(), found()), (json!(1), json!(1)));
    fs::copy(&old, desk.shelf()).expect("a copy");
    assert_eq!((found(), found()), (json!(3), json!(3)));
}

#[test]
fn a_file_that_is_no_shelf_is_refused_in_one_line() {
    let desk = Desk::new("files", &[("a.sgf", GAMES)]);
    let newer = desk.0.join("newer.shelf");
    let mut bytes = fs::read(desk.shelf()).expect("the shelf");
    // The header of SQLite has the version of the schema at byte 60.
    bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
    fs::write(&newer, bytes).expect("a file");
    let (text_file, missing) = (desk.0.join("a.sgf"), desk.0.join("missing.shelf"));
    for (file, why) in [
        (&missing, "there is no shelf"),
        (&text_file, "this file is not a shelf"),
        (&newer, "has schema 99"),
    ] {
        for arguments in [&["serve", "--http", "127.0.0.1:0", "--tcp", "127.0.0.1:0"][..], &[]] {
            let mut command = Command::new(PROGRAM);
            command.args(arguments).arg("--shelf").arg(file).stdin(Stdio::null());
            let output = command.output().expect("the program runs");
            let stderr = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{stderr}");
            assert!(stderr.contains(why) && stderr.lines().count() == 1, "{stderr}");
        }
        assert!(!missing.exists());
    }
}

#[test]
fn a_client_edits_games_comments_and_trees_and_undoes_each_change() {
    let desk = Desk::new("edit", &[("a.sgf", GAMES)]);
    let changes = || desk.edit(json!({ "action": "changes" }))["list"].clone();
    let before = changes();
    let games = || desk.ask(&find(json!({ "player": "Dora" })))["found"].clone();
    let headers = json!({ "first": "Dora", "date": "12/24/1998", "result": "0-1" });
    let edited = desk.edit(json!({ "action": "edit_games", "games": [1, 3], "headers": headers }));
    assert!(edited["count"] == 2 && edited["change"]["number"] == 2, "{edited}");
    assert_eq!(games(), 2);
    let deleted = desk.edit(json!({ "action": "delete_games", "games": [3] }));
    assert_eq!((&deleted["change"]["what"], games()), (&json!("delete game 3"), json!(1)));
    let position = json!({ "action": "comment", "variant": "renju", "moves": "h8 i9" });
    let with = |fields: Value| {
        let mut query = position.clone();
        for (name, value) in fields.as_object().expect("fields") {
            query[name] = value.clone();
        }
        query
    };
    let comment = json!({ "text": "solid", "label": "S", "author": "Anna" });
    let written = desk.edit(with(comment));
    assert_eq!(written["number"], 1, "{written}");
    let notes = desk.ask(&explore("h8 g7"))["notes"].clone();
    let note = notes.as_array().and_then(|notes| notes.last()).expect("a note");
    assert!(note["author"] == "Anna" && note["label"] == "S" && note["number"] == 1, "{note}");
    assert!(note["at"].as_str().is_some_and(|at| at.starts_with("20")), "{note}");
    assert!(notes[0]["tree"] == 1 && notes[0]["text"] == "the teacher: strong", "{notes}");
    let changed = desk.edit(json!({ "action": "comment", "number": 1, "text": "weak" }));
    assert_eq!(changed["count"], 1, "{changed}");
    let added = desk.edit(with(json!({ "action": "edit_tree", "moves": "h8 i9 a1" })));
    assert_eq!(added["count"], 1, "{added}");
    let tree = desk.edit(with(json!({ "action": "edit_tree", "tree": 1, "comment": "better" })));
    assert_eq!(tree["count"], 1, "{tree}");
    let known = desk.ask(&explore("h8 i9"));
    assert_eq!(known["comments"], json!(["better", "weak"]));
    let moves = known["moves"].as_array().expect("moves");
    assert!(moves.iter().any(|mv| mv["move"] == "a1" && mv["tree"] == true), "{known}");
    let removed =
        desk.edit(with(json!({ "action": "edit_tree", "moves": "h8 i9 a1", "remove": true })));
    assert_eq!(removed["count"], 1, "{removed}");
    // Another client may have changed the shelf since.
    let list = changes();
    let list = list.as_array().expect("changes");
    assert_eq!(list.len(), 8, "{list:?}");
    let stale = desk.edit(json!({ "action": "undo", "change": list[1]["number"] }));
    assert!(stale["code"] == "bad_field" && stale["field"] == "change", "{stale}");
    assert_eq!(changes(), json!(list));
    for change in &list[..7] {
        let undone = desk.edit(json!({ "action": "undo", "change": change["number"] }));
        assert_eq!(&undone["change"], change, "{undone}");
    }
    assert_eq!(changes(), before);
    assert_eq!((games(), desk.ask(&find(json!({})))["found"].clone()), (json!(0), json!(3)));
    assert_eq!(desk.ask(&explore("h8 i9"))["comments"], json!(["the teacher: strong"]));
    let redone = desk.edit(json!({ "action": "redo" }));
    assert!(redone["change"]["what"] == list[6]["what"] && games() == 2, "{redone}");
    desk.edit(json!({ "action": "undo" }));
    assert_eq!(changes(), before);
    desk.edit(with(json!({ "text": "new" })));
    let refused = desk.edit(json!({ "action": "redo" }));
    assert!(refused["code"] == "bad_field" && refused["type"] == "error", "{refused}");
}

#[test]
fn a_shelf_is_changed_only_with_the_option_and_wild_changes_are_refused() {
    let desk = Desk::new("read-only", &[("a.sgf", GAMES)]);
    let queries = [
        json!({ "id": "c", "action": "edit_games", "games": [1], "headers": { "first": "x" } }),
        json!({ "id": "c", "action": "delete_games", "games": [1] }),
        json!({ "id": "c", "action": "comment", "text": "x" }),
        json!({ "id": "c", "action": "edit_tree", "variant": "renju", "moves": "h8" }),
        json!({ "id": "c", "action": "undo" }),
        json!({ "id": "c", "action": "redo" }),
        json!({ "id": "c", "action": "changes" }),
    ];
    let service = Service::start(&desk.shelf());
    for query in &queries {
        let refused = desk.ask(query);
        let message = refused["message"].as_str().expect("a message");
        assert!(refused["code"] == "forbidden" && message.contains("--edit"), "{refused}");
        let stream = TcpStream::connect(&service.tcp).expect("a connection");
        let mut input = BufReader::new(stream.try_clone().expect("a handle"));
        writeln!(&stream, "{query}").expect("the query is sent");
        let mut line = String::new();
        input.read_line(&mut line).expect("a reply");
        assert!(line.contains("\"forbidden\"") && line.contains("--edit"), "{line}");
    }
    for (query, field) in [
        (json!({ "action": "edit_games", "games": [1] }), json!("headers")),
        (
            json!({ "action": "edit_games", "games": [1], "headers": { "PC": "Tokyo" } }),
            json!("headers"),
        ),
        (json!({ "action": "delete_games", "games": [1], "last_change": 9 }), json!("last_change")),
        (
            json!({ "action": "edit_games", "games": [], "headers": { "first": "x" } }),
            json!("games"),
        ),
        (
            json!({ "action": "edit_games", "games": [99], "headers": { "first": "x" } }),
            json!("games"),
        ),
        (
            json!({ "action": "edit_games", "games": [1], "headers": { "date": "spring" } }),
            json!("headers.date"),
        ),
        (
            json!({ "action": "edit_games", "games": [1], "headers": { "result": "maybe" } }),
            json!("headers.result"),
        ),
        (
            json!({ "action": "edit_games", "games": [1], "headers": { "first": "a\u{7}b" } }),
            json!("headers.first"),
        ),
        (json!({ "action": "delete_games", "games": [1, 99] }), json!("games")),
        (json!({ "action": "comment", "number": 9, "text": "x" }), json!("number")),
        (
            json!({ "action": "comment", "variant": "renju", "moves": "h8", "text": " " }),
            json!("text"),
        ),
        (
            json!({ "action": "comment", "variant": "renju", "moves": "h8", "label": "\u{1b}" }),
            json!("label"),
        ),
        (
            json!({ "action": "comment", "variant": "renju", "text": "a", "author": "b\nc" }),
            json!("author"),
        ),
        (json!({ "action": "comment", "variant": "renju", "text": "\u{202e}" }), json!("text")),
        (json!({ "action": "comment", "number": 9, "text": "x", "author": "y" }), json!("author")),
        (json!({ "action": "comment" }), json!("text")),
        (json!({ "action": "edit_tree", "remove": true, "label": "x" }), json!("remove")),
        (
            json!({ "action": "edit_tree", "variant": "renju", "moves": "h8", "tree": 9 }),
            json!("tree"),
        ),
        (
            json!({ "action": "edit_tree", "variant": "gomoku", "moves": "h8", "tree": 1 }),
            json!("tree"),
        ),
        (json!({ "action": "edit_tree", "variant": "renju", "label": "x" }), json!("moves")),
        (
            json!({ "action": "edit_tree", "variant": "renju", "moves": "h8", "label": "\u{1}" }),
            json!("label"),
        ),
        (json!({ "action": "find", "player": "a\u{1}" }), json!("player")),
        (json!({ "action": "find", "against": "a\u{1}" }), json!("against")),
        (json!({ "action": "find", "comment": "a\u{1}" }), json!("comment")),
        (json!({ "action": "find", "min_plies": 9, "max_plies": 3 }), json!("max_plies")),
        (json!({ "action": "find", "pattern": "!" }), json!("pattern")),
        (json!({ "action": "read_game", "game": 99 }), json!("game")),
        (
            json!({ "action": "explore", "variant": "renju", "moves": "h8", "to_year": 3 }),
            json!("to_year"),
        ),
        (
            json!({ "action": "edit_tree", "variant": "renju", "moves": "a1", "remove": true }),
            json!("moves"),
        ),
    ] {
        let refused = desk.edit(query.clone());
        assert!(refused["code"] == "bad_field" && refused["field"] == field, "{query}: {refused}");
    }
    let list = desk.edit(json!({ "action": "changes" }))["list"].clone();
    assert_eq!(list.as_array().map(Vec::len), Some(1), "{list}");
    let mut command = Command::new(PROGRAM);
    command.args(["serve", "--edit", "--allow-host", "board.example", "--shelf"]).arg(desk.shelf());
    let output = command.output().expect("the program runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--token-file"), "{}", text(&output.stderr));
}
