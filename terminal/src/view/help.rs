//! The help: commands with their words and keys.

use ratatui::text::Line;

use crate::command::HELP;
use crate::view::style::Theme;

/// Returns the lines of the help screen.
pub(crate) fn lines(theme: Theme) -> Vec<Line<'static>> {
    let mut lines = vec![
        Line::styled("Keys and words", theme.title()),
        Line::raw("Arrows move the cursor [ ], Enter or a click plays. Small letters and digits"),
        Line::raw("begin a coordinate or a word, which Enter ends; keys for commands are capital"),
        Line::raw("letters. ( ) is the last move, # or a cross a forbidden point."),
        Line::raw(""),
    ];
    lines.extend(
        HELP.iter().map(|(words, key, what)| Line::raw(format!("{key:<10} {words:<15} {what}"))),
    );
    lines.push(Line::raw(""));
    lines.push(Line::raw("Esc closes this page; PgUp, PgDn and the arrows move it."));
    lines
}

/// Returns the commands as plain text, one a line.
pub(crate) fn plain_lines() -> Vec<String> {
    let mut lines = vec!["Type a move or one of these words:".to_owned()];
    lines.extend(HELP.iter().map(|(words, _, what)| format!("  {words}: {what}")));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::look::Look;

    #[test]
    fn the_help_fits_into_eighty_columns() {
        for line in lines(Theme::new(Look::PLAIN, false)) {
            assert!(line.width() <= 80, "{line}");
        }
    }
}
