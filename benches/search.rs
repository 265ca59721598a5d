//! Four in a row from the empty board, to fixed depths: the search of Tengen and that of the crate
//! `minimax`, with the same board and the same evaluation.

use std::hint::black_box;
use std::time::Instant;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use minimax::{IterativeOptions, IterativeSearch, Strategy};
use tengen_engine::search::{Context, Search, Task};
use tengen_engine::table::Table;
use tengen_engine::{Evaluator, Game, Limits, Outcome};
use tengen_games::cfour::{Board, CfourEvaluator, Classic, Drop};

const TABLE_MIB: usize = 64;

fn tengen(depth: u32) -> u64 {
    let mut table = Table::new(TABLE_MIB).expect("memory for the table");
    let limits = Limits::default().with_depth(depth);
    let (board, evaluator) = (Board::new(Classic), CfourEvaluator::new());
    Search::new(board, evaluator, table.view(), Context::unlimited())
        .run(&Task::new(limits), &mut |_| ())
        .report
        .nodes
}

/// The board of Tengen as a game of the crate `minimax`.
struct Peer;

impl minimax::Game for Peer {
    type S = Board<Classic>;
    type M = Drop;

    fn generate_moves(board: &Self::S, moves: &mut Vec<Drop>) -> Option<minimax::Winner> {
        board.moves(moves);
        Self::get_winner(board)
    }

    fn get_winner(board: &Self::S) -> Option<minimax::Winner> {
        match board.outcome()? {
            Outcome::Win(side) if side == board.turn() => Some(minimax::Winner::PlayerToMove),
            Outcome::Win(_) => Some(minimax::Winner::PlayerJustMoved),
            Outcome::Draw | Outcome::Value(_) => Some(minimax::Winner::Draw),
        }
    }

    fn apply(board: &mut Self::S, mv: Drop) -> Option<Self::S> {
        let mut next = *board;
        next.play(mv);
        Some(next)
    }

    fn zobrist_hash(board: &Self::S) -> u64 {
        // Not `Game::key`: `minimax` does not map moves through the symmetry of the key.
        (2 * board.own() + board.theirs()).wrapping_mul(0x9E37_79B9_7F4A_7C15).swap_bytes()
    }
}

#[derive(Clone)]
struct PeerEvaluator;

impl minimax::Evaluator for PeerEvaluator {
    type G = Peer;

    fn evaluate(&self, board: &Board<Classic>) -> minimax::Evaluation {
        let mut threats = CfourEvaluator::new();
        threats.reset(board);
        // Evaluations of `minimax` have 16 bits.
        threats.evaluate(board).raw() as minimax::Evaluation
    }
}

fn peer(depth: u32) -> Option<Drop> {
    let options = IterativeOptions::new()
        .with_table_byte_size(TABLE_MIB << 20)
        .with_null_window_search(true)
        .with_aspiration_window(5)
        .with_countermoves();
    let mut search = IterativeSearch::new(PeerEvaluator, options);
    search.set_max_depth(depth as u8);
    search.choose_move(&Board::new(Classic))
}

fn median(mut run: impl FnMut()) -> f64 {
    let mut seconds: Vec<f64> = (0..5)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64()
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    seconds[2]
}

#[expect(clippy::print_stdout, reason = "a benchmark's result")]
fn compare(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("four in a row from the empty board");
    group.sample_size(10);
    for depth in [10, 12] {
        group.bench_function(BenchmarkId::new("tengen", depth), |b| {
            b.iter(|| tengen(black_box(depth)));
        });
        group.bench_function(BenchmarkId::new("minimax", depth), |b| {
            b.iter(|| peer(black_box(depth)));
        });
    }
    group.finish();
    for depth in [14, 16] {
        let ours = median(|| {
            black_box(tengen(depth));
        });
        let theirs = median(|| {
            black_box(peer(depth));
        });
        println!(
            "depth {depth}: tengen {ours:.4} s, minimax {theirs:.4} s, ratio {:.3}",
            ours / theirs
        );
    }
}

criterion_group!(benches, compare);
criterion_main!(benches);
