//! Macros that write the parts of a [`SearchEvaluator`].

use crate::context::Interrupt;
use crate::evaluator::SearchEvaluator;
use crate::prover::Probe;
use crate::rules::Game;

/// Writes the search traits of a game that has nothing but an evaluation:
/// `plain_search!(MyEvaluator, MyGame);` writes an empty `impl` for every trait but
/// [`Evaluator`](crate::Evaluator).
#[macro_export]
macro_rules! plain_search {
    ($evaluator:ty, $game:ty) => {
        impl $crate::MoveOrdering<$game> for $evaluator {}
        impl $crate::Selectivity<$game> for $evaluator {}
        impl $crate::Prover<$game> for $evaluator {}
        impl $crate::SearchEvaluator<$game> for $evaluator {}
    };
}

/// The moves of a game.
#[doc(hidden)]
pub type MoveOf<G> = <G as Game>::Move;

/// The game that the inner evaluator of a wrapper judges.
#[doc(hidden)]
pub type InnerGame<W, G> = <W as Wrapper<G>>::Game;

/// The inner evaluator of a wrapper.
#[doc(hidden)]
pub type InnerOf<W, G> = <W as Wrapper<G>>::Inner;

/// The result of a probe.
#[doc(hidden)]
pub type ProbeOf<G> = Result<Option<Probe<MoveOf<G>>>, Interrupt>;

/// An evaluator around another one. [`delegate_search_hooks!`](crate::delegate_search_hooks) writes
/// its search traits.
pub trait Wrapper<G: Game> {
    /// The game that the inner evaluator judges.
    type Game: Game<Move = G::Move>;
    /// The inner evaluator.
    type Inner: SearchEvaluator<Self::Game>;

    /// Returns the inner evaluator.
    fn inner(&self) -> &Self::Inner;

    /// Returns the inner evaluator, to change.
    fn inner_mut(&mut self) -> &mut Self::Inner;

    /// Returns the game as the inner evaluator knows it.
    fn inner_game(game: &G) -> &Self::Game;
}

/// Writes the search traits of a [`Wrapper`]. Every hook goes to the inner evaluator, but for those
/// that the wrapper writes itself. So no hook can be forgotten.
///
/// ```text
/// delegate_search_hooks! {
///     impl[G: Game, E: SearchEvaluator<G>] Counting<E>, Counted<G>;
///     ordering { fn rank(&self, game: &Counted<G>, mv: G::Move) -> i32 { .. } }
///     selectivity {}
///     prover {}
/// }
/// ```
#[macro_export]
macro_rules! delegate_search_hooks {
    (
        impl[$($generics:tt)*] $wrapper:ty, $game:ty;
        ordering { $(fn $o:ident ($($o_args:tt)*) $(-> $o_type:ty)? $o_body:block)* }
        selectivity { $(fn $s:ident ($($s_args:tt)*) $(-> $s_type:ty)? $s_body:block)* }
        prover { $(fn $p:ident ($($p_args:tt)*) $(-> $p_type:ty)? $p_body:block)* }
    ) => {
        impl<$($generics)*> $crate::MoveOrdering<$game> for $wrapper {
            $(fn $o($($o_args)*) $(-> $o_type)? $o_body)*
            $crate::delegate_ordering! { $game; $($o)* }
        }
        impl<$($generics)*> $crate::Selectivity<$game> for $wrapper {
            $(fn $s($($s_args)*) $(-> $s_type)? $s_body)*
            $crate::delegate_selectivity! { $game; $($s)* }
        }
        impl<$($generics)*> $crate::Prover<$game> for $wrapper {
            $(fn $p($($p_args)*) $(-> $p_type)? $p_body)*
            $crate::delegate_prover! { $game; $($p)* }
        }
        impl<$($generics)*> $crate::SearchEvaluator<$game> for $wrapper {}
    };
}

