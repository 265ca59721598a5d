//! The client side of UCI: writes requests as lines and reads an engine's lines as [`Message`]s.
//!
//! The client side of UGI shares the code. `Words` holds the differences.

use std::time::Duration;

use tengen_engine::{Bound, Clock, GameSpec, Limits, Side, Style};

use super::write::Words;
use crate::client::{
    ClientDialect, EngineOption, EngineOptionKind, EngineScore, GameTerms, Info, Message,
    SearchRequest,
};
use crate::dialect::words::{number, split_word, trim};

/// The option that selects the variant.
pub const VARIANT_OPTION: &str = "UCI_Variant";

/// The client side of UCI. [`ugi`](crate::dialect::ugi::client::ugi) returns that of UGI.
#[derive(Debug)]
pub struct UciClient {
    words: &'static Words,
    /// Whether moves are written as drops, because the variant was set.
    writes_drops: bool,
}

impl Default for UciClient {
    fn default() -> Self {
        Self::with_words(&Words::UCI)
    }
}

impl UciClient {
    pub(crate) fn with_words(words: &'static Words) -> Self {
        Self { words, writes_drops: false }
    }
}

impl ClientDialect for UciClient {
    fn name(&self) -> &'static str {
        self.words.name
    }

    fn style(&self) -> Style {
        if self.writes_drops { Style::Drop } else { Style::Plain }
    }

    fn can_ponder(&self) -> bool {
        self.words.is_uci
    }

    fn greet(&mut self, _: &GameSpec, out: &mut dyn FnMut(String)) {
        out(self.words.name.to_owned());
    }

    fn set_variant(&mut self, _: &GameSpec, name: &str, out: &mut dyn FnMut(String)) {
        self.writes_drops = self.words.is_uci;
        // A name that is no part of a line is the name of no variant.
        let _ = self.set_option(VARIANT_OPTION, name, out);
    }

    fn new_game(&mut self, _: &GameSpec, _: &GameTerms, out: &mut dyn FnMut(String)) {
        out(format!("{}newgame", self.words.name));
        out("isready".to_owned());
    }

    fn go(&mut self, request: &SearchRequest<'_>, out: &mut dyn FnMut(String)) {
        // Engines with a variant option expect the stones in hand in the FEN.
        out(position_line(request, self.writes_drops));
        out(go_line(request.limits, self.words));
    }

    fn ponder_hit(&mut self, out: &mut dyn FnMut(String)) {
        out("ponderhit".to_owned());
    }

    fn read(&mut self, line: &str) -> Message {
        read(line, self.words)
    }
}

/// Returns the `position` line of `request`. With `pocket` the FEN contains the stones in hand.
fn position_line(request: &SearchRequest<'_>, pocket: bool) -> String {
    let mut line = match request.start {
        None => "position startpos".to_owned(),
        Some(text) => {
            let mut start = request.position.duplicate();
            let text = match pocket && start.set_up(text).is_ok() {
                true => start.fen(true),
                false => text.to_owned(),
            };
            format!("position fen {text}")
        }
    };
    if !request.texts.is_empty() {
        line.push_str(" moves");
    }
    for mv in request.texts {
        line.push(' ');
        line.push_str(mv);
    }
    line
}

/// Returns the `go` line with `limits`.
pub(crate) fn go_line(limits: &Limits, words: &Words) -> String {
    let mut line = "go".to_owned();
    let mut add = |word: &str, value: u128| line.push_str(&format!(" {word} {value}"));
    if let Some(clock) = &limits.clock {
        add_clock(clock, words, &mut add);
    }
    if let Some(time) = limits.movetime {
        add("movetime", time.as_millis());
    }
    if let Some(depth) = limits.depth {
        add("depth", depth.into());
    }
    if let Some(nodes) = limits.nodes {
        add("nodes", nodes.into());
    }
    // `Limits::mate` counts plies, and UCI counts moves.
    if let Some(plies) = limits.mate {
        add("mate", u128::from(plies.div_ceil(2)));
    }
    for (flag, word) in [(limits.ponder, "ponder"), (limits.infinite, "infinite")] {
        if flag {
            line.insert_str(2, &format!(" {word}"));
        }
    }
    line
}

fn add_clock(clock: &Clock, words: &Words, add: &mut dyn FnMut(&str, u128)) {
    for side in [Side::First, Side::Second] {
        if let Some(left) = clock.remaining[side.index()] {
            // At least 1 ms: for some engines 0 means no clock.
            add(words.times[side.index()], left.as_millis().max(1));
        }
    }
    for side in [Side::First, Side::Second] {
        let increment = clock.increment[side.index()];
        if !increment.is_zero() || clock.increment != [Duration::ZERO; 2] {
            add(words.increments[side.index()], increment.as_millis());
        }
    }
    if let Some(moves) = clock.moves_to_go {
        add("movestogo", moves.into());
    }
}

