//! Options, readiness and the log.

use std::time::Duration;

use super::NEUTRAL;
use super::fake::Talk;

#[test]
fn ready_is_answered_at_once_in_a_search_and_by_the_backend_when_idle() {
    let mut talk = Talk::new();
    assert_eq!(talk.say("isready"), ["readyok"]);
    talk.world(|world| world.busy = true);
    assert!(talk.say("isready").is_empty());
    assert!(talk.say("isready").is_empty());
    assert!(talk.say("position startpos").is_empty());
    talk.say("go depth 1");
    assert_eq!(talk.say("isready"), ["readyok"]);
    assert_eq!(talk.tell_ready(), ["readyok"]);
    assert_eq!(talk.tell_ready(), ["readyok"]);
    assert!(talk.tell_ready().is_empty());
}

#[test]
fn a_pending_ready_outlives_the_backend_it_asked_and_is_answered_before_the_end() {
    let mut talk = Talk::new();
    talk.world(|world| world.busy = true);
    talk.say("isready");
    talk.world(|world| world.busy = false);
    assert_eq!(
        talk.say("setoption name UCI_Variant value short"),
        ["readyok", "info string variant short: 2 cells"]
    );
    talk.world(|world| world.busy = true);
    talk.say("isready");
    assert!(talk.end().is_empty());
    assert!(talk.tell_ready().is_empty(), "from the backend before");
    assert_eq!(talk.tell_ready(), ["readyok", "QUIT"]);
    let mut quitting = Talk::new();
    quitting.world(|world| world.busy = true);
    quitting.say("isready");
    assert!(quitting.say("quit").is_empty());
    assert_eq!(quitting.tell_ready(), ["readyok", "QUIT"]);
}

#[test]
fn a_variant_change_keeps_the_settings_and_announces_the_board() {
    let mut talk = Talk::new();
    talk.say("setoption name Hash value 9");
    talk.say("setoption name Move Overhead value 33");
    assert_eq!(
        talk.say("setoption name uci_variant value SHORT"),
        ["info string variant short: 2 cells"]
    );
    talk.say("isready");
    talk.world(|world| {
        assert_eq!((world.hash, world.overhead), (9, Duration::from_millis(33)));
    });
    assert_eq!(
        talk.say("setoption name UCI_Variant value short"),
        ["info string variant short: 2 cells"]
    );
}

#[test]
fn auto_selects_the_initial_variant() {
    let mut talk = Talk::new();
    assert_eq!(
        talk.say("setoption name UCI_Variant value auto"),
        ["info string variant line: 4 cells"]
    );
    assert_eq!(format!("{:?}", talk.style()), "Plain", "auto is not a variant");
    talk.say("setoption name UCI_Variant value short");
    assert_eq!(
        talk.say("setoption name UCI_Variant value auto"),
        ["info string variant line: 4 cells"]
    );
}

#[test]
fn game_options_are_kept_for_other_variants_and_bad_options_make_no_game() {
    let mut talk = Talk::new();
    assert_eq!(talk.say("setoption name Length value 6"), ["info string variant line: 6 cells"]);
    assert!(talk.say("setoption name Length value 6").is_empty());
    talk.say("setoption name UCI_Variant value short");
    assert!(talk.say("setoption name Length value 5").is_empty(), "no effect in this variant");
    assert_eq!(
        talk.say("setoption name UCI_Variant value line"),
        ["info string variant line: 5 cells"]
    );
    let why = "no game under these options: 13 cells bring bad luck";
    assert_eq!(talk.say("setoption name Length value 13"), [format!("info string {why}")]);
    assert_eq!(talk.say("position startpos"), [format!("info string {why}")]);
    assert_eq!(talk.say("go depth 1")[1..], NEUTRAL);
    assert_eq!(talk.say("ucinewgame"), [format!("info string {why}")]);
    assert_eq!(talk.say("go depth 1")[1..], NEUTRAL);
    assert_eq!(talk.say("setoption name Length value 12"), ["info string variant line: 12 cells"]);
    assert!(talk.say("go depth 1").is_empty());
}

#[test]
fn a_bad_option_is_one_line_and_changes_nothing() {
    let mut talk = Talk::new();
    let calls = talk.calls().len();
    for line in [
        "setoption name Hash value abc",
        "setoption name Hash",
        "setoption name Hash value 0",
        "setoption name Nope value 1",
        "setoption",
        "setoption name Ponder value maybe",
        "setoption name UCI_Variant value chess",
        "debug",
        "go perft x",
        "bench x",
    ] {
        let lines = talk.say(line);
        assert_eq!(lines.len(), 1, "{line}: {lines:?}");
        assert!(lines[0].starts_with("info string "), "{line}: {lines:?}");
    }
    assert_eq!(talk.calls().len(), calls);
}

#[test]
fn the_log_follows_its_option() {
    let mut talk = Talk::new();
    assert_eq!(talk.say("setoption name Debug Log File value /tmp/x y.log"), ["LOG /tmp/x y.log"]);
    assert_eq!(talk.say("setoption name Debug Log File value <empty>"), ["LOG -"]);
    assert_eq!(talk.say("setoption name debug log file"), ["LOG -"]);
}