/// Writes the hooks of [`MoveOrdering`](crate::MoveOrdering) but the wrapper's own.
#[doc(hidden)]
#[macro_export]
macro_rules! delegate_ordering {
    ($game:ty; $($own:ident)*) => {
        $crate::unless_own! { [$($own)*] candidates
            #[inline(always)]
            fn candidates(
                &self,
                game: &$game,
                out: &mut Vec<$crate::hooks::MoveOf<$game>>,
            ) -> $crate::Coverage {
                let game = <Self as $crate::Wrapper<$game>>::inner_game(game);
                let inner = $crate::Wrapper::<$game>::inner(self);
                $crate::MoveOrdering::candidates(inner, game, out)
            }
        }
        $crate::unless_own! { [$($own)*] searches_all_at_root
            #[inline(always)]
            fn searches_all_at_root(&self) -> bool {
                let inner = $crate::Wrapper::<$game>::inner(self);
                $crate::MoveOrdering::<$crate::hooks::InnerGame<Self, $game>>::searches_all_at_root(
                    inner,
                )
            }
        }
        $crate::unless_own! { [$($own)*] only_move
            #[inline(always)]
            fn only_move(&self, game: &$game) -> Option<$crate::hooks::MoveOf<$game>> {
                let game = <Self as $crate::Wrapper<$game>>::inner_game(game);
                let inner = $crate::Wrapper::<$game>::inner(self);
                $crate::MoveOrdering::only_move(inner, game)
            }
        }
        $crate::unless_own! { [$($own)*] rank
            #[inline(always)]
            fn rank(&self, game: &$game, mv: $crate::hooks::MoveOf<$game>) -> i32 {
                let game = <Self as $crate::Wrapper<$game>>::inner_game(game);
                let inner = $crate::Wrapper::<$game>::inner(self);
                $crate::MoveOrdering::rank(inner, game, mv)
            }
        }
        $crate::unless_own! { [$($own)*] rank_played
            #[inline(always)]
            fn rank_played(&self, before: &$game, game: &$game, outer_window: bool) -> i32 {
                let inner = $crate::Wrapper::<$game>::inner(self);
                let before = <Self as $crate::Wrapper<$game>>::inner_game(before);
                let game = <Self as $crate::Wrapper<$game>>::inner_game(game);
                $crate::MoveOrdering::rank_played(inner, before, game, outer_window)
            }
        }
        $crate::unless_own! { [$($own)*] history_tuning
            #[inline(always)]
            fn history_tuning(&self) -> $crate::HistoryTuning {
                let inner = $crate::Wrapper::<$game>::inner(self);
                $crate::MoveOrdering::<$crate::hooks::InnerGame<Self, $game>>::history_tuning(inner)
            }
        }
        $crate::unless_own! { [$($own)*] is_threat
            #[inline(always)]
            fn is_threat(&self, game: &$game, mv: $crate::hooks::MoveOf<$game>) -> bool {
                let game = <Self as $crate::Wrapper<$game>>::inner_game(game);
                let inner = $crate::Wrapper::<$game>::inner(self);
                $crate::MoveOrdering::is_threat(inner, game, mv)
            }
        }
        $crate::unless_own! { [$($own)*] noisy
            #[inline(always)]
            fn noisy(&self, game: &$game, out: &mut Vec<$crate::hooks::MoveOf<$game>>) {
                let game = <Self as $crate::Wrapper<$game>>::inner_game(game);
                let inner = $crate::Wrapper::<$game>::inner(self);
                $crate::MoveOrdering::noisy(inner, game, out)
            }
        }
    };
}

