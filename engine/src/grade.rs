//! [`Grade`]: how good a move was, by what it gave away.

/// How good a move was.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Grade {
    /// It gave away less than a tenth of the game.
    Fine,
    /// It gave away a tenth of the game.
    Doubtful,
    /// It gave away a fifth.
    Mistake,
    /// It gave away two fifths.
    Blunder,
}

impl Grade {
    /// The grade of a move by the shares that its player could expect before and after it, in per
    /// mille, a draw counting half.
    ///
    /// ```
    /// use tengen_engine::Grade;
    ///
    /// assert_eq!(Grade::of(930, 410), Grade::Blunder);
    /// assert_eq!(Grade::of(500, 400).sign(), "?!");
    /// ```
    pub fn of(before: u16, after: u16) -> Self {
        match before.saturating_sub(after) {
            400.. => Self::Blunder,
            200.. => Self::Mistake,
            100.. => Self::Doubtful,
            _ => Self::Fine,
        }
    }

    /// The sign that players write after the move.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Fine => "",
            Self::Doubtful => "?!",
            Self::Mistake => "?",
            Self::Blunder => "??",
        }
    }

    /// The name of the grade.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fine => "fine",
            Self::Doubtful => "doubtful",
            Self::Mistake => "mistake",
            Self::Blunder => "blunder",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grade_is_what_a_move_gave_away() {
        for (before, after, grade) in [
            (500, 600, Grade::Fine),
            (500, 401, Grade::Fine),
            (500, 400, Grade::Doubtful),
            (500, 300, Grade::Mistake),
            (1000, 600, Grade::Blunder),
        ] {
            assert_eq!(Grade::of(before, after), grade);
        }
    }
}
