//! Which techniques a search uses: all of them, or those that a test or `tengen tree` switches on.

/// Which techniques a search uses. One search is compiled for each type: [`All`] for play,
/// [`Switched`] for tests and `tengen tree`.
pub trait Techniques: Copy + Send + 'static {
    /// Returns the switches. Those of [`All`] are constants, so that its search reads none.
    fn switches(&self) -> Switched;

    /// Returns the techniques without the unsound ones: those that an exact game may use.
    fn for_exact_game(self) -> Self;
}

/// Every technique on.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct All;

impl Techniques for All {
    #[inline(always)]
    fn switches(&self) -> Switched {
        Switched::ALL
    }

    /// Exact nodes have no unsound technique.
    fn for_exact_game(self) -> Self {
        self
    }
}

/// One switch for each technique.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Switched {
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
    /// Late move reductions, where `scout` and `cutoffs` are on; never in exact games.
    pub reductions: bool,
    /// Cut off by the evaluation alone, and leave late moves out; never in exact games.
    pub pruning: bool,
    /// Extensions that the game asks for, and deeper re-searches; never in exact games. Singular
    /// extensions belong to `pruning`.
    pub extensions: bool,
}

impl Switched {
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

impl Techniques for Switched {
    fn switches(&self) -> Switched {
        *self
    }

    fn for_exact_game(self) -> Self {
        Self { reductions: false, pruning: false, extensions: false, ..self }
    }
}
