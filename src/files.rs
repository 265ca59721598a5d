//! Reads and writes files that the user names, and checks outputs in advance.

use std::io::{self, BufRead, ErrorKind, Read};
use std::path::Path;
#[cfg(any(feature = "play", feature = "serve"))]
use std::path::PathBuf;

use anyhow::{Context, anyhow};
use tengen_runs::files::{self, Target};

use crate::exit_status::{Refusal, print, refuse};

/// The name for standard input and standard output.
pub(crate) const STANDARD: &str = "-";
/// The name of standard input in messages.
const STANDARD_INPUT: &str = "standard input";

/// Returns the folder for what the program keeps by itself; `None` if the system names none.
// CITE: XDG Base Directory Specification, https://specifications.freedesktop.org/basedir-spec/latest/
#[cfg(any(feature = "play", feature = "serve"))]
pub(crate) fn state_folder() -> Option<PathBuf> {
    let folder =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|it| it.is_absolute());
    let state = folder("XDG_STATE_HOME")
        .or_else(|| folder("LOCALAPPDATA"))
        .or_else(|| Some(folder("HOME")?.join(".local").join("state")))?;
    Some(state.join("tengen"))
}

/// Reads a whole file, or standard input if `path` is `-`.
pub(crate) fn read_bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    let (name, bytes) = match path == Path::new(STANDARD) {
        true => (Path::new(STANDARD_INPUT), files::read_all(io::stdin().lock())),
        false => (path, files::read(path)),
    };
    bytes.map_err(|error| match error.kind() {
        ErrorKind::FileTooLarge | ErrorKind::OutOfMemory => {
            anyhow!("cannot read {}: {error}", name.display())
        }
        _ => Refusal::unreadable(name, &error).into(),
    })
}

/// Reads a line of at most 1 MiB into `line`, with its end. Returns `false` at the end of the input. A
/// longer line is an error.
pub(crate) fn read_line(input: &mut dyn BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    const MAX_LINE: u64 = 1 << 20;
    line.clear();
    let read = input.take(MAX_LINE + 1).read_until(b'\n', line)?;
    if read as u64 > MAX_LINE && !line.ends_with(b"\n") {
        return Err(io::Error::new(ErrorKind::FileTooLarge, "a line has more than 1 MiB"));
    }
    Ok(read > 0)
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
        refuse!("{} exists: --force overwrites it", path.display());
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
