//! `tengen analyze`: searches a position, or judges a whole game.
//!
//! The input is read in `source`, and a search is shown by `show`. Games are judged in `review`.
//! `outputs` knows the files that are written.
//!
//! The command asks the engine and not a JSON session: its text has depth, nodes and time of every line, and a review
//! adds its remarks to the bytes of the file. `tengen_protocol` writes the replies and judges the moves for both.

mod outputs;
mod review;
mod show;
mod source;
mod threats;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tengen_engine::text::quotable;
use tengen_engine::{BoardOption, Client, GameSpec, Limits, Move, Position, Query, Strength};
use tengen_protocol::judge::comments::Annotator;
use tengen_protocol::judge::plot::plot;
use tengen_protocol::judge::report::{ReportGame, report};
use tengen_records::{Collection, Record, Remark};

use crate::annotation::AnnotationArgs;
use crate::board::{BoardArgs, ChosenGame, search};
use crate::exit_status::{Refusal, Unfinished, is_broken_pipe, refuse, warn};
use crate::interrupt::{interruptible, is_interrupted};
use crate::objects;
use crate::record_files::{
    EncodingArgs, Warnings, declare, game_name, game_of, read_games, refusal, warning,
};
use crate::search_args::{Books, SearchArgs};
use outputs::{Outputs, PLOT, REPORT};
use review::Review;
use show::Show;
use source::{SetUp, Source};

/// The time for a position without limits.
const DEFAULT_TIME: Duration = Duration::from_secs(3);
/// The time for each position of a game without limits.
const DEFAULT_TIME_IN_GAMES: Duration = Duration::from_millis(500);
/// The number of moves that are ranked by default.
const DEFAULT_LINES: u16 = 3;

const EXAMPLES: &str = include_str!("help/analyze.txt").trim_ascii_end();

/// Analyse a position, or every move of a game.
///
/// The position is the starting one unless --fen, --moves, --sgf or --board names another. The
/// search ends when the position is solved, or at the first of the limits given. Without a limit it
/// ends after three seconds, and with --game after half a second for each position. Ctrl-C ends it
/// with what is best so far, and a game with the moves judged so far.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    encoding: EncodingArgs,

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

    /// Where the annotated record goes; `-` is standard output [default: FILE.annotated.sgf; for
    /// standard input nowhere].
    #[arg(long, value_name = "FILE", requires = "game")]
    out: Option<PathBuf>,

    /// Write a plot of the chances, too [without a name: FILE.svg; of several games FILE.1.svg...].
    #[arg(long, value_name = "FILE", requires = "game")]
    svg: Option<Option<PathBuf>>,

    /// Write a report to print, too [without a name: FILE.html; of several games FILE.1.html...].
    #[arg(long, value_name = "FILE", requires = "game")]
    report: Option<Option<PathBuf>>,

    /// Write no plot: that is what happens without --svg.
    #[arg(long, hide = true, requires = "game", conflicts_with = "svg")]
    no_svg: bool,

    /// Overwrite existing files.
    #[arg(long, requires = "game")]
    force: bool,

    #[command(flatten)]
    annotation: AnnotationArgs,

    /// Judge no game after one that cannot be read or played [default: judge the others].
    #[arg(long, requires = "game")]
    strict: bool,

    /// Search until the position is solved, or until Ctrl-C.
    #[arg(long, conflicts_with_all = ["movetime", "depth", "nodes", "mate", "game"])]
    infinite: bool,

    /// Milliseconds for each position.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,

    /// Plies to search.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,

    /// Nodes to search.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Search for a win within so many plies.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=676))]
    mate: Option<u32>,

    /// Search only these moves, in the spelling of --moves.
    #[arg(long, value_name = "MOVES", conflicts_with = "game")]
    searchmoves: Option<String>,

    /// List the threats of both sides in place of a search: fives, fours, open threes, and all moves
    /// that win by continuous fours.
    #[arg(long, conflicts_with_all = ["game", "infinite", "movetime", "depth", "nodes", "mate",
          "searchmoves", "level", "multipv"])]
    threats: bool,

    /// How strong to play, from 0 to 10; "best" is the choice of the level [default: 10].
    #[arg(long, value_name = "N", conflicts_with = "game",
          value_parser = clap::value_parser!(u8).range(0..=10))]
    level: Option<u8>,

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
        None => args.refuse_game_options().and_then(|()| args.position()),
    };
    match done {
        // A closed output is not an error: its reader has read enough.
        Err(error) if is_broken_pipe(&error) => Ok(()),
        done => done,
    }
}

impl Args {
    /// Refuses options that need `--game` when it is absent. clap does not: it skips `requires` if
    /// a given option, such as `--moves`, conflicts with the required one.
    fn refuse_game_options(&self) -> anyhow::Result<()> {
        let given = [
            ("--out", self.out.is_some()),
            ("--svg", self.svg.is_some()),
            ("--report", self.report.is_some()),
            ("--no-svg", self.no_svg),
            ("--force", self.force),
            ("--no-variations", self.annotation.no_variations),
            ("--language", self.annotation.are_given() && !self.threats),
            ("--strict", self.strict),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            None => Ok(()),
            Some((option, _)) => refuse!("{option} is for --game"),
        }
    }

