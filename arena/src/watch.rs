//! [`RunView`]: what a page shows of a run, in JSON. It is made from the journal, which another process may
//! write, and from the file of the games that are played now.
//!
//! A view keeps sums, and the place of each game in the journal. It reads a game again when a page asks
//! for it.

mod game;
mod running;

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tengen_engine::GameSpec;
use tengen_runs::Error;
use tengen_runs::journal::{Tail, read_each};

use crate::config::Config;
use crate::game::GameView;
use crate::output::standings::standings;
use crate::output::table::ratings;
use crate::record::{EndKind, GameRecord, JournalRecord, RunHead};
use crate::schedule::Schedule;
use crate::stats::sprt::Hypothesis;
use crate::tally::{PlayerTally, Tally, TestProgress};

pub use self::running::RunningGames;

/// What a page shows of a run.
pub struct RunView {
    title: String,
    config: Config,
    spec: GameSpec,
    tail: Tail<JournalRecord>,
    folder: PathBuf,
    /// The first record; `None` before it is read.
    head: Option<RunHead>,
    tally: Tally,
    test: Option<TestProgress>,
    /// Counted pairs and log-likelihood ratio, in the order of time.
    llr: Vec<(u64, f64)>,
    /// The places of the finished games in the journal, in its order.
    games: Vec<Range<u64>>,
    failures: VecDeque<Value>,
    workers: BTreeMap<String, Worker>,
    /// When the last games ended, in seconds since 1970.
    ends: VecDeque<f64>,
    /// How often the journal was written anew.
    edition: u64,
}

/// What a worker has done.
#[derive(Default)]
struct Worker {
    games: u64,
    millis: u64,
    nodes: u64,
    /// The time of the moves that have a number of nodes.
    micros: u64,
    /// The end of its last game, in seconds since 1970.
    last: f64,
}

/// The largest number of points of the line of the test. More points would not be seen.
const MAX_POINTS: usize = 400;
/// The largest number of failures that are shown.
const MAX_FAILURES: usize = 100;
/// The number of games from whose ends the time left is estimated.
const RECENT: usize = 50;
/// The number of games in one answer.
const GAMES_IN_ANSWER: usize = 100;

impl RunView {
    /// Creates the view of the run in `folder`. Fails if the journal is empty, damaged or of another version.
    pub fn open(
        folder: &Path,
        title: String,
        config: Config,
        spec: GameSpec,
    ) -> Result<Self, Error> {
        let mut view = Self {
            title,
            spec,
            tail: Tail::new(folder),
            folder: folder.to_owned(),
            head: None,
            tally: Tally::default(),
            test: config.sprt.map(|test| TestProgress::new(test.into(), config.proof.is_some())),
            config,
            llr: Vec::new(),
            games: Vec::new(),
            failures: VecDeque::new(),
            workers: BTreeMap::new(),
            ends: VecDeque::new(),
            edition: 0,
        };
        view.update()?;
        match view.head {
            Some(_) => Ok(view),
            None => Err(Error::OtherRun(format!("{}: the journal is empty", folder.display()))),
        }
    }

    /// Answers a page. `run.json` is the state of the run, `games/N.json` are the finished games from
    /// number N of the journal on. Returns `None` for any other path.
    pub fn answer(&mut self, path: &str) -> Option<String> {
        let path = path.strip_suffix(".json")?;
        let state = match path.strip_prefix("games/") {
            None if path != "run" => return None,
            None => self.update().map(|()| self.state()),
            Some(from) => {
                let from: usize = from.parse().ok()?;
                self.games(from..from.saturating_add(GAMES_IN_ANSWER)).map(Value::from)
            }
        };
        Some(state.unwrap_or_else(|error| json!({ "error": error.to_string() })).to_string())
    }

    /// Returns the state of the run with all its games, for a page that cannot ask.
    pub fn export(&self) -> Result<String, Error> {
        let games = self.games(0..self.games.len())?;
        Ok(json!({ "run": self.state(), "games": games }).to_string())
    }

    /// Reads what is new in the journal; all of it, if another process has written it anew.
    pub fn update(&mut self) -> Result<(), Error> {
        let read = self.read_new();
        if !matches!(read, Err(Error::Replaced(_))) {
            return read;
        }
        let (title, config, spec) = (self.title.clone(), self.config.clone(), self.spec.clone());
        let edition = self.edition + 1;
        *self = Self { edition, ..Self::open(&self.folder, title, config, spec)? };
        Ok(())
    }

    fn read_new(&mut self) -> Result<(), Error> {
        let (mut tail, mut fault) =
            (std::mem::replace(&mut self.tail, Tail::new(&self.folder)), None);
        let read = tail.read_new(|record, bytes| {
            if fault.is_none() {
                fault = self.add(record, bytes).err();
            }
        });
        self.tail = tail;
        fault.map_or(read, Err)
    }

