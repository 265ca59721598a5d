//! Hostile inputs in UCI, on four in a row.

use fastrand::Rng;
use tengen_engine::Chosen;
use tengen_engine::backend::Catalog;
use tengen_games::CATALOG;

use super::words::{as_quoted, garbage, negative, no_number, one_of, word};
use super::{Case, Category, Conversation, Expected, cases};

/// The categories of inputs: 450 in all.
pub(super) const CATEGORIES: [Category; 13] = [
    (unknown_command, 70),
    (command_with_a_wrong_letter, 30),
    (line_over_a_mebibyte, 8),
    (unknown_option, 20),
    (option_out_of_range, 60),
    (half_a_command, 30),
    (wrong_move, 60),
    (bad_fen, 60),
    (position_in_another_form, 20),
    (bad_words_behind_go, 50),
    (words_behind_a_whole_command, 17),
    (another_dialect, 20),
    (move_after_the_end, 5),
];

/// The categories of inputs during a search, which they must not end: 300 in all.
pub(super) const WHILE_SEARCHING: [Category; 7] = [
    (unknown_command, 50),
    (line_over_a_mebibyte, 2),
    (unknown_option, 20),
    (option_out_of_range, 100),
    (half_a_command, 28),
    (wrong_move, 50),
    (bad_fen, 50),
];

pub(super) fn unknown_command(rng: &mut Rng) -> Case {
    let line = garbage(rng);
    let quoted = as_quoted(&line);
    Case::one_message(line, &quoted)
}

/// A command with a missing, an additional or a wrong letter.
pub(super) fn command_with_a_wrong_letter(rng: &mut Rng) -> Case {
    let known = one_of(rng, &["isready", "position", "setoption", "ponderhit", "compiler", "stop"]);
    let at = rng.usize(1..known.len());
    let (start, rest) = known.split_at(at);
    let line = match rng.u32(0..3) {
        0 => format!("{start}{}", &rest[1..]),
        1 => format!("{start}z{rest}"),
        _ => format!("{start}\u{435}{}", &rest[1..]),
    };
    // None of these is another command.
    Case::one_message(line.clone(), &line)
}

pub(super) fn line_over_a_mebibyte(rng: &mut Rng) -> Case {
    let long = " d1 d2".repeat(200_000);
    match rng.bool() {
        true => Case::new(
            format!("position startpos moves{long}"),
            "longer than 1 MiB",
            Expected::BadPosition,
        ),
        false => Case::one_message(format!("{}{long}", word(rng)), "longer than 1 MiB"),
    }
}

pub(super) fn unknown_option(rng: &mut Rng) -> Case {
    let name = word(rng);
    Case::one_message(format!("setoption name {name} value {}", rng.i32(..)), &name)
}

pub(super) fn option_out_of_range(rng: &mut Rng) -> Case {
    const SPINS: [&str; 10] = [
        "Hash",
        "Threads",
        "MultiPV",
        "Move Overhead",
        "Skill Level",
        "UCI_Elo",
        "nodestime",
        "BoardWidth",
        "BoardHeight",
        "ConnectK",
    ];
    const CHECKS: [&str; 5] = ["Ponder", "OwnBook", "UCI_ShowWDL", "Gravity", "Overline"];
    let (name, value) = match rng.u32(0..4) {
        0 => (one_of(rng, &SPINS), negative(rng)),
        1 => (one_of(rng, &SPINS), format!("9999999{}", rng.u64(..))),
        2 => (one_of(rng, &[&SPINS[..], &CHECKS].concat()), no_number(rng)),
        _ => (one_of(rng, &["UCI_Variant", "Notation"]), word(rng)),
    };
    Case::one_message(
        format!("setoption name {name} value {value}"),
        &format!("option {name}: \"{value}\""),
    )
}

pub(super) fn half_a_command(rng: &mut Rng) -> Case {
    let line = one_of(
        rng,
        &[
            "setoption",
            "setoption name",
            "setoption value 3",
            "setoption Hash 3",
            "debug",
            "debug of",
            "register",
            "bench x",
            "go perft",
        ],
    );
    let quoted = line.split(' ').next_back().unwrap_or_default();
    Case::one_message(line, quoted)
}

