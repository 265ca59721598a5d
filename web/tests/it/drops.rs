//! Clients that lose their connection at random moments, and go on over another one.

use serde_json::{Value, json};

use crate::support::{Lines, Running, Socket};

/// Numbers that look random and are the same in every run.
// CITE: xorshift64*, https://en.wikipedia.org/wiki/Xorshift
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % most
    }
}

enum Link {
    Socket(Box<Socket>),
    Lines(Lines),
}

impl Link {
    async fn open(server: &Running, dice: &mut Dice) -> Self {
        match dice.below(2) {
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

    /// The next message; `None` where another connection has taken the session over.
    async fn hear(&mut self) -> Option<Value> {
        match self {
            Self::Socket(socket) => socket.hear().await.ok(),
            Self::Lines(lines) => lines.hear().await,
        }
    }
}

/// What a client knows of its session.
#[derive(Default)]
struct Diary {
    last: u64,
    answered: Vec<(String, u64)>,
}

impl Diary {
    fn note(&mut self, message: &Value) {
        assert_eq!(message["seq"].as_u64(), Some(self.last + 1), "{message}");
        self.last += 1;
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

/// Asks three queries of seven turns, and loses the connection again and again; returns how often.
async fn converse(server: &Running, dice: &mut Dice) -> usize {
    let mut link = Link::open(server, dice).await;
    link.send(&json!({ "id": "h", "action": "hello" })).await;
    let hello = link.hear().await.unwrap();
    let name = hello["session"].as_str().unwrap().to_owned();
    let mut diary = Diary::default();
    diary.note(&hello);
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
        let message = link.hear().await.unwrap();
        diary.note(&message);
        if message["type"] == "position" {
            break;
        }
    }
    let mut drops = 0;
    while (diary.answered.len() as u64) < QUERIES * TURNS {
        // Some are lost before they have read a message, or even said hello.
        for _ in 0..dice.below(4) {
            match link.hear().await {
                Some(message) => diary.note(&message),
                // A connection that was lost asked for the session too, and was heard later.
                None => break,
            }
            if diary.answered.len() as u64 == QUERIES * TURNS {
                break;
            }
        }
        drop(link);
        drops += 1;
        link = Link::open(server, dice).await;
        if dice.below(5) == 0 {
            // Lost again before it could say hello.
            link = Link::open(server, dice).await;
        }
        let id = format!("r{drops}");
        let hello = json!({ "id": id, "action": "hello", "resume": name, "last_seq": diary.last });
        link.send(&hello).await;
    }
    let mut due: Vec<(String, u64)> = (0..QUERIES)
        .flat_map(|query| (0..TURNS).map(move |turn| (format!("q{query}"), turn)))
        .collect();
    diary.answered.sort();
    due.sort();
    assert_eq!(diary.answered, due);
    drops
}

async fn drop_at_random(least: usize) {
    let server = Running::new().await;
    let (mut dice, mut drops) = (Dice(24), 0);
    while drops < least {
        drops += converse(&server, &mut dice).await;
    }
}

#[tokio::test]
async fn whoever_loses_the_connection_at_any_moment_gets_every_answer_once() {
    drop_at_random(100).await;
}

#[tokio::test]
#[ignore = "a campaign: five seconds"]
async fn campaign_a_thousand_lost_connections() {
    drop_at_random(1000).await;
}

#[tokio::test]
async fn a_resumption_that_fails_leaves_the_session_to_its_connection() {
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
