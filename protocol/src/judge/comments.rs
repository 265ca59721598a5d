//! Comments and variations for the record of a judged game, in the languages of the page.
//!
//! The words for mistakes are those of the page (`web/page/lang`); a test compares them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Deserialize;
use tengen_engine::{Grade, GridNotation, Limits, Score, Wdl};
use tengen_records::{Record, RecordNodeId, Remark, Variation};

use super::review::Judged;
use super::score_text;
use crate::PRODUCT;

/// The program as property `AP` of a record names it.
pub(crate) const APPLICATION: &str = concat!("Tengen:", env!("CARGO_PKG_VERSION"));

/// The name before each comment.
const SIGN: &str = "Tengen: ";

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

/// The texts of a language by their keys.
type Texts = BTreeMap<String, String>;

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

    fn texts(self) -> &'static Texts {
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
    fn text(self, key: &str, values: &[(&str, &str)]) -> String {
        let text = self.texts().get(key).cloned().unwrap_or_default();
        let filled = |text: String, (name, value): &(&str, &str)| {
            text.replace(&format!("{{{name}}}"), value)
        };
        values.iter().fold(text, filled)
    }

    /// Returns a score in words.
    fn score(self, score: Score) -> String {
        let plies = |plies: u32| plies.to_string();
        match score.plies() {
            Some(n) if score.is_win() => self.text("win.in", &[("n", &plies(n))]),
            Some(n) => self.text("loss.in", &[("n", &plies(n))]),
            None if score.raw() == Score::MAX_HEURISTIC => self.text("win.unproven", &[]),
            None if score.raw() == -Score::MAX_HEURISTIC => self.text("loss.unproven", &[]),
            None => score_text::score(score),
        }
    }

    /// Returns chances in per cent.
    fn chances(self, wdl: Wdl) -> String {
        let percent = |share: u16| format!("{}.{}", share / 10, share % 10);
        let [win, draw, loss] = [wdl.win, wdl.draw, wdl.loss].map(percent);
        self.text("chances", &[("win", &win), ("draw", &draw), ("loss", &loss)])
    }

    /// Returns the limits of a search.
    fn limits(self, limits: &Limits) -> String {
        let given = [
            ("nodes", limits.nodes),
            ("depth", limits.depth.map(u64::from)),
            ("time", limits.movetime.map(|time| time.as_millis() as u64)),
            ("mate", limits.mate.map(u64::from)),
        ];
        let text =
            |(key, value): (&str, Option<u64>)| Some(self.text(key, &[("n", &value?.to_string())]));
        given.into_iter().filter_map(text).collect::<Vec<_>>().join(", ")
    }
}

/// How the record of a judged game is annotated.
#[derive(Clone, PartialEq, Debug)]
pub struct Annotator {
    /// The language of the comments.
    pub language: Language,
    /// Whether better lines are variations. Otherwise they stand in comments.
    pub varies: bool,
    /// The limits of the search of each position.
    pub limits: Limits,
}

impl Annotator {
    /// Returns the remarks for `record`, whose moves on `board` are in `nodes`: one about the
    /// analysis, and one for each judged move.
    pub fn remarks(
        &self,
        record: &Record,
        nodes: &[RecordNodeId],
        judged: &[Judged],
        board: Option<GridNotation>,
    ) -> Vec<Remark> {
        let limits = self.language.limits(&self.limits);
        let analysis = [("engine", PRODUCT), ("limits", limits.as_str())];
        let about = Remark {
            node: record.root(),
            marks: vec![("AP", APPLICATION)],
            comment: self.language.text("analysis", &analysis),
            variation: None,
        };
        let moves = judged.iter().zip(nodes).map(|(judged, node)| {
            let board = board.filter(|_| self.varies && record.can_vary(*node));
            let variation = board.and_then(|board| self.variation(judged, board));
            Remark {
                node: *node,
                marks: Remark::mark_of(judged.grade).into_iter().collect(),
                comment: self.comment(judged, variation.is_some()),
                variation,
            }
        });
        [about].into_iter().chain(moves).collect()
    }

