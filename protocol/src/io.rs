//! Connections to a client: standard input and output, or memory. They carry bytes only.
//!
//! It knows no line and no command. All input is read on the task that serves it. Pipes and sockets
//! are read when they are ready, without another thread. All other input comes from a reading
//! thread through a channel.

mod input;
pub mod lines;
mod output;

use std::io;
use std::sync::mpsc as blocking;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

pub(crate) use self::input::Input;
pub(crate) use self::output::Output;

/// One client.
pub struct Connection {
    pub(crate) input: Input,
    pub(crate) output: Output,
}

impl Connection {
    /// Returns the client at standard input and output. Must be called inside a runtime with I/O
    /// enabled.
    pub fn stdio() -> Self {
        Self { input: Input::stdin(), output: Output::stdout() }
    }

    /// Returns a client in memory, and its end of the connection.
    pub fn memory() -> (Self, MemoryClient) {
        let (to_input, chunks) = mpsc::channel(CHUNKS);
        let (writes, from_output) = blocking::channel();
        let connection =
            Self { input: Input::Channel(chunks), output: Output::new(Writes(writes)) };
        (connection, MemoryClient { to_input: Some(to_input), from_output })
    }
}

/// How many chunks may wait between a reading thread and the session.
const CHUNKS: usize = 64;

/// Bytes in one piece, and when they came.
pub(crate) type Chunk = (Vec<u8>, Instant);

/// The other end of [`Connection::memory`]: used outside the runtime that serves it.
pub struct MemoryClient {
    to_input: Option<mpsc::Sender<Chunk>>,
    from_output: blocking::Receiver<Vec<u8>>,
}

impl MemoryClient {
    /// Sends `bytes`. They are lost after the server has ended.
    pub fn send(&mut self, bytes: impl Into<Vec<u8>>) {
        if let Some(input) = &self.to_input {
            // Nobody to send to is what a client of a program that has left finds.
            let _ = input.blocking_send((bytes.into(), Instant::now()));
        }
    }

    /// Ends the input.
    pub fn close(&mut self) {
        self.to_input = None;
    }

    /// Returns the next write to the output, in one piece; `None` when none came in time or none
    /// will come.
    pub fn receive(&mut self, patience: Duration) -> Option<Vec<u8>> {
        self.from_output.recv_timeout(patience).ok()
    }
}

struct Writes(blocking::Sender<Vec<u8>>);

impl io::Write for Writes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send(bytes.to_vec()).map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
