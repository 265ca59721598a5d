//! A toy game that keeps every law, or breaks one law for a test.
//!
//! There are two piles of counters. A move takes one to three counters from one pile. The player of
//! the last counter wins. The side to move loses if and only if the piles are equal modulo 4.

use tengen_engine::laws::Law;
use tengen_engine::{Context, Interrupt};
use tengen_engine::{
    Coverage, Evaluator, Game, Notation, NotationError, Outcome, Score, Side, Style, Term, Window,
};
use tengen_engine::{LosingMoves, MoveOrdering, Probe, ProofEffort, Prover, Selectivity};

/// The law that the toy game breaks, and the number of the way; `None` if it keeps all laws.
pub(crate) type Flaw = Option<(Law, u8)>;

/// A move: the pile (0 or 1), and the number of counters taken from it.
pub(crate) type Take = (u8, u8);

/// A move that is never legal.
const ILLEGAL: Take = (0, 9);

#[derive(Clone, Debug)]
pub(crate) struct Piles {
    piles: [u8; 2],
    turn: Side,
    /// The number of counters that the last move took. The rules do not depend on it.
    last: u8,
    flaw: Flaw,
}

impl Piles {
    pub(crate) fn new(left: u8, right: u8, flaw: Flaw) -> Self {
        Self { piles: [left, right], turn: Side::First, last: 0, flaw }
    }

    fn breaks(&self, law: Law, way: u8) -> bool {
        self.flaw == Some((law, way))
    }

    fn is_swapped(&self) -> bool {
        self.piles[0] > self.piles[1] && !self.breaks(Law::Key, 1)
    }

    fn after(&self, mv: Take) -> Self {
        let mut after = self.clone();
        after.play(mv);
        after
    }

    /// Returns whether the side to move loses.
    fn is_lost(&self) -> bool {
        self.piles[0] % 4 == self.piles[1] % 4
    }

    fn legal(&self) -> Vec<Take> {
        let mut moves = Vec::new();
        self.moves(&mut moves);
        moves
    }

    fn winning_take(&self) -> Option<Take> {
        self.legal().into_iter().find(|&mv| self.after(mv).outcome().is_some())
    }
}

impl Game for Piles {
    type Move = Take;
    type Undo = u8;
    type Symmetry = bool;

    const MIN_PLIES_TO_LOSE_AND_WIN: (u32, u32) = (2, 1);

    fn turn(&self) -> Side {
        self.turn
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.piles == [0, 0]).then(|| Outcome::Win(self.turn.other()))
    }

    fn moves(&self, out: &mut Vec<Take>) {
        for pile in [0, 1] {
            let most = self.piles[usize::from(pile)].min(3);
            out.extend((1..=most).map(|count| (pile, count)));
        }
        if self.breaks(Law::Listing, 0) {
            out.extend_from_within(..out.len().min(1));
        }
        if self.breaks(Law::End, 0) && out.is_empty() {
            out.push(ILLEGAL);
        }
    }

    fn play(&mut self, (pile, count): Take) -> u8 {
        self.piles[usize::from(pile)] -= count;
        self.turn = self.turn.other();
        std::mem::replace(&mut self.last, count)
    }

    fn undo(&mut self, (pile, count): Take, last: u8) {
        self.piles[usize::from(pile)] += if self.breaks(Law::Undo, 0) { 1 } else { count };
        self.turn = self.turn.other();
        self.last = last;
    }

    fn plies_left(&self) -> u32 {
        let left = u32::from(self.piles[0] + self.piles[1]);
        match () {
            () if self.breaks(Law::PliesLeft, 0) => left + 1,
            () if self.breaks(Law::PliesLeft, 1) => left.min(5),
            () => left,
        }
    }

    fn key(&self) -> (u64, bool) {
        let [low, high] =
            if self.piles[0] > self.piles[1] { [self.piles[1], self.piles[0]] } else { self.piles };
        let key = match () {
            () if self.breaks(Law::Key, 0) => u64::from(low + high),
            () if self.breaks(Law::Path, 0) => {
                u64::from_le_bytes([low, high, self.last, 0, 0, 0, 0, 0])
            }
            () => u64::from_le_bytes([low, high, 0, 0, 0, 0, 0, 0]),
        };
        (key, self.is_swapped())
    }

    fn pack(&self, (pile, count): Take, swapped: bool) -> u32 {
        let count = if self.breaks(Law::Pack, 0) { 1 } else { count };
        u32::from(pile ^ u8::from(swapped)) * 3 + u32::from(count) - 1
    }

    fn unpack(&self, code: u32, swapped: bool) -> Option<Take> {
        let code = u8::try_from(code).ok().filter(|&code| code < 6)?;
        let mv = ((code / 3) ^ u8::from(swapped), code % 3 + 1);
        (self.breaks(Law::Unpack, 0) || mv.1 <= self.piles[usize::from(mv.0)]).then_some(mv)
    }

    fn history_slots(&self) -> usize {
        if self.breaks(Law::HistorySlot, 0) { 5 } else { 6 }
    }

    fn history_slot(&self, (pile, count): Take) -> usize {
        usize::from(pile * 3 + count - 1)
    }
}

