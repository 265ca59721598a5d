//! An evaluation file: the weights of every rule, as bytes.
//!
//! ```text
//!  0.. 8  "TENGENEV"
//!  8      version of the format: 2
//!  9      how many sets of weights follow
//! 10..12  bytes of the text, little-endian
//! 12..    a text in UTF-8: what the weights were fitted to
//!  ..     each set of weights: its rule, its side, how many rows its net has, its numbers
//!  .. 4   CRC-32 of everything before, little-endian
//! ```
//!
//! A rule takes a byte: 0 for every rule that has no weights of its own, 1 freestyle, 2 standard,
//! 3 renju, 4 caro, 5 caro without overlines. Without its own, the last has those of caro. A side
//! takes a byte: 0 for both, 1 for the first player, 2 for the second. A net has 256 rows, by pair of
//! shapes, or 1,653, by window; both sides of a rule have as many. This number, then the numbers as in
//! [`SideWeights`], take two bytes each, little-endian.
//!
//! It knows no board and no search.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::sync::LazyLock;

use tengen_engine::Side;
use thiserror::Error;

use super::Rule;
use super::net::{PAIRS, WINDOWS};
use super::side_weights::SideWeights;

const MAGIC: [u8; 8] = *b"TENGENEV";
const VERSION: u8 = 2;
const SETS_AT: usize = 9;
const TEXT_AT: usize = 12;
const SUM: usize = 4;
/// Bytes of a set of weights before its numbers: rule, side and rows.
const SET_HEAD: usize = 4;

/// The most bytes that an evaluation file can have.
const MAX_BYTES: usize = TEXT_AT + u16::MAX as usize + u8::MAX as usize * set_bytes(WINDOWS) + SUM;

/// Returns how many bytes a set of weights has, whose net has so many rows.
const fn set_bytes(rows: usize) -> usize {
    SET_HEAD + 2 * SideWeights::count(rows)
}

/// Why bytes are no evaluation file.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum EvalFileError {
    /// The file does not begin as an evaluation file does.
    #[error("not an evaluation file")]
    NoEvalFile,
    /// The file has another version.
    #[error("version {0} of the format of evaluation files is not known, only version 2 is")]
    Version(u8),
    /// Something in the file was changed.
    #[error("the evaluation file is damaged: its checksum is wrong")]
    Checksum,
    /// The file is too short or too long for what it holds.
    #[error("the evaluation file has the wrong length")]
    Length,
    /// A rule or a side in the file has an unknown number, or the text is not UTF-8.
    #[error(
        "the evaluation file names a rule or a side that is not known, or its text is not UTF-8"
    )]
    Content,
    /// A net has a number of rows that is not known.
    #[error("a net in the evaluation file has {0} rows; it can have 256 or 1653")]
    Rows(usize),
    /// The nets of the two sides of a rule have different numbers of rows.
    #[error("the evaluation file has different numbers of rows for the sides of this rule: {}", .0.words())]
    UnlikeSides(Rule),
    /// A number is too large for the evaluation's arithmetic.
    #[error("a number in the evaluation file is too large")]
    TooLarge,
    /// A rule has no weights.
    #[error("the evaluation file has no weights for this rule: {}", .0.words())]
    NoWeights(Rule),
}

/// Why a file gives no weights.
#[derive(Debug, Error)]
pub(super) enum LoadError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] io::Error),
    /// The path is a folder, a pipe or a device, whose end may never come.
    #[error("not a regular file")]
    Special,
    /// The content is no evaluation file.
    #[error(transparent)]
    Content(#[from] EvalFileError),
}

/// Reads an evaluation file. Reading stops one byte after the length of the longest, since a longer
/// file is none.
pub(super) fn load(path: &Path) -> Result<EvalFile, LoadError> {
    if !fs::metadata(path)?.is_file() {
        return Err(LoadError::Special);
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(EvalFile::read(&bytes)?)
}

/// What weights are for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WeightScope {
    /// The rule; `None` for every rule that has no weights of its own.
    pub rule: Option<Rule>,
    /// The side; `None` for both.
    pub side: Option<Side>,
}

impl WeightScope {
    /// Every rule and side that has no weights of its own.
    pub const ANY: Self = Self { rule: None, side: None };

