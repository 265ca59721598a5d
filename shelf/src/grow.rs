//! [`Growth`]: a book that grows from a position, by drop-out expansion.
//!
//! The book is in the table `analysis`: a position that was searched, and the positions after its best
//! moves. The next position to search is the leaf with the least cost. The cost of a line is
//! the sum of what each move loses against the best one, and [`PLY`] for each move. Values are passed
//! up by minimax.
// CITE: T. R. Lincke, "Strategies for the Automatic Construction of Opening Books", Computers and Games 2000

use std::collections::{BTreeSet, HashMap, HashSet};

use tengen_engine::{Point, Score};

use crate::Error;
use crate::analysis::Analysis;
use crate::explore::Value;
use crate::position::PositionAsked;
use crate::store::Shelf;

/// The cost of a move in a line, in centipawns.
const PLY: i64 = 30;
/// The score of a win in 0 plies.
const WIN: i64 = 1_000_000;
/// The least score of a proven win.
const PROVEN: i64 = WIN - 10_000;

/// The values of a book below a position.
#[derive(Debug)]
pub struct Growth {
    from: PositionAsked,
    root: i64,
    /// How many moves of a position get a value.
    width: usize,
    nodes: HashMap<i64, Node>,
    /// The positions that may be searched; all if `None`.
    only: Option<HashSet<i64>>,
}

/// How far a book has grown.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Grown {
    /// The number of positions that were searched.
    pub searched: usize,
    /// The number of positions with a value.
    pub positions: usize,
    /// The value of the first position; `None` before it was searched.
    pub value: Option<Value>,
    /// The worst value for the side to move at the first position, of the leaves that the opponent
    /// can reach while that side plays the best moves; and its line.
    pub worst: Option<(Value, Vec<Point>)>,
    /// The cost of the next leaf in centipawns: all lines that cost less were searched.
    pub cost: Option<i64>,
}

/// A position with a value.
#[derive(Debug, Default)]
struct Node {
    /// For the side to move, in centipawns; proven wins are at least [`PROVEN`].
    score: i64,
    /// Moves in the orientation of the key, and the positions after them.
    children: Vec<(u16, i64)>,
    parents: Vec<i64>,
    /// The cost of the leaf below with the least cost; `None` if there is none to search.
    cost: Option<i64>,
    is_searched: bool,
    /// Whether it is being searched.
    is_taken: bool,
}

impl Node {
    fn is_proven(&self) -> bool {
        self.score.abs() >= PROVEN
    }
}

impl Growth {
    /// Reads the book below a position. Positions with values for fewer than `width` of their moves are
    /// leaves; a move with a value counts with all its images.
    pub fn read(shelf: &Shelf, from: PositionAsked, width: usize) -> Result<Self, Error> {
        let root = from.walker().key();
        let nodes = HashMap::from([(root, Node::default())]);
        let mut growth = Self { from, root, width, nodes, only: None };
        growth.link_all(shelf)?;
        Ok(growth)
    }

    /// Returns how many moves of a position got a value when the book below a position grew last; `None` if that is not known.
    pub fn width(shelf: &Shelf, from: &PositionAsked) -> Result<Option<usize>, Error> {
        let width = shelf.meta(&width_of(from.walker().key()))?;
        Ok(usize::try_from(width).ok().filter(|width| *width > 0))
    }

    /// Makes all positions with values that a move leads to children of each position: other lines have reached some of
    /// them. Computes the scores and costs of all positions.
    fn link_all(&mut self, shelf: &Shelf) -> Result<(), Error> {
        let mut seen = HashSet::new();
        let mut open = vec![self.from.clone()];
        while let Some(asked) = open.pop() {
            let key = asked.walker().key();
            if !seen.insert(key) {
                continue;
            }
            let moves = shelf.valued_moves(&asked)?;
            if let Some(value) = shelf.stored(key)?.value {
                self.node(key).score = score(value);
            }
            let is_leaf = !self.node(key).is_searched && is_narrow(&asked, &moves, self.width);
            if is_leaf || self.node(key).is_proven() {
                continue;
            }
            let walker = asked.walker();
            let points: Vec<Point> =
                moves.iter().map(|mv| asked.ruleset.point(walker.cell_here(*mv as u16))).collect();
            self.link(shelf, &asked, &points)?;
            open.extend(points.into_iter().map(|point| asked.after_move(point)));
        }
        self.settle_all();
        Ok(())
    }

