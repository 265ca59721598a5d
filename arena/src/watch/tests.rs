//! Views of invented journals: they agree with the reports, whenever they read, and name what is wrong.

use std::fs;

use tengen_engine::Side;
use tengen_engine::backend::Catalog;
use tengen_games::CATALOG;
use tengen_runs::journal::{FILE, Journal};

use super::*;
use crate::config::given::read_toml;
use crate::record::{GameEnd, GameScore, MoveNote, Said, Warning};

/// A run folder with a journal.
struct Lab {
    folder: PathBuf,
    config: Config,
}

impl Lab {
    fn new(name: &str, more: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("tengen-watch-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let text = format!(
            "rounds = 20\n{more}\n[each]\nst = 1\n[[engine]]\ncmd = \"a\"\nname = \"A\"\n[[engine]]\ncmd = \"b\"\nname = \"B\"\n"
        );
        let entries = read_toml(Path::new("run.toml"), &text).unwrap();
        Self { folder, config: Config::read(&entries, &CATALOG).unwrap() }
    }

    fn open(&self) -> Result<RunView, Error> {
        let spec = self.config.spec(&CATALOG).unwrap();
        RunView::open(&self.folder, "a run".to_owned(), self.config.clone(), spec)
    }

    fn append(&self, records: &[JournalRecord]) {
        Journal::open(&self.folder).unwrap().0.append(records).unwrap();
    }

