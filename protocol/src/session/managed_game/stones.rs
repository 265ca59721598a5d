//! The stones of a managed game, and their position.
//!
//! It knows no rule and no search.

use tengen_engine::{GridNotation, Placement, Point, Position, PositionError, Side};

use crate::command::Owner;

/// The stones in the order in which they were put.
#[derive(Clone, Default)]
pub(super) struct StoneList(Vec<(Point, Owner)>);

impl StoneList {
    /// Returns the owner of the stone on a point.
    pub(super) fn at(&self, point: Point) -> Option<Owner> {
        self.0.iter().find(|(at, _)| *at == point).map(|(_, owner)| *owner)
    }

    /// Puts a stone on a point that is free.
    pub(super) fn put(&mut self, point: Point, owner: Owner) {
        self.0.push((point, owner));
    }

    /// Removes the stone from a point and returns its owner; `None` when there is none.
    pub(super) fn take(&mut self, point: Point) -> Option<Owner> {
        let place = self.0.iter().rposition(|(at, _)| *at == point);
        place.map(|place| self.0.remove(place).1)
    }

    /// Returns the points on which nobody may play.
    pub(super) fn walls(&self) -> impl Iterator<Item = Point> + '_ {
        self.0.iter().filter(|(_, owner)| *owner == Owner::Nobody).map(|(at, _)| *at)
    }

    /// Returns the stones of both players.
    pub(super) fn played(&self) -> impl DoubleEndedIterator<Item = (Point, Owner)> + '_ {
        self.0.iter().copied().filter(|(_, owner)| *owner != Owner::Nobody)
    }

    /// These points, played in turn, the last one by the opponent.
    pub(super) fn of_turns(points: &[Point]) -> Self {
        let count = points.len();
        let owner = |index: usize| {
            if (count - index).is_multiple_of(2) { Owner::Own } else { Owner::Opponent }
        };
        Self(points.iter().enumerate().map(|(index, &point)| (point, owner(index))).collect())
    }

    /// Sets `position` up with these stones and `to_move` to move: played stone by stone where they
    /// were put in turn, else as a whole.
    pub(super) fn set_up(
        &self,
        position: &mut dyn Position,
        grid: GridNotation,
        to_move: Owner,
    ) -> Result<(), PositionError> {
        if !self.is_in_turn(to_move) {
            let placement = self.placement(grid, to_move);
            return position.place(&placement).map_err(PositionError::Start);
        }
        position.reset();
        for (index, (point, _)) in self.played().enumerate() {
            let name = point.to_string();
            position.play_text(&name).map_err(|error| PositionError::Move(index + 1, error))?;
        }
        Ok(())
    }

    fn is_in_turn(&self, to_move: Owner) -> bool {
        let mut expected = to_move.other();
        self.played().rev().all(|(_, owner)| {
            let fits = owner == expected;
            expected = expected.other();
            fits
        })
    }

    /// Returns who has the first player's stones when `to_move` is to move: by the numbers of
    /// stones if they can come from play, else the owner of the first stone.
    fn first_player(&self, to_move: Owner) -> Owner {
        let own = self.played().filter(|(_, owner)| *owner == to_move).count();
        let opponent = self.played().count() - own;
        match () {
            () if opponent == own => to_move,
            () if opponent == own + 1 => to_move.other(),
            () => self.played().next().map_or(to_move, |(_, owner)| owner),
        }
    }

    fn placement(&self, grid: GridNotation, to_move: Owner) -> Placement {
        let first = self.first_player(to_move);
        let side = |owner| if owner == first { Side::First } else { Side::Second };
        let mut placement = Placement::empty(grid.grid());
        placement.turn = side(to_move);
        for (point, owner) in self.played() {
            if let Some(cell) = grid.grid().cell_at(point) {
                placement.stones[cell.index()] = Some(side(owner));
            }
        }
        placement
    }
}

#[cfg(test)]
mod tests {
    use tengen_engine::Grid;

    use super::*;

    /// Cells count from the top of a board of 4x3 points.
    fn list(stones: &[(u32, u32, Owner)]) -> StoneList {
        let stone = |&(x, row, owner)| (Point { column: x, row: 2 - row }, owner);
        StoneList(stones.iter().map(stone).collect())
    }

    /// Returns the moves of stones put in turn, else the rows and who moves.
    fn text(stones: &[(u32, u32, Owner)]) -> String {
        let list = list(stones);
        if list.is_in_turn(Owner::Own) {
            let names: Vec<String> = list.played().map(|(at, _)| at.to_string()).collect();
            return names.join(" ");
        }
        let grid = GridNotation::new(Grid::new(4, 3).unwrap(), false);
        let placement = list.placement(grid, Owner::Own);
        let stone = |at| placement.stone(grid.grid(), at);
        let text = grid.write_position(stone, placement.turn, false);
        text.split(" - ").next().unwrap_or_default().to_owned()
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
    fn the_last_stone_of_turns_is_the_opponent_s_and_a_stone_is_taken_back() {
        let points = [0, 1, 2].map(|column| Point { column, row: 0 });
        let mut list = StoneList::of_turns(&points);
        assert_eq!(list.at(points[2]), Some(Owner::Opponent));
        assert_eq!(list.at(points[1]), Some(Owner::Own));
        assert_eq!(list.take(points[1]), Some(Owner::Own));
        assert_eq!(list.take(points[1]), None);
        assert_eq!(list.at(points[1]), None);
    }
}
