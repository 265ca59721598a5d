//! Proves games on a grid: one line for each position, with a move that the search has proven. In gomoku, renju and
//! caro the line is a plan: the move, and what wins if the reply does not stop it.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tengen_engine::backend::Catalog;
use tengen_engine::hash::mix64;
use tengen_engine::threats::FoursResult;
use tengen_engine::{Client, Limits, Move, Placement, Query};
use tengen_games::CATALOG;
use tengen_proofs::{Board, Claim, OPEN, Plan, Unnamed};

use super::journal::Journal;
use super::solve;
use crate::{Error, Monitor};

/// The node limit of the search for a win by fours.
const FOURS: u64 = 200_000;
/// The node limit of the search for a threat.
const THREAT: u64 = 20_000;
/// The number of searches for one plan behind a move, or in brackets.
const SEARCHES: u32 = 200;

/// What all threads of a proof share.
pub(super) struct Shared<'a> {
    pub(super) claim: Claim,
    pub(super) monitor: Monitor<'a>,
    pub(super) journal: Mutex<Journal>,
    /// The lines that were found, by [`key`] of the stones of their position.
    pub(super) known: Mutex<HashMap<u128, Box<str>>>,
    /// The positions that are left open, by the key of their least image.
    pub(super) open: Mutex<HashSet<u128>>,
}

impl Shared<'_> {
    /// Returns the line of a position that was found before.
    pub(super) fn known(&self, key: u128) -> Option<Box<str>> {
        locked(&self.known).get(&key).cloned()
    }

    /// Keeps the line of a position.
    pub(super) fn keep(&self, key: u128, line: &str) -> Result<(), Error> {
        locked(&self.journal).add_line(key, line)?;
        locked(&self.known).insert(key, line.into());
        Ok(())
    }
}

/// Returns what a mutex guards, also after a panic elsewhere.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns a number for an arrangement of stones. That two have the same one is not to be expected, and a checker would
/// refuse the proof.
pub(super) fn key(stones: &[u8]) -> u128 {
    stones.chunks(16).fold(0, |key: u128, part| {
        let word = part.iter().fold(0, |word, stone| 3 * word + u64::from(*stone));
        let (low, high) = (key as u64, (key >> 64) as u64);
        u128::from(mix64(low ^ word)) | u128::from(mix64(high.rotate_left(23) ^ !word)) << 64
    })
}

/// A proof that is being written.
pub(super) struct Body<'a, 'b> {
    pub(super) shared: &'a Shared<'b>,
    pub(super) client: &'a mut Client,
    pub(super) board: Board,
    pub(super) lines: Vec<String>,
    /// The line of each position, by [`key`] of its least image.
    pub(super) places: HashMap<u128, usize>,
}

impl<'a, 'b> Body<'a, 'b> {
    /// Creates a proof without lines from the position on `board`.
    pub(super) fn new(shared: &'a Shared<'b>, client: &'a mut Client, board: Board) -> Self {
        Self { shared, client, board, lines: Vec::new(), places: HashMap::new() }
    }

    /// Returns the lines of the proof.
    pub(super) fn prove(mut self) -> Result<Vec<String>, Error> {
        let written = match self.board.turn() == self.shared.claim.side {
            true => self.side(),
            false => self.replies(None),
        };
        locked(&self.shared.journal).save()?;
        written.map(|()| self.lines)
    }

    /// Adds the lines of a position in which the side is to move.
    pub(super) fn side(&mut self) -> Result<(), Error> {
        if self.board.winning_move().is_some() {
            return Ok(());
        }
        if let [only] = self.board.safe_moves()[..] {
            return self.after(only, |body| body.replies(None));
        }
        let key = key(&self.board.least());
        if let Some(place) = self.places.get(&key) {
            // An opening keeps no lines.
            if let Some(line) = self.lines.get_mut(*place).filter(|line| !line.starts_with('*')) {
                line.insert(0, '*');
            }
            return Ok(());
        }
        if locked(&self.shared.open).contains(&key) {
            self.lines.push(OPEN.to_owned());
            return Ok(());
        }
        let plan = self.plan()?;
        self.places.insert(key, self.lines.len());
        self.lines.push(plan.write(&self.board));
        self.shared.monitor.progress.step();
        self.after(plan.mv, |body| body.replies(Some(&plan)))
    }

