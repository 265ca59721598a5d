//! The file format of an evaluation file: the weights of every rule.
//!
//! ```text
//!  0.. 8  "TENGENEV"
//!  8      version of the format: 2
//!  9      the number of sets of weights
//! 10..12  the length of the text in bytes, little-endian
//! 12..    a text in UTF-8: what the weights were fitted to
//!  ..     each set of weights: its rule, its side, the number of rows of its net, its numbers
//!  .. 4   CRC-32 of everything before, little-endian
//! ```
//!
//! A rule is a byte: 0 for every rule without weights of its own, 1 freestyle, 2 standard, 3 renju,
//! 4 caro, 5 caro without overlines (which falls back to the weights of caro). A side is a byte: 0
//! for both, 1 for the first player, 2 for the second. A net has 256 rows, one for each pair of
//! shapes, or 1,653, one for each window; both sides of a rule have the same number. This number,
//! then the numbers of [`SideWeights`] in their order, take two bytes each, little-endian.
//!
//! This file does not depend on a board or a search.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::sync::LazyLock;

use tengen_engine::Side;
use thiserror::Error;

use crate::gomoku::Rule;
use crate::gomoku::eval::net::{PAIRS, WINDOWS};
use crate::gomoku::eval::side_weights::SideWeights;

const MAGIC: [u8; 8] = *b"TENGENEV";
const VERSION: u8 = 2;
const SETS_AT: usize = 9;
const TEXT_AT: usize = 12;
const CHECKSUM_LEN: usize = 4;
/// The length in bytes of a set of weights before its numbers: rule, side and rows.
const SET_HEADER_LEN: usize = 4;

/// The maximum length of an evaluation file, in bytes.
const MAX_BYTES: usize =
    TEXT_AT + u16::MAX as usize + u8::MAX as usize * set_bytes(WINDOWS) + CHECKSUM_LEN;

/// Returns the length in bytes of a set of weights whose net has `rows` rows.
const fn set_bytes(rows: usize) -> usize {
    SET_HEADER_LEN + 2 * SideWeights::count(rows)
}

/// The error of bytes that are not an evaluation file.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum EvalFileError {
    /// The file does not begin with the header of an evaluation file.
    #[error("not an evaluation file")]
    NoEvalFile,
    /// The file has another version.
    #[error("version {0} of the format of evaluation files is not known, only version 2 is")]
    Version(u8),
    /// The checksum is wrong: the file was changed.
    #[error("the evaluation file is damaged: its checksum is wrong")]
    Checksum,
    /// The length of the file does not fit its content.
    #[error("the evaluation file has the wrong length")]
    Length,
    /// A rule or a side has an unknown number, or the text is not UTF-8.
    #[error(
        "the evaluation file names a rule or a side that is not known, or its text is not UTF-8"
    )]
    Content,
    /// A net has neither 256 nor 1653 rows.
    #[error("a net in the evaluation file has {0} rows; it can have 256 or 1653")]
    Rows(usize),
    /// The nets of the two sides of a rule have different numbers of rows.
    #[error("the evaluation file has different numbers of rows for the sides of this rule: {}", .0.words())]
    UnlikeSides(Rule),
    /// A number is so large that the evaluation could overflow.
    #[error("a number in the evaluation file is too large")]
    TooLarge,
    /// A rule has no weights.
    #[error("the evaluation file has no weights for this rule: {}", .0.words())]
    NoWeights(Rule),
}

/// Reads an evaluation file. Reads at most one byte more than the largest length, because a longer
/// file is not an evaluation file.
pub(crate) fn load(path: &Path) -> Result<EvalFile, Box<dyn std::error::Error>> {
    // A folder, a pipe or a device may be endless.
    if !fs::metadata(path)?.is_file() {
        return Err("not a regular file".into());
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(EvalFile::read(&bytes)?)
}

/// The rule and the side that weights are for.
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
            Some(index) => Some(*Rule::ALL.get(usize::from(index))?),
        };
        let side = match side.checked_sub(1) {
            None => None,
            Some(index) => Some(*[Side::First, Side::Second].get(usize::from(index))?),
        };
        Some(Self { rule, side })
    }
}

/// The weights of every rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EvalFile {
    text: String,
    sets: Vec<(WeightScope, SideWeights)>,
    /// The index of the weights in `sets`, by rule and side to move.
    indices: [[usize; 2]; Rule::ALL.len()],
    checksum: u32,
}

impl EvalFile {
    /// Creates a file of the weights `sets`. `text` says what they were fitted to, in at most
    /// 65,535 bytes.
    pub fn new(text: &str, sets: Vec<(WeightScope, SideWeights)>) -> Result<Self, EvalFileError> {
        let too_long = text.len() > usize::from(u16::MAX) || sets.len() > usize::from(u8::MAX);
        if too_long {
            return Err(EvalFileError::Length);
        }
        let indices = indices(&sets)?;
        let mut file = Self { text: text.to_owned(), sets, indices, checksum: 0 };
        file.checksum = crc32fast::hash(&file.body());
        Ok(file)
    }

