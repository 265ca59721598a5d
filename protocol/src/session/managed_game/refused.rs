//! [`Refused`]: why a command of a managed game is refused.

use tengen_engine::PositionError;
use tengen_engine::backend::OpenError;
use tengen_engine::opening::RefusedAct;
use tengen_engine::text::quotable;
use thiserror::Error;

use crate::command::Xy;

/// Why a command is refused. The game is as before.
#[derive(Debug, Error)]
pub(in crate::session) enum Refused {
    #[error("no variant \"{}\"", quotable(.0))]
    Variant(String),
    #[error(transparent)]
    Game(#[from] OpenError),
    // The client does not know the options of the size.
    #[error("a board of {}x{}: {}", .0, .1, without_option(.2))]
    Size(u32, u32, OpenError),
    #[error("{0} has no board")]
    NoBoard(&'static str),
    #[error("{0} is outside the board (0,0 to {1})")]
    Outside(Xy, Xy),
    #[error("{0} is taken")]
    Taken(Xy),
    #[error("two stones on {0}")]
    TwoStones(Xy),
    #[error("there is no stone on {0} to take back")]
    NoStone(Xy),
    #[error("position refused: {0}")]
    Position(PositionError),
    #[error("{0}: {1}")]
    Rules(&'static str, Box<Self>),
    #[error("BEGIN: the board must be empty")]
    NotEmpty,
    #[error("{0}: the game is over")]
    Over(Xy),
    #[error("the game is over: there is nothing to play")]
    NothingToPlay,
    #[error("every move is blocked: there is nothing to play")]
    AllBlocked,
    #[error("{0} cannot be played{1}")]
    Move(Xy, String),
    #[error("{0}, which is {1}")]
    OpeningStone(Xy, RefusedAct),
    #[error("{0}")]
    Opening(String),
}

fn without_option(error: &OpenError) -> String {
    match error {
        OpenError::Range { least, most, .. } => format!("each side must be from {least} to {most}"),
        other => other.to_string(),
    }
}
