//! Tests of timeouts for silent, slow and lost clients. The clock is paused and jumps to the next
//! timer; connections are in memory.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tengen_games::CATALOG;
use tengen_protocol::queries::{Service, SessionLimits};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::accept::serve_web;
use crate::access::{Access, Reached, Token};
use crate::connection::{Connection, ServerContext};
use crate::hub::Hub;
use crate::limits::ServerLimits;
use crate::metrics::Gauges;
use crate::page::Files;
use crate::routes::router;
use crate::tcp;

const LOCAL: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const PORT: u16 = 7878;
const SECOND: Duration = Duration::from_secs(1);

/// A server without ports, and its clients.
struct Server(Arc<ServerContext>);

impl Server {
    fn new(access: Access) -> Self {
        Self::with(access, ServerLimits::default())
    }

    fn with(access: Access, limits: ServerLimits) -> Self {
        let service = Service {
            hash_mib: 1,
            limits: SessionLimits {
                time: Some(limits.time),
                infinite: Some(limits.infinite),
                queue: Some(limits.queue),
                may_clear: false,
                may_ask_threats: false,
                ..SessionLimits::LOCAL
            },
            ..Service::new(&CATALOG)
        };
        let (hub, events) = Hub::new(service, limits, false);
        tokio::spawn(Arc::clone(&hub).run(events));
        Self(ServerContext::new(hub, access, None))
    }

    /// Opens an HTTP connection with a buffer of `capacity` bytes. The task serves it until it is
    /// upgraded.
    fn web(&self, capacity: usize) -> (DuplexStream, JoinHandle<()>) {
        let (near, far) = duplex(capacity);
        let routes = router(Arc::clone(&self.0), &Files::new());
        (near, tokio::spawn(serve_web(far, self.connect(), routes, self.0.hub.limits)))
    }

    async fn socket(&self) -> WebSocketStream<DuplexStream> {
        let (near, _) = self.web(1 << 16);
        client_async(format!("ws://localhost:{PORT}/v1/ws"), near).await.unwrap().0
    }

    /// Opens a TCP connection with a buffer of `capacity` bytes, and the task that serves it.
    fn tcp(&self, capacity: usize) -> (DuplexStream, JoinHandle<()>) {
        let (near, far) = duplex(capacity);
        (near, tokio::spawn(tcp::serve(far, self.connect(), Arc::clone(&self.0))))
    }

    fn connect(&self) -> Arc<Connection> {
        let reached = Reached { address: Some(LOCAL), port: PORT };
        self.0.connect(SocketAddr::new(LOCAL, 1), reached)
    }

    /// Returns whether one connection was closed for this reason.
    fn closed(&self, reason: &str) -> bool {
        let text = self.0.hub.metrics.text(Gauges::default());
        text.contains(&format!("tengen_closed_total{{why=\"{reason}\"}} 1"))
    }
}

/// Sends one byte per second until the connection is closed. Returns how long that took, and the
/// answer.
async fn trickle(stream: DuplexStream, bytes: &'static [u8]) -> (Duration, String) {
    let begin = Instant::now();
    let (mut input, mut output) = tokio::io::split(stream);
    tokio::spawn(async move {
        for byte in bytes {
            if output.write_all(&[*byte]).await.is_err() {
                return;
            }
            sleep(SECOND).await;
        }
        std::future::pending().await
    });
    let mut answer = Vec::new();
    let _ = input.read_to_end(&mut answer).await;
    (begin.elapsed(), String::from_utf8_lossy(&answer).into_owned())
}

async fn receive(socket: &mut WebSocketStream<DuplexStream>) -> Value {
    loop {
        match socket.next().await.unwrap().unwrap() {
            Message::Text(text) => return serde_json::from_str(&text).unwrap(),
            Message::Close(frame) => panic!("{frame:?}"),
            _ => {}
        }
    }
}

