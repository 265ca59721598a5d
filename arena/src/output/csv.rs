//! CSV tables of games, players and encounters.

use std::fmt::Write;

use super::Caption;
use super::cells::CsvLine;
use crate::stats::elo::strength;
use crate::stats::ratings::Ratings;
use crate::tournament::record::{EndKind, GameRecord};
use crate::tournament::tally::{Tally, mean};

/// The header line of the table of games.
pub const GAMES_HEAD: &str = "id,round,first,second,score,end,text,plies,opening,opening_plies,milliseconds,suspect,attempt\n";

/// Writes a game as a line of CSV.
pub fn game(record: &GameRecord, caption: &Caption) -> String {
    let [first, second] = record.players.map(|player| caption.names[player].as_str());
    CsvLine::default()
        .number(record.id)
        .number(record.round + 1)
        .text(first)
        .text(second)
        .text(record.score.text())
        .text(record.end.kind.name())
        .text(&record.end.text)
        .number(record.moves.len())
        .number(record.opening + 1)
        .number(record.opening_plies)
        .number(record.millis)
        .number(record.suspect)
        .number(record.attempt + 1)
        .end()
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
        let strength = strength(&player.results());
        let stats = &player.stats;
        let mut line = CsvLine::default()
            .text(&player.name)
            .float(Some(ratings.elo[index]), 2)
            .float(Some(ratings.error[index]), 2)
            .float(Some(strength.nelo), 2)
            .float(Some(strength.nelo_error), 2)
            .float(Some(strength.los), 4)
            .number(player.all.games());
        for wdl in [player.all, player.by_side[0], player.by_side[1]] {
            line = line.number(wdl.wins).number(wdl.draws).number(wdl.losses);
        }
        for pairs in player.pairs {
            line = line.number(pairs);
        }
        line = line
            .float(stats.mean_time().map(|micros| micros / 1000.0), 3)
            .float(stats.time_at(0.99).map(|micros| f64::from(micros) / 1000.0), 3)
            .float(stats.clock_share(), 4)
            .optional(stats.least_left)
            .float(Some(stats.overrun as f64 / 1000.0), 3)
            .float(stats.mean_latency().map(|micros| micros / 1000.0), 3)
            .float(mean(stats.depth), 2)
            .float(mean(stats.seldepth), 2)
            .number(stats.nodes.0)
            .float(stats.nps(), 0)
            .number(stats.ponder_hits)
            .number(stats.waiting_cpu / 1000)
            .number(stats.peak_memory >> 20)
            .number(stats.starts)
            .number(stats.restarts)
            .number(stats.failures)
            .number(stats.warnings.values().sum::<u64>());
        for (kind, _) in EndKind::ALL {
            line = line.number(player.ends.get(&kind).copied().unwrap_or(0));
        }
        out.push_str(&line.end());
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
            let mut line = CsvLine::default().text(&player.name).text(&opponent.name);
            line = line.number(met.wins).number(met.draws).number(met.losses);
            for pairs in tally.met_pairs[one][other] {
                line = line.number(pairs);
            }
            out.push_str(&line.end());
        }
    }
    out
}
