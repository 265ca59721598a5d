//! The selectivity of the search: margins, move counts and late move reductions.
//!
//! This file reads what every point makes, and does not depend on the search tree.

use tengen_engine::{
    Cell, ExtensionTuning, FutilityMargins, Game, LateMove, MoveCountLimits, Selectivity,
    SingularTuning,
};

use crate::gomoku::eval::weights;
use crate::gomoku::pattern::threat::Threat;
use crate::gomoku::{Board, GomokuEvaluator};

const EXTENSIONS: ExtensionTuning = ExtensionTuning::new(
    SingularTuning::new(weights::SINGULAR_DEPTH, weights::SINGULAR_MARGIN),
    weights::RE_SEARCH_MARGINS,
);

/// Returns the number of moves searched at a node of `depth`, in the order of
/// [`weights::MOVE_COUNT_LIMITS`].
fn move_count_limits(depth: u32) -> MoveCountLimits {
    let limits = weights::MOVE_COUNT_LIMITS;
    let [worse, improving, pv] = limits.map(|(first, each)| (first + each * depth as usize) / 64);
    MoveCountLimits { worse, improving, pv }
}

impl GomokuEvaluator {
    /// Returns whether the static evaluation can be trusted. It cannot if the opponent can make a
    /// five, an open four, two fours, a four-three or a double-three, allowed or not; nor if the
    /// last two stones of the side to move both made fours, which delay a loss and raise the
    /// evaluation.
    // CITE: Rapfi, https://github.com/dhbloo/rapfi, reverse futility pruning.
    fn trusts_evaluation(&self, board: &Board) -> bool {
        const THREATS: [Threat; 4] =
            [Threat::Five, Threat::OpenFour, Threat::FourThree, Threat::DoubleThree];
        let (side, opponent) = (board.turn(), board.turn().other());
        let is_threatened = THREATS.iter().any(|&threat| self.points.can_make(opponent, threat));
        let made_fours = [2, 4].iter().all(|&back| self.points.made(side, back) >= Threat::Four);
        !is_threatened && !made_fours
    }

    /// Returns the extra reduction, in 64ths of a ply, of a move that stops no four and is far from
    /// the last stones, if the opponent can make an open four or two fours, allowed or not. Such
    /// moves are mostly fours that only delay a loss.
    // CITE: Rapfi, https://github.com/dhbloo/rapfi.
    fn far_reduction(&self, board: &Board, mv: Cell, stops: Threat) -> i32 {
        let is_threatened = self.points.can_make(board.turn().other(), Threat::OpenFour);
        if stops >= Threat::Four || !is_threatened {
            return 0;
        }
        let is_far = |back: usize| {
            let last = self.points.last_cell(back).and_then(|index| board.grid().at(index));
            last.is_some_and(|last| board.grid().distance(last, mv) > weights::LMR_NEAR)
        };
        let plies = [1, 2].into_iter().zip(weights::LMR_FAR);
        plies.filter(|&(back, _)| is_far(back)).map(|(_, plies)| plies).sum()
    }

    /// Returns the late move reduction in plies.
    pub(crate) fn lmr_reduction(&self, board: &Board, mv: Cell, late: &LateMove) -> u32 {
        if late.depth < 2 {
            return 0;
        }
        let steep =
            weights::LMR * log2_64ths(late.depth) / 64 * log2_64ths(late.index as u32 + 1) / 64;
        let (makes, stops) = self.threats(board, mv);
        let is_sharp = makes.max(stops) >= Threat::Three;
        let rank_gap = (late.rank_gap - weights::LMR_RANK_GAP).max(0);
        let plies = [
            (true, steep),
            (late.is_scout && !late.improving, weights::LMR_NOT_IMPROVING),
            (late.cut_node, weights::LMR_CUT_NODE),
            (!late.is_scout, -weights::LMR_PV),
            (late.at_root, -weights::LMR_ROOT),
            (is_sharp, -weights::LMR_SHARP),
            (true, weights::LMR_RANK * rank_gap / 100),
            (true, -weights::LMR_HISTORY * late.history / LateMove::MAX_HISTORY),
            (true, self.far_reduction(board, mv, stops)),
        ];
        let sum: i32 = plies.iter().filter(|(holds, _)| *holds).map(|(_, plies)| plies).sum();
        (sum / 64).max(0) as u32
    }
}

/// Returns the binary logarithm of `number` in 64ths. `number` is at least 1; above 255 it counts
/// as 255.
fn log2_64ths(number: u32) -> i32 {
    LOGS[number.min(255) as usize]
}

const LOGS: [i32; 256] = {
    let mut logs = [0; 256];
    let mut number = 1;
    while number < 256 {
        logs[number as usize] = compute_log2_64ths(number);
        number += 1;
    }
    logs
};

