//! [`Room`]: the games of two people in a room. It knows the rules, whose turn it is, the clocks and the
//! open wishes. It reads no clock and writes no file: each deed comes with its time, so that the kept deeds
//! lead to the same state again.

use tengen_engine::backend::Catalog;
use tengen_engine::opening::{Course, OpeningRule};
use tengen_engine::{GameSpec, Outcome, Position, Style};
use tengen_protocol::dialect::json::number::{Id, Int};
use tengen_protocol::dialect::json::reply::{MoveText, PlayerNumber};
use tengen_protocol::dialect::json::rooms::{
    RoomAsk, RoomClock, RoomEnd, RoomReply, RoomResult, RoomTerms, Wish,
};
use tengen_protocol::dialect::json::{Code, Problem, clipped};
use tengen_protocol::queries::{chosen, describe};

/// How long a room is kept after the last deed, in milliseconds: a day.
pub(crate) const KEPT_MS: u64 = 86_400_000;
/// The maximum number of deeds in a room without wishes, so that nobody fills the disk. A game can still end after them.
const MAX_DEEDS: u32 = 10_000;
/// The maximum number of wishes of a player between two other deeds.
const MAX_WISHES: u32 = 20;

/// A player: 0 made the room, 1 is the friend.
pub(crate) type Seat = usize;

/// What happens in a room.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Deed {
    /// The friend came for the first time: the clocks begin.
    Meet,
    /// A move or an act of the opening.
    Act(String),
    /// A wish, or the consent to the wish of the other player.
    Ask(Wish),
    /// No consent; or the own wish is taken back.
    Decline(Wish),
    /// The player resigns.
    Resign,
    /// The player has no time left.
    Fall,
}

/// A move or an act of the opening.
#[derive(Clone, Debug)]
struct Done {
    text: String,
    by: Seat,
    /// What the players had left before it, when its player began to think.
    left: [u64; 2],
}

/// The games of two people.
pub(crate) struct Room {
    terms: RoomTerms,
    rule: Option<&'static OpeningRule>,
    /// The number of the game, from 0.
    game: u32,
    /// The player who began this game.
    begins: Seat,
    /// The opening; `None` without a rule.
    course: Option<Course>,
    /// The position. Stones of an opening are there when it is over.
    position: Box<dyn Position>,
    done: Vec<Done>,
    /// What the players had left when the player who decides began to think, in milliseconds.
    left: [u64; 2],
    /// When the player who decides began to think.
    since: u64,
    /// Whether the friend has come: then the clocks run.
    has_met: bool,
    asks: Vec<(Seat, Wish)>,
    result: Option<(Option<Seat>, RoomEnd)>,
    /// How many deeds there were, without wishes.
    deeds: u32,
    /// How many wishes each player had since the last other deed.
    wishes: [u32; 2],
    /// The time of the last deed.
    touched: u64,
}

fn refusal(code: Code, field: &str, message: impl Into<String>) -> Problem {
    Problem::with(code, field, message)
}

fn spec_of(catalog: &dyn Catalog, terms: &RoomTerms) -> Result<GameSpec, Problem> {
    let first = catalog.variants().first().map_or("", |variant| variant.name);
    let options = terms.board.as_ref().map(chosen).unwrap_or_default();
    describe(catalog, terms.variant.as_deref().unwrap_or(first), &options)
}

fn number(seat: Seat) -> PlayerNumber {
    Int::nearest(seat + 1)
}

