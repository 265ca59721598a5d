//! Games between players inside this program, run by the arena: its schedule, openings, referee,
//! journal and statistics. An interrupted run continues from its journal.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, ensure};
use fastrand::Rng;
use tengen_arena::config::{Config, EngineConfig, OpeningsConfig};
use tengen_arena::engine::prepare::sha256;
use tengen_arena::game::Plan;
use tengen_arena::game::referee::Referee;
use tengen_arena::openings::{Opening, OpeningList, OpeningOrder};
use tengen_arena::output::{Caption, files::Files, table};
use tengen_arena::record::{GameRecord, JournalRecord, MoveNote, RunHead};
use tengen_arena::tally::{PlayerTally, Tally};
use tengen_arena::tournament::coordinator::Coordinator;
use tengen_engine::backend::Catalog;
use tengen_engine::{Chosen, GameSpec, Strength};
use tengen_games::CATALOG;
use tengen_runs::journal::{Journal, read_folder};
use tengen_runs::{Event, Outcome, Task, Transport, Watcher, drive};

use crate::playing::Player;

/// Two players, numbered 0 and 1.
pub trait Opponents {
    /// Prepares both players for a game.
    fn begin(&mut self, game: &Plan) -> Result<()>;

    /// Returns the move of `player` after `moves`, and a note about its search.
    fn choose(&mut self, player: usize, moves: &[String]) -> Result<(String, MoveNote)>;
}

/// A game and its openings.
pub struct MatchSetup {
    spec: GameSpec,
    config: OpeningsConfig,
    list: OpeningList,
}

/// The result of a match for its first player.
#[derive(Clone, PartialEq, Debug)]
pub struct MatchResult {
    /// The points of the first player.
    pub tally: PlayerTally,
    /// The mean length of a game, in plies.
    pub plies: f64,
}

impl MatchSetup {
    /// Creates the setup of a variant. Pairs of games take the openings in turn.
    pub fn new(variant: &str, chosen: &Chosen, openings: &[Vec<String>]) -> Result<Self> {
        let spec = CATALOG.describe(variant, chosen)?;
        let mut board = CATALOG.position(&spec);
        let mut list = Vec::new();
        for moves in openings {
            board.reset();
            for mv in moves {
                board.play_text(mv)?;
            }
            list.push(Opening { start: None, moves: board.played().to_vec() });
        }
        let list = OpeningList::new(list, &mut *board);
        let config = OpeningsConfig::default();
        Ok(Self { spec, config, list })
    }

    /// Plays a match of `games` games, in pairs with colours exchanged. `folder` keeps the games;
    /// those that it already holds are not played again.
    pub fn play(
        &self,
        names: [&str; 2],
        games: u32,
        folder: &Path,
        opponents: &mut dyn Opponents,
    ) -> Result<MatchResult> {
        let config = Config { rounds: Some(u64::from(games.div_ceil(2))), ..Config::default() };
        let (tally, games) = self.run(config, names, folder, opponents)?;
        let plies: usize = games.iter().map(|game| game.moves.len()).sum();
        let plies = plies as f64 / games.len().max(1) as f64;
        Ok(MatchResult { tally: tally.players[0].clone(), plies })
    }

    /// Plays `games` games of `player` with itself at full strength, each from the next opening and
    /// with `nodes` nodes for a move. `folder` keeps the games; those that it already holds are not
    /// played again. Returns the games in the order of their openings.
    pub fn self_play(
        &self,
        games: u32,
        nodes: u64,
        folder: &Path,
        player: &mut Player,
    ) -> Result<Vec<GameRecord>> {
        let rounds = u64::from(games);
        let config = Config { rounds: Some(rounds), games: 1, no_swap: true, ..Config::default() };
        let mut self_play = SelfPlay { player, nodes };
        let (_, mut games) = self.run(config, ["first", "second"], folder, &mut self_play)?;
        games.retain(|game| game.pair() < rounds);
        games.sort_unstable_by_key(|game| game.id);
        Ok(games)
    }

