//! The client side of GTP: writes requests as commands and reads an engine's responses as
//! [`Message`]s.
//!
//! The engine keeps the game. Every command has a number, and the engine answers the commands in order, so several are
//! sent in one piece. What an engine can do is what its `list_commands` lists.

use std::collections::VecDeque;
use std::time::Duration;

use tengen_engine::{BoardOption, Bound, GameSpec, Limits, Side, Style};

use super::args::colour_name;
use super::vertex;
use crate::client::{
    ClientDialect, EngineScore, GameNeeds, GameTerms, Info, Message, NotOneLine, SearchRequest,
    one_line, stones_before,
};
use crate::dialect::words::{split_word, trim};

/// The commands without which no game can be played.
const NEEDED: [&str; 4] = ["boardsize", "clear_board", "play", "genmove"];
/// The commands that search, play and report, the best first, with the arguments after the colour:
/// the time between two reports in hundredths of a second, and the number of moves.
const ANALYSES: [(&str, &str); 2] =
    [("kata-genmove_analyze", " 10 maxmoves 1"), ("lz-genmove_analyze", " 10")];
/// Tengen's command for the limits of a move.
const LIMIT: &str = "tengen-limit";
/// Tengen's command for an option.
const OPTION: &str = "tengen-option";
/// Tengen's command for the variant.
const VARIANT: &str = "tengen-variant";
/// Commands of engines that read fractions of a second.
const FRACTIONS: [&str; 2] = [LIMIT, "kata-time_settings"];
/// Hundredths for each natural logarithm of the odds: a share of 73 % is 200.
const SCALE: f64 = 200.0;

/// What the response to a command means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Purpose {
    Version,
    Name,
    /// The list of commands, the end of the handshake.
    Commands,
    /// A command of the set-up.
    SetUp,
    /// The last command of a set-up.
    Ready,
    /// A command that a search needs.
    Before,
    /// A search.
    Search,
    Quit,
}

/// A command whose response is due.
#[derive(Debug)]
struct Due {
    id: u64,
    line: String,
    purpose: Purpose,
}

/// A response that is being read.
#[derive(Clone, Copy, Debug)]
struct Response {
    is_good: bool,
    /// Whether the engine has sent its move.
    has_moved: bool,
}

/// The client side of GTP.
#[derive(Debug, Default)]
pub struct GtpClient {
    /// The commands that the engine lists.
    commands: Vec<String>,
    /// The number of the last command.
    last: u64,
    due: VecDeque<Due>,
    /// The response that is being read; `None` between two responses.
    response: Option<Response>,
    version: String,
    terms: GameTerms,
    /// The limits that the engine knows, as the line that sets them.
    limits: String,
    /// How many moves of the game the engine knows; `None` if its board is to be cleared first.
    known_moves: Option<usize>,
}

impl GtpClient {
    fn send(&mut self, purpose: Purpose, line: String, out: &mut dyn FnMut(String)) {
        self.last += 1;
        out(format!("{} {line}", self.last));
        self.due.push_back(Due { id: self.last, line, purpose });
    }

    /// Returns whether the engine lists a command.
    fn has(&self, command: &str) -> bool {
        self.commands.iter().any(|known| known == command)
    }

    /// Writes a time in seconds, as exactly as the engine reads it. Never zero, which may mean no limit.
    fn seconds(&self, time: Duration) -> String {
        let millis = time.as_millis().max(1);
        let is_exact = FRACTIONS.iter().any(|command| self.has(command));
        match (is_exact, millis % 1000) {
            (true, rest) if rest > 0 => format!("{}.{rest:03}", millis / 1000),
            _ => (millis / 1000).max(1).to_string(),
        }
    }

    /// Returns the line that sets the limits of a search; `None` if the engine has no command for them.
    fn limit_line(&self, limits: &Limits) -> Option<String> {
        if self.has(LIMIT) && limits.clock.is_none() {
            let mut line = LIMIT.to_owned();
            let mut add = |name: &str, value: Option<u128>| {
                value.into_iter().for_each(|value| line.push_str(&format!(" {name} {value}")));
            };
            add("nodes", limits.nodes.map(u128::from));
            add("depth", limits.depth.map(u128::from));
            add("time", limits.movetime.map(|time| time.as_millis().max(1)));
            if line.len() > LIMIT.len() {
                return Some(line);
            }
        }
        let (main, period, stones) = match (&limits.clock, limits.movetime) {
            (Some(_), _) => {
                let base = self.seconds(self.terms.game.unwrap_or_default());
                match self.terms.moves {
                    Some(moves) => ("0".to_owned(), base, moves),
                    None => (base, "0".to_owned(), 0),
                }
            }
            (None, Some(time)) => ("0".to_owned(), self.seconds(time), 1),
            // A period without stones is no limit.
            (None, None) => ("0".to_owned(), "1".to_owned(), 0),
        };
        self.has("time_settings").then(|| format!("time_settings {main} {period} {stones}"))
    }

