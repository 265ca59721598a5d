//! Comments and variations for the record of a judged game, in the languages of the page.

use tengen_engine::{GameSpec, Grade, GridNotation, Limits};
use tengen_records::{Record, RecordNodeId, Remark, Variation};

use super::language::{Language, Stones};
use super::review::Judged;
use crate::PRODUCT;

/// The program as property `AP` of a record names it.
pub(crate) const APPLICATION: &str = concat!("Tengen:", env!("CARGO_PKG_VERSION"));

/// The name before each comment.
const SIGN: &str = "Tengen: ";

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
        spec: &GameSpec,
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
            let board = spec.grid.filter(|_| self.varies && record.can_vary(*node));
            let variation = board.and_then(|board| self.variation(judged, board));
            Remark {
                node: *node,
                marks: Remark::mark_of(judged.grade).into_iter().collect(),
                comment: self.comment(judged, variation.is_some(), Stones::of(spec)),
                variation,
            }
        });
        let mut remarks: Vec<Remark> = [about].into_iter().chain(moves).collect();
        for refuted in judged {
            self.add_refutation(&mut remarks[1..], refuted, judged, spec.grid);
        }
        remarks
    }

    /// Adds the refutation of a move as a variation beside the first move of the game that leaves it, unless that move has a
    /// variation.
    fn add_refutation(
        &self,
        remarks: &mut [Remark],
        refuted: &Judged,
        judged: &[Judged],
        board: Option<GridNotation>,
    ) {
        let is_bad = refuted.grade > Grade::Fine;
        let reason = refuted.reason.as_ref().filter(|reason| is_bad && reason.is_refutation());
        let (Some(reason), Some(board)) = (reason, board.filter(|_| self.varies)) else { return };
        let later = &judged[refuted.number..];
        let same = later.iter().zip(&reason.line).take_while(|(next, mv)| next.mv == **mv).count();
        let Some(next) = later.get(same) else { return };
        let Some(remark) = remarks.get_mut(next.number - 1) else { return };
        let points: Option<Vec<_>> =
            reason.moves.iter().skip(same).map(|mv| board.point_of(*mv)).collect();
        let points = points.filter(|points| !points.is_empty());
        if let (Some(points), None) = (points, &remark.variation) {
            let comment = SIGN.to_owned() + &self.language.score(-refuted.after);
            let grid = board.grid();
            remark.variation = Some(Variation { side: next.side, points, grid, comment });
        }
    }

    /// Returns the better line as a variation; `None` if no move is better.
    fn variation(&self, judged: &Judged, board: GridNotation) -> Option<Variation> {
        if !judged.has_better() {
            return None;
        }
        let points: Option<Vec<_>> =
            judged.best_moves.iter().map(|mv| board.point_of(*mv)).collect();
        let points = points.filter(|points| !points.is_empty())?;
        let ([score, _], chances) =
            (judged.scores(self.language), self.language.chances(judged.chances));
        let comment = format!("{SIGN}{score}; {chances}");
        Some(Variation { side: judged.side, points, grid: board.grid(), comment })
    }

    /// Returns the comment on a move. A better line is written up to its first move if a variation
    /// has it.
    fn comment(&self, judged: &Judged, has_variation: bool, stones: Stones) -> String {
        let Self { language, .. } = self;
        let [before, after] = judged.scores(*language);
        let values = [("before", before.as_str()), ("after", after.as_str())];
        let Some(mark) = mark_key(judged.grade) else {
            return SIGN.to_owned() + &language.text("fine", &values);
        };
        let mark = language.text(mark, &[]);
        let mut bad = language.text("bad", &[&values[..], &[("mark", &mark)]].concat());
        // A search with limits does not prove that the win is gone.
        if judged.before.is_win() && !judged.after.is_decisive() && !judged.is_drawn {
            bad = format!("{bad} {}", language.text("win.lost", &[]));
        }
        if let Some(reason) = &judged.reason {
            bad = format!("{bad} {}", language.reason(reason, &judged.mv, stones));
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
    use tengen_engine::{Score, Side, Wdl};

    use super::*;

    fn judged(grade: Grade) -> Judged {
        Judged {
            number: 2,
            side: Side::Second,
            mv: "b2".to_owned(),
            before: Score::win_in(3),
            after: Score::heuristic(-50),
            was_drawn: false,
            is_drawn: false,
            chances: Wdl::WON,
            grade,
            best: vec!["h8".to_owned(), "h9".to_owned()],
            best_moves: Vec::new(),
            reason: None,
        }
    }

    /// Returns the keys of a language; those of one thing, where it has a form of its own, are left out.
    fn keys(language: Language) -> Vec<&'static str> {
        let keys = language.texts().keys().map(String::as_str);
        keys.filter(|key| !key.ends_with(".one")).collect()
    }

    #[test]
    fn one_thing_and_several_have_forms_of_their_own() {
        let text = |language: Language, count| {
            let points = ["h8", "i9"][..count].join(", ");
            language.counted("reason.misses.at_once", count, &[("points", &points)])
        };
        assert_eq!(text(Language::En, 1), "h8 wins at once.");
        assert_eq!(text(Language::En, 2), "h8, i9 win at once.");
        assert_eq!(text(Language::Ru, 1), "h8 выигрывает сразу.");
        assert_eq!(text(Language::Ru, 2), "h8, i9 выигрывают сразу.");
        assert_eq!(text(Language::Ja, 1), "h8 で直ちに勝ちでした。");
        for language in Language::ALL {
            for one in language.texts().keys().filter_map(|key| key.strip_suffix(".one")) {
                assert!(language.texts().contains_key(one), "{language:?}: {one}");
            }
        }
    }

    #[test]
    fn a_proven_draw_is_no_evaluation_of_0() {
        let drawn = Judged { after: Score::DRAW, is_drawn: true, ..judged(Grade::Blunder) };
        let comment = |language, judged: &Judged| {
            let annotator = Annotator { language, varies: true, limits: Limits::default() };
            annotator.comment(judged, true, Stones::Falling)
        };
        assert_eq!(
            comment(Language::En, &drawn),
            "Tengen: win in 2 before, draw after: blunder. Better: h8"
        );
        assert!(comment(Language::Ru, &drawn).contains("ничья после хода"));
        let even = Judged { is_drawn: false, ..drawn };
        assert!(comment(Language::En, &even).contains("+0 after: blunder. No win found after it."));
    }

    #[test]
    fn comments_are_written_in_every_language() {
        let comment = |language, grade, has_variation| {
            let annotator = Annotator { language, varies: true, limits: Limits::default() };
            annotator.comment(&judged(grade), has_variation, Stones::Laid)
        };
        assert_eq!(
            comment(Language::En, Grade::Blunder, false),
            "Tengen: win in 2 before, -50 after: blunder. No win found after it. Better: h8 h9"
        );
        assert_eq!(
            comment(Language::En, Grade::Blunder, true),
            "Tengen: win in 2 before, -50 after: blunder. No win found after it. Better: h8"
        );
        assert_eq!(comment(Language::En, Grade::Fine, true), "Tengen: win in 2 before, -50 after.");
        for language in Language::ALL {
            let text = comment(language, Grade::Blunder, true);
            assert!(text.ends_with(" h8") || text.ends_with("h8"), "{text}");
            assert!(text.contains("-50") && !text.contains('{'), "{text}");
            assert_eq!(keys(language), keys(Language::En), "{language:?}");
            assert!(!keys(language).is_empty());
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
