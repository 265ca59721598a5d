//! Fits the weights of five in a row to games of the engine with itself.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Parser;
use tengen_games::gomoku::{Board, EvalFile};
use tengen_lab::gomoku::{
    BoardArgs, LabelledPosition, NetPlan, Record, fit, game_line, learn, play, read_games,
    read_labelled,
};

const EXAMPLES: &str = include_str!("tune.txt").trim_ascii_end();

/// Fits the weights of five in a row: plays games, and writes an evaluation file with the weights
/// that predict their results and their moves best.
#[derive(Parser)]
#[command(after_help = EXAMPLES)]
struct Args {
    /// Files of played games. With any file, no game is played.
    files: Vec<PathBuf>,

    #[command(flatten)]
    board: BoardArgs,

    /// How many games are played.
    #[arg(long, value_name = "N", default_value_t = 6000,
          value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,

    /// The nodes searched for each move.
    #[arg(long, value_name = "N", default_value_t = 2500)]
    nodes: u64,

    /// The seed: the same seed gives the same games.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Write an evaluation file: that of --base, with the weights that were fitted in place of
    /// those of this rule.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,

    /// Fit the tables, the net on top of the tables of --base, or first the tables and then the
    /// net.
    #[arg(long, default_value = "both", value_parser = ["tables", "net", "both"])]
    fit: String,

    /// The evaluation file to start from, in place of the one built in. Games are always played
    /// with the one built in.
    #[arg(long, value_name = "FILE")]
    base: Option<PathBuf>,

    /// Positions with the chances that a teacher gives them, for the net to learn from too; the
    /// program `teach` and the script `teacher.py` write them. May be repeated.
    #[arg(long, value_name = "FILE")]
    labelled: Vec<PathBuf>,

    /// Give the net a row for each window of a line instead of one for each pair of shapes. A net
    /// that has windows keeps them.
    #[arg(long)]
    windows: bool,

    /// Begin the net with random numbers instead of those of --base.
    #[arg(long)]
    fresh: bool,

    /// Write the games to a file.
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    /// The folder of the games. Games that it already holds are not played again.
    #[arg(long, value_name = "DIR", default_value = "target/tune")]
    out: PathBuf,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let start = args.board.start()?;
    let mut records = read_games(&start, &args.files)?;
    if args.files.is_empty() {
        records = args.play(&start)?;
    }
    let Some(file) = &args.write else {
        ensure!(args.files.is_empty(), "--write names the evaluation file to fit");
        return Ok(());
    };
    let labelled = read_labelled(start.rule(), &args.labelled)?;
    let mut weights = args.base()?;
    for (part, is_net) in [("tables", false), ("net", true)] {
        if args.fit != "both" && args.fit != part {
            continue;
        }
        let fitted = match is_net {
            true => learn(&start, &args.net_plan(&records, &labelled, &weights))?,
            false => fit(&start, &records, &weights)?,
        };
        writeln!(io::stdout(), "{}", fitted.summary)?;
        weights = fitted.file;
        let written = fs::write(file, weights.to_bytes());
        written.with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

impl Args {
    /// Returns the evaluation file to start from.
    fn base(&self) -> Result<EvalFile> {
        let Some(file) = &self.base else { return Ok(EvalFile::built_in().clone()) };
        let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        EvalFile::read(&bytes).with_context(|| file.display().to_string())
    }

    fn net_plan<'a>(
        &self,
        records: &'a [Record],
        labelled: &'a [LabelledPosition],
        base: &'a EvalFile,
    ) -> NetPlan<'a> {
        NetPlan { records, labelled, base, from_random: self.fresh, by_window: self.windows }
    }

    fn play(&self, start: &Board) -> Result<Vec<Record>> {
        let Self { board: BoardArgs { rule, side }, games, nodes, seed, .. } = self;
        // Each set of parameters has a folder of its own.
        let folder = format!("{rule} {side}x{side}, {nodes} nodes, seed {seed}");
        let folder = self.out.join(folder);
        let records = play(self.board.variant(), start, *seed, *games, *nodes, &folder)?;
        if let Some(file) = &self.save {
            let text: String = records.iter().map(|record| game_line(start, record)).collect();
            fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
        }
        Ok(records)
    }
}
