//! Everything that can happen between the start and the answer of a search.

use tengen_engine::backend::{BenchTotal, Event};

use super::fake::{Talk, answer, report};
use super::perft;

#[test]
fn a_search_reports_and_answers_once() {
    let mut talk = Talk::new();
    assert!(talk.say("go depth 3").is_empty());
    assert_eq!(
        talk.tell(0, report("a1")),
        [
            "info depth 1 seldepth 1 multipv 1 score cp 5 nodes 9 nps 9000 hashfull 0 tbhits 0 time 1 pv a1"
        ]
    );
    assert_eq!(talk.tell(0, answer("a1")), ["bestmove a1"]);
    assert!(talk.say("stop").is_empty());
    assert!(talk.tell(0, answer("a1")).is_empty(), "a second answer is stale");
    assert!(talk.tell(0, report("a1")).is_empty());
}

#[test]
fn stop_when_idle_and_ponderhit_out_of_place_are_silent() {
    let mut talk = Talk::new();
    assert!(talk.say("stop").is_empty());
    assert!(talk.say("ponderhit").is_empty());
    talk.say("go infinite");
    assert!(talk.say("ponderhit").is_empty());
    assert!(!talk.is_stopped(0));
    assert!(talk.tell(0, answer("a1")).is_empty());
    assert!(talk.say("ponderhit").is_empty());
    assert_eq!(talk.say("stop"), ["bestmove a1"]);
}

#[test]
fn stop_reaches_the_running_search_before_or_after_its_answer() {
    let mut talk = Talk::new();
    talk.say("go infinite");
    assert!(talk.say("stop").is_empty());
    assert!(talk.is_stopped(0));
    assert!(talk.say("stop").is_empty());
    assert_eq!(talk.tell(0, answer("a1")), ["bestmove a1"]);
    talk.say("go infinite");
    assert!(!talk.is_stopped(1), "a stop never hits the next search");
    assert!(talk.tell(1, answer("b1")).is_empty(), "withheld");
    assert!(talk.say("position startpos").is_empty());
    assert_eq!(talk.say("isready"), ["readyok"]);
    assert_eq!(talk.say("stop"), ["bestmove b1"]);
}

#[test]
fn a_bare_go_answers_by_itself() {
    let mut talk = Talk::new();
    talk.say("go");
    assert_eq!(talk.tell(0, answer("a1")), ["bestmove a1"]);
}

#[test]
fn a_go_stops_the_search_before_it_and_waits_for_its_answer() {
    let mut talk = Talk::new();
    talk.say("go infinite");
    assert!(talk.say("go depth 1").is_empty());
    assert!(talk.is_stopped(0));
    assert_eq!(talk.searches(), 1, "not before the answer is out");
    assert_eq!(talk.tell(0, answer("a1")), ["bestmove a1"]);
    assert_eq!(talk.searches(), 2);
    assert!(!talk.is_stopped(1));
    assert_eq!(talk.tell(1, answer("b1")), ["bestmove b1"]);
}

#[test]
fn a_go_releases_a_withheld_answer_at_once() {
    let mut talk = Talk::new();
    talk.say("go infinite");
    talk.tell(0, answer("a1"));
    assert_eq!(talk.say("go infinite"), ["bestmove a1"]);
    assert_eq!(talk.searches(), 2);
}

#[test]
fn commands_after_a_waiting_command_wait_in_order() {
    let mut talk = Talk::new();
    talk.say("go infinite");
    assert_eq!(talk.say("isready"), ["readyok"]);
    for line in ["go infinite", "isready", "position startpos moves a1", "stop", "nonsense"] {
        assert!(talk.say(line).is_empty(), "{line}");
    }
    assert_eq!(
        talk.tell(0, answer("a1")),
        ["bestmove a1", "readyok", "info string unknown command: \"nonsense\""]
    );
    assert!(talk.is_stopped(1), "the stop after a waiting go is for that go");
    assert_eq!(talk.tell(1, answer("b1")), ["bestmove b1"]);
}