    fn set_limits(&mut self, side: Side, limits: &Limits, out: &mut dyn FnMut(String)) {
        if let Some(line) = self.limit_line(limits).filter(|line| *line != self.limits) {
            self.send(Purpose::Before, line.clone(), out);
            self.limits = line;
        }
        let Some(clock) = &limits.clock else { return };
        let Some(left) = clock.remaining[side.index()] else { return };
        let (colour, stones) = (colour_name(side), clock.moves_to_go.unwrap_or(0));
        let left = self.seconds(left);
        self.send(Purpose::Before, format!("time_left {colour} {left} {stones}"), out);
    }

    /// Returns whether a response begins with a sign and `rest`. The empty line at the end of the response
    /// before may have been dropped between two games.
    fn begins(&self, rest: &str) -> bool {
        match (self.response, self.due.front(), split_id(rest).0) {
            (None, ..) => true,
            (Some(_), _, Some(id)) => self.due.iter().skip(1).any(|due| due.id == id),
            (Some(_), front, None) => front.is_some_and(|due| due.purpose != Purpose::Commands),
        }
    }

    /// Reads the first line of a response, without its sign.
    fn begin(&mut self, is_good: bool, rest: &str) -> Message {
        let (id, text) = split_id(rest);
        let place = match id {
            // Commands without a response are passed over.
            Some(id) => self.due.iter().position(|due| due.id == id),
            None => Some(usize::from(self.response.is_some())),
        };
        let place = place.filter(|place| *place < self.due.len());
        let Some(place) = place else { return Message::Other(rest.to_owned()) };
        self.due.drain(..place);
        let Some(due) = self.due.front() else { return Message::Other(rest.to_owned()) };
        self.response = Some(Response { is_good, has_moved: false });
        if !is_good {
            let refused = format!("{}: ? {text}", due.line);
            return match due.purpose {
                Purpose::Version | Purpose::Name | Purpose::Quit => Message::Text(refused),
                Purpose::Commands | Purpose::SetUp | Purpose::Ready => Message::Error(refused),
                Purpose::Before | Purpose::Search => Message::Refused(refused),
            };
        }
        match due.purpose {
            Purpose::Version => {
                text.clone_into(&mut self.version);
                Message::Text(text.to_owned())
            }
            Purpose::Name => Message::Name(trim(&format!("{text} {}", self.version)).to_owned()),
            Purpose::Ready => Message::Ready,
            Purpose::Commands | Purpose::Search if !text.is_empty() => self.inside(text),
            _ => Message::Text(text.to_owned()),
        }
    }

    /// Reads a line of a response.
    fn inside(&mut self, line: &str) -> Message {
        let Some(Due { purpose, line: command, .. }) = self.due.front() else {
            return Message::Other(line.to_owned());
        };
        let (word, rest) = split_word(line);
        let is_analysis = split_word(command).0 != "genmove";
        let has_moved =
            self.response.is_none_or(|response| response.has_moved || !response.is_good);
        match purpose {
            Purpose::Commands => {
                self.commands.push(word.to_owned());
                Message::Text(line.to_owned())
            }
            Purpose::Search if is_analysis && word == "info" => {
                info(line, command.starts_with("lz-"))
                    .map_or_else(|| Message::Text(line.to_owned()), Message::Info)
            }
            Purpose::Search if is_analysis && word == "play" => self.moved(rest),
            Purpose::Search if !is_analysis && !has_moved => self.moved(line),
            _ => Message::Text(line.to_owned()),
        }
    }

    /// Reads the move of a search.
    fn moved(&mut self, text: &str) -> Message {
        if let Some(response) = &mut self.response {
            response.has_moved = true;
        }
        let (word, _) = split_word(text);
        if word.eq_ignore_ascii_case("resign") {
            return Message::Resign;
        }
        // Text of another form, such as `I5` or `7,7`, could be a point of Tengen.
        let text = match vertex::to_point(word) {
            Some(point) => point,
            None if word.eq_ignore_ascii_case("pass") => "pass".to_owned(),
            None => format!("vertex {word}"),
        };
        Message::Move { text, ponder: None }
    }

