//! A thousand SGF files in the styles of common editors are read as they were written.
//!
//! The generator imitates headers, orders of properties, line breaks, encodings and habits. The
//! files are not outputs of these programs.

use fastrand::Rng;
use tengen_games::CATALOG;
use tengen_records::{ReadOptions, TextEncoding, read};

use crate::games::{GameParameters, Tree, played};

/// The style in which a program writes SGF.
struct Style {
    /// The name of the program.
    name: &'static str,
    /// The header after `(;`, where `$S` is the size, `$B` and `$W` are the players and `$C` is the
    /// comment of the root, a whole property.
    header: &'static str,
    /// The encoding of the bytes.
    encoding: &'static str,
    /// Characters of this encoding that are not ASCII.
    letters: &'static str,
    line_break: &'static str,
    /// The text before each node.
    before_node: &'static str,
    /// The properties of moves, in the long form of old files or in the short one.
    movers: [&'static str; 2],
    comment: &'static str,
    /// Another property after each move.
    extra: &'static str,
    /// Whether points are written as `h8`.
    has_ranks: bool,
    /// The number of characters between soft line breaks in comments; `None` for no soft line
    /// breaks.
    soft_break: Option<usize>,
    /// Text before the first game and after the last.
    around: [&'static str; 2],
    /// The variant of the record.
    variant: &'static str,
}

/// Plain SGF in UTF-8, the base of the other styles.
const PLAIN: Style = Style {
    name: "plain",
    header: "FF[4]GM[4]SZ[$S]PB[$B]PW[$W]$C",
    encoding: "UTF-8",
    letters: "\u{fc}\u{e9}\u{738b}\u{1f600}",
    line_break: "\n",
    before_node: "",
    movers: ["B", "W"],
    comment: "C",
    extra: "",
    has_ranks: false,
    soft_break: None,
    around: ["", "\n"],
    variant: "gomokufreestyle",
};

const STYLES: [Style; 16] = [
    PLAIN,
    Style {
        name: "CGoban",
        header: "GM[1]FF[4]CA[UTF-8]AP[CGoban:3]ST[2]\nRU[Renju]SZ[$S]KM[0.00]\nPW[$W]PB[$B]$C",
        before_node: "\n",
        variant: "renju",
        ..PLAIN
    },
    Style {
        name: "Sabaki",
        header: "GM[1]FF[4]CA[UTF-8]AP[Sabaki:0.52.2]KM[6.5]SZ[$S]DT[2023-01-01]RU[Gomoku]PB[$B]PW[$W]$C",
        variant: "gomoku",
        ..PLAIN
    },
    Style {
        name: "MultiGo",
        header: "CA[gb2312]SZ[$S]AP[MultiGo:4.4.4]MULTIGOGM[1]\r\nGM[4]RU[\u{4e94}\u{5b50}\u{68cb}]PB[$B]PW[$W]$C\r\n",
        encoding: "gb2312",
        letters: "\u{738b}\u{9ed1}\u{767d}\u{68cb}\u{3002}",
        line_break: "\r\n",
        soft_break: Some(20),
        ..PLAIN
    },
    Style {
        name: "Drago",
        header: "FF[4]CA[ISO-8859-1]AP[Drago:4.22]GM[4]SZ[$S]ST[0]VW[]\r\nPB[$B]PW[$W]$C",
        encoding: "ISO-8859-1",
        letters: "\u{e9}\u{e8}\u{e7}\u{df}",
        line_break: "\r\n",
        before_node: "\r\n",
        ..PLAIN
    },
    Style {
        name: "a server of renju",
        header: "GM[4]FF[4]SZ[$S]PB[$B]PW[$W]5A[ij]GN[$B-$W: (Rated) Timing: 15 min]RE[B+]DT[2004-05-06]RU[RIF]$C",
        letters: "",
        line_break: "\r\n",
        variant: "renju",
        ..PLAIN
    },
    Style {
        name: "RenjuNet",
        header: "FF[4]GM[4]SZ[$S]RU[Soos\u{f5}rv-8]EV[WC 2019]RO[3]PB[$B]PW[$W]RE[0.5-0.5]$C",
        letters: "\u{f5}\u{e4}",
        variant: "renju",
        ..PLAIN
    },
    Style {
        name: "Lizzie",
        header: "SZ[$S]KM[7.5]PW[$W]PB[$B]DT[2020-02-02]AP[Lizzie: 0.7.4]GM[4]$C",
        extra: "LZ[KataGo 12.3 4k\n0 move Q16 visits 11 winrate 46.5 pv Q16 D4]",
        ..PLAIN
    },
    Style {
        name: "Little Golem",
        header: "FF[4]EV[gomoku.mc.2012.1.1]PB[$B]PW[$W]SZ[$S]SO[http://www.littlegolem.com]GM[4]RU[Gomoku Swap2]$C",
        letters: "",
        variant: "gomoku",
        ..PLAIN
    },
    Style {
        name: "c-gomoku-cli",
        header: "FF[4]GM[4]GN[1]EV[$B x $W]DT[2024.01.01 10:00:00]RO[1.1]RU[1]SZ[$S]PB[$B]PW[$W]RE[B+1]TE[five]$C\n",
        variant: "gomoku",
        ..PLAIN
    },
    Style {
        name: "PlayOK",
        header: "FF[4]GM[4]SZ[$S]PC[www.playok.com]PB[$B]PW[$W]DT[2021-03-04]TM[300]RU[Freestyle]$C",
        letters: "",
        extra: "BL[12.5]",
        ..PLAIN
    },
    Style {
        name: "old long names",
        header: "GaMe[4]VieW[]SiZe[$S]\nPlayerBlack[$B]PlayerWhite[$W]$C",
        encoding: "ISO-8859-1",
        letters: "\u{e5}\u{f6}",
        before_node: "\n",
        movers: ["Black", "White"],
        comment: "Comment",
        ..PLAIN
    },
    Style {
        name: "points with ranks",
        header: "GM[4]SZ[$S:$S]PB[$B]PW[$W]$C",
        has_ranks: true,
        ..PLAIN
    },
    Style {
        name: "Japanese editor",
        header: "FF[4]GM[4]CA[Shift_JIS]SZ[$S]RU[\u{9023}\u{73e0}]PB[$B]PW[$W]$C",
        encoding: "Shift_JIS",
        // The second bytes of these are a backslash and a bracket.
        letters: "\u{8868}\u{30bd}\u{30be}\u{80fd}",
        line_break: "\r\n",
        variant: "renju",
        ..PLAIN
    },
    Style { name: "Korean editor", header: "(;", ..PLAIN },
    Style {
        name: "mail",
        header: "FF[4]GM[4]CA[windows-1251]SZ[$S]PB[$B]PW[$W]RU[\u{420}\u{44d}\u{43d}\u{434}\u{437}\u{44e}]$C",
        encoding: "windows-1251",
        letters: "\u{418}\u{432}\u{430}\u{43d}",
        around: [
            "From: a@b.example (Anna)\nSubject: our game :-)\n\n",
            "\n-- \nsent (from) home )\n\0\x1a",
        ],
        variant: "renju",
        ..PLAIN
    },
];

/// Returns the style at index `place`, modulo the number of styles.
fn style(place: usize) -> Style {
    let style = &STYLES[place % STYLES.len()];
    if style.name != "Korean editor" {
        return Style { ..*style };
    }
    Style {
        name: style.name,
        header: "FF[3]GM[4]CA[EUC-KR]SZ[$S]PB[$B]PW[$W]$C",
        encoding: "EUC-KR",
        letters: "\u{ae40}\u{b2d8}\u{c624}\u{baa9}",
        ..PLAIN
    }
}

/// Returns a text as a value of SGF in this style.
fn value(style: &Style, text: &str) -> String {
    let mut out = String::new();
    for (place, c) in text.chars().enumerate() {
        if style.soft_break.is_some_and(|every| place % every == every - 1) {
            out.push('\\');
            out += style.line_break;
        }
        match c {
            ']' | '\\' => out.extend(['\\', c]),
            '\n' => out += style.line_break,
            c => out.push(c),
        }
    }
    out
}

fn write_node(style: &Style, out: &mut String, tree: &Tree, number: usize, side: u32) {
    out.push_str(style.before_node);
    out.push(';');
    let (column, row) = tree.point.expect("a move");
    let letter = |number: u32| char::from(b'a' + number as u8);
    let point = match style.has_ranks {
        true => format!("{}{}", letter(column), side - row),
        false => format!("{}{}", letter(column), letter(row)),
    };
    *out += &format!("{}[{point}]{}", style.movers[number % 2], style.extra);
    if !tree.comment.is_empty() {
        *out += &format!("{}[{}]", style.comment, value(style, &tree.comment));
    }
    write_children(style, out, tree, number + 1, side);
}

fn write_children(style: &Style, out: &mut String, tree: &Tree, number: usize, side: u32) {
    for child in &tree.children {
        if tree.children.len() > 1 {
            *out += &format!("{}(", style.line_break);
        }
        write_node(style, out, child, number, side);
        if tree.children.len() > 1 {
            out.push(')');
        }
    }
}

struct File {
    bytes: Vec<u8>,
    games: Vec<Tree>,
    players: [String; 2],
    side: u32,
}

fn file(style: &Style, rng: &mut Rng) -> File {
    let side = if rng.u8(..) < 200 { 15 } else { rng.u32(10..=20) };
    let alphabet: Vec<char> =
        "abc XYZ 019 ()[];:\\,.\n".chars().chain(style.letters.chars()).collect();
    let parameters = GameParameters { side, max_moves: 60, alphabet: &alphabet };
    let names: Vec<char> = "ABCxyz_-9".chars().chain(style.letters.chars()).collect();
    let mut player = || -> String { (0..6).filter_map(|_| rng.choice(&names)).collect() };
    let players = [player(), player()];
    let count = if rng.u8(..) < 230 { 1 } else { rng.usize(2..5) };
    let games: Vec<Tree> = (0..count).map(|_| Tree::random(rng, &parameters)).collect();
    let mut text = style.around[0].to_owned();
    for tree in &games {
        let comment = match tree.comment.as_str() {
            "" => String::new(),
            comment => format!("{}[{}]", style.comment, value(style, comment)),
        };
        let header = style.header.replace("$S", &side.to_string()).replace("$B", &players[0]);
        let header = header.replace("$W", &players[1]).replace("$C", &comment);
        text += &format!("(;{header}");
        write_children(style, &mut text, tree, 0, side);
        text += &format!("){}", style.line_break);
    }
    text += style.around[1];
    let encoding = TextEncoding::named(style.encoding).expect("an encoding");
    let bytes = encoding.encode(&text).expect("letters of the encoding").into_owned();
    File { bytes, games, players, side }
}

#[test]
fn a_thousand_files_in_the_styles_of_editors_are_read_as_written() {
    let mut rng = Rng::with_seed(0x5_6f);
    let mut comments = 0;
    for number in 0..1000 {
        let style = style(number);
        let file = file(&style, &mut rng);
        let context =
            || format!("{number}, {}: {}", style.name, String::from_utf8_lossy(&file.bytes));
        let collection = read(&file.bytes, &ReadOptions::new().named("game.sgf"))
            .unwrap_or_else(|fault| panic!("{fault}: {}", context()));
        assert_eq!(collection.records().len(), file.games.len(), "{}", context());
        for (record, tree) in collection.records().iter().zip(&file.games) {
            if !style.has_ranks {
                assert_eq!(&Tree::of(record), tree, "{}", context());
            }
            assert_eq!(played(record, file.side), tree.main_line(), "{}", context());
            let root = record.node(record.root());
            for (name, player) in ["PB", "PW"].into_iter().zip(&file.players) {
                assert_eq!(root.text(name).as_ref(), Some(player), "{}", context());
            }
            let (spec, warning) =
                record.spec(&CATALOG).unwrap_or_else(|fault| panic!("{fault}: {}", context()));
            assert_eq!(spec.variant, style.variant, "{}", context());
            // Public boards write this name for the free rule.
            let is_ambiguous = style.header.contains("RU[Gomoku");
            assert_eq!(warning.is_some(), is_ambiguous, "{}", context());
            assert_eq!(spec.size(), Some((file.side, file.side)));
            comments += record.ids().filter(|id| record.node(*id).comment().is_some()).count();
        }
        // Without remarks nothing changes.
        assert_eq!(collection.to_annotated_sgf(&[]), file.bytes, "{}", context());
        let again = read(&collection.to_sgf(), &ReadOptions::new()).expect("our own file");
        for (one, two) in collection.records().iter().zip(again.records()) {
            if !style.has_ranks {
                assert_eq!(Tree::of(one), Tree::of(two), "{}", context());
            }
            assert_eq!(played(one, file.side), played(two, file.side), "{}", context());
        }
        assert_eq!(again.encoding(), collection.encoding(), "{}", context());
    }
    assert!(comments > 1000, "{comments}");
}