/// Returns the binary logarithm of `number` in 64ths by fixed-point arithmetic: six squarings give
/// six fractional bits.
const fn compute_log2_64ths(number: u64) -> i32 {
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

    fn extension_tuning(&self) -> ExtensionTuning {
        EXTENSIONS
    }

    fn reduction(&self, board: &Board, mv: Cell, late: &LateMove) -> u32 {
        self.lmr_reduction(board, mv, late)
    }

    fn futility_margins(&self, board: &Board, depth: u32) -> Option<FutilityMargins> {
        let margin = |plies| weights::FUTILITY * depth.saturating_sub(plies) as i32;
        let margins = || FutilityMargins { worse: margin(1), improving: margin(2) };
        self.trusts_evaluation(board).then(margins)
    }

    fn move_count_limits(&self, _board: &Board, depth: u32) -> MoveCountLimits {
        move_count_limits(depth)
    }

    fn extension(&self, board: &Board, mv: Cell) -> u32 {
        let (makes, stops) = self.threats(board, mv);
        u32::from(makes < Threat::Five && stops == Threat::Five)
    }
}

#[cfg(test)]
mod tests {
    use tengen_engine::Notation;

    use super::*;
    use crate::gomoku::tests::evaluated_after;

    /// Returns whether the evaluation is trusted after `moves` of freestyle.
    fn is_trusted_after(moves: &str) -> bool {
        let (board, evaluator) = evaluated_after(moves);
        evaluator.trusts_evaluation(&board)
    }

    #[test]
    fn the_evaluation_is_not_trusted_against_an_open_four_or_a_five() {
        assert!(is_trusted_after("h8 a1 i8 a3"));
        assert!(!is_trusted_after("h8 a1 i8 a3 j8"));
        // An own threat does not matter.
        assert!(is_trusted_after("h8 a1 i8 a3 j8 g8"));
        assert!(!is_trusted_after("h8 a1 i8 g8 j8 a3 k8"));
    }

    #[test]
    fn the_evaluation_is_not_trusted_against_a_double_threat() {
        // The first player can make two threes on h8; in the second position, a four and a three.
        assert!(!is_trusted_after("h9 a1 h10 a3 i8 a5 j8"));
        assert!(!is_trusted_after("h9 m8 h10 a3 i8 g8 j8 a5 k8"));
        assert!(is_trusted_after("h9 a1 h10 a3 i8 a5 o15"));
    }

    #[test]
    fn the_evaluation_is_not_trusted_after_two_own_fours() {
        let threes = "c3 b3 d3 b6 e3 o15 c6 m1 d6 k13 e6 m9";
        assert!(is_trusted_after(&format!("{threes} f3 g3")));
        assert!(!is_trusted_after(&format!("{threes} f3 g3 f6 g6")));
    }

    #[test]
    fn a_move_with_a_good_history_is_reduced_less() {
        let (board, evaluator) = evaluated_after("");
        let mv = board.read_move("h8").unwrap();
        let reduction = |history| {
            let mut late = LateMove::new(12, 20);
            late.history = history;
            evaluator.lmr_reduction(&board, mv, &late)
        };
        let most = LateMove::MAX_HISTORY;
        let [bad, middle, good] = [-most, 0, most].map(reduction);
        assert!(bad > middle && middle > good, "{bad} {middle} {good}");
        let mut at_root = LateMove::new(12, 20);
        at_root.at_root = true;
        assert_eq!(evaluator.lmr_reduction(&board, mv, &at_root), middle - 3);
    }

    #[test]
    fn a_four_far_from_a_threat_that_it_does_not_stop_is_reduced_more() {
        let reduction = |moves: &str, mv: &str| {
            let (board, evaluator) = evaluated_after(moves);
            let mv = board.read_move(mv).unwrap();
            let (_, stops) = evaluator.threats(&board, mv);
            evaluator.far_reduction(&board, mv, stops)
        };
        // The first player has an open three, h8 to j8. The second player has three stones far
        // away.
        let [from_last, from_own] = weights::LMR_FAR;
        let moves = "h8 a1 i8 b1 a15 c1 j8";
        assert_eq!(reduction(moves, "d1"), from_last);
        assert_eq!(reduction(moves, "o15"), from_last + from_own);
        assert_eq!(reduction(moves, "k10"), from_own);
        // Four and five steps from the last stone.
        assert_eq!(reduction(moves, "n9"), from_own);
        assert_eq!(reduction(moves, "o9"), from_last + from_own);
        assert_eq!(reduction(moves, "k8"), 0);
        // Without the three there is no threat.
        assert_eq!(reduction("h8 a1 i8 b1 a15 c1 o12", "d1"), 0);
    }

    #[test]
    fn move_counts_grow_with_depth_and_are_highest_in_the_principal_variation() {
        for depth in 1..30 {
            let here = move_count_limits(depth);
            assert!(1 < here.worse && here.worse < here.improving && here.improving < here.pv);
            let deeper = move_count_limits(depth + 1);
            assert!(here.worse < deeper.worse && here.improving < deeper.improving, "{depth}");
            assert!(here.pv < deeper.pv, "{depth}");
        }
    }

    #[test]
    fn logarithms_are_binary_and_in_64ths() {
        for (number, expected) in [(1, 0), (2, 64), (3, 101), (8, 192), (255, 511), (1000, 511)] {
            assert_eq!(log2_64ths(number), expected, "{number}");
        }
    }
}
