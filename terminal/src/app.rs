//! [`App`]: the terminal game as a pure state machine. Commands and search events go in; messages
//! and search requests come out.
//!
//! It does no input or output. The time comes with each call, and the shell carries out each
//! [`Effect`].

mod commands;
mod look;
mod news;
mod review;
mod schedule;
#[cfg(test)]
mod tests;

use std::time::Duration;

use tengen_engine::opening::Chooser;
use tengen_engine::{Catalog, Limits, Settings, Side};

use crate::clock::{Clock, TimeControl};
use crate::command::Humans;
use crate::engine::Job;
use crate::files::Files;
use crate::game::{Ending, Player, SeatedGame, Turn, side_letter, side_name};
use crate::search_summary::BestLine;
use crate::sentences;
use crate::tree::GameNodeId;

pub(crate) use self::look::Ghost;
pub(crate) use self::review::Review;
use self::schedule::RunningSearch;

/// The start of a game, and the settings of the engine.
pub struct GameSetup {
    /// The games that can be played.
    pub catalog: &'static dyn Catalog,
    /// The game to begin with.
    pub game: SeatedGame,
    /// The first message about a loaded game; `None` for a new one.
    pub message: Option<String>,
    /// The sides that people play.
    pub humans: Humans,
    /// The level of the engine, from 0 to 10.
    pub level: u8,
    /// The limits of the engine's searches. Without limits a default time is used.
    pub limits: Limits,
    /// Hash size, threads and opening book.
    pub settings: Settings,
    /// The time control; `None` for unlimited time.
    pub time: Option<TimeControl>,
    /// How files are written.
    pub files: Files,
}

#[cfg(test)]
impl GameSetup {
    /// Returns the setup of a game that two people play, without limits and without files.
    pub(crate) fn of(game: SeatedGame) -> Self {
        Self {
            catalog: &tengen_games::CATALOG,
            game,
            message: None,
            humans: Humans::Both,
            level: 4,
            limits: Limits::default(),
            settings: Settings::default(),
            time: None,
            files: Files::NONE,
        }
    }
}

/// A task for the shell.
pub(crate) enum Effect {
    /// Start this search. The search before it was stopped.
    Search(Box<Job>),
    /// Show the player this.
    Show(Show),
    /// Write the game to this file; `None` for a default name.
    Save(Option<String>),
    /// Read a game from this file.
    Load(String),
    /// End the program.
    Quit,
}

/// An output for the player.
pub(crate) enum Show {
    /// A message of one sentence.
    Sentence(String),
    /// The board.
    Board,
    /// Several lines.
    Lines(Vec<String>),
    /// The commands.
    Help,
}

/// A player's question about the current position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Question {
    Hint,
    Value,
}

/// A hint that was given: its node, and whether its line was shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Hint {
    node: GameNodeId,
    shows_line: bool,
}

/// The state of the terminal: the game, the running search, and what is shown.
pub(crate) struct App {
    pub(crate) catalog: &'static dyn Catalog,
    game: SeatedGame,
    pub(crate) humans: Humans,
    pub(crate) level: u8,
    limits: Limits,
    settings: Settings,
    clock: Option<Clock>,
    /// Whether the engine moves on its turn. It does not while the player looks at an earlier
    /// position.
    is_live: bool,
    /// Whether the best moves are ranked all the time.
    pub(crate) analyses: bool,
    lines: usize,
    question: Option<(GameNodeId, Question)>,
    hint: Option<Hint>,
    review: Option<Review>,
    running: Option<RunningSearch>,
    /// The ticket of the last search.
    ticket: u64,
    /// Counts the changes that make a running search useless.
    epoch: u64,
    /// Whether the game has moves that were not saved.
    is_unsaved: bool,
    /// Whether the game was changed since it was opened. Only then is it kept.
    has_begun: bool,
    /// Changes with the players, the level, the moves, the comments and the end of the game.
    pub(crate) revision: u64,
    effects: Vec<Effect>,
    /// The engine's decision in the opening, and the epoch in which it began.
    chooser: Option<(u64, Chooser)>,
}

