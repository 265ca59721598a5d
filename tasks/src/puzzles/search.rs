//! [`Finder`]: searches a position for a win with only one winning first move.

use std::sync::Arc;

use tengen_engine::backend::{Catalog, Settings};
use tengen_engine::{
    Answer, Bound, Client, GameSpec, Limits, Move, Outcome, Position, Query, Side, Signal, Style,
};
use tengen_games::CATALOG;

use super::games::Game;
use super::puzzle::{Ending, Puzzle, Try};

/// The plies of a refutation that ends with no proven result.
const UNPROVEN_PLIES: usize = 4;

/// A searcher of positions, one after the other.
pub(super) struct Finder {
    settings: Settings,
    nodes: u64,
    signal: Arc<Signal>,
    /// The search of the last position's game.
    client: Option<(GameSpec, Client)>,
}

impl Finder {
    /// Creates a searcher. `nodes` is the limit of each search.
    pub(super) fn new(settings: Settings, nodes: u64, signal: Arc<Signal>) -> Self {
        Self { settings, nodes, signal, client: None }
    }

    /// Returns the puzzle of the position after `plies` moves of `game`; `None` if the position has no
    /// proven win, or wins in one move, or if another move wins too.
    pub(super) fn find(&mut self, game: &Game, plies: usize) -> Result<Option<Puzzle>, String> {
        let client = match self.client.take() {
            Some((spec, client)) if spec == game.spec => client,
            _ => Client::of(&CATALOG, &game.spec, &self.settings).map_err(|why| why.to_string())?,
        };
        let (_, client) = self.client.insert((game.spec.clone(), client));
        client.set_position(game.position(plies)?);
        // The searches of a position share the table, but not with other positions: the puzzle does
        // not depend on what was searched before.
        client.clear_hash();
        PositionSearch { client, nodes: self.nodes, signal: &self.signal }.find()
    }
}

/// The searches of one position.
struct PositionSearch<'f> {
    client: &'f mut Client,
    nodes: u64,
    signal: &'f Signal,
}

impl PositionSearch<'_> {
    fn find(&mut self) -> Result<Option<Puzzle>, String> {
        let Some(line) = self.winning_line()? else { return Ok(None) };
        let mut position = self.client.position().duplicate();
        let mut others = position.legal();
        others.retain(|mv| *mv != line[0]);
        if others.is_empty() || is_forced(&mut *position, &others) || self.wins(&others)? {
            return Ok(None);
        }
        let Some(forcing) = forcing_moves(&mut *position, &others) else { return Ok(None) };
        // Forcing moves win most often.
        others.sort_by_key(|mv| !forcing.contains(mv));
        let (mut tries, mut is_proven) = (Vec::new(), true);
        for mv in others {
            let Some(refuted) = self.refute(mv)? else { return Ok(None) };
            is_proven &= refuted.ending != Ending::Unproven;
            if forcing.contains(&mv) {
                tries.push(refuted);
            }
        }
        Ok(Some(Puzzle { line: position.write_line(&line, Style::Plain), tries, is_proven }))
    }

    /// Searches these moves; all moves if there are none.
    fn search(&mut self, moves: &[Move]) -> Result<Answer<Move>, String> {
        let query = Query::from(Limits::default().with_nodes(self.nodes));
        let query = query.with_moves(moves.to_vec()).with_signal(self.signal);
        self.client.search(query).map_err(|why| why.to_string())
    }

    /// Returns the line of a proven win of more than one move; `None` if there is no such win.
    fn winning_line(&mut self) -> Result<Option<Vec<Move>>, String> {
        let mover = self.client.position().turn();
        let answer = self.search(&[])?;
        let is_won = answer.settled.is_some_and(|result| result.winner == Some(mover));
        let line = answer.report.pv;
        let is_whole = is_won && line.len() > 2 && self.is_win(&line, mover);
        Ok(is_whole.then_some(line))
    }

    /// Returns whether `line` ends the game with a win of `side`.
    fn is_win(&self, line: &[Move], side: Side) -> bool {
        let mut position = self.client.position().duplicate();
        line.iter().all(|mv| position.play(*mv).is_ok())
            && position.outcome() == Some(Outcome::Win(side))
    }

    /// Returns whether a search of these moves together finds a win. It is quick if one wins.
    fn wins(&mut self, moves: &[Move]) -> Result<bool, String> {
        let report = self.search(moves)?.report;
        let is_win = report.score.is_win() || report.score.is_unproven_win();
        Ok(is_win && report.bound != Bound::Upper)
    }

    /// Searches the position after `mv`. Returns how the opponent answers; `None` if the move wins,
    /// or seems to.
    fn refute(&mut self, mv: Move) -> Result<Option<Try>, String> {
        let mover = self.client.position().turn();
        let text =
            |client: &Client, line: &[Move]| client.position().write_line(line, Style::Plain);
        let first = text(self.client, &[mv]);
        self.client.play(mv).map_err(|why| why.to_string())?;
        let refuted = match self.client.position().outcome() {
            Some(outcome) => Self::ending(Some(outcome), mover).map(|ending| (Vec::new(), ending)),
            None => {
                let answer = self.search(&[])?;
                let seems_lost = (-answer.report.score).is_unproven_win();
                let settled = answer.settled.map(|result| match result.winner {
                    Some(side) => Outcome::Win(side),
                    None => Outcome::Draw,
                });
                let mut line = answer.report.pv;
                let ending = Self::ending(settled, mover).filter(|_| !seems_lost);
                if ending == Some(Ending::Unproven) {
                    line.truncate(UNPROVEN_PLIES);
                }
                ending.map(|ending| (text(self.client, &line), ending))
            }
        };
        self.client.position_mut().undo();
        Ok(refuted.map(|(rest, ending)| Try { line: [first, rest].concat(), ending }))
    }

    /// Returns what a proven outcome is for the side that tried a move; `None` for its win.
    fn ending(outcome: Option<Outcome>, mover: Side) -> Option<Ending> {
        match outcome {
            Some(Outcome::Win(side)) if side == mover => None,
            Some(Outcome::Win(_)) => Some(Ending::Loss),
            // Only explicit trees have values, and they have no board.
            Some(Outcome::Draw | Outcome::Value(_)) => Some(Ending::Draw),
            None => Some(Ending::Unproven),
        }
    }
}

