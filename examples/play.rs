//! Plays against you in a terminal, or against a script that writes one move on each line.
//!
//! `cargo run --release --example play -- gomoku`. The argument is a variant; the default is four
//! in a row. You move first. `undo` takes back your last move, `quit` ends the program.

#![allow(clippy::print_stdout, reason = "the terminal is what this program is for")]

use std::error::Error;
use std::io::{self, BufRead};

use tengen_engine::{Chosen, Client, Limits, Outcome, Settings, Side};
use tengen_games::CATALOG;

/// The node limit of the engine. Unlike a time limit, it makes games reproducible.
const NODES: u64 = 200_000;

fn main() -> Result<(), Box<dyn Error>> {
    let variant = std::env::args().nth(1).unwrap_or_else(|| "cfour".to_owned());
    let mut client = Client::open(&CATALOG, &variant, &Chosen::new(), &Settings::default())?;
    println!("{}: {}", client.spec().variant, client.spec().rules);
    println!("{}", client.position().draw());
    let mut lines = io::stdin().lock().lines();
    while client.position().outcome().is_none() {
        let Some(line) = lines.next().transpose()? else { return Ok(()) };
        match line.trim() {
            "" => continue,
            "quit" => return Ok(()),
            "undo" => {
                let played = client.position().played().len();
                client.position_mut().undo_to(played.saturating_sub(2));
            }
            text => match client.position_mut().play_text(text) {
                Ok(_) => reply(&mut client)?,
                Err(error) => println!("{error}"),
            },
        }
        println!("{}", client.position().draw());
    }
    println!("{}", result(client.position().outcome()));
    Ok(())
}

/// Plays a move of the engine, unless the game is over.
fn reply(client: &mut Client) -> Result<(), Box<dyn Error>> {
    let answer = client.search(Limits::default().with_nodes(NODES))?;
    let Some(best) = answer.best else { return Ok(()) };
    println!("engine plays {}", client.write_line(&[best]).concat());
    client.play(best)?;
    Ok(())
}

fn result(outcome: Option<Outcome>) -> &'static str {
    match outcome {
        Some(Outcome::Win(Side::First)) => "you win",
        Some(Outcome::Win(Side::Second)) => "the engine wins",
        _ => "a draw",
    }
}
