//! Portable Game Notation: tags, movetext, comments and variations. [`write`] writes it.
//!
//! White moves first, as in chess: `White` is the property `PB`, and `1-0` is `B+`. Black moves first if
//! its tag is the first one. Points stay as they are written until the board of the game is known
//! ([`Record::declare`]). In games with Swap, the choice of a colour stands between the moves. [`result`]
//! reads the results.
// CITE: Steven J. Edwards, "Portable Game Notation Specification and Implementation Guide", 1994

mod game;
mod result;
mod time;
mod write;

use tengen_engine::{GridNotation, Side};

use self::game::Game;
use self::time::{spent, without_time};
use crate::choice::OWN_PROGRAM;
use crate::encoding::choice::decode;
use crate::fault::{Fault, FaultKind};
use crate::format::{FormatEntry, Recognize, Recognized, Sample, Write, line_starts};
use crate::game_text::{add_raw_move, is_move, set_start};
use crate::games::Games;
use crate::numbering::Numbering;
use crate::options::ReadOptions;
use crate::place::Place;
use crate::result::result_length;
use crate::tree::{Collection, Format, PropertyValue, Record, TIME};

impl Format {
    /// Portable Game Notation.
    pub const PGN: Self = Self::new("pgn");
}

pub(crate) const ENTRY: FormatEntry = FormatEntry {
    summary: "Portable Game Notation, with variations and comments",
    extensions: &["pgn"],
    keeps_points: true,
    game_starts: Some(game_starts),
    write: Some(Write::Text(|record, played| record.to_pgn(played.spec))),
    holds,
    holds_variations: true,
    ..FormatEntry::read_only(Format::PGN, "PGN", Recognize::Text(recognize), read)
};

/// Tengen's own property for a tag that SGF has no property for, such as `TimeControl:40/60`.
pub(crate) const TAG: &str = "XP";
/// Tengen's own property for a numeric annotation glyph that SGF has no property for.
pub(crate) const GLYPH: &str = "XN";

/// Tags, and the properties that hold their values.
const TAGS: [(&str, &str); 11] = [
    ("Event", "EV"),
    ("Site", "PC"),
    ("Date", "DT"),
    ("Round", "RO"),
    ("White", "PB"),
    ("Black", "PW"),
    ("Variant", "RU"),
    ("WhiteElo", "BR"),
    ("BlackElo", "WR"),
    ("Annotator", "AN"),
    ("Opening", "ON"),
];

/// A tag of the arena, which names variants as the catalogue does.
const OWN_TAG: &str = "GameId";

/// The tag for the size of the board, such as `15x15`.
const SIZE: &str = "BoardSize";

/// Glyphs that judge a move: number, sign, and the property with its value.
const GLYPHS: [(&str, &str, &str, &str); 6] = [
    ("1", "!", "TE", "1"),
    ("2", "?", "BM", "1"),
    ("3", "!!", "TE", "2"),
    ("4", "??", "BM", "2"),
    ("5", "!?", "IT", ""),
    ("6", "?!", "DO", ""),
];

/// Other glyphs: number and signs.
const SIGNS: [(&str, &[&str]); 13] = [
    ("7", &["\u{25a1}"]),
    ("10", &["="]),
    ("13", &["\u{221e}"]),
    ("14", &["+=", "+/=", "\u{2a72}"]),
    ("15", &["=+", "=/+", "\u{2a71}"]),
    ("16", &["+/-", "\u{b1}"]),
    ("17", &["-/+", "\u{2213}"]),
    ("18", &["+-", "+\u{2212}"]),
    ("19", &["-+", "\u{2212}+"]),
    ("22", &["\u{2a00}"]),
    ("40", &["\u{2192}"]),
    ("132", &["\u{21c6}"]),
    ("140", &["\u{394}", "\u{2206}"]),
];

const MOVE: &str = "a move such as h8";
const TAG_FORM: &str = "a tag such as [Event \"Cup\"]";
const COMMENT_END: &str = "\"}\", which ends a comment";
const VARIATION_END: &str = "\")\", which ends a variation";

