//! Lookups in the shelf of a server: no search and no other client waits for them, and they end in time.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use serde_json::json;
use tengen_protocol::dialect::json::shelf::GameList;
use tengen_protocol::dialect::json::{Code, Problem};
use tengen_protocol::explorer::{Explorer, LookupLimit, LookupQuery, LookupResult};
use tengen_web::{Access, ServerLimits};

use crate::support::{Running, config};

/// A shelf with a lookup that takes for ever, one that fails, and quick ones.
#[derive(Default)]
struct Stub {
    is_released: AtomicBool,
    /// Whether `limit` ends the lookup that takes for ever.
    has_limit: bool,
}

impl Explorer for Stub {
    fn look_up(&self, query: &LookupQuery, limit: &LookupLimit) -> Result<LookupResult, Problem> {
        match query {
            LookupQuery::ReadGame(1) => {
                let is_over = || self.has_limit && limit.is_over();
                while !self.is_released.load(Relaxed) && !is_over() {
                    thread::sleep(Duration::from_millis(1));
                }
                Err(Problem::new(Code::Interrupted, "too long"))
            }
            LookupQuery::ReadGame(2) => panic!("a fault of the shelf"),
            LookupQuery::ReadGame(id) => {
                Ok(LookupResult::Record(format!("(;C[{id}])").into_bytes()))
            }
            _ => Ok(LookupResult::Games(GameList::default())),
        }
    }
}

async fn server(stub: Stub) -> (Running, &'static Stub) {
    let stub: &'static Stub = Box::leak(Box::new(stub));
    let mut config = config(ServerLimits::default(), Access::default());
    config.service.explorer = Ok(stub);
    (Running::start(config).await, stub)
}

fn read_game(id: &str, game: u64) -> serde_json::Value {
    json!({ "id": id, "action": "read_game", "game": game })
}

#[tokio::test]
async fn searches_and_other_actions_do_not_wait_for_lookups() {
    let (server, stub) = server(Stub::default()).await;
    let (mut slow, mut quick) = (server.tcp().await, server.tcp().await);
    for number in 0..5 {
        slow.send(&read_game(&format!("slow{number}"), 1)).await;
    }
    slow.send(&json!({ "id": "p", "action": "position" })).await;
    assert_eq!(slow.receive().await.unwrap()["id"], "p");
    quick.send(&json!({ "id": "s", "variant": "gomoku", "nodes": 500 })).await;
    assert_eq!(quick.receive().await.unwrap()["id"], "s");
    // A lookup of another client is next, before the other three of the first one.
    quick.send(&read_game("q", 7)).await;
    stub.is_released.store(true, Relaxed);
    assert_eq!(quick.receive().await.unwrap()["text"], "(;C[7])");
    for _ in 0..5 {
        assert_eq!(slow.receive().await.unwrap()["code"], "interrupted");
    }
}

#[tokio::test]
async fn a_long_lookup_is_interrupted_and_a_failed_one_takes_no_thread() {
    let (server, _) = server(Stub { has_limit: true, ..Stub::default() }).await;
    let mut lines = server.tcp().await;
    for number in 0..4 {
        lines.send(&read_game(&format!("long{number}"), 1)).await;
        assert_eq!(lines.receive().await.unwrap()["code"], "interrupted");
        lines.send(&read_game("bad", 2)).await;
        let failed = lines.receive().await.unwrap();
        assert!(failed["id"] == "bad" && failed["code"] == "internal", "{failed}");
    }
    lines.send(&json!({ "id": "f", "action": "find" })).await;
    assert_eq!(lines.receive().await.unwrap()["type"], "find");
}

#[tokio::test]
async fn a_terminated_lookup_gets_one_error_and_its_id_is_free() {
    let (server, stub) = server(Stub::default()).await;
    let mut lines = server.tcp().await;
    lines.send(&read_game("a", 1)).await;
    lines.send(&read_game("a", 3)).await;
    assert_eq!(lines.receive().await.unwrap()["code"], "duplicate_id");
    lines.send(&json!({ "id": "t", "action": "terminate", "terminate_id": "a" })).await;
    assert_eq!(lines.receive().await.unwrap()["count"], 1);
    assert_eq!(lines.receive().await.unwrap()["code"], "interrupted");
    stub.is_released.store(true, Relaxed);
    lines.send(&read_game("a", 3)).await;
    assert_eq!(lines.receive().await.unwrap()["text"], "(;C[3])");
    lines.send(&json!({ "id": "v", "action": "query_version" })).await;
    assert_eq!(lines.receive().await.unwrap()["shelf"], true);
}

#[tokio::test]
async fn a_client_that_leaves_ends_its_lookups() {
    let (server, _) = server(Stub { has_limit: true, ..Stub::default() }).await;
    let mut gone = server.tcp().await;
    for number in 0..20 {
        gone.send(&read_game(&format!("gone{number}"), 1)).await;
    }
    drop(gone);
    let mut lines = server.tcp().await;
    lines.send(&read_game("a", 3)).await;
    assert_eq!(lines.receive().await.unwrap()["id"], "a");
}

#[tokio::test]
async fn a_server_without_a_shelf_says_so() {
    let server = Running::new().await;
    let mut lines = server.tcp().await;
    for action in ["explore", "find", "read_game"] {
        lines.send(&json!({ "id": "a", "action": action, "game": 1 })).await;
        let mut reply = lines.receive().await.unwrap();
        if reply["type"] == "warning" {
            reply = lines.receive().await.unwrap();
        }
        assert!(reply["code"] == "unsupported" && reply["field"] == "action", "{reply}");
        assert!(reply["message"].as_str().unwrap().contains("--shelf"), "{reply}");
    }
}
