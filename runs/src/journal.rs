//! The journal of a run: one record a line. A record has a checksum, and counts once it is on disk.
//!
//! A line is a JSON object whose last field is the CRC-32 of the text before it. A killed run
//! leaves at most one unfinished line at the end, which is cut off. Any other damage is an error
//! and is never repaired silently.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::contract::WorkerIdentity;
use crate::files::{sync_folder, with_room};
use crate::transport::RefusedResult;
use crate::{Error, Ids};

/// The name of the journal in a run folder.
pub const FILE: &str = "journal.jsonl";

/// The name of the lock in a run folder.
const LOCK: &str = "lock";

/// How long writes wait for room on the disk, if the workers are other processes.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A record of a journal.
pub trait Journaled: Serialize + DeserializeOwned {
    /// The name of a task, for messages: a game or a query.
    const UNIT: &'static str;
    /// What a process that holds the lock does, for messages.
    const HOLDER: &'static str;
    /// What happens without a line that is damaged, for messages.
    const WITHOUT: &'static str = "the run goes on, and does the task of the line again";

    /// Returns the number of the task whose result this is; `None` if the record is no result.
    fn result_of(&self) -> Option<u64>;
}

/// What the journal of every run can hold beside the records of the run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RunNote {
    /// The first line of a list of tasks: identifies them.
    Head(Head),
    /// A result that does not count, because its worker differs or because it is damaged.
    Refused(RefusedResult),
    /// A worker of other results, without its slot. Later results of its name are by this program.
    Worker(WorkerIdentity),
    /// The results of a worker were removed. It gets no more tasks of the run.
    Purged {
        /// The worker.
        worker: String,
        /// How many results it had.
        results: u64,
    },
    /// An operator has paused the run at its server, or it goes on.
    Pause {
        /// Whether workers take no more tasks.
        paused: bool,
    },
    /// The run was stopped before its end, for this reason, and can continue.
    Stop {
        /// The reason.
        why: String,
    },
}

/// Identifies the tasks of a list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Head {
    /// The version of the record format.
    pub version: u32,
    /// The program that wrote the journal.
    pub program: String,
    /// The SHA-256 of the tasks and of what changes their results, in hexadecimal.
    pub fingerprint: String,
    /// The number of tasks, by their name.
    #[serde(flatten)]
    pub counts: BTreeMap<String, u64>,
}

/// What a line of a journal holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry<R> {
    /// A record of the run.
    Record(R),
    /// Another line.
    Note(RunNote),
}

impl<R> Entry<R> {
    /// Returns the record of the run; `None` for another line.
    pub fn record(self) -> Option<R> {
        match self {
            Self::Record(record) => Some(record),
            Self::Note(_) => None,
        }
    }
}

/// A journal that is open for writing. It holds the lock of its folder.
#[derive(Debug)]
pub struct Journal<R> {
    path: PathBuf,
    file: File,
    /// The tasks with a result.
    results: Ids,
    /// The workers whose results were removed.
    purged: Vec<String>,
    /// How long a write waits for room on the disk.
    patience: Duration,
    /// Held as long as the journal is open.
    _lock: File,
    records: PhantomData<fn(R) -> R>,
}

impl<R: Journaled> Journal<R> {
    /// Opens the journal of a run folder and returns the records that it holds. An unfinished last
    /// line is cut off.
    pub fn open(folder: &Path) -> Result<(Self, Vec<R>), Error> {
        let mut records = Vec::new();
        let journal = Self::open_with(folder, |entry| records.extend(entry.record()))?;
        Ok((journal, records))
    }

    /// Opens the journal of a run folder, and calls `each` with the lines that it holds. An unfinished
    /// last line is cut off.
    pub fn open_with(folder: &Path, mut each: impl FnMut(Entry<R>)) -> Result<Self, Error> {
        let lock = lock_folder(&folder.join(LOCK), R::HOLDER)?;
        let path = folder.join(FILE);
        let io = Error::at(&path);
        let mut options = OpenOptions::new();
        let mut file =
            options.read(true).write(true).create(true).truncate(false).open(&path).map_err(&io)?;
        let mut place = ReadState::default();
        read(&path, BufReader::new(&file), &mut place, |entry, _| each(entry))?;
        let ReadState { results, purged, bytes: length, .. } = place;
        if length < file.seek(SeekFrom::End(0)).map_err(&io)? {
            file.set_len(length).map_err(&io)?;
            file.sync_data().map_err(&io)?;
        }
        file.seek(SeekFrom::Start(length)).map_err(&io)?;
        // The name of a new file must survive a power cut too.
        sync_folder(folder).map_err(Error::at(folder))?;
        let (patience, records) = (Duration::ZERO, PhantomData);
        Ok(Self { path, file, results, purged, patience, _lock: lock, records })
    }

