//! Evaluation of m,n,k positions by the stones of each side in every open window: k cells in a row
//! without a stone of the opponent.
//!
//! Counts are updated with every move. Scores that are called proven are checked against the rules
//! of [`Mnk`].

use std::sync::Arc;

use tengen_engine::{
    Coverage, Evaluator, Game, LateMove, MoveOrdering, ProofTuning, Prover, Score, Selectivity,
    Side, Term, Window,
};

use super::standing::OpenWindows;
use super::tables::{Potential, Tables, WindowId, distance_from_centre};
use super::{Mnk, Rules};
use tengen_engine::Cell;

/// The bonus of the side to move (tempo).
const INITIATIVE: i32 = 16;
/// The maximum board size, in cells, that is searched without pruning.
const EXACT_CELLS: usize = 36;
/// The radius of the middle of a board, in units of [`distance_from_centre`].
const MIDDLE: u32 = 8;

/// An evaluator that counts the stones in windows of k cells.
#[derive(Clone, Debug)]
pub struct MnkEvaluator {
    tables: Arc<Tables>,
    exact: bool,
    overline: bool,
    /// Whether a fork always wins. It may not where stones fall or an overline does not win.
    forks_win: bool,
    /// The number of stones of each side in every window.
    counts: Vec<[u8; 2]>,
    open_windows: [OpenWindows; 2],
}

/// A cell where a stone leaves two or more cells that complete a line. The opponent can block only
/// one of them.
#[derive(Clone, Copy, Debug)]
struct Fork {
    point: Cell,
    /// The two cells that complete a line; `None` when there are more.
    ends: Option<[Cell; 2]>,
}

impl Fork {
    /// Returns whether a stone of the opponent on `mv` leaves at most one cell that completes a
    /// line.
    fn is_stopped_by(&self, mv: Cell) -> bool {
        mv == self.point || self.ends.is_some_and(|ends| ends.contains(&mv))
    }
}

impl MnkEvaluator {
    /// Returns whether a search with `rules` proves the value of every position.
    pub fn is_exact_on(rules: &Rules) -> bool {
        rules.falls() || rules.grid().cells() <= EXACT_CELLS
    }

    /// Creates an evaluator for boards with `rules`. Call [`reset`](Evaluator::reset) before use.
    pub fn new(rules: &Rules) -> Self {
        let tables = Arc::new(Tables::new(rules));
        let open_windows = OpenWindows::new(rules);
        Self {
            exact: Self::is_exact_on(rules),
            overline: rules.overline(),
            forks_win: rules.overline() && !rules.falls(),
            counts: vec![[0; 2]; tables.windows()],
            open_windows: [open_windows.clone(), open_windows],
            tables,
        }
    }

    /// Updates the windows through `mv` after a stone of `side` was placed there, or taken away
    /// when not `placed`.
    fn count(&mut self, game: &Mnk, mv: Cell, side: Side, placed: bool) {
        let tables = &*self.tables;
        let [own, other] = [side.index(), side.other().index()];
        for &window in tables.through(mv) {
            let counts = &mut self.counts[window.index()];
            let fewer = if placed { counts[own] } else { counts[own] - 1 };
            counts[own] = if placed { fewer + 1 } else { fewer };
            let theirs = counts[other];

            let mine_without = (theirs == 0).then_some(fewer);
            let mine_with = (theirs == 0).then_some(fewer + 1);
            let theirs_without = (fewer == 0).then_some(theirs);
            let (mine, others) = if placed {
                ((mine_without, mine_with), (theirs_without, None))
            } else {
                ((mine_with, mine_without), (None, theirs_without))
            };
            let at = (tables, game);
            self.open_windows[own].change(at, window, mine.0, mine.1);
            self.open_windows[other].change(at, window, others.0, others.1);
        }
    }

