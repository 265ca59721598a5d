//! [`GameRunner`]: plays games one after the other. It starts engines, asks for moves, judges them
//! and makes the records.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use tengen_engine::Position;
use tengen_engine::backend::Catalog;
use tengen_protocol::client::Info;
use tengen_runs::{Outcome, Task, View, Work};

use super::opening::OpeningPlay;
use super::state::{GameState, RunRules};
use super::thinking::Over;
use super::warnings;
use crate::config::{Proto, Restart};
use crate::engine::conversation::{Conversation, EngineError};
use crate::engine::host::EngineHost;
use crate::game::adjudicate::Adjudicator;
use crate::game::clock::PlayerClock;
use crate::game::proof::ProofFinder;
use crate::game::referee::{Ending, Referee, loss};
use crate::game::speed::clock_scale;
use crate::openings::{Opening, OpeningOrder};
use crate::record::{EndKind, GameEnd, GameRecord, GameScore, MoveNote, Said, Usage};
use crate::schedule::Fixture;

/// A game to be played.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// The number and the players.
    pub fixture: Fixture,
    /// The number of the opening in its list, from 0.
    pub opening_number: usize,
    /// The opening.
    pub opening: Opening,
    /// The start of the game in UTC, set by the worker.
    pub started: String,
    /// By side: engine options for this game alone.
    pub options: [Vec<(String, String)>; 2],
}

impl Plan {
    /// Creates the plan of a game from its place in the schedule. `board` is a board to work on.
    pub fn new(
        fixture: Fixture,
        openings: &OpeningOrder,
        board: &mut dyn Position,
        options: [Vec<(String, String)>; 2],
    ) -> Self {
        let (opening_number, opening) = openings.opening_of(&fixture, board);
        Self { fixture, opening_number, opening, started: String::new(), options }
    }
}

impl Work for Plan {
    type Result = Box<GameRecord>;
    type View = GameView;
}

/// The outcome of a game.
pub type GameOutcome = Outcome<Box<GameRecord>>;

/// The state of a worker's game, for the live view.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct GameView {
    /// The number of the game; `None` between games.
    pub game: Option<u64>,
    /// The players by side: who moves first, and who second.
    pub players: [usize; 2],
    /// The position before the first move, as a FEN; `None` for the starting position.
    pub start: Option<String>,
    /// The moves so far, including the opening.
    pub moves: Vec<String>,
    /// The score of each move after the opening; `None` without one.
    pub said: Vec<Option<String>>,
    /// By side: the remaining time, in milliseconds; `None` without a clock.
    pub left_millis: [Option<i64>; 2],
    /// By side: the last score; `None` before the first.
    pub scores: [Option<String>; 2],
}

/// An engine on a seat.
struct SeatedEngine {
    player: usize,
    session: Conversation,
}

/// Returns the name of the opening of a game; `None` if it has none.
type OpeningNamer = Box<dyn Fn(&dyn Position) -> Option<String> + Send>;

/// Plays games on two seats. Engines stay on their seats between games.
pub struct GameRunner {
    rules: Arc<RunRules>,
    /// The board for setting up openings.
    board: Box<dyn Position>,
    seats: [Option<SeatedEngine>; 2],
    /// By seat: the player of the last game.
    players: [usize; 2],
    /// The players whose engines were started here. A player whose engine left for another is
    /// removed.
    started: HashSet<usize>,
    /// The state of the running game.
    pub view: View<GameView>,
    /// Finds proven results; `None` if no game ends by proof.
    pub proofs: Option<ProofFinder>,
    /// The opening rule; `None` without one.
    pub opening: Option<OpeningPlay>,
    /// Names the openings of games.
    pub name_opening: OpeningNamer,
    /// The factor by which the clocks of `rules` were scaled; `None` if they were not.
    clock_scale: Option<f64>,
}

impl GameRunner {
    /// Creates a runner with two empty seats.
    pub fn new(rules: RunRules, board: Box<dyn Position>) -> Self {
        let (seats, started) = ([None, None], HashSet::new());
        let (rules, view) = (Arc::new(rules), View::default());
        let name_opening = Box::new(|_: &dyn Position| None);
        let (proofs, opening) = (None, None);
        let players = [0, 1];
        let clock_scale = None;
        Self {
            rules,
            board,
            seats,
            players,
            started,
            view,
            proofs,
            opening,
            name_opening,
            clock_scale,
        }
    }

