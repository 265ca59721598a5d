//! [`import`]: adds the games of files to a shelf.
//!
//! A thread opens the files in the order of their names and cuts large ones between games. Worker
//! threads read the games and play them by the rules. This thread writes them in the order of the
//! files, so that an import that was killed and continued gives the same shelf. Each transaction
//! holds its games and how far their files are done.

mod chunks;
mod files;
mod jobs;
mod rif;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use rusqlite::params;
use tengen_engine::GridNotation;
use tengen_engine::backend::Catalog;
use tengen_records::{Fault, Format, Place, ReadOptions, Record, TextEncoding};

use self::jobs::{Content, FileInfo, Job, Part, send_jobs};
use crate::Error;
use crate::add::{Added, Adder};
use crate::game::{Judged, Marks};
use crate::judge::{GameChoice, Judge};
use crate::replace::{KnownNames, Replaced};
use crate::ruleset::{Ruleset, read_ruleset};
use crate::store::Shelf;
use crate::yxdb::Entry;

/// The jobs that wait for a worker, for each worker.
const JOBS: usize = 2;
/// The most games of a transaction, and its longest time.
const GAMES: usize = 100_000;
const PERIOD: Duration = Duration::from_secs(10);

/// How files are imported.
pub struct ImportOptions<'a> {
    /// Returns the game of a record; see [`Record::spec`].
    pub game: &'a GameChoice<'a>,
    /// What the user said about the games, to tell imports of a file apart: the id of a game, or nothing.
    pub choice: String,
    /// The board of lists of moves; `None` if the user did not say.
    pub notation: Option<GridNotation>,
    /// The encoding of all files, whatever they say; `None` if the user did not say.
    pub encoding: Option<TextEncoding>,
    /// Whether a file takes the place of what an earlier import of a file with its name added.
    pub replaces: bool,
    /// The number of threads that read games, at least 1.
    pub threads: usize,
}

impl<'a> ImportOptions<'a> {
    /// Creates options that read games with two threads.
    pub fn new(game: &'a GameChoice<'a>) -> Self {
        let (notation, encoding, replaces) = (None, None, false);
        Self { game, choice: String::new(), notation, encoding, replaces, threads: 2 }
    }
}

/// Shows the progress of an import to the user.
pub trait ImportWatcher {
    /// Shows a file or a game that cannot be read.
    fn problem(&mut self, text: &str);

    /// Called when games are stored. `false` ends the import.
    fn stored(&mut self, games: u64) -> bool;

    /// Called when games are indexed. `false` ends the import.
    fn indexed(&mut self, games: u64) -> bool;
}

/// Shows nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Silent;

impl ImportWatcher for Silent {
    fn problem(&mut self, _: &str) {}

    fn stored(&mut self, _: u64) -> bool {
        true
    }

    fn indexed(&mut self, _: u64) -> bool {
        true
    }
}

/// What an import did.
#[derive(Clone, Default, Debug)]
#[non_exhaustive]
pub struct ImportReport {
    /// The number of files that were read.
    pub files: u64,
    /// The number of files whose games were in the shelf already.
    pub known_files: u64,
    /// The number of files that cannot be read.
    pub bad_files: u64,
    /// The number of new games.
    pub new: u64,
    /// The number of games that the shelf had, whose headers are merged.
    pub merged: u64,
    /// The number of trees without a game.
    pub trees: u64,
    /// The number of positions of databases.
    pub positions: u64,
    /// The number of games and positions that cannot be read.
    pub bad: u64,
    /// The numbers of new games with each of [`Marks::NAMED`].
    pub marked: [u64; Marks::NAMED.len()],
    /// What became of the games of files that were replaced.
    pub replaced: Replaced,
    /// Warnings about the files, the numbers of games with each, and the first file.
    pub warnings: BTreeMap<String, (u64, String)>,
}