    /// Plays the games of `config` that `folder` does not hold yet. Returns the tally and all games
    /// of the folder.
    fn run(
        &self,
        config: Config,
        names: [&str; 2],
        folder: &Path,
        opponents: &mut dyn Opponents,
    ) -> Result<(Tally, Vec<GameRecord>)> {
        fs::create_dir_all(folder)?;
        let engines = vec![EngineConfig::default(), EngineConfig::default()];
        let config = Config { engines, ..config };
        let names: Vec<String> = names.map(str::to_owned).to_vec();
        let (mut journal, records) = Journal::open(folder)?;
        let head = self.head(&names, config.seed)?;
        match records.first() {
            None => journal.append(&[head])?,
            Some(found) => ensure!(
                *found == head,
                "{}: its games were played by another build of this program, or in another game; \
                 remove the folder, or choose another one by --out",
                folder.display()
            ),
        }
        let known: Vec<&GameRecord> = records.iter().filter_map(JournalRecord::game).collect();
        let caption = Caption {
            times: vec![String::new(); names.len()],
            names: names.clone(),
            variant: self.spec.variant.to_owned(),
            grid: self.spec.grid,
            event: "Tengen lab".to_owned(),
            site: String::new(),
        };
        let files = Files::open(&config.outputs, folder, caption, &known)?;
        let mut random = Rng::with_seed(config.seed);
        let order = OpeningOrder::new(&self.list, &self.config, &self.spec, &mut random);
        let advantage = config.advantage;
        let mut coordinator = Coordinator::new(
            config,
            &names,
            order,
            CATALOG.position(&self.spec),
            journal,
            files,
            &records,
        );
        let mut transport = InProcess { spec: &self.spec, opponents, offered: VecDeque::new() };
        drive(&mut coordinator, &mut transport, &mut Silent)?;
        let tally = coordinator.state().tally.clone();
        coordinator.files().write_tables(&tally, &table::ratings(&tally, advantage, 0, 0))?;
        let records: Vec<JournalRecord> = read_folder(folder)?;
        Ok((tally, records.iter().filter_map(JournalRecord::game).cloned().collect()))
    }

    /// Returns the first record of a journal. It names this build of the program, so that games of
    /// different engines are not mixed.
    fn head(&self, players: &[String], seed: u64) -> Result<JournalRecord> {
        let program = std::env::current_exe().context("cannot find this program")?;
        let hash = sha256(&program);
        let hash = hash.with_context(|| format!("cannot read {}", program.display()))?;
        Ok(JournalRecord::Head(RunHead {
            version: 1,
            program: format!("tengen-lab {hash}"),
            variant: self.spec.variant.to_owned(),
            rules: self.spec.rules.clone(),
            size: self.spec.size(),
            players: players.to_vec(),
            seed,
            started: String::new(),
        }))
    }
}

/// One player for both sides.
struct SelfPlay<'a> {
    player: &'a mut Player,
    nodes: u64,
}

impl Opponents for SelfPlay<'_> {
    fn begin(&mut self, _: &Plan) -> Result<()> {
        self.player.begin(Strength::FULL, 0)
    }

    fn choose(&mut self, _: usize, moves: &[String]) -> Result<(String, MoveNote)> {
        self.player.set_up(moves)?;
        self.player.choose(self.nodes)
    }
}

/// A transport that plays the games in this process, one after the other, each when its result is
/// asked for.
struct InProcess<'a> {
    spec: &'a GameSpec,
    opponents: &'a mut dyn Opponents,
    offered: VecDeque<Task<Plan>>,
}

impl InProcess<'_> {
    fn game(&mut self, task: &Task<Plan>) -> Result<GameRecord> {
        let plan = &task.work;
        let mut board = CATALOG.position(self.spec);
        plan.opening.set_up(&mut *board).map_err(|why| anyhow!(why))?;
        let opening_plies = board.played().len();
        let mut referee = Referee::new(board);
        self.opponents.begin(plan)?;
        let mut notes = Vec::new();
        loop {
            let player = plan.fixture.players[referee.turn().index()];
            let (text, note) = self.opponents.choose(player, referee.texts())?;
            notes.push(note);
            if let (_, Some((score, end))) = referee.play(&text) {
                let kind = end.kind;
                return Ok(GameRecord {
                    attempt: task.attempt,
                    round: plan.fixture.round,
                    opening: plan.opening_number,
                    opening_plies,
                    moves: referee.texts().to_vec(),
                    notes,
                    end,
                    ..GameRecord::of_result(task.id, plan.fixture.players, score, kind)
                });
            }
        }
    }
}

