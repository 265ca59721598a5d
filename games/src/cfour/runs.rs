//! Lines of any length in a set of cells, found in all places at once.

use super::bits::Bits;
use super::shape::Shape;

/// The longest line that any rules ask for: the longest side of a board.
const LONGEST: usize = 26;

/// Returns the four directions of a line, as distances in the word.
#[inline(always)]
pub(super) fn directions(shape: &impl Shape) -> [u32; 4] {
    let stride = shape.stride();
    [1, stride - 1, stride, stride + 1]
}

/// Returns the cells where an unbroken run of `length` cells begins, in steps of `step` bits.
#[inline(always)]
pub(super) fn run_starts<B: Bits>(cells: B, step: u32, length: u32) -> B {
    // Runs of double length: two in a row.
    let mut starts = cells;
    let mut reached = 1;
    while 2 * reached <= length {
        starts &= starts.down(step * reached);
        reached *= 2;
    }
    starts & starts.down(step * (length - reached))
}

/// Returns whether the cells hold a winning line.
#[inline(always)]
pub(super) fn has_line<S: Shape>(shape: &S, cells: S::Bits) -> bool {
    let [a, b, c, d] = directions(shape).map(|step| run_starts(cells, step, shape.connect()));
    !(a | b | c | d).is_empty()
}

/// Returns how many winning lines lie within the cells.
#[inline(always)]
pub(super) fn count_lines<S: Shape>(shape: &S, cells: S::Bits) -> u32 {
    let counts = directions(shape).map(|step| run_starts(cells, step, shape.connect()).count());
    counts[0] + counts[1] + counts[2] + counts[3]
}

/// Returns the cells beside `stones` that would complete a line of them; some may lie outside the
/// board or be taken.
// All four directions at once, side by side: the compiler makes vectors of them, but only where it
// sees nothing else beside.
#[inline(never)]
pub(super) fn completing<S: Shape>(shape: &S, stones: S::Bits) -> S::Bits {
    let (steps, length) = (directions(shape), shape.connect() as usize);
    debug_assert!((1..=LONGEST).contains(&length));
    let mut ahead = [[!S::Bits::NONE; 4]; LONGEST];
    for near in 1..length {
        ahead[near] = each(|way| ahead[near - 1][way] & stones.down(steps[way] * near as u32));
    }
    let mut behind = [!S::Bits::NONE; 4];
    let mut found = ahead[length - 1];
    for near in 1..length {
        behind = each(|way| behind[way] & stones.up(steps[way] * near as u32));
        found = each(|way| found[way] | (behind[way] & ahead[length - 1 - near][way]));
    }
    found[0] | found[1] | found[2] | found[3]
}

#[inline(always)]
fn each<B>(of: impl FnMut(usize) -> B) -> [B; 4] {
    std::array::from_fn(of)
}

#[cfg(test)]
mod tests {
    use super::super::shape::AnySize;
    use super::*;

    #[test]
    fn runs_of_every_length_are_found() {
        for length in 1..=26 {
            let exact: u128 = ((1 << length) - 1) << 3;
            assert_eq!(run_starts(exact, 1, length), 1 << 3);
            assert_eq!(run_starts(exact << 1 | exact, 1, length).count(), 2);
            assert_eq!(run_starts(exact >> 1 & exact, 1, length), 0);
        }
    }

    #[test]
    fn every_gap_of_a_line_is_found_and_no_other_cell() {
        let shape = AnySize::<u64>::new(9, 6, 5).unwrap();
        let line: u64 = (0..5).map(|i| 1 << (7 * i + 2)).sum();
        for i in 0..5 {
            let gap = 1 << (7 * i + 2);
            let expected = if i == 0 || i == 4 { gap | beyond(i) } else { gap };
            assert_eq!(completing(&shape, line & !gap) & shape.board(), expected, "{i}");
        }
        // Four in a row can be made five at both ends.
        fn beyond(i: u32) -> u64 {
            if i == 0 { 1 << 37 } else { 0 }
        }
    }

    #[test]
    fn a_column_is_completed_at_its_top_and_not_over_the_edge() {
        let shape = AnySize::<u64>::new(7, 6, 4).unwrap();
        assert_eq!(completing(&shape, 0b111) & shape.board(), 0b1000);
        // Below, other stones lie.
        assert_eq!(completing(&shape, 0b11_1000) & shape.board() & !0b111, 0);
        assert!(!has_line(&shape, 0b11_1000 | 1 << 7));
    }
}
