//! Clients that harm others, on purpose or not.

use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use crate::support::{ENDLESS, Running};

#[tokio::test]
async fn a_line_without_an_end_takes_no_memory_and_gets_one_error() {
    const CHUNK: usize = 1 << 16;
    let server = Running::new().await;
    let mut lines = server.tcp().await;
    let chunk = vec![b'{'; CHUNK];
    for _ in 0..(32 << 20) / CHUNK {
        lines.0.write_all(&chunk).await.unwrap();
    }
    lines.0.write_all(b"\n").await.unwrap();
    assert_eq!(lines.receive().await.unwrap()["code"], "too_large");
    lines.send(&json!({ "id": "a", "action": "position" })).await;
    assert_eq!(lines.receive().await.unwrap()["id"], "a");
}

#[tokio::test]
async fn deep_and_broken_json_is_refused() {
    let server = Running::new().await;
    let mut lines = server.tcp().await;
    let deep = format!("{{\"id\":{}", "[".repeat(10_000));
    for line in [&*deep, "{\"id\":\"a\"", "{\u{1}}", "{\"id\":\"\\ud800\"}", "{\"id\":1e999}"] {
        lines.0.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        let error = lines.receive().await.unwrap();
        assert!(error["code"] == "bad_json" || error["code"] == "bad_field", "{error}");
    }
}

#[tokio::test]
async fn a_text_message_that_is_no_utf_8_closes_the_socket_with_1007() {
    let server = Running::new().await;
    let whole = |text: &'static [u8]| vec![Frame::message(text, OpCode::Data(Data::Text), true)];
    let in_two = vec![
        Frame::message(&b"{\"id\":\"\xc3"[..], OpCode::Data(Data::Text), false),
        Frame::message(&b"\"}"[..], OpCode::Data(Data::Continue), true),
    ];
    for frames in [whole(b"{\"id\":\"\xff\"}"), whole(b"{\"id\":\"\xed\xa0\x80\"}"), in_two] {
        let mut socket = server.socket().await;
        for frame in frames {
            socket.send_message(Message::Frame(frame)).await;
        }
        assert_eq!(socket.receive().await, Err(1007));
    }
    // A letter that is split over two frames is valid.
    let mut socket = server.socket().await;
    for frame in [
        Frame::message(
            &b"{\"action\":\"position\",\"id\":\"\xc3"[..],
            OpCode::Data(Data::Text),
            false,
        ),
        Frame::message(&b"\xa9\"}"[..], OpCode::Data(Data::Continue), true),
    ] {
        socket.send_message(Message::Frame(frame)).await;
    }
    assert_eq!(socket.until("position").await["id"], "é");
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
    // The five answers of the modest client cost the flood about five of its own.
    flood.send(&json!({ "id": "t", "action": "terminate_all" })).await;
    let ended = flood.until("terminate_all").await["count"].as_u64().unwrap();
    assert!(ended > 100, "only {ended} of 200 still waited");
}
