//! Clients that lose their connection at random moments, and resume over another one.

use serde_json::{Value, json};

use crate::support::{Lines, Running, Socket};

/// Pseudo-random numbers, equal in every run.
// CITE: xorshift64*, https://en.wikipedia.org/wiki/Xorshift
struct Rng(u64);

impl Rng {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % limit
    }
}

enum Link {
    Socket(Box<Socket>),
    Lines(Lines),
}

impl Link {
    async fn open(server: &Running, rng: &mut Rng) -> Self {
        match rng.below(2) {
            0 => Self::Socket(Box::new(server.socket().await)),
            _ => Self::Lines(server.tcp().await),
        }
    }

    async fn send(&mut self, query: &Value) {
        match self {
            Self::Socket(socket) => socket.send(query).await,
            Self::Lines(lines) => lines.send(query).await,
        }
    }

    /// Returns the next message; `None` if another connection has taken over the session.
    async fn receive(&mut self) -> Option<Value> {
        match self {
            Self::Socket(socket) => socket.receive().await.ok(),
            Self::Lines(lines) => lines.receive().await,
        }
    }
}

/// The messages that a client has received.
#[derive(Default)]
struct Received {
    last_seq: u64,
    answered: Vec<(String, u64)>,
}

impl Received {
    fn add(&mut self, message: &Value) {
        assert_eq!(message["seq"].as_u64(), Some(self.last_seq + 1), "{message}");
        self.last_seq += 1;
        if message["type"] == "answer" {
            let id = message["id"].as_str().unwrap().to_owned();
            self.answered.push((id, message["turn_number"].as_u64().unwrap()));
        }
        assert_ne!(message["type"], "error", "{message}");
    }
}

const MOVES: &str = "d1 d2 d3 d4 d5 d6";
const QUERIES: u64 = 3;
const TURNS: u64 = 7;

/// Sends three queries of seven turns, and loses the connection at random. Returns how often.
async fn converse(server: &Running, rng: &mut Rng) -> usize {
    let mut link = Link::open(server, rng).await;
    link.send(&json!({ "id": "h", "action": "hello" })).await;
    let hello = link.receive().await.unwrap();
    let name = hello["session"].as_str().unwrap().to_owned();
    let mut received = Received::default();
    received.add(&hello);
    for query in 0..QUERIES {
        let query = json!({
            "id": format!("q{query}"), "moves": MOVES, "analyze_turns": "all", "nodes": 200,
            "book": false, "report_every_ms": 20,
        });
        link.send(&query).await;
    }
    // The queries have arrived when this one is answered.
    link.send(&json!({ "id": "p", "action": "position" })).await;
    loop {
        let message = link.receive().await.unwrap();
        received.add(&message);
        if message["type"] == "position" {
            break;
        }
    }
    let mut drops = 0;
    while (received.answered.len() as u64) < QUERIES * TURNS {
        // Some connections are lost before they read a message, or even send `hello`.
        for _ in 0..rng.below(4) {
            match link.receive().await {
                Some(message) => received.add(&message),
                // The server handled the `hello` of an earlier, lost connection later.
                None => break,
            }
            if received.answered.len() as u64 == QUERIES * TURNS {
                break;
            }
        }
        drop(link);
        drops += 1;
        link = Link::open(server, rng).await;
        if rng.below(5) == 0 {
            // Lost again before `hello`.
            link = Link::open(server, rng).await;
        }
        let id = format!("r{drops}");
        let hello =
            json!({ "id": id, "action": "hello", "resume": name, "last_seq": received.last_seq });
        link.send(&hello).await;
    }
    let mut expected: Vec<(String, u64)> = (0..QUERIES)
        .flat_map(|query| (0..TURNS).map(move |turn| (format!("q{query}"), turn)))
        .collect();
    received.answered.sort();
    expected.sort();
    assert_eq!(received.answered, expected);
    drops
}

/// Runs clients until at least `min_drops` connections were lost.
async fn drop_at_random(min_drops: usize) {
    let server = Running::new().await;
    let (mut rng, mut drops) = (Rng(24), 0);
    while drops < min_drops {
        drops += converse(&server, &mut rng).await;
    }
}

#[tokio::test]
async fn a_client_that_loses_its_connection_at_any_moment_gets_every_answer_once() {
    drop_at_random(100).await;
}

#[tokio::test]
#[ignore = "a campaign: five seconds"]
async fn campaign_a_thousand_lost_connections() {
    drop_at_random(1000).await;
}

#[tokio::test]
async fn a_failed_resume_leaves_the_session_to_its_connection() {
    let server = Running::new().await;
    let mut first = server.socket().await;
    first.send(&json!({ "id": "h", "action": "hello" })).await;
    let name = first.until("hello").await["session"].as_str().unwrap().to_owned();
    let mut second = server.socket().await;
    // No such message was sent.
    second.send(&json!({ "id": "r", "action": "hello", "resume": name, "last_seq": 1000 })).await;
    assert_eq!(second.until("error").await["code"], "unknown_session");
    first.send(&json!({ "id": "p", "action": "position" })).await;
    assert_eq!(first.until("position").await["seq"], 2);
    second.send(&json!({ "id": "r", "action": "hello", "resume": name, "last_seq": 2 })).await;
    assert_eq!(second.until("hello").await["seq"], 3);
}
