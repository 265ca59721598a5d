//! [`Server`]: listens, accepts connections, and shuts down in order.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use socket2::{SockRef, TcpKeepalive};
use tengen_protocol::pool::SearchEvent;
use tengen_protocol::queries::{Service, SessionLimits};
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::yield_now;
use tokio::time::{sleep, timeout};

use crate::access::{Access, Reached};
use crate::connection::{Connection, ServerContext};
use crate::guard::{Guarded, InUse, Timeouts};
use crate::hub::Hub;
use crate::limits::ServerLimits;
use crate::page::{self, Files};
use crate::rooms::Rooms;
use crate::routes::{Peer, router};
use crate::tcp;

/// The configuration of a server.
#[derive(Clone)]
pub struct ServerConfig {
    /// The address for HTTP and WebSocket; `None` for no such server.
    pub http: Option<SocketAddr>,
    /// The address for lines over TCP; `None` for no such server.
    pub tcp: Option<SocketAddr>,
    /// The games, and the workers and their tables.
    pub service: Service,
    /// The limits of sessions.
    pub limits: ServerLimits,
    /// Who may use the server.
    pub access: Access,
    /// How long searches may continue during a shutdown.
    pub drain: Duration,
    /// Whether tables are cleared between sessions, so that a session never uses entries of another
    /// one.
    pub isolates: bool,
    /// The folder with the engine for browsers; `None` if the page offers the engine of the server only.
    pub page_engine: Option<PathBuf>,
    /// The folder in which rooms are kept; `None` for a server without rooms.
    pub rooms: Option<PathBuf>,
}

