//! Tests of limits, stops, threads and the worker of a backend, on a synthetic game.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use crate::maze::{Maze, Oracle, PLAIN, minimax, static_eval};
use tengen_engine::backend::{Backend, Event, Go, Settings, Sink};
use tengen_engine::host::Host;
use tengen_engine::opener::describe;
use tengen_engine::table::TableHandle;
use tengen_engine::{
    Answer, Chosen, Clock, Context, Control, Coverage, Evaluator, Game, Interrupt, Limits, Move,
    MoveOrdering, Notation, Position, Probe, Prover, Report, Score, SearchError, SearchEvaluator,
    Selectivity, Style, TypedPosition,
};

/// Returns a maze that is too large to search to its end.
fn endless() -> Maze {
    Maze { seed: 7, width: 1_000_000, length: 400, ply: 0, place: 0, ends_early: false }
}

fn short() -> Maze {
    Maze { seed: 11, width: 9, length: 9, ply: 0, place: 0, ends_early: true }
}

fn channel_sink() -> (Sink, Receiver<Event>) {
    let (sender, receiver) = channel();
    (Arc::new(move |event| drop(sender.send(event))), receiver)
}

fn go(limits: Limits) -> Go {
    Go::new(limits, Instant::now())
}

/// A backend and its current position.
struct Searcher<E: SearchEvaluator<Maze>> {
    host: Host<Maze, E>,
    position: TypedPosition<Maze>,
}

impl<E: SearchEvaluator<Maze>> Searcher<E> {
    fn go(&mut self, go: Go, sink: Sink) -> Control {
        self.host.go(&self.position, go, sink)
    }

    fn perft(&mut self, depth: u32, sink: Sink) -> Control {
        self.host.perft(&self.position, depth, Instant::now(), sink)
    }

    fn new_game(&mut self) {
        self.position.reset();
        self.host.clear_hash();
    }

    fn written(&self, moves: &[Move]) -> Vec<String> {
        self.position.write_line(moves, Style::Plain)
    }
}

fn open<E: SearchEvaluator<Maze>>(maze: Maze, evaluator: E, settings: Settings) -> Searcher<E> {
    let spec = describe(&maze, "maze", Chosen::new(), evaluator.exact());
    let host = Host::new(spec.clone(), evaluator, &settings, channel_sink().0);
    Searcher { host, position: TypedPosition::new(spec, maze) }
}

fn settings() -> Settings {
    Settings::default().with_hash_mib(1)
}

/// Waits for the one answer and checks that nothing follows it.
fn wait(events: &Receiver<Event>) -> (Vec<Report<Move>>, Answer<Move>) {
    let mut reports = Vec::new();
    loop {
        match events.recv_timeout(Duration::from_secs(60)).expect("an answer") {
            Event::Report(report) => reports.push(report),
            Event::Answer(answer) => {
                assert!(events.recv().is_err(), "the answer is the last event");
                return (reports, answer);
            }
            _ => {}
        }
    }
}

fn search<E: SearchEvaluator<Maze>>(host: &mut Searcher<E>, limits: Limits) -> Answer<Move> {
    let (sink, events) = channel_sink();
    host.go(go(limits), sink);
    wait(&events).1
}

fn nodes(nodes: u64) -> Limits {
    Limits::default().with_nodes(nodes)
}

fn depth(depth: u32) -> Limits {
    Limits::default().with_depth(depth)
}

#[test]
fn a_node_limit_is_kept_to_the_node() {
    let mut host = open(endless(), PLAIN, settings());
    for limit in [1, 2, 777, 1024, 1025, 50_000] {
        host.new_game();
        assert_eq!(search(&mut host, nodes(limit)).report.nodes, limit);
    }
}

#[test]
fn several_threads_exceed_a_node_limit_only_a_little() {
    let mut host = open(endless(), PLAIN, settings().with_threads(4));
    for limit in [1000, 50_000] {
        host.new_game();
        let nodes = search(&mut host, nodes(limit)).report.nodes;
        assert!((limit..limit * 3 / 2).contains(&nodes), "{nodes} nodes for {limit}");
    }
}

