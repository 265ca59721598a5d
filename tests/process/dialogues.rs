//! Whole conversations over a connection in memory, with the real games: one transcript per topic.
//!
//! In `tests/process/dialogues/*.txt`:
//!
//! ```text
//! # a comment
//! > a line to send (with the escapes \t, \r, \0 and \xHH of Rust)
//! < the next line, where * is any text and ? a letter or digit
//! ~ a later line; the lines before it are skipped
//! = no more lines: the next line answers an isready
//! $ the end of the input
//! % no more lines: the server ends
//! ```
//!
//! Every transcript ends with `$` and `%`. They are added if it has none.

use crate::talk::Talk;

/// A transcript that is being played.
struct Play {
    talk: Talk,
    /// The current line of the transcript, for messages.
    at: String,
}

impl Play {
    fn new() -> Self {
        Self { talk: Talk::new(), at: String::new() }
    }

    fn receive(&mut self) -> Option<String> {
        self.talk.receive()
    }

    fn step(&mut self, step: &str) {
        let (kind, text) = step.split_at(1);
        let text = text.strip_prefix(' ').unwrap_or(text);
        match kind {
            "#" => {}
            ">" => self.talk.send([&unescape(text)[..], b"\n"].concat()),
            "<" => {
                let line = self.receive();
                let fits = line.as_ref().is_some_and(|line| matches(text, line));
                assert!(fits, "{}: received {line:?}", self.at);
            }
            "~" => loop {
                let line = self.receive();
                let line = line.unwrap_or_else(|| panic!("{}: not received", self.at));
                if matches(text, &line) {
                    break;
                }
            },
            "=" => {
                self.talk.send("isready\n");
                assert_eq!(self.receive().as_deref(), Some("readyok"), "{}", self.at);
            }
            "$" => self.talk.close(),
            "%" => {
                assert_eq!(self.receive(), None, "{}", self.at);
                self.talk.wait_for_end();
            }
            _ => panic!("no step: {step}"),
        }
    }
}

fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let (byte, length) = match (first, after) {
            (b'\\', [b't', ..]) => (b'\t', 2),
            (b'\\', [b'r', ..]) => (b'\r', 2),
            (b'\\', [b'0', ..]) => (0, 2),
            (b'\\', [b'x', hex @ ..]) => {
                let hex = std::str::from_utf8(&hex[..2]).unwrap();
                (u8::from_str_radix(hex, 16).unwrap(), 4)
            }
            _ => (*first, 1),
        };
        bytes.push(byte);
        rest = &rest[length..];
    }
    bytes
}

/// Returns whether `text` matches `pattern`, in which `*` is any text and `?` a letter or digit.
fn matches(pattern: &str, text: &str) -> bool {
    let (mut expected, mut found) = (pattern.chars(), text.chars());
    match (expected.next(), found.next()) {
        (None, None) => true,
        (Some('*'), None) => matches(expected.as_str(), ""),
        (Some('*'), Some(_)) => {
            matches(expected.as_str(), text) || matches(pattern, found.as_str())
        }
        (Some('?'), Some(c)) if c.is_alphanumeric() => matches(expected.as_str(), found.as_str()),
        (Some(e), Some(c)) => e == c && matches(expected.as_str(), found.as_str()),
        _ => false,
    }
}

fn run(transcript: &str) {
    let mut play = Play::new();
    for (number, step) in transcript.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
        play.at = format!("line {}, {step:?}", number + 1);
        play.step(step);
    }
    if !play.talk.has_ended() {
        play.step("$");
        play.step("%");
    }
}

macro_rules! dialogues {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                run(include_str!(concat!("dialogues/", stringify!($name), ".txt")));
            }
        )*

        const TRANSCRIPTS: &[&str] = &[$(stringify!($name)),*];
    };
}

#[test]
fn every_transcript_is_played() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/process/dialogues");
    for file in std::fs::read_dir(folder).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let is_played = name.strip_suffix(".txt").is_some_and(|name| TRANSCRIPTS.contains(&name));
        assert!(is_played, "{name} is not in the list");
    }
}

