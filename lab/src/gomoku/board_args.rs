//! The board of a program, as its command line names it.

use anyhow::{Context, Result};
use clap::Args;
use tengen_games::gomoku::{Board, Rule};

/// The rule and the size of a board.
#[derive(Args, Clone, Debug)]
pub struct BoardArgs {
    /// The rule of the games.
    #[arg(long, value_name = "NAME", default_value = "freestyle",
          value_parser = ["freestyle", "standard", "renju", "caro"])]
    pub rule: String,

    /// The side of the board.
    #[arg(long, value_name = "N", default_value_t = 15,
          value_parser = clap::value_parser!(u32).range(5..=22))]
    pub side: u32,
}

impl BoardArgs {
    /// Returns the empty board.
    pub fn start(&self) -> Result<Board> {
        let rule = match self.rule.as_str() {
            "standard" => Rule::Standard,
            "renju" => Rule::Renju,
            "caro" => Rule::Caro,
            _ => Rule::Freestyle,
        };
        let Self { rule: name, side } = self;
        Board::new(rule, *side, *side)
            .with_context(|| format!("no board of {name} has the side {side}"))
    }

    /// Returns the name of the variant in the catalogue.
    pub fn variant(&self) -> &str {
        match self.rule.as_str() {
            "standard" => "gomoku",
            "freestyle" => "gomokufreestyle",
            rule => rule,
        }
    }
}
