//! Checks of claimed wins by the rules alone: the attacker's moves come from searches, the defender
//! tries every legal move.
//!
//! The check uses no threats and no patterns: a claim holds only if every line ends in a won
//! position.

use std::collections::HashSet;

use anyhow::Result;
use tengen_engine::{Client, Limits, Move, Outcome, Position, Side, Style};

/// The result of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The attacker wins against every defence.
    Right,
    /// A defence refutes a move that a search claimed to win. Holds the moves after the claimed
    /// position.
    Wrong(Vec<String>),
    /// The searches did not find a win after every defence, or took too many nodes.
    Unsettled,
}

/// Checks claims of one variant.
pub struct ClaimChecker {
    client: Client,
    /// Positions in which the side to move was found to win against every defence.
    won: HashSet<u64>,
    /// Node limits of the searches for the attacker, in the order in which they are tried.
    node_limits: Vec<u64>,
    nodes_left: u64,
    /// The last move that won immediately, tried first because most defences do not stop it.
    last_win: Option<Move>,
    /// The moves after the claimed position.
    line: Vec<String>,
}

impl ClaimChecker {
    /// Creates a checker that searches with `client`, with each of `node_limits` until a search
    /// claims a win.
    pub fn new(client: Client, node_limits: Vec<u64>) -> Self {
        let won = HashSet::new();
        Self { client, won, node_limits, nodes_left: 0, last_win: None, line: Vec::new() }
    }

    /// Forgets the positions of the last game.
    pub fn clear(&mut self) {
        self.won.clear();
        self.client.clear_hash();
    }

    /// Checks the claim that `attacker` wins on `board`. With the attacker to move, `best` is the
    /// move that was claimed to win; `None` searches for one. The searches together take about
    /// `nodes` nodes at most.
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
            return self.check_defences(board, attacker);
        }
        self.check_attack(board, attacker, best)
    }

    /// Checks a position with the attacker to move: a move wins immediately, or a move that a
    /// search claims to win is checked.
    fn check_attack(
        &mut self,
        board: &mut dyn Position,
        attacker: Side,
        best: Option<Move>,
    ) -> Result<Verdict> {
        if self.won.contains(&board.key()) || self.winning_move(board).is_some() {
            return Ok(Verdict::Right);
        }
        let best = if best.is_some() { best } else { self.claimed_win(board)? };
        let Some(mv) = best else { return Ok(Verdict::Unsettled) };
        let key = board.key();
        let verdict = self.check_after(board, attacker, mv, Self::check_defences)?;
        if verdict == Verdict::Right {
            self.won.insert(key);
        }
        Ok(verdict)
    }

    /// Checks the position after `mv`: by the rules if the game is over, else with `check`.
    fn check_after(
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

    /// Checks the position after each move of the defender, who is to move.
    fn check_defences(&mut self, board: &mut dyn Position, attacker: Side) -> Result<Verdict> {
        let mut worst = Verdict::Right;
        for answer in board.legal() {
            let verdict =
                self.check_after(board, attacker, answer, |checker, board, attacker| {
                    checker.check_attack(board, attacker, None)
                })?;
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

    /// Returns a move by which the side to move wins immediately; `None` if there is none.
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

    /// Returns the move that a search claims to win; `None` if no search claims a win.
    fn claimed_win(&mut self, board: &dyn Position) -> Result<Option<Move>> {
        self.client.set_position(board.duplicate());
        for &node_limit in &self.node_limits {
            let limit = node_limit.min(self.nodes_left);
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
    fn a_claim_is_wrong_if_the_defender_wins() {
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
