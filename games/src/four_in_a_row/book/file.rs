//! A book's file, read with care: whatever is named as one may be anything.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use thiserror::Error;

use super::{BookError, Header};

/// Why a file gives no book.
#[derive(Debug, Error)]
pub enum LoadError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] io::Error),
    /// What it holds is no book, or not the right one.
    #[error(transparent)]
    Book(#[from] BookError),
}

/// The bytes of a book, and no more than one byte too many: what is longer is none.
pub fn load(path: &Path) -> Result<Vec<u8>, LoadError> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    let size = Header::SIZE as u64;
    file.by_ref().take(size).read_to_end(&mut bytes)?;
    let length = Header::book_length(&bytes)?;
    let rest = (length - size).saturating_add(1);
    file.take(rest).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > length {
        return Err(BookError::Length.into());
    }
    Ok(bytes)
}
