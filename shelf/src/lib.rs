//! A shelf: games, positions and analysis of n-in-a-row games in a file of SQLite.
//!
//! [`import()`] adds the games of files, folders and archives to a [`Shelf`], each game once.
//! [`explore()`] says what was played in a position and with what result, [`find()`] lists games,
//! [`Shelf::check`] compares every count with a recount. Positions are equal under the symmetries of
//! their board.
//!
//! The tables are described in `schema.sql` and in docs/manual/shelf.md, so that other programs can
//! read a shelf while this crate writes it. This crate knows records and the rules of a catalogue, and prints
//! nothing. Only the feature `service` knows a protocol.
//!
//! ```
//! use tengen_games::CATALOG;
//! use tengen_shelf::{Filter, ImportOptions, PositionAsked, Shelf, Silent, explore, import};
//!
//! let folder = tempfile::tempdir()?;
//! let file = folder.path().join("games.txt");
//! std::fs::write(&file, "h8 i9 h7\nh8 g9 h9 1-0\n")?;
//! let mut shelf = Shelf::create_or_open(&folder.path().join("my.shelf"), &CATALOG)?;
//! let game = |record: &tengen_records::Record| record.spec(&CATALOG);
//! let report = import(&mut shelf, &[file], &ImportOptions::new(&game), &mut Silent)?;
//! assert_eq!(report.new, 2);
//! let (ruleset, _) = shelf.rulesets()?.remove(0);
//! let centre = "h8".parse()?;
//! let asked = PositionAsked::new(ruleset, None, &[centre]);
//! let known = explore(&mut shelf, &asked, &Filter::default(), &|| false)?;
//! // The two moves are images of each other.
//! assert_eq!((known.total.games, known.moves.len()), (2, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod add;
mod analysis;
mod check;
mod comments;
mod condition;
mod date;
mod desk;
mod edit;
mod error;
mod explore;
mod export;
mod find;
mod game;
mod grow;
mod import;
mod index;
mod journal;
mod judge;
mod key;
mod merge;
mod opening;
mod pattern;
mod position;
mod queries;
mod recount;
mod replace;
mod ruleset;
#[cfg(feature = "service")]
pub mod service;
mod stats;
mod store;
mod trees;
mod yxdb;

pub use self::analysis::{Analysis, OftenPosition, ValueFilter};
pub use self::check::Checked;
pub use self::comments::Comment;
pub use self::desk::TreeEdit;
pub use self::edit::property_of;
pub use self::error::Error;
pub use self::explore::{
    Explored, ExploredMove, Note, OtherOrder, Results, Stored, Value, explore,
};
pub use self::export::Written;
pub use self::find::{Filter, FoundGame, FoundGames, find};
pub use self::game::Marks;
pub use self::grow::{Grown, Growth};
pub use self::import::{ImportOptions, ImportReport, ImportWatcher, Silent, import};
pub use self::journal::Change;
pub use self::judge::GameChoice;
pub use self::merge::Merged;
pub use self::pattern::Pattern;
pub use self::position::PositionAsked;
pub use self::replace::Replaced;
pub use self::ruleset::Ruleset;
pub use self::stats::Stats;
pub use self::store::Shelf;
pub use self::yxdb::Database;
