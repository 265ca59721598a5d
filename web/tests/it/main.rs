//! A server and its clients over loopback.

mod commands;
mod drops;
mod sessions;
mod support;
mod threats;
