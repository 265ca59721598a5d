//! Data that the threads of one search share, beside the table.

mod busy;
mod shared_root;

pub(crate) use busy::Busy;
pub(crate) use shared_root::SharedRoot;
