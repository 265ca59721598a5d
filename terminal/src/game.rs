//! [`SeatedGame`]: a game between two seats, with its variations. A pure state machine.
//!
//! The [`Position`] decides what is legal, forbidden and won. Searches and the terminal are
//! elsewhere.

use tengen_engine::opening::{Act, Course, OpeningRule, Pending, PendingKind};
use tengen_engine::{GameSpec, Move, Outcome, Point, Position, Side, Style};
use tengen_protocol::judge::language::Stones;

use crate::clock::{ShownTimes, TimeControl};
use crate::command::Humans;
use crate::tree::{GameNodeId, GameTree, PlayedMove};

/// The player of a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Player {
    /// A person.
    Human,
    /// The engine.
    Engine,
}

/// Whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Turn {
    /// The player of this seat moves.
    Move(usize),
    /// The player of this seat chooses in the opening.
    Choose(usize),
    /// The game is over.
    Over,
}

/// The end of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    /// The rules ended the game.
    Board(Outcome),
    /// This side resigned.
    Resigned(Side),
    /// This side used up its time.
    Time(Side),
}

impl Ending {
    /// Returns the winner; `None` for a draw.
    pub(crate) fn winner(self) -> Option<Side> {
        match self {
            Self::Board(Outcome::Win(side)) => Some(side),
            Self::Board(_) => None,
            Self::Resigned(side) | Self::Time(side) => Some(side.other()),
        }
    }
}

/// What a record of a game in progress says besides the game.
#[derive(Default)]
pub(crate) struct KeptState {
    /// The players and the level of the engine.
    pub(crate) players: Option<(Humans, u8)>,
    /// The position at which the game was left; `None` for the end of the main line.
    pub(crate) here: Option<GameNodeId>,
    /// The time control.
    pub(crate) time: Option<TimeControl>,
    /// The times on the clocks.
    pub(crate) shown: ShownTimes,
}

/// A game between two seats.
pub struct SeatedGame {
    position: Box<dyn Position>,
    tree: GameTree,
    players: [Player; 2],
    /// The opening by a rule, in which the seats choose their sides; `None` without a rule.
    opening: Option<Course>,
    /// A resignation or a loss on time, and the node where it happened.
    ended: Option<(GameNodeId, Ending)>,
    /// What the record that the game was read from says about a game in progress.
    pub(crate) kept: KeptState,
    /// A result in that record which the rules do not give and which is no resignation and no loss
    /// on time, and the last node of the main line.
    pub(crate) recorded_result: Option<(GameNodeId, String)>,
    /// The names of both players in the record that the game was read from.
    pub(crate) names: [Option<String>; 2],
    /// Other SGF properties of the record that the game was read from.
    pub(crate) headers: Vec<(String, String)>,
}

impl SeatedGame {
    /// Returns a game of two people. The moves already played in `position` are part of the game.
    /// With a `rule` the players follow its opening.
    pub fn new(position: Box<dyn Position>, rule: Option<&'static OpeningRule>) -> Self {
        let moves = position.played().to_vec();
        let mut position = position;
        position.undo_to(0);
        let grid = position.spec().grid;
        let opening = rule.zip(grid).map(|(rule, grid)| Course::new(rule, grid.grid()));
        let tree = GameTree::default();
        let (players, names, headers) = ([Player::Human; 2], [None, None], Vec::new());
        let mut game = Self {
            position,
            tree,
            players,
            opening,
            ended: None,
            kept: KeptState::default(),
            recorded_result: None,
            names,
            headers,
        };
        moves.into_iter().for_each(|mv| game.push(mv));
        game
    }

    /// Returns the description of the game.
    pub fn spec(&self) -> &GameSpec {
        self.position.spec()
    }

    /// Returns the current position.
    pub(crate) fn position(&self) -> &dyn Position {
        &*self.position
    }

    /// Returns the moves of the game.
    pub(crate) fn tree(&self) -> &GameTree {
        &self.tree
    }

    /// Returns the moves of the game, to change notes about them.
    pub(crate) fn tree_mut(&mut self) -> &mut GameTree {
        &mut self.tree
    }

    /// Returns the seat of a side.
    pub(crate) fn seat(&self, side: Side) -> usize {
        self.opening.as_ref().map_or(side.index(), |course| course.player_of(side))
    }

    /// Returns the player of a side. Before the sides are chosen, this is as if nobody swapped.
    pub(crate) fn player(&self, side: Side) -> Player {
        self.players[self.seat(side)]
    }

