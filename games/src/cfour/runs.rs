//! Finds lines of any length in a set of cells, all in parallel.

use super::bits::Bits;
use super::shape::Shape;

/// The maximum length of a line: the longest side of a board.
const LONGEST: usize = 26;

/// Returns the four directions of a line, as distances in bits.
#[inline(always)]
pub(super) fn directions(shape: &impl Shape) -> [u32; 4] {
    let stride = shape.stride();
    [1, stride - 1, stride, stride + 1]
}

/// Returns the cells where an unbroken run of `length` cells begins, in steps of `step` bits.
#[inline(always)]
pub(super) fn run_starts<B: Bits>(cells: B, step: u32, length: u32) -> B {
    // Two runs in a row are a run of double length.
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

/// Returns the number of winning lines within `cells`.
#[inline(always)]
pub(super) fn count_lines<S: Shape>(shape: &S, cells: S::Bits) -> u32 {
    let counts = directions(shape).map(|step| run_starts(cells, step, shape.connect()).count());
    counts[0] + counts[1] + counts[2] + counts[3]
}

/// Returns the cells that complete a line of `stones`. Some may be taken or outside the board.
// The compiler vectorizes the four directions, but only in a function of its own.
#[inline(never)]
pub(super) fn completing<S: Shape>(shape: &S, stones: S::Bits) -> S::Bits {
    let (steps, length) = (directions(shape), shape.connect() as usize);
    debug_assert!((1..=LONGEST).contains(&length));
    let mut ahead = [[!S::Bits::NONE; 4]; LONGEST];
    for near in 1..length {
        ahead[near] = for_each_direction(|direction| {
            ahead[near - 1][direction] & stones.down(steps[direction] * near as u32)
        });
    }
    let mut behind = [!S::Bits::NONE; 4];
    let mut found = ahead[length - 1];
    for near in 1..length {
        behind = for_each_direction(|direction| {
            behind[direction] & stones.up(steps[direction] * near as u32)
        });
        found = for_each_direction(|direction| {
            found[direction] | (behind[direction] & ahead[length - 1 - near][direction])
        });
    }
    found[0] | found[1] | found[2] | found[3]
}

#[inline(always)]
fn for_each_direction<B>(of: impl FnMut(usize) -> B) -> [B; 4] {
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
        // Four in a row can become five at both ends.
        fn beyond(i: u32) -> u64 {
            if i == 0 { 1 << 37 } else { 0 }
        }
    }

    #[test]
    fn a_column_is_completed_at_its_top_and_not_over_the_edge() {
        let shape = AnySize::<u64>::new(7, 6, 4).unwrap();
        assert_eq!(completing(&shape, 0b111) & shape.board(), 0b1000);
        // The three cells below are not completed.
        assert_eq!(completing(&shape, 0b11_1000) & shape.board() & !0b111, 0);
        assert!(!has_line(&shape, 0b11_1000 | 1 << 7));
    }
}
