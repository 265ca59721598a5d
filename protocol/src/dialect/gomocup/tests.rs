//! Decoding of lines and encoding of replies.

use std::time::Duration;

use proptest::prelude::*;
use tengen_engine::opening::{
    Act, Actor, Area, BoardNeed, Course, Decision, OfferCount, OpeningRule,
    OpeningStep as RuleStep, OtherWay,
};
use tengen_engine::{
    About, Answer, Grid, Move, Point, ProofSource, ProvenResult, Report, Score, Style, Wdl,
};

use super::server::*;
use crate::command::{
    Command, GameCommand, GameLimit, GameReply, OpeningReply, OpeningStep, Owner, Reply, Stone, Xy,
};
use crate::dialect::kind::{BoardContext, Dialect};
use crate::session::tests::fake::{changed, position_on, typed_on};

fn decode(lines: &[&str]) -> Vec<Command> {
    let mut dialect = Gomocup::default();
    let mut commands = Vec::new();
    lines.iter().for_each(|line| dialect.decode(line, &mut |command| commands.push(command)));
    commands
}

fn game_command(lines: &[&str]) -> GameCommand {
    match &decode(lines)[..] {
        [Command::Game(command)] => command.clone(),
        other => panic!("{lines:?}: {other:?}"),
    }
}

fn stone(x: u32, y: u32, owner: Owner) -> Stone {
    Stone { at: Xy { x, y }, owner }
}

#[test]
fn case_and_blanks_are_ignored() {
    let open = |size, analyses| GameCommand::Open { size, analyses };
    assert_eq!(game_command(&["START 15\r"]), open(Some((15, 15)), false));
    assert_eq!(game_command(&["  start\t20  "]), open(Some((20, 20)), false));
    assert_eq!(game_command(&["RectStart 9 , 7"]), open(Some((9, 7)), false));
    assert_eq!(game_command(&["RESTART"]), open(None, false));
    assert_eq!(game_command(&["turn 3, 4"]), GameCommand::Turn(Xy { x: 3, y: 4 }));
    assert_eq!(game_command(&["PLAY 3,4"]), GameCommand::Play(Xy { x: 3, y: 4 }));
    assert_eq!(game_command(&["TAKEBACK 0,14"]), GameCommand::TakeBack(Xy { x: 0, y: 14 }));
    assert_eq!(game_command(&["YXNBEST 3"]), GameCommand::BestMoves(3));
    assert_eq!(decode(&["", "# START 15", "about", "END", "STOP", "yxstop"]).len(), 4);
    assert_eq!(decode(&["yxshowinfo", "start 15"])[1], Command::Game(open(Some((15, 15)), true)));
}

#[test]
fn blanks_commas_and_a_second_number_are_read() {
    let open = |size| GameCommand::Open { size: Some(size), analyses: false };
    for line in ["start 20 20", "START 20,20", "start,20", "Start , 20", "RECTSTART 20 20"] {
        assert_eq!(game_command(&[line]), open((20, 20)), "{line}");
    }
    for line in ["RECTSTART 20 15", "rectstart 20 , 15", "RECTSTART,20,15", "start 20 15"] {
        assert_eq!(game_command(&[line]), open((20, 15)), "{line}");
    }
    let at = Xy { x: 3, y: 4 };
    for rest in ["3 4", "3,4", " 3 ,  4", ",3,4", "3\t4"] {
        assert_eq!(game_command(&[&format!("turn {rest}")]), GameCommand::Turn(at), "{rest}");
        assert_eq!(game_command(&[&format!("PLAY {rest}")]), GameCommand::Play(at), "{rest}");
        let back = game_command(&[&format!("TakeBack {rest}")]);
        assert_eq!(back, GameCommand::TakeBack(at), "{rest}");
        let evaluated = game_command(&[&format!("INFO evaluate {rest}")]);
        assert_eq!(evaluated, GameCommand::Evaluate(at), "{rest}");
    }
    for key in ["timeout_turn 5", "TIMEOUT_TURN,5", "timeout_turn , 5"] {
        let limit = GameLimit::Turn(Duration::from_millis(5));
        assert_eq!(game_command(&[&format!("INFO {key}")]), GameCommand::Limit(limit), "{key}");
    }
    let stones = vec![stone(7, 7, Owner::Own), stone(8, 9, Owner::Opponent)];
    let board = GameCommand::SetUp { stones, reply: true };
    for lines in [
        &["BOARD", "7 7 1", "8 9 2", "DONE"][..],
        &["BOARD", "7, 7, 1", "8 ,9 2", "done"],
        &["board 7 7 1 8 9 2 DONE"],
        &["BOARD", "7,7,1 8,9,2", "DONE"],
        &["BOARD 7, 7, 1", "8,9,2 Done"],
    ] {
        assert_eq!(game_command(lines), board, "{lines:?}");
    }
    let swap = game_command(&["SWAP2BOARD 1 2 3, 4", "5 6", "DONE"]);
    let points = [(1, 2), (3, 4), (5, 6)].map(|(x, y)| Xy { x, y });
    assert_eq!(swap, swap2(points.to_vec()));
    for line in ["START 20 20 0", "RECTSTART 20", "TURN 7,,7", "TURN 7 7 7", "TURN 7,", "START"] {
        assert!(matches!(&decode(&[line])[..], [Command::Refused(_)]), "{line}");
    }
}