    /// Returns the empty cells where a stone of `side` wins, playable or not.
    fn winning_cells<'a>(&'a self, game: &'a Mnk, side: Side) -> impl Iterator<Item = Cell> + 'a {
        let grid = game.ruleset().grid();
        let cells = self.open_windows[side.index()].completing.iter_below(grid.cells());
        let cells = cells.filter_map(move |index| grid.at(index));
        // If an overline does not win, a completed window may be part of an overline.
        cells.filter(move |&cell| self.overline || game.completes(cell, side))
    }

    /// Returns the moves that win immediately for `side`, if it is to move.
    fn winning_moves<'a>(&'a self, game: &'a Mnk, side: Side) -> impl Iterator<Item = Cell> + 'a {
        self.winning_cells(game, side).filter(|&cell| game.is_playable(cell))
    }

    /// Returns whether the opponent of the side to move wins on the cell above `mv`, which becomes
    /// playable. False where stones do not fall.
    fn gives_win_above(&self, game: &Mnk, mv: Cell) -> bool {
        let opponent = game.turn().other();
        let rules = game.ruleset();
        let Some(above) = rules.grid().above(mv).filter(|_| rules.falls()) else { return false };
        let completes =
            self.open_windows[opponent.index()].potential[above.index()].completes() > 0;
        completes && (self.overline || game.completes(above, opponent))
    }

    /// Returns whether the side to move loses in two plies after every move. It must have no win at
    /// once.
    fn is_lost_in_two(&self, game: &Mnk) -> bool {
        let mut blocks = self.winning_moves(game, game.turn().other());
        match (blocks.next(), blocks.next()) {
            // One stone cannot block both cells.
            (Some(_), Some(_)) => true,
            (Some(block), None) => self.gives_win_above(game, block),
            _ => {
                game.ruleset().falls()
                    && self.playable(game).all(|cell| self.gives_win_above(game, cell))
            }
        }
    }

    /// Returns the forks that `side` can make, if it is to move.
    fn forks<'a>(&'a self, game: &'a Mnk, side: Side) -> impl Iterator<Item = Fork> + 'a {
        let grid = game.ruleset().grid();
        let cells = self.open_windows[side.index()].forking.iter_below(grid.cells());
        let cells = cells.filter_map(move |index| grid.at(index));
        cells.filter(|_| self.forks_win).filter_map(move |point| self.fork_at(game, point, side))
    }

    fn fork_at(&self, game: &Mnk, point: Cell, side: Side) -> Option<Fork> {
        let windows = self.tables.through(point).iter();
        let mut ends = windows.filter_map(|&window| self.end(game, window, point, side));
        let first = ends.next()?;
        let second = ends.find(|&end| end != first)?;
        let is_wide = ends.any(|end| end != first && end != second);
        Some(Fork { point, ends: (!is_wide).then_some([first, second]) })
    }

    /// Returns the only empty cell besides `point` of an open window; `None` when the window has
    /// more.
    fn end(&self, game: &Mnk, window: WindowId, point: Cell, side: Side) -> Option<Cell> {
        let counts = self.counts[window.index()];
        let cells = self.tables.cells(window);
        let lacks_two = usize::from(counts[side.index()]) + 2 == cells.len();
        if !lacks_two || counts[side.other().index()] > 0 {
            return None;
        }
        cells.iter().copied().find(|&cell| cell != point && game.stone(cell).is_none())
    }

    /// Returns whether the side to move wins by a fork. It must have no immediate win and not lose
    /// in two plies.
    // After the fork, the opponent has no cell that completes its line: it had at most one, and the
    // fork takes it. It blocks one end, and the other end completes the line.
    fn wins_by_fork(&self, game: &Mnk) -> bool {
        let side = game.turn();
        let block = self.winning_moves(game, side.other()).next();
        self.forks(game, side).any(|fork| block.is_none_or(|block| block == fork.point))
    }

