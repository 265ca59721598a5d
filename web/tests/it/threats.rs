//! Clients that harm others, on purpose or not.

use std::time::Duration;

use serde_json::json;
use tengen_web::{Access, ServerLimits};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{ENDLESS, Running, soon};

#[tokio::test]
async fn a_peer_that_is_suspended_is_closed_and_its_search_is_stopped() {
    let limits = ServerLimits { ping: Duration::from_millis(50), ..ServerLimits::default() };
    let server = Running::with(limits, Access::default()).await;
    let mut stream = TcpStream::connect(server.addresses.http.unwrap()).await.unwrap();
    let request = format!(
        "GET /v1/ws HTTP/1.1\r\nHost: localhost:{}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        server.port()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    // One masked message; its mask is 0. Then nothing more, no pong either.
    let query = json!({ "id": "a", "variant": ENDLESS, "infinite": true }).to_string();
    let mut frame = vec![0x81, 0x80 | query.len() as u8, 0, 0, 0, 0];
    frame.extend_from_slice(query.as_bytes());
    stream.write_all(&frame).await.unwrap();
    let mut received = Vec::new();
    soon(stream.read_to_end(&mut received)).await.unwrap();
    // Its search is stopped: the only worker is free for others.
    let mut other = server.socket().await;
    other.send(&json!({ "id": "b", "variant": ENDLESS, "nodes": 1000 })).await;
    assert_eq!(other.until("answer").await["id"], "b");
    let (_, text) = server.get("/metrics").await;
    assert!(text.contains("tengen_closed_total{why=\"no pong\"} 1"), "{text}");
}

#[tokio::test]
async fn a_line_without_an_end_costs_nothing_and_gets_one_error() {
    const CHUNK: usize = 1 << 16;
    let server = Running::new().await;
    let mut lines = server.tcp().await;
    let chunk = vec![b'{'; CHUNK];
    for _ in 0..(32 << 20) / CHUNK {
        lines.0.write_all(&chunk).await.unwrap();
    }
    lines.0.write_all(b"\n").await.unwrap();
    assert_eq!(lines.hear().await.unwrap()["code"], "too_large");
    lines.send(&json!({ "id": "a", "action": "position" })).await;
    assert_eq!(lines.hear().await.unwrap()["id"], "a");
}

#[tokio::test]
async fn deep_and_broken_json_is_refused() {
    let server = Running::new().await;
    let mut lines = server.tcp().await;
    let deep = format!("{{\"id\":{}", "[".repeat(10_000));
    for line in [&*deep, "{\"id\":\"a\"", "{\u{1}}", "{\"id\":\"\\ud800\"}", "{\"id\":1e999}"] {
        lines.0.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        let error = lines.hear().await.unwrap();
        assert!(error["code"] == "bad_json" || error["code"] == "bad_field", "{error}");
    }
}

#[tokio::test]
async fn who_floods_waits_longer_than_who_asks_one_by_one() {
    let server = Running::new().await;
    let (mut flood, mut modest) = (server.socket().await, server.socket().await);
    for number in 0..200 {
        let id = format!("f{number}");
        flood.send(&json!({ "id": id, "variant": ENDLESS, "nodes": 2000 })).await;
    }
    flood.until("answer").await;
    for number in 0..5 {
        modest
            .send(&json!({ "id": format!("m{number}"), "variant": ENDLESS, "nodes": 2000 }))
            .await;
        modest.until("answer").await;
    }
    // Five answers to one who asks one by one cost the flood about five of its own.
    flood.send(&json!({ "id": "t", "action": "terminate_all" })).await;
    let ended = flood.until("terminate_all").await["count"].as_u64().unwrap();
    assert!(ended > 100, "only {ended} of 200 still waited");
}
