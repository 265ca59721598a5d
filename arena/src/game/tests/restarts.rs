//! Engines that are started again, and engines that make room for others.

use super::*;

#[test]
fn a_restart_is_made_when_it_is_asked_for() {
    let mut arena = Arena::with(
        || good(1),
        second("3+0"),
        |rules| {
            rules.players[0].restart = Restart::Always;
        },
    );
    arena.goes_on();
    arena.goes_on();
    assert_eq!(arena.script.starts(), 3);
    assert!(arena.script.log.contains(&"0 quit".to_owned()));
}

#[test]
fn a_process_in_place_of_an_earlier_one_is_a_restart() {
    // By game and player: whether its process was started, and whether that was a restart.
    let course = |arena: &mut Arena, games: usize| -> Vec<[(bool, bool); 2]> {
        let mut course = Vec::new();
        for _ in 0..games {
            let record = arena.finished();
            let mut by_player = [(false, false); 2];
            for (player, usage) in record.players.into_iter().zip(&record.usage) {
                by_player[player] = (usage.started, usage.restarted);
            }
            course.push(by_player);
        }
        course
    };
    let (first, again, none) = ((true, false), (true, true), (false, false));
    let mut arena = Arena::new(odd_once(|| vec![Act::Die(5, "ended")]), second("3+0"));
    assert_eq!(course(&mut arena, 3), [[first, first], [again, none], [none, none]]);
    let always = |rules: &mut RunRules| rules.players[0].restart = Restart::Always;
    let mut arena = Arena::with(|| good(1), second("3+0"), always);
    assert_eq!(course(&mut arena, 2), [[first, first], [again, none]]);
}

#[test]
fn an_engine_that_made_room_for_another_is_started_and_not_restarted() {
    let three = |rules: &mut RunRules| rules.players.push(player("three", second("3+0")));
    let mut arena = Arena::with(|| good(1), second("3+0"), three);
    let mut starts = Vec::new();
    for players in [[0, 1], [2, 1], [0, 1]] {
        let Played::Finished(record) = arena.play_between(players) else { panic!("{players:?}") };
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
