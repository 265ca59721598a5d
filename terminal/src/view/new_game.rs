//! Draws the dialog for a new game over the board.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::symbols::border;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph};

use crate::look::Look;
use crate::new_game::{NewGameForm, Row};
use crate::view::style::Theme;

const WIDTH: u16 = 52;
/// The columns of a row's name.
const NAMES: usize = 17;

const ASCII_BORDER: border::Set<'static> = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

/// Draws the dialog. Returns its rows with their places, for clicks.
pub(crate) fn draw(
    frame: &mut Frame<'_>,
    form: &NewGameForm,
    look: Look,
    theme: Theme,
) -> Vec<(Row, Rect)> {
    let area = frame.area();
    let rows = form.rows();
    let text_height = rows.len() as u16 + 3;
    let (width, height) = (WIDTH.min(area.width), (text_height + 2).min(area.height));
    let (left, top) = ((area.width - width) / 2, (area.height - height) / 2);
    let dialog = Rect { x: area.x + left, y: area.y + top, width, height };
    let block = Block::bordered()
        .border_set(if look.is_ascii { ASCII_BORDER } else { border::ROUNDED })
        .title(Line::styled(" New game ", theme.title()));
    let inside = block.inner(dialog);
    frame.render_widget(Clear, dialog);
    frame.render_widget(block, dialog);
    let arrows = if look.is_ascii { ["<", ">"] } else { ["‹", "›"] };
    let mut lines: Vec<Line<'_>> =
        rows.iter().map(|row| row_line(form, *row, arrows, theme)).collect();
    let text = if form.reason.is_empty() { form.summary() } else { form.reason.clone() };
    lines.push(Line::raw(""));
    lines.push(Line::raw(format!(" {text}")));
    let updown = if look.is_ascii { "Arrows: row, value" } else { "↑ ↓ row  ← → value" };
    lines.push(Line::raw(format!(" {updown}  Enter start  Esc cancel")));
    frame.render_widget(Paragraph::new(lines), inside);
    let row_area = |at: usize| Rect { y: inside.y + at as u16, height: 1, ..inside };
    let shown = rows.into_iter().enumerate().take(usize::from(inside.height));
    shown.map(|(at, row)| (row, row_area(at))).collect()
}

fn row_line(
    form: &NewGameForm,
    row: Row,
    [before, after]: [&'static str; 2],
    theme: Theme,
) -> Line<'static> {
    let (name, value) = form.texts(row);
    let is_current = form.row == row;
    let mark = if is_current { ">" } else { " " };
    let emphasis = if is_current { theme.key().add_modifier(Modifier::BOLD) } else { Style::new() };
    if row == Row::Start {
        return Line::styled(format!("{mark} [ {name} ]"), emphasis);
    }
    let value = if is_current { format!("{before} {value} {after}") } else { format!("  {value}") };
    Line::from(Span::styled(format!("{mark} {name:<NAMES$}{value}"), emphasis))
}
