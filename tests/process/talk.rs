//! [`Talk`]: a conversation over a connection in memory, with the real games.

use std::thread::{self, JoinHandle};
use std::time::Duration;

use tengen_games::CATALOG;
use tengen_protocol::io::{Connection, MemoryClient};
use tengen_protocol::server::{Server, Workers};
use tengen_protocol::session::Engine;

/// How long to wait for a line.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A client and its server.
pub(crate) struct Talk {
    client: MemoryClient,
    server: Option<JoinHandle<()>>,
}

impl Talk {
    pub(crate) fn new() -> Self {
        let (connection, client) = Connection::memory();
        let server = thread::spawn(move || {
            let engine = Engine { cores: 2, ..Engine::new(&CATALOG) };
            let server = Server::new(engine, None, Workers::default()).unwrap();
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            let no_log = Box::new(|_: Option<&std::path::Path>| Err("no log in a test".to_owned()));
            runtime.block_on(server.run(connection, no_log)).unwrap();
        });
        Self { client, server: Some(server) }
    }

    pub(crate) fn send(&mut self, bytes: impl Into<Vec<u8>>) {
        self.client.send(bytes.into());
    }

    /// Returns the next line; `None` when there is none within [`TIMEOUT`] or the server has ended.
    pub(crate) fn receive(&mut self) -> Option<String> {
        let write = self.client.receive(TIMEOUT)?;
        let mut text = String::from_utf8(write).unwrap();
        assert_eq!(text.pop(), Some('\n'), "every write ends a line");
        assert!(!text.contains('\n'), "every line is one write: {text:?}");
        Some(text)
    }

    /// Ends the input.
    pub(crate) fn close(&mut self) {
        self.client.close();
    }

    /// Waits for the end of the server. Panics if the server panicked.
    pub(crate) fn wait_for_end(&mut self) {
        self.server.take().unwrap().join().unwrap();
    }

    /// Returns whether [`wait_for_end`](Self::wait_for_end) was called.
    pub(crate) fn has_ended(&self) -> bool {
        self.server.is_none()
    }
}
