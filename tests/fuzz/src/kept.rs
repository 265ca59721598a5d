//! [`Target`]: what is fuzzed, and the inputs of it that the tree keeps.

use std::path::Path;

/// A function for inputs of one kind.
pub(crate) struct Target {
    /// The name of the target, and of the file of its kept inputs.
    pub(crate) name: &'static str,
    /// Reads an input. A panic is a finding.
    pub(crate) run: fn(&[u8]),
}

/// Reads the kept inputs of targets as the fuzzer reads them. They are in `folder`, a file for each target.
pub(crate) fn read_kept_inputs(folder: &Path, targets: &[Target]) {
    for target in targets {
        let path = folder.join(format!("{}.txt", target.name));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{path:?}: {why}"));
        assert!(!text.is_empty(), "{path:?}: no input is kept");
        text.lines().map(bytes).for_each(|input| (target.run)(&input));
    }
}

/// Returns the bytes of a line of a file of kept inputs.
pub(crate) fn bytes(line: &str) -> Vec<u8> {
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
