//! `tengen batch`: answers every query of a file, or judges every game of a collection, exactly
//! once.
//!
//! A file is read in `input`, as queries in `queries`, as positions in `positions` or as games in
//! `games`; all make the raw queries of `question`. `run` is the run, `workers` answer the queries, and
//! `results` writes the replies.

mod games;
mod input;
pub(crate) mod positions;
mod queries;
mod question;
mod remote;
mod results;
pub(crate) mod run;
pub(crate) mod workers;

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use tengen_engine::cores;
use tengen_games::CATALOG;
use tengen_protocol::queries::{Service, SessionLimits};
use tengen_runs::journal::{self, PATIENCE};
use tengen_runs::{End, Transport, Watcher, drive, replace};

use crate::annotation::AnnotationArgs;
use crate::board::BoardArgs;
use crate::exit_status::{NO_THREAD, Refusal, Unfinished, print};
use crate::files::STANDARD;
use crate::interrupt;
use crate::progress::Progress;
use crate::search_args::PoolArgs;
use input::Input;
use question::Limits;
use remote::TransportArgs;
use results::Results;
use run::{Batch, BatchAnswer, Query};
use workers::QueryWorkers;

/// The replies.
const RESULTS: &str = "results.jsonl";
/// The games of a collection with comments.
const ANNOTATED: &str = "annotated.sgf";

/// A file that only folders of `tengen arena` have.
const ARENA_SETTINGS: &str = "run.toml";

const EXAMPLES: &str = "\
A query is an object of the JSON protocol in a line of its own: analyze, solve, review, position or
swap2. All of them are checked before the first search. The folder holds:
  journal.jsonl   every answer, on the disk before it counts
  results.jsonl   each reply as it comes, or with --in-order in the order of the queries
  annotated.sgf   of a collection: the games with their mistakes marked
After Ctrl-C, a kill or a power cut the same command continues. The first Ctrl-C finishes the queries
in hand, the second one leaves them.

Exit status:
  0    every query has its answer
  1    a query got no answer, because the machine failed; the folder cannot be written or is in use
  2    the command line, the file or a query was refused, and nothing was searched; or games of a record
       were refused, and the others judged
  130  Ctrl-C ended the command early

Examples:
  tengen batch positions.jsonl --workers 2
      the queries of a file, two at a time; the answers are in positions.batch/results.jsonl
  tengen batch positions.jsonl --nodes 10000 --fresh --out fresh
      at most 10,000 nodes where a query names no limit, each with an empty table
  tengen batch positions.txt --positions --multipv 3 --nodes 1000 --in-order --out lines
      a position on each line, as moves or FEN; the id of an answer is the number of its line
  tengen batch game.sgf --nodes 5000
      every move of every game is judged; writes game.batch/annotated.sgf too";

/// Answer every query of a file, or judge every game of a collection.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Queries of the JSON protocol, one a line, a list of positions, or a record of games; `-` is
    /// standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The folder of the journal and the results [default: FILE with the extension .batch].
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Search positions, and judge no games: each line of a list of moves is a position, and so is the
    /// end of each game of a record.
    #[arg(long)]
    positions: bool,

    /// Write the results in the order of the queries, not as they come.
    #[arg(long)]
    in_order: bool,

    /// Print each reply on standard output, too.
    #[arg(long)]
    print: bool,

    /// Search nothing if a game of a record cannot be read or played [default: judge the others].
    #[arg(long)]
    strict: bool,

    #[command(flatten)]
    board: BoardArgs,

    #[command(flatten)]
    limits: Limits,

    #[command(flatten)]
    annotation: AnnotationArgs,

    #[command(flatten)]
    pool: PoolArgs,

    #[command(flatten)]
    transport: TransportArgs,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    args.transport.check()?;
    let folder = args.folder()?;
    let service = args.service()?;
    let input = Input::read(args, service)?;
    open_folder(&folder)?;
    let mut batch = Batch::open(&folder, input.queries.clone(), service.variant)?;
    let total = input.len();
    let mut results = Results::open(&folder.join(RESULTS), args.in_order)?;
    Batch::answers(&folder, |answer| results.add(answer.id, &answer.answer.replies))?;
    results.prints(args.print);
    if args.transport.is_remote() {
        batch.wait_for_room();
        results.wait_for_room(PATIENCE);
    }
    let mut show = Show::new(&input, &batch, results);
    let mut workers = args.workers(&folder, service, &batch)?;
    let end = drive(&mut batch, &mut *workers, &mut show);
    drop(workers);
    let written = show.end();
    let end = end?;
    written?;
    write_annotated(&folder, &input)?;
    let (answered, failed) = (batch.answered(), batch.failed);
    if end == End::Interrupted && !batch.is_done() {
        let why = format!("{answered} of {total} queries are answered; this command goes on");
        return Err(Unfinished::Interrupted(why).into());
    }
    if failed > 0 {
        anyhow::bail!("{failed} of {total} queries have no answer; this command asks them again");
    }
    let conclusion = input.conclusion(&folder);
    if args.print {
        // A closed standard error is ignored.
        let _ = io::stderr().write_all(conclusion.as_bytes());
    } else {
        print(conclusion)?;
    }
    match input.refused {
        0 => Ok(()),
        count => Err(Refusal(format!("{}: games refused: {count}", args.file.display())).into()),
    }
}

