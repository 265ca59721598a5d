//! `tengen puzzles`: finds positions in games that have only one winning move.
//!
//! The games are read in `games`, their positions searched by `search`, which makes the puzzles of
//! `puzzle`. `run` is the run with its journal, and `output` writes the file.

mod games;
mod output;
mod puzzle;
mod run;
mod search;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueEnum;
use sha2::{Digest, Sha256};
use tengen_engine::backend::Settings;
use tengen_engine::cores;
use tengen_runs::files::Target;
use tengen_runs::{End, Watcher, drive};

use crate::board::BoardArgs;
use crate::exit_status::{NO_THREAD, Refusal, Unfinished, print, report};
use crate::files::{output as target_of, write_output};
use crate::interrupt;
use crate::progress::Progress;
use crate::search_args::PoolArgs;
use games::Games;
use output::Found;
use puzzle::Grade;
use run::{PuzzleRun, SearchedPosition, Wanted, start_workers};

const EXAMPLES: &str = "\
A puzzle is a position with a proven win of at least two moves. Its first move is the only winning one:
each other move was searched with --nodes, and does not win. A position whose defence is forced, because
the opponent threatens to win at once, is no puzzle. A position that a symmetry makes equal to another one
stands once. Of a win that a game played to its end, only the first position is a puzzle.

The journal holds what each position is. After Ctrl-C, a kill or a power cut the same command continues.

Exit status:
  0    every position was searched; also if none is a puzzle
  1    something failed: no memory, no room on the disk, or the journal is in use or of another search
  2    the command line or a file was refused; or games were refused, and the others searched
  130  Ctrl-C ended the command early

Examples:
  tengen puzzles game.sgf --out puzzles.sgf
      the puzzles in the games of a file; the solution is the main line
  tengen puzzles game.sgf --out hard.jsonl --grade hard --limit 20 --nodes 5000
      20 hard puzzles, as objects of JSON";

/// Find positions in games that have only one winning move.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Records of games, or folders with them; `-` is standard input.
    #[arg(value_name = "COLLECTION", required = true)]
    collection: Vec<PathBuf>,

    /// The file of the puzzles; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// The format [default: by the extension of FILE, .sgf or .jsonl].
    #[arg(long, value_name = "FORMAT")]
    to: Option<To>,

    /// The folder of the journal [default: FILE with the extension .puzzles].
    #[arg(long, value_name = "FOLDER")]
    journal: Option<PathBuf>,

    /// The nodes of each search: of a position, and of the position after each other move.
    #[arg(long, value_name = "N", default_value_t = 20_000,
          value_parser = clap::value_parser!(u64).range(1..1 << 53))]
    nodes: u64,

    /// Write only puzzles of these grades, comma-separated [default: all].
    #[arg(long, value_name = "GRADES", value_delimiter = ',')]
    grade: Vec<Grade>,

    /// Stop after this number of puzzles.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,

    /// Search nothing if a game cannot be read or played [default: search the others].
    #[arg(long)]
    strict: bool,

    /// Overwrite FILE if it exists.
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    board: BoardArgs,

    #[command(flatten)]
    pool: PoolArgs,
}

/// A format that is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum To {
    /// The Smart Game Format, a game for each puzzle.
    Sgf,
    /// An object of JSON on each line.
    Jsonl,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let to = args.format()?;
    let target = target_of(&args.out, args.force)?;
    let folder = args.journal_folder(&target)?;
    let games = Games::read(args)?;
    let (refused, left_out) = (games.refused, games.left_out);
    let (positions, digest) = games.positions().map_err(anyhow::Error::msg)?;
    let total = positions.len();
    open_folder(&folder)?;
    let count = games.games.len();
    let fingerprint = args.fingerprint(digest);
    let mut run = PuzzleRun::open(&folder, games.games, positions, fingerprint, args.wanted())?;
    let end = args.search(&mut run, total)?;
    if let Some(why) = run.failures.first() {
        let failed = run.failures.len();
        anyhow::bail!(
            "{failed} of {total} positions were not searched: {why}; this command searches them"
        );
    }
    if end == End::Interrupted && !run.is_done() {
        let searched = run.searched();
        let why = format!("{searched} of {total} positions are searched; this command goes on");
        return Err(Unfinished::Interrupted(why).into());
    }
    let found: Vec<Found<'_>> = (1..)
        .zip(run.found())
        .map(|(number, (game, plies, puzzle))| Found { number, game, plies, puzzle })
        .collect();
    let bytes = match to {
        To::Sgf => output::sgf(&found)?,
        To::Jsonl => {
            found.iter().map(Found::json).collect::<anyhow::Result<String>>()?.into_bytes()
        }
    };
    write_output(&target, &args.out, &bytes)?;
    let summary = summary(&found, count, run.searched(), &args.out);
    if left_out > 0 {
        report(&format!("games of another variant, left out: {left_out}"));
    }
    match target {
        Target::Standard => report(&summary),
        _ => print(format!("{summary}\n"))?,
    }
    match refused {
        0 => Ok(()),
        _ => Err(Refusal(format!("games and files refused: {refused}")).into()),
    }
}