fn recognize(sample: &Sample<'_>) -> Recognized {
    let mut lines = sample.text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(['%', ';']));
    if first.is_some_and(|line| tag(line).is_some()) {
        return Recognized::Surely;
    }
    Recognized::Named.when(sample.options.has_extension("pgn"), Recognized::No)
}

fn game_starts(text: &str) -> Vec<usize> {
    line_starts(text, |before, line| {
        line.starts_with("[Event ") && !before.trim_start().starts_with('[')
    })
}

fn holds(record: &Record, property: &str) -> bool {
    if property == "RE" && record.has_unknown_result() {
        return false;
    }
    TAGS.iter().any(|(_, known)| *known == property)
        || GLYPHS.iter().any(|(_, _, known, _)| *known == property)
        || ["C", "RE", TIME, TAG, GLYPH].contains(&property)
}

/// Returns the name of the tag at the start of a text, and the text from its quote on.
fn tag(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix('[')?.trim_start();
    let length = inside.bytes().take_while(|c| c.is_ascii_alphanumeric() || *c == b'_').count();
    let (name, rest) = inside.split_at(length);
    let rest = rest.trim_start();
    (length > 0 && rest.starts_with('"')).then_some((name, rest))
}

/// Reads the games of a file.
fn read(bytes: &[u8], options: &ReadOptions) -> Result<Collection, Fault> {
    let (text, encoding, mut warnings) = decode(bytes, options.encoding)?;
    let games = Games::new(options.skips_bad_games);
    let mut reader = Reader::new(&text, options.notation, games);
    reader.games()?;
    warnings.append(&mut reader.warnings);
    let games = reader.games.collect(Format::PGN)?;
    Ok(games.with_encoding(encoding).with_warnings(warnings))
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// The last place that was returned, and its index.
    last: (Place, usize),
    game: Game,
    /// The board of games that name neither its size nor their rules.
    notation: Option<GridNotation>,
    games: Games,
    warnings: Vec<Fault>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, notation: Option<GridNotation>, games: Games) -> Self {
        let last = (Place::START, 0);
        Self { text, at: 0, last, game: Game::default(), notation, games, warnings: Vec::new() }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn is_line_start(&self) -> bool {
        self.text[..self.at].ends_with('\n') || self.at == 0
    }

    fn place(&mut self) -> Place {
        let (place, from) = self.last;
        self.last = (place.after(&self.text[from..self.at]), self.at);
        self.last.0
    }

    fn expected(&mut self, expected: &'static str, found: &str) -> Fault {
        Fault::new(self.place(), FaultKind::Expected { expected, found: found.to_owned() })
    }

    fn games(&mut self) -> Result<(), Fault> {
        loop {
            match self.step() {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(fault) => {
                    let game = std::mem::take(&mut self.game);
                    self.games.push(Err(fault))?;
                    self.skip_game(game.has_moves);
                }
            }
        }
    }

    /// Skips the rest of a game that cannot be read, up to the first tag of the next one.
    /// `has_moves` is whether its moves have begun.
    fn skip_game(&mut self, has_moves: bool) {
        if !self.is_line_start() {
            self.skip_line();
        }
        while !has_moves && self.rest().starts_with('[') {
            self.skip_line();
        }
        while !self.rest().is_empty() && tag(self.rest()).is_none() {
            self.skip_line();
        }
    }

    /// Reads a tag, a comment or a word. Returns `false` at the end of the text.
    fn step(&mut self) -> Result<bool, Fault> {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
        let Some(c) = self.rest().chars().next() else { return self.finish().map(|()| false) };
        match c {
            '%' if self.is_line_start() => self.skip_line(),
            ';' => {
                let line = self.rest().lines().next().unwrap_or_default();
                let comment = line[1..].trim().to_owned();
                self.skip_line();
                self.comment(&comment);
            }
            '{' => {
                let rest = self.rest();
                let Some(end) = rest.find('}') else {
                    return Err(self.expected(COMMENT_END, ""));
                };
                self.at += end + 1;
                self.comment(&rest[1..end]);
            }
            '[' if self.game.open.is_empty() => self.tag()?,
            '(' => self.open_variation()?,
            ')' => {
                let Some(back) = self.game.open.pop() else {
                    return Err(self.expected(MOVE, ")"));
                };
                self.game.last = back;
                self.game.numbering = Numbering::default();
                self.at += 1;
                // A variation without a move.
                for comment in std::mem::take(&mut self.game.before) {
                    self.comment(&comment);
                }
            }
            _ => self.word()?,
        }
        Ok(true)
    }

    fn skip_line(&mut self) {
        self.at += self.rest().find('\n').map_or(self.rest().len(), |end| end + 1);
    }

    /// Reads a tag.
    fn tag(&mut self) -> Result<(), Fault> {
        let rest = self.rest();
        let line = rest.lines().next().unwrap_or_default();
        let Some((name, quoted)) = tag(line) else { return Err(self.expected(TAG_FORM, line)) };
        if self.game.has_moves || self.game.is_over {
            self.finish()?;
        }
        let place = self.place();
        let inside = &quoted[1..];
        // A quote inside a value should have a backslash. Some programs forget it.
        let end = tag_end(inside)
            .unwrap_or((inside.trim_end_matches(['"', ']', ' ']).len(), inside.len()));
        let value = inside[..end.0].replace("\\\"", "\"").replace("\\\\", "\\");
        self.at += (line.len() - inside.len()) + end.1;
        self.game.has_tags = true;
        self.set_tag(name, value.trim(), place)
    }

    fn set_tag(&mut self, name: &str, value: &str, place: Place) -> Result<(), Fault> {
        let game = &mut self.game;
        let root = game.record.root();
        let is = |tag: &str| name.eq_ignore_ascii_case(tag);
        // An unknown name stands before that of Black, too.
        game.names_white |= is("White");
        if value.is_empty() || value == "?" || value == "-" || value.starts_with("????") {
            return Ok(());
        }
        if is("Black") && !game.names_white {
            game.black_first = Some(place);
        }
        if let Some((_, property)) = TAGS.into_iter().find(|(tag, _)| is(tag)) {
            let value = if property == "DT" { date(value) } else { value.to_owned() };
            if game.record.node(root).text(property).is_some_and(|known| known != value) {
                self.warnings.push(Fault::new(place, FaultKind::RepeatedTag(name.to_owned())));
            }
            let value = PropertyValue::new(&value).at(place);
            game.record.node_mut(root).set_value(property, value);
            return Ok(());
        }
        let node = game.record.node_mut(root);
        match name.to_ascii_lowercase().as_str() {
            "result" => game.add_result(value, place),
            "fen" => {
                game.first = set_start(&mut game.record, value, place)?.turn;
                game.numbering = Numbering::default();
            }
            "boardsize" => {
                node.set_value("SZ", PropertyValue::new(&value.replace('x', ":")).at(place));
            }
            "setup" | "plycount" => {}
            _ => {
                if is(OWN_TAG) {
                    node.set("AP", OWN_PROGRAM);
                }
                if is("Termination") {
                    game.termination = value.to_owned();
                }
                node.add(TAG, &format!("{name}:{value}"));
            }
        }
        Ok(())
    }

    fn open_variation(&mut self) -> Result<(), Fault> {
        let (last, plies) = self.game.last;
        // A variation is another move instead of the last one.
        let Some(parent) = self.game.record.node(last).parent() else {
            return Err(self.expected(MOVE, "("));
        };
        self.game.open.push((last, plies));
        self.game.numbering = Numbering::default();
        self.game.last = (parent, plies - 1);
        self.at += 1;
        Ok(())
    }

    /// Reads a word of the movetext.
    fn word(&mut self) -> Result<(), Fault> {
        let rest = self.rest();
        let is_end = |c: char| c.is_whitespace() || "{}();[]".contains(c);
        let end = rest.find(is_end).unwrap_or(rest.len());
        if end == 0 {
            return Err(self.expected(MOVE, &rest.chars().take(1).collect::<String>()));
        }
        if let Some(length) = result_length(rest, is_end) {
            let place = self.place();
            self.game.add_result(&rest[..length], place);
            self.game.is_over = self.game.open.is_empty();
            self.at += length;
            return Ok(());
        }
        let word = &rest[..end];
        if self.game.is_over {
            self.finish()?;
        }
        if let Some(number) = word.strip_prefix('$') {
            let known = GLYPHS.into_iter().find(|(glyph, ..)| *glyph == number);
            self.glyph(known.map(|(.., name, value)| (name, value)), number);
            self.at += end;
            return Ok(());
        }
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        let dots = word[digits..].bytes().take_while(|byte| *byte == b'.').count();
        if dots > 0 {
            if dots > 1
                && !self.game.has_moves
                && self.game.record.node(self.game.record.root()).value("PL").is_none()
            {
                // `1... h8`: the second player begins.
                self.game.first = Side::Second;
            }
            // A choice of a colour has a number, and is no move.
            if let Ok(number) = word[..digits].parse()
                && self.game.choice.is_none()
            {
                let (mut numbering, plies) = (self.game.numbering, self.game.last.1);
                let jump = numbering.take(number, plies, || self.place());
                self.game.numbering = numbering;
                self.warnings.extend(jump);
            }
            self.at += digits + dots;
            return Ok(());
        }
        if !self.sign(word) && !self.skip(word, &rest[end..]) {
            self.play(word)?;
        }
        self.at += end;
        Ok(())
    }

    /// Reads a sign that stands alone, such as `!`, `\u{b1}` or `+-`. One that is not known is left out,
    /// with a warning. Returns whether `word` is one.
    fn sign(&mut self, word: &str) -> bool {
        if is_move(word) || word.contains(|c: char| c.is_ascii_alphanumeric()) {
            return false;
        }
        if self.marks(word) {
            return true;
        }
        // Signs without a blank between them: the first one judges the move.
        let rests = GLYPHS.iter().filter_map(|(_, sign, ..)| word.strip_prefix(sign));
        match rests.min_by_key(|rest| rest.len()) {
            Some(rest) => {
                self.marks(&word[..word.len() - rest.len()]);
                self.sign(rest);
            }
            None => {
                let fault = Fault::new(self.place(), FaultKind::UnknownSign(word.to_owned()));
                self.warnings.push(fault);
            }
        }
        true
    }

    /// Adds the glyph of a sign to the last node; returns `false` if the sign is not known.
    fn marks(&mut self, sign: &str) -> bool {
        let judged = GLYPHS.into_iter().find(|(_, known, ..)| *known == sign);
        let other = SIGNS.into_iter().find(|(_, known)| known.contains(&sign));
        match (judged, other) {
            (Some((number, _, name, value)), _) => self.glyph(Some((name, value)), number),
            (None, Some((number, _))) => self.glyph(None, number),
            (None, None) => return false,
        }
        true
    }

    /// Reads a ply without a stone, as servers with the rule Swap write it: `black` or `white`, the
    /// colour that a player chose, and `--` beside it. Returns whether `word` is one.
    fn skip(&mut self, word: &str, rest: &str) -> bool {
        let chosen = |word: &str| match word {
            "black" => Some(Side::First),
            "white" => Some(Side::Second),
            _ => None,
        };
        let next = rest.split_whitespace().find(|word| !word.ends_with('.')).unwrap_or_default();
        let is_empty = word == "--" && (self.game.choice.is_some() || chosen(next).is_some());
        if !self.game.open.is_empty() || !(is_empty || chosen(word).is_some()) {
            return false;
        }
        let place = self.place();
        let game = &mut self.game;
        if let Some(side) = chosen(word) {
            let is_first = (game.last.1 + game.skipped).is_multiple_of(2);
            game.choice = Some((side, is_first, place));
        }
        game.skipped += 1;
        true
    }

    /// Adds a move with its sign, such as `h8!?`.
    fn play(&mut self, word: &str) -> Result<(), Fault> {
        // A pass has signs of its own: `--`.
        let is_sign = |c: char| !c.is_alphanumeric() && c != '@';
        let text = if is_move(word) { word } else { word.trim_end_matches(is_sign) };
        let sign = &word[text.len()..];
        if !is_move(text) {
            return Err(self.expected(MOVE, word));
        }
        let place = self.place();
        let game = &mut self.game;
        game.record.check_room(place)?;
        let (last, plies) = game.last;
        let side = if plies.is_multiple_of(2) { game.first } else { game.first.other() };
        game.last = (add_raw_move(&mut game.record, last, side, text, place), plies + 1);
        game.has_moves = true;
        for comment in std::mem::take(&mut self.game.before) {
            self.comment(&comment);
        }
        // Programs of chess mark a check.
        if !sign.trim_matches(['+', '#']).is_empty()
            || SIGNS.iter().any(|(_, known)| known.contains(&sign))
        {
            self.sign(sign);
        }
        Ok(())
    }

    fn glyph(&mut self, known: Option<(&str, &str)>, number: &str) {
        let node = self.game.record.node_mut(self.game.last.0);
        match known {
            Some((name, value)) => node.set(name, value),
            None => node.add(GLYPH, number),
        }
    }

    /// Adds a comment to the last node. A line break in a comment is a blank.
    fn comment(&mut self, text: &str) {
        let game = &mut self.game;
        if game
            .open
            .last()
            .is_some_and(|(beside, _)| game.record.node(*beside).parent() == Some(game.last.0))
        {
            return game.before.push(text.to_owned());
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let node = self.game.record.node_mut(self.game.last.0);
        let (words, time) = without_time(&words);
        let time = time.or_else(|| spent(&words));
        if let Some(time) = time.filter(|time| !time.is_zero()) {
            node.set(TIME, &time.as_millis().to_string());
        }
        let line = words.join(" ");
        match node.comment() {
            Some(before) => node.set("C", &format!("{before}\n{line}")),
            None if line.is_empty() => {}
            None => node.set("C", &line),
        }
    }

    /// Ends the game.
    fn finish(&mut self) -> Result<(), Fault> {
        if !self.game.open.is_empty() {
            return Err(self.expected(VARIATION_END, ""));
        }
        let mut game = std::mem::take(&mut self.game);
        if game.is_empty() {
            return Ok(());
        }
        if game.first == Side::Second {
            let root = game.record.root();
            game.record.node_mut(root).set("PL", "W");
        }
        self.warnings.extend(game.settle_result());
        if let Some((side, is_first, place)) = game.choice
            && (side == Side::First) != is_first
        {
            game.exchange_players();
            game.exchange_winner();
            let word = if side == Side::First { "black" } else { "white" };
            let given = format!("\"{word}\" between the moves");
            let taken = "the choice of a colour: the players exchange their stones".to_owned();
            self.warnings.push(Fault::new(place, FaultKind::Reading { given, taken }));
        }
        game.set_size(self.notation);
        self.games.push(Ok(game.record))
    }
}

/// Returns the end of a value of a tag without its first quote, and the end of the tag.
fn tag_end(inside: &str) -> Option<(usize, usize)> {
    let mut ends = inside.match_indices('"').filter(|(at, _)| {
        let escapes = inside[..*at].bytes().rev().take_while(|byte| *byte == b'\\').count();
        escapes.is_multiple_of(2)
    });
    ends.find_map(|(at, _)| {
        let rest = &inside[at + 1..];
        let blanks = rest.len() - rest.trim_start().len();
        rest.trim_start().starts_with(']').then_some((at, at + 1 + blanks + 1))
    })
}

/// Returns a date as SGF writes it.
fn date(text: &str) -> String {
    text.replace(".??", "").replace('.', "-")
}
