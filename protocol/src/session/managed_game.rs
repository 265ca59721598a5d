//! The game that the engine keeps for a client that sends single stones: whose turn it is follows
//! from the commands.
//!
//! It knows no dialect. A refused command leaves the game as it was.

mod limits;
mod stones;
mod swap2;

use std::time::Instant;

use tengen_engine::backend::Settings;
use tengen_engine::report::Answer;

use self::limits::GameLimits;
use self::stones::StoneList;
pub(super) use self::swap2::Ranked;
use self::swap2::Swap2Choice;
use super::{Purpose, Session, sink};
use crate::command::{GameCommand, GameLimit, GameReply, Owner, Point, Reply, Request, Stone};
use crate::options::Key;

/// The catalogue's options that size a board and say whether longer lines win.
const SIZES: [&str; 2] = ["BoardWidth", "BoardHeight"];
const OVERLINE: &str = "Overline";

/// The stones of the game, what the client allows and what it excludes.
#[derive(Default)]
pub(super) struct ManagedGame {
    stones: StoneList,
    /// Whether the opponent is to move: the client says nothing of it after our move.
    is_opponent_to_move: bool,
    limits: GameLimits,
    blocked: Vec<Point>,
    blocked_paths: Vec<Vec<Point>>,
    is_opening: bool,
}

/// What a search for a move is for.
pub(super) enum MoveSearch {
    /// It is played.
    Play,
    /// It decides in an opening.
    Choose(Swap2Choice),
}

/// Why something cannot be done.
type Refusal = String;

impl Session {
    /// Carries out a command that came at `at`.
    pub(super) fn game_command(&mut self, command: GameCommand, at: Instant) {
        let done = match command {
            GameCommand::Open { size, analyses } => self.open(size, analyses),
            GameCommand::Begin => self.begin(at),
            GameCommand::Turn(point) => self.take_turn(point, at),
            GameCommand::Play(point) => self.play_stone(point),
            GameCommand::TakeBack(point) => self.take_back(point),
            GameCommand::SetUp { stones, reply } => self.set_up(stones, reply, at),
            GameCommand::Swap(stones) => self.choose(&stones, at),
            GameCommand::BestMoves(lines) => self.think(lines, MoveSearch::Play, at),
            GameCommand::Rule { variant, overline } => self.play_by(variant, overline),
            GameCommand::Limit(limit) => {
                self.set_limit(limit);
                Ok(())
            }
            GameCommand::Evaluate(point) => self.evaluate_stone(point),
            GameCommand::Block(points) => self.block(points),
            GameCommand::Unblock(points) => self.unblock(&points),
            GameCommand::UnblockAll => {
                self.game.blocked.clear();
                Ok(())
            }
            GameCommand::BlockPath(path) => self.block_path(path),
            GameCommand::UnblockPath(path) => self.unblock_path(&path),
            GameCommand::UnblockPaths => {
                self.game.blocked_paths.clear();
                Ok(())
            }
            GameCommand::Forbidden => self.forbidden(),
            GameCommand::Capacity => self.capacity(),
        };
        if let Err(why) = done {
            self.refuse(why);
        }
    }

    fn game_reply(&mut self, reply: GameReply) -> Result<(), Refusal> {
        self.reply(&Reply::Game(reply));
        Ok(())
    }