#[test]
fn the_smallest_search_still_returns_a_legal_move() {
    let mut host = open(endless(), PLAIN, settings());
    let clock = Clock::new([Some(Duration::ZERO); 2], [Duration::ZERO; 2]);
    for limits in [
        nodes(0),
        depth(0),
        Limits::default().with_movetime(Duration::ZERO),
        Limits::default().with_clock(clock),
    ] {
        let answer = search(&mut host, limits.clone());
        let best = host.position.game().decode(answer.best.expect("a move")).unwrap();
        let mut legal = Vec::new();
        endless().moves(&mut legal);
        assert!(legal.contains(&best), "{limits:?}");
        assert!(answer.ponder.is_some(), "{limits:?}");
    }
}

#[test]
fn the_first_limit_that_is_reached_ends_the_search() {
    let mut host = open(endless(), PLAIN, settings());
    let both = Limits::default().with_depth(2).with_nodes(1_000_000);
    assert_eq!(search(&mut host, both).report.depth, 2);
    let both = Limits::default().with_depth(300).with_nodes(500);
    assert_eq!(search(&mut host, both).report.nodes, 500);
    let both = nodes(600).with_movetime(Duration::from_secs(1000));
    assert_eq!(search(&mut host, both).report.nodes, 600);
}

/// Stops its own search after `left` evaluations.
#[derive(Clone)]
struct Stopper {
    left: Arc<AtomicU64>,
    control: Arc<OnceLock<tengen_engine::Control>>,
    /// The number of evaluations after the stop.
    late: Arc<AtomicU64>,
}

impl Evaluator<Maze> for Stopper {
    type Undo = ();

    fn reset(&mut self, _game: &Maze) {}

    fn played(&mut self, _game: &Maze, _mv: u8) {}

    fn undone(&mut self, _game: &Maze, _mv: u8, (): ()) {}

    fn evaluate(&mut self, game: &Maze) -> Score {
        match self.left.load(SeqCst) {
            0 => drop(self.late.fetch_add(1, SeqCst)),
            1 => {
                self.control.wait().stop();
                self.left.store(0, SeqCst);
            }
            left => self.left.store(left - 1, SeqCst),
        }
        static_eval(game)
    }
}

impl MoveOrdering<Maze> for Stopper {
    fn candidates(&self, game: &Maze, out: &mut Vec<u8>) -> Coverage {
        game.moves(out);
        Coverage::Complete
    }
}

impl Selectivity<Maze> for Stopper {
    fn exact(&self) -> bool {
        true
    }
}

impl Prover<Maze> for Stopper {}

#[test]
fn a_stop_is_seen_at_the_next_node() {
    let stopper =
        Stopper { left: Arc::new(5000.into()), control: Arc::default(), late: Arc::default() };
    let mut host = open(endless(), stopper.clone(), settings());
    let (sink, events) = channel_sink();
    let control = host.go(go(Limits::default().until_stopped()), sink);
    stopper.control.set(control).unwrap();
    let (_, answer) = wait(&events);
    assert!(answer.best.is_some());
    assert_eq!(stopper.late.load(SeqCst), 0);
}

#[test]
fn a_stop_ends_only_its_own_search() {
    let mut host = open(endless(), PLAIN, settings());
    for _ in 0..50 {
        let (sink, events) = channel_sink();
        let control = host.go(go(Limits::default().until_stopped()), sink);
        control.stop();
        wait(&events);
        control.stop();
        let answer = search(&mut host, depth(5));
        assert_eq!(answer.report.depth, 5);
        control.stop();
    }
}

#[test]
fn a_mate_limit_ends_the_search_at_a_win_within_it() {
    let wins = (0..).map(|seed| Maze { seed, ..short() });
    let maze = wins.into_iter().find(|m| minimax(m, &PLAIN, 9, 0) == Score::win_in(3)).unwrap();
    let mut host = open(maze, PLAIN, settings());
    let answer = search(&mut host, Limits::default().with_mate(5));
    assert_eq!(answer.report.score, Score::win_in(3));
    assert_eq!(answer.report.pv.len(), 3);
    // The search also ends without a win in one ply.
    let answer = search(&mut host, Limits::default().with_mate(1));
    assert_eq!(answer.report.depth, 1);
}

