//! Sentences about a [`Reason`], in the languages of the page. The words of the rules and sides are those of the page.

use tengen_engine::threats::Threats;
use tengen_engine::{Move, Point};

use super::{Hold, Key, KeyKind, Means, Reason, ReasonKind};
use crate::judge::language::{Language, Stones};

/// The moves of a line that a sentence shows.
const SHOWN_MOVES: usize = 9;

impl Language {
    /// Returns why the move `mv` is bad, or wins. `stones` are those of the game.
    pub fn reason(self, reason: &Reason, mv: &str, stones: Stones) -> String {
        let side = self.side(reason.side, stones);
        let line = shown(&reason.line);
        let (points, stops) = (list(&reason.points), self.either(&reason.stops));
        let n = reason.moves_of_winner().unwrap_or(0).to_string();
        let lost = (reason.lost / 10).to_string();
        let rule = self.rule(reason.rule, &reason.lines);
        let values = [
            ("move", mv),
            ("side", &side),
            ("first", reason.line.first().map_or("", String::as_str)),
            ("line", &line),
            ("n", &n),
            ("points", &points),
            ("stops", &stops),
            ("rule", &rule),
            ("lost", &lost),
            ("row", &reason.points.first().map_or(String::new(), |point| self.row(*point))),
        ];
        let main = self.counted(main_key(reason), reason.points.len(), &values);
        let main = main.replace("\u{2026}.", "\u{2026}");
        // A sentence about a move that is not shown would be a riddle.
        let is_shown = |key: &&Key| line.split(' ').any(|mv| mv == key.point.to_string());
        let key = reason.key.as_ref().filter(is_shown).map(|key| self.key(key));
        let stops_key = match reason.kind {
            ReasonKind::LeavesThree => "reason.stops.three",
            _ => "reason.stops.fours",
        };
        let is_four = reason.kind == ReasonKind::LeavesFour;
        let stops = (!stops.is_empty() && !is_four).then(|| self.text(stops_key, &values));
        let needed = (is_four && !rule.is_empty()).then(|| self.text("reason.needed", &values));
        let hold = reason.hold.map(|hold| self.hold(hold, &side));
        let is_more = reason.is_drawn && reason.kind != ReasonKind::Draws;
        let draws = is_more.then(|| self.text("reason.draws", &values));
        [Some(main), key, hold, stops, needed, draws]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(self.gap())
    }

    /// Returns points of which one is enough.
    fn either(self, points: &[Point]) -> String {
        match points {
            [first @ .., last] if !first.is_empty() => {
                format!("{}{}{last}", list(first), self.text("reason.or", &[]))
            }
            points => list(points),
        }
    }

    /// Returns what decides a line.
    fn key(self, key: &Key) -> String {
        let (point, threats) = (key.point.to_string(), list(&key.threats));
        let rule = self.rule(key.rule, &key.lines);
        let name = match key.kind {
            KeyKind::TwoPoints => "reason.key.two",
            KeyKind::FourThree => "reason.key.four_three",
            KeyKind::Stacked => "reason.key.stacked",
            KeyKind::ForbiddenAnswer => "reason.key.forbidden",
            KeyKind::Zugzwang => "reason.key.zugzwang",
        };
        self.text(name, &[("point", &point), ("threats", &threats), ("rule", &rule)])
    }

    /// Returns a point that the rule of zugzwang gives to `side`.
    fn hold(self, Hold { point, made_by }: Hold, side: &str) -> String {
        let (key, made_by) = match made_by {
            Some(made_by) => ("reason.hold.makes", made_by.to_string()),
            None => ("reason.hold.has", String::new()),
        };
        let (row, point) = (self.row(point), point.to_string());
        self.text(key, &[("move", &made_by), ("point", &point), ("row", &row), ("side", side)])
    }

    /// Returns whether the row of a point is odd or even.
    fn row(self, point: Point) -> String {
        self.text(if point.row.is_multiple_of(2) { "row.odd" } else { "row.even" }, &[])
    }

    /// Returns the name of a rule with the ends of the lines that break it, such as `double-three: h7-j7, j5-j7`.
    pub(in crate::judge) fn rule(self, rule: &str, lines: &[Vec<Point>]) -> String {
        if rule.is_empty() {
            return String::new();
        }
        let ends =
            lines.iter().filter_map(|line| Some(format!("{}-{}", line.first()?, line.last()?)));
        let lines = ends.collect::<Vec<_>>().join(", ");
        let name = self.text(&format!("why.{rule}"), &[]);
        if lines.is_empty() { name } else { format!("{name}: {lines}") }
    }

