//! `tengen serve`: sessions over WebSocket, HTTP and TCP.

use std::env;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, ensure};
use tengen_engine::backend::Catalog;
use tengen_engine::cores;
use tengen_games::CATALOG;
use tengen_protocol::queries::Service;
use tengen_web::{Access, Addresses, ServerConfig, ServerLimits, Token};

use crate::exit_status::{Refusal, print};
use crate::search_args::PoolArgs;
use crate::stdio::ShelfArgs;

const EXAMPLES: &str = include_str!("help/serve.txt").trim_ascii_end();

/// Serve the board for browsers, and queries in JSON over WebSocket, HTTP and TCP.
///
/// The web is served at --http: / is the board, /v1/ws is a WebSocket, POST /v1/query takes one
/// query. Lines are served at --tcp. Without --token-file only this machine is served, and no client
/// shows a token; with it, every client does. SIGTERM and Ctrl-C let running searches end.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Address for HTTP and WebSocket; port 0 chooses a free port.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7878")]
    http: SocketAddr,

    /// Address for lines over TCP; port 0 chooses a free port.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7879")]
    tcp: SocketAddr,

    /// The file with the token that clients show: at least 32 characters, and nobody else may read
    /// it.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,

    /// A page, such as `https://board.example`, from which browsers may ask; may be repeated.
    #[arg(long, value_name = "ORIGIN")]
    allow_origin: Vec<String>,

    /// Another host name of the server; may be repeated.
    #[arg(long, value_name = "HOST")]
    allow_host: Vec<String>,

    /// Seconds that running searches have at shutdown.
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    drain: u32,

    /// A limit of sessions, as NAME=VALUE; may be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    limit: Vec<String>,

    #[command(flatten)]
    pool: PoolArgs,

    #[command(flatten)]
    shelf: ShelfArgs,

    /// The folder with the engine in the browser, so that players can choose to search on their own
    /// machine. Packages have one.
    #[arg(long, value_name = "FOLDER")]
    page_engine: Option<PathBuf>,

    /// Clear tables between sessions.
    #[arg(long)]
    isolate: bool,

    /// Write the lines of clients to the log too; "tengen --log FILE serve" begins one.
    #[arg(long)]
    pub(crate) log_lines: bool,

    /// Ask the server at --http whether it runs, and end with status 0 or 1.
    #[arg(long)]
    health: bool,
}

/// How long the server has for the answer to `--health`.
const HEALTH_TIMEOUT: Duration = Duration::from_secs(5);

/// Serves until SIGTERM or Ctrl-C.
pub(crate) fn run(args: &Args, variant: Option<&str>) -> anyhow::Result<()> {
    if args.health {
        return health(args.http);
    }
    let config = args.config(variant)?;
    let mut printed = Ok(());
    tengen_web::serve(config, |addresses| {
        printed = print(format!("Tengen serves {}\n", address_texts(addresses).join(", ")));
        // If the output is lost, the user does not know where the server listens.
        if printed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })
    .map_err(|error| Refusal(error.to_string()))?;
    printed
}

/// Asks the server at `address` for `/healthz`.
fn health(address: SocketAddr) -> anyhow::Result<()> {
    let status = health_status(address)
        .with_context(|| format!("no server of Tengen answers at {address}"))?;
    ensure!(status == "200", "the server at {address} answers with status {status}");
    Ok(())
}

/// Returns the status of the answer to `GET /healthz`. It is empty if the answer is not HTTP.
fn health_status(address: SocketAddr) -> io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, HEALTH_TIMEOUT)?;
    stream.set_read_timeout(Some(HEALTH_TIMEOUT))?;
    stream.set_write_timeout(Some(HEALTH_TIMEOUT))?;
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    // "HTTP/1.1 200"
    let mut start = [0; 12];
    stream.read_exact(&mut start)?;
    let start = String::from_utf8_lossy(&start);
    Ok(start.strip_prefix("HTTP/1.1 ").unwrap_or_default().to_owned())
}

/// Returns the addresses as users write them.
fn address_texts(addresses: Addresses) -> Vec<String> {
    let reachable =
        |address: Option<SocketAddr>| address.map_or_else(Vec::new, Addresses::reachable);
    let http = reachable(addresses.http);
    let http = http.into_iter().map(|it| format!("http://{it}/ (WebSocket ws://{it}/v1/ws)"));
    let tcp = reachable(addresses.tcp).into_iter().map(|it| format!("tcp {it}"));
    http.chain(tcp).collect()
}

/// Returns the folder with the engine in the browser that packages install beside the program.
fn packaged_engine() -> Option<PathBuf> {
    let program = env::current_exe().ok()?;
    let folder = program.parent()?.parent()?.join("share/tengen/engine");
    folder.is_dir().then_some(folder)
}

impl Args {
    fn config(&self, variant: Option<&str>) -> anyhow::Result<ServerConfig> {
        let refusal = |error: &dyn std::fmt::Display| Refusal(error.to_string());
        let mut limits = ServerLimits::default();
        for limit in &self.limit {
            limits.set(limit).map_err(|error| refusal(&error))?;
        }
        let is_shared = !self.allow_host.is_empty() || !self.allow_origin.is_empty();
        if self.shelf.edit && self.token_file.is_none() && is_shared {
            let why = "others could change the shelf through --allow-host or --allow-origin";
            return Err(Refusal(format!("--edit: {why}: --token-file is needed, too")).into());
        }
        let token = self.token_file.as_deref().map(Token::read).transpose();
        let variant = variant.and_then(|name| CATALOG.variant(name)).map(|variant| variant.name);
        let service = self.pool.workers()?.service(&CATALOG, variant, cores());
        Ok(ServerConfig {
            http: Some(self.http),
            tcp: Some(self.tcp),
            service: Service { explorer: self.shelf.explorer()?, ..service },
            limits,
            access: Access {
                token: token.map_err(|error| refusal(&error))?,
                origins: self.allow_origin.clone(),
                hosts: self.allow_host.clone(),
            },
            drain: Duration::from_secs(self.drain.into()),
            isolates: self.isolate,
            page_engine: self.page_engine.clone().or_else(packaged_engine),
            rooms: None,
        })
    }
}
