//! A check of claimed wins against every defence, with a small search of threats of its own.

use std::collections::HashMap;

use crate::rules::{Board, Point, Rule, name, other};

/// A position with the attacker to move: it has a win within so many own moves, and none was found within so many.
#[derive(Clone, Copy, Default)]
struct Known {
    win: u32,
    none: [u32; LEVELS],
}

/// The levels of the search: how many moves of an attack make no four. Level 0 has fours only.
const LEVELS: usize = 5;

/// What became of a claim.
pub(crate) enum Verdict {
    Right,
    /// The claim is false: a whole search of all moves says so.
    Wrong,
    /// No win was found after these lines. Each has the attacker to move.
    Open(Vec<Vec<Point>>),
}

pub(crate) struct Referee {
    pub(crate) board: Board,
    attacker: u8,
    /// The moves of the winner that somebody proposed, by position.
    hints: HashMap<u64, Vec<Point>>,
    known: HashMap<u64, Known>,
    /// How often a move of the attacker won, by point.
    won: Vec<u32>,
    pub(crate) nodes: u64,
    end: u64,
    path: Vec<Point>,
    open: Vec<Vec<Point>>,
}

/// The most lines of a claim that are open at a time.
const MOST_OPEN: usize = 8;

impl Referee {
    pub(crate) fn new(board: Board, attacker: u8) -> Self {
        let won = vec![0; 1024];
        let (hints, known) = (HashMap::new(), HashMap::new());
        Self {
            board,
            attacker,
            hints,
            known,
            won,
            nodes: 0,
            end: 0,
            path: Vec::new(),
            open: Vec::new(),
        }
    }

    /// Notes the attacker's moves of a line, which begins with a move of `turn`.
    pub(crate) fn hint(&mut self, mut turn: u8, line: &[Point]) {
        let mut played = 0;
        for &at in line {
            if !self.board.is_empty(at) {
                break;
            }
            if turn == self.attacker {
                let known = self.hints.entry(self.board.hash).or_default();
                if !known.contains(&at) {
                    known.push(at);
                }
            }
            self.board.put(at, turn);
            played += 1;
            turn = other(turn);
        }
        for &at in line[..played].iter().rev() {
            self.board.take(at);
        }
    }

    /// Checks that the attacker wins within `moves` own moves. `effort` is the number of nodes for each position without a hint.
    pub(crate) fn check(&mut self, turn: u8, moves: u32, effort: u64) -> Verdict {
        self.open.clear();
        let holds = if turn == self.attacker {
            self.follow(moves, effort)
        } else {
            self.follow_defence(moves, effort)
        };
        let is_decided =
            |line: &Vec<Point>| moves <= 2 && line.len() == usize::from(turn != self.attacker);
        match holds {
            true => Verdict::Right,
            false if self.open.iter().any(is_decided) || self.open.is_empty() => Verdict::Wrong,
            false => Verdict::Open(std::mem::take(&mut self.open)),
        }
    }

    /// The attacker is to move: follows a hint, or searches.
    fn follow(&mut self, moves: u32, effort: u64) -> bool {
        if self.known.get(&self.board.hash).is_some_and(|known| known.win > 0 && known.win <= moves)
        {
            return true;
        }
        let before = self.open.len();
        let has_five = !self.board.fives(self.attacker).is_empty();
        let hints = self.hints.get(&self.board.hash).filter(|_| moves > 1 && !has_five);
        for at in hints.cloned().unwrap_or_default() {
            if self.board.is_allowed(self.attacker, at) && self.holds(at, moves - 1, effort) {
                self.prove(moves, at);
                self.open.truncate(before);
                return true;
            }
        }
        if self.open.len() > before {
            return false;
        }
        self.end = self.nodes + effort;
        if (0..LEVELS as u32).any(|level| self.wins(moves, level)) {
            return true;
        }
        self.open.push(self.path.clone());
        false
    }

    /// Plays a hint and follows every reply.
    fn holds(&mut self, at: Point, moves: u32, effort: u64) -> bool {
        self.board.put(at, self.attacker);
        self.path.push(at);
        let holds = self.follow_defence(moves, effort);
        self.path.pop();
        self.board.take(at);
        holds
    }

    /// The defender is to move: follows every reply. Lines that stay open are noted.
    fn follow_defence(&mut self, moves: u32, effort: u64) -> bool {
        let Some(replies) = self.replies(moves) else { return false };
        let (mut holds, before) = (true, self.open.len());
        for at in replies {
            if self.open.len() >= before + MOST_OPEN {
                return false;
            }
            self.board.put(at, other(self.attacker));
            self.path.push(at);
            holds &= self.follow(moves, effort);
            self.path.pop();
            self.board.take(at);
        }
        holds
    }

