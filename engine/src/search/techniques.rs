//! The techniques of a search: all of them, or a choice for tests and `tengen tree`.

/// The techniques that a search uses. One search is compiled for each type: [`All`] for play,
/// [`Switched`] for tests and `tengen tree`.
pub trait Techniques: Copy + Send + 'static {
    /// Returns a switch for each technique. For [`All`] they are constants, so that the compiler
    /// removes the checks.
    fn switches(&self) -> Switched;

    /// Returns the techniques that an exact game may use: all but the unsound ones.
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
    /// Proof at full depth, in games with [`RootSchedule::Proving`](crate::RootSchedule::Proving).
    pub proving: bool,
    /// Iterative deepening. Off: only the last depth is searched.
    pub deepening: bool,
    /// Aspiration windows: a narrow window around the score of the last iteration.
    pub aspiration: bool,
    /// Null-window searches of all moves but the first.
    pub scout: bool,
    /// Alpha-beta cut-offs. Off: all windows are full, and the search is plain minimax.
    pub cutoffs: bool,
    /// Cut-offs by the transposition table.
    pub table: bool,
    /// The table move is searched first.
    pub table_move: bool,
    /// Move ordering by the evaluator's rank.
    pub rank: bool,
    /// Move ordering by killer moves.
    pub killers: bool,
    /// Move ordering and reductions by history.
    pub history: bool,
    /// The evaluator's candidates. Off: all legal moves are searched.
    pub candidates: bool,
    /// The evaluator's static bounds.
    pub bounds: bool,
    /// Mate-distance pruning: bounds by the shortest possible win and loss.
    pub mate_distance: bool,
    /// Quiescence search: noisy moves at the horizon.
    pub quiescence: bool,
    /// Probes of all moves before one is searched, in exact games.
    pub probe_children: bool,
    /// Probes of books and solvers.
    pub probe: bool,
    /// Late move reductions, if `scout` and `cutoffs` are on; never in exact games.
    pub reductions: bool,
    /// Reverse futility pruning, move count pruning, singular extensions and multi-cut; never in
    /// exact games.
    pub pruning: bool,
    /// Extensions that the game asks for, and deeper re-searches; never in exact games.
    pub extensions: bool,
}

impl Switched {
    /// Every technique on.
    pub const ALL: Self = Self::all(true);
    /// Plain minimax to the last depth.
    pub const NONE: Self = Self::all(false);

    /// Returns all techniques on or off.
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
