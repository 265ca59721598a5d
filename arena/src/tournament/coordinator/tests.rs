//! Runs of invented games: schedules, sequential tests, failures, kills at any moment.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use tengen_engine::Chosen;
use tengen_engine::backend::Catalog;
use tengen_games::CATALOG;
use tengen_runs::journal::{self, Entry};
use tengen_runs::{Event, Transport, Watcher, drive};

use super::*;
use crate::command::Status;
use crate::config::given::read_words;
use crate::output::Caption;
use crate::record::{GameEnd, GameScore};

/// A transport that invents results. They come back in random order.
struct FakeTransport {
    capacity: usize,
    open: Vec<Task<Plan>>,
    random: fastrand::Rng,
    score: fn(&Plan) -> GameScore,
    end: fn(&Plan) -> EndKind,
    /// The number of results before an interruption.
    left: usize,
}

impl FakeTransport {
    fn new(capacity: usize, seed: u64) -> Self {
        let random = fastrand::Rng::with_seed(seed);
        Self {
            capacity,
            open: Vec::new(),
            random,
            score: smaller_number_wins,
            end: |_| EndKind::Line,
            left: usize::MAX,
        }
    }
}

/// The player with the smaller number wins two of three games.
fn smaller_number_wins(plan: &Plan) -> GameScore {
    let Fixture { id, players, .. } = plan.fixture;
    let better = usize::from(players[1] < players[0]);
    // Depends on the number of the game alone.
    let mixed = (id ^ 0x5bd1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    match mixed % 6 {
        0 => GameScore::Draw,
        1 => GameScore::won_by(1 - better),
        _ => GameScore::won_by(better),
    }
}

fn record(task: &Task<Plan>, score: GameScore, kind: EndKind) -> GameRecord {
    let plan = &task.work;
    GameRecord {
        attempt: task.attempt,
        round: plan.fixture.round,
        opening: plan.opening_number,
        moves: vec!["a1".into()],
        end: GameEnd { kind, text: kind.name().into() },
        started: "2026-11-23T00:00:00Z".into(),
        millis: 1,
        ..GameRecord::of_result(plan.fixture.id, plan.fixture.players, score, kind)
    }
}

impl Transport<Plan> for FakeTransport {
    fn capacity(&self) -> usize {
        self.capacity
    }

    fn submit(&mut self, task: Task<Plan>) {
        self.open.push(task);
        assert!(self.open.len() <= self.capacity);
    }

    fn next_event(&mut self, _: Option<Instant>) -> Option<Event<Plan>> {
        if self.left == 0 {
            self.left = usize::MAX;
            return Some(Event::Interrupted);
        }
        self.left -= 1;
        let index = self.random.usize(..self.open.len());
        let task = self.open.swap_remove(index);
        let game = record(&task, (self.score)(&task.work), (self.end)(&task.work));
        Some(Event::Finished(task, Outcome::Finished(Box::new(game))))
    }

    fn stop(&mut self) {
        self.open.clear();
    }
}

#[derive(Default)]
struct RecordingWatcher {
    notes: Vec<String>,
    finished: Vec<u64>,
}

impl Watcher<Coordinator> for RecordingWatcher {
    fn saved(&mut self, _: &Coordinator, record: &GameRecord) {
        self.finished.push(record.id);
    }

    fn note(&mut self, text: &str) {
        self.notes.push(text.to_owned());
    }
}

/// A run in a temporary folder.
struct TestRun {
    folder: PathBuf,
    config: Config,
}

impl TestRun {
    fn new(name: &str, line: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("tengen-run-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let config = Config::read(&read_words(&words).unwrap().1, &CATALOG).unwrap();
        Self { folder, config }
    }

    /// Continues the run. Returns its end, the watcher and the counts of the sequential test.
    fn go(&self, transport: &mut FakeTransport) -> (Status, RecordingWatcher, Vec<u64>) {
        let names: Vec<String> =
            self.config.engines.iter().map(crate::config::EngineConfig::label).collect();
        let spec = CATALOG.describe("tictactoe", &Chosen::new()).unwrap();
        let caption = Caption {
            times: vec!["1 s/move".to_owned(); names.len()],
            names: names.clone(),
            variant: spec.variant.to_owned(),
            grid: spec.grid,
            event: "test".to_owned(),
            site: String::new(),
        };
        let (journal, records) = Journal::open(&self.folder).unwrap();
        let games: Vec<&GameRecord> = records.iter().filter_map(JournalRecord::game).collect();
        let files = Files::open(&self.config.outputs, &self.folder, caption, &games).unwrap();
        let board = CATALOG.position(&spec);
        let mut coordinator = Coordinator::new(
            self.config.clone(),
            &names,
            OpeningOrder::none(),
            board,
            journal,
            files,
            &records,
        );
        let mut watcher = RecordingWatcher::default();
        let end = drive(&mut coordinator, transport, &mut watcher).unwrap();
        let test = coordinator.state().test.as_ref();
        (
            Status::of(end, test, false),
            watcher,
            test.map_or(Vec::new(), |test| test.counts.to_vec()),
        )
    }

    fn records(&self) -> Vec<JournalRecord> {
        journal::read_folder(&self.folder).unwrap()
    }

    fn games(&self) -> Vec<GameRecord> {
        let games = self.records().into_iter().filter_map(|record| match record {
            JournalRecord::Game(game) => Some(*game),
            _ => None,
        });
        let mut games: Vec<GameRecord> = games.collect();
        games.sort_by_key(|game| game.id);
        games
    }

    fn file(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).unwrap()
    }
}

impl Drop for TestRun {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

const THREE: &str = "-engine cmd=a -engine cmd=b -engine cmd=c -each st=1 -variant tictactoe";
const TWO: &str = "-engine cmd=a -engine cmd=b -each st=1 -variant tictactoe";

#[test]
fn every_game_of_every_kind_of_tournament_is_played_once() {
    for (name, kind, games) in [
        ("rr", "-rounds 4 -games 6", 3 * 6 * 4),
        ("gauntlet", "-tournament gauntlet -rounds 5", 2 * 2 * 5),
        ("swiss", "-tournament swiss -rounds 2 -games 4", 4 * 2),
        ("odd", "-rounds 3 -games 3", 3 * 3 * 3),
    ] {
        let run = TestRun::new(name, &format!("{THREE} {kind}"));
        let (ending, watcher, _) = run.go(&mut FakeTransport::new(5, 1));
        assert_eq!(ending, Status::Done);
        assert_eq!((run.games().len(), watcher.finished.len()), (games, games), "{kind}");
        let ids: HashSet<u64> = run.games().iter().map(|game| game.id).collect();
        assert_eq!(ids.len(), games);
        // A finished run plays nothing more.
        assert!(run.go(&mut FakeTransport::new(5, 1)).1.finished.is_empty());
    }
}

#[test]
fn pairings_are_journaled_before_the_games_of_their_round() {
    let run = TestRun::new("rounds", &format!("{THREE} -tournament knockout -games 4"));
    run.go(&mut FakeTransport::new(4, 3));
    let mut known = HashMap::new();
    for record in run.records() {
        match record {
            JournalRecord::Round(round) => {
                known.insert(round.number, round.pairings);
            }
            JournalRecord::Game(game) => {
                let mut players = game.players;
                players.sort_unstable();
                let pairings = &known[&game.round];
                assert!(pairings.iter().any(|pairing| {
                    let mut pairing = *pairing;
                    pairing.sort_unstable();
                    pairing == players
                }));
            }
            _ => {}
        }
    }
    assert!(known.len() >= 2);
}

/// Cuts the files as a kill can: the journal anywhere in its last line, the others anywhere.
fn kill(run: &TestRun, random: &mut fastrand::Rng) {
    let journal = run.folder.join(journal::FILE);
    let bytes = fs::read(&journal).unwrap();
    let last_line =
        bytes[..bytes.len() - 1].iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    let cut = if random.bool() { bytes.len() } else { random.usize(last_line..bytes.len()) };
    fs::write(&journal, &bytes[..cut]).unwrap();
    for name in ["games.pgn", "games.csv", "games.jsonl", "games.sgf"] {
        let path = run.folder.join(name);
        let bytes = fs::read(&path).unwrap_or_default();
        let cut = random.usize(..=bytes.len());
        fs::write(&path, &bytes[..cut]).unwrap();
    }
}

#[test]
fn a_run_that_is_killed_anywhere_has_every_game_once() {
    let line = format!("{THREE} -rounds 10");
    let whole = TestRun::new("whole", &line);
    whole.go(&mut FakeTransport::new(1, 1));
    let mut random = fastrand::Rng::with_seed(11);
    let run = TestRun::new("killed", &line);
    for seed in 0..40 {
        let mut transport = FakeTransport::new(4, seed);
        transport.left = random.usize(1..4);
        run.go(&mut transport);
        kill(&run, &mut random);
    }
    run.go(&mut FakeTransport::new(3, 99));
    assert_eq!(run.games(), whole.games());
    // Each file has every game once, in the order of the journal.
    let order: Vec<u64> = run
        .records()
        .iter()
        .filter_map(|record| match record {
            JournalRecord::Game(game) => Some(game.id),
            _ => None,
        })
        .collect();
    let pgn = run.file("games.pgn");
    let in_pgn: Vec<u64> = pgn
        .lines()
        .filter_map(|line| line.strip_prefix("[GameId \"")?.strip_suffix("\"]")?.parse().ok())
        .collect();
    let csv = run.file("games.csv");
    let in_csv: Vec<u64> =
        csv.lines().skip(1).filter_map(|line| line.split(',').next()?.parse().ok()).collect();
    assert_eq!((in_pgn, in_csv), (order.clone(), order));
    assert_eq!(run.file("games.jsonl").lines().count(), 60);
}

#[test]
fn a_test_decides_equally_at_any_concurrency_and_after_any_kill() {
    let line = format!("{TWO} -sprt elo0=0 elo1=60 -rounds 2000");
    let alone = TestRun::new("alone", &line);
    let (ending, _, counts) = alone.go(&mut FakeTransport::new(1, 1));
    assert_eq!(ending, Status::Done);
    let decided: u64 = counts.iter().sum();
    let many = TestRun::new("many", &line);
    assert_eq!(many.go(&mut FakeTransport::new(8, 5)).0, ending);
    let stopped = TestRun::new("stopped", &line);
    for seed in 0..5 {
        let mut transport = FakeTransport::new(2, seed);
        transport.left = 1;
        assert_eq!(stopped.go(&mut transport).0, Status::Interrupted);
    }
    let (again, _, same) = stopped.go(&mut FakeTransport::new(8, 9));
    assert_eq!((again, &same), (ending, &counts));
    let up_to = |run: &TestRun| {
        let games: Vec<GameRecord> =
            run.games().into_iter().filter(|game| game.pair() < decided).collect();
        games
    };
    assert_eq!(up_to(&many), up_to(&alone));
    assert_eq!(up_to(&stopped), up_to(&alone));
    // Games that were running at the decision are finished.
    assert!(many.games().len() as u64 >= 2 * decided);
    let late: Vec<u64> =
        many.games().iter().filter(|game| game.is_late).map(GameRecord::pair).collect();
    assert!(!late.is_empty() && late.iter().all(|pair| *pair >= decided), "{late:?}");
    let json = serde_json::to_value(many.games().iter().find(|game| game.is_late)).unwrap();
    assert_eq!(json["counted"], false);
    // Later pairs that ended before the decision do not count either.
    for run in [&alone, &many, &stopped] {
        let names = ["a", "b"].map(str::to_owned);
        let (tally, _) = TestProgress::of(&run.config, &names, &run.records());
        assert_eq!((tally.games(), tally.players[0].pairs.to_vec()), (2 * decided, counts.clone()));
    }
}

#[test]
fn a_test_without_a_decision_says_so() {
    let run = TestRun::new("undecided", &format!("{TWO} -sprt elo0=0 elo1=1 -rounds 3"));
    assert_eq!(run.go(&mut FakeTransport::new(2, 1)).0, Status::NoDecision);
    assert_eq!(run.games().len(), 6);
}

#[test]
fn failures_in_a_row_end_the_tournament() {
    let run = TestRun::new("failures", &format!("{TWO} -rounds 50 -max-failures 3"));
    let mut transport = FakeTransport::new(1, 1);
    transport.score = |plan| GameScore::won_by(usize::from(plan.fixture.players[1] == 0));
    transport.end = |_| EndKind::Crash;
    let (ending, watcher, _) = run.go(&mut transport);
    assert_eq!((ending, run.games().len()), (Status::Failures, 3));
    let note = &watcher.notes[0];
    assert!(note.contains("b failed in 3 games in a row: the tournament ends"), "{note}");
    assert!(note.contains("-max-failures N") && note.contains("-readmit \"b\""), "{note}");
    let mut last = None;
    drop(Journal::<JournalRecord>::open_with(&run.folder, |entry| last = Some(entry)).unwrap());
    assert!(matches!(last, Some(Entry::Note(RunNote::Stop { .. }))), "{last:?}");
    // A continued run does not repeat the failures.
    assert_eq!(run.go(&mut transport).0, Status::Failures);
    assert_eq!(run.games().len(), 3);
    let run = TestRun::new("no-recovery", &format!("{TWO} -rounds 50 -recover off"));
    let mut transport = FakeTransport::new(1, 1);
    transport.end = |plan| if plan.fixture.id == 4 { EndKind::Stall } else { EndKind::Line };
    transport.score = |_| GameScore::First;
    assert_eq!(run.go(&mut transport).0, Status::Failures);
    assert_eq!(run.games().len(), 5);
}

/// Player 2 crashes in every game.
fn player_2_crashes(capacity: usize) -> FakeTransport {
    let mut transport = FakeTransport::new(capacity, 1);
    transport.score = |plan| match plan.fixture.players.iter().position(|player| *player == 2) {
        Some(side) => GameScore::won_by(1 - side),
        None => smaller_number_wins(plan),
    };
    transport.end = |plan| match plan.fixture.players.contains(&2) {
        true => EndKind::Crash,
        false => EndKind::Line,
    };
    transport
}

/// Returns the games that are forfeited, with their winners.
fn forfeits(run: &TestRun) -> Vec<(u64, Option<usize>)> {
    let forfeits = run.records().into_iter().filter_map(|record| match record {
        JournalRecord::Forfeit(forfeit) => Some((forfeit.id, forfeit.winner)),
        _ => None,
    });
    forfeits.collect()
}

#[test]
fn a_broken_engine_is_withdrawn_and_the_others_play_on() {
    let four = format!("-engine cmd=d {THREE}");
    for (name, kind, games) in [
        ("out-rr", "-rounds 6", 4 * 3 / 2 * 2 * 6),
        ("out-gauntlet", "-tournament gauntlet -rounds 6", 3 * 2 * 6),
        ("out-swiss", "-tournament swiss -rounds 7 -games 4", 0),
        ("out-knockout", "-tournament knockout -games 8", 0),
    ] {
        let run = TestRun::new(name, &format!("{four} {kind} -max-failures 3"));
        let (_, watcher, _) = run.go(&mut player_2_crashes(1));
        let failed = run.games().iter().filter(|game| game.end.kind == EndKind::Crash).count();
        assert_eq!(failed, 3, "{name}");
        let said = &watcher.notes[0];
        assert!(said.contains("b failed in 3 games in a row: it is withdrawn"), "{said}");
        let given = forfeits(&run);
        assert!(given.iter().all(|(_, winner)| winner.is_some_and(|winner| winner != 2)));
        if games > 0 {
            assert_eq!(run.games().len() + given.len(), games, "{name}");
        }
        // A continued run plays nothing more, and forfeits nothing twice.
        assert!(run.go(&mut FakeTransport::new(2, 1)).1.finished.is_empty(), "{name}");
        assert_eq!(forfeits(&run), given);
    }
}

#[test]
fn a_readmitted_engine_plays_its_forfeited_games() {
    let run = TestRun::new("readmitted", &format!("{THREE} -rounds 4 -max-failures 2"));
    run.go(&mut player_2_crashes(1));
    let (played, given) = (run.games().len(), forfeits(&run).len());
    assert_eq!(played + given, 24);
    let (mut journal, _) = Journal::<JournalRecord>::open(&run.folder).unwrap();
    journal.append(&[JournalRecord::Readmitted { player: 2 }]).unwrap();
    drop(journal);
    let (ending, ..) = run.go(&mut FakeTransport::new(3, 1));
    assert_eq!((ending, run.games().len()), (Status::Done, 24));
    let tally = Tally::of(&["a", "b", "c"].map(str::to_owned), &run.records());
    assert!(tally.forfeits.is_empty() && tally.withdrawn.is_empty());
}

#[test]
fn without_a_limit_no_engine_is_withdrawn() {
    let run = TestRun::new("unlimited", &format!("{THREE} -rounds 4 -max-failures 0"));
    assert_eq!(run.go(&mut player_2_crashes(2)).0, Status::Done);
    assert_eq!((run.games().len(), forfeits(&run).len()), (24, 0));
}

/// A transport whose first games are void.
struct VoidTransport {
    games: FakeTransport,
    voids: usize,
}

impl Transport<Plan> for VoidTransport {
    fn capacity(&self) -> usize {
        1
    }

    fn submit(&mut self, task: Task<Plan>) {
        self.games.submit(task);
    }

    fn next_event(&mut self, until: Option<Instant>) -> Option<Event<Plan>> {
        if self.voids == 0 {
            return self.games.next_event(until);
        }
        self.voids -= 1;
        let task = self.games.open.remove(0);
        Some(Event::Finished(task, Outcome::Failed("both failed".into())))
    }

    fn stop(&mut self) {}
}

#[test]
fn void_games_are_played_again_three_times_at_most() {
    for (voids, ending, games) in [(2, End::Done, 4), (3, End::Done, 3)] {
        let run = TestRun::new(&format!("void{voids}"), &format!("{TWO} -rounds 2"));
        let config = &run.config;
        let (journal, _) = Journal::open(&run.folder).unwrap();
        let spec = CATALOG.describe("tictactoe", &Chosen::new()).unwrap();
        let names = ["a".to_owned(), "b".to_owned()];
        let caption = Caption {
            names: names.to_vec(),
            times: names.to_vec(),
            variant: String::new(),
            grid: spec.grid,
            event: String::new(),
            site: String::new(),
        };
        let files = Files::open(&config.outputs, &run.folder, caption, &[]).unwrap();
        let board = CATALOG.position(&spec);
        let mut coordinator = Coordinator::new(
            config.clone(),
            &names,
            OpeningOrder::none(),
            board,
            journal,
            files,
            &[],
        );
        let mut transport = VoidTransport { games: FakeTransport::new(1, 1), voids };
        let mut watcher = RecordingWatcher::default();
        let found = drive(&mut coordinator, &mut transport, &mut watcher).unwrap();
        assert_eq!((found, run.games().len()), (ending, games));
        if voids == 2 {
            assert_eq!(run.games()[0].attempt, 2);
        } else {
            assert_eq!(forfeits(&run), [(0, None)]);
            assert!(watcher.notes.iter().any(|note| note.ends_with("3 times: it is left out")));
        }
    }
}
