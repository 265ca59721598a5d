//! Measures how the cost of solving four in a row grows with the plies to the end and with the
//! board: the tables and the plot of `docs/measurements/four-in-a-row.md`.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Parser;
use fastrand::Rng;
use indicatif::HumanCount;
use tengen_engine::search::{Context, Search, Task};
use tengen_engine::table::Table;
use tengen_engine::{Limits, Proof, Score};
use tengen_games::cfour::{AnySize, Board, CfourEvaluator, Classic, Shape};
use tengen_lab::positions::open_position;
use tengen_records::svg::{draw_dot, draw_grid_line, draw_path, draw_text, head};

/// The maximum size of the table, in MiB.
const TABLE_MIB: usize = 1024;
/// How many stones make a line.
const CONNECT: u32 = 4;
/// How many positions of 7x6 are solved at each distance from the end.
const SAMPLE: usize = 200;
/// The distances from the end, in plies.
const DISTANCES: [u32; 8] = [8, 12, 16, 20, 24, 28, 30, 32];

/// Solves four in a row from many distances and on many boards, and counts the nodes.
#[derive(Parser)]
struct Args {
    /// Empty boards of at most this many cells are solved
    #[arg(long, default_value_t = 36)]
    cells: u32,
    /// Writes the plot to this file
    #[arg(long)]
    svg: Option<PathBuf>,
}

/// The cost of solving one position.
#[derive(Clone, Copy)]
struct Cost {
    value: Score,
    nodes: u64,
    time: Duration,
}

/// The cost of solving positions of 7x6 at one distance from the end.
struct Distance {
    plies: u32,
    median: u64,
    mean: u64,
    largest: u64,
    mean_time: Duration,
}