/// Why a server does not start.
#[derive(Debug, Error)]
pub enum ServeError {
    /// Other machines can reach the address, and there is no token.
    #[error("--{0} {1}: an address that other machines can reach needs a token: --token-file FILE")]
    NoToken(&'static str, SocketAddr),
    /// The server cannot listen on the address.
    #[error("--{0} {1}: {2}; --{0} {3}:0 takes a free port")]
    Address(&'static str, SocketAddr, #[source] io::Error, IpAddr),
    /// A file of the engine for browsers cannot be read.
    #[error("--page-engine: {0}: {1}; \"packaging/build engine\" makes the folder")]
    PageEngine(String, #[source] io::Error),
    /// The file of the rooms cannot be used.
    #[error("--rooms: {0}")]
    Rooms(#[from] tengen_runs::Error),
    /// The event loop cannot be created.
    #[error("the server cannot start: {0}")]
    Loop(#[from] io::Error),
}

/// The addresses on which a server listens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Addresses {
    /// The address for HTTP and WebSocket.
    pub http: Option<SocketAddr>,
    /// The address for lines over TCP.
    pub tcp: Option<SocketAddr>,
}

impl Addresses {
    /// Returns the addresses at which clients reach a server that listens on `address`. If
    /// `address` stands for all addresses of the machine, returns these, loopback last.
    pub fn reachable(address: SocketAddr) -> Vec<SocketAddr> {
        if !address.ip().is_unspecified() {
            return vec![address];
        }
        let interfaces = if_addrs::get_if_addrs().unwrap_or_default();
        let mut own: Vec<IpAddr> = interfaces.iter().map(if_addrs::Interface::ip).collect();
        // An IPv6 address of one link needs the name of the link. `::` also serves IPv4.
        own.retain(|ip| match ip {
            IpAddr::V4(_) => true,
            IpAddr::V6(ip) => address.is_ipv6() && !ip.is_unicast_link_local(),
        });
        own.sort_by_key(|ip| (ip.is_loopback(), ip.is_ipv6()));
        own.dedup();
        match own.is_empty() {
            // The system does not list its addresses.
            true => vec![address],
            false => own.into_iter().map(|ip| SocketAddr::new(ip, address.port())).collect(),
        }
    }
}

/// A listening server.
pub struct Server {
    http: Option<TcpListener>,
    tcp: Option<TcpListener>,
    server: Arc<ServerContext>,
    engine: Files,
    events: mpsc::UnboundedReceiver<SearchEvent>,
    drain: Duration,
}

impl Server {
    /// Starts to listen on the addresses of `config`. Must be called inside a tokio runtime.
    pub async fn bind(config: ServerConfig) -> Result<Self, ServeError> {
        let ServerConfig {
            http,
            tcp,
            service,
            limits,
            access,
            drain,
            isolates,
            page_engine,
            rooms,
        } = config;
        for (name, address) in [("http", http), ("tcp", tcp)] {
            if let Some(address) = address.filter(|it| !it.ip().is_loopback())
                && access.token.is_none()
            {
                return Err(ServeError::NoToken(name, address));
            }
        }
        let service = Service {
            limits: SessionLimits {
                time: Some(limits.time),
                infinite: Some(limits.infinite),
                queue: Some(limits.queue),
                multi_pv: limits.multi_pv,
                line_bytes: limits.line_bytes,
                may_make_rooms: rooms.is_some(),
                may_search: true,
                may_clear: false,
                may_ask_threats: false,
                may_read_records: false,
            },
            ..service
        };
        let engine = page_engine.map(|folder| page::read_engine(&folder)).transpose();
        let engine = engine.map_err(|(file, error)| ServeError::PageEngine(file, error))?;
        let (hub, events) = Hub::new(service, limits, isolates);
        let (http, tcp) = (listen("http", http).await?, listen("tcp", tcp).await?);
        let open = |folder: PathBuf| {
            let address = http.as_ref().and_then(|listener| listener.local_addr().ok());
            let mut addresses = address.map_or_else(Vec::new, Addresses::reachable);
            addresses.retain(|address| !address.ip().is_loopback());
            let addresses = addresses.iter().map(|it| format!("http://{it}")).collect();
            Rooms::open(&folder, Arc::clone(&hub), service.catalog, addresses)
        };
        let rooms = rooms.map(open).transpose()?;
        Ok(Self {
            http,
            tcp,
            server: ServerContext::new(hub, access, rooms),
            engine: engine.unwrap_or_default(),
            events,
            drain,
        })
    }

    /// Returns the addresses on which the server listens.
    pub fn addresses(&self) -> Addresses {
        let of = |listener: &Option<TcpListener>| listener.as_ref()?.local_addr().ok();
        Addresses { http: of(&self.http), tcp: of(&self.tcp) }
    }

    /// Serves until a message of `shutdown`, then shuts down in order. A second message ends the
    /// server at once.
    pub async fn run(self, mut shutdown: mpsc::Receiver<()>) {
        let Self { http, tcp, server, engine: files, events, drain } = self;
        let hub = Arc::clone(&server.hub);
        let engine = tokio::spawn(Arc::clone(&hub).run(events));
        let rooms = server.rooms.clone();
        let keeper = rooms.clone().map(|rooms| tokio::spawn(rooms.run()));
        let (routes, limits) = (router(Arc::clone(&server), &files), hub.limits);
        let web = tokio::spawn(accept(http, Arc::clone(&server), move |stream, connection| {
            serve_web(stream, connection, routes.clone(), limits)
        }));
        let tcp_server = Arc::clone(&server);
        let lines = tokio::spawn(accept(tcp, server, move |stream, connection| {
            tcp::serve(stream, connection, Arc::clone(&tcp_server))
        }));
        next(&mut shutdown).await;
        web.abort();
        lines.abort();
        hub.drain(drain);
        tokio::select! {
            // After `drain` the clients have one more second to read their last lines.
            _ = timeout(drain + Duration::from_secs(1), hub.emptied()) => {}
            () = next(&mut shutdown) => {}
        }
        engine.abort();
        if let Some((rooms, keeper)) = rooms.zip(keeper) {
            rooms.close();
            // It has panicked at worst.
            let _ = keeper.await;
        }
    }
}

/// Waits for the next message; forever if there will be none.
async fn next(shutdown: &mut mpsc::Receiver<()>) {
    if shutdown.recv().await.is_none() {
        std::future::pending().await
    }
}

async fn listen(
    name: &'static str,
    address: Option<SocketAddr>,
) -> Result<Option<TcpListener>, ServeError> {
    let Some(address) = address else { return Ok(None) };
    let listener = TcpListener::bind(address).await;
    listener.map(Some).map_err(|error| ServeError::Address(name, address, error, address.ip()))
}

/// Accepts connections, without end. Each is served by its own task.
async fn accept<F>(
    listener: Option<TcpListener>,
    server: Arc<ServerContext>,
    serve: impl Fn(TcpStream, Arc<Connection>) -> F,
) where
    F: Future<Output = ()> + Send + 'static,
{
    const RETRY_DELAY: Duration = Duration::from_millis(100);
    let keep_alive =
        TcpKeepalive::new().with_time(KEEP_ALIVE_TIME).with_interval(KEEP_ALIVE_INTERVAL);
    let Some(listener) = listener else { return };
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                // Sends each line immediately. On an error lines arrive a little later.
                let _ = stream.set_nodelay(true);
                // Detects a peer whose machine is gone. On an error other timeouts close the
                // connection.
                let _ = SockRef::from(&stream).set_tcp_keepalive(&keep_alive);
                let local = stream.local_addr().ok();
                let reached = Reached {
                    address: local.map(|local| local.ip().to_canonical()),
                    port: local.map_or(0, |local| local.port()),
                };
                tokio::spawn(serve(stream, server.connect(peer, reached)));
                // Lets this client's first bytes be read before many others connect.
                yield_now().await;
            }
            Err(error) => {
                // Usually too many files are open. Retry later.
                tracing::warn!(%error, "a connection could not be accepted");
                sleep(RETRY_DELAY).await;
            }
        }
    }
}

/// After this time without a byte, TCP keep-alive probes begin.
const KEEP_ALIVE_TIME: Duration = Duration::from_secs(60);
/// The time between two keep-alive probes.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(10);

/// Serves HTTP and WebSocket on a connection.
pub(crate) async fn serve_web(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    connection: Arc<Connection>,
    routes: Router,
    limits: ServerLimits,
) {
    const MAX_HEADERS: usize = 64;
    const MAX_BUFFER_BYTES: usize = 16 << 10;
    /// How long a browser may keep a connection open for its next request.
    const IDLE_TIMEOUT: Duration = Duration::from_secs(60);
    /// Added to the write timeout, so that a stalled WebSocket is closed earlier, with a reason.
    const STALL_MARGIN: Duration = Duration::from_secs(1);
    let in_use = InUse::default();
    let timeouts = Timeouts { write: limits.stall + STALL_MARGIN, read: IDLE_TIMEOUT };
    let stream = Guarded::new(stream, timeouts, Arc::clone(&in_use));
    let peer = Peer { connection: Arc::clone(&connection), in_use };
    let service = TowerToHyperService::new(routes);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(peer.clone());
        service.call(request)
    });
    let mut http = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header)
        .max_headers(MAX_HEADERS)
        .max_buf_size(MAX_BUFFER_BYTES)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let served = tokio::select! {
        served = &mut http => served,
        () = connection.place.must_close() => return,
    };
    // Only a client with an unfinished header gets an answer. Others have sent nothing or are gone.
    if let Err(error) = served
        && error.is_timeout()
        && let Some(parts) = http.into_parts()
        && !parts.read_buf.is_empty()
    {
        let _ = parts.io.into_inner().write_all(HEADER_TIMEOUT).await;
    }
}

/// The response to a header that took too long.
const HEADER_TIMEOUT: &[u8] =
    b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
