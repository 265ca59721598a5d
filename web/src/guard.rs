//! [`Guarded`]: a connection with timeouts, for a peer that reads nothing or sends nothing.
//!
//! A WebSocket, or the replies to a query, may have a silent peer. They hold [`InUse`] meanwhile.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// Suspends the read timeout of a connection while a clone of it exists.
pub(crate) type InUse = Arc<()>;

/// The timeouts of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timeouts {
    /// How long the peer may read nothing while bytes are unsent.
    pub(crate) write: Duration,
    /// How long the peer may send nothing while no [`InUse`] is held.
    pub(crate) read: Duration,
}

/// The number of [`InUse`] clones of an unused connection: in [`Guarded`], and in the router that
/// hands out clones.
const UNUSED_COUNT: usize = 2;

/// A connection with timeouts.
pub(crate) struct Guarded<T> {
    stream: T,
    timeouts: Timeouts,
    in_use: InUse,
    read_deadline: Deadline,
    write_deadline: Deadline,
}

impl<T> Guarded<T> {
    /// Returns `stream` with timeouts. The read timeout is suspended while further clones of
    /// `in_use` exist.
    pub(crate) fn new(stream: T, timeouts: Timeouts, in_use: InUse) -> Self {
        let (read_deadline, write_deadline) = (Deadline(None), Deadline(None));
        Self { stream, timeouts, in_use, read_deadline, write_deadline }
    }

    /// Adds the write timeout to `result`, the result of a write.
    fn with_write_timeout<R>(
        &mut self,
        context: &mut Context<'_>,
        result: Poll<io::Result<R>>,
    ) -> Poll<io::Result<R>> {
        if result.is_ready() {
            self.write_deadline = Deadline(None);
            return result;
        }
        ready!(self.write_deadline.poll(context, self.timeouts.write));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

/// A deadline that is set when the wait begins.
struct Deadline(Option<Pin<Box<Sleep>>>);

impl Deadline {
    fn poll(&mut self, context: &mut Context<'_>, timeout: Duration) -> Poll<()> {
        self.0.get_or_insert_with(|| Box::pin(sleep(timeout))).as_mut().poll(context)
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
            self.read_deadline = Deadline(None);
            return read;
        }
        let timeout = self.timeouts.read;
        loop {
            ready!(self.read_deadline.poll(context, timeout));
            if Arc::strong_count(&self.in_use) <= UNUSED_COUNT {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            self.read_deadline = Deadline(None);
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
        self.with_write_timeout(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.with_write_timeout(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.with_write_timeout(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.with_write_timeout(context, shut)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
    use tokio::time::Instant;

    use super::*;

    const TIMEOUTS: Timeouts =
        Timeouts { write: Duration::from_secs(10), read: Duration::from_secs(60) };

    fn is_timeout<T>(result: io::Result<T>) -> bool {
        result.is_err_and(|error| error.kind() == io::ErrorKind::TimedOut)
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_reads_nothing_times_out() {
        let (near, mut far) = duplex(8);
        let mut near = Guarded::new(near, TIMEOUTS, InUse::default());
        near.write_all(b"12345678").await.unwrap();
        let writes = tokio::spawn(async move {
            let begin = Instant::now();
            let written = near.write_all(b"12345678").await;
            (begin.elapsed(), is_timeout(written))
        });
        // A read of the peer resets the timeout.
        sleep(Duration::from_secs(9)).await;
        far.read_exact(&mut [0; 4]).await.unwrap();
        assert_eq!(writes.await.unwrap(), (Duration::from_secs(19), true));
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_may_be_silent_while_the_connection_is_in_use() {
        let (near, _far) = duplex(8);
        let handed_out = InUse::default();
        let mut near = Guarded::new(near, TIMEOUTS, Arc::clone(&handed_out));
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
