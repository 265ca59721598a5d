//! The windows of lines: what lies within four cells to each side of an empty point, as far as a five
//! through the point can go.
//!
//! A five through the point ends at the edge, or before the cells passed hold both colours. What lies
//! beyond is left out. A window and its mirror image are one.

use std::sync::LazyLock;
use std::{array, fmt};

use tengen_engine::Cell;

use crate::gomoku::Board;
use crate::gomoku::pattern::{ARM, Patterns};
use crate::gomoku::rule::{Content, Rule};

/// How many cells to each side of a point a window has.
pub(super) const REACH: usize = 4;

/// How many codes an arm, the cells on one side of a point, can have: two bits a cell, the nearest
/// cell lowest.
const CODES: usize = 1 << (2 * REACH);

/// How many arms there are, when what lies beyond a row is left out.
const ARMS: usize = 57;

/// How many windows there are.
pub const WINDOWS: usize = ARMS * (ARMS + 1) / 2;

/// The bit of the point in a line that is made of a window.
const LINE_AT: u32 = 2 * ARM as u32;

/// The numbers of all windows. A search asks for many, so that a number is found in two tables of
/// arms and one of windows.
pub(in crate::gomoku) struct Windows {
    /// By the code of the arm behind a point, with its nearest cell highest, the first index of
    /// its numbers.
    behind: Box<[u16; CODES]>,
    /// By the code of the arm ahead, its number.
    ahead: Box<[u16; CODES]>,
    /// By the two arms.
    numbers: Vec<u16>,
    /// By the number of an arm, its code.
    codes: Vec<usize>,
    exchanged: Vec<u16>,
}

impl fmt::Debug for Windows {
    /// Writes only the name: the tables are too large to be shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Windows").finish_non_exhaustive()
    }
}

impl Windows {
    /// Returns the windows, made when they are first asked for.
    pub(in crate::gomoku) fn all() -> &'static Self {
        static ALL: LazyLock<Windows> = LazyLock::new(Windows::new);
        &ALL
    }

    fn new() -> Self {
        let codes: Vec<usize> = (0..CODES).filter(|&code| trimmed(code) == code).collect();
        debug_assert!(codes.len() == ARMS);
        let mut arms = Box::new([0; CODES]);
        codes.iter().zip(0..).for_each(|(&code, number)| arms[code] = number);
        for code in 0..CODES {
            arms[code] = arms[trimmed(code)];
        }
        let arm = |arm: usize| usize::from(arms[exchanged(codes[arm])]);
        let exchanged = by_window(|behind, ahead| window(arm(behind), arm(ahead)));
        Self {
            behind: Box::new(array::from_fn(|code| arms[reversed(code)] * ARMS as u16)),
            ahead: arms,
            numbers: (0..ARMS * ARMS).map(|place| window(place / ARMS, place % ARMS)).collect(),
            codes,
            exchanged,
        }
    }

    /// Returns the number of the window around bit `shift` of a line of two bits a cell, with at
    /// least [`REACH`] cells, edge included, to each side of it.
    #[inline]
    pub(in crate::gomoku) fn at(&self, line: u64, shift: u32) -> u16 {
        let behind = (line >> (shift - 2 * REACH as u32)) as usize & (CODES - 1);
        let ahead = (line >> (shift + 2)) as usize & (CODES - 1);
        self.numbers[usize::from(self.behind[behind]) + usize::from(self.ahead[ahead])]
    }

    /// Returns the numbers of the windows of the four lines through a cell.
    pub(in crate::gomoku) fn around(&self, board: &Board, cell: Cell) -> [u16; 4] {
        let places = board.setting.layout.places(cell);
        array::from_fn(|d| self.at(board.lines.line(d, places[d].line), places[d].shift.into()))
    }

    /// Returns, by the number of a window, the number of the window with the colours exchanged.
    pub(in crate::gomoku) fn exchanged(&self) -> &[u16] {
        &self.exchanged
    }

    /// Returns, by the number of a window, the pair of shapes of both sides in it.
    pub(in crate::gomoku) fn pairs(&self, rule: Rule) -> Vec<u8> {
        let patterns = Patterns::of(rule);
        by_window(|behind, ahead| patterns.at(self.line(behind, ahead), LINE_AT))
    }

    /// Returns a line with a window around bit [`LINE_AT`]. Beyond it are the edge or empty cells.
    fn line(&self, behind: usize, ahead: usize) -> u64 {
        let cell = |arm: usize, place: usize| {
            let code = self.codes[arm];
            let ends_at_edge = code >> (2 * REACH - 2) == Content::Edge as usize;
            let beyond = if ends_at_edge { !0 << (2 * REACH) } else { 0 };
            ((code | beyond) >> (2 * place) & 3) as u64
        };
        let cells = (0..ARM).map(|place| {
            let steps = 2 * (place as u32 + 1);
            cell(behind, place) << (LINE_AT - steps) | cell(ahead, place) << (LINE_AT + steps)
        });
        cells.sum()
    }
}

