//! Checks of claimed wins by the rules alone: the attacker's moves come from searches, the defender
//! tries every legal move.
//!
//! It knows no threats and no patterns: a claim holds because every line ends in a win on a board.

use std::collections::HashSet;

use anyhow::Result;
use tengen_engine::{Client, Limits, Move, Outcome, Position, Side, Style};

/// What the check of a claim found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The attacker wins against every defence.
    Right,
    /// A defence refutes a move that a search claimed to win: the moves from the position on.
    Wrong(Vec<String>),
    /// The searches did not find a win after every defence, or took too many nodes.
    Unsettled,
}

/// Checks claims of one variant.
pub struct ClaimChecker {
    client: Client,
    /// Positions in which the side to move was seen to win against every defence.
    won: HashSet<u64>,
    /// Node limits of the searches for the attacker, in the order in which they are tried.
    efforts: Vec<u64>,
    nodes_left: u64,
    /// The move that won at once last. Most defences leave it.
    last_win: Option<Move>,
    /// The moves from the claimed position on.
    line: Vec<String>,
}

impl ClaimChecker {
    /// Creates a checker that searches with `client`, first with the first of these node limits.
    pub fn new(client: Client, efforts: Vec<u64>) -> Self {
        let won = HashSet::new();
        Self { client, won, efforts, nodes_left: 0, last_win: None, line: Vec::new() }
    }

    /// Forgets the positions of the last game.
    pub fn begin(&mut self) {
        self.won.clear();
        self.client.clear_hash();
    }

    /// Checks that `attacker` wins. If it is its turn, `best` is the move that was claimed to win.
    /// The searches together take about `nodes` nodes at most.
    pub fn check(
        &mut self,
        board: &mut dyn Position,
        attacker: Side,
        best: Option<Move>,
        nodes: u64,
    ) -> Result<Verdict> {
        self.nodes_left = nodes;
        self.line.clear();
        if board.turn() != attacker {
            return self.answers(board, attacker);
        }
        let Some(best) = best else { return self.attack(board, attacker) };
        if self.won.contains(&board.key()) || self.winning_move(board).is_some() {
            return Ok(Verdict::Right);
        }
        self.attack_with(board, attacker, best)
    }

    /// Checks a position with the attacker to move: it wins at once, or by a move that a search
    /// claims to win.
    fn attack(&mut self, board: &mut dyn Position, attacker: Side) -> Result<Verdict> {
        if self.won.contains(&board.key()) || self.winning_move(board).is_some() {
            return Ok(Verdict::Right);
        }
        match self.claimed_win(board)? {
            Some(mv) => self.attack_with(board, attacker, mv),
            None => Ok(Verdict::Unsettled),
        }
    }

    fn attack_with(
        &mut self,
        board: &mut dyn Position,
        attacker: Side,
        mv: Move,
    ) -> Result<Verdict> {
        let key = board.key();
        let verdict = self.after(board, attacker, mv, Self::answers)?;
        if verdict == Verdict::Right {
            self.won.insert(key);
        }
        Ok(verdict)
    }

    /// Checks the position after a move: by the rules if the game has ended, else by `check`.
    fn after(
        &mut self,
        board: &mut dyn Position,
        attacker: Side,
        mv: Move,
        check: fn(&mut Self, &mut dyn Position, Side) -> Result<Verdict>,
    ) -> Result<Verdict> {
        self.line.push(board.write_move(mv, Style::Plain));
        board.play(mv)?;
        let verdict = match board.outcome() {
            Some(Outcome::Win(winner)) if winner == attacker => Verdict::Right,
            Some(_) => Verdict::Wrong(self.line.clone()),
            None => check(self, board, attacker)?,
        };
        board.undo();
        self.line.pop();
        Ok(verdict)
    }

    /// Checks a position with the defender to move, after each of its moves.
    fn answers(&mut self, board: &mut dyn Position, attacker: Side) -> Result<Verdict> {
        let mut worst = Verdict::Right;
        for answer in board.legal() {
            let verdict = self.after(board, attacker, answer, Self::attack)?;
            match verdict {
                Verdict::Right => {}
                Verdict::Unsettled => worst = Verdict::Unsettled,
                Verdict::Wrong(_) => return Ok(verdict),
            }
            if worst == Verdict::Unsettled && self.nodes_left == 0 {
                break;
            }
        }
        Ok(worst)
    }

    /// Returns a move by which the side to move wins at once.
    fn winning_move(&mut self, board: &mut dyn Position) -> Option<Move> {
        let side = board.turn();
        let legal = board.legal();
        let hint = self.last_win.filter(|mv| legal.contains(mv));
        let win = hint.into_iter().chain(legal).find(|mv| {
            if board.play(*mv).is_err() {
                return false;
            }
            let wins = board.outcome() == Some(Outcome::Win(side));
            board.undo();
            wins
        });
        self.last_win = win.or(self.last_win);
        win
    }

    /// Returns the move that a search claims to win, if one does.
    fn claimed_win(&mut self, board: &dyn Position) -> Result<Option<Move>> {
        self.client.set_position(board.duplicate());
        for &effort in &self.efforts {
            let limit = effort.min(self.nodes_left);
            if limit == 0 {
                break;
            }
            let answer = self.client.search(Limits::default().with_nodes(limit))?;
            self.nodes_left = self.nodes_left.saturating_sub(answer.report.nodes);
            if answer.report.score.is_win() {
                return Ok(answer.best);
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use tengen_engine::{Chosen, Settings};
    use tengen_games::CATALOG;

    use super::*;

    fn verdict(moves: &str, attacker: Side, best: Option<&str>) -> Verdict {
        let settings = Settings::default().with_hash_mib(8).with_own_book(false);
        let client = Client::open(&CATALOG, "gomokufreestyle", &Chosen::new(), &settings).unwrap();
        let mut board = client.position().duplicate();
        for mv in moves.split_ascii_whitespace() {
            board.play_text(mv).unwrap();
        }
        let best = best.map(|text| board.read_move(text).unwrap());
        let mut checker = ClaimChecker::new(client, vec![1_000, 10_000]);
        checker.check(&mut *board, attacker, best, 100_000).unwrap()
    }

    /// The first player has an open three, h8 i8 j8.
    const THREE: &str = "h8 a1 i8 c1 j8 e1";

    #[test]
    fn an_open_three_wins_for_the_side_to_move() {
        assert_eq!(verdict(THREE, Side::First, Some("k8")), Verdict::Right);
        assert_eq!(verdict(THREE, Side::First, None), Verdict::Right);
        assert_eq!(verdict("h8 a1 i8 c1 j8 e1 k8", Side::First, None), Verdict::Right);
    }

    #[test]
    fn a_claim_is_refuted_by_the_end_of_the_game() {
        let four = "h8 a1 i8 b1 j8 c1 o15 d1";
        let wrong = Verdict::Wrong(vec!["k8".into(), "e1".into()]);
        assert_eq!(verdict(four, Side::First, Some("k8")), wrong);
    }

    #[test]
    fn a_claim_that_cannot_be_shown_is_unsettled() {
        assert_eq!(verdict("h8 a1", Side::First, Some("i9")), Verdict::Unsettled);
        assert_eq!(verdict("h8 a1 i8 c1 j8", Side::Second, None), Verdict::Unsettled);
    }
}
