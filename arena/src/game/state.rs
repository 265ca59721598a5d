//! The state of a game, and the data that all games of a run share.

use std::time::Duration;

use tengen_engine::{GameSpec, Move};
use tengen_protocol::client::EngineScore;

use crate::config::{Config, Restart, TimeControl, Timeouts};
use crate::engine::conversation::{Conversation, EngineSetup};
use crate::engine::host::{EngineHost, Launch};
use crate::game::adjudicate::Adjudicator;
use crate::game::clock::PlayerClock;
use crate::game::referee::Referee;
use crate::tournament::record::{GameRecord, Warning};

/// A player of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Player {
    /// How the engine is started and set up.
    pub setup: EngineSetup,
    /// The time control.
    pub time: TimeControl,
    /// When the process is started again.
    pub restart: Restart,
    /// Whether the engine ponders.
    pub ponder: bool,
    /// The number of threads of the engine.
    pub threads: u32,
}

impl Player {
    /// Returns the program to start on a seat, with its CPUs.
    ///
    /// Without `shares_cpus`, each engine gets its own CPUs, as many as it has threads: seat 0 the
    /// first of the list, seat 1 the last.
    pub(super) fn launch(&self, seat: usize, shares_cpus: bool) -> Launch {
        let mut launch = self.setup.launch.clone();
        let own = self.threads as usize;
        if !shares_cpus && launch.cpus.len() > own {
            let skipped = launch.cpus.len() - own;
            launch.cpus = match seat {
                0 => launch.cpus[..own].to_vec(),
                _ => launch.cpus[skipped..].to_vec(),
            };
        }
        launch
    }
}

/// The data that all games of a run share.
#[derive(Clone)]
pub struct RunRules {
    /// The game.
    pub spec: GameSpec,
    /// The players.
    pub players: Vec<Player>,
    /// The timeouts of engines in addition to their clocks.
    pub timeouts: Timeouts,
    /// Without a clock, the timeout of an engine that neither writes nor uses CPU time.
    pub stall: Duration,
    /// Whether the processes of an engine are stopped while the opponent thinks.
    pub suspend: bool,
    /// Ends games by scores and by length.
    pub adjudicator: Adjudicator,
}

impl RunRules {
    /// Returns whether the engines of a game never think at the same time, so that they share CPUs.
    pub(super) fn shares_cpus(&self) -> bool {
        !self.players.iter().any(|player| player.ponder)
    }

    /// Creates the rules of a run.
    pub fn new(spec: GameSpec, players: Vec<Player>, config: &Config) -> Self {
        Self {
            spec,
            players,
            timeouts: config.timeouts,
            stall: config.stall,
            suspend: config.suspend,
            adjudicator: Adjudicator::new(config),
        }
    }
}

/// The state of the current game.
pub(super) struct GameState<'a> {
    pub(super) host: &'a mut dyn EngineHost,
    pub(super) rules: &'a RunRules,
    /// By side: the session; `None` if its engine failed.
    pub(super) sessions: [&'a mut Option<Conversation>; 2],
    pub(super) seats: [usize; 2],
    /// The record of the game so far.
    pub(super) record: GameRecord,
    pub(super) referee: Referee,
    pub(super) clocks: [PlayerClock; 2],
    /// By side: the opponent's move that the engine ponders on.
    pub(super) pondering: [Option<Move>; 2],
    pub(super) scores: [Option<EngineScore>; 2],
    pub(super) adjudicator: Adjudicator,
}

impl GameState<'_> {
    /// Adds a warning about a side's engine.
    pub(super) fn add_warning(&mut self, side: usize, what: &str, line: &str) {
        /// The maximum number of warnings of a game, so that an engine cannot fill the journal.
        const MAX_WARNINGS: usize = 100;
        if self.record.warnings.len() < MAX_WARNINGS {
            let line = tengen_engine::text::quotable(line);
            self.record.warnings.push(Warning {
                player: self.record.players[side],
                what: what.to_owned(),
                line,
            });
        }
    }
}
