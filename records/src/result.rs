//! Results of games, as people and programs write them.

use tengen_engine::{Cell, Grid, Outcome, Point, Side};

use crate::fault::{Fault, FaultKind};
use crate::tree::Record;

/// The beginnings of words for a win of the first player, a win of the second player, and a draw, in
/// lower case.
const WORDS: [(Outcome, &str); 3] = [
    (
        Outcome::Win(Side::First),
        "b+ black schwarz noir negras \u{9ed1} \u{9ed2} \u{d751} \u{447}\u{435}\u{440}\u{43d} \u{447}\u{451}\u{440}\u{43d}",
    ),
    (
        Outcome::Win(Side::Second),
        "w+ white weiss wei\u{df} blanc \u{767d} \u{bc31} \u{431}\u{435}\u{43b}",
    ),
    (
        Outcome::Draw,
        "draw drawn jigo tie remis unentschieden nulle tablas \u{548c} \u{5e73} \u{5f15}\u{304d}\u{5206}\u{3051} \u{6301}\u{7881} \u{bb34}\u{c2b9}\u{bd80} \u{43d}\u{438}\u{447}\u{44c}\u{44f}",
    ),
];

/// Words for a loss. "Black loses" is no win of Black, and not read.
const LOSSES: [&str; 7] = ["lose", "loss", "lost", "\u{8d1f}", "\u{8ca0}", "\u{8f93}", "\u{8f38}"];

/// Texts that mean "result unknown".
const UNKNOWN: [&str; 5] = ["", "?", "*", "void", "-"];

/// The number of stones in a row that win.
const FIVE: usize = 5;

/// The greatest number of words of a pair of points: `1 - 0`.
const PAIR: usize = 3;

/// Returns the result that a text names; `None` if it names none. Of a pair of points such as `1-0`,
/// the first number is that of the player who moves first.
pub fn outcome_of(text: &str) -> Option<Outcome> {
    let text = text.trim().to_lowercase();
    if matches!(text.as_str(), "0" | "1/2" | "\u{bd}") {
        return Some(Outcome::Draw);
    }
    pair(&text).or_else(|| {
        let begins = |words: &str| words.split(' ').any(|word| text.starts_with(word));
        let is_lost = LOSSES.iter().any(|word| text.contains(word));
        let found = WORDS.into_iter().find(|(_, words)| begins(words) && !is_lost);
        found.map(|(outcome, _)| outcome)
    })
}

/// Returns the result of a pair of points: `1-0`, `0 : 1`, `0.5-0.5`, `1/2\u{2013}1/2`.
fn pair(text: &str) -> Option<Outcome> {
    let text: String = text.split_whitespace().collect();
    let is_between =
        |c: char| "-:\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2212}\u{ff0d}\u{ff1a}".contains(c);
    let (one, other) = text.split_once(is_between)?;
    let points = |text: &str| match text {
        "0" | "\u{ff10}" => Some(0),
        "1/2" | "\u{bd}" | "0.5" | "0,5" | ".5" => Some(1),
        "1" | "\u{ff11}" => Some(2),
        _ => None,
    };
    match (points(one)?, points(other)?) {
        (2, 0) => Some(Outcome::Win(Side::First)),
        (0, 2) => Some(Outcome::Win(Side::Second)),
        (1, 1) => Some(Outcome::Draw),
        _ => None,
    }
}

/// Returns the length in bytes of the result at the beginning of a text, in the moves of a game:
/// a pair of points, half a point, or `*`; `None` if the text does not begin with one. `ends` says
/// which characters end a word.
pub(crate) fn result_length(text: &str, ends: impl Fn(char) -> bool) -> Option<usize> {
    let first = text.split(|c: char| c.is_whitespace() || ends(c)).next().unwrap_or_default();
    // Most words are numbers of moves, and moves.
    if first.ends_with('.') || first.contains(char::is_alphabetic) {
        return None;
    }
    let mut found = None;
    let mut at = 0;
    for number in 0..PAIR {
        let rest = &text[at..];
        let begin = at + rest.len() - rest.trim_start().len();
        let length = text[begin..].find(|c: char| c.is_whitespace() || ends(c));
        at = begin + length.unwrap_or(text.len() - begin);
        if at == begin {
            break;
        }
        let is_alone = number == 0 && matches!(&text[..at], "1/2" | "\u{bd}" | "*");
        if is_alone || pair(&text[..at]).is_some() {
            found = Some(at);
        }
    }
    found
}

/// Returns a line without the result at its end, and this result.
pub(crate) fn without_result(line: &str) -> (&str, Option<&str>) {
    let line = line.trim_end();
    let mut found = (line, None);
    let mut at = line.len();
    for _ in 0..PAIR {
        let before = line[..at].trim_end();
        at = before
            .rfind(char::is_whitespace)
            .map_or(0, |blank| blank + before[blank..].chars().next().map_or(0, char::len_utf8));
        let end = &line[at..];
        if result_length(end, |_| false) == Some(end.len()) {
            found = (&line[..at], Some(end));
        }
        if at == 0 {
            break;
        }
    }
    found
}