#[test]
fn a_search_for_a_mate_ends_even_with_reductions() {
    let inexact = Oracle { exact: false, ..PLAIN };
    let mut host = open(endless(), inexact, settings());
    let answer = search(&mut host, Limits::default().with_mate(3));
    assert!(answer.report.depth <= 6, "{:?}", answer.report);
}

/// Counts its evaluations after a deadline.
#[derive(Clone)]
struct Watcher {
    deadline: Arc<OnceLock<Instant>>,
    late: Arc<AtomicU64>,
}

impl Evaluator<Maze> for Watcher {
    type Undo = ();

    fn reset(&mut self, _game: &Maze) {}

    fn played(&mut self, _game: &Maze, _mv: u8) {}

    fn undone(&mut self, _game: &Maze, _mv: u8, (): ()) {}

    fn evaluate(&mut self, game: &Maze) -> Score {
        if self.deadline.get().is_some_and(|deadline| Instant::now() >= *deadline) {
            self.late.fetch_add(1, SeqCst);
        }
        static_eval(game)
    }
}

tengen_engine::plain_search!(Watcher, Maze, exact);

#[test]
fn the_hard_limit_is_exceeded_by_at_most_1024_nodes() {
    let watcher = Watcher { deadline: Arc::default(), late: Arc::default() };
    let mut host = open(endless(), watcher.clone(), settings());
    let time = Duration::from_millis(40);
    let (sink, events) = channel_sink();
    let asked = go(Limits::default().with_movetime(time));
    watcher.deadline.set(asked.received + time).unwrap();
    host.go(asked, sink);
    wait(&events);
    let late = watcher.late.load(SeqCst);
    assert!(late <= 1024, "{late} evaluations after the limit");
}

#[test]
fn a_forced_move_ends_a_timed_search_soon_and_only_a_timed_one() {
    let lone = |m: &Maze| {
        let mut moves = Vec::new();
        m.moves(&mut moves);
        moves.len() == 1
    };
    let maze = (0..).map(|seed| Maze { seed, ..endless() }).find(lone).unwrap();
    let long = Duration::from_secs(3600);
    let clock = Clock::new([Some(long); 2], [Duration::ZERO; 2]);
    let selective = Oracle { exact: false, ..PLAIN };
    for (evaluator, allowed) in [(selective, 20_000..100_000), (PLAIN, 1..20_000)] {
        for limits in [Limits::default().with_movetime(long), Limits::default().with_clock(clock)] {
            let mut host = open(maze.clone(), evaluator, settings());
            let report = search(&mut host, limits).report;
            assert!(allowed.contains(&report.nodes), "{} nodes", report.nodes);
            assert_eq!(report.depth == 1, evaluator.exact, "depth {}", report.depth);
            assert_eq!(search(&mut host, nodes(100_000)).report.nodes, 100_000);
        }
    }
}

#[test]
fn a_new_position_keeps_the_table_and_a_new_game_clears_it() {
    let mut host = open(short(), PLAIN, settings());
    let first = search(&mut host, depth(9)).report.nodes;
    host.position.reset();
    let second = search(&mut host, depth(9)).report.nodes;
    assert!(second < first, "{second} of {first} nodes");
    host.new_game();
    assert_eq!(search(&mut host, depth(9)).report.nodes, first);
    host.host.clear_hash();
    assert_eq!(search(&mut host, depth(9)).report.nodes, first);
    host.host.configure(&settings().with_hash_mib(2), channel_sink().0);
    assert_eq!(search(&mut host, depth(9)).report.nodes, first);
}

#[test]
fn backends_can_share_a_table_in_turn() {
    let table = TableHandle::default();
    let mut one = open(short(), PLAIN, settings());
    let first = search(&mut one, depth(9)).report.nodes;
    let mut other = open(short(), PLAIN, settings());
    for (host, is_empty) in [(&mut one, true), (&mut other, false)] {
        host.host.use_table(table.clone());
        host.host.configure(&settings(), channel_sink().0);
        host.position.reset();
        let nodes = search(host, depth(9)).report.nodes;
        assert_eq!(nodes == first, is_empty, "{nodes} of {first} nodes");
    }
    one.host.use_table(TableHandle::default());
    one.host.configure(&settings(), channel_sink().0);
    one.position.reset();
    assert_eq!(search(&mut one, depth(9)).report.nodes, first);
}

