//! Scores and results in words, for people.

use tengen_engine::{Bound, Outcome, Report, Side, Wdl};
pub(super) use tengen_protocol::dialect::json::reply::sentence as settled;
pub(super) use tengen_protocol::judge::words::score;

/// Returns the score of a line for people, with `>=` or `<=` if it is a bound.
pub(super) fn bounded(report: &Report<String>) -> String {
    let sign = match report.bound {
        Bound::Exact => "",
        Bound::Lower => ">= ",
        Bound::Upper => "<= ",
    };
    format!("{sign}{}", score(report.score))
}

/// Returns chances for people.
pub(super) fn wdl(wdl: Wdl) -> String {
    let Wdl { win, draw, loss } = wdl;
    let percent = |share: u16| format!("{}.{} %", share / 10, share % 10);
    format!("win {}, draw {}, loss {}", percent(win), percent(draw), percent(loss))
}

/// Returns how a game ended, for people.
pub(super) fn outcome(outcome: Outcome) -> String {
    match outcome {
        Outcome::Win(Side::First) => "The first player has won.".to_owned(),
        Outcome::Win(Side::Second) => "The second player has won.".to_owned(),
        Outcome::Draw => "The game is drawn.".to_owned(),
        Outcome::Value(score) => {
            format!("The game is over: {:+} for the first player.", score.raw())
        }
    }
}

pub(super) fn player(side: Side) -> &'static str {
    match side {
        Side::First => "first",
        Side::Second => "second",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_percentages() {
        let wdl = Wdl { win: 455, draw: 300, loss: 245 };
        assert_eq!(super::wdl(wdl), "win 45.5 %, draw 30.0 %, loss 24.5 %");
    }
}
