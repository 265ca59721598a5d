//! Hostile inputs in Gomocup, on a board of 6x6 points.

use fastrand::Rng;

use super::words::{as_quoted, garbage, negative, no_number, one_of, word};
use super::{Case, Category, Conversation, Expected, cases};

/// The categories of inputs: 350 in all.
pub(super) const CATEGORIES: [Category; 14] = [
    (unknown_command, 50),
    (line_over_a_mebibyte, 4),
    (size_out_of_range, 40),
    (no_cell, 50),
    (cell_off_the_board, 30),
    (cell_that_is_taken, 20),
    (no_stone_to_take_back, 10),
    (bad_rows, 50),
    (stones_that_do_not_fit, 16),
    (opening_that_leaves_no_choice, 15),
    (bad_info, 35),
    (words_behind_a_whole_command, 10),
    (another_dialect, 15),
    (move_after_the_end, 5),
];

/// The side of the board.
const SIDE: u32 = 6;
/// The stones on it: column, row and owner.
const STONES: &str = "YXBOARD 2,2,1 3,3,2 3,2,1 4,4,2 DONE";
const TAKEN: [&str; 4] = ["2,2", "3,3", "3,2", "4,4"];

fn unknown_command(rng: &mut Rng) -> Case {
    let line = garbage(rng);
    let quoted = as_quoted(&line);
    Case::one_message(line, &quoted)
}

fn line_over_a_mebibyte(rng: &mut Rng) -> Case {
    let long = format!("7,7,1{}", " ".repeat(1 << 20));
    if rng.bool() {
        return Case::one_message(long, "longer than 1 MiB");
    }
    let mut case = Case::one_message("BOARD", "longer than 1 MiB");
    case.lines.extend([long.into_bytes(), b"0,0,2".to_vec(), b"DONE".to_vec()]);
    case
}

fn size_out_of_range(rng: &mut Rng) -> Case {
    let line = match rng.u32(0..6) {
        0 => {
            let side = rng.u32(0..5);
            return Case::one_message(format!("START {side}"), &format!("{side}x{side}"));
        }
        1 => format!("START {}", rng.u64(23..)),
        2 => match no_number(rng) {
            // Read as the two sides of a board.
            text if text == "1,000" => return Case::one_message(format!("START {text}"), "1x0"),
            text => format!("START {text}"),
        },
        3 => {
            let (width, height) = (rng.u32(23..100), rng.u32(5..22));
            let quoted = format!("{width}x{height}: each side must be from 5 to 22");
            return Case::one_message(format!("RECTSTART {width},{height}"), &quoted);
        }
        4 => format!("RECTSTART {},{}", rng.u32(5..22), negative(rng)),
        _ => format!("RECTSTART {}", word(rng)),
    };
    Case::one_message(line.clone(), &line)
}

fn no_cell(rng: &mut Rng) -> Case {
    let command = one_of(rng, &["TURN", "PLAY", "TAKEBACK", "INFO evaluate"]);
    let cell = match rng.u32(0..6) {
        0 => String::new(),
        1 => rng.u32(..).to_string(),
        2 => format!("{},{},{}", rng.u32(0..6), rng.u32(0..6), rng.u32(1..4)),
        3 => format!("{},{}", rng.u32(0..6), no_number(rng)),
        4 => format!("{},{}", negative(rng), rng.u32(0..6)),
        _ => word(rng),
    };
    let line = format!("{command} {cell}");
    Case::one_message(line.clone(), line.trim())
}

fn cell_off_the_board(rng: &mut Rng) -> Case {
    let command = one_of(rng, &["TURN", "PLAY", "TAKEBACK", "INFO evaluate"]);
    let (x, y) = match rng.u32(0..3) {
        0 => (rng.u32(SIDE..1000), rng.u32(0..SIDE)),
        1 => (rng.u32(0..SIDE), rng.u32(SIDE..1000)),
        _ => (rng.u32(1_000_000_000..), 0),
    };
    let line = format!("{command} {x},{y}");
    let quoted = format!("{x},{y}");
    Case::one_message(line, &quoted)
}

fn cell_that_is_taken(rng: &mut Rng) -> Case {
    let command = one_of(rng, &["TURN", "PLAY", "INFO evaluate"]);
    let cell = one_of(rng, &TAKEN);
    Case::one_message(format!("{command} {cell}"), cell)
}

fn no_stone_to_take_back(rng: &mut Rng) -> Case {
    let cell = format!("{},{}", rng.u32(0..2), rng.u32(0..SIDE));
    Case::one_message(format!("TAKEBACK {cell}"), &cell)
}

fn bad_rows(rng: &mut Rng) -> Case {
    const COMMANDS: [&str; 4] = ["BOARD", "YXBOARD", "SWAP2BOARD", "YXBLOCK"];
    let command = one_of(rng, &COMMANDS);
    let bad = match rng.u32(0..5) {
        0 => word(rng),
        1 => "1,1,1,1".to_owned(),
        2 => negative(rng),
        3 => format!("1,{}", no_number(rng)),
        _ => "TURN 0,0".to_owned(),
    };
    let mut case = Case::one_message(command, &bad);
    let good = if command.ends_with("2BOARD") || command == "YXBLOCK" { "1,1" } else { "1,1,1" };
    for row in [good, &bad, "999", "DONE"] {
        case.lines.push(row.as_bytes().to_vec());
    }
    case
}

