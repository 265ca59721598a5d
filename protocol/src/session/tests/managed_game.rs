//! The managed game: which commands wait for a search, which stop it, and that refused commands
//! change nothing.

use super::fake::{Talk, answer};

fn started() -> Talk {
    let mut talk = Talk::new();
    assert_eq!(talk.say("START 4"), ["OK"]);
    talk
}

#[test]
fn a_catalogue_without_the_dialect_s_variant_keeps_the_initial_variant() {
    let mut talk = Talk::new();
    assert_eq!(talk.say("ABOUT").len(), 1);
    assert_eq!(talk.say("START 5"), ["ERROR a board of 5x5: line is played on 4x4"]);
    assert_eq!(talk.say("START 4"), ["OK"]);
}

#[test]
fn moves_alternate_and_each_is_answered_once() {
    let mut talk = started();
    assert!(talk.say("BEGIN").is_empty());
    assert_eq!(talk.tell(0, answer("a1")), ["0,3"]);
    assert!(talk.tell(0, answer("a1")).is_empty(), "a second answer is stale");
    assert_eq!(talk.say("TURN 0,3"), ["ERROR 0,3 is taken"]);
    assert!(talk.say("TURN 1,1").is_empty());
    assert_eq!(talk.tell(1, answer("b1")), ["1,3"]);
    assert_eq!(talk.say("TAKEBACK 1,3"), ["OK"]);
    assert_eq!(talk.say("PLAY 3,3"), ["3,3"]);
}

#[test]
fn commands_during_a_bounded_search_wait_in_order() {
    let mut talk = started();
    talk.say("BEGIN");
    assert!(talk.say("TURN 1,1").is_empty());
    assert!(talk.say("INFO timeout_turn 100").is_empty());
    assert!(talk.say("ABOUT").is_empty());
    assert!(!talk.is_stopped(0));
    assert_eq!(talk.tell(0, answer("a1")), ["0,3"]);
    let about = talk.tell(1, answer("b1"));
    assert_eq!(about[0], "1,3");
    assert!(about[1].starts_with("name="), "{about:?}");
}

#[test]
fn a_stop_overtakes_waiting_commands() {
    for word in ["STOP", "yxstop"] {
        let mut talk = started();
        talk.say("BEGIN");
        talk.say("TURN 1,1");
        assert!(talk.say(word).is_empty());
        assert!(talk.is_stopped(0));
        assert_eq!(talk.tell(0, answer("a1")), ["0,3"]);
        assert!(!talk.is_stopped(1), "a stop never hits the next search");
        assert_eq!(talk.tell(1, answer("b1")), ["1,3"]);
        assert!(talk.say(word).is_empty());
    }
}

#[test]
fn a_new_game_stops_the_search_which_answers_first() {
    for (line, after) in
        [("START 4", vec!["OK"]), ("RESTART", vec!["OK"]), ("YXBOARD DONE", vec![])]
    {
        let mut talk = started();
        talk.say("BEGIN");
        assert!(talk.say(line).is_empty());
        assert!(talk.is_stopped(0));
        let mut expected = vec!["0,3"];
        expected.extend(after);
        assert_eq!(talk.tell(0, answer("a1")), expected, "{line}");
        assert!(talk.say("BEGIN").is_empty(), "the board is empty");
    }
}

#[test]
fn a_new_game_also_stops_the_searches_of_waiting_commands() {
    let mut talk = started();
    talk.say("BEGIN");
    talk.say("INFO timeout_turn 100");
    talk.say("TURN 1,1");
    assert!(!talk.is_stopped(0));
    assert!(talk.say("START 4").is_empty());
    assert!(talk.is_stopped(0));
    assert_eq!(talk.tell(0, answer("a1")), ["0,3"]);
    assert!(talk.is_stopped(1));
    assert_eq!(talk.tell(1, answer("b1")), ["1,3", "OK"]);
}

#[test]
fn questions_are_answered_during_a_search() {
    let mut talk = started();
    talk.say("BEGIN");
    assert_eq!(talk.say("INFO evaluate 1,1"), ["DEBUG evaluate 1,1: 28"]);
    assert_eq!(talk.say("YXSHOWINFO").len(), 2);
    assert!(!talk.is_stopped(0));
    assert_eq!(talk.tell(0, answer("a1")), ["0,3"]);
}

