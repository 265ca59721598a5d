//! The numbers of rules, as `INFO rule` names them, and the variants that play by them.
//!
//! It knows the names of variants. It knows no rule.

/// A rule and its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rule {
    /// What `INFO rule` calls it.
    pub number: i64,
    /// The variant of the catalogue.
    pub variant: &'static str,
    /// Whether more stones than needed win too.
    pub overline: bool,
}

/// Rules by the numbers of Gomocup.
pub static RULES: [Rule; 5] = [
    rule(0, "gomokufreestyle", true),
    rule(1, "gomoku", false),
    rule(4, "renju", true),
    rule(8, "caro", true),
    rule(9, "caro", false),
];

/// Rules by the numbers of analysis boards. Rules 5 and 6 are openings in which sides are swapped,
/// which such a board plays itself.
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

/// Finds the rule of this number in `rules`; the error says which there are.
pub fn find(rules: &'static [Rule], number: i64) -> Result<&'static Rule, String> {
    let known = rules.iter().find(|rule| rule.number == number);
    known.ok_or_else(|| {
        let known: Vec<String> = rules.iter().map(|rule| rule.number.to_string()).collect();
        format!("INFO rule {number}: it must be one of {}", known.join(", "))
    })
}