/// Readable rows that make no valid position.
fn stones_that_do_not_fit(rng: &mut Rng) -> Case {
    let command = one_of(rng, &["BOARD", "YXBOARD"]);
    let (x, y) = (rng.u32(0..SIDE), rng.u32(0..SIDE));
    let (rows, quoted) = match rng.u32(0..3) {
        0 => (format!("{x},{y},1 {x},{y},2"), format!("{x},{y}")),
        1 => (format!("{x},{y},1 {},{y},2", SIDE + x), format!("{},{y}", SIDE + x)),
        _ => (format!("{x},{y},4"), format!("{x},{y},4")),
    };
    Case::one_message(format!("{command} {rows} DONE"), &quoted)
}

fn opening_that_leaves_no_choice(rng: &mut Rng) -> Case {
    let count = [1, 2, 4, 6][rng.usize(..4)];
    let cells: Vec<String> = (0..count).map(|at| format!("{},{}", at, rng.u32(0..SIDE))).collect();
    Case::one_message(format!("SWAP2BOARD {} DONE", cells.join(" ")), &count.to_string())
}

fn bad_info(rng: &mut Rng) -> Case {
    const KEYS: [&str; 11] = [
        "timeout_turn",
        "timeout_match",
        "time_left",
        "time_increment",
        "max_memory",
        "hash_size",
        "max_depth",
        "max_node",
        "thread_num",
        "rule",
        "show_detail",
    ];
    let (key, value) = match rng.u32(0..5) {
        0 => (one_of(rng, &KEYS).to_owned(), no_number(rng)),
        1 => (one_of(rng, &KEYS[..2]).to_owned(), negative(rng)),
        2 => ("rule".to_owned(), one_of(rng, &["2", "3", "5", "6", "7", "16", "-1"]).to_owned()),
        3 => ("show_detail".to_owned(), rng.u32(4..).to_string()),
        _ => (word(rng), rng.u32(..).to_string()),
    };
    let line = format!("INFO {key} {value}");
    let quoted = if key.starts_with("zz") { key } else { value };
    Case::one_message(line, &quoted)
}

fn words_behind_a_whole_command(rng: &mut Rng) -> Case {
    let command = one_of(
        rng,
        &["BEGIN", "RESTART", "ABOUT", "STOP", "YXSHOWFORBID", "YXHASHCLEAR", "YXBLOCKRESET"],
    );
    let line = format!("{command} {}", word(rng));
    Case::one_message(line.clone(), &line)
}

fn another_dialect(rng: &mut Rng) -> Case {
    let line = one_of(
        rng,
        &[
            "uci",
            "ugi",
            "isready",
            "ucinewgame",
            "position startpos moves d1",
            "position fen 7/7/7/7/7/7 w",
            "setoption name Hash value 1",
            "go depth 1",
            "d",
            "eval",
            "bench",
            "query result",
            "quit",
            "SUGGEST 0,0",
            "0,0",
            "DONE",
        ],
    );
    Case::one_message(line, line)
}

/// A move after a row of five on the board.
fn move_after_the_end(rng: &mut Rng) -> Case {
    let row = rng.u32(0..SIDE);
    let stones: Vec<String> = (0..5).map(|x| format!("{x},{row},1")).collect();
    let free = format!("5,{}", (row + 1) % SIDE);
    let mut case = Case::one_message(format!("YXBOARD {} DONE", stones.join(" ")), &free);
    let command = one_of(rng, &["TURN", "PLAY"]);
    case.lines.push(format!("{command} {free}").into_bytes());
    case.lines.push(b"RESTART".to_vec());
    case.lines.push(STONES.as_bytes().to_vec());
    case.answer = Expected::Answer(1, "OK");
    case
}

/// An unknown command. The lines before its message belong to the case.
const MARK: &str = "zzmark";

/// Returns commands that show for each cell whether it is taken, or the evaluation of our stone
/// there.
fn probe() -> String {
    let cells = (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| format!("INFO evaluate {x},{y}\n")));
    format!("{MARK}\n{}{MARK}\n", cells.collect::<String>())
}

/// Sends all cases of the dialect to one session.
pub(super) fn run(seed: u64) {
    let mut conversation = Conversation::new(&format!(
        "START {SIDE}\nINFO hash_size 1024\nINFO max_depth 1\n{STONES}\n"
    ));
    let is_mark = |line: &str| line.starts_with("UNKNOWN ") && line.contains(MARK);
    conversation.talk.send(probe());
    assert_eq!(conversation.until(is_mark).len(), 2, "OK and the mark");
    let before = conversation.until(is_mark);
    assert_eq!(before.iter().filter(|line| line.ends_with(" is taken")).count(), TAKEN.len());
    let mut faults = Vec::new();
    for case in &cases(seed, &CATEGORIES) {
        conversation.talk.send(case.bytes());
        conversation.talk.send(probe());
        let mut lines = conversation.until(is_mark);
        lines.pop();
        let now = conversation.until(is_mark);
        assert_eq!(now, before, "gomocup: {}: {lines:#?}", case.text());
        let is_message =
            |line: &String| ["ERROR ", "UNKNOWN ", "MESSAGE "].iter().any(|s| line.starts_with(s));
        let (messages, answers): (Vec<_>, Vec<_>) = lines.into_iter().partition(is_message);
        case.check(&messages, &answers, &mut faults);
        // A stone can still be played and taken back.
        conversation.talk.send("PLAY 0,5\nTAKEBACK 0,5\n");
        assert_eq!(conversation.receive(), "0,5", "{}", case.text());
        assert_eq!(conversation.receive(), "OK", "{}", case.text());
    }
    // The engine still answers with a legal move.
    conversation.talk.send("TURN 0,0\n");
    let moved = conversation.until(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    let cell = moved.last().unwrap();
    assert!(!TAKEN.contains(&cell.as_str()) && cell != "0,0", "{cell}");
    conversation.end(&faults);
}
