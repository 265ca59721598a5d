//! The games of a run of the arena: a JSON object on each line, as `games.jsonl` has them. The
//! journal of a run is read, too.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use tengen_engine::Side;

use crate::choice::OWN_PROGRAM;
use crate::fault::{Fault, FaultKind};
use crate::format::{FormatEntry, Recognize, Recognized, Sample, line_starts};
use crate::game_text::{add_raw_move, is_move, set_start};
use crate::games::Games;
use crate::options::ReadOptions;
use crate::place::Place;
use crate::tree::{Collection, Format, Record, TIME};

impl Format {
    /// Games of a run of the arena, a JSON object on each line.
    pub const JSONL: Self = Self::new("jsonl");
}

pub(crate) const ENTRY: FormatEntry = FormatEntry {
    files: "games.jsonl of tengen arena",
    summary: "A JSON object on each line, as tengen arena writes games",
    extensions: &["jsonl", "json"],
    keeps_points: true,
    // The first line of a journal says what the other lines mean.
    game_starts: Some(|text| {
        let is_journal = text.trim_start().starts_with("{\"kind\"");
        line_starts(text, |_, line| !is_journal && line.starts_with('{'))
    }),
    ..FormatEntry::read_only(Format::JSONL, "JSON of the arena", Recognize::Text(recognize), read)
};

const GAME: &str = "a game of the arena, an object with \"moves\"";
const MOVE: &str = "a list of moves such as h8";

/// The fields of a line that are read: of a game, and of the head of a journal.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Line {
    kind: Option<String>,
    moves: Option<Vec<String>>,
    id: u64,
    round: Option<u64>,
    /// The numbers of the players in a journal, or their names in its head.
    players: Vec<Player>,
    names: Vec<String>,
    variant: Option<String>,
    size: Option<(u32, u32)>,
    start: Option<String>,
    opening_plies: usize,
    notes: Vec<Note>,
    score: Option<String>,
    end: End,
    started: String,
    // What a shelf writes of games that no arena played.
    event: String,
    #[serde(rename = "roundName")]
    round_name: String,
    opening: Opening,
    /// Moves that cannot be played.
    rest: String,
    /// Other headers, by the property of SGF.
    headers: BTreeMap<String, String>,
}

