//! Code that several test programs share: boards and random positions, published data, clients of a
//! backend and of the program.

#![allow(dead_code, reason = "each test program uses its own part")]

pub(crate) mod analyst;
pub(crate) mod boards;
pub(crate) mod published;
pub(crate) mod referee;
pub(crate) mod running;
