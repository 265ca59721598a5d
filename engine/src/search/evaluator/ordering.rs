//! Candidate moves and their order.
//!
//! Every method of the trait [`MoveOrdering`] has a sound default.

use crate::game::rules::Game;

/// Whether a list of candidate moves is complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coverage {
    /// No omitted move is better than the best listed move, or loses later than it. So a loss of
    /// all listed moves is a proven loss.
    Complete,
    /// Moves that look bad are omitted. The search takes no loss and no draw as proven by this list
    /// alone.
    Partial,
}

/// How much the history changes the ranks of moves. Each number, from 0 to 10,000, is the most that
/// one history adds to a rank or subtracts from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HistoryTuning {
    pub(crate) quiet: i32,
    pub(crate) threat: i32,
    pub(crate) continuation: i32,
}

impl HistoryTuning {
    /// The history decides only between moves of equal rank.
    pub const NONE: Self = Self::new(0, 0, 0);

    /// Creates a tuning. `quiet` is for moves that make no threat, `threat` for moves that make
    /// one. `continuation` is for each of two continuation histories: after the opponent's last
    /// move, and after the own last move. A `continuation` other than 0 costs 8 bytes for each pair
    /// of history slots in each thread.
    ///
    /// # Panics
    ///
    /// If a number is not from 0 to 10,000.
    pub const fn new(quiet: i32, threat: i32, continuation: i32) -> Self {
        const fn is_valid(number: i32) -> bool {
            matches!(number, 0..=10_000)
        }
        assert!(is_valid(quiet) && is_valid(threat) && is_valid(continuation));
        Self { quiet, threat, continuation }
    }
}

/// Candidate moves and their order. The search orders moves by table move, then by the sum of rank
/// and history, then by killers, then by history, then by their place in the list.
///
/// The defaults list all legal moves, and only the table, killers and history order them. A good
/// `rank` saves many nodes:
///
/// ```
/// # use tengen_engine::*;
/// # #[derive(Clone)] struct Nim { stones: u32, turn: Side }
/// # impl Game for Nim {
/// #     type Move = u32;
/// #     type Undo = ();
/// #     type Symmetry = ();
/// #     fn turn(&self) -> Side { self.turn }
/// #     fn outcome(&self) -> Option<Outcome> {
/// #         (self.stones == 0).then(|| Outcome::Win(self.turn.other()))
/// #     }
/// #     fn moves(&self, out: &mut Vec<u32>) { out.extend(1..=self.stones.min(3)) }
/// #     fn play(&mut self, taken: u32) { self.stones -= taken; self.turn = self.turn.other(); }
/// #     fn undo(&mut self, taken: u32, _: ()) { self.stones += taken; self.turn = self.turn.other(); }
/// #     fn plies_left(&self) -> u32 { self.stones }
/// #     fn key(&self) -> (u64, ()) { (2 * u64::from(self.stones) + self.turn.index() as u64, ()) }
/// # }
/// # impl Notation for Nim {
/// #     fn write_move(&self, taken: u32, _: Style) -> String { taken.to_string() }
/// #     fn write_position(&self, _: bool) -> String { format!("{} {:?}", self.stones, self.turn) }
/// # }
/// #[derive(Clone)]
/// struct Ranking { leaves_fours: bool }
///
/// impl Evaluator<Nim> for Ranking {
///     type Undo = ();
///     fn reset(&mut self, _: &Nim) {}
///     fn played(&mut self, _: &Nim, _: u32) {}
///     fn undone(&mut self, _: &Nim, _: u32, _: ()) {}
///     fn evaluate(&mut self, _: &Nim) -> Score { Score::DRAW }
/// }
///
/// impl MoveOrdering<Nim> for Ranking {
///     fn rank(&self, nim: &Nim, taken: u32) -> i32 {
///         // The first move to try leaves a multiple of four.
///         i32::from(self.leaves_fours && (nim.stones - taken) % 4 == 0)
///     }
/// }
/// impl Selectivity<Nim> for Ranking {}
/// impl Prover<Nim> for Ranking {}
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let nodes = [false, true].map(|leaves_fours| {
///     let nim = Nim { stones: 31, turn: Side::First };
///     let mut client = Client::over(nim, Ranking { leaves_fours }, &Settings::default())?;
///     Ok(client.search(Limits::default())?.report.nodes)
/// });
/// let [plain, ranked]: [Result<u64, ClientError>; 2] = nodes;
/// assert!(ranked? < plain?);
/// # Ok(())
/// # }
/// ```
pub trait MoveOrdering<G: Game> {
    /// Appends the moves worth searching to `out`. There is at least one while the game is not
    /// over. The default appends all legal moves, a complete list.
    fn candidates(&self, game: &G, out: &mut Vec<G::Move>) -> Coverage {
        game.moves(out);
        Coverage::Complete
    }

    /// Returns whether a search with one line (MultiPV 1) searches all legal moves at the root:
    /// first the candidates, then the others. It has no effect on a complete list of candidates.
    /// The default is false.
    fn searches_all_at_root(&self) -> bool {
        false
    }

    /// Returns the only candidate if there is exactly one and this is cheap to find out; else
    /// `None`, the default. The game is not over.
    fn only_move(&self, _game: &G) -> Option<G::Move> {
        None
    }

    /// Returns a coarse class of `mv` for ordering, from -32,768 to 32,767. The search adds the
    /// history, weighted by [`history_tuning`](Self::history_tuning), and searches higher sums
    /// first. Killers, then history, decide between equal sums. The default is 0. An
    /// [exact](crate::Selectivity::exact) search calls it only at the root and for noisy moves.
    fn rank(&self, _game: &G, _mv: G::Move) -> i32 {
        0
    }

    /// Returns the rank of the move that led from `before` to `game`, alone or with the forced
    /// moves after it. An exact search calls this instead of [`rank`](Self::rank), because it plays
    /// all moves before it orders them; other searches never call it. In an `outer_window` only
    /// short wins matter. The default is 0.
    fn rank_played(&self, _before: &G, _game: &G, _outer_window: bool) -> i32 {
        0
    }

    /// Returns how much history changes the ranks. The default is [`HistoryTuning::NONE`]: history
    /// decides between moves of equal rank.
    fn history_tuning(&self) -> HistoryTuning {
        HistoryTuning::NONE
    }

    /// Returns whether `mv` makes a threat. Threats and other moves have separate histories. The
    /// default is false.
    fn is_threat(&self, _game: &G, _mv: G::Move) -> bool {
        false
    }

    /// Appends the noisy moves: quiescence search must try them before the evaluation can be
    /// trusted. Appends nothing if the position is quiet, as the default does.
    fn noisy(&self, _game: &G, _out: &mut Vec<G::Move>) {}
}
