//! The kept inputs of the fuzz targets: each is read as the fuzzer reads it.

#[path = "../fuzz/src/targets/mod.rs"]
mod targets;

use std::path::Path;

use self::targets::TARGETS;

/// Returns the bytes of a line of a file of kept inputs.
fn bytes(line: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = line.bytes();
    while let Some(byte) = rest.next() {
        let escape = if byte == b'\\' { rest.next() } else { None };
        bytes.push(match escape {
            None => byte,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'x') => {
                let digits: String = rest.by_ref().take(2).map(char::from).collect();
                u8::from_str_radix(&digits, 16).unwrap_or_else(|_| panic!("{line}: \\x{digits}"))
            }
            Some(other) => other,
        });
    }
    bytes
}

#[test]
fn every_kept_input_of_the_fuzzer_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus");
    for target in TARGETS {
        let path = folder.join(format!("{}.txt", target.name));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{path:?}: {why}"));
        assert!(!text.is_empty(), "{path:?}: no input is kept");
        text.lines().map(bytes).for_each(|input| (target.run)(&input));
    }
}

#[test]
fn an_input_is_read_as_it_is_written() {
    assert_eq!(bytes(r"a\n\x00\xff\\\'\t"), b"a\n\x00\xff\\'\t");
}
