//! Reads CPU time and memory of processes from /proc.

use std::fs;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// Returns the fields of `/proc/PID/stat` after the name of the program.
fn stat(pid: i32) -> Option<Vec<u64>> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name may contain blanks and brackets. The first field is the state, a letter, read as 0.
    let (_, fields) = text.rsplit_once(')')?;
    Some(fields.split_ascii_whitespace().map(|field| field.parse().unwrap_or(0)).collect())
}

/// Returns the process id of the parent of a process.
pub(super) fn parent(pid: i32) -> Option<i32> {
    let fields = stat(pid)?;
    i32::try_from(*fields.get(1)?).ok()
}

/// Returns a process and its descendants, as far as the kernel lists them.
fn tree(pid: i32) -> Vec<i32> {
    let mut found = vec![pid];
    let mut next = 0;
    while let Some(&pid) = found.get(next) {
        next += 1;
        let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        for task in tasks {
            let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
            found.extend(
                children.split_ascii_whitespace().filter_map(|pid| pid.parse::<i32>().ok()),
            );
        }
        // A fork bomb must not keep this loop busy.
        if found.len() > 1000 {
            break;
        }
    }
    found
}

/// Kills a process and its descendants, the descendants first.
pub(super) fn kill_tree(pid: u32) {
    for pid in tree(pid.cast_signed()).into_iter().rev().filter_map(Pid::from_raw) {
        // It may have ended by now.
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// Returns the CPU time of a process and its descendants. An ended process counts after its parent
/// has waited for it.
pub(super) fn cpu_time(pid: i32) -> Duration {
    let of_one =
        |pid: i32| -> u64 { stat(pid).map_or(0, |fields| fields.iter().skip(11).take(4).sum()) };
    let ticks: u64 = tree(pid).into_iter().map(of_one).sum();
    Duration::from_secs_f64(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
}

/// Returns the memory of a process and its descendants, in bytes: the sum of their proportional set
/// sizes.
pub(super) fn memory(pid: i32) -> u64 {
    tree(pid).into_iter().map(proportional_set_size).sum()
}

/// Returns the proportional set size of a process; the resident set size if the kernel has no
/// other.
fn proportional_set_size(pid: i32) -> u64 {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"));
    match rollup.ok().and_then(|text| kilobytes(&text, "Pss:")) {
        Some(size) => size,
        // Some kernels have no such file.
        None => kilobytes(&status(pid), "VmRSS:").unwrap_or(0),
    }
}

/// Returns the sum of the peak resident set sizes of a process and its living descendants, in
/// bytes. Their common peak is at most this sum.
pub(super) fn peak_memory(pid: i32) -> u64 {
    let of_one = |pid: i32| kilobytes(&status(pid), "VmHWM:").unwrap_or(0);
    tree(pid).into_iter().map(of_one).sum()
}

fn status(pid: i32) -> String {
    fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default()
}

/// Returns the bytes of the line `key` of a file in kilobytes.
fn kilobytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with(key))?;
    let number: u64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(number << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_can_be_measured() {
        let me = i32::try_from(std::process::id()).unwrap();
        assert!(memory(me) > 100_000 && peak_memory(me) > 100_000);
        assert!(parent(me).is_some() && tree(me).contains(&me));
        let before = cpu_time(me);
        // Use CPU time until the kernel has counted a tick.
        while cpu_time(me) == before {
            std::hint::black_box((0..10_000).sum::<u64>());
        }
    }

    #[test]
    fn descendants_count_with_their_process() {
        use std::io::{BufRead, BufReader};
        use std::process::{Command, Stdio};

        // The shell only waits. Its child uses CPU time and memory.
        let busy = "while :; do :; done & echo started; read -r line; kill $!";
        let mut command = Command::new("sh");
        command.args(["-c", busy]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut shell = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(shell.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let pid = i32::try_from(shell.id()).unwrap();
        let own: u64 = stat(pid).unwrap().iter().skip(11).take(4).sum();
        let own =
            Duration::from_secs_f64(own as f64 / rustix::param::clock_ticks_per_second() as f64);
        while cpu_time(pid) < own + Duration::from_millis(50) {
            std::thread::yield_now();
        }
        assert!(peak_memory(pid) > kilobytes(&status(pid), "VmHWM:").unwrap());
        drop(shell.stdin.take());
        shell.wait().unwrap();
    }
}
