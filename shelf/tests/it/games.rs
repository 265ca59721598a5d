//! What becomes of the games of files: formats, duplicates, faults, trees, names.

use std::io::Write;

use tengen_games::CATALOG;
use tengen_records::{Collection, Format, TextEncoding};
use tengen_shelf::{Filter, ImportOptions, Marks, Pattern, Shelf, Silent, find, import};

use crate::support::{Desk, add, after, counts, explored, found};

const SGF: &str =
    "(;GM[4]SZ[15]RU[renju]PB[Anna]PW[Ben]DT[2020-05-01]EV[Open]RE[B+R];B[hh];W[ih];B[hj])";

#[test]
fn the_same_game_stands_once_with_the_headers_of_all_formats() {
    let desk = Desk::new();
    let mut shelf = desk.shelf();
    let files = [
        desk.file("a.sgf", SGF),
        // The moves of the other files are images of these.
        desk.file("b.pgn", "[Event \"open\"]\n[Variant \"renju\"]\n[White \"anna\"]\n[Black \"?\"]\n[Round \"3\"]\n\n1. h8 h9 2. j8 *\n"),
        desk.file("c.sgf", "(;GM[4]SZ[15]RU[renju]PB[Anna]DT[2020]ON[I7];B[hh];W[gh];B[hf])"),
    ];
    for file in &files {
        add(&mut shelf, &[file]);
    }
    let ids = found(&mut shelf, &Filter::default()).ids;
    assert_eq!(ids.len(), 1);
    let game = shelf.game(ids[0]).unwrap();
    assert_eq!(game.players, [Some("Anna".to_owned()), Some("Ben".to_owned())]);
    assert_eq!((game.date.as_deref(), game.round.as_deref()), (Some("2020-05-01"), Some("3")));
    assert_eq!((game.opening.as_deref(), game.ending.as_deref()), (Some("D7"), Some("resigned")));
    assert_eq!(game.headers["ON"], "I7");
    assert_eq!(game.result, Some(1));
    // Another player is another game.
    add(&mut shelf, &[&desk.file("d.sgf", SGF.replace("Anna", "Carl"))]);
    assert_eq!(found(&mut shelf, &Filter::default()).total, 2);
    assert_eq!(shelf.check(&mut |_, _| true).unwrap().differences, 0);
}

#[test]
fn a_result_that_a_later_file_adds_is_counted() {
    let desk = Desk::new();
    let (mut shelf, ..) = desk.with("a.txt", "h8 i9 h7\nh8 i9 h6\n");
    assert_eq!(counts(&mut shelf, "h8 i9"), [[1, 0, 0, 0], [1, 0, 0, 0]]);
    add(&mut shelf, &[&desk.file("b.sgf", "(;GM[4]SZ[15]DT[2019]RE[W+];B[hh];W[ig];B[hi])")]);
    assert_eq!(counts(&mut shelf, "h8 i9"), [[1, 0, 0, 0], [1, 0, 0, 1]]);
    assert_eq!(
        explored(&mut shelf, "h8").total.years.keys().copied().collect::<Vec<_>>(),
        [0, 2019]
    );
    assert_eq!(shelf.check(&mut |_, _| true).unwrap().differences, 0);
}

#[test]
fn a_move_counts_under_symmetry_and_by_transposition() {
    let desk = Desk::new();
    let (mut shelf, ..) = desk.with("a.txt", "h8 h9 h7 i9 1-0\nh8 g8 i8 g9 0-1\nh7 h9 h8 i9 1-0\n");
    // The third game transposes into the others.
    let known = explored(&mut shelf, "h8 h9 h7");
    assert_eq!((known.total.games, known.total.losses, known.total.wins), (3, 2, 1));
    assert_eq!(known.moves.iter().map(|mv| mv.results.games).sum::<u64>(), 3);
    let asked = after(&mut shelf, "h8 h7 h9");
    assert_eq!(
        find(&mut shelf, &Filter::default(), Some(&asked), None, None, &|| false).unwrap().total,
        3
    );
}

