//! Which moves are worth a search, and in what order.

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
