//! `tengen play`: a game in the terminal.

use std::fmt::Display;
use std::io::{self, BufReader, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::Context;
use clap::builder::PossibleValuesParser;
use tengen_engine::backend::{Backend, Catalog, Event, Sink};
use tengen_engine::wrapper::CatalogWrapper;
use tengen_engine::{Client, GameSpec, Limits, Settings, Strength};
use tengen_games::CATALOG;
use tengen_proofs::is_proof;
use tengen_runs::files::Target;
use tengen_terminal::{
    Files, GameSetup, Humans, Keeping, Look, PlayError, Resumed, SeatedGame, TimeControl, plain,
    read_record_with, resume, screen,
};

use crate::board::{BoardArgs, position};
use crate::exit_status::{NO_THREAD, Refusal, WRITE_FAILED, ignore_broken_pipe, refuse};
use crate::files::{looks_like_moves, read_bytes, state_folder};
use crate::games::GAMES;
use crate::proof_book::{read_proof, with_proof};
use crate::record_files::{EncodingArgs, game_of, read_games};
use crate::search_args::{SearchArgs, open_book};

/// The default level.
const DEFAULT_LEVEL: u8 = 4;

const EXAMPLES: &str = include_str!("help/play.txt").trim_ascii_end();

/// Play against the engine, or look at a game, in the terminal.
///
/// Without a terminal, or with --plain, it reads typed moves and writes a sentence for each event.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A record to look at, in any format that `tengen convert` reads.
    #[arg(value_name = "FILE", conflicts_with_all = ["moves", "fen", "swap2", "opening", "resume"])]
    record: Option<PathBuf>,

    #[command(flatten)]
    encoding: EncodingArgs,

    #[command(flatten)]
    board: BoardArgs,

    /// Moves to play first, blank-separated: h8, or where stones fall d or 4.
    #[arg(long, value_name = "MOVES", conflicts_with_all = ["swap2", "opening", "resume"])]
    moves: Option<String>,

    /// The position to start from, as "d" prints it.
    #[arg(long, value_name = "FEN", conflicts_with_all = ["swap2", "opening", "resume"])]
    fen: Option<String>,

    /// Which side you play: the engine plays the other. "both" is for two people, "none" has the
    /// engine play itself [default: first; both with a record; as before with --resume].
    #[arg(long, value_name = "SIDE", value_parser = sides())]
    side: Option<String>,

    /// How strong the engine plays; 10 is full strength [default: 4].
    #[arg(long, value_name = "N",
          value_parser = clap::value_parser!(u8).range(0..=i64::from(Strength::FULL)))]
    level: Option<u8>,

    /// Random seed for levels below 10 [default: a new one each time].
    #[arg(long, value_name = "N")]
    seed: Option<u32>,

    /// Begin with an opening rule, such as swap2, rif or taraguchi10, in which the players choose
    /// their sides.
    #[arg(long, value_name = "RULE")]
    opening: Option<String>,

    /// Begin with a swap2 opening, as with --opening swap2.
    #[arg(long, conflicts_with = "opening")]
    swap2: bool,

    /// Seconds that you have for each move; the engine takes less.
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: Option<u64>,

    /// Minutes that each side has for the game, and seconds that each of its moves adds: 10+5.
    #[arg(long, value_name = "MIN+SEC", conflicts_with = "seconds", value_parser = game_clock)]
    clock: Option<TimeControl>,

    /// Milliseconds for each search of the engine [default: 3000 at level 10, 1000 for a hint].
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,

    /// Plies that the engine searches.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,

    /// Nodes that the engine searches.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    #[command(flatten)]
    search: SearchArgs,

    /// Play without an opening book.
    #[arg(long)]
    no_book: bool,

    /// The proof that the engine plays from, as "tengen prove" writes it, or another book of the game.
    #[arg(long, value_name = "FILE", conflicts_with = "no_book")]
    book: Option<PathBuf>,

    /// Continue the game that was kept when the program ended.
    #[arg(long)]
    resume: bool,

    /// Read typed moves and write sentences, as for pipes and screen readers.
    #[arg(long)]
    plain: bool,

    /// Draw with ASCII characters only: stones are X and O.
    #[arg(long)]
    ascii: bool,

    /// Do not capture the mouse.
    #[arg(long)]
    no_mouse: bool,
}

