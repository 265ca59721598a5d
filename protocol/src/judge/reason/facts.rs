//! Facts about threats that the rules alone show: moves are played and taken back.
//!
//! Nothing here searches, and nothing here depends on a game.

use tengen_engine::{
    BoardOption, Cell, GridNotation, Move, Outcome, Placement, Point, Position, Side,
};

/// The stones in a row that win, for games that do not say it.
const IN_A_ROW: i64 = 5;
/// The stones in a row that win where stones fall.
const IN_A_ROW_FALLING: i64 = 4;
/// The steps of the four lines through a point.
const DIRECTIONS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

/// What a move threatens.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Force {
    /// No threat.
    Quiet,
    /// To threaten on two points at once with the next move.
    Three,
    /// To win with the next move.
    Four,
}

/// Returns the points on which the side to move wins at once.
pub(super) fn wins_at_once(position: &dyn Position) -> Vec<Point> {
    let mut position = position.duplicate();
    let (side, mut points) = (position.turn(), candidates(&*position, position.turn(), 1));
    points.retain(|(_, mv)| after(&mut *position, *mv, |it| it.outcome()) == won(side));
    points.into_iter().map(|(point, _)| point).collect()
}

/// Returns the points on which the side that is not to move would win at once.
pub(super) fn threatened(position: &dyn Position) -> Vec<Point> {
    passed(position).map_or_else(Vec::new, |position| wins_at_once(&*position))
}

/// Returns the points on which the side to move makes an open four: a threat to win on two points of one line. Always
/// empty in games without fours.
pub(super) fn open_fours(position: &dyn Position) -> Vec<Point> {
    if !has_fours(position) {
        return Vec::new();
    }
    let mut position = position.duplicate();
    let mut points = candidates(&*position, position.turn(), 2);
    points.retain(|(at, mv)| {
        after(&mut *position, *mv, |position| {
            let points = threatened(position);
            let lines: Vec<_> = points.iter().filter_map(|point| direction(*at, *point)).collect();
            let is_on = |line| lines.iter().filter(|other| **other == line).count() >= 2;
            position.outcome().is_none() && lines.iter().any(|line| is_on(*line))
        })
    });
    points.into_iter().map(|(point, _)| point).collect()
}

/// Returns what the last move threatens, and the points of the threat: where its player would win at once, or
/// make an open four.
pub(super) fn force(position: &dyn Position) -> (Force, Vec<Point>) {
    let fours = threatened(position);
    if !fours.is_empty() {
        return (Force::Four, fours);
    }
    let threes = passed(position).map_or_else(Vec::new, |position| open_fours(&*position));
    (if threes.is_empty() { Force::Quiet } else { Force::Three }, threes)
}

/// Returns the position with the other side to move; `None` if it cannot be set up.
pub(super) fn passed(position: &dyn Position) -> Option<Box<dyn Position>> {
    let stones = position.placement()?;
    placed(position, &Placement { turn: stones.turn.other(), ..stones })
}

/// Returns these stones under the rules of `position`; `None` if they cannot be set up.
fn placed(position: &dyn Position, stones: &Placement) -> Option<Box<dyn Position>> {
    let mut other = position.duplicate();
    other.place(stones).ok()?;
    Some(other)
}

/// Returns the lines through the empty `point` that make it forbidden by `rule` to the first player: the row of an
/// overline, the fours of a double-four, the threes of a double-three, with the stone on `point`. An allowed move makes an
/// open four of such a three.
pub(super) fn forbidden_lines(
    position: &dyn Position,
    point: Point,
    rule: &str,
) -> Option<Vec<Vec<Point>>> {
    let grid = grid(position)?.grid();
    let (centre, mut stones) = (grid.cell_at(point)?, position.placement()?);
    stones.stones[centre.index()] = Some(Side::First);
    let after = placed(position, &stones)?;
    let forbidden = after.forbidden(Side::First);
    let is_free = |cell: &Cell| stones.stones[cell.index()].is_none();
    let is_own = |cell: &Cell| stones.stones[cell.index()] == Some(Side::First);
    let end = |at, step, sign| {
        let cells = (1..).map_while(|by| grid.step(at, step, sign * by)).take_while(is_own);
        cells.collect::<Vec<Cell>>()
    };
    // The row through a point, with a stone on the point.
    let row = |at, step| {
        [end(at, step, -1).into_iter().rev().collect(), vec![at], end(at, step, 1)].concat()
    };
    let is_three = |more: Cell, four: &[Cell], step| {
        let is_end = |at: Cell, sign| {
            let next = grid.step(at, step, sign).filter(is_free);
            next.is_some_and(|next| !grid.step(next, step, sign).is_some_and(|at| is_own(&at)))
        };
        let is_five = DIRECTIONS.iter().any(|step| row(more, *step).len() == 5);
        let is_allowed = forbidden.iter().all(|(at, _)| *at != grid.point(more));
        four.len() == 4 && is_end(four[0], -1) && is_end(four[3], 1) && !is_five && is_allowed
    };
    let mut lines: Vec<Vec<Cell>> = Vec::new();
    for step in DIRECTIONS {
        let known = lines.len();
        let near = (-4..=4).filter_map(|by| grid.step(centre, step, by)).filter(is_free);
        for more in near {
            let mut cells = row(more, step);
            let counts = match rule {
                "double-four" => cells.len() == 5,
                "double-three" => lines.len() == known && is_three(more, &cells, step),
                _ => false,
            };
            let has_point = cells.contains(&centre);
            cells.retain(|cell| *cell != more);
            if counts && has_point && !lines.contains(&cells) {
                lines.push(cells);
            }
        }
        let whole = row(centre, step);
        if rule == "overline" && whole.len() > 5 {
            lines.push(whole);
        }
    }
    let points = |line: Vec<Cell>| line.into_iter().map(|cell| grid.point(cell)).collect();
    Some(lines.into_iter().map(points).collect())
}

