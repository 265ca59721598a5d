//! Reads the words after `go`: limits, moves to search, or the depth of a perft.
//!
//! Numbers saturate. A bad number gives a message, and the rest of the line is still read. A limit
//! below 0 counts as 0, the smallest search.

use tengen_engine::text::quotable;
use tengen_engine::{Clock, Limits, Side};

use super::write::Words;
use crate::command::{Command, Request};
use crate::dialect::words::{millis, number};

/// A keyword of `go`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    SearchMoves,
    Ponder,
    Infinite,
    Depth,
    Nodes,
    Mate,
    MoveTime,
    MovesToGo,
    Time(Side),
    Increment(Side),
    Perft,
}

const KEYS: [(&str, Key); 9] = [
    ("searchmoves", Key::SearchMoves),
    ("ponder", Key::Ponder),
    ("infinite", Key::Infinite),
    ("depth", Key::Depth),
    ("nodes", Key::Nodes),
    ("mate", Key::Mate),
    ("movetime", Key::MoveTime),
    ("movestogo", Key::MovesToGo),
    ("perft", Key::Perft),
];

fn key(word: &str, words: &Words) -> Option<Key> {
    let is = |name: &str| word.eq_ignore_ascii_case(name);
    let of_side = |side: Side| match side.index() {
        index if is(words.times[index]) => Some(Key::Time(side)),
        index if is(words.increments[index]) => Some(Key::Increment(side)),
        _ => None,
    };
    let plain = KEYS.iter().find(|(name, _)| is(name)).map(|(_, key)| *key);
    plain.or_else(|| of_side(Side::First)).or_else(|| of_side(Side::Second))
}

/// Passes the commands in `rest`, the words after `go`, to `out`.
pub(super) fn decode(rest: &str, dialect: &Words, out: &mut dyn FnMut(Command)) {
    let key = |word: &str| self::key(word, dialect);
    let mut reader = Reader::default();
    let mut words = rest.split_ascii_whitespace().peekable();
    while let Some(word) = words.next() {
        match key(word) {
            None => reader.unknown(word),
            Some(Key::SearchMoves) => {
                let before = reader.request.search_moves.len();
                while let Some(mv) = words.next_if(|word| key(word).is_none()) {
                    reader.request.search_moves.push(mv.to_owned());
                }
                if reader.request.search_moves.len() == before {
                    reader.complain("searchmoves has no move: all moves are searched".to_owned());
                }
            }
            Some(Key::Ponder) => reader.request.limits.ponder = true,
            Some(Key::Infinite) => reader.request.limits.infinite = true,
            Some(known) => reader.value(known, word, words.next_if(|word| key(word).is_none())),
        }
    }
    reader.finish(out);
}

/// The result of the words read so far.
#[derive(Default)]
struct Reader {
    request: Request,
    /// The depth in plies, for `go perft`.
    perft: Option<u32>,
    /// The last keyword with a bad number.
    unreadable: Option<Key>,
    has_unknown_word: bool,
    /// The limits that were read.
    seen: Vec<Key>,
}

impl Reader {
    fn unknown(&mut self, word: &str) {
        self.has_unknown_word = true;
        self.complain(format!("unknown word \"{}\" ignored", quotable(word)));
    }

    fn complain(&mut self, why: String) {
        self.request.complaints.push(format!("go: {why}"));
    }

    fn value(&mut self, key: Key, word: &str, text: Option<&str>) {
        let found = quotable(text.unwrap_or_default());
        let Some(value) = text.and_then(number) else {
            self.complain(format!("{word} needs a number, found \"{found}\""));
            self.unreadable = Some(key);
            return;
        };
        // A clock below 0 is not a mistake of the client.
        if value < 0 && !matches!(key, Key::Time(_) | Key::Increment(_)) {
            self.complain(format!("{word} {found}: a number below 0 counts as 0"));
        }
        if self.seen.contains(&key) {
            self.complain(format!("{word} is given more than once: {found} counts"));
        }
        self.seen.push(key);
        self.set_limit(key, value);
    }

