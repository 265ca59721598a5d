//! Batches: many queries of the JSON protocol. Each is answered exactly once, even if the run is
//! killed and continued.
//!
//! A batch is a run, as a tournament is: tasks go to a [`Transport`](crate::transport::Transport),
//! and a result counts once it is in the journal. This module knows no game and reads no query
//! file.

mod check;
mod record;
mod run;
mod workers;

pub use self::check::{CheckedQuery, check};
pub use self::record::{BatchAnswer, BatchHead, BatchRecord};
pub use self::run::{Batch, BatchEnd, BatchError, BatchWatcher, fingerprint};
pub use self::workers::{BatchReplies, BatchTask, QueryWorkers};
