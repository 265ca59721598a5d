//! Reads records of games, with the message of all commands for one that cannot be used.

use std::path::Path;

use tengen_engine::GridNotation;
use tengen_records::{Collection, Fault, FaultKind, ReadOptions};

use crate::exit_status::Refusal;
use crate::files::read_bytes;

/// Reads the games of a file, at least one. `notation` is the board of the game that the user
/// named, for lists of moves.
pub(crate) fn read_games(
    path: &Path,
    options: ReadOptions,
    notation: Option<GridNotation>,
) -> anyhow::Result<Collection> {
    let name = path.display().to_string();
    let games = tengen_records::read(&read_bytes(path)?, &options.named(&name).on(notation));
    Ok(games.map_err(|fault| refusal(&name, &fault))?)
}

/// Returns the refusal of the file `name` for a fault.
pub(crate) fn refusal(name: &str, fault: &Fault) -> Refusal {
    let help = match fault.kind() {
        FaultKind::UnknownGame(_) => ": name it with --variant",
        _ => "",
    };
    Refusal(format!("{name}: {fault}{help}"))
}
