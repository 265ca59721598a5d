//! Puzzles of tic-tac-toe are those that plain minimax finds.

use std::collections::HashSet;

use serde_json::Value;

use super::{PUZZLES, puzzles, texts};
use crate::scratch::Scratch;

/// Tic-tac-toe by plain minimax: nothing of the program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Board {
    /// 0 for an empty cell, 1 for the first player, 2 for the second one.
    cells: [u8; 9],
    mover: u8,
}

const LINES: [[usize; 3]; 8] =
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

impl Board {
    const EMPTY: Self = Self { cells: [0; 9], mover: 1 };

    fn moves(self) -> Vec<usize> {
        match self.is_lost() {
            true => Vec::new(),
            false => (0..9).filter(|cell| self.cells[*cell] == 0).collect(),
        }
    }

    /// Returns whether the opponent of the mover has a line.
    fn is_lost(self) -> bool {
        LINES.iter().any(|line| line.iter().all(|cell| self.cells[*cell] == 3 - self.mover))
    }

    fn after(mut self, cell: usize) -> Self {
        self.cells[cell] = self.mover;
        Self { mover: 3 - self.mover, ..self }
    }

    /// Returns the value for the mover: the plies to a win or a loss count against it.
    fn value(self) -> i32 {
        if self.is_lost() {
            return -100;
        }
        let best = self.moves().into_iter().map(|cell| -self.after(cell).value()).max();
        best.map_or(0, |value| value - value.signum())
    }

    fn wins_at_once(self) -> bool {
        self.moves().into_iter().any(|cell| self.after(cell).is_lost())
    }

    /// Returns the only winning move and the plies of the win, by the definition of the manual.
    fn puzzle(self) -> Option<(usize, i32)> {
        let value = |cell: usize| -self.after(cell).value();
        let (winning, others): (Vec<usize>, Vec<usize>) =
            self.moves().into_iter().partition(|cell| value(*cell) > 0);
        let is_forced = others.iter().all(|cell| self.after(*cell).wins_at_once());
        match winning[..] {
            [only] if value(only) < 100 && !is_forced => Some((only, 101 - value(only))),
            _ => None,
        }
    }

    /// Returns the least of the images under the symmetries of the square.
    fn class(self) -> Self {
        let turn = |board: Self| {
            let mut cells = [0; 9];
            (0..9).for_each(|cell| cells[cell % 3 * 3 + 2 - cell / 3] = board.cells[cell]);
            Self { cells, ..board }
        };
        let mirror = |board: Self| {
            let mut cells = [0; 9];
            (0..9).for_each(|cell| cells[cell / 3 * 3 + 2 - cell % 3] = board.cells[cell]);
            Self { cells, ..board }
        };
        let turns = std::iter::successors(Some(self), |board| Some(turn(*board))).take(4);
        turns.flat_map(|board| [board, mirror(board)]).min().unwrap()
    }
}

fn point(cell: usize) -> String {
    format!("{}{}", ["a", "b", "c"][cell % 3], cell / 3 + 1)
}

/// Random games of tic-tac-toe, as cells.
pub(super) fn tictactoe(count: usize) -> Vec<Vec<usize>> {
    let mut random = fastrand::Rng::with_seed(3);
    let mut game = || {
        let (mut board, mut moves) = (Board::EMPTY, Vec::new());
        while let Some(cell) = random.choice(board.moves()) {
            moves.push(cell);
            board = board.after(cell);
        }
        moves
    };
    (0..count).map(|_| game()).collect()
}

pub(super) fn lines_of(games: &[Vec<usize>]) -> String {
    let line = |game: &Vec<usize>| game.iter().map(|cell| point(*cell) + " ").collect::<String>();
    games.iter().map(|game| line(game) + "\n").collect()
}

/// Returns what the manual promises of these games: file position, best move and plies.
fn promised(games: &[Vec<usize>]) -> Vec<(usize, usize, String, i32)> {
    let (mut seen, mut continued) = (HashSet::new(), HashSet::new());
    let mut found = Vec::new();
    for (number, game) in games.iter().enumerate() {
        let mut board = Board::EMPTY;
        for plies in 0..=game.len() {
            if board.is_lost() || board.moves().is_empty() {
                break;
            }
            let puzzle = if seen.insert(board.class()) { board.puzzle() } else { None };
            if let Some((best, length)) = puzzle {
                if !continued.contains(&(number, plies)) {
                    found.push((number + 1, plies, point(best), length));
                }
                if game.get(plies) == Some(&best) {
                    continued.insert((number, plies + 2));
                }
            }
            let Some(cell) = game.get(plies) else { break };
            board = board.after(*cell);
        }
    }
    found
}

#[test]
fn puzzles_of_tictactoe_are_those_of_plain_minimax() {
    let scratch = Scratch::new(PUZZLES);
    let games = tictactoe(80);
    scratch.write("games.txt", lines_of(&games));
    scratch.done(&["games.txt", "--variant", "tictactoe", "--out", "all.jsonl"]);
    let puzzles = puzzles(&scratch, "all.jsonl");
    let found: Vec<_> = puzzles
        .iter()
        .map(|puzzle| {
            let number = |value: &Value| value.as_u64().unwrap() as usize;
            let source = &puzzle["source"];
            assert_eq!(puzzle["proven"], true, "{puzzle}");
            (
                number(&source["game"]),
                number(&source["turn_number"]),
                puzzle["best"].as_str().unwrap().to_owned(),
                texts(&puzzle["line"]).len() as i32,
            )
        })
        .collect();
    let promised = promised(&games);
    assert_eq!(found, promised);
    assert!(promised.len() > 7, "{promised:?}");
    // The misleading moves leave at most one defence, and do not win.
    for puzzle in &puzzles {
        let tries: Vec<&str> = puzzle["tries"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tried| texts(&tried["line"])[0])
            .collect();
        assert_eq!(puzzle["misleading"], tries.len());
        assert!(!tries.contains(&puzzle["best"].as_str().unwrap()), "{puzzle}");
    }
    assert!(puzzles.iter().any(|puzzle| puzzle["misleading"] != 0), "{puzzles:?}");
}
