//! Openings by a rule: the players place stones, swap colours and offer fifth stones.
//!
//! Gomocup engines decide on their clocks in Swap2. For other engines and other rules, a search of
//! the arena decides.

use std::ops::ControlFlow;

use tengen_engine::backend::Catalog;
use tengen_engine::opening::{
    Act, Choice, Chooser, Course, Decision, MoveRanking, OpeningRule, OpeningSearch, PendingKind,
};
use tengen_engine::text::quotable;
use tengen_engine::{
    Client, ClientError, GameSpec, GridNotation, Limits, Move, Point, Query, Report, Settings,
    Side, Strength, Style,
};

use super::state::GameState;
use super::thinking::Over;
use crate::config::{Config, Proto};
use crate::game::referee::loss;
use crate::record::EndKind;

/// Decides in an opening, with a seed for the choice among candidates that are as good. Returns `None`
/// if a search fails.
type Decider = Box<dyn FnMut(&Course, u32) -> Option<Decision> + Send>;

/// The opening rule of a run.
pub struct OpeningPlay {
    /// The rule.
    pub rule: &'static OpeningRule,
    /// Decides for engines that cannot be asked.
    pub decider: Decider,
}

impl OpeningPlay {
    /// Opens the search that decides in openings; `None` without an opening rule. This starts a
    /// thread. The error names the setting.
    pub fn open(
        catalog: &'static dyn Catalog,
        spec: &GameSpec,
        config: &Config,
    ) -> Result<Option<Self>, String> {
        let Some((setting, name)) = config.named_opening_rule() else { return Ok(None) };
        let rule = catalog.opening_rule(spec, name).map_err(|why| format!("{setting}: {why}"))?;
        let opened = OpeningChoice::open(catalog, spec).transpose();
        let opened = opened.map_err(|error| format!("{setting}: {error}"))?;
        Ok(opened.map(|mut choice| {
            let decider = Box::new(move |course: &_, seed| choice.choose(course, seed));
            Self { rule, decider }
        }))
    }
}

impl GameState<'_> {
    /// Plays the opening. The error is the end of the game.
    pub(super) fn open(&mut self, play: &mut OpeningPlay) -> Result<(), Over> {
        let Some(notation) = self.referee.board().spec().grid else { return Ok(()) };
        let mut course = Course::new(play.rule, notation.grid());
        self.record.opened.rule = Some(play.rule.name.to_owned());
        while let Some(pending) = course.pending() {
            let side = pending.player;
            let player = &self.rules.players[self.record.players[side]];
            let is_asked = play.rule.name == "swap2" && player.proto == Proto::Gomocup;
            let name = player.label();
            let decision = match is_asked {
                true => self.ask_engine(side, &course)?,
                false => self.decide(&course, play),
            };
            let before = course.clone();
            if decision.acts.is_empty() {
                let why = format!("no decision in the opening {}", play.rule.name);
                return Err(Some(loss(side, EndKind::Illegal, why)));
            }
            for act in &decision.acts {
                if let Err(why) = course.act(*act) {
                    let why = format!("illegal in the opening {}: {why}", play.rule.name);
                    return Err(Some(loss(side, EndKind::Illegal, why)));
                }
            }
            self.place_stones(&course, notation);
            let by = if is_asked { "" } else { " by a search of the arena" };
            self.record
                .opened
                .course
                .push(format!("{name} {}{by}", words(&before, &decision.acts)));
            self.record.opened.acts.extend(decision.acts.iter().map(|act| course.write(*act)));
            if let Some(point) = decision.then.filter(|_| is_asked) {
                self.place(point, notation);
            }
        }
        if course.first_player() == 1 {
            self.exchange_sides();
        }
        Ok(())
    }

    /// Places the new stones of an opening on the board.
    fn place_stones(&mut self, course: &Course, notation: GridNotation) {
        let placed = self.referee.board().played().len();
        for point in course.stones().iter().skip(placed) {
            self.place(*point, notation);
        }
    }

    fn place(&mut self, point: Point, notation: GridNotation) {
        // An opening has too few stones to end a game.
        self.referee.play(&notation.write_move(point, Style::Plain));
    }

    /// Asks a search for the decision.
    fn decide(&self, course: &Course, play: &mut OpeningPlay) -> Decision {
        // Both games of a pair have one seed.
        let seed = self.rules.config.seed.wrapping_add(self.record.pair()).wrapping_add(1);
        (play.decider)(course, seed as u32).unwrap_or_default()
    }

    /// Asks a Gomocup engine for its decision in Swap2, on its clock.
    fn ask_engine(&mut self, side: usize, course: &Course) -> Result<Decision, Over> {
        let board = self.referee.board().duplicate();
        self.speak(side, |dialect, out| {
            dialect.swap(&*board, board.played(), out);
        });
        let started_at = self.host.now();
        let mover = if side == 0 { Side::First } else { Side::Second };
        let answer = self.await_move(mover, started_at, false)?;
        self.clocks[side].spend(answer.took);
        let lost = |why: String| Some(loss(side, EndKind::Illegal, why));
        let read = |stone: &str| {
            let mv = board.read_move(stone).ok()?;
            board.spec().grid?.point_of(mv)
        };
        read_swap2(course, &answer.text, &read).map_err(|stone| {
            let text = quotable(&answer.text);
            lost(match stone {
                None => format!("answered SWAP2BOARD with \"{text}\""),
                Some(stone) => {
                    format!("answered SWAP2BOARD with the stone \"{}\"", quotable(&stone))
                }
            })
        })
    }

    /// Exchanges the sides of the players.
    fn exchange_sides(&mut self) {
        self.sessions.swap(0, 1);
        self.record.players.swap(0, 1);
        self.seats.swap(0, 1);
        self.clocks.swap(0, 1);
        self.record.usage.swap(0, 1);
    }
}

