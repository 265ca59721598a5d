//! Services of every game besides searching for a move: `d`, `eval`, `go perft`, `go mate`, chances
//! and levels.

use crate::support::running::Engine;
use tengen_engine::backend::Catalog;
use tengen_games::CATALOG;

/// Starts an engine that plays `variant`.
fn playing(variant: &str) -> Engine {
    let mut engine = Engine::start();
    engine.send(format!("setoption name UCI_Variant value {variant}\nsetoption name Notation value plain\nsetoption name Hash value 1\nisready\n"));
    engine.until("readyok");
    engine
}

/// Returns the lines that a command prints.
fn ask(engine: &mut Engine, command: &str) -> Vec<String> {
    engine.send(format!("{command}\nisready\n"));
    let mut lines = engine.until("readyok");
    lines.pop();
    lines
}

fn variants() -> impl Iterator<Item = &'static str> {
    CATALOG.variants().iter().map(|variant| variant.name)
}

/// Returns the words of `line` after `word`; `None` if there are none.
fn after<'a>(line: &'a str, word: &str) -> Option<Vec<&'a str>> {
    let mut words = line.split(' ').skip_while(|found| *found != word).skip(1).peekable();
    words.peek()?;
    Some(words.collect())
}

#[test]
fn every_game_shows_and_explains_its_position_and_counts_its_moves() {
    for variant in variants() {
        let mut engine = playing(variant);
        let shown = ask(&mut engine, "d");
        let line = |start: &str| {
            let found = shown.iter().find_map(|line| line.strip_prefix(start));
            found.unwrap_or_else(|| panic!("{variant}: no {start} in {shown:#?}"))
        };
        assert!(line("Variant: ").starts_with(variant));
        let legal = line("Moves: ").split(' ').count();
        // The shown position can be set up again.
        let plain = line("Fen: ").to_owned();
        assert_eq!(ask(&mut engine, &format!("position fen {plain}")), [""; 0]);
        assert!(ask(&mut engine, "d").contains(&format!("Fen: {plain}")));
        // The terms add up to the evaluation.
        let explained = ask(&mut engine, "eval");
        // Remarks of the game come after the total.
        let at = explained.iter().position(|line| line.starts_with("total"));
        let at = at.unwrap_or_else(|| panic!("{variant}: {explained:#?}"));
        let (terms, total) = (&explained[..at], &explained[at]);
        let value = |line: &String| {
            line.split_ascii_whitespace().rev().find_map(|word| word.parse::<i32>().ok()).unwrap()
        };
        assert!(!terms.is_empty(), "{variant}: {explained:#?}");
        assert_eq!(terms.iter().map(value).sum::<i32>(), value(total), "{variant}");
        // Every move is counted, with those after it.
        engine.send("go perft 1\n");
        let counted = engine.until("Nodes searched");
        assert_eq!(counted.len(), legal + 1, "{variant}");
        assert_eq!(counted.last(), Some(&format!("Nodes searched: {legal}")));
        engine.send("go perft 2\n");
        let counted = engine.until("Nodes searched");
        let (sum, moves) = counted.split_last().unwrap();
        let count = |line: &String| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap();
        assert_eq!(moves.iter().map(count).sum::<u64>(), count(sum), "{variant}");
    }
}

/// By variant, a position in which the side to move wins, and in how many of its own moves.
const WINS: [(&str, &str, u32); 8] = [
    ("cfour", "startpos moves d1 d2 e1 e2", 2),
    ("tictactoe", "startpos moves a1 b1", 3),
    ("custom", "startpos moves d1 d2 e1 e2", 2),
    ("gomokufreestyle", "startpos moves h8 a1 i8 c1 j8 e1", 2),
    ("gomoku", "startpos moves h8 a1 i8 c1 j8 e1", 2),
    ("renju", "startpos moves h8 a1 i8 c1 j8 e1", 2),
    ("caro", "startpos moves h8 a1 i8 c1 j8 e1", 2),
    ("freestyle20", "startpos moves h8 a1 i8 c1 j8 e1", 2),
];

#[test]
fn a_mate_is_found_within_its_moves_and_not_in_fewer() {
    for (variant, position, moves) in WINS {
        let mut engine = playing(variant);
        let mut mate = |max_moves: u32| {
            engine.send(format!("ucinewgame\nposition {position}\ngo mate {max_moves}\n"));
            let lines = engine.until("bestmove");
            let best = lines.last().and_then(|line| after(line, "bestmove")).unwrap();
            assert_ne!(best[0], "(none)", "{variant}");
            lines.into_iter().rev().find(|line| line.contains(" score ")).unwrap()
        };
        let found = mate(moves);
        let score = after(&found, "mate").unwrap_or_else(|| panic!("{variant}: {found}"));
        assert!(score[0].parse::<u32>().is_ok_and(|found| found <= moves), "{variant}: {found}");
        if moves > 2 {
            let longer =
                |score: Vec<&str>| score[0].parse::<u32>().is_ok_and(|found| found >= moves);
            assert!(after(&mate(moves - 1), "mate").is_none_or(longer), "{variant}");
        }
    }
    // In the first game a line loses, and the second one is never won.
    let mut engine = playing("cfour-misere");
    engine.send("position startpos\ngo mate 1\n");
    engine.until("bestmove ");
    let mut engine = playing("tree");
    engine.send("go mate 1\n");
    assert!(engine.until("bestmove").iter().all(|line| !line.contains(" mate ")));
}

