//! [`Guarded`]: a connection that ends by itself when its peer neither takes nor sends anything.
//!
//! It knows nothing of what is sent. Whoever may be silent for long, such as a WebSocket or the replies
//! to a query, holds [`InUse`] meanwhile.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// As long as there is one beside that of the connection, the peer may be silent.
pub(crate) type InUse = Arc<()>;

/// How long a peer may be silent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// How long it may take nothing of what is sent.
    pub(crate) write: Duration,
    /// How long it may send nothing, while nobody uses the connection.
    pub(crate) read: Duration,
}

/// How many hold [`InUse`] of a connection that nobody uses: the guard, and whoever hands it out.
const OWN: usize = 2;

/// A connection with an end.
pub(crate) struct Guarded<T> {
    stream: T,
    patience: Patience,
    in_use: InUse,
    reads_until: Deadline,
    writes_until: Deadline,
}

impl<T> Guarded<T> {
    /// Guards a connection that whoever holds a clone of `in_use` uses.
    pub(crate) fn new(stream: T, patience: Patience, in_use: InUse) -> Self {
        let (reads_until, writes_until) = (Deadline(None), Deadline(None));
        Self { stream, patience, in_use, reads_until, writes_until }
    }

    /// Waits no longer for a peer that takes nothing.
    fn stalls<R>(
        &mut self,
        context: &mut Context<'_>,
        done: Poll<io::Result<R>>,
    ) -> Poll<io::Result<R>> {
        if done.is_ready() {
            self.writes_until = Deadline(None);
            return done;
        }
        ready!(self.writes_until.poll(context, self.patience.write));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

/// An instant that is chosen when the wait for it begins.
struct Deadline(Option<Pin<Box<Sleep>>>);

impl Deadline {
    fn poll(&mut self, context: &mut Context<'_>, patience: Duration) -> Poll<()> {
        self.0.get_or_insert_with(|| Box::pin(sleep(patience))).as_mut().poll(context)
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Guarded<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if read.is_ready() {
            self.reads_until = Deadline(None);
            return read;
        }
        let patience = self.patience.read;
        loop {
            ready!(self.reads_until.poll(context, patience));
            if Arc::strong_count(&self.in_use) <= OWN {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            self.reads_until = Deadline(None);
        }
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Guarded<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.stalls(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.stalls(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.stalls(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.stalls(context, shut)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
    use tokio::time::Instant;

    use super::*;

    const PATIENCE: Patience =
        Patience { write: Duration::from_secs(10), read: Duration::from_secs(60) };

    fn is_timeout<T>(result: io::Result<T>) -> bool {
        result.is_err_and(|error| error.kind() == io::ErrorKind::TimedOut)
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_takes_nothing_is_given_up() {
        let (near, mut far) = duplex(8);
        let mut near = Guarded::new(near, PATIENCE, InUse::default());
        near.write_all(b"12345678").await.unwrap();
        let writes = tokio::spawn(async move {
            let begin = Instant::now();
            let written = near.write_all(b"12345678").await;
            (begin.elapsed(), is_timeout(written))
        });
        // What is taken renews the patience.
        sleep(Duration::from_secs(9)).await;
        far.read_exact(&mut [0; 4]).await.unwrap();
        assert_eq!(writes.await.unwrap(), (Duration::from_secs(19), true));
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_may_be_silent_while_the_connection_is_in_use() {
        let (near, _far) = duplex(8);
        let handed_out = InUse::default();
        let mut near = Guarded::new(near, PATIENCE, Arc::clone(&handed_out));
        let in_use = Arc::clone(&handed_out);
        tokio::spawn(async move {
            sleep(Duration::from_secs(100)).await;
            drop(in_use);
        });
        let begin = Instant::now();
        assert!(is_timeout(near.read(&mut [0]).await));
        assert_eq!(begin.elapsed(), Duration::from_secs(120));
    }
}
