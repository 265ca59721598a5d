//! [`Shutdown`]: the wish that a server ends.

/// A signal that makes a server go down.
pub trait Shutdown {
    /// Waits for the wish that the server ends.
    fn wait(&mut self) -> impl Future<Output = ()>;
}

impl Shutdown for tokio::sync::mpsc::Receiver<()> {
    async fn wait(&mut self) {
        if self.recv().await.is_none() {
            std::future::pending().await
        }
    }
}
