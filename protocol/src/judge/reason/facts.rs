//! Facts about threats that the rules alone show: moves are played and taken back.
//!
//! Nothing here searches, and nothing here depends on a game.

use tengen_engine::{BoardOption, GridNotation, Move, Outcome, Placement, Point, Position, Side};

/// The stones in a row that win, for games that do not say it.
const IN_A_ROW: i64 = 5;
/// The stones in a row that win where stones fall.
const IN_A_ROW_FALLING: i64 = 4;

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
    let mut other = position.duplicate();
    other.place(&Placement { turn: stones.turn.other(), ..stones }).ok()?;
    Some(other)
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
        let near = [(1, 0), (0, 1), (1, 1), (1, -1)].iter().map(stones).max();
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
