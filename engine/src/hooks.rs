//! Macros that write the parts of a [`SearchEvaluator`](crate::SearchEvaluator).

use crate::evaluator::SearchEvaluator;
use crate::rules::Game;

/// Has the search treat a game without any knowledge beside the evaluation:
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

/// An evaluator around another one. [`delegate_search_hooks!`](crate::delegate_search_hooks) writes
/// its search traits.
pub trait Wrapper<G: Game> {
    /// The game that the inner evaluator judges.
    type Game: Game<Move = G::Move>;
    /// The inner evaluator.
    type Inner: SearchEvaluator<Self::Game>;

    /// The inner evaluator.
    fn inner(&self) -> &Self::Inner;

    /// The inner evaluator, to change.
    fn inner_mut(&mut self) -> &mut Self::Inner;

    /// The game as the inner evaluator knows it.
    fn inner_game(game: &G) -> &Self::Game;
}

/// Writes the search traits of a [`Wrapper`]. Every hook goes to the inner evaluator, but for those
/// that the wrapper writes itself, so that none is dropped by forgetting it.
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

/// The hooks of [`MoveOrdering`](crate::MoveOrdering) that the wrapper does not write itself.
#[doc(hidden)]
#[macro_export]
macro_rules! delegate_ordering {
    ($game:ty; $($own:ident)*) => {
        $crate::unless_own! { [$($own)*] candidates
            #[inline(always)]
            fn candidates(&self, game: &$game, out: &mut Vec<<$game as $crate::Game>::Move>) -> $crate::Coverage {
                <<Self as $crate::Wrapper<$game>>::Inner as $crate::MoveOrdering<<Self as $crate::Wrapper<$game>>::Game>>::candidates(
                    <Self as $crate::Wrapper<$game>>::inner(self),
                    <Self as $crate::Wrapper<$game>>::inner_game(game),
                    out,
                )
            }
        }
        $crate::unless_own! { [$($own)*] only_move
            #[inline(always)]
            fn only_move(&self, game: &$game) -> Option<<$game as $crate::Game>::Move> {
                <<Self as $crate::Wrapper<$game>>::Inner as $crate::MoveOrdering<<Self as $crate::Wrapper<$game>>::Game>>::only_move(
                    <Self as $crate::Wrapper<$game>>::inner(self),
                    <Self as $crate::Wrapper<$game>>::inner_game(game),
                )
            }
        }
        $crate::unless_own! { [$($own)*] rank
            #[inline(always)]
            fn rank(&self, game: &$game, mv: <$game as $crate::Game>::Move) -> i32 {
                <<Self as $crate::Wrapper<$game>>::Inner as $crate::MoveOrdering<<Self as $crate::Wrapper<$game>>::Game>>::rank(
                    <Self as $crate::Wrapper<$game>>::inner(self),
                    <Self as $crate::Wrapper<$game>>::inner_game(game),
                    mv,
                )
            }
        }
        $crate::unless_own! { [$($own)*] rank_played
            #[inline(always)]
            fn rank_played(&self, before: &$game, game: &$game, outer_window: bool) -> i32 {
                <<Self as $crate::Wrapper<$game>>::Inner as $crate::MoveOrdering<<Self as $crate::Wrapper<$game>>::Game>>::rank_played(
                    <Self as $crate::Wrapper<$game>>::inner(self),
                    <Self as $crate::Wrapper<$game>>::inner_game(before),
                    <Self as $crate::Wrapper<$game>>::inner_game(game),
                    outer_window,
                )
            }
        }
        $crate::unless_own! { [$($own)*] noisy
            #[inline(always)]
            fn noisy(&self, game: &$game, out: &mut Vec<<$game as $crate::Game>::Move>) {
                <<Self as $crate::Wrapper<$game>>::Inner as $crate::MoveOrdering<<Self as $crate::Wrapper<$game>>::Game>>::noisy(
                    <Self as $crate::Wrapper<$game>>::inner(self),
                    <Self as $crate::Wrapper<$game>>::inner_game(game),
                    out,
                )
            }
        }
    };
}

