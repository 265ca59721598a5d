//! The routes of the web: the files of the page, the WebSocket, a query for a request, and what operators ask.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{DefaultBodyLimit, Extension, FromRequest, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next as Rest, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use hyper::body::Frame;
use tengen_protocol::dialect::json::schema::schema;
use tokio::time::timeout;

use crate::connection::{Gate, Visitor};
use crate::guard::InUse;
use crate::hub::Hub;
use crate::metrics::Kind;
use crate::outbox::Next;
use crate::page;
use crate::websocket::{self, SUBPROTOCOL};

/// Who asks.
#[derive(Clone)]
pub(crate) struct Peer {
    pub(crate) address: IpAddr,
    /// Held while the connection may be silent.
    pub(crate) in_use: InUse,
}

/// What the routes know.
#[derive(Clone)]
pub(crate) struct Site {
    pub(crate) gate: Arc<Gate>,
    /// The port that is listened on.
    pub(crate) port: u16,
}

/// Returns the routes.
pub(crate) fn router(site: Site) -> Router {
    let most = site.gate.hub.limits.line_bytes;
    Router::new()
        .route("/v1/ws", get(open_socket))
        .route("/v1/query", post(query))
        .route("/v1/version", get(version))
        .route("/v1/schema.json", get(tell_schema))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
        .merge(page::routes())
        .layer(DefaultBodyLimit::max(most))
        .layer(from_fn_with_state(site.clone(), check))
        .with_state(site)
}

/// Lets through what is asked of us by name, and from no foreign page.
async fn check(
    State(site): State<Site>,
    Extension(Peer { address, .. }): Extension<Peer>,
    request: Request,
    rest: Rest,
) -> Response {
    let access = &site.gate.access;
    let headers = request.headers();
    if let Err(status) = access.check_host(headers) {
        return refuse(status, "unknown host name: see --allow-host");
    }
    if let Err(status) = access.check_origin(headers, site.port) {
        return refuse(status, "requests of this page are not allowed: see --allow-origin");
    }
    if site.gate.shuts_out(address) {
        return refuse_for_now("too many wrong tokens: try again in a minute");
    }
    let mut response = rest.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'self'; frame-ancestors 'none'"),
    ] {
        // The page has a policy of its own.
        headers.entry(name).or_insert(header::HeaderValue::from_static(value));
    }
    response
}

fn refuse(status: StatusCode, message: &str) -> Response {
    (status, format!("{message}\n")).into_response()
}

fn refuse_for_now(reason: &str) -> Response {
    let mut response = refuse(StatusCode::SERVICE_UNAVAILABLE, reason);
    response.headers_mut().insert(header::RETRY_AFTER, header::HeaderValue::from_static("60"));
    response
}

fn refuse_token(status: StatusCode) -> Response {
    refuse(status, "wrong token")
}

fn refuse_without_token() -> Response {
    refuse(StatusCode::UNAUTHORIZED, "this server needs a token")
}

/// Returns whether a request needs no further token, because it shows the server's.
fn is_let_in(site: &Site, address: IpAddr, headers: &HeaderMap) -> Result<bool, StatusCode> {
    if site.gate.access.shows_token(headers) {
        return Ok(true);
    }
    if headers.contains_key(header::AUTHORIZATION) {
        site.gate.failed(address);
        return Err(StatusCode::UNAUTHORIZED);
    }
    Ok(false)
}

async fn open_socket(
    State(site): State<Site>,
    Extension(Peer { address, in_use }): Extension<Peer>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    const BUFFER: usize = 4096;
    let is_let_in = match is_let_in(&site, address, &headers) {
        Ok(is_let_in) => is_let_in,
        Err(status) => return refuse_token(status),
    };
    let hub = Arc::clone(&site.gate.hub);
    if hub.is_draining() {
        return refuse_for_now("the server is shutting down");
    }
    let Ok(handle) = hub.open(address, Kind::WebSocket) else {
        hub.metrics.closed_for("full");
        return refuse_for_now("too many sessions");
    };
    let visitor = Visitor::new(Arc::clone(&site.gate), address, handle, is_let_in);
    let most = hub.limits.line_bytes;
    upgrade
        .protocols([SUBPROTOCOL])
        .read_buffer_size(BUFFER)
        .write_buffer_size(BUFFER)
        .max_message_size(most)
        .max_frame_size(most)
        .on_upgrade(move |socket| async move {
            websocket::serve(socket, visitor, hub).await;
            drop(in_use);
        })
}

