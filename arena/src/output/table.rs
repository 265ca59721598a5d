//! Tables as text: standings, crosstable, ends of games, statistics of engines.

use std::fmt::Write;

use super::cells::{Columns, wrap};
use crate::stats::Results;
use crate::stats::elo::strength;
use crate::stats::ratings::{Ratings, bootstrap, rate};
use crate::stats::sprt::{Decision, estimate};
use crate::tournament::record::EndKind;
use crate::tournament::tally::{Mean, PlayerTally, Tally, TestProgress, Wdl};

/// The minimum width at which the standings show all columns, in characters.
const WIDE: usize = 110;

/// Rates the players of a run. `samples` is the number of bootstrap samples for the errors; 0 for
/// the sandwich estimate. `seed` is for the samples.
pub fn ratings(tally: &Tally, samples: usize, seed: u64) -> Ratings {
    let pairs = tally.rated_pairs();
    let mut ratings = rate(tally.players.len(), &pairs);
    if samples > 0 {
        let mut random = fastrand::Rng::with_seed(seed);
        ratings.error = bootstrap(tally.players.len(), &pairs, samples, &mut random);
    }
    ratings
}

/// Returns the players by rating, the best first.
pub fn ranking(tally: &Tally, ratings: &Ratings) -> Vec<usize> {
    let mut ranking: Vec<usize> = (0..tally.players.len()).collect();
    ranking.sort_by(|one, other| {
        let by_points = |player: &usize| tally.players[*player].all.score();
        ratings.elo[*other]
            .total_cmp(&ratings.elo[*one])
            .then(by_points(other).total_cmp(&by_points(one)))
            .then(one.cmp(other))
    });
    ranking
}

/// Writes the standings.
pub fn standings(tally: &Tally, ratings: &Ratings, width: usize) -> Vec<String> {
    let is_wide = width >= WIDE;
    let mut head = vec!["Rank", "Name", "Elo", "+/-"];
    if is_wide {
        head.extend(["nElo", "+/-"]);
    }
    head.extend(["Games", "Score", "Draws", "LOS"]);
    if is_wide {
        head.push("Pairs [LL, LD, DD+WL, WD, WW]");
    }
    let mut table = Columns::new(&head, &[1]);
    let ranking = ranking(tally, ratings);
    let is_match = tally.players.len() == 2;
    for (rank, &player) in ranking.iter().enumerate() {
        let tallied = &tally.players[player];
        let own = strength(&tallied.results());
        let (elo, error) = match is_match {
            true => (own.elo, own.elo_error),
            false => (ratings.elo[player], ratings.error[player]),
        };
        // With two players, LOS is that of the match. Otherwise it is that against the next player.
        let los = match (is_match, ranking.get(rank + 1)) {
            (true, _) => percent(own.los),
            (false, Some(&next)) => percent(ratings.los(player, next)),
            (false, None) => String::new(),
        };
        let mut row = vec![
            (rank + 1).to_string(),
            tallied.name.clone(),
            format!("{elo:.1}"),
            format!("{error:.1}"),
        ];
        if is_wide {
            row.extend([rounded(own.nelo), rounded(own.nelo_error)]);
        }
        let draws = share(tallied.all.draws, tallied.all.games());
        row.extend([
            tallied.all.games().to_string(),
            percent(tallied.all.score()),
            percent(draws),
            los,
        ]);
        if is_wide {
            row.push(pairs(tallied));
        }
        table.row(row);
    }
    let mut lines = table.lines(width);
    if !is_wide {
        lines.push(String::new());
        lines.extend(pair_lines(tally, &ranking, width));
    }
    wrapped(lines, &remarks(tally, ratings), width)
}

/// Appends texts, wrapped to `width`, to the lines of a table.
fn wrapped(mut lines: Vec<String>, texts: &[String], width: usize) -> Vec<String> {
    lines.extend(texts.iter().flat_map(|text| wrap(text, width)));
    lines
}

fn pairs(player: &PlayerTally) -> String {
    let [ll, ld, dd, wd, ww] = player.pairs;
    format!("[{ll}, {ld}, {dd}, {wd}, {ww}]")
}

fn pair_lines(tally: &Tally, ranking: &[usize], width: usize) -> Vec<String> {
    let mut table = Columns::new(&["Name", "LL", "LD", "DD+WL", "WD", "WW"], &[0]);
    for &player in ranking {
        let mut row = vec![tally.players[player].name.clone()];
        row.extend(tally.players[player].pairs.iter().map(u64::to_string));
        table.row(row);
    }
    let mut lines = vec!["Pairs".to_owned()];
    lines.extend(table.lines(width));
    lines
}

