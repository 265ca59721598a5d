//! Records of games: they are read, played by the rules, written in each format and read again.

use tengen_engine::Move;
use tengen_engine::backend::Catalog;
use tengen_games::CATALOG;
use tengen_records::{Collection, Format, ReadOptions, Record, read};

/// The most nodes of a collection that is written in each format.
const MAX_NODES: usize = 2000;

pub(super) fn any(input: &[u8]) {
    run(input, &ReadOptions::new());
    run(input, &ReadOptions::new().skips_bad_games(true).keeps_bad_moves(true));
}

/// Reads the input in one format, named by its extension.
pub(super) fn run_as(input: &[u8], extension: &str) {
    let format = Format::all().find(|format| format.extensions().contains(&extension));
    run(input, &ReadOptions::new().format(format.expect("a known extension")));
}

fn run(input: &[u8], options: &ReadOptions) {
    match read(input, options) {
        Ok(games) => check(&games),
        Err(fault) => drop(fault.to_string()),
    }
}

/// Returns the moves of the main line up to the first illegal one; `None` if they cannot be played.
fn line(record: &Record) -> Option<Vec<Move>> {
    let (spec, _) = record.spec(&CATALOG).ok()?;
    let mut position = CATALOG.position(&spec);
    let played = record.play(&mut *position).ok()?;
    played.warnings(true).for_each(|fault| drop(fault.to_string()));
    position.fen(false);
    Some(position.played().to_vec())
}

fn check(games: &Collection) {
    games.warnings().iter().for_each(|fault| drop(fault.to_string()));
    let lines: Vec<_> = games.records().iter().map(line).collect();
    let nodes: usize = games.records().iter().map(Record::node_count).sum();
    if nodes > MAX_NODES {
        return;
    }
    let spec = |record: &Record| record.spec(&CATALOG).ok().map(|(spec, _)| spec);
    let specs: Vec<_> = games.records().iter().map(spec).collect();
    // A list of moves does not say its board.
    let boards = specs.iter().filter_map(|spec| spec.as_ref()?.grid);
    let board = boards.max_by_key(|board| board.grid().width());
    for format in Format::written() {
        let Ok(bytes) = games.clone().write(format, &specs, None) else { continue };
        let options = ReadOptions::new().format(format).on(board);
        let again = read(&bytes, &options).unwrap_or_else(|fault| {
            let text = String::from_utf8_lossy(&bytes);
            panic!("{}: what is written cannot be read: {fault}\n{text}", format.title())
        });
        // SGF keeps everything, so that it gives the same games, but those that cannot be read.
        let is_whole = (0..lines.len()).all(|place| games.fault(place).is_none());
        if is_whole && format.extensions().contains(&"sgf") {
            let found: Vec<_> = again.records().iter().map(line).collect();
            assert_eq!(found, lines, "{}", String::from_utf8_lossy(&bytes));
        }
    }
}
