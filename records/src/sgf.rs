//! The Smart Game Format: [`parse`] reads it, [`write`] writes it, `annotate` adds to a file and
//! leaves the rest of it as it was.
// CITE: Arno Hollosi, "SGF File Format FF[4]", https://www.red-bean.com/sgf/sgf4.html

pub(crate) mod annotate;
pub(crate) mod parse;
pub(crate) mod write;
