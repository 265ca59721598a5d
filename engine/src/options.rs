//! Options: declared here, so that a dialect can announce and check them.

/// An option that a dialect announces and a client sets.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct OptionSpec {
    /// The name as announced; read without regard to case.
    pub name: &'static str,
    /// What values it takes.
    pub kind: OptionKind,
}

impl OptionSpec {
    /// Returns an option of this name and kind.
    pub const fn new(name: &'static str, kind: OptionKind) -> Self {
        Self { name, kind }
    }
}

/// The values an option takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// A whole number from `min` to `max`.
    Spin {
        /// The default.
        default: i64,
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// Yes or no.
    Check {
        /// The default.
        default: bool,
    },
    /// One of a list.
    Combo {
        /// The default.
        default: &'static str,
        /// All values.
        values: Vec<&'static str>,
    },
    /// Any text.
    Text {
        /// The default.
        default: &'static str,
    },
    /// An action, without a value.
    Button,
}
