//! [`App`]: the board as a pure state machine. Commands and the engine's news go in; sentences and
//! searches to be made come out.
//!
//! It reads no clock, writes no file and knows no terminal: the time comes with each call, and the
//! shell does what an [`Effect`] asks for.

mod commands;
mod look;
mod news;
mod review;
mod schedule;
#[cfg(test)]
mod tests;

use std::time::Duration;

use tengen_engine::{Catalog, Limits, Settings, Side};

use crate::clock::{Clock, TimeControl};
use crate::command::Humans;
use crate::engine::Job;
use crate::game::{Ending, Player, SeatedGame, Turn};
use crate::search_summary::BestLine;
use crate::sides::{side_letter, side_name};
use crate::tree::GameNodeId;
use crate::words;

pub use self::commands::check_swap2;
pub(crate) use self::look::Ghost;
pub(crate) use self::review::Review;
use self::schedule::Running;

/// How a game begins, and what the engine may use.
pub struct GameSetup {
    /// The games that can be played.
    pub catalog: &'static dyn Catalog,
    /// The game to begin with.
    pub game: SeatedGame,
    /// The first message about a loaded game; `None` for a new one.
    pub message: Option<String>,
    /// Who plays against whom.
    pub humans: Humans,
    /// How strong the engine plays, from 0 to 10.
    pub level: u8,
    /// When the engine's searches end; without limits after a usual time.
    pub limits: Limits,
    /// Hash size, threads and opening book.
    pub settings: Settings,
    /// How much time the players have; `None` for as much as they like.
    pub time: Option<TimeControl>,
}

/// What the shell has to do.
pub(crate) enum Effect {
    /// Have the engine search. The search before has been stopped.
    Search(Box<Job>),
    /// Tell the player something, one sentence.
    Tell(String),
    /// Show the player the board.
    ShowBoard,
    /// Show the player several lines.
    ShowLines(Vec<String>),
    /// Show the player the commands.
    ShowHelp,
    /// Write the game to this file, or to one of a usual name.
    Save(Option<String>),
    /// Read a game from this file.
    Load(String),
    /// Leave.
    Quit,
}

/// What a player asked the engine about the current position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Question {
    Hint,
    Value,
}

/// A hint that was given: where, and whether its line was shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Hint {
    node: GameNodeId,
    shows_line: bool,
}

/// The board: a game, what is being searched, and what is shown of it.
pub(crate) struct App {
    catalog: &'static dyn Catalog,
    game: SeatedGame,
    humans: Humans,
    level: u8,
    limits: Limits,
    settings: Settings,
    clock: Option<Clock>,
    /// Whether the engine moves when it is its turn: not while earlier positions are looked at.
    is_live: bool,
    analyses: bool,
    lines: usize,
    question: Option<(GameNodeId, Question)>,
    hint: Option<Hint>,
    review: Option<Review>,
    running: Option<Running>,
    /// The ticket of the last search.
    ticket: u64,
    /// Changes when a search under way would answer another question than the one now asked.
    stamp: u64,
    /// Whether the game has moves that were not saved.
    is_unsaved: bool,
    /// Changes with the game: its moves, its comments and its end.
    revision: u64,
    effects: Vec<Effect>,
}

impl App {
    /// A board with the game that `setup` describes. The engine begins if it is to move.
    pub(crate) fn new(setup: GameSetup, now: Duration) -> Self {
        let mut game = setup.game;
        game.set_players(players(setup.humans));
        let mut app = Self {
            catalog: setup.catalog,
            lines: usual_lines(&game),
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
            stamp: 0,
            is_unsaved: false,
            revision: 0,
            effects: Vec::new(),
        };
        // An earlier position is looked at, and the engine does not move there.
        app.is_live = app.game.tree().is_at_end();
        setup.message.into_iter().for_each(|message| app.tell(message));
        app.introduce();
        app.schedule(now);
        app
    }

    /// The game.
    pub(crate) fn game(&self) -> &SeatedGame {
        &self.game
    }

