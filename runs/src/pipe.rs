//! [`Pipe`]: a carrier whose workers are child processes that run `tengen work`.
//!
//! One thread keeps the children. Each child has a thread that writes its lines, and one that reads its
//! results. How many slots a child has is learnt from the names of its workers.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::contract::{MAX_LINE, MAX_VIEW, ResultLine, TaskLine, ViewLine, quoted};
use crate::remote::{Arrival, Carrier};

/// How many children may end while they hold a task before no child gets it any more.
const MAX_DEATHS: u32 = 5;

/// How often a child in a row may end without a result before it is not started again.
const MAX_FRUITLESS: u32 = 3;

/// The time that a child has to exit after a signal.
const EXIT: Duration = Duration::from_secs(2);

/// Child processes that do tasks.
pub struct Pipe {
    messages: Sender<Message>,
    room: Arc<AtomicUsize>,
    keeper: Option<JoinHandle<()>>,
}

enum Message {
    Submit(TaskLine),
    /// The child with this number is not used any more; the task is queued again.
    Refuse(TaskLine, Option<u64>),
    Line(u64, String),
    Ended(u64),
    Stop,
}

impl Pipe {
    /// Starts a child for each of `commands`, which the shell runs with the variables `env`.
    pub fn start(
        commands: &[String],
        env: &[(String, String)],
        arrivals: Sender<Arrival>,
    ) -> io::Result<Self> {
        let (messages, received) = channel();
        let room = Arc::new(AtomicUsize::new(2 * commands.len()));
        let mut keeper = Keeper {
            messages: messages.clone(),
            arrivals,
            env: env.to_vec(),
            children: HashMap::new(),
            next: 0,
            waiting: VecDeque::new(),
            deaths: HashMap::new(),
            room: Arc::clone(&room),
        };
        for command in commands {
            keeper.start(command, 0)?;
        }
        let thread = thread::Builder::new().name("pipes".to_owned());
        let keeper = Some(thread.spawn(move || keeper.run(&received))?);
        Ok(Self { messages, room, keeper })
    }

    fn send(&self, message: Message) {
        // The keeper has told why it ended.
        let _ = self.messages.send(message);
    }
}

impl Carrier for Pipe {
    fn room(&self) -> usize {
        self.room.load(Ordering::Relaxed)
    }

    fn submit(&mut self, task: &TaskLine) {
        self.send(Message::Submit(task.clone()));
    }

    fn refuse(&mut self, task: &TaskLine, number: u64, _: &str, leaves: bool) {
        self.send(Message::Refuse(task.clone(), leaves.then_some(number)));
    }

    fn stop(&mut self, _: bool) {
        self.send(Message::Stop);
        if let Some(keeper) = self.keeper.take() {
            let _ = keeper.join();
        }
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        self.stop(true);
    }
}

/// A child and the tasks that it holds.
struct Worker {
    command: String,
    process: Child,
    lines: Sender<String>,
    held: Vec<TaskLine>,
    /// The names of its slots so far.
    slots: HashSet<String>,
    has_result: bool,
    /// How many children before this one ended without a result.
    fruitless: u32,
}

impl Worker {
    /// Returns how many tasks the child may hold: one waits for each slot.
    fn limit(&self) -> usize {
        2 * self.slots.len().max(1)
    }
}

/// Keeps the children.
struct Keeper {
    messages: Sender<Message>,
    arrivals: Sender<Arrival>,
    env: Vec<(String, String)>,
    children: HashMap<u64, Worker>,
    next: u64,
    waiting: VecDeque<TaskLine>,
    /// How many children ended while they held a task, by id.
    deaths: HashMap<String, u32>,
    room: Arc<AtomicUsize>,
}

impl Keeper {
    fn start(&mut self, command: &str, fruitless: u32) -> io::Result<()> {
        let mut process = shell(command, &self.env).spawn()?;
        let (input, output) = (process.stdin.take(), process.stdout.take());
        let (lines, to_write) = channel();
        let number = self.next;
        self.next += 1;
        let messages = self.messages.clone();
        let thread = |name: &str| thread::Builder::new().name(format!("pipe {number} {name}"));
        if let (Some(input), Some(output)) = (input, output) {
            thread("input").spawn(move || write_lines(input, &to_write))?;
            thread("output").spawn(move || read_lines(number, output, &messages))?;
        }
        let (command, held, slots) = (command.to_owned(), Vec::new(), HashSet::new());
        let has_result = false;
        let worker = Worker { command, process, lines, held, slots, has_result, fruitless };
        self.children.insert(number, worker);
        Ok(())
    }

    fn run(mut self, received: &Receiver<Message>) {
        while let Ok(message) = received.recv() {
            match message {
                Message::Submit(task) => self.waiting.push_back(task),
                Message::Refuse(task, child) => {
                    self.waiting.push_front(task);
                    if let Some(worker) = child.and_then(|child| self.children.remove(&child)) {
                        self.waiting.extend(end(worker).0);
                        self.break_without_children("it differs from this run");
                    }
                }
                Message::Line(child, line) => self.line(child, &line),
                Message::Ended(child) => self.ended(child),
                Message::Stop => break,
            }
            self.hand_out();
        }
        let ending: Vec<Worker> = self.children.drain().map(|(_, worker)| worker).collect();
        ending.iter().for_each(|worker| signal(&worker.process, false));
        ending.into_iter().for_each(|worker| drop(end(worker)));
    }

