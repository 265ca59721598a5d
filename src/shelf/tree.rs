//! `tengen shelf tree`: trees of variations that a person edits.

use tengen_shelf::{Shelf, TreeEdit};

use super::ask::{PositionArgs, only_ruleset, position};
use super::failure;
use crate::board::BoardArgs;
use crate::exit_status::print;

const EXAMPLES: &str = include_str!("../help/shelf_tree.txt").trim_ascii_end();

/// Add moves to a tree of variations, remove a branch, or write into trees.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    position: PositionArgs,

    /// Remove the last move, with all moves after it, from all trees without a game that have it.
    #[arg(long)]
    remove: bool,

    /// The text on the point of the last move, in all trees without a game that have this move; if none has it, it is
    /// added to a tree of the shelf. Empty for none.
    #[arg(long, value_name = "TEXT", conflicts_with = "remove")]
    label: Option<String>,

    /// The comment of the position in a tree of the shelf; empty for none.
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["remove", "label"])]
    comment: Option<String>,

    /// Change only the tree with this number, as "tengen shelf explore --json" shows it. It may be the tree of
    /// a game; --remove then removes only variations.
    #[arg(long, value_name = "N")]
    tree: Option<i64>,

    #[command(flatten)]
    board: BoardArgs,
}

/// Runs the command.
pub(super) fn run(shelf: &mut Shelf, args: &Args) -> anyhow::Result<()> {
    let ruleset = only_ruleset(shelf, &args.board, args.position.fen())?;
    let asked = position(&ruleset, &args.position)?;
    let edit = match (&args.label, &args.comment) {
        _ if args.remove => TreeEdit::Remove,
        (Some(label), _) => TreeEdit::Label(label.clone()),
        (None, Some(comment)) => TreeEdit::Comment(comment.clone()),
        (None, None) => TreeEdit::Add,
    };
    let changed = shelf.edit_tree(&asked, args.tree, &edit).map_err(failure)?;
    print(match changed {
        0 => "nothing has changed\n".to_owned(),
        1 => "1 tree changed; \"tengen shelf undo\" takes it back\n".to_owned(),
        changed => format!("{changed} trees changed; \"tengen shelf undo\" takes it back\n"),
    })
}
