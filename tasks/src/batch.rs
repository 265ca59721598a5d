//! Batches: every query of a file is answered, or every game of a collection judged, exactly once.
//!
//! `input` has the queries of a file. They are read in `query_file`, made of positions in `positions`
//! or of games in `games`; all are checked before the first search. `run` is the run, `workers` answer
//! the queries, `replies` checks answers of other processes, and `results` writes the replies.

mod games;
mod input;
mod limits;
mod positions;
mod query_file;
pub(crate) mod remote;
mod replies;
mod results;
pub(crate) mod run;
pub(crate) mod workers;

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use tengen_protocol::queries::Service;
use tengen_runs::journal::{PATIENCE, read_each};
use tengen_runs::{
    End, NO_THREAD, TaskList, Transport, TransportKind, TransportSettings, Watcher, drive, replace,
};

pub use self::games::{GameOptions, Games};
pub use self::input::{FileKind, Input};
pub use self::limits::Limits;
pub(crate) use self::positions::board_of;
use self::results::Results;
use self::run::{BatchAnswer, Queries, Query, fingerprint};
use self::workers::QueryWorkers;
use crate::console::open_folder;
use crate::{Console, Failure, Progress};

/// The file of replies in the folder of a batch.
const RESULTS: &str = "results.jsonl";
/// The file of annotated games in the folder of a batch.
const ANNOTATED: &str = "annotated.sgf";

/// How a batch is answered.
pub struct BatchOptions {
    /// The folder of the journal and the results.
    pub folder: PathBuf,
    /// Whether the results have the order of the queries.
    pub in_order: bool,
    /// Where each reply goes besides the results.
    pub copy: Option<Box<dyn Write>>,
    /// The searches.
    pub service: Service,
    /// Where the workers are.
    pub transport: TransportSettings,
    /// The number of queries of a task for another process.
    pub chunk: u64,
}

/// Answers the queries that the journal does not answer.
pub fn run(input: &Input, options: BatchOptions, console: &dyn Console) -> Result<(), Failure> {
    let folder = &options.folder;
    open_folder(folder, "batch: --out")?;
    let fingerprint = fingerprint(&input.queries, options.service.variant);
    let mut batch = run::open(folder, input.queries.clone(), &fingerprint)?;
    let total = input.len();
    let mut results = Results::open(&folder.join(RESULTS), options.in_order)?;
    read_each(folder, |answer: BatchAnswer| results.add(answer.id, &answer.answer.replies))?;
    results.copy_to(options.copy);
    if options.transport.kind != TransportKind::Local {
        batch.wait_for_room();
        results.wait_for_room(PATIENCE);
    }
    let service = options.service;
    let mut workers: Box<dyn Transport<Query>> = match options.transport.kind {
        TransportKind::Local => {
            let workers = QueryWorkers::start(service).map_err(Failure::because(NO_THREAD))?;
            console.on_interrupt(workers.interrupter())?;
            Box::new(workers)
        }
        _ => {
            let info = (folder.as_path(), fingerprint.as_str(), batch.purged());
            let tasks = (options.chunk, input.costs_ms.as_slice(), batch.done().clone());
            Box::new(remote::start(&options.transport, info, service, tasks, console)?)
        }
    };
    let done = batch.done();
    let positions = (0..total).filter(|index| done.contains(*index));
    let positions = positions.map(|index| input.positions_of(index)).sum();
    let progress = console.progress(input.positions(), positions);
    let mut show = Show { input, progress, answered: done.len(), results };
    show.count(0);
    let end = drive(&mut batch, &mut *workers, &mut show);
    drop(workers);
    let Show { progress, results, .. } = show;
    drop(progress);
    let written = results.finish();
    let end = end?;
    written?;
    write_annotated(folder, input)?;
    let (answered, failed) = (batch.done().len(), batch.failures.len());
    if end == End::Interrupted && answered < total {
        let why = format!("{answered} of {total} queries are answered; this command goes on");
        return Err(Failure::Interrupted(why));
    }
    match failed {
        0 => Ok(()),
        _ => Err(Failure::Failed(format!(
            "{failed} of {total} queries have no answer; this command asks them again"
        ))),
    }
}

/// Writes the annotated games of a collection from the journal.
fn write_annotated(folder: &Path, input: &Input) -> Result<(), Failure> {
    if !input.has_games() {
        return Ok(());
    }
    let mut judged = HashMap::new();
    read_each(folder, |answer: BatchAnswer| {
        judged.extend(games::annotated(&answer.answer.replies).map(|text| (answer.id, text)));
    })?;
    write(&folder.join(ANNOTATED), &input.annotated(&judged).concat())
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    replace(path, text.as_bytes()).map_err(|error| Failure::Failed(format!("cannot write {error}")))
}

/// Returns a text without the byte order mark that some editors write first.
fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)
}

/// Shows the progress of a batch.
struct Show<'a> {
    input: &'a Input,
    progress: Box<dyn Progress>,
    answered: u64,
    results: Results,
}

impl Show<'_> {
    fn count(&self, positions: u64) {
        let Self { input, answered, .. } = self;
        let what = format!("positions; {answered} of {} {}", input.len(), input.unit());
        self.progress.steps(positions, what);
    }
}

impl Watcher<TaskList<Queries>> for Show<'_> {
    fn saved(&mut self, _: &TaskList<Queries>, answer: &BatchAnswer) {
        self.answered += 1;
        self.results.add(answer.id, &answer.answer.replies);
        self.count(self.input.positions_of(answer.id));
    }

    fn note(&mut self, text: &str) {
        self.progress.note(text);
    }
}
