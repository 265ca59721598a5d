//! How lines from and to clients appear in the log.

use std::fmt::{self, Display, Formatter, Write};

/// The `tracing` target of events that show lines from and to clients.
pub const LINES: &str = "tengen::line";

/// Displays a line with its control characters escaped, so that a client cannot forge log lines.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for sign in self.0.chars() {
            match sign.is_control() && sign != '\t' {
                true => write!(f, "{}", sign.escape_default())?,
                false => f.write_char(sign)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        let shown = Escaped("{\"id\":\"\u{1b}[2J\r\n\u{85}é\t\"}").to_string();
        assert_eq!(shown, "{\"id\":\"\\u{1b}[2J\\r\\n\\u{85}é\t\"}");
    }
}
