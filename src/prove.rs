//! `tengen prove`: writes a proof that anyone can check.

mod four;
mod grid;
mod journal;
mod rules;
mod solver;
mod stones;

use std::collections::HashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::ensure;
use clap::ValueEnum;
use flate2::Compression;
use flate2::write::GzEncoder;
use tengen_engine::backend::Settings;
use tengen_engine::{Client, GameSpec, Limits, Position, Proof, Query, Side, Style};
use tengen_games::CATALOG;
use tengen_proofs::{Board, Checked, Claim};

use crate::board::{BoardArgs, search};
use crate::check::check;
use crate::exit_status::{Refusal, print};
use crate::files::{output, write_output};
use crate::interrupt::interruptible;
use crate::progress::Progress;
use four::Prover;
use journal::Journal;
use stones::Stones;

const EXAMPLES: &str = include_str!("help/prove.txt").trim_ascii_end();

/// The rules of the board that has a prover of its own.
const FOUR: &str = "7x6 board, 4 in a row, stones fall";

/// Prove who wins a game, in a file that anyone can check.
///
/// The game must be solved by the search. The proof is a strategy of one side. "tengen check" checks it, and
/// proofs/check_four.py and proofs/check_line.py do so in Python.
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

    /// Of four in a row: how large a part of the strategy is searched for the smallest one.
    #[arg(long, value_name = "N", default_value_t = 16)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1000))]
    effort: u32,

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

/// What is to be proven.
struct Goal {
    spec: GameSpec,
    moves: String,
    claim: Claim,
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
    let settings = Settings::default().with_hash_mib(64);
    let mut client = Client::of(&CATALOG, &spec, &settings)?;
    let position = client.position();
    let split = position.split_moves(moves).into_iter().map(str::to_owned).collect::<Vec<_>>();
    let split: Vec<&str> = split.iter().map(String::as_str).collect();
    client.set(None, &split).map_err(|why| Refusal(format!("--moves: {why}")))?;
    let bytes = interruptible(|_| {
        let side = known.as_ref().map(|known| known.head.claim.side);
        let goal = Goal::of(&mut client, side.or(args.side.map(SideName::side)))?;
        goal.prove(&mut client, args)
    })?;
    let proof = read(&bytes)?;
    if let Some(known) = known
        && proof.head.positions >= known.head.positions
    {
        let (found, known) = (proof.head.positions, known.head.positions);
        return print(format!("{found} positions are not fewer than {known}: nothing written\n"));
    }
    write_output(&target, &args.out, &packed(&args.out, bytes)?)?;
    print(format!("{}: {}\n", args.out.display(), crate::check::summary(&proof)))
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

impl Goal {
    /// Returns what can be claimed of the client's position for `side`, or for the winner.
    fn of(client: &mut Client, side: Option<Side>) -> anyhow::Result<Self> {
        let spec = client.spec().clone();
        let refusal = |why: &str| Err(Refusal(why.to_owned()).into());
        if client.position().outcome().is_some() {
            return refusal("the game is over: there is nothing to prove");
        }
        if !spec.is_exact || spec.grid.is_none() {
            let why = format!("{}: the search does not solve this game", spec.variant);
            return Err(Refusal(why).into());
        }
        let turn = client.position().turn();
        let limits = Limits::default().with_proof(Proof::Outcome);
        let answer = search(client, Query::from(limits))?;
        ensure!(answer.settled.is_some(), "the search ended without a result");
        let score = answer.report.score;
        let winner = match (score.is_win(), score.is_loss()) {
            (true, _) => Some(turn),
            (_, true) => Some(turn.other()),
            _ => None,
        };
        let Some(side) = side.or(winner) else {
            return refusal("the game is drawn: --side says whose strategy is wanted");
        };
        if winner == Some(side.other()) {
            return refusal("--side: the other side wins");
        }
        let position = client.position();
        let mut start = position.duplicate();
        start.reset();
        let moves = start.write_line(position.played(), Style::Plain).join(" ");
        Ok(Self { spec, moves, claim: Claim { side, wins: winner.is_some() } })
    }

    /// Returns the bytes of the proof, not compressed.
    fn prove(&self, client: &mut Client, args: &Args) -> anyhow::Result<Vec<u8>> {
        let progress = Progress::new(None);
        let position = client.position().duplicate();
        let is_mover = position.turn() == self.claim.side;
        let lines = if self.spec.rules == FOUR {
            let mut folder = args.out.as_os_str().to_owned();
            folder.push(".run");
            let claim = format!("{} {}", self.claim.text(), self.moves);
            let journal = Journal::open(Path::new(&folder), &claim)?;
            let prover = Prover::new(self.claim, args.effort, journal, &progress)?;
            prover.prove(stones(&*position), is_mover)?
        } else {
            let board = Board::new(position).ok_or_else(|| anyhow::anyhow!("no board"))?;
            let (lines, places) = (Vec::new(), HashMap::new());
            let (claim, progress) = (self.claim, &progress);
            let mut body = grid::Body { client, board, claim, progress, lines, places };
            body.write()?;
            body.lines
        };
        Ok(tengen_proofs::write(&self.spec, &self.moves, self.claim, &lines))
    }
}

/// Returns a position of four in a row in two words.
fn stones(position: &dyn Position) -> Stones {
    let mut stones = Stones::default();
    let Some(notation) = position.spec().grid else { return stones };
    for at in notation.grid().all().map(|cell| notation.grid().point(cell)) {
        let bit = stones::point(&at.to_string()).unwrap_or_default();
        if let Some(side) = position.stone(at) {
            stones.all |= bit;
            stones.own |= if side == position.turn() { bit } else { 0 };
        }
    }
    stones
}
