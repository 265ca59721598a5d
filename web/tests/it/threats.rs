//! Clients that harm others, on purpose or not.

use serde_json::json;
use tokio::io::AsyncWriteExt;

use crate::support::{ENDLESS, Running};

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
