//! The plain mode, for pipes and screen readers: a sentence for each event, and typed words.
//!
//! At a terminal a word is done at once, also while the engine thinks. From a pipe, the next line
//! waits until the engine has answered, so that a script plays the same game every time.

use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Duration;

use crate::app::GameSetup;
use crate::command::Command;
use crate::engine::News;
use crate::shell::{Shell, Show};
use crate::view::board::plain_lines;
use crate::view::help;
use crate::words;

/// The longest line that is read.
const LONGEST_LINE: u64 = 4096;
/// How often the clock is looked at, if there is one.
const TICK: Duration = Duration::from_millis(200);

/// What comes from outside.
enum Happening {
    Line(String),
    End,
    News(News),
}

/// Plays until the player leaves or the input ends. `is_scripted` has lines wait for the engine;
/// `kept` is where the game in progress is kept.
pub fn run(
    setup: GameSetup,
    kept: Option<PathBuf>,
    input: Box<dyn BufRead + Send>,
    output: &mut dyn Write,
    is_scripted: bool,
) -> io::Result<()> {
    let has_clock = setup.time.is_some();
    let (sender, inbox) = channel();
    let news = sender.clone();
    let post = Box::new(move |it| drop(news.send(Happening::News(it))));
    let (go_on, turns) = sync_channel(1);
    thread::spawn(move || {
        let mut lines = Lines(input);
        while turns.recv().is_ok() {
            let line = lines.next();
            let is_end = line.is_none();
            let sent = sender.send(line.map_or(Happening::End, Happening::Line));
            if is_end || sent.is_err() {
                return;
            }
        }
    });
    let shell = Shell::new(setup, kept, post);
    let mut plain = Plain { shell, output, inbox, go_on, is_scripted, line: None, is_ended: false };
    plain.ask_for_line();
    plain.play(has_clock)?;
    if let Some(farewell) = plain.shell.farewell() {
        plain.say(&farewell)?;
    }
    Ok(())
}

/// The lines of an input, none of them longer than [`LONGEST_LINE`].
struct Lines(Box<dyn BufRead + Send>);

impl Lines {
    /// The next line; `None` at the end of the input, or where it cannot be read.
    fn next(&mut self) -> Option<String> {
        let mut bytes = Vec::new();
        let read = self.0.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes).ok()?;
        if read == 0 {
            return None;
        }
        if !bytes.ends_with(b"\n") && bytes.len() as u64 == LONGEST_LINE {
            self.skip_line()?;
        }
        Some(String::from_utf8_lossy(&bytes).trim().to_owned())
    }

    /// Passes over the rest of a line.
    fn skip_line(&mut self) -> Option<()> {
        loop {
            let buffer = self.0.fill_buf().ok()?;
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let length = end.map_or(buffer.len(), |end| end + 1);
            if length == 0 {
                return Some(());
            }
            self.0.consume(length);
            if end.is_some() {
                return Some(());
            }
        }
    }
}

struct Plain<'a> {
    shell: Shell,
    output: &'a mut dyn Write,
    inbox: Receiver<Happening>,
    /// Lets the next line be read.
    go_on: SyncSender<()>,
    is_scripted: bool,
    /// A line that waits for the engine.
    line: Option<String>,
    is_ended: bool,
}

impl Plain<'_> {
    fn ask_for_line(&self) {
        // The reader may have ended.
        let _ = self.go_on.try_send(());
    }

    fn play(&mut self, has_clock: bool) -> io::Result<()> {
        loop {
            self.show()?;
            if self.shell.is_over() {
                return Ok(());
            }
            let may_go_on = !self.is_scripted || !self.shell.app.is_busy();
            if let Some(line) = self.line.take_if(|_| may_go_on) {
                self.obey(&line)?;
                self.ask_for_line();
                continue;
            }
            if self.is_ended && !self.shell.app.is_busy() {
                return Ok(());
            }
            self.receive(has_clock);
        }
    }

    fn receive(&mut self, has_clock: bool) {
        let happening = if has_clock {
            match self.inbox.recv_timeout(TICK) {
                Ok(happening) => happening,
                Err(RecvTimeoutError::Timeout) => return self.shell.tick(),
                Err(RecvTimeoutError::Disconnected) => Happening::End,
            }
        } else {
            self.inbox.recv().unwrap_or(Happening::End)
        };
        match happening {
            Happening::Line(line) => self.line = Some(line),
            Happening::End => self.is_ended = true,
            Happening::News(news) => self.shell.hear(news),
        }
    }

    fn obey(&mut self, line: &str) -> io::Result<()> {
        match Command::read(line) {
            Ok(Some(command)) => self.shell.command(command),
            Ok(None) => {}
            Err(why) => self.say(&format!("{why}."))?,
        }
        Ok(())
    }

    fn show(&mut self) -> io::Result<()> {
        for show in self.shell.work() {
            match show {
                Show::Sentence(sentence) => self.say(&sentence)?,
                Show::Lines(lines) => self.say_lines(&lines)?,
                Show::Help => self.say_lines(&help::plain_lines())?,
                Show::Board => {
                    self.say_lines(&plain_lines(&self.shell.app))?;
                    self.say(&words::turn(self.shell.app.game()))?;
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
