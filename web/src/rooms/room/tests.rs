use proptest::prelude::*;
use tengen_games::CATALOG;

use super::*;

/// What a player tries, after a pause in milliseconds.
#[derive(Clone, Debug)]
enum Try {
    /// The deed of the move with this index among all points of a 3x3 board.
    Point(usize),
    Ask(Wish),
    Decline(Wish),
    Resign,
    Meet,
    Fall,
    /// The server is down for so long.
    Down(u64),
}

fn tries() -> impl Strategy<Value = Vec<(Seat, u64, Try)>> {
    let wish = prop::sample::select(vec![Wish::Undo, Wish::Draw, Wish::Rematch]);
    let one = prop_oneof![
        12 => (0..9_usize).prop_map(Try::Point),
        6 => wish.clone().prop_map(Try::Ask),
        2 => wish.prop_map(Try::Decline),
        1 => Just(Try::Resign),
        1 => Just(Try::Meet),
        2 => Just(Try::Fall),
        1 => (0..100_000_u64).prop_map(Try::Down),
    ];
    prop::collection::vec((0..2_usize, 0..3_000_u64, one), 0..60)
}

/// A second implementation for games of tic-tac-toe without an opening: lists, and no position.
#[derive(Default)]
struct Model {
    begins: Seat,
    moves: Vec<(Seat, usize, [u64; 2])>,
    asks: Vec<(Seat, Wish)>,
    result: Option<(Option<Seat>, RoomEnd)>,
    left: [u64; 2],
    since: u64,
    has_met: bool,
    games: u64,
}

const BASE: u64 = 5_000;
const INCREMENT: u64 = 700;
const NAMES: [&str; 9] = ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"];
const LINES: [[usize; 3]; 8] =
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

impl Model {
    fn decides(&self) -> Option<Seat> {
        self.result.is_none().then_some((self.moves.len() + self.begins) % 2)
    }

    fn left(&self, seat: Seat, at: u64) -> u64 {
        let runs = self.has_met && self.decides() == Some(seat);
        self.left[seat].saturating_sub(if runs { at - self.since } else { 0 })
    }

    fn end(&mut self, winner: Option<Seat>, why: RoomEnd, at: u64) {
        self.left = [0, 1].map(|seat| self.left(seat, at));
        (self.since, self.result) = (at, Some((winner, why)));
        self.asks.clear();
    }

    /// Returns whether the deed is allowed. Then it is done.
    fn carry_out(&mut self, by: Seat, deed: &Deed, at: u64) -> bool {
        let decides = self.decides();
        let has_fallen = self.has_met && decides.is_some_and(|seat| self.left(seat, at) == 0);
        let asks_already = |wish| self.asks.contains(&(by, wish));
        match deed {
            Deed::Fall => {
                let is_due = has_fallen && decides == Some(by);
                if is_due {
                    self.end(Some(1 - by), RoomEnd::Time, at);
                }
                return is_due;
            }
            _ if has_fallen => return false,
            Deed::Meet if self.has_met => return false,
            Deed::Meet => (self.has_met, self.since) = (true, at),
            Deed::Act(name) => {
                let point = NAMES.iter().position(|known| known == name).unwrap();
                let is_taken = self.moves.iter().any(|(_, known, _)| *known == point);
                if decides != Some(by) || is_taken {
                    return false;
                }
                let before = self.left;
                if self.has_met {
                    self.left[by] = self.left(by, at) + INCREMENT;
                }
                self.moves.push((by, point, before));
                self.since = at;
                self.asks.clear();
                let owns = |at: &usize| self.moves.iter().any(|(s, p, _)| (*s, *p) == (by, *at));
                if LINES.iter().any(|line| line.iter().all(owns)) {
                    self.result = Some((Some(by), RoomEnd::Board));
                } else if self.moves.len() == 9 {
                    self.result = Some((None, RoomEnd::Board));
                }
            }
            Deed::Ask(wish) => {
                let other_asks = self.asks.contains(&(1 - by, *wish));
                let has_moved = self.moves.iter().any(|(seat, ..)| *seat == by);
                if (*wish == Wish::Rematch) != self.result.is_some()
                    || asks_already(*wish)
                    || (*wish == Wish::Undo && !other_asks && !has_moved)
                {
                    return false;
                }
                match (other_asks, wish) {
                    (false, _) => self.asks.push((by, *wish)),
                    (true, Wish::Draw) => self.end(None, RoomEnd::Agreed, at),
                    (true, Wish::Undo) => {
                        let last = self.moves.iter().rposition(|(seat, ..)| *seat != by).unwrap();
                        self.left = self.moves[last].2;
                        self.moves.truncate(last);
                        self.since = at;
                        self.asks.clear();
                    }
                    (true, Wish::Rematch) => {
                        *self = Self {
                            begins: 1 - self.begins,
                            left: [BASE; 2],
                            since: at,
                            has_met: self.has_met,
                            games: self.games + 1,
                            ..Self::default()
                        };
                    }
                }
            }
            Deed::Decline(wish) => {
                let before = self.asks.len();
                self.asks.retain(|(_, known)| known != wish);
                return self.asks.len() < before;
            }
            Deed::Resign if decides.is_none() => return false,
            Deed::Resign => self.end(Some(1 - by), RoomEnd::Resign, at),
        }
        true
    }
}

