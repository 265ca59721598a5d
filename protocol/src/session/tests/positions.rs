//! Positions: searches, perfts and output, and the answers without a valid position.

use std::time::Duration;

use tengen_engine::backend::{BenchTotal, Event};
use tengen_engine::{Outcome, Side};

use super::fake::{Talk, answer, changed};
use super::{NEUTRAL, perft};

#[test]
fn a_bad_position_is_remembered_as_bad_until_a_good_one_comes() {
    let mut talk = Talk::new();
    let message = "position refused: move 2 of the list: move \"bad\": not on the board";
    assert_eq!(talk.say("position startpos moves a1 bad c1"), [format!("info string {message}")]);
    let refusal = format!("info string search refused: {message}");
    for _ in 0..2 {
        assert_eq!(talk.say("go depth 3"), [&refusal, NEUTRAL[0], NEUTRAL[1]]);
    }
    assert_eq!(talk.say("go perft 2").len(), 1);
    assert_eq!(talk.say("flip").len(), 1);
    assert_eq!(talk.searches(), 0);
    talk.say("position startpos moves a1");
    assert!(talk.say("go depth 3").is_empty());
    talk.tell(0, answer("a1"));
    talk.say("position fen nonsense");
    talk.say("ucinewgame");
    talk.say("go depth 3");
    assert_eq!(talk.searches(), 2);
}

#[test]
fn a_position_too_long_to_be_read_is_a_bad_one() {
    let message = "position refused: \"Position startpos mo...\": the line was skipped, it is longer than 1 MiB";
    let mut talk = Talk::new();
    talk.say("position startpos moves a1");
    assert_eq!(talk.say_too_much("\tPosition startpos mo"), [format!("info string {message}")]);
    let refusal = format!("info string search refused: {message}");
    assert_eq!(talk.say("go depth 3"), [&refusal, NEUTRAL[0], NEUTRAL[1]]);
    talk.say("position startpos");
    assert!(talk.say("go depth 3").is_empty());
    talk.tell(0, answer("a1"));
    let other = talk.say_too_much("setoption name Hash value 3");
    assert_eq!(
        other,
        [
            "info string \"setoption name Hash value 3...\": the line was skipped, it is longer than 1 MiB"
        ]
    );
    assert!(talk.say("go depth 3").is_empty(), "the position stays");

    for beginning in ["position fen 4", "moves a1 b1"] {
        let mut talk = Talk::new();
        talk.say("ugi");
        talk.say_too_much(beginning);
        let reply = talk.say("query gameover");
        let why = format!("position refused: \"{beginning}...\": the line was skipped");
        let refusal = format!("info string query refused: {why}");
        assert!(reply[0].starts_with(&refusal), "{reply:?}");
    }
}

#[test]
fn an_answer_without_a_position_is_withheld_like_any_other() {
    for (go, release) in [
        ("go infinite", "stop"),
        ("go ponder wtime 1", "ponderhit"),
        ("go ponder wtime 1", "stop"),
        ("go infinite", "isready\nstop"),
    ] {
        let mut talk = Talk::new();
        talk.say("position startpos moves bad");
        assert_eq!(talk.say(go).len(), 1, "only the note");
        assert_eq!(talk.say("isready"), ["readyok"]);
        let mut lines: Vec<String> = release.lines().flat_map(|line| talk.say(line)).collect();
        lines.retain(|line| line != "readyok");
        assert_eq!(lines, NEUTRAL, "{go} {release}");
        assert!(talk.say("stop").is_empty());
    }
    let mut talk = Talk::new();
    talk.say("position startpos moves bad");
    talk.say("go infinite");
    assert_eq!(talk.say("quit"), [NEUTRAL[0], NEUTRAL[1], "QUIT"]);
    let mut next = Talk::new();
    next.say("position startpos moves bad");
    next.say("go infinite");
    assert_eq!(next.say("go depth 1").len(), 5);
    let mut end = Talk::new();
    end.say("position startpos moves bad");
    end.say("go infinite");
    assert_eq!(end.end(), [NEUTRAL[0], NEUTRAL[1], "QUIT"]);
}