/// The cost of solving an empty board.
struct Size {
    width: u32,
    height: u32,
    cost: Cost,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let mut table = Table::new(TABLE_MIB).ok().context("not enough memory for the table")?;
    let mut out = io::stdout();
    let distances = solve_distances(&mut table);
    write_distances(&mut out, &distances)?;
    writeln!(out, "| board | value | last stone | nodes | seconds |\n|---|---|---:|---:|---:|")?;
    let mut sizes = Vec::new();
    for (width, height) in boards_up_to(args.cells) {
        let size = Size { width, height, cost: solve_empty(width, height, &mut table)? };
        write_size(&mut out, &size)?;
        sizes.push(size);
    }
    if let Some(path) = args.svg {
        fs::write(&path, plot(&distances, &sizes))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn solve<S: Shape>(board: Board<S>, table: &mut Table) -> Cost {
    table.clear();
    table.age();
    let context = Context::unlimited();
    let mut search = Search::new(board, CfourEvaluator::new(), table.views(1)[0], context);
    let limits = Limits::default().with_proof(Proof::Score);
    let answer = search.run(&Task::new(limits), &mut |_| ());
    Cost { value: answer.report.score, nodes: search.own_nodes(), time: answer.counts.time }
}

/// Solves the positions of all distances. The farthest come first, so that the table's memory is in
/// use before the others are timed.
fn solve_distances(table: &mut Table) -> Vec<Distance> {
    let solve = |plies: &u32| solve_distance(*plies, table);
    let mut distances: Vec<Distance> = DISTANCES.iter().rev().map(solve).collect();
    distances.reverse();
    distances
}

fn solve_distance(plies: u32, table: &mut Table) -> Distance {
    let mut rng = Rng::with_seed(u64::from(plies));
    let costs: Vec<Cost> =
        (0..SAMPLE).map(|_| solve(open_position(&mut rng, plies), table)).collect();
    let mut nodes: Vec<u64> = costs.iter().map(|cost| cost.nodes).collect();
    nodes.sort_unstable();
    Distance {
        plies,
        median: (nodes[(SAMPLE - 1) / 2] + nodes[SAMPLE / 2]) / 2,
        mean: nodes.iter().sum::<u64>() / SAMPLE as u64,
        largest: nodes[SAMPLE - 1],
        mean_time: costs.iter().map(|cost| cost.time).sum::<Duration>() / SAMPLE as u32,
    }
}

/// Returns the boards of at most `cells` cells on which a line fits both ways, by size.
fn boards_up_to(cells: u32) -> Vec<(u32, u32)> {
    let sides = CONNECT..=cells / CONNECT;
    let mut boards: Vec<(u32, u32)> = sides
        .clone()
        .flat_map(|width| sides.clone().map(move |height| (width, height)))
        .filter(|(width, height)| width * height <= cells)
        .collect();
    boards.sort_by_key(|&(width, height)| (width * height, width));
    boards
}

fn solve_empty(width: u32, height: u32, table: &mut Table) -> Result<Cost> {
    if (width, height) == (Classic.width(), Classic.height()) {
        return Ok(solve(Board::new(Classic), table));
    }
    if let Some(shape) = AnySize::<u64>::new(width, height, CONNECT) {
        return Ok(solve(Board::new(shape), table));
    }
    let shape = AnySize::<u128>::new(width, height, CONNECT)
        .with_context(|| format!("a board of {width}x{height} does not fit in 128 bits"))?;
    Ok(solve(Board::new(shape), table))
}

fn write_distances(out: &mut impl Write, distances: &[Distance]) -> io::Result<()> {
    writeln!(out, "| plies left | median nodes | mean nodes | most nodes | mean time |")?;
    writeln!(out, "|---:|---:|---:|---:|---:|")?;
    for Distance { plies, median, mean, largest, mean_time } in distances {
        let [median, mean, largest] = [median, mean, largest].map(|nodes| HumanCount(*nodes));
        writeln!(out, "| {plies} | {median} | {mean} | {largest} | {mean_time:.1?} |")?;
    }
    writeln!(out)
}

fn write_size(out: &mut impl Write, Size { width, height, cost }: &Size) -> io::Result<()> {
    let value = match cost.value {
        value if value.is_win() => "first wins",
        value if value.is_loss() => "second wins",
        _ => "draw",
    };
    let last = cost.value.plies().unwrap_or(width * height);
    let (nodes, seconds) = (HumanCount(cost.nodes), cost.time.as_secs_f64());
    writeln!(out, "| {width}x{height} | {value} | {last} | {nodes} | {seconds:.3} |")
}

/// The top and the height of both panels, in the plot's units.
const TOP: f64 = 64.0;
const HEIGHT: f64 = 340.0;
/// The left edge of each panel, and the width of both.
const LEFT: [f64; 2] = [64.0, 524.0];
const WIDTH: f64 = 390.0;

/// Draws two panels with one logarithmic axis: the distances as lines, the boards as dots.
fn plot(distances: &[Distance], sizes: &[Size]) -> String {
    let largest = distances.iter().map(|d| d.mean).chain(sizes.iter().map(|s| s.cost.nodes)).max();
    let decades = f64::from(largest.unwrap_or(1).max(1).ilog10() + 1);
    let title = "Nodes to solve four in a row, by plies left and by board size";
    let mut svg = head(960, 470, title);
    let farthest = DISTANCES[DISTANCES.len() - 1];
    let by_plies = Panel { left: LEFT[0], from: 4, to: farthest + 4, step: 4, decades };
    by_plies.frame(&mut svg, "7x6, from the middle of games", "plies left");
    let means: Vec<_> = distances.iter().map(|d| by_plies.to_plot(d.plies, d.mean)).collect();
    let medians: Vec<_> = distances.iter().map(|d| by_plies.to_plot(d.plies, d.median)).collect();
    draw_line(&mut svg, "one", ("mean", -2.0), &means);
    draw_line(&mut svg, "two", ("median", 12.0), &medians);
    let cells = |size: &Size| size.width * size.height;
    let most = sizes.iter().map(cells).max().unwrap_or(0);
    let by_cells = Panel { left: LEFT[1], from: 14, to: most + 2, step: 4, decades };
    by_cells.frame(&mut svg, "Empty boards, width x height", "cells");
    for size in sizes {
        let (x, y) = by_cells.to_plot(cells(size), size.cost.nodes);
        draw_dot(&mut svg, "one", (x, y));
        let name = format!("{}x{}", size.width, size.height);
        // Of two boards with equally many cells the wide one costs more, so its name is above
        // the dot.
        match size.width.cmp(&size.height) {
            std::cmp::Ordering::Greater => draw_text(&mut svg, "label middle", (x, y - 9.0), &name),
            std::cmp::Ordering::Less => draw_text(&mut svg, "label middle", (x, y + 17.0), &name),
            std::cmp::Ordering::Equal => draw_text(&mut svg, "label", (x + 8.0, y + 4.0), &name),
        }
    }
    svg + "</svg>\n"
}

/// A coordinate system: `from` to `to` across, one node to `decades` powers of ten upwards.
struct Panel {
    left: f64,
    from: u32,
    to: u32,
    step: u32,
    decades: f64,
}

impl Panel {
    /// Returns the place of a point in the plot. No nodes are drawn as one node.
    fn to_plot(&self, across: u32, nodes: u64) -> (f64, f64) {
        let x = f64::from(across - self.from) / f64::from(self.to - self.from);
        let y = (nodes.max(1) as f64).log10() / self.decades;
        (self.left + WIDTH * x, TOP + HEIGHT * (1.0 - y))
    }

    fn frame(&self, svg: &mut String, title: &str, across: &str) {
        let (right, bottom) = (self.left + WIDTH, TOP + HEIGHT);
        draw_text(svg, "title", (self.left, TOP - 34.0), title);
        draw_text(svg, "axis", (self.left, TOP - 14.0), "nodes (logarithmic)");
        for decade in 0..=self.decades as u32 {
            let nodes = 10_u64.pow(decade);
            let y = self.to_plot(self.from, nodes).1;
            draw_grid_line(svg, self.left, right, y);
            draw_text(svg, "end", (self.left - 8.0, y + 4.0), &abbreviated(nodes));
        }
        for tick in (self.from..=self.to).filter(|tick| tick.is_multiple_of(self.step)) {
            draw_text(svg, "middle", (self.to_plot(tick, 1).0, bottom + 20.0), &tick.to_string());
        }
        draw_text(svg, "axis middle", (self.left + WIDTH / 2.0, bottom + 44.0), across);
    }
}

/// Draws a line with a dot at every point. `name` has a text and its distance below the last point.
fn draw_line(svg: &mut String, class: &str, name: (&str, f64), points: &[(f64, f64)]) {
    draw_path(svg, class, points);
    for &point in points {
        draw_dot(svg, class, point);
    }
    if let Some((x, y)) = points.last() {
        draw_text(svg, "label", (x + 8.0, y + name.1), name.0);
    }
}

/// Returns a power of ten with an SI prefix.
fn abbreviated(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => format!("{} k", number / 1_000),
        _ => format!("{} M", number / 1_000_000),
    }
}
