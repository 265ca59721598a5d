//! Files of the engine: proofs, evaluation files and books.

use tengen_games::CATALOG;
use tengen_games::cfour::Classic;
use tengen_games::cfour::book::Book;
use tengen_games::gomoku::EvalFile;

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
