//! Games in virtual time, with engines that behave well, badly and not at all.

mod gomocup;
mod restarts;
mod script;

use std::sync::Arc;
use std::time::Duration;

use tengen_engine::backend::Catalog;
use tengen_engine::{Chosen, GameSpec};
use tengen_games::CATALOG;

use self::script::{Act, Engine, Script};
use super::*;
use crate::config::time_control::read_clock;
use crate::config::{Config, Proto, Restart, TimeControl};
use crate::engine_host::{HostEvent, Launch};
use crate::openings::Opening;
use crate::record::{EndKind, GameRecord, GameScore};
use crate::schedule::Fixture;
use crate::session::EngineSetup;

/// Four in column a: the first player wins with the seventh move.
const GAME: [&str; 7] = ["a1", "b1", "a2", "b2", "a3", "b3", "a4"];

fn say(text: &str) -> Vec<Act> {
    vec![Act::Say(0, text.to_owned())]
}

/// What every well-behaved engine says beside its moves.
fn polite(line: &str) -> Option<Vec<Act>> {
    Some(match line.split(' ').next()? {
        "uci" => {
            let mut lines = say("id name Stub");
            lines.extend(say("option name UCI_Variant type combo default cfour var cfour"));
            lines.extend(say("uciok"));
            lines
        }
        "ugi" => say("ugiok"),
        "isready" => say("readyok"),
        "START" => say("OK"),
        "ABOUT" => say("name=\"Stub\""),
        _ => return None,
    })
}

/// An engine that answers each `go` with what `mv` makes of the number of moves played.
fn uci(mut mv: impl FnMut(usize, &str) -> Vec<Act> + 'static) -> Engine {
    let mut played = 0;
    Box::new(move |line| {
        if let Some(acts) = polite(line) {
            return acts;
        }
        if let Some(moves) = line.strip_prefix("position startpos") {
            played = moves.split_ascii_whitespace().count().saturating_sub(1);
        }
        if line.starts_with("go") || matches!(line, "stop" | "ponderhit" | "quit") {
            return mv(played, line);
        }
        Vec::new()
    })
}

/// An engine that plays [`GAME`], each move after so many milliseconds.
fn good(after: u64) -> Engine {
    uci(move |played, line| match line.starts_with("go") {
        true => vec![
            Act::Say(after, "info depth 3 score cp 10 nodes 7 time 1".to_owned()),
            Act::Say(after, format!("bestmove P@{}", GAME[played])),
        ],
        false => Vec::new(),
    })
}

fn control(text: &str) -> TimeControl {
    TimeControl { clock: Some(read_clock(text).unwrap()), ..TimeControl::default() }
}

fn player(name: &str, time: TimeControl) -> Player {
    let launch = Launch { cmd: name.into(), ..Launch::default() };
    let setup = EngineSetup {
        name: name.to_owned(),
        launch,
        proto: Proto::Uci,
        init: Vec::new(),
        options: Vec::new(),
        variant_name: Some("cfour".to_owned()),
        send_by_board: false,
        folder: None,
    };
    Player { setup, time, restart: Restart::Auto, ponder: false, threads: 1 }
}

fn spec(variant: &str) -> GameSpec {
    CATALOG.describe(variant, &Chosen::new()).unwrap()
}

struct Arena {
    script: Script,
    table: GameRunner,
    games: u64,
}

impl Arena {
    /// Player 0 is made by `one`, player 1 is good.
    fn new(one: impl FnMut() -> Engine + 'static, time: TimeControl) -> Self {
        Self::with(one, time, |_| {})
    }

    fn with(
        mut one: impl FnMut() -> Engine + 'static,
        time: TimeControl,
        change: impl FnOnce(&mut RunRules),
    ) -> Self {
        let players = vec![player("one", time), player("two", time)];
        let mut rules = RunRules::new(spec("cfour"), players, &Config::default());
        change(&mut rules);
        let board = CATALOG.position(&rules.spec);
        let script = Script::new(Box::new(move |name| match name {
            "one" => one(),
            _ => good(1),
        }));
        Self {
            script,
            table: GameRunner::new(Arc::new(rules), board, Observer::default()),
            games: 0,
        }
    }