/// Returns the command to decide in Swap2 with these stones.
fn swap2(stones: Vec<Xy>) -> GameCommand {
    GameCommand::Opening { step: OpeningStep::Swap2Board, stones: Some(stones) }
}

const STONE: RuleStep = RuleStep::Place(Actor::Player(0), Area::Board);
const LATER_STONE: RuleStep = RuleStep::Place(Actor::Player(1), Area::Board);

static TWO: OtherWay = OtherWay {
    word: "two",
    summary: "",
    exchanges: true,
    steps: &[LATER_STONE, LATER_STONE, RuleStep::MaySwap(None)],
};

/// Swap2, and what Soosorv-8 adds: a declared number of offers.
static RULES: [OpeningRule; 2] = [
    rule("swap2", &[STONE, STONE, STONE, RuleStep::MaySwap(Some(&TWO))]),
    rule(
        "soosorv8",
        &[
            STONE,
            STONE,
            STONE,
            RuleStep::MaySwap(None),
            RuleStep::Place(Actor::ToMove, Area::Board),
            RuleStep::Declare(Actor::NotToMove, Some(8)),
            RuleStep::MaySwap(None),
            RuleStep::Offer(OfferCount::Declared),
            RuleStep::Keep,
        ],
    ),
];

const fn rule(name: &'static str, steps: &'static [RuleStep]) -> OpeningRule {
    let board = BoardNeed::Points(25);
    OpeningRule {
        name,
        aliases: &[],
        title: name,
        summary: "",
        steps,
        board,
        even: 0,
        first_stones: None,
    }
}

/// Returns the reply with a decision in an opening on a board of 15x15.
fn decided(step: OpeningStep, before: &str, acts: &str, then: Option<Point>) -> Reply {
    let rule = &RULES[usize::from(matches!(step, OpeningStep::YixinSoosorv(..)))];
    let mut before_all = Course::new(rule, Grid::new(15, 15).unwrap());
    let mut done: Vec<Act> = Vec::new();
    for text in before.split_whitespace() {
        before_all.act(before_all.read(text).unwrap()).unwrap();
    }
    let mut course = before_all.clone();
    for text in acts.split_whitespace() {
        let act = course.read(text).unwrap();
        course.act(act).unwrap();
        done.push(act);
    }
    let decision = Decision { acts: done, then };
    let reply = OpeningReply { step, before: before_all, decision };
    Reply::Game(GameReply::Opening(Box::new(reply)))
}

