//! Odd things that an engine says of its move: they are counted and end no game.

use tengen_engine::{Outcome, Position};
use tengen_protocol::client::{EngineScore, Info};

use crate::record::Warning;

/// What is odd about what an engine said before its move `text` in `position`. `reads_lines`:
/// whether the dialect writes lines of play as moves are written.
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
    if !is_exact || board.outcome() == Some(Outcome::Win(winner)) {
        return warnings;
    }
    // CITE: https://github.com/vondele/matetrack, which tells short lines from wrong ones too.
    let breaks_off = board.outcome().is_none() && info.pv.len() < plies as usize;
    warnings.push(if breaks_off { Warning::SHORT_LINE } else { "a win without a line to its end" });
    warnings
}

#[cfg(test)]
mod tests {
    use tengen_engine::backend::Catalog;
    use tengen_engine::{Bound, Chosen};
    use tengen_games::CATALOG;

    use super::*;

    #[test]
    fn what_an_engine_says_is_held_against_the_rules() {
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
        let odd = |info: &Info| of_move(&*board, "P@a4", Some(info), None, true);
        assert!(odd(&info(EngineScore::WinIn(1), "a4")).is_empty());
        assert_eq!(odd(&info(EngineScore::WinIn(3), "a4 b3")), ["illegal move in the line"]);
        assert_eq!(
            odd(&info(EngineScore::Units(1), "b3")),
            ["the line does not begin with the move"]
        );
        assert_eq!(odd(&info(EngineScore::Units(1), "a4 a9")), ["illegal move in the line"]);
        // The line is as long as the claim, and wins nothing; or it is shorter.
        let said = |score| of_move(&*board, "b3", Some(&info(score, "b3 d1 e1")), None, true);
        assert_eq!(said(EngineScore::WinIn(3)), ["a win without a line to its end"]);
        assert_eq!(said(EngineScore::LossIn(2)), ["a win without a line to its end"]);
        assert_eq!(said(EngineScore::WinIn(5)), [Warning::SHORT_LINE]);
        assert_eq!(said(EngineScore::LossIn(4)), [Warning::SHORT_LINE]);
        // A line that ends with a win of the other side is no part of a longer one.
        let lost = of_move(&*board, "a4", Some(&info(EngineScore::LossIn(6), "a4")), None, true);
        assert_eq!(lost, ["a win without a line to its end"]);
        assert_eq!(of_move(&*board, "a4", None, None, true), ["no score"]);
        let both = Some(EngineScore::WinIn(2));
        let claimed = of_move(&*board, "a4", Some(&info(EngineScore::WinIn(1), "")), both, true);
        assert_eq!(claimed, ["both sides claim a win"]);
    }
}
