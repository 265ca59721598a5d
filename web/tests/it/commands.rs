//! Clients of UCI, UGI and Gomocup over TCP. They share the workers with all other clients, and
//! have the limits of remote clients.

use std::time::Duration;

use serde_json::{Value, json};
use tengen_web::{Access, ServerLimits};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt};

use crate::support::{ENDLESS, Lines, Running, soon};

impl Lines {
    async fn send_line(&mut self, line: &str) {
        self.0.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    /// Returns the next line; `None` at the end.
    async fn next_line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = soon(self.0.read_line(&mut line)).await.ok()?;
        (read > 0).then(|| line.trim_end().to_owned())
    }

    /// Returns the next line that begins with `start`.
    async fn until_line(&mut self, start: &str) -> String {
        loop {
            let line = self.next_line().await.unwrap_or_else(|| panic!("the end before {start}"));
            if line.starts_with(start) {
                return line;
            }
        }
    }
}

#[tokio::test]
async fn a_line_that_is_too_long_is_refused_with_the_limit_that_holds() {
    let limits = ServerLimits { line_bytes: 1000, ..ServerLimits::default() };
    for (server, limit) in [
        (Running::new().await, "64 KiB"),
        (Running::with(limits, Access::default()).await, "1000 bytes"),
    ] {
        for dialect in ["uci", "ugi", "START 15"] {
            let mut client = server.tcp().await;
            client.send_line(dialect).await;
            client.send_line(&format!("position startpos moves{}", " h8".repeat(25_000))).await;
            client.send_line("d1").await;
            loop {
                let line = client.next_line().await.unwrap();
                if line.contains("the line was skipped") {
                    assert!(line.ends_with(&format!("longer than {limit}")), "{line}");
                    break;
                }
            }
        }
    }
}

#[tokio::test]
async fn a_uci_client_plays_with_the_server_s_limits() {
    let server = Running::new().await;
    let mut client = server.tcp().await;
    client.send_line("uci").await;
    assert_eq!(
        client.until_line("option name Hash").await,
        "option name Hash type spin default 1 min 1 max 1"
    );
    client.until_line("uciok").await;
    client.send_line("isready").await;
    client.until_line("readyok").await;
    client.send_line("position startpos moves d1 d2").await;
    client.send_line("go nodes 2000").await;
    client.until_line("info depth").await;
    let best = client.until_line("bestmove").await;
    assert!(best.split(' ').count() >= 2, "{best}");
    client.send_line("position startpos moves d1 e1 d2 e2 d3 e3 d4").await;
    client.send_line("go infinite").await;
    client.send_line("stop").await;
    assert_eq!(client.until_line("bestmove").await, "bestmove (none)");
    client.send_line("quit").await;
    assert_eq!(client.next_line().await, None);
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
        client.send_line(line).await;
        assert_eq!(client.next_line().await.as_deref(), Some(refusal), "{line}");
    }
    let mut board = server.tcp().await;
    board.send_line("loadsgf /etc/passwd").await;
    let refusal = "? loading a file: not for remote sessions";
    assert_eq!(board.next_line().await.as_deref(), Some(refusal));
    for _ in 0..1000 {
        client.send_line("setoption name Hash value 1024").await;
        assert_eq!(
            client.next_line().await.as_deref(),
            Some("info string option Hash: \"1024\" is not a whole number from 1 to 1")
        );
    }
    client.send_line("eval").await;
    assert!(client.next_line().await.is_some());
}

#[tokio::test]
async fn a_gomocup_client_plays_and_ends_only_its_own_session() {
    let server = Running::new().await;
    let mut client = server.tcp().await;
    client.send_line("START 15").await;
    client.until_line("OK").await;
    client.send_line("INFO timeout_turn 200").await;
    client.send_line("TURN 7,7").await;
    let reply = loop {
        let line = client.next_line().await.expect("a move");
        if !line.starts_with("MESSAGE") {
            break line;
        }
    };
    assert_eq!(reply.split(',').count(), 2, "{reply}");
    client.send_line("END").await;
    assert_eq!(client.next_line().await, None);
    let mut other = server.tcp().await;
    other.send_line("ugi").await;
    other.until_line("ugiok").await;
}

/// Returns a query whose search is not paused for others, and sends reports.
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
async fn a_search_in_the_queue_is_answered_at_once_when_stopped() {
    let server = Running::new().await;
    let mut busy = server.socket().await;
    busy.send(&endless_query()).await;
    busy.until("report").await;
    let mut client = server.tcp().await;
    client.send_line("go nodes 100000").await;
    client.send_line("stop").await;
    assert_ne!(client.until_line("bestmove").await, "bestmove (none)");
    busy.send(&json!({ "id": "t", "action": "terminate", "terminate_id": "a" })).await;
    assert_eq!(busy.until("answer").await["ended_by"], "terminated");
}

#[tokio::test]
async fn a_ponderhit_starts_the_clock_of_a_search() {
    let server = Running::new().await;
    let mut client = server.tcp().await;
    client.send_line("setoption name UCI_Variant value gomokufreestyle").await;
    client.send_line("setoption name Ponder value true").await;
    client.send_line("position startpos moves h8 i9").await;
    client.send_line("go ponder wtime 2000 btime 2000").await;
    client.until_line("info depth").await;
    client.send_line("ponderhit").await;
    client.until_line("bestmove").await;
}

