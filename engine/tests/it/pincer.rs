//! A toy game on a grid with captures: a stone that takes two stones between itself and an own one
//! removes them. Two pairs win. It tests what a position holds besides its stones.

use tengen_engine::grid_game::GridGame;
use tengen_engine::hash::mix64;
use tengen_engine::laws::{self, Law};
use tengen_engine::{
    Cell, Game, Grid, GridNotation, Notation, NotationError, Outcome, Placement, Point, Score,
    Side, StaticEvaluator,
};

/// How many pairs win.
const PAIRS: u32 = 2;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    None,
    /// The key leaves out the captures.
    Key,
    /// The text leaves out the captures.
    Text,
    /// The captures stay when the players are exchanged.
    Flip,
}

#[derive(Clone, Debug)]
struct Pincer {
    grid: Grid,
    stones: Vec<Option<Side>>,
    turn: Side,
    pairs: [u32; 2],
    fault: Fault,
}

impl Pincer {
    fn new(width: u32, height: u32, fault: Fault) -> Self {
        let grid = Grid::new(width, height).expect("a size of a grid");
        Self { grid, stones: vec![None; grid.cells()], turn: Side::First, pairs: [0; 2], fault }
    }

    fn empty(&self) -> u32 {
        self.stones.iter().filter(|stone| stone.is_none()).count() as u32
    }

    /// Returns the stones that the side to move takes by a stone on `cell`.
    fn taken_by(&self, cell: Cell) -> Vec<Cell> {
        let stone = |step, n| {
            let at = self.grid.step(cell, step, n)?;
            self.stones[at.index()].map(|side| (at, side))
        };
        let steps = (-1..=1).flat_map(|x| (-1..=1).map(move |y| (x, y))).filter(|&s| s != (0, 0));
        let pair = |step| match [1, 2, 3].map(|n| stone(step, n)) {
            [Some((one, a)), Some((two, b)), Some((_, end))]
                if a == b && a != end && end == self.turn =>
            {
                Some([one, two])
            }
            _ => None,
        };
        steps.filter_map(pair).flatten().collect()
    }
}

impl Game for Pincer {
    type Move = Cell;
    type Undo = (Vec<Cell>, u32);
    type Symmetry = ();

    const MIN_PLIES_TO_LOSE_AND_WIN: (u32, u32) = (2, 1);

    fn turn(&self) -> Side {
        self.turn
    }

    fn outcome(&self) -> Option<Outcome> {
        let winner =
            [Side::First, Side::Second].into_iter().find(|s| self.pairs[s.index()] >= PAIRS);
        winner.map(Outcome::Win).or_else(|| (self.empty() == 0).then_some(Outcome::Draw))
    }

    fn moves(&self, out: &mut Vec<Cell>) {
        if self.outcome().is_none() {
            out.extend(self.grid.all().filter(|cell| self.stones[cell.index()].is_none()));
        }
    }

    fn play(&mut self, cell: Cell) -> Self::Undo {
        let taken = self.taken_by(cell);
        let before = self.pairs[self.turn.index()];
        self.stones[cell.index()] = Some(self.turn);
        taken.iter().for_each(|cell| self.stones[cell.index()] = None);
        self.pairs[self.turn.index()] += taken.len() as u32 / 2;
        self.turn = self.turn.other();
        (taken, before)
    }

    fn undo(&mut self, cell: Cell, (taken, before): Self::Undo) {
        let other = self.turn;
        self.turn = other.other();
        self.pairs[self.turn.index()] = before;
        taken.iter().for_each(|cell| self.stones[cell.index()] = Some(other));
        self.stones[cell.index()] = None;
    }

    /// A pair that is taken frees two cells.
    fn plies_left(&self) -> u32 {
        let pairs: u32 = self.pairs.iter().map(|pairs| PAIRS.saturating_sub(*pairs)).sum();
        if self.outcome().is_some() { 0 } else { self.empty() + 2 * pairs }
    }

