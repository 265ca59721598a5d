//! Known results of positions of eight plies, compared with a book that is being built.
//!
//! A shorter book is compared with the minimax values of the results after eight plies. The scores
//! of a longer book are carried back to eight plies by minimax. An unknown result can be anything,
//! so that only certain results are compared.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use flate2::read::GzDecoder;
use tengen_engine::{Game, Grid, Notation, Outcome, Score, Side, fen};
use tengen_games::cfour::book::Layers;
use tengen_games::cfour::{Board, Classic};

use crate::Error;

/// The possible results for the side to move: 1 for a win, 0 for a draw, -1 for a loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Results {
    worst: i8,
    best: i8,
}

impl Results {
    const ANY: Self = Self { worst: -1, best: 1 };

    fn exactly(result: i8) -> Self {
        Self { worst: result, best: result }
    }

    fn of(score: Score) -> Self {
        Self::exactly(i8::from(score.is_win()) - i8::from(score.is_loss()))
    }

    fn overlap(self, other: Self) -> bool {
        self.worst <= other.best && other.worst <= self.best
    }

    fn are_certain(self) -> bool {
        self.worst == self.best
    }
}

impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.worst, self.best) {
            (1, _) => "a win",
            (0, 1) => "a win or a draw",
            (0, _) => "a draw",
            (_, 1) => "any result",
            (_, 0) => "a draw or a loss",
            _ => "a loss",
        })
    }
}

/// The known results of a file.
#[derive(Debug)]
pub struct Classes {
    layers: Layers<Classic>,
    /// The results, by number of the position.
    results: Vec<Option<Results>>,
}

impl Classes {
    /// The ply of the known results.
    pub const PLIES: u32 = 8;

    /// Reads the results in `file`.
    pub fn read(file: &Path) -> Result<Self, Error> {
        let name = file.display();
        let unreadable = |error| Error::Refused(format!("cannot read {name}: {error}"));
        let text = unpack(file).map_err(unreadable)?;
        Self::parse(&text).map_err(|why| Error::Failed(format!("{name}: {why}")))
    }

    /// Compares the results with `known`, the scores of a book's last ply so far. Returns how many results
    /// were compared; a contradiction is an error.
    pub fn compare(
        &self,
        layers: &Layers<Classic>,
        known: &[Option<Score>],
    ) -> Result<usize, Error> {
        let solved = |board: &Board<Classic>| {
            let (_, number) = layers.find(board)?;
            known[number].map(Results::of)
        };
        let plies = layers.plies();
        let is_shorter = plies < Self::PLIES;
        // The positions after `ply` plies are compared. One side of the comparison is carried back from
        // the ply `last`.
        let (ply, last) = (plies.min(Self::PLIES), plies.max(Self::PLIES));
        let listed = |board: &Board<Classic>| self.result(board);
        let mut compared = 0;
        let count = if is_shorter { layers.count(ply) } else { self.layers.count(ply) };
        for number in 0..count {
            let board = if is_shorter { layers.board(ply, number) } else { self.board(number) };
            let (near, far) = if is_shorter {
                (solved(&board), carry_back(&board, last, &listed))
            } else {
                (listed(&board), carry_back(&board, last, &solved))
            };
            let Some(near) = near else { continue };
            let (solved, known) = if is_shorter { (near, far) } else { (far, near) };
            if !near.overlap(far) {
                return Err(Error::Failed(format!(
                    "{}: what is solved says {solved}, the known results {known} for the side to move",
                    board.write_position(false)
                )));
            }
            compared += usize::from(far.are_certain());
        }
        Ok(compared)
    }

    /// Reads lines of 42 cells, column by column from the bottom (`x` for the first player, `o`,
    /// `b` for an empty one), and the result for the first player.
    fn parse(text: &str) -> Result<Self, String> {
        let plies = Self::PLIES;
        let layers = Layers::new(Classic, plies);
        let mut results = vec![None; layers.count(plies)];
        for (index, line) in text.lines().enumerate() {
            let place = || format!("line {}: no position of {plies} plies: \"{line}\"", index + 1);
            let cells: Vec<&str> = line.split(',').collect();
            let board = position(&cells).ok_or_else(place)?;
            let (_, number) = layers.find(&board).ok_or_else(place)?;
            let result = match cells.last() {
                Some(&"win") => 1,
                Some(&"draw") => 0,
                Some(&"loss") => -1,
                _ => return Err(place()),
            };
            results[number] = Some(Results::exactly(result));
        }
        Ok(Self { layers, results })
    }

    fn board(&self, number: usize) -> Board<Classic> {
        self.layers.board(Self::PLIES, number)
    }

