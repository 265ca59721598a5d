//! The files of a game: saved games, and the copy of the game in progress.

use std::fs;
use std::io;
use std::path::Path;

/// Returns a default file name for a game of `variant`. No file of that name exists yet.
pub(crate) fn default_name(variant: &str) -> String {
    let name = |number: u32| match number {
        1 => format!("tengen-{variant}.sgf"),
        _ => format!("tengen-{variant}-{number}.sgf"),
    };
    let free = (1..10_000).map(name).find(|name| !Path::new(name).exists());
    free.unwrap_or_else(|| name(1))
}

/// How files are read and written. The caller brings the functions, so that files of users are treated
/// in one way everywhere.
#[derive(Clone, Copy, Debug)]
pub struct Files {
    /// Reads a whole file. Its error says if the file is too large.
    pub read: fn(&Path) -> io::Result<Vec<u8>>,
    /// Checks that a file can be written, and changes nothing.
    pub check: fn(&Path) -> io::Result<()>,
    /// Writes a whole file, so that no reader sees a part of it and the old file stays if this fails.
    pub write: fn(&Path, &[u8]) -> io::Result<()>,
}

impl Files {
    /// Writes nothing.
    #[cfg(test)]
    pub(crate) const NONE: Self =
        Self { read: |path| fs::read(path), check: |_| Ok(()), write: |_, _| Ok(()) };

    /// Creates the folder of the kept game, and checks that the file can be written there.
    pub(crate) fn check_kept(self, path: &Path) -> io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        (self.check)(path)
    }

    /// Writes a file. Refuses an existing file unless `is_ours`, which means that this program wrote
    /// it. Returns its name.
    pub(crate) fn save(self, path: &Path, bytes: &[u8], is_ours: bool) -> Result<String, String> {
        let name = path.display().to_string();
        if !is_ours && path.is_file() {
            return Err(format!("{name} exists: save under another name."));
        }
        match (self.write)(path, bytes) {
            Ok(()) => Ok(name),
            Err(error) => Err(format!("{name} cannot be written: {error}.")),
        }
    }
}
