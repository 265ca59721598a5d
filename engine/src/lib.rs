//! The generic search core: one principal variation search that serves every game.
//!
//! It knows no dialect, no runtime, no log and no concrete game. Text appears only behind
//! [`notation::Notation`], the clock only behind [`time::Timer`].

pub mod backend;
pub mod bench;
pub mod control;
pub mod game;
pub mod host;
pub mod level;
pub mod limits;
pub mod notation;
pub mod odds;
pub mod options;
mod order;
pub mod perft;
pub mod report;
pub mod score;
pub mod search;
pub mod table;
pub mod time;
pub mod window;
mod worker;

pub use control::{Control, Signal};
pub use game::{Coverage, Evaluator, Game, Late, Outcome, Schedule, Selectivity, Side, Term};
pub use level::Strength;
pub use limits::{Clock, Limits, Proof};
pub use notation::{Notation, NotationError, Style};
pub use odds::{Odds, OddsModel};
pub use report::{Answer, Bound, Grounds, Report, Settled, Tally};
pub use score::Score;
pub use window::Window;
