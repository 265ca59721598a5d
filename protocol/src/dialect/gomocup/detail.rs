//! [`Detail`]: what `INFO show_detail` turns on.

/// Additional reports of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Detail {
    /// Whether the GUI gets marks for cells.
    pub(super) marks: bool,
    /// Whether each line of play is also sent as a block of `INFO` lines.
    pub(super) blocks: bool,
}