fn sides() -> PossibleValuesParser {
    Humans::ALL.map(|(name, _)| name).into()
}

/// Reads a clock such as `10+5` or `3`.
fn game_clock(text: &str) -> Result<TimeControl, String> {
    let (minutes, seconds) = text.split_once('+').unwrap_or((text, "0"));
    let number =
        |text: &str| text.parse::<f64>().ok().filter(|number| (0.0..=1440.0).contains(number));
    match number(minutes).zip(number(seconds)).filter(|(minutes, _)| *minutes > 0.0) {
        Some((minutes, seconds)) => Ok(TimeControl::Game {
            base: Duration::from_secs_f64(minutes * 60.0),
            increment: Duration::from_secs_f64(seconds),
        }),
        None => {
            Err("needs minutes for the game and seconds for each move, such as 10+5".to_owned())
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let setup = args.setup()?;
    let is_plain = args.plain || !has_screen();
    if is_plain {
        return args.play_plain(setup);
    }
    if setup.game.spec().grid.is_none() {
        let variant = setup.game.spec().variant;
        refuse!("{variant} has no board to show on a screen: --plain plays it in words");
    }
    let mut look = Look::of_process();
    look.is_ascii |= args.ascii;
    let message = screen::run(setup, keeping(), look, !args.no_mouse);
    if let Some(message) = message.map_err(|error| failure(error, "the terminal failed"))? {
        crate::exit_status::print(format!("{message}\n"))?;
    }
    Ok(())
}

/// Returns the message for a game that cannot go on; `output` is that for a lost output.
fn failure(error: PlayError, output: &'static str) -> anyhow::Error {
    match error {
        PlayError::Thread(error) => anyhow::Error::new(error).context(NO_THREAD),
        PlayError::Output(error) => anyhow::Error::new(error).context(output),
    }
}

/// Returns whether there is a terminal that can show a screen.
fn has_screen() -> bool {
    let term = std::env::var_os("TERM");
    let is_dumb = cfg!(unix) && term.is_none_or(|term| term.is_empty() || term == "dumb");
    !is_dumb && io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// The games, each with a book from a file that is no proof.
struct WithBook(PathBuf);

impl CatalogWrapper for WithBook {
    fn inner(&self) -> &dyn Catalog {
        &GAMES
    }

    fn open(&self, spec: &GameSpec, settings: &Settings, sink: Sink) -> Box<dyn Backend> {
        let mut backend = Catalog::open(&GAMES, spec, settings, sink.clone());
        if let Err(why) = backend.open_book(Some(&self.0)) {
            sink(Event::Note(format!("{}: {why}", self.0.display())));
        }
        backend
    }
}

/// Opens a book for `game`, and returns the games with it. They live as long as the program.
fn with_book(file: &Path, game: &GameSpec) -> anyhow::Result<&'static dyn Catalog> {
    let refusal = |why: &dyn Display| Refusal(format!("--book {}: {why}", file.display()));
    if is_proof(file).map_err(|error| refusal(&error))? {
        let book = read_proof(file)?.check_game(game).map_err(|error| refusal(&error))?;
        return Ok(with_proof(book));
    }
    let settings = Settings::default().with_hash_mib(1);
    open_book(&mut Client::of(&GAMES, game, &settings)?, file)?;
    Ok(Box::leak(Box::new(WithBook(file.to_owned()))))
}

impl Args {
    fn play_plain(&self, setup: GameSetup) -> anyhow::Result<()> {
        let input = Box::new(BufReader::new(io::stdin()));
        let is_scripted = !io::stdin().is_terminal();
        // A script must not overwrite the kept game of its user.
        let keeping = if is_scripted { Keeping::Off } else { keeping() };
        let played = plain::run(setup, keeping, input, &mut io::stdout(), is_scripted);
        match played {
            Err(PlayError::Output(error)) => ignore_broken_pipe(Err(error)).context(WRITE_FAILED),
            other => other.map_err(|error| failure(error, WRITE_FAILED)),
        }
    }

    fn setup(&self) -> anyhow::Result<GameSetup> {
        let (mut game, message) = self.game()?;
        let book = self.book.as_deref().map(|file| with_book(file, game.spec())).transpose()?;
        let time = self.clock.or(self.seconds.map(Duration::from_secs).map(TimeControl::Move));
        let defaults = match () {
            () if self.resume => resume(&mut game, time),
            () if self.record.is_some() => Resumed { humans: Humans::Both, level: None, time },
            () => Resumed { humans: Humans::First, level: None, time },
        };
        let named = |side: &String| Humans::ALL.iter().find(|(name, _)| name == side);
        let humans =
            self.side.as_ref().and_then(named).map_or(defaults.humans, |(_, humans)| *humans);
        Ok(GameSetup {
            catalog: book.unwrap_or(&CATALOG),
            game,
            message,
            humans,
            level: self.level.or(defaults.level).unwrap_or(DEFAULT_LEVEL),
            limits: self.limits(),
            settings: self.settings()?,
            time: defaults.time,
            files: Files {
                read: tengen_runs::files::read,
                check: |path| Target::of(path)?.check(),
                write: tengen_runs::files::write,
            },
        })
    }

    /// Returns the game to begin with, and a message about it.
    fn game(&self) -> anyhow::Result<(SeatedGame, Option<String>)> {
        let kept = if self.resume { Some(resumed()?) } else { None };
        if let Some(path) = self.record.as_ref().or(kept.as_ref()) {
            let (mut game, message) = self.read(path)?;
            if self.side.is_some() && !self.resume {
                game.go_to_end();
            }
            return Ok((game, Some(message)));
        }
        let spec = self.board.game()?.spec()?;
        let (option, name) = match &self.opening {
            Some(name) => ("--opening", Some(name.as_str())),
            None => ("--swap2", self.swap2.then_some("swap2")),
        };
        let rule = name.map(|name| CATALOG.opening_rule(&spec, name)).transpose();
        let rule = rule.map_err(|why| Refusal(format!("{option}: {why}")))?;
        let moves = self.moves.as_deref().unwrap_or_default();
        let position = position(&spec, self.fen.as_deref(), moves)?;
        Ok((SeatedGame::new(position, rule), None))
    }

    fn read(&self, path: &Path) -> anyhow::Result<(SeatedGame, String)> {
        let name = path.display().to_string();
        if looks_like_moves(path) {
            let why = "there is no such file; moves are given by --moves";
            refuse!("{name}: {why} \"{name}\"");
        }
        let spec = match self.board.named_game()? {
            Some(_) => {
                let games = read_games(path, self.encoding.options()?, &self.board)?;
                let first = games.records().first();
                first.map(|record| game_of(record, &self.board, &name)).transpose()?
            }
            None => None,
        };
        let spec = spec.map(|(spec, _)| spec);
        let options = self.encoding.options()?;
        let read = read_record_with(&name, &read_bytes(path)?, options, &CATALOG, spec.as_ref());
        Ok(read.map_err(Refusal)?)
    }

    fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        limits.depth = self.depth;
        limits.nodes = self.nodes;
        limits.movetime = self.movetime.map(Duration::from_millis);
        limits
    }

    fn settings(&self) -> Result<Settings, Refusal> {
        let seed = self.seed.unwrap_or_else(random_seed);
        let strength = Strength::default().with_seed(seed);
        Ok(self.search.settings(!self.no_book)?.with_strength(strength))
    }
}

/// Returns the file of the game in progress, which `--resume` reads; `None` if the system names no
/// folder for it.
fn kept_game() -> Option<PathBuf> {
    Some(state_folder()?.join("last-game.sgf"))
}

/// Returns where the game in progress is kept.
fn keeping() -> Keeping {
    kept_game().map_or(Keeping::Nowhere, Keeping::In)
}

/// Returns the file of the kept game.
fn resumed() -> Result<PathBuf, Refusal> {
    let none =
        || Refusal("--resume: no game was kept; without --resume a new one begins".to_owned());
    kept_game().filter(|path| path.is_file()).ok_or_else(none)
}

/// Returns a different seed each time.
fn random_seed() -> u32 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.subsec_nanos() ^ since.as_secs() as u32)
}
