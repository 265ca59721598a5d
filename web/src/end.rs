//! [`Shutdown`]: the signal that ends a server.

/// A signal that shuts a server down.
pub trait Shutdown {
    /// Waits for the next signal.
    fn wait(&mut self) -> impl Future<Output = ()>;
}

impl Shutdown for tokio::sync::mpsc::Receiver<()> {
    async fn wait(&mut self) {
        if self.recv().await.is_none() {
            std::future::pending().await
        }
    }
}
