//! Each side of the dialect reads what the other side writes.

use proptest::prelude::*;
use tengen_engine::{About, Clock, Limits, Position, Report};

use super::*;
use crate::command::{Command, GameCommand, GameLimit, OpeningStep, Owner, Reply, Stone};
use crate::dialect::gomocup::server::Gomocup;
use crate::dialect::kind::{BoardContext, Dialect};
use crate::dialect::uci::client::tests::any_report;
use crate::session::tests::fake::{position_on, typed_on};

/// Returns the commands that a server decodes from `lines`.
fn decoded(lines: &[String]) -> Vec<Command> {
    let mut server = Gomocup::default();
    let mut commands = Vec::new();
    for line in lines {
        server.decode(line, &mut |command| commands.push(command));
    }
    commands
}

fn encoded(reply: &Reply) -> Vec<String> {
    let position = position_on(15);
    let context =
        BoardContext { position: &*position, style: Style::Plain, multi_pv: 1, shows_wdl: false };
    let mut lines = Vec::new();
    Gomocup::default().encode(reply, &context, &mut |line| lines.push(line));
    lines
}

fn game(command: GameCommand) -> Command {
    Command::Game(command)
}

/// Returns the lines of a `go` after `moves`, with `left` milliseconds on the clock.
fn go_lines(
    client: &mut GomocupClient,
    position: &dyn Position,
    moves: &[&str],
    left: u64,
) -> Vec<String> {
    let moves: Vec<Move> = moves.iter().map(|mv| typed_on(15, mv)).collect();
    let clock = Clock::new([Some(Duration::from_millis(left)); 2], [Duration::ZERO; 2]);
    let limits = Limits::default().with_clock(clock);
    let request =
        SearchRequest { position, start: None, moves: &moves, texts: &[], limits: &limits };
    let mut lines = Vec::new();
    client.go(&request, &mut |line| lines.push(line));
    lines
}

#[test]
fn the_server_reads_the_beginning_of_a_game() {
    let position = position_on(15);
    let mut client = GomocupClient::new(false, Some("/tmp/a folder".to_owned()));
    let terms = GameTerms {
        turn: Some(Duration::from_millis(500)),
        game: Some(Duration::from_secs(90)),
        increment: Some(Duration::from_millis(30)),
        moves: None,
        memory: Some(350 << 20),
        nodes: Some(1000),
        depth: Some(12),
    };
    let mut lines = Vec::new();
    client.new_game(position.spec(), &terms, &mut |line| lines.push(line));
    client.game_ready(position.spec(), &terms, &mut |line| lines.push(line));
    client.quit(&mut |line| lines.push(line));
    let limit = |limit| game(GameCommand::Limit(limit));
    let expected = [
        game(GameCommand::Open { size: Some((15, 15)), analyses: false }),
        game(GameCommand::Rule { variant: "gomokufreestyle", overline: true }),
        limit(GameLimit::Turn(Duration::from_millis(500))),
        limit(GameLimit::Game(Some(Duration::from_secs(90)))),
        limit(GameLimit::Increment(Duration::from_millis(30))),
        limit(GameLimit::Memory(Some(350 << 20))),
        limit(GameLimit::Nodes(Some(1000))),
        limit(GameLimit::Depth(Some(12))),
        Command::Quit,
    ];
    assert_eq!(decoded(&lines), expected, "{lines:?}");
}

#[test]
fn a_game_without_a_time_limit_sends_the_number_for_no_limit() {
    let position = position_on(15);
    let mut client = GomocupClient::default();
    let mut lines = Vec::new();
    client.game_ready(position.spec(), &GameTerms::default(), &mut |line| lines.push(line));
    for line in ["INFO timeout_turn 2147483647", "INFO timeout_match 0", "INFO max_memory 0"] {
        assert!(lines.contains(&line.to_owned()), "{lines:?}");
    }
    let limits = Limits::default().with_nodes(5);
    let request = SearchRequest {
        position: &*position,
        start: None,
        moves: &[],
        texts: &[],
        limits: &limits,
    };
    let mut lines = Vec::new();
    client.go(&request, &mut |line| lines.push(line));
    assert_eq!(lines, ["INFO time_left 2147483647", "BEGIN"]);
}