/// Returns the moves of a random unfinished game.
fn game(rng: &mut Rng) -> Vec<String> {
    let spec = CATALOG.describe("cfour", &Chosen::new()).unwrap();
    let mut position = CATALOG.position(&spec);
    let mut moves = Vec::new();
    for _ in 0..rng.usize(..30) {
        let legal = position.legal();
        let mv = legal[rng.usize(..legal.len())];
        moves.push(position.write_move(mv, tengen_engine::Style::Plain));
        position.play(mv).unwrap();
        if position.outcome().is_some() {
            moves.pop();
            break;
        }
    }
    moves
}

pub(super) fn wrong_move(rng: &mut Rng) -> Case {
    const WRONG: [&str; 16] = [
        "h1",
        "a0",
        "a7",
        "z9",
        "0",
        "8",
        "99999999999",
        "(none)",
        "0000",
        "pass",
        "P@",
        "@d1",
        "P@z1",
        "d1\0",
        "d\u{0661}",
        "-1",
    ];
    let mut moves = game(rng);
    let wrong = if rng.bool() { one_of(rng, &WRONG).to_owned() } else { word(rng) };
    let number = moves.len() + 1;
    moves.push(wrong);
    moves.extend(game(rng));
    let line = format!("position startpos moves {}", moves.join(" "));
    Case::new(line, &format!("move {number} of the list"), Expected::BadPosition)
}

pub(super) fn bad_fen(rng: &mut Rng) -> Case {
    let fen = match rng.u32(0..8) {
        // Too few rows, too many, too narrow, too wide.
        0 => vec!["7"; rng.usize(1..6)].join("/") + " w",
        1 => vec!["7"; rng.usize(7..40)].join("/") + " w",
        2 => format!("7/7/7/{}/7/7 w", rng.u32(0..7)),
        3 => format!("7/7/7/7/7/{} w", rng.u32(8..5000)),
        // A letter that is not a stone; a stone that floats; no side to move.
        4 => format!("7/7/7/7/7/3{}3 w", one_of(rng, &["x", "K", "é", "\u{0}", "*", "O"])),
        5 => format!("7/7/7/7/{}/7 w", one_of(rng, &["3P3", "pP5", "6p"])),
        6 => format!("7/7/7/7/7/7 {}", one_of(rng, &["x", "white", "1", "w w w w w w w", "-"])),
        // Many `fen` keywords.
        _ => "fen ".repeat(rng.usize(1..200)) + "7/7/7/7/7/7 w",
    };
    let quoted: String = fen.chars().take(30).collect();
    Case::new(format!("position fen {fen}"), &quoted, Expected::BadPosition)
}

pub(super) fn position_in_another_form(rng: &mut Rng) -> Case {
    let rest = match rng.u32(0..4) {
        0 => String::new(),
        1 => word(rng),
        2 => "moves d1 d2".to_owned(),
        _ => format!("startpos {}", word(rng)),
    };
    let quoted = rest.strip_prefix("startpos ").unwrap_or(&rest).to_owned();
    Case::new(format!("position {rest}"), &quoted, Expected::BadPosition)
}

/// Every bad word gets a message, and one `bestmove` follows.
pub(super) fn bad_words_behind_go(rng: &mut Rng) -> Case {
    bad_go(rng, ["wtime", "btime", "winc", "binc"])
}

/// `clocks` are the keywords of the dialect for clocks.
pub(super) fn bad_go(rng: &mut Rng, clocks: [&str; 4]) -> Case {
    const LIMITS: [&str; 5] = ["depth", "nodes", "movetime", "mate", "movestogo"];
    let mut words = vec!["go".to_owned(), "depth".to_owned(), "1".to_owned()];
    let mut first = String::new();
    let count = rng.usize(1..8);
    for _ in 0..count {
        let (key, value) = match rng.u32(0..4) {
            0 => (one_of(rng, &LIMITS[1..]).to_owned(), no_number(rng)),
            1 => (one_of(rng, &clocks).to_owned(), no_number(rng)),
            2 => (word(rng), String::new()),
            _ => ("searchmoves".to_owned(), format!("z{}", rng.u32(10..99))),
        };
        if first.is_empty() {
            first = if value.is_empty() { key.clone() } else { value.clone() };
            // Messages about words come before messages about moves.
            if key == "searchmoves" {
                first = "\"".to_owned();
            }
        }
        words.extend([key, value].into_iter().filter(|word| !word.is_empty()));
    }
    Case::new(words.join(" "), &first, Expected::Answer(count, "bestmove "))
}

