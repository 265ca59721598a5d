//! Rooms: two players, people who look on, strangers, and a server that ends.

use std::path::Path;
use std::time::Instant;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tengen_web::{Access, ServerConfig, ServerLimits};

use crate::access::access;
use crate::support::{Running, Socket, config};

async fn server(folder: &Path, access: Access, limits: ServerLimits) -> Running {
    Running::start(ServerConfig { rooms: Some(folder.to_owned()), ..config(limits, access) }).await
}

/// Ends a server at once.
async fn kill(server: Running) {
    for _ in 0..2 {
        // The first signal may have ended it.
        let _ = server.shutdown.send(()).await;
    }
    server.task.await.unwrap();
}

/// Makes a room and returns the secrets of both players and of people who look on.
async fn make(socket: &mut Socket, terms: Value) -> [String; 3] {
    let mut query = json!({ "id": "m", "action": "make_room" });
    query.as_object_mut().unwrap().extend(terms.as_object().unwrap().clone());
    socket.send(&query).await;
    let made = socket.until("room_made").await;
    ["own", "friend", "watch"].map(|name| made[name].as_str().unwrap().to_owned())
}

/// A client that plays or looks on in a room.
struct Guest {
    socket: Socket,
    secret: String,
}

impl Guest {
    async fn join(server: &Running, secret: &str) -> Self {
        let mut socket = server.socket().await;
        socket.send(&json!({ "id": "h", "action": "hello", "room": secret })).await;
        socket.send(&json!({ "id": "j", "action": "join_room", "room": secret })).await;
        Self { socket, secret: secret.to_owned() }
    }

    async fn act(&mut self, mut own: Value) {
        (own["id"], own["action"], own["room"]) =
            ("a".into(), "room_act".into(), self.secret.as_str().into());
        self.socket.send(&own).await;
    }

    /// Plays a move as act number `number`, counted from 0.
    async fn play(&mut self, act: &str, number: usize) {
        self.act(json!({ "do": "act", "act": act, "number": number })).await;
    }

    /// Returns the first state that `fits`.
    async fn when(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let state = self.socket.until("room").await;
            if fits(&state) {
                return state;
            }
        }
    }

    async fn when_acts(&mut self, count: usize) -> Value {
        self.when(|state| state["acts"].as_array().unwrap().len() == count).await
    }
}

#[tokio::test]
async fn two_people_play_and_a_killed_server_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let first = server(folder.path(), Access::default(), ServerLimits::default()).await;
    let mut socket = first.socket().await;
    let terms = json!({ "variant": "gomoku", "clock": { "base_ms": 600_000 } });
    let [own, friend, watch] = make(&mut socket, terms).await;
    let mut guests = [Guest::join(&first, &own).await, Guest::join(&first, &friend).await];
    let mut watcher = Guest::join(&first, &watch).await;
    assert_eq!(watcher.when(|state| state["runs"] == true).await["player"], Value::Null);
    for (number, act) in ["h8", "i9", "j7"].into_iter().enumerate() {
        guests[number % 2].play(act, number).await;
        // An act that is sent twice counts once, and no act counts for the other player.
        guests[number % 2].play(act, number).await;
        guests[1 - number % 2].when_acts(number + 1).await;
    }
    watcher.play("k8", 3).await;
    assert_eq!(watcher.socket.until("error").await["code"], "forbidden");
    assert_eq!(guests[0].socket.until("error").await["field"], "number");
    kill(first).await;

    let second = server(folder.path(), Access::default(), ServerLimits::default()).await;
    let mut guests = [Guest::join(&second, &own).await, Guest::join(&second, &friend).await];
    let state = guests[1].when_acts(3).await;
    // The clocks stood still in between.
    let journal = std::fs::read_to_string(folder.path().join("journal.jsonl")).unwrap();
    assert!(journal.contains("\"kind\":\"down\""), "{journal}");
    assert_eq!((&state["acts"], &state["decides"]), (&json!(["h8", "i9", "j7"]), &json!(2)));
    guests[0].act(json!({ "do": "ask", "what": "undo" })).await;
    guests[1].when(|state| state["asks"][0]["player"] == 1).await;
    guests[1].act(json!({ "do": "ask", "what": "undo" })).await;
    guests[0].when_acts(2).await;
    guests[1].act(json!({ "do": "resign" })).await;
    let over = guests[0].when(|state| state["result"] != Value::Null).await;
    assert_eq!(over["result"], json!({ "winner": 1, "why": "resign" }));
    for guest in &mut guests {
        guest.act(json!({ "do": "ask", "what": "rematch" })).await;
    }
    let again = guests[0].when(|state| state["game"] == 2).await;
    assert_eq!((&again["begins"], &again["decides"]), (&json!(2), &json!(2)));
    kill(second).await;
}

