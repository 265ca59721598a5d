//! The Smart Game Format: reads the games of a file, every variation and the place of each value.
//! [`write`] writes games, and [`annotate`] adds remarks to a file without changing the rest.
//!
//! This file knows the syntax, and of properties only their names.
// CITE: Arno Hollosi, "SGF File Format FF[4]", https://www.red-bean.com/sgf/sgf4.html

pub(crate) mod annotate;
mod write;

use crate::encoding::TextEncoding;
use crate::encoding::choice::unnamed;
use crate::fault::{Fault, FaultKind};
use crate::format::{FormatEntry, Recognize, Recognized, Sample, Write};
use crate::games::Games;
use crate::options::ReadOptions;
use crate::place::Place;
use crate::source_text::SourceText;
use crate::tree::{Collection, Format, PropertyValue, Record, RecordNode, RecordNodeId, TIME};

impl Format {
    /// The Smart Game Format, FF\[1\] to FF\[4\].
    pub const SGF: Self = Self::new("sgf");
}

pub(crate) const ENTRY: FormatEntry = FormatEntry {
    summary: "The Smart Game Format, with everything that was read",
    extensions: &["sgf"],
    beginning: "SGF begins with \"(;\"",
    game_starts: Some(game_starts),
    write: Some(Write::Whole(Collection::to_sgf)),
    ..FormatEntry::read_only(Format::SGF, "SGF", Recognize::Text(recognize), read)
};

const GAME: &str = "\"(\", which begins a game";
const NODE: &str = "\";\", which begins a node";
const VALUE: &str = "\"[\", which begins a value";
const VALUE_END: &str = "\"]\", which ends a value";
const INSIDE: &str = "a property, \";\", \"(\" or \")\"";

/// Properties that stand only in the first node of a game.
const ROOT: [&str; 3] = ["FF", "GM", "SZ"];
/// Properties of a node of moves. The others are about the game if they stand in its first node.
const OF_MOVES: [&str; 29] = [
    "B", "W", "C", "N", "LB", "MA", "TR", "CR", "SQ", "SL", "AR", "LN", "HO", "BM", "TE", "DO",
    "IT", "GB", "GW", "UC", "DM", "V", "BL", "WL", "OB", "OW", "KO", "MN", TIME,
];
/// Properties of the root with one value.
const SINGLE: [&str; 13] =
    ["GM", "FF", "SZ", "RU", "PB", "PW", "EV", "RO", "DT", "RE", "ON", "PC", "AP"];

/// Text before the first game is allowed. A comment of SGF may have a drawing or a list of moves.
fn recognize(sample: &Sample<'_>) -> Recognized {
    let begin = sample.begin();
    match game_start(begin) {
        Some(0) => Recognized::Surely,
        Some(_) => Recognized::Likely,
        None => {
            let is_meant = begin.starts_with('(') || sample.options.has_extension("sgf");
            Recognized::Perhaps.when(is_meant, Recognized::No)
        }
    }
}

/// Reads the games of an SGF file. If its properties depend on the encoding, and nothing names it, the
/// encoding with the most nodes is taken.
fn read(bytes: &[u8], options: &ReadOptions) -> Result<Collection, Fault> {
    let mut best = read_in(options.encoding, bytes, options.skips_bad_games);
    if options.encoding.is_some() || !SourceText::is_ambiguous(bytes) {
        return best;
    }
    let nodes = |games: &Collection| games.records().iter().map(Record::node_count).sum::<usize>();
    for encoding in TextEncoding::with_ascii_halves(bytes) {
        let other = read_in(Some(encoding), bytes, options.skips_bad_games);
        // A warning says that a character is lost.
        let other = other.ok().filter(|other| other.warnings().is_empty());
        if let Some(other) = other
            && best.as_ref().map_or(0, nodes) < nodes(&other)
        {
            best = Ok(other.with_warnings([unnamed(encoding)]));
        }
    }
    best
}

/// Reads the games of a file, whose encoding is `forced` if it is known.
fn read_in(
    forced: Option<TextEncoding>,
    bytes: &[u8],
    skips_bad: bool,
) -> Result<Collection, Fault> {
    let read = |ends_at_brackets, games| -> Result<Collection, Fault> {
        let (source, warnings) = SourceText::decode(bytes, forced, ends_at_brackets)?;
        Ok(parse(source, games)?.with_warnings(warnings))
    };
    let strict = read(false, Games::default())
        .or_else(|fault| read(true, Games::default()).map_err(|_| fault));
    if skips_bad { strict.or_else(|_| read(false, Games::new(true))) } else { strict }
}