#[test]
fn a_new_game_stops_the_search_and_announces_the_board() {
    let mut talk = Talk::new();
    talk.say("go infinite");
    assert!(talk.say("ucinewgame").is_empty());
    assert!(talk.is_stopped(0));
    assert_eq!(talk.tell(0, answer("a1")), ["bestmove a1", "info string variant line: 4 cells"]);
    assert_eq!(talk.calls().last().unwrap(), "clear_hash");
}

#[test]
fn options_that_replace_the_table_or_the_board_stop_the_search_and_others_do_not() {
    for (line, waits) in [
        ("setoption name Hash value 7", true),
        ("setoption name clear hash", true),
        ("setoption name UCI_Variant value short", true),
        ("setoption name Length value 9", true),
        ("setoption name Threads value 2", false),
        ("setoption name MultiPV value 2", false),
        ("setoption name Notation value drop", false),
        ("setoption name Unheard Of value 1", false),
    ] {
        let mut talk = Talk::new();
        talk.say("go infinite");
        talk.say(line);
        assert_eq!(talk.is_stopped(0), waits, "{line}");
        talk.say("stop");
        assert_eq!(talk.tell(0, answer("a1"))[0], "bestmove a1");
    }
}

#[test]
fn quit_stops_the_search_sends_its_answer_and_ends_the_session() {
    let mut talk = Talk::new();
    talk.say("go infinite");
    assert!(talk.say("quit").is_empty());
    assert!(talk.is_stopped(0));
    assert_eq!(talk.tell(0, answer("a1")), ["bestmove a1", "QUIT"]);
    assert!(talk.say("uci").is_empty(), "nothing follows");
    assert_eq!(Talk::new().say("quit"), ["QUIT"]);
    let mut held = Talk::new();
    held.say("go infinite");
    held.tell(0, answer("a1"));
    assert_eq!(held.say("quit"), ["bestmove a1", "QUIT"]);
}

#[test]
fn at_the_end_of_input_bounded_work_is_finished() {
    for line in ["go depth 3", "go nodes 5", "go movetime 5", "go wtime 5", "go mate 2"] {
        let mut talk = Talk::new();
        talk.say(line);
        assert!(talk.end().is_empty());
        assert!(!talk.is_stopped(0), "{line}");
        assert_eq!(talk.tell(0, answer("a1")), ["bestmove a1", "QUIT"], "{line}");
    }
    let mut talk = Talk::new();
    talk.say("go perft 2");
    assert!(talk.end().is_empty());
    assert!(!talk.is_stopped(0));
    assert_eq!(talk.tell(0, perft(true)), ["a1: 3", "Nodes searched: 3", "QUIT"]);
}

const GRACE: [&str; 2] =
    ["info string end of input: this search ends with a proof, or in 3 s", "TIMER 3s"];

#[test]
fn at_the_end_of_input_a_bare_go_has_three_seconds_more() {
    let mut talk = Talk::new();
    talk.say("go");
    assert_eq!(talk.end(), GRACE);
    assert_eq!(talk.tell(0, report("a1")).len(), 1);
    assert!(!talk.is_stopped(0));
    assert!(talk.end_timer().is_empty());
    assert!(talk.is_stopped(0));
    assert_eq!(talk.tell(0, answer("a1")), ["bestmove a1", "QUIT"]);

    let mut proven = Talk::new();
    proven.say("go");
    assert_eq!(proven.end(), GRACE);
    assert_eq!(proven.tell(0, answer("a1")), ["bestmove a1", "QUIT"]);
    assert!(proven.end_timer().is_empty(), "nothing follows");
}

