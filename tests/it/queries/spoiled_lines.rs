//! Queries with random errors: each line gets a reply, and nothing panics.

use std::time::Duration;

use serde_json::json;
use tengen_protocol::pool::{PoolSession, Room};
use tengen_protocol::queries::SessionLimits;

use super::{TestDriver, check_schema};

/// A generator of pseudo-random numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        // CITE: xorshift64*, https://en.wikipedia.org/wiki/Xorshift
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }
}

/// Returns a query of the examples with some characters changed, doubled or left out.
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

/// Sends `count` lines. Each line gets a reply immediately, or starts a search that is then ended.
fn send_spoiled_lines(count: usize) {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for _ in 0..count.div_ceil(1000) {
        let mut driver = TestDriver::new(SessionLimits { queue: Some(64), ..SessionLimits::LOCAL });
        for _ in 0..1000.min(count) {
            let line = spoiled(&mut random);
            let before = (driver.lines.len(), driver.waiting.len());
            let room = Room { positions: 64, retry_after: Duration::from_millis(800) };
            driver.session.line(&line, driver.now, room);
            driver.carry_out();
            let is_handled = line.trim().is_empty()
                || driver.lines.len() > before.0
                || driver.waiting.len() > before.1
                // A part of a record that is not the last one is answered later.
                || line.contains("\"more\":true")
                || driver.session.is_busy();
            assert!(is_handled, "no reply to {line}");
            driver.waiting.clear();
            let end = json!({ "id": "the end", "action": "terminate_all" });
            driver.ask(&end);
        }
        driver.lines.iter().step_by(50).for_each(check_schema);
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