/// The games of a part.
struct Read {
    file: Arc<FileInfo>,
    /// The games, and the texts of the errors of those that cannot be read.
    games: Vec<Result<Judged, String>>,
    positions: Vec<Entry>,
    warnings: Vec<String>,
    /// Why the file cannot be read at all.
    failure: Option<String>,
    is_last: bool,
}

struct Done {
    number: usize,
    parts: Vec<Read>,
}

/// How far a file is done: its id, the number of its games, whether all of them are stored.
type Progress = HashMap<i64, (i64, i64, bool)>;

/// Imports the games of files, folders and archives into a shelf, and indexes them.
///
/// # Errors
///
/// The shelf cannot be written, or the watcher ended the import. What was stored before is kept, and
/// the same call continues.
pub fn import(
    shelf: &mut Shelf,
    paths: &[PathBuf],
    options: &ImportOptions<'_>,
    watcher: &mut dyn ImportWatcher,
) -> Result<ImportReport, Error> {
    let catalog = shelf.catalog;
    shelf.write_choices_as_ids()?;
    let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    shelf.begin_change(&format!("import {}", names.join(" ")))?;
    let progress = shelf.progress(&options.choice)?;
    let known: HashMap<i64, bool> =
        progress.iter().map(|(digest, (.., done))| (*digest, *done)).collect();
    let names = KnownNames::read(shelf)?;
    let mut writer = Writer::new(progress, options, names);
    let threads = options.threads.max(1);
    let (to_workers, jobs) = sync_channel::<Job>(threads * JOBS);
    let (to_writer, results) = sync_channel::<Done>(threads * JOBS);
    let jobs = Arc::new(Mutex::new(jobs));
    let stored = thread::scope(|scope| {
        let send = move || send_jobs(paths, options, &known, to_workers);
        Builder::new().spawn_scoped(scope, send).map_err(Error::NoThread)?;
        for number in 0..threads {
            let (jobs, to_writer) = (Arc::clone(&jobs), to_writer.clone());
            let work = move || work(catalog, options, &jobs, &to_writer);
            match Builder::new().spawn_scoped(scope, work) {
                Err(error) if number == 0 => return Err(Error::NoThread(error)),
                // The others do its work.
                started => drop(started),
            }
        }
        // After an error the channel of results ends the workers, and their end the other thread.
        drop((jobs, to_writer));
        writer.write_all(shelf, results, watcher)
    });
    let ended = shelf.end_change();
    stored?;
    ended?;
    shelf.index(|games| watcher.indexed(games))?;
    shelf.finish()?;
    Ok(writer.report)
}

impl Shelf {
    /// Returns how far the files are done that were imported with this choice, by their digests.
    fn progress(&self, choice: &str) -> Result<Progress, Error> {
        let select = "SELECT digest, id, games, done FROM sources WHERE choice = ?1";
        let sources = self.rows(select, [choice])?.into_iter();
        Ok(sources.map(|(digest, id, games, done)| (digest, (id, games, done))).collect())
    }

    /// Replaces the choices that an earlier program stored as debug text, so that their files stay known.
    fn write_choices_as_ids(&mut self) -> Result<(), Error> {
        let choices: Vec<String> = self.column("SELECT DISTINCT choice FROM sources", [])?;
        let old = choices.into_iter().filter_map(|choice| Some((id_of_choice(&choice)?, choice)));
        let old: Vec<(String, String)> = old.collect();
        if old.is_empty() {
            return Ok(());
        }
        let update = "UPDATE sources SET choice = ?1 WHERE choice = ?2";
        self.write(|shelf| {
            old.iter().try_for_each(|(id, choice)| shelf.change(update, [id, choice]).map(drop))
        })
    }

    /// Adds a file of which no game is stored yet. Returns its id.
    pub(crate) fn add_source(&self, name: &str, digest: i64, choice: &str) -> Result<i64, Error> {
        let insert =
            "INSERT INTO sources (name, digest, choice, games, done) VALUES (?1, ?2, ?3, 0, 0)";
        self.insert(insert, params![name, digest, choice])
    }