/// Writes the hooks of [`Selectivity`](crate::Selectivity) but the wrapper's own.
#[doc(hidden)]
#[macro_export]
macro_rules! delegate_selectivity {
    ($game:ty; $($own:ident)*) => {
        $crate::unless_own! { [$($own)*] exact
            #[inline(always)]
            fn exact(&self) -> bool {
                let inner = $crate::Wrapper::<$game>::inner(self);
                $crate::Selectivity::<$crate::hooks::InnerGame<Self, $game>>::exact(inner)
            }
        }
        $crate::unless_own! { [$($own)*] schedule
            #[inline(always)]
            fn schedule(&self) -> $crate::RootSchedule {
                let inner = $crate::Wrapper::<$game>::inner(self);
                $crate::Selectivity::<$crate::hooks::InnerGame<Self, $game>>::schedule(inner)
            }
        }
        $crate::unless_own! { [$($own)*] extension_tuning
            #[inline(always)]
            fn extension_tuning(&self) -> $crate::ExtensionTuning {
                let inner = $crate::Wrapper::<$game>::inner(self);
                $crate::Selectivity::<$crate::hooks::InnerGame<Self, $game>>::extension_tuning(inner)
            }
        }
        $crate::unless_own! { [$($own)*] proof_tuning
            #[inline(always)]
            fn proof_tuning(&self) -> $crate::ProofTuning {
                let inner = $crate::Wrapper::<$game>::inner(self);
                $crate::Selectivity::<$crate::hooks::InnerGame<Self, $game>>::proof_tuning(inner)
            }
        }
        $crate::unless_own! { [$($own)*] reduction
            #[inline(always)]
            fn reduction(
                &self,
                game: &$game,
                mv: $crate::hooks::MoveOf<$game>,
                late: &$crate::LateMove,
            ) -> u32 {
                let game = <Self as $crate::Wrapper<$game>>::inner_game(game);
                let inner = $crate::Wrapper::<$game>::inner(self);
                $crate::Selectivity::reduction(inner, game, mv, late)
            }
        }
        $crate::unless_own! { [$($own)*] extension
            #[inline(always)]
            fn extension(&self, game: &$game, mv: $crate::hooks::MoveOf<$game>) -> u32 {
                let game = <Self as $crate::Wrapper<$game>>::inner_game(game);
                let inner = $crate::Wrapper::<$game>::inner(self);
                $crate::Selectivity::extension(inner, game, mv)
            }
        }
        $crate::unless_own! { [$($own)*] futility_margins
            #[inline(always)]
            fn futility_margins(&self, game: &$game, depth: u32) -> Option<[i32; 2]> {
                let game = <Self as $crate::Wrapper<$game>>::inner_game(game);
                let inner = $crate::Wrapper::<$game>::inner(self);
                $crate::Selectivity::futility_margins(inner, game, depth)
            }
        }
        $crate::unless_own! { [$($own)*] move_count_limits
            #[inline(always)]
            fn move_count_limits(&self, game: &$game, depth: u32) -> [usize; 3] {
                let game = <Self as $crate::Wrapper<$game>>::inner_game(game);
                let inner = $crate::Wrapper::<$game>::inner(self);
                $crate::Selectivity::move_count_limits(inner, game, depth)
            }
        }
    };
}

