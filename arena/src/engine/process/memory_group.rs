//! [`MemoryGroup`]: limits memory with a control group of version 2, if this program may create
//! one.
//!
//! Without such a group, the caller has to watch the memory itself.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where control groups of version 2 are mounted.
const MOUNT: &str = "/sys/fs/cgroup";

/// The file with the processes of a group.
const PROCESSES: &str = "cgroup.procs";

/// A control group with a memory limit. The kernel kills its processes when they exceed the limit.
/// The group is removed when this value is dropped.
///
/// CITE: https://docs.kernel.org/admin-guide/cgroup-v2.html
#[derive(Debug)]
pub(super) struct MemoryGroup {
    folder: PathBuf,
    /// The group of this process before.
    original_group: PathBuf,
}

impl MemoryGroup {
    /// Creates a group whose processes may take `limit_bytes` together, and moves this process into
    /// it. Returns `None` if that is not possible.
    pub(super) fn enter(limit_bytes: u64) -> Option<Self> {
        let own = fs::read_to_string("/proc/self/cgroup").ok()?;
        let name = format!("tengen-engine-{}", std::process::id());
        let group = Self::create(Path::new(MOUNT), &own, &name, limit_bytes)?;
        move_to(&group.folder).ok()?;
        Some(group)
    }

    /// Moves this process back to its original group. Its children stay.
    pub(super) fn leave(&self) -> io::Result<()> {
        move_to(&self.original_group)
    }

    /// Creates a group in the nearest ancestor that lets its children limit memory. `own` is the
    /// text of `/proc/self/cgroup`.
    fn create(mount: &Path, own: &str, name: &str, limit_bytes: u64) -> Option<Self> {
        // The lines of version 1 begin with a number and controllers.
        let own = own.lines().find_map(|line| line.strip_prefix("0::/"))?;
        let original_group = mount.join(own);
        let parent = original_group
            .ancestors()
            .take_while(|folder| folder.starts_with(mount))
            .find(|folder| delegates_memory(folder))?;
        let folder = parent.join(name);
        fs::create_dir(&folder).ok()?;
        let group = Self { folder, original_group };
        fs::write(group.folder.join("memory.max"), limit_bytes.to_string()).ok()?;
        // Not every kernel has these two files.
        let _ = fs::write(group.folder.join("memory.swap.max"), "0");
        let _ = fs::write(group.folder.join("memory.oom.group"), "1");
        // The kernel rounds to pages.
        let limit: u64 =
            fs::read_to_string(group.folder.join("memory.max")).ok()?.trim().parse().ok()?;
        (limit <= limit_bytes).then_some(group)
    }

    /// Returns whether the kernel has killed a process of the group because of its memory.
    pub(super) fn was_exceeded(&self) -> bool {
        let events = fs::read_to_string(self.folder.join("memory.events")).unwrap_or_default();
        let kills = events.lines().find_map(|line| line.strip_prefix("oom_kill "));
        kills.and_then(|count| count.trim().parse().ok()).is_some_and(|count: u64| count > 0)
    }
}

impl Drop for MemoryGroup {
    /// Removes the group, if it has no processes.
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.folder);
    }
}

/// Returns whether the children of a group can limit memory.
fn delegates_memory(folder: &Path) -> bool {
    let controllers = fs::read_to_string(folder.join("cgroup.subtree_control"));
    controllers.is_ok_and(|names| names.split_ascii_whitespace().any(|name| name == "memory"))
}

fn move_to(folder: &Path) -> io::Result<()> {
    fs::write(folder.join(PROCESSES), std::process::id().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A temporary folder with the files of a hierarchy.
    struct Hierarchy(PathBuf);

    impl Hierarchy {
        fn new(name: &str) -> Self {
            let process = std::process::id();
            let mount = std::env::temp_dir().join(format!("tengen-groups-{process}-{name}"));
            fs::create_dir_all(mount.join("slice/own")).unwrap();
            Self(mount)
        }

        fn write(&self, file: &str, text: &str) {
            fs::write(self.0.join(file), text).unwrap();
        }

        fn read(&self, file: &str) -> String {
            fs::read_to_string(self.0.join(file)).unwrap()
        }

        fn create(&self, own: &str) -> Option<MemoryGroup> {
            MemoryGroup::create(&self.0, own, "engine", 300 << 20)
        }
    }

    impl Drop for Hierarchy {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_group_is_created_in_the_nearest_group_that_delegates_memory() {
        let groups = Hierarchy::new("made");
        groups.write("cgroup.subtree_control", "cpu memory\n");
        groups.write("slice/cgroup.subtree_control", "cpuset cpu memory pids\n");
        groups.write("slice/own/cgroup.subtree_control", "");
        let group = groups.create("0::/slice/own\n").unwrap();
        assert_eq!(group.folder, groups.0.join("slice/engine"));
        assert_eq!(groups.read("slice/engine/memory.max"), "314572800");
        assert_eq!(groups.read("slice/engine/memory.swap.max"), "0");
        assert_eq!(groups.read("slice/engine/memory.oom.group"), "1");
        // The process can enter and leave the group.
        move_to(&group.folder).unwrap();
        assert_eq!(groups.read("slice/engine/cgroup.procs"), std::process::id().to_string());
        group.leave().unwrap();
        assert_eq!(groups.read("slice/own/cgroup.procs"), std::process::id().to_string());
        // A second group of this name cannot be created.
        assert!(groups.create("0::/slice/own\n").is_none());
    }

    #[test]
    fn only_kills_because_of_memory_count_as_exceeded() {
        let groups = Hierarchy::new("events");
        groups.write("slice/cgroup.subtree_control", "memory");
        let group = groups.create("0::/slice/own\n").unwrap();
        assert!(!group.was_exceeded());
        for (events, is_exceeded) in [
            ("low 0\nhigh 0\nmax 12\noom 0\noom_kill 0\noom_group_kill 0\n", false),
            ("low 0\nhigh 0\nmax 31\noom 1\noom_kill 2\noom_group_kill 1\n", true),
        ] {
            groups.write("slice/engine/memory.events", events);
            assert_eq!(group.was_exceeded(), is_exceeded);
        }
    }

    #[test]
    fn no_group_is_created_without_a_memory_controller_to_delegate() {
        let groups = Hierarchy::new("none");
        // Version 1: each controller has a hierarchy of its own.
        assert!(groups.create("4:memory:/slice/own\n1:name=systemd:/slice\n").is_none());
        // Version 2 in addition to version 1, which has the memory controller.
        assert!(groups.create("4:memory:/slice\n0::/slice/own\n").is_none());
        groups.write("slice/cgroup.subtree_control", "cpu pids\n");
        assert!(groups.create("0::/slice/own\n").is_none());
        assert!(groups.create("").is_none());
        assert!(!groups.0.join("slice/engine").exists());
    }
}
