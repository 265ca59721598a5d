//! `tengen tree`, `tengen winning-move` and `tengen count`, as a shell runs them.

use crate::support::published;
use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

const EXAMPLE: &str = "[A, [B, (E, 3), (F, 12), (G, 8)], [C, (H, 2), (I, 4), (J, 6)], \
                       [D, (K, 14), (L, 5), (M, 2)]]";

fn tengen(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tengen"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // The program may end before it has read everything.
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join();
    output
}

/// Runs a command that must succeed, and returns its output.
fn printed(args: &[&str], input: &[u8]) -> String {
    let output = tengen(args, input);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty());
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a command that must be refused with status 2. Returns its message and its output.
fn refused(args: &[&str], input: &[u8]) -> (String, String) {
    let output = tengen(args, input);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stderr), text(output.stdout))
}

#[test]
fn a_tree_is_answered_with_its_best_child_and_value() {
    assert_eq!(printed(&["tree", EXAMPLE], b""), "B 3\n");
    assert_eq!(printed(&["tree", "-"], EXAMPLE.as_bytes()), "B 3\n");
    assert_eq!(printed(&["tree", "(A, -7)"], b""), "A -7\n");
    assert_eq!(printed(&["tree", "[A, (B, 0), (\"C c\", 1)]"], b""), "C c 1\n");
    let path = std::env::temp_dir().join(format!("tengen-tree-{}.txt", std::process::id()));
    fs::write(&path, format!("{EXAMPLE}\n")).unwrap();
    assert_eq!(printed(&["tree", "--file", path.to_str().unwrap()], b""), "B 3\n");
    fs::remove_file(path).unwrap();
}

#[test]
fn a_tree_without_names_is_read_as_textbooks_print_it() {
    for (literal, answer) in [
        ("[[3,12,8],[2,4,6]]", "1 3\n"),
        ("[[3, 12, 8], [2, 4, 6], [14, 5, 2]]", "1 3\n"),
        ("[5, [7, -2], 9]", "3 9\n"),
        ("((3 12 8) (2 4 6))", "1 3\n"),
        ("[(3, 12), (4, 6)]", "2 4\n"),
        ("((3, 12, 8), 5, [2, [1, +4]])", "2 5\n"),
        ("[7]", "1 7\n"),
        // A leaf with a number as its name is read as before.
        ("[1, (2, 3), (4, 5)]", "4 5\n"),
    ] {
        assert_eq!(printed(&["tree", literal], b""), answer, "{literal}");
    }
    let named = "[A, [B, (C, 3), (D, 12)], [E, (F, 2), (G, 4)]]";
    let leaves = |text: &str| text.lines().map(|line| line.matches("leaf").count()).sum::<usize>();
    let walk = |literal: &str| printed(&["tree", literal, "--explain"], b"");
    assert_eq!(leaves(&walk("[[3,12],[2,4]]")), leaves(&walk(named)));
    for (literal, why) in [
        ("[[3,12],[]]", "expected a child: an inner node has at least one at character 10"),
        ("[[3,12],[2,4]", "expected `,` or the closing bracket, found the end"),
        ("[[3,12),2]", "expected `,` or the closing bracket, found `)` at character 7"),
        ("[3,,4]", "expected a whole number, found `,`"),
        ("[3,4] 5", "expected the end of the tree, found `5`"),
        ("[3,9999999]", "expected a value from -1,000,000 to 1,000,000"),
    ] {
        let (stderr, _) = refused(&["tree", literal], b"");
        assert!(stderr.contains(why), "{literal}: {stderr}");
    }
    let deep = "[".repeat(100_000) + "7";
    assert!(refused(&["tree", "-"], deep.as_bytes()).0.contains("levels"));
}

#[test]
fn malformed_trees_are_refused_with_their_place() {
    let (stderr, printed) = refused(&["tree", "[A, (B, 1)"], b"");
    assert_eq!(printed, "");
    assert!(stderr.contains("expected `,` or `]`, found the end at character 11"), "{stderr}");
    refused(&["tree"], b"");
    refused(&["tree", EXAMPLE, "--file", "x"], b"");
    refused(&["tree", EXAMPLE, "--algorithm", "guess"], b"");
    refused(&["tree", EXAMPLE, "--algorithm", "tengen", "--explain"], b"");
    refused(&["tree", EXAMPLE, "--algorithm", "all", "--dot"], b"");
    let deep = "[n, ".repeat(100_000);
    assert!(refused(&["tree", "-"], deep.as_bytes()).0.contains("levels"));
}

