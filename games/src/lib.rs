//! The games of Tengen: rules, notation and evaluation, and the list of variants that clients
//! choose from.
//!
//! This crate depends on the traits of the engine and on no protocol. [`CATALOG`] opens a game by
//! name; a [`Client`](tengen_engine::Client) plays and searches it.
//!
//! # Play a game
//!
//! ```
//! use tengen_engine::{Chosen, Client, Limits, Outcome, Settings};
//! use tengen_games::CATALOG;
//!
//! let mut client = Client::open(&CATALOG, "tictactoe", &Chosen::new(), &Settings::default())?;
//! client.position_mut().play_text("a1")?;
//! while client.position().outcome().is_none() {
//!     let answer = client.search(Limits::default().with_nodes(10_000))?;
//!     let best = answer.best.expect("a game that is not over has a move");
//!     client.position_mut().play(best)?;
//! }
//! assert_eq!(client.position().outcome(), Some(Outcome::Draw));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Analyse a position
//!
//! A listener is called with a report of each line whenever the search finds a better one, and can
//! stop the search.
//!
//! ```
//! use std::ops::ControlFlow;
//! use tengen_engine::{Chosen, Client, Limits, Move, Query, Report, Settings};
//! use tengen_games::CATALOG;
//!
//! let settings = Settings::default().with_multi_pv(2).with_hash_mib(16);
//! let mut client = Client::open(&CATALOG, "gomokufreestyle", &Chosen::new(), &settings)?;
//! client.set(None, &["h8", "i8", "h9", "i9", "h10", "i11"])?;
//! let mut lines = Vec::new();
//! let mut listen = |report: &Report<Move>| {
//!     lines.push((report.depth, report.line, report.score, report.pv.clone()));
//!     ControlFlow::Continue(())
//! };
//! let query = Query::from(Limits::default().with_depth(4)).with_listener(&mut listen);
//! let answer = client.search(query)?;
//! assert!(lines.iter().any(|(_, rank, ..)| *rank == 2), "the second best line");
//! // Three stones in a row, open at both ends, win.
//! assert!(answer.report.score.is_win());
//! println!("{}", client.write_line(&answer.report.pv).join(" "));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Solve a position
//!
//! If [`GameSpec::is_exact`](tengen_engine::GameSpec::is_exact) is true, a search without limits
//! proves the value of the position.
//!
//! ```
//! use tengen_engine::{Chosen, Client, Limits, Proof, Score, Settings};
//! use tengen_games::CATALOG;
//!
//! let settings = Settings::default().with_hash_mib(16).with_own_book(false);
//! let mut client = Client::open(&CATALOG, "cfour", &Chosen::new(), &settings)?;
//! assert!(client.spec().is_exact);
//! // Both players have stacked their stones: the side to move makes an open three.
//! client.set(None, &["d1", "d2", "e1", "e2"])?;
//! let answer = client.search(Limits::default().with_proof(Proof::Score))?;
//! assert_eq!(answer.report.score, Score::win_in(3));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod catalog;
mod cellset;
pub mod cfour;
mod entry;
pub mod gomoku;
pub mod mnk;
mod opening_rules;
mod openings;
pub mod tree;

pub use catalog::Games;

/// The catalogue of all games of this crate.
pub static CATALOG: Games = Games;
