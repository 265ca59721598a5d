//! [`serve`]: runs a server as the only task of a process, until SIGTERM or SIGINT.

use std::ops::ControlFlow;

use tokio::sync::mpsc;

use crate::accept::{Addresses, ServeError, Server, ServerConfig};

/// Runs a server on this thread until SIGTERM or SIGINT. Calls `ready` with the addresses when the
/// server listens; the server ends at once if `ready` breaks. A second signal ends the server
/// immediately.
pub fn serve(
    config: ServerConfig,
    ready: impl FnOnce(Addresses) -> ControlFlow<()>,
) -> Result<(), ServeError> {
    raise_open_file_limit();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let (sender, signals) = mpsc::channel(1);
        send_signals(&sender)?;
        let server = Server::bind(config).await?;
        if ready(server.addresses()).is_continue() {
            server.run(signals).await;
        }
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

/// Sends a message at each SIGTERM and SIGINT.
#[cfg(unix)]
fn send_signals(sender: &mpsc::Sender<()>) -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    for kind in [SignalKind::terminate(), SignalKind::interrupt()] {
        let (mut signal, sender) = (signal(kind)?, sender.clone());
        tokio::spawn(async move {
            while signal.recv().await.is_some() && sender.send(()).await.is_ok() {}
        });
    }
    Ok(())
}

#[cfg(not(unix))]
fn send_signals(sender: &mpsc::Sender<()>) -> std::io::Result<()> {
    let sender = sender.clone();
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() && sender.send(()).await.is_ok() {}
    });
    Ok(())
}
