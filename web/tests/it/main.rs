//! A server and its clients over loopback.

mod commands;
mod sessions;
mod support;
mod threats;