fn id() -> Id {
    Id::new("a").unwrap()
}

fn terms(json: serde_json::Value) -> RoomTerms {
    serde_json::from_value(json).unwrap()
}

fn state(room: &Room, at: u64) -> serde_json::Value {
    serde_json::to_value(room.state(id(), None, at)).unwrap()
}

/// What the server writes: deeds, and times without a server.
enum Kept {
    Did(Seat, Deed, u64),
    Down(u64, u64),
}

fn restarted(terms: &RoomTerms, kept: &[Kept]) -> Room {
    let mut room = Room::new(&CATALOG, terms.clone(), 0).unwrap();
    for one in kept {
        match one {
            Kept::Did(by, deed, at) => room.carry_out(*by, deed, *at).unwrap(),
            Kept::Down(from, to) => room.stand_still(*from, *to),
        }
    }
    room
}

proptest! {
    #[test]
    fn a_room_is_what_the_model_is_also_after_restarts(begins in 0..2_usize, tries in tries()) {
        let terms = terms(serde_json::json!({
            "variant": "tictactoe", "begins": begins + 1,
            "clock": { "base_ms": BASE, "inc_ms": INCREMENT },
        }));
        let mut room = Room::new(&CATALOG, terms.clone(), 0).unwrap();
        let mut model = Model { begins, left: [BASE; 2], ..Model::default() };
        let (mut at, mut kept) = (0, Vec::new());
        for (by, pause, one) in tries {
            at += pause;
            let deed = match one {
                Try::Point(point) => Deed::Act(NAMES[point].to_owned()),
                Try::Ask(wish) => Deed::Ask(wish),
                Try::Decline(wish) => Deed::Decline(wish),
                Try::Resign => Deed::Resign,
                Try::Meet => Deed::Meet,
                Try::Fall => Deed::Fall,
                Try::Down(time) => {
                    kept.push(Kept::Down(at, at + time));
                    room = restarted(&terms, &kept);
                    model.since += time;
                    at += time;
                    continue;
                }
            };
            let before = state(&room, at);
            let is_allowed = room.carry_out(by, &deed, at).is_ok();
            prop_assert_eq!(is_allowed, model.carry_out(by, &deed, at), "{:?} of {}", deed, by);
            if !is_allowed {
                prop_assert_eq!(&state(&room, at), &before);
                continue;
            }
            kept.push(Kept::Did(by, deed, at));
            let now = room.state(id(), Some(by), at);
            let acts: Vec<&str> = model.moves.iter().map(|(_, point, _)| NAMES[*point]).collect();
            prop_assert_eq!(&now.acts, &acts);
            prop_assert_eq!(room.decides(), model.decides());
            prop_assert_eq!(now.left_ms, Some([0, 1].map(|seat| model.left(seat, at))));
            let asks: Vec<(Seat, Wish)> =
                now.asks.iter().map(|ask| (ask.player.to::<usize>() - 1, ask.what)).collect();
            prop_assert_eq!(asks, model.asks.clone());
            prop_assert_eq!(room.result, model.result);
            prop_assert_eq!(now.game.to::<u64>(), model.games + 1);
            prop_assert_eq!(state(&restarted(&terms, &kept), at), state(&room, at));
        }
    }
}

/// Carries out acts of the player whose turn it is.
fn play(room: &mut Room, acts: &str) {
    for act in acts.split_whitespace() {
        let seat = room.decides().unwrap();
        let other = room.carry_out(1 - seat, &Deed::Act(act.to_owned()), 1);
        assert!(other.unwrap_err().message.contains("other player"), "{act}");
        room.carry_out(seat, &Deed::Act(act.to_owned()), 1).unwrap();
    }
}

#[test]
fn an_opening_is_judged_step_by_step_and_undone_act_by_act() {
    let swap2 = terms(serde_json::json!({ "variant": "gomoku", "rule": "swap2", "begins": 2 }));
    let mut room = Room::new(&CATALOG, swap2, 0).unwrap();
    assert_eq!(room.decides(), Some(1));
    play(&mut room, "h8 h9 j7");
    assert_eq!(room.decides(), Some(0));
    let why = room.carry_out(0, &Deed::Act("k10".to_owned()), 1).unwrap_err();
    assert!(why.message.contains("swap"), "{}", why.message);
    play(&mut room, "swap");
    // Player 1 has Black now, and White moves.
    let now = room.state(id(), None, 1);
    assert_eq!((now.first.to::<u64>(), room.decides()), (1, Some(1)));
    assert_eq!(now.acts, ["h8", "h9", "j7", "swap"]);
    play(&mut room, "k8 g9");
    room.carry_out(0, &Deed::Ask(Wish::Undo), 2).unwrap();
    room.carry_out(1, &Deed::Ask(Wish::Undo), 2).unwrap();
    assert_eq!(room.state(id(), None, 2).acts.len(), 5);
    room.carry_out(0, &Deed::Ask(Wish::Undo), 2).unwrap();
    room.carry_out(1, &Deed::Ask(Wish::Undo), 2).unwrap();
    assert_eq!((room.state(id(), None, 2).acts.len(), room.decides()), (3, Some(0)));
    assert_eq!(room.state(id(), None, 2).moves.len(), 3);
}

