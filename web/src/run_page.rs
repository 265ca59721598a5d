//! The page of a run of the arena: served to browsers, or as one file. Its data come from a callback, so that
//! this crate knows no runs.

mod bundle;

use std::net::{SocketAddr, TcpListener as StdListener};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

pub use self::bundle::run_file;
use crate::access::{Access, Reached};
use crate::guard::{Guarded, InUse, Timeouts};
use crate::page;

/// Returns the data of a run at a path, in JSON; `None` if there are none.
pub type RunAnswers = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// The largest number of connections at a time.
const MAX_CONNECTIONS: usize = 64;
/// How long a browser may send or read nothing.
const TIMEOUTS: Timeouts =
    Timeouts { write: Duration::from_secs(30), read: Duration::from_secs(60) };
/// The pause after a connection that could not be accepted: usually too many files are open.
const RETRY_DELAY: Duration = Duration::from_millis(100);

/// Returns the text at a path; `None` if there is none. The error is the text of what is not there now.
pub type TextAnswers = Box<dyn Fn(&str) -> Option<Result<String, String>> + Send + Sync>;

/// Serves the page of a run at `address`, on a thread of its own, until the process ends. Everything is
/// read-only. Returns the address on which it listens.
pub fn serve_run(address: SocketAddr, answers: RunAnswers) -> std::io::Result<SocketAddr> {
    listen(address, routes(Arc::new(answers)))
}

/// Serves texts, such as metrics, like [`serve_run`]. An answer may take its time.
pub fn serve_texts(address: SocketAddr, answers: TextAnswers) -> std::io::Result<SocketAddr> {
    let texts = Router::new().fallback(get(text)).with_state(Arc::new(answers));
    listen(address, texts.layer(from_fn(check)))
}

fn listen(address: SocketAddr, routes: Router) -> std::io::Result<SocketAddr> {
    let listener = StdListener::bind(address)?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let serve = move || {
        runtime.block_on(async move {
            if let Ok(listener) = TcpListener::from_std(listener) {
                accept(listener, routes).await;
            }
        });
    };
    std::thread::Builder::new().name("page".to_owned()).spawn(serve)?;
    Ok(address)
}

fn routes(answers: Arc<RunAnswers>) -> Router {
    Router::new()
        .route("/run/{*path}", get(answer))
        .with_state(answers)
        .merge(page::routes("/run.html", &page::Files::new()))
        .layer(from_fn(check))
}

async fn answer(State(answers): State<Arc<RunAnswers>>, Path(path): Path<String>) -> Response {
    let Some(text) = answers(&path) else { return StatusCode::NOT_FOUND.into_response() };
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    (headers, text).into_response()
}

async fn text(State(answers): State<Arc<TextAnswers>>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let found = tokio::task::spawn_blocking(move || answers(&path)).await;
    let (status, text) = match found {
        Ok(Some(Ok(text))) => (StatusCode::OK, text),
        Ok(Some(Err(why))) => (StatusCode::SERVICE_UNAVAILABLE, why),
        Ok(None) => (StatusCode::NOT_FOUND, String::new()),
        Err(_) => (StatusCode::INTERNAL_SERVER_ERROR, String::new()),
    };
    let headers = [
        (header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (status, headers, text).into_response()
}

/// Refuses the pages of other sites, and adds security headers to the response.
async fn check(
    Extension(reached): Extension<Reached>,
    request: Request,
    rest: Next,
) -> Result<Response, StatusCode> {
    let (access, headers) = (Access::default(), request.headers());
    access.check_host(headers, request.uri(), reached)?;
    access.check_origin(headers, reached)?;
    let mut response = rest.run(request).await;
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
    ] {
        response.headers_mut().insert(name, header::HeaderValue::from_static(value));
    }
    Ok(response)
}

/// Accepts connections, without end.
async fn accept(listener: TcpListener, routes: Router) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(RETRY_DELAY).await;
            continue;
        };
        let local = stream.local_addr().ok();
        let reached = Reached {
            address: local.map(|local| local.ip().to_canonical()),
            port: local.map_or(0, |local| local.port()),
        };
        let routes = routes.clone().layer(Extension(reached));
        tokio::spawn(async move {
            serve(stream, routes).await;
            drop(place);
        });
    }
}

/// Serves HTTP on a connection.
async fn serve(stream: TcpStream, routes: Router) {
    // Guards the connection as if it were idle: no request here waits for long.
    let in_use = InUse::default();
    let stream = Guarded::new(stream, TIMEOUTS, Arc::clone(&in_use));
    // A client that breaks the protocol or is gone gets no answer.
    let _ = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(TIMEOUTS.read)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(routes))
        .await;
    drop(in_use);
}

#[cfg(test)]
mod tests;
