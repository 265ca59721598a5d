//! Records of n-in-a-row games: SGF, PGN, PSQ (Piskvork, Gomocup), libraries of RenLib, games of
//! the arena, lists of moves, and drawings of a board.
//!
//! [`read`] takes the bytes of a file in any of these formats and returns a [`Collection`] of
//! games. Each game is a [`Record`]: a tree of nodes with the properties of SGF. [`Record::spec`]
//! returns the game of a record, and [`Record::play`] plays its main line by the rules of this
//! game. [`Collection::warnings`] says what was guessed. [`Collection::to_sgf`] writes a collection; [`Record::to_pgn`], [`Record::to_psq`], [`Record::to_lib`] and [`Record::to_moves`]
//! write a record;
//! [`Collection::write`] writes any [`Format`] that is written.
//!
//! This crate uses the grids and positions of the engine and the data of the catalogue. It knows
//! no game, no protocol and no file system: the caller reads and writes files. All formats are
//! converted to the properties of SGF, so that all users of a record see one format.
//! The crate has its own SGF parser because `sgf-parse` does not report the line and the character
//! of an error; the tests compare the results of both.
//!
//! ```
//! use tengen_engine::backend::Catalog;
//! use tengen_games::CATALOG;
//! use tengen_records::{ReadOptions, read};
//!
//! let file = b"Piskvorky 15x15, 11:11, 0\n8,8,0\n9,8,31\n-1\n";
//! let games = read(file, &ReadOptions::new().named("game.psq"))?;
//! let record = &games.records()[0];
//! let (spec, _) = record.spec(&CATALOG)?;
//! let mut position = CATALOG.position(&spec);
//! record.play(&mut *position)?;
//! assert_eq!(position.fen(false), "15/15/15/15/15/15/15/7Pp6/15/15/15/15/15/15/15 w - - 0 2");
//! assert_eq!(games.to_sgf(), b"(;FF[4]GM[4]SZ[15]XL[11:11]XE[-1]\n;B[hh];W[ih]XT[31])\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | format | read | written |
//! |---|---|---|
//! | SGF FF\[1\] to FF\[4\] | all games, variations, comments, stones set up, unknown properties | FF\[4\], in the encoding of the file |
//! | PGN | all games, variations, comments, marks of moves, tags | the same |
//! | PSQ | moves, times, names, end, result and rules of Gomocup | the main line |
//! | RenLib | the whole tree, comments, texts on the board, marks | the same, version 3 |
//! | moves | one game on each line or over several, as the engine reads moves, numbered, or as letters of SGF | the main line |
//! | JSON of the arena | all games | no |
//! | drawings of boards | the stones | no |

mod choice;
pub mod columns;
mod drawing;
mod encoding;
mod fault;
mod format;
mod game_text;
mod games;
mod jsonl;
mod line;
mod listed;
mod moves;
mod numbering;
mod options;
mod pgn;
mod place;
mod played;
mod psq;
mod registry;
mod renlib;
mod result;
mod sgf;
mod source_text;
pub mod svg;
mod tree;
mod write;

pub use choice::{OPTIONS, VariantChoice};
pub use encoding::TextEncoding;
pub use fault::{Fault, FaultKind};
pub use format::WriteError;
pub use game_text::grid_of;
pub use line::{MainLine, RecordedMove, write_letters};
pub use listed::ListedPosition;
pub use moves::{board_of_large_list, is_fen};
pub use options::ReadOptions;
pub use place::Place;
pub use played::PlayedLine;
pub use registry::{format_of, read};
pub use result::outcome_of;
pub use sgf::annotate::{Remark, Variation};
pub use tree::{
    Collection, Format, Property, PropertyValue, Record, RecordNode, RecordNodeId, TIME,
};
