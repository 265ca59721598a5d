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
            root.set("RE", "0");
            return None;
        }
        let on_board = line.as_ref().and_then(|line| winner_on_board(line, notation.grid()));
        let certain = on_board.or_else(|| winner_in_name(name));
        let opening = line.map_or(0, |line| opening_length(&line.moves));
        let first = if opening.is_multiple_of(2) { 1 } else { 2 };
        let winner =
            certain.unwrap_or(if self.number == first { Side::First } else { Side::Second });
        let letter = if winner == Side::First { 'B' } else { 'W' };
        root.set("RE", &format!("{letter}+"));
        if certain.is_some() {
            return None;
        }
        let given = format!("the result {} after an opening of {opening} stones", self.number);
        let taken = outcome_text(Outcome::Win(winner)).to_owned();
        Some(Fault::new(self.place, FaultKind::Reading { given, taken }))
    }
}

/// Returns the word of a name that stands for rules.
fn rules_in(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    let mut words = name.split(|c: char| !c.is_alphabetic());
    words.find_map(|word| RULES.into_iter().find(|rules| *rules == word))
}

/// Returns the winner in a file name such as `12_3_4_1.psq`: the last number is 1 for Black.
fn winner_in_name(name: &str) -> Option<Side> {
    let stem = name.rsplit(['/', '\\']).next()?.strip_suffix(".psq")?;
    let parts: Vec<&str> = stem.split('_').collect();
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit());
    match parts[..] {
        [.., _, _, _, last] if parts.iter().all(is_number) => match last {
            "1" => Some(Side::First),
            "2" => Some(Side::Second),
            _ => None,
        },
        _ => None,
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
