//! The Smart Game Format: [`parse`] reads it, [`write`] writes it, and `annotate` adds remarks to a
//! file without changing the rest.
// CITE: Arno Hollosi, "SGF File Format FF[4]", https://www.red-bean.com/sgf/sgf4.html

pub(crate) mod annotate;
pub(crate) mod parse;
pub(crate) mod write;
