//! Tests of the session with a fake backend. The test decides when the backend sends its events, so
//! it can try events in every order.

pub(crate) mod fake;
mod managed_game;
mod positions;
mod races;
mod settings;

use proptest::prelude::*;
use tengen_engine::backend::{Event, Perft};

pub(crate) use self::fake::FAKE;
use self::fake::Talk;

const NEUTRAL: [&str; 2] = ["info depth 0 score cp 0 nodes 0 time 0", "bestmove (none)"];

fn perft(complete: bool) -> Event {
    let divide = vec![(fake::typed_on(4, "a1"), 3)];
    Event::Perft(fake::changed(Perft::default(), |it| {
        (it.divide, it.nodes, it.complete) = (divide, 3, complete);
    }))
}

/// The steps of a client in a random test: lines, or events of the backend.
const WALK: &[&str] = &[
    "go infinite",
    "go depth 1",
    "go",
    "go ponder wtime 5",
    "stop",
    "ponderhit",
    "isready",
    "ucinewgame",
    "position startpos",
    "position startpos moves bad",
    "setoption name Hash value 5",
    "go perft 1",
    "d",
    "setoption name UCI_Variant value short",
    "ANSWER",
    "REPORT",
];

/// The steps of a client in a random test of the managed game.
const GAME_WALK: &[&str] = &[
    "START 4",
    "RESTART",
    "BEGIN",
    "TURN 0,0",
    "TURN 1,1",
    "TURN 9,9",
    "PLAY 2,2",
    "TAKEBACK 0,0",
    "BOARD 0,0,1 1,1,2 DONE",
    "BOARD",
    "2,2,2",
    "DONE",
    "YXBOARD DONE",
    "SWAP2BOARD DONE",
    "YXNBEST 2",
    "INFO max_memory 9999999",
    "INFO rule 1",
    "INFO evaluate 0,1",
    "STOP",
    "ABOUT",
    "ANSWER",
    "REPORT",
];

/// Returns whether a client takes the line for the final answer to a command.
fn is_final(line: &str) -> bool {
    let is_cell = line.starts_with(|c: char| c.is_ascii_digit());
    is_cell || ["OK", "ERROR", "SWAP"].iter().any(|word| line.starts_with(word))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn whatever_the_order_every_command_of_a_managed_game_is_answered_at_most_once(
        steps in proptest::collection::vec(proptest::sample::select(GAME_WALK), 0..25),
        quits in any::<bool>(),
    ) {
        let mut talk = Talk::new();
        let mut lines = talk.say("START 4");
        let mut commands = 1;
        for step in steps {
            match step {
                "ANSWER" => lines.extend(talk.finish_last()),
                "REPORT" => lines.extend(talk.report_last()),
                line => {
                    commands += 1;
                    lines.extend(talk.say(line));
                }
            }
            prop_assert!(lines.iter().filter(|line| is_final(line)).count() <= commands);
        }
        lines.extend(if quits { talk.say("END") } else { talk.end() });
        while talk.has_open_work() {
            lines.extend(talk.finish_last());
        }
        prop_assert_eq!(lines.last().map(String::as_str), Some("QUIT"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn whatever_the_order_every_go_has_one_bestmove(
        steps in proptest::collection::vec(proptest::sample::select(WALK), 0..25),
        quits in any::<bool>(),
    ) {
        let mut talk = Talk::new();
        let mut lines = Vec::new();
        let mut goes = 0;
        let mut readies = 0;
        for step in steps {
            match step {
                "ANSWER" => lines.extend(talk.finish_last()),
                "REPORT" => lines.extend(talk.report_last()),
                line => {
                    goes += usize::from(line.starts_with("go") && !line.contains("perft"));
                    readies += usize::from(line == "isready");
                    lines.extend(talk.say(line));
                }
            }
            let answered = lines.iter().filter(|line| line.starts_with("bestmove")).count();
            prop_assert!(answered <= goes);
        }
        lines.extend(if quits { talk.say("quit") } else { talk.end() });
        while talk.has_open_work() {
            lines.extend(talk.finish_last());
        }
        let count = |word: &str| lines.iter().filter(|line| line.starts_with(word)).count();
        prop_assert_eq!(count("bestmove"), goes);
        prop_assert_eq!(count("readyok"), readies);
        prop_assert_eq!(lines.last().map(String::as_str), Some("QUIT"));
    }
}
