//! The report of a judged game: one HTML file without a network, ready to print on A4.

use std::fmt::Write;

use data_encoding::BASE64;
use tengen_engine::{GameSpec, Grade, Limits, Outcome, Position, Side};
use tengen_records::Record;

use super::language::{Language, Stones};
use super::picture::{Overlay, board};
use super::plot::plot;
use super::reason::Reason;
use super::review::{GameJudge, Judged};

/// The grades with a column in the table of marks.
const MARKS: [Grade; 3] = [Grade::Doubtful, Grade::Mistake, Grade::Blunder];

const STYLE: &str = include_str!("report.css");

/// A judged game.
#[derive(Clone, Copy)]
pub struct ReportGame<'a> {
    /// The position after all moves.
    pub last: &'a dyn Position,
    /// The record of the game, which names players, event, date and result. Its result counts if the board shows no
    /// end, such as after a resignation.
    pub record: Option<&'a Record>,
    /// The limits of the searches.
    pub limits: &'a Limits,
}

impl ReportGame<'_> {
    /// Returns a text of the record; empty if it has none.
    fn text(&self, name: &str) -> String {
        let text = self.record.and_then(|record| record.node(record.root()).text(name));
        text.unwrap_or_default()
    }

    /// Returns the result on the board, else that of the record.
    fn outcome(&self) -> Option<Outcome> {
        self.last.outcome().or_else(|| self.record?.outcome())
    }
}

/// Returns the report of a judged game in `language`.
pub fn report(game: ReportGame<'_>, judge: &GameJudge, language: Language) -> String {
    let text = |key: &str| escaped(&language.text(key, &[]));
    let marked: Vec<&Judged> =
        judge.judged().iter().filter(|judged| judged.grade > Grade::Fine).collect();
    let mut html = format!(
        "<!doctype html>\n<html lang=\"{}\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n<h1>{title}</h1>\n",
        language.code(),
        title = text("report.title"),
    );
    let stones = Stones::of(game.last.spec());
    let sides = [Side::First, Side::Second].map(|side| language.side(side, stones));
    let result = match game.outcome() {
        None | Some(Outcome::Value(_)) => language.text("report.unknown", &[]),
        Some(Outcome::Draw) => language.text("draw", &[]),
        Some(Outcome::Win(side)) => language.text("report.wins", &[("side", &sides[side.index()])]),
    };
    let result = language.text("report.result", &[("result", &result)]);
    let limits = language.limits(game.limits);
    let analysis = [("engine", crate::PRODUCT), ("limits", limits.as_str())];
    let about = ["EV", "DT", "RE"].map(|name| game.text(name));
    let about: Vec<String> = about.into_iter().filter(|text| !text.is_empty()).collect();
    for line in [&rules(game.last.spec(), language), &about.join(", "), &result] {
        if !line.is_empty() {
            let _ = writeln!(html, "<p>{}</p>", escaped(line));
        }
    }
    html += &table(&marked, &sides, &["PB", "PW"].map(|name| game.text(name)), language);
    // As an image, because the styles of the plot are for the picture only.
    let picture = BASE64.encode(plot(judge, language).as_bytes());
    let alt = text("plot.title");
    html += &format!("<img alt=\"{alt}\" src=\"data:image/svg+xml;base64,{picture}\">\n");
    let note = if marked.is_empty() { "report.none" } else { "report.line" };
    let _ = writeln!(html, "<p class=\"note\">{}</p>", text(note));
    for judged in marked {
        html += &section(game.last, judged, language);
    }
    let about = escaped(&language.text("analysis", &analysis));
    html + &format!("<p class=\"note\">{about}</p>\n</html>\n")
}

/// Returns the name of the game and the size of its board; of a game without a name, its rules in English.
pub fn rules(spec: &GameSpec, language: Language) -> String {
    let name = language.text(&format!("v.{}", spec.variant), &[]);
    match spec.grid {
        Some(notation) if !name.is_empty() => {
            let grid = notation.grid();
            format!("{name}, {}x{}", grid.width(), grid.height())
        }
        _ => spec.rules.clone(),
    }
}

/// Returns the table of marks: a row for each player.
fn table(
    marked: &[&Judged],
    sides: &[String; 2],
    names: &[String; 2],
    language: Language,
) -> String {
    let text = |key: &str| escaped(&language.text(key, &[]));
    let heads = MARKS.map(|grade| format!("<th>{} {}</th>", text(&mark_key(grade)), grade.sign()));
    let row = |side: Side| {
        let of = |grade| marked.iter().filter(|it| it.side == side && it.grade == grade).count();
        let counts = MARKS.map(|grade| format!("<td>{}</td>", of(grade))).concat();
        let (side, name) = (&sides[side.index()], &names[side.index()]);
        let name = if name.is_empty() { side.clone() } else { format!("{name} ({side})") };
        format!("<tr><th>{}</th>{counts}</tr>\n", escaped(&name))
    };
    let rows = [Side::First, Side::Second].map(row).concat();
    format!(
        "<table>\n<tr><th>{}</th>{}</tr>\n{rows}</table>\n",
        text("report.player"),
        heads.concat()
    )
}

/// Returns the part about one marked move: a diagram, the reason and the better line.
fn section(last: &dyn Position, judged: &Judged, language: Language) -> String {
    let Judged { number, mv, grade, .. } = judged;
    let reason = judged.reason.as_deref();
    let diagram = reason.and_then(|reason| diagram(last, *number, reason)).unwrap_or_default();
    let lost = reason.map_or(0, |reason| reason.lost / 10).to_string();
    let [before, after] = judged.scores(language);
    let values = [("before", before.as_str()), ("after", &after), ("lost", &lost)];
    let why = reason
        .map(|reason| language.reason(reason, mv, Stones::of(last.spec())))
        .unwrap_or_default();
    let best = judged.best.join(" ");
    let better = if best.is_empty() { best } else { language.text("better", &[("best", &best)]) };
    let lines = [why, better].map(|line| format!("<p>{}</p>\n", escaped(&line))).concat();
    let mark = language.text(&mark_key(*grade), &[]);
    let head = escaped(&format!("{number}. {mv} {} {mark}", grade.sign()));
    let scores = escaped(&language.text("report.before", &values)).replace(" %", "\u{a0}%");
    format!(
        "<section>\n{diagram}<div>\n<h2>{head}</h2>\n<p class=\"note\">{scores}</p>\n{lines}</div>\n</section>\n"
    )
}

/// Returns the picture of a reason: the position from which its line begins, with the line and the threat.
pub fn diagram(last: &dyn Position, number: usize, reason: &Reason) -> Option<String> {
    let mut position = last.duplicate();
    let shows_move = reason.is_refutation() || reason.moves.is_empty();
    position.undo_to(if shows_move { number } else { number - 1 });
    board(&*position, &Overlay { marks: reason.points.clone(), line: reason.moves.clone() })
}

fn mark_key(grade: Grade) -> String {
    format!("mark.{}", grade.name())
}

/// Returns text with the signs of markup replaced.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