#[test]
fn faulty_games_are_kept_and_marked() {
    let desk = Desk::new();
    let five = "h8 a1 i8 a3 j8 a5 k8 a7 l8";
    let games = [format!("{five} b1 b3\n"), format!("{five} 0-1\n"), "h8 i9 h7\n".to_owned()];
    let (mut shelf, report, _) = desk.with("a.txt", games.concat());
    assert_eq!((report.new, report.bad), (3, 0));
    let marked =
        |shelf: &mut _, mark| found(shelf, &Filter { marks: Some(mark), ..Filter::default() }).ids;
    let goes_on = marked(&mut shelf, Marks::GOES_ON);
    assert_eq!(goes_on.len(), 1);
    let game = shelf.game(goes_on[0]).unwrap();
    assert_eq!(
        (game.moves.len(), game.result, game.ending.as_deref()),
        (11, Some(1), Some("line"))
    );
    assert_eq!(marked(&mut shelf, Marks::WRONG_RESULT).len(), 1);
    // Three and three is forbidden in renju, and loses.
    let forbidden = "(;GM[4]SZ[15]RU[renju];B[hh];W[aa];B[ih];W[ao];B[gi];W[oa];B[gj];W[oo];B[gh])";
    add(&mut shelf, &[&desk.file("c.sgf", forbidden)]);
    let ids = marked(&mut shelf, Marks::FORBIDDEN);
    let game = shelf.game(ids[0]).unwrap();
    assert_eq!((game.result, game.ending.as_deref()), (Some(-1), Some("forbidden")));
    assert_eq!(shelf.check(&mut |_, _| true).unwrap().differences, 0);
}

#[test]
fn games_with_an_illegal_move_are_kept_up_to_it_in_every_format() {
    let head = b"\xffRenLib\xff\x03\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
    let library = |last| [&head[..], &[0x78, 0, 0x79, 0, last, 0x40]].concat();
    for (file, content, rest) in [
        ("taken.sgf", &b"(;GM[4]SZ[15];B[hh];W[ih];B[hh];W[gg])"[..], "hh gg"),
        ("outside.sgf", b"(;GM[4]SZ[15];B[hh];W[ih];B[zz])", "zz"),
        ("taken.txt", b"h8 i8 h8 g9\n", "h8 g9"),
        ("outside.txt", b"h8 i8 z99 1-0\nh8 i8 h9\n", "z99"),
        ("pairs.txt", b"8,8 9,8 8,8 7,7\n15,15 14,14\n", "hh gg"),
        ("taken.psq", b"Piskvorky 15x15, 11:11, 0\n8,8,0\n9,8,0\n8,8,0\nA\nB\n-1\n", "hh"),
        ("outside.psq", b"Piskvorky 15x15, 11:11, 0\n8,8,0\n9,8,0\n16,1,5\nA\nB\n-1\n", "16,1,5"),
        ("taken.pgn", b"[Event \"a\"]\n[Variant \"gomoku\"]\n\n1. h8 i8 2. h8 *\n", "h8"),
        ("outside.pgn", b"[Event \"b\"]\n[BoardSize \"15x15\"]\n\n1. h8 i8 2. p4 *\n", "p4"),
        ("taken.lib", &library(0x78), "hh"),
        ("outside.lib", &library(0xf8), "0xf8"),
    ] {
        let desk = Desk::new();
        let (mut shelf, report, notes) = desk.with(file, content);
        assert_eq!(report.bad, 0, "{file}: {:?}", notes.problems);
        let filter = Filter { marks: Some(Marks::ILLEGAL), ..Filter::default() };
        let ids = found(&mut shelf, &filter).ids;
        assert_eq!(ids.len(), 1, "{file}");
        let game = shelf.game(ids[0]).unwrap();
        assert_eq!(game.moves[..2], ["h8", "i8"], "{file}");
        assert_eq!(game.rest.as_deref(), Some(rest), "{file}");
        let (_, lost) = shelf.written_with_losses(ids[0], Format::PSQ).unwrap().unwrap();
        assert!(lost.unwrap().starts_with("moves that cannot be played"), "{file}");
    }
}

