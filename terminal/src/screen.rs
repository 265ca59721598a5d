//! The full screen: the terminal's modes, and the loop that brings keys, clicks and the engine's news
//! to the board.
//!
//! However it ends, the terminal is as it was before: also after a panic and at a signal.

use std::io::{self, Stdout, stdout};
use std::panic;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show as ShowCursor;
use ratatui::crossterm::event::{
    self, DisableMouseCapture, EnableMouseCapture, Event, KeyEventKind,
};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};

use crate::app::GameSetup;
use crate::command::Command;
use crate::input::{Input, wait};
use crate::look::Look;
use crate::shell::{Shell, Show};
use crate::ui::Ui;
use crate::view::screen::draw;

/// How soon the engine's news are shown.
const NEWS: Duration = Duration::from_millis(50);
/// How often the clock is looked at while nothing happens.
const TICK: Duration = Duration::from_millis(500);

/// Plays on the whole screen until the player leaves. Returns what is to be said then. `kept` is where
/// the game in progress is kept.
pub fn run(
    setup: GameSetup,
    kept: Option<PathBuf>,
    look: Look,
    has_mouse: bool,
) -> io::Result<Option<String>> {
    let is_told_to_end = end_signals()?;
    let _modes = Modes::enter(has_mouse)?;
    let terminal = Terminal::new(CrosstermBackend::new(stdout()))?;
    let (post, inbox) = channel();
    let shell = Shell::new(setup, kept, Box::new(move |news| drop(post.send(news))));
    let ui = Ui::new(&shell.app);
    let mut screen = Screen { terminal, shell, ui, look };
    screen.show();
    while !screen.ui.is_leaving() && !is_told_to_end.load(Ordering::Relaxed) {
        screen.draw()?;
        let patience = if screen.shell.app.is_searching() { NEWS } else { TICK };
        let mut input = wait(patience)?;
        // Keys that were pressed meanwhile are not drawn one by one.
        while input == Input::Ready && !screen.ui.is_leaving() {
            screen.take(event::read()?);
            input = wait(Duration::ZERO)?;
        }
        if input == Input::Closed {
            break;
        }
        inbox.try_iter().for_each(|news| screen.shell.hear(news));
        screen.shell.tick();
        screen.show();
    }
    Ok(screen.shell.farewell())
}

/// Whether the system asks the program to end: the connection is gone, or somebody ends it.
fn end_signals() -> io::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&flag))?;
    }
    Ok(flag)
}

/// The modes of the terminal, which are left when this goes out of scope.
struct Modes;

impl Modes {
    fn enter(has_mouse: bool) -> io::Result<Self> {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |what| {
            leave();
            before(what);
        }));
        enable_raw_mode()?;
        let modes = Self;
        execute!(stdout(), EnterAlternateScreen)?;
        if has_mouse {
            execute!(stdout(), EnableMouseCapture)?;
        }
        Ok(modes)
    }
}

impl Drop for Modes {
    fn drop(&mut self) {
        leave();
    }
}

/// Leaves the modes. Where the terminal is gone there is nothing to leave.
fn leave() {
    let _ = execute!(stdout(), DisableMouseCapture, LeaveAlternateScreen, ShowCursor);
    let _ = disable_raw_mode();
}

struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    shell: Shell,
    ui: Ui,
    look: Look,
}

impl Screen {
    fn draw(&mut self) -> io::Result<()> {
        let (app, ui, look, now) = (&self.shell.app, &mut self.ui, self.look, self.shell.now());
        self.terminal.draw(|frame| draw(frame, app, ui, look, now))?;
        Ok(())
    }

    fn take(&mut self, event: Event) {
        let command = match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => {
                self.ui.key(key, &self.shell.app)
            }
            Event::Mouse(mouse) => self.ui.mouse(mouse, &self.shell.app),
            _ => None,
        };
        if let Some(command) = command {
            self.obey(command);
        }
    }

    fn obey(&mut self, command: Command) {
        self.shell.command(command);
        self.show();
    }

    fn show(&mut self) {
        for show in self.shell.work() {
            match show {
                Show::Sentence(sentence) => self.ui.message = sentence,
                Show::Lines(lines) => self.ui.page = Some(lines),
                Show::Help => self.ui.help = Some(0),
                // It is there all the time.
                Show::Board => {}
            }
        }
        self.ui.centre(&self.shell.app);
        if self.shell.is_over() {
            self.ui.leave();
        }
    }
}
