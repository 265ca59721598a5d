//! Statistics of solving.

use std::fmt::Write;
use std::time::Duration;

use tengen_engine::{Answer, Move};

/// The figures of all positions so far.
#[derive(Default)]
pub(super) struct Stats {
    nodes: Vec<u64>,
    times: Vec<Duration>,
    table_hits: u64,
    cut_offs: u64,
    first_cut_offs: u64,
}

impl Stats {
    /// Adds the answer for a position.
    pub(super) fn add(&mut self, answer: &Answer<Move>) {
        let tally = &answer.counts;
        self.nodes.push(answer.report.nodes);
        self.times.push(tally.time);
        self.table_hits += tally.table_hits;
        self.cut_offs += tally.cut_offs;
        self.first_cut_offs += tally.first_cut_offs;
    }

    /// Returns one line for each figure. With several threads, hits and cut-offs are counted in the
    /// thread that answered.
    pub(super) fn summary(&self) -> String {
        let times: Vec<f64> = self.times.iter().map(|time| time.as_secs_f64() * 1e6).collect();
        let nodes: Vec<f64> = self.nodes.iter().map(|nodes| *nodes as f64).collect();
        let per_second = ratio(nodes.iter().sum(), times.iter().sum::<f64>() / 1e6);
        let first = ratio(100.0 * self.first_cut_offs as f64, self.cut_offs as f64);
        let mut out = String::new();
        let mut line = |name: &str, value: String| {
            let _ = writeln!(out, "{name:<20}{value}");
        };
        line("positions", nodes.len().to_string());
        line("nodes", spread(nodes));
        line("microseconds", spread(times));
        line("nodes per second", format!("{per_second:.0}"));
        line("table hits", self.table_hits.to_string());
        line("first-move cut-offs", format!("{first:.1} % of {}", self.cut_offs));
        out
    }
}

/// Returns mean, median and sum.
fn spread(mut values: Vec<f64>) -> String {
    values.sort_by(f64::total_cmp);
    // `sum` would return -0 for no values.
    let sum = values.iter().fold(0.0, |sum, value| sum + value);
    let mean = ratio(sum, values.len() as f64);
    format!("mean {mean:.2}, median {:.2}, sum {sum:.0}", median(&values))
}

/// Returns the median of sorted values; 0 when there are none.
fn median(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    match sorted {
        [] => 0.0,
        _ if sorted.len().is_multiple_of(2) => (sorted[half - 1] + sorted[half]) / 2.0,
        _ => sorted[half],
    }
}

/// Returns the ratio; 0 when `whole` is 0.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_engine::Score;

    #[test]
    fn the_summary_shows_means_medians_and_shares() {
        let mut stats = Stats::default();
        for (nodes, micros) in [(10, 2), (1, 1), (2, 4), (3, 3)] {
            let time = Duration::from_micros(micros);
            let mut answer = Answer::blank(Score::DRAW, None);
            answer.report.nodes = nodes;
            (answer.counts.time, answer.counts.table_hits) = (time, 5);
            (answer.counts.cut_offs, answer.counts.first_cut_offs) = (8, 7);
            stats.add(&answer);
        }
        let expected = "\
positions           4
nodes               mean 4.00, median 2.50, sum 16
microseconds        mean 2.50, median 2.50, sum 10
nodes per second    1600000
table hits          20
first-move cut-offs 87.5 % of 32
";
        assert_eq!(stats.summary(), expected);
    }

    #[test]
    fn the_summary_of_no_positions_shows_zeros() {
        let summary = Stats::default().summary();
        assert!(
            summary.contains("nodes               mean 0.00, median 0.00, sum 0\n"),
            "{summary}"
        );
        assert!(summary.ends_with("0.0 % of 0\n"), "{summary}");
    }
}