    /// Writes everything into the file itself, and gives the room of the log back.
    pub(crate) fn finish(&self) -> Result<(), Error> {
        let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
        self.sql(|db| db.query_row(checkpoint, [], |_| Ok(())))
    }
}

/// Returns the id of the game of a choice in the form of an earlier program, such as `renju {"BoardHeight": 15}`;
/// `None` if it has another form.
pub(crate) fn id_of_choice(choice: &str) -> Option<String> {
    let (variant, options) = choice.strip_suffix('}')?.split_once(" {")?;
    let options: BTreeMap<String, i64> = serde_json::from_str(&format!("{{{options}}}")).ok()?;
    let options = options.iter().map(|(name, value)| format!(" {name}={value}"));
    Some(variant.to_owned() + &options.collect::<String>())
}

/// Reads the games of jobs until there are none.
fn work(
    catalog: &dyn Catalog,
    options: &ImportOptions<'_>,
    jobs: &Mutex<Receiver<Job>>,
    to_writer: &SyncSender<Done>,
) {
    let mut judge = Judge::new(catalog, options.game);
    loop {
        let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job { number, parts }) = next else { return };
        let parts = parts.into_iter().map(|part| read_part(part, options, &mut judge)).collect();
        if to_writer.send(Done { number, parts }).is_err() {
            return;
        }
    }
}

fn read_part(part: Part, options: &ImportOptions<'_>, judge: &mut Judge<'_>) -> Read {
    let Part { file, content, is_last } = part;
    let (games, positions, warnings) = (Vec::new(), Vec::new(), Vec::new());
    let mut read = Read { file, games, positions, warnings, failure: None, is_last };
    match content {
        Content::Unreadable(why) => read.failure = Some(why),
        Content::Positions(entries) => {
            for entry in entries {
                match entry {
                    Ok(entry) => read.positions.push(entry),
                    Err(why) => read.games.push(Err(why)),
                }
            }
        }
        Content::Records(records) => {
            for record in records {
                let game = record.and_then(|record| read.judged(judge, &record, Format::SGF, 0));
                read.games.push(game);
            }
        }
        Content::Bytes { bytes, is_whole, lines, format, board } => {
            // A file of several games does not name their results.
            let name = if is_whole { read.file.name.clone() } else { String::new() };
            let mut reading = ReadOptions::new().named(name).format(format).on(board);
            if let Some(encoding) = read.file.encoding {
                reading = reading.encoding(encoding);
                if options.encoding.is_none() {
                    let name = encoding.name();
                    read.warnings.push(format!("the file names no encoding: its text is read as {name}, as the texts beside it"));
                }
            }
            read.bytes(judge, &bytes, lines, format, reading);
        }
    }
    read
}

impl Read {
    fn bytes(
        &mut self,
        judge: &mut Judge<'_>,
        bytes: &[u8],
        lines: usize,
        format: Format,
        options: ReadOptions,
    ) {
        let collection =
            match tengen_records::read(bytes, &options.skips_bad_games(true).keeps_bad_moves(true))
            {
                Ok(collection) => collection,
                // Formats without other games, and pieces without a good one.
                Err(fault) => {
                    self.games.push(Err(moved(&fault, lines)));
                    return;
                }
            };
        self.warnings.extend(collection.warnings().iter().map(|fault| fault.kind().to_string()));
        for (index, record) in collection.records().iter().enumerate() {
            let game = match collection.fault(index) {
                Some(fault) => Err(moved(fault, lines)),
                None => self.judged(judge, record, format, lines),
            };
            self.games.push(game);
        }
    }

    fn judged(
        &mut self,
        judge: &mut Judge<'_>,
        record: &Record,
        format: Format,
        lines: usize,
    ) -> Result<Judged, String> {
        let (judged, warning) =
            judge.judge(record, format).map_err(|fault| moved(&fault, lines))?;
        self.warnings.extend(warning.map(|fault| fault.kind().to_string()));
        Ok(judged)
    }
}

