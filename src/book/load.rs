//! Reads books from files.

use std::path::Path;

use tengen_games::cfour::book::{LoadError, load};

use crate::exit_status::Refusal;

/// Reads the bytes of a book.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    load(path).map_err(|error| match error {
        LoadError::File(error) => Refusal::unreadable(path, &error).into(),
        error => refusal(path, &error).into(),
    })
}

/// Returns the refusal of `file` for `error`.
pub(super) fn refusal(file: &Path, error: &dyn std::error::Error) -> Refusal {
    Refusal(format!("{}: {error}", file.display()))
}
