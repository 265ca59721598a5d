//! A client over TCP: each line is one of a session, in the dialect of the first line.

use std::net::IpAddr;
use std::ops::ControlFlow;
use std::sync::Arc;

use tengen_protocol::io::lines::{InputLine, LineSplitter};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split};
use tokio::time::{Instant, sleep_until, timeout};

use crate::connection::{Gate, Goes, Visitor};
use crate::hub::Hub;
use crate::limits::Allowance;
use crate::metrics::Kind;
use crate::outbox::{Close, Next};

/// How much is read at once.
const BUFFER: usize = 4096;

/// Serves a client until it leaves or is sent away.
pub(crate) async fn serve(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    address: IpAddr,
    gate: Arc<Gate>,
) {
    let hub = Arc::clone(&gate.hub);
    let Ok(handle) = hub.open(address, Kind::Tcp) else {
        hub.metrics.closed_for("full");
        let line = "{\"type\":\"error\",\"id\":null,\"code\":\"too_many\",\"field\":null,\
                    \"message\":\"too many sessions\",\"retry_after_ms\":60000}\n";
        // A client that has gone away gets nothing.
        let _ = timeout(hub.limits.stall, stream.write_all(line.as_bytes())).await;
        return;
    };
    let is_let_in = gate.access.token.is_none();
    let visitor = Visitor::new(gate, address, handle, is_let_in);
    let why = talk(&mut stream, visitor, &hub).await;
    hub.metrics.closed_for(why);
    let _ = stream.shutdown().await;
}

/// A line that was read.
enum Read {
    Text(String),
    /// A line that is too long, of which this is the beginning.
    TooLong(String),
}

async fn talk(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    mut visitor: Visitor,
    hub: &Hub,
) -> &'static str {
    let limits = &hub.limits;
    let (mut input, mut output) = split(stream);
    let now = Instant::now();
    let mut allowance = Allowance::new(limits.lines_per_second, limits.lines_at_once, now);
    let mut reads_at = now;
    let mut looks_at = now + limits.ping;
    let first_line_by = now + limits.header;
    let mut lines = LineSplitter::with_max_bytes(limits.line_bytes);
    let mut unread: std::collections::VecDeque<Read> = std::collections::VecDeque::new();
    let mut buffer = Vec::new();
    let (mut is_open, mut has_spoken) = (true, false);
    loop {
        while reads_at <= Instant::now()
            && !is_full(&visitor, hub)
            && let Some(line) = unread.pop_front()
        {
            reads_at = allowance.take(Instant::now());
            let text = match line {
                Read::Text(text) => text,
                Read::TooLong(beginning) => {
                    visitor.overlong_line(&beginning);
                    continue;
                }
            };
            has_spoken |= !text.trim_ascii().is_empty();
            if visitor.line(&text) == Goes::Out {
                visitor.handle.outbox.close(Close::Done);
                is_open = false;
            }
        }
        let outbox = Arc::clone(&visitor.handle.outbox);
        let waits = !has_spoken || !visitor.is_let_in;
        tokio::select! {
            next = outbox.next(visitor.handle.connection) => match next {
                Next::Close(_) => return "done",
                Next::Send(mut line) => {
                    line.push('\n');
                    match timeout(limits.stall, output.write_all(line.as_bytes())).await {
                        Ok(Ok(())) => {}
                        Ok(Err(_)) => return "gone",
                        Err(_) => return "stalled",
                    }
                    if outbox.bytes() == 0 {
                        hub.drained(visitor.handle.id);
                    }
                }
            },
            read = read(&mut input, &mut buffer), if is_open && unread.is_empty() => {
                let mut keep = |line: InputLine<'_>| {
                    unread.push_back(match line {
                        InputLine::Text(text) => Read::Text(text.into_owned()),
                        InputLine::TooLong(beginning) => Read::TooLong(beginning.into_owned()),
                    });
                    ControlFlow::<()>::Continue(())
                };
                if read {
                    // Nothing breaks off.
                    let _ = lines.feed(&buffer, &mut keep);
                } else {
                    let _ = lines.finish(&mut keep);
                    is_open = false;
                    hub.end_of_input(&visitor.handle);
                }
            }
            () = sleep_until(reads_at), if !unread.is_empty() && !is_full(&visitor, hub) => {}
            () = sleep_until(first_line_by), if waits => return "no token",
            () = sleep_until(looks_at) => {
                looks_at = Instant::now() + limits.ping;
                if hub.quiet_for(visitor.handle.id) >= limits.idle {
                    return "idle";
                }
            }
        }
    }
}

/// Returns whether so much waits for the client that nothing more of it is read.
fn is_full(visitor: &Visitor, hub: &Hub) -> bool {
    visitor.handle.outbox.bytes() > hub.limits.backlog
}

/// Reads some bytes; `false` at the end. Dropping the future loses nothing.
async fn read(input: &mut (impl AsyncReadExt + Unpin), buffer: &mut Vec<u8>) -> bool {
    buffer.clear();
    buffer.reserve(BUFFER);
    matches!(input.read_buf(buffer).await, Ok(read) if read > 0)
}