    /// Reads the empty line at the end of a response.
    fn end(&mut self) -> Message {
        let text = Message::Text(String::new());
        let Some(Response { is_good, has_moved }) = self.response.take() else { return text };
        match self.due.pop_front() {
            Some(Due { purpose: Purpose::Commands, .. }) if is_good => Message::Welcome,
            Some(Due { purpose: Purpose::Search, line, .. }) if is_good && !has_moved => {
                Message::Refused(format!("{line}: the response has no move"))
            }
            _ => text,
        }
    }
}

impl ClientDialect for GtpClient {
    fn name(&self) -> &'static str {
        "gtp"
    }

    fn style(&self) -> Style {
        Style::Plain
    }

    fn declares_options(&self) -> bool {
        false
    }

    fn cannot_play(&self, needs: &GameNeeds<'_>) -> Option<String> {
        let GameNeeds { spec, variant, terms, sets_options } = *needs;
        if spec.grid.is_none() {
            return Some(format!("GTP has no moves for {}, which has no board", spec.variant));
        }
        let is_timed = terms.turn.is_some() || terms.game.is_some();
        let is_counted = terms.nodes.is_some() || terms.depth.is_some();
        if is_counted && terms.game.is_some() {
            return Some(
                "GTP has no clock together with nodes= or depth=: leave out one of them".to_owned(),
            );
        }
        let mut needed = NEEDED.to_vec();
        needed.extend(is_counted.then_some(LIMIT));
        needed.extend((is_timed && !self.has(LIMIT)).then_some("time_settings"));
        needed.extend(terms.game.map(|_| "time_left"));
        needed.extend(sets_options.then_some(OPTION));
        if let Some(missing) = needed.into_iter().find(|command| !self.has(command)) {
            let what = match missing {
                LIMIT => ", which nodes= and depth= need",
                OPTION => ", which options and this board need; init= sends any line",
                "time_settings" | "time_left" => ", which tc= and st= need",
                _ => "",
            };
            return Some(format!("it has no command {missing}{what}"));
        }
        if variant.is_some() && !self.has(VARIANT) {
            return Some(format!(
                "it has no command {VARIANT}; where it plays {} by itself, say variant-name=none",
                spec.variant
            ));
        }
        let turn = terms.turn.filter(|turn| *turn < Duration::from_secs(1));
        let is_exact = FRACTIONS.iter().any(|command| self.has(command));
        turn.filter(|_| !is_exact)
            .map(|_| "GTP counts whole seconds: st= must be at least 1".to_owned())
    }

    fn greet(&mut self, _: &GameSpec, out: &mut dyn FnMut(String)) {
        self.send(Purpose::Version, "version".to_owned(), out);
        self.send(Purpose::Name, "name".to_owned(), out);
        self.send(Purpose::Commands, "list_commands".to_owned(), out);
    }

    fn set_option(
        &mut self,
        name: &str,
        value: &str,
        out: &mut dyn FnMut(String),
    ) -> Result<(), NotOneLine> {
        let line = format!("{OPTION} {} {}", one_line(name)?, one_line(value)?);
        self.send(Purpose::SetUp, line, out);
        Ok(())
    }

    fn say(&mut self, line: &str, out: &mut dyn FnMut(String)) {
        let line = trim(line.split('#').next().unwrap_or_default());
        let (word, rest) = split_word(line);
        let has_number = word.bytes().all(|byte| byte.is_ascii_digit());
        let line = if has_number { rest } else { line };
        if !line.is_empty() {
            self.send(Purpose::SetUp, line.to_owned(), out);
        }
    }

    fn set_variant(&mut self, spec: &GameSpec, name: &str, out: &mut dyn FnMut(String)) {
        self.send(Purpose::SetUp, format!("{VARIANT} {name}"), out);
        for (name, value) in spec.chosen.iter().filter(|_| self.has(OPTION)).collect::<Vec<_>>() {
            let option = BoardOption::named(name);
            if option.is_none_or(BoardOption::is_size) {
                continue;
            }
            let value = match option.is_some_and(BoardOption::is_switch) {
                true => (*value != 0).to_string(),
                false => value.to_string(),
            };
            self.send(Purpose::SetUp, format!("{OPTION} {name} {value}"), out);
        }
    }

    fn ask_ready(&mut self, out: &mut dyn FnMut(String)) -> bool {
        self.send(Purpose::Ready, "protocol_version".to_owned(), out);
        true
    }

    fn new_game(&mut self, spec: &GameSpec, terms: &GameTerms, out: &mut dyn FnMut(String)) {
        self.terms = *terms;
        self.limits.clear();
        let size = match spec.size() {
            Some((width, height)) if width != height => format!("boardsize {width} {height}"),
            Some((side, _)) => format!("boardsize {side}"),
            None => "boardsize 15".to_owned(),
        };
        self.send(Purpose::SetUp, size, out);
        self.send(Purpose::Ready, "clear_board".to_owned(), out);
        self.known_moves = Some(0);
    }

    fn go(&mut self, request: &SearchRequest<'_>, out: &mut dyn FnMut(String)) {
        let SearchRequest { position, moves, limits, .. } = *request;
        let Some(notation) = position.spec().grid else { return };
        let mut known = self.known_moves.filter(|known| *known <= moves.len());
        if known.is_none() {
            self.send(Purpose::Before, "clear_board".to_owned(), out);
        }
        let side = position.turn();
        let mut plays = Vec::new();
        if known.unwrap_or(0) == 0 {
            known = Some(0);
            if request.start.is_some() {
                plays.extend(stones_before(request, notation));
            }
        }
        for (place, mv) in moves.iter().enumerate().skip(known.unwrap_or(0)) {
            let is_own = (moves.len() - place).is_multiple_of(2);
            let mover = if is_own { side } else { side.other() };
            plays.extend(notation.point_of(*mv).map(|point| (point, mover)));
        }
        for (point, mover) in plays {
            let (colour, vertex) = (colour_name(mover), vertex::of_point(point));
            self.send(Purpose::Before, format!("play {colour} {vertex}"), out);
        }
        self.set_limits(side, limits, out);
        let analysis = ANALYSES.into_iter().find(|(command, _)| self.has(command));
        let (command, arguments) = analysis.unwrap_or(("genmove", ""));
        self.send(Purpose::Search, format!("{command} {}{arguments}", colour_name(side)), out);
        self.known_moves = Some(moves.len() + 1);
    }

    fn stop(&mut self, _: &mut dyn FnMut(String)) {
        // GTP has no command that stops a search.
    }

    fn quit(&mut self, out: &mut dyn FnMut(String)) {
        self.send(Purpose::Quit, "quit".to_owned(), out);
    }

    fn read(&mut self, line: &str) -> Message {
        let line = trim(line);
        if line.is_empty() {
            return self.end();
        }
        let rest = line.strip_prefix(['=', '?']).filter(|rest| self.begins(rest));
        if let Some(rest) = rest {
            return self.begin(line.starts_with('='), rest);
        }
        if self.response.is_some() {
            return self.inside(line);
        }
        let is_answer = line.to_ascii_lowercase().starts_with("unknown command")
            || ["ERROR", "UNKNOWN"].contains(&split_word(line).0);
        match is_answer {
            true => Message::Foreign,
            false => Message::Other(line.to_owned()),
        }
    }
}

