//! How much a search reports to a client, as `INFO show_detail` sets it.

/// What a search reports beside its usual lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Detail {
    /// Whether cells are marked on a board.
    pub(super) marks: bool,
    /// Whether each line of play is a block.
    pub(super) blocks: bool,
}