/// Extra words are reported, and the command is still carried out.
pub(super) fn words_behind_a_whole_command(rng: &mut Rng) -> Case {
    let extra = word(rng);
    let command = one_of(rng, &["isready", "stop", "ponderhit", "compiler"]);
    let answer = match command {
        "isready" => Expected::Answer(1, "readyok"),
        "compiler" => Expected::Answer(1, "Tengen "),
        _ => Expected::Messages(1),
    };
    Case::new(
        format!("{command} {extra}"),
        &format!("{command}: nothing expected, \"{extra}\""),
        answer,
    )
}

fn another_dialect(rng: &mut Rng) -> Case {
    let line = one_of(
        rng,
        &[
            "ugi",
            "uginewgame",
            "query result",
            "query p1turn",
            "moves d1",
            "START 15",
            "RECTSTART 7,6",
            "TURN 7,7",
            "BEGIN",
            "BOARD",
            "7,7,1",
            "DONE",
            "INFO timeout_turn 1000",
            "ABOUT",
            "END",
            "xboard",
            "protover 2",
            "genmove b",
            "{\"id\": 1, \"action\": \"version\"}",
            "GET / HTTP/1.1",
        ],
    );
    Case::one_message(line, line)
}

pub(super) fn move_after_the_end(rng: &mut Rng) -> Case {
    let column = one_of(rng, &["a", "b", "c", "d"]);
    let other = one_of(rng, &["e", "f", "g"]);
    let game: Vec<String> =
        (1..=4).flat_map(|row| [format!("{column}{row}"), format!("{other}{row}")]).collect();
    let quoted = format!("move 8 of the list: move \"{other}4\": the game is over");
    Case::new(format!("position startpos moves {}", game.join(" ")), &quoted, Expected::BadPosition)
}

/// A position that must not change.
const GOOD: &str = "position startpos moves d1 d2 e1";

/// Sends all cases of the dialect to one session.
pub(super) fn run(seed: u64) {
    converse("uci", "uci\nsetoption name Hash value 1\n", &cases(seed, &CATEGORIES));
}

/// Returns the lines of `d` without the drawing: position, moves and turn.
fn state(lines: &[String]) -> Vec<String> {
    const STARTS: [&str; 6] = ["Variant: ", "Fen: ", "Pocket: ", "Key: ", "Moves: ", "Turn: "];
    let is_state = |line: &&String| STARTS.iter().any(|start| line.starts_with(start));
    lines.iter().filter(is_state).cloned().collect()
}

/// Sends all `cases` in a conversation in UCI or UGI, and checks the output.
pub(super) fn converse(dialect: &str, opening: &str, cases: &[Case]) {
    let mut conversation = Conversation::new(opening);
    conversation.until(|line| line.ends_with("ok"));
    conversation.talk.send(format!("{GOOD}\nd\n"));
    let is_end = |line: &str| line.starts_with("Turn: ");
    let before = state(&conversation.until(is_end));
    assert_eq!(before.len(), 6, "{before:#?}");
    let mut faults = Vec::new();
    for case in cases {
        conversation.talk.send(case.bytes());
        let mut lines = match case.answer {
            Expected::Answer(_, start) => conversation.until(|line| line.starts_with(start)),
            _ => Vec::new(),
        };
        conversation.talk.send("d\n");
        let shown = conversation.until(is_end);
        let place = format!("{dialect}: {}: {shown:#?}", case.text());
        assert_eq!(state(&shown), before, "{place}");
        lines.extend(shown);
        let is_message = |line: &&String| line.starts_with("info string ");
        let messages: Vec<String> = lines.iter().filter(is_message).cloned().collect();
        let is_answer = |line: &&String| {
            ["bestmove", "readyok", "response", "Nodes", "Tengen"]
                .iter()
                .any(|s| line.starts_with(s))
        };
        let answers: Vec<String> = lines.iter().filter(is_answer).cloned().collect();
        case.check(&messages, &answers, &mut faults);
        let is_bad = lines.iter().any(|line| line.ends_with("; this is the position before it"));
        assert_eq!(is_bad, case.answer == Expected::BadPosition, "{place}");
        // A bad position is not searched. A good one still is, after every input.
        conversation.talk.send("go depth 1\n");
        let best = conversation.until(|line| line.starts_with("bestmove "));
        let is_none = best.last().is_some_and(|line| line == "bestmove (none)");
        assert_eq!(is_none, is_bad, "{place}: {best:#?}");
        if is_bad {
            conversation.talk.send(format!("{GOOD}\nd\n"));
            assert_eq!(state(&conversation.until(is_end)), before, "{place}");
        }
    }
    conversation.end(&faults);
}