impl Room {
    /// Makes a room at the time `at`, in milliseconds.
    pub(crate) fn new(
        catalog: &dyn Catalog,
        mut terms: RoomTerms,
        at: u64,
    ) -> Result<Self, Problem> {
        let spec = spec_of(catalog, &terms)?;
        let rule = terms.rule.as_deref().map(|name| catalog.opening_rule(&spec, name));
        let rule = rule.transpose().map_err(|why| refusal(Code::Unsupported, "rule", why))?;
        if spec.grid.is_none() {
            let why = format!("{}: a room needs a game with a board", spec.variant);
            return Err(refusal(Code::Unsupported, "variant", why));
        }
        let adds = |clock: &RoomClock| clock.inc_ms.is_some_and(|inc| inc.to::<u64>() > 0);
        if terms.clock.filter(adds).is_some_and(|clock| clock.per_move == Some(true)) {
            let why = "inc_ms: with per_move each act has base_ms";
            return Err(refusal(Code::BadField, "clock.inc_ms", why));
        }
        terms.variant = Some(spec.variant.to_owned());
        let begins = terms.begins.map_or(0, |player| player.to::<usize>().saturating_sub(1));
        let mut room = Self {
            terms,
            rule,
            game: 0,
            begins,
            course: None,
            position: catalog.position(&spec),
            done: Vec::new(),
            left: [0; 2],
            since: at,
            has_met: false,
            asks: Vec::new(),
            result: None,
            deeds: 0,
            wishes: [0; 2],
            touched: at,
        };
        room.begin(at);
        Ok(room)
    }

    /// Begins a game.
    fn begin(&mut self, at: u64) {
        self.done.clear();
        self.asks.clear();
        self.result = None;
        self.left = [self.terms.clock.map_or(0, |clock| clock.base_ms.to()); 2];
        self.since = at;
        self.set_up();
    }

    /// Sets up the beginning of the game.
    fn set_up(&mut self) {
        self.position.reset();
        let grid = self.position.spec().grid.map(|notation| notation.grid());
        self.course = self.rule.zip(grid).map(|(rule, grid)| Course::new(rule, grid));
    }

    /// Returns the player who is player `player` of the game's opening.
    const fn seat(&self, player: usize) -> Seat {
        player ^ self.begins
    }

    /// Returns the player who has the first side.
    fn first(&self) -> Seat {
        self.seat(self.course.as_ref().map_or(0, Course::first_player))
    }

    /// Returns the player who acts next; `None` after the game.
    pub(crate) fn decides(&self) -> Option<Seat> {
        if self.result.is_some() {
            return None;
        }
        let pending = self.course.as_ref().and_then(Course::pending);
        let turn = || self.first() ^ self.position.turn().index();
        Some(pending.map_or_else(turn, |pending| self.seat(pending.player)))
    }

    /// Returns what a player has left at the time `at`.
    fn left(&self, seat: Seat, at: u64) -> u64 {
        let used = if self.runs() && self.decides() == Some(seat) {
            at.saturating_sub(self.since)
        } else {
            0
        };
        self.left[seat].saturating_sub(used)
    }

    /// Returns whether a clock runs.
    pub(crate) fn runs(&self) -> bool {
        self.terms.clock.is_some() && self.has_met && self.result.is_none()
    }

    /// Returns whose time ends, and when; `None` if no clock runs.
    pub(crate) fn falls(&self) -> Option<(Seat, u64)> {
        let seat = self.decides().filter(|_| self.runs())?;
        Some((seat, self.since + self.left[seat]))
    }

    /// Returns when the room ends.
    pub(crate) const fn ends(&self) -> u64 {
        self.touched + KEPT_MS
    }

    /// Returns whether the friend has come.
    pub(crate) const fn has_met(&self) -> bool {
        self.has_met
    }

    /// Lets a running clock stand still from `from` to `to`, while there was no server.
    pub(crate) fn stand_still(&mut self, from: u64, to: u64) {
        self.since += to.saturating_sub(from.max(self.since));
    }

    /// Refuses an act for another game or with another number of acts before it: it has counted already, or the
    /// player had not seen the last one.
    pub(crate) fn expect(&self, game: Option<u64>, count: Option<u64>) -> Result<(), Problem> {
        let refuse = |field, message| Err(refusal(Code::BadField, field, message));
        let (own, acts) = (u64::from(self.game) + 1, self.done.len() as u64);
        match (game, count) {
            (Some(game), _) if game != own => {
                refuse("game", format!("game {game}: the room plays game {own}"))
            }
            (_, Some(count)) if count != acts => {
                refuse("number", format!("number {count}: the game has {acts} acts"))
            }
            _ => Ok(()),
        }
    }

