//! Writes replies in UCI and UGI.

use std::fmt::Write as _;

use tengen_engine::backend::{BenchTotal, Perft};
use tengen_engine::options::{OptionKind, OptionSpec};
use tengen_engine::{
    About, Answer, Bound, Move, ProofSource, ProvenResult, Report, Score, Side, Wdl,
};

use crate::command::{GameStatus, Reply};
use crate::dialect::kind::BoardContext;

/// How an empty string is written.
const EMPTY: &str = "<empty>";

/// The words and habits in which UCI and UGI differ.
#[derive(Debug)]
pub(crate) struct Words {
    /// The name, with which other words begin: `uci`, `uciok`, `ucinewgame`.
    pub(crate) name: &'static str,
    /// The words of `go` for the remaining time of each side.
    pub(crate) times: [&'static str; 2],
    /// The words of `go` for the increment of each side.
    pub(crate) increments: [&'static str; 2],
    /// Whether it is UCI. In UCI `mate` counts moves of the side to move, an answer has the reply to
    /// ponder on, and an engine whose variant is set reads drops. In UGI `mate` counts plies.
    pub(crate) is_uci: bool,
    /// The lines of `help`.
    pub(crate) help: &'static str,
}

impl Words {
    pub(crate) const UCI: Self = Self {
        name: "uci",
        times: ["wtime", "btime"],
        increments: ["winc", "binc"],
        is_uci: true,
        help: include_str!("help.txt"),
    };
}

/// Passes each line of `reply` to `out`.
pub(crate) fn encode(
    reply: &Reply,
    words: &Words,
    context: &BoardContext<'_>,
    out: &mut dyn FnMut(String),
) {
    match reply {
        Reply::Identity(about, options) => identity(about, options, words, out),
        Reply::Ready => out("readyok".to_owned()),
        Reply::Report(report) => out(info(report, words, context)),
        Reply::Answer(answer) => best_move(answer, words, context, out),
        Reply::Perft(perft) => perft_lines(perft, context, out),
        Reply::Bench(total) => {
            if !total.complete {
                out("info string bench stopped before its end".to_owned());
            }
            out(total_line(total));
        }
        Reply::Note(text) | Reply::Refused(text) => {
            text.lines().for_each(|line| out(format!("info string {line}")));
        }
        Reply::Unknown(line) => out(format!("info string unknown command: \"{line}\"")),
        Reply::Status(status) => out(format!("response {}", response(status))),
        Reply::Text(lines) => lines.iter().for_each(|line| out(line.clone())),
        Reply::Help => words.help.lines().for_each(|line| out(line.to_owned())),
        // These dialects have no managed games, and no commands with these replies.
        Reply::Game(_) | Reply::Done | Reply::Illegal(_) | Reply::WrongSide(_) => {}
    }
}

/// Returns the word after `response`.
fn response(status: &GameStatus) -> &'static str {
    let truth = |yes| if yes { "true" } else { "false" };
    match status {
        GameStatus::FirstToMove(yes) | GameStatus::Over(yes) => truth(*yes),
        GameStatus::Result(None) => "none",
        GameStatus::Result(Some(None)) => "draw",
        GameStatus::Result(Some(Some(Side::First))) => "p1win",
        GameStatus::Result(Some(Some(Side::Second))) => "p2win",
    }
}

fn identity(about: &About, options: &[OptionSpec], words: &Words, out: &mut dyn FnMut(String)) {
    out(format!("id name {}", about.product()));
    out(format!("id author {}", about.author));
    options.iter().for_each(|option| out(option_line(option)));
    out(format!("{}ok", words.name));
}

fn option_line(option: &OptionSpec) -> String {
    let name = option.name;
    match &option.kind {
        OptionKind::Spin { default, min, max } => {
            format!("option name {name} type spin default {default} min {min} max {max}")
        }
        OptionKind::Check { default } => format!("option name {name} type check default {default}"),
        OptionKind::Combo { default, values } => {
            let values: String = values.iter().map(|value| format!(" var {value}")).collect();
            format!("option name {name} type combo default {default}{values}")
        }
        OptionKind::Text { default } => {
            let default = if default.is_empty() { EMPTY } else { default };
            format!("option name {name} type string default {default}")
        }
        OptionKind::Button => format!("option name {name} type button"),
    }
}

fn info(report: &Report<Move>, words: &Words, context: &BoardContext<'_>) -> String {
    let millis = report.time.as_millis();
    let score = score(report.score, words.is_uci);
    if report.pv.is_empty() {
        let Report { depth, nodes, .. } = report;
        return format!("info depth {depth} score {score} nodes {nodes} time {millis}");
    }
    let bound = match report.bound {
        Bound::Exact => "",
        Bound::Lower => " lowerbound",
        Bound::Upper => " upperbound",
    };
    let wdl = report.wdl.filter(|_| context.shows_wdl).map_or(String::new(), |wdl| {
        let Wdl { win, draw, loss } = wdl;
        format!(" wdl {win} {draw} {loss}")
    });
    let mut line = format!(
        "info depth {} seldepth {} multipv {} score {score}{bound}{wdl} nodes {} nps {} hashfull {} tbhits {} time {millis} pv",
        report.depth,
        report.seldepth,
        report.line,
        report.nodes,
        report.nps(),
        report.hashfull,
        report.probe_hits,
    );
    for mv in context.write_line(&report.pv) {
        line.push(' ');
        line.push_str(&mv);
    }
    line
}

/// Returns the words after `score`. A mate is in moves of the side to move, rounded up, if
/// `counts_moves`, else in plies.
fn score(score: Score, counts_moves: bool) -> String {
    let Some(plies) = score.plies() else { return format!("cp {}", score.raw()) };
    let length = if counts_moves { plies.div_ceil(2) } else { plies };
    match (score.is_win(), length) {
        // `mate 0` means a loss, so a game that is already won is `mate 1`.
        (true, length) => format!("mate {}", length.max(1)),
        (false, 0) => "mate 0".to_owned(),
        (false, length) => format!("mate -{length}"),
    }
}

fn best_move(
    answer: &Answer<Move>,
    words: &Words,
    context: &BoardContext<'_>,
    out: &mut dyn FnMut(String),
) {
    if answer.has_unreported {
        out(info(&answer.report, words, context));
    }
    if let Some(settled) = &answer.settled {
        out(format!("info string {}", explanation(settled)));
    }
    let moves: Vec<Move> = answer.best.into_iter().chain(answer.ponder).collect();
    let mut moves = context.write_line(&moves).into_iter();
    let mut line = format!("bestmove {}", moves.next().as_deref().unwrap_or("(none)"));
    if let Some(ponder) = moves.next().filter(|_| words.is_uci) {
        let _ = write!(line, " ponder {ponder}");
    }
    out(line);
}

/// Returns a human-readable line that says what is proven, and by what.
pub fn explanation(settled: &ProvenResult) -> String {
    let winner = match settled.winner {
        Some(Side::First) => "first player wins",
        Some(Side::Second) => "second player wins",
        None => "drawn",
    };
    let length = settled.plies.map_or(String::new(), |plies| match plies {
        1 => " in 1 ply".to_owned(),
        _ if settled.source == ProofSource::Proof => format!(" in at most {plies} plies"),
        _ => format!(" in {plies} plies"),
    });
    let guess = if settled.is_of_move { "" } else { "; the best move is not proven" };
    format!("{winner}{length}, proven by {}{guess}", settled.source.name())
}

fn perft_lines(perft: &Perft, context: &BoardContext<'_>, out: &mut dyn FnMut(String)) {
    if !perft.complete {
        return out("info string perft stopped before its end".into());
    }
    for (mv, count) in &perft.divide {
        out(format!("{}: {count}", context.write_move(*mv)));
    }
    out(format!("Nodes searched: {}", perft.nodes));
}

/// Returns the last line of a bench: its nodes and nodes per second.
pub fn total_line(total: &BenchTotal) -> String {
    let micros = total.time.as_micros().max(1);
    let speed = u128::from(total.nodes) * 1_000_000 / micros;
    format!("{} nodes {speed} nps", total.nodes)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tengen_engine::Style;

    use super::*;
    use crate::session::tests::fake::{changed, position_on, typed_on};

    fn lines(reply: &Reply) -> Vec<String> {
        let mut lines = Vec::new();
        let position = position_on(15);
        let context = BoardContext {
            position: &*position,
            style: Style::Plain,
            multi_pv: 1,
            shows_wdl: true,
        };
        encode(reply, &Words::UCI, &context, &mut |line| lines.push(line));
        lines
    }

    fn line_of(report: Report<Move>) -> String {
        lines(&Reply::Report(report)).remove(0)
    }

    fn report() -> Report<Move> {
        changed(Report::blank(Score::heuristic(-34), None), |report| {
            (report.depth, report.seldepth, report.line) = (5, 9, 2);
            (report.nodes, report.time) = (3000, Duration::from_micros(2999));
            (report.hashfull, report.probe_hits) = (7, 1);
            report.pv = vec![typed_on(15, "h8"), typed_on(15, "i9")];
        })
    }

    /// Returns the answer h8 whose last report, `report`, was already sent.
    fn answer_to(report: Report<Move>) -> Answer<Move> {
        changed(Answer::blank(report.score, Some(typed_on(15, "h8"))), |it| {
            (it.report, it.has_unreported) = (report, false);
        })
    }

    #[test]
    fn info_has_its_fields_in_the_order_that_clients_expect() {
        let tail = "nodes 3000 nps 1000333 hashfull 7 tbhits 1 time 2 pv h8 i9";
        let line = |score: &str| format!("info depth 5 seldepth 9 multipv 2 score {score} {tail}");
        assert_eq!(line_of(report()), line("cp -34"));
        let bounded = |bound| line_of(changed(report(), |report| report.bound = bound));
        assert_eq!(bounded(Bound::Lower), line("cp -34 lowerbound"));
        assert_eq!(bounded(Bound::Upper), line("cp -34 upperbound"));
        let wdl = Some(Wdl { win: 20, draw: 30, loss: 950 });
        let with_wdl = changed(report(), |report| report.wdl = wdl);
        assert_eq!(line_of(with_wdl), line("cp -34 wdl 20 30 950"));
    }

    #[test]
    fn mates_are_counted_in_moves_of_the_side_to_move_rounded_up() {
        for (plies, text) in
            [(0, "mate 1"), (1, "mate 1"), (2, "mate 1"), (3, "mate 2"), (5, "mate 3")]
        {
            assert_eq!(score(Score::win_in(plies), true), text);
        }
        for (plies, text) in [(0, "mate 0"), (2, "mate -1"), (4, "mate -2")] {
            assert_eq!(score(Score::loss_in(plies), true), text);
        }
        assert_eq!(score(Score::DRAW, true), "cp 0");
    }

    #[test]
    fn info_without_moves_is_short() {
        let answer = Answer::blank(Score::loss_in(0), None);
        assert_eq!(
            lines(&Reply::Answer(answer)),
            ["info depth 0 score mate 0 nodes 0 time 0", "bestmove (none)"]
        );
    }

    #[test]
    fn the_answer_sends_the_last_report_only_if_it_was_not_sent() {
        let answer = changed(answer_to(report()), |it| it.ponder = Some(typed_on(15, "i9")));
        assert_eq!(lines(&Reply::Answer(answer.clone())), ["bestmove h8 ponder i9"]);
        let unreported = changed(answer, |it| (it.has_unreported, it.ponder) = (true, None));
        assert_eq!(lines(&Reply::Answer(unreported))[1], "bestmove h8");
    }

    #[test]
    fn a_proven_result_is_explained_before_the_move() {
        let solver = ProofSource::Solver("threat search (VCF or VCT)");
        let settled = |winner, plies, source| ProvenResult::new(winner, plies, source);
        let mut of_position = settled(Some(Side::First), Some(15), ProofSource::Book);
        of_position.is_of_move = false;
        for (settled, text) in [
            (
                of_position,
                "first player wins in 15 plies, proven by the opening book; the best move is not proven",
            ),
            (
                settled(Some(Side::First), Some(13), solver),
                "first player wins in 13 plies, proven by threat search (VCF or VCT)",
            ),
            (
                settled(Some(Side::Second), Some(1), ProofSource::Search),
                "second player wins in 1 ply, proven by search",
            ),
            (settled(None, None, ProofSource::Book), "drawn, proven by the opening book"),
        ] {
            let answer = changed(answer_to(report()), |it| it.settled = Some(settled));
            let expected = [format!("info string {text}"), "bestmove h8".to_owned()];
            assert_eq!(lines(&Reply::Answer(answer)), expected);
        }
    }

    #[test]
    fn options_are_declared_as_clients_parse_them() {
        let option = |name, kind| option_line(&OptionSpec::new(name, kind));
        assert_eq!(
            option("Hash", OptionKind::Spin { default: 64, min: 1, max: 128 }),
            "option name Hash type spin default 64 min 1 max 128"
        );
        assert_eq!(option("Clear Hash", OptionKind::Button), "option name Clear Hash type button");
        assert_eq!(
            option("Debug Log File", OptionKind::Text { default: "" }),
            "option name Debug Log File type string default <empty>"
        );
        assert_eq!(
            option("Notation", OptionKind::Combo { default: "a", values: vec!["a", "b"] }),
            "option name Notation type combo default a var a var b"
        );
        assert_eq!(
            option("Ponder", OptionKind::Check { default: false }),
            "option name Ponder type check default false"
        );
    }

    #[test]
    fn perft_ends_with_the_sum_unless_stopped() {
        let perft = changed(Perft::default(), |it| {
            it.divide = vec![(typed_on(15, "a1"), 3), (typed_on(15, "b1"), 4)];
            (it.nodes, it.complete) = (7, true);
        });
        assert_eq!(lines(&Reply::Perft(perft.clone())), ["a1: 3", "b1: 4", "Nodes searched: 7"]);
        let stopped = lines(&Reply::Perft(changed(perft, |it| it.complete = false)));
        assert_eq!(stopped, ["info string perft stopped before its end"]);
    }

    #[test]
    fn a_bench_ends_with_its_signature() {
        let total = changed(BenchTotal::default(), |it| {
            (it.nodes, it.time, it.complete) = (1000, Duration::from_millis(2), true);
        });
        assert_eq!(lines(&Reply::Bench(total)), ["1000 nodes 500000 nps"]);
    }

    #[test]
    fn every_line_of_a_note_is_an_info_string() {
        let note = Reply::Note("one\ntwo".into());
        assert_eq!(lines(&note), ["info string one", "info string two"]);
    }
}
