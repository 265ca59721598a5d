//! Clients over TCP. Each line is a line of a session, in the dialect of the first line.

use std::net::IpAddr;
use std::ops::ControlFlow;
use std::sync::Arc;

use tengen_protocol::io::lines::{InputLine, LineSplitter};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split};
use tokio::time::{Instant, sleep_until, timeout};

use crate::connection::{LineHandler, ServerContext};
use crate::hub::Hub;
use crate::limits::RateLimiter;
use crate::metrics::Kind;
use crate::outbox::{Close, Next};

/// The maximum number of bytes of one read.
const READ_BYTES: usize = 4096;

/// Serves a client until it leaves or is disconnected.
pub(crate) async fn serve(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    address: IpAddr,
    server: Arc<ServerContext>,
) {
    let hub = Arc::clone(&server.hub);
    let Some(handle) = hub.open(address, Kind::Tcp) else {
        hub.metrics.closed_for("full");
        let line = "{\"type\":\"error\",\"id\":null,\"code\":\"too_many\",\"field\":null,\
                    \"message\":\"too many sessions\",\"retry_after_ms\":60000}\n";
        // An error means that the client is gone.
        let _ = timeout(hub.limits.stall, stream.write_all(line.as_bytes())).await;
        return;
    };
    let is_authorized = server.access.token.is_none();
    let handler = LineHandler { server, address, handle, is_authorized };
    let reason = converse(&mut stream, handler, &hub).await;
    hub.metrics.closed_for(reason);
    let _ = stream.shutdown().await;
}

/// Serves the client, and returns why the connection is closed.
async fn converse(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    mut handler: LineHandler,
    hub: &Hub,
) -> &'static str {
    let limits = &hub.limits;
    let (mut input, mut output) = split(stream);
    let now = Instant::now();
    let mut rate_limiter = RateLimiter::new(limits.lines_per_second, limits.lines_at_once, now);
    let mut next_read = now;
    let mut next_idle_check = now + limits.ping;
    let first_line_deadline = now + limits.header;
    let mut lines = LineSplitter::with_max_bytes(limits.line_bytes);
    let mut unread: std::collections::VecDeque<InputLine<'static>> =
        std::collections::VecDeque::new();
    let mut buffer = Vec::new();
    let (mut is_open, mut has_sent_line) = (true, false);
    loop {
        while next_read <= Instant::now()
            && !is_full(&handler, hub)
            && let Some(line) = unread.pop_front()
        {
            next_read = rate_limiter.take(Instant::now());
            let text = match line {
                InputLine::Text(text) => text,
                InputLine::TooLong(beginning) => {
                    handler.overlong_line(&beginning);
                    continue;
                }
            };
            has_sent_line |= !text.trim_ascii().is_empty();
            if !handler.line(&text) {
                handler.handle.outbox.close(Close::Done);
                is_open = false;
            }
        }
        let outbox = Arc::clone(&handler.handle.outbox);
        let awaits_first_line = !has_sent_line || !handler.is_authorized;
        tokio::select! {
            next = outbox.next(handler.handle.connection) => match next {
                Next::Close(_) => return "done",
                Next::Send(mut line) => {
                    line.push('\n');
                    match timeout(limits.stall, output.write_all(line.as_bytes())).await {
                        Ok(Ok(())) => {}
                        Ok(Err(_)) => return "gone",
                        Err(_) => return "stalled",
                    }
                    if outbox.bytes() == 0 {
                        hub.drained(handler.handle.id);
                    }
                }
            },
            read = read(&mut input, &mut buffer), if is_open && unread.is_empty() => {
                let mut queue = |line: InputLine<'_>| {
                    unread.push_back(line.into_owned());
                    ControlFlow::<()>::Continue(())
                };
                if read {
                    // `queue` never breaks.
                    let _ = lines.feed(&buffer, &mut queue);
                } else {
                    let _ = lines.finish(&mut queue);
                    is_open = false;
                    hub.end_of_input(&handler.handle);
                }
            }
            () = sleep_until(next_read), if !unread.is_empty() && !is_full(&handler, hub) => {}
            () = sleep_until(first_line_deadline), if awaits_first_line => return "no token",
            () = sleep_until(next_idle_check) => {
                next_idle_check = Instant::now() + limits.ping;
                if hub.idle_time(handler.handle.id) >= limits.idle {
                    return "idle";
                }
            }
        }
    }
}

/// Returns whether reading must pause because too many bytes are unsent.
fn is_full(handler: &LineHandler, hub: &Hub) -> bool {
    handler.handle.outbox.bytes() > hub.limits.backlog
}

/// Reads bytes into `buffer`. Returns `false` at the end of the input. Dropping the future loses no
/// bytes.
async fn read(input: &mut (impl AsyncReadExt + Unpin), buffer: &mut Vec<u8>) -> bool {
    buffer.clear();
    buffer.reserve(READ_BYTES);
    matches!(input.read_buf(buffer).await, Ok(read) if read > 0)
}