    /// Plays the next game; player 0 moves first in even ones.
    fn play(&mut self) -> Played {
        self.play_between(if self.games.is_multiple_of(2) { [0, 1] } else { [1, 0] })
    }

    fn play_between(&mut self, players: [usize; 2]) -> Played {
        let id = self.games;
        self.games += 1;
        let plan = Plan {
            fixture: Fixture { id, round: 0, encounter: 0, players },
            attempt: 0,
            opening_number: 0,
            opening: Opening::default(),
            started: "2026-11-23T00:00:00Z".to_owned(),
            options: Default::default(),
        };
        self.table.play(&mut self.script, &plan)
    }

    fn finished(&mut self) -> GameRecord {
        match self.play() {
            Played::Finished(record) => *record,
            other => panic!("{other:?}"),
        }
    }

    fn end(&mut self) -> (GameScore, EndKind, String) {
        let record = self.finished();
        (record.score, record.end.kind, record.end.text)
    }

    /// The next game is played to its end by the rules: nothing remains of the last game.
    fn goes_on(&mut self) {
        let record = self.finished();
        assert_eq!(record.end.kind, EndKind::Line, "{record:?}");
        assert_eq!(record.moves, GAME);
    }

    fn warnings(record: &GameRecord) -> Vec<&str> {
        record.warnings.iter().map(|warning| warning.what.as_str()).collect()
    }
}

fn second(text: &str) -> TimeControl {
    control(text)
}

/// An engine that does `odd` at its first `go`, in its first life; later it is good.
fn odd_once(odd: impl Fn() -> Vec<Act> + Clone + 'static) -> impl FnMut() -> Engine {
    let mut lives = 0;
    move || {
        lives += 1;
        let (odd, is_odd) = (odd.clone(), lives == 1);
        let mut asked = 0;
        let mut engine = good(1);
        Box::new(move |line| {
            if line.starts_with("go") {
                asked += 1;
                if asked == 1 && is_odd {
                    return odd();
                }
            }
            engine(line)
        })
    }
}

#[test]
fn a_game_is_played_to_its_end_and_written_down() {
    let mut arena = Arena::new(|| good(250), second("3+0.5"));
    let record = arena.finished();
    assert_eq!(
        (record.score, record.moves.clone()),
        (GameScore::First, GAME.map(String::from).to_vec())
    );
    assert_eq!((record.end.kind, record.players), (EndKind::Line, [0, 1]));
    assert_eq!(record.notes.len(), 7);
    let first = &record.notes[0];
    assert_eq!((first.micros, first.left_millis), (250_000, Some(3250)));
    assert_eq!(
        (first.score.as_deref(), first.depth, first.nodes),
        (Some("+0.10"), Some(3), Some(7))
    );
    assert_eq!(record.notes[2].left_millis, Some(3500));
    assert!(record.warnings.is_empty() && record.usage[0].started);
    // The processes are kept, and change sides.
    let record = arena.finished();
    assert_eq!((record.players, record.score), ([1, 0], GameScore::First));
    assert!(!record.usage[0].started);
    assert!(!record.usage[0].restarted && !record.usage[1].restarted);
    assert_eq!(arena.script.starts(), 2);
    let sent: Vec<&String> =
        arena.script.log.iter().filter(|line| line.contains("go wtime")).collect();
    assert_eq!(sent[0], "0 go wtime 3500 btime 3500 winc 500 binc 500");
    assert!(arena.script.log.iter().any(|line| line == "1 position startpos moves P@a1"));
}

#[test]
fn an_engine_that_hangs_at_its_start_fails() {
    let mut arena = Arena::new(|| Box::new(|_| Vec::new()), second("3+0"));
    let (score, kind, text) = arena.end();
    assert_eq!((score, kind), (GameScore::Second, EndKind::Stall));
    assert_eq!(text, "one: no answer to \"uci\" within 10 s");
}

#[test]
fn an_engine_that_hangs_at_isready_stalls() {
    let hangs = || -> Engine {
        Box::new(
            |line| if line == "isready" { Vec::new() } else { polite(line).unwrap_or_default() },
        )
    };
    let mut arena = Arena::new(hangs, second("3+0"));
    let (score, kind, text) = arena.end();
    assert_eq!((score, kind), (GameScore::Second, EndKind::Stall));
    assert_eq!(text, "one: no answer to isready within 60 s");
}

