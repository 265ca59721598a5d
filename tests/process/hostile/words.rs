//! Words that no command, option, move or position begins with.

use fastrand::Rng;

/// Text that looks like what a client might send by mistake.
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

/// A word of letters that is no command, with its first letters telling it apart.
pub(super) fn word(rng: &mut Rng) -> String {
    let length = rng.usize(1..12);
    let letters: String = (0..length).map(|_| rng.alphabetic()).collect();
    format!("zz{letters}")
}

/// A line that no dialect knows: words, bytes, curious text, or a very long word.
pub(super) fn garbage(rng: &mut Rng) -> Vec<u8> {
    match rng.u32(0..5) {
        0 => word(rng).into_bytes(),
        1 => format!("{} {} {}", word(rng), word(rng), rng.i64(..)).into_bytes(),
        2 => CURIOUS[rng.usize(..CURIOUS.len())].as_bytes().to_vec(),
        3 => word(rng).repeat(rng.usize(50..500)).into_bytes(),
        _ => bytes(rng),
    }
}

/// Bytes in which no line ends, and which do not begin as a blank or a remark does.
fn bytes(rng: &mut Rng) -> Vec<u8> {
    let length = rng.usize(1..60);
    let mut bytes: Vec<u8> = (0..length).map(|_| rng.u8(..)).filter(|b| *b != b'\n').collect();
    bytes.insert(0, rng.u8(0x80..=0xbf));
    bytes
}

/// What a message quotes of a line: without blanks around it, and what is not UTF-8 replaced.
pub(super) fn as_quoted(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    text.trim_matches(|c: char| c.is_ascii_whitespace()).to_owned()
}

/// A text that is no whole number.
pub(super) fn no_number(rng: &mut Rng) -> String {
    const ODD: [&str; 12] =
        ["x", "1.5", "1e3", "0x10", "½", "٣", "--1", "1,000", "NaN", "+", "-", "1\u{200b}"];
    if rng.bool() { ODD[rng.usize(..ODD.len())].to_owned() } else { word(rng) }
}

/// A number below zero, of any size.
pub(super) fn negative(rng: &mut Rng) -> String {
    let digits: String = (0..rng.usize(1..25)).map(|_| rng.digit(10)).collect();
    format!("-1{digits}")
}

/// One of these.
pub(super) fn one_of<'a>(rng: &mut Rng, all: &[&'a str]) -> &'a str {
    all[rng.usize(..all.len())]
}
