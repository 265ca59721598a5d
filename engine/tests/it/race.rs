//! A toy game with the faults that a first game has: ends that are missed, moves that lead nowhere,
//! keys that leave something out.
//!
//! A move takes one or two counters from a heap. The winner is the player with more moves that took
//! two; after a tie, the player of the last counter. So the last move can win, lose or do neither.

use tengen_engine::{Game, Notation, Outcome, Score, Side, StaticEvaluator, Style};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    None,
    /// A player may pass, again and again.
    PassesForEver,
    /// The end of the heap is not noticed.
    MissesTheEnd,
    /// The heap is empty, but `plies_left` is not 0.
    CountsOn,
    /// `plies_left` is larger than a score can say.
    TooLong,
    /// The key leaves out how often each player took two.
    KeyOfCounters,
    /// The key leaves out the counters, so that `plies_left` differs.
    KeyOfScore,
}

#[derive(Clone, Debug)]
pub(crate) struct Race<const LOSS: u32, const WIN: u32> {
    left: u32,
    turn: Side,
    twos: [u32; 2],
    fault: Fault,
}

impl<const LOSS: u32, const WIN: u32> Race<LOSS, WIN> {
    pub(crate) fn new(left: u32, fault: Fault) -> Self {
        Self { left, turn: Side::First, twos: [0; 2], fault }
    }
}

pub(crate) fn draws<const LOSS: u32, const WIN: u32>(_: &Race<LOSS, WIN>) -> Score {
    Score::DRAW
}

/// An evaluator for the race.
pub(crate) fn evaluator<const LOSS: u32, const WIN: u32>() -> StaticEvaluator<Race<LOSS, WIN>> {
    StaticEvaluator::new(draws)
}

impl<const LOSS: u32, const WIN: u32> Game for Race<LOSS, WIN> {
    type Move = u32;
    type Undo = ();
    type Symmetry = ();

    const MIN_PLIES_TO_LOSE_AND_WIN: (u32, u32) = (LOSS, WIN);

    fn turn(&self) -> Side {
        self.turn
    }

    fn outcome(&self) -> Option<Outcome> {
        if self.left > 0 || self.fault == Fault::MissesTheEnd {
            return None;
        }
        let last = self.turn.other();
        let winner = match self.twos[0].cmp(&self.twos[1]) {
            std::cmp::Ordering::Greater => Side::First,
            std::cmp::Ordering::Less => Side::Second,
            std::cmp::Ordering::Equal => last,
        };
        Some(Outcome::Win(winner))
    }

    fn moves(&self, out: &mut Vec<u32>) {
        let least = if self.fault == Fault::PassesForEver && self.left > 0 { 0 } else { 1 };
        out.extend(least..=self.left.min(2));
    }

    fn play(&mut self, taken: u32) {
        self.left -= taken;
        self.twos[self.turn.index()] += taken / 2;
        self.turn = self.turn.other();
    }

    fn undo(&mut self, taken: u32, (): ()) {
        self.turn = self.turn.other();
        self.twos[self.turn.index()] -= taken / 2;
        self.left += taken;
    }

    fn plies_left(&self) -> u32 {
        match self.fault {
            Fault::CountsOn => self.left + 1,
            Fault::TooLong => self.left * 5_000,
            _ => self.left,
        }
    }

    fn key(&self) -> (u64, ()) {
        let side = self.turn.index() as u32;
        let parts = match self.fault {
            Fault::KeyOfCounters => [self.left, side, 0, 0],
            Fault::KeyOfScore => [0, side, self.twos[0], self.twos[1]],
            _ => [self.left, side, self.twos[0], self.twos[1]],
        };
        (parts.into_iter().fold(0, |key, part| key << 16 | u64::from(part)), ())
    }
}

impl<const LOSS: u32, const WIN: u32> Notation for Race<LOSS, WIN> {
    fn write_move(&self, taken: u32, _style: Style) -> String {
        taken.to_string()
    }

    fn write_position(&self, _pocket: bool) -> String {
        let [first, second] = self.twos;
        format!("{} {first}:{second} {}", self.left, ["w", "b"][self.turn.index()])
    }

    fn flipped(&self) -> Result<Self, tengen_engine::NotationError> {
        let [first, second] = self.twos;
        Ok(Self { turn: self.turn.other(), twos: [second, first], ..self.clone() })
    }
}
