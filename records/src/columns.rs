//! Text in columns of a terminal, where most East Asian characters are two cells wide.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Returns the number of cells that a text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// Returns the longest start of a text that fits into `cells` cells.
pub fn cut(text: &str, cells: usize) -> &str {
    let mut taken = 0;
    let end = text.char_indices().find(|(_, c)| {
        taken += c.width().unwrap_or(0);
        taken > cells
    });
    end.map_or(text, |(end, _)| &text[..end])
}

/// Returns a text that is cut, or filled with blanks at its end, to `cells` cells.
pub fn left(text: &str, cells: usize) -> String {
    let text = cut(text, cells);
    format!("{text}{:1$}", "", cells - width(text).min(cells))
}

/// Returns a text that is cut, or filled with blanks at its start, to `cells` cells.
pub fn right(text: &str, cells: usize) -> String {
    let text = cut(text, cells);
    format!("{:1$}{text}", "", cells - width(text).min(cells))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_take_two_cells() {
        assert_eq!(width("五子棋引擎"), 10);
        assert_eq!(left("五子棋", 8), "五子棋  ");
        assert_eq!(right("五子棋", 8), "  五子棋");
        // Half of a character is not shown.
        assert_eq!(left("五子棋", 5), "五子 ");
        // An accent of its own takes no cell.
        assert_eq!(left("e\u{301}a", 3), "e\u{301}a ");
        assert_eq!([cut("abc", 2), cut("abc", 9), cut("", 0)], ["ab", "abc", ""]);
    }
}
