//! [`Ids`]: a set of the numbers of tasks.

use std::collections::BTreeMap;
use std::ops::Range;

/// A set of numbers that keeps ranges, so that a run whose tasks end nearly in order needs little
/// memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ids {
    /// The ranges by their first number, each with the number after its last one. They do not touch.
    ranges: BTreeMap<u64, u64>,
    len: u64,
}

impl Ids {
    /// Adds a number. Returns whether it is new.
    pub fn insert(&mut self, id: u64) -> bool {
        let before = self.ranges.range(..=id).next_back().map(|(start, end)| (*start, *end));
        if before.is_some_and(|(_, end)| id < end) {
            return false;
        }
        let start = before.filter(|(_, end)| *end == id).map_or(id, |(start, _)| start);
        let end = self.ranges.remove(&(id + 1)).unwrap_or(id + 1);
        self.ranges.insert(start, end);
        self.len += 1;
        true
    }

    /// Returns whether a number is in the set.
    pub fn contains(&self, id: u64) -> bool {
        self.contains_all(&(id..id + 1))
    }

    /// Returns whether all numbers of a range are in the set.
    pub fn contains_all(&self, ids: &Range<u64>) -> bool {
        let before = self.ranges.range(..=ids.start).next_back();
        before.is_some_and(|(_, end)| ids.end <= *end)
    }

    /// Returns how many numbers are in the set.
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether the set is empty.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl FromIterator<u64> for Ids {
    fn from_iter<I: IntoIterator<Item = u64>>(ids: I) -> Self {
        let mut set = Self::default();
        for id in ids {
            set.insert(id);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_in_a_row_are_one_range() {
        let ids: Ids = (0..1000).rev().chain(2000..3000).collect();
        assert_eq!((ids.ranges.len(), ids.len()), (2, 2000));
        assert!(ids.contains_all(&(0..1000)) && !ids.contains_all(&(999..1001)));
    }

    proptest! {
        #[test]
        fn a_set_has_what_was_added(added in prop::collection::vec(0_u64..60, 0..80)) {
            let (mut ids, mut known) = (Ids::default(), HashSet::new());
            for id in added {
                prop_assert_eq!(ids.insert(id), known.insert(id));
            }
            prop_assert_eq!(ids.len() as usize, known.len());
            for id in 0..60 {
                prop_assert_eq!(ids.contains(id), known.contains(&id));
                prop_assert_eq!(ids.contains_all(&(id..id + 2)), known.contains(&id) && known.contains(&(id + 1)));
            }
        }
    }
}
