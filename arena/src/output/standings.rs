//! The standings of a tournament: points, with Sonneborn-Berger and Buchholz scores.

use super::cells::Columns;
use super::report::Section;
use crate::config::{Config, TournamentKind};
use crate::schedule::{PlayedRound, Schedule};
use crate::tally::{Tally, Wdl};

/// The place of a player. All scores are in points: 1 for a win, 1/2 for a draw.
#[derive(Clone, PartialEq, Debug)]
pub struct Standing {
    /// The number of the player.
    pub player: usize,
    /// The points, with forfeits, and with byes in a Swiss tournament.
    pub points: f64,
    /// The played games.
    pub wdl: Wdl,
    /// The games that were won or lost by forfeit, and those of byes.
    pub unplayed: u64,
    /// The Sonneborn-Berger score: the points of each opponent, times the points taken from it.
    pub sonneborn_berger: f64,
    /// The Buchholz score: the points of the opponent of each encounter.
    pub buchholz: f64,
}

/// Returns the standings, the best player first.
///
/// Players are ordered by points, then by Sonneborn-Berger score, then by number. A gauntlet is
/// ordered by the share of points, because its players have different numbers of games. A finished
/// knockout is ordered by its bracket.
pub fn standings(tally: &Tally, config: &Config) -> Vec<Standing> {
    let count = tally.players.len();
    // By player and opponent.
    let mut half_points: Vec<Vec<u64>> =
        tally.met.iter().map(|row| row.iter().map(Wdl::half_points).collect()).collect();
    let mut unplayed = vec![0; count];
    for forfeit in tally.forfeits.values() {
        for (side, &player) in forfeit.players.iter().enumerate() {
            unplayed[player] += 1;
            let won = if forfeit.winner == Some(player) { 2 } else { 0 };
            half_points[player][forfeit.players[1 - side]] += won;
        }
    }
    let mut points: Vec<u64> = half_points.iter().map(|row| row.iter().sum()).collect();
    if config.tournament == TournamentKind::Swiss {
        for &player in tally.rounds.iter().flat_map(|round| &round.byes) {
            // A bye counts as a win of every game.
            points[player] += 2 * u64::from(config.games);
            unplayed[player] += u64::from(config.games);
        }
    }
    let mut buchholz = vec![0; count];
    for &[one, other] in tally.rounds.iter().flat_map(|round| &round.pairings) {
        buchholz[one] += points[other];
        buchholz[other] += points[one];
    }
    let half = |half_points: u64| half_points as f64 / 2.0;
    let standing = |player: usize| {
        let won = half_points[player].iter().zip(&points);
        let products = won.map(|(won, points)| won * points);
        Standing {
            player,
            points: half(points[player]),
            wdl: tally.players[player].all,
            unplayed: unplayed[player],
            sonneborn_berger: products.sum::<u64>() as f64 / 4.0,
            buchholz: half(buchholz[player]),
        }
    };
    let mut standings: Vec<Standing> = (0..count).map(standing).collect();
    if let Some(ranking) = Schedule(config).bracket_ranking(&finished_rounds(tally)) {
        let place = |player: usize| ranking.iter().position(|known| *known == player);
        standings.sort_by_key(|standing| place(standing.player));
        return standings;
    }
    let score = |standing: &Standing| match config.tournament {
        TournamentKind::Gauntlet => {
            standing.points / (standing.wdl.games() + standing.unplayed).max(1) as f64
        }
        _ => standing.points,
    };
    standings.sort_by(|one, other| {
        let by_score = score(other).total_cmp(&score(one));
        by_score.then(other.sonneborn_berger.total_cmp(&one.sonneborn_berger))
    });
    standings
}

/// Returns the finished rounds.
fn finished_rounds(tally: &Tally) -> Vec<PlayedRound> {
    let rounds = tally.rounds.iter().take_while(|round| tally.is_complete(round));
    rounds.map(|round| tally.played(round)).collect()
}

/// Returns the table of the standings, with remarks.
pub fn section(tally: &Tally, config: &Config) -> Section {
    let kind = config.tournament;
    let has_opponents = tally.players.len() > 2 && kind != TournamentKind::Knockout;
    let is_swiss = kind == TournamentKind::Swiss;
    let standings = standings(tally, config);
    let has_unplayed = standings.iter().any(|standing| standing.unplayed > 0);
    let mut head = vec!["Rank", "Name", "Points", "Games", "Won", "Drawn", "Lost"];
    head.extend(has_unplayed.then_some("Not played"));
    head.extend(has_opponents.then_some("SB"));
    head.extend(is_swiss.then_some("Buchholz"));
    let mut table = Columns::new(&head, &[1]);
    for (place, standing) in standings.iter().enumerate() {
        let Standing { player, points, wdl, unplayed, sonneborn_berger, buchholz } = standing;
        let mut row = vec![
            (place + 1).to_string(),
            tally.players[*player].name.clone(),
            format!("{points:.1}"),
            wdl.games().to_string(),
            wdl.wins.to_string(),
            wdl.draws.to_string(),
            wdl.losses.to_string(),
        ];
        row.extend(has_unplayed.then(|| unplayed.to_string()));
        row.extend(has_opponents.then(|| format!("{sonneborn_berger:.2}")));
        row.extend(is_swiss.then(|| format!("{buchholz:.1}")));
        table.row(row);
    }
    Section { title: "Standings", tables: vec![table], remarks: remarks(tally, config) }
}

