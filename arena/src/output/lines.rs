//! The lines that are printed during a run. They can have the formats of fastchess and Cute Chess,
//! for scripts that read them.

use super::Caption;
use crate::config::OutputFormat;
use crate::record::{EndKind, GameRecord};
use crate::stats::elo::{Measured, measured};
use crate::stats::sprt::Hypothesis;
use crate::tally::{Tally, TestProgress, Wdl};

/// Returns `Finished game 12 (A vs B): 1-0 {A completes a line}`. The line of a finished game
/// begins with this text in all formats.
pub fn finished(record: &GameRecord, caption: &Caption) -> String {
    let [first, second] = record.players.map(|player| caption.names[player].as_str());
    let (number, score) = (record.id + 1, record.score.text());
    format!("Finished game {number} ({first} vs {second}): {score} {{{}}}", reason(record, caption))
}

/// Returns the end of a game, with the name of the player that it concerns.
fn reason(record: &GameRecord, caption: &Caption) -> String {
    let winner = record.score.winner();
    let name = |side: usize| caption.names[record.players[side]].as_str();
    let text = &record.end.text;
    match (winner, record.end.kind) {
        (Some(winner), EndKind::Line) if text.ends_with("loses") => {
            format!("{} {text}", name(1 - winner))
        }
        (Some(winner), EndKind::Line) => format!("{} {text}", name(winner)),
        (_, EndKind::Proof) => text.clone(),
        (Some(winner), kind) if kind.is_failure() && text.starts_with(name(1 - winner)) => {
            text.clone()
        }
        (Some(winner), _) => format!("{}: {text}", name(1 - winner)),
        (None, _) => text.clone(),
    }
}

/// Writes the line at the start of a game; `None` if the format has none. `all` is the number of
/// all games, if it is known.
pub fn started(
    format: OutputFormat,
    id: u64,
    all: Option<u64>,
    players: [usize; 2],
    caption: &Caption,
) -> Option<String> {
    if format == OutputFormat::Tengen {
        return None;
    }
    let [first, second] = players.map(|player| caption.names[player].as_str());
    let all = all.map_or_else(|| "?".to_owned(), |all| all.to_string());
    Some(format!("Started game {} of {all} ({first} vs {second})", id + 1))
}

/// Writes the score of a match of two players in the format of another match runner.
pub fn score(
    format: OutputFormat,
    tally: &Tally,
    progress: Option<&TestProgress>,
    caption: &Caption,
) -> Vec<String> {
    match format {
        OutputFormat::Tengen => Vec::new(),
        OutputFormat::Cutechess => cutechess(tally, progress),
        OutputFormat::Fastchess => fastchess(tally, progress, caption),
    }
}

fn cutechess(tally: &Tally, progress: Option<&TestProgress>) -> Vec<String> {
    let [one, other] = [&tally.players[0], &tally.players[1]];
    let (games, Wdl { wins, draws, losses }) = (one.all.games(), one.all);
    let found = measured(&one.results());
    let ([elo, elo_error], los) = (elo_and_error(&found), found.los);
    let (names, score) = (format!("{} vs {}", one.name, other.name), one.all.score());
    let (los, draw_ratio) = (100.0 * los, percent(draws, games));
    let mut lines = vec![
        format!("Score of {names}: {wins} - {losses} - {draws}  [{score:.3}] {games}"),
        format!(
            "Elo difference: {elo:.1} +/- {elo_error:.1}, LOS: {los:.1} %, DrawRatio: {draw_ratio:.1} %"
        ),
    ];
    if let Some(progress) = progress {
        let [low, high] = progress.test.bounds();
        let decision = match progress.decision {
            Some((Hypothesis::H1, _)) => " - H1 was accepted",
            Some((Hypothesis::H0, _)) => " - H0 was accepted",
            None => "",
        };
        let share = 100.0 * progress.llr / if progress.llr < 0.0 { -low } else { high };
        lines.push(format!(
            "SPRT: llr {:.2} ({share:.1}%), lbound {low:.2}, ubound {high:.2}{decision}",
            progress.llr
        ));
    }
    lines
}

/// Returns Elo and its error, as other match runners print them. An error that the results do not
/// determine is infinite. Without a game, and if all is open, Elo is 0.
fn elo_and_error(found: &Measured) -> [f64; 2] {
    let [low, high] = found.interval;
    let open = match (low.is_finite(), high.is_finite()) {
        (true, false) => f64::INFINITY,
        (false, true) => f64::NEG_INFINITY,
        _ => 0.0,
    };
    [found.elo.unwrap_or(open), found.error.unwrap_or(f64::INFINITY)]
}

/// Returns the percentage of `part` in `all`; 0 if `all` is 0.
fn percent(part: u64, all: u64) -> f64 {
    if all == 0 { 0.0 } else { 100.0 * part as f64 / all as f64 }
}

fn fastchess(tally: &Tally, progress: Option<&TestProgress>, caption: &Caption) -> Vec<String> {
    const RULE: &str = "--------------------------------------------------";
    let [one, other] = [&tally.players[0], &tally.players[1]];
    let (games, Wdl { wins, draws, losses }) = (one.all.games(), one.all);
    let found = measured(&one.results());
    let ([elo, elo_error], los) = (elo_and_error(&found), found.los);
    let [nelo, nelo_error] = found.nelo.unwrap_or([elo, f64::INFINITY]);
    let [ll, ld, dd, wd, ww] = one.pairs;
    let ratio = |won: u64, lost: u64| match (won, lost) {
        (0, 0) => 1.0,
        (won, lost) => won as f64 / lost as f64,
    };
    let (los, draw_ratio) = (100.0 * los, percent(draws, games));
    let (points, score) = (one.all.half_points() as f64 / 2.0, 100.0 * one.all.score());
    let mut lines = vec![
        RULE.to_owned(),
        format!(
            "Results of {} vs {} ({}, {}):",
            one.name, other.name, caption.times[0], caption.variant
        ),
        format!("Elo: {elo:.2} +/- {elo_error:.2}, nElo: {nelo:.2} +/- {nelo_error:.2}"),
        format!(
            "LOS: {los:.2} %, DrawRatio: {draw_ratio:.2} %, PairsRatio: {:.2}",
            ratio(wd + ww, ll + ld)
        ),
        format!(
            "Games: {games}, Wins: {wins}, Losses: {losses}, Draws: {draws}, Points: {points:.1} ({score:.2} %)"
        ),
        format!(
            "Ptnml(0-2): [{ll}, {ld}, {dd}, {wd}, {ww}], WL/DD Ratio: {:.2}",
            ratio(one.split_pairs, dd - one.split_pairs)
        ),
    ];
    if let Some(progress) = progress {
        let ([low, high], [elo0, elo1]) = (progress.test.bounds(), progress.test.elo);
        let share = 100.0 * progress.llr / if progress.llr < 0.0 { -low } else { high };
        lines.push(format!(
            "LLR: {:.2} ({share:.1}%) ({low:.2}, {high:.2}) [{elo0:.2}, {elo1:.2}]",
            progress.llr
        ));
    }
    lines.push(RULE.to_owned());
    lines
}
