//! A thousand hostile inputs in three dialects. Each input gets a message that quotes it and does
//! not change the position. The next good command works, and nothing panics or hangs.
//!
//! The inputs are generated from a seed, so that every run sends the same inputs. The tables of
//! [`uci`], [`ugi`] and [`gomocup`] have the categories and the number of inputs of each.

mod gomocup;
mod uci;
mod ugi;
mod words;

use std::io::Write;

use fastrand::Rng;
use tengen_engine::text::quotable;

use crate::support::running::Engine;
use crate::talk::Talk;

/// The seed of the inputs.
const SEED: u64 = 20;
/// The number of inputs.
const COUNT: usize = 1000;

/// An input, and the expected output.
struct Case {
    /// The lines to send, without line ends.
    lines: Vec<Vec<u8>>,
    answer: Expected,
    /// The text that the first message must quote.
    quoted: String,
}

/// The expected output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expected {
    /// This number of messages, and no other lines.
    Messages(usize),
    /// One message. Then there is no valid position until the next good one.
    BadPosition,
    /// This number of messages, and an answer that begins with this text.
    Answer(usize, &'static str),
}

impl Case {
    fn new(line: impl Into<Vec<u8>>, quoted: &str, answer: Expected) -> Self {
        let quoted: String = quotable(quoted).chars().take(60).collect();
        Self { lines: vec![line.into()], answer, quoted }
    }

    /// Returns the case of a line that gets one message.
    fn one_message(line: impl Into<Vec<u8>>, quoted: &str) -> Self {
        Self::new(line, quoted, Expected::Messages(1))
    }

    fn bytes(&self) -> Vec<u8> {
        self.lines.iter().flat_map(|line| [&line[..], b"\n"].concat()).collect()
    }

    /// Returns the input as text for a failure message.
    fn text(&self) -> String {
        let lines: Vec<String> =
            self.lines.iter().map(|line| quotable(&String::from_utf8_lossy(line))).collect();
        lines.join(" / ")
    }

    /// Returns what is wrong with the messages and the answers of this case; `None` if nothing.
    fn fault(&self, messages: &[String], answers: &[String]) -> Option<&'static str> {
        let (count, start) = match self.answer {
            Expected::Messages(count) => (count, None),
            Expected::BadPosition => (1, None),
            Expected::Answer(count, start) => (count, Some(start)),
        };
        let is_clean = |line: &String| line.len() < 700 && !line.chars().any(char::is_control);
        let answered: Vec<bool> =
            answers.iter().map(|line| start.is_some_and(|start| line.starts_with(start))).collect();
        match () {
            () if messages.len() != count => Some("another number of messages is expected"),
            () if !messages.iter().all(is_clean) => Some("a message is not a clean line"),
            () if answered != vec![true; usize::from(start.is_some())] => {
                Some("the answer is wrong")
            }
            () if messages.first().is_some_and(|first| !first.contains(&self.quoted)) => {
                Some("the first message does not quote the input")
            }
            () => None,
        }
    }

    /// Adds what is wrong to `faults`.
    fn check(&self, messages: &[String], answers: &[String], faults: &mut Vec<String>) {
        if let Some(fault) = self.fault(messages, answers) {
            let (text, quoted) = (self.text(), &self.quoted);
            let output = [messages, answers].concat().join("\n    ");
            faults.push(format!("{text}: {fault} ({quoted:?}):\n    {output}"));
        }
    }
}

/// A category of inputs: the generator, and the number of inputs.
type Category = (fn(&mut Rng) -> Case, usize);

/// Returns the inputs of `categories`.
fn cases(seed: u64, categories: &[Category]) -> Vec<Case> {
    let mut rng = Rng::with_seed(seed);
    let mut all = Vec::new();
    for (generate, count) in categories {
        all.extend((0..*count).map(|_| generate(&mut rng)));
    }
    all
}

fn total(categories: &[Category]) -> usize {
    categories.iter().map(|(_, count)| count).sum()
}

