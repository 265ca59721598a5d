//! Known facts about small and famous boards: numbers of games and positions, values, forced wins.

use std::collections::{HashMap, HashSet};

use crate::support::analyst::Analyst;
use tengen_engine::perft::perft;
use tengen_engine::{
    Catalog, Chosen, Game, Limits, Notation, Outcome, Score, Settings, Side, Signal, search_all,
};
use tengen_games::CATALOG;
use tengen_games::cfour::{Board, Classic};
use tengen_games::mnk::{Mnk, MnkEvaluator, Rules};

fn mnk(width: u32, height: u32, connect: u32, falls: bool) -> Mnk {
    Mnk::new(Rules::new(width, height, connect, falls, true).expect("these rules are valid"))
}

fn count<G: Game>(mut game: G, depth: u32) -> u64 {
    perft(&mut game, depth, &Signal::default()).expect("nothing stops this count")
}

// CITE: the counts of the 7x6 board are John Tromp's, https://tromp.github.io/c4/c4.html, and
// Fairy-Stockfish's.
const CLASSIC_PERFT: [u64; 10] =
    [1, 7, 49, 343, 2401, 16_807, 117_649, 823_536, 5_673_234, 39_394_572];

#[test]
fn perft_of_the_classic_board_is_known_to_depth_nine() {
    for (depth, &known) in CLASSIC_PERFT.iter().enumerate() {
        assert_eq!(count(Board::new(Classic), depth as u32), known, "depth {depth}");
    }
}

#[test]
fn perft_of_the_plain_board_is_the_same() {
    for (depth, &known) in CLASSIC_PERFT[..=7].iter().enumerate() {
        assert_eq!(count(mnk(7, 6, 4, true), depth as u32), known, "depth {depth}");
    }
}

#[test]
fn many_positions_have_the_same_answers_with_any_number_of_workers() {
    let games = [
        ("cfour", "d1 d2"),
        ("gomoku", "h8 i9"),
        ("cfour", "d1 a1 d2 a2 d3 a3 d4"),
        ("tictactoe", "b2"),
        ("cfour", "a1"),
        ("gomoku", "h8"),
    ];
    let answers = |workers| {
        let positions = games.map(|(variant, moves)| {
            let spec = CATALOG.describe(variant, &Chosen::new()).unwrap();
            let mut position = CATALOG.position(&spec);
            position.play_all(&moves.split(' ').collect::<Vec<_>>()).unwrap();
            position
        });
        let (limits, settings) = (Limits::default().with_nodes(2000), Settings::default());
        let results = search_all(&CATALOG, positions.into(), &limits, &settings, workers);
        let shown = results.into_iter().map(|result| {
            let answer = result.unwrap();
            (answer.best, answer.report.score, answer.report.nodes)
        });
        shown.collect::<Vec<_>>()
    };
    let alone = answers(1);
    // The game that is over has no move, and each other position has one.
    let has_move: Vec<bool> = alone.iter().map(|(best, ..)| best.is_some()).collect();
    assert_eq!(has_move, [true, true, false, true, true, true]);
    for workers in [0, 3, 99] {
        assert_eq!(answers(workers), alone);
    }
    assert!(search_all(&CATALOG, vec![], &Limits::default(), &Settings::default(), 4).is_empty());
}

/// The counts of the whole tree of a game.
#[derive(Default)]
struct TreeCounts {
    nodes: u64,
    /// The numbers of games that the first player wins, that the second player wins, and that are
    /// drawn.
    games: [u64; 3],
    /// All positions, each with its outcome.
    positions: HashMap<String, Option<Outcome>>,
}

impl TreeCounts {
    fn visit<G: Notation>(&mut self, game: &mut G) {
        self.nodes += 1;
        self.positions.insert(game.write_position(false), game.outcome());
        match game.outcome() {
            Some(Outcome::Win(side)) => self.games[side.index()] += 1,
            Some(_) => self.games[2] += 1,
            None => {}
        }
        let mut moves = Vec::new();
        game.moves(&mut moves);
        for mv in moves {
            let undo = game.play(mv);
            self.visit(game);
            game.undo(mv, undo);
        }
    }

    fn ended(&self, outcome: Outcome) -> usize {
        self.positions.values().filter(|ended| **ended == Some(outcome)).count()
    }
}

/// Returns the least of the eight symmetric images of a 3x3 drawing.
fn canonical(drawing: &str) -> String {
    let cells: Vec<char> = drawing
        .lines()
        .take(3)
        .flat_map(|line| line[2..].chars().filter(|char| *char != ' '))
        .collect();
    let turn = [6, 3, 0, 7, 4, 1, 8, 5, 2];
    let mirror = [2, 1, 0, 5, 4, 3, 8, 7, 6];
    let apply = |cells: &[char], order: [usize; 9]| order.map(|place| cells[place]).to_vec();
    let mut images = vec![cells.clone(), apply(&cells, mirror)];
    for index in 0..6 {
        images.push(apply(&images[index], turn));
    }
    images.into_iter().min().expect("eight images").into_iter().collect()
}

