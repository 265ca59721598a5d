//! `tengen tree`: solves an explicit game tree by any of the algorithms, explains and draws it.

mod answer;
mod dot;
mod explain;
mod table;
mod trace;

use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context, anyhow};
use clap::builder::PossibleValuesParser;
use tengen_engine::{Game, Notation};
use tengen_games::tree::{TreeEvaluator, TreeGame, TreeMove};
use tengen_textbook::{Algorithm, TreeResult, WalkCounts, tengen};

use crate::exit_status::{NO_THREAD, Refusal, print, refuse};
use crate::files::{STANDARD, read_text};
use answer::answer;
use trace::Trace;

/// Size of the table of Tengen's search, in MiB.
const TABLE_MIB: usize = 16;
/// The stack in bytes, large enough for the deepest tree in any build.
const STACK: usize = 256 << 20;
/// The algorithm when none is named.
const DEFAULT: Algorithm = Algorithm::AlphaBetaSoft;

const EXAMPLES: &str = include_str!("help/tree.txt").trim_ascii_end();

/// Solve an explicit game tree: the best child of the root and its value.
#[derive(clap::Args, Clone)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The tree, such as "[A, [B, (E, 3), (F, 12)], (C, 5)]": [name, child...] is an inner node,
    /// (name, value) a leaf; the root is a max node. Without names: "[[3, 12, 8], [2, 4, 6]]".
    /// `-` reads it from standard input.
    #[arg(required_unless_present = "file", conflicts_with = "file")]
    literal: Option<String>,

    /// Read the tree from a file.
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,

    /// Print the counts of an algorithm, or compare all of them.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(names()))]
    algorithm: Option<String>,

    /// Print the walk node by node, with windows, values and cut-offs.
    #[arg(long)]
    explain: bool,

    /// Write a Graphviz picture in which cut branches are dashed.
    #[arg(long, conflicts_with = "explain")]
    dot: bool,
}

/// An algorithm of the option `--algorithm`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AlgorithmChoice {
    Textbook(Algorithm),
    Tengen,
}

impl AlgorithmChoice {
    fn all() -> impl Iterator<Item = Self> {
        Algorithm::ALL.into_iter().map(Self::Textbook).chain([Self::Tengen])
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Textbook(algorithm) => algorithm.name(),
            Self::Tengen => "tengen",
        }
    }

    fn measure(self, game: &TreeGame) -> anyhow::Result<(TreeResult<TreeMove>, WalkCounts)> {
        let horizon = game.plies_left();
        match self {
            Self::Textbook(algorithm) => Ok(algorithm.measure(game, &TreeEvaluator, horizon)),
            Self::Tengen => tengen(game, &TreeEvaluator, horizon, TABLE_MIB)
                .map_err(|_| anyhow!("not enough memory for a table of {TABLE_MIB} MiB")),
        }
    }
}

/// Returns the values of `--algorithm`.
fn names() -> impl Iterator<Item = &'static str> {
    AlgorithmChoice::all().map(AlgorithmChoice::name).chain(["all"])
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let chosen = args.chosen()?;
    let text = args.text()?;
    let read = TreeGame::example().read_position(&text);
    let game = read.map_err(|error| match &args.file {
        Some(path) => Refusal(format!("{}: {error}", path.display())),
        None => Refusal(format!("{error}{}", args.remedy())),
    })?;
    let args = args.clone();
    let work = move || args.output(&game, &chosen);
    let thread = thread::Builder::new().stack_size(STACK).spawn(work).context(NO_THREAD)?;
    let output = thread.join().map_err(|_| anyhow!("the search failed"))??;
    print(output)
}

impl Args {
    fn chosen(&self) -> anyhow::Result<Vec<AlgorithmChoice>> {
        let Some(name) = &self.algorithm else {
            return Ok(vec![AlgorithmChoice::Textbook(DEFAULT)]);
        };
        let chosen: Vec<_> = AlgorithmChoice::all()
            .filter(|choice| name == "all" || choice.name() == name)
            .collect();
        let can_be_shown = matches!(chosen[..], [AlgorithmChoice::Textbook(_)]);
        if (self.explain || self.dot) && !can_be_shown {
            refuse!("--explain and --dot show the walk of one textbook algorithm");
        }
        Ok(chosen)
    }

    /// Returns what to do if the literal is the name of a file.
    fn remedy(&self) -> String {
        let named = self.literal.as_deref().filter(|literal| Path::new(literal).is_file());
        named.map_or_else(String::new, |name| format!("; to read the file: --file {name}"))
    }

    fn text(&self) -> anyhow::Result<String> {
        match (&self.file, self.literal.as_deref()) {
            (Some(path), _) => read_text(path),
            (None, Some(STANDARD) | None) => read_text(Path::new(STANDARD)),
            (None, Some(literal)) => Ok(literal.to_owned()),
        }
    }

    fn output(&self, game: &TreeGame, chosen: &[AlgorithmChoice]) -> anyhow::Result<String> {
        if let (true, [AlgorithmChoice::Textbook(algorithm)]) = (self.explain || self.dot, chosen) {
            let trace = Trace::record(game, *algorithm);
            return Ok(if self.dot { dot::draw(&trace) } else { explain::explain(&trace) });
        }
        let measured = chosen
            .iter()
            .map(|choice| Ok((choice.name(), choice.measure(game)?)))
            .collect::<anyhow::Result<Vec<_>>>()?;
        if self.algorithm.is_some() {
            return Ok(table::table(game, &measured));
        }
        Ok(measured.iter().map(|(_, (found, _))| answer(game, found) + "\n").collect())
    }
}