    /// Returns the better line as a variation; `None` if no move is better.
    fn variation(&self, judged: &Judged, board: GridNotation) -> Option<Variation> {
        if !judged.has_better() {
            return None;
        }
        let points: Option<Vec<_>> =
            judged.best_moves.iter().map(|mv| board.point_of(*mv)).collect();
        let points = points.filter(|points| !points.is_empty())?;
        let (score, chances) =
            (self.language.score(judged.before), self.language.chances(judged.chances));
        let comment = format!("{SIGN}{score}; {chances}");
        Some(Variation { side: judged.side, points, grid: board.grid(), comment })
    }

    /// Returns the comment on a move. A better line is written up to its first move if a variation
    /// has it.
    fn comment(&self, judged: &Judged, has_variation: bool) -> String {
        let Self { language, .. } = self;
        let (before, after) = (language.score(judged.before), language.score(judged.after));
        let values = [("before", before.as_str()), ("after", after.as_str())];
        let Some(mark) = mark_key(judged.grade) else {
            return SIGN.to_owned() + &language.text("fine", &values);
        };
        let mark = language.text(mark, &[]);
        let mut bad = language.text("bad", &[&values[..], &[("mark", &mark)]].concat());
        // A search with limits does not prove that the win is gone.
        if judged.before.is_win() && !judged.after.is_decisive() {
            bad = format!("{bad} {}", language.text("win.lost", &[]));
        }
        let shown = if has_variation { 1 } else { judged.best.len() };
        let best = judged.best[..shown].join(" ");
        format!("{SIGN}{bad} {}", language.text("better", &[("best", &best)]))
    }
}

/// Returns the key of a grade's name; `None` for a fine move.
const fn mark_key(grade: Grade) -> Option<&'static str> {
    match grade {
        Grade::Fine => None,
        Grade::Doubtful => Some("mark.doubtful"),
        Grade::Mistake => Some("mark.mistake"),
        Grade::Blunder => Some("mark.blunder"),
    }
}

#[cfg(test)]
mod tests {
    use tengen_engine::Side;

    use super::*;

    fn judged(grade: Grade) -> Judged {
        Judged {
            number: 2,
            side: Side::Second,
            mv: "b2".to_owned(),
            before: Score::win_in(3),
            after: Score::heuristic(-50),
            chances: Wdl::WON,
            grade,
            best: vec!["h8".to_owned(), "h9".to_owned()],
            best_moves: Vec::new(),
        }
    }

    #[test]
    fn comments_are_written_in_every_language() {
        let comment = |language, grade, has_variation| {
            let annotator = Annotator { language, varies: true, limits: Limits::default() };
            annotator.comment(&judged(grade), has_variation)
        };
        assert_eq!(
            comment(Language::En, Grade::Blunder, false),
            "Tengen: win in 3 before, -50 after: blunder. No win found after it. Better: h8 h9"
        );
        assert_eq!(
            comment(Language::En, Grade::Blunder, true),
            "Tengen: win in 3 before, -50 after: blunder. No win found after it. Better: h8"
        );
        assert_eq!(comment(Language::En, Grade::Fine, true), "Tengen: win in 3 before, -50 after.");
        for language in Language::ALL {
            let text = comment(language, Grade::Blunder, true);
            assert!(text.ends_with(" h8") || text.ends_with("h8"), "{text}");
            assert!(text.contains("-50") && !text.contains('{'), "{text}");
            let keys: Vec<_> = language.texts().keys().collect();
            assert_eq!(keys, Language::En.texts().keys().collect::<Vec<_>>(), "{language:?}");
            assert!(!keys.is_empty());
        }
    }

    #[test]
    fn a_locale_names_a_language_of_the_comments() {
        for (locale, language) in [
            ("ja_JP.UTF-8", Some(Language::Ja)),
            ("zh", Some(Language::Zh)),
            ("ru@latin", Some(Language::Ru)),
            ("vi-VN", Some(Language::Vi)),
            ("EN_us", Some(Language::En)),
            ("C.UTF-8", None),
            ("de_DE", None),
            ("", None),
        ] {
            assert_eq!(Language::of_locale(locale), language, "{locale}");
        }
    }

    #[test]
    fn limits_are_named() {
        let mut limits = Limits::default();
        limits.nodes = Some(500);
        limits.movetime = Some(std::time::Duration::from_millis(20));
        assert_eq!(Language::En.limits(&limits), "500 nodes, 20 ms");
    }
}
