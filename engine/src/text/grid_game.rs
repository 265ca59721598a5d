//! [`GridGame`]: the methods of a game on a grid from which its [`Notation`](crate::Notation)
//! follows.

use crate::game::rules::Game;
use crate::game::side::Side;
use crate::text::coords::Point;
use crate::text::fen::Placement;
use crate::text::grid_notation::GridNotation;
use crate::text::typed_move::Move;
use crate::text::{NotationError, Style};

/// A game of stones on a grid. [`grid_notation!`](crate::grid_notation!) implements
/// [`Notation`](crate::text::notation::Notation) for it. Each move puts one stone on an empty
/// point.
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
/// grid_notation!(impl for Three);
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

/// Implements [`Notation`](crate::text::notation::Notation) for a [`GridGame`]:
/// `grid_notation!(impl for MyGame);` or `grid_notation!(impl [S: Shape] for MyGame<S>);`.
#[macro_export]
macro_rules! grid_notation {
    (impl $([$($generics:tt)*])? for $game:ty) => {
        impl $(<$($generics)*>)? $crate::Notation for $game {
            fn rules(&self) -> String {
                $crate::text::grid_game::GridGame::describe(self)
            }

            fn read_move(&self, text: &str) -> Result<Self::Move, $crate::NotationError> {
                $crate::text::grid_game::read_move(self, text)
            }

            fn split_moves<'a>(&self, text: &'a str) -> Vec<&'a str> {
                $crate::text::grid_game::GridGame::layout(self).split_moves(text)
            }

            fn write_move(&self, mv: Self::Move, style: $crate::Style) -> String {
                $crate::text::grid_game::write_move(self, mv, style)
            }

            fn read_position(&self, text: &str) -> Result<Self, $crate::NotationError> {
                $crate::text::grid_game::read_position(self, text)
            }

            fn write_position(&self, pocket: bool) -> String {
                $crate::text::grid_game::write_position(self, pocket)
            }

            fn draw(&self) -> String {
                $crate::text::grid_game::draw(self)
            }

            fn encode(&self, mv: Self::Move) -> $crate::Move {
                $crate::text::grid_game::encode(self, mv)
            }

            fn decode(&self, mv: $crate::Move) -> Option<Self::Move> {
                $crate::text::grid_game::decode(self, mv)
            }

            fn grid(&self) -> Option<$crate::GridNotation> {
                Some($crate::text::grid_game::GridGame::layout(self))
            }

            fn stone(&self, at: $crate::Point) -> Option<$crate::Side> {
                $crate::text::grid_game::GridGame::stone_at(self, at)
            }

            fn place(&self, placement: &$crate::Placement) -> Result<Self, $crate::NotationError> {
                $crate::text::grid_game::place(self, placement)
            }

            fn forbidden(
                &self,
                side: $crate::Side,
            ) -> Option<Vec<($crate::Point, &'static str)>> {
                $crate::text::grid_game::forbidden(self, side)
            }

            fn flipped(&self) -> Result<Self, $crate::NotationError> {
                $crate::text::grid_game::flipped(self)
            }

            fn remarks(&self) -> Vec<String> {
                $crate::text::grid_game::remarks(self)
            }
        }
    };
}

/// Reads a move; see [`Notation::read_move`](crate::text::notation::Notation::read_move).
pub fn read_move<G: GridGame>(game: &G, text: &str) -> Result<G::Move, NotationError> {
    if game.outcome().is_some() {
        return Err(NotationError::mv(text, "the game is over"));
    }
    let point = game.layout().read_move(text, |at| game.stone_at(at).is_some())?;
    Ok(game.move_at(point))
}

/// Writes a move.
pub fn write_move<G: GridGame>(game: &G, mv: G::Move, style: Style) -> String {
    game.layout().write_move(game.point_of(mv), style)
}

/// Converts a move to a [`Move`].
pub fn encode<G: GridGame>(game: &G, mv: G::Move) -> Move {
    game.layout().move_to(game.point_of(mv))
}

