//! `tengen serve`: sessions over WebSocket, HTTP and TCP.

use std::env;
use std::net::{Ipv4Addr, SocketAddr};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, ensure};
use tengen_engine::backend::Catalog;
use tengen_engine::cores;
use tengen_games::CATALOG;
use tengen_protocol::queries::Service;
use tengen_web::{Access, Addresses, ServerConfig, ServerLimits, Token, health_status, qr_code};

use crate::exit_status::{Refusal, print};
use crate::files::state_folder;
use crate::proof_book::{read_proof, with_proof};
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
    /// Address for HTTP and WebSocket; port 0 chooses a free port [default: 127.0.0.1:7878, with --rooms
    /// 0.0.0.0:7878].
    #[arg(long, value_name = "ADDRESS")]
    http: Option<SocketAddr>,

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

    /// A proof of "tengen prove": searches of its game answer from it, and the board says what is proven.
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,

    /// The folder with the engine in the browser, so that players can choose to search on their own
    /// machine. Packages have one.
    #[arg(long, value_name = "FOLDER")]
    page_engine: Option<PathBuf>,

    /// Let people play each other by links; FOLDER keeps their games. Without --http the server then serves the
    /// local network, and without --token-file it makes a token for its own links.
    #[arg(long, value_name = "FOLDER", num_args = 0..=1)]
    rooms: Option<Option<PathBuf>>,

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

/// The usual port for HTTP and WebSocket.
const HTTP_PORT: u16 = 7878;

/// Serves until SIGTERM or Ctrl-C.
pub(crate) fn run(args: &Args, variant: Option<&str>) -> anyhow::Result<()> {
    if args.health {
        return health(args.http());
    }
    let config = args.config(variant)?;
    // A token of the user is in no link.
    let own_token = config.access.token.clone().filter(|_| args.token_file.is_none());
    let mut printed = Ok(());
    tengen_web::serve(config, |addresses| {
        let rooms = args.rooms.is_some().then(|| invitation(addresses, own_token.as_ref()));
        let rooms = rooms.unwrap_or_default();
        printed = print(format!("Tengen serves {}\n{rooms}", address_texts(addresses).join(", ")));
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

/// Returns the addresses as users write them.
fn address_texts(addresses: Addresses) -> Vec<String> {
    let reachable =
        |address: Option<SocketAddr>| address.map_or_else(Vec::new, Addresses::reachable);
    let http = reachable(addresses.http);
    let http = http.into_iter().map(|it| format!("http://{it}/ (WebSocket ws://{it}/v1/ws)"));
    let tcp = reachable(addresses.tcp).into_iter().map(|it| format!("tcp {it}"));
    http.chain(tcp).collect()
}

/// Returns the links to the board for the people of a server with rooms, and a QR code of the first one. A link has
/// the `token` of this server, if it was made for the links.
fn invitation(addresses: Addresses, token: Option<&Token>) -> String {
    let reachable = addresses.http.map_or_else(Vec::new, Addresses::reachable);
    let token = token.map_or_else(String::new, |token| format!("#token={}", token.as_str()));
    let links: Vec<String> = reachable.iter().map(|at| format!("http://{at}/{token}")).collect();
    let code = reachable.first().filter(|at| !at.ip().is_loopback());
    let code = code.and(links.first()).and_then(|link| qr_code(link));
    let code = code.map_or_else(String::new, |code| drawn(&code));
    format!("To play a friend, open the board:\n{}\n{code}", links.join("\n"))
}

/// Draws a QR code, with two rows in a line and a margin. Light is drawn, because terminals are mostly dark.
fn drawn(code: &[Vec<bool>]) -> String {
    const MARGIN: usize = 2;
    let side = code.len() + 2 * MARGIN;
    let is_light = |x: usize, y: usize| {
        let row = y.checked_sub(MARGIN).and_then(|y| code.get(y));
        y < side && row.zip(x.checked_sub(MARGIN)).is_none_or(|(row, x)| row.get(x) != Some(&true))
    };
    let sign = |x: usize, y: usize| match (is_light(x, y), is_light(x, y + 1)) {
        (true, true) => '█',
        (true, false) => '▀',
        (false, true) => '▄',
        (false, false) => ' ',
    };
    let line = |y: usize| (0..side).map(|x| sign(x, y)).chain(['\n']).collect::<String>();
    (0..side).step_by(2).map(line).collect()
}

/// Returns the folder in which rooms are kept if the user names none.
fn rooms_folder() -> anyhow::Result<PathBuf> {
    let folder = state_folder().map(|folder| folder.join("rooms"));
    let none =
        || Refusal("the system names no state folder: --rooms FOLDER chooses one".to_owned());
    Ok(folder.ok_or_else(none)?)
}

/// Returns the folder with the engine in the browser that packages install beside the program.
fn packaged_engine() -> Option<PathBuf> {
    let program = env::current_exe().ok()?;
    let folder = program.parent()?.parent()?.join("share/tengen/engine");
    folder.is_dir().then_some(folder)
}

impl Args {
    /// Returns the address for HTTP and WebSocket.
    fn http(&self) -> SocketAddr {
        let ip = if self.rooms.is_some() { Ipv4Addr::UNSPECIFIED } else { Ipv4Addr::LOCALHOST };
        self.http.unwrap_or(SocketAddr::new(ip.into(), HTTP_PORT))
    }

    /// Returns the token: of the file, or for rooms in the network a new one.
    fn token(&self) -> anyhow::Result<Option<Token>> {
        if let Some(file) = &self.token_file {
            return Ok(Some(Token::read(file).map_err(|error| Refusal(error.to_string()))?));
        }
        if self.rooms.is_none() || self.http().ip().is_loopback() {
            return Ok(None);
        }
        Token::random().map(Some).context("the system has no random numbers for a token")
    }

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
        let variant = variant.and_then(|name| CATALOG.variant(name)).map(|variant| variant.name);
        let book = self.book.as_deref().map(read_proof).transpose()?;
        let games: &'static dyn Catalog = book.map_or(&CATALOG, with_proof);
        let service = self.pool.workers()?.service(games, variant, cores());
        Ok(ServerConfig {
            http: Some(self.http()),
            tcp: Some(self.tcp),
            service: Service { explorer: self.shelf.explorer()?, ..service },
            limits,
            access: Access {
                token: self.token()?,
                origins: self.allow_origin.clone(),
                hosts: self.allow_host.clone(),
            },
            drain: Duration::from_secs(self.drain.into()),
            isolates: self.isolate,
            page_engine: self.page_engine.clone().or_else(packaged_engine),
            rooms: self.rooms.clone().map(|own| own.map_or_else(rooms_folder, Ok)).transpose()?,
        })
    }
}
