//! The windows of lines: the cells within four steps on each side of an empty point, as far as a
//! five through the point can reach.
//!
//! A five through the point ends at the edge, or before the passed cells hold both colours. Cells
//! beyond are ignored. A window and its mirror image are the same.

use std::array;
use std::sync::LazyLock;

use tengen_engine::Cell;

use crate::gomoku::Board;
use crate::gomoku::pattern::{ARM, Patterns, WindowIndex};
use crate::gomoku::rule::{Content, Rule};

/// The number of cells of a window on each side of the point.
pub(crate) const REACH: usize = 4;

/// The number of codes of an arm, the cells on one side of a point: two bits a cell, the nearest
/// cell lowest.
const CODES: usize = 1 << (2 * REACH);

/// The number of different arms, without the cells that a five cannot reach.
const ARMS: usize = 57;

/// The number of windows.
pub const WINDOWS: usize = ARMS * (ARMS + 1) / 2;

/// The bit of the point in a line that is built from a window.
const LINE_AT: u32 = 2 * ARM as u32;

/// The numbers of all windows. For speed, a lookup reads two tables of arms and one of windows.
#[derive(Debug)]
pub(crate) struct Windows {
    index: WindowIndex<CODES>,
    /// The numbers of windows, by their two arms.
    numbers: Vec<u16>,
    /// The codes of arms, by number.
    codes: Vec<usize>,
    /// The windows with the colours exchanged, by number.
    exchanged: Vec<u16>,
}

impl Windows {
    /// Returns the windows, created at the first call.
    pub(crate) fn all() -> &'static Self {
        static ALL: LazyLock<Windows> = LazyLock::new(Windows::new);
        &ALL
    }

    fn new() -> Self {
        let codes: Vec<usize> = (0..CODES).filter(|&code| trimmed(code) == code).collect();
        debug_assert!(codes.len() == ARMS);
        let mut arms = [0; CODES];
        codes.iter().zip(0..).for_each(|(&code, number)| arms[code] = number);
        for code in 0..CODES {
            arms[code] = arms[trimmed(code)];
        }
        let arm = |arm: usize| usize::from(arms[exchanged(codes[arm])]);
        let exchanged = by_window(|behind, ahead| window(arm(behind), arm(ahead)));
        Self {
            index: WindowIndex::new(|code| arms[code] * ARMS as u16, |code| arms[code]),
            numbers: (0..ARMS * ARMS).map(|index| window(index / ARMS, index % ARMS)).collect(),
            codes,
            exchanged,
        }
    }

    /// Returns the number of the window around bit `shift` of a line of two bits a cell, with at
    /// least [`REACH`] cells, edge included, on each side.
    #[inline]
    pub(crate) fn at(&self, line: u64, shift: u32) -> u16 {
        self.numbers[self.index.at(line, shift)]
    }

    /// Returns the numbers of the windows of the four lines through `cell`.
    pub(crate) fn around(&self, board: &Board, cell: Cell) -> [u16; 4] {
        let positions = board.setting().positions(cell);
        array::from_fn(|d| self.at(board.lines.line(d, positions[d]), positions[d].shift.into()))
    }

    /// Returns the window with the colours exchanged, by the number of the window.
    pub(crate) fn exchanged(&self) -> &[u16] {
        &self.exchanged
    }

    /// Returns the pair of shapes of both sides in each window, by its number.
    pub(crate) fn pairs(&self, rule: Rule) -> Vec<u8> {
        let patterns = Patterns::of(rule);
        by_window(|behind, ahead| patterns.at(self.line(behind, ahead), LINE_AT))
    }

    /// Returns a line with a window around bit [`LINE_AT`], and with the edge or empty cells beyond
    /// it.
    fn line(&self, behind: usize, ahead: usize) -> u64 {
        let cell = |arm: usize, step: usize| {
            let code = self.codes[arm];
            let ends_at_edge = code >> (2 * REACH - 2) == Content::Edge as usize;
            let beyond = if ends_at_edge { !0 << (2 * REACH) } else { 0 };
            ((code | beyond) >> (2 * step) & 3) as u64
        };
        let cells = (0..ARM).map(|step| {
            let steps = 2 * (step as u32 + 1);
            cell(behind, step) << (LINE_AT - steps) | cell(ahead, step) << (LINE_AT + steps)
        });
        cells.sum()
    }
}