#[test]
fn at_the_end_of_input_an_endless_search_is_stopped_after_its_first_iteration() {
    for line in ["go infinite", "go ponder wtime 5", "go infinite depth 3"] {
        let mut talk = Talk::new();
        talk.say(line);
        assert_eq!(talk.end(), ["TIMER 3s"]);
        assert!(!talk.is_stopped(0), "{line}");
        assert_eq!(talk.tell(0, report("a1")).len(), 1);
        assert!(talk.is_stopped(0), "{line}");
        assert_eq!(talk.tell(0, answer("a1")), ["bestmove a1", "QUIT"], "{line}");

        let mut later = Talk::new();
        later.say(line);
        later.tell(0, report("a1"));
        assert!(later.end().is_empty());
        assert!(later.is_stopped(0), "{line}");

        let mut slow = Talk::new();
        slow.say(line);
        slow.end();
        slow.end_timer();
        assert!(
            slow.is_stopped(0),
            "{line}: a search is stopped at the latest when the timer ends"
        );

        let mut held = Talk::new();
        held.say(line);
        held.tell(0, answer("a1"));
        assert_eq!(held.end(), ["bestmove a1", "QUIT"], "{line}");
    }
    assert_eq!(Talk::new().end(), ["QUIT"]);
}

#[test]
fn a_client_that_quits_waits_three_seconds_for_its_counts() {
    let mut talk = Talk::new();
    talk.say("go perft 9");
    talk.say("go perft 8");
    assert_eq!(talk.say("quit"), ["TIMER 3s"]);
    assert!(!talk.is_stopped(0));
    talk.end_timer();
    assert!(talk.is_stopped(0));
    let stopped = "info string perft stopped before its end";
    assert_eq!(talk.tell(0, perft(false)), [stopped]);
    assert!(talk.is_stopped(1), "no second three seconds");
    assert_eq!(talk.tell(1, perft(false)), [stopped, "QUIT"]);
}

#[test]
fn at_the_end_of_input_waiting_commands_still_run() {
    let mut talk = Talk::new();
    talk.say("go infinite");
    talk.say("go depth 2");
    assert!(talk.end().is_empty());
    assert_eq!(talk.tell(0, answer("a1")), ["bestmove a1"]);
    assert!(!talk.is_stopped(1));
    assert_eq!(talk.tell(1, answer("b1")), ["bestmove b1", "QUIT"]);
    let mut endless = Talk::new();
    endless.say("go infinite");
    endless.say("go infinite");
    endless.end();
    endless.tell(0, answer("a1"));
    assert!(!endless.is_stopped(1), "not before its first iteration");
    endless.tell(1, report("b1"));
    assert!(endless.is_stopped(1));
    assert_eq!(endless.tell(1, answer("b1")), ["bestmove b1", "QUIT"]);
}

#[test]
fn pondering_withholds_until_ponderhit_or_stop() {
    let mut talk = Talk::new();
    talk.say("go ponder movetime 5");
    assert!(talk.tell(0, answer("a1")).is_empty());
    assert_eq!(talk.say("ponderhit"), ["bestmove a1"]);

    talk.say("go ponder movetime 5");
    assert!(talk.say("ponderhit").is_empty());
    assert!(talk.is_hit(1));
    assert!(!talk.is_stopped(1));
    assert!(talk.end().is_empty());
    assert!(!talk.is_stopped(1), "bounded from ponderhit on");
    assert_eq!(talk.tell(1, answer("b1")), ["bestmove b1", "QUIT"]);

    let mut stopped = Talk::new();
    stopped.say("go ponder wtime 5");
    stopped.say("stop");
    assert_eq!(stopped.tell(0, answer("c1")), ["bestmove c1"]);

    let mut both = Talk::new();
    both.say("go ponder infinite");
    both.tell(0, answer("d1"));
    assert!(both.say("ponderhit").is_empty(), "still infinite");
    assert_eq!(both.say("stop"), ["bestmove d1"]);
}

#[test]
fn events_of_another_backend_or_search_are_dropped() {
    let mut talk = Talk::new();
    talk.say("go infinite");
    talk.say("go infinite");
    talk.tell(0, answer("a1"));
    assert!(talk.tell(0, report("a1")).is_empty());
    assert!(talk.tell(0, answer("a1")).is_empty());
    assert!(talk.tell(1, perft(true)).is_empty());
    assert!(talk.tell(1, Event::Bench(BenchTotal::default())).is_empty());
    talk.say("stop");
    assert_eq!(talk.tell(1, answer("b1")), ["bestmove b1"]);
}
