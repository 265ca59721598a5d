//! Exact scores of four in a row, compared with the crate `connect-four-ai`: `cargo bench --bench
//! solve`. The table is empty before each position, and there is no book.
//!
//! The positions are read from `../shared/data`. Criterion samples the first few of each set. Then
//! a pass over more positions, in which the two solvers take turns, gives means and ratios. A
//! filter (`-- L3_R1`) applies to both; test runs skip the pass. Both tables are cleared outside
//! the measured time.

use std::path::Path;
use std::time::{Duration, Instant};

use connect_four_ai::{Position, Solver};
use criterion::{Criterion, SamplingMode, criterion_group, criterion_main};
use tengen_engine::search::{Context, Search, Task};
use tengen_engine::table::Table;
use tengen_engine::{Game, Limits, Notation, Proof, Score};
use tengen_games::cfour::{Board, CfourEvaluator, Classic};

/// Half the size of the table of `connect-four-ai`.
const TABLE_MIB: usize = 64;

/// A file of positions.
struct Set {
    name: &'static str,
    /// The number of positions that criterion samples.
    sampled: usize,
    /// The number of positions in the pass.
    compared: usize,
}

const SETS: [Set; 6] = [
    Set { name: "L3_R1", sampled: 25, compared: 500 },
    Set { name: "L2_R1", sampled: 25, compared: 500 },
    Set { name: "L2_R2", sampled: 25, compared: 500 },
    Set { name: "L1_R1", sampled: 25, compared: 500 },
    Set { name: "L1_R2", sampled: 4, compared: 25 },
    Set { name: "L1_R3", sampled: 1, compared: 5 },
];

/// A position with its known score, for both solvers.
struct Case {
    ours: Board<Classic>,
    theirs: Position,
    score: i32,
}

impl Case {
    fn read(line: &str) -> Self {
        let (moves, score) = line.split_once(' ').expect("moves and a score");
        let mut ours = Board::new(Classic);
        for column in moves.chars() {
            let mv = ours.read_move(&column.to_string()).expect("a legal move");
            ours.play(mv);
        }
        let theirs = Position::from_moves(moves).expect("legal moves");
        Self { ours, theirs, score: score.trim().parse().expect("a score") }
    }
}

/// The nodes and the time of solving positions.
#[derive(Clone, Copy, Default)]
struct Cost {
    nodes: u64,
    time: Duration,
}

impl Cost {
    fn add(&mut self, other: Self) {
        self.nodes += other.nodes;
        self.time += other.time;
    }
}

fn ours(table: &mut Table, case: &Case) -> Cost {
    table.clear();
    table.age();
    let limits = Limits::default().with_proof(Proof::Score);
    let start = Instant::now();
    let answer =
        Search::new(case.ours, CfourEvaluator::new(), table.views(1)[0], Context::unlimited())
            .run(&Task::new(limits), &mut |_| ());
    let time = start.elapsed();
    assert_eq!(stones_left(answer.report.score, case.ours.plies_left()), case.score);
    Cost { nodes: answer.report.nodes, time }
}

/// Returns the usual score of solvers: one more than the number of stones that the winner has left
/// at the end.
fn stones_left(score: Score, cells_left: u32) -> i32 {
    let Some(plies) = score.plies() else { return 0 };
    let value = 1 + ((cells_left - plies) / 2) as i32;
    if score.is_win() { value } else { -value }
}

fn theirs(solver: &mut Solver, case: &Case) -> Cost {
    solver.reset();
    let start = Instant::now();
    let score = solver.solve(&case.theirs);
    let time = start.elapsed();
    assert_eq!(i32::from(score), case.score);
    Cost { nodes: solver.explored_positions as u64, time }
}

/// Returns the first `count` positions of a set; `None` if the file does not exist.
#[expect(clippy::print_stdout, reason = "a benchmark's result")]
fn cases(set: &Set, count: usize) -> Option<Vec<Case>> {
    let file = format!("../shared/data/connect4/Test_{}.txt", set.name);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(text.lines().take(count).map(Case::read).collect()),
        Err(error) => {
            println!("skipped: {}: {error}", path.display());
            None
        }
    }
}

fn measure(criterion: &mut Criterion) {
    let selected = sample(criterion);
    // Criterion recognizes a measuring run in the same way.
    let is_given = |option: &str| std::env::args().any(|argument| argument == option);
    if !selected.is_empty() && is_given("--bench") && !is_given("--test") {
        compare(&selected);
    }
}

/// Lets criterion sample the sets. Returns the sets that its filter selected.
fn sample(criterion: &mut Criterion) -> Vec<&'static Set> {
    let mut table = Table::new(TABLE_MIB).expect("memory for the table");
    let mut solver = Solver::empty();
    let mut selected = Vec::new();
    for set in &SETS {
        let Some(cases) = cases(set, set.sampled) else { continue };
        let mut is_selected = false;
        let mut group = criterion.benchmark_group(set.name);
        // Clearing the table of `connect-four-ai` takes longer than most searches, so a sample has
        // only a pass or two.
        group
            .sampling_mode(SamplingMode::Flat)
            .sample_size(10)
            .warm_up_time(Duration::from_millis(1))
            .measurement_time(Duration::from_millis(1));
        group.bench_function("tengen", |bencher| {
            is_selected = true;
            bencher.iter_custom(|passes| {
                let pass =
                    |_| cases.iter().map(|case| ours(&mut table, case).time).sum::<Duration>();
                (0..passes).map(pass).sum()
            });
        });
        group.bench_function("connect-four-ai", |bencher| {
            is_selected = true;
            bencher.iter_custom(|passes| {
                let pass =
                    |_| cases.iter().map(|case| theirs(&mut solver, case).time).sum::<Duration>();
                (0..passes).map(pass).sum()
            });
        });
        group.finish();
        selected.extend(is_selected.then_some(set));
    }
    selected
}

#[expect(clippy::print_stdout, reason = "a benchmark's result")]
fn compare(sets: &[&Set]) {
    let mut table = Table::new(TABLE_MIB).expect("memory for the table");
    let mut solver = Solver::empty();
    println!("means per position, tengen and connect-four-ai:");
    for set in sets {
        let Some(cases) = cases(set, set.compared) else { continue };
        let (mut our_cost, mut their_cost) = (Cost::default(), Cost::default());
        for case in &cases {
            our_cost.add(ours(&mut table, case));
            their_cost.add(theirs(&mut solver, case));
        }
        let count = cases.len() as f64;
        let nodes = [our_cost, their_cost].map(|cost| cost.nodes as f64 / count);
        let micros = [our_cost, their_cost].map(|cost| cost.time.as_secs_f64() * 1e6 / count);
        println!(
            "{} ({count}): {:.1} us, {:.1} us, ratio {:.3}; {:.1} nodes, {:.1} nodes, ratio {:.3}",
            set.name,
            micros[0],
            micros[1],
            micros[0] / micros[1],
            nodes[0],
            nodes[1],
            nodes[0] / nodes[1],
        );
    }
}

criterion_group!(benches, measure);
criterion_main!(benches);