    /// Appends the moves that stop every fork of the opponent and the moves that make a threat.
    /// Returns false, and appends nothing, when the opponent has no fork.
    // Every other move loses in four plies: the opponent makes the fork, and the reply can neither
    // complete a line nor block both ends. No move loses sooner, because the opponent cannot
    // complete a line now.
    fn push_defences(&self, game: &Mnk, out: &mut Vec<Cell>) -> bool {
        let forks: Vec<Fork> = self.forks(game, game.turn().other()).collect();
        if forks.is_empty() {
            return false;
        }
        let own = &self.open_windows[game.turn().index()].potential;
        let before = out.len();
        out.extend(self.playable(game).filter(|&mv| {
            own[mv.index()].makes_threat() > 0 || forks.iter().all(|fork| fork.is_stopped_by(mv))
        }));
        if out.len() == before {
            out.push(forks[0].point);
        }
        true
    }

    /// Returns the legal moves, the centre first.
    fn playable<'a>(&'a self, game: &'a Mnk) -> impl Iterator<Item = Cell> + 'a {
        self.tables.centre_first.iter().copied().filter(|&cell| game.is_playable(cell))
    }

    fn push_all(&self, game: &Mnk, out: &mut Vec<Cell>) -> Coverage {
        let before = out.len();
        if game.ruleset().falls() {
            out.extend(self.playable(game).filter(|&cell| !self.gives_win_above(game, cell)));
        }
        if out.len() == before {
            out.extend(self.playable(game));
        }
        Coverage::Complete
    }

    /// Appends the moves on cells with a potential for either side; in the beginning, the middle of
    /// the board.
    fn push_near(&self, game: &Mnk, out: &mut Vec<Cell>) -> Coverage {
        let before = out.len();
        out.extend(self.playable(game).filter(|&cell| {
            self.open_windows
                .iter()
                .any(|open_windows| !open_windows.potential[cell.index()].is_none())
        }));
        if out.len() == before {
            let grid = game.ruleset().grid();
            let is_middle = |cell: &Cell| distance_from_centre(grid, *cell) <= MIDDLE;
            out.extend(self.playable(game).filter(is_middle));
        }
        if out.len() == before {
            return self.push_all(game, out);
        }
        let all = out.len() - before == game.plies_left() as usize;
        if all { Coverage::Complete } else { Coverage::Partial }
    }

    /// Returns the potentials of a cell for the side to move and for its opponent.
    fn potentials(&self, game: &Mnk, mv: Cell) -> (Potential, Potential) {
        let [own, other] = [game.turn().index(), game.turn().other().index()];
        (
            self.open_windows[own].potential[mv.index()],
            self.open_windows[other].potential[mv.index()],
        )
    }

    /// Returns the parts of the evaluation: own lines, the opponent's, the move.
    fn parts(&self, game: &Mnk) -> [i32; 3] {
        let [own, other] = [game.turn().index(), game.turn().other().index()];
        [self.open_windows[own].score, -self.open_windows[other].score, INITIATIVE]
    }
}

impl Evaluator<Mnk> for MnkEvaluator {
    type Undo = ();

    fn reset(&mut self, game: &Mnk) {
        let tables = Arc::clone(&self.tables);
        self.counts.fill([0; 2]);
        for open_windows in &mut self.open_windows {
            open_windows.clear();
            for window in tables.all() {
                open_windows.change((&tables, game), window, None, Some(0));
            }
        }
        for cell in game.ruleset().grid().all() {
            if let Some(side) = game.stone(cell) {
                self.count(game, cell, side, true);
            }
        }
    }

    fn played(&mut self, game: &Mnk, mv: Cell) {
        self.count(game, mv, game.turn().other(), true);
    }

    fn undone(&mut self, game: &Mnk, mv: Cell, (): ()) {
        self.count(game, mv, game.turn(), false);
    }

    fn evaluate(&mut self, game: &Mnk) -> Score {
        Score::heuristic(self.parts(game).iter().sum())
    }

    fn terms(&mut self, game: &Mnk) -> Vec<Term> {
        let names = ["own lines", "opponent's lines", "the move"];
        names.iter().zip(self.parts(game)).map(|(name, value)| Term { name, value }).collect()
    }
}

