//! The managed game: the engine keeps the game, and the client sends single stones. The commands
//! decide whose turn it is.
//!
//! A stone is played on the current position. The stones are set up again only where the position
//! does not hold them: after `START`, `TAKEBACK`, a change of rules or a choice in an opening. This
//! module does not depend on a dialect. A refused command does not change the game.

mod limits;
mod opening;
mod refused;
mod stones;

use tengen_engine::backend::{OpenError, Settings};
use tengen_engine::opening::MoveRanking;
use tengen_engine::{Answer, BoardOption, GridNotation, Instant, Move, Point, Position};

use self::limits::GameLimits;
pub(super) use self::opening::OpeningTask;
use self::refused::Refused;
use self::stones::StoneList;
use super::{Purpose, Session};
use crate::command::{GameCommand, GameLimit, GameReply, Owner, Reply, Stone, Xy};
use crate::options::Key;

/// The catalogue's options for the size of a board.
const SIZES: [&str; 2] = [BoardOption::Width.name(), BoardOption::Height.name()];
/// The catalogue's option that lets overlines win.
const OVERLINE: &str = "Overline";

/// The state of the managed game.
#[derive(Clone, Default)]
pub(super) struct ManagedGame {
    stones: StoneList,
    limits: GameLimits,
    /// Points on which we must not play.
    blocked: Vec<Point>,
    /// Games, as lists of points, whose last move we must not play.
    blocked_paths: Vec<Vec<Point>>,
    /// The player to move.
    next: Owner,
    /// Whether the position of [`ActiveGame`](super::ActiveGame) has these stones and `next` to
    /// move.
    is_position_current: bool,
    /// Whether `OK` waits until the transposition table is allocated.
    awaits_table: bool,
}

impl ManagedGame {
    /// Records a stone that was played in the current position.
    fn put(&mut self, point: Point, owner: Owner) {
        self.stones.put(point, owner);
        self.next = owner.other();
    }
}

impl Session {
    /// Runs a command that arrived at `at`.
    pub(super) fn game_command(&mut self, command: GameCommand, at: Instant) {
        let done = match command {
            GameCommand::Open { size, analyses } => self.open(size, analyses),
            GameCommand::Begin => self.begin(at),
            GameCommand::Turn(point) => self.take_turn(point, at),
            GameCommand::Play(point) => self.play_stone(point),
            GameCommand::TakeBack(point) => self.take_back(point),
            GameCommand::SetUp { stones, reply } => self.set_up(&stones, reply, at),
            GameCommand::Opening { step, stones } => self.choose(step, stones.as_deref(), at),
            GameCommand::BestMoves(lines) => self.think(lines, at),
            GameCommand::Rule { variant, overline } => self.change_rules(variant, overline),
            GameCommand::Limit(limit) => return self.set_limit(limit),
            GameCommand::Threads(threads) => return self.set_threads(threads),
            GameCommand::Evaluate(point) => self.evaluate_stone(point),
            GameCommand::Block(points) => self.block(&points),
            GameCommand::Unblock(points) => self.unblock(&points),
            GameCommand::UnblockAll => return self.game.blocked.clear(),
            GameCommand::BlockPath(path) => self.block_path(&path),
            GameCommand::UnblockPath(path) => self.unblock_path(&path),
            GameCommand::UnblockPaths => return self.game.blocked_paths.clear(),
            GameCommand::Forbidden => self.forbidden(),
            GameCommand::Capacity => self.capacity(),
        };
        if let Err(why) = done {
            self.refuse(why);
        }
    }

    fn game_reply(&mut self, reply: GameReply) -> Result<(), Refused> {
        self.reply(&Reply::Game(reply));
        Ok(())
    }

