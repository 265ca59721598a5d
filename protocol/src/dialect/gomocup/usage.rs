//! The message about bad arguments of a command.

use tengen_engine::text::quotable;

/// Returns the message that `usage` was expected but the line has `word` and `rest`.
pub(super) fn expected(usage: &str, word: &str, rest: &str) -> String {
    let found = quotable(format!("{word} {rest}").trim());
    format!("\"{usage}\" expected, found \"{found}\"")
}
