//! Lines of clients as a log shows them.

use std::fmt::{self, Display, Formatter, Write};

/// The target of events that show the lines of clients and those for them.
pub const LINES: &str = "tengen::line";

/// A line with its control characters escaped, so that no client writes lines of its own into a log.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for sign in self.0.chars() {
            match sign {
                '\t' => f.write_char(sign)?,
                sign if sign.is_control() => write!(f, "{}", sign.escape_default())?,
                sign => f.write_char(sign)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stays_a_line() {
        let shown = Escaped("{\"id\":\"\u{1b}[2J\r\n\u{85}é\t\"}").to_string();
        assert_eq!(shown, "{\"id\":\"\\u{1b}[2J\\r\\n\\u{85}é\t\"}");
    }
}
