//! The formats that a command writes: values of `--to`, and extensions of files.

use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use tengen_records::Format;

use crate::exit_status::Refusal;

/// A format that a command writes.
pub(crate) struct OutputFormat<T> {
    pub(crate) format: T,
    /// The value of `--to`.
    pub(crate) name: &'static str,
    /// What is written, without a full stop.
    pub(crate) summary: &'static str,
    /// The extensions of its files, the usual one first.
    pub(crate) extensions: &'static [&'static str],
}

impl OutputFormat<Format> {
    /// Returns the formats in which records are written.
    pub(crate) fn of_records() -> Vec<Self> {
        Format::written().map(|format| Self::of(format, format)).collect()
    }
}

impl<T: Copy> OutputFormat<T> {
    /// Returns a format of records as the value `value` of a command.
    pub(crate) fn of(format: Format, value: T) -> Self {
        let (name, summary) = (format.name(), format.summary());
        Self { format: value, name, summary, extensions: format.extensions() }
    }
}

/// Returns the parser of `--to`.
pub(crate) fn parser<T: Copy + Send + Sync + 'static>(
    formats: fn() -> Vec<OutputFormat<T>>,
) -> impl TypedValueParser<Value = T> {
    let value = |OutputFormat { name, summary, extensions, .. }| {
        PossibleValue::new(name).help(format!("{summary} (.{})", extensions.join(", .")))
    };
    PossibleValuesParser::new(formats().into_iter().map(value)).try_map(move |name| {
        let named = formats().into_iter().find(|format| format.name == name);
        named.map(|named| named.format).ok_or("unknown format")
    })
}

/// Returns the format of an output: that of `--to`, else by the extension of its file.
pub(crate) fn chosen<T: Copy>(
    formats: &[OutputFormat<T>],
    to: Option<T>,
    output: &Path,
) -> Result<T, Refusal> {
    let extension = output.extension().and_then(|extension| extension.to_str());
    let extension = extension.unwrap_or_default().to_ascii_lowercase();
    let named = || formats.iter().find(|format| format.extensions.contains(&extension.as_str()));
    to.or_else(|| named().map(|named| named.format)).ok_or_else(|| {
        let names: Vec<&str> = formats.iter().map(|format| format.name).collect();
        let (output, names) = (output.display(), names.join(", "));
        Refusal(format!("{output}: unknown extension; choose the format by --to: {names}"))
    })
}
