//! [`serve`]: runs a server as the only task of a process, until SIGTERM or SIGINT.

use crate::accept::{Addresses, ServeError, Server, ServerConfig};
use crate::end::Shutdown;

/// Runs a server on this thread until SIGTERM or SIGINT. Calls `ready` with the addresses when the
/// server listens. A second signal ends the server at once.
pub fn serve(config: ServerConfig, ready: impl FnOnce(Addresses)) -> Result<(), ServeError> {
    raise_open_file_limit();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut signals = Signals::listen()?;
        let server = Server::bind(config).await?;
        ready(server.addresses());
        server.run(&mut signals).await;
        Ok(())
    })
}

/// Raises the limit of open files to the maximum of the process. Each connection is an open file,
/// and the default is below the limit of sessions.
#[cfg(unix)]
fn raise_open_file_limit() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!(%error, "the limit of open files stays as it was");
    }
}

#[cfg(not(unix))]
fn raise_open_file_limit() {}

/// SIGTERM and SIGINT.
#[cfg(unix)]
struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let terminate = signal(SignalKind::terminate())?;
        Ok(Self { terminate, interrupt: signal(SignalKind::interrupt())? })
    }
}

#[cfg(unix)]
impl Shutdown for &mut Signals {
    async fn wait(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn listen() -> std::io::Result<Self> {
        Ok(Self)
    }
}

#[cfg(not(unix))]
impl Shutdown for &mut Signals {
    async fn wait(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    }
}
