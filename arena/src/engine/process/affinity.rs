//! Assigns CPUs to games: whole cores first, and one NUMA node for a game if possible. The arena
//! gets the unused CPUs.
//!
//! The assignment takes a description of the machine, so that tests can invent machines.

use std::fs;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// A logical CPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cpu {
    /// The number that the kernel gives it.
    pub number: usize,
    /// The core, as package and number in the package.
    pub core: (usize, usize),
    /// The NUMA node.
    pub node: usize,
}

/// The assignment of CPUs to games.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assignment {
    /// By game: the numbers of its CPUs.
    pub games: Vec<Vec<usize>>,
    /// The CPUs without a game.
    pub unused: Vec<usize>,
    /// Whether two games share a core.
    pub shares_cores: bool,
    /// Whether a game has CPUs of several NUMA nodes.
    pub spans_nodes: bool,
}

/// Reads a list of CPUs such as `0-3,6`; an empty text means all CPUs that this program may use.
/// The error says why the list cannot be used.
pub fn read_cpus(list: &str) -> Result<Vec<Cpu>, String> {
    let mask = sched_getaffinity(None).map_err(|error| error.to_string())?;
    let usable: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|cpu| mask.is_set(*cpu)).collect();
    let wanted = match list {
        "" => usable,
        list => {
            let wanted = parse_list(list)
                .ok_or_else(|| format!("\"{list}\": it must be a list of CPUs such as 0-3,6"))?;
            if let Some(cpu) = wanted.iter().find(|cpu| !usable.contains(cpu)) {
                let usable: Vec<String> = usable.iter().map(usize::to_string).collect();
                let usable = usable.join(",");
                return Err(format!("CPU {cpu} cannot be used here; these can: {usable}"));
            }
            wanted
        }
    };
    Ok(wanted.into_iter().map(describe).collect())
}

/// Parses a list such as `0-3,6` to sorted numbers; `None` if it is malformed.
fn parse_list(list: &str) -> Option<Vec<usize>> {
    let mut found = Vec::new();
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        if first > last || last >= CpuSet::MAX_CPU {
            return None;
        }
        found.extend(first..=last);
    }
    found.sort_unstable();
    found.dedup();
    Some(found)
}

/// Reads the core and the node of a CPU. If the kernel does not say, the CPU is a core on node 0.
fn describe(number: usize) -> Cpu {
    let folder = format!("/sys/devices/system/cpu/cpu{number}");
    let read = |name: &str| {
        let text = fs::read_to_string(format!("{folder}/topology/{name}")).ok()?;
        text.trim().parse().ok()
    };
    let core = (read("physical_package_id").unwrap_or(0), read("core_id").unwrap_or(number));
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut nodes =
        entries.filter_map(|entry| entry.file_name().to_str()?.strip_prefix("node")?.parse().ok());
    Cpu { number, core, node: nodes.next().unwrap_or(0) }
}

/// Assigns `each` CPUs to each of `games` games. The error says how many CPUs there are.
pub fn assign(cpus: &[Cpu], games: usize, each: usize) -> Result<Assignment, String> {
    if games * each > cpus.len() {
        let (needed, available) = (games * each, cpus.len());
        return Err(format!(
            "{games} games at a time with {each} CPUs each need {needed} CPUs, and {available} are given"
        ));
    }
    // First CPUs of all cores come before second CPUs.
    let mut free: Vec<(usize, Cpu)> = Vec::new();
    for cpu in cpus {
        let siblings = free.iter().filter(|(_, other)| other.core == cpu.core).count();
        free.push((siblings, *cpu));
    }
    free.sort_by_key(|(sibling, cpu)| (*sibling, cpu.node, cpu.number));
    let mut result = Assignment::default();
    let mut cores: Vec<Vec<(usize, usize)>> = Vec::new();
    for _ in 0..games {
        let taken = take_cpus(&mut free, each);
        result.spans_nodes |= taken.iter().any(|cpu| cpu.node != taken[0].node);
        let used: Vec<(usize, usize)> = taken.iter().map(|cpu| cpu.core).collect();
        result.shares_cores |= cores.iter().flatten().any(|core| used.contains(core));
        cores.push(used);
        result.games.push(taken.iter().map(|cpu| cpu.number).collect());
    }
    result.unused = free.iter().map(|(_, cpu)| cpu.number).collect();
    Ok(result)
}