/// Splits the number of a response, if it has one, off the text after its sign.
fn split_id(rest: &str) -> (Option<u64>, &str) {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (id, text) = rest.split_at(digits);
    (id.parse().ok(), trim(text))
}

/// Reads the first move of an analysis: `info move H8 visits 9 winrate 5210 .. pv H8 J9 info move ..`.
/// `None` without visits and chances.
fn info(line: &str, is_leela_zero: bool) -> Option<Info> {
    let mut info = Info { line: Some(1), ..Info::default() };
    let mut words = line.split_ascii_whitespace().skip(1).peekable();
    while let Some(key) = words.next() {
        match key {
            // The next move.
            "info" => break,
            "visits" => info.nodes = words.next()?.parse().ok(),
            "winrate" => {
                let share: f64 = words.next()?.parse().ok()?;
                info.score = score(if is_leela_zero { share / 10_000.0 } else { share });
                info.bound = info.score.map(|_| Bound::Exact);
            }
            "pv" => {
                while let Some(point) = words.peek().and_then(|word| vertex::to_point(word)) {
                    info.pv.push(point);
                    words.next();
                }
            }
            _ => {}
        }
    }
    (info.nodes.is_some() || info.score.is_some()).then_some(info)
}

/// Returns the score for a share of wins; `None` for a number that is no share.
fn score(share: f64) -> Option<EngineScore> {
    const LEAST: f64 = 0.000_05;
    let share = (0.0..=1.0).contains(&share).then(|| share.clamp(LEAST, 1.0 - LEAST))?;
    Some(EngineScore::Units((SCALE * (share / (1.0 - share)).ln()).round() as i64))
}

#[cfg(test)]
mod tests;
