//! `tengen shelf comment`: comments and labels of positions.

use tengen_shelf::{Comment, Shelf};

use super::ask::{PositionArgs, position, ruleset};
use super::failure;
use crate::board::BoardArgs;
use crate::exit_status::{one_line, print, refuse};

const EXAMPLES: &str = include_str!("../help/shelf_comment.txt").trim_ascii_end();

/// Write comments and labels about positions, or show them.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    position: PositionArgs,

    /// The comment; an empty text removes it.
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,

    /// The label, a short text; an empty one removes it.
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,

    /// Who writes the comment.
    #[arg(long, value_name = "NAME", conflicts_with = "change")]
    author: Option<String>,

    /// Change the comment with this number.
    #[arg(long, value_name = "N", conflicts_with_all = ["moves", "fen"])]
    change: Option<i64>,

    /// Show the comments whose text, label or author contains this text.
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["moves", "fen", "text", "label", "author", "change"])]
    search: Option<String>,

    #[command(flatten)]
    board: BoardArgs,
}

impl Args {
    /// Returns whether comments are only shown.
    pub(super) fn is_reading(&self) -> bool {
        self.text.is_none() && self.label.is_none()
    }
}

/// Runs the command.
pub(super) fn run(shelf: &mut Shelf, args: &Args) -> anyhow::Result<()> {
    let (label, text) = (args.label.as_deref(), args.text.as_deref());
    if let Some(words) = &args.search {
        let found = shelf.search_comments(words).map_err(failure)?;
        return print(found.iter().map(|(comment, fen)| line(comment, fen)).collect::<String>());
    }
    if let Some(id) = args.change {
        if args.is_reading() {
            refuse!("--change {id}: --text or --label is needed, too");
        }
        let is_removed = shelf.change_comment(id, label, text).map_err(failure)?;
        let done = if is_removed { "removed" } else { "changed" };
        return print(format!("comment {id} {done}; \"tengen shelf undo\" takes it back\n"));
    }
    let ruleset = ruleset(shelf, &args.board, args.position.fen())?;
    let asked = position(&ruleset, &args.position)?;
    if !args.is_reading() {
        let id = shelf.add_comment(&asked, label, text, args.author.as_deref()).map_err(failure)?;
        return print(format!("comment {id}\n"));
    }
    let found = shelf.comments_at(&asked).map_err(failure)?;
    print(found.iter().map(|comment| line(comment, "")).collect::<String>())
}

/// Returns a comment as a line: its number, time, author, label, text, and `place`.
fn line(comment: &Comment, place: &str) -> String {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let label = comment.label.as_ref().map_or(String::new(), |label| format!("[{label}] "));
    let author = comment.author.as_ref().map_or(String::new(), |author| format!("{author}: "));
    let line =
        format!("{} {} {author}{label}{} {place}", comment.id, comment.at, text(&comment.comment));
    one_line(line.trim_end()) + "\n"
}
