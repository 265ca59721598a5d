//! What a search of a game may leave out, and what it searches deeper.

/// In what order a search asks for the value of its root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Schedule {
    /// Depth by depth.
    Deepening,
    /// For exact games whose every end is a win, a loss or a draw: null windows of provable scores
    /// at full depth, and depth by depth only while those take long.
    Proving,
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
