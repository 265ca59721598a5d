//! Games of the engine with itself, through the interface that clients have.

use anyhow::{Context, Result};
use tengen_engine::backend::Settings;
use tengen_engine::{
    Answer, Chosen, Client, Limits, Move, Outcome, Position, Score, Side, Strength, Style,
};
use tengen_games::CATALOG;

/// A player of one variant with a table of its own.
pub struct Player {
    client: Client,
    settings: Settings,
}

impl Player {
    /// A player at full strength, without a book.
    pub fn new(variant: &str, chosen: &Chosen) -> Result<Self> {
        Self::with_threads(variant, chosen, 1)
    }

    /// A player at full strength, without a book, whose searches have so many threads.
    pub fn with_threads(variant: &str, chosen: &Chosen, threads: usize) -> Result<Self> {
        let settings = Settings::default().with_hash_mib(16).with_own_book(false);
        let settings = settings.with_threads(threads);
        let client = Client::open(&CATALOG, variant, chosen, &settings)?;
        Ok(Self { client, settings })
    }

    /// Plays another game, at this skill and with this seed.
    pub fn begin(&mut self, skill: u8, seed: u32) -> Result<()> {
        let strength = Strength::default().with_skill(skill).with_seed(seed);
        self.settings = self.settings.with_strength(strength);
        self.client.configure(&self.settings)?;
        self.client.position_mut().reset();
        self.client.clear_hash();
        Ok(())
    }

    /// Sets up the position after `moves`; how the game ended, if it did.
    pub fn set_up(&mut self, moves: &[String]) -> Result<Option<Outcome>> {
        let moves: Vec<&str> = moves.iter().map(String::as_str).collect();
        self.client.set(None, &moves)?;
        Ok(self.client.position().outcome())
    }

    /// Plays another game at full strength.
    pub fn begin_at_full_strength(&mut self) -> Result<()> {
        self.begin(Strength::FULL, 0)
    }

    /// The position to search.
    pub fn position(&self) -> &dyn Position {
        self.client.position()
    }

    /// Writes a move of the position.
    pub fn write_move(&self, mv: Move) -> String {
        self.position().write_move(mv, Style::Plain)
    }

    /// Searches the position, which must not be over.
    pub fn search_moves(&mut self, nodes: u64) -> Result<Answer<Move>> {
        Ok(self.client.search(Limits::default().with_nodes(nodes))?)
    }

    /// Searches the position, which must not be over. Moves are text.
    pub fn search(&mut self, nodes: u64) -> Result<Answer<String>> {
        let answer = self.search_moves(nodes)?;
        Ok(answer.map(|moves: Vec<Move>| self.client.write_line(&moves)))
    }

    /// The evaluation of the position for the side to move; `None` when it is over.
    pub fn evaluation(&self) -> Option<Score> {
        self.client.evaluate().map(|(score, _)| score)
    }

    /// Every legal move of the position.
    pub fn legal(&self) -> Vec<String> {
        let position = self.client.position();
        position.legal().into_iter().map(|mv| position.write_move(mv, Style::Plain)).collect()
    }
}

/// The first moves of a game: those of the weakest level, which are other ones with each seed.
/// `None` when the game is over with them.
pub fn opening(player: &mut Player, plies: usize, seed: u32) -> Result<Option<Vec<String>>> {
    player.begin(0, seed)?;
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
