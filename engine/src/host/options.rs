//! Declarations of options. Protocols announce the options, and check values against them.

use std::collections::BTreeMap;

/// The values chosen for a catalogue's own options, by option name. A check box is 0 or 1.
pub type Chosen = BTreeMap<&'static str, i64>;

/// An option that a client can set.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct OptionSpec {
    /// The name. Case is ignored when it is read.
    pub name: &'static str,
    /// The kind of values.
    pub kind: OptionKind,
}

impl OptionSpec {
    /// Creates an option.
    pub const fn new(name: &'static str, kind: OptionKind) -> Self {
        Self { name, kind }
    }
}

/// The kind of values of an option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// A whole number from `min` to `max`.
    Spin {
        /// The default.
        default: i64,
        /// The minimum value.
        min: i64,
        /// The maximum value.
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
