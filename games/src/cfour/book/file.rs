//! The file of a book. It checks what it reads, since a user may name any file.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use thiserror::Error;

use super::super::shape::Shape;
use super::format::{BookError, Header};

/// Why a file gives no book.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] io::Error),
    /// The path is a folder, a pipe or a device, whose end may never come.
    #[error("not a regular file")]
    Special,
    /// The content is no book, or a book for another board.
    #[error(transparent)]
    Book(#[from] BookError),
}

/// Reads the bytes of a book. Reading stops one byte after the length of the longest book, since a
/// longer file is no book.
pub fn load(path: &Path) -> Result<Vec<u8>, LoadError> {
    read(path, |_| Ok(()))
}

/// Reads a book for this board. Of a book for another board only the header is read.
pub(super) fn load_for<S: Shape>(shape: S, path: &Path) -> Result<Vec<u8>, LoadError> {
    read(path, |header| header.fits(shape))
}

fn read(
    path: &Path,
    accepts: impl Fn(Header) -> Result<(), BookError>,
) -> Result<Vec<u8>, LoadError> {
    if !fs::metadata(path)?.is_file() {
        return Err(LoadError::Special);
    }
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    let size = Header::SIZE as u64;
    file.by_ref().take(size).read_to_end(&mut bytes)?;
    accepts(Header::begin(&bytes)?)?;
    let length = Header::book_length(&bytes)?;
    let rest = (length - size).saturating_add(1);
    file.take(rest).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > length {
        return Err(BookError::Length.into());
    }
    Ok(bytes)
}
