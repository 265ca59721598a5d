//! The jobs of an import: files, or pieces of large ones, in order.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use tengen_engine::GridNotation;
use tengen_records::{Format, ReadOptions, Record, TextEncoding, board_of_large_list, format_of};

use super::chunks::{Piece, pieces};
use super::files::{FileBytes, Opened, each_file};
use super::{ImportOptions, rif};
use crate::yxdb::{self, Entry, is_database};

/// The bytes of small files that are one job.
const JOB: usize = 256 << 10;
/// The games of RenjuNet that are one job.
const JOB_GAMES: usize = 500;
/// The positions of a database that are one job.
const JOB_POSITIONS: usize = 5000;

/// A part of a job: games of one file.
pub(super) struct Part {
    pub(super) file: Arc<FileInfo>,
    pub(super) content: Content,
    /// Whether this is the last part of its file.
    pub(super) is_last: bool,
}

pub(super) struct FileInfo {
    pub(super) name: String,
    pub(super) digest: i64,
    /// Its encoding, from the user or from the files beside it; `None` if the file tells it.
    pub(super) encoding: Option<TextEncoding>,
}

pub(super) enum Content {
    /// Text or a library in a format, with the number of lines before it. `is_whole` is whether it is
    /// all of its file.
    Bytes {
        bytes: Vec<u8>,
        is_whole: bool,
        lines: usize,
        format: Format,
        board: Option<GridNotation>,
    },
    /// Games of RenjuNet.
    Records(Vec<Result<Record, String>>),
    /// Positions of a database of Yixin or Rapfi.
    Positions(Vec<Result<Entry, String>>),
    /// The file cannot be read.
    Unreadable(String),
}

pub(super) struct Job {
    pub(super) number: usize,
    pub(super) parts: Vec<Part>,
}

/// Opens the files and sends them to the workers, in order.
pub(super) fn send_jobs(
    paths: &[PathBuf],
    options: &ImportOptions<'_>,
    known: &HashMap<i64, bool>,
    to_workers: SyncSender<Job>,
) {
    let mut sender = JobSender { to_workers, number: 0, parts: Vec::new(), size: 0 };
    let finished = each_file(paths, &mut |found| sender.file(found, options, known));
    if finished {
        sender.send();
    }
}

struct JobSender {
    to_workers: SyncSender<Job>,
    number: usize,
    parts: Vec<Part>,
    /// The bytes of `parts`.
    size: usize,
}

impl JobSender {
    /// Adds a file. Returns `false` if nobody waits for it.
    fn file(
        &mut self,
        found: Opened,
        options: &ImportOptions<'_>,
        known: &HashMap<i64, bool>,
    ) -> bool {
        let FileBytes { name, bytes, digest, path, encoding } = match found {
            Ok(file) => file,
            Err(bad) => {
                let file = Arc::new(FileInfo { name: bad.name, digest: 0, encoding: None });
                return self.add(file, Content::Unreadable(bad.why), true, 0);
            }
        };
        let encoding = options.encoding.or(encoding);
        let file = Arc::new(FileInfo { name, digest, encoding });
        if known.get(&digest) == Some(&true) {
            return self.add(file, Content::Records(Vec::new()), true, 0);
        }
        if is_database(&bytes) {
            return self.database(&file, &bytes, path.as_deref());
        }
        if rif::is_rif(&bytes) {
            return self.rif(&file, &bytes);
        }
        let named = ReadOptions::new().named(&file.name).on(options.notation);
        let format = match format_of(&bytes, &named) {
            Ok(format) => format,
            Err(why) => return self.add(file, Content::Unreadable(why.to_string()), true, 0),
        };
        let pieces = pieces(&bytes, format);
        let is_cut_list = format == Format::MOVES && pieces.len() > 1;
        let board =
            options.notation.or_else(|| board_of_large_list(&bytes).filter(|_| is_cut_list));
        if let [Piece { lines, .. }] = pieces[..] {
            let size = bytes.len();
            let content = Content::Bytes { bytes, is_whole: true, lines, format, board };
            return self.add(file, content, true, size);
        }
        let last = pieces.len() - 1;
        pieces.into_iter().enumerate().all(|(index, Piece { range, lines })| {
            // A copy, so that the whole file is not kept until the last worker is done.
            let (bytes, size) = (bytes[range.clone()].to_vec(), range.len());
            let content = Content::Bytes { bytes, is_whole: false, lines, format, board };
            self.add(Arc::clone(&file), content, index == last, size)
        })
    }

    /// Adds the positions of a database, which is in `bytes`, or at `path`.
    fn database(&mut self, file: &Arc<FileInfo>, bytes: &[u8], path: Option<&Path>) -> bool {
        let input: Box<dyn BufRead> = match path.map(File::open).transpose() {
            Ok(None) => Box::new(bytes),
            Ok(Some(opened)) => Box::new(BufReader::new(opened)),
            Err(why) => {
                return self.add(Arc::clone(file), Content::Unreadable(why.to_string()), true, 0);
            }
        };
        let (mut entries, mut goes_on) = (Vec::new(), true);
        let done = yxdb::read(input, |entry| {
            entries.push(entry);
            if entries.len() >= JOB_POSITIONS {
                let full = std::mem::take(&mut entries);
                goes_on = self.add(Arc::clone(file), Content::Positions(full), false, JOB);
            }
            goes_on
        });
        goes_on
            && self.add(Arc::clone(file), Content::Positions(entries), done.is_ok(), JOB)
            && done
                .err()
                .is_none_or(|why| self.add(Arc::clone(file), Content::Unreadable(why), true, 0))
    }

    fn rif(&mut self, file: &Arc<FileInfo>, bytes: &[u8]) -> bool {
        let mut games = Vec::new();
        let mut goes_on = true;
        rif::read(bytes, |game| {
            games.push(game);
            if games.len() >= JOB_GAMES {
                let full = std::mem::take(&mut games);
                goes_on = self.add(Arc::clone(file), Content::Records(full), false, JOB);
            }
            goes_on
        });
        goes_on && self.add(Arc::clone(file), Content::Records(games), true, JOB)
    }

    fn add(&mut self, file: Arc<FileInfo>, content: Content, is_last: bool, size: usize) -> bool {
        self.parts.push(Part { file, content, is_last });
        self.size += size.max(1024);
        self.size < JOB || self.send()
    }

    fn send(&mut self) -> bool {
        let job = Job { number: self.number, parts: std::mem::take(&mut self.parts) };
        self.number += 1;
        self.size = 0;
        self.to_workers.send(job).is_ok()
    }
}