    fn result(&self, board: &Board<Classic>) -> Option<Results> {
        let (_, number) = self.layers.find(board)?;
        self.results[number]
    }
}

/// Returns the minimax value of `board` from the results after `ply` plies, which `leaf` returns.
fn carry_back(
    board: &Board<Classic>,
    ply: u32,
    leaf: &impl Fn(&Board<Classic>) -> Option<Results>,
) -> Results {
    match board.outcome() {
        Some(Outcome::Win(side)) if side == board.turn() => return Results::exactly(1),
        Some(Outcome::Win(_)) => return Results::exactly(-1),
        Some(_) => return Results::exactly(0),
        None => {}
    }
    if 42 - board.plies_left() == ply {
        return leaf(board).unwrap_or(Results::ANY);
    }
    let mut moves = Vec::new();
    board.moves(&mut moves);
    let mut all = Results::exactly(-1);
    for mv in moves {
        let mut child = *board;
        child.play(mv);
        let theirs = carry_back(&child, ply, leaf);
        all.worst = all.worst.max(-theirs.best);
        all.best = all.best.max(-theirs.worst);
    }
    all
}

fn position(cells: &[&str]) -> Option<Board<Classic>> {
    let stone = |cell: &&str| match *cell {
        "x" => Some(Some(Side::First)),
        "o" => Some(Some(Side::Second)),
        "b" => Some(None),
        _ => None,
    };
    if cells.len() != 43 {
        return None;
    }
    let stones: Vec<Option<Side>> = cells[..42].iter().map(stone).collect::<Option<_>>()?;
    let grid = Grid::new(7, 6)?;
    let at = |cell| stones[(grid.column(cell) * 6 + grid.row(cell)) as usize];
    Board::new(Classic).read_position(&fen::write(grid, at, Side::First, false)).ok()
}

/// Returns the text of a packed file.
fn unpack(file: &Path) -> io::Result<String> {
    let mut text = String::new();
    GzDecoder::new(File::open(file)?).read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A position of eight plies that the side to move wins with its next stone.
    const LINES: &str =
        "x,x,x,b,b,b,o,o,o,b,b,b,x,o,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,win\n";

    #[test]
    fn a_book_with_another_result_is_refused() {
        let table = Classes::parse(LINES).unwrap();
        let board = position(&LINES.trim_end().split(',').collect::<Vec<_>>()).unwrap();
        for (plies, score, agrees) in
            [(8, Score::win_in(1), true), (8, Score::DRAW, false), (8, Score::loss_in(2), false)]
        {
            let layers = Layers::new(Classic, plies);
            let mut known = vec![None; layers.count(plies)];
            known[layers.find(&board).unwrap().1] = Some(score);
            let compared = table.compare(&layers, &known);
            assert_eq!(compared.is_ok(), agrees, "{score:?}");
            let Err(error) = compared else { continue };
            let solved = if score == Score::DRAW { "a draw" } else { "a loss" };
            let expected = format!(
                "7/7/7/Pp5/Ppp4/PpP4 w - - 0 5: what is solved says {solved}, the known results a win for the side to move"
            );
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn results_are_carried_back_for_shorter_and_longer_books() {
        let table = Classes::parse(LINES).unwrap();
        // One ply earlier, the other side wins immediately or plays into the known position.
        let before = Board::new(Classic).read_position("7/7/7/Pp5/Pp5/PpP4 b");
        let mut before = before.unwrap();
        let layers = Layers::new(Classic, 7);
        let number = layers.find(&before).unwrap().1;
        let mut known = vec![None; layers.count(7)];
        known[number] = Some(Score::win_in(1));
        assert_eq!(table.compare(&layers, &known).unwrap(), 1, "a win on the board");
        known[number] = Some(Score::loss_in(2));
        assert!(table.compare(&layers, &known).is_err());
        // Nine plies: after the winning move the game is over, so that no other result counts.
        let layers = Layers::new(Classic, 9);
        let none = vec![None; layers.count(9)];
        assert_eq!(table.compare(&layers, &none).unwrap(), 1);
        let mv = before.read_move("c2").unwrap();
        before.play(mv);
        assert_eq!(carry_back(&before, 9, &|_| None), Results::exactly(1));
    }

    #[test]
    fn a_line_that_is_no_position_is_named() {
        for line in ["x,o,win", "", &LINES.replace('o', "b"), &LINES.replace("win", "won")] {
            let text = format!("{LINES}{line}\n");
            let error = Classes::parse(&text).unwrap_err();
            assert!(error.starts_with("line 2: "), "{error}");
        }
    }
}
