//! The command line of `tengen arena`: its subcommands, their results and exit statuses.
//!
//! It prints nothing itself: words go to a [`Console`], a command returns its status.

#[cfg(target_os = "linux")]
mod before;
#[cfg(target_os = "linux")]
mod check;
mod counts;
#[cfg(target_os = "linux")]
mod folder;
#[cfg(target_os = "linux")]
mod openings;
#[cfg(target_os = "linux")]
mod play;
#[cfg(target_os = "linux")]
mod rate;
#[cfg(target_os = "linux")]
mod report;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod tune;

use tengen_engine::backend::Catalog;
use tengen_engine::text::quotable;

pub use self::counts::{elo, sprt};
use crate::config::ConfigError;
use crate::coordinator::{RunEnd, RunError};
use crate::journal::JournalError;
use crate::stats::sprt::Decision;

/// How a command ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Everything was done; in a test, H1 was accepted.
    Done,
    /// Nothing was played: the command line, a file, an engine or an opening was refused.
    Refused,
    /// There were warnings, and they count.
    Warnings,
    /// An engine failed too often.
    Failures,
    /// The run folder is locked, damaged or changed.
    Folder,
    /// Something could not be written.
    Write,
    /// H0 was accepted.
    H0,
    /// A test ended without a decision.
    NoDecision,
    /// Ctrl-C ended the run.
    Interrupted,
}

impl Status {
    /// The exit status of the program.
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Refused => 1,
            Self::Warnings => 2,
            Self::Failures => 3,
            Self::Folder => 4,
            Self::Write => 5,
            Self::H0 => 10,
            Self::NoDecision => 11,
            Self::Interrupted => 130,
        }
    }

    /// The status of a run that ended so. `warns`: whether warnings count and there were some.
    pub const fn of(ending: RunEnd, warns: bool) -> Self {
        match ending {
            RunEnd::Interrupted => Self::Interrupted,
            RunEnd::Failures => Self::Failures,
            RunEnd::Decided(Decision::H0) => Self::H0,
            RunEnd::NoDecision => Self::NoDecision,
            RunEnd::Played | RunEnd::Decided(Decision::H1) if warns => Self::Warnings,
            RunEnd::Played | RunEnd::Decided(Decision::H1) => Self::Done,
        }
    }
}

/// Why a command failed, in one line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// What the program ends with.
    pub status: Status,
    /// The message for the user.
    pub message: String,
}

impl Failure {
    /// A refusal of the command line or of something that it names.
    pub fn refused(message: impl Into<String>) -> Self {
        Self { status: Status::Refused, message: message.into() }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::refused(error.to_string())
    }
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Self {
        let status = match error {
            JournalError::Io { .. } => Status::Write,
            JournalError::Locked { .. } | JournalError::Damaged { .. } => Status::Folder,
        };
        Self { status, message: error.to_string() }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Journal(error) => error.into(),
            RunError::File(error) => Self { status: Status::Write, message: error.to_string() },
            RunError::OtherSchedule(_) => {
                Self { status: Status::Folder, message: error.to_string() }
            }
            RunError::Broken(message) => Self { status: Status::Failures, message },
        }
    }
}

/// Where words go, and where interruptions come from.
pub trait Console {
    /// Prints a text that is what was asked for. The error is that of the output.
    fn print(&mut self, text: &str) -> std::io::Result<()>;

    /// Tells something beside it.
    fn tell(&mut self, text: &str);

    /// Returns whether somebody looks at a terminal.
    fn is_live(&self) -> bool;

    /// Returns how many characters a line has.
    fn width(&self) -> usize;

    /// Shows lines at the bottom of the terminal. They replace the lines of the last call.
    fn show(&mut self, lines: &[String]);

    /// Calls `callback` when the user interrupts the program.
    fn on_interrupt(&mut self, callback: Box<dyn Fn() + Send + Sync>);
}

/// The commands beside a plain run.
const COMMANDS: &str = "resume, report, check, openings, rate, spsa, sprt, elo";

/// Does what the command line asks for.
pub fn execute(
    args: &[String],
    catalog: &dyn Catalog,
    host: &mut dyn Console,
) -> Result<Status, Failure> {
    let Some((first, rest)) = args.split_first() else {
        return Err(Failure::refused(format!(
            "options such as -engine, a tournament file, or one of {COMMANDS} expected"
        )));
    };
    let print = |host: &mut dyn Console, text: String| printed(host, &text).map(|()| Status::Done);
    match first.as_str() {
        "sprt" => print(host, sprt(rest)?),
        "elo" => print(host, elo(rest)?),
        #[cfg(target_os = "linux")]
        "resume" => run::resume(rest, catalog, host),
        #[cfg(target_os = "linux")]
        "check" => check::check(rest, catalog, host),
        #[cfg(target_os = "linux")]
        "openings" => openings::openings(rest, catalog, host),
        #[cfg(target_os = "linux")]
        "rate" => rate::rate(rest, host),
        #[cfg(target_os = "linux")]
        "spsa" => tune::start(rest, catalog, host),
        #[cfg(target_os = "linux")]
        "report" => report::report(rest, catalog, host),
        #[cfg(target_os = "linux")]
        word if word.starts_with('-') || word.contains(['.', '/']) => {
            run::start(args, catalog, host)
        }
        word => Err(Failure::refused(format!(
            "\"{}\": it must be an option such as -engine, a tournament file such as cup.toml, or one of {COMMANDS}",
            quotable(word)
        ))),
    }
}

/// Prints a text; output that is lost is a failure.
fn printed(host: &mut dyn Console, text: &str) -> Result<(), Failure> {
    host.print(text).map_err(|error| Failure {
        status: Status::Write,
        message: format!("standard output: {error}"),
    })
}
