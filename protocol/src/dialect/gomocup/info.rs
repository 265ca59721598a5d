//! Reads `INFO key value`: rules, time and memory.

use tengen_engine::text::quotable;

use super::read::{self, expected, split_command};
use super::rules::{self, ANALYSIS_RULES, RULES, Rule};
use crate::command::{Command, GameCommand, GameLimit};
use crate::dialect::words::{is_one_of, millis, number};

/// The number of milliseconds that stands for no limit.
pub(super) const UNLIMITED: i64 = 2_147_483_647;

/// Ignored keys, with any value.
const IGNORED: &str = "\
    folder start_depth thread_split_depth checkmate nbestsym vcthread usedatabase \
    database_readonly swapable strength";

/// Ignored keys, with a number.
const IGNORED_NUMBERS: &str = "game_type caution_factor pondering";

/// Additional reports of a search, which `INFO show_detail` turns on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Detail {
    /// Whether the GUI gets marks for cells.
    pub(super) marks: bool,
    /// Whether each line of play is also sent as a block of `INFO` lines.
    pub(super) blocks: bool,
}

/// Reads `rest`, the words after `INFO`. `is_analysis`: the client is an analysis GUI.
pub(super) fn read(rest: &str, is_analysis: bool, detail: &mut Detail) -> Command {
    let (key, value) = split_command(rest);
    let name = key.to_ascii_lowercase();
    let refused = |usage: &str| Command::Refused(expected(usage, "INFO", rest));
    if key.is_empty() || value.is_empty() {
        return refused("INFO KEY VALUE");
    }
    if is_one_of(key, IGNORED) {
        return Command::Nothing;
    }
    if name == "evaluate" {
        let point = read::point(value).map(GameCommand::Evaluate);
        return point.map_or_else(|| refused("INFO evaluate X,Y"), Command::Game);
    }
    let is_ignored = is_one_of(key, IGNORED_NUMBERS);
    let is_known = is_ignored || name == "show_detail" || numbered(&name, 0, is_analysis).is_some();
    match number(value) {
        _ if !is_known => Command::Unknown(format!("INFO {key}")),
        None => refused(&format!("INFO {name} NUMBER")),
        Some(_) if is_ignored => Command::Nothing,
        // A note, because some managers end the match after an ERROR to INFO.
        Some(number) if number < 0 && UNSIGNED.contains(&name.as_str()) => {
            let found = quotable(value);
            let why = format!("INFO {name} {found}: it must be 0 or more; the old value is kept");
            Command::Note(why)
        }
        Some(number) if name == "show_detail" => show_detail(number, detail),
        Some(number) => numbered(&name, number, is_analysis).unwrap_or(Command::Nothing),
    }
}

/// Keys whose numbers must not be negative. For other keys a negative number means that the time is
/// up, or that there is no limit.
const UNSIGNED: [&str; 5] =
    ["timeout_turn", "timeout_match", "time_increment", "max_memory", "hash_size"];

/// Returns the command of a key that has an effect, with its number; `None` for another key.
fn numbered(name: &str, number: i64, is_analysis: bool) -> Option<Command> {
    let limit = match name {
        "timeout_turn" => GameLimit::Turn(millis(number)),
        "timeout_match" => {
            let is_limited = number > 0 && number != UNLIMITED;
            GameLimit::Game(is_limited.then(|| millis(number)))
        }
        // A negative time left is valid.
        "time_left" => GameLimit::Left((number != UNLIMITED).then(|| millis(number))),
        "time_increment" => GameLimit::Increment(millis(number)),
        "max_memory" => GameLimit::Memory(positive(number)),
        "hash_size" => GameLimit::Table(number.max(0).unsigned_abs()),
        "max_depth" => {
            GameLimit::Depth(positive(number).map(|plies| u32::try_from(plies).unwrap_or(u32::MAX)))
        }
        "max_node" => GameLimit::Nodes(positive(number)),
        "thread_num" => return Some(Command::Game(GameCommand::Threads(positive(number)))),
        "rule" => return Some(rule(number, is_analysis)),
        _ => return None,
    };
    Some(Command::Game(GameCommand::Limit(limit)))
}

fn rule(number: i64, is_analysis: bool) -> Command {
    let rules: &[Rule] = if is_analysis { &ANALYSIS_RULES } else { &RULES };
    match rules::find(rules, number) {
        Ok(&Rule { variant, overline, .. }) => {
            Command::Game(GameCommand::Rule { variant, overline })
        }
        Err(_) if !is_analysis && number > 0 && number & 2 != 0 => Command::Refused(format!(
            "INFO rule {number}: rules that continue after a win are not supported: use 0, 1, 4, 8 or 9"
        )),
        Err(why) => Command::Refused(why),
    }
}