    /// Passes the values up by all moves between the positions of the book, also by those that no search has ranked, and
    /// writes what differs into the shelf.
    pub fn finish(&mut self, shelf: &mut Shelf) -> Result<(), Error> {
        self.link_all(shelf)?;
        shelf.set_meta(&width_of(self.root), self.width as i64)?;
        self.write_values(shelf)
    }

    /// Lets the book grow only in the positions with these keys; in all, if `None`.
    pub fn search_only(&mut self, only: Option<HashSet<i64>>) {
        self.only = only;
        self.settle_all();
    }

    /// Returns whether a position may be searched.
    fn is_meant(&self, key: i64) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(&key))
    }

    fn node(&mut self, key: i64) -> &mut Node {
        self.nodes.entry(key).or_default()
    }

    /// Makes the positions after `points`, which have values in the shelf, children of a position. Returns those that
    /// another line had reached, and whose value is another one now.
    fn link(
        &mut self,
        shelf: &Shelf,
        asked: &PositionAsked,
        points: &[Point],
    ) -> Result<Vec<i64>, Error> {
        let walker = asked.walker();
        let key = walker.key();
        let (mut children, mut changed) = (Vec::new(), Vec::new());
        for point in points {
            let (_, mv) = walker.key_and_move(asked.ruleset.cell(*point));
            let child = asked.after_move(*point).walker().key();
            let stored = shelf.stored(child)?.value;
            let (is_new, is_meant) = (!self.nodes.contains_key(&child), self.is_meant(child));
            let node = self.node(child);
            // A search of another position may have proven it, or found a value where it had none.
            let is_taken_over = |value: &Value| {
                is_new
                    || matches!(value, Value::Mate(_))
                    || (!node.is_searched && !node.is_proven())
            };
            if let Some(value) = stored.filter(is_taken_over) {
                if !is_new && node.score != score(value) {
                    changed.push(child);
                }
                node.score = score(value);
                let new_cost = (is_new && is_meant).then_some(0);
                node.cost = node.cost.or(new_cost).filter(|_| !node.is_proven());
            }
            if !node.parents.contains(&key) {
                node.parents.push(key);
            }
            if !children.contains(&(mv, child)) {
                children.push((mv, child));
            }
        }
        let node = self.node(key);
        (node.children, node.is_searched) = (children, true);
        Ok(changed)
    }

    /// Returns the searched positions whose value in the shelf is not that of their best move, with the right value.
    pub fn wrong_values(&self, shelf: &Shelf) -> Result<Vec<(i64, Value)>, Error> {
        let mut wrong = Vec::new();
        for (key, node) in self.nodes.iter().filter(|(_, node)| node.is_searched) {
            let value = value_of(node.score);
            if shelf.stored(*key)?.value.is_some_and(|stored| stored != value) {
                wrong.push((*key, value));
            }
        }
        Ok(wrong)
    }

    /// Writes the values that differ from those of the best moves into the shelf.
    pub fn write_values(&self, shelf: &mut Shelf) -> Result<(), Error> {
        let wrong = self.wrong_values(shelf)?;
        shelf.write(|shelf| {
            wrong.into_iter().try_for_each(|(key, value)| shelf.set_value(key, value))
        })
    }

    /// Computes the scores and costs of all positions.
    fn settle_all(&mut self) {
        let mut open: Vec<i64> = self.nodes.keys().copied().collect();
        // A position is settled again whenever one after it changes, so the order does not matter.
        while let Some(key) = open.pop() {
            if self.settle(key) {
                open.extend(&self.nodes[&key].parents);
            }
        }
    }

    /// Computes the score and the cost of a position from those after it. Returns whether they changed.
    fn settle(&mut self, key: i64) -> bool {
        let node = &self.nodes[&key];
        let before = (node.score, node.cost);
        let children: Vec<(i64, Option<i64>)> = node
            .children
            .iter()
            .map(|(_, child)| &self.nodes[child])
            .map(|child| (passed_up(child.score), child.cost))
            .collect();
        let best = children.iter().map(|(score, _)| *score).max();
        let score = best.filter(|_| !node.is_proven()).unwrap_or(node.score);
        let below = children.iter().filter_map(|(one, cost)| Some(PLY + score - one + (*cost)?));
        let is_open = score.abs() < PROVEN;
        let cost = match node.is_searched {
            true => below.min().filter(|_| is_open),
            false => (is_open && !node.is_taken && self.is_meant(key)).then_some(0),
        };
        let node = self.node(key);
        (node.score, node.cost) = (score, cost);
        before != (score, cost)
    }

    /// Computes the scores and costs above a position. Returns the positions whose score changed.
    fn settle_above(&mut self, key: i64) -> Vec<i64> {
        let mut changed = Vec::new();
        let mut open = vec![key];
        while let Some(key) = open.pop() {
            let before = self.nodes[&key].score;
            if !self.settle(key) {
                continue;
            }
            let node = &self.nodes[&key];
            if node.score != before {
                changed.push(key);
            }
            open.extend(&node.parents);
        }
        changed
    }

    /// Returns the leaf with the least cost, which is searched next; `None` if there is none now.
    pub fn take_leaf(&mut self) -> Option<PositionAsked> {
        let mut asked = self.from.clone();
        let mut key = self.root;
        self.nodes[&key].cost?;
        while self.nodes[&key].is_searched {
            let node = &self.nodes[&key];
            let cost = |(_, child): &&(u16, i64)| {
                let child = &self.nodes[child];
                child.cost.map_or(i64::MAX, |cost| cost - passed_up(child.score))
            };
            let (mv, child) = *node.children.iter().min_by_key(cost)?;
            let cell = asked.walker().cell_here(mv);
            asked = asked.after_move(asked.ruleset.point(cell));
            key = child;
        }
        self.node(key).is_taken = true;
        self.settle_above(key);
        Some(asked)
    }

    /// Keeps the result of the search of a leaf, and the values after its best moves.
    pub fn add(
        &mut self,
        shelf: &mut Shelf,
        asked: &PositionAsked,
        analysis: &Analysis,
        moves: &[(Vec<Point>, Score)],
    ) -> Result<(), Error> {
        shelf.keep_analysis(asked, analysis)?;
        let mut points = Vec::new();
        for (line, value) in moves {
            let Some((point, rest)) = line.split_first() else { continue };
            // The search of the position before has its depth and nodes.
            let after = Analysis {
                score: after_move(*value),
                depth: 0,
                nodes: 0,
                line: rest.to_vec(),
                ..analysis.clone()
            };
            shelf.keep_analysis(&asked.after_move(*point), &after)?;
            points.push(*point);
        }
        let key = asked.walker().key();
        let value = shelf.stored(key)?.value;
        let node = self.node(key);
        (node.is_taken, node.is_searched) = (false, true);
        node.score = value.map_or(0, score);
        let mut open = vec![key];
        if !node.is_proven() {
            for child in self.link(shelf, asked, &points)? {
                open.extend(&self.nodes[&child].parents);
            }
        }
        for key in open {
            for key in self.settle_above(key) {
                shelf.set_value(key, value_of(self.nodes[&key].score))?;
            }
        }
        Ok(())
    }

    /// Returns whether the first position was searched.
    pub fn has_begun(&self) -> bool {
        let root = &self.nodes[&self.root];
        root.is_searched || root.is_proven()
    }

    /// Returns how far the book has grown.
    pub fn grown(&self) -> Grown {
        let root = &self.nodes[&self.root];
        Grown {
            searched: self.nodes.values().filter(|node| node.is_searched).count(),
            positions: self.nodes.len(),
            value: root.is_searched.then(|| value_of(root.score)),
            worst: root.is_searched.then(|| self.worst()).flatten(),
            cost: root.cost,
        }
    }

    /// Returns the worst leaf for the side to move at the root, which plays the best moves.
    fn worst(&self) -> Option<(Value, Vec<Point>)> {
        let mut worst: Option<(i64, PositionAsked)> = None;
        let mut open = vec![(self.root, self.from.clone(), true)];
        let mut seen = HashSet::new();
        while let Some((key, asked, is_own)) = open.pop() {
            if !seen.insert(key) {
                continue;
            }
            let node = &self.nodes[&key];
            let own = if is_own { node.score } else { -node.score };
            if node.children.is_empty() && worst.as_ref().is_none_or(|(least, _)| own < *least) {
                worst = Some((own, asked.clone()));
            }
            let best =
                node.children.iter().max_by_key(|(_, child)| passed_up(self.nodes[child].score));
            let all = node.children.iter().filter(|_| !is_own);
            for (mv, child) in best.filter(|_| is_own).into_iter().chain(all) {
                let cell = asked.walker().cell_here(*mv);
                open.push((*child, asked.after_move(asked.ruleset.point(cell)), !is_own));
            }
        }
        let before = self.from.moves().count();
        worst.map(|(score, asked)| (value_of(score), asked.moves().skip(before).collect()))
    }
}

