//! [`NewGameForm`]: the dialog for a new game: game, board, sides, level, opening and clock. A pure
//! state machine. The catalogue decides what can be chosen.

use std::time::Duration;

use ratatui::crossterm::event::KeyCode;
use tengen_engine::{BoardOption, Catalog, Chosen, GameSpec, Strength};

use crate::app::App;
use crate::clock::TimeControl;
use crate::command::{Humans, NewGame};

/// A row of the dialog.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Row {
    Variant,
    /// An option of the board.
    Option(BoardOption),
    Humans,
    Level,
    Opening,
    Clock,
    Start,
}

/// The result of a key or click.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The dialog stays open.
    Open,
    /// The dialog closes, and no game begins.
    Closed,
    /// The dialog closes, and this game begins.
    Begin(NewGame),
}

/// The dialog for a new game.
pub(crate) struct NewGameForm {
    catalog: &'static dyn Catalog,
    game: NewGame,
    spec: GameSpec,
    /// The selected row.
    pub(crate) row: Row,
    times: Vec<Option<TimeControl>>,
    /// The digits typed so far of a number.
    typed: String,
    /// Why the last change was refused.
    pub(crate) reason: String,
}

const SECONDS: [u64; 4] = [5, 10, 30, 60];
/// Minutes for the game, and seconds that a move adds.
const GAMES: [(u64, u64); 5] = [(3, 2), (5, 3), (10, 5), (15, 10), (30, 0)];

impl NewGameForm {
    /// Creates the dialog. The current game is the first choice.
    pub(crate) fn new(app: &App) -> Self {
        let spec = app.game().spec().clone();
        let mut times = vec![None];
        times.extend(SECONDS.map(|seconds| Some(TimeControl::Move(Duration::from_secs(seconds)))));
        times.extend(GAMES.map(|(minutes, seconds)| {
            let base = Duration::from_secs(60 * minutes);
            Some(TimeControl::Game { base, increment: Duration::from_secs(seconds) })
        }));
        let time = app.time_control();
        if !times.contains(&time) {
            times.insert(1, time);
        }
        let game = NewGame {
            variant: spec.variant,
            chosen: spec.chosen.clone(),
            opening: app.game().opening().map(|course| course.rule().name),
            humans: app.humans,
            level: app.level,
            time,
        };
        let (typed, reason) = (String::new(), String::new());
        Self { catalog: app.catalog, game, spec, row: Row::Variant, times, typed, reason }
    }