/// Takes the CPUs of one game: whole cores of one node, else CPUs of one node, else the first ones.
fn take_cpus(free: &mut Vec<(usize, Cpu)>, each: usize) -> Vec<Cpu> {
    let mut nodes: Vec<usize> = free.iter().map(|(_, cpu)| cpu.node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let on = |node: usize, most: usize| -> Vec<usize> {
        let places = free.iter().enumerate();
        let fits = |(sibling, cpu): &(usize, Cpu)| cpu.node == node && *sibling <= most;
        places.filter(|(_, cpu)| fits(cpu)).map(|(place, _)| place).take(each).collect()
    };
    let most = free.iter().map(|(sibling, _)| *sibling).max().unwrap_or(0);
    let chosen = (0..=most)
        .flat_map(|most| nodes.iter().map(move |node| (*node, most)))
        .map(|(node, most)| on(node, most))
        .find(|places| places.len() == each)
        .unwrap_or_else(|| (0..each).collect());
    chosen.into_iter().rev().map(|place| free.remove(place).1).collect()
}

/// Binds this thread, and all threads that it starts later, to these CPUs.
pub fn bind_thread(cpus: &[usize]) {
    if cpus.is_empty() {
        return;
    }
    let mut set = CpuSet::new();
    cpus.iter().filter(|cpu| **cpu < CpuSet::MAX_CPU).for_each(|cpu| set.set(*cpu));
    // If this fails, the games still have their CPUs.
    let _ = sched_setaffinity(None, &set);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Invents a machine. Its CPUs are numbered as in Linux: the first CPUs of all cores first.
    fn machine(nodes: usize, cores: usize, threads: usize) -> Vec<Cpu> {
        let all = (0..threads).flat_map(|_| {
            (0..nodes).flat_map(move |node| (0..cores).map(move |core| (node, core)))
        });
        all.enumerate().map(|(number, core)| Cpu { number, core, node: core.0 }).collect()
    }

    fn sorted(games: &[Vec<usize>]) -> Vec<Vec<usize>> {
        let mut games = games.to_vec();
        games.iter_mut().for_each(|game| game.sort_unstable());
        games
    }

    #[test]
    fn games_get_whole_cores_if_possible() {
        let cpus = machine(1, 4, 2);
        let two = assign(&cpus, 2, 2).unwrap();
        assert_eq!(sorted(&two.games), [[0, 1], [2, 3]]);
        assert_eq!((two.unused.len(), two.shares_cores, two.spans_nodes), (4, false, false));
        let four = assign(&cpus, 4, 2).unwrap();
        assert!(four.shares_cores && four.unused.is_empty());
        let mut all: Vec<usize> = four.games.concat();
        all.sort_unstable();
        assert_eq!(all, (0..8).collect::<Vec<_>>());
    }

    #[test]
    fn a_game_is_on_one_node_if_it_fits() {
        let cpus = machine(2, 3, 1);
        let two = assign(&cpus, 2, 2).unwrap();
        assert_eq!(sorted(&two.games), [[0, 1], [3, 4]]);
        assert!(!two.spans_nodes);
        // The third game does not fit on one node: it gets one CPU of each.
        let three = assign(&cpus, 3, 2).unwrap();
        assert_eq!(sorted(&three.games)[2], [2, 5]);
        assert!(three.spans_nodes);
    }

    #[test]
    fn siblings_on_one_node_come_before_two_nodes() {
        let two = assign(&machine(2, 2, 2), 2, 3).unwrap();
        assert!(!two.spans_nodes, "{two:?}");
        assert!(two.games.iter().all(|game| game.len() == 3));
    }

    #[test]
    fn too_few_cpus_are_refused_and_lists_are_parsed() {
        let error = assign(&machine(1, 2, 1), 3, 1).unwrap_err();
        assert_eq!(error, "3 games at a time with 1 CPUs each need 3 CPUs, and 2 are given");
        assert_eq!(parse_list("0-3,6"), Some(vec![0, 1, 2, 3, 6]));
        assert_eq!((parse_list("3-1"), parse_list("1,,2"), parse_list("-")), (None, None, None));
        assert!(!read_cpus("").unwrap().is_empty());
        assert!(read_cpus("4000000").is_err());
    }
}
