//! Games in virtual time, with engines that behave well and engines that misbehave.

mod gomocup;
mod replayed;
mod restarts;
mod script;

use std::time::Duration;

use tengen_engine::backend::Catalog;
use tengen_engine::{Chosen, GameSpec};
use tengen_games::CATALOG;
use tengen_runs::Task;

use self::script::{Action, Engine, Script};
use super::*;
use crate::config::Launch;
use crate::config::time_control::read_clock;
use crate::config::{Config, EngineConfig, Proto, Restart, TimeControl};
use crate::engine::host::HostEvent;
use crate::openings::Opening;
use crate::record::{EndKind, GameRecord, GameScore};
use crate::schedule::Fixture;

/// Four in column a: the first player wins with the seventh move.
const GAME: [&str; 7] = ["a1", "b1", "a2", "b2", "a3", "b3", "a4"];

fn say(text: &str) -> Vec<Action> {
    vec![Action::Say(0, text.to_owned())]
}

/// Answers the lines of the handshake; `None` for other lines.
fn handshake(line: &str) -> Option<Vec<Action>> {
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

/// Creates a UCI engine. `answer` gets the number of moves played and the line `go`, `stop`,
/// `ponderhit` or `quit`.
fn uci(mut answer: impl FnMut(usize, &str) -> Vec<Action> + 'static) -> Engine {
    let mut played = 0;
    Box::new(move |line| {
        if let Some(actions) = handshake(line) {
            return actions;
        }
        if let Some(moves) = line.strip_prefix("position startpos") {
            played = moves.split_ascii_whitespace().count().saturating_sub(1);
        }
        if line.starts_with("go") || matches!(line, "stop" | "ponderhit" | "quit") {
            return answer(played, line);
        }
        Vec::new()
    })
}

/// Creates an engine that plays [`GAME`], each move after `after` milliseconds.
fn good(after: u64) -> Engine {
    uci(move |played, line| match line.starts_with("go") {
        true => vec![
            Action::Say(after, "info depth 3 score cp 10 nodes 7 time 1".to_owned()),
            Action::Say(after, format!("bestmove P@{}", GAME[played])),
        ],
        false => Vec::new(),
    })
}

fn clock(text: &str) -> TimeControl {
    TimeControl { clock: Some(read_clock(text).unwrap()), ..TimeControl::default() }
}

fn player(name: &str, time: TimeControl) -> EngineConfig {
    let launch = Launch { cmd: name.into(), ..Launch::default() };
    let name = Some(name.to_owned());
    EngineConfig { name, launch, proto: Proto::Uci, time, ..EngineConfig::default() }
}

fn rules(variant: &str, players: Vec<EngineConfig>) -> RunRules {
    RunRules { spec: spec(variant), players, config: Config::default() }
}

fn spec(variant: &str) -> GameSpec {
    CATALOG.describe(variant, &Chosen::new()).unwrap()
}

/// Checks a record by the rules of its runner.
fn replay(runner: &GameRunner, record: &GameRecord, plan: &Plan) -> Result<(), String> {
    let rule = runner.opening.as_ref().map(|opening| opening.rule);
    let (rules, board) = runner.checked_by();
    Replay::new(rules, rule).check(record, plan, board).map(drop)
}

struct Match {
    script: Script,
    runner: GameRunner,
    games: u64,
}

impl Match {
    /// Creates a match of player 0, whose engine `one` creates, against a good engine.
    fn new(one: impl FnMut() -> Engine + 'static, time: TimeControl) -> Self {
        Self::with(one, time, |_| {})
    }

    fn with(
        mut one: impl FnMut() -> Engine + 'static,
        time: TimeControl,
        change: impl FnOnce(&mut RunRules),
    ) -> Self {
        let players = vec![player("one", time), player("two", time)];
        let mut rules = rules("cfour", players);
        change(&mut rules);
        let board = CATALOG.position(&rules.spec);
        let script = Script::new(Box::new(move |name| match name {
            "one" => one(),
            _ => good(1),
        }));
        Self { script, runner: GameRunner::new(rules, board), games: 0 }
    }

    /// Plays the next game. Player 0 moves first in games with even numbers.
    fn play(&mut self) -> GameOutcome {
        self.play_between(if self.games.is_multiple_of(2) { [0, 1] } else { [1, 0] })
    }

    fn play_between(&mut self, players: [usize; 2]) -> GameOutcome {
        let id = self.games;
        self.games += 1;
        let plan = Plan {
            fixture: Fixture { id, round: 0, encounter: 0, players },
            opening_number: 0,
            opening: Opening::default(),
            started: "2026-11-23T00:00:00Z".to_owned(),
            options: Default::default(),
        };
        let task = Task { id, attempt: 0, work: plan };
        let played = self.runner.play(&mut self.script, &task);
        if let GameOutcome::Finished(record) = &played {
            assert_eq!(replay(&self.runner, record, &task.work), Ok(()), "{record:?}");
        }
        played
    }

    fn finished(&mut self) -> GameRecord {
        match self.play() {
            GameOutcome::Finished(record) => *record,
            other => panic!("{other:?}"),
        }
    }

    fn end(&mut self) -> (GameScore, EndKind, String) {
        let record = self.finished();
        (record.score, record.end.kind, record.end.text)
    }

    /// Asserts that the next game is normal, so that nothing remains of the last game.
    fn plays_normally(&mut self) {
        let record = self.finished();
        assert_eq!(record.end.kind, EndKind::Line, "{record:?}");
        assert_eq!(record.moves, GAME);
    }

    fn warnings(record: &GameRecord) -> Vec<&str> {
        record.warnings.iter().map(|warning| warning.what.as_str()).collect()
    }
}

/// Creates engines of which the first process does `odd` at its first `go`. Otherwise they are
/// good.
fn odd_once(odd: impl Fn() -> Vec<Action> + Clone + 'static) -> impl FnMut() -> Engine {
    let mut starts = 0;
    move || {
        starts += 1;
        let (odd, is_odd) = (odd.clone(), starts == 1);
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
fn a_game_is_played_to_its_end_and_recorded() {
    let mut games = Match::new(|| good(250), clock("3+0.5"));
    let record = games.finished();
    assert_eq!(
        (record.score, record.moves.clone()),
        (GameScore::First, GAME.map(String::from).to_vec())
    );
    assert_eq!((record.end.kind, record.players), (EndKind::Line, [0, 1]));
    assert_eq!(record.notes.len(), 7);
    let first = &record.notes[0];
    assert_eq!((first.micros, first.left_millis), (250_000, Some(3250)));
    assert_eq!(
        (first.said.score.as_deref(), first.said.depth, first.said.nodes),
        (Some("+0.10"), Some(3), Some(7))
    );
    assert_eq!(record.notes[2].left_millis, Some(3500));
    assert!(record.warnings.is_empty() && record.usage[0].started);
    // The processes are kept and change sides.
    let record = games.finished();
    assert_eq!((record.players, record.score), ([1, 0], GameScore::First));
    assert!(!record.usage[0].started);
    assert!(!record.usage[0].restarted && !record.usage[1].restarted);
    assert_eq!(games.script.starts(), 2);
    let sent: Vec<&String> =
        games.script.log.iter().filter(|line| line.contains("go wtime")).collect();
    assert_eq!(sent[0], "0 go wtime 3500 btime 3500 winc 500 binc 500");
    assert!(games.script.log.iter().any(|line| line == "1 position startpos moves P@a1"));
}

#[test]
fn an_engine_that_hangs_at_its_start_fails() {
    let mut games = Match::new(|| Box::new(|_| Vec::new()), clock("3+0"));
    let (score, kind, text) = games.end();
    assert_eq!((score, kind), (GameScore::Second, EndKind::Stall));
    assert_eq!(text, "one: no answer to \"uci\" within 10 s");
}

#[test]
fn an_engine_that_hangs_at_isready_stalls() {
    let hangs = || -> Engine {
        Box::new(
            |line| if line == "isready" { Vec::new() } else { handshake(line).unwrap_or_default() },
        )
    };
    let mut games = Match::new(hangs, clock("3+0"));
    let (score, kind, text) = games.end();
    assert_eq!((score, kind), (GameScore::Second, EndKind::Stall));
    assert_eq!(text, "one: no answer to isready within 60 s");
}

#[test]
fn a_program_that_is_missing_fails() {
    let mut games = Match::with(
        || good(1),
        clock("3+0"),
        |rules| {
            rules.players[0].launch.cmd = "missing".into();
        },
    );
    let (score, kind, text) = games.end();
    assert_eq!((score, kind), (GameScore::Second, EndKind::Crash));
    assert_eq!(text, "one: cannot be started: no such file");
}

#[test]
fn a_game_is_void_if_both_engines_fail_before_a_move() {
    let mut games = Match::with(
        || good(1),
        clock("3+0"),
        |rules| {
            for player in &mut rules.players {
                player.launch.cmd = "missing".into();
            }
        },
    );
    assert!(
        matches!(games.play(), GameOutcome::Failed(why) if why.contains("one:") && why.contains("two:"))
    );
}

#[test]
fn an_engine_that_hangs_in_a_move_loses_on_time_and_is_killed() {
    let mut games = Match::new(odd_once(Vec::new), clock("3+0"));
    let log_start = games.script.log.len();
    let (score, kind, text) = games.end();
    assert_eq!((score, kind), (GameScore::Second, EndKind::Time));
    assert_eq!(text, "out of time: no move after 3 s and a stop");
    let log = &games.script.log[log_start..];
    assert!(log.contains(&"0 stop".to_owned()) && log.contains(&"0 dismissed Forced".to_owned()));
    games.plays_normally();
}

#[test]
fn without_a_clock_an_idle_engine_stalls_and_a_busy_one_does_not() {
    let nodes = TimeControl { nodes: Some(1000), ..TimeControl::default() };
    let mut games = Match::new(odd_once(Vec::new), nodes);
    let (score, kind, text) = games.end();
    assert_eq!((score, kind), (GameScore::Second, EndKind::Stall));
    assert_eq!(text, "neither output nor CPU time for 60 s");
    games.plays_normally();
    // The engine uses CPU time for more than a minute without output.
    let works = || vec![Action::Work(100_000), Action::Say(100_000, "bestmove a1".to_owned())];
    let mut games = Match::new(odd_once(works), nodes);
    games.plays_normally();
    // The engine writes lines for two minutes without CPU time.
    let writes = || {
        let info = |n: u64| Action::Say(n * 50_000, "info depth 1".to_owned());
        vec![info(1), info(2), Action::Say(120_000, "bestmove a1".to_owned())]
    };
    Match::new(odd_once(writes), nodes).plays_normally();
}

#[test]
fn a_margin_decides_to_the_millisecond() {
    let turn = TimeControl { turn: Some(Duration::from_millis(500)), ..TimeControl::default() };
    for (late, is_lost) in [(99, false), (100, false), (101, true)] {
        let odd = move || vec![Action::Say(500 + late, "bestmove a1".to_owned())];
        let mut games = Match::new(odd_once(odd), turn);
        let record = games.finished();
        assert_eq!(record.end.kind == EndKind::Time, is_lost, "{late}");
        assert_eq!(record.usage[0].overrun_micros, late * 1000);
        if is_lost {
            assert_eq!(record.end.text, "out of time: 101 ms over 500 ms");
        }
        games.plays_normally();
        // The late answer arrived, so the process was kept.
        assert_eq!(games.script.starts(), 2);
    }
}

#[test]
fn a_late_machine_makes_a_loss_on_time_suspect() {
    let late = || vec![Action::Say(4000, "bestmove a1".to_owned())];
    let mut games = Match::new(odd_once(late), clock("3+0"));
    games.script.late = true;
    assert!(games.finished().suspect);
}

#[test]
fn the_end_of_a_process_is_a_loss_at_once() {
    for how in ["ended with status 0", "ended with status 1", "was killed by SIGSEGV"] {
        let dies = move || vec![Action::Die(5, how)];
        for time in [clock("3+0"), TimeControl { nodes: Some(5), ..TimeControl::default() }] {
            let mut games = Match::new(odd_once(dies), time);
            let record = games.finished();
            assert_eq!((record.score, record.end.kind), (GameScore::Second, EndKind::Crash));
            assert_eq!(record.end.text, format!("the process {how}"));
            assert_eq!(record.millis, 5);
            games.plays_normally();
            assert_eq!(games.script.starts(), 3);
        }
    }
}

#[test]
fn a_process_may_end_while_the_other_thinks_or_between_games() {
    let mut starts = 0;
    let dies = move || {
        starts += 1;
        let dies = starts == 1;
        uci(move |played, line| match line.starts_with("go") {
            true if dies => {
                vec![
                    Action::Say(0, format!("bestmove {}", GAME[played])),
                    Action::Die(0, "ended with status 3"),
                ]
            }
            true => vec![Action::Say(0, format!("bestmove {}", GAME[played]))],
            false => Vec::new(),
        })
    };
    let mut games = Match::new(dies, clock("3+0"));
    let (score, kind, _) = games.end();
    assert_eq!((score, kind), (GameScore::Second, EndKind::Crash));
    games.plays_normally();
    // The process ends after the last move of a game.
    let mut starts = 0;
    let dies_at_the_end = move || {
        starts += 1;
        let dies = starts == 1;
        uci(move |played, line| {
            let mut actions = Vec::new();
            if line.starts_with("go") {
                actions.push(Action::Say(0, format!("bestmove {}", GAME[played])));
                if played == 6 && dies {
                    actions.push(Action::Die(0, "ended with status 0"));
                }
            }
            actions
        })
    };
    let mut games = Match::new(dies_at_the_end, clock("3+0"));
    games.plays_normally();
    games.plays_normally();
    assert_eq!(games.script.starts(), 3);
}

#[test]
fn an_illegal_move_loses_and_is_quoted() {
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
        let mut games = Match::new(odd_once(move || say(answer)), clock("3+0"));
        let (score, kind, found) = games.end();
        assert_eq!((score, kind), (GameScore::Second, EndKind::Illegal));
        assert_eq!(found, text);
        games.plays_normally();
    }
}

#[test]
fn a_second_answer_is_a_warning_and_never_a_move() {
    let twice =
        || vec![Action::Say(1, "bestmove a1".to_owned()), Action::Say(1, "bestmove g1".to_owned())];
    let mut games = Match::new(odd_once(twice), clock("3+0"));
    let record = games.finished();
    assert_eq!(record.moves, GAME);
    assert!(Match::warnings(&record).contains(&"a move out of turn"));
    // The second answer comes after the last move of a game.
    let last_twice = || {
        uci(|played, line| match line.starts_with("go") {
            true if played == 6 => {
                vec![
                    Action::Say(1, "bestmove a4".to_owned()),
                    Action::Say(1, "bestmove g1".to_owned()),
                ]
            }
            true => say(&format!("bestmove {}", GAME[played])),
            false => Vec::new(),
        })
    };
    let mut games = Match::new(last_twice, clock("3+0"));
    games.plays_normally();
    games.plays_normally();
}

#[test]
fn floods_memory_and_stalled_input_lose() {
    for (kind, text) in [
        (EndKind::Flood, "wrote more than 64 MiB without an answer"),
        (EndKind::Memory, "took at least 900 MiB of memory"),
        (EndKind::Stall, "did not read its input for 5 s"),
    ] {
        let failed = HostEvent::Failed { seat: 0, kind, text: text.to_owned() };
        let odd = move || vec![Action::Event(7, failed.clone())];
        let mut games = Match::new(odd_once(odd), clock("3+0"));
        assert_eq!(games.end(), (GameScore::Second, kind, text.to_owned()));
        games.plays_normally();
    }
}

#[test]
fn output_does_not_move_the_deadline() {
    let writes =
        || (0..500).map(|n| Action::Say(n * 10, "info depth 1 score cp 1".to_owned())).collect();
    let mut games = Match::new(odd_once(writes), clock("1+0"));
    let (score, kind, _) = games.end();
    assert_eq!((score, kind), (GameScore::Second, EndKind::Time));
    games.plays_normally();
}

#[test]
fn an_abort_of_the_run_ends_the_game() {
    let mut games = Match::new(odd_once(|| vec![Action::Event(3, HostEvent::Abort)]), clock("3+0"));
    assert_eq!(games.play(), GameOutcome::Aborted);
}

#[test]
fn claims_are_checked_on_the_board() {
    let claims = || {
        let info = "info depth 9 score mate 1 pv P@a1";
        vec![Action::Say(0, info.to_owned()), Action::Say(0, "bestmove P@a1".to_owned())]
    };
    let mut games = Match::new(odd_once(claims), clock("3+0"));
    let record = games.finished();
    assert_eq!(Match::warnings(&record), ["a win without a line to its end"]);
    assert_eq!(record.notes[0].said.score.as_deref(), Some("+M1"));
}

/// Plays a game with pondering. `expects` is the reply that player 0 expects to its first move.
fn pondered(expects: &'static str) -> (GameRecord, Vec<String>) {
    let one = move || {
        let mut pondering = false;
        uci(move |played, line| match line {
            "ponderhit" => {
                pondering = false;
                vec![Action::Say(3, format!("bestmove P@{}", GAME[played]))]
            }
            "stop" if pondering => {
                pondering = false;
                say("bestmove P@g1")
            }
            line if line.starts_with("go ponder") => {
                pondering = true;
                vec![Action::Say(0, "info depth 9 score cp 44 nodes 5".to_owned())]
            }
            line if line.starts_with("go") && played == 0 => {
                vec![Action::Say(10, format!("bestmove P@a1 ponder P@{expects}"))]
            }
            line if line.starts_with("go") => say(&format!("bestmove P@{}", GAME[played])),
            _ => Vec::new(),
        })
    };
    let mut games = Match::with(one, clock("3+0"), |rules| rules.players[0].ponder = true);
    let record = games.finished();
    (record, games.script.log)
}

#[test]
fn a_ponder_hit_is_sent_for_the_expected_move() {
    let (record, log) = pondered("b1");
    assert_eq!(record.moves, GAME);
    assert!(log.iter().any(|line| line == "0 position startpos moves P@a1 P@b1"), "{log:?}");
    assert!(log.iter().any(|line| line.starts_with("0 go ponder wtime")));
    assert!(log.contains(&"0 ponderhit".to_owned()));
    assert!(record.notes[2].ponder_hit && record.notes[2].micros == 3000);
    // What it said before the hit belongs to the move.
    assert_eq!((record.notes[2].said.depth, record.notes[2].said.nodes), (Some(9), Some(5)));
    assert!(record.notes[2].said.score.is_some());
    assert_eq!(Match::warnings(&record).iter().filter(|what| what.contains("turn")).count(), 0);
}

#[test]
fn engines_have_their_own_cpus_if_one_of_them_ponders() {
    let started = |ponder: bool| {
        let mut games = Match::with(
            || good(1),
            clock("3+0"),
            |rules| {
                rules.players[0].threads = Some(2);
                rules.players[0].ponder = ponder;
                for player in &mut rules.players {
                    player.launch.cpus = vec![3, 4, 7];
                }
            },
        );
        games.plays_normally();
        games.script.cpus
    };
    assert_eq!(started(true), [(0, vec![3, 4]), (1, vec![7])]);
    assert_eq!(started(false), [(0, vec![3, 4, 7]), (1, vec![3, 4, 7])]);
}

#[test]
fn pondering_on_another_move_is_stopped() {
    let (record, log) = pondered("g1");
    assert_eq!(record.moves, GAME);
    assert!(log.contains(&"0 stop".to_owned()) && !log.contains(&"0 ponderhit".to_owned()));
    assert!(!record.notes[2].ponder_hit && record.notes[2].said.depth.is_none());
}

#[test]
fn suspend_stops_an_engine_while_the_other_thinks() {
    let mut games = Match::with(|| good(1), clock("3+0"), |rules| rules.config.suspend = true);
    games.plays_normally();
    let log = games.script.log.join("\n");
    assert!(log.contains("1 suspended\n0 position startpos\n"), "{log}");
    assert!(log.contains("1 resumed\n0 suspended\n1 position"), "{log}");
}