/// Returns the text of an error in a piece that begins after `lines` lines of its file.
fn moved(fault: &Fault, lines: usize) -> String {
    match fault.place() {
        Some(Place::Text { line, character }) => {
            let place = Place::Text { line: line + lines, character };
            Fault::new(place, fault.kind().clone()).to_string()
        }
        _ => fault.to_string(),
    }
}

/// Writes games in order.
struct Writer<'a> {
    choice: &'a str,
    replaces: bool,
    /// The files of earlier imports.
    names: KnownNames,
    progress: Progress,
    adder: Adder,
    report: ImportReport,
    /// The number of games of each open file that were read in this import, by its digest.
    read: HashMap<i64, i64>,
    /// The rulesets of databases, by variant and size.
    rulesets: HashMap<(&'static str, (u8, u8)), Arc<Ruleset>>,
}

impl<'a> Writer<'a> {
    fn new(progress: Progress, options: &'a ImportOptions<'_>, names: KnownNames) -> Self {
        let (adder, report) = (Adder::default(), ImportReport::default());
        let (choice, replaces) = (options.choice.as_str(), options.replaces);
        let (read, rulesets) = (HashMap::new(), HashMap::new());
        Self { choice, replaces, names, progress, adder, report, read, rulesets }
    }

    /// Stores the games of all jobs.
    fn write_all(
        &mut self,
        shelf: &mut Shelf,
        results: Receiver<Done>,
        watcher: &mut dyn ImportWatcher,
    ) -> Result<(), Error> {
        let mut jobs = InOrder { results, early: BTreeMap::new(), next: 0 };
        let mut first = jobs.next();
        while let Some(job) = first.take() {
            let games = shelf.write(|shelf| {
                self.adder.refresh(shelf)?;
                let until = Instant::now() + PERIOD;
                let mut games = self.write_job(shelf, job, watcher)?;
                while games < GAMES && Instant::now() < until {
                    let Some(job) = jobs.next() else { break };
                    games += self.write_job(shelf, job, watcher)?;
                }
                Ok(games)
            })?;
            if !watcher.stored(games as u64) {
                return Err(Error::Stopped);
            }
            first = jobs.next();
        }
        Ok(())
    }

    /// Stores the games of a job, and returns their number.
    fn write_job(
        &mut self,
        shelf: &mut Shelf,
        job: Done,
        watcher: &mut dyn ImportWatcher,
    ) -> Result<usize, Error> {
        let mut games = 0;
        for part in job.parts {
            games += part.games.len();
            self.write_part(shelf, part, watcher)?;
        }
        Ok(games)
    }

    fn write_part(
        &mut self,
        shelf: &mut Shelf,
        part: Read,
        watcher: &mut dyn ImportWatcher,
    ) -> Result<(), Error> {
        let Read { file, games, positions, warnings, failure, is_last } = part;
        let name = &file.name;
        if let Some(why) = failure {
            self.report.bad_files += 1;
            watcher.problem(&format!("{name}: {why}"));
            return Ok(());
        }
        if let Some((id, _, true)) = self.progress.get(&file.digest).copied() {
            self.replace(shelf, name, id)?;
            shelf.note_name(id, name)?;
            self.report.known_files += u64::from(is_last);
            return Ok(());
        }
        for warning in warnings {
            self.report.warnings.entry(warning).or_insert_with(|| (0, name.clone())).0 += 1;
        }
        let (source, stored) = self.source(shelf, &file)?;
        self.replace(shelf, name, source)?;
        let mut unknown = Vec::new();
        for entry in positions {
            match self.ruleset(shelf, &entry) {
                Ok((ruleset, id)) => {
                    shelf.keep_entry(&ruleset, id, &entry)?;
                    self.report.positions += 1;
                }
                // No game has a board of this size.
                Err(why @ Error::Wrong { .. }) => unknown.push(Err(why.to_string())),
                Err(other) => return Err(other),
            }
        }
        let mut number = self.read.get(&file.digest).copied().unwrap_or(0);
        for game in games.into_iter().chain(unknown) {
            number += 1;
            if number <= stored {
                continue;
            }
            match game {
                Ok(judged) => {
                    let added = self.adder.add(shelf, &judged, source, number)?;
                    self.count(added, &judged);
                }
                Err(why) => {
                    self.report.bad += 1;
                    watcher.problem(&format!("{name}: game {number}: {why}"));
                    let insert = "INSERT OR REPLACE INTO problems (source, number, text) VALUES (?1, ?2, ?3)";
                    shelf.change(insert, params![source, number, why])?;
                }
            }
        }
        self.read.insert(file.digest, number);
        let stored = number.max(stored);
        let update = "UPDATE sources SET games = ?2, done = ?3 WHERE id = ?1";
        shelf.change(update, params![source, stored, is_last])?;
        self.progress.insert(file.digest, (source, stored, is_last));
        if is_last {
            self.read.remove(&file.digest);
            self.report.files += 1;
        }
        Ok(())
    }

