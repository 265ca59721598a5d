//! The nodes of a tree, all in a few flat lists: no node owns another, so none is freed by
//! recursion.

use std::collections::HashSet;
use tengen_engine::hash::mix64;

/// A node of one tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Node(u32);

impl Node {
    /// Returns the number of the node, below [`Tree::len`]: children before their parent.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A tree with names on all nodes and values on the leaves.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    names: String,
    nodes: Vec<Record>,
    /// The children of all nodes, those of one node side by side.
    children: Vec<Node>,
    leaves: usize,
}

#[derive(Clone, Copy, Debug)]
struct Record {
    name: Name,
    first_child: u32,
    /// The number of children; 0 for a leaf.
    children: u32,
    value: i32,
    height: u32,
    code: u64,
    /// Whether a bare name tells this node from its siblings.
    is_named: bool,
}

/// A name in [`Tree::names`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Name {
    start: u32,
    end: u32,
}

/// The error of a tree with more characters or nodes than 32 bits can number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Full;

impl Tree {
    /// Returns the root.
    pub fn root(&self) -> Node {
        Node(self.nodes.len() as u32 - 1)
    }

    /// Returns how many nodes there are, from 1.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns false: a tree has a root.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns how many leaves there are, from 1.
    pub fn leaves(&self) -> usize {
        self.leaves
    }

    /// Returns the node's name.
    pub fn name(&self, node: Node) -> &str {
        self.text(self.record(node).name)
    }

    /// Returns the value of a leaf, for the first player; `None` for an inner node.
    pub fn value(&self, node: Node) -> Option<i32> {
        let record = self.record(node);
        (record.children == 0).then_some(record.value)
    }

    /// Returns the children in the order in which they were written; none below a leaf.
    pub fn children(&self, node: Node) -> &[Node] {
        let record = self.record(node);
        let first = record.first_child as usize;
        &self.children[first..first + record.children as usize]
    }

    /// Returns the plies to the farthest leaf below.
    pub fn height(&self, node: Node) -> u32 {
        self.record(node).height
    }

    /// Returns a hash of everything that is written at this node and below.
    pub(super) fn code(&self, node: Node) -> u64 {
        self.record(node).code
    }

    /// Returns whether the name alone tells the node from its siblings: a bare word, not `moves`,
    /// and nobody else's. The root has no siblings and needs no name.
    pub fn is_named(&self, node: Node) -> bool {
        self.record(node).is_named
    }

    pub(super) fn text(&self, name: Name) -> &str {
        &self.names[name.start as usize..name.end as usize]
    }

    pub(super) fn add_name(&mut self, name: &str) -> Result<Name, Full> {
        let start = u32::try_from(self.names.len()).map_err(|_| Full)?;
        self.names.push_str(name);
        let end = u32::try_from(self.names.len()).map_err(|_| Full)?;
        Ok(Name { start, end })
    }

    pub(super) fn add_leaf(&mut self, name: Name, value: i32) -> Result<Node, Full> {
        self.leaves += 1;
        let code = mix64(hash(self.text(name)) ^ mix64(value as u64));
        self.add(Record {
            name,
            first_child: 0,
            children: 0,
            value,
            height: 0,
            code,
            is_named: false,
        })
    }

    /// Adds the parent of `children`, of which there is at least one.
    pub(super) fn add_inner(&mut self, name: Name, children: &[Node]) -> Result<Node, Full> {
        self.mark_names(children);
        let below = children.iter().map(|child| self.height(*child)).max().unwrap_or(0);
        let code = children.iter().fold(hash(self.text(name)), |code, child| {
            mix64(code.rotate_left(17) ^ self.code(*child))
        });
        let first_child = u32::try_from(self.children.len()).map_err(|_| Full)?;
        let count = u32::try_from(children.len()).map_err(|_| Full)?;
        self.children.extend_from_slice(children);
        self.add(Record {
            name,
            first_child,
            children: count,
            value: 0,
            height: below + 1,
            code,
            is_named: false,
        })
    }

    fn add(&mut self, record: Record) -> Result<Node, Full> {
        let node = u32::try_from(self.nodes.len()).map_err(|_| Full)?;
        self.nodes.push(record);
        Ok(Node(node))
    }

    /// Finds the siblings that their names identify.
    fn mark_names(&mut self, siblings: &[Node]) {
        let shared = self.shared_names(siblings);
        let told: Vec<bool> = siblings
            .iter()
            .map(|node| self.name(*node))
            .map(|name| is_bare(name) && name != "moves" && !shared.contains(name))
            .collect();
        for (node, told) in siblings.iter().zip(told) {
            self.nodes[node.index()].is_named = told;
        }
    }

    fn shared_names(&self, siblings: &[Node]) -> HashSet<&str> {
        const FEW: usize = 8;
        let name = |node: &Node| self.name(*node);
        let mut shared = HashSet::new();
        if siblings.len() <= FEW {
            for (place, node) in siblings.iter().enumerate() {
                if siblings[..place].iter().any(|earlier| name(earlier) == name(node)) {
                    shared.insert(name(node));
                }
            }
            return shared;
        }
        let mut seen = HashSet::with_capacity(siblings.len());
        shared.extend(siblings.iter().map(name).filter(|text| !seen.insert(*text)));
        shared
    }

    fn record(&self, node: Node) -> &Record {
        &self.nodes[node.index()]
    }
}

/// Returns whether a name can be written without quotes.
pub(super) fn is_bare(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('#') && name.chars().all(is_word_char)
}

/// Returns whether a bare word may contain this character.
pub(super) fn is_word_char(c: char) -> bool {
    !c.is_whitespace() && !c.is_control() && !matches!(c, '[' | ']' | '(' | ')' | ',' | '"' | '\'')
}

// CITE: FNV-1a by G. Fowler, L. C. Noll, K.-P. Vo.
fn hash(text: &str) -> u64 {
    let step = |code: u64, byte: u8| (code ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    mix64(text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}