/// Returns what `of` says of the two arms of each window, by the window's number.
fn by_window<T>(of: impl Fn(usize, usize) -> T) -> Vec<T> {
    let all = (0..ARMS).flat_map(|high| (0..=high).map(move |low| (low, high)));
    all.map(|(low, high)| of(low, high)).collect()
}

/// Returns the number of the window of two arms.
fn window(one: usize, other: usize) -> u16 {
    let (low, high) = (one.min(other), one.max(other));
    (high * (high + 1) / 2 + low) as u16
}

/// Returns an arm with the edge from the end of a row on.
fn trimmed(code: usize) -> usize {
    let mut passed = 0;
    for place in 0..REACH {
        // The edge is the codes of both colours together.
        passed |= code >> (2 * place) & 3;
        if passed == Content::Edge as usize {
            return (code | usize::MAX << (2 * place)) & (CODES - 1);
        }
    }
    code
}

/// Returns an arm with its cells in the other order.
fn reversed(code: usize) -> usize {
    (0..REACH).map(|k| (code >> (2 * k) & 3) << (2 * (REACH - 1 - k))).sum()
}

/// Returns an arm with the colours exchanged.
fn exchanged(code: usize) -> usize {
    const LOW_BITS: usize = (CODES - 1) / 3;
    (code & LOW_BITS) << 1 | code >> 1 & LOW_BITS
}

#[cfg(test)]
mod tests {
    use tengen_engine::hash::mix64;

    use super::*;

    /// Some lines that are filled at random around bit [`LINE_AT`], with the edge at random places or
    /// at none.
    fn lines() -> impl Iterator<Item = u64> {
        let cell = |random: u64, place: u64, edge: u64| match random >> (8 * place + 8) & 7 {
            _ if place >= edge => 3,
            stone @ 1..=2 => stone,
            _ => 0,
        };
        (0..20_000).map(move |seed| {
            let [behind, ahead] = [mix64(seed), mix64(!seed)];
            let cells = (0..ARM as u64).map(|place| {
                let (behind, ahead) =
                    (cell(behind, place, behind % 8), cell(ahead, place, ahead % 8));
                behind << (8 - 2 * place) | ahead << (12 + 2 * place)
            });
            cells.sum()
        })
    }

    #[test]
    fn every_window_has_a_number_of_its_own() {
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
    fn nothing_beyond_a_row_tells_windows_apart() {
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
    fn exchanged_colours_are_exchanged_back() {
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
    fn a_window_says_which_shapes_freestyle_has() {
        let pairs = Windows::all().pairs(Rule::Freestyle);
        let patterns = Patterns::of(Rule::Freestyle);
        for line in lines() {
            let window = usize::from(Windows::all().at(line, LINE_AT));
            assert_eq!(pairs[window], patterns.at(line, LINE_AT), "{line:b}");
        }
    }
}
