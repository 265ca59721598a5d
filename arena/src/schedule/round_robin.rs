//! Schedules that do not depend on results.

/// Returns the pairings of all players with all others, by the circle method. Neighbouring pairings
/// have different players if possible.
pub(super) fn circle(players: usize) -> Vec<[usize; 2]> {
    // With an odd number of players, the last seat is empty: its opponent has a bye.
    let seats = players + players % 2;
    let mut pairings = Vec::with_capacity(players * (players - 1) / 2);
    for turn in 0..seats - 1 {
        // The player on the last seat stays. All others move by one seat each turn.
        let at = |seat: usize| if seat == seats - 1 { seat } else { (seat + turn) % (seats - 1) };
        for seat in 0..seats / 2 {
            let [one, other] = [at(seat), at(seats - 1 - seat)];
            if one >= players || other >= players {
                continue;
            }
            // Otherwise the player who stays would always be the second one.
            let is_turned = seat == 0 && turn % 2 == 1;
            pairings.push(if is_turned { [other, one] } else { [one, other] });
        }
    }
    pairings
}

/// Returns the pairings of the first `seeds` players with all others.
pub(super) fn gauntlet(players: usize, seeds: usize) -> Vec<[usize; 2]> {
    (seeds..players).flat_map(|other| (0..seeds).map(move |seed| [seed, other])).collect()
}
