//! Published data, read in place from `../shared/data`. A test whose data is absent says
//! `skipped: <file> is absent` on standard error, whoever captures its output.

use std::io::Write;
use std::path::PathBuf;

/// Reads the text of a file; says so and returns `None` where it is absent.
pub(crate) fn text(file: &str) -> Option<String> {
    bytes(file).map(|bytes| String::from_utf8(bytes).expect("a text"))
}

/// Reads the bytes of a file; says so and returns `None` where it is absent.
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

/// Says that a test is skipped because `what` is absent. `.ci/run` counts these lines.
pub(crate) fn skip(what: &str) {
    // Not a print macro, whose output the test harness would keep to itself. One write, so that
    // lines of several threads stay apart.
    let line = format!("skipped: {what} is absent\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// The lines of a table without its headings, split at tabs.
pub(crate) fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}
