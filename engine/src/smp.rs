//! Data that the threads of one search share, in addition to the table.

mod busy;
mod shared_root;

pub(crate) use busy::Busy;
pub(crate) use shared_root::SharedRoot;