impl Args {
    fn folder(&self) -> Result<PathBuf, Refusal> {
        match &self.out {
            Some(folder) => Ok(folder.clone()),
            None if self.file == Path::new(STANDARD) => {
                Err(Refusal("--out: standard input needs a folder for the answers".to_owned()))
            }
            None => Ok(self.file.with_extension("batch")),
        }
    }

    /// Starts the workers. An interruption by the user ends the batch.
    fn workers(
        &self,
        folder: &Path,
        service: Service,
        batch: &Batch,
    ) -> anyhow::Result<Box<dyn Transport<Query>>> {
        if self.transport.is_remote() {
            return remote::start(&self.transport, folder, service, batch);
        }
        let workers = QueryWorkers::start(service).context(NO_THREAD)?;
        interrupt::on_interrupt(workers.interrupter())?;
        Ok(Box::new(workers))
    }

    /// Refuses options that are not for a file of queries.
    fn refuse_options_of_records(&self) -> Result<(), Refusal> {
        let board = "--width, --height, -k, --no-gravity and --no-overline";
        let given = [
            (board, self.board.has_options()),
            ("--positions", self.positions),
            ("--strict", self.strict),
            ("--no-variations", self.annotation.no_variations),
            ("--language", self.annotation.are_given()),
        ];
        let why = "for records of games and lists of positions: a query has its own fields";
        match given.into_iter().find(|(_, is_given)| *is_given) {
            None => Ok(()),
            Some((option, true)) if option == board => Err(Refusal(format!("{board} are {why}"))),
            Some((option, _)) => Err(Refusal(format!("{option} is {why}"))),
        }
    }

    fn service(&self) -> Result<Service, Refusal> {
        let workers = self.pool.workers()?;
        let named = self.board.variant.as_deref().and_then(|name| {
            use tengen_engine::backend::Catalog;
            CATALOG.variant(name).map(|variant| variant.name)
        });
        Ok(Service {
            catalog: &CATALOG,
            variant: named,
            workers: workers.workers.unwrap_or((cores() / workers.threads).max(1)),
            threads: workers.threads,
            hash_mib: workers.hash_mib,
            limits: SessionLimits::LOCAL,
            git: crate::COMMIT,
            explorer: Err("a batch has no shelf"),
        })
    }
}

/// Creates the folder, or checks that it is empty or belongs to a batch.
fn open_folder(folder: &Path) -> anyhow::Result<()> {
    let name = folder.display();
    let unwritable = || format!("cannot write {name}");
    let is_of_arena = folder.join(ARENA_SETTINGS).exists();
    if folder.join(journal::FILE).is_file() && !is_of_arena {
        return Ok(());
    }
    if folder.exists() {
        let mut entries = fs::read_dir(folder).with_context(unwritable)?;
        if entries.next().is_some() {
            let why = format!("{name} holds no batch: --out names another folder");
            return Err(Refusal(why).into());
        }
    }
    fs::create_dir_all(folder).with_context(unwritable)
}

/// Writes the annotated games of a collection from the journal.
fn write_annotated(folder: &Path, input: &Input) -> anyhow::Result<()> {
    if !input.has_games() {
        return Ok(());
    }
    let mut judged = HashMap::new();
    Batch::answers(folder, |answer| {
        judged.extend(games::annotated(&answer.answer.replies).map(|text| (answer.id, text)));
    })?;
    write(&folder.join(ANNOTATED), &input.annotated(&judged).concat())
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    replace(path, text.as_bytes()).map_err(|error| anyhow::anyhow!("cannot write {error}"))
}

/// Shows the progress of a batch.
struct Show<'a> {
    input: &'a Input,
    progress: Progress,
    answered: u64,
    results: Results,
}

impl<'a> Show<'a> {
    fn new(input: &'a Input, batch: &Batch, results: Results) -> Self {
        let progress = Progress::new(Some(input.positions()));
        let done = (0..input.len()).filter(|index| batch.is_answered(*index));
        progress.start_at(done.map(|index| input.positions_of(index)).sum());
        let show = Self { input, progress, answered: batch.answered(), results };
        show.refresh();
        show
    }

    /// Ends the progress and the results.
    fn end(self) -> anyhow::Result<()> {
        drop(self.progress);
        self.results.finish()
    }

    fn refresh(&self) {
        let Self { input, answered, .. } = self;
        self.progress.show(format!("positions; {answered} of {} {}", input.len(), input.unit()));
    }
}

impl Watcher<Batch> for Show<'_> {
    fn saved(&mut self, _: &Batch, answer: &BatchAnswer) {
        self.answered += 1;
        self.results.add(answer.id, &answer.answer.replies);
        self.progress.steps(self.input.positions_of(answer.id));
        self.refresh();
    }

    fn note(&mut self, text: &str) {
        self.progress.print_error(text);
    }
}
