//! What a program offers from a shelf: lookups of clients, a book to play from, and searches whose values the shelf keeps.
//!
//! This part, the feature `service`, knows the JSON protocol and runs of tasks. The rest of the crate knows neither.

mod book;
mod edit;
mod explorer;
mod lookup;
mod searches;

pub use self::book::WithShelves;
pub use self::explorer::open_explorer;
pub use self::lookup::Lookup;
pub use self::searches::{
    GrowingBook, OftenReached, Positions, Search, Searched, Searches, start_searches,
};
