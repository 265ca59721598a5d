//! The order of the queue, its shares, and its pauses.

use proptest::prelude::*;

use super::*;

const RANK: Rank = Rank { priority: 0, turn: 0, threads: 1, is_infinite: false };

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A queue of texts with a clock.
struct TestQueue {
    queue: Queue<&'static str>,
    now: Instant,
}

impl TestQueue {
    fn new(workers: usize) -> Self {
        Self { queue: Queue::new(workers), now: Instant::now() }
    }

    fn join(&mut self) -> SessionId {
        self.queue.join(Owner::LOCAL, self.now)
    }

    fn push(&mut self, session: SessionId, rank: Rank, work: &'static str) -> TaskId {
        let arrival = self.queue.arrival();
        self.queue.push(session, arrival, rank, self.now, work)
    }

    fn start(&mut self) -> Option<(TaskId, &'static str)> {
        self.queue.start(self.now).map(|started| (started.task, started.work))
    }

    /// Searches all positions one by one, each for the time `each`. Returns them in order.
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
    let mut test = TestQueue::new(1);
    let session = test.join();
    test.push(session, RANK, "first");
    let arrival = test.queue.arrival();
    for (turn, work) in [(7, "turn 7"), (2, "turn 2")] {
        let rank = Rank { turn, ..RANK };
        test.queue.push(session, arrival, rank, test.now, work);
    }
    test.push(session, Rank { priority: 3, ..RANK }, "urgent");
    test.push(session, Rank { priority: -3, ..RANK }, "later");
    assert_eq!(test.run(millis(1)), ["urgent", "first", "turn 2", "turn 7", "later"]);
}

#[test]
fn infinite_searches_of_a_disconnected_client_pause_at_once_and_go_last() {
    let mut test = TestQueue::new(1);
    let (away, here) = (test.join(), test.join());
    let endless = Rank { is_infinite: true, ..RANK };
    let task = test.push(away, endless, "away");
    assert_eq!(test.start(), Some((task, "away")));
    test.queue.set_away(away, true);
    assert_eq!(test.queue.pause_due(test.now), [], "nobody else waits");
    test.push(here, RANK, "short");
    test.push(here, endless, "endless");
    assert_eq!(test.queue.pause_due(test.now), [task]);
    test.now += millis(1);
    test.queue.requeue(task, test.now, "away");
    // The connected session goes first although its charge is much higher.
    for (work, took) in [("short", 900), ("endless", 5000)] {
        let (task, started) = test.start().unwrap();
        assert_eq!(started, work);
        test.now += millis(took);
        assert_eq!(test.queue.pause_due(test.now), [], "a disconnected client pauses nobody");
        test.queue.finish(task, test.now);
    }
    test.queue.set_away(away, false);
    test.push(here, endless, "endless");
    assert_eq!(test.start(), Some((task, "away")));
    assert_eq!(test.queue.pause_due(test.now), [], "a client that has come back has a time slice");
}

#[test]
fn sessions_alternate_whatever_their_backlogs_and_priorities() {
    let mut test = TestQueue::new(1);
    let (greedy, modest) = (test.join(), test.join());
    for _ in 0..4 {
        test.push(greedy, Rank { priority: 1000, ..RANK }, "greedy");
    }
    test.now += millis(1);
    test.push(modest, RANK, "modest");
    test.push(modest, RANK, "modest");
    let order = test.run(millis(5));
    assert_eq!(order, ["greedy", "modest", "greedy", "modest", "greedy", "greedy"]);
}

