//! [`Plan`]: a move of the side and how it goes on against replies without a line of their own.

use tengen_engine::{Move, Symmetry};

use crate::board::{Board, image};
use crate::head::Claim;
use crate::rows::{Points, Rows};
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

    /// Follows the plan alone against every reply, with the side to move. Returns the plies to the end, or the moves to
    /// a position that is not as claimed.
    pub fn follow(&self, board: &mut Board, claim: Claim) -> Result<u32, Failure> {
        self.wins(board, claim).map_or_else(|| self.play(board, claim), Ok)
    }

    /// Returns the plies to the end if the plan alone wins against every reply, with the side to move.
    pub fn wins(&self, board: &mut Board, claim: Claim) -> Option<u32> {
        match Followed::new(self, board, claim) {
            Some((rows, own, other)) => Some(rows.follow(self, own, other, None)?.plies),
            None => self.play(board, claim).ok(),
        }
    }

    /// Plays the plan on the board, and every reply.
    fn play(&self, board: &mut Board, claim: Claim) -> Result<u32, Failure> {
        if !board.play(self.mv) {
            return Err((board.line(), "the move of the plan cannot be played"));
        }
        let plies = self.replies(board, claim);
        board.undo();
        Ok(plies? + 1)
    }

    /// Returns what the side does after replies without a plan of their own, with the opponent to move.
    pub fn unnamed(&self, board: &Board, claim: Claim) -> Unnamed<'_> {
        let plan = self.others.as_deref();
        let ends = board.rows(claim.side).map(|(rows, own, other)| Ends {
            rows,
            won: rows.wins(own, other),
            lost: rows.wins(other, own),
        });
        let passed = plan.and_then(|plan| {
            let (followed, own, other) = Followed::new(plan, board, claim)?;
            followed.follow(plan, own, other, Some(0))
        });
        Unnamed { plan, ends, passed, claim }
    }

    /// Returns the largest number of moves of the side.
    fn depth(&self) -> u32 {
        let answers = self.answers.iter().map(|(_, plan)| plan.depth());
        let others = self.others.as_deref().map(Self::depth);
        1 + answers.chain(others).max().unwrap_or(0)
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
            return plan.play(board, claim);
        }
        if board.winning_move().is_some() {
            return Ok(1);
        }
        let others = self.others.as_ref();
        others.ok_or_else(|| (board.line(), "the plan has no answer"))?.play(board, claim)
    }
}

/// What the side does after replies without a plan of their own.
pub struct Unnamed<'a> {
    /// The plan behind `!`.
    plan: Option<&'a Plan>,
    claim: Claim,
    /// `None` if other rules count.
    ends: Option<Ends>,
    /// What the plan does if the opponent passes.
    passed: Option<Won>,
}

/// Where each player wins at once.
struct Ends {
    rows: Rows,
    won: Points,
    lost: Points,
}

impl Unnamed<'_> {
    /// Returns the plies to the end after a reply, if they can be told without playing it.
    pub fn sure(&self, reply: Move) -> Option<u32> {
        let Ends { rows, won, lost } = self.ends.as_ref()?;
        if !lost.is_empty() {
            return None;
        }
        let reply = rows.point(reply);
        if !(*won & !reply).is_empty() {
            return Some(1);
        }
        let passed = self.passed.as_ref()?;
        (reply & passed.touched).is_empty().then_some(passed.plies)
    }

    /// Returns the plies to the end if the side wins at once, or by the plan, after a reply that did not end the game.
    /// The board has the reply.
    pub fn wins(&self, reply: Move, board: &mut Board) -> Option<u32> {
        if let Some(plies) = self.sure(reply) {
            return Some(plies);
        }
        match board.winning_move() {
            Some(_) => Some(1),
            None => self.plan?.wins(board, self.claim),
        }
    }
}

/// A plan that wins.
struct Won {
    plies: u32,
    /// With more stones of the opponent on other points, it wins in the same way.
    touched: Points,
}

/// A plan that is followed where only rows count.
// CITE: that a threat which wins if the opponent passes is refuted only by certain points is the idea of T. Thomsen,
// Lambda-search in game trees, 2000, and of the relevancy zones of T. Cazenave, Abstract proof search, 2000.
struct Followed {
    rows: Rows,
}

impl Followed {
    /// Returns the rows, and the stones of the side of a claim and of the opponent; `None` if other rules count or the
    /// board could become full.
    fn new(plan: &Plan, board: &Board, claim: Claim) -> Option<(Self, Points, Points)> {
        let (rows, own, other) = board.rows(claim.side)?;
        let has_room = rows.empty(own, other).len() > 3 * plan.depth() + 2;
        (claim.wins && has_room).then_some((Self { rows }, own, other))
    }