#[test]
fn every_opening_rule_of_the_program_is_played_to_its_end() {
    for variant in ["gomoku", "renju"] {
        let spec = spec_of(&CATALOG, &terms(serde_json::json!({ "variant": variant }))).unwrap();
        for rule in CATALOG.opening_rules(&spec).iter().filter(|rule| rule.name != "free") {
            let own = terms(serde_json::json!({ "variant": variant, "rule": rule.name }));
            let mut room = Room::new(&CATALOG, own, 0).unwrap();
            let mut count = 0;
            while let Some(pending) = room.course.as_ref().and_then(Course::pending) {
                let words = pending.points().iter().map(ToString::to_string);
                let words = words.chain(["stay".to_owned(), "1".to_owned()]);
                let seat = room.decides().unwrap();
                let done =
                    words.into_iter().any(|word| room.carry_out(seat, &Deed::Act(word), 1).is_ok());
                assert!(done, "{variant} {}: {pending:?}", rule.name);
                count += 1;
            }
            let now = room.state(id(), None, 1);
            assert!(!now.moves.is_empty() && now.acts.len() == count, "{variant} {}", rule.name);
            play(&mut room, "a15");
        }
    }
}

#[test]
fn a_forbidden_move_loses_and_bad_terms_are_refused() {
    let mut room =
        Room::new(&CATALOG, terms(serde_json::json!({ "variant": "renju" })), 0).unwrap();
    play(&mut room, "h8 a1 h9 a3 g7 a5 f7 a7 h7");
    let result = room.state(id(), None, 1).result.unwrap();
    assert_eq!((result.winner.map(|it| it.to::<u64>()), result.why), (Some(2), RoomEnd::Board));
    for (bad, field) in [
        (serde_json::json!({ "variant": "chess" }), "variant"),
        (serde_json::json!({ "variant": "gomoku", "rule": "nowhere" }), "rule"),
        (serde_json::json!({ "variant": "gomoku", "board": { "width": 26 } }), "board.width"),
        (
            serde_json::json!({ "clock": { "base_ms": 100, "inc_ms": 1, "per_move": true } }),
            "clock.inc_ms",
        ),
    ] {
        let why = Room::new(&CATALOG, terms(bad), 0).map(drop).unwrap_err();
        assert_eq!(why.field.as_deref(), Some(field), "{}", why.message);
    }
}

#[test]
fn an_act_counts_once() {
    let room = || {
        let mut room =
            Room::new(&CATALOG, terms(serde_json::json!({ "variant": "gomoku" })), 0).unwrap();
        play(&mut room, "h8 i9");
        room
    };
    assert!(room().expect(Some(1), Some(2)).is_ok() && room().expect(None, None).is_ok());
    assert_eq!(room().expect(Some(1), Some(1)).unwrap_err().field.as_deref(), Some("number"));
    assert_eq!(room().expect(Some(2), Some(2)).unwrap_err().field.as_deref(), Some("game"));
}

#[test]
fn a_full_room_still_ends_its_game_and_wishes_are_limited() {
    let clock = serde_json::json!({ "variant": "gomoku", "clock": { "base_ms": BASE } });
    let full = || {
        let mut room = Room::new(&CATALOG, terms(clock.clone()), 0).unwrap();
        room.carry_out(1, &Deed::Meet, 0).unwrap();
        room.deeds = MAX_DEEDS;
        let why = room.carry_out(0, &Deed::Act("h8".to_owned()), 1).unwrap_err();
        assert!(why.message.contains("full"), "{}", why.message);
        room
    };
    full().carry_out(0, &Deed::Fall, BASE).unwrap();
    let mut room = full();
    // Games that end at once do not go on for ever.
    let mut games = 0;
    while room.carry_out(1, &Deed::Resign, 1).is_ok() {
        let wish = Deed::Ask(Wish::Rematch);
        let _ = room.carry_out(0, &wish, 1).and_then(|()| room.carry_out(1, &wish, 1));
        games += 1;
    }
    assert_eq!(games, MAX_WISHES + 1);

    let mut room = Room::new(&CATALOG, terms(clock), 0).unwrap();
    for _ in 0..MAX_WISHES {
        room.carry_out(0, &Deed::Ask(Wish::Draw), 1).unwrap();
        room.carry_out(1, &Deed::Decline(Wish::Draw), 1).unwrap();
    }
    assert_eq!(room.carry_out(0, &Deed::Ask(Wish::Draw), 1).unwrap_err().code, Code::TooMany);
    room.carry_out(1, &Deed::Ask(Wish::Draw), 1).unwrap();
    play(&mut room, "h8");
    room.carry_out(0, &Deed::Ask(Wish::Draw), 1).unwrap();
}
