//! [`Finder`]: searches a position for a win that only one move reaches, or reaches sooner than others.

use std::cmp::Reverse;
use std::sync::Arc;

use tengen_engine::backend::{Catalog, Settings};
use tengen_engine::threats::ForcedWin;
use tengen_engine::{
    Answer, Bound, Client, GameSpec, Limits, Move, Outcome, Position, Query, Score, Side, Signal,
    Style,
};
use tengen_games::CATALOG;
use tengen_protocol::judge::verdict::Verdict;

use super::games::Game;
use super::puzzle::{Ending, Puzzle, Try};
use super::traits::{after, leaves_one_defence, level_of, traits, wins_at_once};

/// The plies of a line that ends with no proven result.
const UNPROVEN_PLIES: usize = 4;
/// The factor between the nodes of two searches after a move.
const STEP: u64 = 20;
/// The plies by which the win of another move must be longer.
const LATER: usize = 6;

/// How much is searched.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The nodes of the search for a win, and of the first search after each other move.
    pub nodes: u64,
    /// The nodes of the last search, after each move of which shorter ones proved nothing.
    pub judge_nodes: u64,
    /// The greatest number of moves of which nothing is proven. A position with more is no puzzle.
    pub unproven: u64,
}

impl Effort {
    /// Returns the text that stands for this effort in the fingerprint of a journal. It must never change.
    pub(super) fn id(self) -> String {
        let Self { nodes, judge_nodes, unproven } = self;
        format!("Effort {{ nodes: {nodes}, judge_nodes: {judge_nodes}, unproven: {unproven} }}")
    }
}

/// A searcher of positions, one after the other.
pub(super) struct Finder {
    settings: Settings,
    effort: Effort,
    signal: Arc<Signal>,
    /// The search of the last position's game.
    client: Option<(GameSpec, Client)>,
}

impl Finder {
    /// Creates a searcher.
    pub(super) fn new(settings: Settings, effort: Effort, signal: Arc<Signal>) -> Self {
        Self { settings, effort, signal, client: None }
    }

    /// Returns the puzzle of the position after `plies` moves of `game`; `None` if the position has no
    /// proven win, or wins in one move, or if another move wins as soon.
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
        let mut search = PositionSearch { client, effort: self.effort, signal: &self.signal };
        let Some(mut puzzle) = search.find()? else { return Ok(None) };
        puzzle.traits.level = level_of(client, self.settings, &puzzle.line[0], &self.signal)?;
        Ok(Some(puzzle))
    }
}

/// The searches of one position.
struct PositionSearch<'f> {
    client: &'f mut Client,
    effort: Effort,
    signal: &'f Signal,
}

