//! [`PositionAsked`]: a position that the user asks about, and the games that reached it.

use std::sync::Arc;

use tengen_engine::{Move, Placement, Point, Position};

use crate::Error;
use crate::condition::Condition;
use crate::index::{EARLY_STONES, IndexedGame, MAY_BE_LATE};
use crate::key::Walker;
use crate::ruleset::Ruleset;
use crate::store::Shelf;

/// A position on a board: its start, and the moves that led to it.
#[derive(Clone, Debug)]
pub struct PositionAsked {
    pub(crate) ruleset: Arc<Ruleset>,
    start: Option<Placement>,
    moves: Vec<u16>,
}

impl PositionAsked {
    /// Creates the position after `moves`, from `start`; `None` is the empty board. The points are on
    /// the board, and no point is taken twice.
    pub fn new(ruleset: Arc<Ruleset>, start: Option<Placement>, moves: &[Point]) -> Self {
        let moves = moves.iter().map(|point| ruleset.cell(*point)).collect();
        Self { ruleset, start, moves }
    }

    /// Creates the position after legal moves from `start`, a position of the game of `ruleset`.
    pub fn of_game(ruleset: Arc<Ruleset>, start: &dyn Position, moves: &[Move]) -> Self {
        let (notation, empty) = (ruleset.notation, Placement::empty(ruleset.grid()));
        let start = start.placement().filter(|start| *start != empty);
        let points: Vec<Point> = moves.iter().filter_map(|mv| notation.point_of(*mv)).collect();
        Self::new(ruleset, start, &points)
    }

    /// Returns the first position with this key in a game; `None` if the game does not reach it.
    pub(crate) fn in_game(game: &IndexedGame, key: i64) -> Option<Self> {
        let (plies, _) = game.reaches(key)?;
        let (ruleset, start) = (Arc::clone(&game.ruleset), game.start.clone());
        Some(Self { ruleset, start, moves: game.moves[..plies].to_vec() })
    }

    /// Sets up `position`, one of its game, by the rules.
    pub(crate) fn set_up(&self, position: &mut dyn Position) -> Result<(), String> {
        position.reset();
        if let Some(start) = &self.start {
            position.place(start).map_err(|why| why.to_string())?;
        }
        for point in self.moves() {
            let mv = self.ruleset.notation.move_to(point);
            position.play(mv).map_err(|why| why.to_string())?;
        }
        Ok(())
    }

    /// Returns the moves that led to it.
    pub fn moves(&self) -> impl Iterator<Item = Point> + '_ {
        self.moves.iter().map(|cell| self.ruleset.point(*cell))
    }

    /// Returns the position before the moves; `None` is the empty board.
    pub(crate) fn start(&self) -> Option<Placement> {
        self.start.clone()
    }

    /// Returns the position before the last move.
    pub(crate) fn before_last(&self) -> Self {
        let mut before = self.clone();
        before.moves.pop();
        before
    }

    /// Returns the ruleset.
    pub fn ruleset(&self) -> &Ruleset {
        &self.ruleset
    }

    /// Returns the position after a move to a free point.
    pub fn after_move(&self, point: Point) -> Self {
        let mut after = self.clone();
        after.moves.push(self.ruleset.cell(point));
        after
    }

    /// Returns the position.
    pub(crate) fn walker(&self) -> Walker<'_> {
        self.after(self.moves.len())
    }

    /// Returns the position after the first moves.
    fn after(&self, plies: usize) -> Walker<'_> {
        let mut walker = self.ruleset.keys.start(self.start.as_ref());
        self.moves[..plies].iter().for_each(|cell| walker.play(*cell));
        walker
    }

    /// Returns the stones, and the side to move.
    pub fn placement(&self) -> Placement {
        self.ruleset.placement(self.start.as_ref(), &self.moves)
    }

    /// Returns the number of stones.
    fn stones(&self) -> usize {
        self.placement().stones.iter().flatten().count()
    }
}

impl Shelf {
    /// Returns the ids of the games that reached a position. If two did, all of them are in the index.
    /// Else it may be one game after its first plies; `stop` ends the search for it.
    pub(crate) fn games_at(
        &mut self,
        asked: &PositionAsked,
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<i64>, Error> {
        let key = asked.walker().key();
        let games = self.indexed_at(key)?;
        if !games.is_empty() {
            return Ok(games);
        }
        Ok(self.only_game_at(asked, stop)?.map(|game| game.id).into_iter().collect())
    }

    fn indexed_at(&self, key: i64) -> Result<Vec<i64>, Error> {
        self.column("SELECT game FROM occurrences WHERE key = ?1", [key])
    }

    /// Returns the only game that reached a position which is not in the index; `None` if no game did.
    pub(crate) fn only_game_at(
        &mut self,
        asked: &PositionAsked,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<IndexedGame>, Error> {
        if asked.stones() <= EARLY_STONES {
            return Ok(None);
        }
        let key = asked.walker().key();
        // Most likely the game began with the moves that were asked for.
        let early = asked.moves.len().min(EARLY_STONES);
        for id in self.indexed_at(asked.after(early).key())? {
            let game = self.indexed_game(id)?;
            if game.move_at(key).is_some() {
                return Ok(Some(game));
            }
            if stop() {
                return Err(Error::Stopped);
            }
        }
        let mut found = None;
        let mut is_stopped = false;
        let name = asked.ruleset.name.clone();
        self.each_game(0, &Condition::new::<i64>(MAY_BE_LATE, []), |game| {
            is_stopped = stop();
            if game.ruleset.name == name && game.move_at(key).is_some() {
                found = Some(game);
            }
            found.is_none() && !is_stopped
        })?;
        if is_stopped && found.is_none() { Err(Error::Stopped) } else { Ok(found) }
    }
}
