//! Restarts of engines, and engines that leave their seats for others.

use super::*;

#[test]
fn an_engine_is_restarted_if_that_is_configured() {
    let mut games = Match::with(
        || good(1),
        clock("3+0"),
        |rules| {
            rules.players[0].restart = Restart::Always;
        },
    );
    games.plays_normally();
    games.plays_normally();
    assert_eq!(games.script.starts(), 3);
    assert!(games.script.log.contains(&"0 quit".to_owned()));
}

#[test]
fn a_process_in_place_of_an_earlier_one_is_a_restart() {
    // By game and player: whether its process was started, and whether that was a restart.
    let history = |games: &mut Match, count: usize| -> Vec<[(bool, bool); 2]> {
        let mut history = Vec::new();
        for _ in 0..count {
            let record = games.finished();
            let mut by_player = [(false, false); 2];
            for (player, usage) in record.players.into_iter().zip(&record.usage) {
                by_player[player] = (usage.started, usage.restarted);
            }
            history.push(by_player);
        }
        history
    };
    let (first, again, none) = ((true, false), (true, true), (false, false));
    let mut games = Match::new(odd_once(|| vec![Action::Die(5, "ended")]), clock("3+0"));
    assert_eq!(history(&mut games, 3), [[first, first], [again, none], [none, none]]);
    let always = |rules: &mut RunRules| rules.players[0].restart = Restart::Always;
    let mut games = Match::with(|| good(1), clock("3+0"), always);
    assert_eq!(history(&mut games, 2), [[first, first], [again, none]]);
}

#[test]
fn an_engine_that_made_room_for_another_is_started_and_not_restarted() {
    let three = |rules: &mut RunRules| rules.players.push(player("three", clock("3+0")));
    let mut games = Match::with(|| good(1), clock("3+0"), three);
    let mut starts = Vec::new();
    for players in [[0, 1], [2, 1], [0, 1]] {
        let GameOutcome::Finished(record) = games.play_between(players) else {
            panic!("{players:?}")
        };
        starts.push(record.usage.map(|usage| (usage.started, usage.restarted)));
    }
    assert_eq!(
        starts,
        [
            [(true, false), (true, false)],
            [(true, false), (false, false)],
            [(true, false), (false, false)]
        ]
    );
}
