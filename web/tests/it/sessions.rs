//! Clients over WebSocket, HTTP and TCP: queries, limits, access, resuming and shutdown.

use std::time::Duration;

use serde_json::{Value, json};
use tengen_web::{Access, ServeError, Server, ServerConfig, ServerLimits};
use tokio::io::AsyncWriteExt;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use crate::support::{ENDLESS, Running, config, soon};

#[tokio::test]
async fn a_web_socket_client_gets_answers() {
    let server = Running::new().await;
    let mut socket = server.socket().await;
    socket.send(&json!({ "id": "a", "moves": "44", "nodes": 500 })).await;
    assert_eq!(socket.until("answer").await["id"], "a");
    socket.send(&json!({ "id": "b", "action": "query_version" })).await;
    let version = socket.until("version").await;
    assert_eq!(
        (&version["limits"]["queue"], &version["limits"]["time_ms"]),
        (&json!(256), &json!(60_000))
    );
    socket.send_message(Message::Binary(vec![1].into())).await;
    assert_eq!(socket.receive().await, Err(1003));
}

#[tokio::test]
async fn swap2_puts_stones_or_chooses() {
    let server = Running::new().await;
    let mut socket = server.socket().await;
    let ask = |moves: &str| json!({ "id": "a", "action": "swap2", "variant": ENDLESS, "moves": moves, "nodes": 3000 });
    let count = |choice: &str| match choice {
        "three" => 3,
        "two" => 2,
        "stay" => 1,
        "swap" => 0,
        other => panic!("{other}"),
    };
    for (moves, choices) in [
        ("", vec!["three"]),
        ("h8 i9 a1", vec!["two", "stay", "swap"]),
        ("h8 i9 g7 a1 b3", vec!["stay", "swap"]),
    ] {
        socket.send(&ask(moves)).await;
        let reply = socket.until("swap").await;
        let choice = reply["choice"].as_str().unwrap();
        assert!(choices.contains(&choice), "{moves}: {reply}");
        let own: Vec<&str> =
            reply["moves"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
        assert_eq!(own.len(), count(choice), "{reply}");
        let all = [moves, &own.join(" ")].join(" ");
        socket
            .send(&json!({ "id": "b", "action": "position", "variant": ENDLESS, "moves": all }))
            .await;
        assert_eq!(socket.until("position").await["outcome"], Value::Null);
    }
    socket.send(&ask("h8 i9")).await;
    let error = socket.until("error").await;
    assert_eq!(error["message"], "0, 3 or 5 stones leave a choice, not 2");
    socket.send(&json!({ "id": "c", "action": "swap2" })).await;
    assert_eq!(socket.until("error").await["code"], "unsupported");
    // A query that is terminated before its search has no results.
    socket.send(&json!({ "id": "d", "infinite": true, "variant": ENDLESS })).await;
    socket.send(&ask("")).await;
    socket.send(&json!({ "id": "e", "action": "terminate", "terminate_id": "a" })).await;
    let reply = socket.until("swap").await;
    assert_eq!((&reply["no_results"], &reply["ended_by"]), (&json!(true), &json!("terminated")));
}

#[tokio::test]
async fn a_tcp_client_gets_all_answers_after_the_end_of_its_input() {
    let server = Running::new().await;
    let mut lines = server.tcp().await;
    for id in ["a", "b", "c"] {
        lines.send(&json!({ "id": id, "nodes": 500, "book": false })).await;
    }
    lines.0.get_mut().shutdown().await.unwrap();
    let mut ids = Vec::new();
    while let Some(message) = lines.receive().await {
        assert_eq!(message["type"], "answer");
        ids.push(message["id"].as_str().unwrap().to_owned());
    }
    ids.sort();
    assert_eq!(ids, ["a", "b", "c"]);
}

#[tokio::test]
async fn a_request_is_one_query_and_its_replies_are_lines() {
    let server = Running::new().await;
    let host = format!("Host: 127.0.0.1:{}", server.port());
    let head = format!("POST /v1/query HTTP/1.1\r\n{host}\r\nContent-Type: application/json");
    let query = json!({ "id": "a", "moves": "44", "analyze_turns": "all", "nodes": 200 });
    let (status, text) = server.request(&head, &query.to_string()).await;
    assert_eq!((status, text.matches("\"type\":\"answer\"").count()), (200, 3), "{text}");
    assert!(text.contains("application/x-ndjson"), "{text}");
    let plain = head.replace("application/json", "text/plain");
    assert_eq!(server.request(&plain, &query.to_string()).await.0, 415);
    let (status, text) = server.request(&head, "{").await;
    assert!(status == 200 && text.contains("bad_json"), "{text}");
    let long = format!("{{\"id\":\"{}\"}}", "x".repeat(1 << 17));
    assert_eq!(server.request(&head, &long).await.0, 413);
    let (status, text) = server.request(&head, " \r\n").await;
    assert!(status == 400 && text.contains("send one as its body"), "{text}");
    // A length that nobody can send is refused at once, as is a text that is not UTF-8.
    let endless = format!("{head}\r\nContent-Length: {}\r\n\r\n{{", i64::MAX);
    assert_eq!(server.raw(endless.as_bytes()).await.0, 413);
    let latin = format!("{head}\r\nContent-Length: 1\r\nConnection: close\r\n\r\n");
    assert_eq!(server.raw(&[latin.as_bytes(), b"\xe9"].concat()).await.0, 400);
}

#[tokio::test]
async fn a_request_has_one_host() {
    let server = Running::new().await;
    let own = format!("localhost:{}", server.port());
    for (lines, address, status) in [
        (format!("Host: {own}\r\n"), "/healthz".to_owned(), 200),
        (format!("Host: {own}\r\nHost: {own}\r\n"), "/healthz".to_owned(), 400),
        (format!("Host: {own}\r\nHost: evil.example\r\n"), "/healthz".to_owned(), 400),
        (String::new(), "/healthz".to_owned(), 400),
        (format!("Host: {own}\r\n"), format!("http://{own}/healthz"), 200),
        (format!("Host: {own}\r\n"), "http://evil.example/healthz".to_owned(), 421),
    ] {
        let request = format!("GET {address} HTTP/1.1\r\n{lines}Connection: close\r\n\r\n");
        assert_eq!(server.raw(request.as_bytes()).await.0, status, "{request}");
    }
}

#[tokio::test]
async fn operators_see_health_and_metrics() {
    let server = Running::new().await;
    let mut socket = server.socket().await;
    socket.send(&json!({ "id": "a", "action": "nothing" })).await;
    socket.until("error").await;
    assert_eq!(server.get("/healthz").await.0, 200);
    assert_eq!(server.get("/readyz").await.0, 200);
    let (status, text) = server.get("/metrics").await;
    assert_eq!(status, 200);
    for line in [
        "tengen_sessions{kind=\"websocket\"} 1",
        "tengen_queue_positions 0",
        "tengen_errors_total{code=\"unknown_action\"} 1",
        "tengen_wait_seconds_count 0",
    ] {
        assert!(text.contains(line), "no {line} in {text}");
    }
    assert!(server.get("/v1/schema.json").await.1.contains("\"$defs\""));
    assert!(server.get("/v1/version").await.1.contains("\"variants\""));
    assert_eq!(server.get("/v1/nothing").await.0, 404);
}

#[tokio::test]
async fn pages_of_others_and_other_host_names_are_refused() {
    let access = Access {
        origins: vec!["https://board.example".to_owned()],
        hosts: vec!["engine.example".to_owned()],
        ..Access::default()
    };
    let server = Running::with(ServerLimits::default(), access).await;
    let port = server.port();
    let own = format!("http://localhost:{port}");
    for (host, origin, status) in [
        ("localhost", None, 101),
        ("127.0.0.1", Some(own.as_str()), 101),
        ("[::1]", Some("https://board.example"), 101),
        ("engine.example", None, 101),
        ("localhost", Some("null"), 403),
        ("localhost", Some("http://evil.example"), 403),
        ("localhost", Some("http://localhost"), 403),
        ("localhost", Some("https://localhost:1"), 403),
        ("evil.example", None, 421),
        ("evil.example", Some(own.as_str()), 421),
        ("localhost.evil.example", None, 421),
        ("", None, 421),
    ] {
        let url = format!("ws://127.0.0.1:{port}/v1/ws");
        let mut request = url.into_client_request().unwrap();
        let host = if host.is_empty() { String::new() } else { format!("{host}:{port}") };
        request.headers_mut().insert("host", host.parse().unwrap());
        if let Some(origin) = origin {
            request.headers_mut().insert("origin", origin.parse().unwrap());
        }
        let answered = match soon(connect_async(request)).await {
            Ok((_, response)) => response.status().as_u16(),
            Err(tokio_tungstenite::tungstenite::Error::Http(response)) => {
                response.status().as_u16()
            }
            Err(error) => panic!("{host} {origin:?}: {error}"),
        };
        assert_eq!(answered, status, "{host} {origin:?}");
    }
}

#[tokio::test]
async fn a_server_for_other_machines_needs_a_token() {
    let open = ServerConfig {
        http: "0.0.0.0:0".parse().ok(),
        ..config(ServerLimits::default(), Access::default())
    };
    let refused = Server::bind(open).await.err().unwrap();
    assert!(matches!(refused, ServeError::NoToken("http", _)), "{refused}");
    let server = Running::new().await;
    let taken = ServerConfig {
        http: server.addresses.http,
        ..config(ServerLimits::default(), Access::default())
    };
    let why = Server::bind(taken).await.err().unwrap().to_string();
    let (port, free) = (server.port(), "--http 127.0.0.1:0 takes a free port");
    assert!(why.starts_with(&format!("--http 127.0.0.1:{port}: ")) && why.ends_with(free), "{why}");
}

#[tokio::test]
async fn too_large_messages_and_lines_are_refused() {
    let server = Running::new().await;
    let mut socket = server.socket().await;
    let long = json!({ "id": "x".repeat(1 << 17) });
    socket.send(&long).await;
    assert_eq!(socket.receive().await, Err(1009));
    let mut lines = server.tcp().await;
    lines.send(&json!({ "id": "a", "action": "position" })).await;
    assert_eq!(lines.receive().await.unwrap()["type"], "position");
    lines.send(&long).await;
    let error = lines.receive().await.unwrap();
    assert_eq!(error["message"], "a line longer than 65536 bytes was skipped");
    lines.send(&json!({ "id": "a", "action": "position" })).await;
    assert_eq!(lines.receive().await.unwrap()["type"], "position");
}

#[tokio::test]
async fn a_query_above_the_queue_limit_is_refused_and_the_session_goes_on() {
    let limits = ServerLimits { queue: 3, ..ServerLimits::default() };
    let server = Running::with(limits, Access::default()).await;
    let mut socket = server.socket().await;
    socket
        .send(&json!({ "id": "a", "variant": ENDLESS, "infinite": true, "report_every_ms": 20 }))
        .await;
    socket.until("report").await;
    socket.send(&json!({ "id": "b", "moves": "4444", "analyze_turns": "all" })).await;
    let error = socket.until("error").await;
    assert_eq!((error["code"].as_str(), error["id"].as_str()), (Some("too_many"), Some("b")));
    assert!(error["retry_after_ms"].as_u64() >= Some(50), "{error}");
    socket.send(&json!({ "id": "t", "action": "terminate", "terminate_id": "a" })).await;
    assert_eq!(socket.until("answer").await["ended_by"], "terminated");
    socket.send(&json!({ "id": "c", "action": "clear_cache" })).await;
    assert_eq!(socket.until("error").await["code"], "forbidden");
}

#[tokio::test]
async fn the_number_of_sessions_is_limited() {
    let limits = ServerLimits { sessions: 2, ..ServerLimits::default() };
    let server = Running::with(limits, Access::default()).await;
    let (first, _second) = (server.socket().await, server.socket().await);
    let url = format!("ws://127.0.0.1:{}/v1/ws", server.port());
    match soon(connect_async(url)).await {
        Err(tokio_tungstenite::tungstenite::Error::Http(response)) => {
            assert_eq!(response.status().as_u16(), 503);
            assert!(response.headers().contains_key("retry-after"));
        }
        other => panic!("{:?}", other.map(|_| ())),
    }
    assert_eq!(server.get("/readyz").await.0, 503);
    let mut lines = server.tcp().await;
    lines.send(&json!({ "id": "a", "action": "position" })).await;
    assert_eq!(lines.receive().await.unwrap()["code"], "too_many");
    assert!(lines.receive().await.is_none());
    // A client that leaves makes room, but not at a known time.
    drop(first);
    soon(async {
        loop {
            let mut lines = server.tcp().await;
            lines.send(&json!({ "id": "a", "action": "position" })).await;
            if lines.receive().await.is_some_and(|reply| reply["type"] == "position") {
                break;
            }
        }
    })
    .await;
}

#[tokio::test]
async fn the_server_limits_the_time_of_a_search() {
    let limits = ServerLimits {
        time: Duration::from_millis(50),
        infinite: Duration::from_millis(60),
        ..ServerLimits::default()
    };
    let server = Running::with(limits, Access::default()).await;
    let mut socket = server.socket().await;
    for query in [
        json!({ "id": "a", "variant": ENDLESS, "nodes": 1_000_000_000 }),
        json!({ "id": "a", "variant": ENDLESS, "infinite": true }),
    ] {
        socket.send(&query).await;
        assert_eq!(socket.until("answer").await["ended_by"], "cap", "{query}");
    }
}

#[tokio::test]
async fn an_endless_search_gives_way_to_other_sessions() {
    let server = Running::new().await;
    let (mut endless, mut other) = (server.socket().await, server.socket().await);
    let query = json!({ "id": "a", "variant": ENDLESS, "infinite": true, "report_every_ms": 20 });
    endless.send(&query).await;
    endless.until("report").await;
    other.send(&json!({ "id": "b", "variant": ENDLESS, "nodes": 1000 })).await;
    assert_eq!(other.until("answer").await["id"], "b");
    endless.send(&json!({ "id": "t", "action": "terminate", "terminate_id": "a" })).await;
    let answer = endless.until("answer").await;
    assert!(answer["best"].is_string() && answer["ended_by"] == "terminated", "{answer}");
}

#[tokio::test]
async fn a_session_that_lost_its_socket_goes_on_where_it_was() {
    let server = Running::new().await;
    let mut socket = server.socket().await;
    socket.send(&json!({ "id": "h", "action": "hello" })).await;
    let name = socket.until("hello").await["session"].as_str().unwrap().to_owned();
    assert_eq!(name.len(), 32);
    let turns: Vec<&str> = "d1 d2 d3 d4 d5 d6".split(' ').collect();
    let query =
        json!({ "id": "a", "moves": turns, "analyze_turns": "all", "nodes": 5000, "book": false });
    socket.send(&query).await;
    let mut answered = Vec::new();
    let mut last = 1;
    let mut cuts = 0;
    while answered.len() < 7 {
        match socket.receive().await {
            Ok(message) => {
                assert_eq!(message["seq"].as_u64(), Some(last + 1), "{message}");
                last += 1;
                if message["type"] == "answer" {
                    answered.push(message["turn_number"].as_u64().unwrap());
                }
            }
            Err(code) => panic!("closed: {code}"),
        }
        if cuts < 3 {
            cuts += 1;
            drop(socket);
            socket = server.socket().await;
            let hello = json!({ "id": format!("r{cuts}"), "action": "hello", "resume": name, "last_seq": last });
            socket.send(&hello).await;
        }
    }
    answered.sort_unstable();
    assert_eq!(answered, [0, 1, 2, 3, 4, 5, 6]);
    socket.send(&json!({ "id": "x", "action": "hello", "resume": "5b1e0c" })).await;
    loop {
        let message = socket.receive().await.unwrap();
        if message["type"] == "error" {
            assert_eq!(message["code"], "unknown_session");
            break;
        }
    }
}

#[tokio::test]
async fn a_second_socket_takes_over_the_session() {
    let server = Running::new().await;
    let mut first = server.socket().await;
    first.send(&json!({ "id": "h", "action": "hello" })).await;
    let name = first.until("hello").await["session"].as_str().unwrap().to_owned();
    let mut second = server.socket().await;
    second.send(&json!({ "id": "h", "action": "hello", "resume": name, "last_seq": 1 })).await;
    assert_eq!(second.until("hello").await["resumed"], true);
    assert_eq!(first.receive().await, Err(1000));
    second.send(&json!({ "id": "a", "nodes": 10 })).await;
    assert_eq!(second.until("answer").await["id"], "a");
}

#[tokio::test]
async fn a_server_that_shuts_down_answers_all_queries_first() {
    let server = Running::new().await;
    let mut socket = server.socket().await;
    let query = json!({ "id": "a", "variant": ENDLESS, "infinite": true, "report_every_ms": 20 });
    socket.send(&query).await;
    socket.until("report").await;
    for id in ["b", "c"] {
        socket.send(&json!({ "id": id, "variant": ENDLESS, "infinite": true })).await;
    }
    // The server has all queries when it answers this one.
    socket.send(&json!({ "id": "p", "action": "position" })).await;
    socket.until("position").await;
    server.shutdown.send(()).await.unwrap();
    assert_eq!(socket.until("notice").await["code"], "shutting_down");
    let mut ended = Vec::new();
    let code = loop {
        match socket.receive().await {
            Ok(message) if message["type"] == "answer" => {
                assert_eq!(message["ended_by"], "drain", "{message}");
                ended.push(message["id"].as_str().unwrap().to_owned());
            }
            Ok(_) => {}
            Err(code) => break code,
        }
    };
    ended.sort();
    assert_eq!((ended.join(" "), code), ("a b c".to_owned(), 1001));
    soon(server.task).await.unwrap();
}

#[tokio::test]
async fn a_client_that_never_reads_does_not_hold_up_others() {
    let limits = ServerLimits { stall: Duration::from_millis(200), ..ServerLimits::default() };
    let server = Running::with(limits, Access::default()).await;
    let mut silent = server.tcp().await;
    // Each reply is larger than the query, so unread replies fill all buffers.
    let query = format!(
        "{}\n",
        json!({ "id": "a", "action": "position", "variant": "freestyle20", "values": "static" })
    );
    let mut other = server.socket().await;
    let flood = tokio::spawn(async move {
        // Until the server closes the connection.
        while silent.0.write_all(query.as_bytes()).await.is_ok() {}
    });
    for _ in 0..20 {
        other.send(&json!({ "id": "v", "action": "query_version" })).await;
        assert_eq!(other.until("version").await["id"], "v");
    }
    soon(flood).await.unwrap();
    let (_, text) = server.get("/metrics").await;
    assert!(text.contains("tengen_closed_total{why=\"stalled\"} 1"), "{text}");
}
