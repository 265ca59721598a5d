//! A server of NATS, and a process that serves its metrics.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use super::{Folder, TENGEN};

/// A server of NATS with an empty folder, which is killed on drop.
pub(super) struct Server {
    process: Child,
    words: Vec<String>,
    port: u16,
    pub(super) url: String,
}

impl Server {
    /// Starts `nats-server` from PATH, or the program that NATS_SERVER names; `None` if there is none.
    pub(super) fn start(folder: &Folder) -> Option<Self> {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let streams = folder.0.join("streams").display().to_string();
        let words = ["-a", "127.0.0.1", "-p", &port.to_string(), "-js", "-sd", &streams];
        let words: Vec<String> = words.map(str::to_owned).to_vec();
        let Ok(process) = Self::process(&words, port) else {
            crate::support::published::skip("nats-server");
            return None;
        };
        Some(Self { process, words, port, url: format!("nats://127.0.0.1:{port}") })
    }

    /// Starts the server with the users of `packaging/cluster`, whose passwords are `secret`.
    pub(super) fn with_users(folder: &Folder) -> Option<Self> {
        let mut server = Self::start(folder)?;
        let config = include_str!("../../../packaging/cluster/nats-server.conf");
        let streams = folder.0.join("streams").display().to_string();
        let config = config.replace("/var/lib/tengen-nats", &streams);
        let config = config.replace("127.0.0.1:4222", &format!("127.0.0.1:{}", server.port));
        server.words = vec!["-c".to_owned(), folder.write("nats.conf", &config)];
        server.kill();
        server.start_again();
        Some(server)
    }

    /// Returns the address of the server with a user of `packaging/cluster`.
    pub(super) fn url_of(&self, user: &str) -> String {
        format!("nats://{user}:secret@127.0.0.1:{}", self.port)
    }

    fn process(words: &[String], port: u16) -> std::io::Result<Child> {
        let program = std::env::var("NATS_SERVER").unwrap_or_else(|_| "nats-server".to_owned());
        let mut command = Command::new(program);
        for variable in ["TENGEN_COORDINATOR_PASSWORD", "TENGEN_WORKER_PASSWORD"] {
            command.env(variable, "secret");
        }
        let process = command.args(words).stderr(Stdio::null()).spawn()?;
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            std::thread::yield_now();
        }
        Ok(process)
    }

    /// Removes a run while its coordinator works, which `tengen runs` refuses.
    pub(super) fn remove_run(&self, name: &str) {
        let head = "NATS/1.0\r\nKV-Operation: DEL\r\n\r\n";
        let length = head.len();
        let mut socket = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        write!(socket, "CONNECT {{\"verbose\":false,\"headers\":true}}\r\nHPUB $KV.tengen_run.{name} {length} {length}\r\n{head}\r\nPING\r\n")
            .unwrap();
        let replies = BufReader::new(socket).lines();
        assert!(replies.map_while(Result::ok).any(|line| line == "PONG"));
    }

    pub(super) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Starts the server again with the folder that it had.
    pub(super) fn start_again(&mut self) {
        self.process = Self::process(&self.words, self.port).unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A process that serves the metrics of a server, which is killed on drop.
pub(super) struct Exporter(Child, String);

impl Exporter {
    pub(super) fn start(nats: &str) -> Self {
        let mut process = Command::new(TENGEN);
        process.args(["runs", nats, "--listen", "127.0.0.1:0"]).stdout(Stdio::piped());
        let mut process = process.stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("metrics at http://").unwrap();
        Self(process, address.strip_suffix("/metrics").unwrap().to_owned())
    }

    /// Returns the reply to a GET, from its status on.
    pub(super) fn get(&self, path: &str) -> String {
        let mut socket = TcpStream::connect(&self.1).unwrap();
        let host = &self.1;
        let head = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        socket.write_all(head.as_bytes()).unwrap();
        let mut reply = String::new();
        socket.read_to_string(&mut reply).unwrap();
        reply.strip_prefix("HTTP/1.1 ").unwrap().to_owned()
    }
}

impl Drop for Exporter {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