/// Returns remarks on how reliable the ratings are.
fn remarks(tally: &Tally, ratings: &Ratings) -> Vec<String> {
    let mut lines = Vec::new();
    if ratings.has_virtual_draws && tally.games() > 0 && tally.players.len() > 2 {
        lines.push(
            "The games alone have no finite ratings: a virtual draw of each player is counted too."
                .to_owned(),
        );
    }
    if ratings.groups.len() > 1 && tally.games() > 0 {
        let name = |player: &usize| tally.players[*player].name.clone();
        let groups: Vec<String> = ratings
            .groups
            .iter()
            .map(|members| members.iter().map(name).collect::<Vec<_>>().join(", "))
            .collect();
        lines.push(format!(
            "Groups that never met, whose ratings do not compare: {}",
            groups.join(" | ")
        ));
    }
    lines
}

/// Writes the state of a sequential test.
pub fn test(progress: &TestProgress, width: usize) -> Vec<String> {
    let test = &progress.test;
    let [low, high] = test.bounds();
    let [elo0, elo1] = test.elo;
    let decision = Decision::text(progress.decision.map(|(decision, _)| decision));
    let mut lines = vec![format!(
        "LLR {:.3} [{low:.3}, {high:.3}] elo0={elo0} elo1={elo1} {}: {decision}",
        progress.llr,
        test.model.name()
    )];
    let results = Results::Pairs(progress.counts);
    if results.samples() > 0 {
        let unbiased = estimate(test, &results);
        let [least, most] = unbiased.interval;
        lines.push(format!(
            "Median-unbiased Elo {:.2} [{least:.2}, {most:.2}] of {} pairs {:?}",
            unbiased.elo,
            results.samples(),
            progress.counts
        ));
    }
    if progress.has_proofs {
        lines
            .push("Proofs are on: they give points for wins that an engine might miss.".to_owned());
    }
    wrapped(Vec::new(), &lines, width)
}

/// Writes the crosstable: wins, draws and losses of each player against each opponent.
pub fn crosstable(tally: &Tally, ratings: &Ratings, width: usize) -> Vec<String> {
    let ranking = ranking(tally, ratings);
    let numbers: Vec<String> = (1..=ranking.len()).map(|number| number.to_string()).collect();
    let mut head = vec!["", "Name"];
    head.extend(numbers.iter().map(String::as_str));
    let mut table = Columns::new(&head, &[1]);
    for (place, &player) in ranking.iter().enumerate() {
        let mut row = vec![numbers[place].clone(), tally.players[player].name.clone()];
        row.extend(ranking.iter().map(|&other| {
            match (player == other, tally.met[player][other]) {
                (true, _) => "-".to_owned(),
                (false, met) => wdl(met),
            }
        }));
        table.row(row);
    }
    table.lines(width)
}

fn wdl(wdl: Wdl) -> String {
    format!("{}-{}-{}", wdl.wins, wdl.draws, wdl.losses)
}

/// Writes the results by colour, and how games ended.
pub fn colours_and_ends(tally: &Tally, width: usize) -> Vec<String> {
    let mut table = Columns::new(&["Name", "Moving first", "Moving second"], &[0]);
    for player in &tally.players {
        table.row(vec![player.name.clone(), wdl(player.by_side[0]), wdl(player.by_side[1])]);
    }
    let first = tally.first_mover;
    let mut lines = vec![format!(
        "The player who moves first scored {} ({}).",
        percent(first.score()),
        wdl(first)
    )];
    let ends: Vec<String> = EndKind::ALL
        .iter()
        .filter_map(|(kind, name)| tally.ends.get(kind).map(|count| format!("{name} {count}")))
        .collect();
    if !ends.is_empty() {
        lines.push(format!("Games ended by {}.", ends.join(", ")));
    }
    if tally.suspects > 0 {
        let share = percent(share(tally.suspects, tally.games()));
        lines.push(format!(
            "Suspect losses on time, while the machine itself was late: {} ({share} of all games).",
            tally.suspects
        ));
    }
    if tally.proofs > 0 || tally.checked_proofs.0 > 0 {
        let (checked, failed) = tally.checked_proofs;
        lines.push(format!(
            "Games ended by proof: {}. Of {checked} proven games that were played on, {failed} came out otherwise.",
            tally.proofs
        ));
    }
    wrapped(table.lines(width), &lines, width)
}

