//! The human-readable output of `d`, `eval` and `compiler`. It does not depend on a dialect.

use std::env::consts::{ARCH, OS};

use tengen_engine::{About, GameSpec, Outcome, Score, Side, Style};

use super::active_game::ActiveGame;

/// Returns the lines that describe the current position.
pub(super) fn position(game: &mut ActiveGame, style: Style) -> Vec<String> {
    let source = game.eval_source();
    let (position, GameSpec { variant, rules, .. }) = (game.position(), game.spec());
    let moves: Vec<String> =
        position.legal().into_iter().map(|mv| position.write_move(mv, style)).collect();
    let mut lines: Vec<String> = game.fault().map(warning).into_iter().collect();
    lines.extend(position.draw().lines().map(str::to_owned));
    lines.push(format!("Variant: {variant}: {rules}"));
    lines.extend(source.map(eval_file_line));
    lines.push(format!("Fen: {}", position.fen(false)));
    lines.push(format!("Pocket: {}", position.fen(true)));
    lines.push(format!("Key: {:016X}", position.key()));
    lines.push(format!("Moves: {}", moves.join(" ")));
    lines.push(match position.outcome() {
        None => format!("Turn: {}", player_name(position.turn())),
        Some(outcome) => format!("Result: {}", result_text(outcome)),
    });
    lines
}

/// Returns the lines that show the evaluation and its terms.
pub(super) fn evaluation(game: &mut ActiveGame) -> Vec<String> {
    let mut lines: Vec<String> = game.fault().map(warning).into_iter().collect();
    let source = game.eval_source();
    let Some((total, terms)) = game.evaluate() else {
        lines.push("The game is over: nothing to evaluate.".to_owned());
        return lines;
    };
    let width = terms.iter().map(|term| term.name.len()).max().unwrap_or_default().max(5);
    lines.extend(terms.iter().map(|term| format!("{:width$} {:>+7}", term.name, term.value)));
    lines.push(format!(
        "{:width$} {} (hundredths, for the side to move)",
        "total",
        score_text(total)
    ));
    lines.extend(source.map(eval_file_line));
    lines.extend(game.position().remarks());
    lines
}

/// Returns a line that says how this program was built.
pub(super) fn build(about: &About) -> String {
    let profile = if cfg!(debug_assertions) { "debug" } else { "release" };
    let features = [
        ("avx512f", cfg!(target_feature = "avx512f")),
        ("avx2", cfg!(target_feature = "avx2")),
        ("bmi2", cfg!(target_feature = "bmi2")),
        ("popcnt", cfg!(target_feature = "popcnt")),
        ("neon", cfg!(target_feature = "neon")),
    ];
    let features: String =
        features.iter().filter(|(_, on)| *on).map(|(name, _)| format!(" {name}")).collect();
    let rust = env!("CARGO_PKG_RUST_VERSION");
    let product = about.product();
    format!(
        "{product}, Rust edition 2024 ({rust} or later), {profile} build for {ARCH} {OS}{features}"
    )
}

fn eval_file_line(source: String) -> String {
    format!("Evaluation file: {source}")
}

fn warning(fault: &str) -> String {
    format!("{fault}; this is the position before it")
}

fn score_text(score: Score) -> String {
    match score.plies() {
        None => format!("{:>+7}", score.raw()),
        Some(plies) if score.is_win() => format!("win in {plies} plies"),
        Some(plies) => format!("loss in {plies} plies"),
    }
}

fn player_name(side: Side) -> &'static str {
    match side {
        Side::First => "first player",
        Side::Second => "second player",
    }
}

fn result_text(outcome: Outcome) -> String {
    match outcome {
        Outcome::Win(side) => format!("{} wins", player_name(side)),
        Outcome::Draw => "draw".to_owned(),
        Outcome::Value(score) => format!("value {} for the first player", score_text(score).trim()),
    }
}
