//! [`BoardOption`]: the options of a board, and their names.

use crate::host::options::Chosen;

/// An option of a board on a grid. A variant has all of them or a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoardOption {
    /// The number of columns.
    Width,
    /// The number of rows.
    Height,
    /// The number of stones in a line that wins.
    Connect,
    /// Whether stones fall: 0 or 1.
    Gravity,
    /// Whether longer lines win, too: 0 or 1.
    Overline,
}

impl BoardOption {
    /// All options, in the order in which clients see them.
    pub const ALL: [Self; 5] =
        [Self::Width, Self::Height, Self::Connect, Self::Gravity, Self::Overline];

    /// The options that are the size of the board.
    pub const SIZE: [Self; 2] = [Self::Width, Self::Height];

    /// Returns the name among the options of a catalogue, such as `BoardWidth`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Width => "BoardWidth",
            Self::Height => "BoardHeight",
            Self::Connect => "ConnectK",
            Self::Gravity => "Gravity",
            Self::Overline => "Overline",
        }
    }

    /// Returns the name among the fields that describe a board, such as `width`.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Width => "width",
            Self::Height => "height",
            Self::Connect => "connect",
            Self::Gravity => "gravity",
            Self::Overline => "overline",
        }
    }

    /// Returns the option with this name among the options of a catalogue. Case is ignored.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|option| option.name().eq_ignore_ascii_case(name))
    }

    /// Returns whether it is a part of the size.
    pub fn is_size(self) -> bool {
        Self::SIZE.contains(&self)
    }

    /// Returns whether it is on (1) or off (0).
    pub fn is_switch(self) -> bool {
        matches!(self, Self::Gravity | Self::Overline)
    }

    /// Returns its value among the chosen options of a game; `None` if the game does not have it.
    pub fn of(self, chosen: &Chosen) -> Option<i64> {
        chosen.get(self.name()).copied()
    }

    /// Sets the size of the board, columns and rows, among chosen options.
    pub fn set_size<N: Into<i64>>(chosen: &mut Chosen, (width, height): (N, N)) {
        chosen.insert(Self::Width.name(), width.into());
        chosen.insert(Self::Height.name(), height.into());
    }
}
