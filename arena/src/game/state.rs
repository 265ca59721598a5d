//! What a game stands on and what it has come to: rules, players, sessions, board, clocks.

use std::time::Duration;

use tengen_engine::{GameSpec, Move};
use tengen_protocol::client::EngineScore;

use crate::adjudicate::Adjudicator;
use crate::clock::PlayerClock;
use crate::config::{Config, Restart, TimeControl};
use crate::engine_host::{EngineHost, Launch};
use crate::record::{MoveNote, ProofNote, Usage, Warning};
use crate::referee::Referee;
use crate::session::{EngineSession, EngineSetup, Timeouts};

/// A player of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Player {
    /// How its engine is started and set up.
    pub setup: EngineSetup,
    /// How long it may think.
    pub time: TimeControl,
    /// When it gets a fresh process.
    pub restart: Restart,
    /// Whether it thinks on the opponent's time.
    pub ponder: bool,
    /// The threads that it uses.
    pub threads: u32,
}

impl Player {
    /// Returns the program to start on a seat. Where both engines of a game may think at a time, each
    /// gets CPUs of its own: seat 0 the first of the list, seat 1 the last, as many as it has threads.
    pub(super) fn launch(&self, seat: usize, shares_cpus: bool) -> Launch {
        let mut launch = self.setup.launch.clone();
        let own = self.threads as usize;
        if !shares_cpus && launch.cpus.len() > own {
            let others = launch.cpus.len() - own;
            launch.cpus = match seat {
                0 => launch.cpus[..own].to_vec(),
                _ => launch.cpus[others..].to_vec(),
            };
        }
        launch
    }
}

/// What all games of a run share.
#[derive(Clone)]
pub struct RunRules {
    /// The game.
    pub spec: GameSpec,
    /// The players.
    pub players: Vec<Player>,
    /// How long engines may take beside their clocks.
    pub timeouts: Timeouts,
    /// Without a clock, the time without output and CPU time.
    pub stall: Duration,
    /// Whether an engine is stopped while the other thinks.
    pub suspend: bool,
    /// Ends by scores and by length.
    pub adjudicator: Adjudicator,
}

impl RunRules {
    /// Whether the engines of a game think in turn, so that they can share its CPUs.
    pub(super) fn shares_cpus(&self) -> bool {
        !self.players.iter().any(|player| player.ponder)
    }

    /// The rules that a run asks for.
    pub fn new(spec: GameSpec, players: Vec<Player>, config: &Config) -> Self {
        let timeouts =
            Timeouts { startup: config.startup, new_game: config.new_game, ping: config.ping };
        Self {
            spec,
            players,
            timeouts,
            stall: config.stall,
            suspend: config.suspend,
            adjudicator: Adjudicator::new(config),
        }
    }
}

/// The state of the game that is played.
pub(super) struct GameState<'a> {
    pub(super) engine_host: &'a mut dyn EngineHost,
    pub(super) rules: &'a RunRules,
    /// By side: its session; taken away where its engine failed.
    pub(super) sessions: [&'a mut Option<EngineSession>; 2],
    /// By side: its player.
    pub(super) players: [usize; 2],
    pub(super) seats: [usize; 2],
    pub(super) referee: Referee,
    pub(super) start: Option<String>,
    /// The moves as drops, as some dialects write them.
    pub(super) drops: Vec<String>,
    pub(super) clocks: [PlayerClock; 2],
    /// By side: the move of the opponent on which it ponders.
    pub(super) pondering: [Option<Move>; 2],
    pub(super) usage: [Usage; 2],
    pub(super) warnings: Vec<Warning>,
    pub(super) scores: [Option<EngineScore>; 2],
    pub(super) notes: Vec<MoveNote>,
    pub(super) adjudicator: Adjudicator,
    pub(super) suspect: bool,
    pub(super) proof: Option<ProofNote>,
    /// Moves that belong to the opening.
    pub(super) opening_plies: usize,
    /// How the players chose their sides.
    pub(super) swap2: Vec<String>,
}

impl GameState<'_> {
    /// Notes that a player did something odd.
    pub(super) fn add_warning(&mut self, side: usize, what: &str, line: &str) {
        /// So many are kept of one game, that an engine cannot fill the journal.
        const MOST: usize = 100;
        if self.warnings.len() < MOST {
            let line = tengen_engine::text::quotable(line);
            self.warnings.push(Warning { player: self.players[side], what: what.to_owned(), line });
        }
    }
}