/// Writes the statistics of the engines: time, search, processes and warnings.
pub fn engine_tables(tally: &Tally, width: usize) -> Vec<String> {
    let mut time = Columns::new(
        &["Name", "Mean ms", "99 % ms", "Clock", "Least left ms", "Overrun ms", "Latency ms"],
        &[0],
    );
    let mut search =
        Columns::new(&["Name", "Depth", "Seldepth", "Mnodes", "knps", "Ponder hits"], &[0]);
    let mut process = Columns::new(
        &["Name", "Waiting CPU s", "Peak MiB", "Restarts", "Failures", "Warnings"],
        &[0],
    );
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    for player in &tally.players {
        let stats = &player.stats;
        let millis = |micros: f64| format!("{:.1}", micros / 1000.0);
        let depth = |mean: Mean| or_dash(mean.value().map(|mean| format!("{mean:.1}")));
        time.row(vec![
            player.name.clone(),
            or_dash(stats.mean_time().map(millis)),
            or_dash(stats.time_at(0.99).map(|micros| millis(f64::from(micros)))),
            or_dash(stats.clock.value().map(percent)),
            or_dash(stats.least_left.map(|left| left.to_string())),
            millis(stats.overrun as f64),
            or_dash(stats.latency.value().map(millis)),
        ]);
        search.row(vec![
            player.name.clone(),
            depth(stats.depth),
            depth(stats.seldepth),
            format!("{:.1}", stats.nodes.sum as f64 / 1e6),
            or_dash(stats.nps().map(|nps| format!("{:.0}", nps / 1000.0))),
            stats.ponder_hits.to_string(),
        ]);
        process.row(vec![
            player.name.clone(),
            format!("{:.1}", stats.waiting_cpu as f64 / 1e6),
            (stats.peak_memory >> 20).to_string(),
            stats.restarts.to_string(),
            stats.failures.to_string(),
            stats.warnings.values().sum::<u64>().to_string(),
        ]);
    }
    let mut lines = time.lines(width);
    for table in [search, process] {
        lines.push(String::new());
        lines.extend(table.lines(width));
    }
    let mut warnings = Vec::new();
    for player in &tally.players {
        for (what, count) in &player.stats.warnings {
            warnings.push(format!("Warning: {}: {what}: {count}", player.name));
        }
    }
    wrapped(lines, &warnings, width)
}

/// Writes all tables, as printed at the end of a run and by `arena report`.
pub fn report(
    tally: &Tally,
    ratings: &Ratings,
    progress: Option<&TestProgress>,
    width: usize,
) -> String {
    let mut out = String::new();
    let mut block = |lines: Vec<String>| {
        for line in lines {
            let _ = writeln!(out, "{line}");
        }
        out.push('\n');
    };
    block(standings(tally, ratings, width));
    if let Some(progress) = progress {
        block(test(progress, width));
    }
    if tally.players.len() > 2 {
        block(crosstable(tally, ratings, width));
    }
    block(colours_and_ends(tally, width));
    block(engine_tables(tally, width));
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

fn share(part: u64, all: u64) -> f64 {
    if all == 0 { 0.0 } else { part as f64 / all as f64 }
}

/// Writes a number with one decimal, and zero without a sign.
fn rounded(number: f64) -> String {
    let text = format!("{number:.1}");
    if text == "-0.0" { "0.0".to_owned() } else { text }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::csv;
    use crate::stats::sprt::Sprt;
    use crate::tournament::record::{GameRecord, GameScore};

    #[test]
    fn first_starts_are_no_restarts() {
        let mut tally = Tally::new(&["A".to_owned(), "B".to_owned()]);
        for id in 0..4 {
            let players = if id % 2 == 0 { [0, 1] } else { [1, 0] };
            let mut game = GameRecord::of_result(id, players, GameScore::First, EndKind::Line);
            for (usage, player) in game.usage.iter_mut().zip(players) {
                usage.started = id == 0 || player == 1;
                usage.restarted = usage.started && id > 0;
            }
            tally.add(&game);
        }
        let lines = engine_tables(&tally, 80);
        let column = |name: &str, of: &str| -> String {
            let head = lines.iter().position(|line| line.contains(name)).unwrap();
            let end = lines[head].find(name).unwrap() + name.len();
            let row = lines[head..].iter().find(|line| line.starts_with(of)).unwrap();
            row[..end].split(' ').next_back().unwrap().to_owned()
        };
        assert_eq!((column("Restarts", "A"), column("Restarts", "B")), ("0".into(), "3".into()));
        let table = csv::players(&tally, &ratings(&tally, 0, 1));
        let mut lines = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let head = lines.next().unwrap();
        let place = |name: &str| head.iter().position(|found| *found == name).unwrap();
        let counts = lines.map(|row| (row[place("starts")], row[place("restarts")]));
        assert_eq!(counts.collect::<Vec<_>>(), [("1", "0"), ("4", "3")]);
    }

    #[test]
    fn a_test_says_whether_proofs_were_on() {
        for has_proofs in [false, true] {
            let lines = test(&TestProgress::new(Sprt::default(), has_proofs), 80);
            assert_eq!(lines.iter().any(|line| line.starts_with("Proofs are on")), has_proofs);
        }
    }
}
