//! An engine host in virtual time: engines are functions from lines to lines with delays.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::engine_host::{Dismissal, EngineHost, HostEvent, Launch};

/// What a scripted engine does.
#[derive(Clone, Debug)]
pub(super) enum Act {
    /// Says a line after so many milliseconds.
    Say(u64, String),
    /// Ends after so many milliseconds.
    Die(u64, &'static str),
    /// Works for so many milliseconds.
    Work(u64),
    /// Something else happens after so many milliseconds.
    Event(u64, HostEvent),
}

/// An engine: a line to what it does.
pub(super) type Engine = Box<dyn FnMut(&str) -> Vec<Act>>;

/// Makes the engine of a program when it is started.
pub(super) type Programs = Box<dyn FnMut(&str) -> Engine>;

struct Process {
    engine: Engine,
    gone: Option<HostEvent>,
    /// The time in which it works.
    busy: Option<(Instant, Instant)>,
}

/// An engine host in virtual time.
pub(super) struct Script {
    now: Instant,
    programs: Programs,
    seats: [Option<Process>; 2],
    /// What happens, by time and order.
    events: BTreeMap<(Instant, u64), HostEvent>,
    order: u64,
    /// Everything that was sent and done, for assertions.
    pub(super) log: Vec<String>,
    /// The seat and the CPUs of each program that was started.
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

    /// How often a program was started.
    pub(super) fn starts(&self) -> usize {
        self.log.iter().filter(|line| line.contains(" start ")).count()
    }

    fn post(&mut self, after: u64, event: HostEvent) {
        self.order += 1;
        self.events.insert((self.now + Duration::from_millis(after), self.order), event);
    }

    fn act(&mut self, seat: usize, acts: Vec<Act>) {
        for act in acts {
            match act {
                Act::Say(after, text) => {
                    let at = self.now + Duration::from_millis(after);
                    self.post(after, HostEvent::Line { seat, at, text });
                }
                Act::Die(after, how) => {
                    let at = self.now + Duration::from_millis(after);
                    self.post(after, HostEvent::Gone { seat, at, how: how.to_owned() });
                }
                Act::Work(millis) => {
                    if let Some(process) = &mut self.seats[seat] {
                        process.busy = Some((self.now, self.now + Duration::from_millis(millis)));
                    }
                }
                Act::Event(after, event) => self.post(after, event),
            }
        }
    }
}

fn seat_of(event: &HostEvent) -> Option<usize> {
    match event {
        HostEvent::Line { seat, .. }
        | HostEvent::Gone { seat, .. }
        | HostEvent::Memory { seat, .. }
        | HostEvent::Flood { seat }
        | HostEvent::InputStalled { seat } => Some(*seat),
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
        self.seats[seat] = Some(Process { engine, gone: None, busy: None });
        Ok(())
    }

    fn send(&mut self, seat: usize, line: &str) {
        self.log.push(format!("{seat} {line}"));
        let Some(process) = self.seats[seat].as_mut().filter(|process| process.gone.is_none())
        else {
            return;
        };
        let acts = (process.engine)(line);
        self.act(seat, acts);
    }

    fn next(&mut self, until: Instant) -> HostEvent {
        let due = self.events.first_key_value().map(|(key, _)| *key).filter(|key| key.0 <= until);
        let Some(key) = due else {
            self.now = self.now.max(until);
            return HostEvent::Timeout;
        };
        self.now = self.now.max(key.0);
        let event = self.events.remove(&key).unwrap();
        if let HostEvent::Gone { seat, .. } = &event
            && let Some(process) = &mut self.seats[*seat]
        {
            process.gone = Some(event.clone());
        }
        event
    }

    fn gone(&self, seat: usize) -> Option<HostEvent> {
        self.seats[seat].as_ref().and_then(|process| process.gone.clone())
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

    fn was_late(&self, _: Instant, _: Instant) -> bool {
        self.late
    }
}
