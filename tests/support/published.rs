//! Published data, read in place from `../shared/data`. A test whose data is absent writes
//! `skipped: <file> is absent` to standard error, even if its output is captured.

use std::io::Write;
use std::path::PathBuf;

/// Reads the text of a file; writes a note and returns `None` if it is absent.
pub(crate) fn text(file: &str) -> Option<String> {
    bytes(file).map(|bytes| String::from_utf8(bytes).expect("a text"))
}

/// Reads the bytes of a file; writes a note and returns `None` if it is absent.
pub(crate) fn bytes(file: &str) -> Option<Vec<u8>> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    match std::fs::read(root.join("../shared/data").join(file)) {
        Ok(bytes) => Some(bytes),
        Err(_) => {
            skip(file);
            None
        }
    }
}

/// Writes a note that a test is skipped because `what` is absent. `.ci/run` counts these lines.
pub(crate) fn skip(what: &str) {
    // A print macro would be captured by the test harness. A single write keeps the lines of
    // several threads apart.
    let line = format!("skipped: {what} is absent\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// Returns the lines of a table without its headings, split at tabs.
pub(crate) fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}
