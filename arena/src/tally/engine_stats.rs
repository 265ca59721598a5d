//! [`EngineStats`]: times, depths, nodes, resources and warnings of an engine over its games.

use std::collections::BTreeMap;

use crate::record::{GameRecord, Warning};

/// Two sums whose ratio is a mean.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Mean {
    /// The sum of the values.
    pub sum: i64,
    /// The number of values, or the sum of what they are divided by.
    pub count: u64,
}

impl Mean {
    fn add(&mut self, value: i64, count: u64) {
        self.sum += value;
        self.count += count;
    }

    /// Returns the mean; `None` without values.
    pub fn value(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }
}

/// The statistics of one engine over all its games.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct EngineStats {
    /// The time of each move, in microseconds.
    pub times: Vec<u32>,
    /// The depths of moves.
    pub depth: Mean,
    /// The selective depths of moves.
    pub seldepth: Mean,
    /// The nodes by the time in which they were searched, in microseconds.
    pub nodes: Mean,
    /// The time by which moves took longer than the engine reported, in microseconds.
    pub latency: Mean,
    /// The number of ponder hits.
    pub ponder_hits: u64,
    /// The minimum remaining time after a move, in milliseconds; `None` without a clock.
    pub least_left: Option<i64>,
    /// In games with a clock, the time used by the time given, with all increments, in
    /// milliseconds.
    pub clock: Mean,
    /// The maximum time by which a move exceeded its limit, in microseconds.
    pub overrun: u64,
    /// The CPU time while the opponent thought, in microseconds.
    pub waiting_cpu: u64,
    /// The peak memory, in bytes.
    pub peak_memory: u64,
    /// The number of started processes.
    pub starts: u64,
    /// The number of processes that replaced an earlier one.
    pub restarts: u64,
    /// The number of games lost by a failure.
    pub failures: u64,
    /// The number of warnings of each kind.
    pub warnings: BTreeMap<String, u64>,
}

impl EngineStats {
    /// Adds a game. `side` is 0 if the engine moved first.
    pub(super) fn add(&mut self, game: &GameRecord, side: usize) {
        let usage = &game.usage[side];
        self.overrun = self.overrun.max(usage.overrun_micros);
        self.waiting_cpu += usage.waiting_cpu_micros;
        self.peak_memory = self.peak_memory.max(usage.peak_memory);
        self.starts += u64::from(usage.started);
        self.restarts += u64::from(usage.restarted);
        self.failures += u64::from(game.failed_side() == Some(side));
        let own = |warning: &&Warning| {
            warning.player == game.players[side] && warning.what != Warning::SHORT_LINE
        };
        for warning in game.warnings.iter().filter(own) {
            *self.warnings.entry(warning.what.clone()).or_default() += 1;
        }
        // The first note belongs to the side that moved first after the opening.
        let first = game.first_to_note();
        let (mut used, mut last_left) = (0, None);
        for (place, note) in game.notes.iter().enumerate() {
            if (first + place) % 2 != side {
                continue;
            }
            self.times.push(u32::try_from(note.micros).unwrap_or(u32::MAX));
            for (mean, depth) in
                [(&mut self.depth, note.said.depth), (&mut self.seldepth, note.said.seldepth)]
            {
                depth.into_iter().for_each(|depth| mean.add(depth.into(), 1));
            }
            if let Some(nodes) = note.said.nodes {
                let micros = note.own_millis.map_or(note.micros, |millis| 1000 * millis);
                self.nodes.add(nodes as i64, micros);
            }
            if let Some(millis) = note.own_millis {
                self.latency.add(note.micros as i64 - 1000 * millis as i64, 1);
            }
            used += note.micros / 1000;
            if let Some(left) = note.left_millis {
                last_left = Some(left);
                self.least_left = Some(self.least_left.map_or(left, |least| least.min(left)));
            }
            self.ponder_hits += u64::from(note.ponder_hit);
        }
        if let Some(left) = last_left {
            self.clock.add(used as i64, used.saturating_add_signed(left));
        }
    }

    /// Returns the nodes per second; `None` if the engine reported none.
    pub fn nps(&self) -> Option<f64> {
        self.nodes.value().map(|per_micro| per_micro * 1e6)
    }

    /// Returns the mean time of a move, in microseconds; `None` without moves.
    pub fn mean_time(&self) -> Option<f64> {
        let sum: u64 = self.times.iter().copied().map(u64::from).sum();
        (!self.times.is_empty()).then(|| sum as f64 / self.times.len() as f64)
    }

    /// Returns the quantile `share`, from 0 to 1, of the times of moves, in microseconds; `None`
    /// without moves.
    pub fn time_at(&self, share: f64) -> Option<u32> {
        let mut times = self.times.clone();
        times.sort_unstable();
        let place = ((times.len() as f64 * share).ceil() as usize).clamp(1, times.len().max(1));
        times.get(place - 1).copied()
    }
}