/// Returns the name in the table `meta` of the number of moves that get a value in the book below a position.
fn width_of(key: i64) -> String {
    format!("width of book {key}")
}

/// Returns whether fewer than `width` moves of a position are among `moves` or their images. If the
/// position has fewer moves, all of them must be.
fn is_narrow(asked: &PositionAsked, moves: &BTreeSet<i64>, width: usize) -> bool {
    let walker = asked.walker();
    let placement = asked.placement();
    let free = || (0..).zip(&placement.stones).filter(|(_, stone)| stone.is_none());
    let is_known = |cell: u16| moves.contains(&i64::from(walker.key_and_move(cell).1));
    free().filter(|(cell, _)| is_known(*cell)).count() < width.min(free().count())
}

/// Returns the score of a move for its player, from the score of the position after it.
fn passed_up(score: i64) -> i64 {
    match -score {
        win if win >= PROVEN => win - 1,
        loss if loss <= -PROVEN => loss + 1,
        score => score,
    }
}

/// Returns the score of the position after a move with this score.
fn after_move(score: Score) -> Score {
    match score.plies() {
        Some(plies) if score.is_win() => Score::loss_in(plies.saturating_sub(1)),
        Some(plies) => Score::win_in(plies.saturating_sub(1)),
        None => -score,
    }
}

