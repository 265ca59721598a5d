//! Lines that are queries with faults in them: each gets a reply, and nothing panics.

use std::time::Duration;

use serde_json::json;
use tengen_protocol::analysis::session::{Room, SessionLimits};

use super::{Scene, judge};

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        // CITE: xorshift64*, https://en.wikipedia.org/wiki/Xorshift
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % most
    }
}

/// A query of the examples with some of its characters changed, doubled or left out.
fn spoiled(random: &mut Random) -> String {
    const SIGNS: &[u8] = b"{}[]:,\"\\0159-+.eE aht\xc3\x00\x7f";
    let examples = include_str!("../../../protocol/src/dialect/json/examples.txt");
    let queries: Vec<&str> = examples.lines().filter_map(|line| line.strip_prefix("> ")).collect();
    let mut bytes = queries[random.below(queries.len())].as_bytes().to_vec();
    for _ in 0..random.below(6) {
        let at = random.below(bytes.len());
        match random.below(4) {
            0 => bytes[at] = SIGNS[random.below(SIGNS.len())],
            1 => bytes.insert(at, SIGNS[random.below(SIGNS.len())]),
            2 => drop(bytes.remove(at)),
            _ => {
                let end = (at + random.below(12)).min(bytes.len());
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
        }
    }
    String::from_utf8_lossy(&bytes).replace('\n', " ")
}

/// Sends so many lines. Each is answered at once, or searched and ended.
fn send_spoiled_lines(count: usize) {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for _ in 0..count.div_ceil(1000) {
        let mut scene = Scene::new(SessionLimits { queue: Some(64), ..SessionLimits::LOCAL });
        for _ in 0..1000.min(count) {
            let line = spoiled(&mut random);
            let before = (scene.lines.len(), scene.waiting.len());
            let room = Room { positions: 64, retry_after: Duration::from_millis(800) };
            scene.session.line(&line, scene.now, room);
            scene.carry_out();
            let is_heard = line.trim().is_empty()
                || scene.lines.len() > before.0
                || scene.waiting.len() > before.1
                || scene.session.is_busy();
            assert!(is_heard, "no reply to {line}");
            scene.waiting.clear();
            let end = json!({ "id": "the end", "action": "terminate_all" });
            scene.ask(&end);
        }
        scene.lines.iter().step_by(50).for_each(judge);
    }
}

#[test]
fn spoiled_lines_get_a_reply_each() {
    send_spoiled_lines(20_000);
}

#[test]
#[ignore = "a campaign: a minute"]
fn campaign_a_million_spoiled_lines() {
    send_spoiled_lines(1_000_000);
}
