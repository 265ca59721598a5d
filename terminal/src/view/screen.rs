//! Draws the whole screen: title, board, panel, status and footer, at any size of the window.

use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Paragraph, Wrap};
use tengen_engine::Point;

use crate::app::App;
use crate::board_layout::BoardLayout;
use crate::look::Look;
use crate::sentences;
use crate::ui::Ui;
use crate::view::board::BoardView;
use crate::view::style::Theme;
use crate::view::{help, new_game, panel};

/// The minimum width of a panel beside the board.
const MIN_PANEL: u16 = 22;
/// The maximum useful width of a panel.
const MAX_PANEL: u16 = 48;

/// The keys of the footer: the most useful first.
const KEYS: [(&str, &str); 11] = [
    ("Enter", "play"),
    ("Bksp", "undo"),
    ("?", "help"),
    ("Q", "quit"),
    ("H", "hint"),
    ("A", "analysis"),
    ("B", "new game"),
    ("PgUp", "back"),
    ("W", "swap"),
    ("^S", "save"),
    ("+-", "level"),
];

/// Draws everything, and keeps the layout of the board in `ui` for clicks.
pub(crate) fn draw(frame: &mut Frame<'_>, app: &App, ui: &mut Ui, look: Look, now: Duration) {
    let area = frame.area();
    let falls = app.game().spec().grid.is_some_and(|notation| notation.falls());
    let theme = Theme::new(look, falls);
    if let Some(first) = ui.help {
        ui.help = Some(draw_page(frame, area, help::lines(theme), first));
        return;
    }
    let message = status_text(app, ui, area.width, now);
    let [title, middle, status, footer] = rows(area, status_height(&message, area.width));
    draw_title(frame, title, app, theme);
    ui.layout = None;
    if let Some(notation) = app.game().spec().grid {
        let marked = ui.marked(app);
        let around = marked.unwrap_or(Point { column: 0, row: 0 });
        let board = board_area(middle);
        let beside = BoardLayout::fit(notation.grid(), board, around);
        // A board that does not fit beside the panel takes the whole width.
        let layout = match beside {
            Some(layout) if !layout.is_cut(notation.grid()) => Some(layout),
            _ => BoardLayout::fit(notation.grid(), middle, around),
        };
        ui.layout = layout;
        if let Some(view) = layout.and_then(|it| BoardView::new(app, look, it, marked)) {
            view.draw(frame.buffer_mut());
        }
        if let Some(room) = layout.and_then(|layout| panel_area(middle, layout.area)) {
            let lines = panel::lines(app, look, (room.width, room.height), now);
            frame.render_widget(Paragraph::new(lines), room);
        }
    }
    if let Some(page) = &ui.page {
        let lines: Vec<Line<'_>> = page.iter().map(|line| Line::raw(line.as_str())).collect();
        let height = (lines.len() as u16).min(middle.height);
        let over = Rect { y: middle.bottom() - height, height, ..middle };
        frame.render_widget(Clear, over);
        frame.render_widget(Paragraph::new(lines), over);
    }
    frame.render_widget(Paragraph::new(message).wrap(Wrap { trim: true }), status);
    draw_footer(frame, footer, theme);
    if let Some(form) = &ui.form {
        ui.form_rows = new_game::draw(frame, form, look, theme);
    }
}

/// Returns the areas of title, middle, status and footer.
fn rows(area: Rect, status: u16) -> [Rect; 4] {
    let title = Rect { height: area.height.min(1), ..area };
    let footer_height = area.height.saturating_sub(1).min(1);
    let status = status.min(area.height.saturating_sub(2));
    let footer = Rect { y: area.bottom() - footer_height, height: footer_height, ..area };
    let status = Rect { y: footer.y - status, height: status, ..area };
    let middle =
        Rect { y: title.bottom(), height: status.y.saturating_sub(title.bottom()), ..area };
    [title, middle, status, footer]
}

/// Returns the area for the board that leaves room for the panel beside it.
fn board_area(middle: Rect) -> Rect {
    Rect { width: middle.width.saturating_sub(MIN_PANEL + 1), ..middle }
}

/// Returns the area for the panel: on the right of the board, else below it.
fn panel_area(middle: Rect, board: Rect) -> Option<Rect> {
    let beside = middle.width.saturating_sub(board.width + 1);
    if beside >= MIN_PANEL {
        let width = beside.min(MAX_PANEL);
        return Some(Rect { x: board.right() + 1, width, ..middle });
    }
    let below = middle.height.saturating_sub(board.height);
    (below >= 2).then(|| Rect { y: board.bottom(), height: below, ..middle })
}

fn draw_title(frame: &mut Frame<'_>, area: Rect, app: &App, theme: Theme) {
    let spec = app.game().spec();
    let analysis = if app.analyses { "  [analysis]" } else { "" };
    let unsaved = if app.is_unsaved() { " *" } else { "" };
    let title = format!("Tengen  {}: {}{unsaved}{analysis}", spec.variant, spec.rules);
    frame.render_widget(Paragraph::new(Line::styled(title, theme.title())), area);
}

/// Returns the typed line, or else the messages, and after them how long the engine thinks: a
/// message stays readable meanwhile.
fn status_text(app: &App, ui: &Ui, width: u16, now: Duration) -> String {
    if let Some(input) = ui.input() {
        return input;
    }
    let message = ui.message();
    match panel::status(app, now) {
        None if message.is_empty() => sentences::turn(app.game()),
        None => message,
        Some((thinking, keys)) => {
            let short = format!("{message} {thinking}");
            let full = format!("{short} {keys}");
            let fits = full.trim_start().chars().count() <= usize::from(width);
            let text = if fits || message.is_empty() { full } else { short };
            text.trim_start().to_owned()
        }
    }
}

/// Returns how many lines the status needs, at most three.
fn status_height(text: &str, width: u16) -> u16 {
    let letters = text.chars().count();
    let width = usize::from(width.max(1));
    // Lines break at sentences, so that the text may need one line more than its characters fill.
    if letters <= width { 1 } else { (letters / width + 2).min(3) as u16 }
}

fn draw_footer(frame: &mut Frame<'_>, area: Rect, theme: Theme) {
    let mut spans = Vec::new();
    let mut room = usize::from(area.width);
    for (key, what) in KEYS {
        let length = key.len() + what.len() + 3;
        let Some(rest) = room.checked_sub(length) else { break };
        room = rest;
        spans.push(Span::styled(key, theme.key()));
        spans.push(Span::raw(format!(" {what}  ")));
    }
    frame.render_widget(Paragraph::new(Line::from(spans)), area);
}

/// Draws a page that may be longer than the window. Returns its first line, limited so that the
/// last line is at the bottom of the window.
fn draw_page(frame: &mut Frame<'_>, area: Rect, lines: Vec<Line<'_>>, first: u16) -> u16 {
    let last = (lines.len() as u16).saturating_sub(area.height);
    let first = first.min(last);
    frame.render_widget(Paragraph::new(lines).scroll((first, 0)), area);
    first
}