/// Reads an answer to `SWAP2BOARD`: `swap`, or stones, each with `read`. The error is the bad stone,
/// or `None` for an answer with a wrong number of stones.
fn read_swap2(
    course: &Course,
    text: &str,
    read: &dyn Fn(&str) -> Option<Point>,
) -> Result<Decision, Option<String>> {
    let stones: Vec<&str> = text.split_ascii_whitespace().collect();
    let may_swap =
        matches!(course.pending().map(|pending| pending.kind), Some(PendingKind::MaySwap { .. }));
    let is_swap = text.eq_ignore_ascii_case("swap");
    let before = match (may_swap, stones.len()) {
        (true, 1) if is_swap => return Ok(Decision { acts: vec![Act::Swap], then: None }),
        (true, 1) => vec![Act::Stay],
        (true, 2) if course.stones().len() == 3 => vec![Act::Other],
        (false, 3) if !is_swap => Vec::new(),
        _ => return Err(None),
    };
    let mut after = course.clone();
    let mut acts = before;
    acts.iter().try_for_each(|act| after.act(*act)).map_err(|_| None)?;
    let mut then = None;
    for stone in stones {
        let bad = |_| Some(stone.to_owned());
        let point = read(stone).ok_or_else(|| Some(stone.to_owned()))?;
        if after.is_over() {
            let is_free = after.grid().cell_at(point).is_some() && !after.stones().contains(&point);
            then = Some(point).filter(|_| is_free);
            then.ok_or_else(|| Some(stone.to_owned()))?;
        } else {
            after.act(Act::Point(point)).map_err(bad)?;
            acts.push(Act::Point(point));
        }
    }
    Ok(Decision { acts, then })
}

/// Describes acts in words: `places h8 h9 i9, declares 4`.
fn words(before: &Course, acts: &[Act]) -> String {
    let mut course = before.clone();
    let mut parts: Vec<String> = Vec::new();
    let mut last = "";
    for act in acts {
        let kind = course.pending().map(|pending| pending.kind);
        let verb = match (act, kind) {
            (Act::Swap, _) => "swaps",
            (Act::Stay, _) => "keeps the colour",
            (Act::Other, _) => "chooses",
            (Act::Number(_), _) => "declares",
            (Act::Point(_), Some(PendingKind::Offer { .. })) => "offers",
            (Act::Point(_), Some(PendingKind::Keep { .. })) => "keeps",
            (Act::Point(_), _) => "places",
        };
        let text = match act {
            Act::Swap | Act::Stay => String::new(),
            _ => format!(" {}", course.write(*act)),
        };
        match parts.last_mut().filter(|_| verb == last) {
            Some(part) => part.push_str(&text),
            None => parts.push(format!("{verb}{text}")),
        }
        last = verb;
        if course.act(*act).is_err() {
            break;
        }
    }
    parts.join(", ")
}

/// The nodes of the searches of each decision. They are shared by many candidates: a tenth of them did
/// not find an even opening of renju (docs/measurements/gomoku.md).
const NODES: u64 = 200_000;