#[test]
fn table_entries_of_an_earlier_game_do_not_change_a_search() {
    let mut host = open(endless(), PLAIN, settings());
    let first = search(&mut host, nodes(300_000));
    host.new_game();
    host.position.set_up("5").unwrap();
    search(&mut host, nodes(300_000));
    host.new_game();
    let again = search(&mut host, nodes(300_000));
    assert_eq!((again.report.pv, again.report.score), (first.report.pv, first.report.score));
}

#[test]
fn several_threads_agree_on_the_value_and_all_end() {
    let truth = minimax(&short(), &PLAIN, 9, 0);
    for threads in [2, 3, 8] {
        let mut host = open(short(), PLAIN, settings().with_threads(threads));
        for _ in 0..20 {
            host.new_game();
            assert_eq!(search(&mut host, depth(9)).report.score, truth);
        }
        let answer = {
            let (sink, events) = channel_sink();
            host.position.reset();
            let control = host.go(go(Limits::default().until_stopped()), sink);
            control.stop();
            wait(&events).1
        };
        assert!(answer.best.is_some());
        // Dropping joins the threads: a thread that does not end hangs here.
        drop(host);
    }
}

#[test]
fn dropping_a_host_stops_its_search() {
    let (sink, events) = channel_sink();
    let mut host = open(endless(), PLAIN, settings().with_threads(2));
    host.go(go(Limits::default().until_stopped()), sink);
    drop(host);
    assert!(wait(&events).1.best.is_some());
}

#[test]
fn a_table_that_is_too_large_gives_a_note_and_the_old_one_stays() {
    let mut host = open(short(), PLAIN, settings());
    let (sink, events) = channel_sink();
    host.host.configure(&settings().with_hash_mib(usize::MAX >> 22), sink);
    assert_eq!(search(&mut host, depth(9)).report.score, minimax(&short(), &PLAIN, 9, 0));
    let Ok(Event::Failed(why)) = events.recv() else { panic!("an error") };
    assert_eq!(why, SearchError::Table(usize::MAX >> 22));
}

#[test]
fn ready_waits_for_earlier_commands() {
    let mut host = open(endless(), PLAIN, settings());
    let (sink, events) = channel_sink();
    let control = host.go(go(Limits::default().until_stopped()), Arc::clone(&sink));
    assert!(!host.host.ready(sink));
    // The search continues.
    assert!(matches!(events.recv(), Ok(Event::Report(_))));
    control.stop();
    let rest: Vec<Event> = events.iter().filter(|event| !is_report(event)).collect();
    assert!(matches!(rest[..], [Event::Answer(_), Event::Ready]));
}

fn is_report(event: &Event) -> bool {
    matches!(event, Event::Report(_))
}

#[test]
fn illegal_search_moves_are_ignored() {
    let mut host = open(endless(), PLAIN, settings());
    let (sink, events) = channel_sink();
    let legal = *host.position.legal().last().unwrap();
    let search_moves = vec![Move::from_code(999), legal, legal];
    let mut asked = go(depth(3));
    asked.search_moves = search_moves;
    host.go(asked, sink);
    assert_eq!(wait(&events).1.best, Some(legal));
}

/// Records the node limits of its solver.
#[derive(Clone)]
struct SolverLimits {
    oracle: Oracle,
    nodes: Arc<Mutex<Vec<u64>>>,
}

impl Evaluator<Maze> for SolverLimits {
    type Undo = ();

    fn reset(&mut self, _game: &Maze) {}

    fn played(&mut self, _game: &Maze, _mv: u8) {}

    fn undone(&mut self, _game: &Maze, _mv: u8, (): ()) {}

    fn evaluate(&mut self, game: &Maze) -> Score {
        self.oracle.evaluate(game)
    }
}

impl MoveOrdering<Maze> for SolverLimits {}

impl Selectivity<Maze> for SolverLimits {
    fn exact(&self) -> bool {
        true
    }
}

impl Prover<Maze> for SolverLimits {
    fn solve(
        &mut self,
        _game: &Maze,
        nodes: u64,
        _ctx: &mut Context,
    ) -> Result<Option<Probe<u8>>, Interrupt> {
        self.nodes.lock().unwrap().push(nodes);
        Ok(None)
    }
}