    /// Returns whether the sides of the players are settled. An opening settles them at its end.
    pub(crate) fn has_sides(&self) -> bool {
        self.opening.as_ref().is_none_or(Course::is_over)
    }

    /// Returns the opening by a rule; `None` without a rule.
    pub(crate) fn opening(&self) -> Option<&Course> {
        self.opening.as_ref()
    }

    /// Returns the next decision of the opening. `None` when it is over, and at a position before
    /// its last stone.
    pub(crate) fn pending(&self) -> Option<Pending> {
        let course = self.opening.as_ref()?;
        let is_here = course.stones().len() == self.tree.ply() && self.ending().is_none();
        course.pending().filter(|_| is_here)
    }

    /// Returns whether one of the players is the engine.
    pub(crate) fn has_engine(&self) -> bool {
        self.players.contains(&Player::Engine)
    }

    /// Returns whether one of the players is a person.
    pub(crate) fn has_human(&self) -> bool {
        self.players.contains(&Player::Human)
    }

    /// Returns how the game ended at the current node; `None` while it continues.
    pub(crate) fn ending(&self) -> Option<Ending> {
        self.ending_of(&*self.position, self.tree.current())
    }

    /// Returns how the game ended at a node; `None` if it continues.
    pub(crate) fn ending_at(&self, id: GameNodeId) -> Option<Ending> {
        self.ending_of(&*self.position_at(id), id)
    }

    fn ending_of(&self, position: &dyn Position, id: GameNodeId) -> Option<Ending> {
        let given = || self.ended.filter(|(node, _)| *node == id).map(|(_, ending)| ending);
        position.outcome().map(Ending::Board).or_else(given)
    }

    /// Returns how the game of the main line ended: at its last move, or where a player gave it up
    /// or ran out of time. `None` while it continues.
    pub(crate) fn result(&self) -> Option<Ending> {
        let end = self.tree.main_end();
        self.ending_at(end).or_else(|| {
            let (node, ending) = self.ended?;
            self.tree.line_to(end).contains(&node).then_some(ending)
        })
    }

    /// Returns whose turn it is.
    pub(crate) fn turn(&self) -> Turn {
        if self.ending().is_some() {
            return Turn::Over;
        }
        match self.pending() {
            Some(Pending { player, kind, .. }) => match kind {
                PendingKind::Place { .. } => Turn::Move(player),
                _ => Turn::Choose(player),
            },
            None => Turn::Move(self.seat(self.position.turn())),
        }
    }

    /// Returns the player who has to move or choose; `None` when the game is over.
    pub(crate) fn actor(&self) -> Option<Player> {
        match self.turn() {
            Turn::Move(seat) | Turn::Choose(seat) => Some(self.players[seat]),
            Turn::Over => None,
        }
    }

    /// Returns the points that the rules forbid to the side to move, with the names of the rules.
    pub(crate) fn forbidden(&self) -> Vec<(Point, &'static str)> {
        if self.ending().is_some() {
            return Vec::new();
        }
        self.position.forbidden(self.position.turn())
    }

    /// Returns the last move; `None` before the first one.
    pub(crate) fn last(&self) -> Option<&PlayedMove> {
        self.tree.played(self.tree.current())
    }

    /// Returns the point of the last move; `None` before the first move or without a grid.
    pub(crate) fn last_point(&self) -> Option<Point> {
        self.spec().grid?.point_of(self.last()?.mv)
    }

    /// Reads a move of the side to move. The error says why the move is not allowed.
    pub(crate) fn read(&self, text: &str) -> Result<Move, String> {
        let mv = self.position.read_move(text).map_err(|error| error.to_string())?;
        let Some(point) = self.spec().grid.and_then(|notation| notation.point_of(mv)) else {
            return Ok(mv);
        };
        match self.forbidden().into_iter().find(|(at, _)| *at == point) {
            Some((_, rule)) => {
                let side = side_name(self.spec(), self.position.turn());
                Err(format!("{point} is forbidden to {side}: {rule}"))
            }
            None => Ok(mv),
        }
    }

    /// Plays a move that was read in the current position.
    pub(crate) fn play(&mut self, mv: Move) {
        self.rewind_opening();
        let point = self.spec().grid.and_then(|grid| grid.point_of(mv));
        let ply = self.tree.ply();
        if let (Some(course), Some(point)) = (&mut self.opening, point)
            && !course.is_over()
            && course.stones().len() == ply
            && course.act(Act::Point(point)).is_err()
        {
            return;
        }
        self.push(mv);
    }