/// Returns whether the opponent wins at once after each of `moves`: the defence is forced.
fn is_forced(position: &mut dyn Position, moves: &[Move]) -> bool {
    moves.iter().all(|mv| after(position, *mv, &mut wins_at_once))
}

/// Returns the forcing moves among `moves`; `None` if one of them is known to win. In games of
/// gomoku these are fours and open threes, in other games threats to win at once.
fn forcing_moves(position: &mut dyn Position, moves: &[Move]) -> Option<Vec<Move>> {
    let Some(threats) = CATALOG.threats(position) else {
        let threatens = |mv: &&Move| after(position, **mv, &mut leaves_one_defence);
        return Some(moves.iter().filter(threatens).copied().collect());
    };
    let own = threats.into_iter().find(|threats| threats.side == position.turn())?;
    let others: Vec<_> = own.moves.iter().filter(|threat| moves.contains(&threat.mv)).collect();
    let wins = others.iter().any(|threat| threat.win.is_some());
    (!wins).then(|| others.iter().map(|threat| threat.mv).collect())
}

/// Asks a question about the position after a move.
fn after(
    position: &mut dyn Position,
    mv: Move,
    question: &mut dyn FnMut(&mut dyn Position) -> bool,
) -> bool {
    if position.play(mv).is_err() {
        return false;
    }
    let answer = question(position);
    position.undo();
    answer
}

/// Returns whether the side to move has a move that wins at once.
fn wins_at_once(position: &mut dyn Position) -> bool {
    let won = Some(Outcome::Win(position.turn()));
    let moves = position.legal();
    moves.into_iter().any(|mv| after(position, mv, &mut |position| position.outcome() == won))
}

/// Returns whether the side to move loses at once unless it plays the only defence, if there is one.
fn leaves_one_defence(position: &mut dyn Position) -> bool {
    let replies = position.legal();
    let defends = |mv: &Move| !after(position, *mv, &mut wins_at_once);
    let defences = replies.iter().copied().filter(defends).take(2).count();
    defences < 2 && defences < replies.len()
}