/// The name of an opening. The arena writes other things there.
#[derive(Deserialize, Default)]
#[serde(untagged)]
enum Opening {
    Name(String),
    #[default]
    None,
    Other(IgnoredAny),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Player {
    Number(usize),
    Name(String),
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct End {
    kind: String,
    text: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Note {
    /// The time of the move, in microseconds.
    us: u64,
    /// The score.
    s: Option<String>,
    /// The depth, in plies.
    d: Option<u32>,
    /// The number of nodes.
    n: Option<u64>,
}

/// A game of the arena or the head of a journal begins the file. A query of the JSON protocol is
/// neither.
fn recognize(sample: &Sample<'_>) -> Recognized {
    let first = sample.text.lines().map(str::trim).find(|line| !line.is_empty());
    let line = first.filter(|line| line.starts_with('{'));
    let line: Option<Line> = line.and_then(|line| serde_json::from_str(line).ok());
    let is_own = line.is_some_and(|line| {
        !line.players.is_empty() && (line.score.is_some() || line.kind.is_some())
    });
    Recognized::Surely.when(is_own, Recognized::No)
}

/// Reads the games of a file.
fn read(bytes: &[u8], options: &ReadOptions) -> Result<Collection, Fault> {
    let mut games = Games::new(options.skips_bad_games);
    let text = String::from_utf8_lossy(bytes);
    let mut head = Line::default();
    for (number, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        if let Some(game) = read_line(number, text, &mut head).transpose() {
            games.push(game)?;
        }
    }
    games.collect(Format::JSONL)
}

/// Reads a line; `None` if it has no game. `head` is the head of a journal, if one was read.
fn read_line(number: usize, text: &str, head: &mut Line) -> Result<Option<Record>, Fault> {
    let fault = |character: usize, expected: &'static str, found: &str| {
        let kind = FaultKind::Expected { expected, found: found.to_owned() };
        Fault::new(Place::Text { line: number, character: character.max(1) }, kind)
    };
    let line: Line =
        serde_json::from_str(text).map_err(|error| fault(error.column(), GAME, text))?;
    match (line.kind.as_deref(), &line.moves) {
        (Some("head"), _) => *head = line,
        (Some("game") | None, Some(moves)) => {
            if let Some(mv) = moves.iter().find(|mv| !is_move(mv)) {
                return Err(fault(1, MOVE, mv));
            }
            let place = Place::Text { line: number, character: 1 };
            return game(&line, head, place).map(Some);
        }
        // The other lines of a journal.
        (Some(_), _) => {}
        (None, None) => return Err(fault(1, GAME, text)),
    }
    Ok(None)
}

fn game(line: &Line, head: &Line, place: Place) -> Result<Record, Fault> {
    let mut record = Record::new();
    let first = match &line.start {
        Some(start) => set_start(&mut record, start, place)?.turn,
        None => Side::First,
    };
    let root = record.root();
    let node = record.node_mut(root);
    let name = |side: usize| {
        let named = line.names.get(side);
        named.map(String::as_str).or_else(|| match line.players.get(side)? {
            Player::Name(name) => Some(name),
            Player::Number(number) => match head.players.get(*number)? {
                Player::Name(name) => Some(name),
                Player::Number(_) => None,
            },
        })
    };
    // The arena adds the time.
    let has_time = line.started.as_bytes().get(10) == Some(&b'T');
    let date = if has_time { &line.started[..10] } else { &line.started };
    let round = line.round.map(|round| (round + 1).to_string());
    let round = round.unwrap_or_else(|| line.round_name.clone());
    let opening = match &line.opening {
        Opening::Name(name) => name.clone(),
        _ => String::new(),
    };
    let variant = line.variant.as_ref().or(head.variant.as_ref());
    let size = line.size.or(head.size).filter(|_| line.start.is_none());
    for (property, value) in [
        ("AP", OWN_PROGRAM.to_owned()),
        ("GN", format!("game {}", line.id)),
        ("RO", round),
        ("EV", line.event.clone()),
        ("ON", opening),
        ("DT", date.to_owned()),
        ("PB", name(0).unwrap_or_default().to_owned()),
        ("PW", name(1).unwrap_or_default().to_owned()),
        ("RU", variant.cloned().unwrap_or_default()),
        (
            "SZ",
            size.map_or_else(String::new, |(width, height)| crate::line::size_text(width, height)),
        ),
    ] {
        if !value.is_empty() {
            node.set(property, &value);
        }
    }
    record.set_result(line.score.as_deref().unwrap_or_default(), &line.end.kind);
    let node = record.node_mut(root);
    for (property, value) in &line.headers {
        if !property.is_empty() && property.bytes().all(|byte| byte.is_ascii_uppercase()) {
            node.set(property, value);
        }
    }
    let moves = line.moves.iter().flatten().map(String::as_str);
    let moves = moves.chain(line.rest.split_whitespace());
    let (mut last, mut side) = (root, first);
    for (ply, text) in moves.enumerate() {
        record.check_room(place)?;
        last = add_raw_move(&mut record, last, side, text, place);
        side = side.other();
        let note = ply.checked_sub(line.opening_plies).and_then(|at| line.notes.get(at));
        let node = record.node_mut(last);
        match note {
            Some(note) => note.write(node),
            None if ply < line.opening_plies => node.set("C", "book"),
            None => {}
        }
    }
    if !line.end.text.is_empty() {
        record.node_mut(last).remark(&line.end.text);
    }
    Ok(record)
}

impl Note {
    fn write(&self, node: &mut crate::tree::RecordNode) {
        let millis = self.us / 1000;
        if millis > 0 {
            node.set(TIME, &millis.to_string());
        }
        let score = self.s.as_ref().map(|score| {
            score.clone() + &self.d.map_or_else(String::new, |depth| format!("/{depth}"))
        });
        let seconds = format!("{:.3}s", self.us as f64 / 1e6);
        let nodes = self.n.map(|nodes| format!("n={nodes}"));
        let parts: Vec<String> = score.into_iter().chain([seconds]).chain(nodes).collect();
        node.set("C", &parts.join(" "));
    }
}