/// The size of the transposition table, in MiB. It is cleared for each decision, so it is small.
const HASH_MIB: usize = 8;

/// Decides in an opening by searches, for engines that cannot be asked. The searches are limited by
/// nodes, so that equal games have equal openings.
pub struct OpeningChoice {
    client: Client,
    notation: GridNotation,
    nodes: u64,
}

impl OpeningChoice {
    /// Opens a search for the game of a run; `None` if the game is not played on a grid. This starts
    /// a thread.
    pub fn open(catalog: &dyn Catalog, spec: &GameSpec) -> Option<Result<Self, ClientError>> {
        let notation = spec.grid?;
        let settings = Settings::default().with_hash_mib(HASH_MIB);
        let opened = Client::of(catalog, spec, &settings);
        Some(opened.map(|client| Self { client, notation, nodes: NODES }))
    }

    /// Returns the decision of the next player of `course`; `None` if a search fails.
    pub fn choose(&mut self, course: &Course, seed: u32) -> Option<Decision> {
        self.client.clear_hash();
        let mut chooser = Chooser::new(course.clone(), &Strength::default().with_seed(seed));
        loop {
            match chooser.choice() {
                Choice::Decided(decision) => return Some(decision),
                Choice::Search(search) => self.search(&search, &mut chooser)?,
            }
        }
    }

    fn search(&mut self, search: &OpeningSearch, chooser: &mut Chooser) -> Option<()> {
        let mut board = self.client.position().duplicate();
        let (moves, lines) = board.set_up_opening(search).ok()?;
        let settings = Settings::default().with_hash_mib(HASH_MIB).with_multi_pv(lines);
        self.client.configure(&settings).ok()?;
        self.client.set_position(board);
        let mut ranking = MoveRanking::default();
        let mut listen = |report: &Report<Move>| {
            ranking.note(report);
            ControlFlow::Continue(())
        };
        let limits = search.limits(&Limits::default().with_nodes(self.nodes));
        let query = Query::from(limits).with_moves(moves).with_listener(&mut listen);
        let answer = self.client.search(query).ok()?;
        chooser.add_result(&ranking, &answer, self.notation);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use tengen_engine::Chosen;
    use tengen_games::CATALOG;

    use super::*;

    /// Plays an opening in which the arena decides for both players.
    fn opening(variant: &str, rule: &str, seed: u32) -> Course {
        let spec = CATALOG.describe(variant, &Chosen::new()).unwrap();
        let mut choice = OpeningChoice::open(&CATALOG, &spec).unwrap().unwrap();
        choice.nodes = 10_000;
        let rule = CATALOG.opening_rule(&spec, rule).unwrap();
        let mut course = Course::new(rule, spec.grid.unwrap().grid());
        while !course.is_over() {
            let decision = choice.choose(&course, seed).unwrap();
            assert!(!decision.acts.is_empty(), "{}: {}", course.text(), course.wanted());
            decision.acts.iter().for_each(|act| course.act(*act).unwrap());
        }
        course
    }

    #[test]
    fn a_search_decides_in_every_rule() {
        for variant in ["renju", "gomokufreestyle"] {
            let spec = CATALOG.describe(variant, &Chosen::new()).unwrap();
            for rule in CATALOG.opening_rules(&spec) {
                let course = opening(variant, rule.name, 7);
                assert_eq!(opening(variant, rule.name, 7).acts(), course.acts());
            }
        }
    }

    #[test]
    fn another_seed_gives_another_opening() {
        let acts = |seed| opening("renju", "soosorv8", seed).acts().to_vec();
        assert!((2..9).any(|seed| acts(seed) != acts(1)));
    }

    #[test]
    fn a_course_is_told_in_words() {
        let spec = CATALOG.describe("renju", &Chosen::new()).unwrap();
        let rule = CATALOG.opening_rule(&spec, "soosorv8").unwrap();
        let course = Course::new(rule, spec.grid.unwrap().grid());
        let acts = "h8 h9 i9 stay g7 2 swap i7 i6 i7";
        let mut after = course.clone();
        let mut done = Vec::new();
        for text in acts.split(' ') {
            let act = after.read(text).unwrap();
            after.act(act).unwrap();
            done.push(act);
        }
        assert_eq!(
            words(&course, &done),
            "places h8 h9 i9, keeps the colour, places g7, declares 2, swaps, offers i7 i6, keeps i7"
        );
    }
}
