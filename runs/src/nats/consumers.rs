//! The consumers of a run: of its tasks, of its results, and of what workers say about tasks without one.

use std::fmt::Display;
use std::time::Duration;

use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::pull::Config as PullConfig;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, PullConsumer};
use async_nats::jetstream::message::Message;
use futures_util::StreamExt;
use tokio::sync::mpsc::UnboundedSender;

use super::{DEAD, PAUSE, RESULTS, TASKS, task_consumer};

/// How many messages are asked for, or published, at a time.
pub(super) const BATCH: usize = 256;

/// The time after which the server sends a result again that was not acknowledged.
const RESULT_WAIT: Duration = Duration::from_secs(60);

/// Reads results for ever.
pub(super) async fn read_results(consumer: PullConsumer, found: UnboundedSender<Message>) {
    loop {
        let batch = consumer.batch().max_messages(BATCH).expires(Duration::from_secs(5));
        match batch.messages().await {
            Ok(mut messages) => {
                while let Some(message) = messages.next().await {
                    let Ok(message) = message else { break };
                    if found.send(message).is_err() {
                        return;
                    }
                }
            }
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
}

/// Makes the consumer of the tasks of a run.
pub(super) async fn open_tasks(
    context: &Context,
    run: &str,
    ack_wait: Duration,
) -> Result<(), String> {
    let why = |why: &dyn Display| {
        format!("consumer of run {run}: {why}: does this user have the rights of a coordinator?")
    };
    let tasks = context.get_stream_no_info(TASKS).await.map_err(|error| why(&error))?;
    tasks.create_consumer(task_consumer(run, ack_wait)).await.map_err(|error| why(&error))?;
    Ok(())
}

/// Makes the consumer of the results of a run. All of them are read: those that the journal holds are
/// acknowledged at once, and those that a damaged disk took from the journal come back.
pub(super) async fn open_results(context: &Context, run: &str) -> Result<PullConsumer, String> {
    let config = PullConfig {
        filter_subject: format!("tengen.result.*.{run}.>"),
        ack_wait: RESULT_WAIT,
        max_ack_pending: -1,
        ..PullConfig::default()
    };
    open_anew(context, RESULTS, format!("c-{run}"), config).await
}

/// Makes the consumer of what workers say about tasks without a result. What they said before does not count.
pub(super) async fn open_dead(context: &Context, run: &str) -> Result<PullConsumer, String> {
    let config = PullConfig {
        filter_subject: format!("tengen.dead.*.{run}.>"),
        deliver_policy: DeliverPolicy::New,
        ..PullConfig::default()
    };
    open_anew(context, DEAD, format!("d-{run}"), config).await
}

/// Makes a consumer in place of one that an earlier coordinator has left.
async fn open_anew(
    context: &Context,
    stream: &str,
    name: String,
    config: PullConfig,
) -> Result<PullConsumer, String> {
    let why = |why: &dyn Display| format!("consumer {name}: {why}");
    let stream = context.get_stream_no_info(stream).await.map_err(|error| why(&error))?;
    if stream.consumer_info(&name).await.is_ok() {
        stream.delete_consumer(&name).await.map_err(|error| why(&error))?;
    }
    let (durable_name, ack_policy) = (Some(name.clone()), AckPolicy::Explicit);
    let config = PullConfig { durable_name, ack_policy, ..config };
    stream.create_consumer(config).await.map_err(|error| why(&error))
}
