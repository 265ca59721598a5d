//! Reads and writes files that the user names, and checks outputs in advance.

use std::fs::{self, OpenOptions};
use std::io::Read;
use std::path::Path;

use anyhow::Context;

use crate::exit_status::Refusal;

/// The name for standard input and standard output.
pub(crate) const STANDARD: &str = "-";

/// Reads a whole file, or standard input if `path` is `-`.
pub(crate) fn read_bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    if path == Path::new(STANDARD) {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).context("cannot read standard input")?;
        return Ok(bytes);
    }
    Ok(fs::read(path).map_err(|error| Refusal::unreadable(path, &error))?)
}

/// Returns a text without the byte order mark that some editors write first.
pub(crate) fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)
}

/// Refuses a file that exists, unless `force`, and a file that cannot be written.
pub(crate) fn check_output(path: &Path, force: bool) -> Result<(), Refusal> {
    let refusal = |error| Refusal(format!("cannot write {}: {error}", path.display()));
    if path.is_file() && !force {
        return Err(Refusal(format!("{} exists: --force overwrites it", path.display())));
    }
    if path.exists() {
        return OpenOptions::new().write(true).open(path).map(drop).map_err(refusal);
    }
    fs::write(path, "").and_then(|()| fs::remove_file(path)).map_err(refusal)
}

/// Writes a whole file.
pub(crate) fn write_bytes(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}
