//! Random and regular trees for the textbook's tests, each with the value and best child that an
//! independent minimax finds while it is made.

use std::sync::Arc;

use tengen_engine::Side;
use tengen_games::tree::{TreeGame, parse};

/// A pseudo-random sequence, the same for the same seed.
// CITE: S. Vigna's splitmix64 (public domain).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub(crate) fn within(&mut self, least: i32, most: i32) -> i32 {
        least + self.below((most - least + 1) as u64) as i32
    }
}

/// A tree in the making.
#[derive(Clone, Debug)]
pub(crate) enum Plan {
    Leaf(i32),
    Inner(Vec<Plan>),
}

impl Plan {
    /// The literal, with names that say the path.
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
                for (place, child) in children.iter().enumerate() {
                    out.push_str(", ");
                    child.write(&format!("{name}{}", place + 1), out);
                }
                out.push(']');
            }
        }
    }

    pub(crate) fn game(&self) -> TreeGame {
        game(&self.literal())
    }

    /// The value for the first player, with `turn` to move, and the first child that has it.
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

/// What a random tree looks like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) height: u32,
    pub(crate) widest: u64,
    /// One inner node in this many ends early, as a leaf.
    pub(crate) stunted: u64,
    /// Leaves are drawn from minus this to plus this.
    pub(crate) reach: i32,
}

impl Shape {
    /// One of many shapes: narrow and wide, one-child chains, few different values and many.
    pub(crate) fn draw(random: &mut Random) -> Self {
        let widest = 1 + random.below(5);
        let height = match widest {
            1 | 2 => random.below(9) as u32,
            3 => random.below(7) as u32,
            _ => random.below(5) as u32,
        };
        let reach = [0, 1, 2, 5, 60, 1_000, 1_000_000][random.below(7) as usize];
        Self { height, widest, stunted: [4, 10, 1_000_000][random.below(3) as usize], reach }
    }

    pub(crate) fn plan(self, random: &mut Random) -> Plan {
        if self.height == 0 || random.below(self.stunted) == 0 {
            return Plan::Leaf(random.within(-self.reach, self.reach));
        }
        let children = 1 + random.below(self.widest);
        let below = Self { height: self.height - 1, ..self };
        Plan::Inner((0..children).map(|_| below.plan(random)).collect())
    }
}

/// A tree of this height in which every inner node has `width` children, the best of which comes
/// first.
pub(crate) fn perfectly_ordered(width: usize, height: u32, random: &mut Random) -> Plan {
    ordered_with_value(width, height, Side::First, random.within(-50, 50), random)
}

fn ordered_with_value(
    width: usize,
    height: u32,
    turn: Side,
    value: i32,
    random: &mut Random,
) -> Plan {
    if height == 0 {
        return Plan::Leaf(value);
    }
    let children = (0..width).map(|place| {
        let worse = if place == 0 { 0 } else { random.within(0, 9) };
        let value = if turn == Side::First { value - worse } else { value + worse };
        ordered_with_value(width, height - 1, turn.other(), value, random)
    });
    Plan::Inner(children.collect())
}

/// A spine of `height` inner nodes, each with a leaf before or after the next of them.
pub(crate) fn caterpillar(height: u32, random: &mut Random) -> Plan {
    let mut plan = Plan::Leaf(random.within(-9, 9));
    for _ in 0..height {
        let leaf = Plan::Leaf(random.within(-9, 9));
        plan = match random.below(3) {
            0 => Plan::Inner(vec![plan]),
            1 => Plan::Inner(vec![leaf, plan]),
            _ => Plan::Inner(vec![plan, leaf]),
        };
    }
    plan
}