#[test]
fn a_program_that_is_missing_fails() {
    let mut arena = Arena::with(
        || good(1),
        second("3+0"),
        |rules| {
            rules.players[0].setup.launch.cmd = "missing".into();
        },
    );
    let (score, kind, text) = arena.end();
    assert_eq!((score, kind), (GameScore::Second, EndKind::Crash));
    assert_eq!(text, "one: cannot be started: no such file");
}

#[test]
fn where_both_engines_fail_before_a_move_the_game_is_void() {
    let mut arena = Arena::with(
        || good(1),
        second("3+0"),
        |rules| {
            for player in &mut rules.players {
                player.setup.launch.cmd = "missing".into();
            }
        },
    );
    assert!(
        matches!(arena.play(), Played::Void(why) if why.contains("one:") && why.contains("two:"))
    );
}

#[test]
fn an_engine_that_hangs_in_a_move_loses_on_time_and_is_killed() {
    let mut arena = Arena::new(odd_once(Vec::new), second("3+0"));
    let begun = arena.script.log.len();
    let (score, kind, text) = arena.end();
    assert_eq!((score, kind), (GameScore::Second, EndKind::Time));
    assert_eq!(text, "out of time: no move after 3 s and a stop");
    let log = &arena.script.log[begun..];
    assert!(log.contains(&"0 stop".to_owned()) && log.contains(&"0 dismissed Forced".to_owned()));
    arena.goes_on();
}

#[test]
fn without_a_clock_an_engine_may_work_but_not_sleep() {
    let nodes = TimeControl { nodes: Some(1000), ..TimeControl::default() };
    let mut arena = Arena::new(odd_once(Vec::new), nodes);
    let (score, kind, text) = arena.end();
    assert_eq!((score, kind), (GameScore::Second, EndKind::Stall));
    assert_eq!(text, "neither output nor CPU time for 60 s");
    arena.goes_on();
    // It works for more than a minute and says nothing.
    let works = || vec![Act::Work(100_000), Act::Say(100_000, "bestmove a1".to_owned())];
    let mut arena = Arena::new(odd_once(works), nodes);
    arena.goes_on();
    // It talks for two minutes and uses no CPU time that is seen.
    let talks = || {
        let talk = |n: u64| Act::Say(n * 50_000, "info depth 1".to_owned());
        vec![talk(1), talk(2), Act::Say(120_000, "bestmove a1".to_owned())]
    };
    Arena::new(odd_once(talks), nodes).goes_on();
}

#[test]
fn a_margin_decides_to_the_millisecond() {
    let turn = TimeControl { turn: Some(Duration::from_millis(500)), ..TimeControl::default() };
    for (late, is_lost) in [(99, false), (100, false), (101, true)] {
        let odd = move || vec![Act::Say(500 + late, "bestmove a1".to_owned())];
        let mut arena = Arena::new(odd_once(odd), turn);
        let record = arena.finished();
        assert_eq!(record.end.kind == EndKind::Time, is_lost, "{late}");
        assert_eq!(record.usage[0].overrun_micros, late * 1000);
        if is_lost {
            assert_eq!(record.end.text, "out of time: 101 ms over 500 ms");
        }
        arena.goes_on();
        // The late answer was taken: the process goes on.
        assert_eq!(arena.script.starts(), 2);
    }
}

#[test]
fn a_late_machine_makes_a_loss_on_time_suspect() {
    let late = || vec![Act::Say(4000, "bestmove a1".to_owned())];
    let mut arena = Arena::new(odd_once(late), second("3+0"));
    arena.script.late = true;
    assert!(arena.finished().suspect);
}

#[test]
fn the_end_of_a_process_is_a_loss_at_once() {
    for how in ["ended with status 0", "ended with status 1", "was killed by SIGSEGV"] {
        let dies = move || vec![Act::Die(5, how)];
        for time in [second("3+0"), TimeControl { nodes: Some(5), ..TimeControl::default() }] {
            let mut arena = Arena::new(odd_once(dies), time);
            let record = arena.finished();
            assert_eq!((record.score, record.end.kind), (GameScore::Second, EndKind::Crash));
            assert_eq!(record.end.text, format!("the process {how}"));
            assert_eq!(record.millis, 5);
            arena.goes_on();
            assert_eq!(arena.script.starts(), 3);
        }
    }
}

