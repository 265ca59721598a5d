//! The live view of a run: the progress and the running games.

use std::time::Duration;

use super::Caption;
use super::cells::Columns;
use crate::game::GameView;
use crate::tally::{RunState, TestProgress};

/// Returns the lines of the live view. `elapsed` is the time since the program started.
pub fn lines(
    state: &RunState,
    views: &[GameView],
    caption: &Caption,
    elapsed: Duration,
    width: usize,
) -> Vec<String> {
    let mut lines = vec![progress(state, elapsed)];
    let mut table = Columns::new(
        &["Game", "First", "left", "score", "Second", "left", "score", "ply", "last"],
        &[1, 4],
    );
    let mut running = 0;
    for view in views {
        let Some(id) = view.game else { continue };
        running += 1;
        let cell = |side: usize| {
            [
                caption.names.get(view.players[side]).cloned().unwrap_or_default(),
                view.left_millis[side].map_or("-".to_owned(), clock),
                view.scores[side].clone().unwrap_or_else(|| "-".to_owned()),
            ]
        };
        let mut row = vec![(id + 1).to_string()];
        row.extend(cell(0));
        row.extend(cell(1));
        let last = view.moves.last().cloned().unwrap_or_default();
        row.extend([view.moves.len().to_string(), last]);
        table.row(row);
    }
    if running > 0 {
        lines.extend(table.lines(width));
    }
    lines
}

/// Returns the progress of a run, such as `game 37 of 120, 420 an hour, 11:51 to go`. `elapsed` is
/// the time since the program started.
pub fn progress(state: &RunState, elapsed: Duration) -> String {
    let played = state.tally.games() + state.tally.forfeits.len() as u64;
    let least = if state.may_grow { "at least " } else { "" };
    let mut text = format!("game {played} of {least}{}", state.games);
    let hours = elapsed.as_secs_f64() / 3600.0;
    if state.played_now > 0 && hours > 0.0 {
        let speed = state.played_now as f64 / hours;
        text.push_str(&format!(", {speed:.0} an hour"));
        let left = state.games.saturating_sub(played);
        let time = |games: u64| span((games as f64 / speed * 3600.0) as i64);
        match state.test.as_ref().map(TestProgress::games_left) {
            None => text.push_str(&format!(", {} to go", time(left))),
            Some(Some(games)) => {
                text.push_str(&format!(", about {} to a decision", time(games.min(left))));
            }
            Some(None) => {}
        }
    }
    if let Some(test) = &state.test {
        let [low, high] = test.test.bounds();
        text.push_str(&format!(", LLR {:.2} [{low:.2}, {high:.2}]", test.llr));
    }
    text
}

/// Writes seconds: `59 s`, `2:03`, `1:02:03`.
fn span(seconds: i64) -> String {
    if seconds < 60 { format!("{seconds} s") } else { clock(seconds * 1000) }
}

/// Writes a time in milliseconds as a clock: `1:02:03`, `2:03`, `9.5`.
fn clock(millis: i64) -> String {
    let seconds = millis.max(0) / 1000;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds}.{}", millis.max(0) / 100 % 10),
        (0, minutes, seconds) => format!("{minutes}:{seconds:02}"),
        (hours, minutes, seconds) => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{EndKind, GameRecord, GameScore};
    use crate::stats::sprt::Sprt;
    use crate::tally::Tally;

    #[test]
    fn the_progress_has_an_estimate_of_the_time_left() {
        let mut tally = Tally::new(&["A".to_owned(), "B".to_owned()]);
        for id in 0..37 {
            tally.add(&GameRecord::of_result(id, [0, 1], GameScore::Draw, EndKind::FullBoard));
        }
        // Since the start, 30 games took 5 minutes, and 83 are left.
        let state = RunState { tally, test: None, games: 120, may_grow: false, played_now: 30 };
        let text = progress(&state, Duration::from_secs(300));
        assert_eq!(text, "game 37 of 120, 360 an hour, 13:50 to go");
        let knockout = RunState { may_grow: true, ..state };
        let text = progress(&knockout, Duration::from_secs(300));
        assert!(text.starts_with("game 37 of at least 120, 360 an hour"), "{text}");
    }

    #[test]
    fn a_sequential_test_has_one_from_the_way_of_its_llr() {
        let mut test = TestProgress::new(Sprt::default(), false);
        let tally = Tally::new(&["A".to_owned(), "B".to_owned()]);
        let state = |test| RunState {
            tally: tally.clone(),
            test,
            games: 1000,
            may_grow: false,
            played_now: 30,
        };
        let said =
            |test: &TestProgress| progress(&state(Some(test.clone())), Duration::from_secs(300));
        assert!(!said(&test).contains(" to "), "{}", said(&test));
        (test.next_pair, test.llr) = (15, 0.5 * test.test.bounds()[1]);
        assert!(said(&test).contains(", about 5:00 to a decision, LLR "), "{}", said(&test));
        test.llr = 1e-9;
        assert!(said(&test).contains(", about 2:46:40 to a decision"), "{}", said(&test));
    }

    #[test]
    fn clocks_are_short() {
        assert_eq!(clock(9_560), "9.5");
        assert_eq!(clock(123_000), "2:03");
        assert_eq!(clock(3_723_000), "1:02:03");
        assert_eq!(clock(-5), "0.0");
        assert_eq!((span(59), span(60)), ("59 s".to_owned(), "1:00".to_owned()));
    }
}
