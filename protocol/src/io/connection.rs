//! [`Connection`]: the input and the output of one client.

use std::io;
use std::sync::mpsc as blocking;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::input::{CHANNEL_CAPACITY, Chunk, Input};
use super::output::Output;

/// A connection to one client.
pub struct Connection {
    pub(crate) input: Input,
    pub(crate) output: Output,
}

impl Connection {
    /// Returns the connection over standard input and output. Must be called inside a tokio runtime
    /// with I/O enabled. An error means that the system starts no thread.
    pub fn stdio() -> io::Result<Self> {
        Ok(Self { input: Input::stdin()?, output: Output::standard() })
    }

    /// Returns a connection in memory, and the client's end of it.
    pub fn memory() -> (Self, MemoryClient) {
        let (to_input, chunks) = mpsc::channel(CHANNEL_CAPACITY);
        let (writes, from_output) = blocking::channel();
        let connection =
            Self { input: Input::Channel(chunks), output: Output::new(ChannelWriter(writes)) };
        (connection, MemoryClient { to_input: Some(to_input), from_output })
    }
}

/// The client's end of [`Connection::memory`]. Its calls block: use it outside the runtime that
/// serves the connection.
pub struct MemoryClient {
    to_input: Option<mpsc::Sender<Chunk>>,
    from_output: blocking::Receiver<Vec<u8>>,
}

impl MemoryClient {
    /// Sends `bytes` to the server. Does nothing when the server has ended.
    pub fn send(&mut self, bytes: impl Into<Vec<u8>>) {
        if let Some(input) = &self.to_input {
            // An error means that the server has ended.
            let _ = input.blocking_send((bytes.into(), Instant::now()));
        }
    }

    /// Ends the input.
    pub fn close(&mut self) {
        self.to_input = None;
    }

    /// Returns the bytes of the server's next write; `None` when there is none within `timeout` or
    /// the server has ended.
    pub fn receive(&mut self, timeout: Duration) -> Option<Vec<u8>> {
        self.from_output.recv_timeout(timeout).ok()
    }
}

struct ChannelWriter(blocking::Sender<Vec<u8>>);

impl io::Write for ChannelWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send(bytes.to_vec()).map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