/// Converts a [`Move`] to a move of this position; `None` if it cannot be played.
pub fn decode<G: GridGame>(game: &G, mv: Move) -> Option<G::Move> {
    let layout = game.layout();
    let at = layout.point_of(mv)?;
    let is_taken = |at: Point| game.stone_at(at).is_some();
    let below = at.row.checked_sub(1).filter(|_| layout.falls());
    let floats = below.is_some_and(|row| !is_taken(Point { row, ..at }));
    (game.outcome().is_none() && !is_taken(at) && !floats).then(|| game.move_at(at))
}

/// Reads a position under the same rules.
pub fn read_position<G: GridGame>(game: &G, text: &str) -> Result<G, NotationError> {
    let (placement, rest) = game.layout().read_beginning(text)?;
    let stones = game
        .with(&placement)
        .ok_or_else(|| NotationError::position(text, 1, "both sides have won"))?;
    stones.with_state(rest.words).map_err(|reason| {
        let reason = if reason.is_empty() { rest.reason.to_owned() } else { reason };
        NotationError::position(text, rest.at, reason)
    })
}

/// Writes the position. `pocket` adds the stones in hand.
pub fn write_position<G: GridGame>(game: &G, pocket: bool) -> String {
    let stones = game.layout().write_position(|at| game.stone_at(at), game.turn(), pocket);
    let state = game.state();
    if state.is_empty() { stones } else { format!("{stones} {state}") }
}

/// Returns the position with the stones of `placement` under the same rules.
pub fn place<G: GridGame>(game: &G, placement: &Placement) -> Result<G, NotationError> {
    let layout = game.layout();
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
    let stones = game.with(placement).ok_or_else(|| fail("both sides have won".to_owned()))?;
    stones.with_state("").map_err(fail)
}

/// Returns the points forbidden to `side`, each with the rule's name; `None` if the rules forbid no
/// points at all.
pub fn forbidden<G: GridGame>(game: &G, side: Side) -> Option<Vec<(Point, &'static str)>> {
    let points = game.forbidden_points()?;
    let is_bound = side == Side::First && game.outcome().is_none();
    Some(if is_bound { points } else { Vec::new() })
}

/// Returns the position with the players exchanged. It is an error in a game with forbidden points,
/// because the players have different rules, and in one with a state that cannot be exchanged.
pub fn flipped<G: GridGame>(game: &G) -> Result<G, NotationError> {
    const UNSUPPORTED: NotationError = NotationError::Unsupported { what: "flip" };
    if game.forbidden_points().is_some() {
        return Err(UNSUPPORTED);
    }
    let grid = game.layout().grid();
    let stone = |cell| game.stone_at(grid.point(cell)).map(Side::other);
    let stones = grid.all().map(stone).collect();
    let state = game.flipped_state().ok_or(UNSUPPORTED)?;
    let flipped = game.with(&Placement { stones, turn: game.turn().other() }).ok_or(UNSUPPORTED)?;
    flipped.with_state(&state).map_err(|_| UNSUPPORTED)
}

/// Draws the board, writes the state of the game below it, and lists the points forbidden to the
/// first player.
pub fn draw<G: GridGame>(game: &G) -> String {
    let board = game.layout().draw(|at| game.stone_at(at));
    let state = Some(game.state()).filter(|state| !state.is_empty());
    let forbidden = list_forbidden(game, |_| String::new());
    [Some(board), state, forbidden].into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// Lists the points forbidden to the first player with the rule that forbids each.
pub fn remarks<G: GridGame>(game: &G) -> Vec<String> {
    list_forbidden(game, |why| format!(" ({why})")).into_iter().collect()
}

fn list_forbidden<G: GridGame>(game: &G, note: impl Fn(&str) -> String) -> Option<String> {
    let points = game.forbidden_points()?;
    let points: String = points.iter().map(|(at, why)| format!(" {at}{}", note(why))).collect();
    Some(format!("forbidden:{}", if points.is_empty() { " -" } else { &points }))
}
