use proptest::prelude::*;

use super::*;

const RANK: Rank = Rank { priority: 0, turn: 0, threads: 1, is_infinite: false };

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A queue of texts and its clock.
struct Bench {
    queue: Queue<&'static str>,
    now: Instant,
}

impl Bench {
    fn new(workers: usize) -> Self {
        Self { queue: Queue::new(workers), now: Instant::now() }
    }

    fn join(&mut self) -> SessionId {
        self.queue.join(self.now)
    }

    fn push(&mut self, session: SessionId, rank: Rank, work: &'static str) -> TaskId {
        let arrival = self.queue.arrival();
        self.queue.push(session, arrival, rank, self.now, work)
    }

    fn start(&mut self) -> Option<(TaskId, &'static str)> {
        self.queue.start(self.now).map(|started| (started.task, started.work))
    }

    /// Searches position by position, each for so long, and says in which order.
    fn run(&mut self, each: Duration) -> Vec<&'static str> {
        let mut order = Vec::new();
        while let Some((task, work)) = self.start() {
            order.push(work);
            self.now += each;
            self.queue.finish(task, self.now);
        }
        order
    }
}

#[test]
fn within_a_session_priority_then_arrival_then_turn_decides() {
    let mut bench = Bench::new(1);
    let session = bench.join();
    bench.push(session, RANK, "first");
    let arrival = bench.queue.arrival();
    for (turn, work) in [(7, "turn 7"), (2, "turn 2")] {
        let rank = Rank { turn, ..RANK };
        bench.queue.push(session, arrival, rank, bench.now, work);
    }
    bench.push(session, Rank { priority: 3, ..RANK }, "urgent");
    bench.push(session, Rank { priority: -3, ..RANK }, "later");
    assert_eq!(bench.run(millis(1)), ["urgent", "first", "turn 2", "turn 7", "later"]);
}

#[test]
fn endless_searches_of_a_client_that_is_away_give_way_at_once_and_go_last() {
    let mut bench = Bench::new(1);
    let (away, here) = (bench.join(), bench.join());
    let endless = Rank { is_infinite: true, ..RANK };
    let task = bench.push(away, endless, "away");
    assert_eq!(bench.start(), Some((task, "away")));
    bench.queue.set_away(away, true);
    assert_eq!(bench.queue.give_way(bench.now), [], "nobody else waits");
    bench.push(here, RANK, "short");
    bench.push(here, endless, "endless");
    assert_eq!(bench.queue.give_way(bench.now), [task]);
    bench.now += millis(1);
    bench.queue.resume_later(task, bench.now, "away");
    // The one that is there has used much more, and goes first all the same.
    for (work, took) in [("short", 900), ("endless", 5000)] {
        let (task, started) = bench.start().unwrap();
        assert_eq!(started, work);
        bench.now += millis(took);
        assert_eq!(bench.queue.give_way(bench.now), [], "who is away takes no turn");
        bench.queue.finish(task, bench.now);
    }
    bench.queue.set_away(away, false);
    bench.push(here, endless, "endless");
    assert_eq!(bench.start(), Some((task, "away")));
    assert_eq!(bench.queue.give_way(bench.now), [], "who has come back has a turn");
}

#[test]
fn sessions_take_turns_whatever_their_numbers_and_priorities() {
    let mut bench = Bench::new(1);
    let (greedy, modest) = (bench.join(), bench.join());
    for _ in 0..4 {
        bench.push(greedy, Rank { priority: 1000, ..RANK }, "greedy");
    }
    bench.now += millis(1);
    bench.push(modest, RANK, "modest");
    bench.push(modest, RANK, "modest");
    let order = bench.run(millis(5));
    assert_eq!(order, ["greedy", "modest", "greedy", "modest", "greedy", "greedy"]);
}

#[test]
fn none_of_a_thousand_sessions_is_served_twice_before_all_were_served_once() {
    const SESSIONS: usize = 1000;
    const EACH: Duration = Duration::from_millis(10);
    let mut queue: Queue<(usize, u32)> = Queue::new(2);
    let mut now = Instant::now();
    let sessions: Vec<SessionId> = (0..SESSIONS).map(|_| queue.join(now)).collect();
    for (number, session) in sessions.iter().enumerate() {
        for turn in 0..2 {
            let arrival = queue.arrival();
            queue.push(*session, arrival, Rank { turn, ..RANK }, now, (number, turn));
        }
    }
    assert_eq!(queue.waiting(), 2 * SESSIONS);
    // Sessions that were charged alike go by how long they wait. Time passes, so that no search starts
    // at the time at which another session began to wait.
    now += EACH;
    let mut firsts = 0;
    while queue.waiting() > 0 {
        let running = [queue.start(now).unwrap(), queue.start(now).unwrap()];
        for Started { work: (number, turn), .. } in &running {
            // Nobody has a second turn before everybody has had a first one.
            assert_eq!(*turn == 0, firsts < SESSIONS, "session {number}");
            firsts += usize::from(*turn == 0);
        }
        assert!(queue.start(now).is_none(), "two workers are busy");
        now += EACH;
        running.iter().for_each(|run| queue.finish(run.task, now));
    }
    for session in sessions {
        assert!(queue.leave(session).is_empty());
    }
}

