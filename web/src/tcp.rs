//! Clients over TCP. Each line is a line of a session, in the dialect of the first line.
//!
//! A client has no session before its first line. If this line begins an HTTP request or a TLS
//! handshake, the connection is closed: otherwise a web page could make a browser send commands.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use tengen_protocol::dialect::json::{Code, Problem};
use tengen_protocol::io::lines::{InputLine, LineSplitter};
use tokio::io::{
    AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadHalf, WriteHalf, copy, sink, split,
};
use tokio::time::{Instant, sleep_until, timeout};

use crate::connection::{Connection, LineHandler, ServerContext};
use crate::hub::Hub;
use crate::hub::error_line;
use crate::limits::{RateLimiter, ServerLimits};
use crate::metrics::Kind;
use crate::outbox::Next;

/// The maximum number of bytes of one read.
const READ_BYTES: usize = 4096;

/// When a client whose input has ended, and that still waits for answers, gets its first line that
/// shows whether it is gone. A client that closes its output, as `nc` does, mostly has its answers by then.
const PROBE_DELAY: Duration = Duration::from_secs(1);

/// The response to an HTTP request.
const NO_HTTP: &str = "HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\
     content-type: text/plain\r\n\r\n\
     This port takes lines over TCP, not HTTP: the address for HTTP is that of --http";

/// Serves a client until it leaves or is disconnected.
pub(crate) async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    connection: Arc<Connection>,
    server: Arc<ServerContext>,
) {
    let (input, mut output) = split(stream);
    let mut input = Input::new(input, &server.hub.limits);
    let reason = match greet(&mut input, &connection, &server).await {
        Ok(handler) => converse(&mut input, &mut output, handler, &server.hub).await,
        Err(NoSession { line, reason }) => {
            // An error means that the client is gone.
            let written = output.write_all(line.as_bytes());
            let _ = timeout(server.hub.limits.stall, written).await;
            let _ = output.shutdown().await;
            input.discard().await;
            reason
        }
    };
    server.hub.metrics.closed_for(reason);
    let _ = output.shutdown().await;
}

/// Why a client gets no session.
struct NoSession {
    /// The reply, with its line end; may be empty.
    line: String,
    /// The reason for the metrics.
    reason: &'static str,
}

/// Waits for the first line, and opens a session if the client may have one.
async fn greet(
    input: &mut Input<impl AsyncRead>,
    connection: &Arc<Connection>,
    server: &Arc<ServerContext>,
) -> Result<LineHandler, NoSession> {
    let limits = &server.hub.limits;
    let silent = |reason| NoSession { line: String::new(), reason };
    let refusal = |line: String, reason| NoSession { line: line + "\n", reason };
    let welcome = async {
        let first = timeout(limits.header, input.first_line(limits.line_bytes));
        let Ok(first) = first.await else { return Err(silent("no token")) };
        let Some(line) = first else { return Err(silent("left")) };
        if is_http(line) {
            return Err(refusal(NO_HTTP.to_owned(), "http"));
        }
        server.greet(connection, line).await.map_err(|line| refusal(line, "no token"))
    };
    let is_guest = tokio::select! {
        welcome = welcome => welcome?,
        () = connection.place.must_close() => {
            let problem = Problem::new(Code::TooMany, "too many connections without a session");
            return Err(refusal(error_line(None, problem), "crowded"));
        }
    };
    LineHandler::open(server, connection, Kind::Tcp, is_guest)
        .map_err(|full| refusal(full.line(), "full"))
}

/// Returns whether a first line begins an HTTP request or a TLS handshake.
fn is_http(line: &str) -> bool {
    const METHODS: [&str; 10] =
        ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "PRI"];
    const TLS_HANDSHAKE: &str = "\u{16}\u{3}";
    let mut words = line.split_ascii_whitespace();
    let is_method = words.next().is_some_and(|word| METHODS.contains(&word));
    let names_http = words.last().is_some_and(|word| word.starts_with("HTTP/"));
    is_method || names_http || line.starts_with(TLS_HANDSHAKE)
}

/// The input of a client, and its lines.
struct Input<R> {
    stream: ReadHalf<R>,
    lines: LineSplitter,
    unread: VecDeque<InputLine<'static>>,
    buffer: Vec<u8>,
    is_open: bool,
}

