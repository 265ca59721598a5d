//! How much the search may leave out: the margins, the move counts and the late move reductions.
//!
//! It knows what every point makes. It does not know how a search goes on.

use tengen_engine::{Game, LateMove, Selectivity, SingularTuning};

use super::threat::{Group, Threat};
use super::{Board, GomokuEvaluator, weights};
use tengen_engine::Cell;

pub(super) const SINGULAR: SingularTuning =
    SingularTuning::new(weights::SINGULAR_DEPTH, weights::SINGULAR_MARGIN);

/// Returns how many moves are searched at a node.
pub(super) fn move_count_limit(depth: u32, improving: bool) -> usize {
    let (first, each) = weights::MOVE_COUNT_LIMITS[usize::from(improving)];
    first + each * depth as usize
}

impl GomokuEvaluator {
    /// Returns whether the opponent threatens a five.
    fn must_answer(&self, board: &Board) -> bool {
        !self.points.group(board.turn().other(), Group::Fives).is_empty()
    }

    /// Returns the late move reduction in plies.
    pub(super) fn lmr_reduction(&self, board: &Board, mv: Cell, late: &LateMove) -> u32 {
        if late.depth < 2 {
            return 0;
        }
        let steep = weights::LMR * log(late.depth) / 64 * log(late.index as u32 + 1) / 64;
        let (makes, stops) = self.threats(board, mv);
        let is_sharp = makes.max(stops) >= Threat::Three;
        let rank_gap = (late.rank_gap - weights::LMR_RANK_GAP).max(0);
        let plies = [
            (true, steep),
            (late.is_scout && !late.improving, weights::LMR_NOT_IMPROVING),
            (late.cut_node, weights::LMR_CUT_NODE),
            (!late.is_scout, -weights::LMR_PV),
            (is_sharp, -weights::LMR_SHARP),
            (true, weights::LMR_RANK * rank_gap / 100),
        ];
        let sum: i32 = plies.iter().filter(|(holds, _)| *holds).map(|(_, plies)| plies).sum();
        (sum / 64).max(0) as u32
    }

    /// Returns the margin of reverse futility pruning; `None` when the opponent threatens a five.
    pub(super) fn futility_margin(
        &self,
        board: &Board,
        depth: u32,
        improving: bool,
    ) -> Option<i32> {
        if self.must_answer(board) {
            return None;
        }
        let threat = self.points.group(board.turn().other(), Group::OpenFours);
        let pressure = if threat.is_empty() { 0 } else { weights::PRESSURE };
        let plies = depth.saturating_sub(1 + u32::from(improving));
        Some(weights::FUTILITY * plies as i32 + pressure)
    }
}

/// Returns the binary logarithm of a number from 1 on, in 64ths; numbers above 255 use 255.
fn log(number: u32) -> i32 {
    LOGS[number.min(255) as usize]
}

const LOGS: [i32; 256] = {
    let mut logs = [0; 256];
    let mut number = 1;
    while number < 256 {
        logs[number as usize] = log_of(number);
        number += 1;
    }
    logs
};

/// Returns log2 in 64ths, by fixed-point arithmetic: six squarings give six fractional bits.
const fn log_of(number: u64) -> i32 {
    let mut whole = number.ilog2();
    let mut rest = (number << 24) >> whole;
    let mut bit = 0;
    while bit < 6 {
        rest = (rest * rest) >> 24;
        let carry = (rest >> 25) as u32;
        whole = 2 * whole + carry;
        rest >>= carry;
        bit += 1;
    }
    whole as i32
}

impl Selectivity<Board> for GomokuEvaluator {
    fn exact(&self) -> bool {
        false
    }

    fn singular_tuning(&self) -> SingularTuning {
        SINGULAR
    }

    fn reduction(&self, board: &Board, mv: Cell, late: &LateMove) -> u32 {
        self.lmr_reduction(board, mv, late)
    }

    fn futility_margin(&self, board: &Board, depth: u32, improving: bool) -> Option<i32> {
        self.futility_margin(board, depth, improving)
    }

    fn move_count_limit(&self, _board: &Board, depth: u32, improving: bool) -> usize {
        move_count_limit(depth, improving)
    }

    fn extension(&self, board: &Board, mv: Cell) -> u32 {
        let (makes, stops) = self.threats(board, mv);
        u32::from(makes < Threat::Five && stops == Threat::Five)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_binary_and_in_64ths() {
        for (number, expected) in [(1, 0), (2, 64), (3, 101), (8, 192), (255, 511), (1000, 511)] {
            assert_eq!(log(number), expected, "{number}");
        }
    }
}
