//! [`Look`]: which signs and colours a terminal can show.
// CITE: NO_COLOR, https://no-color.org

use std::ffi::OsStr;

use tengen_engine::Side;

/// The number of colours.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Colours {
    /// No colours, only bold and reversed text.
    None,
    /// The sixteen that every terminal with colours has.
    Sixteen,
    /// The palette of 256.
    Palette,
}

/// The signs and colours to use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Look {
    /// Only letters and signs of ASCII: stones are X and O.
    pub is_ascii: bool,
    /// The number of colours.
    pub colours: Colours,
}

impl Look {
    /// Plain text: ASCII without colours.
    pub const PLAIN: Self = Self { is_ascii: true, colours: Colours::None };

    /// Returns what the terminal can show, by its environment variables. An empty variable counts
    /// as not set.
    pub fn of_environment(variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name| variable(name).filter(|value| !value.is_empty());
        let term = set("TERM").unwrap_or_default();
        let colours = match () {
            () if set("NO_COLOR").is_some() || term.is_empty() || term == "dumb" => Colours::None,
            () if term.starts_with("vt") => Colours::None,
            () if set("COLORTERM").is_some() || term.contains("256color") => Colours::Palette,
            () => Colours::Sixteen,
        };
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
        Self { is_ascii: locale.is_some_and(|name| !is_utf_8(&name)), colours }
    }

    /// Returns the sign of a stone.
    pub(crate) fn stone(self, side: Side) -> &'static str {
        match (self.is_ascii, self.colours, side) {
            (true, _, Side::First) => "X",
            (true, _, Side::Second) => "O",
            // Without colours a full and an open circle distinguish the sides.
            (false, Colours::None, Side::Second) => "○",
            (false, _, _) => "●",
        }
    }

    /// Returns what the terminal of this process can show.
    pub fn of_process() -> Self {
        Self::of_environment(|name| std::env::var_os(OsStr::new(name))?.into_string().ok())
    }
}

/// Returns whether a locale uses UTF-8, by its name.
fn is_utf_8(locale: &str) -> bool {
    let locale = locale.to_ascii_lowercase();
    match locale.split_once('.') {
        Some((_, charset)) => charset.starts_with("utf-8") || charset.starts_with("utf8"),
        None => locale != "c" && locale != "posix",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(variables: &[(&str, &str)]) -> Look {
        Look::of_environment(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_environment_decides_colours_and_signs() {
        let full = look(&[("TERM", "xterm-256color"), ("LANG", "en_US.UTF-8")]);
        assert_eq!(full, Look { is_ascii: false, colours: Colours::Palette });
        let none = look(&[("TERM", "xterm-256color"), ("NO_COLOR", "1"), ("LC_ALL", "C")]);
        assert_eq!(none, Look { is_ascii: true, colours: Colours::None });
        // An empty variable is ignored, and the first one that is set counts.
        let some =
            look(&[("TERM", "linux"), ("NO_COLOR", ""), ("LC_ALL", ""), ("LANG", "ja_JP.eucJP")]);
        assert_eq!(some, Look { is_ascii: true, colours: Colours::Sixteen });
        assert_eq!(look(&[]), Look { is_ascii: false, colours: Colours::None });
        assert!(!look(&[("LC_CTYPE", "C.UTF-8"), ("LANG", "C")]).is_ascii);
    }
}
