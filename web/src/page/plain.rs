//! What the build script leaves out of modules and style sheets.

/// Returns a module or style sheet without comments and without leading blanks of lines. The files
/// of the page have no texts of several lines and no comment signs inside texts; a test checks
/// that.
pub(super) fn without_comments(module: &str) -> String {
    let mut plain = String::with_capacity(module.len());
    let mut rest = module;
    while let Some((before, comment)) = rest.split_once("/*") {
        plain.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
        rest = rest.strip_prefix(' ').unwrap_or(rest);
    }
    plain.push_str(rest);
    let lines = plain.lines().map(str::trim);
    let mut sent = String::with_capacity(plain.len());
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with("//")) {
        sent.push_str(line);
        sent.push('\n');
    }
    sent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_sent_without_comments() {
        let module = "//! A\n/** B */\nconst a = /** @type {C} */ (b); // d\n\n  /*\n   * e\n   */\n  f('http://g');\n";
        assert_eq!(without_comments(module), "const a = (b); // d\nf('http://g');\n");
    }
}
