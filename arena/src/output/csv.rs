//! CSV tables of games, players and encounters.

use std::fmt::Write;

use super::Caption;
use super::cells::csv_line;
use crate::record::{EndKind, GameRecord};
use crate::stats::elo::measured;
use crate::stats::ratings::Ratings;
use crate::tally::{Tally, Wdl};

/// The header line of the table of games.
pub const GAMES_HEAD: &str = "id,round,first,second,score,end,text,plies,opening,opening_plies,milliseconds,suspect,attempt\n";

/// Writes a game as a line of CSV.
pub fn game(record: &GameRecord, caption: &Caption) -> String {
    let [first, second] = record.players.map(|player| caption.names[player].as_str());
    csv_line(&[
        record.id.to_string(),
        (record.round + 1).to_string(),
        first.to_owned(),
        second.to_owned(),
        record.score.text().to_owned(),
        record.end.kind.name().to_owned(),
        record.end.text.clone(),
        record.moves.len().to_string(),
        (record.opening + 1).to_string(),
        record.opening_plies.to_string(),
        record.millis.to_string(),
        record.suspect.to_string(),
        (record.attempt + 1).to_string(),
    ])
}

fn decimal(number: Option<f64>, digits: usize) -> String {
    number.map_or(String::new(), |number| format!("{number:.digits$}"))
}

fn millis(micros: f64) -> f64 {
    micros / 1000.0
}

fn counts(wdl: Wdl) -> [String; 3] {
    [wdl.wins, wdl.draws, wdl.losses].map(|count| count.to_string())
}

/// Writes the table of players.
pub fn players(tally: &Tally, ratings: &Ratings) -> String {
    let mut out = String::from(
        "name,elo,elo_error,nelo,nelo_error,los,games,wins,draws,losses,first_wins,first_draws,first_losses,second_wins,second_draws,second_losses,ll,ld,dd_wl,wd,ww,mean_ms,p99_ms,clock_share,least_left_ms,overrun_ms,latency_ms,depth,seldepth,nodes,nps,ponder_hits,waiting_cpu_ms,peak_memory_mib,starts,restarts,failures,warnings",
    );
    for (_, name) in EndKind::ALL {
        let _ = write!(out, ",{}", name.replace(' ', "_"));
    }
    out.push('\n');
    for (index, player) in tally.players.iter().enumerate() {
        let own = measured(&player.results());
        // Ratings use virtual draws, so they exist even if a match does not determine its Elo.
        let is_match = tally.players.len() == 2;
        let is_open = is_match && own.elo.is_none();
        let rated = |number: f64| Some(number).filter(|_| !is_open);
        let stats = &player.stats;
        let mut cells = vec![
            player.name.clone(),
            decimal(rated(ratings.elo[index]), 2),
            decimal(ratings.error_of(index).filter(|_| !is_open), 2),
            decimal(own.nelo.map(|nelo| nelo[0]), 2),
            decimal(own.nelo.map(|nelo| nelo[1]), 2),
            decimal(Some(own.los), 4),
            player.all.games().to_string(),
        ];
        cells.extend(
            [player.all, player.by_side[0], player.by_side[1]].into_iter().flat_map(counts),
        );
        cells.extend(player.pairs.map(|pairs| pairs.to_string()));
        cells.extend([
            decimal(stats.mean_time().map(millis), 3),
            decimal(stats.time_at(0.99).map(f64::from).map(millis), 3),
            decimal(stats.clock.value(), 4),
            stats.least_left.map_or(String::new(), |left| left.to_string()),
            decimal(Some(millis(stats.overrun as f64)), 3),
            decimal(stats.latency.value().map(millis), 3),
            decimal(stats.depth.value(), 2),
            decimal(stats.seldepth.value(), 2),
            stats.nodes.sum.to_string(),
            decimal(stats.nps(), 0),
            stats.ponder_hits.to_string(),
            (stats.waiting_cpu / 1000).to_string(),
            (stats.peak_memory >> 20).to_string(),
            stats.starts.to_string(),
            stats.restarts.to_string(),
            stats.failures.to_string(),
            stats.warnings.values().sum::<u64>().to_string(),
        ]);
        let ends = EndKind::ALL.map(|(kind, _)| player.ends.get(&kind).copied().unwrap_or(0));
        cells.extend(ends.map(|count| count.to_string()));
        out.push_str(&csv_line(&cells));
    }
    out
}

/// Writes the table of encounters, one line for each player and opponent.
pub fn encounters(tally: &Tally) -> String {
    let mut out = String::from("player,opponent,wins,draws,losses,ll,ld,dd_wl,wd,ww\n");
    for (one, player) in tally.players.iter().enumerate() {
        for (other, opponent) in tally.players.iter().enumerate() {
            let met = tally.met[one][other];
            if met.games() == 0 {
                continue;
            }
            let mut cells = vec![player.name.clone(), opponent.name.clone()];
            cells.extend(counts(met));
            cells.extend(tally.met_pairs[one][other].map(|pairs| pairs.to_string()));
            out.push_str(&csv_line(&cells));
        }
    }
    out
}
