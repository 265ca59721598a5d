//! Batches: many queries of the JSON protocol, each answered exactly once, whatever kills the run.
//!
//! A batch is a run like a tournament: tasks go to a [`Transport`](crate::transport::Transport), and
//! a result counts once it is in the journal. It knows no game and reads no file of queries.

mod check;
mod record;
mod run;
mod workers;

pub use self::check::{CheckedQuery, check};
pub use self::record::{BatchAnswer, BatchHead, BatchRecord};
pub use self::run::{Batch, BatchEnd, BatchError, BatchWatcher, fingerprint};
pub use self::workers::{BatchReplies, BatchTask, QueryWorkers};