impl PositionSearch<'_> {
    fn find(&mut self) -> Result<Option<Puzzle>, String> {
        let Some(line) = self.winning_line()? else { return Ok(None) };
        let mut position = self.client.position().duplicate();
        let mut others = position.legal();
        others.retain(|mv| *mv != line[0]);
        if others.is_empty()
            || is_forced(&mut *position, &others)
            || self.wins(&others, line.len())?
        {
            return Ok(None);
        }
        let Some(forcing) = forcing_moves(&mut *position, &others, line.len()) else {
            return Ok(None);
        };
        // Forcing moves win most often.
        others.sort_by_key(|mv| !forcing.contains(mv));
        let Some(judged) = self.judge(&others, line.len())? else { return Ok(None) };
        let line = self.against_longest_defence(line)?;
        let others_lose = judged.iter().all(|(_, tried)| tried.ending == Ending::Loss);
        let (mut tries, mut unproven) = (Vec::new(), Vec::new());
        for (mv, tried) in judged {
            if tried.ending == Ending::Win && tried.line.len() < line.len() + LATER {
                return Ok(None);
            }
            if tried.ending == Ending::Unproven {
                unproven.push(tried.line[0].clone());
            }
            if tried.ending == Ending::Win || forcing.contains(&mv) {
                tries.push(tried);
            }
        }
        let traits = traits(&*position, &line, others_lose);
        let line = position.write_line(&line, Style::Plain);
        let nodes = self.effort.nodes.max(self.effort.judge_nodes);
        Ok(Some(Puzzle { line, tries, unproven, nodes, traits }))
    }

    /// Judges each move by a short search, and those of which it proves nothing by longer ones. Returns
    /// `None` if a move wins too soon after the win in `plies`, or if too many moves stay open.
    fn judge(&mut self, moves: &[Move], plies: usize) -> Result<Option<Vec<(Move, Try)>>, String> {
        let Effort { mut nodes, judge_nodes, unproven } = self.effort;
        let mut judged: Vec<(Move, Option<Try>)> = moves.iter().map(|mv| (*mv, None)).collect();
        let is_open = |tried: &Option<Try>| {
            tried.as_ref().is_none_or(|tried| tried.ending == Ending::Unproven)
        };
        loop {
            let next = (nodes * STEP).min(judge_nodes);
            // The next searches cost at most as much as the last ones may.
            let most = match nodes < judge_nodes {
                true => unproven.max(1) * judge_nodes / next,
                false => unproven,
            };
            let mut open = 0;
            for (mv, tried) in judged.iter_mut().filter(|(_, tried)| is_open(tried)) {
                *tried = self.try_move(*mv, nodes, plies)?;
                open += u64::from(is_open(tried));
                if tried.is_none() || open > most {
                    return Ok(None);
                }
            }
            if open == 0 || nodes >= judge_nodes {
                let judged = judged.into_iter();
                return Ok(Some(judged.filter_map(|(mv, tried)| Some((mv, tried?))).collect()));
            }
            nodes = next;
        }
    }

    /// Searches these moves; all moves if there are none.
    fn search(&mut self, moves: &[Move], nodes: u64) -> Result<Answer<Move>, String> {
        let query = Query::from(Limits::default().with_nodes(nodes));
        let query = query.with_moves(moves.to_vec()).with_signal(self.signal);
        self.client.search(query).map_err(|why| why.to_string())
    }

    /// Returns the line of a proven win of more than one move; `None` if there is no such win.
    fn winning_line(&mut self) -> Result<Option<Vec<Move>>, String> {
        Ok(self.proven_win()?.filter(|line| line.len() > 2))
    }

    /// Returns the line of a proven win; `None` if none is proven.
    fn proven_win(&mut self) -> Result<Option<Vec<Move>>, String> {
        let mover = self.client.position().turn();
        let answer = self.search(&[], self.effort.nodes)?;
        let is_won = Verdict::of(answer.settled, mover) == Verdict::Wins;
        let line = answer.report.pv;
        Ok((is_won && self.is_win(&line, mover)).then_some(line))
    }

    /// Returns whether `line` ends the game with a win of `side`.
    fn is_win(&self, line: &[Move], side: Side) -> bool {
        let mut position = self.client.position().duplicate();
        line.iter().all(|mv| position.play(*mv).is_ok())
            && position.outcome() == Some(Outcome::Win(side))
    }

    /// Returns whether a search of these moves together finds a win that is too soon after the win in
    /// `plies`. It is quick if one wins.
    fn wins(&mut self, moves: &[Move], plies: usize) -> Result<bool, String> {
        let report = self.search(moves, self.effort.nodes)?.report;
        Ok(wins_too_soon(report.score, plies) && report.bound != Bound::Upper)
    }

    /// Searches the position after `mv` with `nodes`. Returns what follows; `None` if the move wins too
    /// soon after the win in `plies`, or seems to win.
    fn try_move(&mut self, mv: Move, nodes: u64, plies: usize) -> Result<Option<Try>, String> {
        let mover = self.client.position().turn();
        let before = self.client.position().duplicate();
        self.play(mv)?;
        let (rest, outcome, score) = match self.client.position().outcome() {
            Some(outcome) => (Vec::new(), Some(outcome), -outcome.score(mover.other(), 0)),
            None => {
                let answer = self.search(&[], nodes)?;
                let settled = answer.settled.map(|result| match result.winner {
                    Some(side) => Outcome::Win(side),
                    None => Outcome::Draw,
                });
                (answer.report.pv, settled, -answer.report.score.to_root(1))
            }
        };
        self.client.position_mut().undo();
        if wins_too_soon(score, plies) {
            return Ok(None);
        }
        let ending = Ending::of(outcome, mover);
        let mut line = [vec![mv], rest].concat();
        if ending == Ending::Unproven {
            line.truncate(1 + UNPROVEN_PLIES);
        }
        Ok(Some(Try { line: before.write_line(&line, Style::Plain), ending }))
    }

    /// Returns a win with the answers that last longest, as far as searches of the answers show.
    fn against_longest_defence(&mut self, line: Vec<Move>) -> Result<Vec<Move>, String> {
        let (mut played, mut rest) = (Vec::new(), line);
        while rest.len() > 2 {
            played.push(rest.remove(0));
            self.play(played[played.len() - 1])?;
            rest = self.longest_defence(rest)?;
            played.push(rest.remove(0));
            self.play(played[played.len() - 1])?;
        }
        played.iter().for_each(|_| {
            self.client.position_mut().undo();
        });
        Ok([played, rest].concat())
    }

    /// Returns the answer that lasts longest and the win after it. `known` is such a line. Of several
    /// answers it is one on a point with which the winner would win after another answer, or else the
    /// one nearest to the last stone.
    fn longest_defence(&mut self, known: Vec<Move>) -> Result<Vec<Move>, String> {
        let mut lines = vec![known];
        for answer in self.client.position().legal() {
            if answer == lines[0][0] {
                continue;
            }
            self.play(answer)?;
            let win = self.proven_win()?;
            self.client.position_mut().undo();
            lines.extend(win.map(|win| [vec![answer], win].concat()));
        }
        let position = self.client.position();
        let point = |mv: Move| position.spec().grid.and_then(|notation| notation.point_of(mv));
        let last = position.played().last().and_then(|mv| point(*mv));
        let away = |mv: Move| {
            point(mv).zip(last).map_or(0, |(at, last)| {
                at.column.abs_diff(last.column).max(at.row.abs_diff(last.row))
            })
        };
        let key = |line: &Vec<Move>| {
            let stops = lines.iter().any(|other| other[1] == line[0]);
            (line.len(), stops, Reverse(away(line[0])))
        };
        let longest =
            lines.iter().reduce(|best, line| if key(line) > key(best) { line } else { best });
        Ok(longest.cloned().unwrap_or_default())
    }

    fn play(&mut self, mv: Move) -> Result<(), String> {
        self.client.play(mv).map_err(|why| why.to_string())
    }
}

