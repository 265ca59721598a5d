//! The HTTP routes: the files of the page, the WebSocket, single queries, and health and metrics
//! for operators.

use std::convert::Infallible;
use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{DefaultBodyLimit, Extension, FromRequest, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::{Next as Rest, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::stream::unfold;
use tengen_protocol::dialect::json::schema::schema;
use tokio::time::timeout;

use crate::connection::{Connection, LineHandler, ServerContext};
use crate::guard::InUse;
use crate::hub::{Full, Hub};
use crate::metrics::{Gauges, Kind};
use crate::outbox::Next;
use crate::page;
use crate::websocket::{self, SUBPROTOCOL};

/// The peer of a request.
#[derive(Clone)]
pub(crate) struct Peer {
    pub(crate) connection: Arc<Connection>,
    /// Held while the peer may be silent.
    pub(crate) in_use: InUse,
}

/// The state of the routes.
type AppState = Arc<ServerContext>;

/// Returns the routes. Each request has a [`Peer`] among its extensions. `engine` has the files of the
/// engine for browsers, if there are any.
pub(crate) fn router(server: AppState, engine: &page::Files) -> Router {
    let max_bytes = server.hub.limits.line_bytes;
    Router::new()
        .route("/v1/ws", get(open_socket))
        .route("/v1/query", post(query))
        .route("/v1/version", get(version))
        .route("/v1/schema.json", get(send_schema))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
        .merge(page::routes("/", engine))
        .layer(DefaultBodyLimit::max(max_bytes))
        .layer(from_fn_with_state(Arc::clone(&server), check))
        .with_state(server)
}

/// Checks host name and origin of a request, and adds security headers to the response.
async fn check(
    State(server): State<AppState>,
    Extension(Peer { connection, .. }): Extension<Peer>,
    request: Request,
    rest: Rest,
) -> Result<Response, RefusedRequest> {
    let (access, reached) = (&server.access, connection.reached);
    let headers = request.headers();
    connection.place.used();
    access.check_host(headers, request.uri(), reached).map_err(|status| {
        let message = match status {
            StatusCode::BAD_REQUEST => "a request has one Host header",
            _ => "unknown host name: see --allow-host",
        };
        RefusedRequest(status, message)
    })?;
    let other_origin = |status| {
        RefusedRequest(status, "requests of this page are not allowed: see --allow-origin")
    };
    access.check_origin(headers, reached).map_err(other_origin)?;
    if connection.is_flood
        && !is_always_served(request.uri().path())
        && !access.shows_token(headers)
    {
        server.hub.metrics.closed_for("flood");
        return Err(RefusedRequest(TOO_MANY, "too many connections: see connections_per_second"));
    }
    let mut response = match is_line(&request) {
        true => rest.run(request).await,
        false => connection.share.charge(rest.run(request)).await,
    };
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

/// Returns whether a request takes a turn with its line: a query, or the first of a WebSocket.
fn is_line(request: &Request) -> bool {
    request.method() == Method::POST || request.uri().path() == "/v1/ws"
}

/// Returns whether clients that open too many connections get this address without a token: the
/// page and the health. Over a WebSocket the token comes later.
fn is_always_served(path: &str) -> bool {
    !path.starts_with("/v1/") && path != "/metrics" || path == "/v1/ws"
}

/// A request that is refused, with a message.
struct RefusedRequest(StatusCode, &'static str);

/// The status of a refusal because the server is full or shuts down.
const FOR_NOW: StatusCode = StatusCode::SERVICE_UNAVAILABLE;
/// The status of a refusal because the client asks too much.
const TOO_MANY: StatusCode = StatusCode::TOO_MANY_REQUESTS;

impl IntoResponse for RefusedRequest {
    fn into_response(self) -> Response {
        let Self(status, message) = self;
        let mut response = (status, format!("{message}\n")).into_response();
        let mut insert = |name, value| {
            response.headers_mut().insert(name, header::HeaderValue::from_static(value));
        };
        match status {
            FOR_NOW | TOO_MANY => insert(header::RETRY_AFTER, "60"),
            StatusCode::UNAUTHORIZED => insert(header::WWW_AUTHENTICATE, "Bearer"),
            _ => {}
        }
        response
    }
}

impl From<Full> for RefusedRequest {
    fn from(full: Full) -> Self {
        let status = if full == Full::Address { TOO_MANY } else { FOR_NOW };
        Self(status, full.message())
    }
}

/// Returns whether the headers authorize a request. The error is for a wrong token, after a delay.
async fn is_authorized(
    server: &ServerContext,
    connection: &Connection,
    headers: &HeaderMap,
) -> Result<bool, RefusedRequest> {
    if server.access.shows_token(headers) {
        connection.place.token_shown();
        return Ok(true);
    }
    if headers.contains_key(header::AUTHORIZATION) {
        server.refuse_token(true).await;
        return Err(RefusedRequest(StatusCode::UNAUTHORIZED, "wrong token"));
    }
    Ok(false)
}

/// Refuses a request that the headers do not authorize.
async fn require_token(
    server: &ServerContext,
    connection: &Connection,
    headers: &HeaderMap,
) -> Result<(), RefusedRequest> {
    if is_authorized(server, connection, headers).await? {
        return Ok(());
    }
    server.refuse_token(false).await;
    Err(RefusedRequest(StatusCode::UNAUTHORIZED, "this server needs a token"))
}

fn refuse_while_draining(hub: &Hub) -> Result<(), RefusedRequest> {
    let refusal = RefusedRequest(FOR_NOW, "the server is shutting down");
    if hub.is_draining() { Err(refusal) } else { Ok(()) }
}

async fn open_socket(
    State(server): State<AppState>,
    Extension(Peer { connection, in_use }): Extension<Peer>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Result<Response, RefusedRequest> {
    const BUFFER_BYTES: usize = 4096;
    let is_authorized = is_authorized(&server, &connection, &headers).await?;
    refuse_while_draining(&server.hub)?;
    let handler = match is_authorized {
        true => Some(LineHandler::open(&server, &connection, Kind::WebSocket, false)?),
        false => None,
    };
    let max_bytes = server.hub.limits.line_bytes;
    let response = upgrade
        .protocols([SUBPROTOCOL])
        .read_buffer_size(BUFFER_BYTES)
        .write_buffer_size(BUFFER_BYTES)
        .max_message_size(max_bytes)
        .max_frame_size(max_bytes)
        .on_upgrade(move |socket| async move {
            websocket::serve(socket, handler, connection, server).await;
            drop(in_use);
        });
    Ok(response)
}

/// Answers one query. Each reply is a line of the body. Closing the connection ends the query.
async fn query(
    State(server): State<AppState>,
    Extension(Peer { connection, in_use }): Extension<Peer>,
    headers: HeaderMap,
    request: Request,
) -> Result<Response, RefusedRequest> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).map(str::trim);
    if !kind.is_some_and(|kind| kind.eq_ignore_ascii_case("application/json")) {
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        return Err(RefusedRequest(status, "Content-Type must be application/json"));
    }
    require_token(&server, &connection, &headers).await?;
    let hub = &server.hub;
    refuse_while_draining(hub)?;
    if request.body().size_hint().lower() > hub.limits.line_bytes as u64 {
        return Err(RefusedRequest(
            StatusCode::PAYLOAD_TOO_LARGE,
            "the query is longer than line_bytes",
        ));
    }
    let late = |_| RefusedRequest(StatusCode::REQUEST_TIMEOUT, "the query did not come in time");
    let body = timeout(hub.limits.header, Bytes::from_request(request, &())).await.map_err(late)?;
    let body = match body {
        Ok(body) => body,
        Err(too_large) => return Ok(too_large.into_response()),
    };
    let bad = |message| RefusedRequest(StatusCode::BAD_REQUEST, message);
    let text = std::str::from_utf8(&body).map_err(|_| bad("the query is not UTF-8"))?;
    if text.trim_ascii().is_empty() {
        return Err(bad("the request has no query: send one as its body"));
    }
    let mut handler = LineHandler::open(&server, &connection, Kind::Http, false)?;
    // A body may have line ends; a line of a session has none.
    handler.line(&text.replace(['\n', '\r'], " ")).await;
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

async fn version(State(server): State<AppState>) -> Response {
    let line = server.hub.version();
    ([(header::CONTENT_TYPE, "application/json")], line).into_response()
}

async fn send_schema() -> Response {
    static SCHEMA: LazyLock<String> = LazyLock::new(|| schema().to_string());
    ([(header::CONTENT_TYPE, "application/schema+json")], SCHEMA.as_str()).into_response()
}

async fn ready(State(server): State<AppState>) -> (StatusCode, &'static str) {
    match server.hub.is_ready() {
        true => (StatusCode::OK, "ready\n"),
        false => (StatusCode::SERVICE_UNAVAILABLE, "not ready\n"),
    }
}

async fn metrics(
    State(server): State<AppState>,
    Extension(Peer { connection, .. }): Extension<Peer>,
    headers: HeaderMap,
) -> Result<Response, RefusedRequest> {
    require_token(&server, &connection, &headers).await?;
    let hub: &Hub = &server.hub;
    let (waiting, threads) = hub.load();
    let (connections, backlog) = (server.connections(), hub.backlog());
    let text = hub.metrics.text(Gauges { connections, waiting, threads, backlog });
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response())
}
