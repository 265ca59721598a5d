//! Options for the comments and variations that are written into records.

use std::env;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use tengen_protocol::judge::language::Language;

/// How records of judged games are annotated.
#[derive(clap::Args, Clone)]
pub(crate) struct AnnotationArgs {
    /// Write better lines into comments, not as variations.
    #[arg(long)]
    pub(crate) no_variations: bool,

    #[command(flatten)]
    language: LanguageArgs,
}

/// The language of texts.
#[derive(clap::Args, Clone)]
pub(crate) struct LanguageArgs {
    /// The language of comments and reports, and of what analyze --threats and --game show [default: that of LC_ALL, LC_MESSAGES or LANG, else en].
    #[arg(long, value_name = "CODE", ignore_case = true, value_parser = languages())]
    language: Option<Language>,
}

impl AnnotationArgs {
    /// Returns whether any option is given.
    pub(crate) const fn are_given(&self) -> bool {
        self.no_variations || self.language.is_given()
    }

    /// Returns the language.
    pub(crate) fn language(&self) -> Language {
        self.language.language()
    }
}

impl LanguageArgs {
    /// Returns whether the option is given.
    pub(crate) const fn is_given(&self) -> bool {
        self.language.is_some()
    }

    /// Returns the chosen language, else that of the environment.
    pub(crate) fn language(&self) -> Language {
        let set = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let locale = || ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(set);
        let of_locale = || Language::of_locale(&locale()?);
        self.language.or_else(of_locale).unwrap_or_default()
    }
}

fn languages() -> impl TypedValueParser<Value = Language> {
    let codes = PossibleValuesParser::new(Language::ALL.map(Language::code));
    codes.map(|code| Language::of_locale(&code).unwrap_or_default())
}
