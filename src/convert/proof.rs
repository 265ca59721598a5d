//! A proof as a record: a tree with one move of the side that it is for, and every reply.

use std::collections::HashMap;
use std::path::Path;

use tengen_engine::backend::Catalog;
use tengen_engine::{Move, Position, Side, Style};
use tengen_games::CATALOG;
use tengen_proofs::ProofBook;
use tengen_records::{Collection, Format, Record, RecordNodeId};

use crate::exit_status::{Refusal, refuse};

/// The maximum number of moves in the tree.
const MAX_MOVES: usize = 1_000_000;

/// The tree so far, and the position in it.
struct Tree {
    book: ProofBook,
    side: Side,
    record: Record,
    position: Box<dyn Position>,
    moves: usize,
    /// The moves to each position of the side that has an answer in the tree. It comes only once.
    shown: HashMap<String, String>,
}

/// Checks a proof and returns its strategy as a record.
pub(super) fn read(file: &Path) -> anyhow::Result<Collection> {
    let read = ProofBook::read(file, &CATALOG);
    let book = read.map_err(|why| Refusal(format!("{}: {why}", file.display())))?;
    let head = book.proof().head.clone();
    let position = CATALOG.position(&head.spec);
    let Some(notation) = head.spec.grid else { refuse!("{}: no board", file.display()) };
    let mut record = Record::on_board(notation);
    record.declare(&head.spec, &CATALOG);
    let mut node = record.root();
    record.node_mut(node).set("C", &book.describe());
    let (side, shown) = (head.claim.side, HashMap::new());
    let mut tree = Tree { book, side, record, position, moves: 0, shown };
    let mut before = tree.position.duplicate();
    before.play_all(&head.moves.split_whitespace().collect::<Vec<_>>())?;
    for mv in before.played() {
        node = tree.play(node, *mv);
    }
    match tree.add(node) {
        true => Ok(Collection::new(Format::SGF, vec![tree.record])),
        false => refuse!("{}: its tree has more than {MAX_MOVES} moves", file.display()),
    }
}

impl Tree {
    /// Plays a move and adds it to the tree.
    fn play(&mut self, parent: RecordNodeId, mv: Move) -> RecordNodeId {
        let turn = self.position.turn();
        let placed = self.position.spec().grid.and_then(|on| Some((on.grid(), on.point_of(mv)?)));
        let _ = self.position.play(mv);
        self.moves += 1;
        match placed {
            Some((grid, point)) => self.record.add_move(parent, turn, point, grid),
            None => parent,
        }
    }

    /// Adds what follows the current position, which is that of `node`. Returns false if the tree
    /// is too large.
    fn add(&mut self, node: RecordNodeId) -> bool {
        if self.position.outcome().is_some() {
            return true;
        }
        let moves = match self.position.turn() == self.side {
            true if self.is_shown(node) => Vec::new(),
            true => Vec::from_iter(self.book.answer(&*self.position).and_then(|found| found.best)),
            false => self.position.legal(),
        };
        moves.into_iter().all(|mv| {
            let child = self.play(node, mv);
            let fits = self.moves <= MAX_MOVES && self.add(child);
            self.position.undo();
            fits
        })
    }

    /// Returns whether the tree has the answer of the current position elsewhere. Then the comment of
    /// `node` says where.
    fn is_shown(&mut self, node: RecordNodeId) -> bool {
        let line = self.position.start().write_line(self.position.played(), Style::Plain);
        let before = self.shown.entry(self.position.fen(false)).or_default();
        if before.is_empty() {
            *before = line.join(" ");
            return false;
        }
        self.record.node_mut(node).set("C", &format!("The answer is that after {before}."));
        true
    }
}