    /// Returns the replies after which the attacker does not win at once; `None` if the defender does not lose within
    /// `moves` more moves of the attacker.
    fn replies(&mut self, moves: u32) -> Option<Vec<Point>> {
        let defender = other(self.attacker);
        if moves == 0 || !self.board.fives(defender).is_empty() {
            return None;
        }
        let threats = self.board.fives(self.attacker);
        // Where stones of the opponent at the ends of a row do not matter, only a stone on the point itself helps.
        let mut replies = match threats[..] {
            [] => self.board.empties(),
            [at, ..] if matches!(self.board.rule(), Rule::Caro | Rule::CaroExact) => {
                self.board.near(at)
            }
            [at] => vec![at],
            _ => Vec::new(),
        };
        let is_full = self.board.empties().len() < 2;
        replies.retain(|&at| {
            if !self.board.is_allowed(defender, at) {
                return false;
            }
            // A stone of the defender makes no row of the attacker.
            if threats.is_empty() {
                return true;
            }
            self.board.put(at, defender);
            let wins = !self.board.fives(self.attacker).is_empty();
            self.board.take(at);
            !wins
        });
        // Without a legal reply or a point for the next move the game is drawn.
        let is_drawn = is_full || threats.is_empty() && replies.is_empty();
        (!is_drawn).then_some(replies)
    }

    fn prove(&mut self, moves: u32, at: Point) {
        self.known.entry(self.board.hash).or_default().win = moves;
        self.won[at] += 1;
    }

    /// Returns whether the attacker, who is to move, has a win within `moves` moves of this level or a lower one.
    fn wins(&mut self, moves: u32, level: u32) -> bool {
        if !self.board.fives(self.attacker).is_empty() {
            return moves > 0;
        }
        if moves < 2 {
            return false;
        }
        (0..=level).any(|level| self.attack(moves, level))
    }

    fn attack(&mut self, moves: u32, level: u32) -> bool {
        let hash = self.board.hash;
        if let Some(known) = self.known.get(&hash) {
            if known.win > 0 && known.win <= moves {
                return true;
            }
            if known.none[level as usize] >= moves {
                return false;
            }
        }
        self.nodes += 1;
        for (at, rest) in self.candidates(moves, level) {
            if self.nodes >= self.end {
                return false;
            }
            if !self.board.is_allowed(self.attacker, at) {
                continue;
            }
            self.board.put(at, self.attacker);
            let wins = self.wins_after(moves - 1, rest);
            self.board.take(at);
            if wins {
                self.prove(moves, at);
                return true;
            }
        }
        if self.nodes < self.end {
            self.known.entry(hash).or_default().none[level as usize] = moves;
        }
        false
    }

    /// Returns the number of fours that the attacker makes on a point.
    fn fours(&self, at: Point) -> u8 {
        self.board.shapes(self.attacker, at).iter().map(|shape| shape.fours).sum()
    }

    /// Returns the attacker's moves to try, each with the level of what follows.
    fn candidates(&self, moves: u32, level: u32) -> Vec<(Point, u32)> {
        let threats = self.board.fives(other(self.attacker));
        if let Some(&at) = threats.first() {
            let is_caro = matches!(self.board.rule(), Rule::Caro | Rule::CaroExact);
            let blocks = match threats.len() {
                _ if is_caro => self.board.near(at),
                1 => vec![at],
                _ => Vec::new(),
            };
            let is_tried = |&at: &Point| level > 0 || self.fours(at) > 0;
            return blocks.into_iter().filter(is_tried).map(|at| (at, level)).collect();
        }
        let mut found = Vec::new();
        for at in self.board.empties() {
            let shapes = self.board.shapes(self.attacker, at);
            let fours = self.fours(at);
            let threes = shapes.iter().filter(|shape| shape.three).count();
            let worth = self.won[at] + 4 * threes as u32 + 8 * u32::from(fours);
            if fours > 0 {
                found.push((worth + 1000 * u32::from(fours > 1), at, level));
            } else if level > 0 && moves > 2 && (threes > 0 || level > 2) {
                found.push((worth, at, level - 1));
            }
        }
        found.sort_unstable_by_key(|found| std::cmp::Reverse(found.0));
        found.into_iter().map(|(_, at, level)| (at, level)).collect()
    }

