//! Games of the engine with itself, through the client interface.

use anyhow::{Context, Result};
use tengen_arena::record::{EngineScore, MoveNote, Said};
use tengen_engine::backend::Settings;
use tengen_engine::{Answer, Chosen, Client, Limits, Move, Outcome, Score, Strength, Style};
use tengen_games::CATALOG;

/// A player of one variant with a table of its own.
pub struct Player {
    client: Client,
    settings: Settings,
}

impl Player {
    /// Creates a player at full strength, without a book.
    pub fn new(variant: &str, chosen: &Chosen) -> Result<Self> {
        Self::with_threads(variant, chosen, 1)
    }

    /// Creates a player at full strength, without a book, that searches with `threads` threads.
    pub fn with_threads(variant: &str, chosen: &Chosen, threads: usize) -> Result<Self> {
        let settings = Settings::default().with_hash_mib(16).with_own_book(false);
        let settings = settings.with_threads(threads);
        let client = Client::open(&CATALOG, variant, chosen, &settings)?;
        Ok(Self { client, settings })
    }

    /// Begins a game at level `skill`, with the random numbers of `seed`.
    pub fn begin(&mut self, skill: u8, seed: u32) -> Result<()> {
        let strength = Strength::default().with_skill(skill).with_seed(seed);
        self.settings = self.settings.with_strength(strength);
        self.client.configure(&self.settings)?;
        self.client.position_mut().reset();
        self.client.clear_hash();
        Ok(())
    }

    /// Sets up the position after `moves`. Returns the outcome if the game is over.
    pub fn set_up(&mut self, moves: &[String]) -> Result<Option<Outcome>> {
        let moves: Vec<&str> = moves.iter().map(String::as_str).collect();
        self.client.set(None, &moves)?;
        Ok(self.client.position().outcome())
    }

    /// Searches the position, which must not be over. The moves of the answer are text.
    fn search(&mut self, nodes: u64) -> Result<Answer<String>> {
        let answer = self.client.search(Limits::default().with_nodes(nodes))?;
        Ok(answer.map(|moves: Vec<Move>| self.client.write_line(&moves)))
    }

    /// Searches the position, which must not be over. Returns the best move and a note about the
    /// search. A proven draw has no score.
    pub fn choose(&mut self, nodes: u64) -> Result<(String, MoveNote)> {
        let answer = self.search(nodes)?;
        let report = &answer.report;
        let has_score = report.score.is_decisive() || answer.settled.is_none();
        let said = Said {
            score: has_score.then(|| EngineScore::from(report.score).to_string()),
            depth: Some(report.depth),
            seldepth: Some(report.seldepth),
            nodes: Some(report.nodes),
        };
        let micros = u64::try_from(report.time.as_micros())?;
        let note = MoveNote { micros, said, ..MoveNote::default() };
        Ok((answer.best.context("a game that is not over has a move")?, note))
    }

    /// Searches the position, which must not be over. Returns the score for the side to move;
    /// `None` if the nodes did not suffice for an iteration.
    pub fn score(&mut self, nodes: u64) -> Result<Option<Score>> {
        let report = self.search(nodes)?.report;
        let is_searched = report.depth > 0 || report.score.is_decisive();
        Ok(is_searched.then_some(report.score))
    }

    /// Returns the evaluation for the side to move; `None` if the game is over.
    pub fn evaluation(&self) -> Option<Score> {
        self.client.evaluate().map(|(score, _)| score)
    }

    /// Returns an upper bound on the plies that can still be played.
    pub fn plies_left(&self) -> u32 {
        self.client.position().plies_left()
    }

    /// Returns the legal moves of the position.
    pub fn legal(&self) -> Vec<String> {
        let position = self.client.position();
        position.legal().into_iter().map(|mv| position.write_move(mv, Style::Plain)).collect()
    }
}

/// Reads the score of a move that a player chose.
pub fn read_score(note: &MoveNote) -> Result<Option<EngineScore>> {
    let Some(text) = &note.said.score else { return Ok(None) };
    let score = EngineScore::from_text(text);
    Ok(Some(score.with_context(|| format!("not a score: \"{text}\""))?))
}

/// Returns `count` openings from the seeds from `first_seed` on. `plies` returns the length for a
/// seed. A seed whose game ends within the opening is left out.
pub fn openings(
    player: &mut Player,
    count: u32,
    first_seed: u32,
    plies: impl Fn(u32) -> usize,
) -> Result<Vec<Vec<String>>> {
    let mut openings = Vec::new();
    for seed in first_seed.. {
        if openings.len() == count as usize {
            break;
        }
        openings.extend(opening(player, plies(seed), seed)?);
    }
    Ok(openings)
}

/// Returns the first `plies` moves of a game. The weakest level plays them; it plays differently
/// with each seed. `None` if the game ends within them.
fn opening(player: &mut Player, plies: usize, seed: u32) -> Result<Option<Vec<String>>> {
    player.begin(0, seed)?;
    let mut moves = Vec::new();
    while moves.len() < plies {
        if player.set_up(&moves)?.is_some() {
            return Ok(None);
        }
        moves.push(player.search(u64::MAX)?.best.context("a game that is not over has a move")?);
    }
    Ok(player.set_up(&moves)?.is_none().then_some(moves))
}
