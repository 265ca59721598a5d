//! Access: tokens, connections without a session, HTTP requests at the port of `--tcp`, and the
//! addresses of the machine.

use std::sync::LazyLock;

use serde_json::json;
use tengen_web::{Access, Addresses, ServerConfig, ServerLimits, Token};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use crate::support::{Lines, Running, Socket, TOKEN, config, soon};

/// The access of clients that show [`TOKEN`], read from a file. Also checks the errors of bad
/// files.
pub(crate) fn access() -> Access {
    static READ: LazyLock<Token> = LazyLock::new(|| {
        let path = std::env::temp_dir().join(format!("tengen-token-{}", std::process::id()));
        std::fs::write(&path, format!("{TOKEN}\n")).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
            assert!(Token::read(&path).is_err_and(|error| error.to_string().contains("0600")));
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        }
        let token = Token::read(&path).unwrap();
        std::fs::write(&path, "short").unwrap();
        assert!(Token::read(&path).is_err_and(|error| error.to_string().contains("32")));
        std::fs::remove_file(&path).unwrap();
        token
    });
    Access { token: Some(READ.clone()), ..Access::default() }
}

fn hello(token: &str) -> serde_json::Value {
    json!({ "id": "h", "action": "hello", "token": token })
}

/// Sends a `hello` with the token over WebSocket and TCP, and the token over HTTP.
async fn get_in(server: &Running) -> (Socket, Lines) {
    let mut socket = server.socket().await;
    socket.send(&hello(TOKEN)).await;
    assert_eq!(socket.until("hello").await["resumed"], false);
    let mut lines = server.tcp().await;
    lines.send(&hello(TOKEN)).await;
    assert_eq!(lines.receive().await.unwrap()["type"], "hello");
    let mut uci = server.tcp().await;
    uci.0.write_all(format!("Token\t{TOKEN}\nuci\n").as_bytes()).await.unwrap();
    let mut begin = [0; 7];
    soon(uci.0.read_exact(&mut begin)).await.unwrap();
    assert_eq!(&begin, b"id name");
    for scheme in ["Bearer", "bearer", "BEARER "] {
        let head =
            format!("GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: {scheme} {TOKEN}");
        assert_eq!(server.request(&head, "").await.0, 200, "{scheme}");
    }
    (socket, lines)
}

#[tokio::test]
async fn a_right_token_gets_in_whatever_wrong_ones_came_before() {
    let server = Running::with(ServerLimits::default(), access()).await;
    let mut wrong = Vec::new();
    for _ in 0..20 {
        let mut socket = server.socket().await;
        socket.send(&hello(&"x".repeat(32))).await;
        wrong.push(socket);
    }
    for _ in 0..5 {
        let mut socket = server.socket().await;
        socket.send(&json!({ "id": "a", "nodes": 1 })).await;
        let error = socket.until("error").await;
        assert_eq!((error["code"].as_str(), error["id"].is_null()), (Some("unauthorized"), true));
        assert_eq!(socket.receive().await, Err(1008));
    }
    get_in(&server).await;
    assert_eq!(server.get("/healthz").await.0, 200);
    assert_eq!(server.get("/").await.0, 200);
    for (head, status) in [("", 401), ("\r\nAuthorization: Bearer 0123", 401)] {
        let head = format!("GET /metrics HTTP/1.1\r\nHost: localhost{head}");
        let (answered, text) = server.request(&head, "").await;
        assert!(answered == status && text.contains("www-authenticate: Bearer"), "{text}");
    }
    for mut socket in wrong {
        let error = socket.until("error").await;
        assert_eq!(
            (error["code"].as_str(), error["id"].as_str()),
            (Some("unauthorized"), Some("h"))
        );
        assert_eq!(socket.receive().await, Err(1008));
    }
}

