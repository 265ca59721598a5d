//! How much a search tells a client, as `INFO show_detail` sets it.

/// How much a search tells beside its usual lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Detail {
    /// What to mark on a board.
    pub(super) marks: bool,
    /// Each line of play in a block.
    pub(super) blocks: bool,
}