    /// Follows a plan, with the side to move. Returns `None` if it does not win. `touched` holds for one stone of the
    /// opponent elsewhere and `more`; without `more` nobody asks for it.
    fn follow(&self, plan: &Plan, own: Points, other: Points, more: Option<usize>) -> Option<Won> {
        let rows = &self.rows;
        let mv = rows.point(plan.mv);
        if (mv & rows.empty(own, other)).is_empty() {
            return None;
        }
        if !(mv & rows.wins(own, other)).is_empty() {
            return Some(Won { plies: 1, touched: mv });
        }
        let own = own | mv;
        // With stones elsewhere, the opponent could fill up rows with fewer stones.
        let least = more.map_or(1, |more| more + 2);
        let least = rows.length().saturating_sub(least);
        let (lost, near) = rows.wins_and_possible(other, own, least);
        if !lost.is_empty() {
            return None;
        }
        let (won, empty) = (rows.wins(own, other), rows.empty(own, other));
        let mut touched = mv | won;
        if more.is_some() {
            touched |= near;
        }
        // What wins against the replies that are not `open`.
        let (mut open, met) = match plan.others.as_deref() {
            _ if !won.is_empty() => (if won.len() == 1 { won } else { Points::default() }, 1),
            None => (empty, 0),
            Some(others) => {
                let more = more.map_or(0, |more| more + 1);
                match self.follow(others, own, other, Some(more)) {
                    Some(passed) => {
                        touched |= passed.touched;
                        (passed.touched & empty, passed.plies)
                    }
                    None => (empty, 0),
                }
            }
        };
        if open == empty {
            touched |= empty;
        }
        let mut rest = empty & !open;
        let mut plies = 0;
        for (reply, answer) in &plan.answers {
            let reply = rows.point(*reply);
            // The first answer to a reply counts.
            if (reply & (open | rest)).is_empty() {
                continue;
            }
            (open, rest) = (open & !reply, rest & !reply);
            let answered = self.follow(answer, own, other | reply, more)?;
            plies = plies.max(answered.plies);
            touched |= answered.touched;
        }
        if !rest.is_empty() {
            plies = plies.max(met);
        }
        for reply in open.each() {
            let followed = self.follow(plan.others.as_deref()?, own, other | reply, more)?;
            plies = plies.max(followed.plies);
            touched |= followed.touched;
        }
        Some(Won { plies: plies + 2, touched })
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

#[cfg(test)]
mod tests {
    use tengen_engine::backend::Catalog as _;
    use tengen_games::CATALOG;

    use super::*;
    use crate::check::check;

    /// The plans of a proof, and each without one of its parts, against every reply: by rows as if they are played.
    #[test]
    fn a_plan_is_followed_by_rows_as_it_is_played() {
        let proof = include_bytes!("../15x15-late.proof");
        let claim = Claim { side: tengen_engine::Side::First, wins: true };
        let (mut compared, mut untouched, mut lost) = (0, 0, 0);
        let mut compare = |board: &Board, plan: &Plan| {
            let mut board = Board::new(board.position().duplicate()).unwrap();
            assert_eq!(plan.wins(&mut board, claim), plan.play(&mut board, claim).ok());
            if !board.play(plan.mv) {
                return;
            }
            let unnamed = plan.unnamed(&board, claim);
            for reply in board.legal() {
                if plan.answer(reply).is_some() {
                    continue;
                }
                board.play(reply);
                if board.position().outcome().is_none() {
                    let fast = unnamed.wins(reply, &mut board);
                    let played = plan.reply(reply, &mut board, claim).ok();
                    assert_eq!(fast, played, "{} {}", board.line(), plan.write(&board));
                    compared += 1;
                    lost += u32::from(played.is_none());
                    let is_passed =
                        unnamed.passed.as_ref().is_some_and(|won| fast == Some(won.plies));
                    untouched += u32::from(is_passed && fast > Some(1));
                }
                board.undo();
            }
        };
        let mut visit = |board: &Board, line: &crate::ProofLine, _: u32| {
            let plan = line.plan.as_ref().unwrap();
            compare(board, plan);
            for spoilt in spoilt(plan) {
                compare(board, &spoilt);
            }
        };
        check(&proof[..], &CATALOG, &mut visit).unwrap();
        assert!(
            compared > 10_000 && untouched > 5000 && lost > 2000,
            "{compared} {untouched} {lost}"
        );
    }

    /// On 5x5 points, three in a row: every reply has an answer, so nothing is behind `!`.
    #[test]
    fn a_plan_may_name_every_reply_and_the_first_answer_counts() {
        let chosen = [("BoardWidth", 5), ("BoardHeight", 5), ("ConnectK", 3), ("Gravity", 0)];
        let spec = CATALOG.describe("custom", &chosen.into_iter().collect()).unwrap();
        let mut board = Board::new(CATALOG.position(&spec)).unwrap();
        let claim = Claim { side: tengen_engine::Side::First, wins: true };
        let plan = |text: &str| Plan::read(text, &board).unwrap();
        let [row, column, wrong] = ["b3", "c2", "a1"].map(plan);
        let mut plan = plan("c3");
        for reply in board.legal().into_iter().filter(|reply| *reply != plan.mv) {
            let blocks = ["a3", "b3", "d3"].contains(&&*board.write_point(reply));
            plan.answers.push((reply, if blocks { column.clone() } else { row.clone() }));
        }
        let mut agree = |plan: &Plan, wins: bool| {
            assert_eq!(plan.wins(&mut board, claim).is_some(), wins, "{}", plan.write(&board));
            assert_eq!(plan.wins(&mut board, claim), plan.play(&mut board, claim).ok());
        };
        agree(&plan, true);
        let first = plan.answers[7].0;
        plan.answers.push((first, wrong.clone()));
        agree(&plan, true);
        plan.answers.remove(3);
        agree(&plan, false);
        plan.others = Some(Box::new(wrong));
        agree(&plan, false);
        plan.others = Some(Box::new(row));
        agree(&plan, true);
    }

    /// Returns the plan without an answer, without what is behind `!`, and with the same of the plan behind `!`.
    fn spoilt(plan: &Plan) -> Vec<Plan> {
        let mut all = Vec::new();
        for at in 0..plan.answers.len() {
            let mut less = plan.clone();
            less.answers.remove(at);
            all.push(less);
        }
        if let Some(others) = &plan.others {
            all.push(Plan { others: None, ..plan.clone() });
            let less = |others| Plan { others: Some(Box::new(others)), ..plan.clone() };
            all.extend(spoilt(others).into_iter().map(less));
        }
        all
    }
}
