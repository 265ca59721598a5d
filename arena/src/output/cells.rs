//! Building blocks of tables: lines of CSV, columns of text, wrapped lines.

/// Writes a line of CSV. Cells are in quotes if CSV requires them.
pub(super) fn csv_line(cells: &[String]) -> String {
    let quoted = |cell: &String| match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.clone(),
    };
    cells.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

use tengen_records::columns::{left, right, width};

/// The minimum width of a cut column, in cells.
const MIN_WIDTH: usize = 8;

/// A table as text. Each column is as wide as its widest cell.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Columns {
    rows: Vec<Vec<String>>,
    /// The left-aligned columns. All others are right-aligned.
    left: Vec<usize>,
}

impl Columns {
    /// Creates a table with the headings `head`.
    pub(crate) fn new(head: &[&str], left: &[usize]) -> Self {
        let head = head.iter().map(|cell| (*cell).to_owned()).collect();
        Self { rows: vec![head], left: left.to_vec() }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Returns the lines of the table. If they are wider than `most`, the widest left-aligned
    /// columns are cut.
    pub(crate) fn lines(&self, most: usize) -> Vec<String> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let cell = |row: &[String], column: usize| row.get(column).map_or(0, |cell| width(cell));
        let mut widths: Vec<usize> = (0..columns)
            .map(|column| self.rows.iter().map(|row| cell(row, column)).max().unwrap_or(0))
            .collect();
        let all: usize = widths.iter().sum::<usize>() + 2 * columns.saturating_sub(1);
        for _ in most..all {
            let widest = self.left.iter().copied().max_by_key(|column| widths[*column]);
            let Some(widest) = widest.filter(|column| widths[*column] > MIN_WIDTH) else { break };
            widths[widest] -= 1;
        }
        self.rows.iter().map(|row| self.line(row, &widths)).collect()
    }

    /// Writes the table in Markdown.
    pub(super) fn markdown(&self) -> String {
        let Some((head, rows)) = self.rows.split_first() else { return String::new() };
        let line = |row: &[String]| {
            let cells: Vec<String> = row.iter().map(|cell| escaped_markdown(cell)).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let align = |column: usize| if self.left.contains(&column) { ":--" } else { "--:" };
        let rule: Vec<&str> = (0..head.len()).map(align).collect();
        let mut out = line(head) + &format!("| {} |\n", rule.join(" | "));
        rows.iter().for_each(|row| out.push_str(&line(row)));
        out
    }

    /// Writes the table in HTML.
    pub(super) fn html(&self) -> String {
        let Some((head, rows)) = self.rows.split_first() else { return String::new() };
        let line = |row: &[String], tag: &str| {
            let cell = |(column, text): (usize, &String)| {
                let class = if self.left.contains(&column) { " class=\"left\"" } else { "" };
                format!("<{tag}{class}>{}</{tag}>", escaped_html(text))
            };
            let cells: String = row.iter().enumerate().map(cell).collect();
            format!("<tr>{cells}</tr>\n")
        };
        let body: String = rows.iter().map(|row| line(row, "td")).collect();
        let head = line(head, "th");
        format!("<table>\n<thead>\n{head}</thead>\n<tbody>\n{body}</tbody>\n</table>\n")
    }

    fn line(&self, row: &[String], widths: &[usize]) -> String {
        let mut line = String::new();
        for (column, width) in widths.iter().enumerate() {
            if column > 0 {
                line.push_str("  ");
            }
            let text = row.get(column).map_or("", String::as_str);
            let fill = if self.left.contains(&column) { left } else { right };
            line.push_str(&fill(text, *width));
        }
        line.trim_end().to_owned()
    }
}

/// Writes a text so that Markdown shows it as it is.
pub(super) fn escaped_markdown(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if matches!(c, '\\' | '|' | '*' | '_' | '`' | '[' | ']' | '<' | '#') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Writes a text so that HTML shows it as it is.
pub(super) fn escaped_html(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

/// Wraps a text at its spaces to lines of at most `width` characters. A longer word gets its own
/// line.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    wrap_words(text.split(' '), width)
}

/// Joins words by spaces to lines of at most `most` cells. A longer word gets its own line.
pub(super) fn wrap_words<'a>(words: impl Iterator<Item = &'a str>, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut().filter(|line| width(line) + 1 + width(word) <= most) {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_if_csv_requires_it() {
        let line = csv_line(&["a", "b,c", "d\"e", "5", ""].map(str::to_owned));
        assert_eq!(line, "a,\"b,c\",\"d\"\"e\",5,\n");
    }

    #[test]
    fn long_texts_are_wrapped_at_spaces() {
        assert_eq!(wrap("one two three", 80), ["one two three"]);
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("incomprehensible one", 4), ["incomprehensible", "one"]);
        assert_eq!(wrap("  as  it was ", 13), ["  as  it was "]);
    }

    #[test]
    fn columns_are_as_wide_as_their_cells_and_long_names_are_cut() {
        let mut table = Columns::new(&["#", "Name", "Elo"], &[1]);
        table.row(vec!["1".into(), "A long name of an engine".into(), "12.3".into()]);
        table.row(vec!["10".into(), "B".into(), "-1.0".into()]);
        assert_eq!(table.lines(80)[2], "10  B                         -1.0");
        let narrow = table.lines(24);
        assert_eq!(narrow[1], " 1  A long name of  12.3");
        assert!(narrow.iter().all(|line| line.len() <= 24));
        let mut wide = Columns::new(&["Name", "Elo"], &[0]);
        wide.row(vec!["\u{4e94}\u{5b50}\u{68cb}".into(), "1.0".into()]);
        wide.row(vec!["abcdef".into(), "2.0".into()]);
        assert_eq!(wide.lines(80)[1..], ["\u{4e94}\u{5b50}\u{68cb}  1.0", "abcdef  2.0"]);
        let mut two = Columns::new(&["First", "Second", "ply"], &[0, 1]);
        two.row(vec!["A long name".into(), "Another long name".into(), "7".into()]);
        assert_eq!(two.lines(28)[1], "A long name  Another lo    7");
        assert_eq!(two.lines(10)[1], "A long n  Another     7");
    }
}