/// Reads a line of an engine.
fn read(line: &str, words: &Words) -> Message {
    let line = trim(line);
    let (word, rest) = split_word(line);
    match word {
        "id" => match split_word(rest) {
            ("name", name) if !name.is_empty() => Message::Name(name.to_owned()),
            _ => Message::Text(line.to_owned()),
        },
        "option" => option(rest).map_or_else(|| Message::Other(line.to_owned()), Message::Option),
        "readyok" => Message::Ready,
        "info" => info(rest, words),
        "bestmove" => best_move(rest, line),
        _ if word.strip_suffix("ok") == Some(words.name) => Message::Welcome,
        // Answers of engines to an unknown command.
        "ERROR" | "UNKNOWN" | "?" => Message::Foreign,
        _ if line.to_ascii_lowercase().starts_with("unknown command") => Message::Foreign,
        _ => Message::Other(line.to_owned()),
    }
}

fn best_move(rest: &str, line: &str) -> Message {
    let mut words = rest.split_ascii_whitespace();
    let Some(text) = words.next() else { return Message::Other(line.to_owned()) };
    let ponder = words.next().filter(|word| *word == "ponder").and_then(|_| words.next());
    Message::Move { text: text.to_owned(), ponder: ponder.map(str::to_owned) }
}

/// Reads the words after `option`: `name N type T ..`.
fn option(rest: &str) -> Option<EngineOption> {
    const KEYS: [&str; 6] = ["name", "type", "default", "min", "max", "var"];
    let mut fields: Vec<(&str, String)> = Vec::new();
    for word in rest.split_ascii_whitespace() {
        match (KEYS.iter().find(|key| **key == word), fields.last_mut()) {
            (Some(key), _) => fields.push((key, String::new())),
            (None, Some((_, value))) => {
                if !value.is_empty() {
                    value.push(' ');
                }
                value.push_str(word);
            }
            (None, None) => return None,
        }
    }
    let field = |key: &str| fields.iter().find(|(known, _)| *known == key).map(|(_, value)| value);
    let limit = |key| field(key).and_then(|value| number(value));
    let kind = match field("type")?.as_str() {
        "spin" => EngineOptionKind::Spin {
            min: limit("min").unwrap_or(i64::MIN),
            max: limit("max").unwrap_or(i64::MAX),
        },
        "check" => EngineOptionKind::Check,
        "combo" => {
            let values = fields.iter().filter(|(key, _)| *key == "var");
            EngineOptionKind::Combo(values.map(|(_, value)| value.clone()).collect())
        }
        "button" => EngineOptionKind::Button,
        "string" => EngineOptionKind::Text,
        _ => return None,
    };
    let name = field("name").filter(|name| !name.is_empty())?.clone();
    Some(EngineOption { name, kind })
}

/// Reads the words after `info`.
fn info(rest: &str, words: &Words) -> Message {
    let mut info = Info::default();
    let mut fields = rest.split_ascii_whitespace().peekable();
    while let Some(key) = fields.next() {
        let mut value = || fields.next().and_then(number);
        let small = |value: Option<i64>| value.and_then(|number| u32::try_from(number).ok());
        match key {
            "string" => {
                let text = rest.split_once("string").map_or("", |(_, text)| text.trim());
                return Message::Text(text.to_owned());
            }
            "depth" => info.depth = small(value()),
            "seldepth" => info.seldepth = small(value()),
            "multipv" => info.line = small(value()),
            "nodes" => info.nodes = value().and_then(|nodes| u64::try_from(nodes).ok()),
            "time" => {
                let millis = value().and_then(|time| u64::try_from(time).ok());
                info.time = millis.map(Duration::from_millis);
            }
            "score" => {
                let kind = fields.next();
                let size = fields.next().and_then(number);
                info.score = score(kind, size, words);
            }
            "lowerbound" => info.bound = Some(Bound::Lower),
            "upperbound" => info.bound = Some(Bound::Upper),
            "pv" => info.pv = fields.by_ref().map(str::to_owned).collect(),
            _ => {}
        }
    }
    if info.score.is_some() && info.bound.is_none() {
        info.bound = Some(Bound::Exact);
    }
    Message::Info(info)
}

fn score(kind: Option<&str>, size: Option<i64>, words: &Words) -> Option<EngineScore> {
    let size = size?;
    match kind? {
        "cp" => Some(EngineScore::Units(size)),
        "mate" => {
            let length = u32::try_from(size.unsigned_abs()).unwrap_or(u32::MAX / 2);
            Some(match (size > 0, words.is_uci) {
                (true, true) => EngineScore::WinIn(length.saturating_mul(2).saturating_sub(1)),
                (false, true) => EngineScore::LossIn(length.saturating_mul(2)),
                (true, false) => EngineScore::WinIn(length),
                (false, false) => EngineScore::LossIn(length),
            })
        }
        _ => None,
    }
}

#[cfg(test)]
pub(crate) mod tests;
