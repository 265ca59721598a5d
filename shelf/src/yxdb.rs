//! The databases of Yixin and Rapfi (`yxdb`): positions with a value, a label and a comment.
//!
//! A file is read as a stream, so that its size does not matter. The orientation of a position and of
//! the texts on its points is the one of the file.
// CITE: https://github.com/dhbloo/rapfi, Rapfi/database/yxdbstorage.cpp and dbtypes.cpp (the layout)

mod write;

use std::io::{self, BufRead, Read};

use lz4_flex::frame::FrameDecoder;
use tengen_engine::Side;

pub use self::write::Database;
use crate::explore::Value;

/// The first bytes of a frame of LZ4.
const LZ4: [u8; 4] = [0x04, 0x22, 0x4d, 0x18];
/// The variants of the numbers of rules.
const VARIANTS: [&str; 3] = ["gomokufreestyle", "gomoku", "renju"];
/// The key of the record about the file itself.
const ABOUT: [u8; 3] = [0; 3];
const UTF8: &str = "charset=\"UTF-8\"";
/// The longest key: that of a board of 32x32.
const MAX_KEY: usize = 3 + 2 * 32 * 32;
/// A win in `plies` plies has this value less `plies`.
const MATE: i16 = 30_000;
/// The least value of a win.
const LEAST_MATE: i16 = 29_500;
/// The bounds by their numbers.
const BOUNDS: [&str; 4] = ["", "upper", "lower", "exact"];
/// Begins the texts on points; [`END`] ends them.
const TEXTS: &str = "@BTXT@";
/// Ends the texts on points, and the lines of a comment.
const END: char = '\u{8}';

/// Points, and the text on each.
type PointTexts = Vec<((u8, u8), String)>;

/// A position of a database.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Entry {
    pub(crate) variant: &'static str,
    pub(crate) size: (u8, u8),
    /// The points of the stones of each side, columns first.
    pub(crate) stones: [Vec<(u8, u8)>; 2],
    pub(crate) turn: Side,
    pub(crate) value: Option<(Value, &'static str)>,
    pub(crate) depth: i64,
    pub(crate) label: Option<String>,
    pub(crate) comment: Option<String>,
    /// The texts on points.
    pub(crate) texts: PointTexts,
}

/// Returns whether a file begins with a frame of LZ4, or with a number of records whose first one is
/// about the file itself.
pub(crate) fn is_database(begin: &[u8]) -> bool {
    begin.starts_with(&LZ4) || begin.get(4..9) == Some(&[3, 0, 0, 0, 0])
}

/// Calls `take` with each position of a database, until it returns `false`. A position that cannot be
/// read is an error of it. The error of the function is one of the whole file.
pub(crate) fn read(
    mut input: impl BufRead,
    mut take: impl FnMut(Result<Entry, String>) -> bool,
) -> Result<(), String> {
    let is_packed = input.fill_buf().is_ok_and(|begin| begin.starts_with(&LZ4));
    match is_packed {
        true => read_records(&mut FrameDecoder::new(input), &mut take),
        false => read_records(&mut input, &mut take),
    }
}

fn read_records(
    input: &mut dyn Read,
    take: &mut dyn FnMut(Result<Entry, String>) -> bool,
) -> Result<(), String> {
    let cut = |number: u32, count: u32, why: io::Error| match why.kind() {
        io::ErrorKind::UnexpectedEof => {
            format!("the database ends in record {number} of {count}: the rest is missing")
        }
        _ => format!("record {number} of {count}: {why}"),
    };
    let mut count = [0; 4];
    input.read_exact(&mut count).map_err(|why| cut(0, 0, why))?;
    let count = u32::from_le_bytes(count);
    for number in 1..=count {
        let (key, record) = record(input).map_err(|why| cut(number, count, why))?;
        let names_utf8 = key == ABOUT && String::from_utf8_lossy(&record).contains(UTF8);
        if number == 1 && !names_utf8 {
            let why = "the database does not say that its texts are in UTF-8";
            return Err(format!("{why}: save it once in Rapfi, which converts them"));
        }
        if key.is_empty() || key == ABOUT {
            continue;
        }
        let entry = entry(&key, &record).map_err(|why| format!("record {number}: {why}"));
        if !take(entry) {
            return Ok(());
        }
    }
    Ok(())
}

