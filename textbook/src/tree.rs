//! Searches of explicit trees, as textbooks show them: the answer and the walk in words, the walk as a picture,
//! and the counts of the algorithms in columns.

mod answer;
mod dot;
mod explain;
mod table;
mod trace;

pub use answer::answer;
pub use dot::draw;
pub use explain::explain;
pub use table::table;
pub use trace::Trace;
