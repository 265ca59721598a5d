//! Games of the engine with itself, through the interface that clients have.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use tengen_engine::backend::{Backend, Catalog, Chosen, Event, Go, Settings, Sink};
use tengen_engine::{Answer, Limits, Outcome, Score, Side, Strength};
use tengen_games::CATALOG;

/// A player of one variant with a table of its own.
pub struct Player {
    backend: Box<dyn Backend>,
    settings: Settings,
    events: Sender<Event>,
    inbox: Receiver<Event>,
}

impl Player {
    /// A player at full strength, without a book.
    pub fn new(variant: &str, chosen: &Chosen) -> Result<Self> {
        let (events, inbox) = channel();
        let settings = Settings { hash_mib: 16, own_book: false, ..Settings::default() };
        let backend = CATALOG.open(variant, chosen, &settings, sink(events.clone()))?;
        Ok(Self { backend, settings, events, inbox })
    }

    /// Plays another game, at this skill and with this seed.
    pub fn begin(&mut self, skill: u8, seed: u32) {
        let strength = Strength { skill, seed, ..Strength::default() };
        self.settings = Settings { strength, ..self.settings };
        self.backend.configure(&self.settings, sink(self.events.clone()));
        self.backend.new_game();
    }

    /// Sets up the position after `moves`; how the game ended, if it did.
    pub fn set_up(&mut self, moves: &[String]) -> Result<Option<Outcome>> {
        let moves: Vec<&str> = moves.iter().map(String::as_str).collect();
        self.backend.set_position(None, &moves)?;
        Ok(self.backend.outcome())
    }

    /// Searches the position, which must not be over.
    pub fn search(&mut self, nodes: u64) -> Result<Answer<String>> {
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let go = Go { limits, search_moves: Vec::new(), received: Instant::now() };
        let _control = self.backend.go(go, sink(self.events.clone()));
        loop {
            match self.inbox.recv()? {
                Event::Answer(answer) => return Ok(answer),
                Event::Note(trouble) => bail!(trouble),
                _ => {}
            }
        }
    }

    /// The evaluation of the position for the side to move; `None` when it is over.
    pub fn evaluation(&self) -> Option<Score> {
        self.backend.explain().map(|(score, _)| score)
    }

    /// Every legal move of the position.
    pub fn legal(&self) -> Vec<String> {
        self.backend.picture().legal
    }
}

/// The first moves of a game: those of the weakest level, which are other ones with each seed.
/// `None` when the game is over with them.
pub fn opening(player: &mut Player, plies: usize, seed: u32) -> Result<Option<Vec<String>>> {
    player.begin(0, seed);
    let mut moves = Vec::new();
    while moves.len() < plies {
        if player.set_up(&moves)?.is_some() {
            return Ok(None);
        }
        moves.push(player.search(u64::MAX)?.best.context("a game that goes on has a move")?);
    }
    Ok(player.set_up(&moves)?.is_none().then_some(moves))
}

/// What a result is worth to `side`, in halves of a point.
pub fn halves(outcome: Outcome, side: Side) -> u32 {
    match outcome {
        Outcome::Win(winner) => 2 * u32::from(winner == side),
        Outcome::Draw | Outcome::Value(_) => 1,
    }
}

fn sink(events: Sender<Event>) -> Sink {
    // The receiver leaves when the player does.
    Arc::new(move |event| drop(events.send(event)))
}
