//! Helpers: run the arena in temporary folders, and read what it leaves there.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Instant;

use serde_json::Value;

use crate::support::running::TIMEOUT;

/// The program under test.
pub(super) const TENGEN: &str = env!("CARGO_BIN_EXE_tengen");

/// A temporary folder for runs, and a mark in the environment of all their processes.
pub(super) struct Lab {
    pub(super) folder: PathBuf,
    mark: String,
}

/// The exit status and the output of a command.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) status: Option<i32>,
    pub(super) out: String,
    pub(super) err: String,
}

impl Lab {
    pub(super) fn new(name: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let mark = format!("tengen-arena-{name}-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(&mark);
        fs::create_dir_all(&folder).unwrap();
        Self { folder, mark }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(super) fn write(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    /// Returns the command `tengen arena` with these arguments. Its processes have the mark.
    pub(super) fn arena(&self, words: &[&str]) -> Command {
        let mut command = Command::new(TENGEN);
        command.arg("arena").args(words).current_dir(&self.folder);
        command.env("TENGEN_TEST_MARK", &self.mark);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(super) fn run(&self, words: &[&str]) -> Outcome {
        let output = self.arena(words).output().unwrap();
        Outcome {
            status: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Reads the records of a run.
    pub(super) fn journal(&self, run: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.path(run).join("journal.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Reads the games of a run, by id.
    pub(super) fn games(&self, run: &str) -> Vec<Value> {
        let mut games = self.journal(run);
        games.retain(|record| record["kind"] == "game");
        games.sort_by_key(|game| game["id"].as_u64());
        games
    }

    /// Waits until no process with the mark is left.
    pub(super) fn await_quiet(&self) {
        let started_at = Instant::now();
        loop {
            let left = processes(&self.mark);
            if left.is_empty() {
                return;
            }
            assert!(started_at.elapsed() < TIMEOUT, "still there: {left:?}");
            thread::yield_now();
        }
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        // A leftover folder does no harm.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Returns the `sh` script of an engine for four in a row. The first player plays column 1 and
/// wins; the second plays column 2. `at_uci` and `at_go` are shell commands for these UCI commands,
/// and `$mv` is the move.
pub(super) fn columns_engine(at_uci: &str, at_go: &str) -> String {
    format!(
        "while read -r line; do case $line in
        uci) {at_uci}
             echo 'option name UCI_Variant type combo default cfour var cfour'; echo uciok ;;
        isready) echo readyok ;;
        'position startpos') mv=1 ;;
        position*) case $(($(echo \"${{line#* moves }}\" | wc -w) % 2)) in 0) mv=1 ;; *) mv=2 ;; esac ;;
        go*) {at_go} ;;
        quit) exit 0 ;;
        esac; done\n"
    )
}

/// Returns the arguments of a match of two `sh` scripts that speak UCI and play four in a row.
/// `args` are the arguments of the scripts, `more` are further arguments of the arena.
pub(super) fn scripts<'a>(args: [&'a str; 2], more: &[&'a str]) -> Vec<&'a str> {
    let [first, second] = args;
    let engines = ["-engine", "cmd=sh", first, "name=A", "-engine", "cmd=sh", second, "name=B"];
    let each = ["-each", "proto=uci", "tc=100+0", "-variant", "cfour"];
    engines.into_iter().chain(each).chain(more.iter().copied()).collect()
}

/// Returns the processes with `mark` in their environment.
fn processes(mark: &str) -> Vec<u32> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid: &u32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.windows(mark.len()).any(|part| part == mark.as_bytes())
    })
    .collect()
}

/// A run whose output is read line by line.
pub(super) struct Running {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Running {
    pub(super) fn start(mut command: Command) -> Self {
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { child, lines }
    }

    /// Reads up to the next line about a finished game; `None` at the end of the run.
    pub(super) fn finished(&mut self) -> Option<String> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.lines.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            if line.starts_with("Finished game") {
                return Some(line);
            }
        }
    }

    /// Returns the peak memory of the arena process, in MiB; `None` after its end.
    pub(super) fn peak_memory(&self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
        Some(line.split_ascii_whitespace().nth(1)?.parse::<u64>().ok()? >> 10)
    }

    /// Kills the arena with SIGKILL.
    pub(super) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(super) fn end(mut self) -> Option<i32> {
        while self.finished().is_some() {}
        self.child.wait().unwrap().code()
    }
}

/// Asserts that `report --rebuild` writes files equal to those of the run.
pub(super) fn files_follow_from_the_journal(lab: &Lab, run: &str, names: &[&str]) {
    let folder = lab.path(run);
    let read = |name: &str| fs::read(Path::new(&folder).join(name)).unwrap();
    let before: Vec<Vec<u8>> = names.iter().map(|name| read(name)).collect();
    for name in names {
        fs::remove_file(folder.join(name)).unwrap();
    }
    let report = lab.run(&["report", run, "--rebuild"]);
    assert_eq!(report.status, Some(0), "{report:?}");
    for (name, before) in names.iter().zip(before) {
        assert!(read(name) == before, "{name} is not what the journal says");
    }
}
