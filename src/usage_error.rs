//! Writes the errors of the command line parser on one line.
//!
//! It depends on the form of the parser's messages, but on no option.

use crate::exit_status::Refusal;

/// Returns the refusal for an error of the parser.
pub(crate) fn refusal(error: &clap::Error) -> Refusal {
    Refusal(one_line(&error.render().to_string()))
}

/// Joins the paragraphs of an error, without the summary of the usage.
fn one_line(error: &str) -> String {
    let error = error.strip_prefix("error: ").unwrap_or(error);
    let paragraphs = error.split("\n\n").map(|paragraph| {
        let lines = paragraph.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.collect::<Vec<_>>().join(" ")
    });
    let paragraphs = paragraphs.filter(|part| !part.is_empty() && !part.starts_with("Usage: "));
    let paragraphs = paragraphs.map(|part| match part.strip_prefix("For more information, ") {
        Some(help) => help.trim_end_matches('.').to_owned(),
        None => part,
    });
    paragraphs.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_many_lines_becomes_one() {
        let error = "\
error: invalid value 'x' for '--variant <NAME>'
  [possible values: cfour, custom]

  tip: a similar value exists: 'custom'

Usage: tengen solve [OPTIONS]

For more information, try '--help'.
";
        let expected = "invalid value 'x' for '--variant <NAME>' [possible values: cfour, \
                        custom]; tip: a similar value exists: 'custom'; try '--help'";
        assert_eq!(one_line(error), expected);
    }
}
