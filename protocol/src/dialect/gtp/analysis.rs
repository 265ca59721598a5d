//! The analysis commands of Leela Zero and KataGo: their arguments and their lines.

use std::time::Duration;

use tengen_engine::{Answer, Move, Report, Score, Side, Wdl};

use super::args::{Args, point};
use super::vertex;
use crate::command::Request;
use crate::dialect::kind::BoardContext;

/// How many moves are ranked if the client does not say.
const USUAL_MOVES: u64 = 5;
/// The most moves that a client may have ranked.
const MOST_MOVES: u64 = 100;

/// The program whose line format an analysis has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// Leela Zero: `winrate` in hundredths of a per cent.
    LeelaZero,
    /// KataGo: `winrate` from 0 to 1.
    KataGo,
}

/// The arguments of an analysis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Wishes {
    /// The side to move; `None` if the client names none.
    pub(super) side: Option<Side>,
    /// The shortest time between two lines.
    pub(super) interval: Duration,
    /// How many moves are ranked.
    pub(super) moves: u64,
    /// The moves to search and those to leave out.
    pub(super) request: Request,
}

impl Wishes {
    /// Reads the words after the command.
    pub(super) fn read(args: &mut Args<'_>) -> Result<Self, String> {
        let side = args.optional_colour();
        let mut interval = args.optional_number().unwrap_or(0);
        let (mut moves, mut request) = (USUAL_MOVES, Request::default());
        while let Some(word) = args.next() {
            match word.to_ascii_lowercase().as_str() {
                "interval" => interval = args.number("interval", 0, 100_000)?,
                "minmoves" => moves = moves.max(args.number("minmoves", 0, MOST_MOVES)?),
                "maxmoves" => moves = args.number("maxmoves", 1, MOST_MOVES)?,
                known @ ("avoid" | "allow") => {
                    args.colour()?;
                    let list = args.word("the list of vertices")?;
                    let points = list.split(',').map(point).collect::<Result<Vec<_>, _>>()?;
                    // Only the first move is restricted, whatever the depth.
                    args.number("the depth", 1, 1000)?;
                    match known {
                        "avoid" => request.avoid_moves.extend(points),
                        _ => request.search_moves.extend(points),
                    }
                }
                // What KataGo adds to its lines on request, and Tengen does not have.
                "ownership" | "ownershipstdev" | "movesownership" | "pvvisits" | "pvedgevisits"
                | "rootinfo" | "noresultvalue" => {
                    args.word("true or false")?;
                }
                other => {
                    let other = tengen_engine::text::quotable(other);
                    return Err(format!(
                        "\"{other}\" is not an argument of this command: use interval N, minmoves N, maxmoves N, \
                         avoid COLOUR VERTICES DEPTH or allow COLOUR VERTICES DEPTH"
                    ));
                }
            }
        }
        Ok(Self {
            side,
            interval: Duration::from_millis(interval.saturating_mul(10)),
            moves,
            request,
        })
    }
}

/// The ranked moves of an analysis, gathered until a line is due.
#[derive(Debug)]
pub(super) struct Ranking {
    form: Form,
    interval: Duration,
    /// The words about each rank, of the newest reports.
    ranks: Vec<String>,
    /// The rank of the last report.
    last: usize,
    /// When the last line was written, as time since the start of the search.
    written: Option<Duration>,
    is_new: bool,
}

impl Ranking {
    pub(super) fn new(form: Form, interval: Duration) -> Self {
        Self { form, interval, ranks: Vec::new(), last: 0, written: None, is_new: false }
    }

    /// Takes a report. Returns a line if one is due: once an iteration has ranked all its moves.
    pub(super) fn note(
        &mut self,
        report: &Report<Move>,
        context: &BoardContext<'_>,
    ) -> Option<String> {
        // A new iteration begins, though the last one ranked fewer moves than asked for.
        let begins = report.line <= self.last;
        let before = begins.then(|| self.due(report.time)).flatten();
        self.last = report.line;
        if let Some(words) = words(report, self.form, context) {
            match self.ranks.get_mut(report.line.saturating_sub(1)) {
                Some(known) => *known = words,
                None => self.ranks.push(words),
            }
            self.is_new = true;
        }
        before.or_else(|| (report.line >= context.multi_pv).then(|| self.due(report.time))?)
    }

    /// Returns a line, if there is news and the interval has passed.
    fn due(&mut self, now: Duration) -> Option<String> {
        let is_late = self.written.is_none_or(|written| now >= written + self.interval);
        (self.is_new && is_late).then(|| self.take(now))
    }

    fn take(&mut self, now: Duration) -> String {
        (self.written, self.is_new) = (Some(now), false);
        self.ranks.join(" ")
    }

    /// Returns the last line, which begins with the move of the answer; `None` if it was written.
    pub(super) fn finish(
        &mut self,
        answer: &Answer<Move>,
        context: &BoardContext<'_>,
    ) -> Option<String> {
        if answer.has_unreported
            && let Some(words) = words(&answer.report, self.form, context)
        {
            let start = |words: &str| words.split(' ').take(3).collect::<Vec<_>>().join(" ");
            self.ranks.retain(|known| start(known) != start(&words));
            self.ranks.insert(0, words);
            self.is_new = true;
        }
        self.is_new.then(|| self.take(Duration::ZERO))
    }
}

/// Returns the words about one move; `None` if the report has no move.
fn words(report: &Report<Move>, form: Form, context: &BoardContext<'_>) -> Option<String> {
    let best = *report.pv.first()?;
    let order = report.line.saturating_sub(1);
    let mv = vertex::of_move(context.position, best);
    let (win, visits) = (winrate(report), report.nodes);
    let mut position = context.position.duplicate();
    let mut pv = Vec::new();
    for mv in &report.pv {
        pv.push(vertex::of_move(&*position, *mv));
        if position.play(*mv).is_err() {
            break;
        }
    }
    let pv = pv.join(" ");
    Some(match form {
        Form::LeelaZero => {
            let win = (10_000.0 * win).round() as u32;
            format!(
                "info move {mv} visits {visits} winrate {win} prior 0 lcb {win} order {order} pv {pv}"
            )
        }
        Form::KataGo => {
            let lead = f64::from(report.score.unproven().raw()) / 100.0;
            format!(
                "info move {mv} visits {visits} edgeVisits {visits} utility {:.4} winrate {win:.4} \
                 scoreMean {lead:.2} scoreStdev 0 scoreLead {lead:.2} scoreSelfplay {lead:.2} prior 0 \
                 lcb {win:.4} order {order} pv {pv}",
                2.0 * win - 1.0
            )
        }
    })
}

/// Returns the expected share of the side to move, from 0 to 1.
pub(super) fn winrate(report: &Report<Move>) -> f64 {
    if report.score.is_decisive() {
        return if report.score > Score::DRAW { 1.0 } else { 0.0 };
    }
    match report.wdl {
        Some(Wdl { win, draw, .. }) => (f64::from(win) + f64::from(draw) / 2.0) / 1000.0,
        None => match report.score.cmp(&Score::DRAW) {
            std::cmp::Ordering::Less => 0.25,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Greater => 0.75,
        },
    }
}