    /// Returns what a side threatens, a line each. `is_mover` is whether it is to move; `write` writes a move.
    pub(crate) fn threats(
        self,
        threats: &Threats,
        is_mover: bool,
        stones: Stones,
        write: &dyn Fn(Move) -> String,
    ) -> Vec<String> {
        let heading = if is_mover { "threats.turn" } else { "threats.passed" };
        let mut lines = vec![self.text(heading, &[("side", &self.side(threats.side, stones))])];
        for group in threats.moves.chunk_by(|one, next| one.kind == next.kind) {
            let points: Vec<String> = group.iter().map(|threat| write(threat.mv)).collect();
            let kind = self.text(threat_key(group[0].kind), &[]);
            lines.push(format!("  {}: {kind}", points.join(", ")));
        }
        let wins = threats.moves.iter().filter_map(|threat| threat.win.as_ref());
        lines.extend(wins.filter(|win| win.plies > 1).map(|win| {
            let line: Vec<String> = win.line.iter().map(|mv| write(*mv)).collect();
            let (line, n) = (shown(&line), win.plies.div_ceil(2).to_string());
            let first = line.split(' ').next().unwrap_or_default();
            let values = [("first", first), ("line", line.as_str()), ("n", &n)];
            format!("  {}", self.text("reason.misses.fours", &values))
        }));
        let rest = [(lines.len() == 1, "threats.nothing"), (!threats.is_complete, "threats.open")];
        let rest = rest.iter().filter(|(holds, _)| *holds);
        lines.extend(rest.map(|(_, key)| format!("  {}", self.text(key, &[]))));
        lines
    }

    /// Returns what stands between sentences.
    pub const fn gap(self) -> &'static str {
        match self {
            Self::Zh | Self::Ja => "",
            _ => " ",
        }
    }
}

/// Returns the key of the game's name for a threat.
fn threat_key(kind: &str) -> &'static str {
    match kind {
        "five" => "threat.5",
        "open four or double-four" => "threat.4+",
        "four and open three" => "threat.43",
        "two open threes" => "threat.33",
        "open three" => "threat.3",
        _ => "threat.4",
    }
}

const fn main_key(reason: &Reason) -> &'static str {
    match (reason.kind, reason.by) {
        (ReasonKind::Forbidden, _) => "reason.forbidden",
        (ReasonKind::MissesWin | ReasonKind::Wins, Some(Means::AtOnce)) => "reason.misses.at_once",
        (ReasonKind::MissesWin | ReasonKind::Wins, Some(Means::Fours)) => "reason.misses.fours",
        (ReasonKind::MissesWin | ReasonKind::Wins, Some(Means::Threes)) => "reason.misses.threes",
        (ReasonKind::MissesWin | ReasonKind::Wins, Some(Means::Search)) => "reason.misses.search",
        (ReasonKind::MissesWin, None) => "reason.misses.proven",
        (ReasonKind::Wins, None) => "reason.wins.proven",
        (ReasonKind::PutsBelow, _) => "reason.below",
        (ReasonKind::LeavesFour, _) if reason.points.len() > 1 => "reason.four.two",
        (ReasonKind::LeavesFour, _) => "reason.four",
        (ReasonKind::LeavesThree, _) => "reason.three",
        (ReasonKind::GivesUpThreat, _) => "reason.gives_up",
        (ReasonKind::AllowsWin, Some(Means::Fours)) => "reason.allows.fours",
        (ReasonKind::AllowsWin, Some(Means::Threes)) => "reason.allows.threes",
        (ReasonKind::AllowsWin, Some(Means::AtOnce | Means::Search)) => "reason.allows.search",
        (ReasonKind::AllowsWin, None) => "reason.allows.proven",
        (ReasonKind::WasLost, _) => "reason.was_lost",
        (ReasonKind::Draws, _) => "reason.draws",
        (ReasonKind::Quiet, _) if reason.lost < 10 => "reason.quiet.none",
        (ReasonKind::Quiet, _) => "reason.quiet",
    }
}

fn list(points: &[Point]) -> String {
    points.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Returns the moves of a line; of a long one the first.
fn shown(line: &[String]) -> String {
    match line {
        [first @ .., _] if first.len() >= SHOWN_MOVES => {
            format!("{} \u{2026}", line[..SHOWN_MOVES].join(" "))
        }
        _ => line.join(" "),
    }
}
