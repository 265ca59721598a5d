//! [`OptionSpec`]: what is known about an option, and what follows from how it is written.

/// The arguments of an option on the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// `on`, `off` or nothing, which means `on`.
    Switch,
    /// One word.
    Word,
    /// Words of the form `key=value`.
    Table,
}

/// What is known about an option of a run, or about a key of a table.
#[derive(Debug)]
pub(crate) struct OptionSpec {
    /// The group of the option in the help.
    pub(crate) heading: &'static str,
    /// How the option is written: its name and a word for its value. The word tells the form: `KEYS`
    /// is a table; `[..]`, `on|off` or nothing is a switch; `FILE` and `FOLDER` are paths.
    pub(crate) usage: &'static str,
    /// Other names, which other match runners use.
    pub(crate) aliases: &'static [&'static str],
    /// The meaning.
    pub(crate) help: &'static str,
    /// Returns the default, as text.
    pub(crate) default: fn() -> String,
    /// Returns the keys of an option that is a table.
    pub(crate) keys: fn() -> Vec<&'static OptionSpec>,
    /// The sum of the constants below.
    pub(crate) flags: u8,
}

impl OptionSpec {
    /// The option may change when a run is continued.
    pub(crate) const RESUME: u8 = 1;
    /// A run folder does not keep the option.
    pub(crate) const UNSAVED: u8 = 2;
    /// A task for a worker can carry the option or the key.
    pub(crate) const TASK: u8 = 4;
    /// `tengen arena check` takes the option.
    pub(crate) const CHECK: u8 = 8;
    /// `tengen arena openings` takes the option.
    pub(crate) const OPENINGS: u8 = 16;
    /// `tengen arena rate` takes the option.
    pub(crate) const RATE: u8 = 32;

    /// Returns the name, without dashes.
    pub(crate) fn name(&self) -> &'static str {
        let name = self.usage.trim_start_matches('-');
        name.find([' ', '=']).map_or(name, |end| &name[..end])
    }

    /// Returns the word for the value.
    fn value(&self) -> &'static str {
        let dashes = self.usage.len() - self.usage.trim_start_matches('-').len();
        self.usage[dashes + self.name().len()..].trim_start_matches([' ', '='])
    }

    /// Returns whether `name` is the name or another name. `option.NAME` has the name of every option.
    pub(crate) fn is(&self, name: &str) -> bool {
        let any = self.name().strip_suffix("NAME");
        self.name() == name
            || self.aliases.contains(&name)
            || any.is_some_and(|start| name.starts_with(start))
    }

    /// Returns whether the option has a flag.
    pub(crate) const fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Returns the form on the command line.
    pub(crate) fn form(&self) -> Form {
        match self.value() {
            "KEYS" => Form::Table,
            value if value.is_empty() || value.starts_with('[') || value == "on|off" => {
                Form::Switch
            }
            _ => Form::Word,
        }
    }

    /// Returns whether the value is a path.
    pub(crate) fn is_path(&self) -> bool {
        self.value().contains("FILE") || self.value().contains("FOLDER")
    }
}