/// Answers one query; its replies are lines. Closing the request ends the query.
async fn query(
    State(site): State<Site>,
    Extension(Peer { address, in_use }): Extension<Peer>,
    headers: HeaderMap,
    request: Request,
) -> Response {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).map(str::trim);
    if !kind.is_some_and(|kind| kind.eq_ignore_ascii_case("application/json")) {
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        return refuse(status, "Content-Type must be application/json");
    }
    match is_let_in(&site, address, &headers) {
        Ok(true) => {}
        Ok(false) => {
            return refuse_without_token();
        }
        Err(status) => return refuse_token(status),
    }
    let hub = &site.gate.hub;
    if hub.is_draining() {
        return refuse_for_now("the server is shutting down");
    }
    let body = match timeout(hub.limits.header, Bytes::from_request(request, &())).await {
        Ok(Ok(body)) => body,
        Ok(Err(too_large)) => return too_large.into_response(),
        Err(_) => return refuse(StatusCode::REQUEST_TIMEOUT, "the query did not come in time"),
    };
    let Ok(handle) = hub.open(address, Kind::Http) else {
        hub.metrics.closed_for("full");
        return refuse_for_now("too many sessions");
    };
    let mut visitor = Visitor::new(Arc::clone(&site.gate), address, handle, true);
    let text = String::from_utf8_lossy(&body);
    // Blanks and line ends may stand in a body; a line has none.
    visitor.line(&text.replace(['\n', '\r'], " "));
    hub.leave_when_done(visitor.handle.id);
    let body = Body::new(Replies { next: Some(Box::pin(next(visitor))), _in_use: in_use });
    ([(header::CONTENT_TYPE, "application/x-ndjson")], body).into_response()
}

type Waiting = Pin<Box<dyn Future<Output = (Visitor, Next)> + Send>>;

/// The replies to a query as a body.
struct Replies {
    next: Option<Waiting>,
    _in_use: InUse,
}

async fn next(visitor: Visitor) -> (Visitor, Next) {
    let outbox = Arc::clone(&visitor.handle.outbox);
    let next = outbox.next(visitor.handle.connection).await;
    (visitor, next)
}

impl hyper::body::Body for Replies {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let Some(waiting) = &mut self.next else { return Poll::Ready(None) };
        let Poll::Ready((visitor, next)) = waiting.as_mut().poll(context) else {
            return Poll::Pending;
        };
        match next {
            Next::Send(mut line) => {
                line.push('\n');
                self.next = Some(Box::pin(self::next(visitor)));
                Poll::Ready(Some(Ok(Frame::data(line.into()))))
            }
            Next::Close(_) => {
                self.next = None;
                Poll::Ready(None)
            }
        }
    }
}

async fn version(State(site): State<Site>) -> Response {
    let line = site.gate.hub.version();
    ([(header::CONTENT_TYPE, "application/json")], line).into_response()
}

async fn tell_schema() -> Response {
    ([(header::CONTENT_TYPE, "application/schema+json")], schema().to_string()).into_response()
}

async fn ready(State(site): State<Site>) -> (StatusCode, &'static str) {
    match site.gate.hub.is_ready() {
        true => (StatusCode::OK, "ready\n"),
        false => (StatusCode::SERVICE_UNAVAILABLE, "not ready\n"),
    }
}

async fn metrics(
    State(site): State<Site>,
    Extension(Peer { address, .. }): Extension<Peer>,
    headers: HeaderMap,
) -> Response {
    match is_let_in(&site, address, &headers) {
        Ok(true) => {
            let hub: &Hub = &site.gate.hub;
            let (waiting, threads) = hub.figures();
            let text = hub.metrics.text(waiting, threads, hub.backlog());
            ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
        }
        Ok(false) => refuse_without_token(),
        Err(status) => refuse_token(status),
    }
}
