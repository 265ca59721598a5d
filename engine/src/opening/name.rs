//! [`OpeningName`]: the name of an opening.

use std::fmt;

/// The name of an opening, such as the renju opening D4. Games define the names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpeningName {
    /// The short code, such as `D4`.
    pub code: &'static str,
    /// The name in the script of its origin, such as `花月`; `None` if there is none.
    pub native: Option<&'static str>,
    /// The native name in Latin letters, such as `Kagetsu`; `None` if there is none.
    pub romanised: Option<&'static str>,
    /// The translated names, each with the code of its language, such as `en`.
    pub names: &'static [(&'static str, &'static str)],
}

impl OpeningName {
    /// Returns the name in `language`, a code such as `en`; in another language the first name.
    pub fn in_language(&self, language: &str) -> &'static str {
        let known = self.names.iter().find(|(code, _)| *code == language);
        known.or(self.names.first()).map_or(self.code, |(_, name)| name)
    }

    /// Returns all names, such as `D4 Kagetsu 花月 (Flower Moon)`, with the translated one in `language`.
    pub fn in_full(&self, language: &str) -> String {
        let name = self.in_language(language);
        let Some(romanised) = self.romanised else { return format!("{} {name}", self.code) };
        let native = self.native.map_or(String::new(), |native| format!(" {native}"));
        format!("{} {romanised}{native} ({name})", self.code)
    }
}

/// Writes the name as `D4 Kagetsu 花月 (Flower Moon)`.
impl fmt::Display for OpeningName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_full("en"))
    }
}
