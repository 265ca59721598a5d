//! The report of a run as text, Markdown or HTML: sections of tables and remarks.

use super::cells::{Columns, escaped_html, escaped_markdown, wrap};

/// A section of a report.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// The title. Only Markdown and HTML have it.
    pub title: &'static str,
    /// The tables.
    pub tables: Vec<Columns>,
    /// The remarks below the tables, one sentence or line each.
    pub remarks: Vec<String>,
}

impl Section {
    /// Returns the lines of the text, at most `width` characters wide if possible.
    pub fn lines(&self, width: usize) -> Vec<String> {
        let mut lines = Vec::new();
        for table in &self.tables {
            if !lines.is_empty() {
                lines.push(String::new());
            }
            lines.extend(table.lines(width));
        }
        lines.extend(self.remarks.iter().flat_map(|text| wrap(text, width)));
        lines
    }
}

/// Writes sections as text, with a blank line between them.
pub fn text(sections: &[Section], width: usize) -> String {
    let blocks: Vec<String> = sections
        .iter()
        .map(|section| section.lines(width).join("\n"))
        .filter(|block| !block.is_empty())
        .collect();
    blocks.join("\n\n") + "\n"
}

/// Writes sections in Markdown below the heading `title`.
pub fn markdown(sections: &[Section], title: &str) -> String {
    let mut out = format!("# {}\n", escaped_markdown(title));
    for Section { title, tables, remarks } in sections {
        out.push_str(&format!("\n## {title}\n"));
        for table in tables {
            out.push_str(&format!("\n{}", table.markdown()));
        }
        if !remarks.is_empty() {
            out.push('\n');
        }
        for remark in remarks {
            out.push_str(&format!("- {}\n", escaped_markdown(remark)));
        }
    }
    out
}

/// Writes sections as a page of HTML with the heading `title`.
pub fn html(sections: &[Section], title: &str) -> String {
    const STYLE: &str = "body { font-family: sans-serif; margin: 2em; color: #111; background: #fff }\n\
        table { border-collapse: collapse; margin: 1em 0 }\n\
        th, td { border: 1px solid #888; padding: 0.2em 0.6em; text-align: right }\n\
        .left { text-align: left }\n";
    let title = escaped_html(title);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    for Section { title, tables, remarks } in sections {
        out.push_str(&format!("<h2>{title}</h2>\n"));
        tables.iter().for_each(|table| out.push_str(&table.html()));
        for remark in remarks {
            out.push_str(&format!("<p>{}</p>\n", escaped_html(remark)));
        }
    }
    out + "</body>\n</html>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section() -> Section {
        let mut table = Columns::new(&["Name", "Points"], &[0]);
        table.row(vec!["a|b <x>".to_owned(), "1.5".to_owned()]);
        Section { title: "Standings", tables: vec![table], remarks: vec!["A & B.".to_owned()] }
    }

    #[test]
    fn a_report_has_three_forms() {
        let sections = [section(), section()];
        let one = "Name     Points\na|b <x>     1.5\nA & B.";
        assert_eq!(text(&sections, 80), format!("{one}\n\n{one}\n"));
        let page = markdown(&sections[..1], "Cup 1");
        assert_eq!(
            page,
            "# Cup 1\n\n## Standings\n\n| Name | Points |\n| :-- | --: |\n| a\\|b \\<x> | 1.5 |\n\n- A & B.\n"
        );
        let page = html(&sections[..1], "Cup <1>");
        for part in [
            "<title>Cup &lt;1&gt;</title>",
            "<td class=\"left\">a|b &lt;x&gt;</td><td>1.5</td>",
            "<p>A &amp; B.</p>",
        ] {
            assert!(page.contains(part), "{page}");
        }
    }
}
