//! The tasks of a run on their way: queued, repeated, and queued again.

use std::time::Instant;

use async_nats::jetstream::context::PublishError;
use futures_util::future::join_all;

use super::super::claims::Claims;
use super::super::{
    NOT_BY, PAUSE, RESULTS, Stored, TASKS, first_message, make_streams, publish, refusal,
};
use super::{Keeper, MAX_SLOTS, State};
use crate::contract::TaskLine;

/// A task for the stream of tasks.
#[derive(Clone)]
pub(super) struct Post {
    pub(super) line: TaskLine,
    /// How often it was queued again. It is a part of the message's id.
    pub(super) round: u32,
    /// The workers that leave it to others.
    pub(super) not_by: Vec<String>,
}

/// A task that waits for its result.
pub(super) struct Queued {
    pub(super) post: Post,
    pub(super) since: Instant,
    /// When it was first queued, or given to a second worker, and how often it was.
    pub(super) begun: Instant,
    pub(super) repeats: u32,
    pub(super) claims: Claims,
}

impl State {
    /// Notes a task that waits for its result.
    fn hold(&mut self, post: Post) {
        let (id, since) = (post.line.id.clone(), Instant::now());
        let queued = match self.queued.remove(&id) {
            Some(known) => Queued { post, since, ..known },
            None => {
                let (begun, repeats, claims) = (since, 0, Claims::default());
                Queued { post, since, begun, repeats, claims }
            }
        };
        self.queued.insert(id, queued);
    }
}

impl Keeper {
    /// Returns the message that queues a task again.
    pub(super) fn again(&self, line: TaskLine, not_by: Vec<String>) -> Post {
        let round = self.state.queued.get(&line.id).map_or(1, |queued| queued.post.round + 1);
        let not_by = not_by.into_iter().filter(|worker| !worker.is_empty()).collect();
        Post { line, round, not_by }
    }

    /// Queues tasks until the server has them. If its store is full, they are queued again with the next beat:
    /// results that are in the journal make room.
    pub(super) async fn queue(&mut self, mut posts: Vec<Post>) {
        let mut is_told = false;
        loop {
            // They are sent together: a round trip for each would be slow.
            let published = join_all(posts.iter().map(|post| self.publish(post)));
            let mut left = Vec::new();
            let (mut why, mut refused) = (None, None);
            for (result, post) in published.await.into_iter().zip(posts) {
                match result {
                    Ok(_) => self.state.hold(post),
                    Err(error) if refusal(&error).is_some() => {
                        self.state.soon.push(post.line.id.clone());
                        self.state.hold(post);
                        refused = Some(error);
                    }
                    Err(error) => {
                        left.push(post);
                        why = Some(error);
                    }
                }
            }
            if let Some(why) = refused {
                self.make_room(&why).await;
            }
            let Some(why) = why else { return };
            if !is_told {
                is_told = true;
                let (count, id) = (left.len(), &left[0].line.id);
                self.note(format!("{count} tasks are not queued yet, first {id}: {why}"));
            }
            tokio::time::sleep(PAUSE).await;
            // A server that has lost its streams gets them again.
            let _ = make_streams(&self.context).await;
            posts = left;
        }
    }

    /// Removes the results of this run that are in the journal from a store that is full. While it is not, they
    /// stay: a journal that is lost is made again from them.
    async fn make_room(&mut self, why: &PublishError) {
        let text = format!(
            "the store of the server is full ({why}): results that are in the journal are removed there; \"tengen runs --nats\" lists runs that have ended, and --remove RUN makes more room"
        );
        self.say("full", &text);
        let Ok(saved) = self.results.info().await.map(|info| info.ack_floor.stream_sequence) else {
            return;
        };
        if let Ok(stream) = self.context.get_stream_no_info(RESULTS).await {
            let subject = format!("tengen.result.*.{}.>", self.run.name);
            let _ = stream.purge().filter(subject).sequence(saved + 1).await;
        }
    }

    /// Publishes a task once. The error is one that can pass.
    async fn publish(&self, post: &Post) -> Result<Stored, PublishError> {
        let (run, line) = (&self.run.name, &post.line);
        let subject = format!("tengen.task.{run}.{}", line.id);
        let again = if post.round == 0 { String::new() } else { format!("/{}", post.round) };
        let message_id = format!("{run}/{}/{}{again}", line.id, self.lease.entry.epoch);
        let message = first_message(&message_id, line.text());
        let message = match post.not_by.is_empty() {
            true => message,
            false => message.header(NOT_BY, post.not_by.join(" ").as_str()),
        };
        publish(&self.context, &subject, message).await
    }

    /// Repeats the task that waits the longest, if a worker is idle. The worker that has the task may never end it.
    pub(super) async fn repeat_oldest(&mut self) {
        let Ok(stream) = self.context.get_stream_no_info(TASKS).await else { return };
        let info = stream.consumer_info(format!("w-{}", self.run.name)).await;
        let slots: usize =
            self.state.workers.all().map(|(_, entry)| entry.slots.min(MAX_SLOTS)).sum();
        if info.map_or(true, |info| info.num_pending > 0 || info.num_ack_pending >= slots) {
            return;
        }
        let oldest = self.state.queued.values_mut().min_by_key(|queued| queued.begun);
        // Each time it waits longer: most old tasks only take long.
        let wait =
            |queued: &Queued| self.ack_wait * 2_u32.saturating_pow(queued.repeats.min(8) + 1);
        let is_due = |queued: &&mut Queued| queued.begun.elapsed() >= wait(queued);
        let Some(queued) = oldest.filter(is_due) else { return };
        (queued.begun, queued.repeats) = (Instant::now(), queued.repeats + 1);
        let (line, not_by) = (queued.post.line.clone(), queued.post.not_by.clone());
        self.remove_task(&line.id).await;
        let again = self.again(line, not_by);
        self.queue(vec![again]).await;
    }

    /// Queues the tasks again that `is_due` chooses and that are neither in the stream nor done.
    pub(super) async fn requeue(&mut self, is_due: impl Fn(&str, &Queued) -> bool) {
        let due = self.state.queued.iter().filter(|(id, queued)| is_due(id, queued));
        let post = |queued: &Queued| Post { round: queued.post.round + 1, ..queued.post.clone() };
        let posts = due.map(|(_, queued)| post(queued)).collect();
        self.queue(posts).await;
    }
}
