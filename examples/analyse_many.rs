//! Searches many positions in parallel: the game after each of its moves. Prints the best move and the
//! score of each.
//!
//! `cargo run --release --example analyse_many -- gomoku h8 i9 h10`. The arguments are a variant and the
//! moves of a game.

#![allow(clippy::print_stdout, reason = "the terminal is what this program is for")]

use std::error::Error;

use tengen_engine::{Catalog, Chosen, Limits, Settings, Style, cores, search_all};
use tengen_games::CATALOG;

const NODES: u64 = 100_000;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (variant, moves) = words.split_first().ok_or("which variant, and after which moves?")?;
    let mut position = CATALOG.position(&CATALOG.describe(variant, &Chosen::new())?);
    let mut positions = vec![position.duplicate()];
    for mv in moves {
        position.play_all(&[mv])?;
        positions.push(position.duplicate());
    }
    let limits = Limits::default().with_nodes(NODES);
    // The table of each worker, in MiB.
    let settings = Settings::default().with_hash_mib(16);
    let results = search_all(&CATALOG, positions, &limits, &settings, cores());
    for (turn, result) in results.into_iter().enumerate() {
        let answer = result?;
        let best = answer.best.map(|mv| position.write_move(mv, Style::Plain));
        let best = best.as_deref().unwrap_or("none");
        println!("after {turn} moves: best {best}, score {:?}", answer.report.score);
    }
    Ok(())
}
