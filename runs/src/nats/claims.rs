//! [`Claims`]: what workers say about a task that has no result. The coordinator judges it: no single worker
//! can end a task that another one can do.

use std::collections::BTreeSet;

/// How many deliveries of a task that ends its workers must have been begun.
const MIN_BEGUN: usize = 3;

/// How often a task is queued again after workers gave it up.
const MAX_ROUNDS: u32 = 5;

/// What workers say about a task.
#[derive(Default)]
pub(super) struct Claims {
    /// The worker of each delivery that was begun after the first one.
    begun: Vec<String>,
    /// The codes of errors, and the workers that have them.
    refusals: BTreeSet<(String, String)>,
    /// How often workers gave the task up.
    rounds: u32,
}

impl Claims {
    /// Counts that a worker begins the task.
    pub(super) fn begin(&mut self, worker: String) {
        self.begun.push(worker);
    }

    /// Counts that `worker` refuses the task with an error of this code. Returns whether that is believed
    /// when `present` workers take tasks of the run.
    pub(super) fn refuse(&mut self, worker: &str, code: &str, present: usize) -> bool {
        self.refusals.insert((code.to_owned(), worker.to_owned()));
        let count = self.refusals.iter().filter(|(found, _)| found == code).count();
        count >= present.clamp(1, 2)
    }

    /// Counts that the task was delivered too often. Returns whether it ends its workers: workers that say
    /// nothing may only have dropped it.
    pub(super) fn give_up(&mut self, present: usize) -> bool {
        self.rounds += 1;
        let workers: BTreeSet<&String> = self.begun.iter().collect();
        let is_deadly = self.begun.len() >= MIN_BEGUN && workers.len() >= present.clamp(1, 2);
        is_deadly || self.rounds > MAX_ROUNDS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_refused_by_two_workers_if_there_are_two() {
        let mut claims = Claims::default();
        assert!(!claims.refuse("a", "bad_move", 2));
        assert!(!claims.refuse("a", "bad_move", 2));
        assert!(!claims.refuse("b", "forbidden", 9));
        assert!(claims.refuse("b", "bad_move", 2));
        assert!(Claims::default().refuse("a", "bad_move", 1));
        assert!(Claims::default().refuse("a", "bad_move", 0));
    }

    #[test]
    fn a_task_that_was_only_dropped_is_not_given_up() {
        let mut dropped = Claims::default();
        assert_eq!([0; 6].map(|_| dropped.give_up(1)), [false, false, false, false, false, true]);
        let mut deadly = Claims::default();
        (0..4).for_each(|_| deadly.begin("a".to_owned()));
        assert!(!deadly.give_up(2));
        deadly.begin("b".to_owned());
        assert!(deadly.give_up(2));
    }
}