async fn send(socket: &mut WebSocketStream<DuplexStream>, query: Value) {
    socket.send(Message::Text(query.to_string().into())).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_slow_header_times_out() {
    let server = Server::new(Access::default());
    let (stream, _) = server.web(64);
    let (after, answer) = trickle(stream, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert!(after <= 11 * SECOND, "{after:?}");
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn a_slow_body_times_out() {
    let server = Server::new(Access::default());
    let (mut stream, _) = server.web(1024);
    let head = "POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                Content-Length: 100\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let begin = Instant::now();
    let (mut input, mut output) = tokio::io::split(stream);
    tokio::spawn(async move {
        while output.write_all(b" ").await.is_ok() {
            sleep(SECOND).await;
        }
    });
    let mut status = [0; 12];
    input.read_exact(&mut status).await.unwrap();
    assert_eq!(&status, b"HTTP/1.1 408");
    assert!(begin.elapsed() <= 11 * SECOND, "{:?}", begin.elapsed());
}

#[tokio::test(start_paused = true)]
async fn unused_connections_are_closed() {
    let server = Server::new(Access::default());
    let (mut silent, _) = server.web(1024);
    let begin = Instant::now();
    let mut answer = Vec::new();
    silent.read_to_end(&mut answer).await.unwrap();
    assert_eq!(answer, b"", "a browser's spare connection is closed without a word");
    assert!(begin.elapsed() <= 11 * SECOND, "{:?}", begin.elapsed());
    // After a request a connection stays open for the next one, but not forever.
    let (mut kept, _) = server.web(1 << 16);
    kept.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let begin = Instant::now();
    let mut answer = Vec::new();
    kept.read_to_end(&mut answer).await.unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 200"), "{:?}", String::from_utf8_lossy(&answer));
    assert!(begin.elapsed() <= 61 * SECOND, "{:?}", begin.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_the_page_times_out() {
    let server = Server::new(Access::default());
    let (mut stream, task) = server.web(256);
    stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let begin = Instant::now();
    task.await.unwrap();
    assert!(begin.elapsed() <= 15 * SECOND, "{:?}", begin.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_is_suspended_is_closed_and_its_session_ends() {
    let server = Server::new(Access::default());
    let socket = server.socket().await;
    let begin = Instant::now();
    // A client that reads only bytes, not frames, sends no pong.
    let mut stream = socket.into_inner();
    stream.read_to_end(&mut Vec::new()).await.unwrap();
    assert!(begin.elapsed() <= 45 * SECOND, "{:?}", begin.elapsed());
    assert!(server.closed("no pong"));
}

#[tokio::test(start_paused = true)]
async fn an_idle_socket_that_answers_pings_is_closed_after_the_idle_limit() {
    let server = Server::new(Access::default());
    let mut socket = server.socket().await;
    let begin = Instant::now();
    while let Some(Ok(message)) = socket.next().await {
        if let Message::Close(frame) = message {
            assert_eq!(u16::from(frame.unwrap().code), 1000);
        }
    }
    let after = begin.elapsed().as_secs();
    assert!((600..=621).contains(&after), "{after} s");
    assert!(server.closed("idle"));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_never_reads_is_closed_and_its_backlog_is_bounded() {
    let server = Server::new(Access::default());
    let (mut stream, task) = server.tcp(4096);
    let query = json!({ "id": "a", "action": "position", "values": "static" });
    let query = format!("{query}\n");
    let begin = Instant::now();
    let flood =
        tokio::spawn(async move { while stream.write_all(query.as_bytes()).await.is_ok() {} });
    task.await.unwrap();
    assert!(begin.elapsed() <= 15 * SECOND, "{:?}", begin.elapsed());
    assert!(server.closed("stalled"));
    flood.await.unwrap();
    assert_eq!(server.0.hub.backlog(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_first_line_and_the_token_have_a_timeout() {
    let path = std::env::temp_dir().join(format!("tengen-deadline-{}", std::process::id()));
    let token = "0123456789abcdef0123456789abcdef";
    std::fs::write(&path, token).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    let access = Access { token: Some(Token::read(&path).unwrap()), ..Access::default() };
    std::fs::remove_file(&path).unwrap();
    let server = Server::new(access);
    let (_stream, task) = server.tcp(64);
    let begin = Instant::now();
    task.await.unwrap();
    assert!(begin.elapsed() <= 11 * SECOND, "{:?}", begin.elapsed());
    let socket = server.socket().await;
    let begin = Instant::now();
    socket.into_inner().read_to_end(&mut Vec::new()).await.unwrap();
    assert!(begin.elapsed() <= 11 * SECOND, "{:?}", begin.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_session_is_kept_for_a_minute() {
    let server = Server::new(Access::default());
    for (seconds, is_kept) in [(59, true), (61, false)] {
        let mut socket = server.socket().await;
        send(&mut socket, json!({ "id": "h", "action": "hello" })).await;
        let name = receive(&mut socket).await["session"].clone();
        drop(socket);
        sleep(seconds * SECOND).await;
        let mut socket = server.socket().await;
        let resume = json!({ "id": "r", "action": "hello", "resume": name, "last_seq": 1 });
        send(&mut socket, resume).await;
        let reply = receive(&mut socket).await;
        assert_eq!(reply["resumed"] == true, is_kept, "{seconds} s: {reply}");
        assert_eq!(reply["code"] == "unknown_session", !is_kept, "{seconds} s: {reply}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_line_that_never_ends_is_closed_as_idle() {
    let server = Server::new(Access::default());
    let (stream, task) = server.tcp(1024);
    let (input, mut output) = tokio::io::split(stream);
    output.write_all(b"{\"id\":\"a\",\"action\":\"position\"}\n").await.unwrap();
    let mut replies = BufReader::new(input).lines();
    assert!(replies.next_line().await.unwrap().unwrap().contains("position"));
    let begin = Instant::now();
    tokio::spawn(async move {
        while output.write_all(b" ").await.is_ok() {
            sleep(SECOND).await;
        }
    });
    task.await.unwrap();
    assert!(begin.elapsed() <= 621 * SECOND, "{:?}", begin.elapsed());
    assert!(server.closed("idle"));
}

/// A query that waits or searches for a minute.
fn slow(id: &str) -> Value {
    json!({ "id": id, "variant": "gomokufreestyle", "moves": "h8 i9 g7", "time_ms": 60_000 })
}

#[tokio::test(start_paused = true)]
async fn positions_of_a_client_that_is_gone_are_dropped() {
    let server = Server::new(Access::default());
    let (mut stream, task) = server.tcp(4096);
    for id in ["a", "b", "c", "d"] {
        stream.write_all(format!("{}\n", slow(id)).as_bytes()).await.unwrap();
    }
    while server.0.hub.load().0 < 3 {
        sleep(Duration::from_millis(1)).await;
    }
    drop(stream);
    let begin = Instant::now();
    task.await.unwrap();
    assert!(begin.elapsed() <= 3 * SECOND, "{:?}", begin.elapsed());
    assert!(server.closed("gone"));
    assert_eq!(server.0.hub.load().0, 0);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_has_only_closed_its_output_gets_notices_and_its_answers() {
    let server = Server::new(Access::default());
    let (stream, task) = server.tcp(4096);
    let (input, mut output) = tokio::io::split(stream);
    let queries = format!("{}\n{}\n", json!({ "id": "p", "action": "position" }), slow("a"));
    output.write_all(queries.as_bytes()).await.unwrap();
    output.shutdown().await.unwrap();
    let mut replies = BufReader::new(input).lines();
    let mut types = Vec::new();
    while types.len() < 4 {
        let line = replies.next_line().await.unwrap().unwrap();
        let reply: Value = serde_json::from_str(&line).unwrap();
        types.push(format!("{} {}", reply["type"], reply["code"]));
    }
    let notice = "\"notice\" \"input_ended\"";
    assert_eq!(types, ["\"position\" null", notice, notice, notice]);
    drop(replies);
    task.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn sessions_without_a_connection_hold_a_limited_number_of_bytes_together() {
    let limits = ServerLimits { detached_bytes: 2500, ..ServerLimits::default() };
    let server = Server::with(Access::default(), limits);
    let mut names = Vec::new();
    for _ in 0..5 {
        let mut socket = server.socket().await;
        send(&mut socket, json!({ "id": "h", "action": "hello" })).await;
        names.push(receive(&mut socket).await["session"].clone());
        for id in ["a", "b", "c"] {
            send(&mut socket, json!({ "id": id, "action": "position" })).await;
            receive(&mut socket).await;
        }
        drop(socket);
        sleep(SECOND).await;
    }
    let (mut kept, mut sockets) = (Vec::new(), Vec::new());
    for name in names {
        let mut socket = server.socket().await;
        let resume = json!({ "id": "r", "action": "hello", "resume": name, "last_seq": 4 });
        send(&mut socket, resume).await;
        kept.push(receive(&mut socket).await["resumed"] == true);
        // It stays connected, so that no other session gives way.
        sockets.push(socket);
    }
    assert!(!kept[0] && kept[4], "those that lost their connection last are kept: {kept:?}");
}