#[test]
fn threads_count_and_idling_saves_nothing_up() {
    let mut bench = Bench::new(1);
    let (wide, narrow) = (bench.join(), bench.join());
    for _ in 0..4 {
        bench.push(wide, Rank { threads: 3, ..RANK }, "wide");
        bench.push(narrow, RANK, "narrow");
    }
    let order = bench.run(millis(10));
    let early = order[..5].iter().filter(|work| **work == "narrow").count();
    assert_eq!(early, 3, "{order:?}");
    // Nothing of the quiet time counts for the one that comes late.
    let late = bench.join();
    bench.now += millis(100_000);
    for _ in 0..3 {
        bench.push(wide, RANK, "wide");
        bench.push(late, RANK, "late");
    }
    let order = bench.run(millis(10));
    assert_ne!(order[..2], ["late", "late"], "{order:?}");
}

#[test]
fn a_position_that_waits_can_be_taken_out_and_one_that_runs_cannot() {
    let mut bench = Bench::new(1);
    let session = bench.join();
    let (one, two) = (bench.push(session, RANK, "one"), bench.push(session, RANK, "two"));
    assert_eq!(bench.start(), Some((one, "one")));
    assert_eq!((bench.queue.remove(one), bench.queue.remove(two)), (None, Some("two")));
    assert_eq!((bench.start(), bench.queue.waiting()), (None, 0));
    bench.push(session, RANK, "three");
    assert_eq!(bench.queue.leave(session), [one]);
    bench.queue.finish(one, bench.now);
    assert_eq!((bench.start(), bench.queue.running.len()), (None, 0));
}

#[test]
fn a_search_without_an_end_gives_way_after_its_turn_and_goes_on_later() {
    let mut bench = Bench::new(1);
    let (endless, other) = (bench.join(), bench.join());
    let infinite = Rank { is_infinite: true, ..RANK };
    let task = bench.push(endless, infinite, "endless");
    bench.start();
    bench.now += millis(5_000);
    assert_eq!(bench.queue.give_way(bench.now), [], "nobody waits");
    bench.push(endless, RANK, "own");
    assert_eq!(bench.queue.give_way(bench.now), [], "only its own session waits");
    bench.push(other, RANK, "other");
    assert_eq!(bench.queue.give_way(bench.now), [task]);
    assert_eq!(bench.queue.give_way(bench.now), [], "once");
    bench.queue.resume_later(task, bench.now, "endless");
    assert_eq!(bench.run(millis(1)), ["other", "endless", "own"]);
}

#[test]
fn a_search_has_its_turn_before_it_gives_way() {
    let mut bench = Bench::new(1);
    let (endless, other) = (bench.join(), bench.join());
    let task = bench.push(endless, Rank { is_infinite: true, ..RANK }, "endless");
    bench.start();
    assert_eq!(bench.queue.next_turn(bench.now), None, "nobody waits");
    bench.push(other, RANK, "other");
    let turn = bench.queue.next_turn(bench.now);
    assert_eq!(turn, Some(bench.now + TURN_OF_INFINITE));
    assert_eq!(bench.queue.give_way(bench.now + TURN_OF_INFINITE - millis(1)), []);
    assert_eq!(bench.queue.give_way(bench.now + TURN_OF_INFINITE), [task]);
}

#[test]
fn a_blocked_session_waits_without_holding_up_others() {
    let mut bench = Bench::new(1);
    let (slow, other) = (bench.join(), bench.join());
    bench.push(slow, RANK, "slow");
    bench.push(other, RANK, "other");
    bench.queue.block(slow, true);
    assert_eq!(bench.run(millis(1)), ["other"]);
    bench.queue.block(slow, false);
    assert_eq!(bench.run(millis(1)), ["slow"]);
}

/// What may happen to a queue.
#[derive(Clone, Debug)]
enum Event {
    Push { session: usize, priority: i32, infinite: bool },
    Remove(usize),
    Wait(u64),
    Finish(usize),
    GiveWay,
    Leave(usize),
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        6 => (0..5_usize, -3..3, any::<bool>())
            .prop_map(|(session, priority, infinite)| Event::Push { session, priority, infinite }),
        2 => (0..40_usize).prop_map(Event::Remove),
        4 => (1..3_000_u64).prop_map(Event::Wait),
        5 => (0..4_usize).prop_map(Event::Finish),
        1 => Just(Event::GiveWay),
        1 => (0..5_usize).prop_map(Event::Leave),
    ];
    prop::collection::vec(event, 0..120)
}

