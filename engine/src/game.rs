//! What the search asks of a game: rules in [`Game`], judgement in [`Evaluator`].
//!
//! The two are apart so that two evaluators of one game can coexist. Neither knows who asks.

use std::error::Error;
use std::fmt;
use std::path::Path;

use crate::score::Score;
use crate::search::{Context, Stopped};
use crate::window::Window;

/// Who moves. The first player owns the first stone, `w` in a FEN and `wtime` on a clock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// The player who opens the game.
    First,
    /// The player who replies.
    Second,
}

impl Side {
    /// The opponent.
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// 0 for the first player, 1 for the second: an index into a pair.
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// This side has won.
    Win(Side),
    /// Nobody can win any more.
    Draw,
    /// A leaf with a value of its own, for the first player; not decisive.
    Value(Score),
}

/// The largest code [`Game::pack`] may return. The table keeps a move in 20 bits.
pub const MAX_MOVE_CODE: u32 = (1 << 20) - 2;

/// The rules of a game for two players who move in turn.
///
/// The order in which [`moves`](Self::moves) lists moves is part of the contract: the same position
/// always lists them in the same order, whatever path led to it.
pub trait Game: Clone + Send + 'static {
    /// A move. Two legal moves of one position compare equal only when they are the same.
    type Move: Copy + Eq + fmt::Debug + Send + 'static;
    /// What [`play`](Self::play) destroys and [`undo`](Self::undo) needs back.
    type Undo;
    /// The transformation that carries this position into the frame of its [`key`](Self::key).
    type Symmetry: Copy + Send + 'static;

    /// After how many plies, at the soonest, the side to move of a game that goes on has lost or
    /// won: by the opponent's next ply and by its own where the last ply wins.
    const SOONEST: (u32, u32) = (2, 1);

    /// The side to move; still defined when the game is over.
    fn turn(&self) -> Side;

    /// How the game ended, or `None` while it goes on. O(1): kept up to date by
    /// [`play`](Self::play).
    fn outcome(&self) -> Option<Outcome>;

    /// Appends every legal move to `out`; none when the game is over.
    fn moves(&self, out: &mut Vec<Self::Move>);

    /// Plays a legal move.
    fn play(&mut self, mv: Self::Move) -> Self::Undo;

    /// Takes back `mv`, the last move played, with what [`play`](Self::play) returned for it.
    fn undo(&mut self, mv: Self::Move, undo: Self::Undo);

    /// An upper bound on the plies that can still be played; 0 when the game is over.
    fn plies_left(&self) -> u32;

    /// The code of this position under the symmetry that it names. Positions of equal key have
    /// equal value for the side to move. Where the code is not injective it is a well-mixed 64-bit
    /// hash.
    fn key(&self) -> (u64, Self::Symmetry);

    /// What the table stores for `mv`: a code from 0 to [`MAX_MOVE_CODE`] in the frame of
    /// `symmetry`.
    fn pack(&self, mv: Self::Move, symmetry: Self::Symmetry) -> u32;

    /// The move that `code` stands for here; `None` when it is not legal in this position, so that
    /// a torn or colliding entry does no harm.
    fn unpack(&self, code: u32, symmetry: Self::Symmetry) -> Option<Self::Move>;

    /// How many slots [`history_slot`](Self::history_slot) uses.
    fn history_slots(&self) -> usize;

    /// The slot of `mv` in the history table, below [`history_slots`](Self::history_slots). Moves
    /// that share a slot share their history.
    fn history_slot(&self, mv: Self::Move) -> usize;
}

/// What a list of candidate moves may be used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coverage {
    /// No move left out is better than the best that is listed, and none loses later: the list
    /// proves losses.
    Complete,
    /// Moves were left out by judgement: the search derives no proven loss, and no proven draw,
    /// from this list alone.
    Partial,
}

/// In what order a search asks for the value of its root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Schedule {
    /// Depth by depth.
    Deepening,
    /// For exact games whose every end is a win, a loss or a draw: null windows of provable scores
    /// at full depth, and depth by depth only while those take long.
    Proving,
}

/// One line of an evaluation's breakdown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Term {
    /// What is counted, in the field's words.
    pub name: &'static str,
    /// What it adds to the evaluation, for the side to move.
    pub value: i32,
}

/// A result from outside the search: an opening book or a threat solver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probe<M> {
    /// The proven value, counted from the probed position, for the side to move. A win is one that
    /// no defence holds off for longer.
    pub score: Score,
    /// The moves that reach it, as far as they are known.
    pub line: Vec<M>,
}

/// Where a move stands that is not the first of its node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Late {
    /// How many plies are left after the move.
    pub depth: u32,
    /// Its place in search order, from 0.
    pub index: usize,
    /// Whether the node only asks whether a move exceeds alpha.
    pub is_scout: bool,
    /// Whether the side to move is expected to exceed beta.
    pub expects_cut: bool,
    /// Whether the evaluation is better than it was at the side's last turn.
    pub improves: bool,
}

/// Shortcuts that leave something out and gain depth. None of them proves anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Selectivity {
    /// From this depth on, the table's move is searched deeper where every other move is worse by
    /// [`singular_margin`](Self::singular_margin) for each ply of depth.
    pub singular_depth: u32,
    /// In quarters of the evaluation's unit.
    pub singular_margin: i32,
}

impl Selectivity {
    /// No such shortcut.
    pub const NONE: Self = Self { singular_depth: u32::MAX, singular_margin: 0 };
}

