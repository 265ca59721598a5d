//! `tengen batch`: answers every query of a file, or judges every game of a collection, exactly
//! once. The work is that of `tengen-tasks`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use tengen_engine::backend::Catalog;
use tengen_engine::cores;
use tengen_games::CATALOG;
use tengen_protocol::queries::Service;
use tengen_records::Format;
use tengen_runs::{TransportKind, TransportSettings, contract};
use tengen_tasks::batch::{self, BatchOptions, FileKind, GameOptions, Games, Input};

use crate::annotation::AnnotationArgs;
use crate::board::BoardArgs;
use crate::console::{Output, Terminal, ended};
use crate::exit_status::{Refusal, print, refuse, warn};
use crate::files::{STANDARD, read_bytes};
use crate::fleet::AccessArgs;
use crate::playable_games::Reader;
use crate::record_files::{EncodingArgs, parse};
use crate::search_args::PoolArgs;

const EXAMPLES: &str = include_str!("help/batch.txt").trim_ascii_end();

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
    encoding: EncodingArgs,

    #[command(flatten)]
    board: BoardArgs,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    annotation: AnnotationArgs,

    #[command(flatten)]
    pool: PoolArgs,

    #[command(flatten)]
    transport: TransportArgs,
}

/// Limits and options for queries that do not name these fields.
#[derive(clap::Args)]
struct LimitArgs {
    /// Milliseconds for each position of a query without a limit.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=86_400_000))]
    movetime: Option<u64>,

    /// Plies for each position of a query without a limit.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    depth: Option<u64>,

    /// Nodes for each position of a query without a limit.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..1 << 53))]
    nodes: Option<u64>,

    /// How many moves are ranked, for queries that do not say [default: 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=676))]
    multipv: Option<u64>,

    /// Empty the table before each search, so that answers do not depend on other queries.
    #[arg(long)]
    fresh: bool,

    /// Answer by search, without an opening book.
    #[arg(long)]
    no_book: bool,
}

/// Where the workers of a batch are.
#[derive(clap::Args)]
#[command(next_help_heading = "Workers in other processes")]
struct TransportArgs {
    /// Where the workers are: in this process, in child processes, or at a server of NATS.
    #[arg(long, value_name = "KIND", default_value = "local", value_parser = transports())]
    transport: TransportKind,

    /// With --transport pipe, a command that runs `tengen work`, as often as there are commands [default:
    /// this program, for each of --workers].
    #[arg(long, value_name = "COMMAND")]
    pipe: Vec<String>,

    /// With --transport nats, the address of the server [default: the variable TENGEN_NATS].
    #[arg(long, value_name = "URL")]
    nats: Option<String>,

    #[command(flatten)]
    access: AccessArgs,

    /// The name of the run, which begins the ids of its tasks [default: from the folder].
    #[arg(long, value_name = "NAME", value_parser = run_name_of)]
    run_name: Option<String>,

    /// How many tasks are queued for each slot of a worker [default: 4].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    ahead: Option<u32>,

    /// After how many milliseconds the task of a silent worker goes to another one [default: 30000].
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(100..=86_400_000))]
    ack_wait_ms: Option<u64>,

    /// Go on without tasks that were given up because their workers ended.
    #[arg(long)]
    allow_dead: bool,

    /// Of 100 results, how many a second worker repeats [default: 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100))]
    repeat_share: Option<u32>,

    /// How many queries are one task.
    #[arg(long, value_name = "N", default_value_t = 16,
          value_parser = clap::value_parser!(u64).range(1..=1000))]
    chunk: u64,

    /// The longest time of a task, in milliseconds [default: 600000].
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=86_400_000))]
    task_ms: Option<u64>,
}

