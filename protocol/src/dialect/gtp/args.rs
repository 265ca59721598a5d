//! Reads the arguments of commands. Errors quote the argument and say what is allowed.

use tengen_engine::Side;
use tengen_engine::text::quotable;

use super::vertex;

/// The words after a command.
pub(super) struct Args<'a> {
    words: std::iter::Peekable<std::str::SplitAsciiWhitespace<'a>>,
}

impl<'a> Args<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { words: text.split_ascii_whitespace().peekable() }
    }

    /// Returns the next word; `None` at the end.
    pub(super) fn next(&mut self) -> Option<&'a str> {
        self.words.next()
    }

    /// Returns the next word, called `name` in the error.
    pub(super) fn word(&mut self, name: &str) -> Result<&'a str, String> {
        self.next().ok_or_else(|| format!("{name} is missing"))
    }

    /// Returns the next argument, a number from `least` to `most`.
    pub(super) fn number(&mut self, name: &str, least: u64, most: u64) -> Result<u64, String> {
        let word = self.word(name)?;
        let value = word.parse().ok().filter(|value| (least..=most).contains(value));
        let wanted =
            || format!("{name} \"{}\" is not a number from {least} to {most}", quotable(word));
        value.ok_or_else(wanted)
    }

    /// Returns the next argument, a colour.
    pub(super) fn colour(&mut self) -> Result<Side, String> {
        let word = self.word("the colour")?;
        let wanted = || format!("\"{}\" is not a colour: use black or white", quotable(word));
        colour(word).ok_or_else(wanted)
    }

    /// Returns the colour that comes next, if a colour comes next.
    pub(super) fn optional_colour(&mut self) -> Option<Side> {
        let side = self.words.peek().and_then(|word| colour(word))?;
        self.next();
        Some(side)
    }

    /// Returns the next argument if it is a number.
    pub(super) fn optional_number(&mut self) -> Option<u64> {
        let number = self.words.peek()?.parse().ok()?;
        self.next();
        Some(number)
    }
}

/// Returns the name of the colour of a side.
pub(super) const fn colour_name(side: Side) -> &'static str {
    match side {
        Side::First => "black",
        Side::Second => "white",
    }
}

fn colour(word: &str) -> Option<Side> {
    let is = |name: &str| word.eq_ignore_ascii_case(name);
    match () {
        () if is("black") || is("b") => Some(Side::First),
        () if is("white") || is("w") => Some(Side::Second),
        () => None,
    }
}

/// Returns the point of a vertex as Tengen writes it.
pub(super) fn point(word: &str) -> Result<String, String> {
    let refused = |why: &str| format!("illegal move {}: {why}", quotable(word));
    if word.eq_ignore_ascii_case("pass") || word.eq_ignore_ascii_case("resign") {
        return Err(refused("pass and resign are not accepted: play a vertex such as H8"));
    }
    let why = "a vertex is a letter from A to Z without I and a number from 1, such as H8";
    vertex::to_point(word).ok_or_else(|| refused(why))
}
