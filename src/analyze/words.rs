//! Scores and results in words, for people and for scripts.

use serde_json::{Value, json};
use tengen_engine::{Bound, Outcome, Report, Score, Side, Wdl};
pub(super) use tengen_protocol::analysis::words::score;
pub(super) use tengen_protocol::dialect::json::reply::sentence as settled;

/// Returns the score of a line, with what it says of the true value.
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

/// Returns how a game ended, for scripts: who has won.
pub(super) fn outcome_code(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win(side) => player(side),
        Outcome::Value(score) if score > Score::DRAW => player(Side::First),
        Outcome::Value(score) if score < Score::DRAW => player(Side::Second),
        Outcome::Value(_) | Outcome::Draw => "draw",
    }
}

pub(super) fn player(side: Side) -> &'static str {
    match side {
        Side::First => "first",
        Side::Second => "second",
    }
}

/// Returns a score for scripts: exactly one of `cp`, `win_in` and `loss_in`, the latter in plies.
pub(super) fn score_json(score: Score) -> Value {
    match score.plies() {
        Some(plies) if score.is_win() => json!({ "win_in": plies }),
        Some(plies) => json!({ "loss_in": plies }),
        None => json!({ "cp": score.raw() }),
    }
}

/// Returns chances for scripts, in per mille: win, draw, loss.
pub(super) fn wdl_json(wdl: Option<Wdl>) -> Value {
    wdl.map_or(Value::Null, |Wdl { win, draw, loss }| json!([win, draw, loss]))
}

/// Returns a line of analysis for scripts.
pub(super) fn line_json(report: &Report<String>) -> Value {
    let bound = match report.bound {
        Bound::Exact => "exact",
        Bound::Lower => "lower",
        Bound::Upper => "upper",
    };
    json!({
        "type": "line",
        "depth": report.depth,
        "seldepth": report.seldepth,
        "multipv": report.line,
        "score": score_json(report.score),
        "bound": bound,
        "wdl": wdl_json(report.wdl),
        "nodes": report.nodes,
        "time_ms": u64::try_from(report.time.as_millis()).unwrap_or(u64::MAX),
        "pv": report.pv,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_hundredths_or_plies() {
        assert_eq!(score_json(Score::loss_in(2)).to_string(), r#"{"loss_in":2}"#);
        assert_eq!(score_json(Score::heuristic(9)).to_string(), r#"{"cp":9}"#);
        let wdl = Wdl { win: 455, draw: 300, loss: 245 };
        assert_eq!(super::wdl(wdl), "win 45.5 %, draw 30.0 %, loss 24.5 %");
    }
}