proptest! {
    /// Every position is started at most once at a time, ends once, and none is lost.
    #[test]
    fn nothing_is_lost_and_no_worker_idles_while_somebody_waits(
        events in events(), workers in 1..4_usize,
    ) {
        let mut queue: Queue<u64> = Queue::new(workers);
        let mut now = Instant::now();
        let mut sessions: Vec<SessionId> = (0..5).map(|_| queue.join(now)).collect();
        let (mut waiting, mut running) = (Vec::<(TaskId, SessionId)>::new(), Vec::new());
        let mut ended = 0;
        let mut pushed = 0;
        for event in events {
            match event {
                Event::Push { session, priority, infinite } => {
                    let arrival = queue.arrival();
                    let rank = Rank { priority, is_infinite: infinite, ..RANK };
                    let session = sessions[session];
                    waiting.push((queue.push(session, arrival, rank, now, arrival), session));
                    pushed += 1;
                }
                Event::Remove(index) if !waiting.is_empty() => {
                    let (task, _) = waiting.remove(index % waiting.len());
                    prop_assert!(queue.remove(task).is_some());
                    prop_assert!(queue.remove(task).is_none());
                    ended += 1;
                }
                Event::Finish(index) if !running.is_empty() => {
                    let (task, _) = running.remove(index % running.len());
                    queue.finish(task, now);
                    ended += 1;
                }
                Event::GiveWay => {
                    for task in queue.give_way(now) {
                        let place = running.iter().position(|(it, _)| *it == task).unwrap();
                        let (_, session) = running.remove(place);
                        queue.resume_later(task, now, 0);
                        waiting.push((task, session));
                    }
                }
                Event::Leave(index) => {
                    let gone = sessions[index];
                    let stopped = queue.leave(gone);
                    prop_assert!(running.iter().all(|(task, session)| (*session == gone) == stopped.contains(task)));
                    for task in stopped {
                        queue.finish(task, now);
                        ended += 1;
                    }
                    running.retain(|(_, session)| *session != gone);
                    ended += waiting.iter().filter(|(_, session)| *session == gone).count();
                    waiting.retain(|(_, session)| *session != gone);
                    sessions[index] = queue.join(now);
                }
                Event::Wait(time) => now += millis(time),
                _ => {}
            }
            while let Some(started) = queue.start(now) {
                let place = waiting.iter().position(|(task, _)| *task == started.task);
                running.push(waiting.remove(place.expect("it waited")));
            }
            prop_assert_eq!((queue.waiting(), queue.running.len()), (waiting.len(), running.len()));
            prop_assert!(queue.running.len() == workers || queue.waiting() == 0);
            prop_assert_eq!(ended + waiting.len() + running.len(), pushed);
        }
    }

    /// With S sessions waiting and searches of at most T, the first position of a session starts
    /// within T x ceil(S / N).
    #[test]
    fn a_session_waits_no_longer_than_its_share(
        backlog in prop::collection::vec(1..30_usize, 1..8),
        times in prop::collection::vec(1..=50_u64, 400),
        workers in 1..4_usize,
        after in 0..60_usize,
    ) {
        const MOST: u64 = 50;
        let mut queue: Queue<bool> = Queue::new(workers);
        let mut now = Instant::now();
        for count in &backlog {
            let session = queue.join(now);
            for _ in 0..*count {
                let arrival = queue.arrival();
                queue.push(session, arrival, RANK, now, false);
            }
        }
        let mut times = times.into_iter().cycle();
        let mut running: Vec<(TaskId, Instant)> = Vec::new();
        let mut deadline = None;
        for step in 0.. {
            if step == after {
                let session = queue.join(now);
                let arrival = queue.arrival();
                queue.push(session, arrival, RANK, now, true);
                let waiting = queue.members.values().filter(|it| !it.waiting.is_empty()).count();
                deadline = Some(now + millis(MOST * waiting.div_ceil(workers) as u64));
            }
            let mut has_started = false;
            while let Some(started) = queue.start(now) {
                running.push((started.task, now + millis(times.next().unwrap())));
                has_started |= started.work;
            }
            if has_started {
                prop_assert!(Some(now) <= deadline);
                break;
            }
            let Some(place) = (0..running.len()).min_by_key(|place| running[*place].1) else {
                if step >= after { break }
                continue;
            };
            let (task, end) = running.remove(place);
            now = end;
            queue.finish(task, now);
        }
    }
}