/// Writes the hooks of [`Prover`](crate::Prover) but the wrapper's own.
#[doc(hidden)]
#[macro_export]
macro_rules! delegate_prover {
    ($game:ty; $($own:ident)*) => {
        const SOLVER_NAME: &'static str =
            <$crate::hooks::InnerOf<Self, $game> as $crate::Prover<
                $crate::hooks::InnerGame<Self, $game>,
            >>::SOLVER_NAME;
        $crate::unless_own! { [$($own)*] static_bounds
            #[inline(always)]
            fn static_bounds(
                &self,
                game: &$game,
                wanted: $crate::Window,
            ) -> ($crate::Score, $crate::Score) {
                let game = <Self as $crate::Wrapper<$game>>::inner_game(game);
                let inner = $crate::Wrapper::<$game>::inner(self);
                $crate::Prover::static_bounds(inner, game, wanted)
            }
        }
        $crate::unless_own! { [$($own)*] probe
            #[inline(always)]
            fn probe(
                &mut self,
                game: &$game,
                window: $crate::Window,
                ctx: &mut $crate::Context,
            ) -> $crate::hooks::ProbeOf<$game> {
                let game = <Self as $crate::Wrapper<$game>>::inner_game(game);
                let inner = $crate::Wrapper::<$game>::inner_mut(self);
                $crate::Prover::probe(inner, game, window, ctx)
            }
        }
        $crate::unless_own! { [$($own)*] probe_horizon
            #[inline(always)]
            fn probe_horizon(
                &mut self,
                game: &$game,
                window: $crate::Window,
                ctx: &mut $crate::Context,
            ) -> $crate::hooks::ProbeOf<$game> {
                let game = <Self as $crate::Wrapper<$game>>::inner_game(game);
                let inner = $crate::Wrapper::<$game>::inner_mut(self);
                $crate::Prover::probe_horizon(inner, game, window, ctx)
            }
        }
        $crate::unless_own! { [$($own)*] solve
            #[inline(always)]
            fn solve(
                &mut self,
                game: &$game,
                nodes: u64,
                ctx: &mut $crate::Context,
            ) -> $crate::hooks::ProbeOf<$game> {
                let game = <Self as $crate::Wrapper<$game>>::inner_game(game);
                let inner = $crate::Wrapper::<$game>::inner_mut(self);
                $crate::Prover::solve(inner, game, nodes, ctx)
            }
        }
        $crate::unless_own! { [$($own)*] others_lose
            #[inline(always)]
            fn others_lose(
                &mut self,
                game: &$game,
                others: &[$crate::hooks::MoveOf<$game>],
                effort: $crate::ProofEffort,
                ctx: &mut $crate::Context,
            ) -> Result<$crate::LosingMoves, $crate::Interrupt> {
                let game = <Self as $crate::Wrapper<$game>>::inner_game(game);
                let inner = $crate::Wrapper::<$game>::inner_mut(self);
                $crate::Prover::others_lose(inner, game, others, effort, ctx)
            }
        }
    };
}

/// Writes the hook of this name, unless it is among the wrapper's own.
#[doc(hidden)]
#[macro_export]
macro_rules! unless_own {
    ([candidates $($rest:ident)*] candidates $($hook:tt)*) => {};
    ([searches_all_at_root $($rest:ident)*] searches_all_at_root $($hook:tt)*) => {};
    ([only_move $($rest:ident)*] only_move $($hook:tt)*) => {};
    ([rank $($rest:ident)*] rank $($hook:tt)*) => {};
    ([rank_played $($rest:ident)*] rank_played $($hook:tt)*) => {};
    ([noisy $($rest:ident)*] noisy $($hook:tt)*) => {};
    ([exact $($rest:ident)*] exact $($hook:tt)*) => {};
    ([schedule $($rest:ident)*] schedule $($hook:tt)*) => {};
    ([extension_tuning $($rest:ident)*] extension_tuning $($hook:tt)*) => {};
    ([proof_tuning $($rest:ident)*] proof_tuning $($hook:tt)*) => {};
    ([reduction $($rest:ident)*] reduction $($hook:tt)*) => {};
    ([extension $($rest:ident)*] extension $($hook:tt)*) => {};
    ([futility_margins $($rest:ident)*] futility_margins $($hook:tt)*) => {};
    ([move_count_limits $($rest:ident)*] move_count_limits $($hook:tt)*) => {};
    ([static_bounds $($rest:ident)*] static_bounds $($hook:tt)*) => {};
    ([probe $($rest:ident)*] probe $($hook:tt)*) => {};
    ([probe_horizon $($rest:ident)*] probe_horizon $($hook:tt)*) => {};
    ([solve $($rest:ident)*] solve $($hook:tt)*) => {};
    ([others_lose $($rest:ident)*] others_lose $($hook:tt)*) => {};
    ([$other:ident $($rest:ident)*] $name:ident $($hook:tt)*) => {
        $crate::unless_own! { [$($rest)*] $name $($hook)* }
    };
    ([] $name:ident $($hook:tt)*) => { $($hook)* };
}
