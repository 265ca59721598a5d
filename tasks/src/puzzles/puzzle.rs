//! [`Puzzle`]: a proven win with only one winning first move. [`Grade`]: how hard it is.

use serde::{Deserialize, Serialize};

/// A position with a proven win whose first move is the only winning one. Moves are points.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Puzzle {
    /// The solution, up to the end of the game.
    pub(super) line: Vec<String>,
    /// The forcing moves that do not win.
    pub(super) tries: Vec<Try>,
    /// Whether it is proven that no other move wins. If not, no win was found in the nodes of a
    /// search.
    pub(super) is_proven: bool,
}

/// A forcing move that does not win, and how the opponent answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Try {
    /// The move, then the moves that refute it.
    pub(super) line: Vec<String>,
    pub(super) ending: Ending,
}

/// What becomes of a move that does not win.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ending {
    /// The opponent wins.
    Loss,
    /// The game is drawn.
    Draw,
    /// No win was found.
    Unproven,
}

/// How hard a puzzle is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// Twice the winner's moves plus the misleading moves: at most 10.
    Easy,
    /// The sum is 11 to 16.
    Medium,
    /// The sum is more than 16.
    Hard,
}

impl Grade {
    /// All grades.
    pub const ALL: [Self; 3] = [Self::Easy, Self::Medium, Self::Hard];

    /// Returns the grade by a sum: twice the winner's moves of the solution, and the misleading moves.
    /// docs/manual/puzzles.md has this definition too.
    const fn of(length: usize, misleading: usize) -> Self {
        match 2 * length + misleading {
            ..=10 => Self::Easy,
            11..=16 => Self::Medium,
            _ => Self::Hard,
        }
    }

    /// Returns the name of the grade.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Easy => "easy",
            Self::Medium => "medium",
            Self::Hard => "hard",
        }
    }
}

impl Puzzle {
    /// Returns the number of the winner's moves in the solution.
    pub(super) fn length(&self) -> usize {
        self.line.len().div_ceil(2)
    }

    /// Returns how hard the puzzle is.
    pub(super) fn grade(&self) -> Grade {
        Grade::of(self.length(), self.tries.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grade_depends_on_the_length_and_on_the_misleading_moves() {
        for (length, misleading, grade) in [
            (2, 0, Grade::Easy),
            (3, 4, Grade::Easy),
            (3, 5, Grade::Medium),
            (8, 0, Grade::Medium),
            (2, 13, Grade::Hard),
            (9, 0, Grade::Hard),
        ] {
            assert_eq!(Grade::of(length, misleading), grade, "{length} {misleading}");
        }
    }
}
