//! The forbidden points of renju.
//!
//! This file has the definitions of the rule. [`Board`](crate::gomoku::Board) decides that a
//! forbidden move loses.
// CITE: Renju International Federation, "The International Rules of Renju", section 9,
// https://www.renju.net/rules/

use tengen_engine::{Cell, Side};

use crate::gomoku::pattern::Class;
use crate::gomoku::pattern::lines::{DIRECTIONS, Lines};

/// The reason why a point is forbidden to the first player. If several hold, the first in this
/// order is given.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Forbidden {
    /// Two fours or more at the same time, also in one line.
    DoubleFour,
    /// Two threes or more at the same time.
    DoubleThree,
    /// More than five in a row.
    Overline,
}

impl Forbidden {
    /// Returns the usual name of the reason.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DoubleFour => "double-four",
            Self::DoubleThree => "double-three",
            Self::Overline => "overline",
        }
    }
}

/// Returns why the empty `cell` is forbidden to the first player; `None` when it is allowed. A five
/// is never forbidden. Calls `see` with every cell whose lines it reads: stones that change none of
/// these lines do not change the answer.
pub(crate) fn forbidden(
    lines: &Lines,
    cell: Cell,
    see: &mut impl FnMut(Cell),
) -> Option<Forbidden> {
    see(cell);
    let classes = lines.classes(cell, Side::First);
    if !may_be_forbidden(&classes) {
        return None;
    }
    let count = |wanted: Class| classes.iter().filter(|&&class| class == wanted).count();
    if 2 * count(Class::DoubleFour) + count(Class::Four) + count(Class::OpenFour) >= 2 {
        return Some(Forbidden::DoubleFour);
    }
    if count(Class::OpenThree) >= 2 && has_two_threes(lines, cell, &classes, see) {
        return Some(Forbidden::DoubleThree);
    }
    (count(Class::Overline) > 0).then_some(Forbidden::Overline)
}

/// Returns whether a point of these classes can be forbidden. Most cannot, so this test comes
/// first.
#[inline]
pub(crate) fn may_be_forbidden(classes: &[Class; 4]) -> bool {
    let strong = classes.iter().filter(|&&class| class >= Class::OpenThree).count();
    let is_forbidden_alone =
        |&class: &Class| class == Class::DoubleFour || class == Class::Overline;
    !classes.contains(&Class::Five) && (strong >= 2 || classes.iter().any(is_forbidden_alone))
}

fn has_two_threes(
    lines: &Lines,
    cell: Cell,
    classes: &[Class; 4],
    see: &mut impl FnMut(Cell),
) -> bool {
    let mut after = *lines;
    after.toggle(cell, Side::First);
    let is_three = |&direction: &usize| {
        classes[direction] == Class::OpenThree && is_real_three(&after, cell, direction, see)
    };
    (0..DIRECTIONS.len()).filter(is_three).count() >= 2
}

/// Returns whether the three through the new stone on `cell` is a real one: an allowed move that
/// makes no five can make it an open four.
fn is_real_three(after: &Lines, cell: Cell, direction: usize, see: &mut impl FnMut(Cell)) -> bool {
    [1, -1].into_iter().any(|sign| {
        let cells = (1..4).map_while(|steps| {
            let next = after.setting.grid.step(cell, DIRECTIONS[direction], sign * steps)?;
            (after.stone(next) != Some(Side::Second)).then_some(next)
        });
        // An open four has no gap: only the first empty cell can extend the row.
        let first = cells.into_iter().find(|&next| after.stone(next).is_none());
        first.is_some_and(|next| makes_open_four(after, next, direction, see))
    })
}

fn makes_open_four(
    lines: &Lines,
    cell: Cell,
    direction: usize,
    see: &mut impl FnMut(Cell),
) -> bool {
    see(cell);
    let classes = lines.classes(cell, Side::First);
    classes[direction] == Class::OpenFour
        && !classes.contains(&Class::Five)
        && forbidden(lines, cell, see).is_none()
}