/// Reads a key and its record. Without a key there is no record.
fn record(input: &mut dyn Read) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let mut part = || -> io::Result<Vec<u8>> {
        let mut len = [0; 2];
        input.read_exact(&mut len)?;
        let mut bytes = vec![0; usize::from(u16::from_le_bytes(len))];
        input.read_exact(&mut bytes)?;
        Ok(bytes)
    };
    let key = part()?;
    let record = if key.is_empty() { Vec::new() } else { part()? };
    Ok((key, record))
}

fn entry(key: &[u8], record: &[u8]) -> Result<Entry, String> {
    let [rules, width, height, points @ ..] = key else {
        return Err("its key has no rules and size".to_owned());
    };
    let variant = VARIANTS.get(usize::from(*rules)).copied();
    let variant = variant.ok_or_else(|| format!("rules {rules}: 0, 1 and 2 are known"))?;
    if !points.len().is_multiple_of(2) || key.len() > MAX_KEY {
        return Err(format!("its key has {} bytes", key.len()));
    }
    let points: Vec<(u8, u8)> = points.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
    let (first, second) = points.split_at(points.len().div_ceil(2));
    // A pass stands for a stone that is not there, and ends the stones of its side.
    let stones = [first, second].map(|side| {
        side.iter().copied().take_while(|point| *point != (u8::MAX, u8::MAX)).collect::<Vec<_>>()
    });
    let mut taken: Vec<(u8, u8)> = stones.concat();
    if let Some((x, y)) = taken.iter().find(|(x, y)| x >= width || y >= height) {
        return Err(format!("the point {x},{y} is not on the board of {width}x{height}"));
    }
    taken.sort_unstable();
    if let Some(pair) = taken.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!("two stones on the point {},{}", pair[0].0, pair[0].1));
    }
    let turn = if points.len().is_multiple_of(2) { Side::First } else { Side::Second };
    let number =
        |at: usize| record.get(at..at + 2).map_or(0, |two| i16::from_le_bytes([two[0], two[1]]));
    let (value, depth) = (number(1), number(3));
    let bound = BOUNDS[usize::from(depth as u16 & 3)];
    let proves_nothing = |value: &Value| match (value, bound) {
        (_, "") => true,
        (Value::Mate(plies), "upper") => *plies > 0,
        (Value::Mate(plies), "lower") => *plies < 0,
        _ => false,
    };
    let value =
        shelf_value(value).filter(|value| !proves_nothing(value)).map(|value| (value, bound));
    let letter = record.first().copied().filter(|letter| letter.is_ascii_graphic());
    let (texts, comment) = texts(record.get(5..).unwrap_or_default());
    Ok(Entry {
        variant,
        size: (*width, *height),
        stones,
        turn,
        value,
        depth: i64::from(depth >> 2),
        label: letter.map(|letter| char::from(letter).to_string()),
        comment,
        texts,
    })
}

/// Returns a value for the side to move; `None` for the end of a game.
fn shelf_value(value: i16) -> Option<Value> {
    let plies = i64::from(MATE) - i64::from(value).abs();
    match value.unsigned_abs() >= LEAST_MATE.unsigned_abs() {
        true if plies <= 0 => None,
        true => Some(Value::Mate(plies * i64::from(value.signum()))),
        false => Some(Value::Cp(value.into())),
    }
}

/// Returns the texts on points and the comment of a record.
fn texts(bytes: &[u8]) -> (PointTexts, Option<String>) {
    let text = String::from_utf8_lossy(bytes).replace('\0', "");
    let (points, comment) = match text.strip_prefix(TEXTS) {
        Some(rest) => rest.split_once(END).unwrap_or((rest, "")),
        None => ("", &*text),
    };
    let digit = |c: char| c.to_digit(36).map(|digit| digit as u8);
    let point = |line: &str| {
        let mut rest = line.chars();
        let point = (digit(rest.next()?)?, digit(rest.next()?)?);
        Some((point, rest.as_str().to_owned())).filter(|(_, text)| !text.is_empty())
    };
    let comment = comment.replace(END, "\n");
    (
        points.lines().filter_map(point).collect(),
        Some(comment).filter(|text| !text.trim().is_empty()),
    )
}