#[test]
fn there_are_a_thousand_hostile_inputs() {
    let totals = [&uci::CATEGORIES[..], &ugi::CATEGORIES, &gomocup::CATEGORIES].map(total);
    assert_eq!(totals.iter().sum::<usize>(), COUNT, "{totals:?}");
}

#[test]
fn hostile_inputs_in_uci_get_their_messages_and_change_nothing() {
    uci::run(SEED);
}

#[test]
fn hostile_inputs_in_ugi_get_their_messages_and_change_nothing() {
    ugi::run(SEED);
}

#[test]
fn hostile_inputs_in_gomocup_get_their_messages_and_change_nothing() {
    gomocup::run(SEED);
}

#[test]
#[ignore = "a campaign: a hundred thousand inputs"]
fn campaign_hostile_inputs() {
    for seed in 0..100 {
        uci::run(seed);
        ugi::run(seed);
        gomocup::run(seed);
    }
}

#[test]
fn all_hostile_inputs_at_once_through_the_pipe_of_a_process_end_well() {
    for (opening, categories) in [
        ("uci", &uci::CATEGORIES[..]),
        ("ugi", &ugi::CATEGORIES),
        ("START 6\nINFO max_depth 1", &gomocup::CATEGORIES),
    ] {
        let all: Vec<u8> = cases(SEED, categories).iter().flat_map(|case| case.bytes()).collect();
        let mut engine = Engine::start();
        engine.send(format!("{opening}\n"));
        let mut input = engine.input.take().unwrap();
        let writer = std::thread::spawn(move || input.write_all(&all).unwrap());
        let (lines, status) = engine.rest();
        writer.join().unwrap();
        assert!(status.success(), "{opening}: {status}");
        assert!(lines.len() >= total(categories), "{opening}: {}", lines.len());
    }
}

#[test]
fn hostile_inputs_during_a_search_leave_it_running() {
    let mut conversation = Conversation::new("setoption name Hash value 1\nposition startpos\n");
    conversation.talk.send("go infinite\n");
    let mut faults = Vec::new();
    for case in cases(SEED, &uci::WHILE_SEARCHING) {
        conversation.talk.send(case.bytes());
        conversation.talk.send("isready\n");
        let mut lines = conversation.until(|line| line == "readyok");
        lines.pop();
        lines.retain(|line| line.starts_with("info string") || !line.starts_with("info "));
        case.check(&lines, &[], &mut faults);
    }
    conversation.talk.send("stop\nposition startpos moves d1\ngo depth 1\nisready\n");
    let is_best = |line: &&String| line.starts_with("bestmove ") && !line.contains("none");
    let last = conversation.until(|line| line == "readyok");
    // The answer of the search to depth 1 may come after the readyok.
    let more = match last.iter().filter(is_best).count() {
        2 => Vec::new(),
        _ => conversation.until(|line| line.starts_with("bestmove ")),
    };
    assert_eq!(last.iter().chain(&more).filter(is_best).count(), 2, "{last:#?} {more:#?}");
    conversation.end(&faults);
}

/// A conversation that fails when an expected line does not come.
struct Conversation {
    talk: Talk,
}

impl Conversation {
    fn new(opening: &str) -> Self {
        let mut talk = Talk::new();
        talk.send(opening);
        Self { talk }
    }

    fn receive(&mut self) -> String {
        self.talk.receive().expect("a line: the server hangs, or has ended")
    }

    /// Returns the lines up to the first one for which `ends` is true.
    fn until(&mut self, ends: impl Fn(&str) -> bool) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.receive();
            let is_end = ends(&line);
            lines.push(line);
            if is_end {
                return lines;
            }
        }
    }

    /// Ends the conversation. Fails if there are `faults`.
    fn end(mut self, faults: &[String]) {
        self.talk.close();
        while self.talk.receive().is_some() {}
        self.talk.wait_for_end();
        assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    }
}
