//! The file of results: each reply as it comes, or in the order of the queries.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use tengen_runs::files::with_room;

use super::write;
use crate::Failure;

/// The results of a batch, written as they come.
pub(super) struct Results {
    file: File,
    /// The index of the query whose replies are written next; `None` if replies are written as they
    /// come.
    next: Option<u64>,
    /// Replies that wait for those of earlier queries.
    waiting: BTreeMap<u64, Vec<String>>,
    /// Where replies go, too.
    copy: Option<Box<dyn Write>>,
    /// How long a write waits for room on the disk.
    patience: Duration,
    /// The first error.
    failed: Option<io::Error>,
}

impl Results {
    /// Makes an empty file. `in_order` is whether replies wait for those of earlier queries.
    pub(super) fn open(path: &Path, in_order: bool) -> Result<Self, Failure> {
        write(path, "")?;
        let cannot_write = Failure::because(format!("cannot write {}", path.display()));
        let file = OpenOptions::new().append(true).open(path).map_err(cannot_write)?;
        let next = in_order.then_some(0);
        let (waiting, patience) = (BTreeMap::new(), Duration::ZERO);
        Ok(Self { file, next, waiting, copy: None, patience, failed: None })
    }

    /// Lets writes wait for room on the disk, at most for `patience`.
    pub(super) const fn wait_for_room(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// Says where replies from now on go, too.
    pub(super) fn copy_to(&mut self, out: Option<Box<dyn Write>>) {
        self.copy = out;
    }

    /// Writes the replies to the query `id`, or keeps them until their turn.
    pub(super) fn add(&mut self, id: u64, replies: &[String]) {
        let Some(mut next) = self.next else { return self.write(replies) };
        self.waiting.insert(id, replies.to_vec());
        while let Some(replies) = self.waiting.remove(&next) {
            self.write(&replies);
            next += 1;
        }
        self.next = Some(next);
    }

    fn write(&mut self, replies: &[String]) {
        let text: String = replies.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        let mut written =
            with_room(&mut self.file, self.patience, |file| file.write_all(text.as_bytes()));
        if let Some(out) = &mut self.copy {
            written = written.and(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
        }
        if let Err(error) = written {
            self.failed.get_or_insert(error);
        }
    }

    /// Writes the replies that still wait because earlier queries have none.
    pub(super) fn finish(mut self) -> Result<(), Failure> {
        for replies in std::mem::take(&mut self.waiting).into_values() {
            self.write(&replies);
        }
        self.failed.map_or(Ok(()), |error| Err(Failure::because("cannot write the results")(error)))
    }
}
