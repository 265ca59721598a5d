//! A server and its clients over loopback.

mod access;
mod commands;
mod drops;
mod lookups;
mod rooms;
mod sessions;
mod support;
mod threats;
