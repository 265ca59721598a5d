//! Sentences about a [`Reason`], in the languages of the page. The words of the rules and sides are those of the page.

use tengen_engine::Point;

use super::{Key, KeyKind, Means, Reason, ReasonKind};
use crate::judge::language::{Language, Stones};

/// The moves of a line that a sentence shows.
const SHOWN_MOVES: usize = 9;

impl Language {
    /// Returns why the move `mv` is bad. `stones` are those of the game.
    pub fn reason(self, reason: &Reason, mv: &str, stones: Stones) -> String {
        let side = self.side(reason.side, stones);
        let line = shown(&reason.line);
        let (points, stops) = (list(&reason.points), list(&reason.stops));
        let n = reason.moves_of_winner().unwrap_or(0).to_string();
        let lost = (reason.lost / 10).to_string();
        let rule = self.rule(reason.rule);
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
        ];
        let main = self.text(main_key(reason), &values);
        let main = main.replace("\u{2026}.", "\u{2026}").replace("\u{2026}\u{3002}", "\u{2026}");
        // A sentence about a move that is not shown would be a riddle.
        let is_shown = |key: &&Key| line.split(' ').any(|mv| mv == key.point.to_string());
        let key = reason.key.as_ref().filter(is_shown).map(|key| self.key(key));
        let stops_key = match reason.kind {
            ReasonKind::LeavesThree => "reason.stops.three",
            _ => "reason.stops.fours",
        };
        let has_stops = !stops.is_empty() && reason.kind != ReasonKind::LeavesFour;
        let stops = has_stops.then(|| self.text(stops_key, &values));
        [Some(main), key, stops].into_iter().flatten().collect::<Vec<_>>().join(self.gap())
    }

    /// Returns what decides a line.
    fn key(self, key: &Key) -> String {
        let (point, threats) = (key.point.to_string(), list(&key.threats));
        let rule = self.rule(key.rule);
        let name = match key.kind {
            KeyKind::TwoPoints => "reason.key.two",
            KeyKind::FourThree => "reason.key.four_three",
            KeyKind::ForbiddenAnswer => "reason.key.forbidden",
            KeyKind::Zugzwang => "reason.key.zugzwang",
        };
        self.text(name, &[("point", &point), ("threats", &threats), ("rule", &rule)])
    }

    fn rule(self, rule: &str) -> String {
        if rule.is_empty() { String::new() } else { self.text(&format!("why.{rule}"), &[]) }
    }

    /// Returns what stands between sentences.
    const fn gap(self) -> &'static str {
        match self {
            Self::Zh | Self::Ja => "",
            _ => " ",
        }
    }
}

const fn main_key(reason: &Reason) -> &'static str {
    match (reason.kind, reason.by) {
        (ReasonKind::Forbidden, _) => "reason.forbidden",
        (ReasonKind::MissesWin, Some(Means::AtOnce)) => "reason.misses.at_once",
        (ReasonKind::MissesWin, Some(Means::Fours)) => "reason.misses.fours",
        (ReasonKind::MissesWin, Some(Means::Threes)) => "reason.misses.threes",
        (ReasonKind::MissesWin, Some(Means::Search)) => "reason.misses.search",
        (ReasonKind::MissesWin, None) => "reason.misses.proven",
        (ReasonKind::PutsBelow, _) => "reason.below",
        (ReasonKind::LeavesFour, _) => "reason.four",
        (ReasonKind::LeavesThree, _) => "reason.three",
        (ReasonKind::GivesUpThreat, _) => "reason.gives_up",
        (ReasonKind::AllowsWin, Some(Means::Fours)) => "reason.allows.fours",
        (ReasonKind::AllowsWin, Some(Means::Threes)) => "reason.allows.threes",
        (ReasonKind::AllowsWin, Some(Means::AtOnce | Means::Search)) => "reason.allows.search",
        (ReasonKind::AllowsWin, None) => "reason.allows.proven",
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
