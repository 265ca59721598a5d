//! `tengen analyze`: a position or a whole game, looked at by the engine.
//!
//! What is looked at is read in `source` (a record with `sgf`, `ru` and `record`, a board with
//! `stones`), searched by `analyst` and shown by `show`; games are judged in `review` and drawn in
//! `plot`.

mod analyst;
mod plot;
mod record;
mod review;
mod ru;
mod setup;
mod sgf;
mod show;
mod source;
mod stones;
mod words;

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use tengen_engine::backend::Settings;
use tengen_engine::{Limits, Report};

use crate::board::{BoardArgs, Game};
use crate::exit_status::{Refusal, warn};
use crate::search_args::{Books, SearchArgs};
use crate::serve::table_mib;
use analyst::Analyst;
use record::RecordFile;
use review::Review;
use show::Show;
use source::Source;

/// How long a position is searched when nothing else is asked for.
const USUAL_TIME: Duration = Duration::from_secs(3);
/// The same for each position of a game.
const USUAL_TIME_IN_GAMES: Duration = Duration::from_millis(500);
/// How many moves of a position are ranked.
const USUAL_LINES: u16 = 3;

const EXAMPLES: &str = "\
Scores are in hundredths for the side to move, as the evaluation sees them; \"win in 5\" is a proven
win with the fifth ply from here. Stones are X for the first player and O for the second.

Examples:
  tengen analyze --moves 'd1 d2 d3' --movetime 500
      three moves into four in a row, for half a second
  tengen analyze --variant gomoku --moves 'h8 i9' --nodes 20000 --multipv 5
      the five best moves of a gomoku opening
  tengen analyze --variant tictactoe --fen 'p2/1P1/3 w' --depth 9 --json
      a position in text; one JSON object a line
  tengen analyze --variant custom --width 9 --height 7 -k 5 --depth 8
      a board of another size
  tengen analyze --sgf game.sgf --depth 6
      the last position of a game record
  tengen analyze --board board.txt --depth 6
      a board as Gomocup managers send it: lines of column,row,field
  tengen analyze --game game.sgf --nodes 5000
      every move of a game; writes game.annotated.sgf and game.svg, of several games game.1.svg...";

/// Analyse a position, or every move of a game.
///
/// The position is the starting one unless --fen, --moves, --sgf or --board tells another. The
/// search ends when the position is solved, or at the first of the limits given; without one,
/// after three seconds, in a game after half a second for each position.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    board: BoardArgs,

    /// Moves to play first, blank-separated: h8, or where stones fall d or 4.
    #[arg(long, value_name = "MOVES", conflicts_with_all = ["sgf", "board_file", "game"])]
    moves: Option<String>,

    /// The position to start from, as "d" prints it.
    #[arg(long, value_name = "FEN", conflicts_with_all = ["sgf", "board_file", "game"])]
    fen: Option<String>,

    /// The position at the end of the first game of this record; `-` is standard input.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["board_file", "game"])]
    sgf: Option<PathBuf>,

    /// The position of this board in Gomocup's form; `-` is standard input.
    #[arg(long = "board", value_name = "FILE", conflicts_with = "game")]
    board_file: Option<PathBuf>,

    /// Judge every move of every game of this record; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    game: Option<PathBuf>,

    /// Where the annotated record goes [default: FILE.annotated.sgf].
    #[arg(long, value_name = "FILE", requires = "game")]
    out: Option<PathBuf>,

    /// Where the plot goes [default: FILE.svg].
    #[arg(long, value_name = "FILE", requires = "game")]
    svg: Option<PathBuf>,

    /// Milliseconds for each position.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,

    /// Plies to search.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,

    /// Nodes to search.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// How many moves to rank [default: 3, in a game 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=676))]
    multipv: Option<u16>,

    #[command(flatten)]
    search: SearchArgs,

    #[command(flatten)]
    books: Books,

    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let done = match &args.game {
        Some(path) => args.review(path),
        None => args.position(),
    };
    match done {
        // A reader of ours who left has read enough.
        Err(error) if is_closed(&error) => Ok(()),
        done => done,
    }
}

fn is_closed(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<io::Error>();
    io.is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}

impl Args {
    fn position(&self) -> anyhow::Result<()> {
        let source = self.source()?;
        let mut analyst = self.analyst(&source, USUAL_LINES)?;
        let setup = source.setup(analyst.position())?;
        analyst.set_up(&setup, setup.moves.len())?;
        let mut show = Show::new(self.json);
        show.position(analyst.position())?;
        if analyst.position().outcome().is_some() {
            return Ok(());
        }
        let mut last: Vec<Report<String>> = Vec::new();
        let answer = analyst.search(&self.limits(USUAL_TIME), &mut |report| {
            last.truncate(report.line - 1);
            last.push(report.clone());
            Ok(show.report(report)?)
        })?;
        Ok(show.answer(&answer, &last)?)
    }

