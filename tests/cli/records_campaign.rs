//! A thousand records in the forms that users have, made here from random games. What
//! `tengen convert` writes is compared with the game that the file was made from. A small SGF
//! reader in this file reads the result, because the reader of `tengen-records` is under test.

use std::collections::BTreeMap;

use fastrand::Rng;
use tengen_records::TextEncoding;

use crate::analyze::run;
use crate::scratch::{Scratch, text};

/// The number of files of each kind in the quick test, and of the campaign.
const FEW: usize = 66;
const MANY: usize = 1000;

/// A game that a file is made from.
#[derive(Clone, Debug)]
struct Game {
    side: u32,
    /// Columns from the left and rows from the top, both from 0.
    moves: Vec<(u32, u32)>,
    names: [String; 2],
    /// The value of `RE`; empty without a result.
    result: &'static str,
    /// The name of the rules in the file, and what they are.
    rules: (&'static str, &'static str),
    comment: String,
}

/// A file, and what `convert` must do with it.
struct File {
    name: String,
    bytes: Vec<u8>,
    expected: Expected,
}

enum Expected {
    /// The game, with the fields that the form holds, and words that a warning must have.
    Game { fields: Vec<&'static str>, warning: &'static str },
    /// A refusal with these words.
    Refused(&'static str),
}

/// Texts of several languages, each with the encodings that have its characters.
const TEXTS: [(&str, [&str; 2], &[&str]); 5] = [
    (
        "\u{9ed1}\u{68cb}\u{4e0b}\u{5728}\u{8fd9}\u{91cc}\u{5c31}\u{80fd}\u{8d62}\u{ff0c}\u{767d}\u{68cb}\u{5fc5}\u{987b}\u{6321}\u{4f4f}\u{56db}",
        ["\u{738b}\u{5c0f}\u{660e}", "\u{674e}\u{5f3a}"],
        &["UTF-8", "GBK", "cp936", "gb2312", "GB18030", "936"],
    ),
    (
        "\u{9ed1}\u{68cb}\u{4e0b}\u{5728}\u{9019}\u{88e1}\u{5c31}\u{80fd}\u{8d0f}\u{ff0c}\u{529f}\u{8a31}\u{84cb}\u{767d}\u{68cb}\u{5fc5}\u{9808}\u{64cb}\u{4f4f}",
        ["\u{8a31}\u{529f}\u{84cb}", "\u{9673}\u{5fd7}\u{660e}"],
        &["UTF-8", "Big5", "CP950", "big5-hkscs"],
    ),
    (
        "\u{9ed2}\u{306e}\u{52dd}\u{3061}\u{3067}\u{3059}\u{3002}\u{767d}\u{306f}\u{56db}\u{3092}\u{6b62}\u{3081}\u{308b}\u{3057}\u{304b}\u{306a}\u{3044}\u{8868}\u{30bd}\u{80fd}",
        ["\u{5c71}\u{53e3}\u{3055}\u{3093}", "\u{30bd}\u{30cb}\u{30fc}"],
        &["UTF-8", "Shift_JIS", "cp932", "EUC-JP"],
    ),
    (
        "\u{d751}\u{c774} \u{c774}\u{acbc}\u{c2b5}\u{b2c8}\u{b2e4}. \u{bc31}\u{c740} \u{c0ac}\u{b97c} \u{b9c9}\u{c544}\u{c57c} \u{d569}\u{b2c8}\u{b2e4}",
        ["\u{ae40}\u{cca0}\u{c218}", "\u{bc15}\u{c601}\u{d76c}"],
        &["UTF-8", "EUC-KR", "UHC", "cp949"],
    ),
    (
        "\u{427}\u{435}\u{440}\u{43d}\u{44b}\u{435} \u{432}\u{44b}\u{438}\u{433}\u{440}\u{44b}\u{432}\u{430}\u{44e}\u{442}, \u{431}\u{435}\u{43b}\u{44b}\u{435} \u{434}\u{43e}\u{43b}\u{436}\u{43d}\u{44b} \u{437}\u{430}\u{43a}\u{440}\u{44b}\u{442}\u{44c} \u{447}\u{435}\u{442}\u{432}\u{435}\u{440}\u{43a}\u{443}",
        [
            "\u{418}\u{432}\u{430}\u{43d}\u{43e}\u{432}",
            "\u{41f}\u{435}\u{442}\u{440}\u{43e}\u{432}",
        ],
        &["UTF-8", "windows-1251", "cp1251", "win1251"],
    ),
];

/// Names of rules as records have them, and the variant that they mean.
const RULES: [(&str, &str); 16] = [
    ("Renju", "renju"),
    ("RIF", "renju"),
    ("Renju Taraguchi-10", "renju"),
    ("Renju, Yamaguchi", "renju"),
    ("Standard renju", "renju"),
    ("Soosorv-8", "renju"),
    ("renju 15x15", "renju"),
    ("Freestyle", "gomokufreestyle"),
    ("Free Style Gomoku", "gomokufreestyle"),
    ("Gomoku, freestyle, Swap2", "gomokufreestyle"),
    ("Five in a row", "gomokufreestyle"),
    ("Standard Gomoku", "gomoku"),
    ("Standard", "gomoku"),
    ("Gomoku (exactly five)", "gomoku"),
    ("Caro", "caro"),
    ("Vietnamese caro rules", "caro"),
];

impl Game {
    /// Returns a random game without a line of five, in one of the languages of [`TEXTS`].
    fn random(rng: &mut Rng, side: u32) -> Self {
        let count = rng.usize(4..40);
        let mut moves: Vec<(u32, u32)> = Vec::new();
        while moves.len() < count {
            let point = (rng.u32(0..side), rng.u32(0..side));
            let is_near = moves
                .iter()
                .rev()
                .skip(1)
                .step_by(2)
                .any(|own| own.0.abs_diff(point.0) <= 1 && own.1.abs_diff(point.1) <= 1);
            if !moves.contains(&point) && !is_near {
                moves.push(point);
            }
        }
        let result = ["B+", "W+", "0"][rng.usize(0..3)];
        let rules = RULES[rng.usize(0..RULES.len())];
        let names = ["Anna".to_owned(), "Ben".to_owned()];
        Self { side, moves, names, result, rules, comment: String::new() }
    }