#[tokio::test]
async fn endless_searches_of_two_clients_share_a_worker() {
    let server = Running::new().await;
    let mut clients = [server.tcp().await, server.tcp().await];
    for client in &mut clients {
        client.send_line("setoption name UCI_Variant value gomokufreestyle").await;
        client.send_line("go infinite").await;
    }
    // Both get reports, because the searches alternate.
    for client in &mut clients {
        client.until_line("info depth").await;
    }
    for client in &mut clients {
        client.send_line("stop").await;
        assert_ne!(client.until_line("bestmove").await, "bestmove (none)");
    }
}

#[tokio::test]
async fn a_session_of_commands_needs_the_token() {
    let path = std::env::temp_dir().join(format!("tengen-command-{}", std::process::id()));
    let token = "0123456789abcdef0123456789abcdef";
    std::fs::write(&path, token).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    let access = Access { token: tengen_web::Token::read(&path).ok(), ..Access::default() };
    std::fs::remove_file(&path).unwrap();
    let server = Running::with(ServerLimits::default(), access).await;
    let mut client = server.tcp().await;
    client.send_line(&format!("token {token}")).await;
    client.send_line("uci").await;
    client.until_line("uciok").await;
    let mut unauthorized = server.tcp().await;
    unauthorized.send_line("uci").await;
    assert_eq!(
        unauthorized.next_line().await.as_deref(),
        Some("ERROR this server needs a token: send \"token TOKEN\" first")
    );
    assert_eq!(unauthorized.next_line().await, None);
}

#[tokio::test]
async fn a_server_that_shuts_down_still_sends_the_bestmove() {
    let server = Running::new().await;
    let mut client = server.tcp().await;
    client.send_line("setoption name UCI_Variant value gomokufreestyle").await;
    client.send_line("go infinite").await;
    client.until_line("info depth").await;
    server.shutdown.send(()).await.unwrap();
    client.until_line("info string the server is shutting down").await;
    assert_ne!(client.until_line("bestmove").await, "bestmove (none)");
    assert_eq!(client.next_line().await, None);
    soon(server.task).await.unwrap();
}

#[tokio::test]
async fn the_server_limits_the_time_of_a_search_of_commands() {
    let limits = ServerLimits { time: Duration::from_millis(50), ..ServerLimits::default() };
    let server = Running::with(limits, Access::default()).await;
    let mut client = server.tcp().await;
    client.send_line("setoption name UCI_Variant value gomokufreestyle").await;
    client.send_line("go depth 100").await;
    client.until_line("bestmove").await;
}

/// Searches a position of gomoku to depth 4. Returns the nodes, and the notes before the answer.
async fn nodes_to_depth(client: &mut Lines) -> (String, Vec<String>) {
    client.send_line("position startpos moves h8 i9 g7").await;
    client.send_line("go depth 4").await;
    let (mut nodes, mut notes) = (String::new(), Vec::new());
    loop {
        let line = client.next_line().await.expect("an answer");
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
    client.send_line("setoption name UCI_Variant value gomokufreestyle").await;
    client.send_line("isready").await;
    client.until_line("readyok").await;
    client
}

#[tokio::test]
async fn a_session_keeps_its_table_and_clears_only_its_own() {
    let server = Running::new().await;
    let (mut one, mut other) = (gomoku_client(&server).await, gomoku_client(&server).await);
    let (empty, _) = nodes_to_depth(&mut one).await;
    let (kept, _) = nodes_to_depth(&mut one).await;
    assert_ne!(kept, empty, "the table was not kept");
    assert_eq!(nodes_to_depth(&mut other).await.0, empty, "it used a table of another session");
    other.send_line("ucinewgame").await;
    assert_eq!(nodes_to_depth(&mut other).await.0, empty, "its table was not cleared");
    let (third, _) = nodes_to_depth(&mut one).await;
    assert_ne!(third, empty, "another session cleared the table");
    one.send_line("setoption name Clear Hash").await;
    assert_eq!(nodes_to_depth(&mut one).await.0, empty, "its table was not cleared");
    one.send_line("setoption name UCI_Variant value renju").await;
    one.send_line("setoption name UCI_Variant value gomokufreestyle").await;
    assert_eq!(nodes_to_depth(&mut one).await.0, empty, "a new game has an empty table");
    assert_ne!(nodes_to_depth(&mut one).await.0, empty, "the table was not kept");
}

#[tokio::test]
async fn a_search_that_never_started_still_leaves_the_table_to_be_cleared() {
    let server = Running::new().await;
    let mut client = gomoku_client(&server).await;
    let (empty, _) = nodes_to_depth(&mut client).await;
    let mut busy = server.socket().await;
    busy.send(&endless_query()).await;
    busy.until("report").await;
    for line in ["ucinewgame", "position startpos moves h8 i9 g7", "go depth 4", "stop"] {
        client.send_line(line).await;
    }
    client.until_line("bestmove").await;
    busy.send(&json!({ "id": "t", "action": "terminate", "terminate_id": "a" })).await;
    busy.until("answer").await;
    assert_eq!(nodes_to_depth(&mut client).await.0, empty, "the table was not cleared");
}

#[tokio::test]
async fn a_session_is_told_once_that_its_table_was_dropped() {
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
