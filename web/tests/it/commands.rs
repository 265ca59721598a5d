//! Clients of UCI, UGI and Gomocup over TCP: they share the workers with everybody else, and ask for
//! nothing that is not theirs.

use std::time::Duration;

use serde_json::{Value, json};
use tengen_web::{Access, ServerLimits};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt};

use crate::support::{ENDLESS, Lines, Running, soon};

impl Lines {
    async fn say(&mut self, line: &str) {
        self.0.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    /// The next line; `None` at the end.
    async fn text(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = soon(self.0.read_line(&mut line)).await.ok()?;
        (read > 0).then(|| line.trim_end().to_owned())
    }

    async fn until_text(&mut self, start: &str) -> String {
        loop {
            let line = self.text().await.unwrap_or_else(|| panic!("the end before {start}"));
            if line.starts_with(start) {
                return line;
            }
        }
    }
}

#[tokio::test]
async fn a_uci_client_plays_with_the_server_s_limits() {
    let server = Running::new().await;
    let mut client = server.tcp().await;
    client.say("uci").await;
    assert_eq!(
        client.until_text("option name Hash").await,
        "option name Hash type spin default 1 min 1 max 1"
    );
    client.until_text("uciok").await;
    client.say("isready").await;
    client.until_text("readyok").await;
    client.say("position startpos moves d1 d2").await;
    client.say("go nodes 2000").await;
    client.until_text("info depth").await;
    let best = client.until_text("bestmove").await;
    assert!(best.split(' ').count() >= 2, "{best}");
    client.say("position startpos moves d1 e1 d2 e2 d3 e3 d4").await;
    client.say("go infinite").await;
    client.say("stop").await;
    assert_eq!(client.until_text("bestmove").await, "bestmove (none)");
    client.say("quit").await;
    assert_eq!(client.text().await, None);
}

#[tokio::test]
async fn what_a_remote_client_may_not_do_is_refused_in_one_line() {
    let server = Running::new().await;
    let mut client = server.tcp().await;
    for (line, refusal) in [
        ("bench", "info string bench: not for remote sessions"),
        ("go perft 3", "info string go perft: not for remote sessions"),
        (
            "setoption name Debug Log File value /tmp/log",
            "info string option Debug Log File: not for remote sessions",
        ),
        (
            "setoption name BookFile value /etc/passwd",
            "info string option BookFile: not for remote sessions",
        ),
        (
            "setoption name EvalFile value /etc/passwd",
            "info string option EvalFile: not for remote sessions",
        ),
        (
            "setoption name Threads value 64",
            "info string option Threads: \"64\" is not a whole number from 1 to 1",
        ),
    ] {
        client.say(line).await;
        assert_eq!(client.text().await.as_deref(), Some(refusal), "{line}");
    }
    for _ in 0..1000 {
        client.say("setoption name Hash value 1024").await;
        assert_eq!(
            client.text().await.as_deref(),
            Some("info string option Hash: \"1024\" is not a whole number from 1 to 1")
        );
    }
    client.say("eval").await;
    assert!(client.text().await.is_some());
}

#[tokio::test]
async fn a_gomocup_client_plays_and_ends_its_session_alone() {
    let server = Running::new().await;
    let mut client = server.tcp().await;
    client.say("START 15").await;
    client.until_text("OK").await;
    client.say("INFO timeout_turn 200").await;
    client.say("TURN 7,7").await;
    let reply = loop {
        let line = client.text().await.expect("a move");
        if !line.starts_with("MESSAGE") {
            break line;
        }
    };
    assert_eq!(reply.split(',').count(), 2, "{reply}");
    client.say("END").await;
    assert_eq!(client.text().await, None);
    let mut other = server.tcp().await;
    other.say("ugi").await;
    other.until_text("ugiok").await;
}

/// A search that gives way to no other, and reports.
fn endless_query() -> Value {
    json!({
        "id": "a",
        "variant": ENDLESS,
        "moves": "h8 i9 g7",
        "nodes": 1_000_000_000,
        "report_every_ms": 20,
    })
}

#[tokio::test]
async fn a_stop_in_the_queue_is_answered_before_the_worker_is_free() {
    let server = Running::new().await;
    let mut busy = server.socket().await;
    busy.send(&endless_query()).await;
    busy.until("report").await;
    let mut client = server.tcp().await;
    client.say("go nodes 100000").await;
    client.say("stop").await;
    assert_ne!(client.until_text("bestmove").await, "bestmove (none)");
    busy.send(&json!({ "id": "t", "action": "terminate", "terminate_id": "a" })).await;
    assert_eq!(busy.until("answer").await["ended_by"], "terminated");
}

#[tokio::test]
async fn a_ponderhit_starts_the_clock_of_a_search() {
    let server = Running::new().await;
    let mut client = server.tcp().await;
    client.say("setoption name UCI_Variant value gomokufreestyle").await;
    client.say("setoption name Ponder value true").await;
    client.say("position startpos moves h8 i9").await;
    client.say("go ponder wtime 2000 btime 2000").await;
    client.until_text("info depth").await;
    client.say("ponderhit").await;
    client.until_text("bestmove").await;
}

#[tokio::test]
async fn endless_searches_of_two_clients_share_a_worker() {
    let server = Running::new().await;
    let mut clients = [server.tcp().await, server.tcp().await];
    for client in &mut clients {
        client.say("setoption name UCI_Variant value gomokufreestyle").await;
        client.say("go infinite").await;
    }
    // Each is searched in turn: both have reports.
    for client in &mut clients {
        client.until_text("info depth").await;
    }
    for client in &mut clients {
        client.say("stop").await;
        assert_ne!(client.until_text("bestmove").await, "bestmove (none)");
    }
}

#[tokio::test]
async fn a_token_opens_a_session_of_commands() {
    let folder = std::env::temp_dir().join(format!("tengen-command-{}", std::process::id()));
    let token = "0123456789abcdef0123456789abcdef";
    std::fs::write(&folder, token).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    let access = Access { token: tengen_web::Token::read(&folder).ok(), ..Access::default() };
    std::fs::remove_file(&folder).unwrap();
    let server = Running::with(ServerLimits::default(), access).await;
    let mut client = server.tcp().await;
    client.say(&format!("token {token}")).await;
    client.say("uci").await;
    client.until_text("uciok").await;
    let mut stranger = server.tcp().await;
    stranger.say("uci").await;
    assert_eq!(
        stranger.text().await.as_deref(),
        Some("ERROR this server needs a token: send \"token TOKEN\" first")
    );
    assert_eq!(stranger.text().await, None);
}

#[tokio::test]
async fn a_server_that_goes_down_lets_a_client_have_its_move() {
    let server = Running::new().await;
    let mut client = server.tcp().await;
    client.say("setoption name UCI_Variant value gomokufreestyle").await;
    client.say("go infinite").await;
    client.until_text("info depth").await;
    server.end.send(()).await.unwrap();
    client.until_text("info string the server is shutting down").await;
    assert_ne!(client.until_text("bestmove").await, "bestmove (none)");
    assert_eq!(client.text().await, None);
    soon(server.task).await.unwrap();
}

#[tokio::test]
async fn a_search_of_commands_has_the_server_s_limit() {
    let limits = ServerLimits { time: Duration::from_millis(50), ..ServerLimits::default() };
    let server = Running::with(limits, Access::default()).await;
    let mut client = server.tcp().await;
    client.say("setoption name UCI_Variant value gomokufreestyle").await;
    client.say("go depth 100").await;
    client.until_text("bestmove").await;
}

/// Searches a position of gomoku to a depth, and returns the nodes and the notes before the answer.
async fn nodes_to_depth(client: &mut Lines) -> (String, Vec<String>) {
    client.say("position startpos moves h8 i9 g7").await;
    client.say("go depth 4").await;
    let (mut nodes, mut notes) = (String::new(), Vec::new());
    loop {
        let line = client.text().await.expect("an answer");
        if line.starts_with("bestmove") {
            assert!(!nodes.is_empty(), "no line tells the nodes");
            return (nodes, notes);
        }
        let words: Vec<&str> = line.split(' ').collect();
        if let Some(at) = words.iter().position(|word| *word == "nodes") {
            words[at + 1].clone_into(&mut nodes);
        }
        notes.extend(line.strip_prefix("info string ").map(str::to_owned));
    }
}

async fn gomoku_client(server: &Running) -> Lines {
    let mut client = server.tcp().await;
    client.say("setoption name UCI_Variant value gomokufreestyle").await;
    client.say("isready").await;
    client.until_text("readyok").await;
    client
}

#[tokio::test]
async fn a_session_keeps_its_table_and_empties_no_other() {
    let server = Running::new().await;
    let (mut one, mut other) = (gomoku_client(&server).await, gomoku_client(&server).await);
    let (empty, _) = nodes_to_depth(&mut one).await;
    let (kept, _) = nodes_to_depth(&mut one).await;
    assert_ne!(kept, empty, "the table was not kept");
    assert_eq!(nodes_to_depth(&mut other).await.0, empty, "a table of another session");
    other.say("ucinewgame").await;
    assert_eq!(nodes_to_depth(&mut other).await.0, empty, "its table was not emptied");
    let (third, _) = nodes_to_depth(&mut one).await;
    assert_ne!(third, empty, "another session emptied the table");
    one.say("setoption name Clear Hash").await;
    assert_eq!(nodes_to_depth(&mut one).await.0, empty, "its table was not emptied");
    one.say("setoption name UCI_Variant value renju").await;
    one.say("setoption name UCI_Variant value gomokufreestyle").await;
    assert_eq!(nodes_to_depth(&mut one).await.0, empty, "a change of the game begins anew");
    assert_ne!(nodes_to_depth(&mut one).await.0, empty, "the table was not kept");
}

#[tokio::test]
async fn a_search_that_never_began_leaves_the_table_to_be_emptied() {
    let server = Running::new().await;
    let mut client = gomoku_client(&server).await;
    let (empty, _) = nodes_to_depth(&mut client).await;
    let mut busy = server.socket().await;
    busy.send(&endless_query()).await;
    busy.until("report").await;
    for line in ["ucinewgame", "position startpos moves h8 i9 g7", "go depth 4", "stop"] {
        client.say(line).await;
    }
    client.until_text("bestmove").await;
    busy.send(&json!({ "id": "t", "action": "terminate", "terminate_id": "a" })).await;
    busy.until("answer").await;
    assert_eq!(nodes_to_depth(&mut client).await.0, empty, "the table was not emptied");
}

#[tokio::test]
async fn a_session_hears_once_that_its_table_made_room() {
    let limits = ServerLimits { hash_mib_in_all: 1, ..ServerLimits::default() };
    let server = Running::with(limits, Access::default()).await;
    let (mut one, mut other) = (gomoku_client(&server).await, gomoku_client(&server).await);
    let (empty, notes) = nodes_to_depth(&mut one).await;
    assert!(notes.is_empty(), "{notes:?}");
    nodes_to_depth(&mut other).await;
    let (again, notes) = nodes_to_depth(&mut one).await;
    assert_eq!(again, empty, "the table was kept");
    assert_eq!(notes, ["the table was dropped to make room for others: it is empty"]);
    let (_, notes) = nodes_to_depth(&mut one).await;
    assert!(notes.is_empty(), "{notes:?}");
}