    /// Removes the acts of the opening after the current position.
    fn rewind_opening(&mut self) {
        let Some(grid) = self.spec().grid else { return };
        let played = self.tree.line().into_iter().filter_map(|id| self.tree.played(id));
        let line: Vec<Option<Point>> = played.map(|played| grid.point_of(played.mv)).collect();
        let Some(course) = &mut self.opening else { return };
        let is_ahead = |course: &Course| {
            let mut stones = course.stones().iter().zip(&line);
            course.stones().len() > line.len() || stones.any(|(stone, at)| Some(*stone) != *at)
        };
        while is_ahead(course) {
            let Some(before) = course.undone() else { break };
            *course = before;
        }
    }

    fn push(&mut self, mv: Move) {
        let name = self.position.write_move(mv, Style::Plain);
        let side = self.position.turn();
        if self.position.play(mv).is_ok() {
            self.tree.play(PlayedMove { mv, name, side });
        }
    }

    /// Reads an act of the opening. The error says why it is not allowed.
    pub(crate) fn read_act(&self, text: &str) -> Result<Act, String> {
        let over = || "the opening is over".to_owned();
        let course = self.opening.as_ref().filter(|_| self.pending().is_some()).ok_or_else(over)?;
        let act = course.read(text).map_err(|why| why.to_string())?;
        course.clone().act(act).map_err(|why| why.to_string())?;
        Ok(act)
    }

    /// Carries out an act of the opening; returns `false` if it is not allowed. A stone of the
    /// opening is a move of the game.
    pub(crate) fn act(&mut self, act: Act) -> bool {
        let (Some(course), Some(grid)) = (&mut self.opening, self.position.spec().grid) else {
            return false;
        };
        let before = course.stones().len();
        if course.act(act).is_err() {
            return false;
        }
        let stones: Vec<Point> = course.stones()[before..].to_vec();
        stones.into_iter().for_each(|point| self.push(grid.move_to(point)));
        true
    }

    /// Ends the game by a resignation or on time. The line to the current node is its main line.
    pub(crate) fn end(&mut self, ending: Ending) {
        self.tree.promote();
        self.ended = Some((self.tree.current(), ending));
    }

    /// Stores that a record says how the game ended at `node`.
    pub(crate) fn note_end(&mut self, node: GameNodeId, ending: Ending) {
        self.ended = Some((node, ending));
    }

    /// Continues an opening.
    pub(crate) fn resume_opening(&mut self, course: Course) {
        self.opening = Some(course);
    }

    /// Exchanges the sides of the players.
    pub(crate) fn swap_players(&mut self) {
        self.players.reverse();
    }

    /// Sets who plays which side from now on.
    pub(crate) fn set_players(&mut self, players: [Player; 2]) {
        let first = self.seat(Side::First);
        self.players = if first == 0 { players } else { [players[1], players[0]] };
    }

    /// Undoes until a person is to move or choose: one step, or two if the engine replied. Returns
    /// the moves taken back, the last one first; `None` if there is nothing to take back.
    pub(crate) fn undo(&mut self) -> Option<Vec<PlayedMove>> {
        let here = self.tree.current();
        if self.ended.is_some_and(|(node, _)| node == here) {
            self.ended = None;
            return Some(Vec::new());
        }
        let before = self.opening.clone();
        let mut undone = Vec::new();
        loop {
            if !self.step_back(&mut undone) {
                // The engine's opening moves stay.
                self.opening = before;
                self.go_to(here);
                return None;
            }
            if !self.has_human() || self.actor() == Some(Player::Human) {
                return Some(undone);
            }
        }
    }

    /// Undoes a choice or a move; returns `false` if there is none.
    fn step_back(&mut self, undone: &mut Vec<PlayedMove>) -> bool {
        let ply = self.tree.ply();
        let course = self.opening.as_mut().filter(|course| course.stones().len() == ply);
        if let Some(course) = course
            && let Some(before) = course.undone()
        {
            let has_stone = before.stones().len() < ply;
            *course = before;
            if !has_stone {
                return true;
            }
        }
        undone.extend(self.last().cloned());
        // From the last position the move leaves the game. From an earlier one, this only goes
        // back.
        let went = if self.tree.is_at_end() { self.tree.take_back() } else { self.tree.back() };
        went && self.position.undo().is_some()
    }