    /// Returns what is wrong with the run.
    fn fault(&self) -> String {
        self.open().err().unwrap().to_string()
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn head() -> JournalRecord {
    JournalRecord::Head(RunHead {
        version: 1,
        program: "Tengen".to_owned(),
        variant: "renju".to_owned(),
        rules: String::new(),
        size: Some((15, 15)),
        players: vec!["A".to_owned(), "B".to_owned()],
        seed: 1,
        started: "2026-01-01T00:00:00Z".to_owned(),
    })
}

fn record(id: u64, score: GameScore) -> GameRecord {
    let players = if id.is_multiple_of(2) { [0, 1] } else { [1, 0] };
    let said = Said { score: Some("+0.34".to_owned()), nodes: Some(100), ..Said::default() };
    GameRecord {
        moves: vec!["h8".to_owned(), "i9".to_owned()],
        notes: vec![MoveNote { micros: 1000, said, ..MoveNote::default() }; 2],
        started: format!("2026-01-01T00:{:02}:00Z", id % 60),
        millis: 60_000,
        ..GameRecord::of_result(id, players, score, EndKind::Line)
    }
}

fn game(id: u64, score: GameScore) -> JournalRecord {
    JournalRecord::Game(Box::new(record(id, score)))
}

/// Games of a test: A wins most pairs, and the order is not that of the numbers.
fn games_of_a_test() -> Vec<JournalRecord> {
    let score = |id: u64| match id % 7 {
        0 => GameScore::Draw,
        _ => GameScore::won_by((id % 2) as usize),
    };
    let ids = (0..60_u64).map(|at| if at % 4 < 2 { at + 2 } else { at - 2 });
    ids.map(|id| game(id, score(id))).collect()
}

fn json(view: &mut RunView, path: &str) -> Value {
    serde_json::from_str(&view.answer(path).unwrap()).unwrap()
}

#[test]
fn a_view_that_follows_a_test_agrees_with_one_that_reads_it_at_its_end() {
    let lab = Lab::new("test", "variant = \"renju\"\nsprt = { elo0 = 0, elo1 = 150 }");
    lab.append(&[head()]);
    let mut view = lab.open().unwrap();
    let mut written = vec![head()];
    for record in games_of_a_test() {
        lab.append(std::slice::from_ref(&record));
        written.push(record);
        json(&mut view, "run.json");
    }
    let names = ["A".to_owned(), "B".to_owned()];
    let (tally, test) = TestProgress::of(&lab.config, &names, &written);
    let test = test.unwrap();
    let decided = test.decision.unwrap().1;
    assert!(decided < 29, "the last games come after the decision: {decided}");
    let (mut state, mut again) =
        (json(&mut view, "run.json"), json(&mut lab.open().unwrap(), "run.json"));
    for state in [&mut state, &mut again] {
        state.as_object_mut().unwrap().remove("now");
    }
    assert_eq!(state, again);
    assert_eq!(state["test"]["llr"], json!(test.llr));
    assert_eq!(state["test"]["decision"], "H1");
    assert_eq!(state["test"]["points"].as_array().unwrap().last().unwrap()[0], decided + 1);
    let met = tally.met[0][1];
    assert_eq!(state["crosstable"][0][1], json!([met.wins, met.draws, met.losses]));
    assert_eq!((&state["games"], &state["over"]), (&json!(60), &json!(true)));
    assert_eq!(state["left_seconds"], Value::Null);
}

#[test]
fn games_come_in_pages_and_a_page_that_cannot_ask_has_them_all() {
    let lab = Lab::new("pages", "variant = \"renju\"\ngames = 20");
    lab.append(&[head()]);
    let mut view = lab.open().unwrap();
    let games: Vec<_> = (0..120).map(|id| game(id, GameScore::First)).collect();
    lab.append(&games);
    let state = json(&mut view, "run.json");
    // A game a minute, and 280 of 400 games to play.
    assert_eq!(state["left_seconds"], json!(280.0 * 60.0));
    assert_eq!(state["workers"][0]["nps"], json!(100_000.0));
    let counts = [0, 100, 120, u64::MAX]
        .map(|from| json(&mut view, &format!("games/{from}.json")).as_array().unwrap().len());
    assert_eq!(counts, [100, 20, 0, 0]);
    let one = &json(&mut view, "games/3.json")[0];
    assert_eq!((&one["id"], &one["link"]), (&json!(4), &json!("v=renju&s=15x15&m=h8i9")));
    assert_eq!(one["scores"], json!(["+0.34", "+0.34"]));
    let all: Value = serde_json::from_str(&view.export().unwrap()).unwrap();
    assert_eq!(all["games"].as_array().unwrap().len(), 120);
    for path in ["", "run", "games/x.json", "../run.toml", "games/-1.json"] {
        assert_eq!(view.answer(path), None, "{path}");
    }
}

#[test]
fn failures_warnings_and_withdrawn_players_are_listed() {
    let lab = Lab::new("failures", "variant = \"renju\"");
    let end = GameEnd { kind: EndKind::Crash, text: "exited with 1".to_owned() };
    let warnings = vec![Warning { player: 1, what: "no score".to_owned(), line: String::new() }];
    let failed = GameRecord { end, warnings, ..record(0, GameScore::First) };
    let void = JournalRecord::Void { id: 1, attempt: 0, why: "the machine was late".to_owned() };
    let withdrawn = JournalRecord::Withdrawn { player: 1, why: "failed in a game".to_owned() };
    lab.append(&[head(), JournalRecord::Game(Box::new(failed)), void, withdrawn]);
    let state = json(&mut lab.open().unwrap(), "run.json");
    let failures = json!([
        { "game": 1, "player": 1, "text": "exited with 1" },
        { "game": 2, "text": "the machine was late" },
        { "player": 1, "text": "failed in a game", "withdrawn": true },
    ]);
    assert_eq!(state["failures"], failures);
    assert_eq!(state["warnings"], json!([{ "player": 1, "what": "no score", "count": 1 }]));
    assert_eq!(state["standings"][1]["withdrawn"], "failed in a game");
}

#[test]
fn a_journal_that_cannot_be_shown_says_why() {
    let lab = Lab::new("faults", "variant = \"renju\"");
    assert!(lab.fault().contains("No such file"), "{}", lab.fault());
    fs::write(lab.folder.join(FILE), "").unwrap();
    assert!(lab.fault().contains("the journal is empty"));
    fs::write(lab.folder.join(FILE), "{}\n{}\n").unwrap();
    assert!(lab.fault().contains("the journal is damaged"), "{}", lab.fault());
    let journal = |records: &[JournalRecord]| {
        fs::remove_file(lab.folder.join(FILE)).unwrap();
        lab.append(records);
        lab.fault()
    };
    assert!(journal(&[game(0, GameScore::Draw)]).contains("does not begin with its head"));
    let JournalRecord::Head(own) = head() else { unreachable!() };
    let newer = JournalRecord::Head(RunHead { version: 2, ..own.clone() });
    assert!(journal(&[newer]).contains("has version 2; this program reads 1"));
    let other = JournalRecord::Head(RunHead { players: vec!["A".to_owned()], ..own });
    assert!(journal(&[other]).contains("the journal has 1 players, run.toml has 2 engines"));
    let stranger = GameRecord { players: [0, 9], ..record(0, GameScore::Draw) };
    assert!(journal(&[head(), JournalRecord::Game(Box::new(stranger))]).contains("names a player"));
    fs::remove_file(lab.folder.join(FILE)).unwrap();
    lab.append(&[head()]);
    let mut view = lab.open().unwrap();
    fs::write(lab.folder.join(FILE), "").unwrap();
    let said = json(&mut view, "run.json");
    assert!(said["error"].as_str().unwrap().contains("the journal is empty"), "{said}");
    // A purge writes the journal anew.
    lab.append(&[head(), game(0, GameScore::Draw)]);
    let mut view = lab.open().unwrap();
    let path = lab.folder.join(FILE);
    fs::rename(&path, lab.folder.join("old")).unwrap();
    lab.append(&[head(), game(1, GameScore::Draw), game(2, GameScore::Draw)]);
    let said = json(&mut view, "run.json");
    assert_eq!((&said["games"], &said["edition"]), (&json!(2), &json!(1)), "{said}");
    assert_eq!(json(&mut view, "games/0.json")[0]["id"], 2);
}

#[test]
fn links_hold_the_board_and_the_position_before_the_first_move() {
    let link = |variant: &str, options: &[(&'static str, i64)], start: Option<&str>| {
        let spec = CATALOG.describe(variant, &options.iter().copied().collect()).unwrap();
        super::game::link(&spec, start, &["d1".to_owned()]).unwrap()
    };
    assert_eq!(link("cfour", &[], None), "v=cfour&s=7x6&m=d1");
    assert_eq!(link("caro", &[], None), "v=caro&s=15x15&m=d1");
    assert_eq!(
        link("custom", &[("Gravity", 0), ("Overline", 0)], None),
        "v=custom&s=7x6&k=4&g=0&o=0&m=d1"
    );
    let grid = CATALOG.describe("tictactoe", &Default::default()).unwrap().grid.unwrap();
    let stone = |point: tengen_engine::Point| match point.to_string().as_str() {
        "b2" => Some(Side::First),
        "a1" => Some(Side::Second),
        _ => None,
    };
    let start = grid.write_position(stone, Side::Second, false);
    let expected = "v=tictactoe&s=3x3&b=b2&w=a1&t=2&m=d1";
    assert_eq!(link("tictactoe", &[], Some(&start)), expected);
}

#[test]
fn the_line_of_a_long_test_stays_short() {
    let mut points = Vec::new();
    for pair in 1..=100_000_u64 {
        points.push((pair, 0.0));
        thin(&mut points);
        assert_eq!(points.last(), Some(&(pair, 0.0)));
    }
    assert!((MAX_POINTS / 2..=MAX_POINTS).contains(&points.len()));
}

#[test]
fn the_games_of_another_process_are_shown_while_it_plays() {
    let lab = Lab::new("running", "variant = \"renju\"");
    lab.append(&[head()]);
    let mut view = lab.open().unwrap();
    let mut running = move || {
        let state: Value = serde_json::from_str(&view.answer("run.json").unwrap()).unwrap();
        state["running"].clone()
    };
    assert_eq!(running(), Value::Null);
    let moves = vec!["h8".to_owned(), "i9".to_owned()];
    let now = GameView { game: Some(3), players: [1, 0], moves, ..GameView::default() };
    let mut games = RunningGames::new(&lab.folder);
    games.show(&[now, GameView::default()]);
    assert_eq!(running()[0]["link"], "v=renju&s=15x15&m=h8i9");
    assert_eq!(running()[0]["id"], 4);
    assert_eq!(running().as_array().unwrap().len(), 1);
    let file = fs::File::options().write(true).open(lab.folder.join("running.json")).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(60)).unwrap();
    assert_eq!(running(), Value::Null, "a run that was killed plays nothing");
    drop(games);
    assert!(!lab.folder.join("running.json").exists());
}