    /// Returns the built-in weights.
    pub fn built_in() -> &'static Self {
        static BUILT_IN: LazyLock<EvalFile> = LazyLock::new(|| {
            EvalFile::read(include_bytes!("../../../nets/gomoku.net"))
                .expect("a test reads the built-in file")
        });
        &BUILT_IN
    }

    /// Reads the bytes of a file.
    pub fn read(bytes: &[u8]) -> Result<Self, EvalFileError> {
        if bytes.len() < TEXT_AT + CHECKSUM_LEN || bytes[..8] != MAGIC {
            return Err(EvalFileError::NoEvalFile);
        }
        if bytes[8] != VERSION {
            return Err(EvalFileError::Version(bytes[8]));
        }
        let (body, sum) = bytes.split_last_chunk::<CHECKSUM_LEN>().ok_or(EvalFileError::Length)?;
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
        Ok(Self { text: text.to_owned(), indices: indices(&sets)?, sets, checksum })
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

    /// Returns the CRC-32 of the file's content.
    pub fn checksum(&self) -> u32 {
        self.checksum
    }

    /// Returns the sets of weights, each with its scope.
    pub fn sets(&self) -> &[(WeightScope, SideWeights)] {
        &self.sets
    }

    /// Returns the weights of `side` under `rule`.
    pub fn weights(&self, rule: Rule, side: Side) -> &SideWeights {
        &self.sets[self.indices[rule as usize][side.index()]].1
    }

    /// Returns all bytes but the checksum.
    fn body(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        // The number of sets and the length of the text were checked.
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

/// Returns an error unless a net can have `rows` rows.
fn check_rows(rows: usize) -> Result<(), EvalFileError> {
    if [PAIRS, WINDOWS].contains(&rows) { Ok(()) } else { Err(EvalFileError::Rows(rows)) }
}

/// Reads a set of weights from the beginning of `bytes`. Returns it and the bytes after it.
fn read_set(bytes: &[u8]) -> Result<((WeightScope, SideWeights), &[u8]), EvalFileError> {
    let (head, _) = bytes.split_first_chunk::<SET_HEADER_LEN>().ok_or(EvalFileError::Length)?;
    let [rule, side, low, high] = *head;
    let rows = usize::from(u16::from_le_bytes([low, high]));
    check_rows(rows)?;
    let (set, rest) = bytes.split_at_checked(set_bytes(rows)).ok_or(EvalFileError::Length)?;
    let scope = WeightScope::from_bytes([rule, side]).ok_or(EvalFileError::Content)?;
    let numbers =
        set[SET_HEADER_LEN..].chunks_exact(2).map(|two| i16::from_le_bytes([two[0], two[1]]));
    Ok(((scope, SideWeights::from_all(rows, numbers)), rest))
}

/// Returns the index in `sets` of the weights of each rule and side to move. Weights for the rule
/// come before weights for any rule. Returns an error when the weights cannot be used.
fn indices(
    sets: &[(WeightScope, SideWeights)],
) -> Result<[[usize; 2]; Rule::ALL.len()], EvalFileError> {
    sets.iter().try_for_each(|(_, weights)| check_rows(weights.net.rows.len()))?;
    if !sets.iter().all(|(_, weights)| weights.is_in_range()) {
        return Err(EvalFileError::TooLarge);
    }
    let find = |rule: Option<Rule>, side: Option<Side>| {
        sets.iter().position(|(scope, _)| *scope == WeightScope { rule, side })
    };
    let mut indices = [[0; 2]; Rule::ALL.len()];
    for rule in Rule::ALL {
        for side in [Side::First, Side::Second] {
            let fallback = if rule == Rule::CaroExact { Rule::Caro } else { rule };
            let mut rules = [Some(rule), Some(fallback), None].into_iter();
            let index = rules.find_map(|rule| find(rule, Some(side)).or_else(|| find(rule, None)));
            indices[rule as usize][side.index()] = index.ok_or(EvalFileError::NoWeights(rule))?;
        }
        let [first, second] = indices[rule as usize].map(|index| sets[index].1.net.rows.len());
        if first != second {
            return Err(EvalFileError::UnlikeSides(rule));
        }
    }
    Ok(indices)
}

#[cfg(test)]
mod tests {
    use tengen_engine::{Evaluator, Game};

    use super::*;
    use crate::gomoku::eval::net::CHANNELS;
    use crate::gomoku::{Board, GomokuEvaluator};

    fn built_in() -> Vec<u8> {
        EvalFile::built_in().to_bytes()
    }

    /// Returns the bytes with a correct checksum.
    fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
        let end = bytes.len() - CHECKSUM_LEN;
        let sum = crc32fast::hash(&bytes[..end]);
        bytes[end..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    #[test]
    fn a_file_is_read_as_it_was_written() {
        assert_eq!(EvalFile::read(&built_in()).as_ref(), Ok(EvalFile::built_in()));
        assert!(EvalFile::built_in().text().starts_with("every rule, tables: "));
    }

    #[test]
    fn a_damaged_file_is_refused() {
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
    fn invalid_content_is_refused() {
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
        assert_eq!(changed(first_set + SET_HEADER_LEN + 1, 0x7F), Err(EvalFileError::TooLarge));
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
    fn both_sides_of_a_rule_have_the_same_number_of_rows() {
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
