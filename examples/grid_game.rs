//! A game on a grid whose positions hold more than stones, with a size that clients choose, a name
//! of its own and move ordering.
//!
//! `printf 'uci\nsetoption name BoardWidth value 4\nposition startpos\nd\ngo depth 6\n' | cargo run
//! --release --example grid_game`. With `check` as argument it checks the laws.
//!
//! The players put stones on empty points in turn. A stone scores a point for each stone of the
//! opponent beside it. When the board is full, the player with more points wins.

use std::error::Error;

use tengen_engine::grid_game::GridGame;
use tengen_engine::hash::mix64;
use tengen_engine::{
    About, Cell, Chosen, Evaluator, Game, GameOption, Grid, GridNotation, LateMove, MoveOrdering,
    OneGame, Outcome, Placement, Point, Prover, Score, Selectivity, Side, laws,
};

/// A position.
#[derive(Clone)]
struct Contact {
    grid: Grid,
    stones: Vec<Option<Side>>,
    turn: Side,
    /// The points of each side. They depend on the order of the moves, so the stones do not tell.
    points: [u32; 2],
    empty: u32,
}

impl Contact {
    fn new(grid: Grid) -> Self {
        let empty = grid.cells() as u32;
        Self { grid, stones: vec![None; grid.cells()], turn: Side::First, points: [0; 2], empty }
    }

    /// Returns the points that the side to move scores with a stone on `cell`.
    fn gain(&self, cell: Cell) -> u32 {
        let beside = [(0, 1), (1, 0), (0, -1), (-1, 0)];
        let stones = beside.into_iter().filter_map(|step| self.grid.step(cell, step, 1));
        let theirs = Some(self.turn.other());
        stones.filter(|at| self.stones[at.index()] == theirs).count() as u32
    }
}

impl Game for Contact {
    type Move = Cell;
    type Undo = ();
    type Symmetry = ();

    // The last move can win or lose, so that the default of `MIN_PLIES_TO_LOSE_AND_WIN` is right.

    fn turn(&self) -> Side {
        self.turn
    }

    fn outcome(&self) -> Option<Outcome> {
        let [first, second] = self.points;
        (self.empty == 0).then(|| match first.cmp(&second) {
            std::cmp::Ordering::Greater => Outcome::Win(Side::First),
            std::cmp::Ordering::Less => Outcome::Win(Side::Second),
            std::cmp::Ordering::Equal => Outcome::Draw,
        })
    }

    fn moves(&self, out: &mut Vec<Cell>) {
        out.extend(self.grid.all().filter(|cell| self.stones[cell.index()].is_none()));
    }

    fn play(&mut self, cell: Cell) {
        self.points[self.turn.index()] += self.gain(cell);
        self.stones[cell.index()] = Some(self.turn);
        self.empty -= 1;
        self.turn = self.turn.other();
    }

    fn undo(&mut self, cell: Cell, (): ()) {
        self.turn = self.turn.other();
        self.empty += 1;
        self.stones[cell.index()] = None;
        self.points[self.turn.index()] -= self.gain(cell);
    }

    fn plies_left(&self) -> u32 {
        self.empty
    }

    fn key(&self) -> (u64, ()) {
        let hash = |cell: Cell| {
            let side = self.stones[cell.index()]?;
            Some(mix64(2 * cell.index() as u64 + side.index() as u64))
        };
        let stones = self.grid.all().filter_map(hash).fold(0, |key, hash| key ^ hash);
        let [first, second] = self.points.map(u64::from);
        (stones ^ mix64((1 << 40) | (first << 20) | (second << 1) | self.turn.index() as u64), ())
    }

    // The default would list all moves.
    fn unpack(&self, code: u32, (): ()) -> Option<Cell> {
        let cell = self.grid.at(code as usize)?;
        self.stones[cell.index()].is_none().then_some(cell)
    }

    fn pack(&self, cell: Cell, (): ()) -> u32 {
        cell.index() as u32
    }
}

impl GridGame for Contact {
    fn layout(&self) -> GridNotation {
        GridNotation::new(self.grid, false)
    }

    fn describe(&self) -> String {
        format!("{}x{} board, a point for each contact", self.grid.width(), self.grid.height())
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
        let stones = placement.stones.clone();
        let empty = stones.iter().filter(|stone| stone.is_none()).count() as u32;
        Some(Self { stones, empty, turn: placement.turn, ..Self::new(self.grid) })
    }

    fn state(&self) -> String {
        format!("{}:{}", self.points[0], self.points[1])
    }

    fn with_state(mut self, state: &str) -> Result<Self, String> {
        let bad = || "expected the points of both sides, as in 3:2".to_owned();
        if !state.is_empty() {
            let (first, second) = state.split_once(':').ok_or_else(bad)?;
            for (points, text) in self.points.iter_mut().zip([first, second]) {
                *points = text.parse().ok().filter(|points| *points < 10_000).ok_or_else(bad)?;
            }
        }
        Ok(self)
    }

    fn flipped_state(&self) -> Option<String> {
        Some(format!("{}:{}", self.points[1], self.points[0]))
    }
}

/// Counts points.
#[derive(Clone)]
struct Points;

impl Evaluator<Contact> for Points {
    type Undo = ();
    fn reset(&mut self, _game: &Contact) {}
    fn played(&mut self, _game: &Contact, _cell: Cell) {}
    fn undone(&mut self, _game: &Contact, _cell: Cell, (): ()) {}
    fn evaluate(&mut self, game: &Contact) -> Score {
        let [own, theirs] = [game.turn, game.turn.other()].map(|side| game.points[side.index()]);
        Score::heuristic(100 * (own as i32 - theirs as i32))
    }
}

impl MoveOrdering<Contact> for Points {
    fn rank(&self, game: &Contact, cell: Cell) -> i32 {
        game.gain(cell) as i32
    }
}

impl Selectivity<Contact> for Points {
    /// Moves that come late and score less than the best are searched less deep at first.
    fn reduction(&self, _game: &Contact, _cell: Cell, late: &LateMove) -> u32 {
        u32::from(late.depth >= 3 && late.index >= 4 && late.rank_gap > 0)
    }
}

impl Prover<Contact> for Points {}

const SIZE: i64 = 5;

static CONTACT: OneGame<Contact, Points> = OneGame::with_options(
    "contact",
    "a point for each contact with the other side",
    &[GameOption::width(SIZE, 2..=9), GameOption::height(SIZE, 2..=9)],
    |chosen| Contact::new(grid_of(chosen)),
    |_| Points,
)
.with_about(About::new("Contact").with_version("1.0").with_author("the Tengen developers"));

/// Returns the grid that the options choose. They have values in their range.
fn grid_of(chosen: &Chosen) -> Grid {
    let [width, height] = ["BoardWidth", "BoardHeight"].map(|name| chosen[name] as u32);
    Grid::new(width, height).expect("the options are from 2 to 9")
}

fn main() -> Result<(), Box<dyn Error>> {
    if std::env::args().nth(1).as_deref() == Some("check") {
        for (width, height) in [(2, 2), (3, 3), (5, 4)] {
            laws::check(&Contact::new(Grid::new(width, height).ok_or("a size")?), &Points)?;
        }
        return Ok(());
    }
    Ok(tengen_protocol::serve(&CONTACT)?)
}
