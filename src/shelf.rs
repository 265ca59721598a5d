//! `tengen shelf`: games and positions in one file.

mod analyze;
mod ask;
mod change;
mod comment;
mod explore;
mod export;
mod find;
mod grow;
mod import;
mod maintain;
mod queries;
mod search;
mod tree;

use std::env;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tengen_games::CATALOG;
use tengen_protocol::explorer::Explorer;
use tengen_shelf::service;
use tengen_shelf::{Error, Marks, Shelf};

use crate::exit_status::Refusal;

const EXAMPLES: &str = include_str!("help/shelf.txt").trim_ascii_end();

/// Keep games and positions: import, explore, find, analyze, grow.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, arg_required_else_help = false)]
pub(crate) struct Args {
    /// The shelf [default: tengen.shelf in the user's data folder].
    #[arg(long, value_name = "FILE", global = true)]
    shelf: Option<PathBuf>,

    #[command(subcommand)]
    task: Task,
}

#[derive(clap::Subcommand)]
enum Task {
    Import(import::Args),
    Explore(explore::Args),
    Find(find::Args),
    Queries(queries::Args),
    Export(export::Args),
    #[command(visible_alias = "analyse")]
    Analyze(analyze::Args),
    Grow(grow::Args),
    Stats(maintain::StatsArgs),
    Check(maintain::CheckArgs),
    Merge(maintain::MergeArgs),
    Edit(change::EditArgs),
    Delete(change::DeleteArgs),
    Undo(change::UndoArgs),
    Redo(change::RedoArgs),
    Forget(change::ForgetArgs),
    Comment(comment::Args),
    Tree(tree::Args),
    Alias(change::AliasArgs),
    Backup(maintain::BackupArgs),
}

/// Opens a shelf for the clients of this process, which may change it if `is_editable`.
pub(crate) fn open_explorer(
    path: &Path,
    is_editable: bool,
) -> anyhow::Result<&'static dyn Explorer> {
    service::open_explorer(path, &CATALOG, is_editable).map_err(failure)
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let file = args.shelf.as_ref();
    match &args.task {
        Task::Import(args) => import::run(&mut shelf_to_make(file)?, args),
        Task::Explore(args) => explore::run(&mut shelf_to_read(file)?, args),
        Task::Find(args) if args.is_saving() => find::run(&mut shelf_to_change(file)?, args),
        Task::Find(args) => find::run(&mut shelf_to_read(file)?, args),
        Task::Queries(args) if args.is_reading() => queries::run(&mut shelf_to_read(file)?, args),
        Task::Queries(args) => queries::run(&mut shelf_to_change(file)?, args),
        Task::Export(args) => export::run(&mut shelf_to_read(file)?, args),
        Task::Analyze(args) => {
            as_change(shelf_to_change(file)?, "analyze", |shelf| analyze::run(shelf, args))
        }
        Task::Grow(args) => as_change(shelf_to_make(file)?, "grow", |shelf| grow::run(shelf, args)),
        Task::Stats(args) => maintain::stats(&mut shelf_to_read(file)?, args),
        Task::Check(args) if args.repair => maintain::check(&mut shelf_to_change(file)?, args),
        Task::Check(args) => maintain::check(&mut shelf_to_read(file)?, args),
        Task::Merge(args) => maintain::merge(file, args),
        Task::Edit(args) => change::edit(&mut shelf_to_change(file)?, args),
        Task::Delete(args) => change::delete(&mut shelf_to_change(file)?, args),
        Task::Undo(args) => change::undo(&mut shelf_to_change(file)?, args),
        Task::Redo(_) => change::redo(&mut shelf_to_change(file)?),
        Task::Forget(args) => change::forget(&mut shelf_to_change(file)?, args),
        Task::Comment(args) if args.is_reading() => comment::run(&mut shelf_to_read(file)?, args),
        Task::Comment(args) => comment::run(&mut shelf_to_make(file)?, args),
        Task::Tree(args) => tree::run(&mut shelf_to_make(file)?, args),
        Task::Alias(args) if args.is_reading() => change::alias(&mut shelf_to_read(file)?, args),
        Task::Alias(args) => change::alias(&mut shelf_to_change(file)?, args),
        Task::Backup(args) => maintain::backup(&shelf_to_read(file)?, args),
    }
}

/// Runs `work`, whose results in the shelf are undone together.
fn as_change(
    mut shelf: Shelf,
    what: &str,
    work: impl FnOnce(&mut Shelf) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    shelf.begin_change(what).map_err(failure)?;
    let done = work(&mut shelf);
    shelf.end_change().map_err(failure)?;
    done
}

/// Opens a shelf; makes one, and its folder, if there is none.
fn shelf_to_make(file: Option<&PathBuf>) -> anyhow::Result<Shelf> {
    let path = path(file)?;
    if let (None, Some(folder)) = (file, path.parent()) {
        let refusal = |why| Refusal(format!("cannot make {}: {why}", folder.display()));
        std::fs::create_dir_all(folder).map_err(refusal)?;
    }
    Shelf::create_or_open(&path, &CATALOG).map_err(failure)
}

fn shelf_to_change(file: Option<&PathBuf>) -> anyhow::Result<Shelf> {
    Shelf::open(&path(file)?, &CATALOG).map_err(failure)
}

fn shelf_to_read(file: Option<&PathBuf>) -> anyhow::Result<Shelf> {
    Shelf::open_to_read(&path(file)?, &CATALOG).map_err(failure)
}

/// Returns the path of the shelf.
fn path(file: Option<&PathBuf>) -> anyhow::Result<PathBuf> {
    if let Some(file) = file {
        return Ok(file.clone());
    }
    let none = || Refusal("the system names no data folder: choose a file by --shelf".to_owned());
    Ok(data_folder().ok_or_else(none)?.join("tengen").join("tengen.shelf"))
}

/// Returns the folder for the user's data.
fn data_folder() -> Option<PathBuf> {
    let folder = |name: &str| env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    if cfg!(windows) {
        return folder("APPDATA");
    }
    let home = folder("HOME");
    if cfg!(target_os = "macos") {
        return home.map(|home| home.join("Library").join("Application Support"));
    }
    folder("XDG_DATA_HOME").or_else(|| home.map(|home| home.join(".local").join("share")))
}

/// Returns the numbers of marked games as an object.
fn marked<const N: usize>(counts: [u64; N]) -> Value {
    let named = Marks::NAMED.iter().zip(counts);
    Value::from_iter(named.map(|((_, name), count)| (*name, count)))
}

/// Returns an error of the shelf with the exit status for it.
fn failure(error: Error) -> anyhow::Error {
    match error {
        Error::Missing(_)
        | Error::NotAShelf(_)
        | Error::NotOpened { .. }
        | Error::Newer { .. }
        | Error::Refused(_)
        | Error::Wrong { .. } => Refusal(error.to_string()).into(),
        error => error.into(),
    }
}
