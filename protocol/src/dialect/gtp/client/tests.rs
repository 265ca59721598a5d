//! Each side of the dialect reads what the other side writes, and the client reads what no engine should
//! write.

use proptest::prelude::*;
use tengen_engine::{Clock, Move, Point};

use super::*;
use crate::dialect::gtp::args::Args;
use crate::dialect::gtp::clock::TimeSettings;
use crate::dialect::uci::client::tests::any_limits;
use crate::session::tests::fake::{Talk, answer, position_on, report, typed_on};

/// Returns a client whose engine lists `commands`, and the number of its last command.
fn greeted(commands: &str) -> GtpClient {
    let mut client = GtpClient::default();
    let position = position_on(15);
    client.greet(position.spec(), &mut |_| {});
    let commands = commands.split(' ').map(|command| format!("{command}\n")).collect::<String>();
    let text = format!("=1 3\n\n=2 Fake\n\n=3 {commands}\n");
    let read: Vec<Message> = text.lines().map(|line| client.read(line)).collect();
    assert_eq!(read[2], Message::Name("Fake 3".to_owned()));
    assert_eq!(read.last(), Some(&Message::Welcome));
    client
}

const PLAIN: &str = "boardsize clear_board play genmove time_settings time_left";
const TENGEN: &str = "boardsize clear_board play genmove kata-genmove_analyze time_settings time_left \
                      tengen-limit tengen-option tengen-variant";

/// Returns the lines of `say`, without their numbers.
fn lines_of(
    client: &mut GtpClient,
    say: impl FnOnce(&mut GtpClient, &mut dyn FnMut(String)),
) -> Vec<String> {
    let mut lines = Vec::new();
    say(client, &mut |line: String| lines.push(line));
    lines.iter().map(|line| line.split_once(' ').unwrap().1.to_owned()).collect()
}

fn begin(client: &mut GtpClient, terms: &GameTerms) -> Vec<String> {
    let position = position_on(15);
    lines_of(client, |client, out| client.new_game(position.spec(), terms, out))
}

fn go(client: &mut GtpClient, moves: &[&str], limits: &Limits) -> Vec<String> {
    let position = position_on(15);
    let moves: Vec<Move> = moves.iter().map(|mv| typed_on(15, mv)).collect();
    lines_of(client, |client, out| {
        let position = &*position;
        client.go(&SearchRequest { position, start: None, moves: &moves, texts: &[], limits }, out);
    })
}

#[test]
fn only_new_moves_are_played() {
    let mut client = greeted(PLAIN);
    let (terms, limits) = (GameTerms::default(), Limits::default());
    assert_eq!(begin(&mut client, &terms), ["boardsize 15", "clear_board"]);
    let opening = go(&mut client, &["h8", "i9"], &limits);
    // The fake position always has the first player to move.
    let opening: Vec<&str> = opening.iter().map(String::as_str).collect();
    assert_eq!(opening, ["play black H8", "play white J9", "time_settings 0 1 0", "genmove black"]);
    let next = go(&mut client, &["h8", "i9", "a1", "o15"], &limits);
    assert_eq!(next, ["play white P15", "genmove black"]);
    let other = go(&mut client, &["h8"], &limits);
    assert_eq!(other, ["clear_board", "play white H8", "genmove black"]);
}

#[test]
fn limits_are_written_as_the_engine_reads_them() {
    let clock = |millis| {
        let clock = Clock::new([Some(Duration::from_millis(millis)); 2], [Duration::ZERO; 2]);
        Limits::default().with_clock(clock)
    };
    let game = GameTerms { game: Some(Duration::from_secs(60)), ..GameTerms::default() };
    let mut plain = greeted(PLAIN);
    begin(&mut plain, &game);
    let lines = go(&mut plain, &[], &clock(60_900));
    assert_eq!(lines, ["time_settings 60 0 0", "time_left black 60 0", "genmove black"]);
    begin(&mut plain, &GameTerms { moves: Some(40), ..game });
    let lines = go(&mut plain, &[], &clock(900));
    assert_eq!(lines[..2], ["time_settings 0 60 40", "time_left black 1 0"]);
    let lines = go(&mut plain, &[], &Limits::default().with_movetime(Duration::from_secs(3)));
    assert_eq!(lines[..2], ["clear_board", "time_settings 0 3 1"]);

    let mut tengen = greeted(TENGEN);
    begin(&mut tengen, &game);
    let lines = go(&mut tengen, &[], &clock(60_900));
    assert_eq!(lines[..2], ["time_settings 60 0 0", "time_left black 60.900 0"]);
    assert_eq!(lines[2], "kata-genmove_analyze black 10 maxmoves 1");
    let nodes = Limits::default().with_nodes(7).with_depth(3);
    assert_eq!(go(&mut tengen, &[], &nodes)[1], "tengen-limit nodes 7 depth 3");
}

