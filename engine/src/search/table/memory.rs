//! The memory of a table: zeroed words, in huge pages if the feature `fast-table` is on and the
//! system supports them.
//!
//! Without the feature it is a plain vector, and the engine depends on no other crate.

pub(super) use words::Memory;

/// Words in a memory map. Without the map, huge pages are not possible, and atomic words in
/// untouched memory need `unsafe`.
#[cfg(feature = "fast-table")]
mod words {
    use std::sync::atomic::AtomicU64;

    use memmap2::MmapMut;
    use zerocopy::FromBytes;

    #[derive(Debug)]
    pub(in crate::search::table) struct Memory(MmapMut);

    impl Memory {
        /// Allocates `words` words of 0; `None` if there is not enough memory. The system zeroes a
        /// page at its first use.
        pub(in crate::search::table) fn zeroed(words: usize) -> Option<Self> {
            let map = MmapMut::map_anon(words.checked_mul(8)?).ok()?;
            ask_for_huge_pages(&map);
            Some(Self(map))
        }

        pub(in crate::search::table) fn words(&mut self) -> &[AtomicU64] {
            <[AtomicU64]>::mut_from_bytes(&mut self.0).expect("a map begins on a page")
        }

        /// Zeroes the first `words` words.
        pub(in crate::search::table) fn clear(&mut self, words: usize) {
            self.0[..words * 8].fill(0);
        }
    }

    /// Asks the system for huge pages. With small pages, random accesses miss the TLB, and there
    /// are more page faults.
    fn ask_for_huge_pages(map: &MmapMut) {
        #[cfg(target_os = "linux")]
        // Without huge pages, the table uses small pages.
        let _ = map.advise(memmap2::Advice::HugePage);
        #[cfg(not(target_os = "linux"))]
        let _ = map;
    }
}

/// Words in a plain vector.
#[cfg(not(feature = "fast-table"))]
mod words {
    use crate::sync::atomic::AtomicU64;

    #[derive(Debug)]
    pub(in crate::search::table) struct Memory(Vec<AtomicU64>);

    impl Memory {
        /// Allocates `words` words of 0; `None` if there is not enough memory.
        pub(in crate::search::table) fn zeroed(words: usize) -> Option<Self> {
            let mut memory = Vec::new();
            memory.try_reserve_exact(words).ok()?;
            memory.resize_with(words, AtomicU64::default);
            Some(Self(memory))
        }

        pub(in crate::search::table) fn words(&mut self) -> &[AtomicU64] {
            &self.0
        }

        /// Zeroes the first `words` words.
        pub(in crate::search::table) fn clear(&mut self, words: usize) {
            self.0[..words].fill_with(AtomicU64::default);
        }
    }
}