    fn to_bytes(self) -> [u8; 2] {
        let rule = |rule| Rule::ALL.iter().position(|&known| known == rule).map_or(0, |at| at + 1);
        let side = |side: Side| side.index() + 1;
        // Each is at most 5.
        [self.rule.map_or(0, rule) as u8, self.side.map_or(0, side) as u8]
    }

    fn from_bytes([rule, side]: [u8; 2]) -> Option<Self> {
        let rule = match rule.checked_sub(1) {
            None => None,
            Some(place) => Some(*Rule::ALL.get(usize::from(place))?),
        };
        let side = match side.checked_sub(1) {
            None => None,
            Some(place) => Some(*[Side::First, Side::Second].get(usize::from(place))?),
        };
        Some(Self { rule, side })
    }
}

/// The weights of every rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EvalFile {
    text: String,
    sets: Vec<(WeightScope, SideWeights)>,
    /// By rule and side to move, the place of the weights in `sets`.
    places: [[usize; 2]; Rule::ALL.len()],
    checksum: u32,
}

impl EvalFile {
    /// Returns a file of these weights. `text`: what they were fitted to, at most 65,535 bytes.
    pub fn new(text: &str, sets: Vec<(WeightScope, SideWeights)>) -> Result<Self, EvalFileError> {
        let too_long = text.len() > usize::from(u16::MAX) || sets.len() > usize::from(u8::MAX);
        if too_long {
            return Err(EvalFileError::Length);
        }
        let places = places(&sets)?;
        let mut file = Self { text: text.to_owned(), sets, places, checksum: 0 };
        file.checksum = crc32fast::hash(&file.body());
        Ok(file)
    }

    /// Returns the weights that come with the program.
    pub fn built_in() -> &'static Self {
        static BUILT_IN: LazyLock<EvalFile> = LazyLock::new(|| {
            EvalFile::read(include_bytes!("../../nets/gomoku.net"))
                .expect("a test reads the file that comes with the program")
        });
        &BUILT_IN
    }

    /// Reads the bytes of a file.
    pub fn read(bytes: &[u8]) -> Result<Self, EvalFileError> {
        if bytes.len() < TEXT_AT + SUM || bytes[..8] != MAGIC {
            return Err(EvalFileError::NoEvalFile);
        }
        if bytes[8] != VERSION {
            return Err(EvalFileError::Version(bytes[8]));
        }
        let (body, sum) = bytes.split_last_chunk::<SUM>().ok_or(EvalFileError::Length)?;
        let checksum = crc32fast::hash(body);
        if checksum.to_le_bytes() != *sum {
            return Err(EvalFileError::Checksum);
        }
        let text_length = usize::from(u16::from_le_bytes([body[SETS_AT + 1], body[SETS_AT + 2]]));
        let sets_at = TEXT_AT + text_length;
        let text = body.get(TEXT_AT..sets_at).ok_or(EvalFileError::Length)?;
        let text = str::from_utf8(text).map_err(|_| EvalFileError::Content)?;
        let mut left = &body[sets_at..];
        let mut sets = Vec::new();
        for _ in 0..body[SETS_AT] {
            let (set, rest) = read_set(left)?;
            sets.push(set);
            left = rest;
        }
        if !left.is_empty() {
            return Err(EvalFileError::Length);
        }
        Ok(Self { text: text.to_owned(), places: places(&sets)?, sets, checksum })
    }

    /// Returns the bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.body();
        bytes.extend(self.checksum.to_le_bytes());
        bytes
    }

    /// Returns what the weights were fitted to.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the CRC-32 of the file's content, which tells files apart.
    pub fn checksum(&self) -> u32 {
        self.checksum
    }

    /// Returns the sets of weights, each with what it is for.
    pub fn sets(&self) -> &[(WeightScope, SideWeights)] {
        &self.sets
    }

    /// Returns the weights of `side` under `rule`.
    pub fn weights(&self, rule: Rule, side: Side) -> &SideWeights {
        &self.sets[self.places[rule as usize][side.index()]].1
    }

    /// Returns all bytes but the checksum.
    fn body(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        // Their number and the text's length were checked.
        bytes.extend([VERSION, self.sets.len() as u8]);
        bytes.extend((self.text.len() as u16).to_le_bytes());
        bytes.extend(self.text.as_bytes());
        for (scope, weights) in &self.sets {
            bytes.extend(scope.to_bytes());
            bytes.extend((weights.net.rows.len() as u16).to_le_bytes());
            bytes.extend(weights.iter().flat_map(i16::to_le_bytes));
        }
        bytes
    }
}