/// Reads the games of a text.
fn parse(source: SourceText, games: Games) -> Result<Collection, Fault> {
    let mut reader = Reader::new(&source.text, 0);
    let games = reader.games(games)?.collect(Format::SGF)?;
    let warnings = std::mem::take(&mut reader.warnings);
    let (is_split, encoding) = (reader.is_split, source.encoding);
    let games = games.with_text(source).with_warnings(warnings);
    // The nodes are not those of the text.
    Ok(if is_split { games.with_encoding(encoding) } else { games })
}

/// Returns the index where a game begins: a parenthesis with a node after it, or a node alone at the
/// beginning of the text. The first semicolon of a game may be missing.
fn game_start(text: &str) -> Option<usize> {
    let begin = text.trim_start();
    if begins_game(begin.strip_prefix(';').unwrap_or(begin).trim_start()) {
        return Some(text.len() - begin.len());
    }
    let begins_node = |text: &str| text.starts_with(';') || begins_game(text);
    let mut starts = text.match_indices('(').map(|(at, _)| at);
    starts.find(|at| begins_node(text[at + 1..].trim_start()))
}

/// Returns whether a text begins with a property that a game may begin with.
fn begins_game(text: &str) -> bool {
    let known = |name: &&str| text.strip_prefix(*name).is_some_and(|rest| rest.starts_with('['));
    ROOT.iter().chain(&["B", "W", "AB", "AW", "CA", "AP"]).any(known)
}