#[test]
fn decisions_in_openings_have_the_words_of_their_protocol() {
    let mut dialect = Gomocup::default();
    let mut line = |reply: Reply| encode(&mut dialect, &reply, 1).join("|");
    let board = OpeningStep::Swap2Board;
    assert_eq!(line(decided(board, "h8 i8 j7", "swap", None)), "SWAP");
    assert_eq!(line(decided(board, "h8 i8 j7", "two a15 b15", None)), "0,0 1,0");
    assert_eq!(line(decided(board, "", "h8 i8 j7", None)), "7,7 8,7 9,8");
    let then = Some(Point { column: 0, row: 14 });
    assert_eq!(line(decided(board, "h8 i8 j7", "stay", then)), "0,0");
    let swap2 = OpeningStep::YixinSwap2;
    assert_eq!(
        line(decided(swap2(1), "", "h8 i8 j7", None)),
        "MESSAGE SWAP2 MOVE1 7 7|MESSAGE SWAP2 MOVE2 8 7|MESSAGE SWAP2 MOVE3 9 8"
    );
    assert_eq!(
        line(decided(swap2(2), "h8 i8 j7", "two a15 b15", None)),
        "MESSAGE SWAP2 MOVE4 0 0|MESSAGE SWAP2 MOVE5 1 0"
    );
    assert_eq!(line(decided(swap2(2), "h8 i8 j7", "stay", None)), "MESSAGE SWAP2 SWAP1 NO");
    assert_eq!(
        line(decided(swap2(3), "h8 i8 j7 two a15 b15", "swap", None)),
        "MESSAGE SWAP2 SWAP2 YES"
    );
    let soosorv = |step| OpeningStep::YixinSoosorv(step, 2);
    assert_eq!(line(decided(soosorv(2), "h8 h9 i9", "swap", None)), "MESSAGE SOOSORV SWAP1 Y");
    assert_eq!(
        line(decided(soosorv(3), "h8 h9 i9 stay", "a15 2", None)),
        "MESSAGE SOOSORV MOVE4 0 0 2"
    );
    let fourth = "h8 h9 i9 stay a15 2";
    assert_eq!(line(decided(soosorv(4), fourth, "stay", None)), "MESSAGE SOOSORV SWAP2 N");
    assert_eq!(
        line(decided(soosorv(5), &format!("{fourth} stay"), "b15 c15", None)),
        "MESSAGE SOOSORV MOVE5 REFRESH|MESSAGE SOOSORV MOVE5 1 0|MESSAGE SOOSORV MOVE5 2 0|MESSAGE SOOSORV MOVE5 DONE"
    );
    assert_eq!(
        line(decided(soosorv(6), &format!("{fourth} stay b15 c15"), "c15", None)),
        "MESSAGE SOOSORV MOVE5 C 2 0"
    );
}

#[test]
fn steps_of_soosorv_have_rows_and_some_a_number() {
    let stones = vec![Xy { x: 7, y: 7 }, Xy { x: 6, y: 8 }];
    for (lines, step, number) in [
        (&["yxsoosorvstep2", "7,7", "6,8", "done"][..], 2, 0),
        (&["yxsoosorvstep4 3", "7,7", "6,8", "done"], 4, 3),
        (&["YXSOOSORVSTEP5 1 7,7 6,8 DONE"], 5, 1),
    ] {
        let step = OpeningStep::YixinSoosorv(step, number);
        let command = GameCommand::Opening { step, stones: Some(stones.clone()) };
        assert_eq!(game_command(lines), command, "{lines:?}");
    }
    let refused = decode(&["yxsoosorvstep4", "7,7", "done"]);
    let why = "\"YXSOOSORVSTEP4 N\" expected, found \"yxsoosorvstep4\"";
    assert!(matches!(&refused[..], [Command::Refused(text)] if text == why), "{refused:?}");
    let step = OpeningStep::YixinSwap2(3);
    assert_eq!(game_command(&["yxswap2step3"]), GameCommand::Opening { step, stones: None });
}

