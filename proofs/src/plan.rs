//! [`Plan`]: a move of the side and how it goes on against replies without a line of their own.

use tengen_engine::{Move, Symmetry};

use crate::board::{Board, image};
use crate::head::Claim;
use crate::rule::{Failure, ended};

/// A tree of forced moves: `move [(reply PLAN)]... [!PLAN]`.
///
/// After the move, a reply in brackets is met by its plan. After another reply the side wins at once if
/// it can, else it follows the plan behind `!`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The move of the side.
    pub mv: Move,
    /// The plan against all replies that are not in `answers`.
    pub others: Option<Box<Plan>>,
    /// Replies and the plans against them.
    pub answers: Vec<(Move, Plan)>,
}

impl Plan {
    /// Returns moves that follow each other against any reply; `None` without a move.
    pub fn chain(moves: impl DoubleEndedIterator<Item = Move>) -> Option<Self> {
        moves.rev().fold(None, |others, mv| {
            Some(Self { mv, others: others.map(Box::new), answers: Vec::new() })
        })
    }

    /// Writes the plan as a proof has it.
    pub fn write(&self, board: &Board) -> String {
        let mut text = board.write_point(self.mv);
        for (reply, plan) in &self.answers {
            text += &format!("({} {})", board.write_point(*reply), plan.write(board));
        }
        if let Some(others) = &self.others {
            text += "!";
            text += &others.write(board);
        }
        text
    }

    /// Reads a plan. The whole text must be one.
    pub fn read(text: &str, board: &Board) -> Result<Self, String> {
        let mut rest = text;
        let plan = Self::read_part(&mut rest, board, board.stones().len())?;
        match rest {
            "" => Ok(plan),
            rest => Err(format!("no plan: {rest}")),
        }
    }

    /// Reads a plan with at most `most` plans within each other: no game is longer.
    fn read_part(rest: &mut &str, board: &Board, most: usize) -> Result<Self, String> {
        let most = most.checked_sub(1).ok_or("too many plans within each other")?;
        let mv = read_point(rest, board)?;
        let mut answers = Vec::new();
        while let Some(tail) = rest.strip_prefix('(') {
            *rest = tail;
            let reply = read_point(rest, board)?;
            *rest = rest.strip_prefix(' ').ok_or_else(|| format!("no blank before {rest:?}"))?;
            answers.push((reply, Self::read_part(rest, board, most)?));
            *rest = rest.strip_prefix(')').ok_or_else(|| format!("no bracket before {rest:?}"))?;
        }
        let others = match rest.strip_prefix('!') {
            None => None,
            Some(tail) => {
                *rest = tail;
                Some(Box::new(Self::read_part(rest, board, most)?))
            }
        };
        Ok(Self { mv, others, answers })
    }

    /// Returns the plan under a symmetry.
    pub(crate) fn turned(&self, symmetry: &Symmetry) -> Self {
        let turned = |plan: &Self| plan.turned(symmetry);
        let answers = self.answers.iter();
        Self {
            mv: image(symmetry, self.mv),
            others: self.others.as_deref().map(turned).map(Box::new),
            answers: answers.map(|(reply, plan)| (image(symmetry, *reply), turned(plan))).collect(),
        }
    }

    /// Returns the plan for the position after `moves` of both sides; `None` if the plan does not have these moves.
    pub(crate) fn after(&self, moves: &[Move]) -> Option<&Self> {
        match moves {
            [] => Some(self),
            [mv, reply, rest @ ..] if *mv == self.mv => {
                self.answer(*reply).or(self.others.as_deref())?.after(rest)
            }
            _ => None,
        }
    }

    /// Returns the plan against a reply that it names.
    pub fn answer(&self, reply: Move) -> Option<&Self> {
        Some(&self.answers.iter().find(|(known, _)| *known == reply)?.1)
    }

    /// Follows the plan alone against every reply, with the side to move. Returns the plies to the end.
    pub fn follow(&self, board: &mut Board, claim: Claim) -> Result<u32, Failure> {
        if !board.play(self.mv) {
            return Err((board.line(), "the move of the plan cannot be played"));
        }
        let plies = self.replies(board, claim);
        board.undo();
        Ok(plies? + 1)
    }

    fn replies(&self, board: &mut Board, claim: Claim) -> Result<u32, Failure> {
        if let Some(end) = ended(board, claim) {
            return end;
        }
        let mut most = 0;
        for reply in board.legal() {
            board.play(reply);
            let plies = self.reply(reply, board, claim);
            board.undo();
            most = most.max(plies? + 1);
        }
        Ok(most)
    }

    fn reply(&self, reply: Move, board: &mut Board, claim: Claim) -> Result<u32, Failure> {
        if let Some(end) = ended(board, claim) {
            return end;
        }
        if let Some(plan) = self.answer(reply) {
            return plan.follow(board, claim);
        }
        if board.winning_move().is_some() {
            return Ok(1);
        }
        let others = self.others.as_ref();
        others.ok_or_else(|| (board.line(), "the plan has no answer"))?.follow(board, claim)
    }
}

/// Takes a point, a letter and digits, from the start of a text.
fn read_point(rest: &mut &str, board: &Board) -> Result<Move, String> {
    let digits = rest.bytes().skip(1).take_while(u8::is_ascii_digit).count();
    let word = rest.get(..=digits).unwrap_or(rest);
    let is_lower = word.starts_with(|letter: char| letter.is_ascii_lowercase());
    let point = board
        .read_point(word)
        .filter(|_| is_lower)
        .ok_or_else(|| format!("no point: {:.20}", *rest))?;
    *rest = &rest[word.len()..];
    Ok(point)
}