/// Returns where the games of a text begin.
fn game_starts(text: &str) -> Vec<usize> {
    let (mut starts, mut depth, mut in_value, mut is_escaped) = (Vec::new(), 0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_value => is_escaped = true,
            b']' if in_value => in_value = false,
            _ if in_value => {}
            b'[' if depth > 0 => in_value = true,
            b'(' => {
                if depth == 0 {
                    starts.push(at);
                }
                depth += 1;
            }
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    starts
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// The last place that was returned, and its index. Places are computed in order from it.
    last: (Place, usize),
    warnings: Vec<Fault>,
    /// Whether a node with several moves became several nodes.
    is_split: bool,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, at: usize) -> Self {
        Self { text, at, last: (Place::START, at), warnings: Vec::new(), is_split: false }
    }

    /// Reads all games. Some programs write other lines before the first game and after the last.
    fn games(&mut self, mut games: Games) -> Result<Games, Fault> {
        loop {
            match game_start(self.rest()) {
                Some(begin) => self.at += begin,
                None if games.is_empty() => {
                    // The first parenthesis shows best what is wrong.
                    self.at = self.text.find('(').unwrap_or(0);
                    self.expect('(', GAME)?;
                    return Err(self.expected(NODE));
                }
                None => {
                    let is_blank = |c: char| c.is_whitespace() || c.is_control();
                    let rest = self.rest().trim_start_matches(is_blank);
                    self.at = self.text.len() - rest.len();
                    if let Some(line) = rest.lines().next() {
                        let kind = FaultKind::TextAfter(line.trim_end_matches(is_blank).to_owned());
                        let fault = Fault::new(self.place(), kind);
                        self.warnings.push(fault);
                    }
                    return Ok(games);
                }
            }
            let begin = self.at;
            let start = (self.place(), begin);
            let game = self.game();
            if game.is_err() && games.skips_bad {
                self.last = start;
                self.at = self.next_game(begin);
            }
            games.push(game)?;
        }
    }

    /// Returns where the next game begins after a game that cannot be read and begins at `begin`: at
    /// a first node outside of values, or at the start of a line.
    fn next_game(&self, begin: usize) -> usize {
        let (mut is_in_value, mut is_escaped) = (false, false);
        for (at, byte) in self.text.bytes().enumerate().skip(begin + 1) {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = is_in_value,
                b'[' => is_in_value = true,
                b']' => is_in_value = false,
                b'(' if is_in_value && !self.text[..at].ends_with('\n') => {}
                b'(' if self.is_first_node(at) => return at,
                _ => {}
            }
        }
        self.text.len()
    }

    /// Returns whether the first node of a game follows the parenthesis at `begin`.
    fn is_first_node(&self, begin: usize) -> bool {
        let mut reader = Reader::new(self.text, begin);
        reader.at += 1;
        let mut record = Record::new();
        let root = record.root();
        let is_read = reader.expect(';', NODE).is_ok() && reader.node(&mut record, root).is_ok();
        is_read && ROOT.iter().any(|name| record.node(root).value(name).is_some())
    }

    /// Reads a game: nodes, then variations in parentheses.
    fn game(&mut self) -> Result<Record, Fault> {
        let mut record = Record::new();
        let is_alone = self.peek() != Some('(');
        // The nodes where the open variations begin.
        let mut open: Vec<RecordNodeId> = Vec::new();
        let mut last: Option<RecordNodeId> = None;
        if !is_alone {
            self.expect('(', GAME)?;
        }
        loop {
            match self.peek() {
                None if is_alone && open.is_empty() => return Ok(record),
                next if next == Some(';') || (last.is_none() && begins_game(self.rest())) => {
                    record.check_room(self.place())?;
                    let id = last.map_or(record.root(), |last| record.add_child(last));
                    record.node_mut(id).source.begin = self.at;
                    self.at += usize::from(next == Some(';'));
                    last = Some(self.node(&mut record, id)?);
                }
                Some('(') => {
                    let parent = last.ok_or_else(|| self.expected(NODE))?;
                    self.at += 1;
                    open.push(parent);
                    if self.peek() != Some(';') {
                        return Err(self.expected(NODE));
                    }
                }
                Some(')') => {
                    self.at += 1;
                    let Some(parent) = open.pop() else { return Ok(record) };
                    last = Some(parent);
                }
                _ => return Err(self.expected(INSIDE)),
            }
        }
    }

    /// Reads the properties of the node `id`. Each move after the first one becomes a node of its own,
    /// so that the moves keep their order. Returns the last node.
    fn node(&mut self, record: &mut Record, id: RecordNodeId) -> Result<RecordNodeId, Fault> {
        let mut last = id;
        record.node_mut(id).source.end = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric()) {
            let name = self.name();
            self.expect('[', VALUE)?;
            loop {
                let value = self.value()?;
                if matches!(name.as_str(), "B" | "W") && record.node(last).mover().is_some() {
                    last = record.add_child(last);
                    self.is_split = true;
                }
                // Stones are set up before the moves of their node.
                let is_first = matches!(name.as_str(), "AB" | "AW" | "AE" | "PL");
                let is_of_game = id == record.root() && !OF_MOVES.contains(&name.as_str());
                let to = if is_first || is_of_game { id } else { last };
                self.add(record.node_mut(to), &name, value);
                if self.peek() != Some('[') {
                    break;
                }
                self.at += 1;
            }
        }
        Ok(last)
    }

    /// Adds a value to a node.
    fn add(&mut self, node: &mut RecordNode, name: &str, value: PropertyValue) {
        if SINGLE.contains(&name)
            && let Some(first) = node.value(name).filter(|first| **first != value)
        {
            let given = format!("{name}[{}] after {name}[{}]", value.text(), first.text());
            let taken = "a second value, which is not used".to_owned();
            self.warnings.push(Fault::new(value.place(), FaultKind::Reading { given, taken }));
        }
        node.add_value(name, value);
        node.source.end = self.at;
        if name == "C" && node.source.comment_end.is_none() {
            node.source.comment_end = Some(self.at - 1);
        }
    }

    /// Reads the name of a property. In old files the lower-case letters of `White` or `AddBlack`
    /// are ignored; a name in lower case is read as upper case.
    fn name(&mut self) -> String {
        let rest = self.rest();
        let name = &rest[..rest.bytes().take_while(u8::is_ascii_alphanumeric).count()];
        self.at += name.len();
        if !name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return name.to_ascii_uppercase();
        }
        name.chars().filter(|c| !c.is_ascii_lowercase()).collect()
    }

    /// Reads a value after its opening bracket, including the closing bracket.
    fn value(&mut self) -> Result<PropertyValue, Fault> {
        let (place, begin) = (self.place(), self.at);
        let mut bytes = self.text.bytes().enumerate().skip(begin);
        while let Some((at, byte)) = bytes.next() {
            match byte {
                b']' => {
                    self.at = at + 1;
                    return Ok(PropertyValue::read(self.text[begin..at].to_owned(), place));
                }
                b'\\' => drop(bytes.next()),
                _ => {}
            }
        }
        self.at = self.text.len();
        Err(self.expected(VALUE_END))
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Skips blanks and returns the next character.
    fn peek(&mut self) -> Option<char> {
        self.at += self.rest().len() - self.rest().trim_start().len();
        self.rest().chars().next()
    }

    fn expect(&mut self, wanted: char, expected: &'static str) -> Result<(), Fault> {
        if self.peek() != Some(wanted) {
            return Err(self.expected(expected));
        }
        self.at += wanted.len_utf8();
        Ok(())
    }

    /// Returns the error that `expected` was expected here.
    fn expected(&self, expected: &'static str) -> Fault {
        let found = self.rest().chars().next().map(String::from).unwrap_or_default();
        Fault::new(Place::in_text(self.text, self.at), FaultKind::Expected { expected, found })
    }

    /// Returns the current place.
    fn place(&mut self) -> Place {
        let (place, from) = self.last;
        self.last = (place.after(&self.text[from..self.at]), self.at);
        self.last.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<Collection, Fault> {
        super::read(text.as_bytes(), &ReadOptions::new())
    }

    /// Returns the moves of every node from the root on, variations in parentheses.
    fn shape(record: &Record, id: RecordNodeId) -> String {
        let node = record.node(id);
        let mut out = node.text("B").or(node.text("W")).unwrap_or_else(|| ".".to_owned());
        match node.children() {
            [only] => out += &format!(" {}", shape(record, *only)),
            children => {
                for child in children {
                    out += &format!(" ({})", shape(record, *child));
                }
            }
        }
        out
    }

    #[test]
    fn every_game_and_variation_is_read() {
        let text = "mail from (me)\n(;FF[4]GM[4]\nSZ[15]C[a \\] b];B[hh](;W[ii]C[good];B[jj](;W[kk])(;W[ll]))(;W[aa])) \n(;B[bb])\nbye (again) )";
        let games = read(text).unwrap().into_records();
        assert_eq!(games.len(), 2);
        let shapes: Vec<String> = games.iter().map(|game| shape(game, game.root())).collect();
        assert_eq!(shapes, [". hh (ii jj (kk) (ll)) (aa)", "bb"]);
        let root = games[0].node(games[0].root());
        assert_eq!(root.text("C").as_deref(), Some("a ] b"));
        assert_eq!(root.text("SZ").as_deref(), Some("15"));
        let place = games[1].node(games[1].root()).value("B").unwrap().place();
        assert_eq!(place, Some(Place::Text { line: 4, character: 5 }));
    }

    #[test]
    fn long_names_of_old_files_are_read_as_short_names() {
        let text = "(;GaMe[4]SiZe[15]AddBlack[aa][bb]PlayerWhite[x]5A[cd];Black[hh];w[ii])";
        let games = read(text).unwrap().into_records();
        let root = games[0].node(games[0].root());
        for (name, value) in [("GM", "4"), ("SZ", "15"), ("AB", "aa"), ("PW", "x"), ("5A", "cd")] {
            assert_eq!(root.text(name).as_deref(), Some(value));
        }
        assert_eq!(root.values("AB").len(), 2);
        assert_eq!(shape(&games[0], games[0].root()), ". hh ii");
        // A repeated property has the values of both.
        let games = read("(;AB[aa]AW[cc]AB[bb])").unwrap().into_records();
        assert_eq!(games[0].node(games[0].root()).values("AB").len(), 2);
    }

    #[test]
    fn a_game_without_its_first_signs_is_read() {
        for text in [
            "(GM[4]SZ[15];B[hh](;W[ii])(;W[gg]))",
            "GM[4]SZ[15];B[hh](;W[ii])(;W[gg])\n",
            "\n;GM[4]SZ[15];B[hh](;W[ii])(;W[gg])",
        ] {
            let games = read(text).unwrap_or_else(|fault| panic!("{text}: {fault}"));
            assert_eq!(shape(&games.records()[0], games.records()[0].root()), ". hh (ii) (gg)");
            assert_eq!(games.to_annotated_sgf(&[]), text.as_bytes());
        }
        let games = read("B[hh];W[ii]").unwrap().into_records();
        assert_eq!(shape(&games[0], games[0].root()), "hh ii");
    }

    #[test]
    fn the_encoding_is_taken_under_which_the_record_has_its_moves() {
        // The second bytes of these characters are backslashes and brackets.
        for (label, name) in [
            ("Big5", "\u{8a31}\u{529f}\u{84cb}"),
            ("Big5", "\u{529f}"),
            ("Shift_JIS", "\u{8868}\u{30bd}\u{80fd}"),
            ("Shift_JIS", "\u{4e88}\u{5b9a}\u{8868}"),
        ] {
            let text = format!("(;GM[4]SZ[15]PB[{name}];B[hh];W[ii])");
            let bytes = TextEncoding::named(label).unwrap().encode(&text).unwrap().into_owned();
            let games = super::read(&bytes, &ReadOptions::new()).unwrap();
            let record = &games.records()[0];
            assert_eq!(shape(record, record.root()), ". hh ii", "{label} {name}");
            let found = record.node(record.root()).text("PB");
            assert_eq!(found.as_deref(), Some(name), "{label}");
            assert_eq!(games.warnings(), [unnamed(TextEncoding::named(label).unwrap())]);
            assert_eq!(games.to_annotated_sgf(&[]), bytes);
        }
    }

    #[test]
    fn an_error_names_its_place() {
        for (text, message) in [
            (
                "",
                "line 1, character 1: expected \"(\", which begins a game, found the end of the file",
            ),
            ("(X[aa])", "line 1, character 2: expected \";\", which begins a node, found \"X\""),
            ("(;B\n aa)", "line 2, character 2: expected \"[\", which begins a value, found \"a\""),
            (
                "(;B[aa",
                "line 1, character 7: expected \"]\", which ends a value, found the end of the file",
            ),
            (
                "(;B[aa]",
                "line 1, character 8: expected a property, \";\", \"(\" or \")\", found the end of the file",
            ),
            (
                "(;B[aa])\n(;B]",
                "line 2, character 4: expected \"[\", which begins a value, found \"]\"",
            ),
            (
                "(;B[aa]]",
                "line 1, character 8: expected a property, \";\", \"(\" or \")\", found \"]\"",
            ),
            (
                "(;B[aa]\r\n()",
                "line 2, character 2: expected \";\", which begins a node, found \")\"",
            ),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), message, "{text}");
        }
    }

    #[test]
    fn the_games_beside_a_bad_one_are_read_on_request() {
        for (text, bad, message) in [
            (
                "(;GM[4];B[aa])(;GM[4];B;W[bb](;B[cc]))(;SZ[15];B[dd])",
                1,
                "line 1, character 24: expected \"[\", which begins a value, found \";\"",
            ),
            // Brackets and parentheses are missing.
            (
                "(;FF[4];B[aa])\n(;FF[4];C[(;GM[4\n(;GM[4];B[bb])\n(;GM[4]x)",
                2,
                "line 4, character 9: expected",
            ),
            (
                "(;FF[4];B[aa])(;GM[4];B[bb]C[(;GM[4\\];](;GM[4];B[cc])",
                1,
                "line 1, character 54: expected a property",
            ),
            ("(;FF[4];B[aa])\n(;FF[4];B[bb](;W[cc)", 1, "line 2, character 21: expected \"]\""),
            ("(;GM[4]x)(;GM[4];B[aa])", 0, "line 1, character 9: "),
        ] {
            let skips = ReadOptions::new().skips_bad_games(true);
            let games = super::read(text.as_bytes(), &skips);
            let games = games.unwrap_or_else(|fault| panic!("{text}: {fault}"));
            assert!(read(text).is_err(), "{text}");
            for (index, record) in games.records().iter().enumerate() {
                assert_eq!(games.fault(index).is_some(), index == bad, "{text}");
                assert_eq!(record.node_count() > 1, index != bad, "{text}");
            }
            let why = games.fault(bad).unwrap().to_string();
            assert!(why.starts_with(message), "{text}: {why}");
            // The text of the bad game stays as it is.
            assert_eq!(games.to_annotated_sgf(&[]), text.as_bytes());
        }
    }

    #[test]
    fn a_deep_file_is_read() {
        let depth = 100_000;
        let text = format!("(;GM[4]{}{}", "(;B[aa]".repeat(depth), ")".repeat(depth + 1));
        assert_eq!(read(&text).unwrap().records()[0].node_count(), depth + 1);
    }

    proptest! {
        #[test]
        fn the_reader_never_panics(text in "([(;)\\[\\]\\\\BWC \r\nä]|GM\\[4\\]){0,40}") {
            match read(&text) {
                Ok(collection) => prop_assert!(!collection.records().is_empty()),
                Err(fault) => prop_assert!(fault.place().is_some()),
            }
            // The games after a bad one, too.
            let _ = super::read(text.as_bytes(), &ReadOptions::new().skips_bad_games(true));
        }
    }
}