    /// Changes the rules or the board, in one piece. The position is then the starting one.
    fn change(
        &mut self,
        variant: &'static str,
        options: &[(&'static str, i64)],
        wanted: Option<(u32, u32)>,
    ) -> Result<(), Refusal> {
        let ticket = self.next_ticket();
        if self.board.change(variant, options, wanted, sink(&self.post, ticket))? {
            self.on_backend_changed(ticket);
        }
        Ok(())
    }

    fn open(&mut self, size: Option<(u32, u32)>, analyses: bool) -> Result<(), Refusal> {
        if let Some((columns, rows)) = size {
            let sides = [columns, rows].map(i64::from);
            let options = [(SIZES[0], sides[0]), (SIZES[1], sides[1])];
            let opened = self.change(self.board.variant(), &options, size);
            opened.map_err(|why| format!("a board of {columns}x{rows}: {why}"))?;
        }
        self.size()?;
        if !analyses {
            self.board.new_game();
        }
        self.game.stones = StoneList::default();
        self.game.is_opponent_to_move = false;
        self.game.limits.begin();
        // Whoever hears that it is done starts a clock: the table must be there.
        self.game.is_opening = !self.board.ready(self.backend_sink.clone());
        if self.game.is_opening { Ok(()) } else { self.game_reply(GameReply::Ok) }
    }

    /// Whether the board is still being made ready, and everything else must wait.
    pub(super) fn is_opening(&self) -> bool {
        self.game.is_opening
    }

    /// Everything before is done: so is a board that was being made ready.
    pub(super) fn opened(&mut self) {
        if std::mem::take(&mut self.game.is_opening) {
            self.reply(&Reply::Game(GameReply::Ok));
        }
    }

    fn play_by(&mut self, variant: &'static str, overline: bool) -> Result<(), Refusal> {
        let before = (self.board.variant(), self.board.choice(OVERLINE).unwrap_or(1));
        let sized =
            |session: &Self| session.board.is_chosen(SIZES[0]).then(|| session.board.size());
        let wanted = sized(self).flatten();
        self.change(variant, &[(OVERLINE, i64::from(overline))], wanted)?;
        if let Err(why) = self.place(&self.game.stones.clone()) {
            self.change(before.0, &[(OVERLINE, before.1)], wanted)?;
            return Err(format!("{variant}: {why}"));
        }
        Ok(())
    }

    fn set_limit(&mut self, limit: GameLimit) {
        self.game.limits.set(limit);
        if !matches!(limit, GameLimit::Memory(_) | GameLimit::Table(_)) {
            return;
        }
        let settings = *self.board.settings();
        let usual = Settings::default().hash_mib;
        let most = self.engine.memory_mib.unwrap_or(usize::MAX).max(usual);
        let hash_mib = self.game.limits.table_mib(usual).min(most);
        if hash_mib != settings.hash_mib {
            self.board.configure(Settings { hash_mib, ..settings }, self.backend_sink.clone());
        }
    }

    fn size(&self) -> Result<(u32, u32), Refusal> {
        let none = || format!("{} has no board", self.board.variant());
        self.board.size().ok_or_else(none)
    }

    /// The cell is on the board.
    fn check_place(&self, point: Point) -> Result<(), Refusal> {
        let (columns, rows) = self.size()?;
        if point.x < columns && point.y < rows {
            return Ok(());
        }
        let last = Point { x: columns - 1, y: rows - 1 };
        Err(format!("{point} is outside the board (0,0 to {last})"))
    }

    /// All these cells are on the board.
    fn check_places(&self, points: &[Point]) -> Result<(), Refusal> {
        points.iter().try_for_each(|&point| self.check_place(point))
    }

    /// The cell is on the board and free.
    fn check_free(&self, point: Point) -> Result<(), Refusal> {
        self.check_place(point)?;
        match self.game.stones.at(point) {
            None => Ok(()),
            Some(_) => Err(format!("{point} is taken")),
        }
    }

    /// Sets the board to this game's position, we to move.
    fn place(&mut self, list: &StoneList) -> Result<(), Refusal> {
        let setup = list.setup(self.size()?);
        self.board.set_position(&setup).map(drop)
    }

    fn begin(&mut self, at: Instant) -> Result<(), Refusal> {
        if self.game.stones.played().next().is_some() {
            return Err("to begin, the board must be empty".to_owned());
        }
        self.think(1, MoveSearch::Play, at)
    }

    /// Puts a stone on a free cell when its owner may; on an error nothing changes.
    fn put(&mut self, point: Point, owner: Owner) -> Result<(), Refusal> {
        self.check_free(point)?;
        let reverse = |list: &StoneList, is_reversed: bool| {
            if is_reversed { list.reversed() } else { list.clone() }
        };
        let is_own = owner == Owner::Own;
        self.place(&reverse(&self.game.stones, !is_own))?;
        if self.board.settled().is_some() {
            return Err(format!("{point}: the game is over"));
        }
        let mut after = self.game.stones.clone();
        after.put(point, owner);
        let placed = self.place(&reverse(&after, is_own));
        placed.map_err(|why| format!("{point} cannot be played: {why}"))?;
        self.game.stones = after;
        self.game.is_opponent_to_move = is_own;
        Ok(())
    }

    fn take_turn(&mut self, point: Point, at: Instant) -> Result<(), Refusal> {
        self.put(point, Owner::Opponent)?;
        self.think(1, MoveSearch::Play, at)
    }

    fn play_stone(&mut self, point: Point) -> Result<(), Refusal> {
        self.put(point, Owner::Own)?;
        self.game_reply(GameReply::Stone(point))
    }

    fn take_back(&mut self, point: Point) -> Result<(), Refusal> {
        self.check_place(point)?;
        let Some(owner) = self.game.stones.take(point) else {
            return Err(format!("there is no stone on {point} to take back"));
        };
        if owner != Owner::Nobody {
            self.game.is_opponent_to_move = owner == Owner::Opponent;
        }
        self.game_reply(GameReply::Ok)
    }

    fn set_up(&mut self, stones: Vec<Stone>, reply: bool, at: Instant) -> Result<(), Refusal> {
        let mut list = StoneList::default();
        for Stone { point, owner } in stones {
            self.check_place(point)?;
            if list.at(point).is_some() {
                return Err(format!("two stones on {point}"));
            }
            list.put(point, owner);
        }
        self.place(&list)?;
        self.game.stones = list;
        self.game.is_opponent_to_move = false;
        if reply { self.think(1, MoveSearch::Play, at) } else { Ok(()) }
    }

    fn choose(&mut self, stones: &[Point], at: Instant) -> Result<(), Refusal> {
        for (index, &point) in stones.iter().enumerate() {
            self.check_place(point)?;
            if stones[..index].contains(&point) {
                return Err(format!("two stones on {point}"));
            }
        }
        let choice = Swap2Choice::of(stones, self.size()?)
            .ok_or_else(|| format!("0, 3 or 5 stones leave a choice, not {}", stones.len()))?;
        let lines = if choice.needs_one_line() { 1 } else { usize::MAX };
        self.think(lines, MoveSearch::Choose(choice), at)
    }

    /// Searches for our move, ranking so many of them.
    fn think(&mut self, lines: usize, purpose: MoveSearch, at: Instant) -> Result<(), Refusal> {
        let list = match &purpose {
            MoveSearch::Play => self.game.stones.clone(),
            MoveSearch::Choose(choice) => choice.stones(),
        };
        self.place(&list)?;
        if self.board.settled().is_some() {
            return Err("the game is over: there is nothing to play".to_owned());
        }
        let (_, rows) = self.size()?;
        let legal = self.board.picture().legal;
        let is_open = |name: &String| {
            Point::named(name, rows).is_some_and(|point| self.is_open(point, &list, &purpose))
        };
        let open: Vec<String> = legal.iter().filter(|name| is_open(name)).cloned().collect();
        if open.is_empty() {
            return Err("every move is blocked: there is nothing to play".to_owned());
        }
        self.lines = lines.clamp(1, open.len());
        let settings = Settings { multi_pv: self.lines, ..*self.board.settings() };
        if settings != *self.board.settings() {
            self.board.configure(settings, self.backend_sink.clone());
        }
        let is_restricted = open.len() < legal.len();
        let request = Request {
            limits: self.game.limits.limits(),
            search_moves: if is_restricted { open } else { Vec::new() },
            complaints: Vec::new(),
        };
        self.search(request, at, Purpose::ManagedGame(purpose));
        Ok(())
    }

    /// Whether we may play here, as far as the client says.
    fn is_open(&self, point: Point, list: &StoneList, purpose: &MoveSearch) -> bool {
        match purpose {
            MoveSearch::Choose(choice) => choice.considers(point),
            MoveSearch::Play => {
                list.walls().all(|wall| wall != point)
                    && !self.game.blocked.contains(&point)
                    && !self.game.blocked_paths.iter().any(|path| is_end(path, list, point))
            }
        }
    }

    /// A search for our move has ended.
    pub(super) fn found(&mut self, purpose: MoveSearch, ranked: &[Ranked], answer: Answer<String>) {
        self.game.limits.spend(answer.report.time);
        let rows = self.board.size().map_or(0, |(_, rows)| rows);
        let reply = match purpose {
            MoveSearch::Play => {
                if let Some(point) = answer.best.as_deref().and_then(|mv| Point::named(mv, rows)) {
                    self.game.stones.put(point, Owner::Own);
                    self.game.is_opponent_to_move = true;
                }
                Reply::Answer(answer)
            }
            MoveSearch::Choose(choice) => match choice.decide(ranked, &answer, rows) {
                Some(swap) => Reply::Game(GameReply::Swap(swap)),
                None => Reply::Answer(answer),
            },
        };
        self.reply(&reply);
    }

    fn evaluate_stone(&mut self, point: Point) -> Result<(), Refusal> {
        self.check_free(point)?;
        let mut after = self.game.stones.clone();
        after.put(point, Owner::Own);
        self.place(&after.reversed())?;
        let theirs = self.board.settled().or_else(|| self.board.explain().map(|(score, _)| score));
        let Some(theirs) = theirs else { return Ok(()) };
        self.game_reply(GameReply::Evaluated(point, -theirs))
    }

    fn block(&mut self, points: Vec<Point>) -> Result<(), Refusal> {
        self.check_places(&points)?;
        let blocked = &mut self.game.blocked;
        let fresh: Vec<Point> = points.into_iter().filter(|p| !blocked.contains(p)).collect();
        blocked.extend(fresh);
        Ok(())
    }

    fn unblock(&mut self, points: &[Point]) -> Result<(), Refusal> {
        self.check_places(points)?;
        self.game.blocked.retain(|point| !points.contains(point));
        Ok(())
    }

    fn unblock_path(&mut self, path: &[Point]) -> Result<(), Refusal> {
        self.check_places(path)?;
        self.game.blocked_paths.retain(|known| known != path);
        Ok(())
    }

    fn block_path(&mut self, path: Vec<Point>) -> Result<(), Refusal> {
        self.check_places(&path)?;
        if !path.is_empty() && !self.game.blocked_paths.contains(&path) {
            self.game.blocked_paths.push(path);
        }
        Ok(())
    }

    fn forbidden(&mut self) -> Result<(), Refusal> {
        let stones = &self.game.stones;
        let stones = if self.game.is_opponent_to_move { stones.reversed() } else { stones.clone() };
        self.place(&stones)?;
        let (columns, rows) = self.size()?;
        let picture = self.board.picture();
        let is_over = picture.outcome.is_some();
        let cells = (0..rows).flat_map(|y| (0..columns).map(move |x| Point { x, y }));
        let is_forbidden = |point: &Point| {
            !is_over
                && self.game.stones.at(*point).is_none_or(|owner| owner == Owner::Nobody)
                && !picture.legal.contains(&point.name(rows))
        };
        let forbidden = cells.filter(is_forbidden).collect();
        self.game_reply(GameReply::Forbidden(forbidden))
    }

    fn capacity(&mut self) -> Result<(), Refusal> {
        let most = |key| self.options.most(key).map_or(0, i64::unsigned_abs);
        let reply = GameReply::Capacity { threads: most(Key::Threads), table_mib: most(Key::Hash) };
        self.game_reply(reply)
    }
}

/// Whether `path` is the game so far and then `point`.
fn is_end(path: &[Point], list: &StoneList, point: Point) -> bool {
    let Some((last, before)) = path.split_last() else { return false };
    *last == point && before.iter().copied().eq(list.played().map(|stone| stone.point))
}
