//! A conversation over the in-memory connection, with the real games.

use std::thread::{self, JoinHandle};
use std::time::Duration;

use tengen_games::CATALOG;
use tengen_protocol::io::{Connection, MemoryClient};
use tengen_protocol::server::Server;
use tengen_protocol::session::Engine;

const PATIENCE: Duration = Duration::from_secs(60);

/// A client, and the server that it talks to.
pub(crate) struct Talk {
    client: MemoryClient,
    server: Option<JoinHandle<()>>,
}

impl Talk {
    pub(crate) fn new() -> Self {
        let (connection, client) = Connection::memory();
        let server = thread::spawn(move || {
            let engine = Engine::new(&CATALOG).with_cores(2);
            let server = Server::new(engine, None).unwrap();
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

    /// The next line; `None` when none came in time or none will come.
    pub(crate) fn hear(&mut self) -> Option<String> {
        let write = self.client.receive(PATIENCE)?;
        let mut text = String::from_utf8(write).unwrap();
        assert_eq!(text.pop(), Some('\n'), "every write ends a line");
        assert!(!text.contains('\n'), "every line is one write: {text:?}");
        Some(text)
    }

    /// Ends the input.
    pub(crate) fn close(&mut self) {
        self.client.close();
    }

    /// Waits until the server leaves. A panic of the server is one here.
    pub(crate) fn wait_for_end(&mut self) {
        self.server.take().unwrap().join().unwrap();
    }

    /// Whether the server was seen to leave.
    pub(crate) fn is_over(&self) -> bool {
        self.server.is_none()
    }
}
