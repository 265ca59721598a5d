//! Games in PGN.

use std::fmt::Write;

use super::cells::wrap_words;
use super::{Caption, seconds};
use crate::record::{GameRecord, MoveNote};

/// The maximum length of a line of movetext, in characters.
const WIDTH: usize = 80;

/// Writes a game, followed by a blank line.
pub fn game(record: &GameRecord, caption: &Caption) -> String {
    let mut out = String::new();
    let mut tag = |name: &str, value: &str| {
        // A write to a string cannot fail.
        let _ = writeln!(out, "[{name} \"{}\"]", escaped(value));
    };
    let [first, second] = record.players.map(|player| caption.names[player].as_str());
    tag("Event", &caption.event);
    tag("Site", &caption.site);
    tag("Date", &record.started.get(..10).unwrap_or("????.??.??").replace('-', "."));
    tag("Round", &(record.round + 1).to_string());
    tag("White", first);
    tag("Black", second);
    tag("Result", record.score.text());
    tag("Variant", &caption.variant);
    if let Some(grid) = caption.grid.map(|notation| notation.grid()) {
        tag("BoardSize", &format!("{}x{}", grid.width(), grid.height()));
    }
    tag("GameId", &record.id.to_string());
    if let Some(start) = &record.start {
        tag("SetUp", "1");
        tag("FEN", start);
    }
    let [one, other] = record.players.map(|player| caption.times[player].as_str());
    if one == other {
        tag("TimeControl", one);
    } else {
        tag("WhiteTimeControl", one);
        tag("BlackTimeControl", other);
    }
    if let Some(scale) = record.clock_scale {
        tag("ClockScale", &scale.to_string());
    }
    if let Some(name) = &record.opened.name {
        tag("Opening", name);
    }
    if let Some(rule) = &record.opened.rule {
        tag("OpeningRule", rule);
        tag("OpeningActs", &record.opened.acts.join(" "));
        tag("OpeningCourse", &record.opened.course.join("; "));
    }
    tag("PlyCount", &record.moves.len().to_string());
    tag("Termination", record.end.kind.termination());
    let words = words(record);
    let lines = wrap_words(words.iter().map(String::as_str), WIDTH);
    format!("{out}\n{}\n\n", lines.join("\n"))
}

/// Returns the words of the movetext. A comment is one word.
fn words(record: &GameRecord) -> Vec<String> {
    let offset = usize::from(record.first_to_note() != record.opening_plies % 2);
    let mut words = Vec::new();
    for (ply, mv) in record.moves.iter().enumerate() {
        let count = offset + ply;
        if count.is_multiple_of(2) {
            words.push(format!("{}.", count / 2 + 1));
        } else if ply == 0 {
            words.push(format!("{}...", count / 2 + 1));
        }
        words.push(mv.clone());
        match ply.checked_sub(record.opening_plies) {
            None => words.push("{book}".to_owned()),
            Some(place) => words.extend(record.notes.get(place).map(comment)),
        }
    }
    words.push(format!("{{{}}}", record.end.text.replace(['{', '}'], "")));
    words.push(record.score.text().to_owned());
    words
}

/// Writes the comment of a move, such as `{+0.30/12 0.512s sd=20 n=81234 nps=158660 tl=29.488s}`.
fn comment(note: &MoveNote) -> String {
    let mut parts = Vec::new();
    if let Some(score) = &note.said.score {
        let depth = note.said.depth.map_or(String::new(), |depth| format!("/{depth}"));
        parts.push(format!("{score}{depth}"));
    }
    parts.push(format!("{}s", seconds(note.micros)));
    parts.extend(note.said.seldepth.map(|depth| format!("sd={depth}")));
    parts.extend(note.said.nodes.map(|nodes| format!("n={nodes}")));
    let speed =
        note.said.nodes.and_then(|nodes| nodes.saturating_mul(1_000_000).checked_div(note.micros));
    parts.extend(speed.map(|speed| format!("nps={speed}")));
    let left = |millis: i64| format!("tl={:.3}s", millis as f64 / 1000.0);
    parts.extend(note.left_millis.map(left));
    format!("{{{}}}", parts.join(" "))
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"")
}
