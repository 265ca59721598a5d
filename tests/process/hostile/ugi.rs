//! Hostile inputs in UGI, on four in a row.

use fastrand::Rng;

use super::uci::{self, converse};
use super::words::{one_of, word};
use super::{Case, Category, Expected, cases};

/// The categories of inputs: 200 in all.
pub(super) const CATEGORIES: [Category; 13] = [
    (uci::unknown_command, 30),
    (uci::command_with_a_wrong_letter, 10),
    (uci::line_over_a_mebibyte, 2),
    (uci::unknown_option, 5),
    (uci::option_out_of_range, 20),
    (uci::half_a_command, 5),
    (uci::wrong_move, 20),
    (uci::bad_fen, 20),
    (bad_moves, 38),
    (bad_query, 20),
    (bad_words_behind_go, 20),
    (uci::words_behind_a_whole_command, 5),
    (another_dialect, 5),
];

/// Sends all cases of the dialect to one session.
pub(super) fn run(seed: u64) {
    converse("ugi", "ugi\nsetoption name Hash value 1\n", &cases(seed, &CATEGORIES));
}

/// A list with an illegal move, so that none of its moves is played.
fn bad_moves(rng: &mut Rng) -> Case {
    let good = one_of(rng, &["", "a1 ", "a1 b1 ", "c1 c2 c3 "]);
    let wrong = match rng.u32(0..3) {
        0 => word(rng),
        1 => one_of(rng, &["h1", "d9", "0", "8", "(none)", "P@", "a1,z"]).to_owned(),
        // A list with moves after the end of the game.
        _ => "f1 a6".to_owned(),
    };
    let number = good.split_ascii_whitespace().count() + 1;
    if wrong == "f1 a6" {
        return Case::one_message(
            "moves g1 f1 g2 f2 g3 f3 c1 f4 c2",
            "move 9 of the list: move \"c2\"",
        );
    }
    if wrong == "a1,z" {
        return Case::one_message("moves a1,z", "move 2 of the list: move \"z\"");
    }
    Case::one_message(
        format!("moves {good}{wrong}"),
        &format!("move {number} of the list: move \"{wrong}\""),
    )
}

fn bad_query(rng: &mut Rng) -> Case {
    let what = match rng.u32(0..4) {
        0 => String::new(),
        1 => "p1turn now".to_owned(),
        2 => one_of(rng, &["p2turn", "over", "gameover?", "result\0", "résultat"]).to_owned(),
        _ => word(rng),
    };
    Case::one_message(format!("query {what}"), &what)
}

fn bad_words_behind_go(rng: &mut Rng) -> Case {
    uci::bad_go(rng, ["p1time", "p2time", "p1inc", "p2inc"])
}

fn another_dialect(rng: &mut Rng) -> Case {
    let lines =
        ["uci", "ucinewgame", "START 15", "BEGIN", "TURN 7,7", "BOARD", "INFO rule 1", "END"];
    let line = one_of(rng, &lines);
    Case::new(line, line, Expected::Messages(1))
}
