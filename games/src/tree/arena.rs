//! The nodes of a tree in a few flat lists. No node owns another, so that dropping a deep tree does
//! not recurse.

use std::collections::HashMap;

use tengen_engine::hash::mix64;

/// A node of one tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Node(u32);

impl Node {
    /// Returns the number of the node, below [`Tree::len`]. Children have lower numbers than their
    /// parent.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A tree with names on all nodes and values on the leaves.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    names: String,
    nodes: Vec<Record>,
    /// The children of all nodes; the children of one node are adjacent.
    children: Vec<Node>,
    leaves: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Record {
    name: Name,
    first_child: u32,
    /// The number of children; 0 for a leaf.
    children: u32,
    value: i32,
    height: u32,
    hash: u64,
    /// Whether the bare name identifies this node among its siblings.
    is_named: bool,
}

/// A name in [`Tree::names`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Name {
    start: u32,
    end: u32,
}

/// The error when a tree has more characters or nodes than a `u32` can count.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooLarge;

impl Tree {
    /// Returns the root.
    pub fn root(&self) -> Node {
        Node(self.nodes.len() as u32 - 1)
    }

    /// Returns the number of nodes, at least 1.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns false: every tree has a root.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the number of leaves, at least 1.
    pub fn leaves(&self) -> usize {
        self.leaves
    }

    /// Returns the name of `node`.
    pub fn name(&self, node: Node) -> &str {
        self.text(self.record(node).name)
    }

    /// Returns the value of a leaf, for the first player; `None` for an inner node.
    pub fn value(&self, node: Node) -> Option<i32> {
        let record = self.record(node);
        (record.children == 0).then_some(record.value)
    }

    /// Returns the children of `node` in the order of the literal; empty for a leaf.
    pub fn children(&self, node: Node) -> &[Node] {
        let record = self.record(node);
        let first = record.first_child as usize;
        &self.children[first..first + record.children as usize]
    }

    /// Returns the number of plies from `node` to the deepest leaf below; 0 for a leaf.
    pub fn height(&self, node: Node) -> u32 {
        self.record(node).height
    }

    /// Returns a hash of the subtree of `node`: its names, values and structure.
    pub(super) fn hash(&self, node: Node) -> u64 {
        self.record(node).hash
    }

    /// Returns whether the name alone identifies the node among its siblings: it is a bare word,
    /// not `moves`, and no sibling has it too. False for the root, which needs no name.
    pub fn is_named(&self, node: Node) -> bool {
        self.record(node).is_named
    }

    pub(super) fn text(&self, name: Name) -> &str {
        &self.names[name.start as usize..name.end as usize]
    }

    pub(super) fn add_name(&mut self, name: &str) -> Result<Name, TooLarge> {
        let start = u32::try_from(self.names.len()).map_err(|_| TooLarge)?;
        self.names.push_str(name);
        let end = u32::try_from(self.names.len()).map_err(|_| TooLarge)?;
        Ok(Name { start, end })
    }

    pub(super) fn add_leaf(&mut self, name: Name, value: i32) -> Result<Node, TooLarge> {
        self.leaves += 1;
        let hash = mix64(hash_name(self.text(name)) ^ mix64(value as u64));
        self.add(Record { name, value, hash, ..Record::default() })
    }

    /// Adds the parent of `children`, which must not be empty.
    pub(super) fn add_inner(&mut self, name: Name, children: &[Node]) -> Result<Node, TooLarge> {
        self.mark_names(children);
        let height = children.iter().map(|child| self.height(*child)).max().unwrap_or(0);
        let hash = children.iter().fold(hash_name(self.text(name)), |hash, child| {
            mix64(hash.rotate_left(17) ^ self.hash(*child))
        });
        let first_child = u32::try_from(self.children.len()).map_err(|_| TooLarge)?;
        let count = u32::try_from(children.len()).map_err(|_| TooLarge)?;
        self.children.extend_from_slice(children);
        let height = height + 1;
        self.add(Record { name, first_child, children: count, height, hash, ..Record::default() })
    }

    fn add(&mut self, record: Record) -> Result<Node, TooLarge> {
        let node = u32::try_from(self.nodes.len()).map_err(|_| TooLarge)?;
        self.nodes.push(record);
        Ok(Node(node))
    }

    /// Sets `is_named` of all siblings.
    fn mark_names(&mut self, siblings: &[Node]) {
        let mut counts = HashMap::with_capacity(siblings.len());
        siblings.iter().for_each(|node| *counts.entry(self.name(*node)).or_insert(0) += 1);
        let is_named = |name: &str| is_bare(name) && name != "moves" && counts[name] == 1;
        let are_named: Vec<bool> = siblings.iter().map(|node| is_named(self.name(*node))).collect();
        for (node, is_named) in siblings.iter().zip(are_named) {
            self.nodes[node.index()].is_named = is_named;
        }
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
fn hash_name(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    mix64(text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}