    /// Returns the numbers of the tasks with a result.
    pub const fn results(&self) -> &Ids {
        &self.results
    }

    /// Returns the workers whose results were removed.
    pub fn purged(&self) -> &[String] {
        &self.purged
    }

    /// Reads all records again.
    pub fn records(&self) -> Result<Vec<R>, Error> {
        let mut records = Vec::new();
        read_file(&self.path, |record| records.push(record))?;
        Ok(records)
    }

    /// Appends a note. It is on disk when this method returns.
    pub fn note(&mut self, note: &RunNote) -> Result<(), Error> {
        self.write(std::slice::from_ref(note))
    }

    /// Appends records in one write. They are on disk when this method returns.
    pub fn append(&mut self, records: &[R]) -> Result<(), Error> {
        for id in records.iter().filter_map(R::result_of) {
            if !self.results.insert(id) {
                let why = format!("{} {id} has a record already", R::UNIT);
                return Err(Error::at(&self.path)(io::Error::other(why)));
            }
        }
        self.write(records)
    }

    /// Replaces the whole journal by these records, without notes. A failure leaves the old one.
    pub fn rewrite(&mut self, records: &[R]) -> Result<(), Error> {
        let io = Error::at(&self.path);
        let lines: String = records.iter().map(line).collect();
        crate::replace(&self.path, lines.as_bytes())?;
        let mut file = OpenOptions::new().read(true).write(true).open(&self.path).map_err(&io)?;
        file.seek(SeekFrom::End(0)).map_err(&io)?;
        self.results = Ids::default();
        for id in records.iter().filter_map(R::result_of) {
            self.results.insert(id);
        }
        self.file = file;
        Ok(())
    }

    fn write(&mut self, lines: &[impl Serialize]) -> Result<(), Error> {
        let written = with_room(&mut self.file, self.patience, |file| {
            write_lines(file, lines)?;
            file.sync_data()
        });
        written.map_err(Error::at(&self.path))
    }

    /// Lets writes wait for room on the disk, at most for `patience`. Results on other machines wait so
    /// long.
    pub fn wait_for_room(&mut self, patience: Duration) {
        self.patience = patience;
    }
}

/// Writes records as lines in one write.
fn write_lines(to: &mut impl Write, records: &[impl Serialize]) -> io::Result<()> {
    let lines: String = records.iter().map(line).collect();
    to.write_all(lines.as_bytes())
}

/// Reads the records of a run folder without locking it.
pub fn read_folder<R: Journaled>(folder: &Path) -> Result<Vec<R>, Error> {
    let mut records = Vec::new();
    read_each(folder, |record| records.push(record))?;
    Ok(records)
}

/// Calls `each` with the records of a run folder, without locking it.
pub fn read_each<R: Journaled>(folder: &Path, each: impl FnMut(R)) -> Result<(), Error> {
    read_file(&folder.join(FILE), each)
}

fn read_file<R: Journaled>(path: &Path, mut each: impl FnMut(R)) -> Result<(), Error> {
    Tail::of_file(path).read_new(|record, _| each(record))
}

/// Reads the journal of a run folder again and again, without locking it, while another process writes
/// it.
#[derive(Debug)]
pub struct Tail<R> {
    path: PathBuf,
    place: ReadState,
    records: PhantomData<fn() -> R>,
}

impl<R: Journaled> Tail<R> {
    /// Creates a reader at the beginning of the journal of a run folder.
    pub fn new(folder: &Path) -> Self {
        Self::of_file(&folder.join(FILE))
    }

    fn of_file(path: &Path) -> Self {
        Self { path: path.to_owned(), place: ReadState::default(), records: PhantomData }
    }

    /// Calls `each` with the records that the journal has got since the last call, and with their
    /// bytes in the file.
    pub fn read_new(&mut self, mut each: impl FnMut(R, Range<u64>)) -> Result<(), Error> {
        let io = Error::at(&self.path);
        let mut file = File::open(&self.path).map_err(&io)?;
        let found = file.metadata().map_err(&io)?;
        let id = file_id(&found);
        if self.place.file.replace(id).is_some_and(|known| known != id)
            || found.len() < self.place.bytes
        {
            return Err(Error::Replaced(self.path.clone()));
        }
        file.seek(SeekFrom::Start(self.place.bytes)).map_err(&io)?;
        read(&self.path, BufReader::new(file), &mut self.place, |entry: Entry<R>, bytes| {
            entry.record().into_iter().for_each(|record| each(record, bytes.clone()));
        })
    }

