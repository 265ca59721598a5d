//! Draws the panel beside the board: players, chances, best moves and the list of moves.

use std::time::Duration;

use ratatui::style::Stylize;
use ratatui::text::{Line, Span};
use tengen_engine::{Grade, Side, Style};

use crate::app::App;
use crate::game::{Player, side_name};
use crate::look::Look;
use crate::search_summary::percent;
use crate::sentences;
use crate::view::board::move_loss;
use crate::view::style::Theme;

/// Returns the lines of the panel with `width` columns and `height` rows.
pub(crate) fn lines(
    app: &App,
    look: Look,
    (width, height): (u16, u16),
    now: Duration,
) -> Vec<Line<'static>> {
    let falls = app.game().spec().grid.is_some_and(|notation| notation.falls());
    let panel = Panel { app, look, theme: Theme::new(look, falls), width: usize::from(width), now };
    let mut lines = panel.players();
    lines.extend(panel.chances());
    lines.extend(panel.chance_history());
    lines.extend(panel.best_moves(usize::from(height)));
    let room = usize::from(height).saturating_sub(lines.len());
    lines.extend(panel.moves(room));
    lines.truncate(usize::from(height));
    lines
}

struct Panel<'a> {
    app: &'a App,
    look: Look,
    theme: Theme,
    width: usize,
    now: Duration,
}