impl Notation for Piles {
    fn read_move(&self, text: &str) -> Result<Take, NotationError> {
        let written = |&mv: &Take| self.write_move(mv, Style::Plain) == text;
        let mv = self.legal().into_iter().find(written);
        mv.ok_or_else(|| NotationError::mv(text, "no such move"))
    }

    fn write_move(&self, (pile, count): Take, style: Style) -> String {
        let is_wrong = style == Style::Drop && self.breaks(Law::MoveText, 0);
        let pile = if is_wrong { 1 - pile } else { pile };
        format!("{}{count}", ["l", "r"][usize::from(pile)])
    }

    fn read_position(&self, text: &str) -> Result<Self, NotationError> {
        let bad = || NotationError::position(text, 1, "expected two piles and a side");
        let words: Vec<&str> = text.split(' ').collect();
        let [left, right, side] = words[..] else { return Err(bad()) };
        let (left, right) = (left.parse().map_err(|_| bad())?, right.parse().map_err(|_| bad())?);
        let turn = if side == "w" { Side::First } else { Side::Second };
        let is_wrong = self.breaks(Law::PositionText, 0);
        let piles = if is_wrong { [right, left] } else { [left, right] };
        Ok(Self { piles, turn, ..self.clone() })
    }

    fn write_position(&self, _pocket: bool) -> String {
        format!("{} {} {}", self.piles[0], self.piles[1], ["w", "b"][self.turn.index()])
    }

    fn position_end(&self, text: &str, keyword: &str) -> usize {
        let end = text.find(keyword).unwrap_or(text.len());
        if self.breaks(Law::PositionEnd, 0) { end - 1 } else { end }
    }

    fn flipped(&self) -> Result<Self, NotationError> {
        let mut flipped = self.clone();
        if !self.breaks(Law::Flip, 0) {
            flipped.turn = self.turn.other();
        }
        if self.breaks(Law::Flip, 1) {
            flipped.piles[0] += 1;
        }
        Ok(flipped)
    }

    fn draw(&self) -> String {
        self.write_position(false)
    }

    fn rules(&self) -> String {
        "two piles, take one to three".to_owned()
    }
}

/// An evaluator that counts the counters left, and finds wins in one move.
#[derive(Clone, Debug)]
pub(crate) struct Counter {
    left: i32,
    flaw: Flaw,
}

impl Counter {
    pub(crate) fn new(flaw: Flaw) -> Self {
        Self { left: 0, flaw }
    }

    fn breaks(&self, law: Law, way: u8) -> bool {
        self.flaw == Some((law, way))
    }
}

impl Evaluator<Piles> for Counter {
    type Undo = i32;

    fn reset(&mut self, game: &Piles) {
        self.left = i32::from(game.piles[0]) + i32::from(game.piles[1]);
    }

    fn played(&mut self, _game: &Piles, (_, count): Take) -> i32 {
        let before = self.left;
        if !self.breaks(Law::Played, 0) {
            self.left -= i32::from(count);
        }
        before
    }

    fn undone(&mut self, _game: &Piles, _mv: Take, before: i32) {
        if !self.breaks(Law::Undone, 0) {
            self.left = before;
        }
    }

    fn evaluate(&mut self, _game: &Piles) -> Score {
        if self.breaks(Law::Evaluation, 0) {
            return Score::win_in(1);
        }
        Score::heuristic(self.left)
    }