#[tokio::test]
async fn clients_without_a_token_take_no_session_and_keep_nobody_out() {
    let limits = ServerLimits { sessions: 3, idle_connections: 4, ..ServerLimits::default() };
    let server = Running::with(limits, access()).await;
    let mut strangers = Vec::new();
    for _ in 0..4 {
        strangers.push((server.socket().await, server.tcp().await));
    }
    assert_eq!(server.get("/readyz").await.0, 200);
    assert_eq!(server.metric("tengen_sessions{kind=\"websocket\"}").await, 0);
    let (_socket, _lines) = get_in(&server).await;
    // The oldest connections without a session made room.
    let (socket, lines) = &mut strangers[0];
    assert_eq!(socket.receive().await, Err(1013));
    assert_eq!(lines.receive().await.unwrap()["code"], "too_many");
    assert!(lines.receive().await.is_none());
    assert_eq!(server.get("/healthz").await.0, 200);
}

#[tokio::test]
async fn connections_between_requests_are_counted() {
    let limits = ServerLimits { idle_connections: 4, ..ServerLimits::default() };
    let server = Running::with(limits, Access::default()).await;
    let mut kept = Vec::new();
    let request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for _ in 0..8 {
        let mut stream = TcpStream::connect(server.addresses.http.unwrap()).await.unwrap();
        stream.write_all(request).await.unwrap();
        let mut status = [0; 12];
        soon(stream.read_exact(&mut status)).await.unwrap();
        assert_eq!(&status, b"HTTP/1.1 200");
        kept.push(stream);
    }
    // The first four are closed, after their answer.
    for stream in &mut kept[..4] {
        soon(stream.read_to_end(&mut Vec::new())).await.unwrap();
    }
    // The request of the metrics is a connection, too, and closes another one.
    let count = server.metric("tengen_connections").await;
    assert!((4..=5).contains(&count), "{count}");
    let last = &mut kept[7];
    last.write_all(request).await.unwrap();
    let mut answer = vec![0; 256];
    assert!(soon(last.read(&mut answer)).await.unwrap() > 0);
}

#[tokio::test]
async fn http_and_tls_at_the_port_of_lines_run_no_line() {
    let server = Running::new().await;
    let post = "POST / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\
                Content-Type: text/plain\r\nContent-Length: 60\r\n\r\n\
                uci\nposition startpos\ngo nodes 10\n{\"id\":\"a\",\"action\":\"position\"}\n";
    let long = format!("GET /{} HTTP/1.1\r\n\r\nuci\n", "x".repeat(1 << 17));
    let tls = "\u{16}\u{3}\u{1}\u{2}\n\nuci\n";
    for request in [post, &long, tls, "\r\nGET /\r\nuci\n"] {
        let mut stream = TcpStream::connect(server.addresses.tcp.unwrap()).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        soon(stream.read_to_string(&mut answer)).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 400 ") && answer.contains("--http"), "{answer}");
        assert!(!answer.contains("uciok") && !answer.contains("position\""), "{answer}");
    }
    assert_eq!(server.metric("tengen_closed_total{why=\"http\"}").await, 4);
    assert_eq!(server.metric("tengen_sessions{kind=\"tcp\"}").await, 0);
}

#[tokio::test]
async fn a_server_on_all_addresses_knows_those_of_the_machine() {
    let everywhere = "0.0.0.0:0".parse().ok();
    let config =
        ServerConfig { http: everywhere, tcp: None, ..config(ServerLimits::default(), access()) };
    let server = Running::start(config).await;
    let own = Addresses::reachable(server.addresses.http.unwrap());
    assert!(own.iter().all(|own| !own.ip().is_unspecified()), "{own:?}");
    assert!(own.last().is_some_and(|own| own.ip().is_loopback()), "{own:?}");
    for address in own {
        let mut request = format!("ws://{address}/v1/ws").into_client_request().unwrap();
        let origin = format!("http://{address}").parse().unwrap();
        request.headers_mut().insert("origin", origin);
        let stream = TcpStream::connect(address).await.unwrap();
        soon(client_async(request, stream)).await.unwrap();
        let mut request = format!("ws://{address}/v1/ws").into_client_request().unwrap();
        request.headers_mut().insert("host", "192.0.2.7".parse().unwrap());
        let stream = TcpStream::connect(address).await.unwrap();
        assert!(soon(client_async(request, stream)).await.is_err(), "another address");
    }
}