dialogues! {
    handshake
    ready_and_stop
    tokens
    limits
    strength
    withheld
    replaced
    finished
    mates
    misere
    own_book
    eval_file
    bad_positions
    bad_input
    options
    variants
    names
    five_in_a_row
    notation
    fen
    people
    perft_and_bench
    tree
    ugi
    gomoku
    renju
    forbidden
    ugi_bad_input
    gtp
    gtp_boards
    gtp_gogui
    gtp_loadsgf
    gomocup
    gomocup_rules
    gomocup_boards
    gomocup_bad_input
    gomocup_openings
    gomocup_swap2
    yixin
    end_of_input
    end_of_input_tree
    end_of_input_infinite
    quit
}

/// Returns the lines of a search of `position`, up to its bestmove.
fn search(play: &mut Play, position: &str, go: &str) -> Vec<String> {
    play.talk.send(format!("{position}\n{go}\n"));
    let mut lines = Vec::new();
    loop {
        lines.push(play.receive().unwrap());
        if lines.last().unwrap().starts_with("bestmove") {
            return lines;
        }
    }
}

fn field<'a>(info: &'a str, name: &str) -> Option<&'a str> {
    info.split(' ').skip_while(|word| *word != name).nth(1)
}

#[test]
fn the_last_info_before_a_bestmove_is_complete_and_its_line_begins_with_the_move() {
    let mut play = Play::new();
    for position in
        ["position startpos", "position startpos moves d1 d2 d3", "position startpos moves a1"]
    {
        for go in [
            "go depth 7",
            "go nodes 1",
            "go movetime 0",
            "go movetime 20",
            "go wtime 1 btime 1",
            "go depth 0",
        ] {
            let lines = search(&mut play, position, go);
            // Only an explanation of a proven result comes between.
            let is_explanation = |line: &&String| line.starts_with("info string");
            let mut before = lines[..lines.len() - 1].iter().rev().skip_while(is_explanation);
            let info = before.next().filter(|line| line.starts_with("info")).unwrap();
            for name in
                ["depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "tbhits", "time"]
            {
                assert!(field(info, name).unwrap().parse::<u64>().is_ok(), "{name}: {info}");
            }
            assert!(["cp", "mate"].contains(&field(info, "score").unwrap()), "{info}");
            let best = field(lines.last().unwrap(), "bestmove").unwrap();
            let (_, pv) = info.split_once(" pv ").unwrap();
            let pv: Vec<&str> = pv.split(' ').collect();
            assert_eq!(pv[0], best);
            assert_eq!(field(lines.last().unwrap(), "ponder"), pv.get(1).copied());
            // The line is legal: the position after it is accepted.
            let moves = if position.contains("moves") { "" } else { " moves" };
            play.talk.send(format!("{position}{moves} {}\nisready\n", pv.join(" ")));
            assert_eq!(play.receive().as_deref(), Some("readyok"), "{info}");
        }
    }
}

#[test]
fn five_hundred_moves_and_no_moves_are_positions() {
    let mut play = Play::new();
    play.talk.send("setoption name UCI_Variant value custom\n");
    for (name, value) in
        [("BoardWidth", "26"), ("BoardHeight", "26"), ("ConnectK", "26"), ("Gravity", "false")]
    {
        play.talk.send(format!("setoption name {name} value {value}\n"));
    }
    let cells = (1..=26).flat_map(|rank| ('a'..='z').map(move |file| format!(" {file}{rank}")));
    let moves: String = cells.take(500).collect();
    play.talk.send(format!("position startpos moves{moves}\nd\n"));
    while play.receive().unwrap() != "Turn: first player" {}
    play.talk.send("position startpos moves\nd\n");
    while play.receive().unwrap() != "Turn: first player" {}
    play.step("$");
    play.step("%");
}

#[test]
fn a_line_over_a_mebibyte_gets_one_message_and_the_next_is_served() {
    let mut play = Play::new();
    let long = "position startpos moves".to_owned() + &" d1".repeat(400_000);
    play.talk.send(long + "\nisready\n");
    play.step("< info string position refused: \"position startpos moves d1 d1 d1...\": the line was skipped, it is longer than 1 MiB");
    play.step("< readyok");
    play.step("=");
}
