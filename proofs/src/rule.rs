//! Rules for a whole subtree of four in a row: a list of points, some under a condition.
//!
//! The side plays the first point of the list that is safe and whose condition is met, else the first
//! safe point on an even row, else the first safe point. It wins where it can and blocks where it must.
// CITE: the diagrams of 2swap's WeakC4, https://2swap.github.io/WeakC4/explanation/, give each point of a
// column a rank. CITE: R. Rivest, Learning Decision Lists, 1987: lists with conditions can be learned.

use std::collections::HashMap;

use tengen_engine::{Move, Outcome, Side};

use crate::board::Board;
use crate::head::Claim;

/// Who has the point of a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// The opponent.
    Opponent,
    /// The side of the strategy.
    Side,
    /// Nobody.
    Nobody,
}

impl Owner {
    const ALL: [(Self, char); 3] = [(Self::Opponent, '-'), (Self::Side, '+'), (Self::Nobody, '.')];
}

/// An item of the list: a point to play, and the condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Item {
    /// The point to play.
    pub point: Move,
    /// Who must have which point; `None` if the item always counts.
    pub condition: Option<(Owner, Move)>,
}

/// Reads a list such as `e4-e3 b2 c3.d1`.
pub(crate) fn read_rule(text: &str, board: &Board) -> Result<Vec<Item>, String> {
    text.split_whitespace().map(|word| read_item(word, board)).collect()
}

fn read_item(word: &str, board: &Board) -> Result<Item, String> {
    let point = |text: &str| board.read_point(text).ok_or_else(|| format!("no point: {word}"));
    for (owner, sign) in Owner::ALL {
        if let Some((to, at)) = word.split_once(sign) {
            return Ok(Item { point: point(to)?, condition: Some((owner, point(at)?)) });
        }
    }
    Ok(Item { point: point(word)?, condition: None })
}

/// Returns the move of a rule among the `safe` moves of `side`, which must not be empty.
pub(crate) fn choose(rule: &[Item], board: &Board, side: Side, safe: &[Move]) -> Move {
    let own = side as u8 + 1;
    let is_met = |item: &&Item| {
        safe.contains(&item.point)
            && item.condition.is_none_or(|(owner, at)| match (owner, board.stone(at)) {
                (Owner::Nobody, stone) => stone == 0,
                (Owner::Side, stone) => stone == own,
                (Owner::Opponent, stone) => stone == 3 - own,
            })
    };
    let width = board.notation().grid().width();
    let is_even = |mv: &&Move| mv.code() / width % 2 == 1;
    let listed = rule.iter().find(is_met).map(|item| item.point);
    listed.or_else(|| safe.iter().find(is_even).copied()).unwrap_or(safe[0])
}

/// Returns all points in the order in which a rule prefers them without an item that counts.
pub(crate) fn by_default(board: &Board) -> Vec<Move> {
    let grid = board.notation().grid();
    let (width, points) = (grid.width(), grid.cells() as u32);
    let mut all: Vec<u32> = (0..points).collect();
    all.sort_by_key(|at| (at / width % 2 == 0, at % width));
    all.into_iter().map(Move::from_code).collect()
}

/// A rule that is followed, and the positions in which it is proven, with the plies to the end.
pub(crate) struct Followed<'a> {
    rule: &'a [Item],
    claim: Claim,
    seen: HashMap<Vec<u8>, u32>,
    /// The positions of the side that were played through.
    pub(crate) played: u64,
}

/// The moves to a position that is not as claimed, and why.
pub type Failure = (String, &'static str);

impl<'a> Followed<'a> {
    pub(crate) fn new(rule: &'a [Item], claim: Claim) -> Self {
        Self { rule, claim, seen: HashMap::new(), played: 0 }
    }

    /// Follows the rule against every reply, with the side to move. Returns the plies to the end.
    pub(crate) fn side(&mut self, board: &mut Board) -> Result<u32, Failure> {
        self.played += 1;
        if board.winning_move().is_some() {
            return Ok(1);
        }
        let safe = board.safe_moves();
        if safe.is_empty() {
            return Err((board.line(), NO_SAFE_MOVE));
        }
        let mv = choose(self.rule, board, self.claim.side, &safe);
        board.play(mv);
        let plies = self.replies(board);
        board.undo();
        Ok(plies? + 1)
    }

    fn replies(&mut self, board: &mut Board) -> Result<u32, Failure> {
        if let Some(end) = ended(board, self.claim) {
            return end;
        }
        if let Some(plies) = self.seen.get(board.stones()) {
            return Ok(*plies);
        }
        let mut most = 0;
        for reply in board.legal() {
            board.play(reply);
            let plies = ended(board, self.claim).unwrap_or_else(|| self.side(board));
            board.undo();
            most = most.max(plies? + 1);
        }
        self.seen.insert(board.stones().to_vec(), most);
        Ok(most)
    }
}

/// The reason when every move lets the opponent win.
pub(crate) const NO_SAFE_MOVE: &str = "after every move the opponent wins at once";

/// Returns whether the game ended as claimed, with no ply left; `None` while it is not over.
pub(crate) fn ended(board: &Board, claim: Claim) -> Option<Result<u32, Failure>> {
    let why = match board.position().outcome()? {
        Outcome::Win(side) if side == claim.side => return Some(Ok(0)),
        Outcome::Draw if !claim.wins => return Some(Ok(0)),
        Outcome::Win(_) => "the opponent has won",
        _ => "the game is drawn",
    };
    Some(Err((board.line(), why)))
}
