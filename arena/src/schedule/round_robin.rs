//! Schedules that do not depend on results.

/// Everybody against everybody, by the circle method: neighbours in the list have different players,
/// as far as that is possible.
pub(super) fn circle(players: usize) -> Vec<[usize; 2]> {
    // With an odd number, who meets the last seat rests.
    let seats = players + players % 2;
    let mut pairings = Vec::with_capacity(players * (players - 1) / 2);
    for turn in 0..seats - 1 {
        // The last seat stays; all others move on by one seat each turn.
        let at = |seat: usize| if seat == seats - 1 { seat } else { (seat + turn) % (seats - 1) };
        for seat in 0..seats / 2 {
            let [one, other] = [at(seat), at(seats - 1 - seat)];
            if one >= players || other >= players {
                continue;
            }
            // The player who stays would always be the second.
            let is_turned = seat == 0 && turn % 2 == 1;
            pairings.push(if is_turned { [other, one] } else { [one, other] });
        }
    }
    pairings
}

/// The first `seeds` players against all others.
pub(super) fn gauntlet(players: usize, seeds: usize) -> Vec<[usize; 2]> {
    (seeds..players).flat_map(|other| (0..seeds).map(move |seed| [seed, other])).collect()
}