    /// Carries out a deed of a player at the time `at`. If it is not allowed, nothing changes.
    pub(crate) fn carry_out(&mut self, by: Seat, deed: &Deed, at: u64) -> Result<(), Problem> {
        let is_full = self.deeds >= MAX_DEEDS;
        match deed {
            Deed::Meet | Deed::Act(_) if is_full => {
                return Err(Problem::new(Code::TooMany, "the room is full: make a new one"));
            }
            Deed::Ask(_) if self.wishes[by] >= MAX_WISHES => {
                let why = "too many wishes: they are allowed again after the next act";
                return Err(Problem::new(Code::TooMany, why));
            }
            _ => {}
        }
        if *deed != Deed::Fall && self.falls().is_some_and(|(_, time)| time <= at) {
            return Err(refusal(Code::BadField, "do", "no time is left"));
        }
        match deed {
            Deed::Meet => self.meet(at)?,
            Deed::Act(text) => self.act(by, text, at)?,
            Deed::Ask(wish) => self.ask(by, *wish, at)?,
            Deed::Decline(wish) => self.decline(*wish)?,
            Deed::Resign => self.end(Some(1 - by), RoomEnd::Resign, at)?,
            Deed::Fall => self.fall(by, at)?,
        }
        match deed {
            Deed::Ask(_) => self.wishes[by] += 1,
            // Each needs a wish before it.
            Deed::Decline(_) => {}
            _ => {
                self.deeds += 1;
                // In a full room the games end, too: a rematch needs wishes.
                if !is_full {
                    self.wishes = [0; 2];
                }
            }
        }
        self.touched = at;
        Ok(())
    }

    fn meet(&mut self, at: u64) -> Result<(), Problem> {
        if self.has_met {
            return Err(refusal(Code::BadField, "do", "the players have met"));
        }
        (self.has_met, self.since) = (true, at);
        Ok(())
    }

    fn act(&mut self, by: Seat, text: &str, at: u64) -> Result<(), Problem> {
        let bad = |why: &dyn std::fmt::Display| {
            refusal(Code::BadMove, "act", format!("\"{}\": {why}", clipped(text)))
        };
        match self.decides() {
            None => return Err(bad(&"the game is over")),
            Some(seat) if seat != by => return Err(bad(&"it is the other player's turn")),
            Some(_) => {}
        }
        let left = self.left;
        let remaining = self.left(by, at);
        let text = self.perform(text).map_err(|why| refusal(Code::BadMove, "act", why))?;
        self.done.push(Done { text, by, left });
        self.asks.clear();
        if let Some(clock) = self.terms.clock.filter(|_| self.has_met) {
            self.left[by] = match clock.per_move {
                Some(true) => clock.base_ms.to(),
                _ => remaining + clock.inc_ms.map_or(0, |inc| inc.to::<u64>()),
            };
        }
        self.since = at;
        self.judge();
        Ok(())
    }

    /// Plays an act by the rules, and returns it as it is written. The error says why that is impossible.
    fn perform(&mut self, text: &str) -> Result<String, String> {
        let Some(course) = self.course.as_ref().filter(|course| !course.is_over()) else {
            let mv = self.position.read_move(text).map_err(|error| error.to_string())?;
            let written = self.position.write_move(mv, Style::Plain);
            self.position.play(mv).map_err(|error| error.to_string())?;
            return Ok(written);
        };
        let mut course = course.clone();
        let act = course.read(text).map_err(|why| why.to_string())?;
        course.act(act).map_err(|why| why.to_string())?;
        if course.is_over() {
            let stones: Vec<String> = course.stones().iter().map(ToString::to_string).collect();
            let stones: Vec<&str> = stones.iter().map(String::as_str).collect();
            self.position.play_all(&stones).map_err(|why| why.to_string())?;
        }
        let written = course.write(act);
        self.course = Some(course);
        Ok(written)
    }

    /// Ends the game if the rules say so.
    fn judge(&mut self) {
        let winner = match self.position.outcome() {
            None => return,
            Some(Outcome::Win(side)) => Some(self.first() ^ side.index()),
            Some(_) => None,
        };
        self.result = Some((winner, RoomEnd::Board));
        self.asks.clear();
    }

