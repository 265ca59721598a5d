//! Each side of the dialect reads what the other side writes.

use proptest::prelude::*;
use tengen_engine::options::{OptionKind, OptionSpec};
use tengen_engine::{About, Answer, Move, Position, Report, Score};

use super::*;
use crate::command::{Command, Reply, Request, Setup};
use crate::dialect::kind::{BoardContext, Dialect};
use crate::dialect::uci::server::Uci;
use crate::session::tests::fake::{position_on, typed_on};

pub(crate) fn board() -> Box<dyn Position> {
    position_on(15)
}

/// A reply to encode.
pub(crate) enum ServerReply<'a> {
    Report(&'a Report<Move>),
    Reply(Reply),
}

/// Returns the lines of `reply` in the dialect `server`.
pub(crate) fn encoded(server: &dyn CloneDialect, reply: ServerReply<'_>) -> Vec<String> {
    let position = board();
    let context =
        BoardContext { position: &*position, style: Style::Plain, multi_pv: 1, shows_wdl: true };
    let reply = match reply {
        ServerReply::Report(report) => Reply::Report(report.clone()),
        ServerReply::Reply(reply) => reply,
    };
    let mut lines = Vec::new();
    server.boxed().encode(&reply, &context, &mut |line| lines.push(line));
    lines
}

/// A dialect that can be cloned.
pub(crate) trait CloneDialect {
    fn boxed(&self) -> Box<dyn Dialect>;
}

impl<D: Dialect + Copy + 'static> CloneDialect for D {
    fn boxed(&self) -> Box<dyn Dialect> {
        Box::new(*self)
    }
}

fn decoded(line: &str) -> Vec<Command> {
    let mut commands = Vec::new();
    Uci.decode(line, &mut |command| commands.push(command));
    commands
}

fn millis() -> impl Strategy<Value = Duration> {
    (1_u64..10_000_000).prop_map(Duration::from_millis)
}

/// Limits that a client can send. `has_moves`: whether the dialect has `movestogo`.
pub(crate) fn any_limits(has_moves: bool) -> impl Strategy<Value = Limits> {
    let left = || proptest::option::of(millis());
    let moves = proptest::option::of(1_u32..99);
    let clock = ([left(), left()], [millis(), millis()], moves).prop_map(
        move |(remaining, increment, moves)| {
            let mut clock = Clock::new(remaining, increment);
            clock.moves_to_go = moves.filter(|_| has_moves);
            clock
        },
    );
    let some_time = clock.prop_filter("a clock shows a time", |clock| clock.remaining != [None; 2]);
    (
        proptest::option::of(some_time),
        proptest::option::of(millis()),
        proptest::option::of(1_u32..1000),
        proptest::option::of(1_u64..1_000_000_000_000),
        any::<(bool, bool)>(),
    )
        .prop_map(|(clock, movetime, depth, nodes, (ponder, infinite))| {
            let mut limits = Limits::default();
            (limits.clock, limits.movetime) = (clock, movetime);
            (limits.depth, limits.nodes) = (depth, nodes);
            (limits.ponder, limits.infinite) = (ponder, infinite);
            limits
        })
}

pub(crate) fn any_report() -> impl Strategy<Value = Report<Move>> {
    let score = prop_oneof![
        (-2_000_000..2_000_000).prop_map(Score::heuristic),
        (0_u32..400).prop_map(|half| Score::win_in(2 * half + 1)),
        (0_u32..400).prop_map(|half| Score::loss_in(2 * half)),
    ];
    let bound = prop_oneof![Just(Bound::Exact), Just(Bound::Lower), Just(Bound::Upper)];
    (score, bound, 0_u32..300, 0_u32..300, 0_u64..1 << 50, 0_u64..1_000_000_000).prop_map(
        |(score, bound, depth, seldepth, nodes, micros)| {
            let mut report = Report::blank(score, None);
            (report.depth, report.seldepth) = (depth, seldepth);
            (report.bound, report.nodes) = (bound, nodes);
            report.time = Duration::from_micros(micros);
            (report.hashfull, report.probe_hits) = (17, 3);
            report.pv = vec![typed_on(15, "h8"), typed_on(15, "i9")];
            report
        },
    )
}

proptest! {
    #[test]
    fn the_server_reads_the_client_s_go(limits in any_limits(true)) {
        let line = go_line(&limits, &Words::UCI);
        let request = Request { limits, ..Request::default() };
        prop_assert_eq!(decoded(&line), [Command::Go(request)], "{}", line);
    }

    #[test]
    fn the_client_reads_the_server_s_reports(report in any_report()) {
        let lines = encoded(&Uci, ServerReply::Report(&report));
        let Message::Info(info) = UciClient::default().read(&lines[0]) else { panic!("{lines:?}") };
        let (depth, seldepth) = (Some(report.depth), Some(report.seldepth));
        let score = match report.score.plies() {
            None => EngineScore::Units(report.score.raw().into()),
            Some(plies) if report.score.is_win() => EngineScore::WinIn(plies),
            Some(plies) => EngineScore::LossIn(plies),
        };
        let expected = Info {
            depth,
            seldepth,
            line: Some(1),
            score: Some(score),
            bound: Some(report.bound),
            nodes: Some(report.nodes),
            time: Some(Duration::from_millis(report.time.as_millis() as u64)),
            pv: vec!["h8".to_owned(), "i9".to_owned()],
        };
        prop_assert_eq!(Info { line: Some(1), ..info }, expected, "{}", &lines[0]);
    }

    #[test]
    fn no_line_makes_the_reader_panic(line in any::<String>(), key in "(info|option|id|bestmove) .{0,40}") {
        let mut client = UciClient::default();
        client.read(&line);
        client.read(&key);
    }

    #[test]
    fn no_mix_of_known_words_makes_the_reader_panic(
        words in proptest::collection::vec(proptest::sample::select(vec![
            "info", "option", "name", "type", "spin", "min", "max", "var", "score", "cp", "mate",
            "-9223372036854775808", "99999999999999999999", "-1", "depth", "pv", "nodes", "time",
            "string", "bestmove", "ponder", "h8", "lowerbound", "multipv", "combo", "default",
        ]), 0..12),
    ) {
        UciClient::default().read(&words.join(" "));
    }
}