/// Checks the name of a run.
fn run_name_of(text: &str) -> Result<String, String> {
    match contract::is_id(text) && text.len() <= contract::MAX_RUN {
        true => Ok(text.to_owned()),
        false => Err(format!("it must be 1 to {} of A-Z a-z 0-9 _ -", contract::MAX_RUN)),
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let transport = args.transport.settings();
    transport.check("--").map_err(Refusal)?;
    let folder = args.folder()?;
    let service = args.service()?;
    let (input, refused) = args.input(service)?;
    let copy = args.print.then(|| Box::new(Output) as Box<dyn Write>);
    let (in_order, chunk) = (args.in_order, args.transport.chunk);
    let conclusion = input.conclusion(&folder);
    let options = BatchOptions { folder, in_order, copy, service, transport, chunk };
    batch::run(&input, options, &Terminal).map_err(ended)?;
    if args.print {
        // A closed standard error is ignored.
        let _ = io::stderr().write_all(conclusion.as_bytes());
    } else {
        print(conclusion)?;
    }
    match refused {
        0 => Ok(()),
        count => refuse!("{}: games refused: {count}", args.file.display()),
    }
}

impl Args {
    fn folder(&self) -> Result<PathBuf, Refusal> {
        match &self.out {
            Some(folder) => Ok(folder.clone()),
            None if self.file == Path::new(STANDARD) => {
                refuse!("--out: standard input needs a folder for the answers")
            }
            None => Ok(self.file.with_extension("batch")),
        }
    }

    /// Reads the file. Returns its queries, and the number of games that were refused.
    fn input(&self, service: Service) -> anyhow::Result<(Input, usize)> {
        let bytes = read_bytes(&self.file)?;
        let name = self.file.display().to_string();
        let limits = self.limits.limits();
        let input = match FileKind::of(&name, &bytes, self.positions) {
            FileKind::Queries => {
                self.refuse_options_of_records()?;
                Input::of_queries(&name, &bytes, &limits, service, &Terminal)
            }
            FileKind::Positions => {
                let named = self.board.named_game()?;
                Input::of_positions(&name, &bytes, named.as_ref(), &limits, service, &Terminal)
            }
            FileKind::Games => {
                let (games, refused) = self.games(&name, &bytes)?;
                let input = Input::of_games(games, !self.positions, service).map_err(ended)?;
                return Ok((input, refused));
            }
        };
        Ok((input.map_err(ended)?, 0))
    }

    /// Reads the games of a record. A game without moves is not judged.
    fn games(&self, name: &str, bytes: &[u8]) -> anyhow::Result<(Games, usize)> {
        let named = self.board.named_game()?;
        let notation = named.as_ref().and_then(|spec| spec.grid);
        let options = self.encoding.options()?.on(notation).skips_bad_games(!self.strict);
        let collection = parse(name, bytes, options)?;
        let asked = GameOptions {
            positions: self.positions,
            variations: !self.annotation.no_variations,
            language: self.annotation.language(),
            limits: self.limits.limits(),
        };
        let names_game = named.is_some() || collection.format() != Format::SGF;
        let (mut games, mut reader) = (Games::default(), Reader::new(&self.board, self.strict));
        reader.read(name, &collection, |game| {
            let Some((spec, line)) = game.played else {
                games.keep(game.record);
                return Ok(());
            };
            let mut record = game.record.clone();
            if names_game {
                record.declare(&spec, &CATALOG);
            }
            if line.moves.is_empty() && !self.positions {
                warn(&format!("{}: it has no moves, and is not judged", game.place));
                games.keep(&record);
            } else {
                games.search(&record, game.number as u64, &game.place, &asked);
            }
            Ok(())
        })?;
        if games.is_empty() {
            let no_moves = || Refusal(format!("{name}: no game of it has moves"));
            return Err(reader.first_error.unwrap_or_else(no_moves).into());
        }
        Ok((games, reader.refused))
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
            Some((option, true)) if option == board => refuse!("{board} are {why}"),
            Some((option, _)) => refuse!("{option} is {why}"),
        }
    }

    fn service(&self) -> Result<Service, Refusal> {
        let named = self.board.variant.as_deref();
        let variant = named.and_then(|name| Some(CATALOG.variant(name)?.name));
        let service = self.pool.workers()?.service(&CATALOG, variant, cores());
        Ok(Service { explorer: Err("a batch has no shelf"), ..service })
    }
}

impl LimitArgs {
    fn limits(&self) -> batch::Limits {
        let Self { movetime, depth, nodes, multipv, fresh, no_book } = *self;
        batch::Limits { movetime, depth, nodes, multipv, fresh, no_book }
    }
}

impl TransportArgs {
    fn settings(&self) -> TransportSettings {
        TransportSettings {
            kind: self.transport,
            pipes: self.pipe.clone(),
            nats: self.nats.clone(),
            access: self.access.access(),
            name: self.run_name.clone(),
            ahead: self.ahead,
            ack_wait_ms: self.ack_wait_ms,
            allow_dead: self.allow_dead,
            repeat: self.repeat_share,
            task_ms: self.task_ms,
        }
    }
}

/// Returns the parser of the kind of workers.
fn transports() -> impl TypedValueParser<Value = TransportKind> {
    let names = PossibleValuesParser::new(TransportKind::NAMES.map(|(name, _)| name));
    names.map(|name| TransportKind::named(&name).unwrap_or_default())
}