    /// Adds the lines of a position in which the opponent is to move: of the replies that `plan` does not meet.
    fn replies(&mut self, plan: Option<&Plan>) -> Result<(), Error> {
        let unnamed = plan.map(|plan| plan.unnamed(&self.board, self.shared.claim));
        for reply in self.board.legal() {
            let is_named = plan.is_some_and(|plan| plan.answer(reply).is_some());
            if is_named || unnamed.as_ref().is_some_and(|unnamed| unnamed.sure(reply).is_some()) {
                continue;
            }
            self.after(reply, |body| match is_met(&mut body.board, reply, unnamed.as_ref()) {
                true => Ok(()),
                false => body.side(),
            })?;
        }
        Ok(())
    }

    /// Plays a move, does `work` and takes the move back.
    pub(super) fn after<T>(&mut self, mv: Move, work: impl FnOnce(&mut Self) -> T) -> T {
        self.board.play(mv);
        let done = work(self);
        self.board.undo();
        done
    }

    /// Returns what the side plays in the position on the board.
    fn plan(&mut self) -> Result<Plan, Error> {
        let key = key(self.board.stones());
        if let Some(line) = self.shared.known(key) {
            return Plan::read(&line, &self.board).map_err(Error::Failed);
        }
        let plan = match fours(&self.board) {
            Some(plan) => plan,
            None => self.searched()?,
        };
        // A stopped search may have missed a part of the plan.
        if self.shared.monitor.signal.is_stopped() {
            return Err(interrupted());
        }
        self.shared.keep(key, &plan.write(&self.board))?;
        Ok(plan)
    }

    /// Returns the move with which the side reaches its aim, and its win by fours if the opponent does not stop it.
    fn searched(&mut self) -> Result<Plan, Error> {
        self.client.set_position(self.board.position().duplicate());
        let answer = solve(self.client, self.shared.monitor)?;
        let score = answer.report.score;
        let is_reached = score.is_win() || (!self.shared.claim.wins && !score.is_loss());
        if self.shared.monitor.signal.is_stopped() {
            return Err(interrupted());
        }
        if answer.settled.is_none_or(|settled| !settled.is_of_move) || !is_reached {
            let (after, nodes) = (self.board.line(), answer.report.nodes);
            return Err(Error::Unproven { after, nodes });
        }
        let mv = answer.best.ok_or_else(|| Error::Failed("the solver has no move".to_owned()))?;
        match self.client.spec().is_exact {
            true => Ok(Plan { mv, others: None, answers: Vec::new() }),
            false => self.after(mv, |body| body.plan_after(mv)),
        }
    }

    /// Returns the plan of the move that was played: against all replies that do not disturb it, and against each four
    /// of the opponent, after which the side has one safe move, so that no line follows.
    fn plan_after(&mut self, mv: Move) -> Result<Plan, Error> {
        let others = match passed(&self.board) {
            // After a four only its answer is left.
            Some(mut board) => match board.winning_move() {
                Some(_) => None,
                None => self.winning_plan(&mut board, &mut { SEARCHES })?,
            },
            None => None,
        };
        let mut plan = Plan { mv, others: others.map(Box::new), answers: Vec::new() };
        let Some(mut board) = Board::new(self.board.position().duplicate()) else {
            return Ok(plan);
        };
        let mut answers = Vec::new();
        let unnamed = plan.unnamed(&board, self.shared.claim);
        for reply in board.legal() {
            if unnamed.sure(reply).is_some() {
                continue;
            }
            board.play(reply);
            let is_four = |board| passed(board).is_some_and(|mut it| it.winning_move().is_some());
            let answer = match !is_met(&mut board, reply, Some(&unnamed)) && is_four(&board) {
                true => self.winning_plan(&mut board, &mut { SEARCHES })?,
                false => None,
            };
            board.undo();
            answers.extend(answer.map(|answer| (reply, answer)));
        }
        plan.answers = answers;
        Ok(plan)
    }

