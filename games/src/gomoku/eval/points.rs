//! The pattern classes of every empty point for both sides, updated incrementally.
//!
//! The evaluation and the threat solvers read it. It does not depend on a search.

use tengen_engine::{Cell, Side};

use crate::gomoku::Board;
use crate::gomoku::eval::point_score::{PointScore, PointScores, TAKEN, class_code};
use crate::gomoku::pattern::lines::{PointSet, empty_beside};
use crate::gomoku::pattern::threat::{GROUPS, Group, SITUATION_THREATS, Threat};
use crate::gomoku::pattern::{Class, PatternShape};

/// A point in one word. From the lowest bit on: the pattern code (four classes) of each side in 16
/// bits, then the shapes of both sides in each direction in 4 bits each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct PackedPoint(u64);

impl PackedPoint {
    const TAKEN: Self = Self(TAKEN as u64 * 0x1_0001);

    #[inline]
    fn pattern_code(self, side: Side) -> usize {
        (self.0 >> (16 * side.index()) & 0xFFFF) as usize
    }

    #[inline]
    fn is_taken(self) -> bool {
        self.0 & 0xFFFF == TAKEN as u64
    }

    /// Returns the shapes of both sides in `direction`.
    #[inline]
    fn pair(self, direction: usize) -> u8 {
        (self.0 >> (32 + 8 * direction)) as u8
    }

    /// Returns the shapes of both sides in every direction.
    #[inline]
    fn pairs(self) -> [u8; 4] {
        std::array::from_fn(|direction| self.pair(direction))
    }

    /// Returns the point with the shapes `pair` in `direction`.
    #[inline]
    fn with(self, direction: usize, pair: u8) -> Self {
        let old = self.pair(direction);
        let [before, after] = [old, pair].map(|pair| u64::from(PAIR_CODES[usize::from(pair)]));
        let changed = u64::from(old ^ pair) << (32 + 8 * direction);
        // Each pattern code stays within 16 bits, so nothing is carried over.
        Self((self.0 ^ changed).wrapping_add(after).wrapping_sub(before))
    }
}

/// The codes of both sides' classes for each pair of shapes, the second player's 16 bits higher.
const PAIR_CODES: [u32; 256] = {
    let mut codes = [0; 256];
    let mut pair = 0;
    while pair < codes.len() {
        let [first, second] = [
            class_code(PatternShape::half(pair as u8, Side::First).class()) as u32,
            class_code(PatternShape::half(pair as u8, Side::Second).class()) as u32,
        ];
        codes[pair] = first | second << 16;
        pair += 1;
    }
    codes
};

/// A cell that a stone changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    /// The pairs of shapes on its four lines before the stone.
    pub(crate) pairs: [u8; 4],
    /// The pair of shapes on the line through the stone, before and after; `None` for the cell of
    /// the stone.
    pub(crate) exchange: Option<[u8; 2]>,
}

/// All points of a board.
#[derive(Clone, Debug)]
pub(crate) struct Points {
    /// The scores of each side. Call [`Self::reset`] after a change.
    pub(crate) scores: [PointScores; 2],
    points: Vec<PackedPoint>,
    sums: Sums,
    groups: [[PointSet; GROUPS]; 2],
    /// Every change of a point by the moves not undone.
    log: Vec<Changed>,
    /// Every change of a point's group by the moves not undone.
    regrouped: Vec<Regrouped>,
    /// For each move not undone, the data to undo it.
    undo_records: Vec<UndoRecord>,
}

/// Sums over all points.
#[derive(Clone, Copy, Debug)]
struct Sums {
    /// The number of points that make each threat, by side.
    threats: [[u16; Threat::COUNT]; 2],
    /// The sum of the values of all points, by side.
    values: [i32; 2],
    /// The union of the neighbourhoods of all stones. Some of the cells are taken.
    neighbourhood: PointSet,
}

/// A point before and after it changed.
#[derive(Clone, Copy, Debug)]
struct Changed {
    cell: u16,
    before: PackedPoint,
    after: PackedPoint,
}

/// A point that moved from one group of a side to another.
#[derive(Clone, Copy, Debug)]
struct Regrouped {
    cell: u16,
    side: Side,
    from: Group,
    to: Group,
}

/// The sums and the lengths of the logs before a move.
#[derive(Clone, Copy, Debug)]
struct UndoRecord {
    sums: Sums,
    logged: usize,
    regrouped: usize,
}

impl Sums {
    const NONE: Self =
        Self { threats: [[0; Threat::COUNT]; 2], values: [0; 2], neighbourhood: PointSet::NONE };
}

impl Points {
    /// Creates the points of `board`, with the scores of each side.
    pub(crate) fn new(board: &Board, scores: &[PointScores; 2]) -> Self {
        let mut points = Self {
            scores: scores.clone(),
            points: vec![PackedPoint::TAKEN; board.grid().cells()],
            sums: Sums::NONE,
            groups: [[PointSet::NONE; GROUPS]; 2],
            log: Vec::new(),
            regrouped: Vec::new(),
            undo_records: Vec::new(),
        };
        points.reset(board);
        points
    }

