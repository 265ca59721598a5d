//! Waits for keys and clicks, until a timeout or until the terminal is closed.
//!
//! crossterm reads a closed terminal again and again and never returns from `event::poll`
//! (<https://github.com/crossterm-rs/crossterm/issues/793>), so the terminal is polled before
//! crossterm.

use std::io;
use std::time::Duration;

use ratatui::crossterm::event;

/// The result of waiting for input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Input {
    /// An event can be read immediately.
    Ready,
    /// The timeout passed without an event.
    Nothing,
    /// The terminal is closed: no more events will come.
    Closed,
}

/// Waits at most `timeout` for an event. A resize or a signal may end the wait sooner.
pub(crate) fn wait(timeout: Duration) -> io::Result<Input> {
    if terminal_closes_within(Duration::ZERO)? {
        return Ok(Input::Closed);
    }
    // Events that crossterm has already read are not visible at the terminal.
    if event::poll(Duration::ZERO)? {
        return Ok(Input::Ready);
    }
    if terminal_closes_within(timeout)? {
        return Ok(Input::Closed);
    }
    Ok(if event::poll(Duration::ZERO)? { Input::Ready } else { Input::Nothing })
}

/// Waits at most `timeout` for anything at the terminal, and returns whether it was closed.
#[cfg(unix)]
fn terminal_closes_within(timeout: Duration) -> io::Result<bool> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;

    let stdin = io::stdin();
    let mut terminal = [PollFd::new(&stdin, PollFlags::IN)];
    let timeout = Timespec::try_from(timeout).map_err(io::Error::other)?;
    match poll(&mut terminal, Some(&timeout)) {
        Ok(_) => {
            Ok(terminal[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL))
        }
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Waits at most `timeout` for an event. A closed console ends the program by itself.
#[cfg(not(unix))]
fn terminal_closes_within(timeout: Duration) -> io::Result<bool> {
    event::poll(timeout).map(|_| false)
}