    fn set_limit(&mut self, key: Key, value: i64) {
        let limits = &mut self.request.limits;
        match key {
            Key::Depth => limits.depth = Some(saturate(value.max(1))),
            Key::Nodes => limits.nodes = Some(value.max(1).unsigned_abs()),
            Key::Mate => limits.mate = Some(saturate(value.max(1).saturating_mul(2) - 1)),
            Key::MoveTime => limits.movetime = Some(millis(value.max(1))),
            Key::MovesToGo => self.clock().moves_to_go = (value > 0).then(|| saturate(value)),
            Key::Time(side) => self.clock().remaining[side.index()] = Some(millis(value.max(1))),
            Key::Increment(side) => self.clock().increment[side.index()] = millis(value.max(0)),
            Key::Perft => self.perft = Some(saturate(value.max(0))),
            Key::SearchMoves | Key::Ponder | Key::Infinite => {}
        }
    }

    fn clock(&mut self) -> &mut Clock {
        self.request.limits.clock.get_or_insert_default()
    }

    fn finish(mut self, out: &mut dyn FnMut(Command)) {
        let limits = &mut self.request.limits;
        // A clock without a time left: it is ignored with another limit. Alone it means the
        // least time.
        let empty_clock = limits.clock.filter(|clock| clock.remaining == [None; 2]);
        if empty_clock.is_some() {
            limits.clock = None;
            limits.clock = empty_clock.filter(|_| is_endless(limits));
        }
        let is_perft = self.perft.is_some() || self.unreadable == Some(Key::Perft);
        if is_perft && (self.unreadable.is_some() || self.has_unknown_word) {
            let why = self.request.complaints.join("; ");
            return out(Command::Refused(format!("perft refused: {why}")));
        }
        if let Some(plies) = self.perft {
            self.request.complaints.into_iter().for_each(|why| out(Command::Refused(why)));
            return out(Command::Perft(plies));
        }
        // A client that sends a limit does not want a search without end.
        if self.unreadable.is_some() && is_endless(limits) {
            limits.depth = Some(1);
            self.complain("no readable limit, searching to depth 1".to_owned());
        }
        out(Command::Go(self.request));
    }
}

/// Returns whether a search has no limit, not even after `ponderhit`, and is not `infinite`.
fn is_endless(limits: &Limits) -> bool {
    let mut after_ponderhit = limits.clone();
    after_ponderhit.ponder = false;
    !limits.infinite && !after_ponderhit.is_bounded()
}

