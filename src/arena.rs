//! `tengen arena`: matches between engines, and their statistics.
//!
//! The command line is that of other match runners, with long names after one dash. `tengen_arena`
//! reads it, but does not depend on a game. This file passes it the catalogue and a console.

use std::io::{self, IsTerminal, Write};
#[cfg(feature = "serve")]
use std::net::SocketAddr;

#[cfg(feature = "serve")]
use tengen_arena::command::RunAnswers;
use tengen_arena::command::{self, Console, Failure, Status};
use tengen_engine::text::printable;
use tengen_games::CATALOG;
use tengen_runs::without_passwords;

use crate::exit_status::{Ended, print};
use crate::interrupt;

/// Matches between engines, and their statistics.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Args {
    /// What to do; `tengen arena help` lists it.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    args: Vec<String>,
}

/// Guards an engine of the arena, which starts this command itself.
#[derive(clap::Args)]
pub(crate) struct GuardArgs {
    /// How to start the engine, in JSON.
    launch: String,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    if let Some(help) = command::help(&args.args) {
        return print(help);
    }
    let ended = |failure: Failure| {
        let why = format!("arena: {}", failure.message);
        Ended { status: failure.status.code(), why: Some(why) }
    };
    let status = command::execute(&args.args, &CATALOG, &mut Terminal::new()).map_err(ended)?;
    match status {
        Status::Done => Ok(()),
        status => Err(Ended { status: status.code(), why: None }.into()),
    }
}

/// Guards an engine until the engine or the arena ends.
#[cfg(target_os = "linux")]
pub(crate) fn guard(args: &GuardArgs) -> anyhow::Result<()> {
    Ok(tengen_arena::engine::process::run_guard(&args.launch)?)
}

/// The standard streams as a console.
struct Terminal {
    is_live: bool,
    /// The number of lines of the live view.
    shown: usize,
}

/// The width of output without a terminal, in characters.
const DEFAULT_WIDTH: usize = 100;

impl Terminal {
    fn new() -> Self {
        Self { is_live: io::stdout().is_terminal(), shown: 0 }
    }
}

impl Console for Terminal {
    fn print(&mut self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let written = out.write_all(printable(text).as_bytes()).and_then(|()| out.flush());
        crate::exit_status::ignore_broken_pipe(written)
    }

    fn print_note(&mut self, text: &str) {
        // A closed standard error is not a reason to stop.
        let _ = writeln!(io::stderr().lock(), "{}", printable(&without_passwords(text)));
    }

    fn is_live(&self) -> bool {
        self.is_live
    }

    fn width(&self) -> usize {
        let size = terminal_size::terminal_size().filter(|_| self.is_live);
        size.map_or(DEFAULT_WIDTH, |(width, _)| usize::from(width.0).max(20))
    }

    fn show(&mut self, lines: &[String]) {
        if !self.is_live {
            return;
        }
        // A terminal that is not high enough shows the last lines, which are the running games.
        let height = terminal_size::terminal_size().map_or(24, |(_, height)| usize::from(height.0));
        let lines = &lines[lines.len().saturating_sub(height.saturating_sub(1))..];
        let mut text = String::new();
        if self.shown > 0 {
            // Go up to the first line of the live view, and clear from there.
            text.push_str(&format!("\x1b[{}A\x1b[J", self.shown));
        }
        for line in lines {
            text.push_str(&printable(line));
            text.push('\n');
        }
        self.shown = lines.len();
        let mut out = io::stdout().lock();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }

    fn on_interrupt(&mut self, callback: Box<dyn Fn() + Send + Sync>) {
        if let Err(error) = interrupt::on_interrupt(callback) {
            self.print_note(&format!("warning: Ctrl-C has no effect: {error}"));
        }
    }

    #[cfg(feature = "serve")]
    fn serve_run(&mut self, address: SocketAddr, answer: RunAnswers) -> Result<String, String> {
        let address = tengen_web::serve_run(address, answer).map_err(|error| error.to_string())?;
        let shown = tengen_web::Addresses::reachable(address);
        Ok(format!("http://{}/", shown.first().unwrap_or(&address)))
    }

    #[cfg(feature = "serve")]
    fn run_file(&self, run: &str) -> Result<String, String> {
        Ok(tengen_web::run_file(run))
    }
}
