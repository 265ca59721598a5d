//! Matches between players inside this program, run by the arena: its schedule, openings, referee,
//! journal and statistics. A match that was cut off goes on from its journal.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use fastrand::Rng;
use tengen_arena::config::{
    Config, EngineConfig, OpeningFormat, OpeningSequence, OpeningsConfig, Policy, SettingSource,
};
use tengen_arena::coordinator::{Coordinator, State, Watcher};
use tengen_arena::game::{GameView, Plan, Played};
use tengen_arena::journal::{Journal, read_folder};
use tengen_arena::openings::{Opening, OpeningList, OpeningOrder};
use tengen_arena::output::{Caption, files::Files, table};
use tengen_arena::record::{GameRecord, JournalRecord};
use tengen_arena::referee::{Referee, RefereeVerdict};
use tengen_arena::tally::PlayerTally;
use tengen_arena::transport::{Transport, TransportEvent};
use tengen_engine::backend::Catalog;
use tengen_engine::{Chosen, GameSpec};
use tengen_games::CATALOG;

use crate::playing::{Player, opening};

/// Two players, by number.
pub trait Opponents {
    /// Prepares both for a game.
    fn begin(&mut self, game: &Plan) -> Result<()>;

    /// Returns the move of a player after `moves`.
    fn choose(&mut self, player: usize, moves: &[String]) -> Result<String>;
}

/// The game of matches, and the openings of their pairs.
pub struct Setting {
    spec: GameSpec,
    config: OpeningsConfig,
    list: OpeningList,
}

/// How a match went for its first player.
#[derive(Clone, PartialEq, Debug)]
pub struct MatchResult {
    /// The results.
    pub tally: PlayerTally,
    /// The mean length of a game.
    pub plies: f64,
}

impl Setting {
    /// A variant on its usual board, with so many openings of `plies` moves by the weakest level.
    pub fn new(variant: &str, plies: usize, count: usize) -> Result<Self> {
        let spec = CATALOG.describe(variant, &Chosen::new())?;
        let mut player = Player::new(variant, &Chosen::new())?;
        let mut board = CATALOG.position(&spec);
        let mut openings = Vec::new();
        for seed in 1.. {
            if openings.len() == count {
                break;
            }
            let Some(moves) = opening(&mut player, plies, seed)? else { continue };
            board.reset();
            for mv in &moves {
                board.play_text(mv)?;
            }
            openings.push(Opening { start: None, moves: board.played().to_vec() });
        }
        let list = OpeningList::of(openings, &mut *board);
        let config = OpeningsConfig {
            file: None,
            style: OpeningFormat::Moves,
            order: OpeningSequence::Sequential,
            start: 1,
            plies: None,
            policy: Policy::Default,
            transform: false,
            balance: 0,
            count: 0,
            nodes: 0,
            place: SettingSource::CommandLine,
        };
        Ok(Self { spec, config, list })
    }

    /// Plays a match of `games` games, in pairs with colours exchanged, and keeps it in `folder`. What
    /// the folder holds already is not played again.
    pub fn play(
        &self,
        names: [&str; 2],
        games: u32,
        folder: &Path,
        opponents: &mut dyn Opponents,
    ) -> Result<MatchResult> {
        fs::create_dir_all(folder)?;
        let config = Config {
            engines: vec![EngineConfig::default(), EngineConfig::default()],
            rounds: Some(u64::from(games.div_ceil(2))),
            ..Config::default()
        };
        let names: Vec<String> = names.map(str::to_owned).to_vec();
        let (journal, records) = Journal::open(folder)?;
        let known: Vec<&GameRecord> = records.iter().filter_map(game).collect();
        let caption = Caption {
            times: vec![String::new(); names.len()],
            names: names.clone(),
            variant: self.spec.variant.to_owned(),
            grid: self.spec.grid,
            event: "Tengen lab".to_owned(),
            site: String::new(),
        };
        let files = Files::open(&config.outputs(folder), caption, &known)?;
        let mut random = Rng::with_seed(config.seed);
        let order = OpeningOrder::new(&self.list, &self.config, &self.spec, &mut random);
        let board = CATALOG.position(&self.spec);
        let mut coordinator =
            Coordinator::new(&config, &names, order, board, journal, files, &records);
        let mut transport = Inside { spec: &self.spec, opponents, offered: VecDeque::new() };
        coordinator.run(&mut transport, &mut Silent)?;
        let tally = &coordinator.state().tally;
        coordinator.files().write_tables(tally, &table::ratings(tally, 0, 0))?;
        let records: Vec<JournalRecord> = read_folder(folder)?;
        let plies: usize = records.iter().filter_map(game).map(|game| game.moves.len()).sum();
        let plies = plies as f64 / tally.games().max(1) as f64;
        Ok(MatchResult { tally: tally.players[0].clone(), plies })
    }
}

