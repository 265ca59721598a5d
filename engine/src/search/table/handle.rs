//! [`TableHandle`]: a table that several backends use one after another.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{OutOfMemory, Table};

/// A shared transposition table that backends use one after another. It has no memory until a
/// backend sets its size.
///
/// Clones of a handle share one table. The memory is freed with the last clone. A backend locks the
/// table during a search.
#[derive(Clone, Default, Debug)]
pub struct TableHandle(Arc<Mutex<Option<Table>>>);

impl TableHandle {
    /// Locks the table; `None` before its first allocation.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Option<Table>> {
        // After a panic the table is still valid: a half-written entry reads as absent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allocates an empty table of `mib` MiB, unless the table has this size. On an error the old
    /// table stays. If there was no table, a table of 1 MiB is allocated.
    pub(crate) fn resize(&self, mib: usize) -> Result<(), OutOfMemory> {
        let mut table = self.lock();
        if table.as_ref().is_some_and(|table| table.mib == mib.max(1)) {
            return Ok(());
        }
        match Table::new(mib) {
            Ok(mut resized) => {
                resized.wins = table.take().map(|table| table.wins).unwrap_or_default();
                *table = Some(resized);
                Ok(())
            }
            Err(out_of_memory) => {
                if table.is_none() {
                    *table = Table::new(1).ok();
                }
                Err(out_of_memory)
            }
        }
    }
}
