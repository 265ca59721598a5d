//! The state of a game, and the data that all games of a run share.

use std::time::Duration;

use tengen_engine::{GameSpec, Move};
use tengen_protocol::client::{EngineScore, Info};

use crate::config::{Config, EngineConfig};
use crate::engine::conversation::Conversation;
use crate::engine::host::EngineHost;
use crate::game::adjudicate::Adjudicator;
use crate::game::clock::PlayerClock;
use crate::game::referee::Referee;
use crate::record::{GameRecord, Warning};

/// The data that all games of a run share.
#[derive(Clone)]
pub struct RunRules {
    /// The game.
    pub spec: GameSpec,
    /// The players, as prepared.
    pub players: Vec<EngineConfig>,
    /// The configuration of the run.
    pub config: Config,
}

impl RunRules {
    /// Returns a player with the CPUs of its seat.
    ///
    /// Engines that never think at the same time share the CPUs of a game. Otherwise each engine
    /// gets its own, as many as it has threads: seat 0 the first of the list, seat 1 the last.
    pub(super) fn player_on(&self, seat: usize, player: usize) -> EngineConfig {
        let mut engine = self.players[player].clone();
        let own = engine.threads() as usize;
        let cpus = &mut engine.launch.cpus;
        if self.players.iter().any(|player| player.ponder) && cpus.len() > own {
            match seat {
                0 => cpus.truncate(own),
                _ => drop(cpus.drain(..cpus.len() - own)),
            }
        }
        engine
    }
}

/// The state of the current game.
pub(super) struct GameState<'a> {
    pub(super) host: &'a mut dyn EngineHost,
    pub(super) rules: &'a RunRules,
    /// By side: the session; `None` if its engine failed.
    pub(super) sessions: [Option<Conversation>; 2],
    pub(super) seats: [usize; 2],
    /// The record of the game so far.
    pub(super) record: GameRecord,
    pub(super) referee: Referee,
    pub(super) clocks: [PlayerClock; 2],
    /// By side: the opponent's move that the engine ponders on.
    pub(super) pondering: [Option<Move>; 2],
    /// By side: what the engine has said while it ponders.
    pub(super) pondered: [Option<Info>; 2],
    pub(super) scores: [Option<EngineScore>; 2],
    /// By side: how many moves came without a word, before the engine first said something.
    pub(super) silent_moves: [u32; 2],
    /// By side: the CPU time of its engine after the opponent's last move; `None` if it was not read.
    pub(super) waited: [Option<Duration>; 2],
    pub(super) adjudicator: Adjudicator,
}

impl GameState<'_> {
    /// Notes by how much time a move of a side exceeded its limit.
    pub(super) fn count_overrun(&mut self, side: usize, overrun: Duration) {
        let greatest = &mut self.record.usage[side].overrun_micros;
        *greatest = (*greatest).max(overrun.as_micros() as u64);
    }

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