#[test]
fn rows_come_on_many_lines_or_on_one() {
    use Owner::{Nobody, Opponent, Own};
    let stones = vec![stone(7, 7, Own), stone(8, 8, Opponent), stone(0, 0, Nobody)];
    let board = |reply| GameCommand::SetUp { stones: stones.clone(), reply };
    assert_eq!(game_command(&["BOARD", "7,7,1", "8,8,2\r", "", "0,0,3", "DONE"]), board(true));
    assert_eq!(game_command(&["YXBOARD 7,7,1 8,8,2 0,0,3 DONE"]), board(false));
    assert_eq!(game_command(&["yxboard 7,7,1", "8,8,2", "0,0,3", "done"]), board(false));
    assert_eq!(
        game_command(&["BOARD", "DONE"]),
        GameCommand::SetUp { stones: vec![], reply: true }
    );
    let points = vec![Xy { x: 1, y: 2 }, Xy { x: 3, y: 4 }];
    assert_eq!(game_command(&["SWAP2BOARD", "1,2", "3,4", "DONE"]), swap2(points.clone()));
    assert_eq!(
        game_command(&["yxblock", "1,2", "3,4", "done"]),
        GameCommand::Block(points.clone())
    );
    assert_eq!(game_command(&["yxblockundo 1,2 3,4 done"]), GameCommand::Unblock(points.clone()));
    assert_eq!(
        game_command(&["yxblockpath", "1,2", "3,4", "done"]),
        GameCommand::BlockPath(points.clone())
    );
    assert_eq!(
        game_command(&["yxblockpathundo", "1,2", "3,4", "done"]),
        GameCommand::UnblockPath(points)
    );
}

#[test]
fn a_bad_row_makes_the_command_bad_and_is_reported_after_done() {
    for row in ["7,7", "7,7,4", "7,7,0", "a,b,1", "7,7,1,1", "7", "-1,7,1", "DON", ","] {
        let commands = decode(&["BOARD", "1,1,1", row, "x", "DONE"]);
        let [Command::Refused(why)] = &commands[..] else { panic!("{row}: {commands:?}") };
        assert!(why.starts_with("BOARD: \"X,Y,FIELD\" expected, found \""), "{why}");
        assert!(why.contains(row), "{why}");
    }
    assert!(matches!(&decode(&["BOARD 7,7,1 DONE 8,8,2"])[..], [Command::Refused(_)]));
    assert!(matches!(&decode(&["SWAP2BOARD", "7,7,1", "DONE"])[..], [Command::Refused(_)]));
}

#[test]
fn unfinished_rows_do_not_prevent_end_or_a_new_game() {
    let commands = decode(&["BOARD", "7,7,1", "YXSTOP", "END"]);
    assert_eq!(commands, [Command::Stop, Command::Quit]);
    let commands = decode(&["BOARD", "7,7,1", "START 15", "BEGIN"]);
    assert!(matches!(
        &commands[..],
        [
            Command::Refused(_),
            Command::Game(GameCommand::Open { .. }),
            Command::Game(GameCommand::Begin)
        ]
    ));
    let mut lines = vec!["BOARD"];
    lines.extend(["1,1,1"; 700]);
    lines.push("DONE");
    assert!(matches!(&decode(&lines)[..], [Command::Refused(why)] if why.contains("676 rows")));
}

#[test]
fn database_commands_are_ignored_with_their_rows() {
    assert!(decode(&["yxquerydatabaseallt", "7,7", "8,8", "done", "yxsavedatabase"]).is_empty());
    assert!(decode(&["yxedittextdatabase \"START 15\"", "7,7", "done"]).is_empty());
    assert!(decode(&["yxsetdatabase", "START 15", "yxdbcheck"]).is_empty());
    assert_eq!(game_command(&["yxdbtotxt a.txt", "BEGIN"]), GameCommand::Begin);
    let commands = decode(&["yxquerydatabaseall", "7,7", "START 15"]);
    assert!(matches!(&commands[..], [Command::Game(GameCommand::Open { .. })]));
}

