//! [`Server`]: listens, lets connections in, and goes down in order.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Extension;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use socket2::{SockRef, TcpKeepalive};
use tengen_protocol::analysis::pool::SearchEvent;
use tengen_protocol::analysis::session::{Service, SessionLimits};
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::sleep;

use crate::access::{Access, Offenders};
use crate::connection::Gate;
use crate::end::Shutdown;
use crate::guard::{Guarded, InUse, Patience};
use crate::hub::Hub;
use crate::limits::ServerLimits;
use crate::routes::{Peer, Site, router};
use crate::tcp;

/// What a server is.
#[derive(Clone)]
pub struct ServerConfig {
    /// Where the web is served; nowhere without an address.
    pub http: Option<SocketAddr>,
    /// Where lines are served.
    pub tcp: Option<SocketAddr>,
    /// The games, workers and tables.
    pub service: Service,
    /// What sessions may take.
    pub limits: ServerLimits,
    /// Who may talk to the server.
    pub access: Access,
    /// How long searches may continue when the server goes down.
    pub drain: Duration,
    /// Whether a session finds nothing of another one in the tables.
    pub isolates: bool,
}

/// Why a server does not begin.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The address is for others than this machine, and there is no token.
    #[error("--{0} {1}: an address that other machines can reach needs a token: --token-file FILE")]
    NoToken(&'static str, SocketAddr),
    /// The address cannot be listened on.
    #[error("--{0} {1}: {2}; --{0} {3}:0 takes a free port")]
    Address(&'static str, SocketAddr, #[source] io::Error, std::net::IpAddr),
    /// The event loop cannot be created.
    #[error("the server cannot start: {0}")]
    Loop(#[from] io::Error),
}

/// Where a server listens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Addresses {
    /// The web.
    pub http: Option<SocketAddr>,
    /// Lines.
    pub tcp: Option<SocketAddr>,
}

/// A server that listens.
pub struct Server {
    http: Option<TcpListener>,
    tcp: Option<TcpListener>,
    gate: Arc<Gate>,
    events: mpsc::UnboundedReceiver<SearchEvent>,
    drain: Duration,
}

impl Server {
    /// Listens at the addresses. Must be called inside a runtime.
    pub async fn bind(config: ServerConfig) -> Result<Self, ServeError> {
        let ServerConfig { http, tcp, service, limits, access, drain, isolates } = config;
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
                may_clear: false,
            },
            ..service
        };
        let (hub, events) = Hub::new(service, limits, isolates);
        let gate = Gate { hub, access, offenders: Mutex::new(Offenders::default()) };
        Ok(Self {
            http: listen("http", http).await?,
            tcp: listen("tcp", tcp).await?,
            gate: Arc::new(gate),
            events,
            drain,
        })
    }

    /// Returns where it listens.
    pub fn addresses(&self) -> Addresses {
        let of = |listener: &Option<TcpListener>| listener.as_ref()?.local_addr().ok();
        Addresses { http: of(&self.http), tcp: of(&self.tcp) }
    }

    /// Serves until `end` is there; then goes down in order. A second `end` leaves at once.
    pub async fn run(self, mut end: impl Shutdown) {
        let port = self.addresses().http.map_or(0, |address| address.port());
        let Self { http, tcp, gate, events, drain } = self;
        let hub = Arc::clone(&gate.hub);
        let engine = tokio::spawn(Arc::clone(&hub).run(events));
        let site = Site { gate: Arc::clone(&gate), port };
        let web = tokio::spawn(accept(http, Arc::clone(&gate), move |stream, peer| {
            let site = site.clone();
            async move { serve_web(stream, peer, site).await }
        }));
        let for_lines = Arc::clone(&gate);
        let lines = tokio::spawn(accept(tcp, gate, move |stream, peer| {
            let gate = Arc::clone(&for_lines);
            async move { tcp::serve(stream, peer.ip(), gate).await }
        }));
        end.wait().await;
        web.abort();
        lines.abort();
        hub.drain(drain);
        let down = async {
            // Sessions have their last lines when the time is over, and a second to take them.
            let most = tokio::time::Instant::now() + drain + Duration::from_secs(1);
            while !hub.is_empty() && tokio::time::Instant::now() < most {
                sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::select! {
            () = down => {}
            () = end.wait() => {}
        }
        engine.abort();
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

/// Lets connections in, for ever. Each has a task of its own.
async fn accept<F>(
    listener: Option<TcpListener>,
    gate: Arc<Gate>,
    serve: impl Fn(TcpStream, SocketAddr) -> F,
) where
    F: Future<Output = ()> + Send + 'static,
{
    const PAUSE: Duration = Duration::from_millis(100);
    let keep_alive = TcpKeepalive::new().with_time(KEEP_ALIVE).with_interval(PROBES);
    let Some(listener) = listener else { return };
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                if gate.shuts_out(peer.ip()) || !gate.may_connect(peer.ip()) {
                    gate.hub.metrics.closed_for("flood");
                    continue;
                }
                // A line is sent at once; where that cannot be had it comes a little later.
                let _ = stream.set_nodelay(true);
                // Finds a peer whose machine is gone. Without it other limits end the connection later.
                let _ = SockRef::from(&stream).set_tcp_keepalive(&keep_alive);
                tokio::spawn(serve(stream, peer));
            }
            Err(error) => {
                // Too many files are open, for example: others will be closed.
                tracing::warn!(%error, "a connection could not be accepted");
                sleep(PAUSE).await;
            }
        }
    }
}

/// After so long without a byte a connection is asked whether its peer is still there, and then so
/// often.
const KEEP_ALIVE: Duration = Duration::from_secs(60);
const PROBES: Duration = Duration::from_secs(10);

pub(crate) async fn serve_web(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: SocketAddr,
    site: Site,
) {
    const HEADERS: usize = 64;
    const HEADER_BYTES: usize = 16 << 10;
    /// How long a browser may keep a connection for its next request.
    const IDLE: Duration = Duration::from_secs(60);
    /// A WebSocket that stalls is closed with a reason before.
    const LATER: Duration = Duration::from_secs(1);
    let ServerLimits { header, stall, .. } = site.gate.hub.limits;
    let in_use = InUse::default();
    let patience = Patience { write: stall + LATER, read: IDLE };
    let stream = Guarded::new(stream, patience, Arc::clone(&in_use));
    let service = router(site).layer(Extension(Peer { address: peer.ip(), in_use }));
    let mut connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(header)
        .max_headers(HEADERS)
        .max_buf_size(HEADER_BYTES)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service))
        .with_upgrades();
    // A client that broke off is gone, and one that has begun a header and not ended it is told.
    if let Err(error) = (&mut connection).await
        && error.is_timeout()
        && let Some(parts) = connection.into_parts()
        && !parts.read_buf.is_empty()
    {
        let _ = parts.io.into_inner().write_all(TOO_SLOW).await;
    }
}

/// The answer to a header that took too long.
const TOO_SLOW: &[u8] =
    b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
