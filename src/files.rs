//! Reads and writes files that the user names, and checks outputs in advance.

use std::fs;
use std::io::Read;
use std::path::Path;

use anyhow::Context;
use tengen_runs::files::Target;

use crate::exit_status::{Refusal, print};

/// The name for standard input and standard output.
pub(crate) const STANDARD: &str = "-";
/// The name of standard input in messages.
const STANDARD_INPUT: &str = "standard input";

/// Reads a whole file, or standard input if `path` is `-`.
pub(crate) fn read_bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    if path == Path::new(STANDARD) {
        let mut bytes = Vec::new();
        let refusal = |error| Refusal::unreadable(Path::new(STANDARD_INPUT), &error);
        std::io::stdin().read_to_end(&mut bytes).map_err(refusal)?;
        return Ok(bytes);
    }
    Ok(fs::read(path).map_err(|error| Refusal::unreadable(path, &error))?)
}

/// Reads a whole text, or standard input if `path` is `-`.
pub(crate) fn read_text(path: &Path) -> anyhow::Result<String> {
    let bytes = read_bytes(path)?;
    let text = std::str::from_utf8(without_bom(&bytes)).map_err(|error| {
        let good = &without_bom(&bytes)[..error.valid_up_to()];
        let line = 1 + good.iter().filter(|byte| **byte == b'\n').count();
        let name = if path == Path::new(STANDARD) { Path::new(STANDARD_INPUT) } else { path };
        let byte = good.len() - good.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let why = format!("line {line}, byte {}: this is not UTF-8", byte + 1);
        Refusal(format!("{}: {why}", name.display()))
    })?;
    Ok(text.to_owned())
}

/// Returns whether there is no such file, and its name looks like a list of moves.
pub(crate) fn looks_like_moves(path: &Path) -> bool {
    let name = path.to_string_lossy();
    let is_of_moves = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | ',');
    !path.exists() && name.contains(|c: char| c.is_ascii_digit()) && name.chars().all(is_of_moves)
}

/// Returns a text without the byte order mark that some editors write first.
pub(crate) fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)
}

/// Returns where an output goes. Refuses a file that exists, unless `force`, and a file that cannot be
/// written.
pub(crate) fn output(path: &Path, force: bool) -> Result<Target, Refusal> {
    let refusal = |error| Refusal(format!("cannot write {}: {error}", path.display()));
    let target = Target::of(path).map_err(refusal)?;
    if target.is_taken() && !force {
        return Err(Refusal(format!("{} exists: --force overwrites it", path.display())));
    }
    target.check().map_err(refusal)?;
    Ok(target)
}

/// Writes a whole output to the target that the user named `path`. A closed standard output is not an
/// error.
pub(crate) fn write_output(target: &Target, path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if *target == Target::Standard {
        return print(bytes);
    }
    target.write(bytes).with_context(|| format!("cannot write {}", path.display()))
}
