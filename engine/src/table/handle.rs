//! [`TableHandle`]: a table that outlives the backends that search with it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{OutOfMemory, Table};

/// A transposition table that backends use one after another. It has no memory until a backend
/// gives it a size.
///
/// Copies of a handle name the same table. Its memory is given back with the last copy. A backend
/// locks it for the time of a search.
#[derive(Clone, Default, Debug)]
pub struct TableHandle(Arc<Mutex<Option<Table>>>);

impl TableHandle {
    /// Locks the table; `None` before its first allocation.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Option<Table>> {
        // After a panic the table is still valid: a half-written entry reads as absent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allocates an empty table of `mib` MiB, unless it has that size. On an error the old table
    /// stays, or one of 1 MiB is made if there was none.
    pub(crate) fn resize(&self, mib: usize) -> Result<(), OutOfMemory> {
        let mut table = self.lock();
        if table.as_ref().is_some_and(|table| table.mib == mib.max(1)) {
            return Ok(());
        }
        match Table::new(mib) {
            Ok(resized) => {
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
