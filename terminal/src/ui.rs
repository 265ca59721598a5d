//! [`Ui`]: the state of the full screen besides the game: cursor, typed text, help and prompts, and
//! the meaning of keys and clicks. A pure state machine.

use ratatui::crossterm::event::{
    KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::{Position, Rect};
use tengen_engine::{Point, Strength};

use crate::app::App;
use crate::board_layout::BoardLayout;
use crate::command::Command;
use crate::new_game::{NewGameForm, Outcome, Row};

/// A question that the player answers first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Prompt {
    /// Whether to resign.
    Resign,
    /// The name of the file to save.
    Save,
}

/// The state of the screen.
#[derive(Default)]
pub(crate) struct Ui {
    /// The point of the cursor; `None` if the game has no grid.
    pub(crate) cursor: Option<Point>,
    /// The coordinate, word or file name typed so far.
    pub(crate) typed: String,
    pub(crate) prompt: Option<Prompt>,
    /// The first line of the help, while it is open.
    pub(crate) help: Option<u16>,
    /// The lines that a command shows until a key is pressed.
    pub(crate) page: Option<Vec<String>>,
    /// The dialog for a new game, while it is open.
    pub(crate) form: Option<NewGameForm>,
    /// The rows of the dialog, with their places when they were drawn last.
    pub(crate) form_rows: Vec<(Row, Rect)>,
    /// The answers to the last key. They stay until the next key.
    replies: Vec<String>,
    /// The last messages that no key caused.
    news: String,
    /// Whether a key was pressed after the messages. Then the next message replaces them.
    is_stale: bool,
    /// The layout of the board when it was drawn last.
    pub(crate) layout: Option<BoardLayout>,
    /// The point on which the mouse button went down.
    pressed: Option<Point>,
    /// Whether the player wants to leave.
    pub(crate) is_leaving: bool,
}

impl Ui {
    /// Creates the state of the screen, with the cursor in the middle of the board.
    pub(crate) fn new(app: &App) -> Self {
        let mut ui = Self::default();
        ui.centre(app);
        ui
    }

    /// Keeps the cursor if its point is on the board, else puts it in the middle.
    pub(crate) fn centre(&mut self, app: &App) {
        let grid = app.game().spec().grid.map(|notation| notation.grid());
        self.cursor = grid.map(|grid| {
            let kept = self.cursor.filter(|point| grid.cell_at(*point).is_some());
            kept.unwrap_or(Point { column: grid.width() / 2, row: grid.height() / 2 })
        });
    }

    /// Returns the point that the cursor marks. Where stones fall, this is the point on which a
    /// stone lands.
    pub(crate) fn marked(&self, app: &App) -> Option<Point> {
        let (cursor, notation) = (self.cursor?, app.game().spec().grid?);
        if !notation.falls() {
            return Some(cursor);
        }
        let position = app.game().position();
        let top = notation.grid().height() - 1;
        let rows = (0..=top).map(|row| Point { row, ..cursor });
        let landing = rows.into_iter().find(|point| position.stone(*point).is_none());
        Some(landing.unwrap_or(Point { row: top, ..cursor }))
    }

    /// Returns the line that is edited, with a label; `None` if nothing is typed.
    pub(crate) fn input(&self) -> Option<String> {
        match &self.prompt {
            Some(Prompt::Resign) => Some("Resign? Y: yes, any other key: no".to_owned()),
            Some(Prompt::Save) => Some(format!("Save as: {}_", self.typed)),
            None if self.typed.is_empty() => None,
            None => Some(format!("> {}_   Enter: accept, Esc: cancel", self.typed)),
        }
    }

