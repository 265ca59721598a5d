//! The HTTP routes: the files of the page, the WebSocket, single queries, and health and metrics
//! for operators.

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{DefaultBodyLimit, Extension, FromRequest, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next as Rest, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::stream::unfold;
use tengen_protocol::dialect::json::schema::schema;
use tokio::time::timeout;

use crate::connection::{LineHandler, ServerContext};
use crate::guard::InUse;
use crate::hub::{Handle, Hub};
use crate::metrics::Kind;
use crate::outbox::Next;
use crate::page;
use crate::websocket::{self, SUBPROTOCOL};

/// The peer of a connection.
#[derive(Clone)]
pub(crate) struct Peer {
    pub(crate) address: IpAddr,
    /// Held while the peer may be silent.
    pub(crate) in_use: InUse,
}

/// The state of the routes.
#[derive(Clone)]
pub(crate) struct AppState {
    pub(crate) server: Arc<ServerContext>,
    /// The port on which the server listens.
    pub(crate) port: u16,
}

/// Returns the routes.
pub(crate) fn router(app: AppState) -> Router {
    let max_bytes = app.server.hub.limits.line_bytes;
    Router::new()
        .route("/v1/ws", get(open_socket))
        .route("/v1/query", post(query))
        .route("/v1/version", get(version))
        .route("/v1/schema.json", get(send_schema))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
        .merge(page::routes())
        .layer(DefaultBodyLimit::max(max_bytes))
        .layer(from_fn_with_state(app.clone(), check))
        .with_state(app)
}

/// Checks host name, origin and address of a request, and adds security headers to the response.
async fn check(
    State(app): State<AppState>,
    Extension(Peer { address, .. }): Extension<Peer>,
    request: Request,
    rest: Rest,
) -> Result<Response, Refusal> {
    let access = &app.server.access;
    let headers = request.headers();
    let unknown_host = |status| Refusal(status, "unknown host name: see --allow-host");
    access.check_host(headers).map_err(unknown_host)?;
    let other_origin =
        |status| Refusal(status, "requests of this page are not allowed: see --allow-origin");
    access.check_origin(headers, app.port).map_err(other_origin)?;
    if app.server.is_blocked(address) {
        return Err(Refusal(FOR_NOW, "too many wrong tokens: try again in a minute"));
    }
    let mut response = rest.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'self'; frame-ancestors 'none'"),
    ] {
        // The page has its own policy.
        headers.entry(name).or_insert(header::HeaderValue::from_static(value));
    }
    Ok(response)
}

/// A request that is refused, with a message.
struct Refusal(StatusCode, &'static str);

/// The status of refusals for now. The client may try again in a minute.
const FOR_NOW: StatusCode = StatusCode::SERVICE_UNAVAILABLE;

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let Self(status, message) = self;
        let mut response = (status, format!("{message}\n")).into_response();
        if status == FOR_NOW {
            let seconds = header::HeaderValue::from_static("60");
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        response
    }
}

/// Returns whether the headers authorize a request. The error is for a wrong token.
fn is_authorized(app: &AppState, address: IpAddr, headers: &HeaderMap) -> Result<bool, Refusal> {
    let is_authorized = app.server.access.shows_token(headers);
    if !is_authorized && headers.contains_key(header::AUTHORIZATION) {
        app.server.record_failure(address);
        return Err(Refusal(StatusCode::UNAUTHORIZED, "wrong token"));
    }
    Ok(is_authorized)
}

/// Refuses a request that the headers do not authorize.
fn require_token(app: &AppState, address: IpAddr, headers: &HeaderMap) -> Result<(), Refusal> {
    match is_authorized(app, address, headers)? {
        true => Ok(()),
        false => Err(Refusal(StatusCode::UNAUTHORIZED, "this server needs a token")),
    }
}

/// Opens a session, unless there are too many.
fn open_session(hub: &Hub, address: IpAddr, kind: Kind) -> Result<Handle, Refusal> {
    hub.open(address, kind).ok_or_else(|| {
        hub.metrics.closed_for("full");
        Refusal(FOR_NOW, "too many sessions")
    })
}