    /// Clears the log and sets the points of `board`, which must have the same rule and size.
    pub(crate) fn reset(&mut self, board: &Board) {
        self.sums = Sums::NONE;
        self.groups = [[PointSet::NONE; GROUPS]; 2];
        self.log.clear();
        self.undo_records.clear();
        for cell in board.grid().all() {
            let index = cell.index();
            self.points[index] = PackedPoint::TAKEN;
            if board.stone(cell).is_some() {
                self.sums.neighbourhood.unite(board.setting().neighbourhood(cell));
                continue;
            }
            let pairs = board.lines.pairs(cell).into_iter().enumerate();
            self.change(index, pairs.fold(PackedPoint(0), |point, (d, pair)| point.with(d, pair)));
        }
        self.log.clear();
        self.regrouped.clear();
    }

    /// Replaces the point `index` by `after`.
    #[inline(always)]
    fn change(&mut self, index: usize, after: PackedPoint) {
        let before = std::mem::replace(&mut self.points[index], after);
        self.log.push(Changed { cell: index as u16, before, after });
        for side in [Side::First, Side::Second] {
            let [old, new] = [before, after].map(|point| point.pattern_code(side));
            if old == new {
                continue;
            }
            let scores = &self.scores[side.index()];
            let (old, new) = (scores[old], scores[new]);
            self.sums.values[side.index()] += i32::from(new.value) - i32::from(old.value);
            if old.threat == new.threat {
                continue;
            }
            let threats = &mut self.sums.threats[side.index()];
            // During a reset, points not yet set are taken: the count of taken points wraps.
            threats[old.threat as usize] = threats[old.threat as usize].wrapping_sub(1);
            threats[new.threat as usize] = threats[new.threat as usize].wrapping_add(1);
            if old.group != new.group {
                let groups = &mut self.groups[side.index()];
                groups[old.group as usize].remove(index);
                groups[new.group as usize].insert(index);
                let (from, to) = (old.group, new.group);
                self.regrouped.push(Regrouped { cell: index as u16, side, from, to });
            }
        }
    }

    /// Updates after a move of either side on `cell`.
    #[inline]
    pub(crate) fn played(&mut self, board: &Board, cell: Cell) {
        let (logged, regrouped) = (self.log.len(), self.regrouped.len());
        self.undo_records.push(UndoRecord { sums: self.sums, logged, regrouped });
        self.sums.neighbourhood.unite(board.setting().neighbourhood(cell));
        self.change(cell.index(), PackedPoint::TAKEN);
        let setting = board.setting();
        let (index, reach) = (cell.index(), setting.rule.reach());
        for (direction, &position) in setting.positions(cell).iter().enumerate() {
            let line = board.lines.line(direction, position);
            for sign in [1, -1] {
                for (steps, shift) in empty_beside(line, position.shift.into(), sign, reach) {
                    let index = index.wrapping_add_signed(steps * setting.strides[direction]);
                    let pair = setting.patterns.at(line, shift);
                    let before = self.points[index];
                    if pair != before.pair(direction) {
                        self.change(index, before.with(direction, pair));
                    }
                }
            }
        }
    }

    /// Returns the number of moves not undone.
    #[inline]
    pub(crate) fn move_count(&self) -> usize {
        self.undo_records.len()
    }

    /// Returns the index of the cell of move `index`, which counts the moves not undone from 0.
    #[inline]
    pub(crate) fn cell_of(&self, index: usize) -> usize {
        usize::from(self.stone(index).cell)
    }

    /// Returns the change of the cell of a move, see [`cell_of`](Self::cell_of).
    #[inline]
    fn stone(&self, index: usize) -> &Changed {
        &self.log[self.undo_records[index].logged]
    }

    /// Returns the index of the cell of the move `back` moves ago, 1 for the last one; `None`
    /// before the first recorded move.
    #[inline]
    pub(crate) fn last_cell(&self, back: usize) -> Option<usize> {
        self.last_stone(back).map(|stone| usize::from(stone.cell))
    }

    /// Returns the change of the cell of a move, see [`last_cell`](Self::last_cell).
    #[inline]
    fn last_stone(&self, back: usize) -> Option<&Changed> {
        self.move_count().checked_sub(back).map(|index| self.stone(index))
    }

    /// Returns whether `side` makes exactly `threat` on some point, allowed or not.
    #[inline]
    pub(crate) fn can_make(&self, side: Side, threat: Threat) -> bool {
        self.sums.threats[side.index()][threat as usize] > 0
    }