/// Returns an error unless a net can have so many rows.
fn check_rows(rows: usize) -> Result<(), EvalFileError> {
    if [PAIRS, WINDOWS].contains(&rows) { Ok(()) } else { Err(EvalFileError::Rows(rows)) }
}

/// Reads a set of weights from the beginning of `bytes`. Returns it and the bytes after it.
fn read_set(bytes: &[u8]) -> Result<((WeightScope, SideWeights), &[u8]), EvalFileError> {
    let (head, _) = bytes.split_first_chunk::<SET_HEAD>().ok_or(EvalFileError::Length)?;
    let [rule, side, low, high] = *head;
    let rows = usize::from(u16::from_le_bytes([low, high]));
    check_rows(rows)?;
    let (set, rest) = bytes.split_at_checked(set_bytes(rows)).ok_or(EvalFileError::Length)?;
    let scope = WeightScope::from_bytes([rule, side]).ok_or(EvalFileError::Content)?;
    let numbers = set[SET_HEAD..].chunks_exact(2).map(|two| i16::from_le_bytes([two[0], two[1]]));
    Ok(((scope, SideWeights::from_all(rows, numbers)), rest))
}

/// Returns, by rule and side to move, the place of the weights, its own before the common one. An error
/// says what keeps them from use.
fn places(
    sets: &[(WeightScope, SideWeights)],
) -> Result<[[usize; 2]; Rule::ALL.len()], EvalFileError> {
    sets.iter().try_for_each(|(_, weights)| check_rows(weights.net.rows.len()))?;
    if !sets.iter().all(|(_, weights)| weights.is_in_range()) {
        return Err(EvalFileError::TooLarge);
    }
    let find = |rule: Option<Rule>, side: Option<Side>| {
        sets.iter().position(|(scope, _)| *scope == WeightScope { rule, side })
    };
    let mut places = [[0; 2]; Rule::ALL.len()];
    for rule in Rule::ALL {
        for side in [Side::First, Side::Second] {
            let alike = if rule == Rule::CaroExact { Rule::Caro } else { rule };
            let mut rules = [Some(rule), Some(alike), None].into_iter();
            let place = rules.find_map(|rule| find(rule, Some(side)).or_else(|| find(rule, None)));
            places[rule as usize][side.index()] = place.ok_or(EvalFileError::NoWeights(rule))?;
        }
        let [first, second] = places[rule as usize].map(|place| sets[place].1.net.rows.len());
        if first != second {
            return Err(EvalFileError::UnlikeSides(rule));
        }
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use tengen_engine::{Evaluator, Game};

    use super::super::net::CHANNELS;
    use super::super::{Board, GomokuEvaluator};
    use super::*;

    fn built_in() -> Vec<u8> {
        EvalFile::built_in().to_bytes()
    }

    /// Returns the bytes with the checksum that their content asks for.
    fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
        let end = bytes.len() - SUM;
        let sum = crc32fast::hash(&bytes[..end]);
        bytes[end..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    #[test]
    fn what_is_written_is_read_again() {
        assert_eq!(EvalFile::read(&built_in()).as_ref(), Ok(EvalFile::built_in()));
        assert!(EvalFile::built_in().text().starts_with("every rule, tables: "));
    }

    #[test]
    fn damage_anywhere_is_found() {
        let bytes = built_in();
        for at in [0, 7, 8, SETS_AT, TEXT_AT, bytes.len() / 2, bytes.len() - 1] {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0x40;
            let expected = match at {
                0..8 => EvalFileError::NoEvalFile,
                8 => EvalFileError::Version(VERSION ^ 0x40),
                _ => EvalFileError::Checksum,
            };
            assert_eq!(EvalFile::read(&bytes), Err(expected), "{at}");
        }
        for length in [0, 8, TEXT_AT, bytes.len() - 1] {
            assert!(EvalFile::read(&bytes[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn content_that_makes_no_weights_is_refused() {
        let changed = |at: usize, byte: u8| {
            let mut bytes = built_in();
            bytes[at] = byte;
            EvalFile::read(&sealed(bytes))
        };
        let first_set = TEXT_AT + EvalFile::built_in().text().len();
        assert_eq!(changed(SETS_AT, 77), Err(EvalFileError::Length));
        assert_eq!(changed(TEXT_AT, 0xFF), Err(EvalFileError::Content));
        assert_eq!(changed(first_set, 6), Err(EvalFileError::Content));
        assert_eq!(changed(first_set + 1, 3), Err(EvalFileError::Content));
        // The high byte of the number of rows, and that of the first number.
        assert!(matches!(changed(first_set + 3, 0x7F), Err(EvalFileError::Rows(0x7F00..0x8000))));
        assert_eq!(changed(first_set + SET_HEAD + 1, 0x7F), Err(EvalFileError::TooLarge));
    }

    #[test]
    fn each_rule_and_side_has_its_own_weights_or_the_common_ones() {
        let weights = |mark: i16| {
            let mut weights = EvalFile::built_in().weights(Rule::Freestyle, Side::First).clone();
            weights.situations[0] = mark;
            weights
        };
        let scope = |rule, side| WeightScope { rule: Some(rule), side };
        let sets = vec![
            (WeightScope::ANY, weights(1)),
            (scope(Rule::Renju, Some(Side::First)), weights(2)),
            (scope(Rule::Caro, None), weights(3)),
        ];
        let file = EvalFile::new("three sets", sets.clone()).unwrap();
        let file = EvalFile::read(&file.to_bytes()).unwrap();
        assert_eq!((file.text(), file.sets()), ("three sets", &sets[..]));
        let marks =
            |rule| [Side::First, Side::Second].map(|side| file.weights(rule, side).situations[0]);
        assert_eq!(marks(Rule::Freestyle), [1, 1]);
        assert_eq!(marks(Rule::Renju), [2, 1]);
        assert_eq!(marks(Rule::Caro), [3, 3]);
        assert_eq!(marks(Rule::CaroExact), [3, 3]);
        let lacks = EvalFile::new("", sets[1..].to_vec()).unwrap_err();
        assert_eq!(lacks, EvalFileError::NoWeights(Rule::Freestyle));
        let words = "the evaluation file has no weights for this rule: 5 in a row";
        assert_eq!(lacks.to_string(), words);
    }

    #[test]
    fn both_sides_of_a_rule_have_nets_of_one_kind() {
        let with_rows = |rows| {
            let mut weights = EvalFile::built_in().weights(Rule::Renju, Side::First).clone();
            weights.net.rows = vec![[0; CHANNELS]; rows];
            weights
        };
        let [of_pairs, of_windows] = [PAIRS, WINDOWS].map(with_rows);
        let first = WeightScope { rule: Some(Rule::Renju), side: Some(Side::First) };
        let sets = vec![(WeightScope::ANY, of_windows), (first, of_pairs)];
        let refused = EvalFile::new("", sets).unwrap_err();
        assert_eq!(refused, EvalFileError::UnlikeSides(Rule::Renju));
        let odd = vec![(WeightScope::ANY, with_rows(PAIRS - 1))];
        let too_few = EvalFile::new("", odd).unwrap_err();
        assert_eq!(too_few, EvalFileError::Rows(PAIRS - 1));
        let words =
            "the evaluation file has different numbers of rows for the sides of this rule: renju";
        assert_eq!(refused.to_string(), words);
    }

    #[test]
    fn other_weights_change_the_evaluation_of_their_side_only() {
        let start = Board::new(Rule::Renju, 15, 15).unwrap();
        let file = EvalFile::built_in();
        let mut weights = file.weights(Rule::Renju, Side::First).clone();
        weights.situations.iter_mut().for_each(|value| *value += 50);
        let first = WeightScope { rule: Some(Rule::Renju), side: Some(Side::First) };
        let kept = file.sets().iter().filter(|(scope, _)| *scope != first).cloned();
        let changed = EvalFile::new("", kept.chain([(first, weights)]).collect()).unwrap();
        let mut evaluator = GomokuEvaluator::new(&start);
        let mut values = |file: Option<&EvalFile>| {
            match file {
                Some(file) => evaluator.use_eval_file(file, "changed"),
                None => evaluator.open_eval_file(None).unwrap(),
            }
            let mut board = start.clone();
            [7, 8, 9].map(|column| {
                board.play(board.grid().cell(column, 7));
                evaluator.reset(&board);
                evaluator.evaluate(&board).raw()
            })
        };
        let before = values(None);
        // The first player is to move after the second stone.
        assert_eq!(values(Some(&changed)), [before[0], before[1] + 50, before[2]]);
        assert_eq!(values(None), before);
    }
}