/// Returns a result as PGN writes it; `*` for an unknown one.
pub(crate) fn pgn_text(outcome: Option<Outcome>) -> &'static str {
    match outcome {
        Some(Outcome::Win(Side::First)) => "1-0",
        Some(Outcome::Win(Side::Second)) => "0-1",
        Some(Outcome::Draw) => "1/2-1/2",
        Some(Outcome::Value(_)) | None => "*",
    }
}

/// Returns a result as the property `RE`. `how` is a word for how the game ended.
fn sgf_text(outcome: Outcome, how: &str) -> String {
    let how = how.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| how.contains(word));
    let letter = match () {
        () if has(&["time"]) => "T",
        () if has(&["resign"]) => "R",
        () if has(&["rules infraction", "abandoned", "illegal", "forbidden", "crash"]) => "F",
        () => "",
    };
    match outcome {
        Outcome::Win(Side::First) => format!("B+{letter}"),
        Outcome::Win(Side::Second) => format!("W+{letter}"),
        Outcome::Draw | Outcome::Value(_) => "0".to_owned(),
    }
}

/// Returns the side whose last stone completes five or more in a row.
pub(crate) fn winner_of(moves: &[(Side, Point)], grid: Grid) -> Option<Side> {
    let (side, last) = *moves.last()?;
    let last = grid.cell_at(last)?;
    let own = moves.iter().filter(|(mover, _)| *mover == side);
    let own: Vec<Cell> = own.filter_map(|(_, point)| grid.cell_at(*point)).collect();
    let run = |across: i32, up: i32| {
        let steps = (1..).map(|steps| grid.step(last, (across, up), steps));
        steps.take_while(|cell| cell.is_some_and(|cell| own.contains(&cell))).count()
    };
    let directions = [(1, 0), (0, 1), (1, 1), (1, -1)];
    let is_won = |(across, up): (i32, i32)| 1 + run(across, up) + run(-across, -up) >= FIVE;
    directions.into_iter().any(is_won).then_some(side)
}

impl Record {
    /// Returns the result that the record names, property `RE`; `None` if it names none.
    pub fn outcome(&self) -> Option<Outcome> {
        outcome_of(&self.node(self.root()).text("RE")?)
    }

    /// Sets the result. `how` is a word for how the game ended.
    pub(crate) fn set_outcome(&mut self, outcome: Outcome, how: &str) {
        self.root_mut().set("RE", &sgf_text(outcome, how));
    }

    /// Sets the result that a text names. A text that is not known is kept.
    pub(crate) fn set_result(&mut self, text: &str, how: &str) {
        match outcome_of(text) {
            Some(outcome) => self.set_outcome(outcome, how),
            None if UNKNOWN.contains(&text.trim()) => {}
            None => self.root_mut().set("RE", text),
        }
    }

    /// Returns whether the record has a result that is not known.
    pub(crate) fn has_unknown_result(&self) -> bool {
        let text = self.node(self.root()).text("RE").unwrap_or_default();
        !UNKNOWN.contains(&text.to_lowercase().as_str()) && outcome_of(&text).is_none()
    }

    /// Returns a warning if the record has a result that is not known.
    pub(crate) fn result_warning(&self) -> Option<Fault> {
        let value = self.node(self.root()).value("RE").filter(|_| self.has_unknown_result())?;
        Some(Fault::new(value.place(), FaultKind::UnknownResult(value.text().trim().to_owned())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_results_are_read() {
        let first = Some(Outcome::Win(Side::First));
        let second = Some(Outcome::Win(Side::Second));
        for text in
            ["1-0", "1 - 0", "1\u{2013}0", "1:0", "B+", "b+r", "Black wins", "\u{9ed1}\u{80dc}"]
        {
            assert_eq!(outcome_of(text), first, "{text}");
        }
        for text in ["0-1", "0 : 1", "W+T", "W+2.5", "white", "\u{767d}\u{4e2d}\u{76d8}\u{80dc}"] {
            assert_eq!(outcome_of(text), second, "{text}");
        }
        for text in
            ["1/2", "0", "0.5-0.5", "1/2 - 1/2", "\u{bd}-\u{bd}", "Draw", "\u{548c}\u{68cb}"]
        {
            assert_eq!(outcome_of(text), Some(Outcome::Draw), "{text}");
        }
        for text in ["", "?", "Void", "2-0", "1-1", "Black loses", "\u{9ed1}\u{8d1f}", "x"] {
            assert_eq!(outcome_of(text), None, "{text}");
        }
    }

    #[test]
    fn a_result_is_found_among_moves() {
        let ends = |c| c == '{';
        for (text, length) in [
            ("1 - 0 h8", Some(5)),
            ("1-0{a}", Some(3)),
            ("*", Some(1)),
            ("1. h8", None),
            ("", None),
        ] {
            assert_eq!(result_length(text, ends), length, "{text}");
        }
        for (line, rest) in [("h8 i9 1 - 0 ", "h8 i9 "), ("h8 0:1", "h8 "), ("h8 i9", "h8 i9")] {
            assert_eq!(without_result(line).0, rest);
        }
        assert_eq!(without_result("1/2-1/2"), ("", Some("1/2-1/2")));
    }
}