    /// Creates a runner with the searches that its rules need: for proofs, and for decisions in
    /// openings. Each search starts a thread. The error names the setting.
    pub fn open(mut rules: RunRules, catalog: &'static dyn Catalog) -> Result<Self, String> {
        let reference = rules.config.scale_nps;
        let scale = reference.map(|reference| clock_scale(reference, catalog)).transpose()?;
        for player in &mut rules.players {
            player.time = player.time.scaled(scale);
        }
        let (config, spec) = (&rules.config, &rules.spec);
        let proofs = config.proof.map(|rule| ProofFinder::open(catalog, spec, rule, config.seed));
        let proofs = proofs.transpose().map_err(|error| format!("proof: {error}"))?;
        let opening = OpeningPlay::open(catalog, spec, config)?;
        let board = catalog.position(spec);
        let mut runner = Self::new(rules, board);
        runner.proofs = proofs;
        runner.opening = opening;
        runner.clock_scale = scale;
        runner.name_opening =
            Box::new(|board| catalog.opening_name(board).map(ToString::to_string));
        Ok(runner)
    }

    /// Plays a game.
    pub fn play(&mut self, host: &mut dyn EngineHost, task: &Task<Plan>) -> GameOutcome {
        let plan = &task.work;
        let started_at = host.now();
        let rules = Arc::clone(&self.rules);
        let seats = self.take_seats(host, plan.fixture.players);
        let mut record = GameRecord {
            id: task.id,
            attempt: task.attempt,
            round: plan.fixture.round,
            players: plan.fixture.players,
            opening: plan.opening_number,
            start: plan.opening.start.clone(),
            opening_plies: plan.opening.moves.len(),
            started: plan.started.clone(),
            clock_scale: self.clock_scale,
            ..GameRecord::default()
        };
        let Ok(failed) = self.prepare(host, plan, seats, &mut record.usage) else {
            return GameOutcome::Aborted;
        };
        if let [Some((_, one)), Some((_, other))] = &failed {
            return GameOutcome::Failed(format!("{one}; {other}"));
        }
        if let Err(why) = plan.opening.set_up(&mut *self.board) {
            return GameOutcome::Failed(format!("the opening cannot be set up: {why}"));
        }
        let mut game = GameState {
            host,
            rules: &rules,
            sessions: seats.map(|seat| self.seats[seat].take().map(|seated| seated.session)),
            seats,
            record,
            referee: Referee::new(self.board.duplicate()),
            clocks: plan.fixture.players.map(|player| PlayerClock::new(rules.players[player].time)),
            pondering: [None; 2],
            pondered: [None, None],
            silent_moves: [0; 2],
            scores: [None; 2],
            waited: [None; 2],
            adjudicator: Adjudicator::default(),
        };
        let mut failed = failed.into_iter().enumerate();
        let over = match failed.find_map(|(side, failed)| Some((side, failed?))) {
            Some((side, (kind, text))) => Some(loss(side, kind, text)),
            None => game.play(self.opening.as_mut(), &self.view, self.proofs.as_mut()),
        };
        let over = over.filter(|_| game.stop_pondering().is_ok());
        game.record.opened.name = (self.name_opening)(game.referee.board());
        let both_failed = game.sessions.iter().all(Option::is_none);
        let players = game.record.players;
        let played = match over {
            None => GameOutcome::Aborted,
            // Both engines failed before the first move.
            Some((_, end)) if game.record.notes.is_empty() && both_failed => {
                GameOutcome::Failed(end.text)
            }
            Some(end) => GameOutcome::Finished(Box::new(game.finish(started_at, end))),
        };
        let failed = match &played {
            GameOutcome::Finished(record) => record.failed_side(),
            _ => None,
        };
        let GameState { host, sessions, seats, .. } = game;
        self.put_back(host, players, seats, sessions, failed);
        self.view.update(|view| view.game = None);
        played
    }

    /// Takes over the engines of another runner if it has the same players and game. Else ends them.
    pub fn take_over(&mut self, mut other: Self, host: &mut dyn EngineHost) {
        let (own, others) = (&self.rules, &other.rules);
        let is_same = own.players == others.players
            && own.spec == others.spec
            && own.config.timeouts == others.config.timeouts;
        if !is_same {
            return other.quit(host);
        }
        (self.seats, self.started) = (other.seats, other.started);
    }

    /// Returns what a check of its games needs: the rules, and a board.
    #[cfg(test)]
    pub(super) fn checked_by(&self) -> (Arc<RunRules>, Box<dyn Position>) {
        (Arc::clone(&self.rules), self.board.duplicate())
    }

    /// Returns the player on a seat in the last game.
    pub fn player_on(&self, seat: usize) -> usize {
        self.players[seat]
    }

    /// Ends all engines.
    pub fn quit(&mut self, host: &mut dyn EngineHost) {
        for seated in self.seats.iter_mut().filter_map(Option::take) {
            seated.session.quit(host);
        }
    }