fn show_detail(number: i64, detail: &mut Detail) -> Command {
    if !(0..=3).contains(&number) {
        return Command::Refused(format!("INFO show_detail {number}: it must be from 0 to 3"));
    }
    *detail = Detail { marks: number & 1 != 0, blocks: number & 2 != 0 };
    Command::Nothing
}

/// Returns a number above 0; `None` for others, which stand for no limit.
fn positive(number: i64) -> Option<u64> {
    u64::try_from(number).ok().filter(|&number| number > 0)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn decoded(rest: &str) -> Command {
        read(rest, false, &mut Detail::default())
    }

    fn limit(rest: &str) -> GameLimit {
        match decoded(rest) {
            Command::Game(GameCommand::Limit(limit)) => limit,
            other => panic!("{rest}: {other:?}"),
        }
    }

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn limits_are_read_in_upper_or_lower_case_and_numbers_saturate() {
        assert_eq!(limit("TIMEOUT_TURN 5000"), GameLimit::Turn(ms(5000)));
        assert_eq!(limit("timeout_turn 0"), GameLimit::Turn(ms(0)));
        assert_eq!(limit("timeout_match 0"), GameLimit::Game(None));
        assert_eq!(limit("timeout_match 90000"), GameLimit::Game(Some(ms(90_000))));
        assert_eq!(limit("time_left 2147483647"), GameLimit::Left(None));
        assert_eq!(limit("time_left -5"), GameLimit::Left(Some(ms(0))));
        assert_eq!(limit("time_increment 10"), GameLimit::Increment(ms(10)));
        assert_eq!(limit("max_memory 0"), GameLimit::Memory(None));
        assert_eq!(limit("max_memory 83886080"), GameLimit::Memory(Some(83_886_080)));
        assert_eq!(limit("hash_size 1024"), GameLimit::Table(1024));
        assert_eq!(limit("max_depth 99999999999"), GameLimit::Depth(Some(u32::MAX)));
        assert_eq!(limit("max_node -1"), GameLimit::Nodes(None));
        assert_eq!(
            limit("timeout_turn 99999999999999999999999"),
            GameLimit::Turn(ms(100_000_000_000))
        );
    }

    #[test]
    fn a_number_below_0_is_quoted_and_ignored() {
        for rest in [
            "timeout_turn -1",
            "timeout_match -5",
            "max_memory -1",
            "hash_size -2",
            "time_increment -1",
        ] {
            let why = format!("INFO {rest}: it must be 0 or more; the old value is kept");
            assert_eq!(decoded(rest), Command::Note(why));
        }
    }

    #[test]
    fn rules_have_names_and_two_sets_of_numbers() {
        let variant =
            |rest: &str, is_analysis| match read(rest, is_analysis, &mut Detail::default()) {
                Command::Game(GameCommand::Rule { variant, overline }) => Some((variant, overline)),
                _ => None,
            };
        for Rule { number, variant: name, overline } in RULES {
            assert_eq!(variant(&format!("rule {number}"), false), Some((name, overline)));
        }
        assert_eq!(variant("RULE 2", true), Some(("renju", true)));
        for number in ["2", "3", "5", "6", "7", "10", "16", "-1", "99999999999999999999"] {
            assert_eq!(variant(&format!("rule {number}"), false), None, "{number}");
        }
        assert!(matches!(decoded("rule 3"), Command::Refused(why) if why.contains("after a win")));
        assert!(
            matches!(decoded("rule 16"), Command::Refused(why) if why.contains("one of 0, 1, 4"))
        );
    }

    #[test]
    fn keys_without_effect_are_ignored() {
        for rest in
            ["game_type 1", "folder /a b/c", "caution_factor 3", "PONDERING 1", "nbestsym x"]
        {
            assert_eq!(decoded(rest), Command::Nothing, "{rest}");
        }
    }

    #[test]
    fn a_bad_value_is_refused_and_an_unknown_key_unknown() {
        for rest in [
            "",
            "rule",
            "rule x",
            "rule 0 1",
            "timeout_turn",
            "timeout_turn 1.5",
            "time_left ten",
            "max_memory -",
            "game_type x",
            "show_detail 4",
            "show_detail x",
            "evaluate 7",
            "evaluate 7,7,7",
            "evaluate a,b",
        ] {
            assert!(matches!(decoded(rest), Command::Refused(_)), "{rest}: {:?}", decoded(rest));
        }
        assert_eq!(decoded("colour 3"), Command::Unknown("INFO colour".into()));
    }
}
