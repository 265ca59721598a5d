//! A toy game: a move takes one to three counters from a heap. The player of the last counter wins.
use tengen_engine::{Evaluator, Game, Notation, NotationError, Outcome, Score, Side, Style};

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Heap(pub(crate) u32, pub(crate) Side);

impl Game for Heap {
    type Move = u32;
    type Undo = ();
    type Symmetry = ();

    fn turn(&self) -> Side {
        self.1
    }
    fn outcome(&self) -> Option<Outcome> {
        (self.0 == 0).then_some(Outcome::Win(self.1.other()))
    }
    fn moves(&self, out: &mut Vec<u32>) {
        out.extend(1..=self.0.min(3));
    }
    fn play(&mut self, taken: u32) {
        *self = Self(self.0 - taken, self.1.other());
    }
    fn undo(&mut self, taken: u32, (): ()) {
        *self = Self(self.0 + taken, self.1.other());
    }
    fn plies_left(&self) -> u32 {
        self.0
    }
    fn key(&self) -> (u64, ()) {
        (self.0.into(), ())
    }
}

impl Notation for Heap {
    fn rules(&self) -> String {
        "take one to three counters, the last one wins".to_owned()
    }
    fn write_move(&self, taken: u32, _style: Style) -> String {
        taken.to_string()
    }
    fn read_position(&self, text: &str) -> Result<Self, NotationError> {
        let bad = || NotationError::position(text, 1, "expected a number and w or b");
        let (heap, side) = text.split_once(' ').ok_or_else(bad)?;
        let turn = if side == "w" { Side::First } else { Side::Second };
        Ok(Self(heap.parse().map_err(|_| bad())?, turn))
    }
    fn write_position(&self, _pocket: bool) -> String {
        format!("{} {}", self.0, ["w", "b"][self.1.index()])
    }
}

/// Implements [`Evaluator`] with a draw in every position.
macro_rules! sees_draws {
    ($evaluator:ty) => {
        impl Evaluator<Heap> for $evaluator {
            type Undo = ();
            fn reset(&mut self, _game: &Heap) {}
            fn played(&mut self, _game: &Heap, _mv: u32) {}
            fn undone(&mut self, _game: &Heap, _mv: u32, (): ()) {}
            fn evaluate(&mut self, _game: &Heap) -> Score {
                Score::DRAW
            }
        }
    };
}
pub(crate) use sees_draws;

#[derive(Clone)]
pub(crate) struct NoKnowledge;

sees_draws!(NoKnowledge);
tengen_engine::plain_search!(NoKnowledge, Heap, exact);