#[test]
fn chances_add_up_in_every_game_that_is_won_and_lost() {
    for variant in variants() {
        let mut engine = playing(variant);
        ask(&mut engine, "setoption name UCI_ShowWDL value true");
        engine.send("go depth 2\n");
        let lines = engine.until("bestmove");
        for line in lines.iter().filter(|line| line.contains(" score ")) {
            if variant == "tree" {
                assert!(!line.contains("wdl"), "{line}");
                continue;
            }
            let odds = after(line, "wdl").unwrap_or_else(|| panic!("{variant}: {line}"));
            let sum: u32 = odds[..3].iter().map(|share| share.parse::<u32>().unwrap()).sum();
            assert_eq!(sum, 1000, "{variant}: {line}");
        }
    }
}

/// Returns the chances of a win, a draw and a loss after `moves`, in each report of a search to
/// `depth`.
fn chances(variant: &str, moves: &str, depth: u32) -> Vec<[u32; 3]> {
    let mut engine = playing(variant);
    ask(&mut engine, "setoption name UCI_ShowWDL value true");
    ask(&mut engine, "setoption name OwnBook value false");
    engine.send(format!("position startpos moves {moves}\ngo depth {depth}\n"));
    let lines = engine.until("bestmove");
    let odds = lines.iter().filter_map(|line| after(line, "wdl"));
    odds.map(|odds| [0, 1, 2].map(|place| odds[place].parse().unwrap())).collect()
}

#[test]
fn cfour_and_the_default_custom_game_have_the_same_chances() {
    // The default custom game has 7x6 cells and lines of four.
    let of_cfour = chances("cfour", "", 4);
    assert!(!of_cfour.is_empty());
    assert_eq!(chances("custom", "", 4), of_cfour);
}

#[test]
fn chances_depend_on_the_side_to_move_and_on_how_full_the_board_is() {
    // In misere the second player wins most games.
    let [[first_wins, ..], [second_wins, ..]] =
        ["", "d1"].map(|moves| *chances("cfour-misere", moves, 1).last().unwrap());
    assert!(first_wins < 300 && second_wins > 700, "{first_wins} {second_wins}");

    // Fourteen rows of fifteen, in which no side has three in a row.
    let cells = (1..15).flat_map(|row| (0..15).map(move |column| (column, row)));
    let (black, white): (Vec<_>, Vec<_>) =
        cells.partition(|(column, row)| (column + 2 * row) % 4 < 2);
    let turns = black.into_iter().zip(white).flat_map(<[_; 2]>::from);
    let name = |(column, row): (u8, _)| format!("{}{row} ", char::from(b'a' + column));
    let moves: String = turns.map(name).collect();
    let draw = |moves| chances("gomokufreestyle", moves, 1).last().unwrap()[1];
    let (one_stone, nearly_full) = (draw("h8"), draw(&moves));
    assert!(one_stone < 100 && nearly_full > 900 && nearly_full < 1000, "{nearly_full}");
}

#[test]
fn every_level_of_every_game_plays_legal_moves_and_the_same_again() {
    for variant in variants() {
        let mut engine = playing(variant);
        for skill in [0, 3, 7] {
            ask(&mut engine, &format!("setoption name Skill Level value {skill}"));
            let mut play = |seed: u32| {
                ask(&mut engine, &format!("setoption name Skill Seed value {seed}"));
                let mut game = String::new();
                for _ in 0..6 {
                    engine.send(format!(
                        "ucinewgame\nposition startpos moves{game}\ngo movetime 60000\n"
                    ));
                    let lines = engine.until("bestmove");
                    let best = after(&lines[lines.len() - 1], "bestmove").unwrap()[0].to_owned();
                    if best == "(none)" {
                        break;
                    }
                    game = format!("{game} {best}");
                    // An illegal move would be refused.
                    let refused = ask(&mut engine, &format!("position startpos moves{game}"));
                    assert_eq!(refused, [""; 0], "{variant}");
                }
                game
            };
            let game = play(1);
            assert_eq!(play(1), game, "{variant}");
            // The weakest level plays other games with other seeds.
            if skill == 0 && variant != "tree" {
                assert!((2..6).any(|seed| play(seed) != game), "{variant}: only{game}");
            }
        }
    }
}