#[test]
fn an_engine_without_a_command_that_is_needed_is_refused() {
    let position = position_on(15);
    let refusal = |commands: &str, variant, terms: GameTerms, sets_options| {
        let needs = GameNeeds { spec: position.spec(), variant, terms: &terms, sets_options };
        greeted(commands).cannot_play(&needs)
    };
    let clock = GameTerms { game: Some(Duration::from_secs(9)), ..GameTerms::default() };
    let turn = GameTerms { turn: Some(Duration::from_millis(100)), ..GameTerms::default() };
    let nodes = GameTerms { nodes: Some(9), ..GameTerms::default() };
    assert_eq!(refusal(TENGEN, Some("line"), nodes, true), None);
    assert_eq!(refusal(TENGEN, Some("line"), turn, true), None);
    assert_eq!(refusal(PLAIN, None, clock, false), None);
    for (commands, variant, terms, sets_options, missing) in [
        ("boardsize clear_board play", None, clock, false, "no command genmove"),
        ("boardsize clear_board play genmove", None, clock, false, "no command time_settings"),
        (PLAIN, Some("line"), clock, false, "no command tengen-variant"),
        (PLAIN, None, nodes, false, "no command tengen-limit"),
        (PLAIN, None, clock, true, "no command tengen-option"),
        (PLAIN, None, turn, false, "st= must be at least 1"),
        (TENGEN, None, GameTerms { nodes: Some(9), ..clock }, false, "no clock together"),
    ] {
        let why = refusal(commands, variant, terms, sets_options).unwrap_or_default();
        assert!(why.contains(missing), "{missing}: {why}");
    }
}

/// Returns what the client reads after a search was asked for.
fn read(commands: &str, text: &str) -> Vec<Message> {
    let mut client = greeted(commands);
    begin(&mut client, &GameTerms::default());
    go(&mut client, &["h8"], &Limits::default());
    let read = text.lines().map(|line| client.read(line));
    read.filter(|message| !matches!(message, Message::Text(_))).collect()
}

#[test]
fn an_answer_is_a_vertex_a_resignation_or_a_refusal() {
    // The commands 4 to 8: boardsize, clear_board, play, time_settings, genmove.
    let moved = |text: &str| Message::Move { text: text.to_owned(), ponder: None };
    assert_eq!(read(PLAIN, "=8 J9\n\n"), [moved("i9")]);
    assert_eq!(read(PLAIN, "=8 RESIGN\n\n"), [Message::Resign]);
    assert_eq!(read(PLAIN, "=8 pass\n\n"), [moved("pass")]);
    // No point of Tengen, though its text is one.
    assert_eq!(read(PLAIN, "=8 I5\n\n"), [moved("vertex I5")]);
    assert_eq!(read(PLAIN, "=8 7,7\n\n"), [moved("vertex 7,7")]);
    let refused = |text: &str| Message::Refused(text.to_owned());
    assert_eq!(read(PLAIN, "?8 no idea\n\n"), [refused("genmove black: ? no idea")]);
    assert_eq!(read(PLAIN, "?6 illegal move\n\n"), [refused("play white H8: ? illegal move")]);
    assert_eq!(read(PLAIN, "=8\n\n"), [refused("genmove black: the response has no move")]);
    // An empty line was dropped, and an engine without numbers.
    assert_eq!(read(PLAIN, "=5\n=6\n\n=7\n\n=8 A1\n\n"), [Message::Ready, moved("a1")]);
    assert_eq!(read(PLAIN, "=\n\n=\n=\n\n=\n\n= A1\n\n"), [Message::Ready, moved("a1")]);
    // A late empty line does not end the next response.
    assert_eq!(read(PLAIN, "\n\n=8 A1\n\n\n"), [moved("a1")]);
    let analysis = read(
        "boardsize clear_board play genmove lz-genmove_analyze time_settings",
        "=8\ninfo move J9 visits 12 winrate 7311 prior 0 order 0 pv J9 H8 pass info move A1 visits 1\nplay J9\n\n",
    );
    let [Message::Info(info), last] = &analysis[..] else { panic!("{analysis:?}") };
    assert_eq!((info.nodes, info.score), (Some(12), Some(EngineScore::Units(200))));
    assert_eq!((&info.pv[..], last), (&["i9".to_owned(), "h8".to_owned()][..], &moved("i9")));
}