    /// Returns a plan that wins against every reply, with the side to move: fours, or a move with a plan if the opponent
    /// passes, and plans against each defence. `None` if no such plan was found with the searches that are left.
    fn winning_plan(
        &mut self,
        board: &mut Board,
        searches_left: &mut u32,
    ) -> Result<Option<Plan>, Error> {
        if let Some(plan) = fours(board) {
            return Ok(Some(plan));
        }
        let mv = match board.safe_moves()[..] {
            [only] => Some(only),
            _ => self.winning_move_of_search(board, searches_left)?,
        };
        let Some(mv) = mv else { return Ok(None) };
        board.play(mv);
        let plan = self.plan_against_all(board, searches_left, mv);
        board.undo();
        plan
    }

    /// Returns the move of a short search for a win.
    fn winning_move_of_search(
        &mut self,
        board: &Board,
        searches_left: &mut u32,
    ) -> Result<Option<Move>, Error> {
        let Some(searches) = searches_left.checked_sub(1) else { return Ok(None) };
        *searches_left = searches;
        self.client.set_position(board.position().duplicate());
        let limits = Limits::default().with_nodes(THREAT);
        let answer =
            self.client.search(Query::from(limits).with_signal(self.shared.monitor.signal))?;
        let winner = answer.settled.and_then(|settled| settled.winner);
        Ok(answer.best.filter(|_| winner == Some(board.turn())))
    }

    /// Returns the plan of the move that was played: fours, and a plan against each reply that stops them.
    fn plan_against_all(
        &mut self,
        board: &mut Board,
        searches_left: &mut u32,
        mv: Move,
    ) -> Result<Option<Plan>, Error> {
        let Some(mut passed) = passed(board) else { return Ok(None) };
        let others = match passed.winning_move() {
            Some(_) => None,
            None => match self.winning_plan(&mut passed, searches_left)? {
                None => return Ok(None),
                others => others.map(Box::new),
            },
        };
        let mut plan = Plan { mv, others, answers: Vec::new() };
        let mut answers = Vec::new();
        let unnamed = plan.unnamed(board, self.shared.claim);
        for reply in board.legal() {
            if unnamed.sure(reply).is_some() {
                continue;
            }
            board.play(reply);
            let answer = match is_met(board, reply, Some(&unnamed)) {
                true => Ok(None),
                false => self.winning_plan(board, searches_left).map(|found| Some((reply, found))),
            };
            board.undo();
            match answer? {
                None => {}
                Some((_, None)) => return Ok(None),
                Some((reply, Some(answer))) => answers.push((reply, answer)),
            }
        }
        plan.answers = answers;
        Ok(Some(plan))
    }
}

/// Returns whether the game is over after a reply, or the side wins at once or by what it does after unnamed replies.
fn is_met(board: &mut Board, reply: Move, unnamed: Option<&Unnamed<'_>>) -> bool {
    board.position().outcome().is_some()
        || match unnamed {
            Some(unnamed) => unnamed.wins(reply, board).is_some(),
            None => board.winning_move().is_some(),
        }
}

pub(super) fn interrupted() -> Error {
    Error::Interrupted("the same command continues".to_owned())
}

/// Returns a win by fours of the side to move.
fn fours(board: &Board) -> Option<Plan> {
    let Some(FoursResult::Win(line)) = CATALOG.win_by_fours(board.position(), FOURS) else {
        return None;
    };
    // The last move is a five, which needs no plan.
    let moves = line.len().saturating_sub(1);
    Plan::chain(line[..moves].iter().copied().step_by(2))
}

/// Returns the position in which the side to move passes.
fn passed(board: &Board) -> Option<Board> {
    let position = board.position();
    let Placement { stones, turn } = position.placement()?;
    let mut passed = position.duplicate();
    passed.place(&Placement { stones, turn: turn.other() }).ok()?;
    Board::new(passed).filter(|board| board.position().outcome().is_none())
}
