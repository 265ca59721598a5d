//! Weights of five in a row, fitted to games of the engine with itself.

mod adam;
mod board_args;
mod fit;
mod fitted;
mod float_net;
mod games;
mod learn;
mod samples;
mod teach;
mod texts;

pub use board_args::BoardArgs;
pub use fit::fit;
pub use fitted::Fitted;
pub use games::{MAX_SCORE, Record, play};
pub use learn::{LabelledPosition, NetPlan, learn};
pub use teach::SearchTeacher;
pub use texts::{game_line, labelled_line, read_games, read_labelled};

#[cfg(test)]
mod tests {
    use std::env::temp_dir;
    use std::fs;
    use std::sync::Arc;

    use tengen_engine::{Evaluator, Game, Notation, Side};
    use tengen_games::gomoku::features::{Features, PAIRS, WINDOWS};
    use tengen_games::gomoku::{Board, EvalFile, GomokuEvaluator, Rule, SideWeights};

    use super::*;

    /// Plays games in a temporary folder, which is named after `name`, the test, and removed.
    fn games(name: &str, rule: Rule, count: u32) -> (Board, Vec<Record>) {
        let start = Board::new(rule, 9, 9).unwrap();
        let variant = match rule {
            Rule::Renju => "renju",
            Rule::Caro => "caro",
            _ => "gomokufreestyle",
        };
        let folder = temp_dir().join(format!("tengen-lab-{}-{name}", std::process::id()));
        let games = play(variant, &start, 7, count, 50, &folder).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        (start, games)
    }

    fn plan<'a>(records: &'a [Record], base: &'a EvalFile) -> NetPlan<'a> {
        NetPlan { records, labelled: &[], base, from_random: false, by_window: false }
    }

    fn weights(file: &EvalFile, rule: Rule) -> SideWeights {
        file.weights(rule, Side::First).clone()
    }

    #[test]
    fn the_same_seed_gives_the_same_games_and_each_game_differs() {
        let (_, first) = games("seed", Rule::Freestyle, 3);
        assert_eq!(first, games("seed again", Rule::Freestyle, 3).1);
        assert!(first[0] != first[1] && first[1] != first[2]);
        for game in &first {
            assert_eq!(game.scores.len(), game.moves.len() - game.opening);
        }
        // Proven wins and losses have the largest score.
        let all: Vec<i32> = first.iter().flat_map(|game| game.scores.clone()).collect();
        assert!(all.contains(&MAX_SCORE) && all.iter().any(|score| score.abs() < MAX_SCORE));
        assert!(first.iter().any(|game| game.winner.is_some()));
    }

    #[test]
    fn fitting_replaces_the_tables_and_is_repeatable() {
        let (start, games) = games("weights", Rule::Freestyle, 4);
        let base = EvalFile::built_in();
        let fitted = fit(&start, &games, base).unwrap();
        assert!(fitted.summary.starts_with("every rule, tables: 4 games, "), "{}", fitted.summary);
        assert_eq!(fit(&start, &games, base).unwrap(), fitted);
        let [old, new] = [base, &fitted.file].map(|file| weights(file, Rule::Freestyle));
        assert!(old.value != new.value && old.own != new.own && old.other != new.other);
        assert!(old.situations != new.situations && old.net == new.net);
        assert_eq!(weights(&fitted.file, Rule::Standard), new);
    }

    #[test]
    fn a_fresh_net_is_no_worse_than_none_on_held_out_games() {
        let (start, games) = games("net", Rule::Freestyle, 200);
        let plan = NetPlan { from_random: true, ..plan(&games, EvalFile::built_in()) };
        let learned = learn(&start, &plan).unwrap();
        let (text, file) = (learned.summary, learned.file);
        assert!(text.starts_with("every rule, net: 200 games, 0 labelled, "), "{text}");
        let losses = |word: &str| text.split(word).next().unwrap().rsplit(' ').next().unwrap();
        let loss = |word: &str| losses(word).parse::<f32>().unwrap();
        assert!(loss(" after") < loss(" without"), "{text}");
        assert_eq!(file.text().lines().last(), Some(&*text));
        assert_eq!(EvalFile::read(&file.to_bytes()), Ok(file));
    }

    #[test]
    fn learning_continues_from_the_base_net_and_replaces_only_that_net() {
        let (start, games) = games("renju", Rule::Renju, 20);
        let base = EvalFile::built_in();
        let learned = learn(&start, &plan(&games, base)).unwrap();
        let (text, file) = (learned.summary, learned.file);
        assert!(text.starts_with("renju, net: 20 games, 0 labelled, "), "{text}");
        let nets = |file: &EvalFile, rule| {
            [Side::First, Side::Second].map(|side| file.weights(rule, side).net.clone())
        };
        let ([old, _], [black, white]) = (nets(base, Rule::Renju), nets(&file, Rule::Renju));
        assert!(old != black && black != white);
        assert_eq!(nets(base, Rule::Caro), nets(&file, Rule::Caro));
        assert_eq!(file.text().lines().last(), Some(&*text));
        // The next net replaces this one and its summary.
        let next = learn(&start, &plan(&games, &file)).unwrap().file;
        assert_eq!(next.text().lines().count(), file.text().lines().count());
        assert_eq!(next.sets().len(), file.sets().len());
    }