proptest! {
    #[test]
    fn the_server_reads_the_limits_of_the_client(limits in any_limits(false)) {
        let mut client = greeted(TENGEN);
        let game = limits.clock.as_ref().map(|_| Duration::from_secs(9));
        begin(&mut client, &GameTerms { game, ..GameTerms::default() });
        let mut settings = TimeSettings::default();
        for line in go(&mut client, &[], &limits) {
            let (command, arguments) = line.split_once(' ').unwrap();
            let args = &mut Args::new(arguments);
            let read = match command {
                "tengen-limit" => settings.fix(args),
                "time_settings" => settings.set(args),
                "time_left" => settings.note_left(args),
                _ => Ok(()),
            };
            prop_assert_eq!(read, Ok(()), "{}", line);
        }
        let found = settings.limits(Side::First);
        let least = |time: Option<Duration>| time.map(|time| time.max(Duration::from_millis(1)));
        match &limits.clock {
            Some(clock) => {
                let left = clock.remaining[0].map_or(Some(Duration::from_secs(9)), |left| least(Some(left)));
                prop_assert_eq!(found.clock.unwrap().remaining[0], left);
            }
            None if limits.nodes.is_some() || limits.depth.is_some() || limits.movetime.is_some() => {
                let movetime = least(limits.movetime);
                prop_assert_eq!((found.nodes, found.depth, found.movetime), (limits.nodes, limits.depth, movetime));
            }
            None => {}
        }
    }

    #[test]
    fn a_vertex_survives_a_round_trip(column in 0_u32..26, row in 0_u32..26, upper in any::<bool>()) {
        let point = Point { column, row };
        let vertex = vertex::of_point(point);
        let vertex = if upper { vertex } else { vertex.to_lowercase() };
        prop_assert_eq!(vertex::to_point(&vertex).and_then(|text| text.parse().ok()), Some(point));
    }

    #[test]
    fn a_client_gets_the_move_of_a_server(
        point in (0_u32..4, 0_u32..4).prop_map(|(column, row)| Point { column, row }),
        reports in 0_usize..3,
    ) {
        let (mut talk, position) = (Talk::new(), position_on(4));
        let mut client = GtpClient::default();
        let mut lines = Vec::new();
        client.greet(position.spec(), &mut |line| lines.push(line));
        let mut said: Vec<String> = lines.drain(..).flat_map(|line| talk.say(&line)).collect();
        let mut heard: Vec<Message> = said.drain(..).map(|line| client.read(&line)).collect();
        prop_assert_eq!(heard.last(), Some(&Message::Welcome));
        client.new_game(position.spec(), &GameTerms::default(), &mut |_| {});
        let limits = Limits::default().with_nodes(5);
        let position = &*position;
        let request = SearchRequest { position, start: None, moves: &[], texts: &[], limits: &limits };
        client.go(&request, &mut |line| lines.push(line));
        said.extend(lines.drain(..).flat_map(|line| talk.say(&line)));
        let text = point.to_string();
        (0..reports).for_each(|_| said.extend(talk.tell(0, report(&text))));
        said.extend(talk.tell(0, answer(&text)));
        heard = said.iter().map(|line| client.read(line)).collect();
        heard.retain(|message| !matches!(message, Message::Text(_)));
        let last = heard.pop();
        prop_assert_eq!(last, Some(Message::Move { text, ponder: None }), "{:?}", said);
        prop_assert!(heard.iter().all(|message| matches!(message, Message::Info(_))), "{:?}", heard);
    }

    #[test]
    fn no_line_of_an_engine_ends_the_client(
        lines in proptest::collection::vec(".{0,40}|[=?][0-9]{0,2} ?.{0,9}|(info|play|=) .{0,30}|", 0..40),
    ) {
        let mut client = greeted(TENGEN);
        begin(&mut client, &GameTerms::default());
        let mut moves = 0;
        for line in lines {
            if let Message::Move { text, .. } = client.read(&line) {
                moves += 1;
                prop_assert!(!text.is_empty());
            }
            go(&mut client, &[], &Limits::default());
        }
        prop_assert!(moves <= 40);
    }
}