    /// Returns the ruleset of a position and its id; it is added if it is new.
    fn ruleset(&mut self, shelf: &mut Shelf, entry: &Entry) -> Result<(Arc<Ruleset>, i64), Error> {
        let (width, height) = entry.size;
        let name = (entry.variant, entry.size);
        if let Some(ruleset) = self.rulesets.get(&name) {
            let id = self.adder.ruleset(shelf, ruleset)?;
            return Ok((Arc::clone(ruleset), id));
        }
        let options = format!("{{\"BoardWidth\":{width},\"BoardHeight\":{height}}}");
        let ruleset = Arc::new(read_ruleset(shelf.catalog, entry.variant, &options)?);
        let id = self.adder.ruleset(shelf, &ruleset)?;
        self.rulesets.insert(name, Arc::clone(&ruleset));
        Ok((ruleset, id))
    }

    /// Removes what earlier imports of the file `name` added, if the user wants it.
    fn replace(&mut self, shelf: &mut Shelf, name: &str, source: i64) -> Result<(), Error> {
        if !self.replaces {
            return Ok(());
        }
        for old in self.names.take_others(name, source) {
            shelf.replace(old, name, &mut self.report.replaced)?;
        }
        Ok(())
    }

    /// Returns the id of a file, which is added if it is new, and the number of its games that are
    /// stored.
    fn source(&mut self, shelf: &Shelf, file: &FileInfo) -> Result<(i64, i64), Error> {
        if let Some((id, games, _)) = self.progress.get(&file.digest) {
            return Ok((*id, *games));
        }
        if !self.replaces && self.names.has_another(&file.name, file.digest) {
            let why = "this file was imported before with another content, which stays; --replace removes it";
            let warning = (0, file.name.clone());
            self.report.warnings.entry(why.to_owned()).or_insert(warning).0 += 1;
        }
        let id = shelf.add_source(&file.name, file.digest, self.choice)?;
        self.progress.insert(file.digest, (id, 0, false));
        Ok((id, 0))
    }

    fn count(&mut self, added: Added, judged: &Judged) {
        match added {
            Added::New => self.report.new += 1,
            Added::Merged => self.report.merged += 1,
            Added::Tree => self.report.trees += 1,
        }
        let Some(game) = judged.game.as_ref().filter(|_| added == Added::New) else { return };
        for (count, (mark, _)) in self.report.marked.iter_mut().zip(Marks::NAMED) {
            *count += u64::from(game.marks.has(mark));
        }
    }
}

/// The results of jobs, in the order of the jobs.
struct InOrder {
    results: Receiver<Done>,
    /// Results whose turn has not come.
    early: BTreeMap<usize, Done>,
    next: usize,
}

impl Iterator for InOrder {
    type Item = Done;

    fn next(&mut self) -> Option<Done> {
        loop {
            if let Some(done) = self.early.remove(&self.next) {
                self.next += 1;
                return Some(done);
            }
            let done = self.results.recv().ok()?;
            self.early.insert(done.number, done);
        }
    }
}