    fn add(&mut self, record: JournalRecord, bytes: Range<u64>) -> Result<(), Error> {
        let fault = |why: &str| Error::OtherRun(format!("{}: {why}", self.folder.display()));
        match (&self.head, record) {
            (_, JournalRecord::Head(head)) => {
                if head.version != RunHead::VERSION {
                    let (found, own) = (head.version, RunHead::VERSION);
                    let why = format!("the journal has version {found}; this program reads {own}");
                    return Err(fault(&why));
                }
                if head.players.len() != self.config.engines.len() {
                    let (found, own) = (head.players.len(), self.config.engines.len());
                    let why =
                        format!("the journal has {found} players, run.toml has {own} engines");
                    return Err(fault(&why));
                }
                self.tally = Tally::new(&head.players);
                self.head = Some(head);
            }
            (None, _) => return Err(fault("the journal does not begin with its head")),
            (Some(head), record) => {
                if !has_known_players(&record, head.players.len()) {
                    return Err(fault(
                        "a record of the journal names a player that the run does not have",
                    ));
                }
                self.add_record(&record, bytes)?;
            }
        }
        Ok(())
    }

    fn add_record(&mut self, record: &JournalRecord, bytes: Range<u64>) -> Result<(), Error> {
        match record {
            JournalRecord::Game(game) => return self.add_game(game, bytes),
            JournalRecord::Void { id, why, .. } => {
                self.add_failure(json!({ "game": id.saturating_add(1), "text": why }));
            }
            JournalRecord::Withdrawn { player, why } => {
                self.add_failure(json!({ "player": player, "text": why, "withdrawn": true }));
            }
            _ => {}
        }
        self.tally.add_record(record);
        Ok(())
    }

    fn add_game(&mut self, game: &GameRecord, bytes: Range<u64>) -> Result<(), Error> {
        self.games.push(bytes);
        self.add_work(game);
        if game.end.kind.is_failure() || game.end.kind == EndKind::Time {
            let loser = game.score.winner().map(|winner| game.players[1 - winner]);
            self.add_failure(json!({ "game": game.id.saturating_add(1), "player": loser, "text": game.end.text }));
        }
        // After the decision of a test, later pairs do not count.
        let decision = self.test.as_ref().and_then(|test| test.decision);
        if game.is_late || decision.is_some_and(|(_, last)| game.pair() > last) {
            return Ok(());
        }
        self.tally.add(game);
        let Some(test) = self.test.as_mut().filter(|test| test.decision.is_none()) else {
            return Ok(());
        };
        let before = test.next_pair;
        test.advance(&self.tally);
        if test.next_pair > before {
            self.llr.push((test.next_pair, test.llr));
            thin(&mut self.llr);
        }
        // Later pairs that were counted before do not count after the decision.
        let Some((_, last)) = test.decision else { return Ok(()) };
        let names: Vec<String> = self.head.iter().flat_map(|head| head.players.clone()).collect();
        let mut counted = Tally::new(&names);
        read_each(&self.folder, |record: JournalRecord| {
            if record.game().is_none_or(|game| game.pair() <= last) {
                counted.add_record(&record);
            }
        })?;
        self.tally = counted;
        Ok(())
    }

    /// Adds what a game says about its worker.
    fn add_work(&mut self, game: &GameRecord) {
        let worker = self.workers.entry(game.worker.clone()).or_default();
        worker.games += 1;
        worker.millis += game.millis;
        for note in &game.notes {
            let Some(nodes) = note.said.nodes else { continue };
            worker.nodes += nodes;
            worker.micros += note.micros;
        }
        if let Ok(started) = humantime::parse_rfc3339(&game.started) {
            let end = seconds(started + Duration::from_millis(game.millis));
            worker.last = worker.last.max(end);
            push(&mut self.ends, end, RECENT);
        }
    }

    fn add_failure(&mut self, failure: Value) {
        push(&mut self.failures, failure, MAX_FAILURES);
    }

    /// Returns the finished games of a range of the journal.
    fn games(&self, range: Range<usize>) -> Result<Vec<Value>, Error> {
        let range = range.start.min(self.games.len())..range.end.min(self.games.len());
        let read = |bytes| Ok(game::finished(self.tail.record_at(bytes)?.game(), &self.spec));
        self.games[range].iter().map(read).collect()
    }

    fn state(&self) -> Value {
        let head = self.head.as_ref();
        let all = Schedule(&self.config).least_games(&self.tally.rounds);
        let done = self.tally.games() + self.tally.forfeits.len() as u64;
        let has_decision = self.test.as_ref().is_some_and(|test| test.decision.is_some());
        let is_over = has_decision || done >= all;
        json!({
            "title": self.title,
            "variant": self.spec.variant,
            "rules": self.spec.rules,
            "started": head.map(|head| &head.started),
            "program": head.map(|head| &head.program),
            "players": head.map(|head| &head.players),
            "standings": self.standings(),
            "crosstable": self.crosstable(),
            "test": self.test.as_ref().map(|test| self.test(test)),
            "games": self.games.len(),
            "edition": self.edition,
            "done": done,
            "all": all,
            "may_grow": Schedule(&self.config).games().is_none(),
            "over": is_over,
            "left_seconds": self.seconds_left(all.saturating_sub(done)).filter(|_| !is_over),
            "now": seconds(SystemTime::now()),
            "running": running::read(&self.folder).map(|games| self.running(&games)),
            "workers": self.workers(),
            "failures": self.failures,
            "warnings": self.warnings(),
        })
    }

