//! The tables of options. A row says everything about an option of a run, or about a key of a table.
//!
//! [`options!`] makes a struct of such rows. Command line, files, help, `run.toml`, and the rules of
//! `resume`, of tasks and of other commands read the rows.

use super::foreign;
use super::setting::{ConfigError, Setting};
pub(crate) use super::spec::{Form, OptionSpec};
use super::values::{Value, table};

/// A row of a table: what is known about an option, and how it is read.
pub(crate) struct Row<T> {
    pub(crate) spec: OptionSpec,
    pub(crate) set: fn(&mut T, &Setting) -> Result<(), ConfigError>,
}

/// A struct that is read by a table of options.
pub(crate) trait Options: Default + 'static {
    /// The name of the table.
    const TABLE: &'static str;
    /// The rows.
    const ROWS: &'static [Row<Self>];

    /// Returns what is known about the options, in the order of the table.
    fn specs() -> Vec<&'static OptionSpec> {
        Self::ROWS.iter().map(|row| &row.spec).collect()
    }

    /// Checks a table that was read.
    fn check(&mut self, _: &Setting) -> Result<(), ConfigError> {
        Ok(())
    }

    /// Sets one option.
    fn set_option(&mut self, entry: &Setting) -> Result<(), ConfigError> {
        let row = Self::ROWS.iter().find(|row| row.spec.is(&entry.key));
        let refuse = || foreign::refuse_key(Self::TABLE, entry, &names(Self::specs(), 0));
        (row.ok_or_else(refuse)?.set)(self, entry)
    }
}

impl<T: Options> Value for T {
    type Within = ();

    fn set(&mut self, entry: &Setting, _: Option<()>) -> Result<(), ConfigError> {
        for inner in table(entry)? {
            self.set_option(inner)?;
        }
        self.check(entry)
    }

    fn keys(&self) -> Vec<&'static OptionSpec> {
        T::specs()
    }
}

/// Returns the option of a table that `name` names.
pub(crate) fn find<T: Options>(name: &str) -> Option<&'static OptionSpec> {
    T::ROWS.iter().map(|row| &row.spec).find(|spec| spec.is(name))
}

/// Returns whether an option of a table has this name and this flag.
pub(crate) fn has<T: Options>(name: &str, flag: u8) -> bool {
    find::<T>(name).is_some_and(|spec| spec.has(flag))
}

/// Returns the names of the options with these flags, separated by commas.
pub(crate) fn names(specs: Vec<&OptionSpec>, flags: u8) -> String {
    let named = specs.iter().filter(|spec| spec.flags & flags == flags);
    named.map(|spec| spec.name()).collect::<Vec<_>>().join(", ")
}

/// Declares a struct whose fields are options. A group of rows has its heading in the help. A row is
///
/// ```text
/// "usage" / "another name" ["default in the help"] FLAG: "meaning" target;
/// ```
///
/// The target is `=> field: Type = default, range`, which also declares the field; or
/// `in field.inner, range` for a field that stands elsewhere; or `by |options, entry| ..`, which may
/// use `?`. Without a
/// default in brackets the help shows that of the field. `fields` are the fields that are no options,
/// and `check` looks at a table that was read from a file or the command line.
macro_rules! options {
    ($(#[$doc:meta])* $vis:vis struct $name:ident($table:literal) {
        $($heading:literal {$(
            $usage:literal $(/ $alias:literal)* $([$default:literal])? $($flag:ident)*: $help:literal
            $(=> $field:ident: $type:ty $(= $init:expr)? $(, $range:expr)?;)?
            $(in $($place:ident).+ $(, $within:expr)?;)?
            $(by |$options:ident, $from:ident| $set:expr;)?
        )*})*
        $(fields {$(
            $(#[$extra_doc:meta])* $extra:ident: $extra_type:ty $(= $extra_init:expr)?;
        )*})?
        $(check |$table_name:ident, $entry:ident| $check:expr;)?
    }) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Debug)]
        $vis struct $name {
            $($($(
                #[doc = $help]
                pub $field: $type,
            )?)*)*
            $($($(#[$extra_doc])* pub $extra: $extra_type,)*)?
        }

        impl Default for $name {
            fn default() -> Self {
                Self {
                    $($($($field: options!(@init $($init)?),)?)*)*
                    $($($extra: options!(@init $($extra_init)?),)*)?
                }
            }
        }

        impl Options for $name {
            const TABLE: &'static str = $table;
            const ROWS: &'static [Row<Self>] = &[$($(
                Row {
                    spec: OptionSpec {
                        heading: $heading,
                        usage: $usage,
                        aliases: &[$($alias),*],
                        help: $help,
                        default: options!(@default [$($default)?] $($field)? $($($place).+)? $(by {$options, $from, $set})?),
                        keys: options!(@keys $($field)? $($($place).+)? $(by {$options, $from, $set})?),
                        flags: 0 $(| OptionSpec::$flag)*,
                    },
                    set: options!(@set $($field $(, $range)?)? $($($place).+ $(, $within)?)? $(by {$options, $from, $set})?),
                },
            )*)*];

            $(fn check(&mut self, $entry: &Setting) -> Result<(), ConfigError> {
                let $table_name = self;
                $check
            })?
        }
    };
    (@init) => { Default::default() };
    (@init $init:expr) => { $init };
    (@default [$text:literal] $($rest:tt)*) => { || $text.to_owned() };
    (@default [] by $set:tt) => { String::new };
    (@default [] $($place:ident).+) => {
        || Value::shown(&<Self as Default>::default().$($place).+)
    };
    (@keys by $set:tt) => { Vec::new };
    (@keys $($place:ident).+) => {
        || Value::keys(&<Self as Default>::default().$($place).+)
    };
    (@set by {$options:ident, $entry:ident, $set:expr}) => {
        |$options, $entry| {
            $set;
            Ok(())
        }
    };
    (@set $($place:ident).+ $(, $range:expr)?) => {
        |options, entry| {
            Value::set(&mut options.$($place).+, entry, None $(.or(Some($range)))?)
        }
    };
}
pub(crate) use options;

/// Declares enums whose values have names in settings. The first value is the default.
macro_rules! choices {
    ($(
        $(#[$doc:meta])* enum $name:ident {
            $($(#[$about:meta])* $variant:ident = $text:literal $(/ $alias:literal)*,)*
        }
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name {
            $($(#[$about])* $variant,)*
        }

        impl $name {
            /// All values with their names.
            pub const NAMES: &'static [(&'static str, Self)] = &[$(($text, Self::$variant)),*];

            /// Returns the value with this name; `None` if there is none.
            pub fn named(name: &str) -> Option<Self> {
                Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
            }

            /// Returns the name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::NAMES[0].1
            }
        }

        impl Value for $name {
            type Within = ();

            fn set(&mut self, entry: &Setting, _: Option<()>) -> Result<(), ConfigError> {
                *self = match text(entry)? {
                    $($($alias => Self::$variant,)*)*
                    _ => choice(entry, Self::NAMES)?,
                };
                Ok(())
            }

            fn shown(&self) -> String {
                self.name().to_owned()
            }
        }
    )*};
}
pub(crate) use choices;
