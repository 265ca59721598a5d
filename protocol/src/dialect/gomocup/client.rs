//! The client side of Gomocup: writes requests as lines and reads an engine's lines as
//! [`Message`]s.
//!
//! The engine keeps the game. The client sends the opponent's last move, or the whole board if the
//! engine does not know the earlier moves.

use std::time::Duration;

use tengen_engine::{GameSpec, GridNotation, Move, Position, Style};

use super::info::UNLIMITED;
use super::rules::RULES;
use crate::client::{
    ClientDialect, EngineScore, GameNeeds, GameTerms, Info, Message, NotOneLine, SearchRequest,
    one_line, stones_before,
};
use crate::command::Xy;
use crate::dialect::words::{number, split_word, trim};

/// The client side of Gomocup.
#[derive(Debug, Default)]
pub struct GomocupClient {
    /// How many moves of the game the engine knows; `None` before the first one.
    known_moves: Option<usize>,
    /// Whether to send the whole board for each move.
    sends_boards: bool,
    /// A folder that the engine may write to; `None` for none.
    folder: Option<String>,
}

impl GomocupClient {
    /// Returns a client that sends single moves, or whole boards if `sends_boards`. The engine may
    /// write to `folder`.
    pub fn new(sends_boards: bool, folder: Option<String>) -> Self {
        Self { known_moves: None, sends_boards, folder }
    }
}

/// Returns Gomocup's number for the rules of `spec`; `None` if there is none.
pub fn rule_number(spec: &GameSpec) -> Option<i64> {
    let overline = spec.chosen.get("Overline").is_none_or(|&value| value != 0);
    let named = RULES.iter().filter(|rule| {
        rule.variant == spec.variant
            || (rule.variant == "gomokufreestyle" && spec.variant == "freestyle20")
    });
    // Only some variants have the option `Overline`.
    let has_choice = spec.chosen.contains_key("Overline");
    let mut fitting = named.filter(|rule| !has_choice || rule.overline == overline);
    fitting.next().map(|rule| rule.number)
}

impl ClientDialect for GomocupClient {
    fn name(&self) -> &'static str {
        "gomocup"
    }

    fn style(&self) -> Style {
        Style::Plain
    }

    fn declares_options(&self) -> bool {
        false
    }

    fn keeps_clock(&self) -> bool {
        true
    }

    fn cannot_play(&self, needs: &GameNeeds<'_>) -> Option<String> {
        let falls = needs.spec.grid.is_none_or(GridNotation::falls);
        let is_known = !falls && rule_number(needs.spec).is_some();
        let why = || format!("Gomocup has no number for the rules of {}", needs.spec.variant);
        (!is_known).then(why)
    }

    fn greet(&mut self, spec: &GameSpec, out: &mut dyn FnMut(String)) {
        self.known_moves = None;
        out(start_line(spec));
    }

    fn ask_name(&mut self, out: &mut dyn FnMut(String)) -> bool {
        out("ABOUT".to_owned());
        true
    }

    fn set_option(
        &mut self,
        name: &str,
        value: &str,
        out: &mut dyn FnMut(String),
    ) -> Result<(), NotOneLine> {
        out(format!("INFO {} {}", one_line(name)?, one_line(value)?));
        Ok(())
    }

    fn set_variant(&mut self, _: &GameSpec, _: &str, _: &mut dyn FnMut(String)) {
        // `game_ready` sends the rule with each game.
    }

    fn ask_ready(&mut self, _: &mut dyn FnMut(String)) -> bool {
        false
    }

    fn new_game(&mut self, spec: &GameSpec, _: &GameTerms, out: &mut dyn FnMut(String)) {
        self.known_moves = None;
        out(start_line(spec));
    }

    fn game_ready(&mut self, spec: &GameSpec, terms: &GameTerms, out: &mut dyn FnMut(String)) {
        let mut info = |key: &str, value: String| out(format!("INFO {key} {value}"));
        let millis = |time: Duration| time.as_millis().to_string();
        let rule = rule_number(spec).unwrap_or(0);
        info("rule", rule.to_string());
        // 1: the opponent is an engine.
        info("game_type", "1".to_owned());
        info("timeout_turn", terms.turn.map_or_else(|| UNLIMITED.to_string(), millis));
        info("timeout_match", terms.game.map_or_else(|| "0".to_owned(), millis));
        if let Some(increment) = terms.increment.filter(|increment| !increment.is_zero()) {
            info("time_increment", millis(increment));
        }
        info("max_memory", terms.memory.unwrap_or(0).to_string());
        if let Some(nodes) = terms.nodes {
            info("max_node", nodes.to_string());
        }
        if let Some(depth) = terms.depth {
            info("max_depth", depth.to_string());
        }
        if let Some(folder) = &self.folder {
            info("folder", folder.clone());
        }
    }

    fn go(&mut self, request: &SearchRequest<'_>, out: &mut dyn FnMut(String)) {
        let clock = request.limits.clock;
        let left = clock.and_then(|clock| clock.remaining[request.position.turn().index()]);
        let left = left.map_or(UNLIMITED as u128, |left| left.as_millis());
        out(format!("INFO time_left {left}"));
        let Some(notation) = request.position.spec().grid else { return };
        let played = request.moves.len();
        let is_first_move = request.start.is_none() && played <= 1 && self.known_moves.is_none();
        let follows = is_first_move || self.known_moves.is_some_and(|known| known + 1 == played);
        match request.moves.last() {
            None if request.start.is_none() => out("BEGIN".to_owned()),
            Some(last) if follows && !self.sends_boards => {
                if let Some(point) = notation.point_of(*last) {
                    out(format!("TURN {}", Xy::of(point, notation.grid())));
                }
            }
            _ => board(request, notation, out),
        }
        self.known_moves = Some(played + 1);
    }

    fn accept(&mut self, suggestion: &str, out: &mut dyn FnMut(String)) {
        out(format!("PLAY {suggestion}"));
    }

    fn swap(
        &mut self,
        position: &dyn Position,
        stones: &[Move],
        out: &mut dyn FnMut(String),
    ) -> bool {
        let Some(notation) = position.spec().grid else { return false };
        out("SWAP2BOARD".to_owned());
        for point in stones.iter().filter_map(|mv| notation.point_of(*mv)) {
            out(Xy::of(point, notation.grid()).to_string());
        }
        out("DONE".to_owned());
        true
    }

    fn stop(&mut self, out: &mut dyn FnMut(String)) {
        out("YXSTOP".to_owned());
    }

    fn quit(&mut self, out: &mut dyn FnMut(String)) {
        // When only the pipe is closed, some engines repeat their last command.
        out("END".to_owned());
    }

    fn read(&mut self, line: &str) -> Message {
        read(line)
    }
}

