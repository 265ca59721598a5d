//! The stones of a managed game, and their position as a setup.
//!
//! It knows the size of the board, no rule and no search.

use crate::command::{Owner, Point, Setup, Stone};

/// The stones in the order in which they were put.
#[derive(Clone, Default)]
pub(super) struct StoneList(Vec<Stone>);

/// Ends the text of a position, where moves could follow.
const MOVES: &str = "moves";

impl StoneList {
    /// What stands on a cell.
    pub(super) fn at(&self, point: Point) -> Option<Owner> {
        self.0.iter().find(|stone| stone.point == point).map(|stone| stone.owner)
    }

    /// Puts a stone on a cell that is free.
    pub(super) fn put(&mut self, point: Point, owner: Owner) {
        self.0.push(Stone { point, owner });
    }

    /// Takes the stone off a cell and tells whose it was; `None` when there is none.
    pub(super) fn take(&mut self, point: Point) -> Option<Owner> {
        let place = self.0.iter().rposition(|stone| stone.point == point);
        place.map(|place| self.0.remove(place).owner)
    }

    /// The cells on which nobody may play.
    pub(super) fn walls(&self) -> impl Iterator<Item = Point> + '_ {
        self.0.iter().filter(|stone| stone.owner == Owner::Nobody).map(|stone| stone.point)
    }

    /// The stones of both players.
    pub(super) fn played(&self) -> impl DoubleEndedIterator<Item = &Stone> + '_ {
        self.0.iter().filter(|stone| stone.owner != Owner::Nobody)
    }

    /// The same game as the opponent sees it.
    pub(super) fn reversed(&self) -> Self {
        let reverse = |stone: &Stone| Stone {
            owner: match stone.owner {
                Owner::Own => Owner::Opponent,
                Owner::Opponent => Owner::Own,
                Owner::Nobody => Owner::Nobody,
            },
            ..*stone
        };
        Self(self.0.iter().map(reverse).collect())
    }

    /// These points, played in turn, the last one by the opponent.
    pub(super) fn of_turns(points: &[Point]) -> Self {
        let count = points.len();
        let owner = |index: usize| {
            if (count - index).is_multiple_of(2) { Owner::Own } else { Owner::Opponent }
        };
        let stone = |(index, &point)| Stone { point, owner: owner(index) };
        Self(points.iter().enumerate().map(stone).collect())
    }

    /// The position with us to move, on a board of this size, on which all stones lie: played stone
    /// by stone where they were put in turn, else as a whole.
    pub(super) fn setup(&self, size: (u32, u32)) -> Setup {
        if self.is_in_turn() {
            let names: Vec<String> = self.played().map(|stone| stone.point.name(size.1)).collect();
            return Setup::Start { moves: names.join(" ") };
        }
        Setup::Text { text: self.text(size), keyword: MOVES }
    }

    fn is_in_turn(&self) -> bool {
        let mut expected = Owner::Opponent;
        self.played().rev().all(|stone| {
            let fits = stone.owner == expected;
            expected = if expected == Owner::Own { Owner::Opponent } else { Owner::Own };
            fits
        })
    }

    /// Who has the first player's stones: by their numbers where these come from play, else whoever
    /// put the first one.
    fn first_player(&self) -> Owner {
        let own = self.played().filter(|stone| stone.owner == Owner::Own).count();
        let opponent = self.played().count() - own;
        match () {
            () if opponent == own => Owner::Own,
            () if opponent == own + 1 => Owner::Opponent,
            () => self.played().next().map_or(Owner::Own, |stone| stone.owner),
        }
    }

    fn text(&self, (columns, rows): (u32, u32)) -> String {
        let first = self.first_player();
        let letter = |owner| if owner == first { 'P' } else { 'p' };
        let mut text = String::new();
        for y in 0..rows {
            let mut empties = 0;
            for x in 0..columns {
                let owner = self.at(Point { x, y }).filter(|owner| *owner != Owner::Nobody);
                let Some(owner) = owner else {
                    empties += 1;
                    continue;
                };
                flush(&mut text, &mut empties);
                text.push(letter(owner));
            }
            flush(&mut text, &mut empties);
            text.push(if y + 1 < rows { '/' } else { ' ' });
        }
        text.push(if first == Owner::Own { 'w' } else { 'b' });
        text
    }
}

fn flush(text: &mut String, empties: &mut u32) {
    if *empties > 0 {
        text.push_str(&empties.to_string());
    }
    *empties = 0;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(stones: &[(u32, u32, Owner)]) -> StoneList {
        let stone = |&(x, y, owner)| Stone { point: Point { x, y }, owner };
        StoneList(stones.iter().map(stone).collect())
    }

    fn text(stones: &[(u32, u32, Owner)]) -> String {
        match list(stones).setup((4, 3)) {
            Setup::Start { moves } => moves,
            Setup::Text { text, .. } => text,
            Setup::Unreadable(why) => panic!("{why}"),
        }
    }

    #[test]
    fn stones_put_in_turn_are_moves_and_all_others_a_position() {
        use Owner::{Nobody, Opponent, Own};
        assert_eq!(text(&[]), "");
        assert_eq!(text(&[(0, 0, Opponent)]), "a3");
        assert_eq!(text(&[(0, 0, Own), (3, 2, Opponent)]), "a3 d1");
        assert_eq!(text(&[(0, 0, Own), (1, 1, Nobody), (3, 2, Opponent)]), "a3 d1");
        // The opponent began, and would be to move.
        assert_eq!(text(&[(0, 0, Opponent), (3, 2, Own)]), "p3/4/3P w");
        assert_eq!(text(&[(0, 0, Opponent), (3, 2, Own), (2, 0, Opponent)]), "a3 d1 c3");
        assert_eq!(text(&[(0, 0, Opponent), (2, 0, Opponent), (3, 2, Own)]), "P1P1/4/3p b");
        assert_eq!(text(&[(0, 0, Own), (2, 0, Own), (1, 1, Nobody)]), "P1P1/4/4 w");
        assert_eq!(text(&[(0, 0, Opponent), (1, 0, Opponent), (2, 1, Opponent)]), "PP2/2P1/4 b");
    }

    #[test]
    fn a_game_turns_round_and_a_stone_is_taken_back() {
        let points = [Point { x: 0, y: 0 }, Point { x: 1, y: 0 }, Point { x: 2, y: 0 }];
        let mut list = StoneList::of_turns(&points);
        assert_eq!(list.at(points[2]), Some(Owner::Opponent));
        assert_eq!(list.at(points[1]), Some(Owner::Own));
        assert_eq!(list.reversed().at(points[2]), Some(Owner::Own));
        assert_eq!(list.take(points[1]), Some(Owner::Own));
        assert_eq!(list.take(points[1]), None);
        assert_eq!(list.at(points[1]), None);
    }
}
