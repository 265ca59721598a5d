//! Parts of plots in SVG, such as the plot of a judged game.

/// Returns the beginning of a plot. It has its own background, so that it can be read on a page of
/// any colour.
pub fn head(width: u32, height: u32, title: &str) -> String {
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"
 role="img" aria-labelledby="title">
<title id="title">{title}</title>
{STYLE}<rect width="{width}" height="{height}" rx="8" class="ground"/>
"##
    )
}

const STYLE: &str = r##"<style>
text { font: 12px sans-serif; fill: #6b6a64; }
.title { font-size: 15px; font-weight: bold; }
.title, .axis, .label { fill: #2b2b29; }
.middle { text-anchor: middle; }
.end { text-anchor: end; }
.ground { fill: #fcfcfb; }
.grid { stroke: #dedcd5; }
.line { fill: none; stroke-width: 2; }
.one { stroke: #1f6fc4; }
.two { stroke: #b4531a; stroke-dasharray: 6 4; }
.dot { stroke-width: 2; stroke-dasharray: none; }
@media (prefers-color-scheme: dark) {
text { fill: #a5a39b; }
.title, .axis, .label { fill: #ecebe6; }
.ground { fill: #1b1b1a; }
.grid { stroke: #3a3936; }
.one { stroke: #6aaef2; }
.two { stroke: #f0955c; }
}
</style>
"##;

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