#[test]
fn the_server_reads_the_client_s_positions() {
    let position = board();
    let texts = ["P@h8".to_owned(), "P@i9".to_owned()];
    let request = SearchRequest {
        position: &*position,
        start: None,
        moves: &[],
        texts: &texts,
        limits: &Limits::default(),
    };
    let moves = "P@h8 P@i9".to_owned();
    assert_eq!(
        decoded(&position_line(&request, true)),
        [Command::Position(Setup::Start { moves })]
    );
    let bare = SearchRequest { texts: &[], ..request };
    assert_eq!(position_line(&bare, true), "position startpos");
    let fen = SearchRequest { start: Some("7/7 w"), ..bare };
    let setup = Setup::Text { text: "7/7 w".to_owned(), keyword: "moves" };
    assert_eq!(decoded(&position_line(&fen, false)), [Command::Position(setup)]);
}

#[test]
fn the_client_reads_the_server_s_options() {
    let option = OptionSpec::new;
    let lines = encoded(
        &Uci,
        ServerReply::Reply(Reply::Identity(
            About::new("Nimble"),
            vec![
                option("Hash", OptionKind::Spin { default: 64, min: 1, max: 128 }),
                option("Clear Hash", OptionKind::Button),
                option("Debug Log File", OptionKind::Text { default: "" }),
                option("UCI_Variant", OptionKind::Combo { default: "a", values: vec!["a", "b"] }),
                option("Ponder", OptionKind::Check { default: false }),
            ],
        )),
    );
    let mut client = UciClient::default();
    let messages: Vec<Message> = lines.iter().map(|line| client.read(line)).collect();
    assert!(matches!(&messages[0], Message::Name(name) if name == "Nimble"));
    let option = |name: &str, kind| Message::Option(EngineOption { name: name.to_owned(), kind });
    let values = vec!["a".to_owned(), "b".to_owned()];
    assert_eq!(messages[2], option("Hash", EngineOptionKind::Spin { min: 1, max: 128 }));
    assert_eq!(messages[3], option("Clear Hash", EngineOptionKind::Button));
    assert_eq!(messages[4], option("Debug Log File", EngineOptionKind::Text));
    assert_eq!(messages[5], option("UCI_Variant", EngineOptionKind::Combo(values)));
    assert_eq!(messages[6], option("Ponder", EngineOptionKind::Check));
    assert_eq!(messages[7], Message::Welcome);
}

#[test]
fn an_answer_has_a_move_and_the_expected_reply() {
    let mut client = UciClient::default();
    let mut read = |line: &str| client.read(line);
    let mv = |text: &str, ponder: Option<&str>| Message::Move {
        text: text.to_owned(),
        ponder: ponder.map(str::to_owned),
    };
    assert_eq!(read("bestmove P@d1 ponder P@d2"), mv("P@d1", Some("P@d2")));
    assert_eq!(read(" bestmove\th8\r"), mv("h8", None));
    assert_eq!(read("bestmove (none)"), mv("(none)", None));
    assert_eq!(read("bestmove"), Message::Other("bestmove".into()));
    let mut answer = Answer::blank(Score::DRAW, Some(typed_on(15, "h8")));
    answer.ponder = Some(typed_on(15, "i9"));
    answer.has_unreported = false;
    let lines = encoded(&Uci, ServerReply::Reply(Reply::Answer(answer)));
    assert_eq!(read(lines.last().unwrap()), mv("h8", Some("i9")));
}

#[test]
fn lines_of_other_engines_are_read() {
    let mut client = UciClient::default();
    let mut read = |line: &str| client.read(line);
    // Stockfish's answer to an unknown dialect, and its information.
    assert_eq!(read("Unknown command: 'ugi'. Type help for more information."), Message::Foreign);
    assert_eq!(read("ERROR Unknown command: UCI"), Message::Foreign);
    let Message::Info(info) = read(
        "info depth 20 seldepth 28 multipv 1 score cp 34 upperbound nodes 812534 nps 1015667 hashfull 304 tbhits 0 time 800 pv e2e4 e7e5",
    ) else {
        panic!()
    };
    assert_eq!((info.depth, info.nodes, info.bound), (Some(20), Some(812_534), Some(Bound::Upper)));
    assert_eq!(
        read("info string NNUE evaluation enabled"),
        Message::Text("NNUE evaluation enabled".into())
    );
    let hash = read("option name Move Overhead type spin default 10 min 0 max 5000");
    assert!(matches!(hash, Message::Option(option) if option.name == "Move Overhead"
        && option.refuses("5001").is_some() && option.refuses("5000").is_none()));
    assert_eq!(read("id author T. Romstad"), Message::Text("id author T. Romstad".into()));
}
