//! Games in a terminal: a full screen with cursor, mouse and keys, and a plain mode for pipes and
//! screen readers.
//!
//! Positions and searches come from the caller's catalogue; nothing here depends on a particular
//! game. The module `app` is a pure state machine: commands and search events go in, messages and
//! search requests come out. [`plain`] and [`screen`] are its two front ends.
//!
//! From the bottom to the top: `search_summary`, `tree`, `clock`; `command`; `game`,
//! `sentences`; `engine`; `app`; `new_game`, `record`, `files`; `look`, `board_layout`, `ui`, `view`,
//! `input`; `shell`, [`plain`], [`screen`].

mod app;
mod board_layout;
mod clock;
mod command;
mod engine;
mod files;
mod game;
mod input;
mod look;
mod new_game;
pub mod plain;
mod record;
pub mod screen;
mod search_summary;
mod sentences;
mod shell;
mod tree;
mod ui;
mod view;

pub use app::GameSetup;
pub use clock::TimeControl;
pub use command::Humans;
pub use files::Files;
pub use game::SeatedGame;
pub use look::{Colours, Look};
pub use record::{Resumed, read as read_record, read_with as read_record_with, resume};
pub use shell::{Keeping, PlayError};
