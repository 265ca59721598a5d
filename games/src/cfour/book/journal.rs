//! The journal of a book that is being built: the scores of its last ply so far, in a file that
//! survives a kill of the program.
//!
//! ```text
//!  0.. 8  "TENGENBJ"
//!  8..13  version 1, columns, rows, stones in a line, plies
//! 13..17  CRC-32 of everything before
//! 17..    records of 9 bytes: the number of a position (4), its score in the format of a book (1),
//!         CRC-32 of both (4)
//! ```
//!
//! Numbers are little-endian. Records are only appended. A kill can leave an incomplete record at
//! the end, which is cut off. Other damaged records are skipped and counted. An open journal is
//! locked against other processes.

use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use tengen_engine::Score;
use thiserror::Error;

use super::super::shape::Shape;
use super::format;
use super::layers::Layers;

const MAGIC: [u8; 8] = *b"TENGENBJ";
const VERSION: u8 = 1;
const RECORD: usize = 9;

/// An open journal, to which records can be added.
#[derive(Debug)]
pub struct BookJournal {
    file: File,
    damaged: usize,
}

/// The error of a journal that cannot be opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BookJournalError {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] io::Error),
    /// Another process has the journal open.
    #[error("another build is writing it")]
    Busy,
    /// The file does not begin with the header of a journal.
    #[error("the file is not a book journal")]
    NoJournal,
    /// The journal has another version.
    #[error("version {0} of the journal's format is not known, only version 1 is")]
    Version(u8),
    /// The checksum of the header is wrong.
    #[error("the journal is damaged: the checksum of its header is wrong")]
    Checksum,
    /// The journal is for another book.
    #[error("the journal belongs to a book of {found}, not of {wanted}")]
    Other {
        /// The book that the journal is for.
        found: Contents,
        /// The book that is being built.
        wanted: Contents,
    },
}

/// The board and the plies of the book that a journal is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contents {
    /// Columns of the board.
    pub width: u8,
    /// Rows of the board.
    pub height: u8,
    /// The number of stones in a line.
    pub connect: u8,
    /// The last ply of the book.
    pub plies: u8,
}

impl Contents {
    /// Reads the fields of a header.
    fn read(header: &[u8]) -> Self {
        let [width, height, connect, plies] = [9, 10, 11, 12].map(|at| header[at]);
        Self { width, height, connect, plies }
    }
}

impl fmt::Display for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { width, height, connect, plies } = self;
        write!(f, "{plies} plies on {width}x{height}, {connect} in a row")
    }
}

impl BookJournal {
    /// Opens the journal at `path` for the last ply of `layers`, or creates it. Returns the journal
    /// and its scores, by the number of the position; the last score of a position counts. If it
    /// returns an error, the file is unchanged.
    pub fn open<S: Shape>(
        path: &Path,
        layers: &Layers<S>,
    ) -> Result<(Self, Vec<Option<Score>>), BookJournalError> {
        let mut options = OpenOptions::new();
        let mut file = options.read(true).write(true).create(true).truncate(false).open(path)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => BookJournalError::Busy,
            TryLockError::Error(error) => BookJournalError::File(error),
        })?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let header = header(layers);
        let mut scores = vec![None; layers.count(layers.plies())];
        // A kill may have left an incomplete header.
        if header.starts_with(&bytes) {
            file.set_len(0)?;
            file.rewind()?;
            file.write_all(&header)?;
            return Ok((Self { file, damaged: 0 }, scores));
        }
        let Some(records) = bytes.strip_prefix(header.as_slice()) else {
            return Err(mismatch(&bytes, &header));
        };
        let (records, incomplete) = records.as_chunks::<RECORD>();
        let mut damaged = 0;
        for record in records {
            match read(record, &scores) {
                Some((number, score)) => scores[number] = Some(score),
                None => damaged += 1,
            }
        }
        let end = (bytes.len() - incomplete.len()) as u64;
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        Ok((Self { file, damaged }, scores))
    }

    /// Returns the number of damaged records found when the journal was opened. They stay in the
    /// file.
    pub fn damaged(&self) -> usize {
        self.damaged
    }

    /// Writes the score of a position to the file. It does not wait for the disk.
    pub fn add(&mut self, number: usize, score: Score) -> io::Result<()> {
        let mut record = (number as u32).to_le_bytes().to_vec();
        record.push(format::code(score));
        let sum = crc32fast::hash(&record);
        record.extend(sum.to_le_bytes());
        self.file.write_all(&record)
    }
}

fn header<S: Shape>(layers: &Layers<S>) -> Vec<u8> {
    let shape = layers.shape();
    let mut header = MAGIC.to_vec();
    let numbers = [shape.width(), shape.height(), shape.connect(), layers.plies()];
    header.push(VERSION);
    header.extend(numbers.map(|number| number as u8));
    let sum = crc32fast::hash(&header);
    header.extend(sum.to_le_bytes());
    header
}

/// Returns the error of `bytes` that do not begin with the header `wanted`.
fn mismatch(bytes: &[u8], wanted: &[u8]) -> BookJournalError {
    let Some(found) = bytes.get(..wanted.len()).filter(|found| found.starts_with(&MAGIC)) else {
        return BookJournalError::NoJournal;
    };
    if found[MAGIC.len()] != VERSION {
        return BookJournalError::Version(found[MAGIC.len()]);
    }
    let (body, sum) = found.split_at(found.len() - 4);
    if crc32fast::hash(body).to_le_bytes() != sum {
        return BookJournalError::Checksum;
    }
    BookJournalError::Other { found: Contents::read(found), wanted: Contents::read(wanted) }
}

/// Returns the number and the score of a record; `None` when it is damaged.
fn read(record: &[u8; RECORD], scores: &[Option<Score>]) -> Option<(usize, Score)> {
    let [body @ .., s0, s1, s2, s3] = record;
    let [n0, n1, n2, n3, code] = *body;
    if crc32fast::hash(body).to_le_bytes() != [*s0, *s1, *s2, *s3] {
        return None;
    }
    let number = u32::from_le_bytes([n0, n1, n2, n3]) as usize;
    (number < scores.len()).then(|| (number, format::score(code)))
}
