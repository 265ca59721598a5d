//! The kept inputs of the fuzz targets of a shelf: each is read as the fuzzer reads it.

#[path = "../../../tests/fuzz/src/kept.rs"]
#[allow(dead_code)]
mod kept;
#[path = "../../../tests/fuzz/src/shelves.rs"]
mod shelves;

use std::path::Path;

#[test]
fn every_kept_input_of_the_fuzzer_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fuzz/corpus");
    kept::read_kept_inputs(&folder, shelves::TARGETS);
}
