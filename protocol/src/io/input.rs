//! The input of a connection: bytes from a client.
//!
//! It knows no line. An input that fails counts as ended.

use std::io::{self, Read};
use std::time::Instant;

use tokio::sync::mpsc;

use super::{CHUNKS, Chunk};

/// The most bytes read in one piece.
const CHUNK: usize = 1 << 16;

pub(crate) enum Input {
    /// Read by someone else.
    Channel(mpsc::Receiver<Chunk>),
    #[cfg(unix)]
    Pipe(tokio::net::unix::pipe::Receiver),
    #[cfg(unix)]
    Socket(tokio::net::UnixStream),
}

impl Input {
    /// Opens standard input, read in the way that suits its kind.
    pub(super) fn stdin() -> Self {
        #[cfg(unix)]
        if let Some(input) = unix::stdin_by_readiness() {
            return input;
        }
        Self::by_thread(io::stdin())
    }

    fn by_thread(mut source: impl Read + Send + 'static) -> Self {
        let (chunks, channel) = mpsc::channel(CHUNKS);
        std::thread::spawn(move || {
            let mut buffer = vec![0; CHUNK];
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
        });
        Self::Channel(channel)
    }

    /// Reads some bytes into `buffer`, in place of what it held; says when they came, or `None` at
    /// the end. Dropping the future loses nothing.
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

    /// Restores the settings of standard input, since other programs may go on reading from it.
    pub(crate) fn restore(self) {
        match self {
            Self::Channel(_) => {}
            #[cfg(unix)]
            Self::Pipe(pipe) => drop(pipe.into_blocking_fd()),
            #[cfg(unix)]
            Self::Socket(socket) => {
                // It cannot fail in a way that anybody could mend.
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

    use super::{CHUNK, Input};

    /// Returns standard input if it is a pipe or a socket.
    pub(super) fn stdin_by_readiness() -> Option<Input> {
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
        buffer.reserve(CHUNK);
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
    fn a_reading_thread_hands_on_every_byte_and_the_end() {
        let text = "position startpos\n".repeat(9_000);
        let mut input = Input::by_thread(io::Cursor::new(text.clone().into_bytes()));
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