#[test]
fn tic_tac_toe_has_the_known_numbers_of_games_and_positions() {
    let mut counts = TreeCounts::default();
    counts.visit(&mut mnk(3, 3, 3, false));
    assert_eq!(counts.nodes, 549_946);
    assert_eq!(counts.games, [131_184, 77_904, 46_080]);
    assert_eq!(counts.games.iter().sum::<u64>(), 255_168);
    assert_eq!(counts.positions.len(), 5_478);
    assert_eq!(counts.ended(Outcome::Win(Side::First)), 626);
    assert_eq!(counts.ended(Outcome::Win(Side::Second)), 316);
    assert_eq!(counts.ended(Outcome::Draw), 16);

    let board = mnk(3, 3, 3, false);
    let drawing =
        |text: &String| board.read_position(text).unwrap_or_else(|error| panic!("{error}")).draw();
    let classes: HashSet<String> =
        counts.positions.keys().map(|text| canonical(&drawing(text))).collect();
    assert_eq!(classes.len(), 765);
}

#[test]
fn small_boards_have_their_known_values() {
    assert_eq!(Analyst::open("tictactoe", &[]).solve(None, ""), Score::DRAW);
    assert_eq!(Analyst::custom(4, 4, 4, false).solve(None, ""), Score::DRAW);
    assert_eq!(Analyst::custom(4, 3, 3, false).solve(None, ""), Score::win_in(7));
    assert_eq!(Analyst::custom(3, 3, 1, false).solve(None, ""), Score::win_in(1));
    assert_eq!(Analyst::custom(3, 3, 2, false).solve(None, ""), Score::win_in(3));
    assert_eq!(Analyst::custom(5, 4, 6, false).solve(None, ""), Score::DRAW);
    // Four in a row without gravity is won on the board of 6x5 and drawn on every smaller board.
    assert!(Analyst::custom(6, 5, 4, false).solve(None, "").is_win());
}

// CITE: the values of boards of other sizes are John Tromp's, https://tromp.github.io/c4/c4.html.
#[test]
fn small_boards_on_which_stones_fall_have_their_known_values() {
    for (width, height) in [(4, 4), (4, 5), (5, 4)] {
        let draw = Score::DRAW;
        assert_eq!(Analyst::custom(width, height, 4, true).solve(None, ""), draw);
        let rules = Rules::new(width as u32, height as u32, 4, true, true);
        let rules = rules.expect("these rules are valid");
        let mut plain = Analyst::over(Mnk::new(rules), MnkEvaluator::new(&rules));
        assert_eq!(plain.solve(None, ""), draw);
    }
    assert_eq!(Analyst::custom(6, 4, 4, true).solve(None, ""), Score::loss_in(24));
}

#[test]
fn tic_tac_toe_is_lost_by_the_wrong_replies_only() {
    let mut analyst = Analyst::open("tictactoe", &[]);
    // Only the centre draws against a corner, and only a corner against the centre.
    for (reply, holds) in [("b2", true), ("a2", false), ("c3", false), ("c2", false)] {
        let score = analyst.solve(None, &format!("a1 {reply}"));
        assert_eq!(score == Score::DRAW, holds, "{reply}: {score:?}");
    }
    assert!(analyst.solve(None, "b2 b3").is_win());
    assert_eq!(analyst.solve(None, "b2 a3"), Score::DRAW);
}

#[test]
fn forced_wins_are_found_with_their_whole_line() {
    let depth = |plies| Limits::default().with_depth(plies);
    let cases = [
        // An open three, at the bottom and in the air.
        (Analyst::open("cfour", &[]), "d1 d2 e1 e2", Score::win_in(3)),
        (Analyst::custom(15, 15, 5, false), "h8 a1 i8 b1 j8 c2", Score::win_in(3)),
        // Two open twos that cross: a double-three.
        (Analyst::custom(15, 15, 5, false), "h8 a1 i8 o1 j9 a15 j10 o15", Score::win_in(5)),
    ];
    for (mut analyst, moves, score) in cases {
        let answer = analyst.ask(None, moves, depth(7));
        assert_eq!(answer.report.score, score, "{moves}");
        assert_eq!(answer.report.pv.len() as u32, score.plies().unwrap_or_default(), "{moves}");
        assert_eq!(answer.best.as_ref(), answer.report.pv.first());
    }
}