impl<R: AsyncRead> Input<R> {
    fn new(stream: ReadHalf<R>, limits: &ServerLimits) -> Self {
        Self {
            stream,
            lines: LineSplitter::with_max_bytes(limits.line_bytes),
            unread: VecDeque::new(),
            buffer: Vec::new(),
            is_open: true,
        }
    }

    /// Reads bytes and splits them into lines. Dropping the future loses no bytes.
    async fn read(&mut self) {
        self.buffer.clear();
        self.buffer.reserve(READ_BYTES);
        let read = self.stream.read_buf(&mut self.buffer).await;
        self.is_open = read.is_ok_and(|read| read > 0);
        let Self { lines, unread, buffer, is_open, .. } = self;
        let mut queue = |line: InputLine<'_>| {
            unread.push_back(line.into_owned());
            ControlFlow::<()>::Continue(())
        };
        // `queue` never breaks.
        let _ = if *is_open { lines.feed(buffer, &mut queue) } else { lines.finish(&mut queue) };
    }

    /// Waits for the first line that is not blank, which remains unread. `None` at the end of the
    /// input, and after `max_bytes` of blank lines.
    async fn first_line(&mut self, max_bytes: usize) -> Option<&str> {
        let mut bytes = 0;
        loop {
            while self.unread.front().is_some_and(|line| text(line).trim_ascii().is_empty()) {
                self.unread.pop_front();
            }
            if !self.unread.is_empty() || !self.is_open || bytes > max_bytes {
                return self.unread.front().map(text);
            }
            self.read().await;
            bytes += self.buffer.len();
        }
    }

    /// Discards input for at most a second. A socket that is closed with unread input loses the
    /// output that the client has not read.
    async fn discard(self) {
        const MAX_BYTES: u64 = 1 << 20;
        const MAX_TIME: Duration = Duration::from_secs(1);
        if self.is_open {
            let _ = timeout(MAX_TIME, copy(&mut self.stream.take(MAX_BYTES), &mut sink())).await;
        }
    }
}

/// Returns a line, or the beginning of one that is too long.
fn text<'a>(line: &'a InputLine<'_>) -> &'a str {
    match line {
        InputLine::Text(text) | InputLine::TooLong(text) => text,
    }
}

/// Serves the client, and returns why the connection is closed.
async fn converse<S: AsyncRead + AsyncWrite>(
    input: &mut Input<S>,
    output: &mut WriteHalf<S>,
    mut handler: LineHandler,
    hub: &Hub,
) -> &'static str {
    let limits = &hub.limits;
    let now = Instant::now();
    let mut rate_limiter = RateLimiter::new(limits.lines_per_second, limits.lines_at_once, now);
    let mut next_read = now;
    let mut next_idle_check = now + limits.ping;
    let (mut has_ended, mut probes, mut next_probe) = (false, 0, now);
    loop {
        while next_read <= Instant::now()
            && !is_full(&handler, hub)
            && let Some(line) = input.unread.pop_front()
        {
            next_read = rate_limiter.take(Instant::now());
            match line {
                InputLine::Text(line) => handler.line(&line).await,
                InputLine::TooLong(beginning) => handler.overlong_line(&beginning).await,
            }
        }
        if !input.is_open && input.unread.is_empty() && !has_ended {
            has_ended = true;
            next_probe = Instant::now() + PROBE_DELAY;
            hub.end_of_input(&handler.handle);
        }
        let outbox = Arc::clone(&handler.handle.outbox);
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
            () = input.read(), if input.is_open && input.unread.is_empty() => {}
            () = sleep_until(next_read), if !input.unread.is_empty() && !is_full(&handler, hub) => {}
            () = sleep_until(next_probe), if has_ended => {
                // The first line makes a machine tell that the client is gone. The second one cannot be
                // sent then.
                probes += 1;
                next_probe = Instant::now() + if probes < 2 { PROBE_DELAY } else { limits.ping };
                hub.probe(handler.handle.id);
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_lines_of_http_are_known() {
        for http in [
            "POST / HTTP/1.1",
            "GET /",
            "OPTIONS * HTTP/1.0",
            "PRI * HTTP/2.0",
            "BREW / HTTP/1.1",
            "\u{16}\u{3}\u{1}\u{2}",
        ] {
            assert!(is_http(http), "{http:?}");
        }
        for line in
            ["uci", "{\"id\":\"GET /\"}", "START 15", "ABOUT", "token HTTP", "position startpos"]
        {
            assert!(!is_http(line), "{line:?}");
        }
    }
}
