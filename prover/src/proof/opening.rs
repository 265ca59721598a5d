//! The moves of an opening whose win the search does not see: it tries the best ones, until every reply is proven.

use std::collections::HashSet;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread::{Builder, ScopedJoinHandle};

use tengen_engine::{Client, Limits, Move, Query};
use tengen_proofs::{Board, Plan};

use super::grid::{Body, Shared, interrupted, key, locked};
use crate::Error;

/// The number of moves that are tried in a position.
const TRIED: usize = 4;
/// The node limit of the search for each of them.
const NODES: u64 = 1_000_000;

/// An opening that is searched by several threads.
pub(super) struct Opening<'a, 'b> {
    shared: &'a Shared<'b>,
    /// The positions of the side that are proven, by the key of their least image.
    proven: Mutex<HashSet<u128>>,
    /// Replies that could not be met, the last one last.
    killers: Mutex<Vec<Move>>,
}

impl<'a, 'b> Opening<'a, 'b> {
    /// `proven` are the positions that an earlier process proved.
    pub(super) fn new(shared: &'a Shared<'b>, proven: HashSet<u128>) -> Self {
        Self { shared, proven: Mutex::new(proven), killers: Mutex::default() }
    }

    /// Finds the moves of the first `plies` plies from a position. Each client works in a thread of its own. Where no
    /// move was found, the position is left open.
    pub(super) fn find(
        &self,
        board: &Board,
        plies: u32,
        clients: &mut [Client],
    ) -> Result<(), Error> {
        if board.turn() != self.shared.claim.side {
            self.leave_open(self.open_replies(board, plies, clients)?);
            return Ok(());
        }
        let Some(first) = clients.first_mut() else { return Ok(()) };
        let mut choices = self.choices(&mut self.body(board, first)?)?;
        if board.position().played().is_empty() {
            // All moves but the best one take much longer.
            choices.truncate(1);
        }
        let mut least: Option<(Vec<u128>, Move)> = None;
        for mv in choices {
            let mut next = self.copy(board)?;
            next.play(mv);
            let open = self.open_replies(&next, plies.saturating_sub(1), clients)?;
            let is_whole = open.is_empty();
            if least.as_ref().is_none_or(|(known, _)| open.len() < known.len()) {
                least = Some((open, mv));
            }
            if is_whole {
                break;
            }
        }
        let Some((open, mv)) = least else {
            self.leave_open(vec![key(&board.least())]);
            return Ok(());
        };
        if open.is_empty() {
            return self.keep(key(board.stones()), board, mv);
        }
        self.leave_open(open);
        locked(&self.shared.known).insert(key(board.stones()), board.write_point(mv).into());
        Ok(())
    }

    fn leave_open(&self, positions: Vec<u128>) {
        locked(&self.shared.open).extend(positions);
    }