    fn end(&mut self, winner: Option<Seat>, why: RoomEnd, at: u64) -> Result<(), Problem> {
        let Some(decides) = self.decides() else {
            return Err(refusal(Code::BadField, "do", "the game is over"));
        };
        self.left[decides] = self.left(decides, at);
        self.since = at;
        self.asks.clear();
        self.result = Some((winner, why));
        Ok(())
    }

    fn fall(&mut self, by: Seat, at: u64) -> Result<(), Problem> {
        match self.falls() {
            Some((seat, time)) if seat == by && time <= at => {
                self.end(Some(1 - by), RoomEnd::Time, at)
            }
            _ => Err(refusal(Code::BadField, "do", "there is time left")),
        }
    }

    fn ask(&mut self, by: Seat, wish: Wish, at: u64) -> Result<(), Problem> {
        let refuse = |why: &str| Err(refusal(Code::BadField, "what", why));
        let is_over = self.result.is_some();
        let asks = |seat: Seat| self.asks.contains(&(seat, wish));
        match wish {
            Wish::Rematch if !is_over => return refuse("rematch: the game is not over"),
            Wish::Undo | Wish::Draw if is_over => return refuse("the game is over"),
            Wish::Undo if !asks(1 - by) && !self.done.iter().any(|done| done.by == by) => {
                return refuse("undo: this player has not acted");
            }
            _ if asks(by) => return refuse("it is asked already"),
            _ => {}
        }
        if !asks(1 - by) {
            self.asks.push((by, wish));
            return Ok(());
        }
        match wish {
            Wish::Undo => self.undo(1 - by, at),
            Wish::Draw => self.end(None, RoomEnd::Agreed, at)?,
            Wish::Rematch => {
                self.game += 1;
                self.begins = 1 - self.begins;
                self.begin(at);
            }
        }
        Ok(())
    }

    fn decline(&mut self, wish: Wish) -> Result<(), Problem> {
        let before = self.asks.len();
        // Only one player has it: the wish of both is fulfilled.
        self.asks.retain(|(_, known)| *known != wish);
        if self.asks.len() == before {
            return Err(refusal(Code::BadField, "what", "nobody has this wish"));
        }
        Ok(())
    }

    /// Takes back the last act of a player, and all acts after it.
    fn undo(&mut self, by: Seat, at: u64) {
        let Some(index) = self.done.iter().rposition(|done| done.by == by) else { return };
        self.left = self.done[index].left;
        self.since = at;
        self.asks.clear();
        self.done.truncate(index);
        self.set_up();
        for done in self.done.clone() {
            // What was played once can be played again.
            let _ = self.perform(&done.text);
        }
    }

    /// Returns the state at the time `at`, for the query `id` with the secret of `player`.
    pub(crate) fn state(&self, id: Id, player: Option<Seat>, at: u64) -> RoomReply {
        let is_opening = self.course.as_ref().is_some_and(|course| !course.is_over());
        let moves = match &self.course {
            Some(course) if is_opening => course.stones().iter().map(ToString::to_string).collect(),
            _ => self.position.start().write_line(self.position.played(), Style::Plain),
        };
        RoomReply {
            id,
            more: false,
            player: player.map(number),
            terms: RoomTerms { begins: Some(number(self.begins)), ..self.terms.clone() },
            game: Int::nearest(u64::from(self.game) + 1),
            acts: self.done.iter().map(|done| done.text.clone()).collect(),
            opening: Int::nearest(self.course.as_ref().map_or(0, |course| course.acts().len())),
            moves: moves.into_iter().map(MoveText).collect(),
            first: number(self.first()),
            decides: self.decides().map(number),
            left_ms: self.terms.clock.map(|_| [0, 1].map(|seat| self.left(seat, at))),
            runs: self.runs(),
            result: self.result.map(|(winner, why)| RoomResult { winner: winner.map(number), why }),
            asks: self
                .asks
                .iter()
                .map(|(seat, what)| RoomAsk { player: number(*seat), what: *what })
                .collect(),
            here: [false; 2],
            watchers: 0,
            ended: at >= self.ends(),
        }
    }
}

#[cfg(test)]
mod tests;