/// Returns the results of `of` for the two arms of each window, by the number of the window.
fn by_window<T>(of: impl Fn(usize, usize) -> T) -> Vec<T> {
    let all = (0..ARMS).flat_map(|high| (0..=high).map(move |low| (low, high)));
    all.map(|(low, high)| of(low, high)).collect()
}

/// Returns the number of the window with these two arms.
fn window(one: usize, other: usize) -> u16 {
    let (low, high) = (one.min(other), one.max(other));
    (high * (high + 1) / 2 + low) as u16
}

/// Returns the code of an arm with the cells that a five cannot reach replaced by the edge.
fn trimmed(code: usize) -> usize {
    let mut passed = 0;
    for step in 0..REACH {
        // The code of the edge has the bits of both colours.
        passed |= code >> (2 * step) & 3;
        if passed == Content::Edge as usize {
            return (code | usize::MAX << (2 * step)) & (CODES - 1);
        }
    }
    code
}

/// Returns the code of an arm with the colours exchanged.
fn exchanged(code: usize) -> usize {
    const LOW_BITS: usize = (CODES - 1) / 3;
    (code & LOW_BITS) << 1 | code >> 1 & LOW_BITS
}

#[cfg(test)]
mod tests {
    use tengen_engine::hash::mix64;

    use super::*;

    /// Returns lines filled at random around bit [`LINE_AT`], some with the edge.
    fn lines() -> impl Iterator<Item = u64> {
        let cell = |random: u64, step: u64, edge: u64| match random >> (8 * step + 8) & 7 {
            _ if step >= edge => 3,
            stone @ 1..=2 => stone,
            _ => 0,
        };
        (0..20_000).map(move |seed| {
            let [behind, ahead] = [mix64(seed), mix64(!seed)];
            let cells = (0..ARM as u64).map(|step| {
                let (behind, ahead) =
                    (cell(behind, step, behind % 8), cell(ahead, step, ahead % 8));
                behind << (8 - 2 * step) | ahead << (12 + 2 * step)
            });
            cells.sum()
        })
    }

    #[test]
    fn every_window_has_its_own_number() {
        let windows = Windows::all();
        let numbers = by_window(|behind, ahead| {
            let line = windows.line(behind, ahead);
            (windows.at(line, LINE_AT), windows.at(windows.line(ahead, behind), LINE_AT))
        });
        assert_eq!(numbers.len(), WINDOWS);
        for (number, seen) in (0..).zip(numbers) {
            assert_eq!(seen, (number, number));
        }
    }

    #[test]
    fn cells_that_a_five_cannot_reach_do_not_matter() {
        let number = |text: &str| {
            let cell = |symbol| match symbol {
                'x' => 1,
                'o' => 2,
                '|' => 3,
                _ => 0,
            };
            let cells = text.chars().enumerate();
            let line = cells.fold(0, |line, (k, symbol)| line | cell(symbol) << (2 * k));
            Windows::all().at(line, 2 * text.find('*').unwrap() as u32)
        };
        let first = number("...xx*.xo.|");
        for alike in ["...xx*.xoxo", "...xx*.x|||", "ox.xx*.xo..", "|o.xx*.x|||"] {
            assert_eq!(number(alike) == first, alike.starts_with('.'), "{alike}");
        }
        assert_eq!(number("..oxx*.xo.."), number("x.oxx*.xoxx"));
        assert_eq!(number("..oxx*.xo.."), number("..ox.*xxo.."));
        assert_ne!(number("..oxx*.xo.."), number("...xx*.xo.."));
    }

    #[test]
    fn exchanging_colours_twice_changes_nothing() {
        let exchanged = Windows::all().exchanged();
        let back: Vec<u16> =
            exchanged.iter().map(|&window| exchanged[usize::from(window)]).collect();
        assert!(back.into_iter().eq(0..WINDOWS as u16));
        for line in lines() {
            const LOW_BITS: u64 = u64::MAX / 3;
            let (low, high) = (line & LOW_BITS, line >> 1 & LOW_BITS);
            let other = Windows::all().at(low << 1 | high, LINE_AT);
            assert_eq!(exchanged[usize::from(Windows::all().at(line, LINE_AT))], other);
        }
    }

    #[test]
    fn a_window_determines_the_shapes_of_freestyle() {
        let pairs = Windows::all().pairs(Rule::Freestyle);
        let patterns = Patterns::of(Rule::Freestyle);
        for line in lines() {
            let window = usize::from(Windows::all().at(line, LINE_AT));
            assert_eq!(pairs[window], patterns.at(line, LINE_AT), "{line:b}");
        }
    }
}