    /// A net learns the chance of one position, with either kind of rows.
    #[test]
    fn a_net_follows_its_teacher() {
        let base = EvalFile::built_in();
        for (rule, by_window, rows) in
            [(Rule::Caro, false, PAIRS), (Rule::Caro, true, WINDOWS), (Rule::Renju, true, WINDOWS)]
        {
            let (start, games) = games("labelled", rule, 1);
            let moves = games[0].moves[..games[0].opening].to_vec();
            let value = |file: &EvalFile| {
                let mut board = start.clone();
                moves.iter().for_each(|&mv| board.play(mv));
                let mut evaluator = GomokuEvaluator::new(&board);
                evaluator.use_eval_file(file, "");
                evaluator.reset(&board);
                evaluator.evaluate(&board).raw()
            };
            let fitted_to = |chance: f32| {
                let (board, moves) = (Arc::new(start.clone()), moves.clone());
                let position = LabelledPosition { start: board, moves, chance };
                let plan =
                    NetPlan { labelled: &vec![position; 2000], by_window, ..plan(&[], base) };
                learn(&start, &plan).unwrap().file
            };
            let [low, high] = [0.1, 0.9].map(fitted_to);
            assert_eq!(weights(&low, rule).net.rows.len(), rows);
            assert!(value(&low) < value(base).min(0) && value(&high) > value(base).max(0));
        }
    }

    #[test]
    fn a_search_teaches_quiet_positions_beside_the_games() {
        let (start, games) = games("beside", Rule::Freestyle, 2);
        let teach = |seed| {
            let mut teacher =
                SearchTeacher::new("gomokufreestyle", start.clone(), &games, 50, seed).unwrap();
            let mut next = || teacher.teach().unwrap().unwrap();
            (0..20).map(|_| next()).collect::<Vec<_>>()
        };
        let first = teach(1);
        let texts =
            |labelled: &[LabelledPosition]| labelled.iter().map(labelled_line).collect::<String>();
        assert_eq!(texts(&first), texts(&teach(1)));
        assert_ne!(texts(&first), texts(&teach(2)));
        let mut features = Features::new(&start);
        for position in &first {
            let mut board = start.clone();
            position.moves.iter().for_each(|&mv| board.play(mv));
            features.reset(&board);
            assert!(board.outcome().is_none() && features.is_quiet(&board));
            assert!((0.0..=1.0).contains(&position.chance));
            let beside = |game: &Record| {
                position.moves.iter().zip(&game.moves).take_while(|(a, b)| a == b).count()
            };
            let shared = games.iter().map(beside).max().unwrap();
            assert!(position.moves.len() <= shared + 3, "{position:?}");
        }
    }

    /// Returns a teacher for `games`, of which the first is held out.
    fn teacher_of<'a>(start: &Board, games: &'a [Record; 2]) -> SearchTeacher<'a> {
        SearchTeacher::new("gomokufreestyle", start.clone(), games, 2_000, 1).unwrap()
    }

    #[test]
    fn the_chance_is_that_of_the_side_to_move() {
        // The first player has two open twos, the second player stones in the corners.
        let start = Board::new(Rule::Freestyle, 15, 15).unwrap();
        let read = |text: &str| {
            let moves = text.split(' ').map(|name| start.read_move(name).unwrap());
            moves.collect::<Vec<_>>()
        };
        let moves = read("h8 a1 i9 o1 h10 a15 j10 o15");
        let game = Record { opening: 7, scores: vec![0], winner: None, moves };
        let games = [game.clone(), game];
        let mut teacher = teacher_of(&start, &games);
        let mut chances = [Vec::new(), Vec::new()];
        for _ in 0..40 {
            let position = teacher.teach().unwrap().unwrap();
            chances[position.moves.len() % 2].push(position.chance);
        }
        let [first, second] = chances.map(|all| all.iter().sum::<f32>() / all.len() as f32);
        assert!(first > 0.7 && second < 0.3, "{first} {second}");
    }

    #[test]
    fn a_game_that_is_decided_throughout_teaches_nothing() {
        let (start, games) = games("decided", Rule::Freestyle, 2);
        let [open, mut decided]: [Record; 2] = games.try_into().unwrap();
        decided.scores.iter_mut().for_each(|score| *score = MAX_SCORE / 2);
        let games = [open, decided];
        assert!(teacher_of(&start, &games).teach().unwrap().is_none());
    }

    #[test]
    fn nothing_is_learned_from_games_with_too_few_random_moves() {
        let (start, mut games) = games("few moves", Rule::Freestyle, 3);
        games.iter_mut().for_each(|game| game.opening = 4);
        let refused = learn(&start, &plan(&games, EvalFile::built_in())).unwrap_err();
        assert_eq!(refused.to_string(), "no game has a position to learn from");
    }
}
