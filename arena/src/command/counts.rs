//! `arena sprt` and `arena elo`: statistics of counts on the command line.

use tengen_engine::text::quotable;

use super::{Failure, refuse};
use crate::config::option::Options;
use crate::config::{ConfigError, Setting, TestConfig};
use crate::stats::Results;
use crate::stats::elo::{Measured, measured};
use crate::stats::sprt::{Hypothesis, Sprt, estimate};

/// The allowed forms of counts, for messages.
const COUNTS: &str = "five counts of pairs LL LD DD WD WW, or three counts of games L D W";

/// The maximum of a count. It keeps sums of counts exact.
const MAX_COUNT: u64 = 1_000_000_000_000;

/// Returns the text of `arena sprt`. The first number is the log-likelihood ratio.
pub fn sprt(args: &[String]) -> Result<String, Failure> {
    let mut test = TestConfig::default();
    let results = counts("sprt", args, |key, value| test.set_option(&Setting::text(key, value)))?;
    test.check(&Setting::text("sprt", ""))?;

    let test = Sprt::from(test);
    let llr = test.llr(&results);
    let [low, high] = test.bounds();
    let decision = Hypothesis::text(test.decide(llr));
    let [elo0, elo1] = test.elo;
    let plain = measured(&results);
    let unbiased = match estimate(&test, &results) {
        Some(found) => {
            let [least, most] = found.interval;
            format!("Elo {:.3} [{least:.3}, {most:.3}], LOS {:.4}", found.elo, found.los)
        }
        None => format!("Elo {}", Measured::OPEN),
    };
    let (model, totals) = (test.model.name(), totals(&results));
    Ok(format!(
        "LLR {llr:.4} [{low:.6}, {high:.6}]: {decision}\n\
         elo0={elo0} elo1={elo1} model={model}\n\
         Elo {}, LOS {:.4}\n\
         {unbiased}: median-unbiased\n{totals}",
        plain.text(3),
        plain.los
    ))
}

/// Returns the text of `arena elo`. The first number is Elo.
pub fn elo(args: &[String]) -> Result<String, Failure> {
    let results = counts("elo", args, |key, _| {
        let key = quotable(key);
        Err(ConfigError::new(format!("elo: \"{key}\" is not a key of elo; elo takes {COUNTS}")))
    })?;
    let found = measured(&results);
    let nelo = match found.nelo {
        Some([nelo, error]) => format!("{nelo:.3} +/- {error:.3}"),
        None => Measured::OPEN.to_owned(),
    };
    Ok(format!(
        "Elo {}\n\
         LOS {:.4}\n\
         nElo {nelo}\n{}",
        found.text(3),
        found.los,
        totals(&results)
    ))
}

/// Reads counts. Calls `set` with each argument of the form `key=value`.
fn counts(
    command: &str,
    args: &[String],
    mut set: impl FnMut(&str, &str) -> Result<(), ConfigError>,
) -> Result<Results, Failure> {
    let mut counts = Vec::new();
    for arg in args {
        if let Some((key, value)) = arg.split_once('=') {
            set(key, value)?;
            continue;
        }
        let found = quotable(arg);
        let is_number = !arg.is_empty() && arg.bytes().all(|byte| byte.is_ascii_digit());
        match arg.parse() {
            Ok(count @ 0..=MAX_COUNT) => counts.push(count),
            _ if is_number => {
                return refuse!(
                    "{command}: \"{found}\" is too large: a count is at most {MAX_COUNT}"
                );
            }
            _ => return refuse!("{command}: \"{found}\" is not a count; it takes {COUNTS}"),
        }
    }
    let Some(results) = Results::from_counts(&counts) else {
        return refuse!("{command}: {COUNTS} expected, found {} counts", counts.len());
    };
    if results.samples() == 0 {
        return refuse!("{command}: all counts are 0: at least one game is needed");
    }
    Ok(results)
}

