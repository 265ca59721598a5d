//! Random and regular trees for the tests of the textbook, and an independent minimax.

use std::sync::Arc;

use fastrand::Rng;
use tengen_engine::Side;
use tengen_games::tree::{TreeGame, parse};

/// A tree as plain data.
#[derive(Clone, Debug)]
pub(crate) enum Plan {
    Leaf(i32),
    Inner(Vec<Plan>),
}

impl Plan {
    /// Returns the literal of the tree. The name of a node is its path.
    pub(crate) fn literal(&self) -> String {
        let mut out = String::new();
        self.write("n", &mut out);
        out
    }

    fn write(&self, name: &str, out: &mut String) {
        match self {
            Self::Leaf(value) => out.push_str(&format!("({name}, {value})")),
            Self::Inner(children) => {
                out.push_str(&format!("[{name}"));
                for (index, child) in children.iter().enumerate() {
                    out.push_str(", ");
                    child.write(&format!("{name}{}", index + 1), out);
                }
                out.push(']');
            }
        }
    }

    pub(crate) fn game(&self) -> TreeGame {
        game(&self.literal())
    }

    /// Returns the value for the first player with `turn` to move, and the index of the first best
    /// child.
    pub(crate) fn solve(&self, turn: Side) -> (i32, Option<usize>) {
        let Self::Inner(children) = self else {
            let Self::Leaf(value) = self else { unreachable!() };
            return (*value, None);
        };
        let values: Vec<i32> = children.iter().map(|child| child.solve(turn.other()).0).collect();
        let best = match turn {
            Side::First => values.iter().max(),
            Side::Second => values.iter().min(),
        };
        let best = *best.expect("an inner node has a child");
        (best, values.iter().position(|value| *value == best))
    }

    pub(crate) fn leaves(&self) -> u64 {
        match self {
            Self::Leaf(_) => 1,
            Self::Inner(children) => children.iter().map(Self::leaves).sum(),
        }
    }
}

pub(crate) fn game(literal: &str) -> TreeGame {
    let tree = parse(literal).unwrap_or_else(|error| panic!("{literal}: {error}"));
    TreeGame::new(Arc::new(tree), Side::First)
}

/// The parameters of a random tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) height: u32,
    /// The maximum number of children.
    pub(crate) max_width: u64,
    /// One inner node in this many is a leaf.
    pub(crate) early_leaf_rarity: u64,
    /// The values of leaves are from minus this to plus this.
    pub(crate) max_value: i32,
}

impl Shape {
    /// Returns random parameters: narrow and wide trees, chains, few different values and many.
    pub(crate) fn draw(rng: &mut Rng) -> Self {
        let max_width = 1 + rng.u64(..5);
        let height = match max_width {
            1 | 2 => rng.u32(..9),
            3 => rng.u32(..7),
            _ => rng.u32(..5),
        };
        let max_value = [0, 1, 2, 5, 60, 1_000, 1_000_000][rng.usize(..7)];
        Self { height, max_width, early_leaf_rarity: [4, 10, 1_000_000][rng.usize(..3)], max_value }
    }

    pub(crate) fn plan(self, rng: &mut Rng) -> Plan {
        if self.height == 0 || rng.u64(..self.early_leaf_rarity) == 0 {
            return Plan::Leaf(rng.i32(-self.max_value..=self.max_value));
        }
        let children = 1 + rng.u64(..self.max_width);
        let below = Self { height: self.height - 1, ..self };
        Plan::Inner((0..children).map(|_| below.plan(rng)).collect())
    }
}

/// Returns a tree of this height in which every inner node has `width` children, the best child
/// first.
pub(crate) fn perfectly_ordered(width: usize, height: u32, rng: &mut Rng) -> Plan {
    ordered_with_value(width, height, Side::First, rng.i32(-50..=50), rng)
}

fn ordered_with_value(width: usize, height: u32, turn: Side, value: i32, rng: &mut Rng) -> Plan {
    if height == 0 {
        return Plan::Leaf(value);
    }
    let children = (0..width).map(|index| {
        let worse = if index == 0 { 0 } else { rng.i32(0..=9) };
        let value = if turn == Side::First { value - worse } else { value + worse };
        ordered_with_value(width, height - 1, turn.other(), value, rng)
    });
    Plan::Inner(children.collect())
}

/// Returns a chain of `height` inner nodes, some with a leaf before or after the next inner node.
pub(crate) fn caterpillar(height: u32, rng: &mut Rng) -> Plan {
    let mut plan = Plan::Leaf(rng.i32(-9..=9));
    for _ in 0..height {
        let leaf = Plan::Leaf(rng.i32(-9..=9));
        plan = match rng.u64(..3) {
            0 => Plan::Inner(vec![plan]),
            1 => Plan::Inner(vec![leaf, plan]),
            _ => Plan::Inner(vec![plan, leaf]),
        };
    }
    plan
}
