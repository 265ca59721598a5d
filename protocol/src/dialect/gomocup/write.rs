//! Writes replies for Gomocup's managers and Yixin's analysis GUIs.
//!
//! Managers recognise a line by its first word, some by its first letter. So every line begins with
//! a keyword, and no message contains `name=`, which introduces an engine.

use tengen_engine::opening::{Act, Course, Decision, PendingKind};
use tengen_engine::{About, Answer, Move, Point, Report, Score};

use super::info::Detail;
use crate::client::EngineScore;
use crate::command::{GameReply, OpeningReply, OpeningStep, Reply, Xy};
use crate::dialect::kind::BoardContext;
use crate::dialect::uci::explanation;
use crate::judge::wdl_of_end;

/// Writes replies about a position.
pub(super) struct Writer<'a> {
    pub(super) context: &'a BoardContext<'a>,
    /// Whether the client is an analysis GUI: it sends rows before columns.
    pub(super) is_analysis: bool,
    pub(super) detail: Detail,
}

impl Writer<'_> {
    /// Passes each line of `reply` to `out`.
    pub(super) fn encode(&self, reply: &Reply, out: &mut dyn FnMut(String)) {
        match reply {
            Reply::Identity(about, _) => out(about_line(about)),
            Reply::Report(report) => self.report(report, out),
            Reply::Answer(answer) => self.answer(answer, out),
            Reply::Note(text) => text.lines().for_each(|line| out(format!("MESSAGE {line}"))),
            Reply::Refused(why) => out(format!("ERROR {why}")),
            Reply::Unknown(line) => out(format!("UNKNOWN command \"{line}\"")),
            Reply::Game(reply) => self.game_reply(reply, out),
            // This dialect has no commands for these.
            Reply::Ready
            | Reply::Done
            | Reply::Illegal(_)
            | Reply::WrongSide(_)
            | Reply::Perft(_)
            | Reply::Bench(_)
            | Reply::Status(_)
            | Reply::Text(_)
            | Reply::Help => {}
        }
    }

    fn game_reply(&self, reply: &GameReply, out: &mut dyn FnMut(String)) {
        let cell = |point: &Point| self.cell_of(*point);
        match reply {
            GameReply::Ok => out("OK".to_owned()),
            GameReply::Stone(point) => out(cell(point).to_string()),
            GameReply::Opening(reply) => match reply.step {
                OpeningStep::Swap2Board => out(self.swap2(&reply.decision)),
                OpeningStep::YixinSwap2(_) => self.yixin(reply, "SWAP2", ["YES", "NO"], out),
                OpeningStep::YixinSoosorv(..) => self.yixin(reply, "SOOSORV", ["Y", "N"], out),
            },
            GameReply::Forbidden(points) => {
                let cells = points.iter().map(cell);
                let cells: String = cells.map(|Xy { x, y }| format!("{x:02}{y:02}")).collect();
                out(format!("FORBID {cells}."));
            }
            GameReply::Evaluated(point, score) => {
                out(format!("DEBUG evaluate {}: {}", cell(point), value(*score)))
            }
            GameReply::Capacity { threads, table_mib } => {
                // The size is an exponent: the table has 2^exponent KiB.
                let exponent = table_mib.max(&1).ilog2() + 10;
                out(format!("MESSAGE INFO MAX_THREAD_NUM {threads}"));
                out(format!("MESSAGE INFO MAX_HASH_SIZE {exponent}"));
            }
        }
    }

    /// Writes a decision in answer to `SWAP2BOARD`.
    fn swap2(&self, decision: &Decision) -> String {
        if decision.acts.contains(&Act::Swap) {
            return "SWAP".to_owned();
        }
        let points = decision.acts.iter().filter_map(|act| match act {
            Act::Point(point) => Some(*point),
            _ => None,
        });
        let points: Vec<Point> = points.chain(decision.then).collect();
        match points.is_empty() {
            true => "ERROR there is nothing to play".to_owned(),
            false => self.cells(&points),
        }
    }

    /// Writes a decision as Yixin does, a `MESSAGE` for each act. `name` is the opening, and `words`
    /// stand for a swap and for none.
    fn yixin(
        &self,
        reply: &OpeningReply,
        name: &str,
        words: [&str; 2],
        out: &mut dyn FnMut(String),
    ) {
        let mut course = reply.before.clone();
        let mut say = |text: String| out(format!("MESSAGE {name} {text}"));
        let cell = |point| {
            let Xy { x, y } = self.cell_of(point);
            format!("{x} {y}")
        };
        let swaps = |course: &Course| {
            let earlier = course.acts().iter();
            earlier.filter(|act| matches!(act, Act::Swap | Act::Stay | Act::Other)).count()
        };
        let numbers = reply.decision.acts.iter().find_map(|act| match act {
            Act::Number(number) => Some(format!(" {number}")),
            _ => None,
        });
        let mut has_offered = false;
        for act in &reply.decision.acts {
            let stone = course.stones().len() + 1;
            let kind = course.pending().map(|pending| pending.kind);
            match (act, kind) {
                (Act::Swap, _) => say(format!("SWAP{} {}", swaps(&course) + 1, words[0])),
                (Act::Stay, _) => say(format!("SWAP{} {}", swaps(&course) + 1, words[1])),
                (Act::Point(point), Some(PendingKind::Offer { .. })) => {
                    if !std::mem::replace(&mut has_offered, true) {
                        say("MOVE5 REFRESH".to_owned());
                    }
                    say(format!("MOVE5 {}", cell(*point)));
                }
                (Act::Point(point), Some(PendingKind::Place { .. })) => {
                    let number = numbers.as_deref().filter(|_| stone == 4).unwrap_or_default();
                    say(format!("MOVE{stone} {}{number}", cell(*point)));
                }
                (Act::Point(point), _) => say(format!("MOVE5 C {}", cell(*point))),
                (Act::Other | Act::Number(_), _) => {}
            }
            if course.act(*act).is_err() {
                break;
            }
        }
        if has_offered {
            say("MOVE5 DONE".to_owned());
        }
    }

    fn answer(&self, answer: &Answer<Move>, out: &mut dyn FnMut(String)) {
        if answer.has_unreported {
            self.report(&answer.report, out);
        }
        if let Some(settled) = answer.settled.filter(|settled| !settled.is_of_move) {
            out(format!("MESSAGE {}", explanation(&settled)));
        }
        out(match answer.best.and_then(|mv| self.point_of(mv)) {
            Some(point) => self.cell_of(point).to_string(),
            None => "ERROR there is nothing to play".to_owned(),
        });
    }

    /// Writes a report as a `MESSAGE`, and the details that `INFO show_detail` asks for.
    fn report(&self, report: &Report<Move>, out: &mut dyn FnMut(String)) {
        let line: Vec<Point> = report.pv.iter().filter_map(|mv| self.point_of(*mv)).collect();
        out(self.message(report, &line));
        if self.detail.blocks {
            self.block(report, &line, out);
        }
        if self.detail.marks {
            self.marks(report, &line, out);
        }
    }

    fn message(&self, report: &Report<Move>, line: &[Point]) -> String {
        let Report { depth, seldepth, nodes, .. } = report;
        let is_ranked = self.context.multi_pv > 1;
        let rank = if is_ranked { format!("multipv {} ", report.line) } else { String::new() };
        let (speed, millis) = (report.nps() / 1000, report.time.as_millis());
        let (value, names) = (value(report.score), self.names(line));
        format!(
            "MESSAGE depth {depth}-{seldepth} {rank}ev {value} n {nodes} n/ms {speed} tm {millis} pv {names}"
        )
    }

    fn block(&self, report: &Report<Move>, line: &[Point], out: &mut dyn FnMut(String)) {
        let mut info = |key: &str, value: String| out(format!("INFO {key} {value}"));
        info("PV", report.line.saturating_sub(1).to_string());
        info("NUMPV", self.context.multi_pv.to_string());
        info("DEPTH", report.depth.to_string());
        info("SELDEPTH", report.seldepth.to_string());
        info("NODES", report.nodes.to_string());
        info("TOTALNODES", report.nodes.to_string());
        info("TOTALTIME", report.time.as_millis().to_string());
        info("SPEED", report.nps().to_string());
        info("EVAL", value(report.score));
        info("WINRATE", format!("{:.4}", win_rate(report)));
        info("BESTLINE", self.cells(line));
        info("PV", "DONE".to_owned());
    }

    fn marks(&self, report: &Report<Move>, line: &[Point], out: &mut dyn FnMut(String)) {
        let Some(first) = line.first().map(|point| self.cell_of(*point)) else { return };
        if report.line == 1 {
            out("MESSAGE REALTIME REFRESH".to_owned());
            out(format!("MESSAGE REALTIME BEST {first}"));
        }
        if report.score.is_loss() {
            out(format!("MESSAGE REALTIME LOSE {first}"));
        }
    }

    /// Returns the point of a move; `None` if the game has no grid.
    fn point_of(&self, mv: Move) -> Option<Point> {
        self.context.position.spec().grid?.point_of(mv)
    }

    /// Returns the cell of `point`, counted from the top left.
    fn cell_of(&self, point: Point) -> Xy {
        match self.context.position.spec().grid {
            Some(grid) => Xy::of(point, grid.grid()),
            None => Xy { x: point.column, y: point.row },
        }
    }

    fn cells(&self, points: &[Point]) -> String {
        let cells: Vec<String> =
            points.iter().map(|point| self.cell_of(*point).to_string()).collect();
        cells.join(" ")
    }

    /// Returns the moves of a `MESSAGE`: a letter for the column, and a number for the row, from 1
    /// at the top. An analysis GUI sends rows before columns, so there letters are rows from the
    /// top and numbers are columns from the right.
    fn names(&self, points: &[Point]) -> String {
        let rows = self.context.position.spec().size().map_or(0, |(_, rows)| rows);
        let name = |point: &Point| {
            let Xy { x, y } = self.cell_of(*point);
            let named = match self.is_analysis {
                true => Point { column: y, row: rows.saturating_sub(1 + x) },
                false => Point { column: x, row: y },
            };
            named.to_string().to_uppercase()
        };
        points.iter().map(name).collect::<Vec<_>>().join(" ")
    }
}

fn about_line(about: &About) -> String {
    let About { name, version, author, .. } = about;
    format!("name=\"{name}\", version=\"{version}\", author=\"{author}\", country=\"-\"")
}

/// Returns a score for the side to move: hundredths, or the plies to a win or loss.
fn value(score: Score) -> String {
    match EngineScore::from(score) {
        EngineScore::Units(units) => units.to_string(),
        end => end.to_string(),
    }
}

/// Returns the expected share of points of the side to move, from 0 to 1. A game without a model of
/// chances gives 0.5 while it is undecided.
fn win_rate(report: &Report<Move>) -> f64 {
    let wdl = report.wdl.unwrap_or_else(|| wdl_of_end(report.score));
    f64::from(wdl.expected()) / 1000.0
}