impl Panel<'_> {
    fn players(&self) -> Vec<Line<'static>> {
        let game = self.app.game();
        let clocks = self.app.game_clocks(self.now);
        let line = |side: Side| {
            let is_to_move = game.ending().is_none() && game.position().turn() == side;
            let sign = if is_to_move { ">" } else { " " };
            let stone = self.look.stone(side);
            let name = side_name(game.spec(), side);
            let time = self.app.time_left(side, self.now).filter(|_| clocks.is_none());
            let time = time.map_or(String::new(), |left| format!("  {} s", left.as_secs()));
            let level = self.app.level;
            let players = match sentences::player_name(game, side).filter(|_| game.has_sides()) {
                Some("Tengen") => [format!(", Tengen level {level}"), format!(", level {level}")],
                Some(player) => [format!(", {player}"), format!(", {player}")],
                None => [String::new(), String::new()],
            };
            let texts = players.map(|player| format!("{name}{player}{time}"));
            // A sign, the stone and blanks come before the text.
            let text = self.fitting(&texts, 5);
            let text = Span::raw(text.to_owned());
            let text = if is_to_move { text.bold() } else { text };
            Line::from(vec![
                Span::raw(sign),
                Span::styled(format!(" {stone} "), self.theme.stone(side)),
                Span::raw(" "),
                text,
            ])
        };
        let mut lines = vec![line(Side::First), line(Side::Second)];
        if let Some(clocks) = clocks {
            lines.extend(self.wrapped(&sentences::clocks(game, clocks), ", "));
        }
        if !game.has_sides() {
            let title = game.opening().map_or("Opening", |course| course.rule().title);
            lines.push(Line::raw(format!("  {title}: sides are open")));
        }
        lines
    }

    /// Returns a bar of the first player's expected share; `None` if the analysis has none.
    fn chances(&self) -> Option<Line<'static>> {
        let summary = self.app.analysis()?;
        let share = summary.best()?.expected()?;
        let is_first = self.app.game().position().turn() == Side::First;
        let share = if is_first { share } else { 1000 - share };
        let name = side_name(self.app.game().spec(), Side::First);
        let label = format!(" {} % {name}", percent(share));
        let room = self.width.saturating_sub(2 + label.len()).clamp(4, 20);
        let filled = (usize::from(share) * room + 500) / 1000;
        let (full, empty) = if self.look.is_ascii { ("#", "-") } else { ("█", "░") };
        let bar = format!("{}{}", full.repeat(filled), empty.repeat(room - filled));
        Some(Line::raw(format!("  {bar}{label}")))
    }

    /// Returns the first player's expected share in each searched position, as digits from 0 to 9
    /// or as bars.
    fn chance_history(&self) -> Option<Line<'static>> {
        const BARS: [&str; 10] = [" ", "▁", "▂", "▃", "▄", "▄", "▅", "▆", "▇", "█"];
        let shares = self.app.chances();
        let known = shares.iter().flatten().count();
        if known < 3 {
            return None;
        }
        let room = self.width.saturating_sub(11).max(4);
        let sign = |share: &Option<u16>| match share {
            Some(share) if self.look.is_ascii => (share / 100).min(9).to_string(),
            Some(share) => BARS[usize::from(share / 100).min(9)].to_owned(),
            None => ".".to_owned(),
        };
        let from = shares.len().saturating_sub(room);
        let bars: String = shares[from..].iter().map(sign).collect();
        let name = side_name(self.app.game().spec(), Side::First);
        Some(Line::raw(format!("  {name:<6} {bars}")))
    }

    fn best_moves(&self, height: usize) -> Vec<Line<'static>> {
        if let Some(review) = self.app.review() {
            let (done, all) = review.progress();
            let depth = review.depth().map_or_else(String::new, |depth| format!(", {depth}"));
            let heads = [
                format!("  Review: {done} of {all} positions{depth}"),
                format!("  Review: {done} of {all}{depth}"),
            ];
            return vec![Line::raw(self.fitting(&heads, 0).to_owned())];
        }
        if !self.app.analyses {
            return Vec::new();
        }
        let Some(summary) = self.app.analysis().filter(|it| !it.lines.is_empty()) else {
            let text = if self.app.game().ending().is_some() { "" } else { "  Searching" };
            return vec![Line::styled("Best moves", self.theme.title()), Line::raw(text)];
        };
        let state = if summary.is_complete { ", done" } else { "" };
        let speed = count(summary.nodes);
        let depth = summary.depth;
        let heads = [
            format!("Best moves: depth {depth}, {speed} nodes{state}"),
            format!("Best: depth {depth}, {speed}{state}"),
        ];
        let head = self.fitting(&heads, 0).to_owned();
        let mut lines = vec![Line::styled(head, self.theme.title())];
        // Leaves rows for the list of moves.
        let most = (height / 2).max(1);
        for (rank, line) in summary.lines.iter().take(most).enumerate() {
            let names = self.app.game().position().write_line(&line.moves, Style::Plain);
            let value = format!("{:>4}", line.short());
            // Only whole moves are shown: a coordinate that is cut names another point.
            let mut text = format!("{:>2}", rank + 1);
            for name in names {
                if value.chars().count() + text.len() + 1 + name.len() > self.width {
                    break;
                }
                text += &format!(" {name}");
            }
            lines.push(Line::from(vec![
                Span::styled(value, self.theme.value(move_loss(rank, line, &summary.lines[0]))),
                Span::raw(text),
            ]));
        }
        lines
    }

    /// Returns the moves around the current one, two in a row.
    fn moves(&self, room: usize) -> Vec<Line<'static>> {
        let tree = self.app.game().tree();
        let line = tree.whole_line();
        if room < 2 || line.is_empty() {
            return Vec::new();
        }
        let rows = line.len().div_ceil(2);
        let here = tree.ply();
        let shown = room - 1;
        let current = here.saturating_sub(1) / 2;
        let first = current.saturating_sub(shown / 2).min(rows.saturating_sub(shown));
        let mut lines = vec![Line::styled("Moves", self.theme.title())];
        for row in first..rows.min(first + shown) {
            let mut spans = vec![Span::raw(format!("{:>4} ", 2 * row + 1))];
            for index in [2 * row, 2 * row + 1] {
                let Some(&id) = line.get(index) else { continue };
                let name = tree.played(id).map_or("", |played| played.name.as_str());
                let grade = self.app.grade(id);
                let beside = if tree.parent(id).is_some_and(|it| tree.children(it).len() > 1) {
                    "+"
                } else {
                    ""
                };
                let text = format!("{name}{}{beside}", grade.sign());
                let cell =
                    if index + 1 == here { format!("<{text}>") } else { format!(" {text} ") };
                let span = Span::raw(format!("{cell:<9}"));
                let is_marked = index + 1 == here || grade >= Grade::Mistake;
                spans.push(if is_marked { span.bold() } else { span });
            }
            lines.push(Line::from(spans));
        }
        lines
    }

    /// Returns the first text that fits beside `before` other columns, or else the last one.
    fn fitting<'t>(&self, texts: &'t [String], before: usize) -> &'t str {
        let fits = |text: &&String| before + text.chars().count() <= self.width;
        texts.iter().find(fits).or(texts.last()).map_or("", String::as_str)
    }

    /// Returns a text on one line, or on a line for each part if it is too long for that.
    fn wrapped(&self, text: &str, between: &str) -> Vec<Line<'static>> {
        let is_short = 2 + text.chars().count() <= self.width;
        let parts = if is_short { vec![text] } else { text.split(between).collect() };
        parts.into_iter().map(|part| Line::raw(format!("  {part}"))).collect()
    }
}

/// Returns a count in few characters: 950, 12k, 3.4M.
fn count(number: u64) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..1_000_000 => format!("{}k", number / 1000),
        _ => format!("{}.{}M", number / 1_000_000, number / 100_000 % 10),
    }
}

/// Returns a sentence about the engine while it thinks, with its time, and the keys that end that;
/// `None` otherwise.
pub(crate) fn status(app: &App, now: Duration) -> Option<(String, &'static str)> {
    /// Shorter searches are not shown.
    const DELAY: Duration = Duration::from_millis(400);
    let thought = app.thinking(now).filter(|thought| *thought >= DELAY)?;
    let what = match app.game().actor() {
        Some(Player::Engine) => "Tengen is thinking",
        _ => "Tengen looks for the best move",
    };
    Some((format!("{what}, {} s.", thought.as_secs()), "G: move now, Backspace: take back."))
}