    /// Reads the record at these bytes again.
    pub fn record_at(&self, bytes: &Range<u64>) -> Result<R, Error> {
        let io = Error::at(&self.path);
        let mut file = File::open(&self.path).map_err(&io)?;
        file.seek(SeekFrom::Start(bytes.start)).map_err(&io)?;
        let mut line = Vec::new();
        file.take(bytes.end - bytes.start).read_to_end(&mut line).map_err(&io)?;
        let found = entry(line.trim_ascii_end()).map(Entry::record);
        let record = found.and_then(|record| record.ok_or_else(|| "it is a note".to_owned()));
        record.map_err(|why| io(io::Error::other(format!("byte {}: {why}", bytes.start))))
    }
}

/// Locks a run folder by the lock file `path`. The lock ends with the process.
fn lock_folder(path: &Path, holder: &'static str) -> Result<File, Error> {
    let io = Error::at(path);
    let mut options = OpenOptions::new();
    let file = options.write(true).create(true).truncate(false).open(path).map_err(&io)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            let folder = path.parent().unwrap_or(path).to_owned();
            Err(Error::Locked { folder, holder })
        }
        Err(TryLockError::Error(error)) => Err(io(error)),
    }
}

/// Returns whether a process works on the run in `folder`.
pub(crate) fn is_locked(folder: &Path) -> bool {
    let file = OpenOptions::new().write(true).open(folder.join(LOCK));
    file.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// The text between a record and its checksum.
const CRC: &str = ",\"crc\":\"";

/// Writes a record as a line.
pub(crate) fn line(record: &impl Serialize) -> String {
    // A record holds only texts, numbers and lists, so that it always has a JSON form.
    let mut text = serde_json::to_string(record).unwrap_or_default();
    text.pop();
    let crc = crc32fast::hash(text.as_bytes());
    text.push_str(&format!("{CRC}{crc:08x}\"}}\n"));
    text
}

/// Reads a line without its line end. The error says what is wrong.
fn entry<R: Journaled>(line: &[u8]) -> Result<Entry<R>, String> {
    const TAIL: usize = CRC.len() + "00000000\"}".len();
    let split = line.len().checked_sub(TAIL).ok_or("it is cut off")?;
    let (text, tail) = line.split_at(split);
    let digits = tail.strip_prefix(CRC.as_bytes()).and_then(|rest| rest.strip_suffix(b"\"}"));
    let digits = digits.ok_or("it does not end with a checksum")?;
    // The digits are compared as text: `A` instead of `a` is damage too.
    if digits != format!("{:08x}", crc32fast::hash(text)).as_bytes() {
        return Err("its checksum is wrong".to_owned());
    }
    let mut whole = text.to_vec();
    whole.push(b'}');
    let record = serde_json::from_slice(&whole).map(Entry::Record);
    record.or_else(|error| {
        let note = serde_json::from_slice(&whole).map(Entry::Note);
        note.map_err(|_| format!("it is not a record: {error}"))
    })
}

/// How far a journal has been read.
#[derive(Debug, Default)]
struct ReadState {
    /// The tasks with a result.
    results: Ids,
    purged: Vec<String>,
    bytes: u64,
    lines: usize,
    /// The id of the file; `None` before it is read.
    file: Option<u64>,
}

/// Returns the number of a file in its file system; 0 if the system does not tell it.
fn file_id(file: &std::fs::Metadata) -> u64 {
    #[cfg(unix)]
    return std::os::unix::fs::MetadataExt::ino(file);
    #[cfg(not(unix))]
    return 0;
}

/// Calls `each` with all complete lines that follow `place`, and with their bytes in the file. Sets
/// `place` to their end.
fn read<R: Journaled>(
    path: &Path,
    mut from: impl BufRead,
    place: &mut ReadState,
    mut each: impl FnMut(Entry<R>, Range<u64>),
) -> Result<(), Error> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if from.read_until(b'\n', &mut line).map_err(Error::at(path))? == 0 {
            return Ok(());
        }
        let number = place.lines + 1;
        let damaged = |why: String| Error::Damaged {
            path: path.to_owned(),
            line: number,
            why,
            without: R::WITHOUT,
        };
        let whole = line.strip_suffix(b"\n");
        match whole.ok_or_else(|| "it has no end".to_owned()).and_then(entry::<R>) {
            Ok(entry) => {
                if let Entry::Record(record) = &entry
                    && let Some(id) = record.result_of()
                    && !place.results.insert(id)
                {
                    return Err(damaged(format!("{} {id} has a second record", R::UNIT)));
                }
                if let Entry::Note(RunNote::Purged { worker, .. }) = &entry {
                    place.purged.push(worker.clone());
                }
                let start = place.bytes;
                place.bytes += line.len() as u64;
                place.lines = number;
                each(entry, start..place.bytes);
            }
            Err(_) if from.fill_buf().map_err(Error::at(path))?.is_empty() => return Ok(()),
            Err(why) => return Err(damaged(why)),
        }
    }
}

#[cfg(test)]
mod tests;