    /// Returns the moves as names of points, from the bottom.
    fn points(&self) -> Vec<String> {
        let name = |(column, row): &(u32, u32)| format!("{}{}", letter(*column), self.side - row);
        self.moves.iter().map(name).collect()
    }

    fn sgf_moves(&self) -> String {
        let mv = |(number, (column, row)): (usize, &(u32, u32))| {
            let side = if number % 2 == 0 { 'B' } else { 'W' };
            format!(";{side}[{}{}]", letter(*column), letter(*row))
        };
        self.moves.iter().enumerate().map(mv).collect()
    }
}

fn letter(number: u32) -> char {
    char::from(b'a' + number as u8)
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace(']', "\\]")
}

const ALL: [&str; 4] = ["names", "rules", "result", "comment"];

/// Makes the file of this number. The forms take turns.
fn file(rng: &mut Rng, number: usize) -> (Game, File) {
    let side = if rng.u8(0..5) == 0 { 19 } else { 15 };
    let mut game = Game::random(rng, side);
    let (name, bytes, expected) = match number % 11 {
        0 | 1 => sgf_in_an_encoding(rng, &mut game),
        2 => sgf_with_passes(rng, &mut game),
        3 => gomocup(rng, &mut game),
        4 => psq_of_piskvork(rng, &mut game),
        5 => list(rng, &mut game),
        6 => pairs(rng, &mut game),
        7 => pgn(rng, &mut game),
        8 => jsonl(&mut game),
        9 => library(rng, &mut game),
        _ => broken(rng, &mut game),
    };
    (game, File { name: name.to_owned(), bytes, expected })
}

type Made = (&'static str, Vec<u8>, Expected);

fn whole(fields: &[&'static str], warning: &'static str) -> Expected {
    Expected::Game { fields: fields.to_vec(), warning }
}

fn sgf_text(game: &Game, charset: &str, tail: &str) -> String {
    let Game { side, names: [one, other], result, comment, rules: (rules, _), .. } = game;
    let (one, other) = (escaped(one), escaped(other));
    let comment = escaped(comment);
    let head =
        format!("(;FF[4]GM[4]{charset}SZ[{side}]PB[{one}]PW[{other}]RU[{rules}]RE[{result}]");
    format!("{head}C[{comment}]{}{tail})", game.sgf_moves())
}

/// SGF in an encoding that it names well, badly, or not at all.
fn sgf_in_an_encoding(rng: &mut Rng, game: &mut Game) -> Made {
    let (comment, names, labels) = TEXTS[rng.usize(0..TEXTS.len())];
    game.comment = comment.repeat(rng.usize(1..4));
    game.names = names.map(str::to_owned);
    let label = labels[rng.usize(0..labels.len())];
    let encoding = TextEncoding::named(label).expect("an encoding");
    let is_utf_8 = label == "UTF-8";
    let (charset, warning) = match rng.u8(0..5) {
        0 => (String::new(), if is_utf_8 { "" } else { "names no encoding" }),
        1 => (
            ["CA[ANSI]", "CA[]", "CA[klingon]"][rng.usize(0..3)].to_owned(),
            if is_utf_8 { "" } else { "encoding" },
        ),
        2 if !is_utf_8 => ("CA[UTF-8]".to_owned(), "does not fit the text"),
        _ => (format!("CA[{label}]"), ""),
    };
    let text = sgf_text(game, &charset, "");
    let bytes = encoding.encode(&text).expect("characters of the encoding").into_owned();
    ("game.sgf", bytes, whole(&ALL, warning))
}

/// SGF as Go editors end it.
fn sgf_with_passes(rng: &mut Rng, game: &mut Game) -> Made {
    if rng.u8(0..6) == 0 {
        game.moves.clear();
    }
    let pass = ["[]", "[tt]", "[pass]"][rng.usize(0..3)];
    let first = game.moves.len();
    let pass = |number: usize| {
        format!(";{}{pass}", if (first + number).is_multiple_of(2) { 'B' } else { 'W' })
    };
    let tail: String = (0..rng.usize(1..5)).map(pass).collect();
    let text = sgf_text(game, "", &tail);
    ("game.sgf", text.into_bytes(), whole(&["names", "rules", "result"], ""))
}

fn psq_moves(game: &Game, opening: usize) -> String {
    let mv = |(number, (column, row)): (usize, &(u32, u32))| {
        let time = if number < opening { 0 } else { 10 + number };
        format!("{},{},{time}\r\n", column + 1, row + 1)
    };
    game.moves.iter().enumerate().map(mv).collect()
}

/// PSQ as GomocupJudge writes it, with the result after an opening of any length.
fn gomocup(rng: &mut Rng, game: &mut Game) -> Made {
    let leagues = [
        ("Freestyle15_1", "gomokufreestyle"),
        ("Fastgame", "gomokufreestyle"),
        ("Standard_2", "gomoku"),
        ("Renju_3", "renju"),
        ("Caro", "caro"),
    ];
    game.rules = leagues[rng.usize(0..leagues.len())];
    let opening = rng.usize(0..4.min(game.moves.len()));
    let odd = usize::from(!opening.is_multiple_of(2));
    let number = match game.result {
        "0" => 0,
        "B+" => 1 + odd,
        _ => 2 - odd,
    };
    let by_colour = match game.result {
        "0" => 0,
        "B+" => 1,
        _ => 2,
    };
    let [one, other] = &game.names;
    let (side, moves, league) = (game.side, psq_moves(game, opening), game.rules.0);
    let text = format!(
        "Piskvorky {side}x{side}, 11:11, 0\r\n{moves}{one}\r\n{other}\r\n-1\r\n{number},{league}\r\n"
    );
    let has_result_in_name = rng.bool();
    let name = match (has_result_in_name, by_colour) {
        (false, _) => "game.psq",
        (true, 0) => "1_12_3_0.psq",
        (true, 1) => "1_12_3_1.psq",
        (true, _) => "1_12_3_2.psq",
    };
    let is_guessed = !has_result_in_name && by_colour > 0;
    let warning = if is_guessed { "is read as a win of the" } else { "" };
    (name, text.into_bytes(), whole(&["names", "rules", "result"], warning))
}

/// PSQ as Piskvork and others write it.
fn psq_of_piskvork(rng: &mut Rng, game: &mut Game) -> Made {
    let side = game.side;
    let [one, other] = &game.names;
    let header = [", 11:11, 0", " , 0 - 0", ", 3:0, 0", ""][rng.usize(0..4)];
    let mut moves = psq_moves(game, 0);
    if rng.bool() {
        moves = moves.replace(',', ", ");
    }
    let (ending, fields): (String, &[&str]) = match rng.u8(0..4) {
        0 => ("0\r\n".to_owned(), &[]),
        1 => ("-1\r\nwritten by hand\r\n7,7,7,7\r\n".to_owned(), &[]),
        2 => (String::new(), &[]),
        _ => (format!("{one}\r\n{other}\r\n15\r\n"), &["names"]),
    };
    let text = format!("Piskvorky {side}x{side}{header}\r\n{moves}{ending}");
    ("game.psq", text.into_bytes(), whole(fields, ""))
}

/// A list of points, numbered or not.
fn list(rng: &mut Rng, game: &mut Game) -> Made {
    game.side = 15;
    *game = Game { result: game.result, ..Game::random(rng, 15) };
    let points = game.points();
    let numbered = |dots: &str, line_break: &str| -> String {
        let pairs = points.chunks(2).enumerate();
        pairs
            .map(|(index, pair)| format!("{}{dots}{}{line_break}", index + 1, pair.join(" ")))
            .collect()
    };
    let letters = || -> Vec<String> {
        game.moves
            .iter()
            .map(|(column, row)| format!("{}{}", letter(*column), letter(*row)))
            .collect()
    };
    let text = match rng.u8(0..11) {
        0 => points.join(" "),
        1 => points.concat(),
        2 => points.join("\n"),
        3 => numbered(". ", " "),
        4 => numbered(".", "\n"),
        5 => numbered(". ", "\r\n"),
        6 => points.join("-"),
        7 => points.iter().map(|point| format!("({point})")).collect::<Vec<_>>().join(" "),
        8 => letters().concat(),
        9 => letters().join(" "),
        _ => points
            .iter()
            .zip(1..)
            .map(|(point, number)| format!("{number}) {}\n", point.to_uppercase()))
            .collect(),
    };
    ("game.txt", text.into_bytes(), whole(&[], ""))
}

/// Columns and rows from 0 or from 1, where only one reading fits.
fn pairs(rng: &mut Rng, game: &mut Game) -> Made {
    *game = Game::random(rng, 15);
    // A move in the first column and the last row decides.
    let from = rng.u32(0..2);
    let edge = if from == 0 { (0, 0) } else { (14, 14) };
    game.moves.retain(|point| *point != edge);
    game.moves.insert(0, edge);
    let pair = |(column, row): &(u32, u32)| (column + from, row + from);
    let pairs: Vec<(u32, u32)> = game.moves.iter().map(pair).collect();
    let write = |form: fn(u32, u32) -> String, between: &str| -> String {
        pairs.iter().map(|(x, y)| form(*x, *y)).collect::<Vec<_>>().join(between)
    };
    let text = match rng.u8(0..4) {
        0 => write(|x, y| format!("{x},{y}"), " "),
        1 => write(|x, y| format!("({x},{y})"), " "),
        2 => format!("[{}]", write(|x, y| format!("({x}, {y})"), ", ")),
        _ => write(|x, y| format!("{x},{y}"), "\n"),
    };
    // From 1, the board may also be one of 20x20 that is counted from 0.
    ("game.txt", text.into_bytes(), whole(&[], if from == 0 { "" } else { "is read as" }))
}

/// PGN with comments and a variation.
fn pgn(rng: &mut Rng, game: &mut Game) -> Made {
    *game = Game { names: game.names.clone(), ..Game::random(rng, game.side) };
    let result = match game.result {
        "B+" => "1-0",
        "W+" => "0-1",
        _ => "1/2-1/2",
    };
    let (rules, side) = (game.rules.0, game.side);
    let [one, other] = &game.names;
    let mut text = format!(
        "[Event \"Cup \\\"A\\\"\"]\n[Site \"?\"]\n[Date \"2026.??.??\"]\n[White \"{one}\"]\n[Black \"{other}\"]\n[Result \"{result}\"]\n[Variant \"{rules}\"]\n[BoardSize \"{side}x{side}\"]\n\n"
    );
    for (ply, point) in game.points().iter().enumerate() {
        if ply % 2 == 0 {
            text += &format!("{}.{}", ply / 2 + 1, if rng.bool() { " " } else { "" });
        }
        text += point;
        text += ["", "!", "?!", " $4", " {+0.30/12 0.512s}", " {a comment\nof two lines}"]
            [rng.usize(0..6)];
        if ply == 2 {
            text += " (2. a1 b1 (2... c1 3. d1) 3. e1)";
        }
        text += if rng.u8(0..6) == 0 { "\n" } else { " " };
    }
    text += result;
    text += "\n";
    ("game.pgn", text.into_bytes(), whole(&["names", "rules", "result"], ""))
}

/// A game of `games.jsonl`, as the arena writes it.
fn jsonl(game: &mut Game) -> Made {
    game.rules = ("renju", "renju");
    game.moves.retain(|(column, row)| *column < 15 && *row < 15);
    game.side = 15;
    let score = match game.result {
        "B+" => "1-0",
        "W+" => "0-1",
        _ => "1/2-1/2",
    };
    let object = serde_json::json!({
        "id": 3, "attempt": 0, "round": 0, "players": [0, 1], "opening": 0, "opening_plies": 2,
        "moves": game.points(), "notes": [], "score": score,
        "end": { "kind": "line", "text": "completes a line" }, "started": "2026-11-28T10:00:00Z",
        "millis": 5, "names": game.names, "variant": "renju",
    });
    let text = format!("{object}\n");
    ("games.jsonl", text.into_bytes(), whole(&["names", "rules", "result"], ""))
}

/// A library of RenLib in an encoding that it does not name, sometimes with a damaged text.
fn library(rng: &mut Rng, game: &mut Game) -> Made {
    game.moves.retain(|(column, row)| *column < 15 && *row < 15);
    game.side = 15;
    game.rules = ("Renju", "renju");
    let (comment, _, labels) = TEXTS[rng.usize(0..4)];
    let encoding = TextEncoding::named(labels[rng.usize(0..labels.len())]).expect("an encoding");
    let is_damaged = rng.bool();
    let mut bytes = b"\xffRenLib\xff\x03\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff".to_vec();
    game.comment = comment.repeat(3);
    let mut add = |point: u8, flags: u8, text: &[u8]| {
        bytes.extend([point, flags | if text.is_empty() { 0 } else { 8 }]);
        if !text.is_empty() {
            bytes.extend_from_slice(text);
            bytes.resize(bytes.len() + 2 - text.len() % 2, 0);
        }
    };
    let encoded = encoding.encode(&game.comment).expect("characters of the encoding");
    let end = |is_last: bool| if is_last { 0x40 } else { 0 };
    add(0, end(game.moves.is_empty()), &encoded);
    for (number, (column, row)) in game.moves.iter().enumerate() {
        let text: &[u8] = if is_damaged && number == 0 { b"\xff\xfe!" } else { b"" };
        add((16 * row + column + 1) as u8, end(number + 1 == game.moves.len()), text);
    }
    let warning = if is_damaged { "lost" } else { "names no encoding" };
    ("game.lib", bytes, whole(&["comment"], warning))
}

/// A file with a fault that must be named.
fn broken(rng: &mut Rng, game: &mut Game) -> Made {
    let again = game.moves[0];
    let mut twice = game.clone();
    twice.moves.push(again);
    let taken = Expected::Refused("is taken");
    match rng.u8(0..5) {
        0 => ("game.sgf", sgf_text(&twice, "", "").into_bytes(), taken),
        1 => {
            let moves = psq_moves(&twice, 0);
            let text = format!("Piskvorky {0}x{0}, 11:11, 0\r\n{moves}-1\r\n", game.side);
            ("game.psq", text.into_bytes(), taken)
        }
        2 => {
            let mut text = sgf_text(game, "", "");
            text.truncate(text.len() - 2);
            ("game.sgf", text.into_bytes(), Expected::Refused("found the end of the file"))
        }
        3 => ("game.txt", b"h8 i9 h8".to_vec(), taken),
        _ => {
            let text = format!("Piskvorky 15x15, 11:11, 0\n8,8,0\n{},1,0\n-1\n", rng.u32(16..99));
            ("game.psq", text.into_bytes(), Expected::Refused("line 3"))
        }
    }
}

/// Returns the first values of the properties of an SGF file, without escapes, and its main line.
fn taken_apart(sgf: &str) -> (BTreeMap<String, String>, Vec<(u32, u32)>) {
    let (mut properties, mut moves) = (BTreeMap::new(), Vec::new());
    let (mut name, mut depth) = (String::new(), 0);
    let mut chars = sgf.chars();
    while let Some(c) = chars.next() {
        match c {
            '[' => {
                let mut value = String::new();
                while let Some(c) = chars.next().filter(|c| *c != ']') {
                    value.push(if c == '\\' { chars.next().unwrap_or(c) } else { c });
                }
                let is_move = name == "B" || name == "W";
                // `tt` is a pass on these boards; SGF keeps the passes at the end.
                let is_point = is_move && value != "tt";
                if let ([column, row], true) = (value.as_bytes(), is_point) {
                    moves.push((u32::from(column - b'a'), u32::from(row - b'a')));
                }
                if !is_move {
                    properties.entry(name.clone()).or_insert(value);
                }
            }
            // The main line is the first variation everywhere.
            ')' => return (properties, moves),
            '(' | ';' => depth += 1,
            c if c.is_ascii_alphanumeric() => name.push(c),
            _ => {}
        }
        if matches!(c, ';' | '(') || (c.is_whitespace() && depth > 0) {
            name.clear();
        } else if c == '[' {
            // Several values have one name; the next letter begins another.
            name.clear();
        }
    }
    (properties, moves)
}

/// Checks a file; returns what is wrong.
fn check(scratch: &Scratch, game: &Game, file: &File) -> Result<(), String> {
    let path = scratch.write(&file.name, &file.bytes);
    let output = run(&["convert", &path, "-", "--to", "sgf", "--to-encoding", "UTF-8"], "");
    let (stderr, status) = (text(&output.stderr), output.status.code());
    let (fields, warning) = match &file.expected {
        Expected::Refused(words) => {
            let is_one_line = stderr.lines().count() == 1;
            let is_right = status == Some(2) && stderr.contains(words) && is_one_line;
            return if is_right { Ok(()) } else { Err(format!("{status:?}: {stderr}")) };
        }
        Expected::Game { fields, warning } => (fields, warning),
    };
    if status != Some(0) {
        return Err(format!("refused: {stderr}"));
    }
    if !stderr.contains(warning) {
        return Err(format!("no warning \"{warning}\": {stderr}"));
    }
    let sgf = text(&output.stdout);
    let (properties, moves) = taken_apart(&sgf);
    if moves != game.moves {
        return Err(format!("other moves: {sgf}"));
    }
    let value = |name: &str| properties.get(name).map(String::as_str).unwrap_or_default();
    for field in fields {
        let is_equal = match *field {
            "names" => value("PB") == game.names[0] && value("PW") == game.names[1],
            "result" => value("RE") == game.result,
            "comment" => value("C") == game.comment,
            // Another command checks the variant below.
            _ => true,
        };
        if !is_equal {
            return Err(format!("another {field}: {sgf}"));
        }
    }
    if fields.contains(&"rules") && !moves.is_empty() {
        let arguments = ["analyze", "--sgf", &path, "--depth", "1", "--json"];
        let shown = text(&run(&arguments, "").stdout);
        if !shown.contains(&format!("\"variant\":\"{}\"", game.rules.1)) {
            return Err(format!("another rule than {}: {shown}", game.rules.1));
        }
    }
    Ok(())
}

fn check_files(count: usize) {
    let scratch = Scratch::new(&[]);
    let mut rng = Rng::with_seed(59);
    let mut wrong = Vec::new();
    for number in 0..count {
        let (game, file) = file(&mut rng, number);
        if let Err(why) = check(&scratch, &game, &file) {
            let shown = String::from_utf8_lossy(&file.bytes).into_owned();
            wrong.push(format!("file {number} ({}): {why}\n{game:?}\n{shown}", file.name));
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn records_in_the_forms_of_the_field_give_their_game() {
    check_files(FEW);
}

#[test]
#[ignore = "campaign: see tests/README.md"]
fn campaign_a_thousand_records() {
    check_files(MANY);
}
