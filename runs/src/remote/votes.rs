//! A share of the tasks is repeated by a second worker, and the results are compared.

use std::hash::{BuildHasher, RandomState};

use super::{Codec, Remote, Sent};
use crate::task::{Outcome, Work};
use crate::transport::Event;

/// How often a worker may repeat its own result before that counts.
const MAX_OWN_REPEATS: u32 = 3;

/// The result of a worker.
pub(super) struct Vote<W: Work> {
    /// The name, without a slot.
    pub(super) worker: String,
    /// The digest of the data.
    pub(super) digest: Option<String>,
    pub(super) results: Vec<W::Result>,
    /// The number of the result at the carrier.
    pub(super) number: u64,
}

impl<W: Work, C: Codec<W>> Remote<W, C> {
    /// Takes a valid result. It counts, unless its task is one of those that a second worker repeats.
    pub(super) fn vote(&mut self, mut sent: Sent<W>, vote: Vote<W>, is_reproducible: bool) {
        let number = vote.number;
        if sent.votes.is_empty() {
            sent.votes.push(vote);
            return match is_reproducible && self.is_repeated() {
                true => self.ask_again(sent, number),
                false => self.accept(sent, 0),
            };
        }
        if let Some(own) = sent.votes.iter().position(|other| other.worker == vote.worker) {
            return self.repeated_itself(sent, own, vote);
        }
        let agreed = sent.votes.iter().position(|other| other.digest == vote.digest);
        sent.votes.push(vote);
        match agreed {
            Some(agreed) => {
                let wrong = sent.votes.iter().filter(|o| o.digest != sent.votes[agreed].digest);
                let wrong: Vec<String> = wrong.map(|other| other.worker.clone()).collect();
                for worker in wrong {
                    let id = &sent.line.id;
                    let why = format!("two other workers have another result of task {id}");
                    self.exclude(&worker, &why);
                }
                self.accept(sent, agreed);
            }
            None if sent.votes.len() < self.carrier.workers() => self.ask_again(sent, number),
            None => {
                let names: Vec<&str> = sent.votes.iter().map(|vote| vote.worker.as_str()).collect();
                let (names, id) = (names.join(" and "), &sent.line.id);
                self.ready.push_back(Event::Broken(format!(
                    "task {id}: {names} have different results, and no other worker is there to decide: one of them is wrong. Resume the run with one more worker, or without the wrong one"
                )));
            }
        }
    }

    /// Handles the second result of a worker, which was asked of another one. `own` is the place of its
    /// first one.
    fn repeated_itself(&mut self, mut sent: Sent<W>, own: usize, vote: Vote<W>) {
        sent.own_repeats += 1;
        if sent.votes[own].digest != vote.digest {
            let why = format!("it has two results of task {}", sent.line.id);
            sent.votes.remove(own);
            self.exclude(&vote.worker, &why);
            return self.ask_again(sent, vote.number);
        }
        let is_alone = sent.votes.len() == 1
            && (self.carrier.workers() < 2 || sent.own_repeats >= MAX_OWN_REPEATS);
        if !is_alone {
            return self.ask_again(sent, vote.number);
        }
        self.unsaved.push(vote.number);
        self.accept(sent, 0);
    }

    /// Returns whether the next result is compared with that of a second worker.
    fn is_repeated(&self) -> bool {
        // A worker must not know which of its tasks are repeated.
        let random = || RandomState::new().hash_one(()) % 100;
        self.repeat > 0 && self.carrier.workers() > 1 && random() < u64::from(self.repeat)
    }

    fn ask_again(&mut self, sent: Sent<W>, number: u64) {
        let done_by: Vec<String> = sent.votes.iter().map(|vote| vote.worker.clone()).collect();
        self.carrier.repeat(&sent.line, &done_by, number);
        self.sent.insert(sent.line.id.clone(), sent);
    }

    /// Counts the result at `place`.
    fn accept(&mut self, mut sent: Sent<W>, place: usize) {
        self.unsaved.extend(sent.votes.iter().map(|vote| vote.number));
        let vote = sent.votes.swap_remove(place);
        for (task, result) in sent.tasks.into_iter().zip(vote.results) {
            self.done.insert(task.id);
            self.ready.push_back(Event::Finished(task, Outcome::Finished(result)));
        }
    }
}
