//! Clients over WebSocket. Each text message is a line of a session.

use std::error::Error as _;
use std::sync::Arc;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket};
use tokio::time::{Instant, sleep_until, timeout};
use tungstenite::error::ProtocolError::ResetWithoutClosingHandshake;

use crate::connection::{Connection, LineHandler, ServerContext};
use crate::hub::Hub;
use crate::limits::RateLimiter;
use crate::metrics::Kind;
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
// Registered later, by IANA.
const TRY_LATER: u16 = 1013;

/// Serves a client until it leaves or is disconnected. Without a session in `handler` the client
/// must show the token first.
pub(crate) async fn serve(
    mut socket: WebSocket,
    handler: Option<LineHandler>,
    connection: Arc<Connection>,
    server: Arc<ServerContext>,
) {
    let hub = &server.hub;
    let opened = match handler {
        Some(handler) => Ok((handler, None)),
        None => greet(&mut socket, &connection, &server).await,
    };
    let (code, reason) = match opened {
        Ok((mut handler, first)) => converse(&mut socket, &mut handler, first, hub).await,
        Err(NoSession { line, code, reason }) => {
            if let Some(line) = line {
                // An error means that the client is gone.
                let _ = timeout(hub.limits.stall, socket.send(Message::Text(line.into()))).await;
            }
            (code, reason)
        }
    };
    hub.metrics.closed_for(reason);
    let frame = CloseFrame { code, reason: reason.into() };
    // An error means that the client is gone.
    let _ = timeout(hub.limits.stall, socket.send(Message::Close(Some(frame)))).await;
}

/// Why a client gets no session.
struct NoSession {
    /// The reply.
    line: Option<String>,
    code: u16,
    reason: &'static str,
}

/// Waits for the first message, which must have the token, and opens a session. Returns the
/// session and the message.
async fn greet(
    socket: &mut WebSocket,
    connection: &Arc<Connection>,
    server: &Arc<ServerContext>,
) -> Result<(LineHandler, Option<Utf8Bytes>), NoSession> {
    let refusal = |line, code, reason| NoSession { line, code, reason };
    let welcome = async {
        let first = timeout(server.hub.limits.header, first_message(socket)).await;
        let late = |_| refusal(None, POLICY_VIOLATION, "no token");
        let first = first.map_err(late)?.map_err(|(code, reason)| refusal(None, code, reason))?;
        let greeted = server.greet(connection, &first).await;
        let is_guest = greeted.map_err(|line| refusal(Some(line), POLICY_VIOLATION, "no token"))?;
        Ok((first, is_guest))
    };
    let (first, is_guest) = tokio::select! {
        first = welcome => first?,
        () = connection.place.must_close() => return Err(refusal(None, TRY_LATER, "crowded")),
    };
    let opened = LineHandler::open(server, connection, Kind::WebSocket, is_guest);
    let handler = opened.map_err(|full| refusal(Some(full.line()), TRY_LATER, "full"))?;
    Ok((handler, Some(first)))
}

/// Waits for the first text. The error is the close code and the reason if there is none.
async fn first_message(socket: &mut WebSocket) -> Result<Utf8Bytes, (u16, &'static str)> {
    loop {
        match socket.recv().await {
            Some(Ok(Message::Text(text))) if text.trim_ascii().is_empty() => {}
            Some(Ok(Message::Text(text))) => return Ok(text),
            Some(Ok(Message::Binary(_))) => return Err((UNSUPPORTED_DATA, "binary")),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            Some(Ok(Message::Close(_))) | None => return Err((NORMAL, "left")),
            Some(Err(error)) => return Err(error_code(&error)),
        }
    }
}

/// Serves the client, whose first message may be known. Returns the close code and why the
/// connection is closed.
async fn converse(
    socket: &mut WebSocket,
    handler: &mut LineHandler,
    first: Option<Utf8Bytes>,
    hub: &Hub,
) -> (u16, &'static str) {
    let limits = &hub.limits;
    let now = Instant::now();
    let mut rate_limiter = RateLimiter::new(limits.lines_per_second, limits.lines_at_once, now);
    let mut next_read = now;
    let mut next_ping = now + limits.ping;
    let mut pong_deadline: Option<Instant> = None;
    if let Some(line) = first {
        handler.line(&line).await;
    }
    loop {
        let outbox = Arc::clone(&handler.handle.outbox);
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
                    Some(Ok(Message::Text(text))) => handler.line(&text).await,
                    Some(Ok(Message::Binary(_))) => return (UNSUPPORTED_DATA, "binary"),
                    Some(Ok(Message::Pong(_))) => pong_deadline = None,
                    Some(Ok(Message::Ping(_))) => {}
                    Some(Ok(Message::Close(_))) | None => return (NORMAL, "left"),
                    Some(Err(error)) => return error_code(&error),
                }
            }
            () = sleep_until(next_read), if next_read > Instant::now() => {}
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

fn close_code(close: Close) -> (u16, &'static str) {
    match close {
        Close::Done => (NORMAL, "done"),
        Close::Replaced => (NORMAL, "replaced"),
        Close::GoingAway => (GOING_AWAY, "shutting down"),
    }
}

/// Returns the close code and reason of a read error: a bad message, or a lost connection.
fn error_code(error: &axum::Error) -> (u16, &'static str) {
    match error.source().and_then(|source| source.downcast_ref::<tungstenite::Error>()) {
        Some(tungstenite::Error::Capacity(_)) => (TOO_LARGE, "too large"),
        Some(tungstenite::Error::Utf8(_)) => (INVALID_TEXT, "no text"),
        Some(tungstenite::Error::Protocol(ResetWithoutClosingHandshake)) => (NORMAL, "gone"),
        Some(tungstenite::Error::Protocol(_)) => (PROTOCOL_ERROR, "no protocol"),
        _ => (NORMAL, "gone"),
    }
}
