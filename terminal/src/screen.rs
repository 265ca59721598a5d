//! The full screen: the modes of the terminal, and the loop for keys, clicks and search events.
//!
//! The terminal is restored in every case, also after a panic or a signal.

use std::io::{self, Stdout, stdout};
use std::panic;
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

use crate::app::{GameSetup, Show};
use crate::command::Command;
use crate::input::{Input, wait};
use crate::look::Look;
use crate::shell::{Keeping, PlayError, Shell};
use crate::ui::Ui;
use crate::view::screen::draw;

/// The maximum time until a search event is shown.
const SEARCH_TICK: Duration = Duration::from_millis(50);
/// How often the clock is checked while no search runs.
const TICK: Duration = Duration::from_millis(500);

/// Plays on the full screen until the player leaves. Returns the message to print then. `keeping`
/// says where the game in progress is kept.
pub fn run(
    setup: GameSetup,
    keeping: Keeping,
    look: Look,
    has_mouse: bool,
) -> Result<Option<String>, PlayError> {
    let (sender, events) = channel();
    let shell = Shell::new(setup, keeping, Box::new(move |event| drop(sender.send(event))));
    let shell = shell.map_err(PlayError::Thread)?;
    let is_terminated = termination_flag()?;
    let _modes = Modes::enter(has_mouse)?;
    let terminal = Terminal::new(CrosstermBackend::new(stdout()))?;
    let ui = Ui::new(&shell.app);
    let mut screen = Screen { terminal, shell, ui, look };
    // Of the messages at the start, the last one is the most useful.
    let start = screen.show();
    screen.ui.tell_news(start.last().map_or(&[], std::slice::from_ref));
    while !screen.ui.is_leaving && !is_terminated.load(Ordering::Relaxed) {
        screen.draw()?;
        let timeout = if screen.shell.app.is_searching() { SEARCH_TICK } else { TICK };
        let mut input = wait(timeout)?;
        // All waiting keys are handled before the next drawing.
        while input == Input::Ready && !screen.ui.is_leaving {
            screen.handle(event::read()?);
            input = wait(Duration::ZERO)?;
        }
        if input == Input::Closed {
            break;
        }
        events.try_iter().for_each(|event| screen.shell.on_search_event(event));
        screen.shell.tick();
        let news = screen.show();
        screen.ui.tell_news(&news);
    }
    Ok(screen.shell.farewell())
}

/// Returns a flag that SIGTERM and SIGHUP set.
fn termination_flag() -> io::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&flag))?;
    }
    Ok(flag)
}

/// The modes of the terminal. Dropping this restores the terminal.
struct Modes;

impl Modes {
    fn enter(has_mouse: bool) -> io::Result<Self> {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            restore();
            before(info);
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
        restore();
    }
}

/// Restores the terminal. Errors are ignored, since the terminal may be gone.
fn restore() {
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

    fn handle(&mut self, event: Event) {
        let command = match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => {
                self.ui.key(key, &self.shell.app)
            }
            Event::Mouse(mouse) => self.ui.mouse(mouse, &self.shell.app),
            _ => None,
        };
        if let Some(command) = command {
            self.execute(command);
        }
    }

    fn execute(&mut self, command: Command) {
        self.shell.command(command);
        let replies = self.show();
        self.ui.reply(replies);
    }

    /// Carries out the effects of the app. Returns the messages.
    fn show(&mut self) -> Vec<String> {
        let mut sentences = Vec::new();
        for show in self.shell.execute_effects() {
            match show {
                Show::Sentence(sentence) => sentences.push(sentence),
                Show::Lines(lines) => self.ui.page = Some(lines),
                Show::Help => self.ui.help = Some(0),
                // The board is always on the screen.
                Show::Board => {}
            }
        }
        self.ui.centre(&self.shell.app);
        if self.shell.is_over() {
            self.ui.is_leaving = true;
        }
        sentences
    }
}