impl App {
    /// Creates the state for `setup`. The engine begins to search if it is to move.
    pub(crate) fn new(setup: GameSetup, now: Duration) -> Self {
        let mut game = setup.game;
        game.set_players(players(setup.humans));
        let mut app = Self {
            catalog: setup.catalog,
            lines: default_lines(&game),
            game,
            humans: setup.humans,
            level: setup.level,
            limits: setup.limits,
            settings: setup.settings,
            clock: setup.time.map(|control| Clock::new(control, now)),
            is_live: true,
            analyses: false,
            question: None,
            hint: None,
            review: None,
            running: None,
            ticket: 0,
            epoch: 0,
            is_unsaved: false,
            has_begun: false,
            revision: 0,
            effects: Vec::new(),
            chooser: None,
        };
        // The game may be loaded at an earlier position, where the engine does not move.
        app.is_live = app.game.tree().is_at_end();
        if let Some(clock) = &mut app.clock {
            let shown = std::mem::take(&mut app.game.kept.shown);
            clock.resume(shown, app.game.tree().current(), now);
        }
        setup.message.into_iter().for_each(|message| app.tell(message));
        app.announce_game();
        app.schedule(now);
        app
    }

    /// Returns the game.
    pub(crate) fn game(&self) -> &SeatedGame {
        &self.game
    }

    /// Returns the time control; `None` for unlimited time.
    pub(crate) fn time_control(&self) -> Option<TimeControl> {
        self.clock.as_ref().map(Clock::control)
    }

    /// Returns the clocks; `None` for unlimited time.
    pub(crate) fn clock(&self) -> Option<&Clock> {
        self.clock.as_ref()
    }

    /// Returns the times on both clocks now, shown or not; `None` for unlimited time.
    pub(crate) fn times(&self, now: Duration) -> Option<[Duration; 2]> {
        let clock = self.clock.as_ref()?;
        Some([Side::First, Side::Second].map(|side| clock.left(side, self.is_thinking(side), now)))
    }

    /// Returns whether the game was changed since it was opened. Only then is it kept.
    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Returns whether the game has moves that were not saved.
    pub(crate) fn is_unsaved(&self) -> bool {
        self.is_unsaved && !self.game.tree().is_empty()
    }

    /// Handles a change of the game.
    fn changed(&mut self) {
        self.is_unsaved = true;
        self.has_begun = true;
        self.revision += 1;
    }

    /// Returns whether there are tasks for the shell.
    pub(crate) fn has_effects(&self) -> bool {
        !self.effects.is_empty()
    }

    /// Returns the tasks for the shell, in order, and removes them.
    pub(crate) fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// Handles the result of saving: the name of the file, or why it was not written.
    pub(crate) fn saved(&mut self, saved: Result<String, String>) {
        match saved {
            Ok(name) => {
                self.is_unsaved = false;
                self.tell(format!("The game is saved as {name}."));
            }
            Err(why) => self.tell(why),
        }
    }

    /// Handles the result of loading: the game with a message, or why it was not read. The game is
    /// shown from its beginning.
    pub(crate) fn loaded(&mut self, loaded: Result<(SeatedGame, String), String>, now: Duration) {
        match loaded {
            Ok((mut game, message)) => {
                game.set_players(players(Humans::Both));
                self.open(game, Humans::Both);
                self.is_live = self.game.tree().is_at_end();
                if let Some(clock) = &mut self.clock {
                    clock.restart(now);
                }
                self.tell(message);
            }
            Err(why) => self.tell(why),
        }
        self.schedule(now);
    }

    /// Replaces the game.
    fn open(&mut self, game: SeatedGame, humans: Humans) {
        self.lines = default_lines(&game);
        self.game = game;
        self.humans = humans;
        (self.question, self.hint, self.review) = (None, None, None);
        (self.is_unsaved, self.has_begun) = (false, false);
        self.is_live = true;
        self.epoch += 1;
    }

    pub(crate) fn tell(&mut self, sentence: impl Into<String>) {
        self.effects.push(Effect::Show(Show::Sentence(sentence.into())));
    }