#[test]
fn every_algorithm_fills_a_row() {
    let names = [
        "minimax",
        "negamax",
        "ve",
        "veb",
        "ab",
        "min-max-search",
        "alpha-beta-hard",
        "alpha-beta-soft",
        "aspiration",
        "pvs",
        "tengen",
    ];
    let table = printed(&["tree", EXAMPLE, "--algorithm", "all"], b"");
    let rows: Vec<Vec<&str>> =
        table.lines().skip(1).map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), names);
    for (row, name) in rows.iter().zip(names) {
        assert_eq!((row[1], row[2], row.len()), ("3", "B", 8), "{table}");
        let alone = printed(&["tree", EXAMPLE, "--algorithm", name], b"");
        let line: Vec<&str> = alone.lines().nth(1).unwrap().split_whitespace().collect();
        assert_eq!((alone.lines().count(), &line), (2, row));
    }
}

#[test]
fn the_walk_is_printed_with_every_cut() {
    let output = printed(&["tree", EXAMPLE, "--explain"], b"");
    let expected = "\
alpha-beta-soft to depth 2, (-inf, +inf)
  A  max  (-inf, +inf)  = 3
    B  min  (-inf, +inf)  = 3
      E  leaf  (-inf, +inf)  = 3
      F  leaf  (-inf, 3)  = 12
      G  leaf  (-inf, 3)  = 8
    C  min  (3, +inf)  <= 2  cut: H reaches alpha 3, never visited: I, J
      H  leaf  (3, +inf)  = 2
    D  min  (3, +inf)  <= 2
      K  leaf  (3, +inf)  = 14
      L  leaf  (3, 14)  = 5
      M  leaf  (3, 5)  = 2
7 of 9 leaves evaluated; alpha cut-offs 1, beta cut-offs 0
B 3
";
    assert_eq!(output, expected);
}