fn start_line(spec: &GameSpec) -> String {
    match spec.size() {
        Some((width, height)) if width != height => format!("RECTSTART {width},{height}"),
        Some((side, _)) => format!("START {side}"),
        None => "START 15".to_owned(),
    }
}

/// Sends the whole board: first the stones of the start position, then the moves in order.
fn board(request: &SearchRequest<'_>, notation: GridNotation, out: &mut dyn FnMut(String)) {
    let grid = notation.grid();
    let own = request.position.turn();
    // Some engines read the rows as moves, so the players alternate.
    let mut stones = stones_before(request, notation);
    for point in request.moves.iter().filter_map(|mv| notation.point_of(*mv)) {
        let owner = request.position.stone(point).unwrap_or(own);
        stones.push((point, owner));
    }
    out("BOARD".to_owned());
    for (point, owner) in stones {
        let field = if owner == own { 1 } else { 2 };
        out(format!("{},{field}", Xy::of(point, grid)));
    }
    out("DONE".to_owned());
}

/// Reads a line of an engine.
fn read(line: &str) -> Message {
    let line = trim(line);
    let (word, rest) = split_word(line);
    let is = |name: &str| word.eq_ignore_ascii_case(name);
    match () {
        () if is("OK") => Message::Ready,
        () if is("SUGGEST") => Message::Suggestion(rest.to_owned()),
        () if is("SWAP") => Message::Swap,
        () if is("ERROR") || is("UNKNOWN") => Message::Error(line.to_owned()),
        () if is("MESSAGE") => message(rest),
        // How an engine that speaks GTP answers.
        () if word == "?" => Message::Foreign,
        () if is("DEBUG") => Message::Text(rest.to_owned()),
        () => answer(line),
    }
}

/// Reads a line without a keyword: cells, or the answer to `ABOUT`. Like other managers, it ignores
/// text after the cells.
fn answer(line: &str) -> Message {
    let mut cells = Vec::new();
    let mut rest = line;
    while let Some((cell, after)) = cell(rest) {
        cells.push(cell);
        rest = after;
    }
    match cells.len() {
        0 => {}
        1 => return Message::Move { text: cells.remove(0), ponder: None },
        _ => return Message::Stones(cells),
    }
    match name(line) {
        Some(name) => Message::Name(name),
        None => Message::Other(line.to_owned()),
    }
}