    /// Returns the positions after the replies to which no answer was found, by the key of their least image. The
    /// opponent is to move.
    fn open_replies(
        &self,
        board: &Board,
        plies: u32,
        clients: &mut [Client],
    ) -> Result<Vec<u128>, Error> {
        let mut replies = distinct_replies(&mut self.copy(board)?);
        // All are tried. Those far from the stones are the easiest.
        replies.reverse();
        let (next, open) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let work = |mut body: Body<'_, '_>| -> Result<(), Error> {
            while let Some(reply) = replies.get(next.fetch_add(1, Relaxed)) {
                body.board.play(*reply);
                if !self.settle(&mut body, plies.saturating_sub(1))? {
                    locked(&open).push(key(&body.board.least()));
                }
                body.board.undo();
            }
            Ok(())
        };
        let bodies = clients.iter_mut().map(|client| self.body(board, client));
        let mut bodies = bodies.collect::<Result<Vec<_>, _>>()?.into_iter();
        let Some(first) = bodies.next() else { return Ok(Vec::new()) };
        std::thread::scope(|scope| {
            // A thread that cannot start leaves its replies to the others.
            let start = |body| Builder::new().spawn_scoped(scope, || work(body)).ok();
            let others: Vec<_> = bodies.filter_map(start).collect();
            let done = work(first);
            let join = |other: ScopedJoinHandle<'_, _>| {
                other.join().unwrap_or_else(|why| resume_unwind(why))
            };
            others.into_iter().map(join).fold(done, Result::and)
        })?;
        Ok(open.into_inner().unwrap_or_default())
    }

    fn copy(&self, board: &Board) -> Result<Board, Error> {
        let copy = Board::new(board.position().duplicate());
        copy.ok_or_else(|| Error::Failed("no board".to_owned()))
    }

    fn body<'c>(&self, board: &Board, client: &'c mut Client) -> Result<Body<'c, 'b>, Error>
    where
        'a: 'c,
    {
        Ok(Body::new(self.shared, client, self.copy(board)?))
    }

    /// Keeps a move whose replies are all met.
    fn keep(&self, stones: u128, board: &Board, mv: Move) -> Result<(), Error> {
        let plan = Plan { mv, others: None, answers: Vec::new() };
        self.shared.keep(stones, &plan.write(board))
    }

    /// Returns whether a proof was found for the position on the board, with the side to move. Up to `plies` plies on,
    /// moves are tried whose win the search does not see.
    fn settle(&self, body: &mut Body<'_, '_>, plies: u32) -> Result<bool, Error> {
        if body.board.winning_move().is_some() {
            return Ok(true);
        }
        let least = key(&body.board.least());
        if locked(&self.proven).contains(&least) {
            return Ok(true);
        }
        let is_proven = self.is_proven(body)? || (plies >= 2 && self.has_move(body, plies)?);
        if is_proven {
            let mut proven = locked(&self.proven);
            proven.insert(least);
            locked(&self.shared.journal).add_proven(least)?;
            let line = body.board.line();
            self.shared
                .monitor
                .progress
                .show(format!("{} positions proven, after {line}", proven.len()));
        }
        Ok(is_proven)
    }

    /// Returns whether the lines of the position were all found.
    fn is_proven(&self, body: &mut Body<'_, '_>) -> Result<bool, Error> {
        match body.side() {
            Ok(()) => {
                body.lines.clear();
                Ok(true)
            }
            Err(Error::Unproven { .. }) => {
                // What was visited is not whole.
                body.places.clear();
                body.lines.clear();
                Ok(false)
            }
            Err(other) => Err(other),
        }
    }

    /// Returns whether one of the moves that are tried meets every reply.
    fn has_move(&self, body: &mut Body<'_, '_>, plies: u32) -> Result<bool, Error> {
        let stones = key(body.board.stones());
        for mv in self.choices(body)? {
            body.board.play(mv);
            let is_met = self.meets_all(body, plies - 2);
            body.board.undo();
            if is_met? {
                self.keep(stones, &body.board, mv)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether every reply is met, those first that were not met elsewhere.
    fn meets_all(&self, body: &mut Body<'_, '_>, plies: u32) -> Result<bool, Error> {
        let mut replies = distinct_replies(&mut body.board);
        let killers = locked(&self.killers).clone();
        let age = |mv: &Move| killers.iter().rev().position(|known| known == mv);
        replies.sort_by_key(|mv| age(mv).unwrap_or(usize::MAX));
        for reply in replies {
            body.board.play(reply);
            let is_met = self.settle(body, plies);
            body.board.undo();
            if !is_met? {
                let mut killers = locked(&self.killers);
                killers.retain(|known| *known != reply);
                killers.push(reply);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the moves to try, the best first.
    fn choices(&self, body: &mut Body<'_, '_>) -> Result<Vec<Move>, Error> {
        if let Some(line) = self.shared.known(key(body.board.stones())) {
            return Ok(vec![Plan::read(&line, &body.board).map_err(Error::Failed)?.mv]);
        }
        let mut choices = Vec::new();
        let mut moves = body.board.legal();
        while choices.len() < TRIED && !moves.is_empty() {
            body.client.set_position(body.board.position().duplicate());
            let limits = Limits::default().with_nodes(NODES);
            let query = Query::from(limits).with_moves(moves.clone());
            let answer = body.client.search(query.with_signal(self.shared.monitor.signal))?;
            if self.shared.monitor.signal.is_stopped() {
                return Err(interrupted());
            }
            let Some(best) = answer.best.filter(|best| moves.contains(best)) else { break };
            moves.retain(|mv| *mv != best);
            choices.push(best);
        }
        Ok(choices)
    }
}

/// Returns the replies of the opponent, one of those that are equal by symmetry, those near the stones first.
fn distinct_replies(board: &mut Board) -> Vec<Move> {
    let mut seen = HashSet::new();
    let mut replies = board.legal();
    replies.retain(|reply| {
        board.play(*reply);
        let is_new = board.position().outcome().is_none() && seen.insert(board.least());
        board.undo();
        is_new
    });
    let grid = board.notation().grid();
    let place = |mv: Move| (mv.code() / grid.width(), mv.code() % grid.width());
    let stones: Vec<_> = board.position().played().iter().map(|mv| place(*mv)).collect();
    replies.sort_by_key(|reply| {
        let (row, column) = place(*reply);
        let apart = |at: &(u32, u32)| at.0.abs_diff(row).max(at.1.abs_diff(column));
        stones.iter().map(apart).min()
    });
    replies
}