/// The hooks of [`Selectivity`](crate::Selectivity) that the wrapper does not write itself.
#[doc(hidden)]
#[macro_export]
macro_rules! delegate_selectivity {
    ($game:ty; $($own:ident)*) => {
        $crate::unless_own! { [$($own)*] exact
            #[inline(always)]
            fn exact(&self) -> bool {
                <<Self as $crate::Wrapper<$game>>::Inner as $crate::Selectivity<<Self as $crate::Wrapper<$game>>::Game>>::exact(
                    <Self as $crate::Wrapper<$game>>::inner(self),
                )
            }
        }
        $crate::unless_own! { [$($own)*] schedule
            #[inline(always)]
            fn schedule(&self) -> $crate::Schedule {
                <<Self as $crate::Wrapper<$game>>::Inner as $crate::Selectivity<<Self as $crate::Wrapper<$game>>::Game>>::schedule(
                    <Self as $crate::Wrapper<$game>>::inner(self),
                )
            }
        }
        $crate::unless_own! { [$($own)*] singular_tuning
            #[inline(always)]
            fn singular_tuning(&self) -> $crate::SingularTuning {
                <<Self as $crate::Wrapper<$game>>::Inner as $crate::Selectivity<<Self as $crate::Wrapper<$game>>::Game>>::singular_tuning(
                    <Self as $crate::Wrapper<$game>>::inner(self),
                )
            }
        }
        $crate::unless_own! { [$($own)*] proof_tuning
            #[inline(always)]
            fn proof_tuning(&self) -> $crate::ProofTuning {
                <<Self as $crate::Wrapper<$game>>::Inner as $crate::Selectivity<<Self as $crate::Wrapper<$game>>::Game>>::proof_tuning(
                    <Self as $crate::Wrapper<$game>>::inner(self),
                )
            }
        }
        $crate::unless_own! { [$($own)*] reduction
            #[inline(always)]
            fn reduction(&self, game: &$game, mv: <$game as $crate::Game>::Move, late: &$crate::LateMove) -> u32 {
                <<Self as $crate::Wrapper<$game>>::Inner as $crate::Selectivity<<Self as $crate::Wrapper<$game>>::Game>>::reduction(
                    <Self as $crate::Wrapper<$game>>::inner(self),
                    <Self as $crate::Wrapper<$game>>::inner_game(game),
                    mv, late,
                )
            }
        }
        $crate::unless_own! { [$($own)*] extension
            #[inline(always)]
            fn extension(&self, game: &$game, mv: <$game as $crate::Game>::Move) -> u32 {
                <<Self as $crate::Wrapper<$game>>::Inner as $crate::Selectivity<<Self as $crate::Wrapper<$game>>::Game>>::extension(
                    <Self as $crate::Wrapper<$game>>::inner(self),
                    <Self as $crate::Wrapper<$game>>::inner_game(game),
                    mv,
                )
            }
        }
        $crate::unless_own! { [$($own)*] futility_margin
            #[inline(always)]
            fn futility_margin(&self, game: &$game, depth: u32, improving: bool) -> Option<i32> {
                <<Self as $crate::Wrapper<$game>>::Inner as $crate::Selectivity<<Self as $crate::Wrapper<$game>>::Game>>::futility_margin(
                    <Self as $crate::Wrapper<$game>>::inner(self),
                    <Self as $crate::Wrapper<$game>>::inner_game(game),
                    depth, improving,
                )
            }
        }
        $crate::unless_own! { [$($own)*] move_count_limit
            #[inline(always)]
            fn move_count_limit(&self, game: &$game, depth: u32, improving: bool) -> usize {
                <<Self as $crate::Wrapper<$game>>::Inner as $crate::Selectivity<<Self as $crate::Wrapper<$game>>::Game>>::move_count_limit(
                    <Self as $crate::Wrapper<$game>>::inner(self),
                    <Self as $crate::Wrapper<$game>>::inner_game(game),
                    depth, improving,
                )
            }
        }
    };
}

