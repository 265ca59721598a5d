//! The plain mode, for pipes and screen readers: it reads typed commands and writes a sentence for
//! each event.
//!
//! At a terminal a command is carried out immediately, also while the engine thinks. From a pipe,
//! the next line waits until the engine has answered, so that a script plays the same game every
//! time.

use std::io::{self, BufRead, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel};
use std::thread::Builder;
use std::time::Duration;

use crate::app::{GameSetup, Show};
use crate::command::Command;
use crate::engine::SearchEvent;
use crate::sentences;
use crate::shell::{Keeping, PlayError, Shell};
use crate::view::board::plain_lines;
use crate::view::help;

/// The maximum length of a line that is read, in bytes; the rest is skipped.
const LONGEST_LINE: u64 = 4096;
/// How often the clock is checked, if there is one.
const TICK: Duration = Duration::from_millis(200);

/// An input of the mode.
enum Event {
    Line(String),
    End,
    Search(SearchEvent),
}

/// Plays until the player leaves or the input ends. `keeping` says where the game in progress is
/// kept. With `is_scripted`, lines wait for the engine.
pub fn run(
    setup: GameSetup,
    keeping: Keeping,
    input: Box<dyn BufRead + Send>,
    output: &mut dyn Write,
    is_scripted: bool,
) -> Result<(), PlayError> {
    let has_clock = setup.time.is_some();
    let (sender, inbox) = channel();
    let events = sender.clone();
    let on_event = Box::new(move |it| drop(events.send(Event::Search(it))));
    let (line_requests, requests) = sync_channel(1);
    let read_lines = move || {
        let mut lines = Lines(input);
        while requests.recv().is_ok() {
            let line = lines.next();
            let is_end = line.is_none();
            let sent = sender.send(line.map_or(Event::End, Event::Line));
            if is_end || sent.is_err() {
                return;
            }
        }
    };
    let reader = Builder::new().name("input".into()).spawn(read_lines);
    reader.map_err(PlayError::Thread)?;
    let shell = Shell::new(setup, keeping, on_event).map_err(PlayError::Thread)?;
    let mut plain =
        Plain { shell, output, inbox, line_requests, is_scripted, line: None, is_ended: false };
    plain.request_line();
    plain.play(has_clock)?;
    if let Some(farewell) = plain.shell.farewell() {
        plain.say(&farewell)?;
    }
    Ok(())
}

/// The lines of an input, none of them longer than [`LONGEST_LINE`].
struct Lines(Box<dyn BufRead + Send>);

impl Lines {
    /// Returns the next line; `None` at the end of the input, or if it cannot be read.
    fn next(&mut self) -> Option<String> {
        let mut bytes = Vec::new();
        let read = self.0.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes).ok()?;
        if read == 0 {
            return None;
        }
        if !bytes.ends_with(b"\n") && bytes.len() as u64 == LONGEST_LINE {
            self.0.skip_until(b'\n').ok()?;
        }
        Some(String::from_utf8_lossy(&bytes).trim().to_owned())
    }
}

struct Plain<'a> {
    shell: Shell,
    output: &'a mut dyn Write,
    inbox: Receiver<Event>,
    /// Requests the next line from the reader.
    line_requests: SyncSender<()>,
    is_scripted: bool,
    /// A line that waits for the engine.
    line: Option<String>,
    is_ended: bool,
}

impl Plain<'_> {
    fn request_line(&self) {
        // The reader thread may have ended.
        let _ = self.line_requests.try_send(());
    }

    fn play(&mut self, has_clock: bool) -> io::Result<()> {
        loop {
            self.show()?;
            if self.shell.is_over() {
                return Ok(());
            }
            let may_continue = !self.is_scripted || !self.shell.app.is_busy();
            if let Some(line) = self.line.take_if(|_| may_continue) {
                self.execute(&line)?;
                self.request_line();
                continue;
            }
            if self.is_ended && !self.shell.app.is_busy() {
                return Ok(());
            }
            self.receive(has_clock);
        }
    }

    fn receive(&mut self, has_clock: bool) {
        let event = if has_clock {
            match self.inbox.recv_timeout(TICK) {
                Ok(event) => event,
                Err(RecvTimeoutError::Timeout) => return self.shell.tick(),
                Err(RecvTimeoutError::Disconnected) => Event::End,
            }
        } else {
            self.inbox.recv().unwrap_or(Event::End)
        };
        match event {
            Event::Line(line) => self.line = Some(line),
            Event::End => self.is_ended = true,
            Event::Search(event) => self.shell.on_search_event(event),
        }
    }

    fn execute(&mut self, line: &str) -> io::Result<()> {
        match Command::read(line) {
            Ok(Some(command)) => self.shell.command(command),
            Ok(None) => {}
            Err(why) => self.say(&format!("{why}."))?,
        }
        Ok(())
    }

    fn show(&mut self) -> io::Result<()> {
        for show in self.shell.execute_effects() {
            match show {
                Show::Sentence(sentence) => self.say(&sentence)?,
                Show::Lines(lines) => self.say_lines(&lines)?,
                Show::Help => self.say_lines(&help::plain_lines())?,
                Show::Board => {
                    self.say_lines(&plain_lines(&self.shell.app))?;
                    self.say(&sentences::turn(self.shell.app.game()))?;
                }
            }
        }
        Ok(())
    }

    fn say(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.output, "{line}")?;
        self.output.flush()
    }

    fn say_lines(&mut self, lines: &[String]) -> io::Result<()> {
        lines.iter().try_for_each(|line| self.say(line))
    }
}
