//! Checks what an engine says about its move. Contradictions are warnings and do not end the game.

use tengen_engine::{Outcome, Position};
use tengen_protocol::client::{EngineScore, Info};

/// Returns the warnings about a move.
///
/// `text` is the move in `position`, `info` is what the engine said before it, and `opponent` is
/// the last score of the opponent. `reads_lines` says that the principal variation has readable
/// moves.
pub(super) fn of_move(
    position: &dyn Position,
    text: &str,
    info: Option<&Info>,
    opponent: Option<EngineScore>,
    reads_lines: bool,
) -> Vec<&'static str> {
    let mut warnings = Vec::new();
    let Some(score) = info.and_then(|info| info.score) else { return vec!["no score"] };
    if let (EngineScore::WinIn(_), Some(EngineScore::WinIn(_))) = (score, opponent) {
        warnings.push("both sides claim a win");
    }
    let Some(info) = info.filter(|info| reads_lines && !info.pv.is_empty()) else {
        return warnings;
    };
    let mut board = position.duplicate();
    if board.read_move(text).ok() != board.read_move(&info.pv[0]).ok() {
        warnings.push("the line does not begin with the move");
    }
    for mv in &info.pv {
        if board.outcome().is_some() || board.play_text(mv).is_err() {
            warnings.push("illegal move in the line");
            return warnings;
        }
    }
    let is_exact = info.bound == Some(tengen_engine::Bound::Exact);
    let (winner, plies) = match score {
        EngineScore::WinIn(plies) => (position.turn(), plies),
        EngineScore::LossIn(plies) => (position.turn().other(), plies),
        EngineScore::Units(_) => return warnings,
    };
    // A book, a table or a proof knows the result without a line to the end.
    // CITE: https://github.com/vondele/matetrack, which also tells short lines from wrong ones.
    let breaks_off = board.outcome().is_none() && info.pv.len() < plies as usize;
    if is_exact && !breaks_off && board.outcome() != Some(Outcome::Win(winner)) {
        warnings.push("a win without a line to its end");
    }
    warnings
}

#[cfg(test)]
mod tests {
    use tengen_engine::backend::Catalog;
    use tengen_engine::{Bound, Chosen};
    use tengen_games::CATALOG;

    use super::*;

    #[test]
    fn scores_and_lines_are_checked_by_the_rules() {
        let spec = CATALOG.describe("cfour", &Chosen::new()).unwrap();
        let mut board = CATALOG.position(&spec);
        for mv in ["a", "b", "a", "b", "a", "c"] {
            board.play_text(mv).unwrap();
        }
        let info = |score, pv: &str| Info {
            score: Some(score),
            bound: Some(Bound::Exact),
            pv: pv.split_ascii_whitespace().map(str::to_owned).collect(),
            ..Info::default()
        };
        let warnings = |info: &Info| of_move(&*board, "P@a4", Some(info), None, true);
        assert!(warnings(&info(EngineScore::WinIn(1), "a4")).is_empty());
        assert_eq!(warnings(&info(EngineScore::WinIn(3), "a4 b3")), ["illegal move in the line"]);
        assert_eq!(
            warnings(&info(EngineScore::Units(1), "b3")),
            ["the line does not begin with the move"]
        );
        assert_eq!(warnings(&info(EngineScore::Units(1), "a4 a9")), ["illegal move in the line"]);
        // A line as long as the claim that does not win, and shorter lines.
        let warnings_of =
            |score| of_move(&*board, "b3", Some(&info(score, "b3 d1 e1")), None, true);
        assert_eq!(warnings_of(EngineScore::WinIn(3)), ["a win without a line to its end"]);
        assert_eq!(warnings_of(EngineScore::LossIn(2)), ["a win without a line to its end"]);
        assert!(warnings_of(EngineScore::WinIn(5)).is_empty());
        assert!(warnings_of(EngineScore::LossIn(4)).is_empty());
        // A line that ends with a win of the other side cannot be continued.
        let lost = of_move(&*board, "a4", Some(&info(EngineScore::LossIn(6), "a4")), None, true);
        assert_eq!(lost, ["a win without a line to its end"]);
        assert_eq!(of_move(&*board, "a4", None, None, true), ["no score"]);
        let both = Some(EngineScore::WinIn(2));
        let claimed = of_move(&*board, "a4", Some(&info(EngineScore::WinIn(1), "")), both, true);
        assert_eq!(claimed, ["both sides claim a win"]);
    }
}