#[test]
fn a_faulty_move_does_not_make_a_list_one_of_a_larger_board() {
    let desk = Desk::new();
    // `t20` is outside of 15x15. `tt` is no pass in a list.
    let text = "h8 i9 h7\n".to_owned() + &"h8 i9\n".repeat(30) + "h8 t20 h7\nh8 j9 tt\n";
    let (mut shelf, report, notes) = desk.with("a.txt", text);
    assert!(notes.problems.is_empty(), "{:?}", notes.problems);
    assert_eq!((report.new, report.marked[0]), (4, 2));
    let rulesets = shelf.rulesets().unwrap();
    assert_eq!((rulesets.len(), rulesets[0].0.grid().width()), (1, 15));
    let ids = found(&mut shelf, &Filter::default()).ids;
    let rests = ids.iter().filter_map(|id| shelf.game(*id).unwrap().rest).collect::<Vec<_>>();
    assert_eq!(rests, ["t20 h7", "TT"]);
}

#[test]
fn an_opening_has_its_name_whatever_the_file_says() {
    let desk = Desk::new();
    let bay = "(;GM[4]SZ[15]RU[renju]ON[Hogetsu];B[hh];W[ig];B[ii])";
    let (mut shelf, ..) = desk.with("a.sgf", bay);
    add(&mut shelf, &[&desk.file("b.txt", "h8 g7 i7 h9\nh8 h9 i9\na1 b1 c1\n")]);
    for (name, games) in [("i7", 2), ("HOGETSU", 2), ("D4", 1), ("D1", 0)] {
        let filter = Filter { opening: Some(name.to_owned()), ..Filter::default() };
        assert_eq!(found(&mut shelf, &filter).total, games, "{name}");
    }
}

#[test]
fn games_that_cannot_be_read_are_listed_with_their_place() {
    let desk = Desk::new();
    let text = "(;GM[4]SZ[15];B[hh])\n(;GM[4]SZ[99];B[hh])\n(;GM[4]SZ[15];B[ii])\n";
    let (shelf, report, notes) = desk.with("a.sgf", text);
    assert_eq!((report.new, report.bad), (2, 1));
    assert_eq!(notes.problems.len(), 1);
    assert!(notes.problems[0].contains("a.sgf: game 2: "), "{}", notes.problems[0]);
    let problems = shelf.problems().unwrap();
    assert_eq!((problems.len(), problems[0].1), (1, 2));
}