#[test]
fn the_node_limit_of_the_solver_is_a_part_of_the_search_limit() {
    let few = |limit| nodes(limit).with_depth(2);
    for (limits, threads, first) in [
        (depth(2), 1, 50_000),
        (few(u64::MAX), 1, 50_000),
        (few(400_000), 1, 50_000),
        (few(8_000), 1, 1_000),
        (few(8_000), 4, 250),
        (few(1), 1, 0),
    ] {
        let allowed = SolverLimits { oracle: PLAIN, nodes: Arc::default() };
        let mut host = open(short(), allowed.clone(), settings().with_threads(threads));
        search(&mut host, limits);
        assert_eq!(allowed.nodes.lock().unwrap()[0], first);
    }
}

#[test]
fn the_solver_gets_more_nodes_as_the_search_goes_on() {
    let allowed = SolverLimits { oracle: PLAIN, nodes: Arc::default() };
    let mut host = open(endless(), allowed.clone(), settings());
    search(&mut host, nodes(8_000));
    let nodes = allowed.nodes.lock().unwrap();
    assert!(nodes.is_sorted() && nodes.last().is_some_and(|&last| last > 1_000), "{nodes:?}");
}

/// Panics in the middle of a search.
#[derive(Clone)]
struct Panicking(Oracle);

impl Evaluator<Maze> for Panicking {
    type Undo = ();

    fn reset(&mut self, _game: &Maze) {}

    fn played(&mut self, _game: &Maze, _mv: u8) {}

    fn undone(&mut self, _game: &Maze, _mv: u8, (): ()) {}

    fn evaluate(&mut self, game: &Maze) -> Score {
        assert!(game.ply < 4, "a fault on purpose");
        self.0.evaluate(game)
    }
}

tengen_engine::plain_search!(Panicking, Maze, exact);

#[test]
fn a_search_that_panics_still_answers_and_the_next_one_runs() {
    for threads in [1, 2] {
        let mut host = open(endless(), Panicking(PLAIN), settings().with_threads(threads));
        let answer = search(&mut host, depth(10));
        assert_eq!(host.written(answer.best.as_slice()), ["0"]);
        assert_eq!(search(&mut host, depth(2)).report.depth, 2);
    }
}

#[test]
fn a_perft_can_be_stopped() {
    let mut host = open(endless(), PLAIN, settings());
    let (sink, events) = channel_sink();
    let control = host.perft(60, sink);
    control.stop();
    let Ok(Event::Perft(perft)) = events.recv() else { panic!("a count") };
    assert!(!perft.complete);
    let (sink, events) = channel_sink();
    host.perft(3, sink);
    let Ok(Event::Perft(perft)) = events.recv() else { panic!("a count") };
    assert!(perft.complete);
    assert_eq!(perft.nodes, perft.divide.iter().map(|(_, nodes)| nodes).sum::<u64>());
}

#[test]
fn a_bad_position_changes_nothing() {
    let mut host = open(short(), PLAIN, settings());
    let position: &mut dyn Position = &mut host.position;
    position.play_all(&["0"]).unwrap();
    let before = (position.fen(true), position.key(), position.played().to_vec());
    assert!(position.set_up("x").is_err());
    let error = position.play_all(&["0", "77"]).unwrap_err().to_string();
    assert_eq!(error, "move 2 of the list: move \"77\": no such move");
    assert_eq!((position.fen(true), position.key(), position.played().to_vec()), before);
    position.undo_to(0);
    assert_eq!(position.fen(true), short().write_position(true));
}

#[test]
fn a_ponder_search_counts_no_time_before_ponderhit() {
    let mut host = open(endless(), PLAIN, settings());
    let (sink, events) = channel_sink();
    let limits = Limits::default().with_movetime(Duration::from_millis(1)).pondering();
    let control = host.go(go(limits), sink);
    // The search runs for much longer than its time limit.
    while !matches!(events.recv(), Ok(Event::Report(report)) if report.time.as_millis() > 20) {}
    control.ponderhit(Instant::now());
    assert!(wait(&events).1.best.is_some());
}