impl MoveOrdering<Mnk> for MnkEvaluator {
    fn candidates(&self, game: &Mnk, out: &mut Vec<Cell>) -> Coverage {
        let side = game.turn();
        let decided = self.winning_moves(game, side).next();
        // A side that does not block loses in two plies, the shortest loss.
        let forced = || self.winning_moves(game, side.other()).next();
        if let Some(mv) = decided.or_else(forced) {
            out.push(mv);
            return Coverage::Complete;
        }
        if self.push_defences(game, out) {
            return Coverage::Complete;
        }
        if self.exact { self.push_all(game, out) } else { self.push_near(game, out) }
    }

    fn rank(&self, game: &Mnk, mv: Cell) -> i32 {
        let (own, other) = self.potentials(game, mv);
        match (own.completes(), other.completes(), own.makes_threat(), other.makes_threat()) {
            (1.., ..) => 30_000,
            (_, 1.., ..) => 20_000,
            (_, _, 2.., _) => 10_000,
            (_, _, _, 2..) => 9_000,
            (_, _, 1, _) => 8_000,
            (_, _, _, 1) => 7_000,
            _ => 16 * (own.rest() + other.rest()).checked_ilog2().unwrap_or(0) as i32,
        }
    }

    fn noisy(&self, game: &Mnk, out: &mut Vec<Cell>) {
        out.extend(self.winning_moves(game, game.turn().other()).next());
    }
}

impl Selectivity<Mnk> for MnkEvaluator {
    fn exact(&self) -> bool {
        self.exact
    }

    fn reduction(&self, game: &Mnk, mv: Cell, late: &LateMove) -> u32 {
        let LateMove { depth, index, .. } = *late;
        if depth < 3 || index < 4 {
            return 0;
        }
        let (own, other) = self.potentials(game, mv);
        let is_sharp = |p: Potential| p.completes() > 0 || p.makes_threat() > 0;
        if is_sharp(own) || is_sharp(other) {
            return 0;
        }
        1 + u32::from(index >= 12) + u32::from(index >= 24 && depth >= 6)
    }

    fn extension(&self, game: &Mnk, mv: Cell) -> u32 {
        let (own, other) = self.potentials(game, mv);
        u32::from(own.completes() == 0 && other.completes() > 0)
    }

    // Exact boards are small: the second half of a game is near its end.
    fn proof_tuning(&self) -> ProofTuning {
        let mut tuning = ProofTuning::PLAIN;
        tuning.near_end = EXACT_CELLS as u32;
        tuning.near_end_in_batch = 8;
        tuning
    }
}

impl Prover<Mnk> for MnkEvaluator {
    const KEEPS_WINS: bool = true;

