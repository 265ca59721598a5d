//! A game of your own in one file: Nim, which any program that speaks UCI can play.
//!
//! `printf 'position startpos\ngo\n' | cargo run --example add_a_game`

use tengen_engine::{Game, Notation, OneGame, Outcome, Score, Side, StaticEvaluator, Style};

/// A position of Nim: a player takes one to three stones. The player who takes the last one wins.
#[derive(Clone)]
struct Nim {
    stones: u32,
    turn: Side,
}

impl Game for Nim {
    type Move = u32;
    type Undo = ();
    type Symmetry = ();
    fn turn(&self) -> Side {
        self.turn
    }
    fn outcome(&self) -> Option<Outcome> {
        (self.stones == 0).then(|| Outcome::Win(self.turn.other()))
    }
    fn moves(&self, out: &mut Vec<u32>) {
        out.extend(1..=self.stones.min(3));
    }
    fn play(&mut self, taken: u32) {
        *self = Self { stones: self.stones - taken, turn: self.turn.other() };
    }
    fn undo(&mut self, taken: u32, (): ()) {
        *self = Self { stones: self.stones + taken, turn: self.turn.other() };
    }
    fn plies_left(&self) -> u32 {
        self.stones
    }
    fn key(&self) -> (u64, ()) {
        (2 * u64::from(self.stones) + self.turn.index() as u64, ())
    }
}

impl Notation for Nim {
    fn write_move(&self, taken: u32, _style: Style) -> String {
        taken.to_string()
    }
    fn write_position(&self, _pocket: bool) -> String {
        format!("{} stones, {:?} to move", self.stones, self.turn)
    }
}

// Every position is searched to the end, so a constant evaluation is enough.
static NIM: OneGame<Nim, StaticEvaluator<Nim>> = OneGame::new(
    "nim",
    "take one to three of 21 stones",
    || Nim { stones: 21, turn: Side::First },
    |_| StaticEvaluator::new(|_| Score::DRAW).with_exact(true),
);

fn main() -> std::io::Result<()> {
    tengen_protocol::serve(&NIM)
}
