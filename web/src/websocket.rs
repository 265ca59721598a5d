//! A WebSocket: each text message is a line of a session.

use std::sync::Arc;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use tokio::time::{Instant, sleep_until, timeout};

use crate::connection::{Goes, Visitor};
use crate::hub::Hub;
use crate::limits::Allowance;
use crate::outbox::{Close, Next};

/// The name of the protocol for browsers.
pub(crate) const SUBPROTOCOL: &str = "tengen.v1.json";

const NORMAL: u16 = 1000;
const GOING_AWAY: u16 = 1001;
const NO_PROTOCOL: u16 = 1002;
const NO_DATA: u16 = 1003;
const NO_TEXT: u16 = 1007;
const POLICY: u16 = 1008;
const TOO_LARGE: u16 = 1009;
const NO_PONG: u16 = 1011;

/// Serves a client until it leaves or is sent away.
pub(crate) async fn serve(mut socket: WebSocket, mut visitor: Visitor, hub: Arc<Hub>) {
    let (code, why) = talk(&mut socket, &mut visitor, &hub).await;
    hub.metrics.closed_for(why);
    drop(visitor);
    let frame = CloseFrame { code, reason: why.into() };
    // A client that has gone away gets nothing.
    let _ = timeout(hub.limits.stall, socket.send(Message::Close(Some(frame)))).await;
}

async fn talk(socket: &mut WebSocket, visitor: &mut Visitor, hub: &Hub) -> (u16, &'static str) {
    let limits = &hub.limits;
    let now = Instant::now();
    let mut allowance = Allowance::new(limits.lines_per_second, limits.lines_at_once, now);
    let mut reads_at = now;
    let mut pings_at = now + limits.ping;
    let mut pong_due: Option<Instant> = None;
    let shows_by = now + limits.header;
    loop {
        let outbox = Arc::clone(&visitor.handle.outbox);
        let waits = !visitor.is_let_in;
        let is_full = outbox.bytes() > limits.backlog;
        tokio::select! {
            next = outbox.next(visitor.handle.connection) => match next {
                Next::Close(close) => return closing(close),
                Next::Send(line) => {
                    match timeout(limits.stall, socket.send(Message::Text(line.into()))).await {
                        Ok(Ok(())) => {}
                        Ok(Err(_)) => return (NORMAL, "gone"),
                        Err(_) => return (POLICY, "stalled"),
                    }
                    if outbox.bytes() == 0 {
                        hub.drained(visitor.handle.id);
                    }
                }
            },
            message = socket.recv(), if reads_at <= Instant::now() && !is_full => {
                // Pings cost as much as lines.
                reads_at = allowance.take(Instant::now());
                match message {
                    Some(Ok(Message::Text(text))) => {
                        if visitor.line(&text) == Goes::Out {
                            return send_off(socket, visitor, hub).await;
                        }
                    }
                    Some(Ok(Message::Binary(_))) => return (NO_DATA, "binary"),
                    Some(Ok(Message::Pong(_))) => pong_due = None,
                    Some(Ok(Message::Ping(_))) => {}
                    Some(Ok(Message::Close(_))) | None => return (NORMAL, "left"),
                    Some(Err(error)) => return broken(&error),
                }
            }
            () = sleep_until(reads_at), if reads_at > Instant::now() => {}
            () = sleep_until(shows_by), if waits => return (POLICY, "no token"),
            () = sleep_until(pings_at) => {
                let now = Instant::now();
                if is_full {
                    // A client that takes lines slowly is there, though its pong is not read.
                    pong_due = None;
                }
                if pong_due.is_some_and(|due| due <= now) {
                    return (NO_PONG, "no pong");
                }
                if hub.quiet_for(visitor.handle.id) >= limits.idle {
                    return (NORMAL, "idle");
                }
                pong_due.get_or_insert(now + limits.ping);
                pings_at = now + limits.ping;
                let ping = socket.send(Message::Ping(Vec::new().into()));
                if !matches!(timeout(limits.stall, ping).await, Ok(Ok(()))) {
                    return (POLICY, "stalled");
                }
            }
        }
    }
}

/// Sends what waits for a client that is sent away.
async fn send_off(socket: &mut WebSocket, visitor: &Visitor, hub: &Hub) -> (u16, &'static str) {
    let outbox = &visitor.handle.outbox;
    outbox.close(Close::Done);
    while let Next::Send(line) = outbox.next(visitor.handle.connection).await {
        let sent = timeout(hub.limits.stall, socket.send(Message::Text(line.into()))).await;
        if !matches!(sent, Ok(Ok(()))) {
            break;
        }
    }
    (POLICY, "no token")
}

fn closing(close: Close) -> (u16, &'static str) {
    match close {
        Close::Done => (NORMAL, "done"),
        Close::Replaced => (NORMAL, "replaced"),
        Close::GoingAway => (GOING_AWAY, "shutting down"),
    }
}

/// Tells messages that break the rules from a connection that broke.
fn broken(error: &axum::Error) -> (u16, &'static str) {
    let text = error.to_string();
    let is = |part: &str| text.contains(part);
    match () {
        () if is("too long") || is("Space limit") => (TOO_LARGE, "too large"),
        () if is("UTF-8") => (NO_TEXT, "no text"),
        () if is("protocol error") && !is("without closing handshake") => {
            (NO_PROTOCOL, "no protocol")
        }
        () => (NORMAL, "gone"),
    }
}
