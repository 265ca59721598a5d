//! [`GridGame`]: the methods of a game on a grid from which its [`Notation`] follows.

use crate::game::rules::Game;
use crate::game::side::Side;
use crate::text::coords::Point;
use crate::text::fen::Placement;
use crate::text::grid_notation::GridNotation;
use crate::text::notation::Notation;
use crate::text::typed_move::Move;
use crate::text::{NotationError, Style};

/// A game of stones on a grid. Each move puts one stone on an empty point. Every such game has a
/// [`Notation`].
///
/// Six methods are required. A game whose positions hold more than stones and the side to move,
/// such as captures, also implements [`state`](Self::state) and [`with_state`](Self::with_state).
///
/// Three in a row on a board of any size:
///
/// ```
/// use tengen_engine::grid_game::GridGame;
/// use tengen_engine::hash::mix64;
/// use tengen_engine::*;
///
/// #[derive(Clone)]
/// struct Three { grid: Grid, stones: Vec<Option<Side>>, turn: Side, outcome: Option<Outcome> }
///
/// impl Three {
///     fn new(grid: Grid) -> Self {
///         Self { grid, stones: vec![None; grid.cells()], turn: Side::First, outcome: None }
///     }
///
///     /// Returns whether three stones in a row go through the stone on `cell`.
///     fn wins(&self, cell: Cell) -> bool {
///         let own = self.stones[cell.index()];
///         let is_own = |step, n| {
///             self.grid.step(cell, step, n).is_some_and(|at| self.stones[at.index()] == own)
///         };
///         let has_three = |step| (-2..=0).any(|from| (from..from + 3).all(|n| is_own(step, n)));
///         [(1, 0), (0, 1), (1, 1), (1, -1)].into_iter().any(has_three)
///     }
///
///     fn empty(&self) -> u32 { self.stones.iter().filter(|stone| stone.is_none()).count() as u32 }
/// }
///
/// impl Game for Three {
///     type Move = Cell;
///     type Undo = ();
///     type Symmetry = ();
///     const MIN_PLIES_TO_LOSE_AND_WIN: (u32, u32) = (2, 1);
///     fn turn(&self) -> Side { self.turn }
///     fn outcome(&self) -> Option<Outcome> { self.outcome }
///     fn moves(&self, out: &mut Vec<Cell>) {
///         if self.outcome.is_none() {
///             out.extend(self.grid.all().filter(|cell| self.stones[cell.index()].is_none()));
///         }
///     }
///     fn play(&mut self, cell: Cell) {
///         self.stones[cell.index()] = Some(self.turn);
///         self.outcome = if self.wins(cell) {
///             Some(Outcome::Win(self.turn))
///         } else {
///             (self.empty() == 0).then_some(Outcome::Draw)
///         };
///         self.turn = self.turn.other();
///     }
///     fn undo(&mut self, cell: Cell, _: ()) {
///         self.turn = self.turn.other();
///         self.stones[cell.index()] = None;
///         self.outcome = None;
///     }
///     fn plies_left(&self) -> u32 { if self.outcome.is_some() { 0 } else { self.empty() } }
///     fn key(&self) -> (u64, ()) {
///         let stone = |cell: Cell| {
///             let side = self.stones[cell.index()]?;
///             Some(mix64(2 * cell.index() as u64 + side.index() as u64))
///         };
///         let stones = self.grid.all().filter_map(stone).fold(0, |key, stone| key ^ stone);
///         (stones ^ self.turn.index() as u64, ())
///     }
/// }
///
/// impl GridGame for Three {
///     fn layout(&self) -> GridNotation { GridNotation::new(self.grid, false) }
///     fn describe(&self) -> String { self.layout().line_rules(3, true) }
///     fn stone_at(&self, at: Point) -> Option<Side> { self.stones[self.move_at(at).index()] }
///     fn move_at(&self, at: Point) -> Cell { self.grid.cell(at.column, at.row) }
///     fn point_of(&self, cell: Cell) -> Point { self.grid.point(cell) }
///     fn with(&self, placement: &Placement) -> Option<Self> {
///         let mut game = Self::new(self.grid);
///         (game.stones, game.turn) = (placement.stones.clone(), placement.turn);
///         let has_won = |side| {
///             let mut cells = game.grid.all();
///             cells.any(|cell| game.stones[cell.index()] == Some(side) && game.wins(cell))
///         };
///         game.outcome = match [Side::First, Side::Second].map(has_won) {
///             [true, true] => return None,
///             [true, false] => Some(Outcome::Win(Side::First)),
///             [false, true] => Some(Outcome::Win(Side::Second)),
///             [false, false] => (game.empty() == 0).then_some(Outcome::Draw),
///         };
///         Some(game)
///     }
/// }
///
/// let game = Three::new(Grid::new(4, 3).expect("sides from 1 to 26"));
/// laws::check(&game, &StaticEvaluator::new(|_: &Three| Score::DRAW))?;
/// let game = game.read_position("1P2/1p2/PP2 b")?;
/// assert_eq!(game.draw(), " 3 . X . .\n 2 . O . .\n 1 X X . .\n   a b c d");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait GridGame: Game {
    /// Returns the grid and how moves on it are written.
    fn layout(&self) -> GridNotation;

    /// Returns the rules in a few words, such as `7x6 board, 4 in a row, stones fall`.
    fn describe(&self) -> String;

    /// Returns the stone on a point of the grid.
    fn stone_at(&self, at: Point) -> Option<Side>;

    /// Returns the move to the point `at`. The point is empty, a stone can stay on it, and the game
    /// is not over. It may be a forbidden point: a move there loses.
    fn move_at(&self, at: Point) -> Self::Move;

    /// Returns the point of a move.
    fn point_of(&self, mv: Self::Move) -> Point;

    /// Returns the position with these stones under the same rules; `None` if both sides have won.
    /// It also finds out whether the game is over.
    fn with(&self, placement: &Placement) -> Option<Self>;

    /// Writes what the position holds besides stones and side to move, such as `captures 2:1`:
    /// words that follow the stones and the side in the text of the position. None of them is
    /// `moves`. The default is empty: nothing.
    fn state(&self) -> String {
        String::new()
    }

    /// Returns the position, made by [`with`](Self::with), with the `state` that
    /// [`state`](Self::state) wrote. It also finds out whether the game is over. Text that gives
    /// stones only has an empty `state`. The error says why, in a few lower-case words. The default
    /// takes only an empty `state`.
    fn with_state(self, state: &str) -> Result<Self, String> {
        if state.is_empty() { Ok(self) } else { Err(String::new()) }
    }

    /// Returns the [`state`](Self::state) with the players exchanged; `None` if they cannot be
    /// exchanged, as by default where there is a state.
    fn flipped_state(&self) -> Option<String> {
        Some(self.state()).filter(String::is_empty)
    }

    /// Returns the points that the rules forbid to the first player, each with the rule's name;
    /// `None`, the default, if the rules forbid no points at all.
    fn forbidden_points(&self) -> Option<Vec<(Point, &'static str)>> {
        None
    }
}

