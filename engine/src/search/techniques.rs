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

/// Declares the techniques: a switch for each.
macro_rules! techniques {
    ($($(#[$doc:meta])* $technique:ident,)*) => {
        /// One switch for each technique.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[non_exhaustive]
        pub struct Switched {
            $($(#[$doc])* pub $technique: bool,)*
        }

        impl Switched {
            /// Every technique on.
            pub const ALL: Self = Self { $($technique: true,)* };
            /// Plain minimax to the last depth.
            pub const NONE: Self = Self { $($technique: false,)* };
        }
    };
}

techniques! {
    /// Proof at full depth, in games with [`RootSchedule::Proving`](crate::RootSchedule::Proving).
    proving,
    /// Iterative deepening. Off: only the last depth is searched.
    deepening,
    /// Aspiration windows: a narrow window around the score of the last iteration.
    aspiration,
    /// Null-window searches of all moves but the first.
    scout,
    /// Alpha-beta cut-offs. Off: all windows are full, and the search is plain minimax.
    cutoffs,
    /// Cut-offs by the transposition table.
    table,
    /// The table move is searched first.
    table_move,
    /// Move ordering by the evaluator's rank.
    rank,
    /// Move ordering by killer moves.
    killers,
    /// Move ordering and reductions by history.
    history,
    /// The evaluator's candidates. Off: all legal moves are searched.
    candidates,
    /// The evaluator's static bounds.
    bounds,
    /// Mate-distance pruning: bounds by the shortest possible win and loss.
    mate_distance,
    /// Quiescence search: noisy moves at the horizon.
    quiescence,
    /// Probes of all moves before one is searched, in exact games.
    probe_children,
    /// Probes of books and solvers.
    probe,
    /// Late move reductions, if `scout` and `cutoffs` are on; never in exact games.
    reductions,
    /// Reverse futility pruning, move count pruning, singular extensions and multi-cut; never in
    /// exact games.
    pruning,
    /// Extensions that the game asks for, and deeper re-searches; never in exact games.
    extensions,
}

impl Techniques for Switched {
    fn switches(&self) -> Switched {
        *self
    }

    fn for_exact_game(self) -> Self {
        Self { reductions: false, pruning: false, extensions: false, ..self }
    }
}