    fn position(&self) -> anyhow::Result<()> {
        let (mut client, set_up) = self.open(&self.source()?, DEFAULT_LINES)?;
        let position = &*set_up.position;
        let moves = self.search_moves(&set_up)?;
        let most = if moves.is_empty() { position.legal().len() } else { moves.len() };
        let ranked = usize::from(self.multipv.unwrap_or(DEFAULT_LINES)).min(most);
        if self.threats {
            return threats::show(position, self.json, self.annotation.language());
        }
        let mut show = Show::new(self.json, ranked);
        show.position(position)?;
        if position.outcome().is_some() {
            return Ok(());
        }
        show.heading()?;
        let limits = self.limits(DEFAULT_TIME);
        let (mut last, mut shown) = (Vec::new(), Ok(()));
        let query = Query::from(limits.clone()).with_moves(moves).with_listener(|report| {
            last.truncate(report.line - 1);
            last.push(report.clone());
            shown = show.report(position, report);
            if shown.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        let answer = search(&mut client, query)?;
        shown?;
        let ended_by =
            objects::ended_by(&answer, &limits, self.level.is_some_and(|it| it < Strength::FULL));
        Ok(show.answer(position, answer, &last, ended_by)?)
    }

    /// Returns the moves to search; none for all moves, and in a finished game.
    fn search_moves(&self, set_up: &SetUp) -> Result<Vec<Move>, Refusal> {
        let SetUp { position, blocked, .. } = set_up;
        let legal = position.legal();
        if legal.is_empty() {
            return Ok(legal);
        }
        let refusal = |text: &str, why: &str| {
            Refusal(format!("--searchmoves: move \"{}\": {why}", quotable(text)))
        };
        let read = |text: &str| match position.read_move(text) {
            Ok(mv) if legal.contains(&mv) => Ok(mv),
            Ok(_) => Err(refusal(text, "not a legal move")),
            Err(error) => Err(refusal(text, &error.reason())),
        };
        let list = self.searchmoves.as_deref().map(|list| position.split_moves(list));
        let mut moves: Vec<Move> =
            list.iter().flatten().copied().map(read).collect::<Result<_, _>>()?;
        if list.is_some() && moves.is_empty() {
            refuse!("--searchmoves: the list has no move");
        }
        if !blocked.is_empty() {
            moves = if list.is_some() { moves } else { legal };
            moves.retain(|mv| !blocked.contains(mv));
            if moves.is_empty() {
                refuse!("every move is blocked: there is nothing to search");
            }
        }
        Ok(moves)
    }

    fn review(&self, path: &Path) -> anyhow::Result<()> {
        let file = path.display().to_string();
        let games = self.read_games(path, !self.strict)?;
        let count = games.records().len();
        let outputs = Outputs::new(self, path, count)?;
        let annotator = Annotator {
            language: self.annotation.language(),
            varies: !self.annotation.no_variations,
            limits: self.limits(DEFAULT_TIME_IN_GAMES),
        };
        let (mut remarks, mut judged, mut refused) = (Vec::new(), 0, 0);
        for index in 0..count {
            let reviewed = match self.review_game(&games, index, &file, &annotator, &outputs) {
                Err(error) if error.is::<Refusal>() && count > 1 && !self.strict => {
                    refused += 1;
                    outputs.write_refusal(index + 1, &error.to_string())?;
                    None
                }
                reviewed => reviewed?,
            };
            let Some(Reviewed { review, last, remarks: own, psq }) = reviewed else {
                remarks.push(Vec::new());
                continue;
            };
            judged += review.judge.judged().len();
            if !review.judge.judged().is_empty() {
                remarks.push(own);
                // Written after each game, so that an interrupted review keeps the games so far.
                let annotated = || games.to_annotated_sgf(&remarks);
                outputs.write_record(&psq.map_or_else(annotated, String::into_bytes), false)?;
                outputs.write(PLOT, index, || plot(&review.judge, annotator.language))?;
                outputs.write(REPORT, index, || {
                    let (record, limits) = (Some(&games.records()[index]), &annotator.limits);
                    let game = ReportGame { last: &*last, record, limits };
                    report(game, &review.judge, annotator.language)
                })?;
                review.conclude(&outputs, index, last.played().len())?;
            }
            if is_interrupted() {
                break;
            }
        }
        outputs.write_record(&games.to_annotated_sgf(&remarks), true)?;
        if is_interrupted() {
            let why = format!("moves judged: {judged}");
            return Err(Unfinished::Interrupted(why).into());
        }
        if refused > 0 {
            refuse!("{file}: games refused: {refused} of {count}");
        }
        Ok(())
    }

    /// Judges the game at `index`, from 0. Returns `None` for one of several games without moves.
    fn review_game(
        &self,
        games: &Collection,
        index: usize,
        file: &str,
        annotator: &Annotator,
        outputs: &Outputs,
    ) -> anyhow::Result<Option<Reviewed>> {
        let (record, count) = (&games.records()[index], games.records().len());
        let file = game_name(file, index + 1, count);
        if let Some(fault) = games.fault(index) {
            return Err(refusal(&file, fault).into());
        }
        let source = Source::Record { file: file.clone(), record: record.clone() };
        let (mut client, SetUp { position, nodes, .. }) = self.open(&source, 1)?;
        let spec = position.spec();
        let psq = outputs.is_psq().then(|| psq(&file, record, spec)).transpose()?;
        let start = position.start();
        review::print_heading(&*start, index + 1, count, outputs)?;
        if nodes.is_empty() && count > 1 {
            return Ok(None);
        }
        let (limits, game) = (&annotator.limits, index + 1);
        let review =
            interruptible(|_| Review::new(&mut client, &*position, limits, outputs, game))?;
        let remarks = annotator.remarks(record, &nodes, review.judge.judged(), spec);
        Ok(Some(Reviewed { review, last: position, remarks, psq }))
    }

    fn source(&self) -> anyhow::Result<Source> {
        match (&self.sgf, &self.board_file) {
            (Some(path), _) => {
                let (file, games) = (path.display().to_string(), self.read_games(path, true)?);
                if let Some(fault) = games.fault(0) {
                    return Err(refusal(&file, fault).into());
                }
                let mut records = games.into_records();
                if records.len() > 1 {
                    let count = records.len();
                    warn(&format!("{file} holds {count} games: the position is of the first one"));
                }
                Ok(Source::Record { file, record: records.swap_remove(0) })
            }
            (None, Some(path)) => Source::board(path),
            (None, None) => {
                let moves = self.moves.clone().unwrap_or_default();
                Ok(Source::Text { start: self.fen.clone(), moves })
            }
        }
    }

    /// Reads the games of a file, and writes the game that the user named into them.
    /// `skips_bad` is whether the other games are read if one cannot be.
    fn read_games(&self, path: &Path, skips_bad: bool) -> anyhow::Result<Collection> {
        let name = path.display().to_string();
        let options = self.encoding.options()?.skips_bad_games(skips_bad);
        let mut games = read_games(path, options, &self.board)?;
        let _ = Warnings::of(&name, &games);
        declare(&mut games, &self.board, &name, skips_bad)?;
        Ok(games)
    }

    /// Returns the game that the user named, else the game of the source.
    fn game_of(&self, source: &Source) -> Result<ChosenGame, Refusal> {
        if let Source::Record { file, record } = source {
            let (spec, warned) = game_of(record, &self.board, file)?;
            warned.iter().for_each(|fault| warn(&warning(file, fault)));
            return Ok(ChosenGame { variant: spec.variant.to_owned(), chosen: spec.chosen });
        }
        let mut board = self.board.clone();
        if board.variant.is_none()
            && let Some((variant, overlines_win)) = source.rule()
        {
            board.variant = Some(variant.to_owned());
            board.no_overline |= !overlines_win && board.takes(BoardOption::Overline);
        }
        let (columns, rows) = source.size().unzip();
        let is_sized = board.takes(BoardOption::Width);
        board.width = board.width.or(columns.filter(|_| is_sized));
        board.height = board.height.or(rows.filter(|_| is_sized));
        board.game()
    }

    /// Opens the game of `source`, and sets up its position.
    fn open(&self, source: &Source, default_lines: u16) -> anyhow::Result<(Client, SetUp)> {
        let lines = self.multipv.unwrap_or(default_lines);
        let level = Strength::default().with_skill(self.level.unwrap_or(Strength::FULL));
        let settings = self.search.settings(self.books.are_allowed())?;
        let settings = settings.with_multi_pv(lines.into()).with_strength(level);
        let mut client = self.game_of(source)?.client(&settings)?;
        self.books.open(&mut client)?;
        let set_up = source.set_up(client.spec())?;
        client.set_position(set_up.position.duplicate());
        Ok((client, set_up))
    }

    fn limits(&self, default_time: Duration) -> Limits {
        let movetime = self.movetime.map(Duration::from_millis);
        let plies = self.depth.or(self.mate).is_some();
        let is_limited = movetime.is_some() || plies || self.nodes.is_some() || self.infinite;
        let mut limits = Limits::default();
        limits.mate = self.mate;
        limits.depth = self.depth;
        limits.nodes = self.nodes;
        limits.movetime = movetime.or((!is_limited).then_some(default_time));
        limits
    }
}

/// A judged game.
struct Reviewed {
    review: Review,
    /// The position after its moves.
    last: Box<dyn Position>,
    remarks: Vec<Remark>,
    /// The game as PSQ, if it is written so.
    psq: Option<String>,
}

/// Returns a game of `file` as PSQ, and warns that PSQ loses the remarks.
fn psq(file: &str, record: &Record, spec: &GameSpec) -> Result<String, Refusal> {
    let no_grid = || Refusal("this game has no board of points, as PSQ needs".to_owned());
    let psq = record.to_psq(spec.grid.ok_or_else(no_grid)?);
    let psq = psq.map_err(|fault| refusal(file, &fault))?;
    warn("PSQ has no comments: only the moves are written");
    Ok(psq)
}