    fn terms(&mut self, _game: &Piles) -> Vec<Term> {
        let value = if self.breaks(Law::Evaluation, 1) { self.left + 1 } else { self.left };
        vec![Term { name: "counters", value }]
    }
}

impl MoveOrdering<Piles> for Counter {
    fn only_move(&self, game: &Piles) -> Option<Take> {
        let moves = game.legal();
        (moves.len() == 1 || self.breaks(Law::OnlyMove, 0)).then(|| moves[0])
    }

    fn candidates(&self, game: &Piles, out: &mut Vec<Take>) -> Coverage {
        game.moves(out);
        match self.flaw {
            Some((Law::Candidates, 0)) => out.clear(),
            Some((Law::Candidates, 1)) => out.push(ILLEGAL),
            Some((Law::Candidates, 2)) => out.extend_from_within(..1),
            Some((Law::Candidates, 3)) => return Coverage::Partial,
            Some((Law::Complete, 0)) => {
                out.truncate(1);
                return Coverage::Complete;
            }
            Some((Law::OthersLose, _)) => {
                if out.iter().any(|&mv| !game.after(mv).is_lost()) {
                    out.retain(|&mv| !game.after(mv).is_lost());
                }
                return Coverage::Partial;
            }
            _ => {}
        }
        Coverage::Complete
    }

    fn rank(&self, _game: &Piles, (_, count): Take) -> i32 {
        if self.breaks(Law::Rank, 0) { 1 << 15 } else { i32::from(count) }
    }

    fn noisy(&self, _game: &Piles, out: &mut Vec<Take>) {
        if self.breaks(Law::Noisy, 0) {
            out.push(ILLEGAL);
        }
    }
}

impl Selectivity<Piles> for Counter {
    fn exact(&self) -> bool {
        !matches!(self.flaw, Some((Law::OthersLose, _)))
    }
}

impl Prover<Piles> for Counter {
    fn static_bounds(&self, game: &Piles, _wanted: Window) -> (Score, Score) {
        match () {
            () if self.breaks(Law::Bounds, 0) => (Score::HIGHEST, Score::LOWEST),
            () if self.breaks(Law::Bounds, 1) => (Score::LOWEST, Score::DRAW),
            () if game.winning_take().is_some() => (Score::win_in(1), Score::win_in(1)),
            () => (Score::LOWEST, Score::HIGHEST),
        }
    }

    fn probe(
        &mut self,
        game: &Piles,
        _window: Window,
        _ctx: &mut Context,
    ) -> Result<Option<Probe<Take>>, Interrupt> {
        let line = game.winning_take();
        Ok(match self.flaw {
            Some((Law::Probe, 0)) => Some(Probe { score: Score::win_in(20), line: vec![] }),
            Some((Law::Probe, 1)) => Some(Probe { score: Score::loss_in(20), line: vec![] }),
            Some((Law::Probe, 2)) => Some(Probe { score: Score::DRAW, line: vec![] }),
            Some((Law::Probe, 3)) => {
                line.map(|_| Probe { score: Score::win_in(1), line: vec![ILLEGAL] })
            }
            _ => line.map(|mv| Probe { score: Score::win_in(1), line: vec![mv] }),
        })
    }

    fn solve(
        &mut self,
        game: &Piles,
        _nodes: u64,
        _ctx: &mut Context,
    ) -> Result<Option<Probe<Take>>, Interrupt> {
        let mut win =
            game.winning_take().map(|mv| Probe { score: Score::win_in(1), line: vec![mv] });
        match (self.flaw, &mut win) {
            (Some((Law::Solve, 0)), win) => {
                let line = vec![game.legal()[0]];
                *win = Some(Probe { score: Score::win_in(20), line });
            }
            (Some((Law::Solve, 1)), Some(win)) => win.line.clear(),
            (Some((Law::Solve, 2)), Some(win)) => win.line = vec![ILLEGAL],
            _ => {}
        }
        Ok(win)
    }

    fn others_lose(
        &mut self,
        _game: &Piles,
        others: &[Take],
        _effort: ProofEffort,
        _ctx: &mut Context,
    ) -> Result<LosingMoves, Interrupt> {
        let extra = usize::from(self.breaks(Law::OthersLose, 1));
        let plies = if self.breaks(Law::OthersLose, 2) { 0 } else { 20 };
        Ok(LosingMoves { count: others.len() + extra, plies })
    }
}
