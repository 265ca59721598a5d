//! The wait for keys and clicks, which also ends when the terminal goes away.
//!
//! crossterm reads a closed terminal again and again and never returns from `event::poll`
//! (<https://github.com/crossterm-rs/crossterm/issues/793>), so the terminal is asked before crossterm is.

use std::io;
use std::time::Duration;

use ratatui::crossterm::event;

/// What a wait for input ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Input {
    /// An event can be read at once.
    Ready,
    /// Nothing came in time.
    Nothing,
    /// The terminal is closed: nothing will come any more.
    Closed,
}

/// Waits at most `patience` for an event. A resize or another signal may end the wait sooner.
pub(crate) fn wait(patience: Duration) -> io::Result<Input> {
    if terminal_closes_within(Duration::ZERO)? {
        return Ok(Input::Closed);
    }
    // Events that crossterm has read already do not show at the terminal.
    if event::poll(Duration::ZERO)? {
        return Ok(Input::Ready);
    }
    if terminal_closes_within(patience)? {
        return Ok(Input::Closed);
    }
    Ok(if event::poll(Duration::ZERO)? { Input::Ready } else { Input::Nothing })
}

/// Waits at most `patience` for anything at the terminal, and returns whether it was closed.
#[cfg(unix)]
fn terminal_closes_within(patience: Duration) -> io::Result<bool> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;

    let stdin = io::stdin();
    let mut terminal = [PollFd::new(&stdin, PollFlags::IN)];
    let patience = Timespec::try_from(patience).map_err(io::Error::other)?;
    match poll(&mut terminal, Some(&patience)) {
        Ok(_) => {
            Ok(terminal[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL))
        }
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Waits at most `patience` for an event. A closed console ends the program by itself.
#[cfg(not(unix))]
fn terminal_closes_within(patience: Duration) -> io::Result<bool> {
    event::poll(patience).map(|_| false)
}