    fn static_bounds(&self, game: &Mnk, _wanted: Window) -> (Score, Score) {
        let side = game.turn();
        if self.winning_moves(game, side).next().is_some() {
            return (Score::win_in(1), Score::win_in(1));
        }
        if self.is_lost_in_two(game) {
            return (Score::loss_in(2), Score::loss_in(2));
        }
        if self.wins_by_fork(game) {
            return (Score::win_in(3), Score::win_in(3));
        }
        // The side to move puts stones in plies 1, 3, 5, ..., the opponent in plies 2, 4, 6, .... A
        // window that lacks n stones needs n of them. Wins within two plies were found above.
        let left = game.plies_left();
        let earliest = |side: Side| self.open_windows[side.index()].stones_short();
        let high = earliest(side).map(|short| (2 * short - 1).max(3)).filter(|&ply| ply <= left);
        let low = earliest(side.other()).map(|short| (2 * short).max(4)).filter(|&ply| ply <= left);
        (low.map_or(Score::DRAW, Score::loss_in), high.map_or(Score::DRAW, Score::win_in))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_engine::Notation;

    fn set_up(rules: Rules, position: &str) -> (Mnk, MnkEvaluator) {
        let game = Mnk::new(rules).read_position(position).unwrap();
        let mut evaluator = MnkEvaluator::new(&rules);
        evaluator.reset(&game);
        (game, evaluator)
    }

    fn gomoku(position: &str, overline: bool) -> (Mnk, MnkEvaluator) {
        set_up(Rules::new(9, 5, 5, false, overline).unwrap(), position)
    }

    fn names(game: &Mnk, cells: &[Cell]) -> Vec<String> {
        cells.iter().map(|&cell| game.write_move(cell, Default::default())).collect()
    }

    #[test]
    fn a_win_needs_the_exact_length_without_overline() {
        let gap = "9/9/PPP1PP3/9/9 w";
        let (game, evaluator) = gomoku(gap, true);
        assert_eq!(
            evaluator.static_bounds(&game, Window::FULL),
            (Score::win_in(1), Score::win_in(1))
        );
        let (game, evaluator) = gomoku(gap, false);
        // A stone in the gap makes six in a row.
        assert_eq!(evaluator.static_bounds(&game, Window::FULL).1, Score::win_in(3));
    }

    #[test]
    fn one_end_can_be_blocked_but_not_two() {
        let (game, evaluator) = gomoku("9/9/2PPPP3/9/9 b", true);
        assert_eq!(
            evaluator.static_bounds(&game, Window::FULL),
            (Score::loss_in(2), Score::loss_in(2))
        );
        let (game, evaluator) = gomoku("9/9/1pPPPP3/9/9 b", true);
        assert_eq!(evaluator.static_bounds(&game, Window::FULL).0, Score::loss_in(4));
        let mut out = Vec::new();
        assert_eq!(evaluator.candidates(&game, &mut out), Coverage::Complete);
        assert_eq!(names(&game, &out), ["g3"]);
        assert_eq!(evaluator.extension(&game, out[0]), 1);
    }

    #[test]
    fn a_board_without_an_open_window_is_a_draw() {
        let (game, evaluator) = set_up(Rules::new(3, 3, 3, false, true).unwrap(), "PpP/Ppp/pP1 w");
        assert_eq!(evaluator.static_bounds(&game, Window::FULL), (Score::DRAW, Score::DRAW));
        let (game, evaluator) = set_up(Rules::new(3, 3, 4, false, true).unwrap(), "3/3/3 w");
        assert_eq!(evaluator.static_bounds(&game, Window::FULL), (Score::DRAW, Score::DRAW));
    }

    #[test]
    fn an_empty_large_board_has_only_moves_in_the_middle() {
        let (game, evaluator) = set_up(
            Rules::new(15, 15, 5, false, true).unwrap(),
            "15/15/15/15/15/15/15/15/15/15/15/15/15/15/15 w",
        );
        let mut out = Vec::new();
        assert_eq!(evaluator.candidates(&game, &mut out), Coverage::Partial);
        assert_eq!(names(&game, &out[..1]), ["h8"]);
        assert_eq!(out.len(), 9);
        assert!(!evaluator.exact());
    }

    #[test]
    fn terms_add_up_to_the_evaluation() {
        let (game, mut evaluator) = gomoku("9/9/2PPPp3/3p5/9 b", true);
        let sum: i32 = evaluator.terms(&game).iter().map(|term| term.value).sum();
        assert_eq!(Score::heuristic(sum), evaluator.evaluate(&game));
        assert!(evaluator.evaluate(&game) < Score::DRAW);
    }

    #[test]
    fn counts_follow_the_moves_and_back() {
        let (mut game, mut evaluator) = gomoku("9/9/1pPPP4/9/9 b", false);
        let before = evaluator.clone();
        let mut played = Vec::new();
        for text in ["f3", "e4", "g3", "e5", "e1"] {
            let mv = game.read_move(text).unwrap();
            game.play(mv);
            evaluator.played(&game, mv);
            played.push(mv);
            let mut fresh = MnkEvaluator::new(game.ruleset());
            fresh.reset(&game);
            assert_eq!(
                (&evaluator.counts, &evaluator.open_windows),
                (&fresh.counts, &fresh.open_windows)
            );
        }
        while let Some(mv) = played.pop() {
            game.undo(mv, ());
            evaluator.undone(&game, mv, ());
        }
        assert_eq!(
            (evaluator.counts, evaluator.open_windows),
            (before.counts, before.open_windows)
        );
    }
}