    /// Plays moves again that were taken back, until a person is to move or choose. Returns their
    /// number.
    pub(crate) fn redo(&mut self) -> usize {
        let mut count = 0;
        while self.step_forward() {
            count += 1;
            if !self.has_human() || self.actor() != Some(Player::Engine) {
                break;
            }
        }
        count
    }

    /// Plays the move again that was taken back, or goes one move forward.
    fn step_forward(&mut self) -> bool {
        // A choice of the opening is made again, not repeated.
        if matches!(self.turn(), Turn::Choose(_)) {
            return false;
        }
        let Some(mv) = self.tree.redo().map(|played| played.mv) else { return false };
        let point = self.spec().grid.and_then(|grid| grid.point_of(mv));
        if let (Some(course), Some(point)) = (&mut self.opening, point) {
            // A stone of another rule or variation ends the opening as it is.
            let _ = course.act(Act::Point(point));
        }
        self.position.play(mv).is_ok()
    }

    /// Goes to the last move of the main line.
    pub fn go_to_end(&mut self) {
        self.go_to(self.tree.main_end());
    }

    /// Goes to a node of the game.
    pub(crate) fn go_to(&mut self, id: GameNodeId) {
        self.tree.go_to(id);
        self.position = self.position_at(id);
    }

    /// Returns the position at a node.
    pub(crate) fn position_at(&self, id: GameNodeId) -> Box<dyn Position> {
        let mut position = self.position.start();
        for played in self.tree.line_to(id).into_iter().filter_map(|id| self.tree.played(id)) {
            if position.play(played.mv).is_err() {
                break;
            }
        }
        position
    }

    /// Returns the line that ended the game: the longest row of equal stones through the last move.
    /// Empty if no line ended the game.
    pub(crate) fn winning_line(&self) -> Vec<Point> {
        self.position.winning_line()
    }
}

/// Returns the name of a side: the colour of its stones if the game has a board.
pub(crate) fn side_name(spec: &GameSpec, side: Side) -> &'static str {
    let names = match Stones::of(spec) {
        _ if spec.grid.is_none() => ["First", "Second"],
        Stones::Laid => ["Black", "White"],
        Stones::Falling => ["Red", "Yellow"],
        Stones::Marks => ["X", "O"],
    };
    names[side.index()]
}

/// Returns the letter of a side's stones in plain text.
pub(crate) fn side_letter(side: Side) -> char {
    match side {
        Side::First => 'X',
        Side::Second => 'O',
    }
}

#[cfg(test)]
mod tests {
    use tengen_engine::{Catalog, Chosen};
    use tengen_games::CATALOG;

    use super::*;

    const HUMAN_FIRST: [Player; 2] = [Player::Human, Player::Engine];
    const BOTH: [Player; 2] = [Player::Human; 2];

    fn start(variant: &str, players: [Player; 2], swaps: bool) -> SeatedGame {
        let spec = CATALOG.describe(variant, &Chosen::new()).expect("a variant");
        let rule = swaps.then(|| CATALOG.opening_rule(&spec, "swap2").expect("a rule"));
        let mut game = SeatedGame::new(CATALOG.position(&spec), rule);
        game.set_players(players);
        game
    }

    fn play(game: &mut SeatedGame, moves: &str) {
        for text in moves.split_whitespace() {
            let mv = game.read(text).unwrap_or_else(|why| panic!("{text}: {why}"));
            game.play(mv);
        }
    }

    fn names(points: &[Point]) -> Vec<String> {
        points.iter().map(Point::to_string).collect()
    }

    #[test]
    fn the_end_of_a_game_and_its_line_are_known() {
        let mut game = start("gomoku", BOTH, false);
        play(&mut game, "h8 a1 i9 a2 j10 a3 k11 a4");
        assert_eq!(game.ending(), None);
        play(&mut game, "l12");
        assert_eq!(game.turn(), Turn::Over);
        assert_eq!(game.ending().and_then(Ending::winner), Some(Side::First));
        assert_eq!(names(&game.winning_line()), ["h8", "i9", "j10", "k11", "l12"]);
        assert!(game.undo().is_some());
        assert!(game.winning_line().is_empty() && game.ending().is_none());
    }

    #[test]
    fn a_losing_line_is_shown_and_the_opponent_wins() {
        let mut game = start("cfour-misere", BOTH, false);
        play(&mut game, "a b a b a b a");
        assert_eq!(game.ending().and_then(Ending::winner), Some(Side::Second));
        assert_eq!(names(&game.winning_line()), ["a1", "a2", "a3", "a4"]);
    }