#[test]
fn a_process_may_end_while_the_other_thinks_or_between_games() {
    let mut life = 0;
    let dies = move || {
        life += 1;
        let dies = life == 1;
        uci(move |played, line| match line.starts_with("go") {
            true if dies => {
                vec![
                    Act::Say(0, format!("bestmove {}", GAME[played])),
                    Act::Die(0, "ended with status 3"),
                ]
            }
            true => vec![Act::Say(0, format!("bestmove {}", GAME[played]))],
            false => Vec::new(),
        })
    };
    let mut arena = Arena::new(dies, second("3+0"));
    let (score, kind, _) = arena.end();
    assert_eq!((score, kind), (GameScore::Second, EndKind::Crash));
    arena.goes_on();
    // The last move of a game, and then the end.
    let mut life = 0;
    let dies_at_the_end = move || {
        life += 1;
        let dies = life == 1;
        uci(move |played, line| {
            let mut acts = Vec::new();
            if line.starts_with("go") {
                acts.push(Act::Say(0, format!("bestmove {}", GAME[played])));
                if played == 6 && dies {
                    acts.push(Act::Die(0, "ended with status 0"));
                }
            }
            acts
        })
    };
    let mut arena = Arena::new(dies_at_the_end, second("3+0"));
    arena.goes_on();
    arena.goes_on();
    assert_eq!(arena.script.starts(), 3);
}

#[test]
fn moves_that_are_none_lose_and_are_quoted() {
    for (answer, text) in [
        (
            "bestmove (none)",
            "illegal move \"(none)\": neither a column (a to g or 1 to 7) nor a point (as in d1)",
        ),
        ("bestmove z9", "illegal move \"z9\": outside the board (a1 to g6)"),
        ("bestmove a2", "illegal move \"a2\": a stone in this column falls to a1"),
        (
            "bestmove \u{fffd}\u{fffd}",
            "illegal move \"\u{fffd}\u{fffd}\": neither a column (a to g or 1 to 7) nor a point (as in d1)",
        ),
    ] {
        let mut arena = Arena::new(odd_once(move || say(answer)), second("3+0"));
        let (score, kind, found) = arena.end();
        assert_eq!((score, kind), (GameScore::Second, EndKind::Illegal));
        assert_eq!(found, text);
        arena.goes_on();
    }
}

#[test]
fn a_second_answer_is_a_warning_and_never_a_move() {
    let twice =
        || vec![Act::Say(1, "bestmove a1".to_owned()), Act::Say(1, "bestmove g1".to_owned())];
    let mut arena = Arena::new(odd_once(twice), second("3+0"));
    let record = arena.finished();
    assert_eq!(record.moves, GAME);
    assert!(Arena::warnings(&record).contains(&"a move out of turn"));
    // It comes after the last move, and the next game begins.
    let last_twice = || {
        uci(|played, line| match line.starts_with("go") {
            true if played == 6 => {
                vec![Act::Say(1, "bestmove a4".to_owned()), Act::Say(1, "bestmove g1".to_owned())]
            }
            true => say(&format!("bestmove {}", GAME[played])),
            false => Vec::new(),
        })
    };
    let mut arena = Arena::new(last_twice, second("3+0"));
    arena.goes_on();
    arena.goes_on();
}

#[test]
fn floods_memory_and_stalled_input_lose() {
    for (event, kind, text) in [
        (HostEvent::Flood { seat: 0 }, EndKind::Flood, "wrote more than 64 MiB without an answer"),
        (
            HostEvent::Memory { seat: 0, bytes: 900 << 20 },
            EndKind::Memory,
            "took at least 900 MiB of memory",
        ),
        (HostEvent::InputStalled { seat: 0 }, EndKind::Stall, "did not read its input for 5 s"),
    ] {
        let odd = move || vec![Act::Event(7, event.clone())];
        let mut arena = Arena::new(odd_once(odd), second("3+0"));
        assert_eq!(arena.end(), (GameScore::Second, kind, text.to_owned()));
        arena.goes_on();
    }
}