    fn review(&self, path: &Path) -> anyhow::Result<()> {
        let [out, svg] = self.outputs(path)?;
        let file = RecordFile::read(path)?;
        let games = file.games();
        let count = games.len();
        let mut remarks = Vec::new();
        for (index, record) in games.enumerate() {
            let source = Source::Record(record);
            let mut analyst = self.analyst(&source, 1)?;
            let setup = source.setup(analyst.position())?;
            review::announce(analyst.spec(), index + 1, count, self.json)?;
            if setup.moves.is_empty() && count > 1 {
                remarks.push(Vec::new());
                continue;
            }
            let limits = self.limits(USUAL_TIME_IN_GAMES);
            let review = Review::of(&mut analyst, &setup, &limits, self.json)?;
            remarks.push(review.remarks(&setup.nodes));
            let svg = if count > 1 { numbered(&svg, index + 1) } else { svg.clone() };
            // Whoever ends the program early has the games so far.
            write(&out, &file.with(&remarks))?;
            write(&svg, plot::plot(&review).as_bytes())?;
            let files = [&out, &svg].map(|path| path.display().to_string());
            review.conclude(self.json, [&files[0], &files[1]])?;
        }
        Ok(())
    }

    fn source(&self) -> anyhow::Result<Source> {
        match (&self.sgf, &self.board_file) {
            (Some(path), _) => {
                let file = RecordFile::read(path)?;
                let mut games = file.games();
                if games.len() > 1 {
                    let (name, count) = (file.name(), games.len());
                    warn(&format!("{name} holds {count} games: the position is of the first one"));
                }
                let first = games.next().context("a file without games")?;
                Ok(Source::Record(first))
            }
            (None, Some(path)) => Source::sheet(path),
            (None, None) => {
                let moves = self.moves.clone().unwrap_or_default();
                Ok(Source::Text { start: self.fen.clone(), moves })
            }
        }
    }

    /// The game that was asked for, else the one that the source is from.
    fn game_of(&self, source: &Source) -> Result<Game, Refusal> {
        let mut board = self.board.clone();
        if board.variant.is_none()
            && let Some(rule) = source.rule()?
        {
            rule.warning.iter().for_each(|warning| warn(warning));
            board.variant = Some(rule.variant.to_owned());
            board.no_overline |= !rule.overline && board.takes_overline();
        }
        let (columns, rows) = source.size()?.unzip();
        let is_sized = board.takes_sizes();
        board.width = board.width.or(columns.filter(|_| is_sized));
        board.height = board.height.or(rows.filter(|_| is_sized));
        board.game()
    }

    fn analyst(&self, source: &Source, usual_lines: u16) -> Result<Analyst, Refusal> {
        let settings = self.settings(usual_lines)?;
        Analyst::open(&self.game_of(source)?, &settings, &self.books)
    }

    fn settings(&self, usual_lines: u16) -> Result<Settings, Refusal> {
        let lines = self.multipv.unwrap_or(usual_lines);
        Ok(Settings {
            hash_mib: table_mib(self.search.hash)?,
            threads: self.search.threads.into(),
            multi_pv: lines.into(),
            own_book: self.books.are_open(),
            ..Settings::default()
        })
    }

    fn limits(&self, usual: Duration) -> Limits {
        let movetime = self.movetime.map(Duration::from_millis);
        let is_limited = movetime.is_some() || self.depth.is_some() || self.nodes.is_some();
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            movetime: movetime.or((!is_limited).then_some(usual)),
            ..Limits::default()
        }
    }

    /// Where the record and the plot go; never over the game itself.
    fn outputs(&self, game: &Path) -> Result<[PathBuf; 2], Refusal> {
        let base = if game == Path::new("-") { Path::new("game.sgf") } else { game };
        let record = self.out.clone().unwrap_or_else(|| base.with_extension("annotated.sgf"));
        let plot = self.svg.clone().unwrap_or_else(|| base.with_extension("svg"));
        for path in [&record, &plot] {
            if path == game {
                return Err(Refusal(format!("{} would be overwritten", game.display())));
            }
        }
        Ok([record, plot])
    }
}

/// The path with a number before its extension.
fn numbered(path: &Path, number: usize) -> PathBuf {
    match path.extension() {
        Some(extension) => path.with_extension(format!("{number}.{}", extension.display())),
        None => path.with_extension(number.to_string()),
    }
}

fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}
