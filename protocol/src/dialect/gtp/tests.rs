//! Tests of the server side of GTP, with a fake backend and by property.

use proptest::prelude::*;
use tengen_engine::Side;

use super::args::Args;
use super::clock::TimeSettings;
use super::server::commands;
use super::vertex::to_point;
use crate::session::tests::fake::{Talk, answer, report};

/// Returns a session whose game is known.
fn started() -> Talk {
    let mut talk = Talk::new();
    assert_eq!(talk.say("1 protocol_version"), ["=1 2", ""]);
    talk
}

#[test]
fn every_command_has_one_response_with_its_number() {
    let mut talk = started();
    assert_eq!(talk.say("# a comment"), Vec::<String>::new());
    assert_eq!(talk.say(""), Vec::<String>::new());
    assert_eq!(talk.say("12 known_command genmove # yes"), ["=12 true", ""]);
    assert_eq!(talk.say("known_command nothing"), ["= false", ""]);
    assert_eq!(talk.say("13"), ["?13 unknown command: \"\"", ""]);
    assert_eq!(talk.say("14 bo\u{7}o"), ["?14 unknown command: \"boo\"", ""]);
    assert_eq!(talk.say("komi 6.5"), ["= ", ""]);
    assert_eq!(talk.say("komi"), ["? the komi is missing", ""]);
    assert_eq!(talk.say("2 quit"), ["=2 ", "", "QUIT"]);
}

#[test]
fn a_move_is_played_after_the_search_that_answers_first() {
    let mut talk = started();
    assert!(talk.say("1 genmove b").is_empty());
    assert!(talk.say("2 play b A2").is_empty(), "it waits for the search");
    assert!(talk.say("3 name").is_empty());
    assert!(!talk.is_stopped(0));
    let lines = talk.tell(0, answer("b1"));
    assert_eq!(lines[..4], ["=1 B1", "", "=2 ", ""], "{lines:?}");
    assert!(lines[4].starts_with("=3 "), "{lines:?}");
    assert_eq!(talk.say("undo"), ["= ", ""]);
    assert_eq!(talk.say("undo"), ["= ", ""]);
    assert_eq!(talk.say("undo"), ["? undo refused: no move was played", ""]);
}

#[test]
fn a_refusal_leaves_out_what_the_line_would_do_then() {
    let mut talk = started();
    assert_eq!(talk.say("play w A1"), ["? black is to move, not white: moves alternate", ""]);
    assert_eq!(talk.say("genmove w"), ["? black is to move, not white: moves alternate", ""]);
    assert_eq!(talk.say("undo"), ["? undo refused: no move was played", ""]);
    assert!(!talk.has_open_work());
    for bad in ["I1", "11", "a", "A1111", "é1", "pass", "resign"] {
        let lines = talk.say(&format!("play b {bad}"));
        assert!(lines[0].starts_with("? illegal move "), "{bad}: {lines:?}");
    }
    let lines = talk.say("boardsize 9");
    assert!(lines[0].starts_with("? a board of 9x9"), "{lines:?}");
}

#[test]
fn an_analysis_ends_at_the_next_line() {
    let mut talk = started();
    assert!(talk.say("5 lz-analyze b 0 maxmoves 1").is_empty());
    let lines = talk.tell(0, report("a1"));
    let info = "info move A1 visits 9 winrate 7500 prior 0 lcb 7500 order 0 pv A1";
    assert_eq!(lines, ["=5", info]);
    assert!(talk.say("6 name").is_empty());
    assert!(talk.is_stopped(0));
    let lines = talk.tell(0, answer("a1"));
    assert_eq!(lines[0], "", "{lines:?}");
    assert!(lines[1].starts_with("=6 "), "{lines:?}");
    assert_eq!(talk.say("undo"), ["? undo refused: no move was played", ""]);
    assert!(talk.say("kata-genmove_analyze b maxmoves 1").is_empty());
    assert!(talk.tell(1, report("b1"))[1].starts_with("info move B1 visits 9 edgeVisits 9 "));
    assert_eq!(talk.tell(1, answer("b1")), ["play B1", ""]);
    assert_eq!(talk.say("undo"), ["= ", ""]);
    for bad in ["lz-analyze b 5 often", "lz-analyze b avoid b A1", "lz-genmove_analyze 5"] {
        let lines = talk.say(bad);
        assert!(lines[0].starts_with("? "), "{bad}: {lines:?}");
        assert!(!talk.has_open_work(), "{bad}");
    }
}

