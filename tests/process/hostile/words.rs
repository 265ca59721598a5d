//! Generators of bad words and lines. No command, option, move or position begins with one of them.

use fastrand::Rng;

/// Texts that a client might send by mistake.
const CURIOUS: [&str; 24] = [
    "роsition startpos",
    "ｇｏ depth 1",
    "go\u{a0}depth 1",
    "is\u{200b}ready",
    "\u{202e}ydaersi",
    "u\u{301}ci",
    "\u{1f600}",
    "対局開始",
    "ابدأ",
    "\u{feff}\u{feff}uci",
    "\0",
    "uci\0",
    "\u{1b}[2J\u{1b}[H",
    "\u{7}\u{8}\u{7f}",
    "%s%s%n",
    "'; DROP TABLE games; --",
    "$(reboot)",
    "../../../etc/passwd",
    "<script>alert(1)</script>",
    "-",
    "--help",
    "\\n\\r\\0",
    "\"",
    "(;GM[4];B[hh])",
];

/// Returns a word that is not a command: it begins with `zz`.
pub(super) fn word(rng: &mut Rng) -> String {
    let length = rng.usize(1..12);
    let letters: String = (0..length).map(|_| rng.alphabetic()).collect();
    format!("zz{letters}")
}

/// Returns a line that is valid in no dialect.
pub(super) fn garbage(rng: &mut Rng) -> Vec<u8> {
    match rng.u32(0..5) {
        0 => word(rng).into_bytes(),
        1 => format!("{} {} {}", word(rng), word(rng), rng.i64(..)).into_bytes(),
        2 => CURIOUS[rng.usize(..CURIOUS.len())].as_bytes().to_vec(),
        3 => word(rng).repeat(rng.usize(50..500)).into_bytes(),
        _ => bytes(rng),
    }
}

/// Returns bytes without a line end that do not begin with a blank or `#`.
fn bytes(rng: &mut Rng) -> Vec<u8> {
    let length = rng.usize(1..60);
    let mut bytes: Vec<u8> = (0..length).map(|_| rng.u8(..)).filter(|b| *b != b'\n').collect();
    bytes.insert(0, rng.u8(0x80..=0xbf));
    bytes
}

/// Returns a line as a message quotes it: without blanks around it, and with invalid UTF-8
/// replaced.
pub(super) fn as_quoted(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    text.trim_matches(|c: char| c.is_ascii_whitespace()).to_owned()
}

/// Returns a text that is not a whole number.
pub(super) fn no_number(rng: &mut Rng) -> String {
    const ODD: [&str; 12] =
        ["x", "1.5", "1e3", "0x10", "½", "٣", "--1", "1,000", "NaN", "+", "-", "1\u{200b}"];
    if rng.bool() { ODD[rng.usize(..ODD.len())].to_owned() } else { word(rng) }
}

/// Returns a number below 0 of any size.
pub(super) fn negative(rng: &mut Rng) -> String {
    let digits: String = (0..rng.usize(1..25)).map(|_| rng.digit(10)).collect();
    format!("-1{digits}")
}

/// Returns a random element of `all`.
pub(super) fn one_of<'a>(rng: &mut Rng, all: &[&'a str]) -> &'a str {
    all[rng.usize(..all.len())]
}
