//! The solver that a prover asks: whether the side still reaches its aim.

use std::sync::Arc;

use tengen_engine::grid_game::GridGame;
use tengen_engine::search::{Context, Search, Task};
use tengen_engine::table::View;
use tengen_engine::{Limits, OpeningBook, Placement, Proof, Side};
use tengen_games::cfour::book::CLASSIC;
use tengen_games::cfour::{Board, CfourEvaluator, Classic};

use super::stones::{Map, Stones, each, point};

/// The number of values that are kept. More are forgotten together.
const VALUES: usize = 4_000_000;

/// A solver of one thread, with the aim of the side.
pub(super) struct Solver<'a> {
    /// Whether the side wants to win. Otherwise it wants not to lose.
    pub(super) wins: bool,
    view: View<'a>,
    empty: Board<Classic>,
    /// The point of each cell of the board.
    points: Vec<u64>,
    /// -1, 0 or 1 for the side to move.
    values: Map<i8>,
}

impl<'a> Solver<'a> {
    pub(super) fn new(wins: bool, view: View<'a>) -> Self {
        let empty = Board::new(Classic);
        let grid = empty.layout().grid();
        let points = grid.all().map(|cell| point(&grid.point(cell).to_string()));
        Self { wins, view, points: points.flatten().collect(), empty, values: Map::default() }
    }

    /// Returns whether the side to move reaches the aim.
    pub(super) fn is_reached_by_mover(&mut self, stones: Stones) -> bool {
        self.value(stones) >= i8::from(self.wins)
    }

    /// Returns whether the side reaches the aim; `is_mover`: it is to move.
    pub(super) fn is_reached(&mut self, stones: Stones, is_mover: bool) -> bool {
        match is_mover {
            true => self.is_reached_by_mover(stones),
            false => self.value(stones) <= -i8::from(self.wins),
        }
    }

    /// Returns the safe moves with which the side reaches the aim.
    pub(super) fn good_moves(&mut self, stones: Stones) -> u64 {
        let most = -i8::from(self.wins);
        let moves = each(stones.safe());
        moves.filter(|at| self.value(stones.play(*at)) <= most).fold(0, |good, at| good | at)
    }

    fn value(&mut self, stones: Stones) -> i8 {
        if stones.wins() != 0 {
            return 1;
        }
        if stones.is_full() {
            return 0;
        }
        let stones = stones.least();
        if let Some(value) = self.values.get(&stones.code()) {
            return *value;
        }
        let value = self.search(stones);
        if self.values.len() >= VALUES {
            self.values.clear();
        }
        self.values.insert(stones.code(), value);
        value
    }

    fn search(&mut self, stones: Stones) -> i8 {
        let Some(board) = self.board(stones) else { return 0 };
        let book = CLASSIC.book().cloned().map(|book| book as Arc<dyn OpeningBook<Board<Classic>>>);
        let search = Search::new(board, CfourEvaluator::new(), self.view, Context::unlimited());
        let mut search = search.with_book(book).in_batch();
        let task = Task::new(Limits::default().with_proof(Proof::Outcome));
        let score = search.run(&task, &mut |_| ()).report.score;
        i8::from(score.is_win()) - i8::from(score.is_loss())
    }

    /// Returns the position as the search has it.
    fn board(&self, stones: Stones) -> Option<Board<Classic>> {
        let is_even = stones.all.count_ones().is_multiple_of(2);
        let turn = if is_even { Side::First } else { Side::Second };
        let stone = |at: &u64| match (stones.own & at, stones.all & at) {
            (_, 0) => None,
            (0, _) => Some(turn.other()),
            _ => Some(turn),
        };
        self.empty.with(&Placement { stones: self.points.iter().map(stone).collect(), turn })
    }
}
