//! The languages of comments, reasons and reports, and their texts.
//!
//! The words for mistakes, sides and rules are those of the page (`web/page/lang`); a test compares them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Deserialize;
use tengen_engine::opening::OpeningName;
use tengen_engine::{GameSpec, Limits, Outcome, Position, Score, Side, Wdl};

use super::score_text;

/// The language of comments.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Chinese.
    Zh,
    /// Japanese.
    Ja,
    /// Vietnamese.
    Vi,
    /// Russian.
    Ru,
}

/// What the players of a game are called: by their stones, as on the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stones {
    /// Black and White.
    Laid,
    /// Red and Yellow, which fall.
    Falling,
    /// X and O.
    Marks,
}

impl Stones {
    /// Returns the stones of a game.
    pub fn of(spec: &GameSpec) -> Self {
        match spec.grid {
            Some(notation) if notation.falls() => Self::Falling,
            _ if spec.variant == "tictactoe" => Self::Marks,
            _ => Self::Laid,
        }
    }
}

/// The texts of a language by their keys.
pub(super) type Texts = BTreeMap<String, String>;

impl Language {
    /// All languages.
    pub const ALL: [Self; 5] = [Self::En, Self::Zh, Self::Ja, Self::Vi, Self::Ru];

    /// Returns the code of the language, such as `en`.
    pub const fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh",
            Self::Ja => "ja",
            Self::Vi => "vi",
            Self::Ru => "ru",
        }
    }

    /// Returns the language of a locale such as `ja_JP.UTF-8`; `None` for other languages.
    pub fn of_locale(locale: &str) -> Option<Self> {
        let code = locale.split(['_', '-', '.', '@']).next()?;
        Self::ALL.into_iter().find(|language| language.code().eq_ignore_ascii_case(code))
    }

    pub(super) fn texts(self) -> &'static Texts {
        static TEXTS: LazyLock<[Texts; 5]> = LazyLock::new(|| {
            let files = [
                include_str!("lang/en.json"),
                include_str!("lang/zh.json"),
                include_str!("lang/ja.json"),
                include_str!("lang/vi.json"),
                include_str!("lang/ru.json"),
            ];
            // A test reads all files.
            files.map(|file| serde_json::from_str(file).unwrap_or_default())
        });
        &TEXTS[self as usize]
    }

    /// Returns the text of `key`, with values in place of `{name}`.
    pub fn text(self, key: &str, values: &[(&str, &str)]) -> String {
        let text = self.texts().get(key).cloned().unwrap_or_default();
        let filled = |text: String, (name, value): &(&str, &str)| {
            text.replace(&format!("{{{name}}}"), value)
        };
        values.iter().fold(text, filled)
    }

    /// Returns the text of `key` for this number of things: where one thing has a form of its own, that of `key.one`.
    pub fn counted(self, key: &str, count: usize, values: &[(&str, &str)]) -> String {
        let one = format!("{key}.one");
        let has_form = count == 1 && self.texts().contains_key(&one);
        self.text(if has_form { &one } else { key }, values)
    }

    /// Returns the name of a side, as the middle of a sentence has it.
    pub fn side(self, side: Side, stones: Stones) -> String {
        let key = match (side, stones) {
            (Side::First, Stones::Marks) => return "X".to_owned(),
            (Side::Second, Stones::Marks) => return "O".to_owned(),
            (Side::First, Stones::Laid) => "side.b",
            (Side::Second, Stones::Laid) => "side.w",
            (Side::First, Stones::Falling) => "side.r",
            (Side::Second, Stones::Falling) => "side.y",
        };
        let name = self.text(key, &[]);
        if self == Self::En { name } else { name.to_lowercase() }
    }

    /// Returns a score in words. A proven result has the number of the winner's moves.
    pub fn score(self, score: Score) -> String {
        match score.plies() {
            Some(plies) => {
                let key = if score.is_win() { "win.in" } else { "loss.in" };
                self.text(key, &[("n", &plies.div_ceil(2).to_string())])
            }
            None if score.raw() == Score::MAX_HEURISTIC => self.text("win.unproven", &[]),
            None if score.raw() == -Score::MAX_HEURISTIC => self.text("loss.unproven", &[]),
            None => score_text::score(score),
        }
    }

    /// Returns a sentence about how the game of `position` ended.
    pub fn ending(self, position: &dyn Position, outcome: Outcome) -> String {
        let stones = Stones::of(position.spec());
        match outcome {
            Outcome::Win(side) => {
                let name = self.side(side, stones);
                let (point, rule) = position.forbidden_loss().unzip();
                let key = if rule.is_some() { "end.forbidden" } else { "end.win" };
                let point = point.map_or_else(String::new, |point| point.to_string());
                let rule = rule.map_or_else(String::new, |rule| self.rule(rule, &[]));
                let (player, other) = (player(side), player(side.other()));
                let sides = [("side", name.as_str()), ("player", player), ("other", other)];
                let why = [("point", point.as_str()), ("rule", &rule)];
                self.text(key, &[&sides[..], &why].concat())
            }
            Outcome::Draw => self.text("end.draw", &[]),
            Outcome::Value(score) => {
                self.text("end.value", &[("n", &format!("{:+}", score.raw()))])
            }
        }
    }

    /// Returns a sentence about the side to move.
    pub fn turn(self, side: Side, stones: Stones) -> String {
        self.text("game.turn", &[("side", &self.side(side, stones)), ("player", player(side))])
    }

    /// Returns a sentence about the opening of a game.
    pub fn opening(self, name: &OpeningName) -> String {
        let full = name.in_full(self.code());
        // In Chinese and Japanese the name may be the native one.
        let twice = name.native.map_or_else(String::new, |native| format!(" ({native})"));
        let full = full.strip_suffix(&twice).filter(|_| !twice.is_empty()).unwrap_or(&full);
        self.text("game.opening", &[("name", full)])
    }

    /// Returns chances in per cent.
    pub(super) fn chances(self, wdl: Wdl) -> String {
        let percent = |share: u16| format!("{}.{}", share / 10, share % 10);
        let [win, draw, loss] = [wdl.win, wdl.draw, wdl.loss].map(percent);
        self.text("chances", &[("win", &win), ("draw", &draw), ("loss", &loss)])
    }

    /// Returns the limits of a search.
    pub fn limits(self, limits: &Limits) -> String {
        let given = [
            ("nodes", limits.nodes),
            ("depth", limits.depth.map(u64::from)),
            ("time", limits.movetime.map(|time| time.as_millis() as u64)),
            ("mate", limits.mate.map(u64::from)),
        ];
        let text = |(key, value): (&str, Option<u64>)| {
            let value = value?;
            Some(self.counted(key, value as usize, &[("n", &value.to_string())]))
        };
        given.into_iter().filter_map(text).collect::<Vec<_>>().join(", ")
    }
}

/// Returns the English word for the player of a side.
const fn player(side: Side) -> &'static str {
    match side {
        Side::First => "first",
        Side::Second => "second",
    }
}
