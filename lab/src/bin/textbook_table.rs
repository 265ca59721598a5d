//! Runs every algorithm on the same ten positions: the tables of `docs/measurements/algorithms.md`.

use std::io::{self, Write};

use anyhow::{Context, ensure};
use indicatif::HumanCount;
use tengen_engine::{Game, Notation, Score, SearchEvaluator, Style};
use tengen_games::cfour::book::in_words;
use tengen_games::cfour::{Board, CfourEvaluator, Classic};
use tengen_games::mnk::{Mnk, MnkEvaluator, Rules};
use tengen_textbook::{Algorithm, TreeResult, WalkCounts, tengen};

const TABLE_MIB: usize = 16;

const TIC_TAC_TOE: [&str; 5] = ["", "b2", "a1 b2", "b2 a2", "a1 c3 c1"];

/// Positions late enough that minimax can search to the end of every line.
const FOUR_IN_A_ROW: [&str; 5] = [
    "f1 g1 c1 c2 g2 d1 d2 c3 b1 g3 c4 d3 d4 c5 d5 c6 e1 e2 g4 a1 g5 g6 e3 a2 b2 d6 e4 e5 a3",
    "a1 d1 c1 f1 a2 f2 e1 b1 f3 a3 c2 g1 b2 d2 g2 g3 g4 b3 e2 c3 g5 c4 d3 c5 b4 g6 e3 b5 d4 e4 c6 a4",
    "b1 f1 d1 d2 d3 b2 g1 e1 e2 d4 d5 b3 d6 e3 b4 f2 f3 b5 c1 e4 b6 c2 e5 a1 a2 a3 a4 f4",
    "b1 f1 a1 d1 f2 f3 g1 e1 e2 d2 c1 f4 d3 a2 g2 g3 g4 c2 g5 e3 g6 c3 f5 d4 c4 c5 f6 a3 b2",
    "e1 f1 d1 a1 f2 d2 b1 f3 f4 c1 a2 g1 b2 a3 a4 a5 d3 a6 e2 d4 g2 g3 c2 b3 f5 e3 d5 g4 d6 e4",
];

/// The results of every algorithm for one position.
struct Measured {
    moves: &'static str,
    value: Score,
    best: String,
    /// The counts of the textbook algorithms, in the order of `Algorithm::ALL`, then those of
    /// Tengen.
    tallies: Vec<WalkCounts>,
}

fn main() -> anyhow::Result<()> {
    Ok(io::stdout().write_all(&tables()?)?)
}

/// Returns the tables in Markdown.
fn tables() -> anyhow::Result<Vec<u8>> {
    let rules = Rules::new(3, 3, 3, false, true)?;
    let mut measured = Vec::new();
    for moves in TIC_TAC_TOE {
        measured.push(measure(Mnk::new(rules), &MnkEvaluator::new(&rules), moves)?);
    }
    for moves in FOUR_IN_A_ROW {
        measured.push(measure(Board::new(Classic), &CfourEvaluator::new(), moves)?);
    }
    let mut out = Vec::new();
    write_positions(&mut out, &measured)?;
    write_counts(&mut out, "nodes", &measured, |tally| tally.nodes)?;
    write_counts(&mut out, "leaves", &measured, |tally| tally.leaves)?;
    Ok(out)
}

fn measure<G: Game + Notation, E: SearchEvaluator<G>>(
    mut game: G,
    evaluator: &E,
    moves: &'static str,
) -> anyhow::Result<Measured> {
    for text in moves.split_ascii_whitespace() {
        let mv = game.read_move(text)?;
        game.play(mv);
    }
    let horizon = game.plies_left();
    let run = |algorithm: Algorithm| algorithm.measure(&game, evaluator, horizon);
    let mut results: Vec<(TreeResult<G::Move>, WalkCounts)> =
        Algorithm::ALL.into_iter().map(run).collect();
    let own = tengen(&game, evaluator, horizon, TABLE_MIB).ok().context("not enough memory")?;
    results.push(own);
    let found = results[0].0;
    ensure!(results.iter().all(|(other, _)| *other == found), "not all agree on \"{moves}\"");
    let best = found.best.map_or_else(String::new, |mv| game.write_move(mv, Style::Plain));
    let tallies = results.into_iter().map(|(_, tally)| tally).collect();
    Ok(Measured { moves, value: found.value, best, tallies })
}

fn write_positions(out: &mut impl Write, measured: &[Measured]) -> io::Result<()> {
    writeln!(out, "| | game | moves played | value | best |\n|---|---|---|---|---|")?;
    for (index, position) in measured.iter().enumerate() {
        let game = if index < TIC_TAC_TOE.len() { "tic-tac-toe" } else { "four in a row" };
        let (value, best) = (in_words(position.value), &position.best);
        let moves = if position.moves.is_empty() { "none" } else { position.moves };
        writeln!(out, "| {} | {game} | {moves} | {value} | {best} |", index + 1)?;
    }
    writeln!(out)
}

fn write_counts(
    out: &mut impl Write,
    what: &str,
    measured: &[Measured],
    count: impl Fn(&WalkCounts) -> u64,
) -> io::Result<()> {
    let columns: String = (1..=measured.len()).map(|index| format!(" {index} |")).collect();
    let rule = "---:|".repeat(measured.len());
    writeln!(out, "| {what} |{columns}\n|---|{rule}")?;
    let names = Algorithm::ALL.into_iter().map(Algorithm::name).chain(["tengen"]);
    for (row, name) in names.enumerate() {
        let cell =
            |position: &Measured| format!(" {} |", HumanCount(count(&position.tallies[row])));
        let cells: String = measured.iter().map(cell).collect();
        writeln!(out, "| {name} |{cells}")?;
    }
    writeln!(out)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_of_measurements_has_these_tables() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/measurements/algorithms.md");
        let page = std::fs::read_to_string(page).unwrap();
        let tables = String::from_utf8(super::tables().unwrap()).unwrap();
        for line in tables.lines() {
            assert!(page.contains(line), "not in docs/measurements/algorithms.md: {line}");
        }
    }
}