#[test]
fn a_finished_game_is_scored_and_has_no_move() {
    for (outcome, score) in [
        (Outcome::Win(Side::First), "mate 1"),
        (Outcome::Win(Side::Second), "mate 0"),
        (Outcome::Draw, "cp 0"),
    ] {
        let mut talk = Talk::new();
        talk.world(|world| world.outcome = Some(outcome));
        let info = format!("info depth 0 score {score} nodes 0 time 0");
        assert_eq!(talk.say("go depth 3"), [&info, "bestmove (none)"]);
        assert!(talk.say("go infinite").is_empty());
        assert_eq!(talk.say("stop"), [&info, "bestmove (none)"]);
        assert_eq!(talk.searches(), 0);
    }
}

#[test]
fn moves_are_written_as_drops_after_the_client_writes_drops_or_sets_the_option() {
    let style = |lines: &[&str]| {
        let mut talk = Talk::new();
        lines.iter().for_each(|line| drop(talk.say(line)));
        format!("{:?}", talk.style())
    };
    assert_eq!(style(&["position startpos moves a1"]), "Plain");
    assert_eq!(style(&["position startpos moves P@a1", "position startpos moves a1"]), "Drop");
    assert_eq!(style(&["go searchmoves p@a1"]), "Drop");
    assert_eq!(style(&["setoption name UCI_Variant value line"]), "Drop");
    assert_eq!(
        style(&["setoption name Notation value plain", "position startpos moves P@a1"]),
        "Plain"
    );
    assert_eq!(style(&["setoption name Notation value column"]), "Column");
    assert_eq!(
        style(&["position startpos moves P@a1", "setoption name notation value AUTO"]),
        "Drop"
    );
    let variant = "setoption name UCI_Variant value short";
    assert_eq!(style(&[variant]), "Drop", "choosing a variant also counts");
}

#[test]
fn counts_and_benches_can_be_stopped_and_print_no_bestmove() {
    let mut talk = Talk::new();
    talk.say("go perft 9");
    talk.say("stop");
    assert!(talk.is_stopped(0));
    assert_eq!(talk.tell(0, perft(false)), ["info string perft stopped before its end"]);
    talk.say("bench 3");
    assert_eq!(talk.say("isready"), ["readyok"]);
    assert_eq!(talk.tell(1, Event::Note("1/9".into())), ["info string 1/9"]);
    // Commands after a bench wait for it, except stop and isready.
    assert!(talk.say("go depth 1").is_empty());
    assert!(!talk.is_stopped(1));
    assert_eq!(talk.say("isready"), ["readyok"]);
    talk.say("stop");
    assert!(talk.is_stopped(1));
    let total =
        changed(BenchTotal::default(), |it| (it.nodes, it.time) = (5, Duration::from_secs(1)));
    assert_eq!(
        talk.tell(1, Event::Bench(total)),
        ["info string bench stopped before its end", "5 nodes 5 nps"]
    );
    assert_eq!(talk.tell(2, answer("a1")), ["bestmove a1"]);
}

#[test]
fn people_are_shown_the_position_and_its_evaluation() {
    let mut talk = Talk::new();
    let lines = talk.say("d");
    for expected in [
        "Fen: 4/4/4/4 w",
        "Pocket: pocket",
        "Key: 000000000000ABCD",
        "Moves: a1 b1",
        "Turn: first player",
        "Evaluation file: built in, checksum 1234ABCD",
    ] {
        assert!(lines.iter().any(|line| line == expected), "{expected}: {lines:?}");
    }
    assert_eq!(
        talk.say("eval"),
        [
            "centre      +12",
            "threats     -40",
            "total       -28 (hundredths, for the side to move)",
            "Evaluation file: built in, checksum 1234ABCD"
        ]
    );
    assert_eq!(talk.say("compiler").len(), 1);
    assert!(talk.say("help").len() > 5);
    talk.say("position startpos moves bad");
    assert!(talk.say("d")[0].ends_with("this is the position before it"));
}

#[test]
fn the_identity_ends_with_uciok_and_every_line_is_known() {
    let lines = Talk::new().say("uci");
    assert_eq!(lines[..2], ["id name Fake 3", "id author a tester"]);
    assert_eq!(lines.last().unwrap(), "uciok");
    assert!(lines[2..lines.len() - 1].iter().all(|line| line.starts_with("option name ")));
}