fn remarks(tally: &Tally, config: &Config) -> Vec<String> {
    let name = |player: usize| tally.players[player].name.as_str();
    let mut lines = Vec::new();
    match config.tournament {
        TournamentKind::Swiss => lines.push(
            "Equal points are ordered by Sonneborn-Berger (SB). A bye counts as won games."
                .to_owned(),
        ),
        TournamentKind::Knockout => {
            for [winner, loser] in Schedule(config).decided_by_seed(&finished_rounds(tally)) {
                let [winner, loser] = [name(winner), name(loser)];
                lines.push(format!(
                    "{winner} and {loser} were tied: the better seed, {winner}, advanced."
                ));
            }
        }
        TournamentKind::RoundRobin | TournamentKind::Gauntlet => {}
    }
    for (&player, why) in &tally.withdrawn {
        lines.push(format!("{} {why} and was withdrawn.", name(player)));
    }
    if !tally.forfeits.is_empty() {
        lines.push(format!(
            "Games forfeited: {}. They give points to the opponent and do not count in the ratings.",
            tally.forfeits.len()
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::EngineConfig;
    use crate::record::{EndKind, Forfeit, GameRecord, GameScore, JournalRecord, Round};

    fn config(tournament: TournamentKind, players: usize) -> Config {
        let engines = vec![EngineConfig::default(); players];
        Config { engines, tournament, rounds: None, games: 2, ..Config::default() }
    }

    fn round(number: u64, first_pair: u64, pairings: &[[usize; 2]], byes: &[usize]) -> Round {
        let (pairings, byes) = (pairings.to_vec(), byes.to_vec());
        Round { number, first_pair, games: 2, pairings, byes, by_seed: Vec::new() }
    }

    /// Adds both games of a pair, won by `winner`.
    fn add_pair(tally: &mut Tally, pair: u64, players: [usize; 2], winner: usize) {
        for (half, players) in [(0, players), (1, [players[1], players[0]])] {
            let score = GameScore::won_by(usize::from(players[1] == winner));
            tally.add(&GameRecord::of_result(2 * pair + half, players, score, EndKind::Line));
        }
    }

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("p{number}")).collect()
    }

    #[test]
    fn a_swiss_has_points_sonneborn_berger_and_buchholz() {
        let mut tally = Tally::new(&names(3));
        tally.add_record(&JournalRecord::Round(round(0, 0, &[[0, 1]], &[2])));
        tally.add_record(&JournalRecord::Round(round(1, 1, &[[2, 0]], &[1])));
        add_pair(&mut tally, 0, [0, 1], 0);
        add_pair(&mut tally, 1, [2, 0], 2);
        let config = config(TournamentKind::Swiss, 3);
        let found: Vec<(usize, f64, f64, f64)> = standings(&tally, &config)
            .iter()
            .map(|known| (known.player, known.points, known.sonneborn_berger, known.buchholz))
            .collect();
        // Player 2 won its games and had a bye; 0 and 1 have two points each.
        assert_eq!(found, [(2, 4.0, 4.0, 2.0), (0, 2.0, 4.0, 6.0), (1, 2.0, 0.0, 2.0)]);
        let lines = section(&tally, &config).lines(100);
        assert!(lines[0].ends_with("Not played    SB  Buchholz"), "{lines:?}");
    }

    #[test]
    fn forfeits_count_as_points_and_are_named() {
        let mut tally = Tally::new(&names(3));
        tally.add_record(&JournalRecord::Round(round(0, 0, &[[0, 1], [0, 2], [1, 2]], &[])));
        add_pair(&mut tally, 0, [0, 1], 1);
        let why = "failed in 5 games in a row".to_owned();
        tally.add_record(&JournalRecord::Withdrawn { player: 2, why });
        for (id, players) in [(2, [0, 2]), (3, [2, 0]), (4, [1, 2]), (5, [2, 1])] {
            let winner = players.into_iter().find(|player| *player != 2);
            tally.add_record(&JournalRecord::Forfeit(Forfeit { id, players, winner }));
        }
        assert!(tally.is_complete(&tally.rounds[0]));
        let config = config(TournamentKind::RoundRobin, 3);
        let order: Vec<(usize, f64)> =
            standings(&tally, &config).iter().map(|known| (known.player, known.points)).collect();
        assert_eq!(order, [(1, 4.0), (0, 2.0), (2, 0.0)]);
        let remarks = section(&tally, &config).remarks;
        assert_eq!(remarks[0], "p2 failed in 5 games in a row and was withdrawn.");
        assert!(remarks[1].starts_with("Games forfeited: 4."), "{remarks:?}");
    }

    #[test]
    fn a_knockout_is_ordered_by_its_bracket() {
        let mut tally = Tally::new(&names(4));
        tally.add_record(&JournalRecord::Round(round(0, 0, &[[0, 3], [1, 2]], &[])));
        add_pair(&mut tally, 0, [0, 3], 3);
        add_pair(&mut tally, 1, [1, 2], 1);
        let config = config(TournamentKind::Knockout, 4);
        tally.add_record(&JournalRecord::Round(round(1, 2, &[[3, 1]], &[])));
        add_pair(&mut tally, 2, [3, 1], 1);
        let order: Vec<usize> =
            standings(&tally, &config).iter().map(|known| known.player).collect();
        assert_eq!(order, [1, 3, 0, 2]);
    }
}