#[cfg(test)]
mod tests {
    use tengen_engine::Placement;
    use tengen_games::CATALOG;

    use super::write::NO_LABEL;
    use super::*;
    use crate::ruleset::read_ruleset;

    /// Returns a key or a record with its length.
    fn part(bytes: &[u8]) -> Vec<u8> {
        [&(bytes.len() as u16).to_le_bytes(), bytes].concat()
    }

    /// Returns a file of records, not packed.
    fn file(records: &[(&[u8], &[u8])]) -> Vec<u8> {
        let mut bytes = (records.len() as u32 + 1).to_le_bytes().to_vec();
        bytes.extend(part(&ABOUT));
        bytes.extend(part(b"\0\0\0\0\0charset=\"UTF-8\""));
        for (key, record) in records {
            bytes.extend([part(key), part(record)].concat());
        }
        bytes
    }

    fn entries(bytes: &[u8]) -> Vec<Result<Entry, String>> {
        let mut entries = Vec::new();
        read(bytes, |entry| {
            entries.push(entry);
            true
        })
        .unwrap();
        entries
    }

    fn empty(size: u8) -> Entry {
        Entry {
            variant: "renju",
            size: (size, size),
            stones: [Vec::new(), Vec::new()],
            turn: Side::First,
            value: None,
            depth: 0,
            label: None,
            comment: None,
            texts: Vec::new(),
        }
    }

    #[test]
    fn a_file_is_read_as_the_format_is_described() {
        // Renju on 15x15, black on 7,7, white to move: forced, -20, depth 12, an exact value.
        let text = b"@BTXT@87A1\n7A\xe5\x9c\x88\n\x08first\x08second\0".as_slice();
        let record =
            [&[b'!'][..], &(-20_i16).to_le_bytes(), &(12_i16 * 4 + 3).to_le_bytes(), text].concat();
        // White to move in 29,986: a loss in 14 plies. Black's second stone is a pass.
        let lost =
            [&[0_u8][..], &(-29_986_i16).to_le_bytes(), &(8_i16 * 4 + 1).to_le_bytes()].concat();
        let bytes = file(&[
            (&[2, 15, 15, 7, 7], &record),
            (&[0, 20, 15, 3, 4, 255, 255, 5, 6], &lost),
            (&[1, 15, 15], b""),
            (&[1, 15, 15, 7, 7], b"w"),
        ]);
        let read: Vec<Entry> = entries(&bytes).into_iter().map(Result::unwrap).collect();
        let first = Entry {
            stones: [vec![(7, 7)], Vec::new()],
            turn: Side::Second,
            value: Some((Value::Cp(-20), "exact")),
            depth: 12,
            label: Some("!".to_owned()),
            comment: Some("first\nsecond".to_owned()),
            texts: vec![((8, 7), "A1".to_owned()), ((7, 10), "\u{5708}".to_owned())],
            ..empty(15)
        };
        let second = Entry {
            variant: "gomokufreestyle",
            size: (20, 15),
            stones: [vec![(3, 4)], vec![(5, 6)]],
            turn: Side::Second,
            value: Some((Value::Mate(-14), "upper")),
            depth: 8,
            ..empty(15)
        };
        let third = Entry { variant: "gomoku", ..empty(15) };
        let label = Some("w".to_owned());
        let fourth = Entry {
            stones: [vec![(7, 7)], Vec::new()],
            turn: Side::Second,
            label,
            ..third.clone()
        };
        assert_eq!(read, [first, second, third, fourth]);
    }