fn game(record: &JournalRecord) -> Option<&GameRecord> {
    match record {
        JournalRecord::Game(game) => Some(game),
        _ => None,
    }
}

/// Plays one game after the other, each when its result is asked for.
struct Inside<'a> {
    spec: &'a GameSpec,
    opponents: &'a mut dyn Opponents,
    offered: VecDeque<Plan>,
}

impl Inside<'_> {
    fn game(&mut self, plan: &Plan) -> Result<GameRecord> {
        let mut board = CATALOG.position(self.spec);
        plan.opening.set_up(&mut *board).map_err(|why| anyhow!(why))?;
        let opening_plies = board.played().len();
        let mut referee = Referee::new(board);
        self.opponents.begin(plan)?;
        loop {
            let player = plan.fixture.players[referee.turn().index()];
            let text = self.opponents.choose(player, referee.texts())?;
            if let (_, RefereeVerdict::Over(score, end)) = referee.play(&text) {
                let kind = end.kind;
                return Ok(GameRecord {
                    attempt: plan.attempt,
                    round: plan.fixture.round,
                    opening: plan.opening_number,
                    opening_plies,
                    moves: referee.texts().to_vec(),
                    end,
                    ..GameRecord::of_result(plan.fixture.id, plan.fixture.players, score, kind)
                });
            }
        }
    }
}

impl Transport for Inside<'_> {
    fn capacity(&self) -> usize {
        1
    }

    fn offer(&mut self, plan: Plan) {
        self.offered.push_back(plan);
    }

    fn results(&mut self, _: Option<Instant>) -> Option<TransportEvent> {
        let plan = self.offered.pop_front()?;
        Some(match self.game(&plan) {
            Ok(record) => TransportEvent::Finished(plan, Played::Finished(Box::new(record))),
            Err(error) => TransportEvent::Broken(format!("{error:#}")),
        })
    }

    fn stop(&mut self) {
        self.offered.clear();
    }

    fn views(&self) -> Vec<GameView> {
        Vec::new()
    }
}

/// Nobody looks on.
struct Silent;

impl Watcher for Silent {
    fn started(&mut self, _: &Plan) {}

    fn finished(&mut self, _: &GameRecord, _: &State) {}

    fn note(&mut self, _: &str) {}

    fn period(&self) -> Option<Duration> {
        None
    }

    fn tick(&mut self, _: &State, _: &[GameView]) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first player plays column a where it can, the second one the last column.
    #[derive(Default)]
    struct Columns {
        games: u32,
    }

    impl Opponents for Columns {
        fn begin(&mut self, _: &Plan) -> Result<()> {
            self.games += 1;
            Ok(())
        }

        fn choose(&mut self, player: usize, moves: &[String]) -> Result<String> {
            let spec = CATALOG.describe("cfour", &Chosen::new())?;
            let mut board = CATALOG.position(&spec);
            for mv in moves {
                board.play_text(mv)?;
            }
            let columns = if player == 0 { "abcdefg" } else { "gfedcba" };
            let mut columns = columns.chars().map(String::from);
            columns.find(|mv| board.read_move(mv).is_ok()).ok_or_else(|| anyhow!("no move"))
        }
    }

    #[test]
    fn a_match_is_played_in_pairs_and_goes_on_from_its_journal() {
        let folder = std::env::temp_dir().join(format!("tengen-lab-{}", std::process::id()));
        let setting = Setting::new("cfour", 6, 4).unwrap();
        let mut players = Columns::default();
        let part = setting.play(["left", "right"], 4, &folder, &mut players).unwrap();
        assert_eq!((part.tally.all.games(), players.games), (4, 4));
        let whole = setting.play(["left", "right"], 8, &folder, &mut players).unwrap();
        assert_eq!((whole.tally.all.games(), players.games), (8, 8));
        assert_eq!(whole.tally.pairs.iter().sum::<u64>(), 4);
        assert!(whole.plies > 6.0);
        fs::remove_dir_all(&folder).unwrap();
    }
}
