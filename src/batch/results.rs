//! The file of results: each reply as it comes, or in the order of the queries.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;

use super::run::BatchAnswer;
use super::write;
use crate::exit_status::ignore_broken_pipe;

/// The results of a batch, written as they come.
pub(super) struct Results {
    file: File,
    /// The index of the query whose replies are written next; `None` if replies are written as they
    /// come.
    next: Option<u64>,
    /// Replies that wait for those of earlier queries.
    waiting: BTreeMap<u64, Vec<String>>,
    prints: bool,
    /// The first error.
    failed: Option<io::Error>,
}

impl Results {
    /// Writes a file with the `answers` of an earlier run. `in_order` is whether replies wait for
    /// those of earlier queries, `prints` whether new replies go to standard output, too.
    pub(super) fn open(
        path: &Path,
        answers: &[BatchAnswer],
        in_order: bool,
        prints: bool,
    ) -> anyhow::Result<Self> {
        write(path, "")?;
        let cannot_write = || format!("cannot write {}", path.display());
        let file = OpenOptions::new().append(true).open(path).with_context(cannot_write)?;
        let next = in_order.then_some(0);
        let mut results =
            Self { file, next, waiting: BTreeMap::new(), prints: false, failed: None };
        answers.iter().for_each(|answer| results.add(answer));
        results.prints = prints;
        Ok(results)
    }

    /// Writes the replies of a query, or keeps them until their turn.
    pub(super) fn add(&mut self, answer: &BatchAnswer) {
        let Some(mut next) = self.next else { return self.write(&answer.replies) };
        self.waiting.insert(answer.id, answer.replies.clone());
        while let Some(replies) = self.waiting.remove(&next) {
            self.write(&replies);
            next += 1;
        }
        self.next = Some(next);
    }

    fn write(&mut self, replies: &[String]) {
        let text: String = replies.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        let mut written = self.file.write_all(text.as_bytes());
        if self.prints {
            let mut out = io::stdout().lock();
            let printed = out.write_all(text.as_bytes()).and_then(|()| out.flush());
            written = written.and(ignore_broken_pipe(printed));
        }
        if let Err(error) = written {
            self.failed.get_or_insert(error);
        }
    }

    /// Writes the replies that still wait because earlier queries have none.
    pub(super) fn finish(mut self) -> anyhow::Result<()> {
        for replies in std::mem::take(&mut self.waiting).into_values() {
            self.write(&replies);
        }
        match self.failed {
            Some(error) => Err(error).context("cannot write the results"),
            None => Ok(()),
        }
    }
}