#[tokio::test]
async fn a_clock_falls_without_an_act_also_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let first = server(folder.path(), Access::default(), ServerLimits::default()).await;
    let mut socket = first.socket().await;
    let terms = json!({ "variant": "gomoku", "clock": { "base_ms": 1_500 } });
    let [own, friend, _] = make(&mut socket, terms).await;
    let mut guest = Guest::join(&first, &own).await;
    Guest::join(&first, &friend).await;
    guest.when(|state| state["runs"] == true).await;
    kill(first).await;
    let second = server(folder.path(), Access::default(), ServerLimits::default()).await;
    let mut guest = Guest::join(&second, &own).await;
    let over = guest.when(|state| state["result"] != Value::Null).await;
    assert_eq!(over["result"], json!({ "winner": 2, "why": "time" }));
    assert_eq!(over["left_ms"], json!([0, 1_500]));
    kill(second).await;
}

#[tokio::test]
async fn a_link_gives_its_room_and_nothing_else_and_a_stranger_learns_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path(), access(), ServerLimits::default()).await;
    let mut socket = server.socket().await;
    socket.send(&json!({ "id": "h", "action": "hello", "token": crate::support::TOKEN })).await;
    let [_, friend, watch] = make(&mut socket, json!({ "variant": "renju" })).await;
    socket.send(&json!({ "id": "v", "action": "query_version" })).await;
    assert_eq!(socket.until("version").await["rooms"], true);
    let mut guest = Guest::join(&server, &friend).await;
    assert_eq!(guest.when(|_| true).await["player"], 2);
    for (query, code) in [
        (json!({ "action": "make_room" }), "forbidden"),
        (json!({ "variant": "renju", "nodes": 10 }), "forbidden"),
        (json!({ "action": "solve" }), "forbidden"),
        (json!({ "action": "find" }), "forbidden"),
        (
            json!({ "action": "opening", "rule": "rif", "variant": "renju", "decide": true }),
            "forbidden",
        ),
    ] {
        let mut query = query;
        query["id"] = "q".into();
        guest.socket.send(&query).await;
        assert_eq!(guest.socket.until("error").await["code"], code, "{query}");
    }
    guest.socket.send(&json!({ "id": "p", "action": "position", "variant": "renju" })).await;
    guest.socket.until("position").await;
    guest.socket.send(&json!({ "id": "v", "action": "query_version" })).await;
    assert_eq!(guest.socket.until("version").await["rooms"], false);

    // The replies to a stranger are the same whether there is a room or not, and come after a second.
    let begin = Instant::now();
    let strangers = ["x", watch.get(1..).unwrap_or_default()].map(async |secret| {
        let mut stranger = server.socket().await;
        stranger.send(&json!({ "id": "h", "action": "hello", "room": secret })).await;
        let reply = stranger.receive().await.unwrap();
        assert_eq!(stranger.receive().await, Err(1008));
        reply
    });
    let replies = join_all(strangers).await;
    assert_eq!((&replies[0]["code"], &replies[0]), (&json!("unauthorized"), &replies[1]));
    assert!(begin.elapsed().as_millis() >= 900);
    // Who has the token is a stranger to a room, too.
    socket.send(&json!({ "id": "j", "action": "join_room", "room": "x" })).await;
    assert_eq!(socket.until("error").await["code"], "forbidden");
    kill(server).await;
}

