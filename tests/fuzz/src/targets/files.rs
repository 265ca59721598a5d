//! Files of the engine: proofs, evaluation files, books and journals of runs.

use tengen_arena::record::JournalRecord;
use tengen_games::CATALOG;
use tengen_games::cfour::Classic;
use tengen_games::cfour::book::Book;
use tengen_games::gomoku::EvalFile;
use tengen_runs::journal::{self, Journal};

pub(super) fn proof(input: &[u8]) {
    let _ = tengen_proofs::check(input, &CATALOG, &mut |_, _, _| {});
}

pub(super) fn net(input: &[u8]) {
    let Ok(file) = EvalFile::read(input) else { return };
    let again = EvalFile::read(&file.to_bytes()).expect("a written file is read");
    assert_eq!(again.checksum(), file.checksum());
}

pub(super) fn book(input: &[u8]) {
    let Ok(book) = Book::read(Classic, input.to_vec()) else { return };
    assert_eq!(book.bytes(), input);
}

/// Opens a run folder whose journal holds the input. A journal that was opened is opened again with the same records.
pub(super) fn journal(input: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join(journal::FILE), input).expect("a file");
    let Ok((opened, records)) = Journal::<JournalRecord>::open(folder.path()) else { return };
    drop(opened);
    let again = Journal::<JournalRecord>::open(folder.path()).map(|(_, records)| records);
    // A record with a number that is not one differs from itself.
    assert_eq!(again.ok().map(|records| format!("{records:?}")), Some(format!("{records:?}")));
}
