//! [`Games`]: the games of a file while it is read, and those that cannot be read.

use crate::fault::{Fault, FaultKind};
use crate::tree::{Collection, Format, Record, has_memory_for};

/// The games of a file so far.
#[derive(Default)]
pub(crate) struct Games {
    /// Whether the games after one that cannot be read are read.
    pub(crate) skips_bad: bool,
    records: Vec<Record>,
    faults: Vec<(usize, Fault)>,
    /// The number of nodes, where each game counts as [`GAME_NODES`] more.
    nodes: usize,
    /// The number of nodes for which there is memory.
    room: usize,
}

/// The memory of a game without its nodes, in nodes.
const GAME_NODES: usize = 2;

impl Games {
    /// Returns no games. `skips_bad` is whether the games after a bad one are read.
    pub(crate) fn new(skips_bad: bool) -> Self {
        Self { skips_bad, ..Self::default() }
    }

    /// Adds a game, or the error of one that cannot be read.
    pub(crate) fn push(&mut self, game: Result<Record, Fault>) -> Result<(), Fault> {
        self.records.push(match game {
            Ok(record) => {
                self.nodes += record.node_count() + GAME_NODES;
                if self.nodes > self.room {
                    self.room = 2 * self.nodes;
                    if !has_memory_for(self.nodes) {
                        return Err(Fault::new(None, FaultKind::TooLarge { nodes: self.nodes }));
                    }
                }
                record
            }
            Err(fault) if self.skips_bad && !fault.is_too_large() => {
                self.faults.push((self.records.len(), fault));
                Record::new()
            }
            Err(fault) => return Err(fault),
        });
        Ok(())
    }

    /// Returns whether no game was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Returns the number of games that cannot be read.
    pub(crate) fn bad(&self) -> usize {
        self.faults.len()
    }

    /// Returns the games; the first error if none can be read.
    pub(crate) fn collect(mut self, format: Format) -> Result<Collection, Fault> {
        if self.records.is_empty() {
            return Err(Fault::new(None, FaultKind::Empty));
        }
        if self.records.len() == self.faults.len() {
            return Err(self.faults.swap_remove(0).1);
        }
        let mut collection = Collection::new(format, self.records);
        collection.faults = self.faults;
        Ok(collection)
    }
}