#[test]
fn limits_follow_from_the_time_that_the_client_sets() {
    let set = |lines: &[(&str, &str)]| {
        let mut time = TimeSettings::default();
        for (kind, text) in lines {
            let args = &mut Args::new(text);
            let done = match *kind {
                "time_settings" => time.set(args),
                "kgs" => time.set_kgs(args),
                "left" => time.note_left(args),
                _ => time.fix(args),
            };
            done.unwrap();
        }
        let limits = time.limits(Side::First);
        let clock =
            limits.clock.map(|clock| (clock.remaining[0].unwrap().as_secs(), clock.moves_to_go));
        (clock, limits.movetime.map(|time| time.as_millis()), limits.nodes)
    };
    assert_eq!(set(&[]), (None, Some(3000), None));
    assert_eq!(set(&[("time_settings", "60 0 0")]), (Some((60, None)), None, None));
    assert_eq!(set(&[("time_settings", "0 30 5")]), (Some((30, Some(5))), None, None));
    assert_eq!(set(&[("time_settings", "0 30 0")]), (None, Some(3000), None));
    let left = [("time_settings", "60 30 5"), ("left", "b 12 3")];
    assert_eq!(set(&left), (Some((12, Some(3))), None, None));
    let left = [("time_settings", "60 30 5"), ("left", "b 0 0")];
    assert_eq!(set(&left), (Some((30, Some(5))), None, None));
    assert_eq!(set(&[("kgs", "byoyomi 0 20 3")]), (Some((20, Some(1))), None, None));
    assert_eq!(set(&[("kgs", "none")]), (None, Some(3000), None));
    assert_eq!(set(&[("limit", "nodes 500")]), (None, None, Some(500)));
}

proptest! {
    #[test]
    fn whatever_the_order_every_command_has_one_response(
        steps in proptest::collection::vec(proptest::sample::select(WALK), 0..25),
        quits in any::<bool>(),
    ) {
        let mut talk = started();
        let mut lines = Vec::new();
        let mut commands = 0;
        for step in steps {
            match step {
                "ANSWER" => lines.extend(talk.finish_last()),
                "REPORT" => lines.extend(talk.report_last()),
                line => {
                    commands += 1;
                    lines.extend(talk.say(line));
                }
            }
        }
        commands += usize::from(quits);
        lines.extend(if quits { talk.say("quit") } else { talk.end() });
        while talk.has_open_work() {
            lines.extend(talk.finish_last());
        }
        prop_assert_eq!(lines.last().map(String::as_str), Some("QUIT"));
        prop_assert_eq!(lines.iter().filter(|line| line.is_empty()).count(), commands);
        let heads = lines.iter().filter(|line| line.starts_with(['=', '?'])).count();
        prop_assert_eq!(heads, commands);
    }

    #[test]
    fn a_hostile_line_gets_one_response(lines in proptest::collection::vec(hostile_line(), 0..20)) {
        let mut talk = started();
        let (mut said, mut least) = (Vec::new(), 0);
        for line in &lines {
            let first = line.trim_start().chars().next();
            least += usize::from(first.is_some_and(|c| c.is_ascii_graphic() && c != '#'));
            said.extend(talk.say(line));
            while talk.has_open_work() {
                said.extend(talk.finish_last());
            }
        }
        // This line ends an analysis.
        said.extend(talk.say("7 protocol_version"));
        let heads = said.iter().filter(|line| line.starts_with(['=', '?'])).count();
        prop_assert_eq!(said.iter().filter(|line| line.is_empty()).count(), heads, "{:?}", said);
        prop_assert!((least..=lines.len()).contains(&(heads - 1)), "{} {:?}", least, said);
        prop_assert!(said.ends_with(&["=7 2".to_owned(), String::new()]), "{:?}", said);
    }

    #[test]
    fn a_vertex_is_a_letter_without_i_and_a_number(text in "[A-Za-z]?[0-9]{0,4}") {
        let letter = text.chars().next().filter(char::is_ascii_alphabetic);
        let row = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let is_good = letter.is_some_and(|c| !"iI".contains(c)) && (1..=3).contains(&row.len());
        prop_assert_eq!(to_point(&text).is_some(), is_good, "{}", text);
    }
}

/// Returns any line but `quit`: a text, or a command with arguments that are near to good ones.
fn hostile_line() -> impl Strategy<Value = String> {
    let commands: Vec<&str> = commands().into_iter().filter(|name| *name != "quit").collect();
    let word = prop_oneof![
        "[ -~]{0,9}",
        "[a-zA-Z]{1,2}[0-9]{1,4}",
        "-?[0-9]{1,20}(\\.[0-9]{1,3})?",
        Just("b".to_owned()),
        Just("white".to_owned()),
        Just("\u{9}# é".to_owned()),
    ];
    let arguments = proptest::collection::vec(word, 0..5).prop_map(|words| words.join(" "));
    let command = (proptest::sample::select(commands), arguments);
    let command = command.prop_map(|(name, arguments)| format!("{name} {arguments}"));
    let any = "\\PC{0,60}".prop_filter("quit ends the session", |line| !line.contains("quit"));
    prop_oneof![any, command]
}

/// The steps of a client in a random test.
const WALK: &[&str] = &[
    "genmove b",
    "reg_genmove b",
    "play b A1",
    "play w A1",
    "play b I9",
    "undo",
    "clear_board",
    "boardsize 4",
    "boardsize 99",
    "showboard",
    "final_score",
    "lz-analyze",
    "kata-analyze b 10",
    "lz-genmove_analyze b",
    "tengen-option Hash 5",
    "tengen-variant short",
    "time_left b 5 0",
    "nonsense",
    "ANSWER",
    "REPORT",
];
