//! The switches of search techniques, to compare and to test.

/// One switch per technique. The default has every one on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SearchOptions {
    /// In exact games, null windows at full depth where the evaluator asks for them.
    pub proving: bool,
    /// Search depth by depth; off: the last depth at once.
    pub deepening: bool,
    /// Start from a narrow window around the last iteration's score.
    pub aspiration: bool,
    /// Search all but the first move with a null window first.
    pub scout: bool,
    /// Alpha-beta itself: off, every window stays open and the search is plain minimax.
    pub cutoffs: bool,
    /// Cut off by the transposition table.
    pub table: bool,
    /// Search the table's move first.
    pub table_move: bool,
    /// Order by the evaluator's rank.
    pub rank: bool,
    /// Order by killer moves.
    pub killers: bool,
    /// Order and reduce by history.
    pub history: bool,
    /// Search only the evaluator's candidates, but for the root; off: every legal move.
    pub candidates: bool,
    /// Use the evaluator's proven bounds.
    pub bounds: bool,
    /// Bound by the shortest win and the longest loss still possible.
    pub mate_distance: bool,
    /// Resolve noisy moves at the horizon.
    pub quiescence: bool,
    /// In exact games, probe every move before one is entered.
    pub probe_children: bool,
    /// Ask the evaluator for a book's or a solver's result.
    pub probe: bool,
    /// Late-move reductions; never in exact games.
    pub reductions: bool,
    /// Cut off by the evaluation alone, and leave late moves out; never in exact games.
    pub pruning: bool,
    /// Extensions that the game asks for, and deeper re-searches; never in exact games. Singular
    /// extensions belong to `pruning`.
    pub extensions: bool,
}

impl SearchOptions {
    /// Every technique on.
    pub const ALL: Self = Self::all(true);
    /// Plain minimax to the last depth.
    pub const NONE: Self = Self::all(false);

    /// Returns every technique on or off.
    const fn all(on: bool) -> Self {
        Self {
            proving: on,
            deepening: on,
            aspiration: on,
            scout: on,
            cutoffs: on,
            table: on,
            table_move: on,
            rank: on,
            killers: on,
            history: on,
            candidates: on,
            bounds: on,
            mate_distance: on,
            quiescence: on,
            probe_children: on,
            probe: on,
            reductions: on,
            pruning: on,
            extensions: on,
        }
    }
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self::ALL
    }
}
