//! ABDADA with one thread. The other threads are simulated by marks and by late table entries.

use std::sync::{Arc, Mutex};

use super::super::Context;
use super::super::bounds::ProvenBounds;
use super::super::state::NodeFlags;
use super::*;
use crate::game::score::Score;
use crate::game::side::{Outcome, Side};
use crate::search::evaluator::Evaluator;
use crate::search::evaluator::ordering::MoveOrdering;
use crate::search::evaluator::prover::Prover;
use crate::search::evaluator::selectivity::Selectivity;
use crate::search::report::Bound;
use crate::search::table::{Address, Entry, Region, Table, View};

/// The game is a draw after `LENGTH` plies, with `MOVES` moves at each ply. A position is the list
/// of its moves.
const LENGTH: usize = 6;
const MOVES: u8 = 4;

#[derive(Clone)]
struct Path(Vec<u8>);

impl Path {
    fn key_of(moves: &[u8]) -> u64 {
        const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
        moves.iter().fold(1, |key: u64, mv| (key ^ u64::from(*mv)).wrapping_mul(SPREAD))
    }
}

impl Game for Path {
    type Move = u8;
    type Undo = ();
    type Symmetry = ();

    const MIN_PLIES_TO_LOSE_AND_WIN: (u32, u32) = (2, 1);

    fn turn(&self) -> Side {
        if self.0.len().is_multiple_of(2) { Side::First } else { Side::Second }
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.0.len() == LENGTH).then_some(Outcome::Draw)
    }

    fn moves(&self, out: &mut Vec<u8>) {
        if self.outcome().is_none() {
            out.extend(0..MOVES);
        }
    }

    fn play(&mut self, mv: u8) {
        self.0.push(mv);
    }

    fn undo(&mut self, _mv: u8, (): ()) {
        self.0.pop();
    }

    fn plies_left(&self) -> u32 {
        (LENGTH - self.0.len()) as u32
    }

    fn key(&self) -> (u64, ()) {
        (Self::key_of(&self.0), ())
    }

    fn pack(&self, mv: u8, (): ()) -> u32 {
        mv.into()
    }

    fn unpack(&self, code: u32, (): ()) -> Option<u8> {
        (code < MOVES.into()).then_some(code as u8)
    }

    fn history_slots(&self) -> usize {
        MOVES.into()
    }

    fn history_slot(&self, mv: u8) -> usize {
        mv.into()
    }
}

/// A result of another thread: when this thread reaches the position `when`, the table gets `entry`
/// for the position `of`.
#[derive(Clone)]
struct LateEntry {
    table: View<'static>,
    when: Vec<u8>,
    of: Vec<u8>,
    entry: Entry,
}

/// Scores every position as a draw, and records the positions that the search visits.
#[derive(Clone, Default)]
struct Recorder {
    late_entry: Option<LateEntry>,
    visited: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Evaluator<Path> for Recorder {
    type Undo = ();

    fn reset(&mut self, _game: &Path) {}

    fn played(&mut self, game: &Path, _mv: u8) {
        self.visited.lock().unwrap().push(game.0.clone());
        if let Some(LateEntry { table, of, entry, .. }) =
            self.late_entry.as_ref().filter(|late_entry| late_entry.when == game.0)
        {
            table.put(Address { key: Path::key_of(of), region: Region::Far }, *entry);
        }
    }

    fn undone(&mut self, _game: &Path, _mv: u8, (): ()) {}

    fn evaluate(&mut self, _game: &Path) -> Score {
        Score::DRAW
    }
}

impl MoveOrdering<Path> for Recorder {}

impl Selectivity<Path> for Recorder {
    fn exact(&self) -> bool {
        false
    }
}

impl Prover<Path> for Recorder {}

fn table() -> View<'static> {
    Box::leak(Box::new(Table::new(1).unwrap())).view()
}