/// The hooks of [`Prover`](crate::Prover) that the wrapper does not write itself.
#[doc(hidden)]
#[macro_export]
macro_rules! delegate_prover {
    ($game:ty; $($own:ident)*) => {
        const SOLVED_BY: &'static str = <<Self as $crate::Wrapper<$game>>::Inner as $crate::Prover<
            <Self as $crate::Wrapper<$game>>::Game,
        >>::SOLVED_BY;
        $crate::unless_own! { [$($own)*] static_bounds
            #[inline(always)]
            fn static_bounds(&self, game: &$game, wanted: $crate::Window) -> ($crate::Score, $crate::Score) {
                <<Self as $crate::Wrapper<$game>>::Inner as $crate::Prover<<Self as $crate::Wrapper<$game>>::Game>>::static_bounds(
                    <Self as $crate::Wrapper<$game>>::inner(self),
                    <Self as $crate::Wrapper<$game>>::inner_game(game),
                    wanted,
                )
            }
        }
        $crate::unless_own! { [$($own)*] probe
            #[inline(always)]
            fn probe(&mut self, game: &$game, window: $crate::Window, ctx: &mut $crate::Context) -> Result<Option<$crate::Probe<<$game as $crate::Game>::Move>>, $crate::Interrupt> {
                <<Self as $crate::Wrapper<$game>>::Inner as $crate::Prover<<Self as $crate::Wrapper<$game>>::Game>>::probe(
                    <Self as $crate::Wrapper<$game>>::inner_mut(self),
                    <Self as $crate::Wrapper<$game>>::inner_game(game),
                    window, ctx,
                )
            }
        }
        $crate::unless_own! { [$($own)*] probe_horizon
            #[inline(always)]
            fn probe_horizon(&mut self, game: &$game, window: $crate::Window, ctx: &mut $crate::Context) -> Result<Option<$crate::Probe<<$game as $crate::Game>::Move>>, $crate::Interrupt> {
                <<Self as $crate::Wrapper<$game>>::Inner as $crate::Prover<<Self as $crate::Wrapper<$game>>::Game>>::probe_horizon(
                    <Self as $crate::Wrapper<$game>>::inner_mut(self),
                    <Self as $crate::Wrapper<$game>>::inner_game(game),
                    window, ctx,
                )
            }
        }
        $crate::unless_own! { [$($own)*] solve
            #[inline(always)]
            fn solve(&mut self, game: &$game, nodes: u64, ctx: &mut $crate::Context) -> Result<Option<$crate::Probe<<$game as $crate::Game>::Move>>, $crate::Interrupt> {
                <<Self as $crate::Wrapper<$game>>::Inner as $crate::Prover<<Self as $crate::Wrapper<$game>>::Game>>::solve(
                    <Self as $crate::Wrapper<$game>>::inner_mut(self),
                    <Self as $crate::Wrapper<$game>>::inner_game(game),
                    nodes, ctx,
                )
            }
        }
        $crate::unless_own! { [$($own)*] others_lose
            #[inline(always)]
            fn others_lose(&mut self, game: &$game, listed: &[<$game as $crate::Game>::Move], ctx: &mut $crate::Context) -> Result<Option<u32>, $crate::Interrupt> {
                <<Self as $crate::Wrapper<$game>>::Inner as $crate::Prover<<Self as $crate::Wrapper<$game>>::Game>>::others_lose(
                    <Self as $crate::Wrapper<$game>>::inner_mut(self),
                    <Self as $crate::Wrapper<$game>>::inner_game(game),
                    listed, ctx,
                )
            }
        }
    };
}

/// Writes the hook of this name, unless it is among the wrapper's own.
#[doc(hidden)]
#[macro_export]
macro_rules! unless_own {
    ([candidates $($rest:ident)*] candidates $($hook:tt)*) => {};
    ([only_move $($rest:ident)*] only_move $($hook:tt)*) => {};
    ([rank $($rest:ident)*] rank $($hook:tt)*) => {};
    ([rank_played $($rest:ident)*] rank_played $($hook:tt)*) => {};
    ([noisy $($rest:ident)*] noisy $($hook:tt)*) => {};
    ([exact $($rest:ident)*] exact $($hook:tt)*) => {};
    ([schedule $($rest:ident)*] schedule $($hook:tt)*) => {};
    ([singular_tuning $($rest:ident)*] singular_tuning $($hook:tt)*) => {};
    ([proof_tuning $($rest:ident)*] proof_tuning $($hook:tt)*) => {};
    ([reduction $($rest:ident)*] reduction $($hook:tt)*) => {};
    ([extension $($rest:ident)*] extension $($hook:tt)*) => {};
    ([futility_margin $($rest:ident)*] futility_margin $($hook:tt)*) => {};
    ([move_count_limit $($rest:ident)*] move_count_limit $($hook:tt)*) => {};
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
