//! Analyses a position: prints the best lines of play, each with its score.
//!
//! `cargo run --release --example analyse -- gomoku h8 i9 h10`. The arguments are a variant and the
//! moves that lead to the position.

#![allow(clippy::print_stdout, reason = "the terminal is what this program is for")]

use std::collections::BTreeMap;
use std::error::Error;
use std::ops::ControlFlow;

use tengen_engine::{Chosen, Client, Limits, Query, Score, Settings};
use tengen_games::CATALOG;

const LINES: usize = 3;
const NODES: u64 = 1_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (variant, moves) = words.split_first().ok_or("which variant, and after which moves?")?;
    let settings = Settings::default().with_multi_pv(LINES);
    let mut client = Client::open(&CATALOG, variant, &Chosen::new(), &settings)?;
    let moves: Vec<&str> = moves.iter().map(String::as_str).collect();
    client.set(None, &moves)?;
    println!("{}", client.position().draw());

    // The last report of each line. The search calls the listener whenever it finds a better line.
    let mut lines = BTreeMap::new();
    let query = Query::from(Limits::default().with_nodes(NODES)).with_listener(|report| {
        lines.insert(report.line, report.clone());
        ControlFlow::Continue(())
    });
    let answer = client.search(query)?;
    for (rank, report) in &lines {
        let moves = client.write_line(&report.pv).join(" ");
        println!("{rank}. {} at depth {}: {moves}", score(report.score), report.depth);
    }
    if let Some(proven) = answer.settled {
        println!("proven by {}", proven.source.name());
    }
    Ok(())
}

/// Returns a score in words, for the side to move.
fn score(score: Score) -> String {
    match score.plies() {
        Some(plies) if score.is_win() => format!("win in {plies}"),
        Some(plies) => format!("loss in {plies}"),
        None => format!("{:+.2}", f64::from(score.raw()) / 100.0),
    }
}