/// Returns the points that the rule of zugzwang gives to `side`: when the other columns are full, the opponent has to play
/// below the point, and `side` wins there. No such point can be played on yet. None where stones do not fall.
pub(super) fn held_points(position: &dyn Position, side: Side) -> Vec<Point> {
    let columns = 0..grid(position).map_or(0, |grid| grid.grid().width());
    columns.filter_map(|column| held_point(position, side, column)).collect()
}

/// Plays a column out, as if the others were full. Returns where it ends with a win of `side`, not at once.
fn held_point(position: &dyn Position, side: Side, column: u32) -> Option<Point> {
    let notation = grid(position).filter(|grid| grid.falls())?;
    let grid = notation.grid();
    let mut stones = position.placement()?;
    let empty = stones.stones.iter().filter(|stone| stone.is_none()).count() as u32;
    let free = (0..grid.height()).map(|row| (row, grid.cell(column, row)));
    let free: Vec<_> = free.filter(|(_, at)| stones.stones[at.index()].is_none()).collect();
    for (count, (row, at)) in free.into_iter().enumerate() {
        let plies_before = empty - (grid.height() - row);
        stones.turn =
            if plies_before.is_multiple_of(2) { position.turn() } else { position.turn().other() };
        let (mut board, point) = (placed(position, &stones)?, grid.point(at));
        board.play(notation.move_to(point)).ok()?;
        if board.outcome().is_some() {
            let is_held = count > 0 && stones.turn == side && board.outcome() == won(side);
            return is_held.then_some(point);
        }
        stones.stones[at.index()] = Some(stones.turn);
    }
    None
}

/// Returns whether every move of the side to move lets the opponent win at once, and the opponent threatened
/// nothing before.
pub(super) fn is_zugzwang(position: &dyn Position) -> bool {
    let (mut position, mut moves) = (position.duplicate(), position.legal());
    let winner = position.turn().other();
    moves.retain(|mv| !after(&mut *position, *mv, |it| can_win(it, winner)));
    moves.is_empty() && position.outcome().is_none() && threatened(&*position).is_empty()
}

fn can_win(position: &dyn Position, side: Side) -> bool {
    position.turn() == side && !wins_at_once(position).is_empty()
}

/// Asks a question about the position after a move.
pub(super) fn after<T>(
    position: &mut dyn Position,
    mv: Move,
    question: impl FnOnce(&mut dyn Position) -> T,
) -> T {
    let is_played = position.play(mv).is_ok();
    let answer = question(position);
    if is_played {
        position.undo();
    }
    answer
}

pub(super) const fn won(side: Side) -> Option<Outcome> {
    Some(Outcome::Win(side))
}

pub(super) fn grid(position: &dyn Position) -> Option<GridNotation> {
    position.spec().grid
}

/// Returns the legal moves with at least as many stones of `side` near them on one line as a row without
/// `missing` stones has.
fn candidates(position: &dyn Position, side: Side, missing: u32) -> Vec<(Point, Move)> {
    let Some(notation) = grid(position) else { return Vec::new() };
    let in_a_row = in_a_row(position, notation);
    let least = in_a_row.saturating_sub(missing) as usize;
    let has_stones = |mv: Move| {
        let point = notation.point_of(mv)?;
        let centre = notation.grid().cell_at(point)?;
        let reach = in_a_row as i32 - 1;
        let stones = |step: &(i32, i32)| {
            let cells = (-reach..=reach).filter(|by| *by != 0);
            let cells = cells.filter_map(|by| notation.grid().step(centre, *step, by));
            cells.filter(|cell| position.stone(notation.grid().point(*cell)) == Some(side)).count()
        };
        let near = DIRECTIONS.iter().map(stones).max();
        near.is_some_and(|near| near >= least).then_some((point, mv))
    };
    position.legal().into_iter().filter_map(has_stones).collect()
}

/// Returns the number of stones in a row that wins.
fn in_a_row(position: &dyn Position, notation: GridNotation) -> u32 {
    let usual = if notation.falls() { IN_A_ROW_FALLING } else { IN_A_ROW };
    let in_a_row = BoardOption::Connect.of(&position.spec().chosen).unwrap_or(usual);
    let size = notation.grid().width().min(notation.grid().height());
    u32::try_from(in_a_row).unwrap_or(size).min(size)
}

/// Returns whether threats have the names of five in a row: fours and open threes.
pub(super) fn has_fours(position: &dyn Position) -> bool {
    grid(position).is_some_and(|grid| !grid.falls() && in_a_row(position, grid) == 5)
}

/// Returns the direction of the line through two points, the same from both ends; `None` if no line of stones has both.
fn direction(from: Point, to: Point) -> Option<(i32, i32)> {
    let distance = |from: u32, to: u32| to as i32 - from as i32;
    let (across, up) = (distance(from.column, to.column), distance(from.row, to.row));
    let is_line = across == 0 || up == 0 || across.abs() == up.abs();
    let step = (across.signum(), up.signum());
    is_line.then_some(if step < (0, 0) { (-step.0, -step.1) } else { step })
}
