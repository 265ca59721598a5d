//! A server on free ports, and clients over WebSocket, HTTP and TCP.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use tengen_games::CATALOG;
use tengen_protocol::queries::Service;
use tengen_web::{Access, Addresses, Server, ServerConfig, ServerLimits};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// A server that does not answer within this time hangs.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Waits for `future`, and fails after [`TIMEOUT`].
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(TIMEOUT, future).await.expect("the server hangs")
}

/// A running server on free ports.
pub(crate) struct Running {
    pub(crate) addresses: Addresses,
    pub(crate) shutdown: mpsc::Sender<()>,
    pub(crate) task: JoinHandle<()>,
}

pub(crate) fn config(limits: ServerLimits, access: Access) -> ServerConfig {
    let local = "127.0.0.1:0".parse().ok();
    ServerConfig {
        http: local,
        tcp: local,
        service: Service { hash_mib: 1, ..Service::new(&CATALOG) },
        limits,
        access,
        drain: Duration::from_millis(300),
        isolates: false,
        page_engine: None,
        rooms: None,
    }
}

impl Running {
    pub(crate) async fn with(limits: ServerLimits, access: Access) -> Self {
        Self::start(config(limits, access)).await
    }

    pub(crate) async fn start(config: ServerConfig) -> Self {
        let server = Server::bind(config).await.unwrap();
        let addresses = server.addresses();
        let (shutdown, signal) = mpsc::channel(1);
        Self { addresses, shutdown, task: tokio::spawn(server.run(signal)) }
    }

    pub(crate) async fn new() -> Self {
        Self::with(ServerLimits::default(), Access::default()).await
    }

    pub(crate) fn port(&self) -> u16 {
        self.addresses.http.unwrap().port()
    }

    pub(crate) async fn socket(&self) -> Socket {
        let url = format!("ws://127.0.0.1:{}/v1/ws", self.port());
        Socket(soon(connect_async(url)).await.unwrap().0)
    }

    pub(crate) async fn tcp(&self) -> Lines {
        let stream = TcpStream::connect(self.addresses.tcp.unwrap()).await.unwrap();
        Lines(BufReader::new(stream))
    }

    /// Sends `request` to the port of HTTP. Returns the status and the whole response.
    pub(crate) async fn raw(&self, request: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(self.addresses.http.unwrap()).await.unwrap();
        stream.write_all(request).await.unwrap();
        let mut answer = Vec::new();
        soon(stream.read_to_end(&mut answer)).await.unwrap();
        let text = String::from_utf8_lossy(&answer).into_owned();
        let status = text.split(' ').nth(1).unwrap_or_default().parse().unwrap_or_default();
        (status, text)
    }

    /// Returns the status and the whole response to a request.
    pub(crate) async fn request(&self, head: &str, body: &str) -> (u16, String) {
        let length = body.len();
        let request =
            format!("{head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
        self.raw(request.as_bytes()).await
    }

    /// Returns the value of a metric.
    pub(crate) async fn metric(&self, name: &str) -> usize {
        let head =
            format!("GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}");
        let (_, text) = self.request(&head, "").await;
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("no {name} in {text}")).trim().parse().unwrap()
    }

    pub(crate) async fn get(&self, path: &str) -> (u16, String) {
        self.request(&format!("GET {path} HTTP/1.1\r\nHost: localhost:{}", self.port()), "").await
    }
}

pub(crate) struct Socket(pub(crate) WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    pub(crate) async fn send(&mut self, query: &Value) {
        self.send_message(Message::Text(query.to_string().into())).await;
    }

    pub(crate) async fn send_message(&mut self, message: Message) {
        // A disconnected client notices the error when it receives.
        let _ = self.0.send(message).await;
    }

    /// Returns the next object. The error is the close code of the socket.
    pub(crate) async fn receive(&mut self) -> Result<Value, u16> {
        loop {
            match soon(self.0.next()).await {
                Some(Ok(Message::Text(text))) => return Ok(serde_json::from_str(&text).unwrap()),
                Some(Ok(Message::Close(frame))) => {
                    return Err(frame.map_or(0, |frame| CloseCode::into(frame.code)));
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Err(0),
            }
        }
    }

    /// Returns the next object of the type `kind`.
    pub(crate) async fn until(&mut self, kind: &str) -> Value {
        loop {
            let message = self.receive().await.unwrap_or_else(|code| panic!("closed: {code}"));
            if message["type"] == kind {
                return message;
            }
        }
    }
}

/// A client over TCP.
pub(crate) struct Lines(pub(crate) BufReader<TcpStream>);

impl Lines {
    pub(crate) async fn send(&mut self, query: &Value) {
        self.0.write_all(format!("{query}\n").as_bytes()).await.unwrap();
    }

    /// Returns the next object; `None` at the end.
    pub(crate) async fn receive(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = soon(self.0.read_line(&mut line)).await.ok()?;
        (read > 0).then(|| serde_json::from_str(&line).unwrap())
    }
}

/// The token of servers that need one.
pub(crate) const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A game in which a search from the first move ends only by its limits.
pub(crate) const ENDLESS: &str = "gomokufreestyle";