#[test]
fn talk_does_not_move_the_deadline() {
    let talks =
        || (0..500).map(|n| Act::Say(n * 10, "info depth 1 score cp 1".to_owned())).collect();
    let mut arena = Arena::new(odd_once(talks), second("1+0"));
    let (score, kind, _) = arena.end();
    assert_eq!((score, kind), (GameScore::Second, EndKind::Time));
    arena.goes_on();
}

#[test]
fn a_run_that_ends_leaves_the_game() {
    let mut arena = Arena::new(odd_once(|| vec![Act::Event(3, HostEvent::Abort)]), second("3+0"));
    assert_eq!(arena.play(), Played::Aborted);
}

#[test]
fn claims_are_held_against_the_board() {
    let claims = || {
        let info = "info depth 9 score mate 1 pv P@a1";
        vec![Act::Say(0, info.to_owned()), Act::Say(0, "bestmove P@a1".to_owned())]
    };
    let mut arena = Arena::new(odd_once(claims), second("3+0"));
    let record = arena.finished();
    assert_eq!(Arena::warnings(&record), ["a win without a line to its end"]);
    assert_eq!(record.notes[0].score.as_deref(), Some("+M1"));
}

/// Plays with pondering; `expects` is the reply that player 0 expects to its first move.
fn pondered(expects: &'static str) -> (GameRecord, Vec<String>) {
    let one = move || {
        let mut pondering = false;
        uci(move |played, line| match line {
            "ponderhit" => {
                pondering = false;
                vec![Act::Say(3, format!("bestmove P@{}", GAME[played]))]
            }
            "stop" if pondering => {
                pondering = false;
                say("bestmove P@g1")
            }
            line if line.starts_with("go ponder") => {
                pondering = true;
                Vec::new()
            }
            line if line.starts_with("go") && played == 0 => {
                vec![Act::Say(10, format!("bestmove P@a1 ponder P@{expects}"))]
            }
            line if line.starts_with("go") => say(&format!("bestmove P@{}", GAME[played])),
            _ => Vec::new(),
        })
    };
    let mut arena = Arena::with(one, second("3+0"), |rules| rules.players[0].ponder = true);
    let record = arena.finished();
    (record, arena.script.log)
}

#[test]
fn pondering_is_told_when_it_was_right() {
    let (record, log) = pondered("b1");
    assert_eq!(record.moves, GAME);
    assert!(log.iter().any(|line| line == "0 position startpos moves P@a1 P@b1"), "{log:?}");
    assert!(log.iter().any(|line| line.starts_with("0 go ponder wtime")));
    assert!(log.contains(&"0 ponderhit".to_owned()));
    assert!(record.notes[2].ponder_hit && record.notes[2].micros == 3000);
    assert_eq!(Arena::warnings(&record).iter().filter(|what| what.contains("turn")).count(), 0);
}

#[test]
fn engines_have_cpus_of_their_own_where_one_of_them_ponders() {
    let started = |ponder: bool| {
        let mut arena = Arena::with(
            || good(1),
            second("3+0"),
            |rules| {
                rules.players[0].threads = 2;
                rules.players[0].ponder = ponder;
                for player in &mut rules.players {
                    player.setup.launch.cpus = vec![3, 4, 7];
                }
            },
        );
        arena.goes_on();
        arena.script.cpus
    };
    assert_eq!(started(true), [(0, vec![3, 4]), (1, vec![7])]);
    assert_eq!(started(false), [(0, vec![3, 4, 7]), (1, vec![3, 4, 7])]);
}

#[test]
fn pondering_on_another_move_is_stopped() {
    let (record, log) = pondered("g1");
    assert_eq!(record.moves, GAME);
    assert!(log.contains(&"0 stop".to_owned()) && !log.contains(&"0 ponderhit".to_owned()));
    assert!(!record.notes[2].ponder_hit);
}

#[test]
fn an_engine_is_stopped_while_the_other_thinks_where_that_is_asked_for() {
    let mut arena = Arena::with(|| good(1), second("3+0"), |rules| rules.suspend = true);
    arena.goes_on();
    let log = arena.script.log.join("\n");
    assert!(log.contains("1 suspended\n0 position startpos\n"), "{log}");
    assert!(log.contains("1 resumed\n0 suspended\n1 position"), "{log}");
}
