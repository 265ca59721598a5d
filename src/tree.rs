//! `tengen tree`: solves an explicit game tree by any of the algorithms, explains and draws it.

use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context, anyhow};
use clap::builder::PossibleValuesParser;
use tengen_engine::{Game, Notation};
use tengen_games::tree::{TreeEvaluator, TreeGame, TreeMove};
use tengen_textbook::tree::{Trace, answer, draw, explain, table};
use tengen_textbook::{Algorithm, TreeResult, WalkCounts, tengen};

use crate::exit_status::{NO_THREAD, Refusal, print, refuse};
use crate::files::{STANDARD, read_text};

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

/// An algorithm of the option `--algorithm`; `None` is the search of Tengen.
type Choice = Option<Algorithm>;

/// Returns all algorithms, each with its name.
fn choices() -> impl Iterator<Item = (&'static str, Choice)> {
    let textbook = Algorithm::ALL.into_iter().map(|algorithm| (algorithm.name(), Some(algorithm)));
    textbook.chain([("tengen", None)])
}

/// Searches a tree, and counts.
fn measure(choice: Choice, game: &TreeGame) -> anyhow::Result<(TreeResult<TreeMove>, WalkCounts)> {
    let horizon = game.plies_left();
    match choice {
        Some(algorithm) => Ok(algorithm.measure(game, &TreeEvaluator, horizon)),
        None => tengen(game, &TreeEvaluator, horizon, TABLE_MIB)
            .map_err(|_| anyhow!("not enough memory for a table of {TABLE_MIB} MiB")),
    }
}

/// Returns the values of `--algorithm`.
fn names() -> impl Iterator<Item = &'static str> {
    choices().map(|(name, _)| name).chain(["all"])
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
    fn chosen(&self) -> anyhow::Result<Vec<(&'static str, Choice)>> {
        let name = self.algorithm.as_deref().unwrap_or(DEFAULT.name());
        let chosen: Vec<_> =
            choices().filter(|(known, _)| name == "all" || *known == name).collect();
        let can_be_shown = matches!(chosen[..], [(_, Some(_))]);
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

    fn output(&self, game: &TreeGame, chosen: &[(&'static str, Choice)]) -> anyhow::Result<String> {
        if let (true, [(_, Some(algorithm))]) = (self.explain || self.dot, chosen) {
            let trace = Trace::record(game, *algorithm);
            return Ok(if self.dot { draw(&trace) } else { explain(&trace) });
        }
        let measured = chosen
            .iter()
            .map(|(name, choice)| Ok((*name, measure(*choice, game)?)))
            .collect::<anyhow::Result<Vec<_>>>()?;
        if self.algorithm.is_some() {
            return Ok(table(game, &measured));
        }
        Ok(measured.iter().map(|(_, (found, _))| answer(game, found) + "\n").collect())
    }
}
