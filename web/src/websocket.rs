//! Clients over WebSocket. Each text message is a line of a session.

use std::sync::Arc;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use tokio::time::{Instant, sleep_until, timeout};

use crate::connection::LineHandler;
use crate::hub::Hub;
use crate::limits::RateLimiter;
use crate::outbox::{Close, Next};

/// The WebSocket subprotocol.
pub(crate) const SUBPROTOCOL: &str = "tengen.v1.json";

// Close codes of RFC 6455, section 7.4.1.
const NORMAL: u16 = 1000;
const GOING_AWAY: u16 = 1001;
const PROTOCOL_ERROR: u16 = 1002;
const UNSUPPORTED_DATA: u16 = 1003;
const INVALID_TEXT: u16 = 1007;
const POLICY_VIOLATION: u16 = 1008;
const TOO_LARGE: u16 = 1009;
const INTERNAL_ERROR: u16 = 1011;

/// Serves a client until it leaves or is disconnected.
pub(crate) async fn serve(mut socket: WebSocket, mut handler: LineHandler, hub: Arc<Hub>) {
    let (code, reason) = converse(&mut socket, &mut handler, &hub).await;
    hub.metrics.closed_for(reason);
    drop(handler);
    let frame = CloseFrame { code, reason: reason.into() };
    // An error means that the client is gone.
    let _ = timeout(hub.limits.stall, socket.send(Message::Close(Some(frame)))).await;
}

/// Serves the client, and returns the close code and why the connection is closed.
async fn converse(
    socket: &mut WebSocket,
    handler: &mut LineHandler,
    hub: &Hub,
) -> (u16, &'static str) {
    let limits = &hub.limits;
    let now = Instant::now();
    let mut rate_limiter = RateLimiter::new(limits.lines_per_second, limits.lines_at_once, now);
    let mut next_read = now;
    let mut next_ping = now + limits.ping;
    let mut pong_deadline: Option<Instant> = None;
    let token_deadline = now + limits.header;
    loop {
        let outbox = Arc::clone(&handler.handle.outbox);
        let awaits_token = !handler.is_authorized;
        let is_full = outbox.bytes() > limits.backlog;
        tokio::select! {
            next = outbox.next(handler.handle.connection) => match next {
                Next::Close(close) => return close_code(close),
                Next::Send(line) => {
                    match timeout(limits.stall, socket.send(Message::Text(line.into()))).await {
                        Ok(Ok(())) => {}
                        Ok(Err(_)) => return (NORMAL, "gone"),
                        Err(_) => return (POLICY_VIOLATION, "stalled"),
                    }
                    if outbox.bytes() == 0 {
                        hub.drained(handler.handle.id);
                    }
                }
            },
            message = socket.recv(), if next_read <= Instant::now() && !is_full => {
                // Pings count like lines.
                next_read = rate_limiter.take(Instant::now());
                match message {
                    Some(Ok(Message::Text(text))) => {
                        if !handler.line(&text) {
                            return refuse_client(socket, handler, hub).await;
                        }
                    }
                    Some(Ok(Message::Binary(_))) => return (UNSUPPORTED_DATA, "binary"),
                    Some(Ok(Message::Pong(_))) => pong_deadline = None,
                    Some(Ok(Message::Ping(_))) => {}
                    Some(Ok(Message::Close(_))) | None => return (NORMAL, "left"),
                    Some(Err(error)) => return error_code(&error),
                }
            }
            () = sleep_until(next_read), if next_read > Instant::now() => {}
            () = sleep_until(token_deadline), if awaits_token => return (POLICY_VIOLATION, "no token"),
            () = sleep_until(next_ping) => {
                let now = Instant::now();
                if is_full {
                    // Reading is paused, so a pong cannot arrive. The client is slow but connected.
                    pong_deadline = None;
                }
                if pong_deadline.is_some_and(|deadline| deadline <= now) {
                    return (INTERNAL_ERROR, "no pong");
                }
                if hub.idle_time(handler.handle.id) >= limits.idle {
                    return (NORMAL, "idle");
                }
                pong_deadline.get_or_insert(now + limits.ping);
                next_ping = now + limits.ping;
                let ping = socket.send(Message::Ping(Vec::new().into()));
                if !matches!(timeout(limits.stall, ping).await, Ok(Ok(()))) {
                    return (POLICY_VIOLATION, "stalled");
                }
            }
        }
    }
}

/// Sends the remaining lines to a client without a token, which is then disconnected.
async fn refuse_client(
    socket: &mut WebSocket,
    handler: &LineHandler,
    hub: &Hub,
) -> (u16, &'static str) {
    let outbox = &handler.handle.outbox;
    outbox.close(Close::Done);
    while let Next::Send(line) = outbox.next(handler.handle.connection).await {
        let sent = timeout(hub.limits.stall, socket.send(Message::Text(line.into()))).await;
        if !matches!(sent, Ok(Ok(()))) {
            break;
        }
    }
    (POLICY_VIOLATION, "no token")
}

fn close_code(close: Close) -> (u16, &'static str) {
    match close {
        Close::Done => (NORMAL, "done"),
        Close::Replaced => (NORMAL, "replaced"),
        Close::GoingAway => (GOING_AWAY, "shutting down"),
    }
}

/// Returns the close code and reason of a read error: a bad message, or a lost connection.
fn error_code(error: &axum::Error) -> (u16, &'static str) {
    let text = error.to_string();
    let is = |part: &str| text.contains(part);
    match () {
        () if is("too long") || is("Space limit") => (TOO_LARGE, "too large"),
        () if is("UTF-8") => (INVALID_TEXT, "no text"),
        () if is("protocol error") && !is("without closing handshake") => {
            (PROTOCOL_ERROR, "no protocol")
        }
        () => (NORMAL, "gone"),
    }
}
