//! Trees of variations: their positions, and one tree of several.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tengen_engine::{GameSpec, Placement, Point, Side};
use tengen_records::{Record, RecordNode, RecordNodeId};

use crate::Error;
use crate::export::tree_record;
use crate::position::PositionAsked;
use crate::ruleset::Ruleset;
use crate::store::Shelf;

/// Properties of a node that are about its moves or its board; they are made anew in another tree.
const OF_BOARD: [&str; 11] = ["B", "W", "AB", "AW", "AE", "PL", "FF", "GM", "SZ", "CA", "AP"];

impl Shelf {
    /// Returns the ids of the trees without a game, of the ruleset with this name or of all, in the order of their files.
    pub fn libraries(&self, ruleset: Option<&str>) -> Result<Vec<i64>, Error> {
        let select = "SELECT trees.id FROM trees JOIN boards ON boards.id = board \
                      WHERE game IS NULL AND (?1 IS NULL OR boards.name = ?1) ORDER BY trees.id";
        self.column(select, [ruleset])
    }

    /// Returns a tree as SGF, and its ruleset.
    pub fn library(&mut self, id: i64) -> Result<(String, Arc<Ruleset>), Error> {
        let missing = || Error::wrong("tree", format!("tree {id}: the shelf has no such tree"));
        let row: Option<(String, i64)> =
            self.row("SELECT sgf, board FROM trees WHERE id = ?1", [id])?;
        let (sgf, board) = row.ok_or_else(missing)?;
        Ok((sgf, self.ruleset(board)?))
    }

    /// Returns the positions of the trees of a ruleset that have no proof, and no search of `nodes` nodes or more: of all trees, or of
    /// those of a file whose name contains `source`. Positions whose game is over are left out.
    pub fn tree_positions(
        &mut self,
        ruleset: &str,
        nodes: u64,
        source: Option<&str>,
    ) -> Result<Vec<PositionAsked>, Error> {
        let select = "SELECT trees.id, source FROM trees JOIN boards ON boards.id = board WHERE boards.name = ?1 ORDER BY trees.id";
        let mut trees: Vec<(i64, i64)> = self.rows(select, [ruleset])?;
        if let Some(part) = source {
            let sources = self.named("SELECT id, name FROM sources", part)?;
            trees.retain(|(_, source)| sources.contains(source));
        }
        let done = "SELECT key FROM analysis WHERE mate IS NOT NULL OR coalesce(nodes, -1) >= ?1";
        let mut seen: HashSet<i64> = self.column(done, [nodes as i64])?.into_iter().collect();
        let mut positions = Vec::new();
        for (id, _) in trees {
            let (sgf, ruleset) = self.library(id)?;
            let mut by_rules = self.catalog.position(&ruleset.spec);
            walk(&tree_record(&sgf)?, &ruleset, &mut |asked, _, _| {
                let is_new = seen.insert(asked.walker().key());
                if is_new && asked.set_up(by_rules.as_mut()).is_ok() && by_rules.outcome().is_none()
                {
                    positions.push(asked.clone());
                }
            });
        }
        Ok(positions)
    }

    /// Returns the comments of trees by the keys of their positions: the board, the position and the comment.
    pub(crate) fn commented(
        &mut self,
        board: Option<i64>,
    ) -> Result<HashMap<i64, (i64, Placement, String)>, Error> {
        let select = "SELECT DISTINCT trees.id FROM notes JOIN trees ON trees.id = notes.tree \
                      WHERE ?1 IS NULL OR board = ?1";
        let trees: Vec<i64> = self.column(select, [board])?;
        let mut found = HashMap::new();
        for id in trees {
            let (sgf, ruleset) = self.library(id)?;
            let board = self.ruleset_id(&ruleset.name)?.unwrap_or_default();
            let notes: HashMap<i64, String> = self
                .rows("SELECT key, comment FROM notes WHERE tree = ?1", [id])?
                .into_iter()
                .collect();
            let mut left = notes.clone();
            walk(&tree_record(&sgf)?, &ruleset, &mut |asked, _, _| {
                let key = asked.walker().key();
                let Some(note) = left.remove(&key) else { return };
                let place =
                    found.entry(key).or_insert_with(|| (board, asked.placement(), String::new()));
                add_text(&mut place.2, &note);
            });
        }
        Ok(found)
    }

    /// Returns one tree of games and of trees without a game, which must have one ruleset. Comments, texts and variations
    /// of the games are in it.
    pub fn tree_of(&mut self, games: &[i64], trees: &[i64]) -> Result<(Record, GameSpec), Error> {
        let mut union: Option<Union> = None;
        for id in games {
            let game = self.game(*id)?;
            let ruleset = self.ruleset_named(&game.ruleset)?;
            let record = match self.tree_of_game(*id)? {
                Some(sgf) => tree_record(&sgf)?,
                None => self.main_line(&game, &ruleset)?,
            };
            Union::add(&mut union, &record, ruleset, self)?;
        }
        for id in trees {
            let (sgf, ruleset) = self.library(*id)?;
            Union::add(&mut union, &tree_record(&sgf)?, ruleset, self)?;
        }
        let union = union.ok_or_else(|| Error::Refused("no game is left to write".to_owned()))?;
        Ok((union.record, union.ruleset.spec.clone()))
    }
}