/// Returns whether a score is a win that is too soon after the win in `plies`, or seems to be a win.
fn wins_too_soon(score: Score, plies: usize) -> bool {
    let is_soon = score.plies().is_some_and(|found| (found as usize) < plies + LATER);
    score.is_unproven_win() || score.is_win() && is_soon
}

impl Ending {
    /// Returns what a proven outcome is for the side that tried a move.
    fn of(outcome: Option<Outcome>, mover: Side) -> Self {
        match outcome {
            Some(Outcome::Win(side)) if side == mover => Self::Win,
            Some(Outcome::Win(_)) => Self::Loss,
            // Only explicit trees have values, and they have no board.
            Some(Outcome::Draw | Outcome::Value(_)) => Self::Draw,
            None => Self::Unproven,
        }
    }
}

/// Returns whether the opponent wins at once after each of `moves`: the defence is forced.
fn is_forced(position: &mut dyn Position, moves: &[Move]) -> bool {
    moves.iter().all(|mv| after(position, *mv, &mut wins_at_once))
}

/// Returns the forcing moves among `moves`; `None` if one of them is known to win too soon after the win
/// in `plies`. In games of gomoku these are fours and open threes, in other games threats to win at once.
fn forcing_moves(position: &mut dyn Position, moves: &[Move], plies: usize) -> Option<Vec<Move>> {
    let Some(threats) = CATALOG.threats(position) else {
        let threatens = |mv: &&Move| after(position, **mv, &mut leaves_one_defence);
        return Some(moves.iter().filter(threatens).copied().collect());
    };
    let own = threats.into_iter().find(|threats| threats.side == position.turn())?;
    let others: Vec<_> = own.moves.iter().filter(|threat| moves.contains(&threat.mv)).collect();
    let wins = |win: &ForcedWin| (win.plies as usize) < plies + LATER;
    let is_soon = others.iter().any(|threat| threat.win.as_ref().is_some_and(wins));
    (!is_soon).then(|| others.iter().map(|threat| threat.mv).collect())
}