    /// Chooses a seat for each side so that engines keep their seats if possible. Ends engines of
    /// other players on these seats.
    fn take_seats(&mut self, host: &mut dyn EngineHost, players: [usize; 2]) -> [usize; 2] {
        let on = |seat: usize| self.seats[seat].as_ref().map(|seated| seated.player);
        let kept = |seats: [usize; 2]| {
            [0, 1].into_iter().filter(|side| on(seats[*side]) == Some(players[*side])).count()
        };
        let seats = if kept([1, 0]) > kept([0, 1]) { [1, 0] } else { [0, 1] };
        for (side, seat) in seats.into_iter().enumerate() {
            self.players[seat] = players[side];
            let other = self.seats[seat].take_if(|seated| seated.player != players[side]);
            if let Some(seated) = other {
                self.started.remove(&seated.player);
                seated.session.quit(host);
            }
        }
        seats
    }

    /// Starts missing engines and prepares all for the game. Returns by side the failure of its
    /// engine. The error says that the run is aborted.
    fn prepare(
        &mut self,
        host: &mut dyn EngineHost,
        plan: &Plan,
        seats: [usize; 2],
        usage: &mut [Usage; 2],
    ) -> Result<[Option<(EndKind, String)>; 2], ()> {
        let mut failed = [None, None];
        // One engine after the other: waiting for one engine drops the lines of the other.
        for (side, player) in plan.fixture.players.into_iter().enumerate() {
            let (seat, options, usage) = (seats[side], &plan.options[side], &mut usage[side]);
            let mut ready = self.make_ready(host, player, seat, options, usage);
            if ready.is_err() && !usage.started {
                // The process ended between two games, or hangs after one. A new process gets a
                // chance.
                ready = self.make_ready(host, player, seat, options, usage);
            }
            if let Err(error) = ready {
                let (kind, text) = error.end().ok_or(())?;
                let name = self.rules.players[player].label();
                failed[side] = Some((kind, format!("{name}: {text}")));
            }
        }
        Ok(failed)
    }

    /// Starts the engine of a player if its seat is empty, and prepares it for a game.
    fn make_ready(
        &mut self,
        host: &mut dyn EngineHost,
        player: usize,
        seat: usize,
        options: &[(String, String)],
        usage: &mut Usage,
    ) -> Result<(), EngineError> {
        if self.seats[seat].is_none() {
            usage.started = true;
            usage.restarted = !self.started.insert(player);
            self.seat_engine(host, player, seat)?;
        }
        self.begin_game(host, player, seat, options)
    }

    /// Starts and sets up the engine of a player.
    fn seat_engine(
        &mut self,
        host: &mut dyn EngineHost,
        player: usize,
        seat: usize,
    ) -> Result<(), EngineError> {
        let (spec, timeouts) = (&self.rules.spec, self.rules.config.timeouts);
        let engine = self.rules.player_on(seat, player);
        let mut session = Conversation::open(host, seat, &engine, spec, timeouts)?;
        if let Err(error) = session.configure(host, &engine, spec, timeouts) {
            session.kill(host);
            return Err(error);
        }
        self.seats[seat] = Some(SeatedEngine { player, session });
        Ok(())
    }

    /// Sends an engine its options for this game alone, and starts the game. An engine that fails
    /// is killed.
    fn begin_game(
        &mut self,
        host: &mut dyn EngineHost,
        player: usize,
        seat: usize,
        options: &[(String, String)],
    ) -> Result<(), EngineError> {
        let Some(SeatedEngine { mut session, .. }) = self.seats[seat].take() else { return Ok(()) };
        let rules = &*self.rules;
        let known = &rules.players[player];
        let terms = known.time.terms(known.launch.memory);
        let ready = match host.failure(seat) {
            Some((kind, text)) => Err(EngineError::Failed(kind, text)),
            None => session.set_options(host, options).and_then(|()| {
                session.new_game(host, &rules.spec, &terms, rules.config.timeouts.new_game)
            }),
        };
        match &ready {
            Ok(()) => self.seats[seat] = Some(SeatedEngine { player, session }),
            Err(_) => session.kill(host),
        }
        ready
    }

    /// Puts the engines back on their seats after a game, unless they are restarted.
    fn put_back(
        &mut self,
        host: &mut dyn EngineHost,
        players: [usize; 2],
        seats: [usize; 2],
        sessions: [Option<Conversation>; 2],
        failed: Option<usize>,
    ) {
        for (side, session) in sessions.into_iter().enumerate() {
            let Some(session) = session else { continue };
            let player = players[side];
            match self.rules.players[player].restart {
                Restart::Always => session.quit(host),
                Restart::Auto if failed == Some(side) => session.kill(host),
                _ => self.seats[seats[side]] = Some(SeatedEngine { player, session }),
            }
        }
    }
}

/// Instead of a number of silent moves: the engine has said something in this game.
const SEARCHES: u32 = u32::MAX;