#[test]
fn end_stops_the_searches_of_all_waiting_commands() {
    let mut talk = started();
    talk.say("BEGIN");
    talk.say("TURN 1,1");
    assert!(talk.say("END").is_empty());
    assert!(talk.is_stopped(0));
    assert_eq!(talk.tell(0, answer("a1")), ["0,3"]);
    assert!(talk.is_stopped(1));
    assert_eq!(talk.tell(1, answer("b1")), ["1,3", "QUIT"]);
}

#[test]
fn the_end_of_input_stops_no_bounded_search() {
    let mut talk = started();
    talk.say("BEGIN");
    talk.say("TURN 1,1");
    assert!(talk.end().is_empty());
    assert_eq!(talk.tell(0, answer("a1")), ["0,3"]);
    assert!(!talk.is_stopped(1));
    assert_eq!(talk.tell(1, answer("b1")), ["1,3", "QUIT"]);
}

#[test]
fn max_memory_limits_the_table() {
    let mut talk = started();
    let hash = |talk: &Talk| talk.world(|world| world.hash);
    talk.say("INFO max_memory 83886080");
    assert_eq!(hash(&talk), 40);
    talk.say("INFO hash_size 8192");
    assert_eq!(hash(&talk), 8);
    talk.say("INFO max_memory 16777216");
    assert_eq!(hash(&talk), 6);
    talk.say("INFO max_memory 0");
    assert_eq!(hash(&talk), 8);
}

#[test]
fn an_unknown_rule_is_quoted_and_changes_nothing() {
    let mut talk = started();
    assert_eq!(talk.say("INFO rule 4"), ["ERROR no variant \"renju\""]);
    assert!(talk.say("BEGIN").is_empty());
    assert_eq!(talk.tell(0, answer("a1")), ["0,3"]);
}

#[test]
fn ok_and_all_later_commands_wait_until_the_table_is_ready() {
    let mut talk = Talk::new();
    talk.world(|world| world.busy = true);
    for line in ["START 4", "ABOUT", "BEGIN"] {
        assert!(talk.say(line).is_empty(), "{line}");
    }
    let lines = talk.tell_ready();
    assert_eq!((lines[0].as_str(), lines.len()), ("OK", 2), "{lines:?}");
    assert_eq!(talk.tell(0, answer("a1")), ["0,3"]);
    assert!(talk.say("RESTART").is_empty());
    assert!(talk.say("END").is_empty());
    assert_eq!(talk.tell_ready(), ["OK", "QUIT"]);
}

#[test]
fn a_row_that_is_too_long_makes_its_board_bad() {
    for header in ["BOARD", "YXBOARD", "SWAP2BOARD"] {
        let mut talk = started();
        talk.say(header);
        talk.say(if header == "SWAP2BOARD" { "0,0" } else { "0,0,1" });
        assert!(talk.say_too_much("1,1,2     ").is_empty());
        let refused =
            format!("ERROR {header}: \"1,1,2...\": the line was skipped, it is longer than 1 MiB");
        assert_eq!(talk.say("DONE"), [refused]);
        assert_eq!(talk.searches(), 0);
    }
    let mut talk = started();
    assert_eq!(
        talk.say_too_much("BEGIN"),
        ["ERROR \"BEGIN...\": the line was skipped, it is longer than 1 MiB"]
    );
    assert!(talk.say("BEGIN").is_empty());
}

#[test]
fn a_thread_num_of_0_means_all_cores() {
    let mut talk = started();
    for (number, threads) in [("2", 2), ("0", 3), ("5", 5), ("-1", 3)] {
        assert!(talk.say(&format!("INFO thread_num {number}")).is_empty());
        assert_eq!(talk.world(|world| world.threads), threads, "{number}");
    }
    let refused = talk.say("INFO thread_num 9999");
    assert_eq!(
        refused,
        [
            "MESSAGE INFO thread_num 9999: it must be at most 512, or 0 for all cores; the old value is kept"
        ]
    );
    assert_eq!(talk.world(|world| world.threads), 3);
}