    /// Returns the messages: the answers to the last key, and what happened since.
    pub(crate) fn message(&self) -> String {
        let all = self.replies.iter().map(String::as_str).chain([self.news.as_str()]);
        all.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// Shows the answers to the last key.
    pub(crate) fn reply(&mut self, sentences: Vec<String>) {
        if !sentences.is_empty() {
            self.make_room();
            self.replies.extend(sentences);
        }
    }

    /// Shows what happened without a key.
    pub(crate) fn tell_news(&mut self, sentences: &[String]) {
        if !sentences.is_empty() {
            self.make_room();
            self.news = sentences.join(" ");
        }
    }

    /// Removes the messages that were there before the last key.
    fn make_room(&mut self) {
        if std::mem::take(&mut self.is_stale) {
            self.clear_messages();
        }
    }

    fn clear_messages(&mut self) {
        self.replies.clear();
        self.news.clear();
    }

    /// Handles a key. Returns its command, if any.
    pub(crate) fn key(&mut self, key: KeyEvent, app: &App) -> Option<Command> {
        self.is_stale = true;
        let has_control = key.modifiers.contains(KeyModifiers::CONTROL);
        if has_control && matches!(key.code, KeyCode::Char('c' | 'q')) {
            return Some(Command::Quit);
        }
        if self.form.is_some() {
            return self.form_key(key.code);
        }
        if self.page.take().is_some() {
            return None;
        }
        if let Some(line) = self.help {
            self.help = turn_page(line, key.code);
            return None;
        }
        match self.prompt.take() {
            Some(Prompt::Resign) => {
                return matches!(key.code, KeyCode::Char('y' | 'Y')).then_some(Command::Resign);
            }
            Some(Prompt::Save) => return self.edit_name(key),
            None => {}
        }
        if has_control {
            return self.control(key.code, app);
        }
        if !self.typed.is_empty() {
            let line = self.edit(key.code)?;
            return self.read_line(&line);
        }
        self.plain_key(key.code, app)
    }

    fn form_key(&mut self, code: KeyCode) -> Option<Command> {
        let outcome = self.form.as_mut()?.key(code);
        self.form_outcome(outcome)
    }

    /// Handles the result of a key or click in the dialog, and closes it if it is done.
    fn form_outcome(&mut self, outcome: Outcome) -> Option<Command> {
        if outcome != Outcome::Open {
            self.form = None;
        }
        match outcome {
            Outcome::Begin(game) => Some(Command::Begin(Box::new(game))),
            Outcome::Open | Outcome::Closed => None,
        }
    }

    fn control(&mut self, code: KeyCode, app: &App) -> Option<Command> {
        match code {
            KeyCode::Char('z') => Some(Command::Undo),
            KeyCode::Char('y' | 'r') => Some(Command::Redo),
            KeyCode::Char('s') => {
                self.prompt = Some(Prompt::Save);
                self.typed = crate::files::default_name(app.game().spec().variant);
                None
            }
            KeyCode::Home => Some(Command::First),
            KeyCode::End => Some(Command::End),
            KeyCode::Up => Some(Command::Variation(-1)),
            KeyCode::Down => Some(Command::Variation(1)),
            _ => None,
        }
    }

    /// Handles a key while a line is typed. Returns the line when it ends.
    fn edit(&mut self, code: KeyCode) -> Option<String> {
        match code {
            KeyCode::Esc => self.typed.clear(),
            KeyCode::Backspace => {
                self.typed.pop();
            }
            KeyCode::Char(c) => self.typed.push(c),
            KeyCode::Enter => return Some(std::mem::take(&mut self.typed)),
            _ => {}
        }
        None
    }

    /// Reads a coordinate or a word.
    fn read_line(&mut self, line: &str) -> Option<Command> {
        match Command::read(line) {
            Ok(Some(Command::Move(text))) if text == "q" => Some(Command::Quit),
            Ok(command) => command,
            Err(why) => {
                self.reply(vec![format!("{why}.")]);
                None
            }
        }
    }

    fn edit_name(&mut self, key: KeyEvent) -> Option<Command> {
        if key.code == KeyCode::Char('u') && key.modifiers.contains(KeyModifiers::CONTROL) {
            self.typed.clear();
        } else if let Some(name) = self.edit(key.code) {
            return Some(Command::Save(Some(name).filter(|name| !name.is_empty())));
        }
        self.prompt = Some(Prompt::Save).filter(|_| key.code != KeyCode::Esc);
        None
    }

    fn plain_key(&mut self, code: KeyCode, app: &App) -> Option<Command> {
        match code {
            KeyCode::Up => self.step(app, 0, 1),
            KeyCode::Down => self.step(app, 0, -1),
            KeyCode::Left => self.step(app, -1, 0),
            KeyCode::Right => self.step(app, 1, 0),
            KeyCode::Home => self.step(app, -26, 0),
            KeyCode::End => self.step(app, 26, 0),
            KeyCode::Enter | KeyCode::Char(' ') => return self.play_at(self.cursor?, app),
            KeyCode::Backspace => return Some(Command::Undo),
            KeyCode::PageUp => return Some(Command::Back),
            KeyCode::PageDown => return Some(Command::Forward),
            KeyCode::Esc => self.clear_messages(),
            KeyCode::F(1) | KeyCode::Char('?') => self.help = Some(0),
            KeyCode::Char('R') => self.prompt = Some(Prompt::Resign),
            KeyCode::Char('B') => self.form = Some(NewGameForm::new(app)),
            KeyCode::Char('q') if !has_column(app, 'q') => return Some(Command::Quit),
            KeyCode::Char(c @ ('+' | '=' | '-')) => return Some(change_level(app, c)),
            KeyCode::Char(c) if c.is_ascii_lowercase() || c.is_ascii_digit() => self.typed.push(c),
            KeyCode::Char(c) => return capital_key(c),
            _ => {}
        }
        None
    }

    fn step(&mut self, app: &App, columns: i32, rows: i32) {
        let Some(notation) = app.game().spec().grid else { return };
        let Some(cursor) = &mut self.cursor else { return };
        let grid = notation.grid();
        let moved = |at: u32, by: i32, most: u32| at.saturating_add_signed(by).min(most - 1);
        cursor.column = moved(cursor.column, columns, grid.width());
        cursor.row = moved(cursor.row, rows, grid.height());
    }

    /// Returns the command to play on a point, or in its column where stones fall.
    fn play_at(&self, point: Point, app: &App) -> Option<Command> {
        let notation = app.game().spec().grid?;
        let text = match notation.falls() {
            true => (point.column + 1).to_string(),
            false => point.to_string(),
        };
        Some(Command::Move(text))
    }

    /// Handles a mouse event. A press and a release on one point play there.
    pub(crate) fn mouse(&mut self, event: MouseEvent, app: &App) -> Option<Command> {
        self.is_stale |= matches!(event.kind, MouseEventKind::Down(_));
        if self.help.is_some() || self.prompt.is_some() {
            return None;
        }
        if let Some(form) = &mut self.form {
            let position = Position { x: event.column, y: event.row };
            let row = self.form_rows.iter().find(|(_, area)| area.contains(position));
            let is_click = event.kind == MouseEventKind::Up(MouseButton::Left);
            let outcome = form.click(row.filter(|_| is_click)?.0);
            return self.form_outcome(outcome);
        }
        let point = self.layout.and_then(|layout| layout.point_at(event.column, event.row));
        match event.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                self.page = None;
                self.pressed = point;
                None
            }
            MouseEventKind::Up(MouseButton::Left) => {
                let pressed = self.pressed.take().filter(|pressed| Some(*pressed) == point)?;
                self.cursor = Some(pressed);
                self.play_at(pressed, app)
            }
            _ => None,
        }
    }
}