#[test]
fn single_moves_follow_the_game_and_a_board_sends_missed_moves() {
    let mut client = GomocupClient::default();
    let position = position_on(15);
    // The second player of a game without an opening.
    let lines = go_lines(&mut client, &*position, &["h8"], 5000);
    assert_eq!(lines, ["INFO time_left 5000", "TURN 7,7"]);
    let left = game(GameCommand::Limit(GameLimit::Left(Some(Duration::from_secs(5)))));
    assert_eq!(decoded(&lines), [left, game(GameCommand::Turn(Xy { x: 7, y: 7 }))]);
    let lines = go_lines(&mut client, &*position, &["h8", "i9", "a1"], 5000);
    assert_eq!(lines[1], "TURN 0,14");
    // A game in which the engine missed moves, as after an opening.
    let mut client = GomocupClient::default();
    let lines = go_lines(&mut client, &*position, &["h8", "i9", "a1"], 1);
    assert_eq!((lines[1].as_str(), lines.last().unwrap().as_str()), ("BOARD", "DONE"));
    assert_eq!(lines.len(), 6);
    let mut client = GomocupClient::new(true, None);
    assert_eq!(go_lines(&mut client, &*position, &["h8"], 1)[1], "BOARD");
}

#[test]
fn a_swap2_request_has_stones_without_owners() {
    let mut client = GomocupClient::default();
    let position = position_on(15);
    let stones: Vec<Move> = ["h8", "i8", "j7"].map(|mv| typed_on(15, mv)).to_vec();
    let mut lines = Vec::new();
    assert!(client.swap(&*position, &stones, &mut |line| lines.push(line)));
    assert_eq!(lines, ["SWAP2BOARD", "7,7", "8,7", "9,8", "DONE"]);
    let cells = vec![Xy { x: 7, y: 7 }, Xy { x: 8, y: 7 }, Xy { x: 9, y: 8 }];
    assert_eq!(
        decoded(&lines),
        [game(GameCommand::Opening { step: OpeningStep::Swap2Board, stones: Some(cells) })]
    );
    assert_eq!(client.read("SWAP"), Message::Swap);
    let stones = vec!["8,8".to_owned(), "8,6".to_owned()];
    assert_eq!(client.read("8,8 8,6"), Message::Stones(stones));
}

#[test]
fn short_answers_are_read_in_upper_or_lower_case() {
    let mut client = GomocupClient::default();
    let mut read = |line: &str| client.read(line);
    assert_eq!(read("OK"), Message::Ready);
    assert_eq!(read("ok - everything is good\r"), Message::Ready);
    assert_eq!(read("7,7"), Message::Move { text: "7,7".into(), ponder: None });
    assert_eq!(read("SUGGEST 7,8"), Message::Suggestion("7,8".into()));
    assert_eq!(read("ERROR no size"), Message::Error("ERROR no size".into()));
    assert_eq!(read("UNKNOWN x"), Message::Error("UNKNOWN x".into()));
    assert_eq!(read("DEBUG a b"), Message::Text("a b".into()));
    assert_eq!(read("7;7"), Message::Other("7;7".into()));
    let about = encoded(&Reply::Identity(About::new("Nimble").with_version("1.2"), Vec::new()));
    assert_eq!(read(&about[0]), Message::Name("Nimble 1.2".into()));
    assert_eq!(read("name=Wine, version=2.0, author=JH"), Message::Name("Wine 2.0".into()));
}

