//! A book's file, read with care: whatever is named as one may be anything.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use thiserror::Error;

use super::super::shape::Shape;
use super::format::{BookError, Header};

/// Why a file gives no book.
#[derive(Debug, Error)]
pub enum LoadError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] io::Error),
    /// It is a folder, a pipe or a device, whose end may never come.
    #[error("not a regular file")]
    Special,
    /// What it holds is no book, or not the right one.
    #[error(transparent)]
    Book(#[from] BookError),
}

/// The bytes of a book, and no more than one byte too many: what is longer is none.
pub fn load(path: &Path) -> Result<Vec<u8>, LoadError> {
    read(path, |_| Ok(()))
}

/// The same of a book for this board. Of any other no more is read than the header.
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