#[test]
fn folders_and_archives_are_searched_for_records() {
    let desk = Desk::new();
    desk.file("games/b/x.sgf", SGF);
    desk.file("games/a.txt", "h8 i9\n");
    desk.file("games/readme.md", "no record");
    let mut archive = zip::ZipWriter::new(std::fs::File::create(desk.path("games/c.zip")).unwrap());
    archive.start_file("d.txt", zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(b"h8 g9 h7\n").unwrap();
    archive.finish().unwrap();
    let mut shelf = desk.shelf();
    let games = desk.path("games");
    let (report, notes) = add(&mut shelf, &[&games]);
    assert_eq!((report.files, report.new, notes.problems.len()), (3, 3, 0), "{:?}", notes.problems);
    let (again, _) = add(&mut shelf, &[&games]);
    assert_eq!((again.files, again.known_files, again.new, again.merged), (0, 3, 0, 0));
}

#[test]
fn a_library_is_a_tree_with_comments_and_texts() {
    let desk = Desk::new();
    let sgf = "(;GM[4]SZ[15]RU[renju];B[hh]C[centre]LB[ig:A](;W[ig];B[hi]C[best])(;W[hg]))";
    let (mut shelf, ..) = desk.with("a.sgf", sgf);
    let known = explored(&mut shelf, "h8");
    assert_eq!(known.stored.comments, ["centre"]);
    let moves: Vec<_> = known
        .moves
        .iter()
        .map(|mv| (mv.results.games, mv.label.as_deref(), mv.is_in_tree))
        .collect();
    assert_eq!(moves, [(1, Some("A"), true), (0, None, true)]);
    assert_eq!(explored(&mut shelf, "h8 i9 h7").stored.comments, ["best"]);
    let (record, _) = shelf.record(1).unwrap();
    assert!(record.ids().any(|id| record.node(id).children().len() > 1), "the variation is kept");
}

#[test]
fn games_are_found_by_names_years_results_and_patterns() {
    let desk = Desk::new();
    let (mut shelf, ..) = desk.with(
        "a.sgf",
        format!(
            "{SGF}\n{}",
            SGF.replace("2020-05-01", "2012")
                .replace("Anna", "O'Neil")
                .replace("B+R", "0")
                .replace("hj", "ij")
        ),
    );
    let count = |shelf: &mut _, filter: Filter| found(shelf, &filter).total;
    let all = Filter::default;
    assert_eq!(count(&mut shelf, Filter { player: Some("ann".into()), ..all() }), 1);
    assert_eq!(count(&mut shelf, Filter { player: Some("BEN".into()), ..all() }), 2);
    assert_eq!(count(&mut shelf, Filter { player: Some("o'n".into()), ..all() }), 1);
    assert_eq!(count(&mut shelf, Filter { event: Some("nobody's".into()), ..all() }), 0);
    assert_eq!(count(&mut shelf, Filter { opening: Some("o'x".into()), ..all() }), 0);
    assert_eq!(count(&mut shelf, Filter { years: Some((2010, 2015)), ..all() }), 1);
    assert_eq!(count(&mut shelf, Filter { result: Some(0), ..all() }), 1);
    let pattern: Pattern = "x.x".parse().unwrap();
    assert_eq!(find(&mut shelf, &all(), None, Some(&pattern), None, &|| false).unwrap().total, 1);
}

#[test]
fn a_shelf_gets_the_games_of_another_one() {
    let desk = Desk::new();
    let (mut one, ..) = desk.with("a.txt", "h8 i9 h7 1-0\nh8 g9\n");
    let mut other = desk.shelf_named("other.shelf");
    add(
        &mut other,
        &[&desk.file("b.sgf", format!("{SGF}\n(;GM[4]SZ[15]RE[B+];B[hh];W[ig];B[hi])"))],
    );
    let merged = one.merge(&mut other, &mut |_| true).unwrap();
    assert_eq!((merged.new, merged.known), (1, 1));
    assert_eq!(one.stats().unwrap().games, 3);
    let again = one.merge(&mut other, &mut |_| true).unwrap();
    assert_eq!((again.new, again.known), (0, 2));
    assert_eq!(one.check(&mut |_, _| true).unwrap().differences, 0);
}

#[test]
fn a_merge_keeps_proofs_takes_deeper_values_and_adds_words() {
    let desk = Desk::new();
    let (mut one, ..) = desk.with("a.txt", "h8 i9\n");
    let mut other = desk.shelf_named("other.shelf");
    add(&mut other, &[&desk.path("a.txt")]);
    let open = |name| rusqlite::Connection::open(desk.path(name)).unwrap();
    for (name, rows) in [
        (
            "my.shelf",
            "(1, 1, '', NULL, 3, 'exact', 2, 10, '[]', 'a', 0, NULL, NULL), \
             (2, 1, '', 50, NULL, 'exact', 5, 10, '[]', 'a', 0, 'mine', NULL)",
        ),
        (
            "other.shelf",
            "(1, 1, '', 20, NULL, 'exact', 9, 99, '[]', 'b', 0, 'theirs', 'good'), \
             (2, 1, '', 60, NULL, 'exact', 6, 9, '[]', 'b', 0, 'theirs', 'bad')",
        ),
    ] {
        open(name).execute_batch(&format!("INSERT INTO analysis VALUES {rows}")).unwrap();
    }
    assert_eq!(one.merge(&mut other, &mut |_| true).unwrap().analysis, 1);
    let rows = "SELECT group_concat(concat_ws(' ', mate, cp, engine, label, comment), '; ') FROM \
                (SELECT * FROM analysis ORDER BY key)";
    let rows: String = open("my.shelf").query_row(rows, [], |row| row.get(0)).unwrap();
    assert_eq!(rows, "3 a theirs good; 60 b mine bad");
}

#[test]
fn a_file_stays_known_though_an_earlier_program_wrote_its_game_as_debug_text() {
    let desk = Desk::new();
    let file = desk.file("a.txt", "h8 i9 h7\n");
    let game = |record: &tengen_records::Record| record.spec(&CATALOG);
    let choice = "renju BoardHeight=15 BoardWidth=15".to_owned();
    let options = ImportOptions { choice, ..ImportOptions::new(&game) };
    let mut shelf = desk.shelf();
    let mut again =
        || import(&mut shelf, std::slice::from_ref(&file), &options, &mut Silent).unwrap();
    assert_eq!(again().new, 1);
    let db = rusqlite::Connection::open(desk.path("my.shelf")).unwrap();
    let old = r#"renju {"BoardHeight": 15, "BoardWidth": 15}"#;
    let write_old = || db.execute("UPDATE sources SET choice = ?1", [old]).unwrap();
    write_old();
    assert_eq!((again().known_files, again().known_files), (1, 1));
    // A merge knows the file, too.
    write_old();
    let mut other = desk.shelf_named("other.shelf");
    let mut shelf = desk.shelf();
    other.merge(&mut shelf, &mut |_| true).unwrap();
    let report = import(&mut other, &[file], &options, &mut Silent).unwrap();
    assert_eq!((report.known_files, report.files), (1, 0));
}

#[test]
fn a_game_with_a_tree_is_copied_as_it_would_be_written() {
    let desk = Desk::new();
    let trees = [
        "(;GM[4]SZ[15]RU[renju]PB[Anna]C[at first; (so\\]) it is];B[hh](;W[ig]C[名];B[hg])(;W[ih];B[ii]LB[jj:A]))",
        "(;GM[4]SZ[15]AB[aa:bb]AW[cc];W[hh]C[a comment that is long enough to need another line of the file];B[ig])",
        "(;GM[4]SZ[15](;B[hh]C[one])(;B[hi]))",
        "(;GM[4]SZ[15]PB[安娜]C[no move of it can be played];B[zz])",
    ];
    let (mut shelf, ..) = desk.with("a.sgf", trees.concat());
    let ids = found(&mut shelf, &Filter::default()).ids;
    assert_eq!(ids.len(), trees.len());
    for id in ids {
        let (record, _) = shelf.record(id).unwrap();
        let whole = Collection::new(Format::SGF, vec![record]).to_sgf();
        // A record says in words what other formats cannot hold; SGF holds the moves.
        let whole = String::from_utf8(whole).unwrap();
        let whole = whole.replace("\nmoves that cannot be played: zz", "");
        let copied = shelf.written(id, Format::SGF).unwrap().unwrap();
        assert_eq!(String::from_utf8(copied).unwrap(), whole);
    }
}

#[test]
fn dates_are_written_as_the_record_had_them() {
    let desk = Desk::new();
    let dates = [
        "12/24/1998",
        "5/6/2019",
        "99-5-4",
        "2019年5月",
        "2010-05-01,02",
        "2001-02-30",
        "1998-05",
        "spring",
    ];
    let game = |(index, date): (usize, &&str)| {
        let row = char::from(b'a' + index as u8);
        format!("(;GM[4]SZ[15]RU[renju]DT[{date}];B[hh];W[{row}i];B[a{row}])\n")
    };
    let (mut shelf, report, _) =
        desk.with("a.sgf", dates.iter().enumerate().map(game).collect::<String>());
    assert_eq!((report.new, report.bad), (dates.len() as u64, 0));
    let vague = Filter { marks: Some(Marks::VAGUE_DATE), ..Filter::default() };
    assert_eq!(found(&mut shelf, &vague).total, 2);
    let of_1998 = Filter { years: Some((1998, 1998)), ..Filter::default() };
    assert_eq!(found(&mut shelf, &of_1998).total, 2);
    for id in found(&mut shelf, &Filter::default()).ids {
        let number = shelf.game(id).unwrap().source.1 as usize;
        let sgf = String::from_utf8(shelf.written(id, Format::SGF).unwrap().unwrap()).unwrap();
        let date = dates[number - 1];
        assert_eq!(sgf.contains(&format!("DT[{date}]")), date != "spring", "{date}: {sgf}");
    }
}

#[test]
fn games_written_as_json_keep_their_headers() {
    let desk = Desk::new();
    let games = "\
(;GM[4]SZ[15]RU[renju]PB[Anna]PW[Ben]EV[Open]RO[final, game 2]DT[2020-05]ON[ours]PC[Kyoto]RE[B+R];B[hh];W[ig];B[hi])
(;GM[4]SZ[15]RU[renju]PB[Anna]PW[Ben]EV[Other]RO[1]DT[5/6/2019]RE[0];B[hh];W[ig];B[hi])
(;GM[4]SZ[15]RU[renju]EV[Faulty];B[hh];W[ig];B[hh];W[hi])
(;GM[4]SZ[15]RU[renju]AB[hh]AW[aa]PL[B]EV[Set up];B[hi];W[ab])
";
    let (mut shelf, ..) = desk.with("a.sgf", games);
    let ids = found(&mut shelf, &Filter::default()).ids;
    let lines: Vec<String> =
        ids.iter().map(|id| shelf.json_line(*id).unwrap().to_string()).collect();
    let mut other = desk.shelf_named("other.shelf");
    let (report, _) = add(&mut other, &[&desk.file("b.jsonl", lines.join("\n"))]);
    assert_eq!((report.new, report.bad), (4, 0));
    let facts = |shelf: &mut Shelf| {
        let ids = found(shelf, &Filter::default()).ids;
        let mut facts: Vec<_> = ids
            .into_iter()
            .map(|id| {
                let game = shelf.game(id).unwrap();
                let headers: Vec<String> = ["PC", "DT", "ON"]
                    .iter()
                    .map(|name| {
                        game.headers.get(*name).map(ToString::to_string).unwrap_or_default()
                    })
                    .collect();
                (
                    game.event,
                    game.round,
                    game.date,
                    game.opening,
                    game.moves,
                    game.rest.is_some(),
                    game.start,
                    headers,
                )
            })
            .collect();
        facts.sort();
        facts
    };
    assert_eq!(facts(&mut shelf), facts(&mut other));
}

#[test]
fn faulty_games_stand_once_in_any_orientation() {
    let desk = Desk::new();
    let games = "(;GM[4]SZ[15]RU[renju];B[hh];W[ig];B[ii];W[hh];B[aa];W[zz])
(;GM[4]SZ[15]RU[renju];B[hh];W[gg];B[gi];W[hh];B[oa];W[zz])
(;GM[4]SZ[15]RU[renju];B[hh];W[gg];B[gi];W[hh];B[ob];W[zz])";
    let (_, report, _) = desk.with("a.sgf", games);
    assert_eq!((report.new, report.merged, report.marked[0]), (2, 1, 2));
}

#[test]
fn notes_of_engines_are_no_comments_of_people() {
    let desk = Desk::new();
    let games = "(;GM[4]SZ[15]RU[renju];B[hh]C[+0.30/12 0.512s n=81234];W[ig]C[-M7/3 0s, Black wins];B[ii]C[book])
(;GM[4]SZ[15]RU[renju];B[hh]C[A good start];W[ig]C[0.00/1 0.1s];B[jj]C[+0.3 is too much])";
    let (mut shelf, ..) = desk.with("a.sgf", games);
    let comments = |shelf: &mut Shelf, moves: &str| explored(shelf, moves).stored.comments;
    assert_eq!(comments(&mut shelf, "h8"), ["A good start"]);
    assert!(comments(&mut shelf, "h8 i9").is_empty());
    assert!(comments(&mut shelf, "h8 i9 i7").is_empty());
    assert_eq!(comments(&mut shelf, "h8 i9 j6"), ["+0.3 is too much"]);
    let moves = explored(&mut shelf, "h8 i9").moves;
    let mut in_tree: Vec<bool> = moves.iter().map(|mv| mv.is_in_tree).collect();
    in_tree.sort_unstable();
    assert_eq!(in_tree, [false, true]);
    // An export has the notes still.
    let sgf = shelf.written(1, Format::SGF).unwrap().unwrap();
    assert!(String::from_utf8(sgf).unwrap().contains("C[+0.30/12 0.512s n=81234]"));
}

#[test]
fn the_encoding_is_guessed_over_a_folder() {
    let desk = Desk::new();
    let names = [
        "王小明",
        "李雷",
        "韩梅梅",
        "张三",
        "陈伟",
        "刘洋",
        "赵云",
        "孙权",
        "褚",
        "蒋",
        "沈",
        "吴用",
    ];
    for (index, name) in names.iter().enumerate() {
        let row = char::from(b'a' + index as u8);
        let game = format!("(;GM[4]SZ[15]RU[renju]PB[{name}];B[hh];W[a{row}])");
        let gbk = TextEncoding::named("GBK").unwrap();
        desk.file(&format!("games/{index:02}.sgf"), gbk.encode(&game).unwrap());
    }
    let mut shelf = desk.shelf();
    let (report, _) = add(&mut shelf, &[&desk.path("games")]);
    assert_eq!(report.new, names.len() as u64);
    let of = |name: &str| Filter { player: Some(name.to_owned()), ..Filter::default() };
    for name in names {
        assert_eq!(found(&mut shelf, &of(name)).total, 1, "{name}");
    }
    let (warning, (count, file)) = report.warnings.first_key_value().unwrap();
    assert!(warning.contains("gb18030") && *count == 12 && file.ends_with("00.sgf"), "{warning}");
    // A file that names its encoding keeps it.
    let big5 = TextEncoding::named("Big5").unwrap();
    let named = big5.encode("(;CA[Big5]GM[4]SZ[15]RU[renju]PB[\u{9ec3}];B[ab])").unwrap();
    desk.file("games/z.sgf", named);
    add(&mut shelf, &[&desk.path("games")]);
    assert_eq!(found(&mut shelf, &of("\u{9ec3}")).total, 1);
}

#[test]
fn names_and_openings_are_found_without_signs() {
    let desk = Desk::new();
    let sgf = "(;GM[4]SZ[15]RU[renju]PB[Ando Sōsuke]PW[ＳＡＴＯ];B[hh];W[ig];B[jj])";
    let (mut shelf, ..) = desk.with("a.sgf", sgf);
    for player in ["sosuke", "SŌSUKE", "sato"] {
        let filter = Filter { player: Some(player.to_owned()), ..Filter::default() };
        assert_eq!(found(&mut shelf, &filter).total, 1, "{player}");
    }
    for opening in ["Ryusei", "Ryuusei", "Ryūsei", "meteor", "Shooting Star", "流星", "I5"] {
        let filter = Filter { opening: Some(opening.to_owned()), ..Filter::default() };
        assert_eq!(found(&mut shelf, &filter).total, 1, "{opening}");
    }
}