fn score(value: Value) -> i64 {
    match value {
        Value::Cp(cp) => cp.clamp(1 - PROVEN, PROVEN - 1),
        Value::Mate(plies) if plies > 0 => WIN - plies,
        // The side to move has lost.
        Value::Mate(plies) => -WIN - plies,
    }
}

fn value_of(score: i64) -> Value {
    match score {
        win if win >= PROVEN => Value::Mate(WIN - win),
        loss if loss <= -PROVEN => Value::Mate(-WIN - loss),
        cp => Value::Cp(cp),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tengen_engine::backend::Catalog;
    use tengen_engine::{Bound, Chosen};
    use tengen_games::CATALOG;

    use super::*;
    use crate::ruleset::Ruleset;

    fn analysis(score: i32) -> Analysis {
        let score = Score::heuristic(score);
        let (line, engine) = (Vec::new(), "test".to_owned());
        Analysis { score, bound: Bound::Exact, depth: 3, nodes: 9, line, engine, at: 1 }
    }

    fn line(text: &str, score: i32) -> (Vec<Point>, Score) {
        (vec![text.parse().unwrap()], Score::heuristic(score))
    }

    fn names(asked: &PositionAsked) -> String {
        asked.moves().map(|point| point.to_string()).collect::<Vec<_>>().join(" ")
    }

    /// Returns a shelf without games, its folder, and the empty board of gomoku.
    fn empty_shelf() -> (tempfile::TempDir, Shelf, PositionAsked) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.shelf");
        let shelf = Shelf::create_or_open(&path, &CATALOG).unwrap();
        let spec = CATALOG.describe("gomoku", &Chosen::new()).unwrap();
        let ruleset = Arc::new(Ruleset::new(&spec).unwrap());
        shelf.keep_ruleset(&ruleset).unwrap();
        (folder, shelf, PositionAsked::new(ruleset, None, &[]))
    }

    /// Returns the position after moves from `from`.
    fn after(from: &PositionAsked, moves: &str) -> PositionAsked {
        moves.split(' ').fold(from.clone(), |asked, mv| asked.after_move(mv.parse().unwrap()))
    }

    #[test]
    fn the_leaf_that_loses_least_is_searched_next_and_values_go_up() {
        let (_folder, mut shelf, from) = empty_shelf();
        let mut growth = Growth::read(&shelf, from.clone(), 2).unwrap();
        let root = growth.take_leaf().unwrap();
        // While the root is searched, there is nothing else to search.
        assert!(growth.take_leaf().is_none());
        // c1 loses 40 against a2.
        growth.add(&mut shelf, &root, &analysis(50), &[line("a2", 50), line("c1", 10)]).unwrap();
        let first = growth.take_leaf().unwrap();
        let second = growth.take_leaf().unwrap();
        let after = |asked: &PositionAsked| asked.walker().key();
        assert_eq!(after(&first), after(&from.after_move("a2".parse().unwrap())));
        assert_eq!(after(&second), after(&from.after_move("c1".parse().unwrap())));
        // a2 is worse than it seemed: for the side to move after it, 100.
        let moves = [line("h8", 100), line("i8", -500)];
        growth.add(&mut shelf, &first, &analysis(100), &moves).unwrap();
        growth
            .add(&mut shelf, &second, &analysis(-20), &[line("h9", -20), line("i8", -30)])
            .unwrap();
        let grown = growth.grown();
        assert_eq!((grown.searched, grown.value), (3, Some(Value::Cp(20))));
        assert_eq!(shelf.stored(growth.root).unwrap().value, Some(Value::Cp(20)));
        let (worst, moves) = grown.worst.unwrap();
        assert_eq!((worst, moves.len()), (Value::Cp(20), 2));
        assert_eq!(names(&growth.take_leaf().unwrap()).matches(' ').count(), 1, "a reply to c1");
        // The book is in the shelf.
        let again = Growth::read(&shelf, from, 2).unwrap().grown();
        assert_eq!((again.searched, again.value), (3, Some(Value::Cp(20))));
        assert_eq!(
            (again.positions, again.worst.map(|worst| worst.0)),
            (grown.positions, Some(worst))
        );
    }

    #[test]
    fn a_book_grows_only_where_it_may() {
        let (_folder, mut shelf, from) = empty_shelf();
        let mut growth = Growth::read(&shelf, from.clone(), 2).unwrap();
        let key = |mv: &str| from.after_move(mv.parse().unwrap()).walker().key();
        growth.search_only(Some(HashSet::from([from.walker().key(), key("c1")])));
        let root = growth.take_leaf().unwrap();
        growth.add(&mut shelf, &root, &analysis(50), &[line("a2", 50), line("c1", 10)]).unwrap();
        assert_eq!(growth.take_leaf().unwrap().walker().key(), key("c1"));
        assert!(growth.take_leaf().is_none());
        growth.search_only(None);
        assert_eq!(growth.take_leaf().unwrap().walker().key(), key("a2"));
    }

    #[test]
    fn a_value_goes_up_to_all_positions_before_it() {
        let (_folder, mut shelf, from) = empty_shelf();
        let mut growth = Growth::read(&shelf, from.clone(), 1).unwrap();
        let after = |moves: &str| after(&from, moves);
        let root = growth.take_leaf().unwrap();
        growth.add(&mut shelf, &root, &analysis(0), &[line("a2", 0), line("c1", 0)]).unwrap();
        for (moves, reply) in [("a2", "h8"), ("c1", "h8"), ("a2 h8", "c1")] {
            growth.add(&mut shelf, &after(moves), &analysis(0), &[line(reply, 0)]).unwrap();
        }
        // The same position by another line, and now the move to it wins.
        let wins = (vec!["a2".parse().unwrap()], Score::win_in(5));
        growth.add(&mut shelf, &after("c1 h8"), &analysis(9), &[wins]).unwrap();
        let stored =
            |shelf: &Shelf, moves| shelf.stored(after(moves).walker().key()).unwrap().value;
        for (moves, value) in [
            ("c1 h8 a2", Value::Mate(-4)),
            ("a2 h8", Value::Mate(5)),
            ("c1 h8", Value::Mate(5)),
            ("a2", Value::Mate(-6)),
        ] {
            assert_eq!(stored(&shelf, moves), Some(value), "{moves}");
        }
        // A book with a wrong value is put right when it is read.
        let root = from.walker().key();
        shelf.change("UPDATE analysis SET cp = 9, mate = NULL WHERE key = ?1", [root]).unwrap();
        let growth = Growth::read(&shelf, from.clone(), 1).unwrap();
        assert_eq!(growth.wrong_values(&shelf).unwrap(), [(root, Value::Mate(7))]);
        growth.write_values(&mut shelf).unwrap();
        assert!(growth.wrong_values(&shelf).unwrap().is_empty());
        assert_eq!(shelf.stored(root).unwrap().value, Some(Value::Mate(7)));
    }

    #[test]
    fn values_are_passed_up_by_moves_of_other_lines_too() {
        let (_folder, mut shelf, from) = empty_shelf();
        let mut growth = Growth::read(&shelf, from.clone(), 1).unwrap();
        let after = |moves: &str| after(&from, moves);
        let root = growth.take_leaf().unwrap();
        growth.add(&mut shelf, &root, &analysis(0), &[line("a2", 0), line("c1", 0)]).unwrap();
        for (moves, reply, score) in
            [("a2", "h8", 0), ("c1", "h8", 0), ("a2 h8", "i9", 0), ("c1 h8", "a2", 500)]
        {
            let moves = after(moves);
            growth.add(&mut shelf, &moves, &analysis(score), &[line(reply, score)]).unwrap();
        }
        // c1 is better in the position after a2 and h8, where no search has ranked it.
        let wrong = |shelf: &Shelf| {
            Growth::read(shelf, from.clone(), 1).unwrap().wrong_values(shelf).unwrap()
        };
        assert!(!wrong(&shelf).is_empty());
        assert_eq!(Growth::width(&shelf, &from).unwrap(), None);
        growth.finish(&mut shelf).unwrap();
        assert_eq!(wrong(&shelf), []);
        assert_eq!(Growth::width(&shelf, &from).unwrap(), Some(1));
        let value = shelf.stored(after("a2 h8").walker().key()).unwrap().value;
        assert_eq!(value, Some(Value::Cp(500)));
        assert!(!Growth::read(&shelf, after("o15"), 1).unwrap().has_begun());
    }

    #[test]
    fn a_book_goes_on_where_best_moves_are_images_of_each_other() {
        let (_folder, mut shelf, from) = empty_shelf();
        let mut growth = Growth::read(&shelf, from.clone(), 5).unwrap();
        let root = growth.take_leaf().unwrap();
        let moves = ["h8", "h7", "g8", "i8", "h9"].map(|mv| line(mv, 10));
        growth.add(&mut shelf, &root, &analysis(10), &moves).unwrap();
        let mut again = Growth::read(&shelf, from.clone(), 5).unwrap();
        let facts = |growth: &Growth| {
            let Grown { searched, positions, value, cost, .. } = growth.grown();
            (searched, positions, value, cost)
        };
        assert_eq!(facts(&again), facts(&growth));
        assert_eq!(facts(&again), (1, 3, Some(Value::Cp(10)), Some(30)));
        assert_eq!(names(&again.take_leaf().unwrap()).split(' ').count(), 1);
        // A sixth move has no value.
        assert_eq!(Growth::read(&shelf, from, 6).unwrap().grown().searched, 0);
    }

    #[test]
    fn scores_and_values_are_the_same() {
        for value in [Value::Cp(-35), Value::Mate(7), Value::Mate(-8), Value::Mate(0), Value::Cp(0)]
        {
            assert_eq!(value_of(score(value)), value);
        }
        assert_eq!(value_of(passed_up(score(Value::Mate(-8)))), Value::Mate(9));
        assert_eq!(value_of(passed_up(score(Value::Mate(9)))), Value::Mate(-10));
        assert_eq!(after_move(Score::win_in(5)), Score::loss_in(4));
    }
}
