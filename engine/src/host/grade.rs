//! [`Grade`]: the quality of a move, by the expected score that it lost.

/// The quality of a move, by the expected score that it lost.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Grade {
    /// It lost less than 100 per mille.
    Fine,
    /// It lost 100 per mille or more.
    Doubtful,
    /// It lost 200 per mille or more.
    Mistake,
    /// It lost 400 per mille or more.
    Blunder,
}

impl Grade {
    /// Returns the grade of a move. `before` and `after` are the expected scores of its player
    /// before and after the move, in per mille. A draw counts half.
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

    /// Returns the annotation sign of the grade.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Fine => "",
            Self::Doubtful => "?!",
            Self::Mistake => "?",
            Self::Blunder => "??",
        }
    }

    /// Returns the name of the grade.
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
    fn a_grade_depends_on_the_loss_of_expected_score() {
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