impl Transport<Plan> for InProcess<'_> {
    fn capacity(&self) -> usize {
        1
    }

    fn submit(&mut self, task: Task<Plan>) {
        self.offered.push_back(task);
    }

    fn next_event(&mut self, _: Option<Instant>) -> Option<Event<Plan>> {
        let task = self.offered.pop_front()?;
        Some(match self.game(&task) {
            Ok(record) => Event::Finished(task, Outcome::Finished(Box::new(record))),
            Err(error) => Event::Broken(format!("{error:#}")),
        })
    }

    fn stop(&mut self) {
        self.offered.clear();
    }
}

/// A watcher that shows nothing.
struct Silent;

impl Watcher<Coordinator> for Silent {
    fn note(&mut self, _: &str) {}

    fn saved(&mut self, _: &Coordinator, _: &GameRecord) {}
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    /// The first player plays the first column that is open, the second one the last.
    #[derive(Default)]
    struct Columns {
        games: u32,
    }

    impl Opponents for Columns {
        fn begin(&mut self, _: &Plan) -> Result<()> {
            self.games += 1;
            Ok(())
        }

        fn choose(&mut self, player: usize, moves: &[String]) -> Result<(String, MoveNote)> {
            let spec = CATALOG.describe("cfour", &Chosen::new())?;
            let mut board = CATALOG.position(&spec);
            for mv in moves {
                board.play_text(mv)?;
            }
            let columns = if player == 0 { "abcdefg" } else { "gfedcba" };
            let mut columns = columns.chars().map(String::from);
            let mv = columns.find(|mv| board.read_move(mv).is_ok()).context("no move")?;
            Ok((mv, MoveNote::default()))
        }
    }

    fn setup() -> MatchSetup {
        let openings = ["d1 d2 d3", "c1 d1 e1", "a1 g1 a2", "d1 e1 f1"];
        let openings = openings.map(|line| line.split(' ').map(str::to_owned).collect());
        MatchSetup::new("cfour", &Chosen::new(), &openings).unwrap()
    }

    /// A temporary folder, which is removed on drop.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Self {
            let name = format!("tengen-lab-{}-{name}", std::process::id());
            Self(std::env::temp_dir().join(name))
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_match_is_played_in_pairs_and_continues_from_its_journal() {
        let folder = Scratch::new("match");
        let mut players = Columns::default();
        let part = setup().play(["left", "right"], 4, &folder.0, &mut players).unwrap();
        assert_eq!((part.tally.all.games(), players.games), (4, 4));
        let whole = setup().play(["left", "right"], 8, &folder.0, &mut players).unwrap();
        assert_eq!((whole.tally.all.games(), players.games), (8, 8));
        assert_eq!(whole.tally.pairs.iter().sum::<u64>(), 4);
        assert!(whole.plies > 6.0);
    }

    #[test]
    fn self_play_gives_equal_games_wherever_it_was_interrupted() {
        let (whole, parts) = (Scratch::new("whole"), Scratch::new("parts"));
        let play = |games, folder: &Scratch| {
            let mut player = Player::new("cfour", &Chosen::new()).unwrap();
            let mut games = setup().self_play(games, 300, &folder.0, &mut player).unwrap();
            for game in &mut games {
                game.notes.iter_mut().for_each(|note| note.micros = 0);
            }
            games
        };
        let games = play(4, &whole);
        assert_eq!(games.len(), 4);
        for game in &games {
            assert_eq!((game.opening_plies, game.players), (3, [0, 1]));
            assert_eq!(game.notes.len(), game.moves.len() - 3);
            assert!(
                game.notes
                    .iter()
                    .all(|note| note.said.nodes.is_some() && note.said.depth.is_some())
            );
        }
        assert_eq!(play(1, &parts), games[..1]);
        assert_eq!(play(4, &parts), games);
        // Fewer games than the folder holds.
        assert_eq!(play(2, &parts), games[..2]);
    }

    #[test]
    fn games_of_another_build_are_refused() {
        let folder = Scratch::new("build");
        let mut players = Columns::default();
        fs::create_dir_all(&folder.0).unwrap();
        let (mut journal, _) = Journal::open(&folder.0).unwrap();
        let names = ["left", "right"];
        let mut head = setup().head(&names.map(str::to_owned), 1).unwrap();
        if let JournalRecord::Head(head) = &mut head {
            head.program = "tengen-lab 0123".to_owned();
        }
        journal.append(&[head]).unwrap();
        drop(journal);
        let refused = setup().play(names, 2, &folder.0, &mut players).unwrap_err().to_string();
        assert!(refused.contains("another build of this program"), "{refused}");
    }
}
