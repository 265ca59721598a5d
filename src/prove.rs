//! `tengen prove`: writes a proof that anyone can check.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use flate2::Compression;
use flate2::write::GzEncoder;
use tengen_engine::{Client, Side};
use tengen_games::CATALOG;
use tengen_proofs::Checked;
use tengen_prover::proof::Goal;
use tengen_prover::{Error, Monitor};

use crate::board::{BoardArgs, search_failure};
use crate::check::check;
use crate::exit_status::{Refusal, Unfinished, print};
use crate::files::{output, write_output};
use crate::interrupt::interruptible;
use crate::progress::Progress;
use crate::search_args::SearchArgs;

const EXAMPLES: &str = include_str!("help/prove.txt").trim_ascii_end();

/// Prove who wins a game, in a file that anyone can check.
///
/// In gomoku the search must find a proven win. The proof is a strategy of one side. "tengen check" checks it, and
/// the files proofs/check_*.py do so in Python.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    board: BoardArgs,

    /// The moves before the claim.
    #[arg(long, value_name = "MOVES", default_value = "")]
    moves: String,

    /// The side whose strategy is written [default: the winner].
    #[arg(long, value_name = "SIDE", value_enum)]
    side: Option<SideName>,

    /// The proof to write. With the extension gz it is compressed.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Prove the claim of this file again, and write only a proof with fewer positions.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["moves", "side", "variant"])]
    minimise: Option<PathBuf>,

    /// Of four in a row: how large a part of the strategy is searched for the smallest one; 0 is the fastest.
    #[arg(long, value_name = "N", default_value_t = 16)]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=1000))]
    effort: u32,

    /// Of gomoku: up to so many plies from the start, try moves whose win the search does not see. What is not proven
    /// stays open in FILE.
    #[arg(long, value_name = "PLIES", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=20))]
    opening: u32,

    #[command(flatten)]
    search: SearchArgs,

    /// Overwrite FILE if it is there.
    #[arg(long)]
    force: bool,
}

/// A side, as the command line names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum SideName {
    /// The player of the first move.
    First,
    /// The other player.
    Second,
}

impl SideName {
    const fn side(self) -> Side {
        match self {
            Self::First => Side::First,
            Self::Second => Side::Second,
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let target = output(&args.out, args.force)?;
    let known = args.minimise.as_deref().map(check).transpose()?;
    let spec = match &known {
        Some(known) => known.head.spec.clone(),
        None => args.board.game()?.spec()?,
    };
    let moves = known.as_ref().map_or(&args.moves, |known| &known.head.moves);
    let settings = args.search.settings(true)?;
    let mut client = Client::of(&CATALOG, &spec, &settings)?;
    let position = client.position();
    let split = position.split_moves(moves).into_iter().map(str::to_owned).collect::<Vec<_>>();
    let split: Vec<&str> = split.iter().map(String::as_str).collect();
    client.set(None, &split).map_err(|why| Refusal(format!("--moves: {why}")))?;
    let side = known.as_ref().map(|known| known.head.claim.side);
    let side = side.or(args.side.map(SideName::side));
    let bytes = interruptible(|signal| {
        let monitor = Monitor { signal, progress: &Progress::new(None) };
        let goal = Goal::of(&mut client, side, args.opening, monitor).map_err(ended)?;
        goal.prove(&mut client, args.effort, &settings, &journal(&args.out), monitor).map_err(ended)
    })?;
    let proof = read(&bytes)?;
    if let Some(known) = known
        && proof.head.positions >= known.head.positions
    {
        let (found, known) = (proof.head.positions, known.head.positions);
        forget(&args.out);
        return print(format!("{found} positions are not fewer than {known}: nothing written\n"));
    }
    write_output(&target, &args.out, &packed(&args.out, bytes)?)?;
    if proof.open.is_empty() {
        forget(&args.out);
    }
    crate::check::report(&args.out, &proof)
}

/// Checks the bytes of a new proof.
fn read(bytes: &[u8]) -> anyhow::Result<Checked> {
    let checked = tengen_proofs::check(bytes, &CATALOG, &mut |_, _, _| ());
    checked.map_err(|why| anyhow::anyhow!("the new proof is wrong: {why}"))
}

/// Compresses a proof if its name asks for that.
fn packed(path: &Path, bytes: Vec<u8>) -> anyhow::Result<Vec<u8>> {
    if path.extension().is_none_or(|extension| extension != "gz") {
        return Ok(bytes);
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&bytes)?;
    Ok(encoder.finish()?)
}

/// Returns the folder of a proof's journal.
fn journal(out: &Path) -> PathBuf {
    let mut folder = out.as_os_str().to_owned();
    folder.push(".run");
    folder.into()
}

/// Removes the journal of a proof, which is no longer needed.
fn forget(out: &Path) {
    // What stays does no harm.
    let _ = std::fs::remove_dir_all(journal(out));
}

/// Returns the end of a command for an error of a prover.
pub(crate) fn ended(error: Error) -> anyhow::Error {
    match error {
        Error::Refused(why) => Refusal(why).into(),
        Error::Interrupted(why) => Unfinished::Interrupted(why).into(),
        Error::Search(error) => search_failure(&error),
        other => other.into(),
    }
}
