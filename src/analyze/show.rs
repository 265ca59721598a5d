//! Shows an analysis: live on a terminal, as plain lines elsewhere, or as JSON, one object a line.

use std::io::{self, IsTerminal, Write};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use tengen_engine::text::printable;
use tengen_engine::{Answer, Bound, Catalog, GameSpec, Move, Position, Report, Style, Wdl};
use tengen_games::CATALOG;
use tengen_protocol::dialect::json::reply::{EndedBy, Extras, Reply, sentence};
use tengen_protocol::judge::language::{Language, Stones};
use tengen_protocol::judge::report;
use tengen_protocol::judge::score_text::score;
use tengen_protocol::pool::job::{RankedLines, SearchResult};

use crate::exit_status::WRITE_FAILED;
use crate::objects;

/// The heading of the lines of an analysis.
const HEADING: &str = "depth rank score              nodes       time  moves";

/// The output of the analysis of one position.
pub(super) enum Show {
    /// JSON objects. A report is shown once `ranked` moves have a line.
    Json {
        ranked: usize,
        lines: RankedLines,
    },
    Plain,
    /// One line for each candidate move, rewritten while the search runs.
    Live(MultiProgress, Vec<ProgressBar>),
}

impl Show {
    /// Creates the output: JSON if `json`, else live on a terminal and plain elsewhere. `ranked` is
    /// the number of ranked moves.
    pub(super) fn new(json: bool, ranked: usize) -> Self {
        if json {
            return Self::Json { ranked, lines: RankedLines::default() };
        }
        if !io::stdout().is_terminal() {
            return Self::Plain;
        }
        Self::Live(MultiProgress::with_draw_target(ProgressDrawTarget::stdout()), Vec::new())
    }

    /// Shows the position before it is searched. As JSON a finished game has an answer, too.
    pub(super) fn position(&self, position: &dyn Position) -> io::Result<()> {
        if let Self::Json { .. } = self {
            say_reply(&objects::position(1, position, None))?;
            let is_over = position.outcome().is_some();
            let over = is_over.then(|| answer(position, None, 0, EndedBy::Over));
            return over.iter().try_for_each(say_reply);
        }
        say(&described(position, Language::En))
    }

    /// Shows the heading of the reports.
    pub(super) fn heading(&self) -> io::Result<()> {
        if let Self::Json { .. } = self { Ok(()) } else { say(HEADING) }
    }

    /// Shows a report of the search.
    pub(super) fn report(
        &mut self,
        position: &dyn Position,
        report: &Report<Move>,
    ) -> io::Result<()> {
        match self {
            Self::Json { ranked, lines } => {
                lines.note(report.clone());
                let id = objects::id(1);
                let searched = objects::searched(&id, position);
                match searched.report(lines.merged(), *ranked, false, None) {
                    Some(reply) if report.line >= *ranked => {
                        say_reply(&Reply::Report(Box::new(reply)))
                    }
                    _ => Ok(()),
                }
            }
            Self::Plain => say(&line(position, report)),
            Self::Live(all, bars) => {
                while bars.len() < report.line {
                    let bar = all.add(ProgressBar::new_spinner());
                    if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
                        bar.set_style(style);
                    }
                    bars.push(bar);
                }
                bars[report.line - 1].set_message(line(position, report));
                Ok(())
            }
        }
    }

    /// Shows the answer: the best move and, if its value is proven, the proof. `last` are the lines
    /// last reported.
    pub(super) fn answer(
        self,
        position: &dyn Position,
        answer: Answer<Move>,
        last: &[Report<Move>],
        ended_by: EndedBy,
    ) -> io::Result<()> {
        match self {
            Self::Json { ranked, lines } => {
                let lines = lines.at_end(&answer);
                let result = SearchResult { answer, lines };
                return say_reply(&self::answer(position, Some(&result), ranked, ended_by));
            }
            Self::Plain => {}
            Self::Live(all, _) => {
                all.clear()?;
                // Bars are drawn once more when they are dropped.
                all.set_draw_target(ProgressDrawTarget::hidden());
                last.iter().try_for_each(|report| say(&line(position, report)))?;
            }
        }
        let report = &answer.report;
        let best = answer.best.map(|best| position.write_move(best, Style::Plain));
        let best = best.unwrap_or_else(|| "no move".to_owned());
        let mut out = format!("best: {best} ({})", bounded(report));
        if let Some(wdl) = report.wdl {
            out += &format!(", {}", chances(wdl));
        }
        say(&out)?;
        answer.settled.iter().try_for_each(|settled| say(&sentence(settled)))
    }
}

