//! An engine host in virtual time. Its engines are functions from input lines to actions.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::config::Launch;
use crate::engine::host::{Dismissal, EngineHost, HostEvent};
use crate::record::EndKind;

/// An action of a scripted engine.
#[derive(Clone, Debug)]
pub(super) enum Action {
    /// Writes a line after this many milliseconds.
    Say(u64, String),
    /// Ends its process after this many milliseconds, in this way.
    Die(u64, &'static str),
    /// Uses CPU time for this many milliseconds.
    Work(u64),
    /// Causes another event after this many milliseconds.
    Event(u64, HostEvent),
}

/// A scripted engine: returns its actions for an input line.
pub(super) type Engine = Box<dyn FnMut(&str) -> Vec<Action>>;

/// Creates the engine of a program that is started, by the name of the program.
pub(super) type Programs = Box<dyn FnMut(&str) -> Engine>;

struct Process {
    engine: Engine,
    exit: Option<(EndKind, String)>,
    /// The interval in which it uses CPU time.
    busy: Option<(Instant, Instant)>,
}

/// An engine host in virtual time.
pub(super) struct Script {
    now: Instant,
    programs: Programs,
    seats: [Option<Process>; 2],
    /// The events to come, by time and order.
    events: BTreeMap<(Instant, u64), HostEvent>,
    order: u64,
    /// All lines and calls, for assertions.
    pub(super) log: Vec<String>,
    /// The seat and the CPUs of each started program.
    pub(super) cpus: Vec<(usize, Vec<usize>)>,
    pub(super) late: bool,
}

impl Script {
    pub(super) fn new(programs: Programs) -> Self {
        Self {
            now: Instant::now(),
            programs,
            seats: [None, None],
            events: BTreeMap::new(),
            order: 0,
            log: Vec::new(),
            cpus: Vec::new(),
            late: false,
        }
    }

    /// Returns the number of started programs.
    pub(super) fn starts(&self) -> usize {
        self.log.iter().filter(|line| line.contains(" start ")).count()
    }

    fn post(&mut self, after: u64, event: HostEvent) {
        self.order += 1;
        self.events.insert((self.now + Duration::from_millis(after), self.order), event);
    }

    fn perform(&mut self, seat: usize, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Say(after, text) => {
                    let at = self.now + Duration::from_millis(after);
                    self.post(after, HostEvent::Line { seat, at, text });
                }
                Action::Die(after, how) => {
                    let (kind, text) = (EndKind::Crash, format!("the process {how}"));
                    self.post(after, HostEvent::Failed { seat, kind, text });
                }
                Action::Work(millis) => {
                    if let Some(process) = &mut self.seats[seat] {
                        process.busy = Some((self.now, self.now + Duration::from_millis(millis)));
                    }
                }
                Action::Event(after, event) => self.post(after, event),
            }
        }
    }
}

fn seat_of(event: &HostEvent) -> Option<usize> {
    match event {
        HostEvent::Line { seat, .. } | HostEvent::Failed { seat, .. } => Some(*seat),
        HostEvent::Timeout | HostEvent::Abort => None,
    }
}

impl EngineHost for Script {
    fn now(&self) -> Instant {
        self.now
    }

    fn start(&mut self, seat: usize, launch: &Launch) -> Result<(), String> {
        let name = launch.cmd.display().to_string();
        assert!(self.seats[seat].is_none(), "the seat is taken");
        if name == "missing" {
            return Err("no such file".to_owned());
        }
        self.log.push(format!("{seat} start {name}"));
        self.cpus.push((seat, launch.cpus.clone()));
        let engine = (self.programs)(&name);
        self.seats[seat] = Some(Process { engine, exit: None, busy: None });
        Ok(())
    }

    fn send(&mut self, seat: usize, line: &str) {
        self.log.push(format!("{seat} {line}"));
        let Some(process) = self.seats[seat].as_mut().filter(|process| process.exit.is_none())
        else {
            return;
        };
        let actions = (process.engine)(line);
        self.perform(seat, actions);
    }

    fn next(&mut self, until: Instant) -> HostEvent {
        let due = self.events.first_key_value().map(|(key, _)| *key).filter(|key| key.0 <= until);
        let Some(key) = due else {
            self.now = self.now.max(until);
            return HostEvent::Timeout;
        };
        self.now = self.now.max(key.0);
        let event = self.events.remove(&key).unwrap();
        if let HostEvent::Failed { seat, kind: EndKind::Crash, text } = &event
            && let Some(process) = &mut self.seats[*seat]
        {
            process.exit = Some((EndKind::Crash, text.clone()));
        }
        event
    }

    fn failure(&self, seat: usize) -> Option<(EndKind, String)> {
        self.seats[seat].as_ref().and_then(|process| process.exit.clone())
    }

    fn dismiss(&mut self, seat: usize, how: Dismissal) {
        self.log.push(format!("{seat} dismissed {how:?}"));
        self.seats[seat] = None;
        self.events.retain(|_, event| seat_of(event) != Some(seat));
    }

    fn suspend(&mut self, seat: usize, stops: bool) {
        self.log.push(format!("{seat} {}", if stops { "suspended" } else { "resumed" }));
    }

    fn cpu_time(&mut self, seat: usize) -> Duration {
        let busy = self.seats[seat].as_ref().and_then(|process| process.busy);
        busy.map_or(Duration::ZERO, |(from, until)| self.now.min(until).duration_since(from))
    }

    fn peak_memory(&mut self, seat: usize) -> u64 {
        seat as u64 + 1
    }

    fn lag(&self, _: Instant, _: Instant) -> Duration {
        if self.late { Duration::from_secs(3600) } else { Duration::ZERO }
    }
}
