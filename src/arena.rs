//! `tengen arena`: matches between engines, and their statistics.
//!
//! The command line is that of other match runners, with long names after one dash. `tengen_arena`
//! reads it, but does not depend on a game. This file passes it the catalogue and a console.

use std::io::{self, IsTerminal, Write};

use tengen_arena::command::{self, Console, Failure, Status};
use tengen_games::CATALOG;

use crate::exit_status::{Ended, print};
use crate::interrupt;

/// The help of the command.
const HELP: &str = "\
Matches between engines of n-in-a-row games, and their statistics

Usage: tengen arena -engine K=V.. -engine K=V.. [-each K=V..] -variant V [OPTIONS]
       tengen arena TOURNAMENT.toml [OPTIONS]
       tengen arena resume FOLDER [OPTIONS]
       tengen arena report FOLDER [--rebuild]
       tengen arena check ENGINE-KEYS.. [-variant V]
       tengen arena openings -variant V -count N [-openings plies= balance= nodes=] [-out FILE]
       tengen arena rate GAMES.pgn GAMES.jsonl ..
       tengen arena spsa TUNE.toml [OPTIONS]
       tengen arena sprt COUNTS.. [elo0=E] [elo1=E] [model=normalized|logistic] [alpha=A] [beta=B]
       tengen arena elo COUNTS..

Engines (UCI, UGI and Gomocup; the dialect is found out):
  cmd= name= args= dir= env= stderr= proto= init= option.NAME= tc= turn= st= nodes= depth=
  timemargin= memory= threads= restart= ponder= rules= sizes= variant-name= sendbyboard= log=
  Times are in seconds: tc=30+0.3, tc=40/60, st=0.1; timemargin is in milliseconds.

The game:
  -variant NAME  -rule 0|1|4|8|9  -boardsize N|WxH  -k N  -gravity on|off  -overline on|off

The tournament:
  -tournament roundrobin|gauntlet|swiss|knockout  -seeds N  -rounds N  -games N  -noswap  -reverse
  -openings file= format= order=sequential|random start= plies= policy= transform=on  -srand N
  -sprt elo0= elo1= alpha= beta= model=
  -resign movecount= score= twosided=  -draw movenumber= movecount= score=  -maxmoves N  -drawafter N
  -proof win= draw= nodes= plies= within= proof-check=  -force-proof

Playing:
  -concurrency N  -force-concurrency  -use-affinity [CPUS]  -recover on|off  -max-failures N
  -strict  -suspend
  -startup-ms N  -ucinewgame-ms N  -ping-ms N  -stall-ms N  -on-lag mark|replay  -wait MS

What is written:
  -out FOLDER  -pgnout FILE|off  -sgfout FILE|off  -jsonl FILE|off  -csv FOLDER|off
  -output format=tengen|fastchess|cutechess  -ratinginterval N  -log file= engine=on|off
  -event NAME  -site NAME  -bootstrap N

Options have one dash or two. COUNTS are five counts of pairs of games from one opening with colours
exchanged, by points: LL LD DD WD WW; or three counts of games: L D W.

Exit status:
  0    all was played or done; in a test, H1 was accepted
  1    nothing was played: the command line, a file, an engine or an opening was refused
  2    there were warnings, under -strict
  3    an engine failed too often
  4    the run folder is locked, damaged or changed
  5    something could not be written
  10   a test accepted H0
  11   a test ended without a decision
  130  Ctrl-C ended the run; \"tengen arena resume\" continues it

Examples:
  tengen arena sprt 39 2226 31451 2412 40 elo0=0 elo1=5 model=normalized
  tengen arena elo 120 300 95
  tengen arena -engine cmd=tengen name=A -engine cmd=tengen name=B -each nodes=200 -variant tictactoe -rounds 2 -out run1
      two engines; what they did is in the folder run1
  tengen arena report run1
  tengen arena check cmd=tengen -variant cfour
";

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
    let is_help = |word: &String| matches!(word.as_str(), "help" | "-h" | "-help" | "--help");
    if args.args.first().is_none_or(is_help) {
        return print(HELP);
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
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        crate::exit_status::ignore_broken_pipe(written)
    }

    fn print_note(&mut self, text: &str) {
        // A closed standard error is not a reason to stop.
        let _ = writeln!(io::stderr().lock(), "{text}");
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
            text.push_str(line);
            text.push('\n');
        }
        self.shown = lines.len();
        let mut out = io::stdout().lock();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }

    fn on_interrupt(&mut self, callback: Box<dyn Fn() + Send + Sync>) {
        interrupt::on_interrupt(callback);
    }
}