    /// The defender is to move. Returns whether every reply loses within `moves` moves of this level.
    fn wins_after(&mut self, moves: u32, level: u32) -> bool {
        let is_four = !self.board.fives(self.attacker).is_empty();
        if !is_four {
            // A move that threatens nothing wins nothing: first a reply is left out.
            let is_safe = self.board.fives(other(self.attacker)).is_empty();
            if !is_safe || !self.wins(moves, level) {
                return false;
            }
        }
        let Some(mut replies) = self.replies(moves) else { return false };
        replies.sort_by_key(|&at| std::cmp::Reverse(self.won[at]));
        replies.into_iter().all(|at| {
            self.board.put(at, other(self.attacker));
            let wins = self.wins(moves, level);
            self.board.take(at);
            wins
        })
    }
}

/// Writes a line of moves.
pub(crate) fn written(line: &[Point]) -> String {
    line.iter().map(|&at| name(at)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{FIRST, SECOND};

    /// Judges the claim that Black wins within `moves` moves. `line` has the claimed moves.
    fn judge(
        rule: Rule,
        black: &str,
        white: &str,
        turn: u8,
        moves: u32,
        line: &str,
    ) -> &'static str {
        let mut board = Board::new(rule, 15, 15);
        let read = |board: &Board, text: &str| -> Vec<Point> {
            text.split_whitespace().map(|name| board.read(name).expect("a point")).collect()
        };
        for (side, stones) in [(FIRST, black), (SECOND, white)] {
            for at in read(&board, stones) {
                board.put(at, side);
            }
        }
        let line = read(&board, line);
        let mut referee = Referee::new(board, FIRST);
        referee.hint(turn, &line);
        match referee.check(turn, moves, 2_000) {
            Verdict::Right => "right",
            Verdict::Wrong => "wrong",
            Verdict::Open(_) => "open",
        }
    }

    #[test]
    fn a_claim_is_right_only_with_enough_moves() {
        for rule in [Rule::Freestyle, Rule::Exact, Rule::Renju] {
            // An open three wins with a four and a five, four stones with a five.
            for (stones, moves) in [("f8 g8 h8 i8", 1), ("f8 g8 h8", 2), ("f8 g8 h8 f9", 2)] {
                let is = |moves, line| judge(rule, stones, "a1 c1 e1", FIRST, moves, line);
                assert_eq!(is(moves, ""), "right", "{rule:?}: {stones}");
                assert_eq!(is(moves + 3, ""), "right", "{rule:?}: {stones}");
                assert_eq!(is(moves - 1, ""), "wrong", "{rule:?}: {stones}");
            }
        }
    }

    #[test]
    fn the_defender_may_win_first() {
        // White has four stones, so Black must win at once.
        let white = "a1 b1 c1 d1";
        assert_eq!(judge(Rule::Freestyle, "f8 g8 h8", white, FIRST, 2, "i8"), "wrong");
        assert_eq!(judge(Rule::Freestyle, "f8 g8 h8 i8", white, FIRST, 1, ""), "right");
        assert_eq!(judge(Rule::Freestyle, "f8 g8 h8 i8", white, SECOND, 1, ""), "wrong");
    }

    #[test]
    fn a_proposed_move_is_no_proof() {
        assert_eq!(judge(Rule::Freestyle, "f8 g8 h8", "a1 c1", FIRST, 2, "o15 a2 o14"), "open");
        assert_eq!(judge(Rule::Freestyle, "h8", "a1", FIRST, 9, "i8 i9 h9"), "open");
    }

    #[test]
    fn both_ends_of_a_four_are_defences_in_caro() {
        // A four that is open to the edge of the board, and one that White closes.
        assert_eq!(judge(Rule::Caro, "f8 g8 h8 i8", "e8", SECOND, 1, ""), "wrong");
        assert_eq!(judge(Rule::Caro, "f8 g8 h8 i8", "", SECOND, 1, ""), "right");
        assert_eq!(judge(Rule::Freestyle, "f8 g8 h8 i8", "", SECOND, 1, ""), "right");
    }

    #[test]
    fn a_forbidden_point_is_no_defence() {
        // Black is the defender: h10 would be a double three.
        let mut board = Board::new(Rule::Renju, 15, 15);
        for (side, stones) in [(FIRST, "h8 h9 i10 j10 c15"), (SECOND, "g11 f12 e13 a1")] {
            for stone in stones.split(' ') {
                let at = board.read(stone).expect("a point");
                board.put(at, side);
            }
        }
        let mut referee = Referee::new(board, SECOND);
        assert!(matches!(referee.check(SECOND, 2, 2_000), Verdict::Right));
    }
}
