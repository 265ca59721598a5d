//! The kept inputs of the fuzz targets: each is read as the fuzzer reads it.

#[path = "../fuzz/src/kept.rs"]
mod kept;
#[path = "../fuzz/src/targets/mod.rs"]
mod targets;

use std::path::Path;

#[test]
fn every_kept_input_of_the_fuzzer_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus");
    kept::read_kept_inputs(&folder, targets::TARGETS);
}

#[test]
fn an_input_is_read_as_it_is_written() {
    assert_eq!(kept::bytes(r"a\n\x00\xff\\\'\t"), b"a\n\x00\xff\\'\t");
}
