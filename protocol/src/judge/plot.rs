//! Draws the plot of a game: the first player's expected share after each move.

use tengen_engine::Side;
use tengen_records::svg::{draw_dot, draw_grid_line, draw_path, draw_text, head};

use super::language::Language;
use super::review::GameJudge;

const LEFT: f64 = 64.0;
const TOP: f64 = 76.0;
const WIDTH: f64 = 832.0;
const HEIGHT: f64 = 300.0;

/// Returns the plot of a judged game as SVG, with texts in `language`. Mistakes are dots in the colour of their player.
pub fn plot(game: &GameJudge, language: Language) -> String {
    let (chances, moves) = (game.chances(), game.judged());
    let last = moves.len().max(1);
    let to_plot = |ply: usize, chance: u16| {
        let y = f64::from(chance) / 1000.0;
        (LEFT + WIDTH * ply as f64 / last as f64, TOP + HEIGHT * (1.0 - y))
    };
    let mut svg = head(960, 452, &language.text("plot.title", &[]));
    draw_text(&mut svg, "title", (LEFT, TOP - 46.0), &language.text("plot.title", &[]));
    let legend = language.text("plot.legend", &[]);
    draw_text(&mut svg, "axis", (LEFT, TOP - 26.0), &legend);
    for percent in [0, 25, 50, 75, 100] {
        let (_, y) = to_plot(0, 10 * percent);
        draw_grid_line(&mut svg, LEFT, LEFT + WIDTH, y);
        draw_text(&mut svg, "end", (LEFT - 8.0, y + 4.0), &format!("{percent} %"));
    }
    let step = [5, 10, 20, 50].into_iter().find(|step| last / step <= 12).unwrap_or(100);
    for ply in (0..=last).step_by(step) {
        let (x, _) = to_plot(ply, 0);
        draw_text(&mut svg, "middle", (x, TOP + HEIGHT + 20.0), &ply.to_string());
    }
    let middle = (LEFT + WIDTH / 2.0, TOP + HEIGHT + 44.0);
    draw_text(&mut svg, "axis middle", middle, &language.text("plot.moves", &[]));
    let points: Vec<_> =
        chances.iter().enumerate().map(|(ply, &chance)| to_plot(ply, chance)).collect();
    draw_path(&mut svg, "one", &points);
    for judged in moves.iter().filter(|judged| judged.is_mistake()) {
        let class = if judged.side == Side::First { "one" } else { "two" };
        let Some(&(x, y)) = points.get(judged.number) else { continue };
        draw_dot(&mut svg, class, (x, y));
        draw_text(&mut svg, "label middle", (x, y - 9.0), judged.grade.sign());
    }
    svg + "</svg>\n"
}