    #[test]
    fn bad_positions_are_refused_alone_and_a_cut_file_names_its_end() {
        let good: (&[u8], &[u8]) = (&[0, 15, 15, 7, 7], b"");
        let bytes = file(&[
            (&[7, 15, 15], b""),
            (&[0, 15, 15, 15, 7], b""),
            (&[0, 15, 15, 7, 7, 7, 7], b""),
            (&[0, 15, 15, 7], b""),
            (&[0, 15], b""),
            good,
        ]);
        let read = entries(&bytes);
        let errors: Vec<&str> =
            read.iter().filter_map(|read| read.as_ref().err().map(|why| &**why)).collect();
        for (error, part) in errors.iter().zip([
            "record 2: rules 7",
            "record 3: the point 15,7 is not on the board of 15x15",
            "record 4: two stones on the point 7,7",
            "record 5: its key has 4 bytes",
            "record 6: its key has no rules",
        ]) {
            assert!(error.contains(part), "{error}");
        }
        assert_eq!((errors.len(), read.len()), (5, 6));
        let old = file(&[])
            .iter()
            .map(|byte| if *byte == b'U' { b'u' } else { *byte })
            .collect::<Vec<_>>();
        let refused = super::read(&old[..], |_| true).unwrap_err();
        assert!(refused.contains("UTF-8: save it once in Rapfi"), "{refused}");
        let mut count = 0;
        let cut = super::read(&bytes[..bytes.len() - 3], |_| {
            count += 1;
            true
        });
        let why = "the database ends in record 7 of 7: the rest is missing";
        assert_eq!((cut.unwrap_err().as_str(), count), (why, 5));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let options = r#"{"BoardWidth":15,"BoardHeight":15}"#;
        let ruleset = read_ruleset(&CATALOG, "renju", options).unwrap();
        let placement = |first: &[usize], second: &[usize], turn| {
            let mut placement = Placement::empty(ruleset.grid());
            first.iter().for_each(|cell| placement.stones[*cell] = Some(Side::First));
            second.iter().for_each(|cell| placement.stones[*cell] = Some(Side::Second));
            placement.turn = turn;
            placement
        };
        let mut database = Database::default();
        let lost = Some((Value::Mate(-7), "exact"));
        let value = Some((Value::Cp(35), "lower"));
        let corner = placement(&[224], &[], Side::Second);
        assert!(database.add(&ruleset, &corner, lost, 9, None, Some("a\r\nb")));
        let passed = placement(&[112], &[113], Side::Second);
        assert!(database.add(&ruleset, &passed, value, 3, Some("?"), None));
        // A text of two letters stands with the positions before the move.
        let answered = placement(&[224], &[12], Side::First);
        assert!(database.add(&ruleset, &answered, value, 4, Some("A 1"), None));
        // Four more stones of one side are no position of a game.
        let four = placement(&[1, 2, 3, 4], &[], Side::First);
        assert!(!database.add(&ruleset, &four, None, 0, None, None));
        let standard = read_ruleset(&CATALOG, "caro", options).unwrap();
        assert!(!database.add(&standard, &corner, None, 0, None, None));
        database.place_texts();
        assert_eq!(database.positions(), 3);
        let mut bytes = Vec::new();
        database.write(&mut bytes).unwrap();
        assert!(bytes.starts_with(&LZ4) && is_database(&bytes));
        let read: Vec<Entry> = entries(&bytes).into_iter().map(Result::unwrap).collect();
        let corner = Entry {
            // The image with the least bytes.
            stones: [vec![(0, 0)], Vec::new()],
            turn: Side::Second,
            value: lost,
            depth: 9,
            label: Some("w".to_owned()),
            comment: Some("a\nb".to_owned()),
            texts: vec![((2, 14), "A1".to_owned())],
            ..empty(15)
        };
        let answered =
            Entry { stones: [vec![(0, 0)], vec![(2, 14)]], value, depth: 4, ..empty(15) };
        let passed = Entry {
            stones: [vec![(7, 7)], vec![(6, 7)]],
            turn: Side::Second,
            value,
            depth: 3,
            label: Some("?".to_owned()),
            ..empty(15)
        };
        assert_eq!(read, [corner, answered, passed]);
        assert_eq!(database.label_of(1), NO_LABEL);
    }
}