#[test]
fn the_picture_dashes_what_was_cut() {
    let picture = printed(&["tree", EXAMPLE, "--dot"], b"");
    assert!(picture.starts_with("digraph tree {") && picture.ends_with("}\n"));
    let dashed_edges =
        picture.lines().filter(|line| line.contains("->") && line.contains("dashed"));
    assert_eq!(dashed_edges.count(), 2);
    let quoted = printed(&["tree", r#"[A, ("say \"hi\" \\", 1)]"#, "--dot"], b"");
    assert!(quoted.contains(r#"label="say \"hi\" \\\n1""#), "{quoted}");
}

#[test]
fn the_deepest_tree_runs_through_every_algorithm() {
    let deep = "[n, (l, 2), ".repeat(2_000) + "(x, 1)" + &"]".repeat(2_000);
    let table = printed(&["tree", "-", "--algorithm", "all"], deep.as_bytes());
    assert_eq!(table.lines().count(), 12);
    assert_eq!(printed(&["tree", "-", "--explain"], deep.as_bytes()).lines().last(), Some("l 2"));
}

#[test]
fn forced_wins_are_printed_in_the_judges_format() {
    let sample = b"?\n....\n.xo.\n.ox.\n....\n?\no...\n.ox.\n.xxx\nxooo\n$\n";
    assert_eq!(printed(&["winning-move"], sample), "#####\n(0,1)\n");
    let marks =
        b"!\r\n.xxx\r\n....\r\noo..\r\n....\r\n\xc3\xa9 \nxxxx\noooo\n....\n....\nwhat follows";
    let (stderr, answers) = refused(&["winning-move"], marks);
    assert_eq!(answers, "(0,0)\n#####\n");
    assert!(stderr.contains("line 11: expected a line with one mark, or `$`"), "{stderr}");
    assert_eq!(printed(&["winning-move"], b"$\nwhat follows is not read"), "");
    // Won already, by either side or both, or full.
    let won = b"?\nxxxx\n....\n....\n....\n?\n....\noooo\n....\n....\n?\nxxxx\noooo\n....\n....\n\
                ?\nxoxo\nxoxo\noxox\noxox\n$\n";
    let output = tengen(&["winning-move"], won);
    assert!(output.status.success());
    assert_eq!(output.stdout, b"#####\n#####\n#####\n#####\n");
    let stderr = String::from_utf8(output.stderr).unwrap();
    let expected = "lines 2 to 5: x has four in a row already, as on 3 boards in all";
    assert_eq!(stderr, format!("tengen: warning: {expected}\n"));
    for name in ["poj1568_sample", "poj1568_derived600"] {
        let [cases, answers] =
            ["in", "out"].map(|end| published::text(&format!("small/{name}.{end}")));
        let (Some(cases), Some(answers)) = (cases, answers) else { continue };
        assert_eq!(printed(&["winning-move"], cases.as_bytes()), answers, "{name}");
    }
}

#[test]
fn malformed_boards_are_refused_with_their_line() {
    let mark = "expected a line with one mark, or `$`";
    let row = "expected four of `.`, `x` and `o`";
    let cases = [
        ("", 1, mark, "the end of the input"),
        ("?\n....\n", 3, row, "the end of the input"),
        ("?\n....\n.x.\n....\n....\n$\n", 3, row, "\".x.\""),
        ("?\n....\n.y..\n....\n....\n$\n", 3, row, "\".y..\""),
        ("?\n....\n\n....\n....\n$\n", 3, row, "\"\""),
        ("....\n", 1, mark, "\"....\""),
        ("\n?\n", 3, row, "the end of the input"),
        ("?\n....\n....\n....\n....\n", 6, mark, "the end of the input"),
    ];
    for (input, line, expected, found) in cases {
        let (stderr, _) = refused(&["winning-move"], input.as_bytes());
        let wanted = format!("line {line}: {expected}, found {found}");
        assert!(stderr.contains(&wanted), "{input:?}: {stderr}");
    }
}

#[test]
fn ten_thousand_boards_are_answered() {
    let mut input = String::new();
    let mut seed = 1_u64;
    for _ in 0..10_000 {
        input.push('?');
        for cell in 0..16 {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            if cell % 4 == 0 {
                input.push('\n');
            }
            input.push(['.', 'x', '.', 'o', 'x', '.', 'o'][(seed >> 33) as usize % 7]);
        }
        input.push('\n');
    }
    input.push_str("$\n");
    let output = tengen(&["winning-move"], input.as_bytes());
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 10_000);
}

#[test]
fn small_games_are_counted_and_solved() {
    let expected = "\
3x3 board, 3 in a row
games               255,168 (131,184 / 77,904 / 46,080 won / lost / drawn)
tree nodes          549,946
distinct positions  5,478
up to symmetry      765
value               draw
";
    assert_eq!(printed(&["count", "--variant", "tictactoe"], b""), expected);
    assert_eq!(printed(&["count"], b""), expected);
    let four = printed(&["count", "--width", "4", "--height", "4", "-k", "4"], b"");
    assert!(four.contains("distinct positions  9,722,011\n"), "{four}");
    assert!(four.ends_with("value               draw\n"), "{four}");
    let won = printed(&["count", "--width", "4", "--height", "3"], b"");
    assert!(won.ends_with("value               win\n"), "{won}");
    let one =
        printed(&["count", "--width", "1", "--height", "1", "--connect", "1", "--gravity"], b"");
    assert!(
        one.contains(
            "games               1 (1 / 0 / 0 won / lost / drawn)\ntree nodes          2\n"
        )
    );
}

#[test]
fn what_cannot_be_counted_is_refused() {
    let (stderr, _) = refused(&["count", "--variant", "cfour"], b"");
    assert!(stderr.contains("7x6 board, 4 in a row, stones fall has up to"), "{stderr}");
    assert!(stderr.contains("at most 40,000,000 can be counted"), "{stderr}");
    refused(&["count", "--width", "26", "--height", "26", "-k", "5"], b"");
    refused(&["count", "--width", "0"], b"");
    refused(&["count", "--width", "27"], b"");
    refused(&["count", "-k", "0"], b"");
    refused(&["count", "--variant", "tictactoe", "--width", "4"], b"");
}
