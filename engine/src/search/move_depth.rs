//! The depths of the searches of one move.

/// How deep the position after a move is searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct MoveDepth {
    /// The depth of a search that is not reduced.
    pub(super) full: u32,
    /// By how many plies less a late move is searched first.
    pub(super) reduction: u32,
    /// Whether a late move may be searched again deeper than `full`.
    pub(super) may_extend: bool,
}

impl MoveDepth {
    /// A depth that is neither reduced nor extended.
    pub(super) const fn fixed(full: u32) -> Self {
        Self { full, reduction: 0, may_extend: false }
    }
}
