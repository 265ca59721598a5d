//! Writes the errors of the command line parser on one line. For the usual mistakes it adds the
//! form of the command line that works.
//!
//! It depends on the form of the parser's messages.

use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use tengen_engine::backend::Catalog;
use tengen_games::CATALOG;

use crate::exit_status::Refusal;

/// Returns the refusal for an error of the parser.
pub(crate) fn refusal(error: &clap::Error) -> Refusal {
    let text = error.render().to_string();
    let line = in_words(&one_line(&text));
    Refusal(match form_that_works(error, &text) {
        Some(form) => {
            let line = line.trim_end_matches("; try '--help'");
            format!("{}; {form}", line.split("; tip: to pass").next().unwrap_or(line))
        }
        None => line,
    })
}

/// Returns how to build the program with the feature that an argument needs; `None` if it needs none
/// or the feature is there.
fn missing_feature(given: &str) -> Option<String> {
    const FEATURES: [(&[&str], bool, &str); 3] = [
        (&["shelf"], cfg!(feature = "shelf"), "shelf"),
        (&["--nats", "--nats-creds", "--tls-ca", "--tls-client"], cfg!(feature = "nats"), "nats"),
        (&["arena", "batch", "work", "runs", "workers"], cfg!(feature = "arena"), "arena"),
    ];
    let (_, _, feature) =
        FEATURES.into_iter().find(|(names, is_there, _)| !is_there && names.contains(&given))?;
    Some(format!(
        "this program was built without the feature {feature}: cargo build --release --features {feature}"
    ))
}

/// Returns the form of the command line that takes the refused argument. `None` if the error is not
/// one of the usual mistakes.
fn form_that_works(error: &clap::Error, text: &str) -> Option<String> {
    let kind = match error.kind() {
        ErrorKind::UnknownArgument => ContextKind::InvalidArg,
        ErrorKind::InvalidSubcommand => ContextKind::InvalidSubcommand,
        _ => return None,
    };
    let Some(ContextValue::String(given)) = error.get(kind) else { return None };
    if let Some(missing) = missing_feature(given) {
        return Some(missing);
    }
    if given.parse::<f64>().is_ok_and(|number| number < 0.0) {
        return Some("no option takes a number below 0".to_owned());
    }
    if given.starts_with('-') && given != "-" {
        return None;
    }
    let usage = text.split_once("Usage: ")?.1;
    let command = usage.split_whitespace().nth(1)?;
    let is_file = given == "-" || given.contains(['.', '/', '\\']) || Path::new(given).is_file();
    Some(match command {
        "analyze" if is_file => format!(
            "\"tengen analyze --game {given}\" judges every move of a record, \"tengen analyze --sgf \
             {given}\" searches its last position"
        ),
        "analyze" => format!("moves are one argument in quotes: --moves \"... {given} ...\""),
        "winning-move" => {
            format!("boards are read from standard input: tengen winning-move < {given}")
        }
        "count" => "the board is chosen by options: --width 3 --height 3 -k 3".to_owned(),
        _ if kind != ContextKind::InvalidSubcommand => return None,
        _ if is_file => format!(
            "\"tengen play {given}\" shows a record, \"tengen analyze --game {given}\" judges its moves"
        ),
        _ => format!("a game is chosen by --variant {}", CATALOG.variant(given)?.name),
    })
}

/// Returns a line of the parser with its words about numbers in words of users.
fn in_words(line: &str) -> String {
    const WORDS: [(&str, &str); 3] = [
        ("invalid digit found in string", "it must be a whole number"),
        ("cannot parse integer from empty string", "it must be a whole number"),
        ("number too large to fit in target type", "the number is too large"),
    ];
    WORDS.iter().fold(line.to_owned(), |line, (from, to)| line.replace(from, to))
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
