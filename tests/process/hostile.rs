//! A thousand hostile inputs in the three dialects. Each gets its message, which quotes it; the
//! position stays as it was; the next good command works; nothing panics and nothing hangs.
//!
//! The inputs are made from a seed, so that every run sends the same. What is sent in each category,
//! and how often, stands in the tables of [`uci`], [`ugi`] and [`gomocup`].

mod gomocup;
mod uci;
mod ugi;
mod words;

use std::io::Write;

use fastrand::Rng;
use tengen_engine::text::quotable;

use crate::support::running::Engine;
use crate::talk::Talk;

/// The seed of the inputs that every run of the tests sends.
const SEED: u64 = 20;
/// How many inputs that are.
const COUNT: usize = 1000;

/// What is sent, and what has to come.
struct Case {
    /// Lines without their ends.
    lines: Vec<Vec<u8>>,
    answer: Expected,
    /// What the first message has to quote.
    quoted: String,
}

/// What comes back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expected {
    /// So many messages and nothing else.
    Messages(usize),
    /// One message, and the position is bad until the next good one.
    BadPosition,
    /// So many messages, and the line that the command is answered by begins so.
    Answer(usize, &'static str),
}

impl Case {
    fn new(line: impl Into<Vec<u8>>, quoted: &str, answer: Expected) -> Self {
        let quoted: String = quotable(quoted).chars().take(60).collect();
        Self { lines: vec![line.into()], answer, quoted }
    }

    /// A line that gets one message.
    fn told(line: impl Into<Vec<u8>>, quoted: &str) -> Self {
        Self::new(line, quoted, Expected::Messages(1))
    }

    fn bytes(&self) -> Vec<u8> {
        self.lines.iter().flat_map(|line| [&line[..], b"\n"].concat()).collect()
    }

    /// The case in a message of a test.
    fn shown(&self) -> String {
        let lines: Vec<String> =
            self.lines.iter().map(|line| quotable(&String::from_utf8_lossy(line))).collect();
        lines.join(" / ")
    }

    /// What is wrong with the messages of this case and the lines that answer it.
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
            () if !messages.iter().all(is_clean) => Some("a message is no clean line"),
            () if answered != vec![true; usize::from(start.is_some())] => {
                Some("the answer is wrong")
            }
            () if messages.first().is_some_and(|first| !first.contains(&self.quoted)) => {
                Some("the first message does not quote the input")
            }
            () => None,
        }
    }

    /// Notes in `faults` what is wrong.
    fn check(&self, messages: &[String], answers: &[String], faults: &mut Vec<String>) {
        if let Some(fault) = self.fault(messages, answers) {
            let (shown, quoted) = (self.shown(), &self.quoted);
            let told = [messages, answers].concat().join("\n    ");
            faults.push(format!("{shown}: {fault} ({quoted:?}):\n    {told}"));
        }
    }
}

/// A category: what makes its inputs, and how many there are.
type Category = (fn(&mut Rng) -> Case, usize);

/// The inputs of these categories.
fn cases(seed: u64, categories: &[Category]) -> Vec<Case> {
    let mut rng = Rng::with_seed(seed);
    let mut all = Vec::new();
    for (make, count) in categories {
        all.extend((0..*count).map(|_| make(&mut rng)));
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
    let mut hearing = Hearing::new("setoption name Hash value 1\nposition startpos\n");
    hearing.talk.send("go infinite\n");
    let mut faults = Vec::new();
    for case in cases(SEED, &uci::WHILE_SEARCHING) {
        hearing.talk.send(case.bytes());
        hearing.talk.send("isready\n");
        let mut lines = hearing.until(|line| line == "readyok");
        lines.pop();
        lines.retain(|line| line.starts_with("info string") || !line.starts_with("info "));
        case.check(&lines, &[], &mut faults);
    }
    hearing.talk.send("stop\nposition startpos moves d1\ngo depth 1\nisready\n");
    let is_best = |line: &&String| line.starts_with("bestmove ") && !line.contains("none");
    let last = hearing.until(|line| line == "readyok");
    // The answer of the search to depth 1 may come after the readyok.
    let more = match last.iter().filter(is_best).count() {
        2 => Vec::new(),
        _ => hearing.until(|line| line.starts_with("bestmove ")),
    };
    assert_eq!(last.iter().chain(&more).filter(is_best).count(), 2, "{last:#?} {more:#?}");
    hearing.end(&faults);
}

/// A talk whose every line is classed as a message, an answer or a part of the state.
struct Hearing {
    talk: Talk,
}

impl Hearing {
    fn new(opening: &str) -> Self {
        let mut talk = Talk::new();
        talk.send(opening);
        Self { talk }
    }

    fn hear(&mut self) -> String {
        self.talk.hear().expect("a line: the server hangs, or has left")
    }

    /// Everything up to the line for which `ends` holds.
    fn until(&mut self, ends: impl Fn(&str) -> bool) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.hear();
            let is_end = ends(&line);
            lines.push(line);
            if is_end {
                return lines;
            }
        }
    }

    /// Ends the talk, in which these faults were found.
    fn end(mut self, faults: &[String]) {
        self.talk.close();
        while self.talk.hear().is_some() {}
        self.talk.wait_for_end();
        assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    }
}
