//! The files of a game: saved games, and the copy of the game in progress.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
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

/// Writes a whole file in one step, so that no reader sees a part of it and the old file stays if
/// this fails. A link is followed, and a device is written to.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if path.exists() && !path.is_file() {
        return fs::write(path, bytes);
    }
    let part = part_of(&path);
    let written = write_and_sync(&part, bytes).and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        // The error of the write is the one that counts.
        let _ = fs::remove_file(part);
    }
    written
}

fn part_of(path: &Path) -> PathBuf {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    PathBuf::from(part)
}

fn write_and_sync(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Creates the folder of the kept game, and checks that a file can be written there.
pub(crate) fn check_kept(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    if path.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    let part = part_of(path);
    write_and_sync(&part, b"").and_then(|()| fs::remove_file(part))
}

/// Writes a file. Refuses an existing file unless `is_ours`, which means that this program wrote
/// it. Returns its name.
pub(crate) fn save(path: &Path, bytes: &[u8], is_ours: bool) -> Result<String, String> {
    let name = path.display().to_string();
    if !is_ours && path.exists() {
        return Err(format!("{name} exists: save under another name."));
    }
    match write_whole(path, bytes) {
        Ok(()) => Ok(name),
        Err(error) => Err(format!("{name} cannot be written: {error}.")),
    }
}
