//! Parts of plots in SVG, such as the plot of a judged game.

/// Returns the beginning of a plot. It has its own background, so that it can be read on a page of
/// any colour.
pub fn head(width: u32, height: u32, title: &str) -> String {
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"
 role="img" aria-labelledby="title">
<title id="title">{title}</title>
<style>
{STYLE}</style>
<rect width="{width}" height="{height}" rx="8" class="ground"/>
"##
    )
}

const STYLE: &str = include_str!("plot.css");

/// Draws a level line of the grid from `left` to `right`.
pub fn draw_grid_line(svg: &mut String, left: f64, right: f64, y: f64) {
    let ends = format!("x1=\"{left:.1}\" y1=\"{y:.1}\" x2=\"{right:.1}\" y2=\"{y:.1}\"");
    *svg += &format!("<line class=\"grid\" {ends}/>\n");
}

/// Draws a line through all points.
pub fn draw_path(svg: &mut String, class: &str, points: &[(f64, f64)]) {
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    *svg += &format!("<polyline class=\"line {class}\" points=\"{}\"/>\n", path.join(" "));
}

/// Draws a dot.
pub fn draw_dot(svg: &mut String, class: &str, (x, y): (f64, f64)) {
    *svg +=
        &format!("<circle class=\"dot ground {class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\"/>\n");
}

/// Draws text, which must hold no markup.
pub fn draw_text(svg: &mut String, class: &str, (x, y): (f64, f64), text: &str) {
    *svg += &format!("<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>\n");
}
