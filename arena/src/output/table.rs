//! The sections of a report: ratings, crosstable, ends of games, statistics of engines.

use super::cells::Columns;
use super::report::Section;
use super::standings::{self, standings};
use crate::config::Config;
use crate::record::EndKind;
use crate::stats::Results;
use crate::stats::elo::{Measured, measured};
use crate::stats::ratings::{Advantage, Ratings, bootstrap, rate};
use crate::stats::sprt::{Hypothesis, estimate};
use crate::tally::{Mean, PlayerTally, Tally, TestProgress, Wdl};

/// An error of the fitted advantage below this is none.
const NO_ERROR: f64 = 1e-6;

/// The minimum width at which the standings show all columns, in characters.
const WIDE: usize = 110;

/// Rates the players of a run with this advantage of the first move. `samples` is the number of bootstrap samples for the errors; 0 for
/// the sandwich estimate. `seed` is for the samples.
pub fn ratings(tally: &Tally, advantage: Advantage, samples: usize, seed: u64) -> Ratings {
    let pairs = tally.rated_pairs();
    let mut ratings = rate(tally.players.len(), &pairs, advantage);
    if samples > 0 {
        let mut random = fastrand::Rng::with_seed(seed);
        ratings.error = bootstrap(tally.players.len(), &pairs, advantage, samples, &mut random);
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

/// Returns the table of ratings. A width below 110 characters leaves out columns.
pub fn rating_table(tally: &Tally, ratings: &Ratings, width: usize) -> Section {
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
    let number = |number: Option<f64>| number.map_or_else(|| "-".to_owned(), rounded);
    for (rank, &player) in ranking.iter().enumerate() {
        let tallied = &tally.players[player];
        let own = measured(&tallied.results());
        let (elo, error) = match is_match {
            true => (own.elo, own.error),
            false => (Some(ratings.elo[player]), ratings.error_of(player)),
        };
        // With two players, LOS is that of the match. Otherwise it is that against the next player.
        let los = match (is_match, ranking.get(rank + 1)) {
            (true, _) => percent(own.los),
            (false, Some(&next)) => {
                ratings.los(player, next).map_or_else(|| "-".to_owned(), percent)
            }
            (false, None) => String::new(),
        };
        let mut row =
            vec![(rank + 1).to_string(), tallied.name.clone(), number(elo), number(error)];
        if is_wide {
            row.extend([0, 1].map(|place| number(own.nelo.map(|nelo| nelo[place]))));
        }
        let (games, draws) = (tallied.all.games(), tallied.all.draws);
        let [score, draws] = [tallied.all.score(), share(draws, games)].map(percent);
        row.extend([games.to_string(), score, draws, los]);
        if is_wide {
            let [ll, ld, dd, wd, ww] = tallied.pairs;
            row.push(format!("[{ll}, {ld}, {dd}, {wd}, {ww}]"));
        }
        table.row(row);
    }
    let mut remarks = remarks(tally, ratings);
    if is_match && let Some(&first) = ranking.first() {
        remarks.extend(undetermined_remark(&tally.players[first]));
    }
    Section { title: "Ratings", tables: vec![table], remarks }
}

/// Returns a remark if the results of a match do not determine the Elo of `player` or its error.
/// `None` if they do, or if no game was played.
fn undetermined_remark(player: &PlayerTally) -> Option<String> {
    let found = measured(&player.results());
    if found.error.is_some() || player.all.games() == 0 {
        return None;
    }
    let [low, high] = found.interval;
    let range = match (low.is_finite(), high.is_finite()) {
        (false, false) => return None,
        (true, false) => format!("at least {low:.1}"),
        (false, true) => format!("at most {high:.1}"),
        (true, true) => format!("from {low:.1} to {high:.1}"),
    };
    let elo = if found.elo.is_some() { "The error of the Elo is" } else { "The Elo is" };
    let (what, name) = (Measured::OPEN, &player.name);
    Some(format!("{elo} {what}: that of {name} is {range} with 95 %."))
}

/// Returns a table with a row for each player: the name and `cells`.
fn of_players<const N: usize>(
    tally: &Tally,
    head: [&str; N],
    cells: impl Fn(&PlayerTally) -> [String; N],
) -> Columns {
    let mut table = Columns::new(&[&["Name"], &head[..]].concat(), &[0]);
    for player in &tally.players {
        table.row([vec![player.name.clone()], cells(player).to_vec()].concat());
    }
    table
}

/// Returns remarks on how reliable the ratings are.
fn remarks(tally: &Tally, ratings: &Ratings) -> Vec<String> {
    let mut lines = Vec::new();
    let (is_played, is_match) = (tally.games() > 0, tally.players.len() <= 2);
    let names = |players: &[usize]| -> String {
        let names = players.iter().map(|player| tally.players[*player].name.as_str());
        names.collect::<Vec<_>>().join(", ")
    };
    if ratings.has_virtual_draws && is_played && !is_match {
        let text =
            "The games alone have no finite ratings: a virtual draw of each player is counted too.";
        lines.push(text.to_owned());
    }
    if !is_match {
        lines.extend(colours_remark(tally, ratings));
    }
    let players = 0..tally.players.len();
    let open: Vec<usize> = players.filter(|player| ratings.error_of(*player).is_none()).collect();
    if !open.is_empty() && is_played && !is_match {
        let (what, names) = (Measured::OPEN, names(&open));
        lines.push(format!(
            "The errors are {what} for {names}: their pairs of games are all alike."
        ));
    }
    if ratings.groups.len() > 1 && is_played {
        let groups: Vec<String> = ratings.groups.iter().map(|members| names(members)).collect();
        let groups = groups.join(" | ");
        lines.push(format!("Groups that never met, whose ratings do not compare: {groups}"));
    }
    lines
}

/// Returns a remark if the games do not separate the advantage of the first move from strength, or show none.
fn colours_remark(tally: &Tally, ratings: &Ratings) -> Option<String> {
    /// From this share on, colours are uneven.
    const UNEVEN: f64 = 0.5;
    /// With fewer games, an advantage is rarely seen.
    const ENOUGH: u64 = 1000;
    let (elo, error) = (ratings.first_move, ratings.first_move_error);
    let what = format!("the advantage of the first move, {elo:.0} +/- {error:.0} Elo,");
    let instead = "-advantage off leaves it out, -advantage N sets it";
    match () {
        () if error < NO_ERROR => None,
        () if ratings.uneven_colours > UNEVEN => Some(format!(
            "warning: {} of the games are without a game of exchanged colours, so that {what} may be strength: {instead}.",
            percent(ratings.uneven_colours)
        )),
        () if elo.abs() < error && tally.games() >= ENOUGH => Some(format!(
            "warning: colour and score do not go together: {what} may be none: {instead}."
        )),
        () => None,
    }
}

/// Returns the state of a sequential test.
pub fn test(progress: &TestProgress) -> Section {
    let test = &progress.test;
    let [low, high] = test.bounds();
    let [elo0, elo1] = test.elo;
    let decision = Hypothesis::text(progress.decision.map(|(decision, _)| decision));
    let mut remarks = vec![format!(
        "LLR {:.3} [{low:.3}, {high:.3}] elo0={elo0} elo1={elo1} {}: {decision}",
        progress.llr,
        test.model.name()
    )];
    let results = Results::Pairs(progress.counts);
    if results.samples() > 0 {
        let unbiased = estimate(test, &results).map(|found| {
            let [least, most] = found.interval;
            format!("{:.2} [{least:.2}, {most:.2}]", found.elo)
        });
        let unbiased = unbiased.unwrap_or_else(|| Measured::OPEN.to_owned());
        remarks.push(format!(
            "Median-unbiased Elo {unbiased} of {} pairs {:?}",
            results.samples(),
            progress.counts
        ));
    }
    if progress.has_proofs {
        let text = "Proofs are on: they give points for wins that an engine might miss.";
        remarks.push(text.to_owned());
    }
    Section { title: "Sequential test", tables: Vec::new(), remarks }
}

/// Returns the crosstable: wins, draws and losses of each player against each opponent. The
/// players are in the order `ranking`.
pub fn crosstable(tally: &Tally, ranking: &[usize]) -> Section {
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
    Section { title: "Crosstable", tables: vec![table], remarks: Vec::new() }
}

fn wdl(wdl: Wdl) -> String {
    format!("{}-{}-{}", wdl.wins, wdl.draws, wdl.losses)
}

/// Returns how games ended, and what went wrong.
fn ends(tally: &Tally) -> Section {
    let first = tally.first_mover;
    let (score, counts) = (percent(first.score()), wdl(first));
    let mut remarks = vec![format!("The player who moves first scored {score} ({counts}).")];
    let ends: Vec<String> = EndKind::ALL
        .iter()
        .filter_map(|(kind, name)| tally.ends.get(kind).map(|count| format!("{name} {count}")))
        .collect();
    if !ends.is_empty() {
        remarks.push(format!("Games ended by {}.", ends.join(", ")));
    }
    let Tally { suspects, proofs, checked_proofs: (checked, failed), .. } = *tally;
    if suspects > 0 {
        let share = percent(share(suspects, tally.games()));
        remarks.push(format!(
            "Suspect losses on time, while the machine itself was late: {suspects} ({share} of all games)."
        ));
    }
    if proofs > 0 || checked > 0 {
        remarks.push(format!(
            "Games ended by proof: {proofs}. Of {checked} proven games that were played on, {failed} came out otherwise."
        ));
    }
    for PlayerTally { name, stats, .. } in &tally.players {
        let failures = Some(stats.failures).filter(|failures| *failures > 0);
        remarks.extend(failures.map(|failures| format!("Failures: {name}: {failures}")));
    }
    for PlayerTally { name, stats, .. } in &tally.players {
        let warnings = stats.warnings.iter();
        remarks.extend(warnings.map(|(what, count)| format!("Warning: {name}: {what}: {count}")));
    }
    Section { title: "Ends of games", tables: Vec::new(), remarks }
}

/// Returns the details: pairs, results by colour, and the statistics of the engines.
pub fn details(tally: &Tally) -> Section {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let millis = |micros: f64| format!("{:.1}", micros / 1000.0);
    let depth = |mean: Mean| or_dash(mean.value().map(|mean| format!("{mean:.1}")));
    let pairs = of_players(tally, ["LL", "LD", "DD+WL", "WD", "WW"], |player| {
        player.pairs.map(|count| count.to_string())
    });
    let colours =
        of_players(tally, ["Moving first", "Moving second"], |player| player.by_side.map(wdl));
    let head = ["Mean ms", "99 % ms", "Clock", "Least left ms", "Overrun ms", "Latency ms"];
    let time = of_players(tally, head, |PlayerTally { stats, .. }| {
        [
            or_dash(stats.mean_time().map(millis)),
            or_dash(stats.time_at(0.99).map(|micros| millis(f64::from(micros)))),
            or_dash(stats.clock.value().map(percent)),
            or_dash(stats.least_left.map(|left| left.to_string())),
            millis(stats.overrun as f64),
            or_dash(stats.latency.value().map(millis)),
        ]
    });
    let head = ["Depth", "Seldepth", "Mnodes", "knps", "Ponder hits"];
    let search = of_players(tally, head, |PlayerTally { stats, .. }| {
        [
            depth(stats.depth),
            depth(stats.seldepth),
            format!("{:.1}", stats.nodes.sum as f64 / 1e6),
            or_dash(stats.nps().map(|nps| format!("{:.0}", nps / 1000.0))),
            stats.ponder_hits.to_string(),
        ]
    });
    let head = ["Waiting CPU s", "Peak MiB", "Restarts", "Failures", "Warnings"];
    let process = of_players(tally, head, |PlayerTally { stats, .. }| {
        [
            format!("{:.1}", stats.waiting_cpu as f64 / 1e6),
            (stats.peak_memory >> 20).to_string(),
            stats.restarts.to_string(),
            stats.failures.to_string(),
            stats.warnings.values().sum::<u64>().to_string(),
        ]
    });
    let tables = vec![pairs, colours, time, search, process];
    Section { title: "Details", tables, remarks: Vec::new() }
}

/// Returns the sections of a report: the standings first, then ratings, then how games ended.
/// `with_details` adds the statistics of the engines.
pub fn sections(
    tally: &Tally,
    ratings: &Ratings,
    progress: Option<&TestProgress>,
    config: &Config,
    with_details: bool,
    width: usize,
) -> Vec<Section> {
    let mut sections = Vec::new();
    // A sequential test has two players, and its result is the decision.
    if progress.is_none() {
        sections.push(standings::section(tally, config));
    }
    sections.extend(progress.map(test));
    sections.push(rating_table(tally, ratings, width));
    if tally.players.len() > 2 {
        let order: Vec<usize> =
            standings(tally, config).iter().map(|standing| standing.player).collect();
        sections.push(crosstable(tally, &order));
    }
    sections.push(ends(tally));
    if with_details {
        sections.push(details(tally));
    }
    sections
}

/// Returns the lines that show the state of a run: the standings, or the ratings of a match.
pub fn state(
    tally: &Tally,
    progress: Option<&TestProgress>,
    config: &Config,
    width: usize,
) -> Vec<String> {
    if tally.players.len() > 2 {
        return standings::section(tally, config).lines(width);
    }
    let mut lines =
        rating_table(tally, &ratings(tally, Advantage::Fitted, 0, 0), width).lines(width);
    lines.extend(progress.into_iter().flat_map(|progress| test(progress).lines(width)));
    lines
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
    use crate::record::{GameRecord, GameScore};
    use crate::stats::sprt::Sprt;

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
        let lines = details(&tally).lines(80);
        let column = |name: &str, of: &str| -> String {
            let head = lines.iter().position(|line| line.contains(name)).unwrap();
            let end = lines[head].find(name).unwrap() + name.len();
            let row = lines[head..].iter().find(|line| line.starts_with(of)).unwrap();
            row[..end].split(' ').next_back().unwrap().to_owned()
        };
        assert_eq!((column("Restarts", "A"), column("Restarts", "B")), ("0".into(), "3".into()));
        let table = csv::players(&tally, &ratings(&tally, Advantage::Fitted, 0, 1));
        let mut lines = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let head = lines.next().unwrap();
        let place = |name: &str| head.iter().position(|found| *found == name).unwrap();
        let counts = lines.map(|row| (row[place("starts")], row[place("restarts")]));
        assert_eq!(counts.collect::<Vec<_>>(), [("1", "0"), ("4", "3")]);
    }

    #[test]
    fn a_match_that_was_only_won_has_no_elo_yet() {
        let mut tally = Tally::new(&["A".to_owned(), "B".to_owned()]);
        tally.add(&GameRecord::of_result(0, [0, 1], GameScore::First, EndKind::Line));
        let lines = rating_table(&tally, &ratings(&tally, Advantage::Fitted, 0, 1), 80).lines(80);
        let words: Vec<&str> = lines[1].split_ascii_whitespace().collect();
        assert_eq!(words, ["1", "A", "-", "-", "1", "100.0", "%", "0.0", "%", "75.0", "%"]);
        let remark = "The Elo is not determined yet: that of A is at least -636.4 with 95 %.";
        assert!(lines.contains(&remark.to_owned()), "{lines:?}");
    }

    #[test]
    fn a_report_begins_with_the_standings_and_has_details_on_demand() {
        let names = ["A", "B", "C"].map(str::to_owned);
        let mut tally = Tally::new(&names);
        tally.add(&GameRecord::of_result(0, [0, 1], GameScore::First, EndKind::Line));
        let ratings = ratings(&tally, Advantage::Fitted, 0, 1);
        let titles = |progress: Option<&TestProgress>, with_details| -> Vec<&str> {
            let config = Config::default();
            let sections = sections(&tally, &ratings, progress, &config, with_details, 80);
            sections.iter().map(|section| section.title).collect()
        };
        assert_eq!(titles(None, false), ["Standings", "Ratings", "Crosstable", "Ends of games"]);
        assert_eq!(titles(None, true).last(), Some(&"Details"));
        let progress = TestProgress::new(Sprt::default(), false);
        assert_eq!(titles(Some(&progress), false)[..2], ["Sequential test", "Ratings"]);
    }

    #[test]
    fn a_test_says_whether_proofs_were_on() {
        for has_proofs in [false, true] {
            let lines = test(&TestProgress::new(Sprt::default(), has_proofs)).lines(80);
            assert_eq!(lines.iter().any(|line| line.starts_with("Proofs are on")), has_proofs);
        }
    }
}
