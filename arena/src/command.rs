//! The command line of `tengen arena`: its subcommands, their results and exit statuses.
//!
//! Nothing is printed here: texts go to a [`Console`], and a command returns its status.

mod counts;
mod help;
#[cfg(target_os = "linux")]
mod run;

use std::net::SocketAddr;

use tengen_engine::backend::Catalog;
#[cfg(not(target_os = "linux"))]
use tengen_engine::text::quotable;
use tengen_runs::{End, Error};

pub use self::counts::{elo, sprt};
pub use self::help::help;
use crate::config::ConfigError;
use crate::stats::sprt::Hypothesis;
use crate::tally::TestProgress;

/// How a command ends, with the exit status of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// The command succeeded; a sequential test accepted H1.
    Done = 0,
    /// Nothing was played: the command line, a file, an engine or an opening was refused.
    Refused = 1,
    /// There were warnings, and `-strict` is on.
    Warnings = 2,
    /// An engine failed too often, or games were left out.
    Failures = 3,
    /// The run folder is locked, damaged or changed.
    Folder = 4,
    /// Something could not be written.
    Write = 5,
    /// A sequential test accepted H0.
    H0 = 10,
    /// A sequential test ended without a decision.
    NoDecision = 11,
    /// Ctrl-C ended the run.
    Interrupted = 130,
}

impl Status {
    /// Returns the exit status of the program.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Returns the status of a run with this end. `test` is its sequential test. `warns` says that
    /// `-strict` is on and there were warnings.
    pub fn of(end: End, test: Option<&TestProgress>, warns: bool) -> Self {
        match (end, test.map(|test| test.decision)) {
            (End::Interrupted, _) => Self::Interrupted,
            (End::Failures, _) => Self::Failures,
            (End::Done, Some(None)) => Self::NoDecision,
            (End::Done, Some(Some((Hypothesis::H0, _)))) => Self::H0,
            (End::Done, _) if warns => Self::Warnings,
            (End::Done, _) => Self::Done,
        }
    }
}

/// Why a command failed, in one line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The exit status.
    pub status: Status,
    /// The message for the user.
    pub message: String,
}

impl Failure {
    /// Creates a failure with the status [`Status::Refused`].
    pub fn refused(message: impl Into<String>) -> Self {
        Self { status: Status::Refused, message: message.into() }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::refused(error.to_string())
    }
}

/// A refusal of what the user asked for, with a message as of `format!`.
macro_rules! refusal {
    ($($text:tt)*) => { crate::command::Failure::refused(format!($($text)*)) };
}
pub(crate) use refusal;

/// Refuses what the user asked for, with a message as of `format!`.
macro_rules! refuse {
    ($($text:tt)*) => { Err(crate::command::refusal!($($text)*)) };
}
pub(crate) use refuse;

/// How a command ends: with a status, or early.
type Ended = Result<Status, Failure>;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let status = match error {
            Error::Io { .. } => Status::Write,
            Error::Locked { .. }
            | Error::Damaged { .. }
            | Error::Replaced(_)
            | Error::OtherRun(_) => Status::Folder,
            Error::NoTransport(_) => Status::Refused,
            Error::Broken(_) => Status::Failures,
        };
        Self { status, message: error.to_string() }
    }
}

/// The output of a command, and the source of interruptions.
pub trait Console {
    /// Prints the result of a command to standard output.
    fn print(&mut self, text: &str) -> std::io::Result<()>;

    /// Writes a note or a warning to standard error.
    fn print_note(&mut self, text: &str);

    /// Returns whether standard output is a terminal.
    fn is_live(&self) -> bool;

    /// Returns the width of a line, in characters.
    fn width(&self) -> usize;

    /// Shows lines at the bottom of the terminal, in place of the lines of the last call.
    fn show(&mut self, lines: &[String]);

    /// Sets the callback for interruptions by the user.
    fn on_interrupt(&mut self, callback: Box<dyn Fn() + Send + Sync>);

    /// Serves the page of a run at an address until the program ends, and returns its URL. `answer`
    /// returns the data at a path; `None` if there are none.
    fn serve_run(&mut self, _address: SocketAddr, _answer: RunAnswers) -> Result<String, String> {
        Err(NO_PAGE.to_owned())
    }

    /// Returns the page of a run in one file. `run` is the run in JSON.
    fn run_file(&self, _run: &str) -> Result<String, String> {
        Err(NO_PAGE.to_owned())
    }
}

/// Returns the data of a run at a path, in JSON; `None` if there are none.
pub type RunAnswers = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Why a console shows no page.
const NO_PAGE: &str = "this program has no pages: build it with --features serve";

/// What a command works with.
#[cfg(target_os = "linux")]
struct Context<'a> {
    catalog: &'static dyn Catalog,
    console: &'a mut dyn Console,
}

#[cfg(target_os = "linux")]
impl Context<'_> {
    /// Prints a note or a warning.
    fn note(&mut self, text: &str) {
        self.console.print_note(text);
    }

    /// Prints the result of a command. An error of the output is a failure.
    fn print(&mut self, text: &str) -> Ended {
        print(self.console, text)
    }
}

/// The subcommands, for messages.
const COMMANDS: &str = "resume, report, show, check, openings, rate, spsa, sprt, elo";

/// Runs the command that `args` name.
pub fn execute(
    args: &[String],
    catalog: &'static dyn Catalog,
    console: &mut dyn Console,
) -> Result<Status, Failure> {
    let Some((first, rest)) = args.split_first() else {
        return refuse!(
            "options such as -engine, a tournament file, or one of {COMMANDS} expected"
        );
    };
    match first.as_str() {
        "sprt" => print(console, &sprt(rest)?),
        "elo" => print(console, &elo(rest)?),
        #[cfg(target_os = "linux")]
        _ => run::execute(first, args, &mut Context { catalog, console }),
        #[cfg(not(target_os = "linux"))]
        word => {
            // Only matches use the catalogue.
            let _ = catalog;
            refuse!(
                "\"{}\": on this system there are sprt and elo only; matches need Linux (on Windows: WSL)",
                quotable(word)
            )
        }
    }
}

/// Prints `text` and returns [`Status::Done`]. An error of the output is a failure.
fn print(console: &mut dyn Console, text: &str) -> Ended {
    console.print(text).map_err(Error::at("standard output".as_ref()))?;
    Ok(Status::Done)
}