/// Judgement of a game's positions. Each search thread owns a clone; what they share is behind an
/// `Arc`.
///
/// Scores are for the side to move and count plies from the position they describe.
pub trait Evaluator<G: Game>: Clone + Send + 'static {
    /// What [`played`](Self::played) destroys and [`undone`](Self::undone) needs back.
    type Undo;

    /// The kind of win that [`solve`](Self::solve) finds, in the field's words.
    const SOLVED_BY: &'static str = "a solver";

    /// Whether the search may use no unsound shortcut. Then a decisive score is the shortest win or
    /// the longest defence, candidates are always [`Coverage::Complete`] and the hooks for
    /// reductions and extensions are not asked.
    fn exact(&self) -> bool;

    /// Which further shortcuts suit the game; not asked in exact ones.
    fn selectivity(&self) -> Selectivity {
        Selectivity::NONE
    }

    /// In what order the search asks for the value of the root.
    fn schedule(&self) -> Schedule {
        Schedule::Deepening
    }

    /// The same judgement with its opening book, if it has one, closed.
    fn without_book(self) -> Self {
        self
    }

    /// Opens the book in `file`, or the one that comes with the game, in place of the one that it
    /// has; when that fails, the old one stays. Without effect where a game has no books.
    fn open_book(&mut self, file: Option<&Path>) -> Result<(), Box<dyn Error>> {
        let _ = file;
        Ok(())
    }

    /// Forgets the past and describes `game`.
    fn reset(&mut self, game: &G);

    /// Follows `mv`; `game` is the position after it.
    fn played(&mut self, game: &G, mv: G::Move) -> Self::Undo;

    /// Goes back over `mv`; `game` is the position before it.
    fn undone(&mut self, game: &G, mv: G::Move, undo: Self::Undo);

    /// A heuristic score of a game that goes on; never decisive.
    fn evaluate(&mut self, game: &G) -> Score;

    /// Proven bounds `(low, high)` on the value of a game that goes on. What cannot settle `wanted`
    /// need not be looked for: a low below its beta, a high above its alpha.
    fn bounds(&self, _game: &G, _wanted: Window) -> (Score, Score) {
        (Score::LOWEST, Score::HIGHEST)
    }

    /// The one candidate of a game that goes on, when there is just one and it is cheap to tell.
    fn only_move(&self, _game: &G) -> Option<G::Move> {
        None
    }

    /// Appends the moves worth searching to `out`: at least one while the game goes on.
    fn candidates(&self, game: &G, out: &mut Vec<G::Move>) -> Coverage {
        game.moves(out);
        Coverage::Complete
    }

    /// A coarse class of `mv` for ordering, from -32,768 to 32,767: a higher class is searched
    /// first; within a class killers and history decide.
    fn rank(&self, _game: &G, _mv: G::Move) -> i32 {
        0
    }

    /// Like [`rank`](Self::rank), of the move that led from `before` to `game`, by itself or with
    /// the forced moves after it: for a search that has played them. `asks_ends`: it looks for
    /// sudden ends only.
    fn rank_played(&self, _before: &G, _game: &G, _asks_ends: bool) -> i32 {
        0
    }

    /// Appends the moves that quiescence must try before the evaluation can be trusted; none means
    /// it is quiet.
    fn noisy(&self, _game: &G, _out: &mut Vec<G::Move>) {}

    /// A proven value from a book or a solver, or `None`. `ctx` counts nodes and says when to stop.
    fn probe(
        &mut self,
        _game: &G,
        _window: Window,
        _ctx: &mut Context,
    ) -> Result<Option<Probe<G::Move>>, Stopped> {
        Ok(None)
    }

    /// A win of the side to move that is found without a search: no defence lasts longer than its
    /// score says, and its line leads to the end of the game, perhaps sooner. Asked before each
    /// iteration and wherever a proven win has to be shown; it may take about `nodes` nodes. `ctx`
    /// counts them and says when to stop.
    fn solve(
        &mut self,
        _game: &G,
        _nodes: u64,
        _ctx: &mut Context,
    ) -> Result<Option<Probe<G::Move>>, Stopped> {
        Ok(None)
    }

    /// Whether every legal move that is not `listed` loses, when all of these do: in how many plies
    /// at most, or `None` where that is not proven. Asked of a [`Coverage::Partial`] list.
    fn others_lose(
        &mut self,
        _game: &G,
        _listed: &[G::Move],
        _ctx: &mut Context,
    ) -> Result<Option<u32>, Stopped> {
        Ok(None)
    }

    /// By how many plies a move may first be searched shallower.
    fn reduction(&self, _game: &G, _mv: G::Move, _late: &Late) -> u32 {
        0
    }

    /// By how much the evaluation must exceed beta for a position to be cut off without a search
    /// `depth` plies deep; `None`: never.
    fn futility(&self, _game: &G, _depth: u32, _improves: bool) -> Option<i32> {
        None
    }

    /// How many moves are searched at a node of this depth that only asks whether one exceeds
    /// alpha, once one does not lose.
    fn most_moves(&self, _game: &G, _depth: u32, _improves: bool) -> usize {
        usize::MAX
    }

    /// Like [`probe`](Self::probe), of a position at the horizon whose evaluation is below beta.
    fn probe_horizon(
        &mut self,
        _game: &G,
        _window: Window,
        _ctx: &mut Context,
    ) -> Result<Option<Probe<G::Move>>, Stopped> {
        Ok(None)
    }

    /// By how many plies `mv` is searched deeper; asked before it is played.
    fn extension(&self, _game: &G, _mv: G::Move) -> u32 {
        0
    }

    /// The parts of [`evaluate`](Self::evaluate), which is their sum.
    fn terms(&mut self, game: &G) -> Vec<Term> {
        vec![Term { name: "evaluation", value: self.evaluate(game).raw() }]
    }
}