/// Reads a cell at the beginning of `text`: `7,7`, or `7, 7` and `(7,7)`, as some engines write it.
/// Returns the cell as `7,7` and the text after it; `None` if there is no cell.
fn cell(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start();
    let (text, close) = match text.strip_prefix(['(', '[']) {
        Some(inner) => (inner, Some([')', ']'])),
        None => (text, None),
    };
    let (x, text) = digits(text.trim_start())?;
    let text = text.trim_start().strip_prefix(',')?;
    let (y, text) = digits(text.trim_start())?;
    let rest = match close {
        Some(close) => text.trim_start().strip_prefix(close)?,
        None => text,
    };
    // Text such as `7,7,1` or `7,7.5` is no cell.
    let is_end = rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace());
    is_end.then(|| (format!("{x},{y}"), rest))
}

/// Splits the digits off the beginning of `text`; `None` if there are none.
fn digits(text: &str) -> Option<(&str, &str)> {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// Returns name and version in `name="Tengen", version=".."`; `None` for other lines.
fn name(line: &str) -> Option<String> {
    let field = |key: &str| {
        let at = line.to_ascii_lowercase().find(&format!("{key}="))?;
        let value = line.get(at + key.len() + 1..)?;
        let text = match value.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next()?,
            None => value.split(',').next()?,
        };
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    };
    let name = field("name")?;
    Some(field("version").map_or(name.clone(), |version| format!("{name} {version}")))
}

/// Reads the report of a search after `MESSAGE`, such as `Depth 5-8 | Eval 123 | Time 15ms` or
/// `depth 5-8 ev 123 n 15K tm 12 pv H8 I9`. Other text stays text.
fn message(rest: &str) -> Message {
    let mut info = Info::default();
    let mut is_info = false;
    let text = rest.replace('|', " ");
    let mut words = text.split_ascii_whitespace().peekable();
    while let Some(word) = words.next() {
        let key = word.to_ascii_lowercase();
        if key == "pv" || key == "bestline" {
            info.pv = words.by_ref().map(str::to_owned).collect();
            is_info = true;
            break;
        }
        let Some(value) = words.peek().copied() else { break };
        let was_read = match key.as_str() {
            "depth" => depths(value).map(|(depth, seldepth)| {
                (info.depth, info.seldepth) = (Some(depth), seldepth.or(info.seldepth));
            }),
            "ev" | "eval" | "value" | "score" => score(value).map(|score| info.score = Some(score)),
            "n" | "node" | "nodes" => count(value).map(|nodes| info.nodes = Some(nodes)),
            "tm" | "time" => time(value).map(|time| info.time = Some(time)),
            "multipv" => small(value).map(|line| info.line = Some(line)),
            _ => None,
        };
        if was_read.is_some() {
            words.next();
            is_info = true;
        }
    }
    if !is_info {
        return Message::Text(rest.to_owned());
    }
    if info.score.is_some() {
        info.bound = Some(tengen_engine::Bound::Exact);
    }
    Message::Info(info)
}

fn small(text: &str) -> Option<u32> {
    number(text).and_then(|number| u32::try_from(number).ok())
}

/// Reads `5-8` or `5`.
fn depths(text: &str) -> Option<(u32, Option<u32>)> {
    match text.split_once('-') {
        Some((depth, seldepth)) => Some((small(depth)?, Some(small(seldepth)?))),
        None => Some((small(text)?, None)),
    }
}

/// Reads `123`, `-45`, `+M5` or `-M4`, in plies.
fn score(text: &str) -> Option<EngineScore> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if let Some(plies) = rest.strip_prefix(['M', 'm']) {
        let plies = small(plies)?;
        return Some(if sign < 0 { EngineScore::LossIn(plies) } else { EngineScore::WinIn(plies) });
    }
    number(rest).map(|units| EngineScore::Units(sign * units))
}

/// Reads a number of at least 0 and the unit after it, such as `1.5` and `M`.
fn measure(text: &str) -> Option<(f64, &str)> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: f64 = digits.parse().ok()?;
    (number >= 0.0 && number.is_finite()).then_some((number, &text[digits.len()..]))
}

/// Reads `9812`, `15K` or `1.5M`.
fn count(text: &str) -> Option<u64> {
    let (number, unit) = measure(text)?;
    let unit = match unit.to_ascii_uppercase().as_str() {
        "" => 1.0,
        "K" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        _ => return None,
    };
    Some((number * unit) as u64)
}

/// Reads `55ms`, `1.5s`, `3min`, or milliseconds.
fn time(text: &str) -> Option<Duration> {
    let (number, unit) = measure(text)?;
    let millis = match unit.to_ascii_lowercase().as_str() {
        "" | "ms" => 1.0,
        "s" => 1e3,
        "min" | "m" => 6e4,
        "h" => 3.6e6,
        _ => return None,
    };
    (number * millis < 1e12).then(|| Duration::from_secs_f64(number * millis / 1e3))
}

#[cfg(test)]
mod tests;