/// Adds a text as a line of its own, unless it is there.
fn add_text(all: &mut String, text: &str) {
    if all.contains(text) {
        return;
    }
    if !all.is_empty() {
        all.push('\n');
    }
    all.push_str(text);
}

/// Returns where the moves of a record begin; `None` is the empty board.
pub(crate) fn start_of(record: &Record, ruleset: &Ruleset) -> Option<Placement> {
    let line = record.line_until_fault(ruleset.notation).0;
    (!line.is_from_start()).then_some(line.start)
}

/// Takes a position, its node, and the ids of the node and of its parent.
type Visit<'a> = dyn FnMut(&PositionAsked, &RecordNode, (RecordNodeId, RecordNodeId)) + 'a;

/// Calls `visit` with the position of each node that can be played, with the node and its parent among those.
pub(crate) fn walk(record: &Record, ruleset: &Arc<Ruleset>, visit: &mut Visit<'_>) {
    let start = PositionAsked::new(Arc::clone(ruleset), start_of(record, ruleset), &[]);
    let mut open = vec![(record.root(), record.root(), start)];
    while let Some((id, parent, mut asked)) = open.pop() {
        let node = record.node(id);
        let is_played = node.moves().all(|(side, value)| {
            let Some(point) = value.point(ruleset.grid()) else { return false };
            let placement = asked.placement();
            let is_free = placement.stones[usize::from(ruleset.cell(point))].is_none();
            asked = asked.after_move(point);
            is_free && placement.turn == side
        });
        if is_played {
            visit(&asked, node, (id, parent));
            open.extend(node.children().iter().rev().map(|child| (*child, id, asked.clone())));
        }
    }
}

/// One tree of several.
struct Union {
    record: Record,
    ruleset: Arc<Ruleset>,
    start: Option<Placement>,
    /// The nodes after moves from a node.
    nodes: HashMap<(RecordNodeId, Point), RecordNodeId>,
}

impl Union {
    /// Adds the nodes of a record.
    fn add(
        union: &mut Option<Self>,
        record: &Record,
        ruleset: Arc<Ruleset>,
        shelf: &Shelf,
    ) -> Result<(), Error> {
        let start = start_of(record, &ruleset);
        let this = union.get_or_insert_with(|| {
            let mut record = Record::of_line(ruleset.notation, start.as_ref(), []);
            record.declare(&ruleset.spec, shelf.catalog);
            Self {
                record,
                ruleset: Arc::clone(&ruleset),
                start: start.clone(),
                nodes: HashMap::new(),
            }
        });
        if (&this.ruleset.name, &this.start) != (&ruleset.name, &start) {
            let why = "the games have several boards or starts; choose those of one by --variant";
            return Err(Error::Refused(format!("a tree has one board: {why}")));
        }
        let turn = start.as_ref().map_or(Side::First, |start| start.turn);
        let root = this.record.root();
        let mut places: HashMap<RecordNodeId, (RecordNodeId, Side)> = HashMap::new();
        walk(record, &ruleset, &mut |_, node, (id, parent)| {
            let (mut at, mut side) = places.get(&parent).copied().unwrap_or((root, turn));
            for point in node.moves().filter_map(|(_, value)| value.point(ruleset.grid())) {
                at = this.child(at, side, point);
                side = side.other();
            }
            places.insert(id, (at, side));
            let is_root = id == record.root();
            this.add_texts(at, node, is_root);
        });
        Ok(())
    }

    fn child(&mut self, at: RecordNodeId, side: Side, point: Point) -> RecordNodeId {
        let known = self.nodes.get(&(at, point)).copied();
        let child =
            known.unwrap_or_else(|| self.record.add_move(at, side, point, self.ruleset.grid()));
        self.nodes.insert((at, point), child);
        child
    }

    /// Adds comments, texts and marks. Of a root only its comment is added: it has the headers of a game.
    fn add_texts(&mut self, at: RecordNodeId, from: &RecordNode, is_root: bool) {
        let to = self.record.node_mut(at);
        for property in from.properties() {
            let name = property.name.as_str();
            if OF_BOARD.contains(&name) || (is_root && name != "C" && name != "LB") {
                continue;
            }
            for text in property.values.iter().map(|value| value.text()) {
                if name == "C" {
                    let mut all = to.comment().unwrap_or_default();
                    add_text(&mut all, &text);
                    to.set("C", &all);
                } else if !to.values(name).iter().any(|known| known.text() == text) {
                    to.add(name, &text);
                }
            }
        }
    }
}
