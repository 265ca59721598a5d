//! Replies as Gomocup's managers and Yixin's boards read them.
//!
//! A line is told by its first word, sometimes by its first letter: there is no free text, and no
//! message holds the word that introduces an engine.

use tengen_engine::report::{Answer, Report};
use tengen_engine::score::Score;

use super::server::Detail;
use crate::AUTHOR;
use crate::command::{GameReply, Point, Reply, Swap};
use crate::dialect::kind::BoardContext;

/// What a score is divided by in the odds of a win, in hundredths.
const SCALE: f64 = 400.0;

/// To whom a search is told, and how much of it.
#[derive(Clone, Copy)]
pub(super) struct WriteOptions {
    /// Whether an analysis board reads it: its cells are rows and columns, not columns and rows.
    pub(super) is_analysed: bool,
    pub(super) detail: Detail,
}

/// Hands each line of `reply` to `out`.
pub(super) fn encode(
    reply: &Reply,
    context: &BoardContext,
    options: WriteOptions,
    out: &mut dyn FnMut(String),
) {
    match reply {
        Reply::Identity(_) => out(about()),
        Reply::Report(report) => tell(report, context, options, out),
        Reply::Answer(answer) => conclude(answer, context, options, out),
        Reply::Note(text) => text.lines().for_each(|line| out(format!("MESSAGE {line}"))),
        Reply::Refused(why) => out(format!("ERROR {why}")),
        Reply::Unknown(line) => out(format!("UNKNOWN command \"{line}\"")),
        Reply::Game(reply) => game_reply(reply, out),
        // Nobody who speaks so can ask for these.
        Reply::Ready
        | Reply::Perft(_)
        | Reply::Bench(_)
        | Reply::Status(_)
        | Reply::Text(_)
        | Reply::Help => {}
    }
}

fn about() -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!("name=\"Tengen\", version=\"{version}\", author=\"{AUTHOR}\", country=\"-\"")
}

fn game_reply(reply: &GameReply, out: &mut dyn FnMut(String)) {
    match reply {
        GameReply::Ok => out("OK".to_owned()),
        GameReply::Stone(point) => out(point.to_string()),
        GameReply::Swap(Swap::Sides) => out("SWAP".to_owned()),
        GameReply::Swap(Swap::Stones(points)) => out(cells(points)),
        GameReply::Forbidden(points) => {
            let cells: String = points.iter().map(|at| format!("{:02}{:02}", at.x, at.y)).collect();
            out(format!("FORBID {cells}."));
        }
        GameReply::Evaluated(point, score) => {
            out(format!("DEBUG evaluate {point}: {}", value(*score)))
        }
        GameReply::Capacity { threads, table_mib } => {
            // An exponent: so many KiB are two to the power of it.
            let exponent = table_mib.max(&1).ilog2() + 10;
            out(format!("MESSAGE INFO MAX_THREAD_NUM {threads}"));
            out(format!("MESSAGE INFO MAX_HASH_SIZE {exponent}"));
        }
    }
}

fn conclude(
    answer: &Answer<String>,
    context: &BoardContext,
    options: WriteOptions,
    out: &mut dyn FnMut(String),
) {
    if answer.news {
        tell(&answer.report, context, options, out);
    }
    let best = answer.best.as_deref().and_then(|name| Point::named(name, context.rows));
    match best {
        Some(point) => out(point.to_string()),
        None => out("ERROR there is nothing to play".to_owned()),
    }
}

/// A line of play, and what an analysis board wants to know of it.
fn tell(
    report: &Report<String>,
    context: &BoardContext,
    options: WriteOptions,
    out: &mut dyn FnMut(String),
) {
    let line: Vec<Point> =
        report.pv.iter().filter_map(|name| Point::named(name, context.rows)).collect();
    let names = names(&line, context, options);
    out(message(report, context, &names));
    if options.detail.blocks {
        block(report, context, &line, out);
    }
    if options.detail.marks {
        marks(report, &line, out);
    }
}

fn message(report: &Report<String>, context: &BoardContext, names: &str) -> String {
    let Report { depth, seldepth, nodes, .. } = report;
    let rank = if context.lines > 1 { format!("multipv {} ", report.line) } else { String::new() };
    let (speed, millis) = (report.nps() / 1000, report.time.as_millis());
    let value = value(report.score);
    format!(
        "MESSAGE depth {depth}-{seldepth} {rank}ev {value} n {nodes} n/ms {speed} tm {millis} pv {names}"
    )
}

fn block(
    report: &Report<String>,
    context: &BoardContext,
    line: &[Point],
    out: &mut dyn FnMut(String),
) {
    let mut info = |key: &str, value: String| out(format!("INFO {key} {value}"));
    info("PV", report.line.saturating_sub(1).to_string());
    info("NUMPV", context.lines.to_string());
    info("DEPTH", report.depth.to_string());
    info("SELDEPTH", report.seldepth.to_string());
    info("NODES", report.nodes.to_string());
    info("TOTALNODES", report.nodes.to_string());
    info("TOTALTIME", report.time.as_millis().to_string());
    info("SPEED", report.nps().to_string());
    info("EVAL", value(report.score));
    info("WINRATE", format!("{:.4}", odds(report.score)));
    info("BESTLINE", cells(line));
    info("PV", "DONE".to_owned());
}

fn marks(report: &Report<String>, line: &[Point], out: &mut dyn FnMut(String)) {
    let Some(first) = line.first() else { return };
    if report.line == 1 {
        out("MESSAGE REALTIME REFRESH".to_owned());
        out(format!("MESSAGE REALTIME BEST {first}"));
    }
    if report.score.is_loss() {
        out(format!("MESSAGE REALTIME LOSE {first}"));
    }
}

/// Hundredths for the side to move, or the plies to the end of a decided game.
fn value(score: Score) -> String {
    match score.plies() {
        None => score.raw().to_string(),
        Some(plies) if score.is_win() => format!("+M{plies}"),
        Some(plies) => format!("-M{plies}"),
    }
}

/// The odds of a win, from 0 to 1.
fn odds(score: Score) -> f64 {
    match () {
        () if score.is_win() => 1.0,
        () if score.is_loss() => 0.0,
        () => 1.0 / (1.0 + (-f64::from(score.raw()) / SCALE).exp()),
    }
}

fn cells(points: &[Point]) -> String {
    let cells: Vec<String> = points.iter().map(Point::to_string).collect();
    cells.join(" ")
}

/// Moves as the readers of messages spell them: a letter for the column and a number for the row,
/// from 1, which counts from the top; on an analysis board, from the bottom.
fn names(points: &[Point], context: &BoardContext, options: WriteOptions) -> String {
    let name = |point: &Point| {
        let name = if options.is_analysed {
            Point { x: point.y, y: point.x }.name(context.rows)
        } else {
            Point { x: point.x, y: 0 }.name(point.y + 1)
        };
        name.to_uppercase()
    };
    let names: Vec<String> = points.iter().map(name).collect();
    names.join(" ")
}
