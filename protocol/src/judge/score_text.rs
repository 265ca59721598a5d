//! Human-readable scores.

use tengen_engine::Score;

/// Returns a score as text: hundredths, or the plies to a win or loss.
pub fn score(score: Score) -> String {
    match score.plies() {
        Some(plies) if score.is_win() => format!("win in {plies}"),
        Some(plies) => format!("loss in {plies}"),
        None if score.raw() == Score::MAX_HEURISTIC => "win, unproven".to_owned(),
        None if score.raw() == -Score::MAX_HEURISTIC => "loss, unproven".to_owned(),
        None => format!("{:+}", score.raw()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_hundredths_or_plies() {
        for (value, text) in [
            (Score::DRAW, "+0"),
            (Score::heuristic(-27), "-27"),
            (Score::win_in(13), "win in 13"),
            (Score::loss_in(2), "loss in 2"),
            (Score::win_in(3).unproven(), "win, unproven"),
            (Score::loss_in(3).unproven(), "loss, unproven"),
        ] {
            assert_eq!(score(value), text);
        }
    }
}
