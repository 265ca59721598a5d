//! The numbers of rules in `INFO rule`, and the variants that they select.

/// A rule and its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rule {
    /// The number in `INFO rule`.
    pub number: i64,
    /// The variant of the catalogue.
    pub variant: &'static str,
    /// Whether overlines win.
    pub overline: bool,
}

/// The rule numbers of Gomocup managers.
pub static RULES: [Rule; 5] = [
    rule(0, "gomokufreestyle", true),
    rule(1, "gomoku", false),
    rule(4, "renju", true),
    rule(8, "caro", true),
    rule(9, "caro", false),
];

/// The rule numbers of analysis GUIs. Rules 5 and 6 are openings with swaps, which the GUI plays
/// itself.
pub static ANALYSIS_RULES: [Rule; 6] = [
    rule(0, "gomokufreestyle", true),
    rule(1, "gomoku", false),
    rule(2, "renju", true),
    rule(4, "renju", true),
    rule(5, "gomokufreestyle", true),
    rule(6, "gomokufreestyle", true),
];

const fn rule(number: i64, variant: &'static str, overline: bool) -> Rule {
    Rule { number, variant, overline }
}

/// Finds the rule with this number in `rules`. The error lists the valid numbers.
pub fn find(rules: &'static [Rule], number: i64) -> Result<&'static Rule, String> {
    let known = rules.iter().find(|rule| rule.number == number);
    known.ok_or_else(|| {
        let known: Vec<String> = rules.iter().map(|rule| rule.number.to_string()).collect();
        format!("INFO rule {number}: it must be one of {}", known.join(", "))
    })
}