#[test]
fn every_command_refuses_bad_arguments() {
    for line in [
        "START",
        "START x",
        "START -5",
        "START 15 15 15",
        "START 1.5",
        "START 99999999999999",
        "RECTSTART",
        "RECTSTART 8",
        "RECTSTART 8,9,10",
        "RECTSTART a,b",
        "RESTART now",
        "BEGIN 1",
        "TURN",
        "TURN 7",
        "TURN 7,7,7",
        "TURN a,b",
        "TURN 7;7",
        "TURN -1,3",
        "TURN h8",
        "TURN 99999999999999999999,1",
        "PLAY",
        "PLAY 7",
        "PLAY 7,7 8,8",
        "TAKEBACK",
        "TAKEBACK x",
        "TAKEBACK 1,2,3",
        "YXNBEST",
        "YXNBEST 0",
        "YXNBEST x",
        "YXNBEST 1 2",
        "YXSHOWFORBID 1",
        "YXBLOCKRESET 1",
        "YXBLOCKPATHRESET 1",
        "INFO",
        "INFO rule",
    ] {
        let commands = decode(&[line]);
        let [Command::Refused(why)] = &commands[..] else { panic!("{line}: {commands:?}") };
        assert!(why.contains(line), "{why}");
    }
    for line in ["STARTS 15", "TURNS 1,1", "7,7", "DONE", "SUGGEST 7,7", "uci", "OK"] {
        assert_eq!(decode(&[line]), [Command::Unknown(line.into())]);
    }
}

fn encode(dialect: &mut Gomocup, reply: &Reply, multi_pv: usize) -> Vec<String> {
    let mut out = Vec::new();
    let position = position_on(15);
    let context =
        BoardContext { position: &*position, style: Style::Plain, multi_pv, shows_wdl: false };
    dialect.encode(reply, &context, &mut |line| out.push(line));
    out
}

fn report() -> Report<Move> {
    changed(Report::blank(Score::heuristic(-34), None), |report| {
        (report.depth, report.seldepth, report.line) = (5, 9, 2);
        report.wdl = Some(Wdl { win: 0, draw: 0, loss: 1000 });
        (report.nodes, report.time) = (3000, Duration::from_millis(2));
        (report.hashfull, report.probe_hits) = (7, 1);
        report.pv = vec![typed_on(15, "h8"), typed_on(15, "i15")];
    })
}

#[test]
fn a_message_has_the_form_that_clients_parse() {
    let mut dialect = Gomocup::default();
    let mut message = |report, multi_pv| encode(&mut dialect, &Reply::Report(report), multi_pv);
    let tail = "n 3000 n/ms 1500 tm 2 pv H8 I1";
    assert_eq!(message(report(), 1), [format!("MESSAGE depth 5-9 ev -34 {tail}")]);
    assert_eq!(message(report(), 2), [format!("MESSAGE depth 5-9 multipv 2 ev -34 {tail}")]);
    let won = changed(report(), |it| it.score = Score::win_in(7));
    assert_eq!(message(won, 1), [format!("MESSAGE depth 5-9 ev +M7 {tail}")]);
    let lost = changed(report(), |it| it.score = Score::loss_in(6));
    assert_eq!(message(lost, 1), [format!("MESSAGE depth 5-9 ev -M6 {tail}")]);
}

#[test]
fn an_analysis_gui_gets_the_point_names_of_its_board() {
    let mut dialect = Gomocup::default();
    dialect.decode("yxshowinfo", &mut |_| {});
    // Row 5 and column 6 from the top left, from 0: such a GUI shows F9 on a board of 15 rows.
    let line = changed(report(), |it| it.pv = vec![typed_on(15, "g10"), typed_on(15, "a14")]);
    let lines = encode(&mut dialect, &Reply::Report(line), 1);
    assert!(lines[0].ends_with(" pv F9 B15"), "{lines:?}");
}