    /// Returns the players by their places. Elo and its error are `null` if the games do not tell them.
    fn standings(&self) -> Vec<Value> {
        let has_games = self.tally.games() > 0;
        let rated = has_games.then(|| ratings(&self.tally, self.config.advantage, 0, 0));
        let rows = standings(&self.tally, &self.config).into_iter().map(|standing| {
            let (player, wdl) = (standing.player, standing.wdl);
            json!({
                "player": player,
                "points": standing.points,
                "games": wdl.games(),
                "wdl": [wdl.wins, wdl.draws, wdl.losses],
                "unplayed": standing.unplayed,
                "elo": rated.as_ref().map(|rated| rated.elo[player]),
                "error": rated.as_ref().and_then(|rated| rated.error_of(player)),
                "withdrawn": self.tally.withdrawn.get(&player),
            })
        });
        rows.collect()
    }

    /// Returns wins, draws and losses of each player against each other.
    fn crosstable(&self) -> Vec<Vec<[u64; 3]>> {
        let rows = self.tally.met.iter();
        rows.map(|row| row.iter().map(|met| [met.wins, met.draws, met.losses]).collect()).collect()
    }

    fn test(&self, progress: &TestProgress) -> Value {
        let decision = progress.decision.map(|(decision, _)| match decision {
            Hypothesis::H0 => "H0",
            Hypothesis::H1 => "H1",
        });
        json!({
            "elo": progress.test.elo,
            "model": progress.test.model.name(),
            "llr": progress.llr,
            "bounds": progress.test.bounds(),
            "pairs": progress.next_pair,
            "counts": progress.counts,
            "decision": decision,
            "points": self.llr,
        })
    }

    /// Returns the seconds that `games` games probably take, from the ends of the last ones; `None` after
    /// fewer than two games. A sequential test can end sooner: it has what its ratio says.
    fn seconds_left(&self, games: u64) -> Option<f64> {
        let (first, last) = (self.ends.front()?, self.ends.back()?);
        let games = match &self.test {
            Some(test) => test.games_left()?.min(games),
            None => games,
        };
        (self.ends.len() > 1)
            .then(|| (last - first).max(0.0) / (self.ends.len() - 1) as f64 * games as f64)
    }

    fn running(&self, games: &[GameView]) -> Vec<Value> {
        games.iter().filter_map(|view| game::running(view, &self.spec)).collect()
    }

    fn workers(&self) -> Vec<Value> {
        let workers = self.workers.iter().map(|(name, worker)| {
            let nps = (worker.micros > 0).then(|| worker.nodes as f64 / worker.micros as f64 * 1e6);
            json!({
                "name": name,
                "games": worker.games,
                "game_seconds": worker.millis as f64 / 1000.0 / worker.games.max(1) as f64,
                "nps": nps,
                "last": worker.last,
            })
        });
        workers.collect()
    }

    fn warnings(&self) -> Vec<Value> {
        let players = self.tally.players.iter().enumerate();
        let of_player = |(player, tally): (usize, &PlayerTally)| {
            let all = tally.stats.warnings.iter();
            let rows =
                all.map(|(what, count)| json!({ "player": player, "what": what, "count": count }));
            rows.collect::<Vec<_>>()
        };
        players.flat_map(of_player).collect()
    }
}

/// Returns whether all players that a record names exist.
fn has_known_players(record: &JournalRecord, players: usize) -> bool {
    let is_known = |player: &usize| *player < players;
    match record {
        JournalRecord::Game(game) => {
            let warned = game.warnings.iter().map(|warning| warning.player);
            warned.chain(game.players).all(|player| is_known(&player))
        }
        JournalRecord::Round(round) => {
            round.pairings.iter().flatten().chain(&round.byes).all(is_known)
        }
        JournalRecord::Forfeit(forfeit) => forfeit.players.iter().all(is_known),
        JournalRecord::Withdrawn { player, .. } | JournalRecord::Readmitted { player } => {
            is_known(player)
        }
        _ => true,
    }
}

/// Leaves out every second point if there are too many. The last point stays.
fn thin(points: &mut Vec<(u64, f64)>) {
    if points.len() <= MAX_POINTS {
        return;
    }
    let mut place = points.len();
    points.retain(|_| {
        place -= 1;
        place.is_multiple_of(2)
    });
}

/// Adds to a list of the last `most` items.
fn push<T>(list: &mut VecDeque<T>, item: T, most: usize) {
    if list.len() == most {
        list.pop_front();
    }
    list.push_back(item);
}

fn seconds(time: SystemTime) -> f64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

#[cfg(test)]
mod tests;
