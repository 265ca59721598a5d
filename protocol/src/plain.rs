//! Serves a client at standard input and output with threads of the standard library only. The
//! client may speak every dialect but JSON.
//!
//! A thread reads the input. Bytes and events of the backend reach this thread by one channel.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use tengen_engine::backend::Event;
use tengen_engine::{Catalog, Instant, cores};

use crate::io::lines::{InputLine, LineSplitter};
use crate::io::{Output, QUIT_TIMEOUT, ignore_broken_pipe};
use crate::session::{Effect, Engine, Session, Ticket};

/// The maximum number of bytes of one read.
const CHUNK_BYTES: usize = 1 << 16;

/// What the other threads send.
enum Message {
    /// Bytes that were read together, and when they arrived.
    Bytes(Vec<u8>, Instant),
    EndOfInput,
    Backend(Ticket, Event),
}

/// Whether serving continues. Breaks when the client quits or the output fails.
type Flow = ControlFlow<io::Result<()>>;

/// Serves the client at standard input and output with the games of `catalog`, until the client
/// quits. A program with its own game calls this function from `main`. Clients see the name that
/// [`Catalog::about`] gives, and only options that have an effect on the games.
pub fn serve(catalog: &'static dyn Catalog) -> io::Result<()> {
    let (sender, messages) = channel();
    let reader = sender.clone();
    std::thread::Builder::new().spawn(move || read(io::stdin(), &reader))?;
    run(catalog, sender, &messages, Output::standard())
}

/// Sends the bytes of `source`, then its end. A read error counts as the end.
fn read(mut source: impl Read, messages: &Sender<Message>) {
    let mut buffer = vec![0; CHUNK_BYTES];
    loop {
        let message = match source.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Ok(0) | Err(_) => Message::EndOfInput,
            Ok(length) => Message::Bytes(buffer[..length].to_vec(), Instant::now()),
        };
        let is_end = matches!(message, Message::EndOfInput);
        if messages.send(message).is_err() || is_end {
            return;
        }
    }
}

fn run(
    catalog: &'static dyn Catalog,
    sender: Sender<Message>,
    messages: &Receiver<Message>,
    output: Output,
) -> io::Result<()> {
    let engine = Engine { cores: cores(), keeps_log: false, ..Engine::new(catalog) };
    // An error means that the session has ended; its last events are dropped.
    let post = move |ticket, event| drop(sender.send(Message::Backend(ticket, event)));
    let session = Session::new(engine, None, Arc::new(post)).map_err(io::Error::other)?;
    let mut shell = Shell { session, output, timer: None };
    let mut lines = LineSplitter::default();
    let mut is_open = true;
    loop {
        let flow = match shell.next(messages) {
            Some(Message::Bytes(bytes, at)) => lines.feed(&bytes, |line| shell.line(line, at)),
            Some(Message::EndOfInput) => {
                is_open = false;
                shell.end(&mut lines)
            }
            Some(Message::Backend(ticket, event)) => {
                shell.session.event(ticket, event);
                shell.run_effects()
            }
            None => {
                shell.timer = None;
                shell.session.timer_ended();
                shell.run_effects()
            }
        };
        if let ControlFlow::Break(result) = flow {
            // A client that sent `quit` waits for our exit, and may not read the remaining lines.
            let timeout = is_open.then_some(QUIT_TIMEOUT);
            return ignore_broken_pipe(result.and(shell.output.finish(timeout)));
        }
    }
}

/// The session, its output and its timer.
struct Shell {
    session: Session,
    output: Output,
    /// When the timer of the session ends; `None` if it is not set.
    timer: Option<Instant>,
}

impl Shell {
    /// Waits for a message; `None` when the timer ends.
    fn next(&self, messages: &Receiver<Message>) -> Option<Message> {
        let Some(timer) = self.timer else { return messages.recv().ok() };
        messages.recv_timeout(timer.saturating_duration_since(Instant::now())).ok()
    }

    fn line(&mut self, line: InputLine<'_>, at: Instant) -> Flow {
        match line {
            InputLine::Text(text) => self.session.line(&text, at),
            InputLine::TooLong(beginning) => self.session.overlong_line(&beginning, at),
        }
        self.run_effects()
    }

    fn end(&mut self, lines: &mut LineSplitter) -> Flow {
        let at = Instant::now();
        lines.finish(|line| self.line(line, at))?;
        self.session.end_of_input();
        self.run_effects()
    }

    fn run_effects(&mut self) -> Flow {
        for effect in self.session.effects() {
            match effect {
                Effect::Line(line) => {
                    if let Err(error) = self.output.line(&line) {
                        return ControlFlow::Break(Err(error));
                    }
                }
                Effect::Timer(after) => self.timer = Some(Instant::now() + after),
                Effect::Quit => return ControlFlow::Break(Ok(())),
                // No option names a log.
                Effect::Log(_) => {}
            }
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    use super::*;
    use crate::session::tests::FAKE;

    /// A sink that a test reads.
    #[derive(Clone, Default)]
    struct Sink(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn served(input: &str) -> String {
        let (sender, messages) = channel();
        let sink = Sink::default();
        read(io::Cursor::new(input.as_bytes()), &sender);
        run(&FAKE, sender, &messages, Output::new(sink.clone())).unwrap();
        let written = sink.0.lock().unwrap().clone();
        String::from_utf8(written).unwrap()
    }

    #[test]
    fn a_client_is_served_until_it_quits_or_its_input_ends() {
        let lines = served("uci\nisready\nquit\nisready\n");
        assert!(lines.starts_with("id name Fake 3\n"), "{lines}");
        assert_eq!(lines.matches("readyok").count(), 1, "{lines}");
        assert!(!lines.contains("Debug Log File"), "{lines}");
        assert!(served("uci\nisready").ends_with("readyok\n"));
        assert_eq!(served(""), "");
    }

    #[test]
    fn a_line_without_a_dialect_gets_an_answer() {
        assert!(served("{\"id\":\"a\"}\nquit\n").contains("unknown command"));
        let long = format!("uci{}\nquit\n", "x".repeat(2 << 20));
        assert!(served(&long).contains("info string"));
    }
}