/// Returns the last reply about a position, with `ranked` moves: a search below full strength looks at more. `result`
/// is `None` if the game is over.
fn answer(
    position: &dyn Position,
    result: Option<&SearchResult>,
    ranked: usize,
    ended_by: EndedBy,
) -> Reply {
    let extras = Extras { opening: objects::opening(position), ..Extras::default() };
    let id = objects::id(1);
    let searched = objects::searched(&id, position);
    Reply::Answer(Box::new(searched.answer(result, ranked, ended_by, extras)))
}

/// Returns a line of analysis on one line: depth, rank, score, nodes, seconds and moves.
fn line(position: &dyn Position, report: &Report<Move>) -> String {
    let Report { depth, line, nodes, .. } = report;
    let (score, seconds) = (bounded(report), report.time.as_secs_f64());
    let moves = position.write_line(&report.pv, Style::Plain).join(" ");
    format!("{depth:>5} {line:>3}. {score:<12} {nodes:>11} {seconds:>8.2} s  {moves}")
}

/// Returns the score of a line, with `>=` or `<=` if it is a bound.
fn bounded(report: &Report<Move>) -> String {
    let sign = match report.bound {
        Bound::Exact => "",
        Bound::Lower => ">= ",
        Bound::Upper => "<= ",
    };
    format!("{sign}{}", score(report.score))
}

/// Returns chances as percentages.
fn chances(wdl: Wdl) -> String {
    let Wdl { win, draw, loss } = wdl;
    let percent = |share: u16| format!("{}.{} %", share / 10, share % 10);
    format!("win {}, draw {}, loss {}", percent(win), percent(draw), percent(loss))
}

/// Returns the board, the rules, the opening, the position as text, and the side to move or the end.
pub(super) fn described(position: &dyn Position, language: Language) -> String {
    let (spec, forbidden) = (position.spec(), language.text("board.forbidden", &[]));
    let board = drawing(position).replace("\nforbidden:", &format!("\n{forbidden}:"));
    let turn = match position.outcome() {
        Some(outcome) => language.ending(position, outcome),
        None => language.turn(position.turn(), Stones::of(spec)),
    };
    let opening = CATALOG.opening_name(position);
    let opening = opening.map_or(String::new(), |name| format!("{}\n", language.opening(name)));
    let (rules, fen) = (rules(spec, language), position.fen(false));
    format!("{}\n{}: {rules}\n{opening}{fen}\n{turn}", board.trim_end(), spec.variant)
}

/// Returns the rules of a game: in English whole, in another language the name of the game and its size.
pub(super) fn rules(spec: &GameSpec, language: Language) -> String {
    if language == Language::En { spec.rules.clone() } else { report::rules(spec, language) }
}

/// Returns the board with the last stone in brackets.
fn drawing(position: &dyn Position) -> String {
    let board = position.draw();
    let last = position.played().last().zip(position.spec().grid);
    match last.and_then(|(mv, notation)| Some((notation.point_of(*mv)?, notation.grid()))) {
        Some((point, grid)) => mark(&board, (grid.height() - 1 - point.row) as usize, point.column),
        None => board,
    }
}

/// Puts a cell of a drawing in brackets, which replace the blanks beside the cell.
fn mark(board: &str, line: usize, column: u32) -> String {
    let mark_line = |text: &str| {
        let at = 3 + 2 * column as usize;
        let (before, after) = (text.get(..at - 1)?, text.get(at + 1..)?);
        let rest = after.get(1..).unwrap_or_default();
        Some(format!("{before}[{}]{rest}", text.get(at..=at)?))
    };
    let lines = board.lines().enumerate().map(|(number, text)| {
        let marked = mark_line(text).filter(|_| number == line);
        marked.unwrap_or_else(|| text.to_owned())
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Writes a line.
pub(super) fn say(text: &str) -> io::Result<()> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{WRITE_FAILED}: {error}"));
    writeln!(io::stdout().lock(), "{}", printable(text)).map_err(named)
}

/// Writes a reply on a line.
pub(super) fn say_reply(reply: &Reply) -> io::Result<()> {
    say(&objects::line(reply)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_percentages() {
        let wdl = Wdl { win: 455, draw: 300, loss: 245 };
        assert_eq!(chances(wdl), "win 45.5 %, draw 30.0 %, loss 24.5 %");
    }

    #[test]
    fn the_last_stone_stands_in_brackets() {
        let board = " 2 . O\n 1 X .\n   a b";
        assert_eq!(mark(board, 0, 1), " 2 .[O]\n 1 X .\n   a b");
        assert_eq!(mark(board, 1, 0), " 2 . O\n 1[X].\n   a b");
    }
}