    /// Returns the threat that a stone of `side` made, or would have made, on the cell of the move
    /// `back` moves ago; [`Threat::Quiet`] before the first recorded move.
    #[inline]
    pub(crate) fn made(&self, side: Side, back: usize) -> Threat {
        self.last_stone(back)
            .map_or(Threat::Quiet, |stone| self.score_of(side, stone.before).threat)
    }

    /// Returns the changes by move `index`, which counts the moves not undone from 0: of its own
    /// cell, then of every other cell once.
    #[inline]
    pub(crate) fn changes(&self, index: usize) -> impl Iterator<Item = Change> + '_ {
        let end = self.undo_records.get(index + 1).map_or(self.log.len(), |record| record.logged);
        let start = self.undo_records[index].logged;
        self.log[start..end].iter().map(|&Changed { before, after, .. }| {
            // A cell shares only one line with the stone.
            let direction = ((before.0 ^ after.0) >> 32).trailing_zeros() as usize / 8;
            let exchange = || [before, after].map(|point| point.pair(direction));
            Change { pairs: before.pairs(), exchange: (!after.is_taken()).then(exchange) }
        })
    }

    /// Returns the pairs of shapes on the four lines of every cell; `None` for a taken cell.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = Option<[u8; 4]>> + '_ {
        self.points.iter().map(|point| (!point.is_taken()).then(|| point.pairs()))
    }

    /// Updates after an undo of the last move.
    #[inline]
    pub(crate) fn undone(&mut self) {
        let Some(record) = self.undo_records.pop() else { return };
        for changed in &self.log[record.logged..] {
            self.points[usize::from(changed.cell)] = changed.before;
        }
        self.log.truncate(record.logged);
        for moved in &self.regrouped[record.regrouped..] {
            let groups = &mut self.groups[moved.side.index()];
            groups[moved.to as usize].remove(usize::from(moved.cell));
            groups[moved.from as usize].insert(usize::from(moved.cell));
        }
        self.regrouped.truncate(record.regrouped);
        self.sums = record.sums;
    }

    /// Returns the points in `group` of `side`.
    #[inline]
    pub(crate) fn group(&self, side: Side, group: Group) -> &PointSet {
        &self.groups[side.index()][group as usize]
    }

    #[inline]
    fn score(&self, side: Side, cell: Cell) -> PointScore {
        self.score_of(side, self.points[cell.index()])
    }

    #[inline]
    fn score_of(&self, side: Side, point: PackedPoint) -> PointScore {
        self.scores[side.index()][point.pattern_code(side)]
    }

    /// Returns the threat that a stone of `side` makes on `cell`.
    #[inline]
    pub(crate) fn threat(&self, side: Side, cell: Cell) -> Threat {
        self.score(side, cell).threat
    }

    /// Returns the threat that a stone of `side` makes on an empty cell if both sides have the
    /// shapes `pair` in `direction`.
    #[inline]
    pub(crate) fn threat_with(
        &self,
        side: Side,
        cell: Cell,
        (direction, pair): (usize, u8),
    ) -> Threat {
        self.score_of(side, self.points[cell.index()].with(direction, pair)).threat
    }

    /// Returns the classes that a stone of `side` makes of the four lines through an empty cell.
    pub(crate) fn classes(&self, side: Side, cell: Cell) -> [Class; 4] {
        let point = self.points[cell.index()];
        std::array::from_fn(|d| PatternShape::half(point.pair(d), side).class())
    }

    /// Returns the ordering score of a move of `side` on an empty cell: for what it makes and for
    /// what it prevents.
    #[inline]
    pub(crate) fn rank_of(&self, side: Side, cell: Cell) -> i32 {
        let (own, other) = (self.score(side, cell), self.score(side.other(), cell));
        i32::from(own.making) + i32::from(other.stopping)
    }

    /// Returns the pattern code of `cell`: the four classes that a stone of `side` makes.
    pub(crate) fn pattern_code(&self, side: Side, cell: Cell) -> u16 {
        self.points[cell.index()].pattern_code(side) as u16
    }

    /// Returns the situation with `side` to move: a bit set of the threats that each side can make
    /// next, below [`SITUATIONS`](crate::gomoku::pattern::threat::SITUATIONS).
    #[inline]
    pub(crate) fn situation(&self, side: Side) -> usize {
        let mut situation = 0;
        for (side, threats) in [side, side.other()].into_iter().zip(SITUATION_THREATS) {
            for &threat in threats {
                situation = 2 * situation + usize::from(self.can_make(side, threat));
            }
        }
        situation
    }

    /// Returns the sum of the values of all empty cells for `side`.
    #[inline]
    pub(crate) fn total_value(&self, side: Side) -> i32 {
        self.sums.values[side.index()]
    }

    /// Returns the cells at most two steps from a stone. Some of them are taken.
    #[inline]
    pub(crate) fn neighbourhood(&self) -> &PointSet {
        &self.sums.neighbourhood
    }
}
