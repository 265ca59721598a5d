//! `tengen arena`: matches between engines, and their statistics.
//!
//! The command line is that of other match runners, with long names behind one dash. It is read by
//! `tengen_arena`, which knows no game: the catalogue comes from here.

use tengen_arena::command::{self, Failure};
use tengen_engine::text::quotable;

use crate::exit_status::{Ended, print};

/// The help of the command.
const HELP: &str = "\
Matches between engines of n-in-a-row games, and their statistics

Usage: tengen arena sprt COUNTS.. [elo0=E] [elo1=E] [model=normalized|logistic] [alpha=A] [beta=B]
       tengen arena elo COUNTS..

COUNTS are five counts of pairs of games from one opening with colours exchanged, by points: LL LD
DD WD WW; or three counts of games: L D W.

  sprt  the log-likelihood ratio of elo1=5 against elo0=0 (the first number printed), the bounds at
        which a test accepts one of them, and the median-unbiased Elo of a test
  elo   Elo (the first number printed) with 95 % error, likelihood of superiority, normalized Elo

Exit status:
  0  all was done
  1  the command line was refused

Examples:
  tengen arena sprt 39 2226 31451 2412 40 elo0=0 elo1=5 model=normalized
  tengen arena elo 120 300 95
";

/// Matches between engines, and their statistics.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Args {
    /// What to do; `tengen arena help` lists it.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    args: Vec<String>,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let Some((first, rest)) = args.args.split_first() else { return print(HELP) };
    let text = match first.as_str() {
        "help" | "-h" | "-help" | "--help" => return print(HELP),
        "sprt" => command::sprt(rest),
        "elo" => command::elo(rest),
        other => Err(Failure::refused(format!(
            "\"{}\": it must be one of sprt, elo, help",
            quotable(other)
        ))),
    };
    print(text.map_err(ended)?)
}

fn ended(failure: Failure) -> Ended {
    Ended { status: failure.status.code(), why: format!("arena: {}", failure.message) }
}