#[test]
fn no_session_of_a_thousand_is_served_twice_before_all_are_served_once() {
    const SESSIONS: usize = 1000;
    const EACH: Duration = Duration::from_millis(10);
    let mut queue: Queue<(usize, u32)> = Queue::new(2);
    let mut now = Instant::now();
    let sessions: Vec<SessionId> = (0..SESSIONS).map(|_| queue.join(Owner::LOCAL, now)).collect();
    for (number, session) in sessions.iter().enumerate() {
        for turn in 0..2 {
            let arrival = queue.arrival();
            queue.push(*session, arrival, Rank { turn, ..RANK }, now, (number, turn));
        }
    }
    assert_eq!(queue.waiting(), 2 * SESSIONS);
    // Sessions with equal charges are ordered by waiting time. Time passes here, so that no session
    // starts at the instant at which another one began to wait.
    now += EACH;
    let mut firsts = 0;
    while queue.waiting() > 0 {
        let running = [queue.start(now).unwrap(), queue.start(now).unwrap()];
        for Started { work: (number, turn), .. } in &running {
            // All first positions go before all second ones.
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
fn threads_are_charged_and_idle_time_saves_up_nothing() {
    let mut test = TestQueue::new(1);
    let (wide, narrow) = (test.join(), test.join());
    for _ in 0..4 {
        test.push(wide, Rank { threads: 3, ..RANK }, "wide");
        test.push(narrow, RANK, "narrow");
    }
    let order = test.run(millis(10));
    let early = order[..5].iter().filter(|work| **work == "narrow").count();
    assert_eq!(early, 3, "{order:?}");
    // The idle time gives the late session no advantage.
    let late = test.join();
    test.now += millis(100_000);
    for _ in 0..3 {
        test.push(wide, RANK, "wide");
        test.push(late, RANK, "late");
    }
    let order = test.run(millis(10));
    assert_ne!(order[..2], ["late", "late"], "{order:?}");
}

#[test]
fn a_waiting_position_can_be_removed_and_a_running_one_cannot() {
    let mut test = TestQueue::new(1);
    let session = test.join();
    let (one, two) = (test.push(session, RANK, "one"), test.push(session, RANK, "two"));
    assert_eq!(test.start(), Some((one, "one")));
    assert_eq!((test.queue.remove(one), test.queue.remove(two)), (None, Some("two")));
    assert_eq!((test.start(), test.queue.waiting()), (None, 0));
    test.push(session, RANK, "three");
    assert_eq!(test.queue.leave(session), [one]);
    test.queue.finish(one, test.now);
    assert_eq!((test.start(), test.queue.running.len()), (None, 0));
}

#[test]
fn an_infinite_search_is_paused_for_another_session_and_resumes_later() {
    let mut test = TestQueue::new(1);
    let (endless, other) = (test.join(), test.join());
    let infinite = Rank { is_infinite: true, ..RANK };
    let task = test.push(endless, infinite, "endless");
    test.start();
    test.now += millis(5_000);
    assert_eq!(test.queue.pause_due(test.now), [], "nobody waits");
    test.push(endless, RANK, "own");
    assert_eq!(test.queue.pause_due(test.now), [], "only its own session waits");
    test.push(other, RANK, "other");
    assert_eq!(test.queue.pause_due(test.now), [task]);
    assert_eq!(test.queue.pause_due(test.now), [], "once");
    test.queue.requeue(task, test.now, "endless");
    assert_eq!(test.run(millis(1)), ["other", "endless", "own"]);
}

#[test]
fn an_infinite_search_runs_its_time_slice_before_it_is_paused() {
    let mut test = TestQueue::new(1);
    let (endless, other) = (test.join(), test.join());
    let task = test.push(endless, Rank { is_infinite: true, ..RANK }, "endless");
    test.start();
    assert_eq!(test.queue.next_pause(test.now), None, "nobody waits");
    test.push(other, RANK, "other");
    let pause = test.queue.next_pause(test.now);
    assert_eq!(pause, Some(test.now + INFINITE_TIME_SLICE));
    assert_eq!(test.queue.pause_due(test.now + INFINITE_TIME_SLICE - millis(1)), []);
    assert_eq!(test.queue.pause_due(test.now + INFINITE_TIME_SLICE), [task]);
}

#[test]
fn a_blocked_session_does_not_hold_up_others() {
    let mut test = TestQueue::new(1);
    let (slow, other) = (test.join(), test.join());
    test.push(slow, RANK, "slow");
    test.push(other, RANK, "other");
    test.queue.block(slow, true);
    assert_eq!(test.run(millis(1)), ["other"]);
    test.queue.block(slow, false);
    assert_eq!(test.run(millis(1)), ["slow"]);
}

/// Clients that send one query after another, each over a new connection, and searches that run.
struct Flood {
    queue: Queue<bool>,
    now: Instant,
    running: Vec<(TaskId, SessionId, Owner)>,
}

impl Flood {
    /// Puts a search of a new session into the queue.
    fn push(&mut self, owner: Owner) {
        let session = self.queue.join(owner, self.now);
        let arrival = self.queue.arrival();
        self.queue.push(session, arrival, RANK, self.now, false);
    }

    /// Starts searches until all workers are busy. Returns how many started, with and without those of
    /// `modest`.
    fn start(&mut self, modest: SessionId, owner: Owner) -> (u64, u64) {
        let (mut own, mut others) = (0, 0);
        while let Some(Started { task, session, work }) = self.queue.start(self.now) {
            let owner = if work { owner } else { self.owner_of(session) };
            self.running.push((task, session, owner));
            *(if session == modest { &mut own } else { &mut others }) += 1;
        }
        (own, others)
    }

    fn owner_of(&self, session: SessionId) -> Owner {
        self.queue.sessions[&session].owner
    }

    /// Ends the search that began first. Its client sends the next query over a new connection.
    fn end(&mut self) {
        self.now += millis(200);
        let (task, session, owner) = self.running.remove(0);
        self.queue.finish(task, self.now);
        self.queue.leave(session);
        self.push(owner);
    }
}

/// Returns how many searches of others start before one of a session that has searched before.
fn others_before(workers: usize, clients: u64, owner_of: impl Fn(u64) -> Owner) -> u64 {
    let own = Owner::of([192, 0, 2, 1].into());
    let mut flood = Flood { queue: Queue::new(workers), now: Instant::now(), running: Vec::new() };
    let modest = flood.queue.join(own, flood.now);
    let search = |flood: &mut Flood| {
        let arrival = flood.queue.arrival();
        flood.queue.push(modest, arrival, RANK, flood.now, true)
    };
    let first = search(&mut flood);
    assert_eq!(flood.queue.start(flood.now).map(|started| started.task), Some(first));
    flood.now += millis(200);
    flood.queue.finish(first, flood.now);
    (0..clients).for_each(|client| flood.push(owner_of(client)));
    flood.start(modest, own);
    search(&mut flood);
    let mut passed = 0;
    for _ in 0..1000 {
        flood.end();
        let (is_started, others) = flood.start(modest, own);
        if is_started > 0 {
            return passed;
        }
        passed += others;
    }
    panic!("a session starves: {workers} workers, {clients} clients");
}

#[test]
fn new_connections_starve_no_session() {
    let own = Owner::of([192, 0, 2, 1].into());
    for workers in [1, 2, 8] {
        for clients in [workers as u64 + 1, 4 * workers as u64, 100] {
            // All clients and the session wait at the same time.
            let most = 3 * (clients + 1) + 4;
            let passed = others_before(workers, clients, |_| own);
            assert!(passed <= most, "the same address: {passed}, {workers} workers");
            let address = |client: u64| [198, 51, 100, client as u8];
            let passed =
                others_before(workers, clients, |client| Owner::of(address(client).into()));
            assert!(passed <= most, "each client at its address: {passed}, {workers} workers");
            // An address that floods has one share, whatever the number of its connections.
            let passed = others_before(workers, clients, |_| Owner::of(address(1).into()));
            assert!(passed <= 2, "one other address: {passed}, {workers} workers");
        }
    }
}

#[test]
fn a_connection_that_leaves_leaves_its_charge() {
    let mut test = TestQueue::new(1);
    let (flood, modest) = (Owner::of([192, 0, 2, 1].into()), Owner::of([192, 0, 2, 2].into()));
    let modest = test.queue.join(modest, test.now);
    for _ in 0..10 {
        test.push(modest, RANK, "modest");
    }
    let mut order = Vec::new();
    let mut open = None;
    for _ in 0..20 {
        let (session, task) = *open.get_or_insert_with(|| {
            let session = test.queue.join(flood, test.now);
            (session, test.push(session, RANK, "flood"))
        });
        let (started, work) = test.start().unwrap();
        order.push(work);
        test.now += millis(10);
        test.queue.finish(started, test.now);
        if started == task {
            test.queue.leave(session);
            open = None;
        }
    }
    let flood = order.iter().filter(|work| **work == "flood").count();
    assert!((9..=11).contains(&flood), "{order:?}");
}

#[test]
fn owners_that_are_gone_are_forgotten() {
    let mut test = TestQueue::new(1);
    for number in 0..3000_u32 {
        let owner = Owner::of(number.to_be_bytes().into());
        let session = test.queue.join(owner, test.now);
        let task = test.push(session, RANK, "once");
        assert_eq!(test.start(), Some((task, "once")));
        test.now += millis(10);
        test.queue.finish(task, test.now);
        test.queue.leave(session);
    }
    assert!(test.queue.owners.len() <= MAX_IDLE_OWNERS, "{}", test.queue.owners.len());
    let owner = |address: &str| Owner::of(address.parse().unwrap());
    assert_eq!(owner("2001:db8::1"), owner("2001:db8::ffff:1"));
    assert_ne!(owner("2001:db8::1"), owner("2001:db8:0:1::1"));
    assert_eq!(owner("::ffff:127.0.0.1"), Owner::LOCAL);
}

/// An event of a random test.
#[derive(Clone, Debug)]
enum Event {
    Push { session: usize, priority: i32, infinite: bool },
    Remove(usize),
    Wait(u64),
    Finish(usize),
    Pause,
    Leave(usize),
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        6 => (0..5_usize, -3..3, any::<bool>())
            .prop_map(|(session, priority, infinite)| Event::Push { session, priority, infinite }),
        2 => (0..40_usize).prop_map(Event::Remove),
        4 => (1..3_000_u64).prop_map(Event::Wait),
        5 => (0..4_usize).prop_map(Event::Finish),
        1 => Just(Event::Pause),
        1 => (0..5_usize).prop_map(Event::Leave),
    ];
    prop::collection::vec(event, 0..120)
}

proptest! {
    /// No position runs twice at a time, each ends once, and none is lost.
    #[test]
    fn nothing_is_lost_and_no_worker_idles_while_somebody_waits(
        events in events(), workers in 1..4_usize,
    ) {
        let mut queue: Queue<u64> = Queue::new(workers);
        let mut now = Instant::now();
        let mut sessions: Vec<SessionId> = (0..5).map(|_| queue.join(Owner::LOCAL, now)).collect();
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
                Event::Pause => {
                    for task in queue.pause_due(now) {
                        let index = running.iter().position(|(it, _)| *it == task).unwrap();
                        let (_, session) = running.remove(index);
                        queue.requeue(task, now, 0);
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
                    sessions[index] = queue.join(Owner::LOCAL, now);
                }
                Event::Wait(time) => now += millis(time),
                _ => {}
            }
            while let Some(started) = queue.start(now) {
                let index = waiting.iter().position(|(task, _)| *task == started.task);
                running.push(waiting.remove(index.expect("it waited")));
            }
            prop_assert_eq!((queue.waiting(), queue.running.len()), (waiting.len(), running.len()));
            prop_assert!(queue.running.len() == workers || queue.waiting() == 0);
            prop_assert_eq!(ended + waiting.len() + running.len(), pushed);
        }
    }

    /// With S waiting sessions, N workers and searches of at most the time T, the first position of
    /// a session starts within T x ceil(S / N).
    #[test]
    fn a_session_waits_no_longer_than_its_share(
        backlog in prop::collection::vec(1..30_usize, 1..8),
        times in prop::collection::vec(1..=50_u64, 400),
        workers in 1..4_usize,
        after in 0..60_usize,
    ) {
        const MAX_TIME: u64 = 50;
        let mut queue: Queue<bool> = Queue::new(workers);
        let mut now = Instant::now();
        for count in &backlog {
            let session = queue.join(Owner::LOCAL, now);
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
                let session = queue.join(Owner::LOCAL, now);
                let arrival = queue.arrival();
                queue.push(session, arrival, RANK, now, true);
                let waiting = queue.sessions.values().filter(|it| !it.waiting.is_empty()).count();
                deadline = Some(now + millis(MAX_TIME * waiting.div_ceil(workers) as u64));
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
            let Some(index) = (0..running.len()).min_by_key(|index| running[*index].1) else {
                if step >= after { break }
                continue;
            };
            let (task, end) = running.remove(index);
            now = end;
            queue.finish(task, now);
        }
    }
}
