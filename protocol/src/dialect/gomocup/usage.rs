//! Messages about arguments that do not fit their command.

use tengen_engine::text::quotable;

/// Returns what is wrong with the arguments of a command, in one line.
pub(super) fn expected(usage: &str, word: &str, rest: &str) -> String {
    let found = quotable(format!("{word} {rest}").trim());
    format!("\"{usage}\" expected, found \"{found}\"")
}