fn totals(results: &Results) -> String {
    let games = results.games();
    let pairs = match results {
        Results::Games(_) => String::new(),
        Results::Pairs(_) => format!("{} pairs, ", results.samples()),
    };
    let points: u64 = results.counts().iter().enumerate().map(|(i, n)| i as u64 * n).sum();
    let score = if games == 0 { 50.0 } else { 50.0 * points as f64 / games as f64 };
    format!("{pairs}{games} games, score {score:.2} %\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    fn first_number(text: &str) -> f64 {
        text.split_ascii_whitespace().find_map(|word| word.parse().ok()).unwrap()
    }

    #[test]
    fn the_first_number_is_the_ratio_or_elo() {
        let text = sprt(&args("39 2226 31451 2412 40 elo0=0.2 elo1=0.9 model=logistic")).unwrap();
        assert!((first_number(&text) - 2.1625).abs() < 1e-4, "{text}");
        assert!(
            text.contains("no decision") && text.contains("Elo 0.865 [0.168, 1.541], LOS 0.9920")
        );
        let text = sprt(&args("39 2226 31451 2412 40 elo0=0 elo1=5 model=logistic")).unwrap();
        assert!((first_number(&text) + 68.7187).abs() < 1e-4 && text.contains("H0 accepted"));
        let text = elo(&args("39 2226 31451 2412 40")).unwrap();
        assert!((first_number(&text) - 0.903).abs() < 1e-3, "{text}");
        assert!(text.contains("36168 pairs, 72336 games, score 50.13 %"), "{text}");
    }

    #[test]
    fn both_commands_say_the_same() {
        for counts in ["0 0 1", "7 0 0", "0 0 0 4 0", "1 2 3", "39 2226 31451 2412 40"] {
            let [one, other] = [elo(&args(counts)).unwrap(), sprt(&args(counts)).unwrap()];
            let elo_line = other.lines().nth(2).unwrap();
            let (elo_text, los) = elo_line.split_once(", LOS ").unwrap();
            assert!(one.contains(&format!("LOS {}", &los[..5])), "{one}{other}");
            match elo_text.contains("not determined yet") {
                true => assert!(one.starts_with("Elo not determined yet ["), "{one}{other}"),
                false => {
                    let near = (first_number(&one) - first_number(elo_text)).abs() < 1e-3;
                    assert!(near, "{one}{other}");
                }
            }
        }
        assert!(elo(&args("0 0 1")).unwrap().contains("LOS 0.7500"));
        assert!(sprt(&args("0 0 1")).unwrap().contains("Elo not determined yet: median-unbiased"));
    }

    #[test]
    fn errors_quote_the_input_and_say_what_is_allowed() {
        for (text, why) in [
            (
                "1 2 3 4",
                "sprt: five counts of pairs LL LD DD WD WW, or three counts of games L D W expected, found 4 counts",
            ),
            (
                "1 2 -3",
                "sprt: \"-3\" is not a count; it takes five counts of pairs LL LD DD WD WW, or three counts of games L D W",
            ),
            (
                "1 2 3 elo2=5",
                "sprt: unknown key \"elo2\": it must be one of elo0, elo1, alpha, beta, model",
            ),
            ("0 0 0", "sprt: all counts are 0: at least one game is needed"),
            (
                "18446744073709551615 1 1",
                "sprt: \"18446744073709551615\" is too large: a count is at most 1000000000000",
            ),
            (
                "99999999999999999999 1 1",
                "sprt: \"99999999999999999999\" is too large: a count is at most 1000000000000",
            ),
            ("1 2 3 elo1=1e308", "elo1 \"1e308\": it must be a number from -1000 to 1000"),
            ("1 2 3 elo0=x", "elo0 \"x\": it must be a number from -1000 to 1000"),
            ("1 2 3 elo0=5 elo1=0", "sprt: elo0=5 must be below elo1=0"),
            ("1 2 3 alpha=0.5", "sprt: alpha=0.5: it must be above 0 and below 0.5"),
            ("1 2 3 model=bayes", "model \"bayes\": it must be one of normalized, logistic"),
        ] {
            let failure = sprt(&args(text)).unwrap_err();
            assert_eq!((failure.status.code(), failure.message.as_str()), (1, why));
        }
        assert!(elo(&args("1 2 3 elo0=5")).is_err());
    }
}
