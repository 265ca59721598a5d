//! `tengen shelf edit`, `delete`, `undo`, `redo`, `forget` and `alias`.

use tengen_shelf::{Shelf, ValueFilter, property_of};

use super::failure;
use super::find::Selection;
use crate::exit_status::{one_line, print, refuse};

const EDIT_EXAMPLES: &str = include_str!("../help/shelf_edit.txt").trim_ascii_end();

const DELETE_EXAMPLES: &str = include_str!("../help/shelf_delete.txt").trim_ascii_end();

const FORGET_EXAMPLES: &str = include_str!("../help/shelf_forget.txt").trim_ascii_end();

const ALIAS_EXAMPLES: &str = include_str!("../help/shelf_alias.txt").trim_ascii_end();

const UNDO_EXAMPLES: &str = include_str!("../help/shelf_undo.txt").trim_ascii_end();

const REDO_EXAMPLES: &str = include_str!("../help/shelf_redo.txt").trim_ascii_end();

/// The games that a change is about.
#[derive(clap::Args)]
struct Chosen {
    /// The numbers of games, as "tengen shelf find" lists them; without one, all games that the options choose.
    #[arg(value_name = "GAME")]
    games: Vec<i64>,

    #[command(flatten)]
    selection: Selection,
}

impl Chosen {
    fn games(&self, shelf: &mut Shelf) -> anyhow::Result<Vec<i64>> {
        let saved = self.selection.saved(shelf)?;
        let selection = saved.as_ref().unwrap_or(&self.selection);
        match (self.games.is_empty(), selection.is_open(shelf)?) {
            (true, true) => {
                refuse!("choose games by their numbers, or by options such as --player")
            }
            (true, false) => Ok(selection.find(shelf, None)?.ids),
            (false, true) => Ok(self.games.clone()),
            (false, false) => refuse!("choose games by their numbers or by options, not by both"),
        }
    }
}

/// Correct headers of games.
#[derive(clap::Args)]
#[command(after_help = EDIT_EXAMPLES)]
pub(super) struct EditArgs {
    /// A header and its new text, such as date=2019-05-04: first, second, event, round, date, result, rules, opening, or a
    /// property of SGF. An empty text removes it.
    #[arg(long, value_name = "NAME=TEXT", required = true, value_parser = header)]
    set: Vec<(String, String)>,

    #[command(flatten)]
    chosen: Chosen,
}

fn header(text: &str) -> Result<(String, String), String> {
    let (name, text) =
        text.split_once('=').ok_or("NAME=TEXT is needed, such as date=2019-05-04")?;
    Ok((property_of(name).to_owned(), text.to_owned()))
}

/// Runs `tengen shelf edit`.
pub(super) fn edit(shelf: &mut Shelf, args: &EditArgs) -> anyhow::Result<()> {
    let games = args.chosen.games(shelf)?;
    let changed = shelf.edit(&games, &args.set).map_err(failure)?;
    let games = if changed == 1 { "game" } else { "games" };
    print(format!("{changed} {games} changed; \"tengen shelf undo\" takes it back\n"))
}

/// Remove games.
#[derive(clap::Args)]
#[command(after_help = DELETE_EXAMPLES)]
pub(super) struct DeleteArgs {
    #[command(flatten)]
    chosen: Chosen,
}

/// Runs `tengen shelf delete`.
pub(super) fn delete(shelf: &mut Shelf, args: &DeleteArgs) -> anyhow::Result<()> {
    let games = args.chosen.games(shelf)?;
    let removed = shelf.delete(&games).map_err(failure)?;
    let games = if removed == 1 { "game" } else { "games" };
    print(format!("{removed} {games} removed; \"tengen shelf undo\" takes it back\n"))
}

/// Take the last change back: an import, a merge, an edit, values of an engine.
#[derive(clap::Args)]
#[command(after_help = UNDO_EXAMPLES)]
pub(super) struct UndoArgs {
    /// List the changes that can be taken back, the latest first, and change nothing.
    #[arg(long)]
    list: bool,
}

/// Runs `tengen shelf undo`.
pub(super) fn undo(shelf: &mut Shelf, args: &UndoArgs) -> anyhow::Result<()> {
    let changes = match args.list {
        true => shelf.changes().map_err(failure)?,
        false => shelf.undo(None).map_err(failure)?.into_iter().collect(),
    };
    if changes.is_empty() {
        refuse!("there is no change to take back");
    }
    let word = if args.list { "" } else { "taken back: " };
    let lines = changes
        .iter()
        .map(|change| one_line(&format!("{word}{} {}", change.at, change.what)) + "\n");
    print(lines.collect::<String>())
}

/// Make the change again that was taken back last, if nothing was changed since.
#[derive(clap::Args)]
#[command(after_help = REDO_EXAMPLES)]
pub(super) struct RedoArgs {}

/// Runs `tengen shelf redo`.
pub(super) fn redo(shelf: &mut Shelf) -> anyhow::Result<()> {
    let Some(change) = shelf.redo().map_err(failure)? else {
        refuse!("there is no change to make again: none was taken back since the last change");
    };
    print(one_line(&format!("made again: {} {}", change.at, change.what)) + "\n")
}

/// Remove values of engines, proofs too, that fit all options. Labels and comments stay.
#[derive(clap::Args)]
#[command(after_help = FORGET_EXAMPLES)]
#[group(required = true, multiple = true)]
pub(super) struct ForgetArgs {
    /// Values of an engine whose name and version contain this text.
    #[arg(long, value_name = "NAME")]
    engine: Option<String>,

    /// Values from before this day, such as 2026-01-31.
    #[arg(long, value_name = "DAY")]
    older_than: Option<String>,

    /// Values of searches with less depth.
    #[arg(long, value_name = "N")]
    depth_below: Option<u32>,
}

/// Runs `tengen shelf forget`.
pub(super) fn forget(shelf: &mut Shelf, args: &ForgetArgs) -> anyhow::Result<()> {
    let ForgetArgs { engine, older_than, depth_below } = args;
    let (engine, before) = (engine.clone(), older_than.clone());
    let values = ValueFilter { engine, before, below_depth: *depth_below };
    let forgotten = shelf.forget_values(&values).map_err(failure)?;
    print(format!("{forgotten} values forgotten; \"tengen shelf undo\" takes it back\n"))
}

/// Name the other names of a player, which "find --player" finds, too.
#[derive(clap::Args)]
#[command(after_help = ALIAS_EXAMPLES)]
pub(super) struct AliasArgs {
    /// The other name; with --list, none.
    #[arg(value_name = "ALIAS")]
    alias: Option<String>,

    /// The name that it means.
    #[arg(value_name = "NAME", required_unless_present_any = ["remove", "list"])]
    name: Option<String>,

    /// Forget the other name.
    #[arg(long, requires = "alias", conflicts_with = "name")]
    remove: bool,

    /// List the other names.
    #[arg(long, conflicts_with_all = ["alias", "name", "remove"])]
    list: bool,
}

impl AliasArgs {
    /// Returns whether names are only listed.
    pub(super) fn is_reading(&self) -> bool {
        self.alias.is_none()
    }
}

/// Runs `tengen shelf alias`.
pub(super) fn alias(shelf: &mut Shelf, args: &AliasArgs) -> anyhow::Result<()> {
    if let Some(alias) = &args.alias {
        return shelf.set_alias(alias, args.name.as_deref()).map_err(failure);
    }
    let aliases = shelf.aliases().map_err(failure)?.into_iter();
    print(
        aliases
            .map(|(alias, name)| one_line(&format!("{alias} = {name}")) + "\n")
            .collect::<String>(),
    )
}