    /// Returns the rows of the chosen game.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let mut rows = vec![Row::Variant];
        rows.extend(BoardOption::ALL.into_iter().filter(|it| self.reads(*it)).map(Row::Option));
        rows.push(Row::Humans);
        if self.game.humans != Humans::Both {
            rows.push(Row::Level);
        }
        if self.openings().len() > 1 {
            rows.push(Row::Opening);
        }
        rows.extend([Row::Clock, Row::Start]);
        rows
    }

    fn reads(&self, option: BoardOption) -> bool {
        self.catalog.variant(self.game.variant).is_some_and(|variant| variant.reads(option.name()))
    }

    /// Returns the names of the opening rules of the chosen game, and `None` for no rule.
    fn openings(&self) -> Vec<Option<&'static str>> {
        let rules = self.catalog.opening_rules(&self.spec).into_iter();
        let names = rules.filter(|rule| !rule.steps.is_empty()).map(|rule| rule.name);
        let fits = |name: &&str| self.catalog.opening_rule(&self.spec, name).is_ok();
        [None].into_iter().chain(names.filter(fits).map(Some)).collect()
    }

    /// Returns one line about the chosen game.
    pub(crate) fn summary(&self) -> String {
        format!("{}: {}", self.spec.variant, self.spec.rules)
    }

    /// Returns the name and the value of a row. The row Start has no value.
    pub(crate) fn texts(&self, row: Row) -> (&'static str, String) {
        match row {
            Row::Variant => ("Game", self.game.variant.to_owned()),
            Row::Option(option) => {
                let value = option.of(&self.spec.chosen).unwrap_or_default();
                let value = match option.is_switch() {
                    true => if value == 0 { "no" } else { "yes" }.to_owned(),
                    false if self.row == row && !self.typed.is_empty() => {
                        format!("{}_", self.typed)
                    }
                    false => value.to_string(),
                };
                (title(option), value)
            }
            Row::Humans => ("You play", humans_words(self.game.humans).to_owned()),
            Row::Level => ("Level", format!("{} of {}", self.game.level, Strength::FULL)),
            Row::Opening => ("Opening", self.opening().unwrap_or("none").to_owned()),
            Row::Clock => ("Clock", clock_words(self.game.time)),
            Row::Start => ("Start", String::new()),
        }
    }

    /// Handles a key.
    pub(crate) fn key(&mut self, code: KeyCode) -> Outcome {
        self.reason.clear();
        match code {
            KeyCode::Char(digit @ '0'..='9') if matches!(self.row, Row::Option(_)) => {
                self.typed.push(digit);
                return Outcome::Open;
            }
            KeyCode::Backspace if self.typed.pop().is_some() => return Outcome::Open,
            KeyCode::Esc | KeyCode::Char('q' | 'Q') => return Outcome::Closed,
            _ => {}
        }
        if !self.apply_typed() {
            return Outcome::Open;
        }
        match code {
            KeyCode::Up | KeyCode::BackTab => self.move_selection(-1),
            KeyCode::Down | KeyCode::Tab => self.move_selection(1),
            KeyCode::Left | KeyCode::Char('-') => self.change(-1),
            KeyCode::Right | KeyCode::Char(' ' | '+') if self.row != Row::Start => self.change(1),
            KeyCode::Home => self.row = Row::Variant,
            KeyCode::End => self.row = Row::Start,
            KeyCode::Enter | KeyCode::Char(' ') => return Outcome::Begin(self.chosen()),
            _ => {}
        }
        Outcome::Open
    }

    /// Handles a click on a row: it is selected and takes its next value. A click on Start begins
    /// the game.
    pub(crate) fn click(&mut self, row: Row) -> Outcome {
        self.reason.clear();
        if !self.apply_typed() {
            return Outcome::Open;
        }
        self.row = row;
        if row == Row::Start {
            return Outcome::Begin(self.chosen());
        }
        self.change(1);
        Outcome::Open
    }

    fn chosen(&self) -> NewGame {
        let opening = self.opening();
        NewGame { chosen: self.spec.chosen.clone(), opening, ..self.game.clone() }
    }

    /// Returns the chosen opening rule, if the chosen game has it.
    fn opening(&self) -> Option<&'static str> {
        self.game.opening.filter(|name| self.openings().contains(&Some(name)))
    }

    fn move_selection(&mut self, step: isize) {
        let rows = self.rows();
        let at = rows.iter().position(|row| *row == self.row).unwrap_or_default();
        self.row = rows[at.saturating_add_signed(step).min(rows.len() - 1)];
    }

    /// Applies the typed number; returns `false` if the catalogue refuses it.
    fn apply_typed(&mut self) -> bool {
        let typed = std::mem::take(&mut self.typed);
        match (self.row, typed.parse()) {
            (Row::Option(option), Ok(number)) => self.set_option(option, number),
            _ => true,
        }
    }

    fn change(&mut self, step: isize) {
        match self.row {
            Row::Variant => {
                let variants = self.catalog.variants();
                let names: Vec<&'static str> = variants.iter().map(|it| it.name).collect();
                let name = cycled(&names, &self.game.variant, step);
                if let Ok(spec) = self.catalog.describe(name, &Chosen::new()) {
                    (self.game.variant, self.spec) = (name, spec);
                }
            }
            Row::Option(option) => {
                let now = option.of(&self.spec.chosen).unwrap_or_default();
                self.set_option(
                    option,
                    if option.is_switch() { 1 - now } else { now + step as i64 },
                );
            }
            Row::Humans => {
                let all = Humans::ALL.map(|(_, humans)| humans);
                self.game.humans = cycled(&all, &self.game.humans, step);
            }
            Row::Level => {
                let level = self.game.level.saturating_add_signed(step as i8);
                self.game.level = level.min(Strength::FULL);
            }
            Row::Opening => {
                self.game.opening = cycled(&self.openings(), &self.opening(), step);
            }
            Row::Clock => self.game.time = cycled(&self.times, &self.game.time, step),
            Row::Start => {}
        }
    }

    /// Sets an option; returns `false` and keeps the reason if the catalogue refuses it.
    fn set_option(&mut self, option: BoardOption, value: i64) -> bool {
        let mut chosen = self.spec.chosen.clone();
        chosen.insert(option.name(), value);
        match self.catalog.describe(self.game.variant, &chosen) {
            Ok(spec) => {
                self.spec = spec;
                true
            }
            Err(error) => {
                self.reason = error.in_words(|name| BoardOption::named(name).map_or(name, title));
                false
            }
        }
    }
}

/// Returns the name of an option in the dialog.
fn title(option: BoardOption) -> &'static str {
    match option {
        BoardOption::Width => "Width",
        BoardOption::Height => "Height",
        BoardOption::Connect => "In a row",
        BoardOption::Gravity => "Stones fall",
        BoardOption::Overline => "Longer lines win",
    }
}

/// Returns the value `step` places after `current`, cyclically.
fn cycled<T: Clone + PartialEq>(all: &[T], current: &T, step: isize) -> T {
    let at = all.iter().position(|it| it == current).unwrap_or_default() as isize;
    all[(at + step).rem_euclid(all.len() as isize) as usize].clone()
}

fn humans_words(humans: Humans) -> &'static str {
    match humans {
        Humans::First => "first",
        Humans::Second => "second",
        Humans::Both => "both sides",
        Humans::None => "nobody: Tengen plays itself",
    }
}

fn clock_words(time: Option<TimeControl>) -> String {
    match time {
        None => "none".to_owned(),
        Some(TimeControl::Move(time)) => format!("{} s a move", time.as_secs_f64()),
        Some(TimeControl::Game { base, increment }) => {
            format!("{} min + {} s", base.as_secs_f64() / 60.0, increment.as_secs_f64())
        }
    }
}