#[test]
fn detail_adds_blocks_and_marks() {
    let mut dialect = Gomocup::default();
    dialect.decode("INFO show_detail 3", &mut |_| panic!("nothing for the session"));
    let lost = changed(report(), |it| (it.score, it.line) = (Score::loss_in(6), 1));
    let lines = encode(&mut dialect, &Reply::Report(lost), 4);
    let expected = [
        "INFO PV 0",
        "INFO NUMPV 4",
        "INFO DEPTH 5",
        "INFO SELDEPTH 9",
        "INFO NODES 3000",
        "INFO TOTALNODES 3000",
        "INFO TOTALTIME 2",
        "INFO SPEED 1500000",
        "INFO EVAL -M6",
        "INFO WINRATE 0.0000",
        "INFO BESTLINE 7,7 8,0",
        "INFO PV DONE",
        "MESSAGE REALTIME REFRESH",
        "MESSAGE REALTIME BEST 7,7",
        "MESSAGE REALTIME LOSE 7,7",
    ];
    assert_eq!(lines[1..], expected);
    dialect.decode("INFO show_detail 0", &mut |_| panic!("nothing for the session"));
    assert_eq!(encode(&mut dialect, &Reply::Report(report()), 1).len(), 1);
}

#[test]
fn every_other_reply_is_one_line_with_a_keyword() {
    let mut dialect = Gomocup::default();
    let mut line = |reply: Reply| encode(&mut dialect, &reply, 1).join("|");
    let points = vec![Point { column: 7, row: 7 }, Point { column: 10, row: 14 }];
    assert_eq!(line(Reply::Game(GameReply::Ok)), "OK");
    assert_eq!(line(Reply::Game(GameReply::Stone(points[1]))), "10,0");
    assert_eq!(line(Reply::Game(GameReply::Forbidden(points.clone()))), "FORBID 07071000.");
    assert_eq!(line(Reply::Game(GameReply::Forbidden(vec![]))), "FORBID .");
    assert_eq!(
        line(Reply::Game(GameReply::Evaluated(points[0], Score::heuristic(12)))),
        "DEBUG evaluate 7,7: 12"
    );
    assert_eq!(
        line(Reply::Game(GameReply::Capacity { threads: 512, table_mib: 8000 })),
        "MESSAGE INFO MAX_THREAD_NUM 512|MESSAGE INFO MAX_HASH_SIZE 22"
    );
    assert_eq!(line(Reply::Refused("no".into())), "ERROR no");
    assert_eq!(line(Reply::Unknown("FOO".into())), "UNKNOWN command \"FOO\"");
    assert_eq!(line(Reply::Note("hm".into())), "MESSAGE hm");
    let about = About::new("Nimble").with_version("1.2").with_author("Jane Doe");
    let expected = "name=\"Nimble\", version=\"1.2\", author=\"Jane Doe\", country=\"-\"";
    assert_eq!(line(Reply::Identity(about, vec![])), expected);
    let answer = |best: Option<&str>| {
        let best = best.map(|mv| typed_on(15, mv));
        Reply::Answer(changed(Answer::blank(report().score, best), |it| {
            (it.report, it.has_unreported) = (report(), false);
        }))
    };
    assert_eq!(line(answer(Some("a15"))), "0,0");
    assert_eq!(line(answer(None)), "ERROR there is nothing to play");
    // A book proves the position, and no move.
    let mut proven = ProvenResult::new(None, None, ProofSource::Book);
    proven.is_of_move = false;
    let Reply::Answer(guess) = answer(Some("a15")) else { unreachable!("an answer") };
    let guess = changed(guess, |it| it.settled = Some(proven));
    let expected = "MESSAGE drawn, proven by the opening book; the best move is not proven|0,0";
    assert_eq!(line(Reply::Answer(guess)), expected);
}

const LINES: &[&str] = &[
    "START 15",
    "start",
    "BOARD",
    "7,7,1",
    "8,8",
    "DONE",
    "done",
    "YXBOARD 1,1,1 DONE",
    "TURN 1,1",
    "INFO rule 1",
    "INFO",
    "yxsetdatabase",
    "yxquerydatabaseall",
    "SWAP2BOARD",
    "END",
    "é",
    "\0",
    ",",
    "yxblock",
    "99999999999999999999,1,1",
    "INFO timeout_turn 99999999999999999999",
    "# x",
    "",
];

proptest! {
    #[test]
    fn no_mix_of_lines_makes_the_decoder_panic(
        lines in proptest::collection::vec(
            prop_oneof![proptest::sample::select(LINES).prop_map(str::to_owned), any::<String>()],
            0..12,
        ),
    ) {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        decode(&lines);
    }
}
