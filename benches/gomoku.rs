//! Moves made and undone per second in five in a row: the rules and the updates of the evaluator.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tengen_engine::{Cell, Evaluator, Game, MoveOrdering, Notation};
use tengen_games::gomoku::{Board, GomokuEvaluator, Rule};

/// An opening without forced moves, so that every point close to a stone is a candidate.
const MOVES: [&str; 8] = ["h8", "h9", "i9", "g7", "j10", "k11", "i8", "i10"];

fn position(rule: Rule) -> (Board, GomokuEvaluator) {
    let mut board = Board::new(rule, 15, 15).expect("the size fits");
    for text in MOVES {
        let mv = board.read_move(text).expect("a legal move");
        board.play(mv);
    }
    let evaluator = GomokuEvaluator::new(&board);
    (board, evaluator)
}

/// Plays and undoes every candidate, and calls `look` in between.
fn make_all(
    board: &mut Board,
    evaluator: &mut GomokuEvaluator,
    candidates: &[Cell],
    look: impl Fn(&Board, &mut GomokuEvaluator),
) {
    for &mv in candidates {
        board.play(mv);
        evaluator.played(board, mv);
        look(board, evaluator);
        board.undo(mv, ());
        evaluator.undone(board, mv, ());
    }
}

fn moves(criterion: &mut Criterion) {
    measure(criterion, "make and unmake", |_, _| ());
    measure(criterion, "make, evaluate and unmake", |board, evaluator| {
        black_box(evaluator.evaluate(board));
    });
}

fn measure(criterion: &mut Criterion, name: &str, look: impl Fn(&Board, &mut GomokuEvaluator)) {
    let mut group = criterion.benchmark_group(name);
    for rule in [Rule::Freestyle, Rule::Standard, Rule::Renju, Rule::Caro] {
        let (mut board, mut evaluator) = position(rule);
        let mut candidates = Vec::new();
        evaluator.candidates(&board, &mut candidates);
        group.throughput(Throughput::Elements(candidates.len() as u64));
        group.bench_function(format!("{rule:?}"), |bencher| {
            bencher.iter(|| make_all(&mut board, &mut evaluator, &candidates, &look));
        });
    }
    group.finish();
}

criterion_group!(benches, moves);
criterion_main!(benches);
