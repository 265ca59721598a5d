//! Reads the file of a book. It checks the content, because a user may name any file.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use thiserror::Error;

use super::super::shape::Shape;
use super::format::{BookError, Header};

/// The error of a file that is not a book.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] io::Error),
    /// The path is a folder, a pipe or a device, which may be endless.
    #[error("not a regular file")]
    Special,
    /// The content is not a book, or a book for another board.
    #[error(transparent)]
    Book(#[from] BookError),
}

/// Reads the bytes of a book. Reads at most one byte more than the header promises, because a
/// longer file is not a book.
pub fn load(path: &Path) -> Result<Vec<u8>, LoadError> {
    read(path, |_| Ok(()))
}

/// Reads the bytes of a book for `shape`. Of a book for another board, only the header is read.
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
    accepts(Header::read_unchecked(&bytes)?)?;
    let length = Header::book_length(&bytes)?;
    let rest = (length - size).saturating_add(1);
    file.take(rest).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > length {
        return Err(BookError::Length.into());
    }
    Ok(bytes)
}
