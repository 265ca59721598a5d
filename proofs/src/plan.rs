//! [`Plan`]: a move of the side and how it goes on against replies without a line of their own.

use tengen_engine::Move;

use crate::board::Board;

/// A tree of forced moves: `move [(reply PLAN)]... [!PLAN]`.
///
/// After the move, a reply in brackets is met by its plan. After another reply the side wins at once if
/// it can, else it follows the plan behind `!`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Plan {
    /// The move of the side.
    pub(crate) mv: Move,
    /// The plan against all replies that are not in `answers`.
    pub(crate) others: Option<Box<Plan>>,
    /// Replies and the plans against them.
    pub(crate) answers: Vec<(Move, Plan)>,
}

impl Plan {
    /// Reads a plan. The whole text must be one.
    pub(crate) fn read(text: &str, board: &Board) -> Result<Self, String> {
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
            *rest = rest.strip_prefix(' ').unwrap_or(rest);
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

    /// Returns the plan against a reply that it names.
    pub(crate) fn answer(&self, reply: Move) -> Option<&Self> {
        Some(&self.answers.iter().find(|(known, _)| *known == reply)?.1)
    }
}

/// Takes a point, a letter and digits, from the start of a text.
fn read_point(rest: &mut &str, board: &Board) -> Result<Move, String> {
    let digits = rest.bytes().skip(1).take_while(u8::is_ascii_digit).count();
    let word = rest.get(..=digits).unwrap_or(rest);
    let point = board.read_point(word).ok_or_else(|| format!("no point: {:.20}", *rest))?;
    *rest = &rest[word.len()..];
    Ok(point)
}
