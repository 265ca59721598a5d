//! [`Theme`]: the styles of the screen for each number of colours.
//!
//! Colour is never the only sign: stones, marks and values have characters of their own.

use ratatui::style::{Color, Modifier, Style};
use tengen_engine::Side;

use crate::look::{Colours, Look};

/// The styles of the screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Theme {
    colours: Colours,
    /// Whether stones fall: the board is blue and the discs are red and yellow.
    falls: bool,
}

/// How much a move loses against the best one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MoveLoss {
    Best,
    Close,
    Doubtful,
    Bad,
}

impl Theme {
    pub(crate) fn new(look: Look, falls: bool) -> Self {
        Self { colours: look.colours, falls }
    }

    fn pick(self, palette: (u8, u8), sixteen: (Color, Color)) -> Style {
        match self.colours {
            Colours::None => Style::new(),
            Colours::Sixteen => Style::new().fg(sixteen.0).bg(sixteen.1),
            Colours::Palette => {
                Style::new().fg(Color::Indexed(palette.0)).bg(Color::Indexed(palette.1))
            }
        }
    }

    /// Returns the style of the board and its lines.
    pub(crate) fn board(self) -> Style {
        match self.falls {
            true => self.pick((110, 24), (Color::Gray, Color::Blue)),
            false => self.pick((94, 180), (Color::DarkGray, Color::Yellow)),
        }
    }

    /// Returns the style of a stone.
    pub(crate) fn stone(self, side: Side) -> Style {
        let style = match (self.falls, side) {
            (false, Side::First) => self.pick((16, 180), (Color::Black, Color::Yellow)),
            (false, Side::Second) => self.pick((231, 180), (Color::White, Color::Yellow)),
            (true, Side::First) => self.pick((203, 24), (Color::LightRed, Color::Blue)),
            (true, Side::Second) => self.pick((227, 24), (Color::LightYellow, Color::Blue)),
        };
        style.add_modifier(Modifier::BOLD)
    }

    /// Returns the style that is added to a stone of the winning line.
    pub(crate) fn winning(self) -> Style {
        match self.colours {
            Colours::None => Style::new().add_modifier(Modifier::REVERSED),
            Colours::Sixteen => Style::new().bg(Color::Green),
            Colours::Palette => Style::new().bg(Color::Indexed(71)),
        }
    }

    /// Returns the style of the brackets of the cursor.
    pub(crate) fn cursor(self) -> Style {
        self.brackets(18, Color::Blue)
    }

    /// Returns the style of the brackets of the last move.
    pub(crate) fn last(self) -> Style {
        self.brackets(88, Color::Red)
    }

    fn brackets(self, palette: u8, sixteen: Color) -> Style {
        let style = match self.colours {
            Colours::None => Style::new(),
            Colours::Sixteen => Style::new().fg(sixteen),
            Colours::Palette if self.falls => Style::new().fg(Color::Indexed(231)),
            Colours::Palette => Style::new().fg(Color::Indexed(palette)),
        };
        style.add_modifier(Modifier::BOLD)
    }

    /// Returns the style of the cross on a forbidden point.
    pub(crate) fn forbidden(self) -> Style {
        self.pick((88, 180), (Color::Red, Color::Yellow)).add_modifier(Modifier::BOLD)
    }

    /// Returns the style of a stone of a hint.
    pub(crate) fn ghost(self, side: Side) -> Style {
        let style = match side {
            Side::First => self.pick((231, 59), (Color::White, Color::DarkGray)),
            Side::Second => self.pick((16, 252), (Color::Black, Color::Gray)),
        };
        match self.colours {
            Colours::None => style.add_modifier(Modifier::REVERSED),
            _ => style,
        }
    }

    /// Returns the style of the value of a move.
    pub(crate) fn value(self, class: MoveLoss) -> Style {
        let style = match class {
            MoveLoss::Best => self.pick((231, 25), (Color::White, Color::Blue)),
            MoveLoss::Close => self.pick((231, 23), (Color::Black, Color::Cyan)),
            MoveLoss::Doubtful => self.pick((231, 94), (Color::White, Color::DarkGray)),
            MoveLoss::Bad => self.pick((231, 130), (Color::White, Color::Red)),
        };
        match (self.colours, class) {
            (Colours::None, MoveLoss::Best) => style.add_modifier(Modifier::REVERSED),
            _ => style,
        }
    }

    /// Returns the style of the names of columns and rows.
    pub(crate) fn coordinate(self) -> Style {
        match self.colours {
            Colours::None => Style::new(),
            _ => Style::new().add_modifier(Modifier::DIM),
        }
    }

    /// Returns the style of the names of the cursor's row and column.
    pub(crate) fn marked_coordinate(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// Returns the style of a headline.
    pub(crate) fn title(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// Returns the style of a key in the footer.
    pub(crate) fn key(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }
}