    /// Changes the rules and the board together, and returns to the starting position.
    pub(super) fn change_game(
        &mut self,
        variant: &'static str,
        options: &[(&'static str, i64)],
        size: Option<(u32, u32)>,
    ) -> Result<(), OpenError> {
        if self.active.change(variant, options, size)? {
            self.on_game_changed();
        }
        self.game.is_position_current = false;
        Ok(())
    }

    /// Changes the variant and the size of its board, and returns to the starting position.
    fn choose_board(
        &mut self,
        variant: &'static str,
        (columns, rows): (u32, u32),
    ) -> Result<(), Refused> {
        // In the options 0 is the default size. A client that sends 0 must get an error instead.
        let [width, height] = [columns, rows].map(|side| if side == 0 { -1 } else { side.into() });
        let options = [(SIZES[0], width), (SIZES[1], height)];
        let changed = self.change_game(variant, &options, Some((columns, rows)));
        changed.map_err(|error| Refused::Size(columns, rows, error))
    }

    /// Changes the variant, the size of its board, or both. On an error nothing changes.
    pub(super) fn choose_game(
        &mut self,
        variant: Option<&str>,
        size: Option<(u32, u32)>,
    ) -> Result<(), Refused> {
        let variant = match variant {
            None => self.active.variant(),
            Some(name) => {
                let known = self.engine.catalog.variant(name);
                known.ok_or_else(|| Refused::Variant(name.to_owned()))?.name
            }
        };
        match size {
            Some(size) => self.choose_board(variant, size),
            None => Ok(self.change_game(variant, &[], None)?),
        }
    }

    fn open(&mut self, size: Option<(u32, u32)>, analyses: bool) -> Result<(), Refused> {
        if let Some(size) = size {
            self.choose_board(self.active.variant(), size)?;
        }
        self.grid()?;
        if !analyses {
            self.active.new_game();
        }
        self.game.stones = StoneList::default();
        (self.game.next, self.game.is_position_current) = (Owner::Own, false);
        self.game.limits.begin();
        // A manager starts its clock after `OK`: the table must be allocated by then.
        self.game.awaits_table = !self.active.ready();
        if self.game.awaits_table { Ok(()) } else { self.game_reply(GameReply::Ok) }
    }

    /// Returns whether `OK` waits for the table. Then all commands wait.
    pub(super) fn awaits_table(&self) -> bool {
        self.game.awaits_table
    }

    /// Sends the `OK` that waited for the table.
    pub(super) fn send_delayed_ok(&mut self) {
        if std::mem::take(&mut self.game.awaits_table) {
            self.reply(&Reply::Game(GameReply::Ok));
        }
    }

    /// Changes the rules and keeps the stones. Refused if the new rules do not allow the stones.
    fn change_rules(&mut self, variant: &'static str, overline: bool) -> Result<(), Refused> {
        let before = (self.active.variant(), self.active.chosen_value(OVERLINE).unwrap_or(1));
        let is_sized = self.active.is_chosen(SIZES[0]);
        let size = self.active.spec().size().filter(|_| is_sized);
        self.change_game(variant, &[(OVERLINE, i64::from(overline))], size)?;
        if let Err(why) = self.place(Owner::Own) {
            self.change_game(before.0, &[(OVERLINE, before.1)], size)?;
            return Err(Refused::Rules(variant, Box::new(why)));
        }
        Ok(())
    }

    fn set_limit(&mut self, limit: GameLimit) {
        self.game.limits.set(limit);
        if !matches!(limit, GameLimit::Memory(_) | GameLimit::Table(_)) {
            return;
        }
        let usual = Settings::default().hash_mib;
        let max = self.engine.memory_mib.unwrap_or(usize::MAX).max(usual);
        let hash_mib = self.game.limits.table_mib(usual).min(max);
        self.active.configure(self.active.settings().with_hash_mib(hash_mib));
    }

    /// Sets the number of search threads; one for each core when `None`.
    fn set_threads(&mut self, threads: Option<u64>) {
        let max = self.options.max(Key::Threads).map_or(1, i64::unsigned_abs);
        let threads = threads.unwrap_or(max.min(self.engine.cores as u64));
        if threads > max {
            return self.note(format!("INFO thread_num {threads}: it must be at most {max}, or 0 for all cores; the old value is kept"));
        }
        let threads = usize::try_from(threads).unwrap_or(1);
        self.active.configure(self.active.settings().with_threads(threads));
    }

    fn grid(&self) -> Result<GridNotation, Refused> {
        self.active.spec().grid.ok_or_else(|| Refused::NoBoard(self.active.variant()))
    }

    /// Returns the point of `cell`; an error if it is outside the board.
    fn point(&self, cell: Xy) -> Result<Point, Refused> {
        let grid = self.grid()?.grid();
        let last = Xy { x: grid.width() - 1, y: grid.height() - 1 };
        cell.on(grid).ok_or(Refused::Outside(cell, last))
    }

    /// Returns the points of `cells`; an error if one is outside the board.
    fn points(&self, cells: &[Xy]) -> Result<Vec<Point>, Refused> {
        cells.iter().map(|&cell| self.point(cell)).collect()
    }

    /// Returns the point of `cell`; an error if it is outside the board or taken.
    fn free_point(&self, cell: Xy) -> Result<Point, Refused> {
        let point = self.point(cell)?;
        match self.game.stones.at(point) {
            None => Ok(point),
            Some(_) => Err(Refused::Taken(cell)),
        }
    }

    /// Makes the stones of this game, with `to_move` to move, the current position.
    fn place(&mut self, to_move: Owner) -> Result<(), Refused> {
        if self.game.is_position_current && self.game.next == to_move {
            return Ok(());
        }
        let position = self.position_of(&self.game.stones, to_move)?;
        self.active.set_to(position);
        (self.game.next, self.game.is_position_current) = (to_move, true);
        Ok(())
    }

    /// Returns the position of `stones` with `to_move` to move.
    fn position_of(
        &self,
        stones: &StoneList,
        to_move: Owner,
    ) -> Result<Box<dyn Position>, Refused> {
        let grid = self.grid()?;
        let mut position = self.active.position().duplicate();
        stones.set_up(&mut *position, grid, to_move).map_err(Refused::Position)?;
        Ok(position)
    }

    fn begin(&mut self, at: Instant) -> Result<(), Refused> {
        if self.game.stones.played().next().is_some() {
            return Err(Refused::NotEmpty);
        }
        self.think(1, at)
    }

    /// Plays a stone of `owner` on `cell`. On an error nothing changes.
    fn put(&mut self, cell: Xy, owner: Owner) -> Result<Point, Refused> {
        let point = self.free_point(cell)?;
        self.place(owner)?;
        if self.active.position().outcome().is_some() {
            return Err(Refused::Over(cell));
        }
        let mv = self.grid()?.move_to(point);
        if self.active.position_mut().play(mv).is_err() {
            let why = self.active.position().read_move(&point.to_string()).err();
            let why = why.map_or_else(String::new, |error| format!(": {error}"));
            return Err(Refused::Move(cell, why));
        }
        self.game.put(point, owner);
        Ok(point)
    }

    fn take_turn(&mut self, cell: Xy, at: Instant) -> Result<(), Refused> {
        let before = self.game.next;
        let point = self.put(cell, Owner::Opponent)?;
        let done = self.think(1, at);
        // A stone that ends the game stays. If all our moves are blocked, the turn is undone.
        if done.is_err() && self.active.final_score().is_none() {
            self.game.stones.take(point);
            (self.game.next, self.game.is_position_current) = (before, false);
        }
        done
    }

    fn play_stone(&mut self, cell: Xy) -> Result<(), Refused> {
        let point = self.put(cell, Owner::Own)?;
        self.game_reply(GameReply::Stone(point))
    }

    fn take_back(&mut self, cell: Xy) -> Result<(), Refused> {
        let point = self.point(cell)?;
        let Some(owner) = self.game.stones.take(point) else {
            return Err(Refused::NoStone(cell));
        };
        if owner != Owner::Nobody {
            (self.game.next, self.game.is_position_current) = (owner, false);
        }
        self.game_reply(GameReply::Ok)
    }

    fn set_up(&mut self, stones: &[Stone], reply: bool, at: Instant) -> Result<(), Refused> {
        let mut list = StoneList::default();
        for &Stone { at, owner } in stones {
            let point = self.point(at)?;
            if list.at(point).is_some() {
                return Err(Refused::TwoStones(at));
            }
            list.put(point, owner);
        }
        let position = self.position_of(&list, Owner::Own)?;
        let before = (self.game.clone(), self.active.position().duplicate());
        self.game.stones = list;
        self.active.set_to(position);
        (self.game.next, self.game.is_position_current) = (Owner::Own, true);
        let done = if reply { self.think(1, at) } else { Ok(()) };
        if done.is_err() {
            self.game = before.0;
            self.active.set_to(before.1);
        }
        done
    }

    /// Starts a search for our move that reports `multi_pv` moves.
    fn think(&mut self, multi_pv: usize, at: Instant) -> Result<(), Refused> {
        self.place(Owner::Own)?;
        self.search_move(multi_pv, Purpose::Play, at)
    }

    /// Starts a search of the current position, in which we are to move.
    fn search_move(
        &mut self,
        multi_pv: usize,
        purpose: Purpose,
        at: Instant,
    ) -> Result<(), Refused> {
        if self.active.final_score().is_some() {
            return Err(Refused::NothingToPlay);
        }
        let grid = self.grid()?;
        let legal = self.active.position().legal();
        let is_allowed = |mv: &Move| grid.point_of(*mv).is_some_and(|point| self.is_allowed(point));
        let allowed: Vec<Move> = legal.iter().copied().filter(is_allowed).collect();
        if allowed.is_empty() {
            return Err(Refused::AllBlocked);
        }
        self.multi_pv = multi_pv.clamp(1, allowed.len());
        self.active.configure(self.active.settings().with_multi_pv(self.multi_pv));
        let moves = if allowed.len() < legal.len() { allowed } else { Vec::new() };
        let limits = self.game.limits.limits();
        self.start_search(limits, moves, at, purpose);
        Ok(())
    }

    /// Returns whether the search may consider our move on `point`.
    fn is_allowed(&self, point: Point) -> bool {
        let ManagedGame { stones, blocked, blocked_paths, .. } = &self.game;
        stones.walls().all(|wall| wall != point)
            && !blocked.contains(&point)
            && !blocked_paths.iter().any(|path| completes_path(path, stones, point))
    }

    /// Handles the answer of a search.
    pub(super) fn found(
        &mut self,
        purpose: Purpose,
        ranking: &MoveRanking,
        answer: Answer<Move>,
        is_stopped: bool,
    ) {
        let Some(grid) = self.active.spec().grid else { return };
        if let Purpose::Choose(task) = purpose {
            return self.opening_searched(task, ranking, &answer, is_stopped);
        }
        self.game.limits.spend(answer.report.time);
        self.play_own(grid, answer.best);
        self.reply(&Reply::Answer(answer));
    }

    /// Plays our move in the position that was searched.
    fn play_own(&mut self, grid: GridNotation, best: Option<Move>) {
        let Some((mv, point)) = best.and_then(|mv| Some((mv, grid.point_of(mv)?))) else { return };
        let is_played = self.active.position_mut().play(mv).is_ok();
        self.game.put(point, Owner::Own);
        self.game.is_position_current &= is_played;
    }

    fn evaluate_stone(&mut self, cell: Xy) -> Result<(), Refused> {
        let point = self.free_point(cell)?;
        let mut after = self.game.stones.clone();
        after.put(point, Owner::Own);
        let position = self.position_of(&after, Owner::Opponent)?;
        let opponent_score = self.active.static_score(&*position);
        self.game_reply(GameReply::Evaluated(point, -opponent_score))
    }

    fn block(&mut self, cells: &[Xy]) -> Result<(), Refused> {
        for point in self.points(cells)? {
            if !self.game.blocked.contains(&point) {
                self.game.blocked.push(point);
            }
        }
        Ok(())
    }

    fn unblock(&mut self, cells: &[Xy]) -> Result<(), Refused> {
        let points = self.points(cells)?;
        self.game.blocked.retain(|point| !points.contains(point));
        Ok(())
    }

    fn unblock_path(&mut self, cells: &[Xy]) -> Result<(), Refused> {
        let path = self.points(cells)?;
        self.game.blocked_paths.retain(|known| *known != path);
        Ok(())
    }

    fn block_path(&mut self, cells: &[Xy]) -> Result<(), Refused> {
        let path = self.points(cells)?;
        if !path.is_empty() && !self.game.blocked_paths.contains(&path) {
            self.game.blocked_paths.push(path);
        }
        Ok(())
    }

    /// Sends the points that the rules forbid to the side to move.
    fn forbidden(&mut self) -> Result<(), Refused> {
        self.grid()?;
        self.place(self.game.next)?;
        let position = self.active.position();
        let forbidden = position.forbidden(position.turn());
        self.game_reply(GameReply::Forbidden(forbidden.into_iter().map(|(at, _)| at).collect()))
    }

    fn capacity(&mut self) -> Result<(), Refused> {
        let max = |key| self.options.max(key).map_or(0, i64::unsigned_abs);
        let reply = GameReply::Capacity { threads: max(Key::Threads), table_mib: max(Key::Hash) };
        self.game_reply(reply)
    }
}

/// Returns whether `path` is the stones of the game followed by `point`.
fn completes_path(path: &[Point], stones: &StoneList, point: Point) -> bool {
    let Some((last, before)) = path.split_last() else { return false };
    *last == point && before.iter().copied().eq(stones.played().map(|(at, _)| at))
}
