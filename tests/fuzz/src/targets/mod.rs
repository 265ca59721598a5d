//! What is fuzzed: each [`Target`] reads any bytes with one decoder, or talks with one kind of session. It
//! panics if what it must hold does not hold.
//!
//! `tests/it` runs the kept inputs of each target. Those of a shelf are in `shelves.rs`, and the tests of `shelf` run
//! their kept inputs.

mod files;
mod records;
mod sessions;
mod stub;
mod texts;

use tengen_engine::backend::Catalog;
use tengen_engine::{Chosen, Position};
use tengen_games::CATALOG;

use super::kept::Target;

/// All targets.
pub(crate) const TARGETS: &[Target] = &[
    Target { name: "uci", run: |input| sessions::talk(input, Some("uci")) },
    Target { name: "ugi", run: |input| sessions::talk(input, Some("ugi")) },
    Target { name: "gomocup", run: |input| sessions::talk(input, Some("gomocup")) },
    Target { name: "gtp", run: |input| sessions::talk(input, Some("gtp")) },
    Target { name: "first_line", run: |input| sessions::talk(input, None) },
    Target { name: "json", run: sessions::queries },
    Target { name: "uci_client", run: sessions::uci_client },
    Target { name: "gomocup_client", run: sessions::gomocup_client },
    Target { name: "gtp_client", run: sessions::gtp_client },
    Target { name: "record", run: records::any },
    Target { name: "sgf", run: |input| records::run_as(input, "sgf") },
    Target { name: "psq", run: |input| records::run_as(input, "psq") },
    Target { name: "renlib", run: |input| records::run_as(input, "lib") },
    Target { name: "pgn", run: |input| records::run_as(input, "pgn") },
    Target { name: "moves", run: |input| records::run_as(input, "txt") },
    Target { name: "jsonl", run: |input| records::run_as(input, "jsonl") },
    Target { name: "fen", run: texts::fen },
    Target { name: "notation", run: texts::notation },
    Target { name: "tree_literal", run: texts::tree_literal },
    Target { name: "openings", run: texts::openings },
    Target { name: "listed", run: texts::listed },
    Target { name: "board_file", run: texts::board_file },
    Target { name: "tournament", run: texts::tournament },
    Target { name: "task", run: texts::task },
    Target { name: "pair_result", run: texts::pair_result },
    Target { name: "proof", run: files::proof },
    Target { name: "net", run: files::net },
    Target { name: "book", run: files::book },
    Target { name: "journal", run: files::journal },
];

/// Returns the start of one of a few games, chosen by a byte.
fn position(choice: u8) -> Box<dyn Position> {
    const GAMES: [(&str, &[(&str, i64)]); 6] = [
        ("gomoku", &[]),
        ("renju", &[]),
        ("cfour", &[]),
        ("custom", &[]),
        ("caro", &[]),
        ("cfour", &[("BoardWidth", 9)]),
    ];
    let (variant, options) = GAMES[usize::from(choice) % GAMES.len()];
    let spec = CATALOG.describe(variant, &options.iter().copied().collect::<Chosen>());
    CATALOG.position(&spec.expect("a known game"))
}

/// Splits the first byte off, which chooses something; 0 for no input.
fn choice(input: &[u8]) -> (u8, &[u8]) {
    input.split_first().map_or((0, input), |(first, rest)| (*first, rest))
}