    /// Gives tasks to the children with the most room.
    fn hand_out(&mut self) {
        let free = |worker: &Worker| worker.limit().saturating_sub(worker.held.len());
        while !self.waiting.is_empty()
            && let Some(worker) = self.children.values_mut().max_by_key(|worker| free(worker))
            && free(worker) > 0
            && let Some(task) = self.waiting.pop_front()
        {
            let _ = worker.lines.send(task.text());
            worker.held.push(task);
        }
        self.room.store(self.children.values().map(Worker::limit).sum(), Ordering::Relaxed);
    }

    /// Sends what has arrived to the run, which may have ended.
    fn tell(&self, arrival: Arrival) {
        let _ = self.arrivals.send(arrival);
    }

    fn note(&self, text: String) {
        self.tell(Arrival::Note(format!("pipe: {text}")));
    }

    fn line(&mut self, child: u64, line: &str) {
        let Some(worker) = self.children.get_mut(&child) else { return };
        if line.len() <= MAX_VIEW
            && let Ok(ViewLine { id, view }) = serde_json::from_str(line)
        {
            return self.tell(Arrival::View(id, child.to_string(), view));
        }
        let Ok(mut result) = serde_json::from_str::<ResultLine>(line) else {
            let (command, line) = (worker.command.clone(), quoted(line));
            return self.note(format!("{command}: \"{line}\" is no result, and is skipped"));
        };
        worker.has_result = true;
        if let Some(identity) = &mut result.worker {
            worker.slots.insert(identity.name.clone());
            // Several children can have one host.
            let (host, slot) = identity.name.rsplit_once('/').unwrap_or((&identity.name, "0"));
            identity.name = format!("{host}.{child}/{slot}");
        }
        if let Some(id) = &result.id {
            worker.held.retain(|held| held.id != *id);
            self.deaths.remove(id);
        }
        self.tell(Arrival::Result(Box::new(result), child));
    }

    /// Handles the end of a child: its tasks go to others, and it is started again.
    fn ended(&mut self, child: u64) {
        let Some(mut worker) = self.children.remove(&child) else { return };
        // It has closed its output, and exits by itself.
        await_exit(&mut worker.process, EXIT);
        let (command, has_result) = (worker.command.clone(), worker.has_result);
        let fruitless = if has_result { 0 } else { worker.fruitless + 1 };
        let (held, status) = end(worker);
        let how = status.map_or_else(|| "ended".to_owned(), |status| format!("ended: {status}"));
        for task in held.into_iter().rev() {
            let deaths = self.deaths.entry(task.id.clone()).or_default();
            *deaths += 1;
            if *deaths >= MAX_DEATHS {
                let why = format!("{deaths} workers ended with it; the last one {how}");
                self.tell(Arrival::Failed(task.id, why));
                continue;
            }
            self.waiting.push_front(task);
        }
        self.note(format!("{command} {how}"));
        // The shell's statuses for a program that is absent or cannot run, and a refused command line.
        let is_wrong = matches!(status.and_then(|status| status.code()), Some(2 | 126 | 127));
        if fruitless < MAX_FRUITLESS
            && (has_result || !is_wrong)
            && let Err(error) = self.start(&command, fruitless)
        {
            self.note(format!("{command}: {error}"));
        }
        self.break_without_children(&how);
    }

    fn break_without_children(&self, how: &str) {
        if self.children.is_empty() {
            let why = format!("no worker is left: the last one {how}; the run can be resumed");
            self.tell(Arrival::Broken(why));
        }
    }
}

/// Returns a command of the shell in a process group of its own, so that Ctrl-C at the terminal ends
/// only this program.
fn shell(command: &str, env: &[(String, String)]) -> Command {
    let mut shell = Command::new(if cfg!(windows) { "cmd" } else { "sh" });
    shell.arg(if cfg!(windows) { "/C" } else { "-c" }).arg(command);
    shell.envs(env.iter().map(|(name, value)| (name, value)));
    shell.stdin(Stdio::piped()).stdout(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut shell, 0);
    shell
}

fn write_lines(mut input: ChildStdin, lines: &Receiver<String>) {
    while let Ok(line) = lines.recv() {
        let written = input.write_all(format!("{line}\n").as_bytes()).and_then(|()| input.flush());
        if written.is_err() {
            return;
        }
    }
}

fn read_lines(child: u64, output: ChildStdout, messages: &Sender<Message>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        let read = output.by_ref().take(MAX_LINE as u64 + 1).read_until(b'\n', &mut line);
        // A line without its end is cut off, or too long.
        if read.is_err() || line.pop() != Some(b'\n') {
            break;
        }
        let line = String::from_utf8_lossy(&line).into_owned();
        if messages.send(Message::Line(child, line)).is_err() {
            return;
        }
    }
    let _ = messages.send(Message::Ended(child));
}

/// Ends a child. Returns the tasks that it held, and how it ended.
fn end(worker: Worker) -> (Vec<TaskLine>, Option<ExitStatus>) {
    let Worker { mut process, held, lines, .. } = worker;
    drop(lines);
    signal(&process, false);
    if let Some(status) = await_exit(&mut process, EXIT) {
        return (held, Some(status));
    }
    signal(&process, true);
    (held, process.wait().ok())
}

/// Waits until a child has exited, at most for `most`.
fn await_exit(process: &mut Child, most: Duration) -> Option<ExitStatus> {
    let until = Instant::now() + most;
    loop {
        match process.try_wait() {
            Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(5)),
            Ok(status) => return status,
            Err(_) => return None,
        }
    }
}

/// Asks the processes of a child to end, or kills them if `kills`.
#[cfg(unix)]
fn signal(process: &Child, kills: bool) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let signal = if kills { Signal::KILL } else { Signal::TERM };
    let _ = kill_process_group(Pid::from_child(process), signal);
}

/// Windows has no such signal: the child ends at the end of its input.
#[cfg(not(unix))]
fn signal(_: &Child, _: bool) {}
