//! Asks a server whether it runs, as a supervisor of processes does.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// How long the server has for its answer.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Returns the status of the answer to `GET /healthz`. It is empty if the answer is not HTTP.
///
/// # Errors
///
/// Returns an error if no server answers at the address.
pub fn health_status(address: SocketAddr) -> io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    // "HTTP/1.1 200"
    let mut start = [0; 12];
    stream.read_exact(&mut start)?;
    let start = String::from_utf8_lossy(&start);
    Ok(start.strip_prefix("HTTP/1.1 ").unwrap_or_default().to_owned())
}
