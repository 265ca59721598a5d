//! The line `RESULT,NAME` that Gomocup writes after the end number of a PSQ file.
//!
//! 0 is a draw. 1 and 2 are the winner, exchanged after an opening with an odd number of stones. So
//! the line of five on the board decides first, then the name of the file, then this number.

use tengen_engine::{Grid, GridNotation, Outcome, Side};

use crate::fault::{Fault, FaultKind, outcome_text};
use crate::line::{MainLine, RecordedMove};
use crate::place::Place;
use crate::result::winner_of;
use crate::tree::Record;

/// Tengen's own property for the whole line, such as `1,Renju_2`.
pub(super) const RESULT: &str = "XR";

/// Words in names of tournaments that stand for rules.
const RULES: [&str; 5] = ["renju", "caro", "standard", "freestyle", "fastgame"];

/// The result of a game, and the name of its tournament.
pub(super) struct GomocupResult {
    line: String,
    number: u8,
    event: String,
    place: Place,
}

impl GomocupResult {
    /// Reads a line such as `1,Freestyle15_1`; `None` for another text.
    pub(super) fn read(text: &str, place: Place) -> Option<Self> {
        let (number, event) = text.split_once(',')?;
        let number = number.trim().parse().ok().filter(|number| *number <= 2)?;
        let event = event.trim().to_owned();
        Some(Self { line: text.to_owned(), number, event, place })
    }

    /// Returns whether a text is such a line.
    pub(super) fn is_line(text: &str) -> bool {
        Self::read(text, Place::START).is_some() && !text.contains('\n')
    }

    /// Writes the result, the tournament and the rules into a record. Returns a warning if the
    /// winner follows from the numbers of the line alone. `name` is the name of the file.
    pub(super) fn write(
        &self,
        record: &mut Record,
        notation: GridNotation,
        name: &str,
    ) -> Option<Fault> {
        let line = record.line(notation).ok();
        let root = record.root_mut();
        root.set(RESULT, &self.line);
        if !self.event.is_empty() {
            root.set("EV", &self.event);
        }
        if let Some(rules) = rules_in(&self.event) {
            root.set("RU", rules);
        }
        if self.number == 0 {
            root.set("RE", result_text(Outcome::Draw));
            return None;
        }
        let on_board = line.as_ref().and_then(|line| winner_on_board(line, notation.grid()));
        let is_win = |outcome: &Outcome| *outcome != Outcome::Draw;
        let certain = on_board.map(Outcome::Win).or_else(|| outcome_in_name(name).filter(is_win));
        let opening = line.map_or(0, |line| opening_length(&line.moves));
        let first = if opening.is_multiple_of(2) { 1 } else { 2 };
        let of_number = if self.number == first { Side::First } else { Side::Second };
        let outcome = certain.unwrap_or(Outcome::Win(of_number));
        root.set("RE", result_text(outcome));
        if certain.is_some() {
            return None;
        }
        let given = format!("the result {} after an opening of {opening} stones", self.number);
        let taken = outcome_text(outcome).to_owned();
        Some(Fault::new(self.place, FaultKind::Reading { given, taken }))
    }
}

/// Returns the word of a name that stands for rules.
fn rules_in(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    let mut words = name.split(|c: char| !c.is_alphabetic());
    words.find_map(|word| RULES.into_iter().find(|rules| *rules == word))
}

/// Returns the result in a file name such as `12_3_4_1.psq`: the last number is 1 for Black, 0 for a draw.
pub(super) fn outcome_in_name(name: &str) -> Option<Outcome> {
    let stem = name.rsplit(['/', '\\']).next()?.strip_suffix(".psq")?;
    let parts: Vec<&str> = stem.split('_').collect();
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit());
    match parts[..] {
        [.., _, _, _, last] if parts.iter().all(is_number) => match last {
            "0" => Some(Outcome::Draw),
            "1" => Some(Outcome::Win(Side::First)),
            "2" => Some(Outcome::Win(Side::Second)),
            _ => None,
        },
        _ => None,
    }
}

/// Returns a result as SGF writes it.
pub(super) fn result_text(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win(Side::First) => "B+",
        Outcome::Win(Side::Second) => "W+",
        _ => "0",
    }
}

/// Returns the number of stones of the opening: the first moves without a time.
fn opening_length(moves: &[RecordedMove]) -> usize {
    moves.iter().take_while(|played| played.time.is_none()).count()
}

/// Returns the side whose last stone completes five or more in a row.
fn winner_on_board(line: &MainLine, grid: Grid) -> Option<Side> {
    let moves: Vec<_> = line.moves.iter().map(|played| (played.side, played.point)).collect();
    winner_of(&moves, grid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_has_the_result() {
        for (name, outcome) in [
            ("12_3_4_1.psq", Some(Outcome::Win(Side::First))),
            ("games/12_3_4_2.psq", Some(Outcome::Win(Side::Second))),
            ("12_3_4_0.psq", Some(Outcome::Draw)),
            ("12_3_4_7.psq", None),
            ("3_4_1.psq", None),
            ("a_3_4_1.psq", None),
        ] {
            assert_eq!(outcome_in_name(name), outcome, "{name}");
            let options = crate::ReadOptions::new().named(name);
            let games = crate::read(b"Piskvorky 15x15, 11:11, 0\n8,8,0\n9,9,0\n", &options);
            let record = games.unwrap().into_records().remove(0);
            let text = record.node(record.root()).text("RE");
            assert_eq!(text.as_deref(), outcome.map(result_text), "{name}");
        }
    }
}
