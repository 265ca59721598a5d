//! The files of a game: saved games, and the copy of the game in progress.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Returns a default file name for a game of `variant`. No file of that name exists yet.
pub(crate) fn default_name(variant: &str) -> String {
    let name = |number: u32| match number {
        1 => format!("tengen-{variant}.sgf"),
        _ => format!("tengen-{variant}-{number}.sgf"),
    };
    let free = (1..10_000).map(name).find(|name| !Path::new(name).exists());
    free.unwrap_or_else(|| name(1))
}

/// Returns the file of the game in progress, which `--resume` reads; `None` if the system names no
/// folder for it.
// CITE: XDG Base Directory Specification, https://specifications.freedesktop.org/basedir-spec/latest/
pub fn kept_game() -> Option<PathBuf> {
    let folder =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|it| it.is_absolute());
    let state = folder("XDG_STATE_HOME")
        .or_else(|| folder("LOCALAPPDATA"))
        .or_else(|| Some(folder("HOME")?.join(".local").join("state")))?;
    Some(state.join("tengen").join("last-game.sgf"))
}

/// Writes a whole file in one step, so that no reader sees a part of it.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder)?;
    }
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    fs::write(&part, bytes)?;
    fs::rename(&part, path)
}

/// Writes a file. Refuses an existing file unless `is_ours`, which means that this program wrote
/// it. Returns its name.
pub(crate) fn save(path: &Path, bytes: &[u8], is_ours: bool) -> Result<String, String> {
    let name = path.display().to_string();
    if !is_ours && path.exists() {
        return Err(format!("{name} exists: save under another name."));
    }
    match fs::write(path, bytes) {
        Ok(()) => Ok(name),
        Err(error) => Err(format!("{name} cannot be written: {error}.")),
    }
}