#[test]
fn debug_says_why_a_command_waits() {
    let mut talk = Talk::new();
    talk.say("debug on");
    talk.say("go infinite");
    assert_eq!(talk.say("go depth 1").len(), 1);
    assert!(talk.say("isready").is_empty());
}

#[test]
fn a_client_that_turns_on_a_missing_book_gets_a_note() {
    let mut talk = Talk::new();
    assert!(talk.say("setoption name OwnBook value true").is_empty());
    talk.say("setoption name UCI_Variant value short");
    let note = "info string option OwnBook: this build has no opening book; BookFile names one";
    assert_eq!(talk.say("setoption name OwnBook value true"), [note]);
    assert!(talk.say("setoption name OwnBook value false").is_empty());
    talk.say("setoption name BookFile value good");
    assert!(talk.say("setoption name OwnBook value true").is_empty());
}

#[test]
fn a_book_stays_in_the_next_game_and_one_that_cannot_be_opened_changes_nothing() {
    let mut talk = Talk::new();
    let opened = |talk: &mut Talk| {
        let calls = talk.calls();
        calls.into_iter().filter(|call| call.starts_with("open_book")).collect::<Vec<_>>()
    };
    talk.say("setoption name BookFile value good");
    for _ in 0..2 {
        let refused = talk.say("setoption name BookFile value bad");
        assert_eq!(refused, ["info string option BookFile: \"bad\": no book"]);
    }
    talk.say("setoption name UCI_Variant value short");
    talk.say("isready");
    assert_eq!(opened(&mut talk), ["open_book good", "open_book good"]);
    talk.say("setoption name BookFile value <empty>");
    talk.say("setoption name UCI_Variant value line");
    assert_eq!(opened(&mut talk)[2..], ["open_book its own"]);
}

#[test]
fn an_evaluation_file_stays_in_the_next_game_and_one_that_cannot_be_opened_changes_nothing() {
    let mut talk = Talk::new();
    let opened = |talk: &mut Talk| {
        let calls = talk.calls();
        calls.into_iter().filter(|call| call.starts_with("open_eval_file")).collect::<Vec<_>>()
    };
    assert!(talk.say("setoption name EvalFile value good").is_empty());
    let refused = talk.say("setoption name EvalFile value bad");
    assert_eq!(refused, ["info string option EvalFile: \"bad\": no evaluation file"]);
    assert_eq!(opened(&mut talk), ["open_eval_file good"]);
    talk.say("setoption name UCI_Variant value short");
    // `d` opens the search of the next game, to show which file it uses.
    talk.say("d");
    assert_eq!(opened(&mut talk), ["open_eval_file good", "open_eval_file good"]);
    talk.say("setoption name EvalFile value <empty>");
    talk.say("setoption name UCI_Variant value line");
    talk.say("isready");
    assert_eq!(opened(&mut talk)[2..], ["open_eval_file its own"]);
}

#[test]
fn nothing_is_opened_before_it_is_needed_and_one_backend_serves_a_game() {
    let opened = |lines: &[&str]| {
        let mut talk = Talk::new();
        lines.iter().for_each(|line| drop(talk.say(line)));
        talk.calls().iter().filter(|call| *call == "open").count()
    };
    assert_eq!(
        opened(&["uci", "setoption name Hash value 7", "position startpos moves a1", "d"]),
        0
    );
    assert_eq!(opened(&["uci", "setoption name UCI_Variant value short", "isready"]), 1);
    assert_eq!(opened(&["START 4"]), 1);
    assert_eq!(opened(&["START 4", "TURN 0,0"]), 1);
    assert_eq!(opened(&["isready", "setoption name UCI_Variant value short", "d"]), 1);
}

#[test]
fn a_position_plays_only_what_differs_from_the_last_list() {
    let mut talk = Talk::new();
    let mut plays = |line: &str| {
        talk.world(|world| world.plays = 0);
        assert_eq!(talk.say(line), Vec::<String>::new(), "{line}");
        talk.world(|world| world.plays)
    };
    assert_eq!(plays("position startpos moves a1 b1 c1"), 3);
    assert_eq!(plays("position startpos moves a1 b1 c1 d1 a2"), 2);
    assert_eq!(plays("position startpos moves a1 b1 c2"), 1);
    assert_eq!(plays("position fen 4/4/4/4 w moves a1 b1"), 2);
    assert_eq!(plays("position fen 4/4/4/4 w moves a1 b1 c1"), 1);
    assert_eq!(plays("position startpos moves a1 b1 c1"), 3);
}

#[test]
fn a_turn_is_one_play() {
    let mut talk = Talk::new();
    for line in ["START 4", "BEGIN"] {
        talk.say(line);
    }
    talk.finish_last();
    talk.world(|world| world.plays = 0);
    talk.say("TURN 1,1");
    assert_eq!(talk.world(|world| world.plays), 1);
    talk.finish_last();
    assert_eq!(talk.world(|world| world.plays), 2, "the stone of the client and ours");
}