    /// Announces the game, its players, and whose turn it is.
    fn announce_game(&mut self) {
        let spec = self.game.spec();
        let players = [Side::First, Side::Second].map(|side| {
            let letter = side_letter(side);
            let name = sentences::side_and_player(&self.game, side);
            if name.starts_with(letter) { name } else { format!("{name} {letter}") }
        });
        let level = match self.game.has_engine() {
            true => format!(" Tengen plays at level {}.", self.level),
            false => String::new(),
        };
        let message =
            format!("{}: {}. {}, {}.{level}", spec.variant, spec.rules, players[0], players[1]);
        self.tell(message);
        if self.game.actor() != Some(Player::Engine) {
            self.tell(sentences::turn(&self.game));
        }
    }

    /// Returns the time on the clock of a side; `None` if its clock is not shown.
    pub(crate) fn time_left(&self, side: Side, now: Duration) -> Option<Duration> {
        let clock = self.clock.as_ref()?;
        let thinks = self.is_thinking(side);
        let is_shown = thinks || matches!(clock.control(), TimeControl::Game { .. });
        is_shown.then(|| clock.left(side, thinks, now))
    }

    /// Returns the time on both clocks; `None` unless each side has a time for the whole game.
    pub(crate) fn game_clocks(&self, now: Duration) -> Option<[Duration; 2]> {
        let control = self.clock.as_ref()?.control();
        let [first, second] = [Side::First, Side::Second].map(|side| self.time_left(side, now));
        Some([first?, second?]).filter(|_| matches!(control, TimeControl::Game { .. }))
    }

    /// Returns whether a side's clock runs. The engine's time for a single move is a limit of its
    /// search.
    fn is_thinking(&self, side: Side) -> bool {
        let is_human = self.game.actor() == Some(Player::Human);
        let counts =
            |clock: &Clock| is_human || matches!(clock.control(), TimeControl::Game { .. });
        let is_to_move = self.game.actor().is_some() && self.game.position().turn() == side;
        self.is_live && is_to_move && self.clock.as_ref().is_some_and(counts)
    }

    /// Ends the game if the thinking time is over.
    pub(crate) fn tick(&mut self, now: Duration) {
        let turn = self.game.position().turn();
        if !self.is_thinking(turn) || self.time_left(turn, now) != Some(Duration::ZERO) {
            return;
        }
        self.game.end(Ending::Time(self.game.position().turn()));
        self.changed();
        self.tell(sentences::turn(&self.game));
        self.schedule(now);
    }

    /// Returns the value of a line in words, with the side that it is good for.
    fn value_words(&self, line: &BestLine) -> String {
        let turn = self.game.position().turn();
        let name = |side| side_name(self.game.spec(), side);
        match line.score {
            score if score.is_win() => format!("{}: {}", name(turn), line.words()),
            score if score.is_loss() => {
                format!("{}: {}", name(turn.other()), line.words().replace("loss", "win"))
            }
            _ if line.is_draw => "a draw".to_owned(),
            _ => format!("{} for {}", line.words(), name(turn)),
        }
    }

    /// Returns why a person cannot move now; `None` if a person is to move.
    fn refuse_engine_turn(&self) -> Option<&'static str> {
        match (self.game.turn(), self.game.actor()) {
            (Turn::Over, _) => Some("The game is over: undo goes back, new begins another one."),
            (_, Some(Player::Engine)) if self.is_live => {
                Some("Tengen is thinking. \"go\": move now; \"undo\": take back.")
            }
            (_, Some(Player::Engine)) => {
                Some("Tengen is to move. \"go\": move now; \"back\", \"forward\": other positions.")
            }
            _ => None,
        }
    }
}

/// Returns the players of the first and of the second side.
pub(crate) fn players(humans: Humans) -> [Player; 2] {
    humans.people().map(|is_human| if is_human { Player::Human } else { Player::Engine })
}

/// Returns how many moves an analysis ranks by default: every column where stones fall, else 5.
fn default_lines(game: &SeatedGame) -> usize {
    const DEFAULT: usize = 5;
    let falling = game.spec().grid.filter(|notation| notation.falls());
    falling.map_or(DEFAULT, |notation| notation.grid().width() as usize)
}