    fn key(&self) -> (u64, ()) {
        let stone = |cell: Cell| {
            let side = self.stones[cell.index()]?;
            Some(mix64(2 * cell.index() as u64 + side.index() as u64))
        };
        let stones = self.grid.all().filter_map(stone).fold(0, |key, stone| key ^ stone);
        let [first, second] = if self.fault == Fault::Key { [0; 2] } else { self.pairs };
        let rest = self.turn.index() as u64 + 2 * u64::from(first) + 32 * u64::from(second);
        (stones ^ mix64(1 << 32 | rest), ())
    }
}

impl GridGame for Pincer {
    fn layout(&self) -> GridNotation {
        GridNotation::new(self.grid, false)
    }

    fn describe(&self) -> String {
        "two captured pairs win".to_owned()
    }

    fn stone_at(&self, at: Point) -> Option<Side> {
        self.stones[self.move_at(at).index()]
    }

    fn move_at(&self, at: Point) -> Cell {
        self.grid.cell(at.column, at.row)
    }

    fn point_of(&self, cell: Cell) -> Point {
        self.grid.point(cell)
    }

    fn with(&self, placement: &Placement) -> Option<Self> {
        let (stones, turn) = (placement.stones.clone(), placement.turn);
        Some(Self { stones, turn, pairs: [0; 2], ..self.clone() })
    }

    fn state(&self) -> String {
        let [first, second] = self.pairs;
        if self.fault == Fault::Text { String::new() } else { format!("{first}:{second}") }
    }

    fn with_state(mut self, state: &str) -> Result<Self, String> {
        let bad = || "expected the captured pairs, as in 0:1".to_owned();
        if !state.is_empty() {
            let (first, second) = state.split_once(':').ok_or_else(bad)?;
            for (pairs, text) in self.pairs.iter_mut().zip([first, second]) {
                *pairs = text.parse().map_err(|_| bad())?;
            }
        }
        Ok(self)
    }

    fn flipped_state(&self) -> Option<String> {
        let [first, second] = self.pairs;
        Some(match self.fault {
            Fault::Flip => format!("{first}:{}", second + first),
            _ => format!("{second}:{first}"),
        })
    }
}

fn check(width: u32, height: u32, fault: Fault) -> Option<Law> {
    let game = Pincer::new(width, height, fault);
    let evaluator = StaticEvaluator::new(|_: &Pincer| Score::DRAW);
    laws::check(&game, &evaluator).err().map(|broken| broken.law)
}

#[test]
fn what_a_position_holds_besides_its_stones_round_trips() {
    for (width, height) in [(6, 1), (5, 5), (7, 6)] {
        assert_eq!(check(width, height, Fault::None), None, "{width}x{height}");
    }
    let game = Pincer::new(6, 1, Fault::None);
    let text = "PppP2 w - - 0 3 1:0";
    let read = game.read_position(text).expect("a position with captures");
    assert_eq!((read.pairs, read.write_position(false)), ([1, 0], text.to_owned()));
    assert_eq!(read.flipped().expect("both sides have the same rules").pairs, [0, 1]);
    assert_eq!(read.draw(), " 1 X O O X . .\n   a b c d e f\n1:0");
    assert_eq!(game.read_position("PppP2 w 1:1").expect("a short form").pairs, [1, 1]);
    assert_eq!(game.read_position("PppP2 w").expect("stones only").pairs, [0, 0]);
    let message = |text: &str| game.read_position(text).map(|game| game.pairs).unwrap_err();
    let expected = NotationError::position("6 w 1-0", 5, "expected the captured pairs, as in 0:1");
    assert_eq!(message("6 w 1-0"), expected);
    let won = game.read_position("6 w - - 0 1 0:2").expect("a finished game");
    assert_eq!(won.outcome(), Some(Outcome::Win(Side::Second)));
}

#[test]
fn captures_that_are_left_out_are_found_by_name() {
    for (width, height) in [(9, 9), (19, 19)] {
        for (fault, law) in
            [(Fault::Key, Law::Key), (Fault::Text, Law::PositionText), (Fault::Flip, Law::Flip)]
        {
            assert_eq!(check(width, height, fault), Some(law), "{width}x{height} {fault:?}");
        }
    }
}