impl Args {
    fn format(&self) -> Result<To, Refusal> {
        let extension = self.out.extension().and_then(|extension| extension.to_str());
        let known = match extension.unwrap_or_default().to_ascii_lowercase().as_str() {
            "sgf" => Some(To::Sgf),
            "jsonl" | "ndjson" => Some(To::Jsonl),
            _ => None,
        };
        self.to.or(known).ok_or_else(|| {
            let name = self.out.display();
            Refusal(format!(
                "--out {name}: unknown extension; choose the format by --to sgf or jsonl"
            ))
        })
    }

    fn journal_folder(&self, target: &Target) -> Result<PathBuf, Refusal> {
        match (&self.journal, target) {
            (Some(folder), _) => Ok(folder.clone()),
            (None, Target::File(_)) => Ok(self.out.with_extension("puzzles")),
            (None, _) => {
                let name = self.out.display();
                Err(Refusal(format!(
                    "--out {name} is no file: --journal names a folder for the journal"
                )))
            }
        }
    }

    fn wanted(&self) -> Wanted {
        let grades = if self.grade.is_empty() { Grade::ALL.to_vec() } else { self.grade.clone() };
        Wanted { grades, limit: self.limit.map_or(usize::MAX, |limit| limit as usize) }
    }

    /// Returns the SHA-256 of the positions and of the settings that change results, in hexadecimal.
    fn fingerprint(&self, positions: Sha256) -> String {
        let PoolArgs { threads, hash, .. } = self.pool;
        let digest = positions.chain_update(format!("{} {threads} {hash}", self.nodes));
        digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Searches the positions that the journal does not hold.
    fn search(&self, run: &mut PuzzleRun, total: usize) -> anyhow::Result<End> {
        let workers = self.pool.workers()?;
        let settings = Settings::default()
            .with_hash_mib(workers.hash_mib)
            .with_threads(workers.threads)
            .with_own_book(false);
        let count = workers.workers.unwrap_or((cores() / workers.threads).max(1));
        let mut threads =
            start_workers(count.clamp(1, total.max(1)), settings, self.nodes).context(NO_THREAD)?;
        interrupt::on_interrupt(threads.interrupter())?;
        let progress = Progress::new(Some(total as u64));
        progress.start_at(run.searched());
        let mut show = Show { progress };
        show.refresh(run);
        Ok(drive(run, &mut threads, &mut show)?)
    }
}

/// Shows the progress of a run.
struct Show {
    progress: Progress,
}

impl Show {
    fn refresh(&self, run: &PuzzleRun) {
        self.progress.show(format!("positions; {} puzzles", run.count()));
    }
}

impl Watcher<PuzzleRun> for Show {
    fn note(&mut self, text: &str) {
        self.progress.print_error(&format!("tengen: {text}"));
    }

    fn saved(&mut self, run: &PuzzleRun, _: &SearchedPosition) {
        self.progress.step();
        self.refresh(run);
    }
}

/// Creates the folder of the journal, or checks that it is empty or has a journal.
fn open_folder(folder: &Path) -> anyhow::Result<()> {
    let name = folder.display();
    let unwritable = || format!("cannot write {name}");
    if folder.exists() && !folder.join(tengen_runs::journal::FILE).is_file() {
        let mut entries = fs::read_dir(folder).with_context(unwritable)?;
        if entries.next().is_some() {
            let why = format!("{name} holds no search for puzzles: --journal names another folder");
            return Err(Refusal(why).into());
        }
    }
    fs::create_dir_all(folder).with_context(unwritable)
}

/// Returns how many puzzles of which grade were found.
fn summary(found: &[Found<'_>], games: usize, positions: u64, out: &Path) -> String {
    let of = |grade: Grade| found.iter().filter(|found| found.puzzle.grade() == grade).count();
    let grades = Grade::ALL.map(|grade| format!("{} {}", of(grade), grade.name())).join(", ");
    let (count, out) = (found.len(), out.display());
    format!("puzzles: {count} ({grades}), positions: {positions}, games: {games}: {out}")
}
