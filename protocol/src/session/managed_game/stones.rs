//! The stones of a managed game, and how to set up a position from them.
//!
//! It does not depend on a rule or a search.

use tengen_engine::{GridNotation, Placement, Point, Position, PositionError, Side};

use crate::command::Owner;

/// A list of stones, in the order in which they were played.
#[derive(Clone, Default)]
pub(super) struct StoneList(Vec<(Point, Owner)>);

impl StoneList {
    /// Returns the owner of the stone on `point`; `None` if the point is free.
    pub(super) fn at(&self, point: Point) -> Option<Owner> {
        self.0.iter().find(|(at, _)| *at == point).map(|(_, owner)| *owner)
    }

    /// Puts a stone on `point`, which must be free.
    pub(super) fn put(&mut self, point: Point, owner: Owner) {
        self.0.push((point, owner));
    }

    /// Removes the stone on `point` and returns its owner; `None` if the point is free.
    pub(super) fn take(&mut self, point: Point) -> Option<Owner> {
        let index = self.0.iter().rposition(|(at, _)| *at == point)?;
        Some(self.0.remove(index).1)
    }

    /// Returns the points on which nobody may play.
    pub(super) fn walls(&self) -> impl Iterator<Item = Point> + '_ {
        self.0.iter().filter(|(_, owner)| *owner == Owner::Nobody).map(|(at, _)| *at)
    }

    /// Returns the stones of both players.
    pub(super) fn played(&self) -> impl DoubleEndedIterator<Item = (Point, Owner)> + '_ {
        self.0.iter().copied().filter(|(_, owner)| *owner != Owner::Nobody)
    }

    /// Sets up `position` with these stones and `to_move` to move. Plays the stones as moves if the
    /// players alternate, else places all of them together.
    pub(super) fn set_up(
        &self,
        position: &mut dyn Position,
        grid: GridNotation,
        to_move: Owner,
    ) -> Result<(), PositionError> {
        if !self.is_alternating(to_move) {
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

    /// Returns whether the players alternate, with `to_move` to move next.
    fn is_alternating(&self, to_move: Owner) -> bool {
        let owners = [to_move.other(), to_move].into_iter().cycle();
        self.played().rev().zip(owners).all(|((_, owner), expected)| owner == expected)
    }

    /// Returns which of the players is the first player when `to_move` is to move. The numbers of
    /// stones decide if they can come from play, else the owner of the first stone.
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

    /// Returns stones on a board of 4x3 points. Rows count from the top.
    fn list(stones: &[(u32, u32, Owner)]) -> StoneList {
        let stone = |&(x, row, owner)| (Point { column: x, row: 2 - row }, owner);
        StoneList(stones.iter().map(stone).collect())
    }

    /// Returns the moves if the players alternate, else the rows and the side to move.
    fn text(stones: &[(u32, u32, Owner)]) -> String {
        let list = list(stones);
        if list.is_alternating(Owner::Own) {
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
    fn alternating_stones_are_moves_and_others_a_position() {
        use Owner::{Nobody, Opponent, Own};
        assert_eq!(text(&[]), "");
        assert_eq!(text(&[(0, 0, Opponent)]), "a3");
        assert_eq!(text(&[(0, 0, Own), (3, 2, Opponent)]), "a3 d1");
        assert_eq!(text(&[(0, 0, Own), (1, 1, Nobody), (3, 2, Opponent)]), "a3 d1");
        // The opponent began: by the number of stones it is the opponent's turn.
        assert_eq!(text(&[(0, 0, Opponent), (3, 2, Own)]), "p3/4/3P w");
        assert_eq!(text(&[(0, 0, Opponent), (3, 2, Own), (2, 0, Opponent)]), "a3 d1 c3");
        assert_eq!(text(&[(0, 0, Opponent), (2, 0, Opponent), (3, 2, Own)]), "P1P1/4/3p b");
        assert_eq!(text(&[(0, 0, Own), (2, 0, Own), (1, 1, Nobody)]), "P1P1/4/4 w");
        assert_eq!(text(&[(0, 0, Opponent), (1, 0, Opponent), (2, 1, Opponent)]), "PP2/2P1/4 b");
    }
}
