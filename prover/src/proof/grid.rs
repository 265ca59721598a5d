//! Proves games on a grid: one line for each position, with a move that the search has proven. In gomoku, renju and
//! caro the line is a plan: the move, and what wins if the reply does not stop it.

use std::collections::HashMap;

use tengen_engine::backend::Catalog;
use tengen_engine::threats::FoursResult;
use tengen_engine::{Client, Limits, Move, Placement, Query};
use tengen_games::CATALOG;
use tengen_proofs::{Board, Claim, Plan, Unnamed};

use super::journal::Journal;
use super::solve;
use crate::{Error, Monitor};

/// The node limit of the search for a win by fours.
const FOURS: u64 = 200_000;
/// The node limit of the search for a threat.
const THREAT: u64 = 20_000;
/// The number of searches for one plan behind a move, or in brackets.
const SEARCHES: u32 = 200;

/// A proof that is being written.
pub(super) struct Body<'a> {
    pub(super) client: &'a mut Client,
    pub(super) board: Board,
    pub(super) claim: Claim,
    pub(super) monitor: Monitor<'a>,
    pub(super) journal: Journal,
    /// The lines that an earlier process found, by the stones of their position.
    pub(super) known: HashMap<String, String>,
    pub(super) lines: Vec<String>,
    /// The line of each position, by its least image.
    pub(super) places: HashMap<Vec<u8>, usize>,
}

impl Body<'_> {
    /// Returns the lines of the proof.
    pub(super) fn prove(mut self) -> Result<Vec<String>, Error> {
        let written = match self.board.turn() == self.claim.side {
            true => self.side(),
            false => self.replies(None),
        };
        self.journal.save()?;
        written.map(|()| self.lines)
    }

    /// Adds the lines of a position in which the side is to move.
    fn side(&mut self) -> Result<(), Error> {
        if self.board.winning_move().is_some() {
            return Ok(());
        }
        if let [only] = self.board.safe_moves()[..] {
            return self.after(only, |body| body.replies(None));
        }
        let key = self.board.least();
        if let Some(place) = self.places.get(&key) {
            let line = &mut self.lines[*place];
            if !line.starts_with('*') {
                line.insert(0, '*');
            }
            return Ok(());
        }
        let plan = self.plan()?;
        self.places.insert(key, self.lines.len());
        self.lines.push(plan.write(&self.board));
        self.monitor.progress.step();
        self.after(plan.mv, |body| body.replies(Some(&plan)))
    }

    /// Adds the lines of a position in which the opponent is to move: of the replies that `plan` does not meet.
    fn replies(&mut self, plan: Option<&Plan>) -> Result<(), Error> {
        let unnamed = plan.map(|plan| plan.unnamed(&self.board, self.claim));
        for reply in self.board.legal() {
            if plan.is_some_and(|plan| plan.answer(reply).is_some()) {
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
    fn after<T>(&mut self, mv: Move, work: impl FnOnce(&mut Self) -> T) -> T {
        self.board.play(mv);
        let done = work(self);
        self.board.undo();
        done
    }

    /// Returns what the side plays in the position on the board.
    fn plan(&mut self) -> Result<Plan, Error> {
        let stones: String =
            self.board.stones().iter().map(|stone| char::from(b'0' + stone)).collect();
        if let Some(line) = self.known.get(&stones) {
            return Plan::read(line, &self.board).map_err(Error::Failed);
        }
        let plan = match fours(&self.board) {
            Some(plan) => plan,
            None => self.searched()?,
        };
        // A stopped search may have missed a part of the plan.
        if self.monitor.signal.is_stopped() {
            return Err(interrupted());
        }
        self.journal.add_line(stones, plan.write(&self.board))?;
        Ok(plan)
    }

    /// Returns the move with which the side reaches its aim, and its win by fours if the opponent does not stop it.
    fn searched(&mut self) -> Result<Plan, Error> {
        self.client.set_position(self.board.position().duplicate());
        let answer = solve(self.client, self.monitor)?;
        let score = answer.report.score;
        let is_reached = score.is_win() || (!self.claim.wins && !score.is_loss());
        if self.monitor.signal.is_stopped() {
            return Err(interrupted());
        }
        if answer.settled.is_none_or(|settled| !settled.is_of_move) || !is_reached {
            return Err(Error::Failed(format!(
                "no proof was found after {}, with {} nodes; the journal keeps what was found",
                self.board.line(),
                answer.report.nodes
            )));
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
        let unnamed = plan.unnamed(&board, self.claim);
        for reply in board.legal() {
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
        let answer = self.client.search(Query::from(limits).with_signal(self.monitor.signal))?;
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
        let unnamed = plan.unnamed(board, self.claim);
        for reply in board.legal() {
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

fn interrupted() -> Error {
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
