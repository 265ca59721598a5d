//! Checks proven results by the rules of the game alone.
//!
//! No engine is used here. A winning tree is replayed on a board with every answer of the defender.
//! Short ends of small games are checked by plain minimax.

mod finder;

use tengen_engine::{Move, Outcome, Position, Side, Style};

pub use self::finder::ProofFinder;

/// A winning tree: a move of the attacker, and a tree for each answer that needs one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProofTree {
    /// The attacker's move.
    pub mv: Move,
    /// The answers after which the attacker cannot win with one move, each with its tree. After
    /// every other answer one move wins.
    pub replies: Vec<(Move, ProofTree)>,
}

impl ProofTree {
    /// Writes the tree as one line: `h8[i9 j10[..] k4 l5]`. `board` has the position before the
    /// tree.
    pub fn to_text(&self, board: &mut dyn Position) -> String {
        let mut text = board.write_move(self.mv, Style::Plain);
        if self.replies.is_empty() || board.play(self.mv).is_err() {
            return text;
        }
        let mut parts = Vec::new();
        for (reply, next) in &self.replies {
            let answer = board.write_move(*reply, Style::Plain);
            if board.play(*reply).is_ok() {
                parts.push(format!("{answer} {}", next.to_text(board)));
                board.undo();
            }
        }
        board.undo();
        text.push_str(&format!("[{}]", parts.join(" ")));
        text
    }
}

/// Replays a tree with every answer of the defender. Returns the maximum number of plies to the
/// win. The error is the move, with its answer, that refutes the proof.
pub fn check(board: &mut dyn Position, tree: &ProofTree) -> Result<u32, String> {
    let mut check = Check { attacker: board.turn(), last_win: None };
    check.node(board, tree)
}

/// The state of a check.
struct Check {
    attacker: Side,
    /// The last move that won immediately. It usually wins after the next answer too.
    last_win: Option<Move>,
}

impl Check {
    /// Checks a tree before its move is played.
    fn node(&mut self, board: &mut dyn Position, tree: &ProofTree) -> Result<u32, String> {
        let text = board.write_move(tree.mv, Style::Plain);
        if !board.legal().contains(&tree.mv) || board.play(tree.mv).is_err() {
            return Err(text);
        }
        let result = match board.outcome() {
            Some(Outcome::Win(winner)) if winner == self.attacker => Ok(1),
            Some(_) => Err(text),
            None => self.answers(board, tree, &text),
        };
        board.undo();
        result
    }

    /// Checks every answer to the attacker's move `text`, which has been played.
    fn answers(
        &mut self,
        board: &mut dyn Position,
        tree: &ProofTree,
        text: &str,
    ) -> Result<u32, String> {
        let legal = board.legal();
        if legal.is_empty() {
            return Err(text.to_owned());
        }
        let mut longest = 0;
        for reply in legal {
            let answer = board.write_move(reply, Style::Plain);
            if board.play(reply).is_err() {
                continue;
            }
            let known = tree.replies.iter().find(|(known, _)| *known == reply);
            let plies = match (board.outcome(), known) {
                (Some(Outcome::Win(winner)), _) if winner == self.attacker => Ok(0),
                (Some(_), _) => Err(format!("{text} {answer}")),
                (None, Some((_, next))) => self.node(board, next),
                (None, None) => match self.winning_move(board) {
                    Some(_) => Ok(1),
                    None => Err(format!("{text} {answer}")),
                },
            };
            board.undo();
            longest = longest.max(2 + plies?);
        }
        Ok(longest)
    }

    fn winning_move(&mut self, board: &mut dyn Position) -> Option<Move> {
        self.last_win = winning_move(board, self.last_win);
        self.last_win
    }
}

/// Returns a move with which the side to move wins immediately. `first` is tried before all others.
pub fn winning_move(board: &mut dyn Position, first: Option<Move>) -> Option<Move> {
    let mover = board.turn();
    let legal = board.legal();
    let hint = first.filter(|mv| legal.contains(mv));
    hint.into_iter().chain(legal).find(|mv| {
        if board.play(*mv).is_err() {
            return false;
        }
        let wins = board.outcome() == Some(Outcome::Win(mover));
        board.undo();
        wins
    })
}

