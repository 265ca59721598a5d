//! Weights of five in a row, fitted to games of the engine with itself.

mod adam;
mod fit;
mod games;
mod learn;
mod lessons;

pub use fit::{Fitted, fit};
pub use games::{MAX_SCORE, Record, play};
pub use learn::{Learned, learn};

#[cfg(test)]
mod tests {
    use std::env::temp_dir;
    use std::fs;

    use tengen_games::gomoku::{Board, Rule};

    use super::*;

    /// Plays games that are kept nowhere. `name`: of a test.
    fn games(name: &str, count: u32) -> (Board, Vec<Record>) {
        let start = Board::new(Rule::Freestyle, 9, 9).unwrap();
        let folder = temp_dir().join(format!("tengen-lab-{}-{name}", std::process::id()));
        let games = play("gomokufreestyle", &start, 7, count, 50, &folder).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        (start, games)
    }

    #[test]
    fn the_same_seed_gives_the_same_games_and_each_game_differs() {
        let (_, first) = games("seed", 3);
        assert_eq!(first, games("seed again", 3).1);
        assert!(first[0] != first[1] && first[1] != first[2]);
        for game in &first {
            assert_eq!(game.scores.len(), game.moves.len() - game.opening);
        }
        // Wins and losses that were announced lie at the border.
        let all: Vec<i32> = first.iter().flat_map(|game| game.scores.clone()).collect();
        assert!(all.contains(&MAX_SCORE) && all.iter().any(|score| score.abs() < MAX_SCORE));
        assert!(first.iter().any(|game| game.winner.is_some()));
    }

    #[test]
    fn weights_are_printed_as_the_source_has_them() {
        let (start, games) = games("weights", 4);
        let text = fit(&start, &games).to_string();
        assert!(text.starts_with("// 4 games, "), "{text}");
        for name in ["WORTH", "OWN", "OTHER", "SITUATION"] {
            assert!(text.contains(&format!("\npub(super) const {name}: ")), "{name}");
        }
        assert_eq!(text, fit(&start, &games).to_string());
    }

    #[test]
    fn a_net_is_printed_as_the_source_has_it_and_is_no_worse_on_games_aside() {
        let (start, games) = games("net", 200);
        let text = learn(&start, &games).unwrap().to_string();
        assert!(text.starts_with("// 200 games, "), "{text}");
        assert!(
            text.contains("\npub(super) const NUMBERS: Numbers = Numbers { rows: [[["),
            "{text}"
        );
        let after = |word: &str| text.split(word).nth(1).unwrap().split(' ').next().unwrap();
        let loss = |word: &str| after(word).parse::<f32>().unwrap();
        assert!(loss("and ") < loss("loss "), "{text}");
    }

    #[test]
    fn nothing_is_learned_from_games_with_too_few_random_moves() {
        let (start, mut games) = games("few moves", 3);
        games.iter_mut().for_each(|game| game.opening = 4);
        assert_eq!(learn(&start, &games), None);
    }
}