impl<G: GridGame> Notation for G {
    fn rules(&self) -> String {
        self.describe()
    }

    fn read_move(&self, text: &str) -> Result<Self::Move, NotationError> {
        if self.outcome().is_some() {
            return Err(NotationError::mv(text, "the game is over"));
        }
        let point = self.layout().read_move(text, |at| self.stone_at(at).is_some())?;
        Ok(self.move_at(point))
    }

    fn split_moves<'a>(&self, text: &'a str) -> Vec<&'a str> {
        self.layout().split_moves(text)
    }

    fn write_move(&self, mv: Self::Move, style: Style) -> String {
        self.layout().write_move(self.point_of(mv), style)
    }

    fn read_position(&self, text: &str) -> Result<Self, NotationError> {
        let (placement, rest) = self.layout().read_beginning(text)?;
        let stones = self
            .with(&placement)
            .ok_or_else(|| NotationError::position(text, 1, "both sides have won"))?;
        stones.with_state(rest.words).map_err(|reason| {
            let reason = if reason.is_empty() { rest.reason.to_owned() } else { reason };
            NotationError::position(text, rest.at, reason)
        })
    }

    fn write_position(&self, pocket: bool) -> String {
        let stones = self.layout().write_position(|at| self.stone_at(at), self.turn(), pocket);
        let state = self.state();
        if state.is_empty() { stones } else { format!("{stones} {state}") }
    }

    /// Draws the board, writes the state of the game below it, and lists the points forbidden to
    /// the first player.
    fn draw(&self) -> String {
        let board = self.layout().draw(|at| self.stone_at(at));
        let state = Some(self.state()).filter(|state| !state.is_empty());
        let forbidden = list_forbidden(self, |_| String::new());
        [Some(board), state, forbidden].into_iter().flatten().collect::<Vec<_>>().join("\n")
    }

    fn encode(&self, mv: Self::Move) -> Move {
        self.layout().move_to(self.point_of(mv))
    }

    fn decode(&self, mv: Move) -> Option<Self::Move> {
        let layout = self.layout();
        let at = layout.point_of(mv)?;
        let is_taken = |at: Point| self.stone_at(at).is_some();
        let below = at.row.checked_sub(1).filter(|_| layout.falls());
        let floats = below.is_some_and(|row| !is_taken(Point { row, ..at }));
        (self.outcome().is_none() && !is_taken(at) && !floats).then(|| self.move_at(at))
    }

    fn grid(&self) -> Option<GridNotation> {
        Some(self.layout())
    }

    fn stone(&self, at: Point) -> Option<Side> {
        self.stone_at(at)
    }

    fn place(&self, placement: &Placement) -> Result<Self, NotationError> {
        let layout = self.layout();
        let stone = |at| placement.stone(layout.grid(), at);
        let write = || layout.write_position(stone, placement.turn, false);
        let floats = |at: &Point| {
            let below = at.row.checked_sub(1).map(|row| Point { row, ..*at });
            stone(*at).is_some() && below.is_some_and(|below| stone(below).is_none())
        };
        let grid = layout.grid();
        if layout.falls() && grid.all().any(|cell| floats(&grid.point(cell))) {
            return Err(NotationError::position(&write(), 1, "a stone floats"));
        }
        let fail = |reason: String| NotationError::position(&write(), 1, reason);
        let stones = self.with(placement).ok_or_else(|| fail("both sides have won".to_owned()))?;
        stones.with_state("").map_err(fail)
    }

    fn forbidden(&self, side: Side) -> Option<Vec<(Point, &'static str)>> {
        let points = self.forbidden_points()?;
        let is_bound = side == Side::First && self.outcome().is_none();
        Some(if is_bound { points } else { Vec::new() })
    }

    /// Returns the position with the players exchanged. It is an error in a game with forbidden
    /// points, because the players have different rules, and in one with a state that cannot be
    /// exchanged.
    fn flipped(&self) -> Result<Self, NotationError> {
        const UNSUPPORTED: NotationError = NotationError::Unsupported { what: "flip" };
        if self.forbidden_points().is_some() {
            return Err(UNSUPPORTED);
        }
        let grid = self.layout().grid();
        let stone = |cell| self.stone_at(grid.point(cell)).map(Side::other);
        let stones = grid.all().map(stone).collect();
        let state = self.flipped_state().ok_or(UNSUPPORTED)?;
        let turn = self.turn().other();
        let flipped = self.with(&Placement { stones, turn }).ok_or(UNSUPPORTED)?;
        flipped.with_state(&state).map_err(|_| UNSUPPORTED)
    }

    /// Lists the points forbidden to the first player with the rule that forbids each.
    fn remarks(&self) -> Vec<String> {
        list_forbidden(self, |why| format!(" ({why})")).into_iter().collect()
    }
}

fn list_forbidden<G: GridGame>(game: &G, note: impl Fn(&str) -> String) -> Option<String> {
    let points = game.forbidden_points()?;
    let points: String = points.iter().map(|(at, why)| format!(" {at}{}", note(why))).collect();
    Some(format!("forbidden:{}", if points.is_empty() { " -" } else { &points }))
}