#[test]
fn messages_of_other_engines_are_read() {
    let mut client = GomocupClient::default();
    let mut info = |line: &str| match client.read(line) {
        Message::Info(info) => info,
        other => panic!("{other:?}"),
    };
    let rapfi = info("MESSAGE Depth 10-17 | Eval -66 | Time 55ms | H8 I9");
    assert_eq!((rapfi.depth, rapfi.seldepth), (Some(10), Some(17)));
    assert_eq!(rapfi.score, Some(EngineScore::Units(-66)));
    assert_eq!(rapfi.time, Some(Duration::from_millis(55)));
    let last = info("MESSAGE Speed 655K | Depth 10-17 | Eval +M7 | Node 36K | Time 12s");
    assert_eq!((last.score, last.nodes), (Some(EngineScore::WinIn(7)), Some(36_000)));
    assert_eq!(last.time, Some(Duration::from_secs(12)));
    assert_eq!(client.read("MESSAGE hello there"), Message::Text("hello there".into()));
    assert_eq!(client.read("MESSAGE depth of thought"), Message::Text("depth of thought".into()));
}

proptest! {
    #[test]
    fn the_client_reads_the_server_s_reports(report in any_report()) {
        let report: Report<Move> = report;
        let lines = encoded(&Reply::Report(report.clone()));
        let Message::Info(info) = GomocupClient::default().read(&lines[0]) else { panic!("{lines:?}") };
        let score = match report.score.plies() {
            None => EngineScore::Units(report.score.raw().into()),
            Some(plies) if report.score.is_win() => EngineScore::WinIn(plies),
            Some(plies) => EngineScore::LossIn(plies),
        };
        prop_assert_eq!(info.score, Some(score), "{}", &lines[0]);
        prop_assert_eq!((info.depth, info.seldepth), (Some(report.depth), Some(report.seldepth)));
        prop_assert_eq!(info.nodes, Some(report.nodes));
        let millis = Duration::from_millis(report.time.as_millis() as u64);
        prop_assert_eq!(info.time, Some(millis));
        prop_assert_eq!(info.pv.len(), 2);
    }

    #[test]
    fn the_server_reads_the_stones_of_a_board(
        places in proptest::collection::hash_set((0_u32..15, 0_u32..15), 2..40),
    ) {
        let moves: Vec<String> = places
            .iter()
            .map(|(column, row)| tengen_engine::Point { column: *column, row: *row }.to_string())
            .collect();
        let texts: Vec<&str> = moves.iter().map(String::as_str).collect();
        let position = position_on(15);
        let lines = go_lines(&mut GomocupClient::new(true, None), &*position, &texts, 7);
        let grid = position.spec().grid.unwrap().grid();
        let stones: Vec<Stone> = moves
            .iter()
            .map(|mv| Stone { at: Xy::of(mv.parse().unwrap(), grid), owner: Owner::Own })
            .collect();
        // The fake board has no stones, so all rows count as the engine's own.
        let commands = decoded(&lines);
        prop_assert_eq!(&commands[1], &game(GameCommand::SetUp { stones, reply: true }));
    }

    #[test]
    fn no_line_makes_the_reader_panic(line in any::<String>(), text in "(MESSAGE|name=|ERROR) .{0,40}") {
        let mut client = GomocupClient::default();
        client.read(&line);
        client.read(&text);
    }
}

#[test]
fn cells_are_read_as_engines_write_them() {
    let cells = |line: &str| match read(line) {
        Message::Move { text, .. } => vec![text],
        Message::Stones(cells) => cells,
        _ => Vec::new(),
    };
    for line in ["7,8", "7, 8", "7 ,8", " 7,8 ", "7,8 text", "(7,8)", "( 7 , 8 )", "[7,8] win in 3"]
    {
        assert_eq!(cells(line), ["7,8"], "{line}");
    }
    assert_eq!(cells("7,7 8, 7 (9,9) thanks"), ["7,7", "8,7", "9,9"]);
    for line in ["7,7,7", "7", "7;7", "7,", ",7", "(7,7", "7,7.5", "-1,7", "h8", "ERROR 7,7", "7 7"]
    {
        assert_eq!(cells(line), [""; 0], "{line}");
    }
}