fn saturate(value: i64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn decode(rest: &str) -> Command {
        let mut commands = Vec::new();
        super::decode(rest, &Words::UCI, &mut |command| commands.push(command));
        assert_eq!(commands.len(), 1, "go {rest}: {commands:?}");
        commands.remove(0)
    }

    fn request(rest: &str) -> Request {
        match decode(rest) {
            Command::Go(request) => request,
            other => panic!("go {rest}: {other:?}"),
        }
    }

    fn limits(rest: &str) -> Limits {
        let request = request(rest);
        assert!(request.complaints.is_empty(), "{:?}", request.complaints);
        request.limits
    }

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn all_limits_are_read_and_combine() {
        assert_eq!(limits(""), Limits::default());
        let limits = limits(
            "wtime 1000 btime 2000 winc 10 binc 20 movestogo 7 depth 300 nodes 5 mate 300 movetime 9",
        );
        let mut clock = Clock::new([Some(ms(1000)), Some(ms(2000))], [ms(10), ms(20)]);
        clock.moves_to_go = Some(7);
        assert_eq!(limits.clock, Some(clock));
        assert_eq!((limits.depth, limits.nodes, limits.mate), (Some(300), Some(5), Some(599)));
        assert_eq!(limits.movetime, Some(ms(9)));
        assert!(!limits.infinite && !limits.ponder);
    }

    #[test]
    fn ponder_and_infinite_keep_the_rest_of_the_line() {
        let pondering = limits("ponder wtime 100 btime 100");
        assert!(pondering.ponder && pondering.clock.is_some());
        let endless = limits("infinite depth 3");
        assert!(endless.infinite && endless.depth == Some(3));
    }

    #[test]
    fn searchmoves_end_at_the_next_keyword() {
        let request = request("depth 3 searchmoves h8 P@i9 4 nodes 7");
        assert_eq!(request.search_moves, ["h8", "P@i9", "4"]);
        assert_eq!((request.limits.depth, request.limits.nodes), (Some(3), Some(7)));
    }

    #[test]
    fn numbers_saturate_and_clocks_are_at_least_a_millisecond() {
        assert_eq!(limits("depth 99999999999999999999").depth, Some(u32::MAX));
        assert_eq!(limits("mate 99999999999999999999").mate, Some(u32::MAX));
        assert_eq!(limits("nodes 18446744073709551616").nodes, Some(i64::MAX.unsigned_abs()));
        assert_eq!(limits("depth 0").depth, Some(1));
        assert_eq!(limits("nodes 0").nodes, Some(1));
        assert_eq!(limits("movetime 0").movetime, Some(ms(1)));
        assert_eq!(limits("mate 0").mate, Some(1));
        let clock = limits("wtime -300 winc -5 movestogo 0").clock.unwrap();
        assert_eq!(clock.remaining, [Some(ms(1)), None]);
        assert_eq!((clock.increment, clock.moves_to_go), ([ms(0); 2], None));
        assert_eq!(limits("btime 0").clock.unwrap().remaining, [None, Some(ms(1))]);
        assert!(limits("wtime 99999999999999999999").clock.is_some());
    }

    #[test]
    fn an_increment_without_a_time_left_is_a_limit_only_when_it_stands_alone() {
        assert_eq!(limits("depth 3 winc 0 binc 0").clock, None);
        assert_eq!(limits("infinite winc 100").clock, None);
        assert!(limits("winc 100 binc 100").clock.is_some());
        assert!(limits("ponder movestogo 3").clock.is_some());
    }

    #[test]
    fn a_bad_number_is_reported_and_the_rest_of_the_line_is_read() {
        let request = request("depth x nodes 7");
        assert_eq!(request.complaints, ["go: depth needs a number, found \"x\""]);
        assert_eq!((request.limits.depth, request.limits.nodes), (None, Some(7)));
    }

    #[test]
    fn a_search_whose_only_limit_is_bad_has_depth_1() {
        for rest in
            ["depth x", "depth", "movetime 1.5", "wtime ?", "ponder wtime ?", "nodes infinity"]
        {
            let request = request(rest);
            assert_eq!(request.limits.depth, Some(1), "{rest}");
            assert_eq!(request.complaints.len(), 2, "{rest}");
        }
        let request = request("depth infinite");
        assert!(request.limits.infinite && request.limits.depth.is_none());
    }

    #[test]
    fn a_limit_below_0_counts_as_0_and_is_quoted() {
        for (word, value) in [
            ("depth", "-5"),
            ("nodes", "-1"),
            ("movetime", "-100"),
            ("mate", "-1"),
            ("movestogo", "-3"),
            ("movetime", "-99999999999999999999"),
        ] {
            let negative = request(&format!("{word} {value}"));
            let why = format!("go: {word} {value}: a number below 0 counts as 0");
            assert_eq!(negative.complaints, [why]);
            assert_eq!(negative.limits, request(&format!("{word} 0")).limits);
        }
        let mut commands = Vec::new();
        super::decode("perft -1", &Words::UCI, &mut |command| commands.push(command));
        let why = "go: perft -1: a number below 0 counts as 0".to_owned();
        assert_eq!(commands, [Command::Refused(why), Command::Perft(0)]);
    }

    #[test]
    fn the_last_value_of_a_limit_counts() {
        let twice = request("depth 1 nodes 5 depth 2");
        assert_eq!(twice.complaints, ["go: depth is given more than once: 2 counts"]);
        assert_eq!((twice.limits.depth, twice.limits.nodes), (Some(2), Some(5)));
    }

    #[test]
    fn searchmoves_without_moves_searches_all_moves() {
        for rest in ["searchmoves", "searchmoves depth 3"] {
            let all = request(rest);
            assert_eq!(all.complaints, ["go: searchmoves has no move: all moves are searched"]);
            assert!(all.search_moves.is_empty());
        }
    }

    #[test]
    fn an_unknown_word_is_reported_and_ignored() {
        let request = request("quickly depth 3");
        assert_eq!(request.complaints, ["go: unknown word \"quickly\" ignored"]);
        assert_eq!(request.limits.depth, Some(3));
    }

    #[test]
    fn perft_is_not_a_search() {
        assert_eq!(decode("perft 5"), Command::Perft(5));
        assert_eq!(decode("perft 99999999999"), Command::Perft(u32::MAX));
        assert!(matches!(decode("perft"), Command::Refused(why) if why.contains("perft")));
        assert!(matches!(decode("perft x"), Command::Refused(why) if why.contains("\"x\"")));
    }
}