#[tokio::test]
async fn rooms_and_people_who_look_on_are_limited() {
    let folder = tempfile::tempdir().unwrap();
    let limits = ServerLimits { rooms: 1, watchers: 1, ..ServerLimits::default() };
    let server = server(folder.path(), Access::default(), limits).await;
    let mut socket = server.socket().await;
    let [_, _, watch] = make(&mut socket, json!({})).await;
    socket.send(&json!({ "id": "n", "action": "make_room" })).await;
    assert_eq!(socket.until("error").await["code"], "too_many");
    let mut watchers = [Guest::join(&server, &watch).await, Guest::join(&server, &watch).await];
    watchers[0].when(|_| true).await;
    assert_eq!(watchers[1].socket.until("error").await["code"], "too_many");
    // Over HTTP there are no rooms.
    let head = "POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json";
    let (_, reply) = server.request(head, r#"{"id":"a","action":"make_room"}"#).await;
    assert!(reply.contains("\"unsupported\""), "{reply}");
    kill(server).await;
}

#[tokio::test]
async fn a_guest_takes_over_no_session_that_may_more() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path(), access(), ServerLimits::default()).await;
    let mut socket = server.socket().await;
    socket.send(&json!({ "id": "h", "action": "hello", "token": crate::support::TOKEN })).await;
    let name = socket.until("hello").await["session"].clone();
    let [_, friend, _] = make(&mut socket, json!({ "variant": "gomoku" })).await;
    // After the first message, which is the answer to `hello`.
    let resume = |name: &Value| json!({ "id": "r", "action": "hello", "resume": name, "last_seq": 1, "room": friend });
    let mut guest = server.socket().await;
    guest.send(&resume(&name)).await;
    assert_eq!(guest.until("error").await["code"], "unknown_session");
    guest.send(&json!({ "id": "h", "action": "hello" })).await;
    let own = guest.until("hello").await["session"].clone();
    let mut again = server.socket().await;
    again.send(&resume(&own)).await;
    assert_eq!(again.until("hello").await["resumed"], true);
    // The session with the token still has its connection.
    socket.send(&json!({ "id": "a", "variant": "gomoku", "nodes": 10 })).await;
    socket.until("answer").await;
    kill(server).await;
}

#[tokio::test]
async fn only_connected_guests_count_and_only_their_own_room_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path(), Access::default(), ServerLimits::default()).await;
    let mut socket = server.socket().await;
    let [own, friend, _] = make(&mut socket, json!({ "variant": "gomoku" })).await;
    let [other, ..] = make(&mut socket, json!({ "variant": "gomoku" })).await;
    let mut player = Guest::join(&server, &own).await;
    for _ in 0..9 {
        let guest = Guest::join(&server, &friend).await;
        player.when(|state| state["here"][1] == true).await;
        drop(guest);
        player.when(|state| state["here"][1] == false).await;
    }
    player.secret = other;
    player.act(json!({ "do": "leave" })).await;
    assert_eq!(player.socket.until("error").await["field"], "room");
    player.secret = own;
    let again = json!({ "id": "k", "action": "join_room", "room": player.secret, "seat": 1 });
    player.socket.send(&again).await;
    assert_eq!(player.socket.until("warning").await["field"], "seat");
    player.when(|state| state["id"] == "j" && state["more"] == false).await;
    player.act(json!({ "do": "leave" })).await;
    player.when(|state| state["id"] == "k" && state["more"] == false).await;
    player.when(|state| state["id"] == "a" && state["here"][0] == false).await;
    for page in ["javascript:alert(1)", "ftp://localhost/"] {
        player.socket.send(&json!({ "id": "p", "action": "make_room", "page": page })).await;
        assert_eq!(player.socket.until("error").await["field"], "page");
    }
    kill(server).await;
}

/// A small measurement of `tests/load/serve_rooms.py`: many rooms at once, a server that ends between moves.
#[tokio::test]
async fn many_rooms_lose_and_double_no_move() {
    const MOVES: [&str; 6] = ["h8", "a1", "h9", "a3", "h10", "a5"];
    let folder = tempfile::tempdir().unwrap();
    let mut running = server(folder.path(), Access::default(), ServerLimits::default()).await;
    let mut socket = running.socket().await;
    let mut secrets = Vec::new();
    for _ in 0..20 {
        secrets.push(make(&mut socket, json!({ "variant": "gomoku" })).await);
    }
    for (number, act) in MOVES.into_iter().enumerate() {
        let rounds = secrets.iter().map(async |[own, friend, watch]| {
            let mover = if number % 2 == 0 { own } else { friend };
            let mut watcher = Guest::join(&running, watch).await;
            let mut player = Guest::join(&running, mover).await;
            player.when_acts(number).await;
            player.play(act, number).await;
            watcher.when_acts(number + 1).await
        });
        for state in join_all(rounds).await {
            assert_eq!(state["acts"], json!(MOVES[..=number]));
        }
        kill(running).await;
        running = server(folder.path(), Access::default(), ServerLimits::default()).await;
    }
    kill(running).await;
}
