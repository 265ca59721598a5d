//! Published data, read in place from `../shared/data`. Where a file is not there, this says so.

use std::io::Write;
use std::path::PathBuf;

/// The text of a file; `None`, and a word about it, when it is not there.
pub(crate) fn text(file: &str) -> Option<String> {
    bytes(file).map(|bytes| String::from_utf8(bytes).expect("a text"))
}

/// The same of any file.
pub(crate) fn bytes(file: &str) -> Option<Vec<u8>> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("../shared/data").join(file);
    match std::fs::read(&path) {
        Ok(bytes) => Some(bytes),
        Err(error) => {
            // Not a print macro, whose output the test harness would keep to itself.
            let _ = writeln!(std::io::stderr(), "skipped: {}: {error}", path.display());
            None
        }
    }
}

/// The lines of a table without its headings, split at tabs.
pub(crate) fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}