fn refuse_while_draining(hub: &Hub) -> Result<(), Refusal> {
    let refusal = Refusal(FOR_NOW, "the server is shutting down");
    if hub.is_draining() { Err(refusal) } else { Ok(()) }
}

async fn open_socket(
    State(app): State<AppState>,
    Extension(Peer { address, in_use }): Extension<Peer>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Result<Response, Refusal> {
    const BUFFER_BYTES: usize = 4096;
    let is_authorized = is_authorized(&app, address, &headers)?;
    let hub = Arc::clone(&app.server.hub);
    refuse_while_draining(&hub)?;
    let handle = open_session(&hub, address, Kind::WebSocket)?;
    let server = Arc::clone(&app.server);
    let handler = LineHandler { server, address, handle, is_authorized };
    let max_bytes = hub.limits.line_bytes;
    let response = upgrade
        .protocols([SUBPROTOCOL])
        .read_buffer_size(BUFFER_BYTES)
        .write_buffer_size(BUFFER_BYTES)
        .max_message_size(max_bytes)
        .max_frame_size(max_bytes)
        .on_upgrade(move |socket| async move {
            websocket::serve(socket, handler, hub).await;
            drop(in_use);
        });
    Ok(response)
}

/// Answers one query. Each reply is a line of the body. Closing the connection ends the query.
async fn query(
    State(app): State<AppState>,
    Extension(Peer { address, in_use }): Extension<Peer>,
    headers: HeaderMap,
    request: Request,
) -> Result<Response, Refusal> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).map(str::trim);
    if !kind.is_some_and(|kind| kind.eq_ignore_ascii_case("application/json")) {
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        return Err(Refusal(status, "Content-Type must be application/json"));
    }
    require_token(&app, address, &headers)?;
    let hub = &app.server.hub;
    refuse_while_draining(hub)?;
    let late = |_| Refusal(StatusCode::REQUEST_TIMEOUT, "the query did not come in time");
    let body = timeout(hub.limits.header, Bytes::from_request(request, &())).await.map_err(late)?;
    let body = match body {
        Ok(body) => body,
        Err(too_large) => return Ok(too_large.into_response()),
    };
    let handle = open_session(hub, address, Kind::Http)?;
    let server = Arc::clone(&app.server);
    let mut handler = LineHandler { server, address, handle, is_authorized: true };
    let text = String::from_utf8_lossy(&body);
    // A body may have line ends; a line of a session has none.
    handler.line(&text.replace(['\n', '\r'], " "));
    hub.leave_when_done(handler.handle.id);
    let lines = unfold((handler, in_use), |(handler, in_use)| async move {
        let outbox = Arc::clone(&handler.handle.outbox);
        match outbox.next(handler.handle.connection).await {
            Next::Send(line) => Some((Ok::<_, Infallible>(line + "\n"), (handler, in_use))),
            Next::Close(_) => None,
        }
    });
    let body = Body::from_stream(lines);
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], body).into_response())
}

async fn version(State(app): State<AppState>) -> Response {
    let line = app.server.hub.version();
    ([(header::CONTENT_TYPE, "application/json")], line).into_response()
}

async fn send_schema() -> Response {
    ([(header::CONTENT_TYPE, "application/schema+json")], schema().to_string()).into_response()
}

async fn ready(State(app): State<AppState>) -> (StatusCode, &'static str) {
    match app.server.hub.is_ready() {
        true => (StatusCode::OK, "ready\n"),
        false => (StatusCode::SERVICE_UNAVAILABLE, "not ready\n"),
    }
}

async fn metrics(
    State(app): State<AppState>,
    Extension(Peer { address, .. }): Extension<Peer>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    require_token(&app, address, &headers)?;
    let hub: &Hub = &app.server.hub;
    let (waiting, threads) = hub.load();
    let text = hub.metrics.text(waiting, threads, hub.backlog());
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response())
}