impl GameState<'_> {
    /// Plays the opening by a rule, if there is one, then the game. Returns its end.
    fn play(
        &mut self,
        opening: Option<&mut OpeningPlay>,
        view: &View<GameView>,
        mut proofs: Option<&mut ProofFinder>,
    ) -> Over {
        if let Some(Err(over)) = opening.map(|opening| self.open(opening)) {
            return over;
        }
        self.record.opening_plies = self.referee.board().played().len();
        view.update(|view| {
            view.game = Some(self.record.id);
            view.players = self.record.players;
            view.start.clone_from(&self.record.start);
            view.moves = self.referee.texts().to_vec();
            view.said.clear();
            view.scores = [None, None];
            view.left_millis = [None; 2];
        });
        loop {
            if let Err(over) = self.play_move(view, proofs.as_deref_mut()) {
                return over;
            }
        }
    }

    /// Asks for a move and plays it. The error is the end of the game.
    fn play_move(
        &mut self,
        view: &View<GameView>,
        proofs: Option<&mut ProofFinder>,
    ) -> Result<(), Over> {
        let mover = self.referee.turn();
        let side = mover.index();
        let answer = self.think(mover)?;
        let spent = self.clocks[side].spend(answer.took);
        self.warn(side, &answer.text, answer.info.as_ref());
        self.count_overrun(side, spent.overrun);
        let info = answer.info.unwrap_or_default();
        self.scores[side] = info.score;
        let score = info.score.map(|score| score.to_string());
        let Info { depth, seldepth, nodes, .. } = info;
        let note = MoveNote {
            micros: answer.took.as_micros() as u64,
            said: Said { score, depth, seldepth, nodes },
            own_millis: info.time.map(|time| time.as_millis() as u64),
            left_millis: spent.left_millis,
            ponder_hit: answer.ponder_hit,
        };
        let (mv, verdict) = self.referee.play(&answer.text);
        view.update(|view| {
            view.moves = self.referee.texts().to_vec();
            view.said.extend(mv.map(|_| note.said.score.clone()));
            view.left_millis[side] = note.left_millis;
            view.scores[side].clone_from(&note.said.score);
        });
        if mv.is_some() {
            self.record.notes.push(note);
        }
        let end = verdict.or_else(|| self.adjudicate(side)).or_else(|| self.end_by_proof(proofs));
        if end.is_some() {
            return Err(end);
        }
        self.ponder(mover, answer.ponder);
        Ok(())
    }

    fn adjudicate(&mut self, side: usize) -> Option<Ending> {
        let (config, has_start) = (&self.rules.config, self.record.start.is_some());
        let (score, board) = (self.scores[side], self.referee.board());
        self.adjudicator.judge_board(config, side, score, board, has_start)
    }

    fn end_by_proof(&mut self, proofs: Option<&mut ProofFinder>) -> Option<Ending> {
        if self.record.proof.is_some() {
            return None;
        }
        let note = proofs?.prove(self.referee.board(), self.record.notes.len())?;
        let (score, played_on) = (note.score, note.played_on);
        let plies = note.plies.map_or(String::new(), |plies| format!(" in {plies} plies"));
        let what = match score {
            GameScore::First => "the first player wins",
            GameScore::Second => "the second player wins",
            GameScore::Draw => "nobody wins",
        };
        let text = format!("{what}{plies}, proven by {}", note.by);
        self.record.proof = Some(note);
        (!played_on).then_some((score, GameEnd { kind: EndKind::Proof, text }))
    }

    fn warn(&mut self, side: usize, text: &str, info: Option<&Info>) {
        let player = self.record.players[side];
        let reads_lines = self.rules.players[player].proto != Proto::Gomocup;
        let opponent = self.scores[1 - side];
        let messages = warnings::of_move(self.referee.board(), text, info, opponent, reads_lines);
        // An engine says nothing about the moves of its book, which come before the first search.
        match info {
            None if self.silent_moves[side] != SEARCHES => self.silent_moves[side] += 1,
            _ => {
                self.silent_moves[side] = SEARCHES;
                messages.iter().for_each(|message| self.add_warning(side, message, ""));
            }
        }
    }

    /// Returns the record of the game with this end.
    fn finish(&mut self, started_at: Instant, (score, end): Ending) -> GameRecord {
        let mut record = std::mem::take(&mut self.record);
        for side in 0..2 {
            // It has said nothing at all, so that these are not the moves of a book.
            let silent = Some(self.silent_moves[side]).filter(|count| *count != SEARCHES);
            (0..silent.unwrap_or(0)).for_each(|_| self.add_warning(side, "no score", ""));
            if self.sessions[side].is_some() {
                record.usage[side].peak_memory = self.host.peak_memory(self.seats[side]);
            }
        }
        record.millis = self.host.now().duration_since(started_at).as_millis() as u64;
        record.moves = self.referee.texts().to_vec();
        GameRecord { score, end, ..record }
    }
}