    #[test]
    fn undo_goes_back_to_the_persons_turn_and_redo_forward() {
        let mut game = start("gomoku", HUMAN_FIRST, false);
        assert!(game.undo().is_none());
        play(&mut game, "h8");
        assert_eq!(game.actor(), Some(Player::Engine));
        assert_eq!(game.undo().map(|moves| moves.len()), Some(1));
        play(&mut game, "h8 i9 j10 k11");
        assert_eq!(game.undo().map(|moves| moves.len()), Some(2));
        assert_eq!((game.tree().ply(), game.actor()), (2, Some(Player::Human)));
        assert_eq!((game.redo(), game.redo(), game.tree().ply()), (2, 0, 4));
        // The engine moved first, and the person cannot take back its move.
        let mut game = start("gomoku", [Player::Engine, Player::Human], false);
        play(&mut game, "h8");
        assert!(game.undo().is_none());
        assert_eq!((game.tree().ply(), game.position().played().len()), (1, 1));
    }

    #[test]
    fn a_resignation_can_be_taken_back_and_belongs_to_its_position() {
        let mut game = start("renju", HUMAN_FIRST, false);
        play(&mut game, "h8 i9");
        game.end(Ending::Resigned(Side::First));
        assert_eq!(game.ending().and_then(Ending::winner), Some(Side::Second));
        game.go_to(game.tree().root());
        assert_eq!(game.ending(), None);
        game.redo();
        assert_eq!(game.undo().map(|moves| moves.len()), Some(0));
        assert_eq!(game.ending(), None);
    }

    #[test]
    fn a_forbidden_point_is_refused_with_its_rule() {
        let mut game = start("renju", BOTH, false);
        play(&mut game, "h8 a1 i8 a3 j7 a5 j6 a7");
        let refused = game.read("j8").map_err(|why| why.contains("forbidden to Black"));
        assert_eq!(refused, Err(true), "{:?}", game.forbidden());
        assert!(game.forbidden().iter().any(|(at, _)| at.to_string() == "j8"));
    }

    #[test]
    fn a_game_lost_by_a_forbidden_move_names_the_point_and_the_rule() {
        for (moves, end) in [
            ("h8 a1 i8 a3 j7 a5 j6 a7 j8", "j8 is forbidden to Black (double-three)"),
            ("h8 a1 i8 a3 j8 a5 k9 a7 k10 a9 k11 a11 k8", "k8 is forbidden to Black (double-four)"),
            ("h8 a1 i8 a3 j8 a5 l8 a7 m8 a9 k8", "k8 is forbidden to Black (overline)"),
        ] {
            let spec = CATALOG.describe("renju", &Chosen::new()).expect("a variant");
            let mut position = CATALOG.position(&spec);
            let moves = position.split_moves(moves);
            position.play_all(&moves).expect("moves");
            let game = SeatedGame::new(position, None);
            assert_eq!(crate::sentences::turn(&game), format!("White has won, because {end}."));
        }
    }

    #[test]
    fn swap2_gives_each_seat_its_turn() {
        let mut game = start("gomoku", HUMAN_FIRST, true);
        play(&mut game, "h8 i9 j10");
        assert_eq!(game.turn(), Turn::Choose(1));
        assert!(game.act(Act::Swap) && game.has_sides());
        assert_eq!(game.player(Side::First), Player::Engine);
        assert_eq!(game.turn(), Turn::Move(0));
        play(&mut game, "k11");
        assert_eq!((game.actor(), game.tree().ply()), (Some(Player::Engine), 4));
        // The person's move is taken back, but not the engine's choice.
        assert_eq!(game.undo().map(|moves| moves.len()), Some(1));
        assert_eq!(game.player(Side::First), Player::Engine);
        // The engine's choice and the third stone are taken back.
        assert_eq!(game.undo().map(|moves| moves.len()), Some(1));
        assert_eq!((game.tree().ply(), game.turn()), (2, Turn::Move(0)));
    }

    #[test]
    fn the_players_can_change_sides_at_any_time() {
        let mut game = start("cfour", HUMAN_FIRST, false);
        play(&mut game, "d");
        game.swap_players();
        assert_eq!(game.actor(), Some(Player::Human));
        game.set_players(BOTH);
        assert!(!game.has_engine());
    }
}
