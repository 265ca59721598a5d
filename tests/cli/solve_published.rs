//! `tengen solve` on published positions with their exact scores.

use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;

use crate::support::published;

/// Returns the first two words of every line that `tengen solve` prints for `input`.
fn solved(options: &[&str], input: &str) -> Vec<String> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tengen"))
        .arg("solve")
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_owned();
    let writer = thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("no panic").expect("the program reads all");
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).expect("text");
    let two = |line: &str| line.splitn(3, ' ').take(2).collect::<Vec<_>>().join(" ");
    text.lines().map(two).collect()
}

#[test]
fn the_solve_command_prints_the_published_scores() {
    for name in ["L3_R1", "L2_R1", "L2_R2"] {
        let Some(text) = published::text(&format!("connect4/Test_{name}.txt")) else { continue };
        let known: Vec<&str> = text.lines().map(str::trim_end).collect();
        assert_eq!(known.len(), 500, "{name}");
        assert_eq!(solved(&["--fresh"], &text), known, "{name}");
    }
}

#[test]
fn the_solve_command_prints_the_published_scores_of_wider_boards() {
    for (size, width, height) in [("9x5", "9", "5"), ("10x6", "10", "6")] {
        let file = format!("connect4/other_sizes/{size}_endgame_L1.txt");
        let Some(text) = published::text(&file) else { continue };
        let letter = |char: char| char.to_digit(10).map_or(char, |c| char::from(b'a' + c as u8));
        let known: Vec<String> = text
            .lines()
            .filter_map(|line| line.trim_end().split_once(' '))
            .map(|(moves, score)| {
                format!("{} {score}", moves.chars().map(letter).collect::<String>())
            })
            .collect();
        assert_eq!(known.len(), 1_000, "{size}");
        let input = known.join("\n");
        assert_eq!(solved(&["--width", width, "--height", height], &input), known, "{size}");
    }
}

#[test]
fn the_solve_command_finds_the_winners_of_the_classic_inputs() {
    let Some(text) = published::text("connect4/fhourstones.tsv") else { return };
    // The empty board takes ten times as long as all the others.
    let known: Vec<String> = published::rows(&text)
        .filter(|row| row[0] != "(empty)")
        .map(|row| {
            let value = match row[1] {
                "+" => 1,
                "-" => -1,
                _ => 0,
            };
            format!("{} {value}", row[0])
        })
        .collect();
    assert_eq!(known.len(), 9);
    assert_eq!(solved(&["--weak"], &known.join("\n")), known);
}