    /// The games that can be played.
    pub(crate) fn catalog(&self) -> &'static dyn Catalog {
        self.catalog
    }

    /// How strong the engine plays.
    pub(crate) fn level(&self) -> u8 {
        self.level
    }

    /// Who plays against whom.
    pub(crate) fn humans(&self) -> Humans {
        self.humans
    }

    /// How much time the players have.
    pub(crate) fn time_control(&self) -> Option<TimeControl> {
        self.clock.as_ref().map(Clock::control)
    }

    /// Whether the best moves are ranked all the time.
    pub(crate) fn analyses(&self) -> bool {
        self.analyses
    }

    /// Whether the game has moves that were not saved.
    pub(crate) fn is_unsaved(&self) -> bool {
        self.is_unsaved && !self.game.tree().is_empty()
    }

    /// Changes whenever the game does.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// Handles a change of the game.
    fn changed(&mut self) {
        self.is_unsaved = true;
        self.revision += 1;
    }

    /// What the shell has to do, in order.
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

    /// A game was read from a file, or why it was not. It is shown from its beginning.
    pub(crate) fn loaded(&mut self, loaded: Result<(SeatedGame, String), String>, now: Duration) {
        match loaded {
            Ok((mut game, message)) => {
                game.set_players(players(Humans::Both));
                self.open(game, Humans::Both);
                self.is_live = self.game.tree().is_at_end();
                self.tell(message);
            }
            Err(why) => self.tell(why),
        }
        self.schedule(now);
    }

    /// Puts another game on the board.
    fn open(&mut self, game: SeatedGame, humans: Humans) {
        self.lines = usual_lines(&game);
        self.game = game;
        self.humans = humans;
        (self.question, self.hint, self.review) = (None, None, None);
        self.is_unsaved = false;
        self.is_live = true;
        self.stamp += 1;
    }

    pub(crate) fn tell(&mut self, sentence: impl Into<String>) {
        self.effects.push(Effect::Tell(sentence.into()));
    }

    /// Says which game is played by whom, and whose turn it is.
    fn introduce(&mut self) {
        let spec = self.game.spec();
        let players = [Side::First, Side::Second].map(|side| {
            let letter = side_letter(side);
            format!("{} {letter}", words::side_and_player(&self.game, side))
        });
        let level = match self.game.has_engine() {
            true => format!(" Tengen plays at level {}.", self.level),
            false => String::new(),
        };
        let message =
            format!("{}: {}. {}, {}.{level}", spec.variant, spec.rules, players[0], players[1]);
        self.tell(message);
        if self.game.actor() != Some(Player::Engine) {
            self.tell(words::turn(&self.game));
        }
    }

    /// The time that the clock of a side shows; `None` where it has none.
    pub(crate) fn time_left(&self, side: Side, now: Duration) -> Option<Duration> {
        let clock = self.clock.as_ref()?;
        let thinks = self.thinks(side);
        let is_shown = thinks || matches!(clock.control(), TimeControl::Game { .. });
        is_shown.then(|| clock.left(side, thinks, now))
    }

    /// What both clocks of a game show; `None` where the time is not for the whole game.
    pub(crate) fn game_clocks(&self, now: Duration) -> Option<[Duration; 2]> {
        let control = self.clock.as_ref()?.control();
        let [first, second] = [Side::First, Side::Second].map(|side| self.time_left(side, now));
        Some([first?, second?]).filter(|_| matches!(control, TimeControl::Game { .. }))
    }

    /// Whether a side's clock runs. The engine's time for a single move is a limit of its search.
    fn thinks(&self, side: Side) -> bool {
        let is_human = self.game.actor() == Some(Player::Human);
        let counts =
            |clock: &Clock| is_human || matches!(clock.control(), TimeControl::Game { .. });
        let is_to_move = self.game.actor().is_some() && self.game.position().turn() == side;
        self.is_live && is_to_move && self.clock.as_ref().is_some_and(counts)
    }

    /// Ends the game if the thinking time is over.
    pub(crate) fn tick(&mut self, now: Duration) {
        let turn = self.game.position().turn();
        if !self.thinks(turn) || self.time_left(turn, now) != Some(Duration::ZERO) {
            return;
        }
        self.game.end(Ending::Time(self.game.position().turn()));
        self.changed();
        self.tell(words::turn(&self.game));
        self.schedule(now);
    }

    /// The value of a line in words, with the side that it is good for.
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
                Some("Tengen is thinking: go has it move at once, undo takes back.")
            }
            (_, Some(Player::Engine)) => {
                Some("Tengen is to move here: go has it move, back and forward go on.")
            }
            _ => None,
        }
    }
}

/// The players of the first and of the second side.
pub(crate) fn players(humans: Humans) -> [Player; 2] {
    use Player::{Engine, Human};
    match humans {
        Humans::First => [Human, Engine],
        Humans::Second => [Engine, Human],
        Humans::Both => [Human, Human],
        Humans::None => [Engine, Engine],
    }
}

/// How many moves an analysis ranks: each column where stones fall.
fn usual_lines(game: &SeatedGame) -> usize {
    const USUAL: usize = 5;
    let falling = game.spec().grid.filter(|notation| notation.falls());
    falling.map_or(USUAL, |notation| notation.grid().width() as usize)
}
