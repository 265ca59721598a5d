//! [`Puzzle`]: a proven win whose other moves were all judged. [`Grade`]: how hard it is.

use serde::{Deserialize, Serialize};
use tengen_protocol::judge::verdict::Verdict;

/// A position with a proven win that only one move reaches, or that one move reaches sooner. Moves are
/// points.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Puzzle {
    /// The solution against the longest defence found, up to the end of the game.
    pub(super) line: Vec<String>,
    /// The forcing moves besides the solution, and the moves that win later.
    pub(super) tries: Vec<Try>,
    /// The moves of which nothing is proven. No search of `nodes` nodes found a win with them.
    pub(super) unproven: Vec<String>,
    /// The nodes that searched each move of `unproven`.
    pub(super) nodes: u64,
    /// What the solution is made of.
    pub(super) traits: Traits,
}

/// A move besides the solution, and what follows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Try {
    /// The move, then the best moves found.
    pub(super) line: Vec<String>,
    pub(super) ending: Ending,
}

/// What becomes of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ending {
    /// It wins.
    Win,
    /// The opponent wins.
    Loss,
    /// The game is drawn.
    Draw,
    /// Nothing is proven: no win was found.
    Unproven,
}

impl Ending {
    /// Returns what is known about a win.
    pub(super) const fn verdict(self) -> Verdict {
        match self {
            Self::Win => Verdict::Wins,
            Self::Loss | Self::Draw => Verdict::DoesNotWin,
            Self::Unproven => Verdict::NoWinFound,
        }
    }
}

/// What a solution is made of.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Traits {
    /// What the solution shows.
    pub(super) themes: Vec<Theme>,
    /// The number of the winner's moves that make no threat.
    pub(super) quiet: usize,
    /// The lowest level that finds the first move, as every higher level does; `None` if none below full
    /// strength does.
    pub(super) level: Option<u8>,
}

/// What a solution shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Theme {
    /// Every move of the winner makes a four: victory by continuous fours.
    Vcf,
    /// Every move of the winner makes a four or an open three: victory by continuous threats.
    Vct,
    /// The point that would stop a four is forbidden.
    Forbidden,
    /// A move makes two fours on two lines.
    DoubleFour,
    /// Every other move is proven to lose.
    Defence,
}

/// What the user has to find.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Goal {
    /// The only move that wins.
    OnlyWin,
    /// The shortest win found: another move wins later.
    ShortestWin,
}

/// How hard a puzzle is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// Level 2 finds the first move, or the sum is at most 16.
    Easy,
    /// The sum is 17 to 24.
    Medium,
    /// The sum is more than 24.
    Hard,
}

impl Grade {
    /// All grades.
    pub const ALL: [Self; 3] = [Self::Easy, Self::Medium, Self::Hard];

    /// Returns the grade by a sum: twice the winner's moves, twice the quiet ones among them, the
    /// misleading moves, and the level that finds the first move (10 if there is none).
    /// docs/manual/puzzles.md has this definition too.
    fn of(length: usize, misleading: usize, traits: &Traits) -> Self {
        let level = traits.level.unwrap_or(10);
        match 2 * (length + traits.quiet) + misleading + usize::from(level) {
            _ if level <= 2 => Self::Easy,
            ..=16 => Self::Easy,
            17..=24 => Self::Medium,
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

    /// Returns the moves that win later.
    pub(super) fn later_wins(&self) -> impl Iterator<Item = &Try> {
        self.tries.iter().filter(|tried| tried.ending == Ending::Win)
    }

    /// Returns what the user has to find.
    pub(super) fn goal(&self) -> Goal {
        match self.later_wins().next() {
            Some(_) => Goal::ShortestWin,
            None => Goal::OnlyWin,
        }
    }

    /// Returns the number of forcing moves that do not win, or with which no win was found.
    pub(super) fn misleading(&self) -> usize {
        self.tries.len() - self.later_wins().count()
    }

    /// Returns how hard the puzzle is.
    pub(super) fn grade(&self) -> Grade {
        Grade::of(self.length(), self.misleading(), &self.traits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grade_depends_on_length_quiet_and_misleading_moves_and_level() {
        for (length, misleading, quiet, level, grade) in [
            (3, 4, 0, Some(6), Grade::Easy),
            (3, 5, 0, Some(6), Grade::Medium),
            (3, 4, 0, None, Grade::Medium),
            (5, 0, 2, None, Grade::Medium),
            (5, 1, 2, None, Grade::Hard),
            (9, 9, 9, Some(2), Grade::Easy),
        ] {
            let traits = Traits { quiet, level, ..Traits::default() };
            assert_eq!(
                Grade::of(length, misleading, &traits),
                grade,
                "{length} {misleading} {traits:?}"
            );
        }
    }
}