/// Returns the value of a position for the side to move, 1, 0 or -1, by plain minimax to the depth
/// `plies`; `None` if the depth does not suffice.
pub fn minimax(board: &mut dyn Position, plies: u32) -> Option<i32> {
    if let Some(outcome) = board.outcome() {
        return Some(match outcome {
            Outcome::Win(winner) if winner == board.turn() => 1,
            Outcome::Win(_) => -1,
            Outcome::Draw => 0,
            Outcome::Value(value) => value.raw().signum(),
        });
    }
    if plies == 0 {
        return None;
    }
    let mut best = Some(-1);
    for mv in board.legal() {
        if board.play(mv).is_err() {
            continue;
        }
        let value = minimax(board, plies - 1).map(|value| -value);
        board.undo();
        match value {
            Some(1) => return Some(1),
            // A draw counts only if the values of all other moves are known.
            Some(value) => best = best.map(|best| best.max(value)),
            None => best = None,
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use tengen_engine::Chosen;
    use tengen_engine::backend::Catalog;
    use tengen_games::CATALOG;

    use super::*;

    fn board(variant: &str, moves: &str) -> Box<dyn Position> {
        let spec = CATALOG.describe(variant, &Chosen::new()).unwrap();
        let mut board = CATALOG.position(&spec);
        for mv in moves.split_ascii_whitespace() {
            board.play_text(mv).unwrap();
        }
        board
    }

    fn mv(board: &dyn Position, text: &str) -> Move {
        board.read_move(text).unwrap()
    }

    /// The first player has the open three h8 i8 j8 and can make an open four.
    const THREE: &str = "h8 a1 i8 c1 j8 e1";

    #[test]
    fn an_open_four_wins_against_every_answer() {
        let mut three = board("gomokufreestyle", THREE);
        let tree = ProofTree { mv: mv(&*three, "k8"), replies: Vec::new() };
        assert_eq!(check(&mut *three, &tree), Ok(3));
        assert_eq!((three.played().len(), tree.to_text(&mut *three)), (6, "k8".to_owned()));
        // A closed four can be blocked.
        let closed = ProofTree { mv: mv(&*three, "l8"), replies: Vec::new() };
        assert_eq!(check(&mut *three, &closed), Err("l8 k8".to_owned()));
        let quiet = ProofTree { mv: mv(&*three, "a15"), replies: Vec::new() };
        assert!(check(&mut *three, &quiet).is_err());
        let a1 = mv(&*board("gomokufreestyle", ""), "a1");
        let taken = ProofTree { mv: a1, replies: Vec::new() };
        assert!(check(&mut *three, &taken).is_err());
    }

    #[test]
    fn a_tree_continues_after_the_answer_that_it_names() {
        // The closed four is blocked at k8. Then l9 wins with the column l5 to l9.
        let mut position = board("gomokufreestyle", "h8 a1 i8 a3 j8 a5 l5 c1 l6 c3 l7 c5");
        let four = mv(&*position, "l8");
        let mut behind = position.duplicate();
        behind.play(four).unwrap();
        let block = mv(&*behind, "k8");
        let next = ProofTree { mv: mv(&*position, "l9"), replies: Vec::new() };
        let tree = ProofTree { mv: four, replies: vec![(block, next.clone())] };
        assert_eq!(check(&mut *position, &tree), Ok(3));
        assert_eq!(tree.to_text(&mut *position), "l8[k8 l9]");
        // The tree without this answer is a proof too.
        let short = ProofTree { mv: four, replies: Vec::new() };
        assert!(
            check(&mut *position, &short).is_ok(),
            "five at l9 is possible after every answer but l9"
        );
    }

    #[test]
    fn a_defender_who_wins_first_refutes_a_proof() {
        // The second player has four in a row at the edge.
        let mut position = board("gomokufreestyle", "h8 a1 i8 a2 j8 a3 o15 a4");
        let tree = ProofTree { mv: mv(&*position, "k8"), replies: Vec::new() };
        assert_eq!(check(&mut *position, &tree), Err("k8 a5".to_owned()));
    }

    #[test]
    fn short_ends_are_solved_by_minimax() {
        let mut three = board("cfour", "a b a b a b");
        assert_eq!(minimax(&mut *three, 1), Some(1));
        assert_eq!(winning_move(&mut *three, None), Some(mv(&*three, "a")));
        let mut lost = board("cfour", "d a e a f");
        assert_eq!((minimax(&mut *lost, 1), minimax(&mut *lost, 2)), (None, Some(-1)));
        let mut drawn = board("tictactoe", "b2 a1 a2 c2 b1 b3 a3");
        assert_eq!(minimax(&mut *drawn, 2), Some(0));
        assert_eq!(drawn.played().len(), 7);
    }
}
