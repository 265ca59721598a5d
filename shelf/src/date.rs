//! Dates as records write them, and as the shelf stores them: YYYYMMDD, with 00 for what is unknown.

/// The English names of the months.
const MONTHS: &str = "\
    january february march april may june july august september october november december";

/// A part of a date.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    /// A number and its digits.
    Number(i64, usize),
    /// The name of a month.
    Month(i64),
}

/// Returns the first date of a text as far as it is certain, `None` without a year; and whether the text can mean another
/// date, too.
pub(crate) fn read_date(text: &str) -> (Option<i64>, bool) {
    use Part::{Month, Number};
    let is_dotted = text.contains('.');
    match parts(text)[..] {
        [Number(all, 8), ..] => (date(all / 10_000, all / 100 % 100, all % 100), false),
        [Number(year, 4), Number(month, 1..=2), Number(day, 1..=2), ..]
        | [Month(month), Number(day, 1..=2), Number(year, 4), ..]
        | [Number(day, 1..=2), Month(month), Number(year, 4), ..] => {
            (date(year, month, day), false)
        }
        [Number(year, 4), Number(month, 1..=2), ..]
        | [Number(month, 1..=2), Number(year, 4), ..]
        | [Month(month), Number(year, 4), ..]
        | [Number(year, 4), Month(month), ..] => (date(year, month, 0), false),
        [Number(one, 1..=2), Number(two, 1..=2), Number(year, 4), ..] => match (one, two) {
            // With dots the day comes first.
            (day, month @ 1..=12) if is_dotted || day > 12 || day == month => {
                (date(year, month, day), false)
            }
            (month @ 1..=12, day @ 13..) => (date(year, month, day), false),
            _ => (date(year, 0, 0), true),
        },
        [Number(year, 4), ..] => (date(year, 0, 0), false),
        // The century is unknown.
        [Number(..), Number(..), Number(..), ..] => (None, true),
        _ => (None, false),
    }
}

/// Returns the parts of the first date of a text, up to three.
fn parts(text: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut rest = text;
    while let Some(begin) = rest.find(|c: char| c.is_ascii_alphanumeric()) {
        // What follows a year after a comma is another date.
        let has_year = parts.iter().any(|part| matches!(part, Part::Number(_, 4 | 8)));
        if parts.len() == 3 || (has_year && rest[..begin].contains(',')) {
            break;
        }
        rest = &rest[begin..];
        let is_number = rest.starts_with(|c: char| c.is_ascii_digit());
        let is_same = |c: char| c.is_ascii_alphanumeric() && c.is_ascii_digit() == is_number;
        let (word, after) = rest.split_at(rest.find(|c: char| !is_same(c)).unwrap_or(rest.len()));
        rest = after;
        let word = word.to_ascii_lowercase();
        let named = || MONTHS.split(' ').position(|name| word.len() > 2 && name.starts_with(&word));
        match word.parse() {
            Ok(number) => parts.push(Part::Number(number, word.len())),
            Err(_) => match named() {
                Some(index) => parts.push(Part::Month(index as i64 + 1)),
                // The time of the day.
                None if !parts.is_empty() => break,
                None => {}
            },
        }
    }
    parts
}

/// Returns a date without a day that the month does not have; `None` without a year.
fn date(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    let month = if days > 0 { month } else { 0 };
    let day = if (1..=days).contains(&day) { day } else { 0 };
    (1..=9999).contains(&year).then_some(year * 10_000 + month * 100 + day)
}

/// Writes a date as SGF does.
pub(crate) fn write_date(date: i64) -> String {
    let (year, month, day) = (date / 10_000, date / 100 % 100, date % 100);
    match (month, day) {
        (0, _) => format!("{year:04}"),
        (_, 0) => format!("{year:04}-{month:02}"),
        _ => format!("{year:04}-{month:02}-{day:02}"),
    }
}

/// Returns whether the text of a date says more than the date that was read from it.
pub(crate) fn says_more(text: &str) -> bool {
    let (date, _) = read_date(text);
    let says_something = text.contains(|c| matches!(c, '1'..='9'));
    let plain = text.trim().replace(['.', '/'], "-").replace("-??", "");
    says_something && date.map(write_date) != Some(plain)
}

/// Returns whether one date is the other, or the same with less detail.
pub(crate) fn dates_agree(one: i64, other: i64) -> bool {
    let agree = |part: i64| {
        one / part % 100 == 0 || other / part % 100 == 0 || one / part % 100 == other / part % 100
    };
    one / 10_000 == other / 10_000 && agree(100) && agree(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_records_write_them() {
        for (text, date, is_ambiguous) in [
            ("2020-05-01", "2020-05-01", false),
            ("2020.05.01", "2020-05-01", false),
            ("2020-05-01,02", "2020-05-01", false),
            ("2020-05-01T12:30:00", "2020-05-01", false),
            ("2020-05-01 12:30", "2020-05-01", false),
            ("2020-05", "2020-05", false),
            ("2020-05,06", "2020-05", false),
            ("2020.??.??", "2020", false),
            ("2019-12-00", "2019-12", false),
            ("2001-02-30", "2001-02", false),
            ("2000-02-29", "2000-02-29", false),
            ("12/24/1998", "1998-12-24", false),
            ("24/12/1998", "1998-12-24", false),
            ("5/6/2019", "2019", true),
            ("5/5/2019", "2019-05-05", false),
            ("5.6.2019", "2019-06-05", false),
            ("99-5-4", "", true),
            ("2019年5月", "2019-05", false),
            ("2019年5月4日", "2019-05-04", false),
            ("May 1998", "1998-05", false),
            ("4 May 1998", "1998-05-04", false),
            ("Sept. 4, 1998", "1998-09-04", false),
            ("1998 May", "1998-05", false),
            ("05/1998", "1998-05", false),
            ("19990512", "1999-05-12", false),
            ("2020", "2020", false),
            ("played in 1998", "1998", false),
            ("0000-00-00", "", false),
            ("????", "", false),
            ("spring", "", false),
            ("99999999999999999999999", "", false),
            ("", "", false),
        ] {
            let (read, flag) = read_date(text);
            let is_plain = date == text.replace('.', "-").replace("-??", "");
            let has_digit = text.contains(|c| matches!(c, '1'..='9'));
            assert_eq!(says_more(text), !is_plain && has_digit, "{text}");
            assert_eq!(
                (read.map(write_date).unwrap_or_default().as_str(), flag),
                (date, is_ambiguous),
                "{text}"
            );
        }
        assert!(dates_agree(20_200_500, 20_200_507) && dates_agree(20_200_000, 20_200_507));
        assert!(!dates_agree(20_200_506, 20_200_507) && !dates_agree(20_190_000, 20_200_000));
    }
}
