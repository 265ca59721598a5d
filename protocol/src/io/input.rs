//! The input of a connection: bytes from a client.
//!
//! It does not depend on lines. A read error counts as the end of the input.

use std::io::{self, Read};
use std::time::Instant;

use tokio::sync::mpsc;

/// How many chunks may wait between a reading thread and the session.
pub(super) const CHANNEL_CAPACITY: usize = 64;

/// Bytes that were read together, and when they arrived.
pub(super) type Chunk = (Vec<u8>, Instant);

/// The maximum number of bytes of one read.
const CHUNK_BYTES: usize = 1 << 16;

/// The input of a connection.
pub(crate) enum Input {
    /// Chunks that another thread sends.
    Channel(mpsc::Receiver<Chunk>),
    #[cfg(unix)]
    Pipe(tokio::net::unix::pipe::Receiver),
    #[cfg(unix)]
    Socket(tokio::net::UnixStream),
}

impl Input {
    /// Opens standard input. Reads a pipe or socket without a thread.
    pub(super) fn stdin() -> io::Result<Self> {
        #[cfg(unix)]
        if let Some(input) = unix::async_stdin() {
            return Ok(input);
        }
        Self::spawn_reader(io::stdin())
    }

    /// Returns an input that a new thread reads from `source`.
    fn spawn_reader(mut source: impl Read + Send + 'static) -> io::Result<Self> {
        let (chunks, channel) = mpsc::channel(CHANNEL_CAPACITY);
        std::thread::Builder::new().name("input".to_owned()).spawn(move || {
            let mut buffer = vec![0; CHUNK_BYTES];
            loop {
                let length = match source.read(&mut buffer) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Ok(0) | Err(_) => return,
                    Ok(length) => length,
                };
                if chunks.blocking_send((buffer[..length].to_vec(), Instant::now())).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self::Channel(channel))
    }

    /// Replaces the contents of `buffer` by the next bytes. Returns when they arrived; `None` at
    /// the end of the input. Dropping the future loses no bytes.
    pub(crate) async fn read(&mut self, buffer: &mut Vec<u8>) -> Option<Instant> {
        match self {
            Self::Channel(chunks) => {
                let (bytes, at) = chunks.recv().await?;
                *buffer = bytes;
                Some(at)
            }
            #[cfg(unix)]
            Self::Pipe(pipe) => unix::read(pipe, buffer).await,
            #[cfg(unix)]
            Self::Socket(socket) => unix::read(socket, buffer).await,
        }
    }

    /// Makes standard input blocking again, for other programs that share it.
    pub(crate) fn restore(self) {
        match self {
            Self::Channel(_) => {}
            #[cfg(unix)]
            Self::Pipe(pipe) => drop(pipe.into_blocking_fd()),
            #[cfg(unix)]
            Self::Socket(socket) => {
                // There is nothing to do about an error.
                let _ = socket.into_std().and_then(|socket| socket.set_nonblocking(false));
            }
        }
    }
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::io;
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::fs::FileTypeExt;
    use std::time::Instant;

    use tokio::io::{AsyncRead, AsyncReadExt};
    use tokio::net::UnixStream;
    use tokio::net::unix::pipe;

    use super::{CHUNK_BYTES, Input};

    /// Returns standard input if it is a pipe or a socket; else `None`.
    pub(super) fn async_stdin() -> Option<Input> {
        let file = File::from(io::stdin().as_fd().try_clone_to_owned().ok()?);
        let kind = file.metadata().ok()?.file_type();
        if kind.is_fifo() {
            return pipe::Receiver::from_file(file).ok().map(Input::Pipe);
        }
        if kind.is_socket() {
            let socket = std::os::unix::net::UnixStream::from(OwnedFd::from(file));
            socket.set_nonblocking(true).ok()?;
            return UnixStream::from_std(socket).ok().map(Input::Socket);
        }
        None
    }

    pub(super) async fn read(
        source: &mut (impl AsyncRead + Unpin),
        buffer: &mut Vec<u8>,
    ) -> Option<Instant> {
        buffer.clear();
        buffer.reserve(CHUNK_BYTES);
        match source.read_buf(buffer).await {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(Instant::now()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_thread_passes_on_every_byte_and_the_end() {
        let text = "position startpos\n".repeat(9_000);
        let mut input = Input::spawn_reader(io::Cursor::new(text.clone().into_bytes())).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let read = runtime.block_on(async {
            let (mut all, mut buffer) = (Vec::new(), Vec::new());
            while input.read(&mut buffer).await.is_some() {
                all.append(&mut buffer);
            }
            all
        });
        assert_eq!(String::from_utf8(read).unwrap(), text);
    }
}
