//! `tengen puzzles`: finds positions in games that have only one winning move. The work is that of
//! `tengen-tasks`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use tengen_engine::backend::Settings;
use tengen_engine::cores;
use tengen_records::Format;
use tengen_runs::files::Target;
use tengen_runs::journal;
use tengen_tasks::puzzles::{Effort, Game, Grade, Positions, PuzzleOptions, Wanted, search};

use crate::annotation::LanguageArgs;
use crate::board::BoardArgs;
use crate::console::{Terminal, ended};
use crate::exit_status::{Refusal, print, report};
use crate::files::{output as target_of, write_output};
use crate::formats::{self, OutputFormat};
use crate::playable_games::Reader;
use crate::record_files::{EncodingArgs, read_games};
use crate::search_args::PoolArgs;

const EXAMPLES: &str = include_str!("help/puzzles.txt").trim_ascii_end();

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
    #[arg(long, value_name = "FORMAT", value_parser = formats::parser(formats))]
    to: Option<Format>,

    /// The folder of the journal [default: FILE with the extension .puzzles].
    #[arg(long, value_name = "FOLDER")]
    journal: Option<PathBuf>,

    /// The nodes of the search for a win, and of the first search after each other move.
    #[arg(long, value_name = "N", default_value_t = 20_000,
          value_parser = clap::value_parser!(u64).range(1..1 << 53))]
    nodes: u64,

    /// The nodes of the last search after each other move of which shorter ones prove nothing.
    #[arg(long, value_name = "N", default_value_t = 2_000_000,
          value_parser = clap::value_parser!(u64).range(1..1 << 53))]
    judge_nodes: u64,

    /// The greatest number of moves of which nothing is proven; a position with more is no puzzle.
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u64).range(..1000))]
    unproven: u64,

    /// Write only puzzles of these grades, comma-separated [default: all].
    #[arg(long, value_name = "GRADES", value_delimiter = ',', value_parser = grades())]
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
    language: LanguageArgs,

    #[command(flatten)]
    encoding: EncodingArgs,

    #[command(flatten)]
    board: BoardArgs,

    #[command(flatten)]
    pool: PoolArgs,
}

/// Returns the formats that are written.
fn formats() -> Vec<OutputFormat<Format>> {
    let of = |format, summary| OutputFormat { summary, ..OutputFormat::of(format, format) };
    vec![
        of(Format::SGF, "The Smart Game Format, a game for each puzzle"),
        of(Format::JSONL, "An object of JSON on each line"),
    ]
}

/// Returns the parser of a grade.
fn grades() -> impl TypedValueParser<Value = Grade> {
    let help = |grade: Grade| match grade {
        Grade::Easy => "Level 2 finds the first move, or the sum of the manual is at most 16",
        Grade::Medium => "The sum is 17 to 24",
        Grade::Hard => "The sum is more than 24",
    };
    let value = |grade: Grade| PossibleValue::new(grade.name()).help(help(grade));
    let known = |name: String| Grade::ALL.into_iter().find(|grade| grade.name() == name);
    PossibleValuesParser::new(Grade::ALL.map(value))
        .map(move |name| known(name).unwrap_or(Grade::Easy))
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let to = formats::chosen(&formats(), args.to, &args.out)?;
    let target = target_of(&args.out, args.force)?;
    let folder = args.journal_folder(&target)?;
    let (games, refused, left_out) = args.games()?;
    let positions = Positions::of(&games).map_err(anyhow::Error::msg)?;
    let count = games.len();
    let options = args.options(folder)?;
    let puzzles = search(games, positions, options, &Terminal).map_err(ended)?;
    let language = args.language.language();
    let bytes = if to == Format::SGF { puzzles.sgf(language) } else { puzzles.jsonl() };
    write_output(&target, &args.out, &bytes.map_err(anyhow::Error::msg)?)?;
    let summary = format!("{}, games: {count}: {}", puzzles.summary(), args.out.display());
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

    fn options(&self, folder: PathBuf) -> Result<PuzzleOptions, Refusal> {
        let workers = self.pool.workers()?;
        let settings = Settings::default()
            .with_hash_mib(workers.hash_mib)
            .with_threads(workers.threads)
            .with_own_book(false);
        let grades = if self.grade.is_empty() { Grade::ALL.to_vec() } else { self.grade.clone() };
        let wanted =
            Wanted { grades, limit: self.limit.map_or(usize::MAX, |limit| limit as usize) };
        let workers = workers.count(cores());
        let effort =
            Effort { nodes: self.nodes, judge_nodes: self.judge_nodes, unproven: self.unproven };
        Ok(PuzzleOptions { folder, settings, effort, workers, wanted })
    }

    /// Reads the games of files and folders. What cannot be read is reported, or with `--strict` refused.
    /// Returns the games, the number of games and files that were refused, and the number of games of
    /// another variant.
    fn games(&self) -> anyhow::Result<(Vec<Arc<Game>>, usize, usize)> {
        let mut reader = Reader::new(&self.board, self.strict).leaving_out();
        let (mut games, mut errors) = (Vec::new(), Vec::new());
        for path in files_of(&self.collection, &self.out)? {
            match add_file(&path, &mut reader, self, &mut games) {
                Err(why) if self.strict || !why.is::<Refusal>() => return Err(why),
                Err(why) => errors.push(why),
                Ok(()) => {}
            }
        }
        if games.is_empty() && reader.left_out == 0 && !errors.is_empty() {
            return Err(errors.swap_remove(0));
        }
        errors.iter().for_each(|why| report(&why.to_string()));
        Ok((games, reader.refused + errors.len(), reader.left_out))
    }
}

/// Adds the games of a file. The error is that of the file, or of its only game.
fn add_file(
    path: &Path,
    reader: &mut Reader<'_>,
    args: &Args,
    games: &mut Vec<Arc<Game>>,
) -> anyhow::Result<()> {
    let file = path.display().to_string();
    let options = args.encoding.options()?.skips_bad_games(!args.strict);
    let collection = read_games(path, options, &args.board)?;
    reader.read(&file, &collection, |game| {
        let played = game.played.into_iter();
        let game = |(spec, line)| Game::new(&file, game.number, spec, &line);
        games.extend(played.map(game).map(Arc::new));
        Ok(())
    })?;
    Ok(())
}

/// Returns the files to read: those that the user named, and in folders all files of records but
/// `out`, in the order of their names.
fn files_of(paths: &[PathBuf], out: &Path) -> Result<Vec<PathBuf>, Refusal> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let before = files.len();
        add_folder(path, out, &mut files)?;
        if files.len() == before {
            let known = Format::all().flat_map(|format| format.extensions()).copied();
            let known = known.collect::<Vec<_>>().join(", .");
            let why = format!("{}: the folder has no file .{known}", path.display());
            return Err(Refusal(why));
        }
    }
    Ok(files)
}

fn add_folder(folder: &Path, out: &Path, files: &mut Vec<PathBuf>) -> Result<(), Refusal> {
    let unreadable = |error| Refusal::unreadable(folder, &error);
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let mut paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<Vec<PathBuf>>>()
        .map_err(unreadable)?;
    paths.sort();
    for path in paths {
        // A link to a folder could lead back to it.
        if path.is_dir() && !path.is_symlink() {
            add_folder(&path, out, files)?;
        } else if path.is_file() && path != out && is_of_records(&path) {
            files.push(path);
        }
    }
    Ok(())
}

fn is_of_records(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(Format::is_extension) && !path.ends_with(journal::FILE)
}