fn search(table: View<'static>, recorder: Recorder) -> Search<'static, Path, Recorder> {
    let context = Context::unlimited().join(Arc::default(), Some(Arc::default()));
    Search::new(Path(Vec::new()), recorder, table, context)
}

#[test]
fn the_best_move_that_no_other_thread_searches_is_next() {
    let search = search(table(), Recorder::default());
    let node = search.node(&search.game, ProvenBounds::open(), WIDE, 4, 0);
    let next = |taken: &[usize], index, most, node: Node<()>| {
        let mut moves: Vec<_> =
            (0..MOVES).map(|mv| Ordered { key: -i64::from(mv), item: mv }).collect();
        let busy = search.context.busy().unwrap();
        taken.iter().for_each(|slot| busy.mark(node.child_key(*slot)));
        let mv = search.pick_move(&node, &mut moves, index, most);
        taken.iter().for_each(|slot| busy.unmark(node.child_key(*slot)));
        let mut left: Vec<u8> = moves[index..].iter().map(|ordered| ordered.item).collect();
        left.sort_unstable();
        assert_eq!(left, (index as u8..MOVES).collect::<Vec<_>>(), "no move is lost");
        mv
    };
    let all = usize::MAX;
    assert_eq!(next(&[], 1, all, node), 1);
    assert_eq!(next(&[1], 1, all, node), 2);
    assert_eq!(next(&[1, 2], 1, all, node), 3);
    assert_eq!(next(&[1, 2, 3], 1, all, node), 1, "all are taken");
    assert_eq!(next(&[0], 0, all, node), 0, "all threads search the first");
    assert_eq!(next(&[1], 1, 2, node), 1, "it is the last move of the limit");
    assert_eq!(next(&[1], 1, all, Node { depth: 2, ..node }), 1, "the depth is below the minimum");
}

/// A null window above all scores.
const SCOUT: Window = Window::scout(Score::heuristic(10));
/// A window that contains all scores.
const WIDE: Window = Window::new(Score::heuristic(-100), Score::heuristic(100));

/// Searches the starting position to the end of the game. Returns its score and the visited
/// positions. `late_entry` has the fields `when`, `of` and `entry` of [`LateEntry`].
fn search_in(window: Window, late_entry: Option<(&[u8], &[u8], Entry)>) -> (Score, Vec<Vec<u8>>) {
    let table = table();
    let late_entry = late_entry.map(|(when, of, entry)| LateEntry {
        table,
        when: when.to_vec(),
        of: of.to_vec(),
        entry,
    });
    let recorder = Recorder { late_entry, ..Recorder::default() };
    let mut search = search(table, recorder.clone());
    let score = search.search::<true>(window, LENGTH as u32, 0, NodeFlags::ROOT);
    let score = score.expect("nothing stops it");
    assert!(search.settled_elsewhere.is_none());
    assert!(search.frames.iter().all(|frame| frame.shared_node.is_none()));
    assert!(search.game.0.is_empty());
    (score, std::mem::take(&mut recorder.visited.lock().unwrap()))
}

/// Returns an entry with this `depth`, `bound` and heuristic score `value`.
fn entry(depth: u32, bound: Bound, value: i32) -> Entry {
    Entry { depth, bound, score: Score::heuristic(value), code: None }
}

#[test]
fn a_node_that_another_thread_settles_is_left_at_once() {
    let (score, visited) = search_in(SCOUT, None);
    assert_eq!(score, Score::DRAW);
    assert!(visited.contains(&vec![0, 0, 1]) && visited.contains(&vec![1]));

    // The node after the first move fails low after all, so that the move cuts off.
    let settles = entry(5, Bound::Upper, -30);
    let (score, visited) = search_in(SCOUT, Some((&[0, 0, 0], &[0], settles)));
    assert_eq!(score, Score::heuristic(30));
    assert_eq!(visited, [vec![0], vec![0, 0], vec![0, 0, 0]]);
}

#[test]
fn a_node_checks_the_table_for_a_cut_off_between_two_moves() {
    let (_, visited) =
        search_in(SCOUT, Some((&[0, 0, 0, 0], &[0, 0], entry(4, Bound::Upper, -30))));
    assert!(!visited.contains(&vec![0, 0, 1]) && visited.contains(&vec![1]));
}

#[test]
fn an_entry_that_does_not_cut_off_the_node_is_ignored() {
    let everywhere = search_in(SCOUT, None).1;
    for late_entry in [entry(4, Bound::Upper, -30), entry(5, Bound::Lower, -30)] {
        let (score, visited) = search_in(SCOUT, Some((&[0, 0, 0], &[0], late_entry)));
        assert_eq!((score, visited.len()), (Score::DRAW, everywhere.len()), "{late_entry:?}");
    }
}

#[test]
fn a_node_ends_when_a_move_has_reached_its_upper_bound() {
    assert!(search_in(WIDE, None).1.contains(&vec![1]));
    for value in [0, -20] {
        let (score, visited) = search_in(WIDE, Some((&[0, 0], &[], entry(6, Bound::Upper, value))));
        assert_eq!(score, Score::DRAW, "the score of the move stays");
        assert!(!visited.contains(&vec![1]), "{value}");
    }
    let (_, visited) = search_in(WIDE, Some((&[0, 0], &[], entry(6, Bound::Upper, 20))));
    assert!(visited.contains(&vec![1]), "a better score is possible");
}