/// Returns the first line of the help after a key; `None` closes the help.
fn turn_page(line: u16, code: KeyCode) -> Option<u16> {
    const PAGE: u16 = 10;
    match code {
        KeyCode::Up => Some(line.saturating_sub(1)),
        KeyCode::Down => Some(line + 1),
        KeyCode::PageUp => Some(line.saturating_sub(PAGE)),
        KeyCode::PageDown | KeyCode::Char(' ') => Some(line + PAGE),
        KeyCode::Home => Some(0),
        _ => None,
    }
}

fn has_column(app: &App, letter: char) -> bool {
    let number = letter as u32 - 'a' as u32;
    app.game().spec().size().is_some_and(|(width, _)| number < width)
}

fn change_level(app: &App, key: char) -> Command {
    let level = match key {
        '-' => app.level.saturating_sub(1),
        _ => (app.level + 1).min(Strength::FULL),
    };
    Command::Level(Some(level))
}

/// Returns the command of a capital letter.
fn capital_key(letter: char) -> Option<Command> {
    Some(match letter {
        'H' => Command::Hint,
        'V' => Command::Value,
        'W' => Command::Swap,
        'G' => Command::Go,
        'A' => Command::Analysis(None),
        'J' => Command::Review,
        'N' => Command::Mistake(1),
        'P' => Command::Mistake(-1),
        'L' => Command::Last,
        'F' => Command::Forbidden,
        'C' => Command::Clock,
        'M' => Command::Moves,
        'Q' => Command::Quit,
        _ => return None,
    })
}
