//! [`Collection`], [`Record`], [`RecordNode`]: games as trees of nodes with properties, like in
//! SGF.
//!
//! This file has the data structure. [`crate::line`] knows the meaning of properties.

use std::time::Duration;

use tengen_engine::text::is_printable;

use crate::encoding::TextEncoding;
use crate::fault::{Fault, FaultKind};
use crate::place::Place;
use crate::source_text::SourceText;

/// A format of records. Its own module has the constant, such as [`Format::SGF`], and tells the registry
/// all about it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Format(&'static str);

impl Format {
    /// Creates the format with this name.
    pub(crate) const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// Returns the name of the format, such as `sgf`.
    pub const fn name(self) -> &'static str {
        self.0
    }
}

/// The games of a file. A file that was read has at least one.
///
/// Two collections are equal if their games, encodings and formats are equal. The places in the
/// file do not matter.
#[derive(Clone, Debug)]
pub struct Collection {
    format: Format,
    encoding: TextEncoding,
    /// The encoding of the file that was read, if it is another one.
    read_as: Option<TextEncoding>,
    warnings: Vec<Fault>,
    records: Vec<Record>,
    /// The games that cannot be read: their indices and errors.
    pub(crate) faults: Vec<(usize, Fault)>,
    /// The properties that [`Self::declare`] added since the SGF file was read, with their indices
    /// in its text.
    pub(crate) declared: Vec<(usize, String)>,
    /// The text of the SGF file, kept so that annotations change nothing else.
    pub(crate) source: Option<SourceText>,
}

impl Collection {
    /// Creates a collection of these games, in UTF-8.
    pub fn new(format: Format, records: Vec<Record>) -> Self {
        let (encoding, warnings) = (TextEncoding::UTF_8, Vec::new());
        let (faults, declared) = (Vec::new(), Vec::new());
        Self { format, encoding, read_as: None, warnings, records, faults, declared, source: None }
    }

    /// Sets the text of the SGF file that was read.
    pub(crate) fn with_text(self, source: SourceText) -> Self {
        Self { encoding: source.encoding, source: Some(source), ..self }
    }

    /// Returns the format of the file that was read, or the format to write.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Returns the encoding of the file.
    pub fn encoding(&self) -> TextEncoding {
        self.encoding
    }

    /// Sets the encoding in which the collection is written.
    #[must_use]
    pub fn with_encoding(self, encoding: TextEncoding) -> Self {
        Self { encoding, source: None, ..self }
    }

    /// Sets the encoding of the file that was read, which need not be kept.
    pub(crate) fn read_as(self, encoding: TextEncoding) -> Self {
        Self { read_as: Some(encoding), ..self }
    }

    /// Returns the encoding of the file that was read. [`Self::encoding`] is another one for a
    /// RenLib library, whose encoding was guessed.
    pub fn source_encoding(&self) -> TextEncoding {
        self.read_as.unwrap_or(self.encoding)
    }

    /// Adds warnings about the file.
    pub(crate) fn with_warnings(mut self, warnings: impl IntoIterator<Item = Fault>) -> Self {
        self.warnings.extend(warnings);
        self
    }

    /// Returns warnings for the user: what was guessed where the file has two usual readings, and
    /// what was lost.
    pub fn warnings(&self) -> &[Fault] {
        &self.warnings
    }

    /// Returns why the game at index `place`, from 0, cannot be read; `None` if it was read. There
    /// are such games only with [`ReadOptions::skips_bad_games`](crate::ReadOptions::skips_bad_games).
    /// Their records are empty.
    pub fn fault(&self, place: usize) -> Option<&Fault> {
        self.faults.iter().find(|(bad, _)| *bad == place).map(|(_, fault)| fault)
    }

    /// Returns the games of the collection.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Returns the games for changes. An SGF file is then written anew as a whole.
    pub fn records_mut(&mut self) -> &mut Vec<Record> {
        self.source = None;
        &mut self.records
    }

    /// Replaces a game. `keeps_text` is whether the text of an SGF file is kept.
    pub(crate) fn replace(&mut self, place: usize, record: Record, keeps_text: bool) {
        self.records[place] = record;
        if !keeps_text {
            self.source = None;
        }
    }

    /// Returns the games and consumes the collection.
    pub fn into_records(self) -> Vec<Record> {
        self.records
    }

    /// Keeps only the game at index `place`, from 0; none if there is no such game.
    pub fn only(mut self, place: usize) -> Self {
        self.records = self.records.into_iter().skip(place).take(1).collect();
        // The text of the file contains all games.
        self.source = None;
        self
    }
}

impl PartialEq for Collection {
    fn eq(&self, other: &Self) -> bool {
        self.format == other.format
            && self.encoding == other.encoding
            && self.records == other.records
    }
}

/// A value of a property.
///
/// The value is stored as SGF writes it, with a backslash before closing brackets and backslashes.
/// Two values are equal if their texts are equal; their places in the file do not matter.
#[derive(Clone, Debug)]
pub struct PropertyValue {
    raw: String,
    place: Option<Place>,
}

impl PropertyValue {
    /// Creates a value with this text.
    pub fn new(text: &str) -> Self {
        Self { raw: text.replace('\\', "\\\\").replace(']', "\\]"), place: None }
    }

    /// Creates a value from its text in a file, escapes included.
    pub(crate) fn read(raw: String, place: Place) -> Self {
        Self { raw, place: Some(place) }
    }

    /// Returns the value with `place` as its place in the file.
    pub(crate) fn at(mut self, place: impl Into<Option<Place>>) -> Self {
        self.place = place.into();
        self
    }

    /// Returns the value as SGF writes it.
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// Returns the place of the value in its file; `None` if it was not read from one.
    pub fn place(&self) -> Option<Place> {
        self.place
    }

    /// Returns the text of the value without escapes and soft line breaks, and without characters
    /// that control a terminal. A line break is `\n`.
    pub fn text(&self) -> String {
        let mut out = String::with_capacity(self.raw.len());
        let mut chars = self.raw.chars().peekable();
        while let Some(c) = chars.next() {
            let (c, is_escaped) = match c {
                '\\' => match chars.next() {
                    Some(next) => (next, true),
                    None => break,
                },
                other => (other, false),
            };
            let is_break = matches!(c, '\n' | '\r');
            if is_break {
                // CR LF and LF CR are one line break.
                chars.next_if(|next| matches!(next, '\n' | '\r') && *next != c);
            }
            match c {
                '\n' | '\r' if is_escaped => {}
                '\n' | '\r' => out.push('\n'),
                '\t' | '\u{b}' | '\u{c}' => out.push(' '),
                c if is_printable(c) => out.push(c),
                _ => {}
            }
        }
        out
    }
}

impl PartialEq for PropertyValue {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl Eq for PropertyValue {}

/// A property: its name and its values, at least one.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Property {
    /// The name of the property, such as `PB`.
    pub name: String,
    /// The values of the property.
    pub values: Vec<PropertyValue>,
}

impl Property {
    /// Returns the property as SGF writes it.
    pub(crate) fn text(&self) -> String {
        let values = self.values.iter().map(|value| format!("[{}]", printable_raw(value.raw())));
        self.name.clone() + &values.collect::<String>()
    }
}

/// Returns a value as SGF writes it without characters that control a terminal. A backslash before one goes with it; alone it would
/// escape what follows.
fn printable_raw(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut escape = None;
    for c in raw.chars() {
        if c == '\\' && escape.is_none() {
            escape = Some(c);
            continue;
        }
        if is_printable(c) || c == '\r' {
            out.extend(escape);
            out.push(c);
        }
        escape = None;
    }
    out
}

/// The id of a node, valid only in its own record. The default is that of the root.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct RecordNodeId(u32);

/// A node of the game tree: its properties, its parent and its children.
#[derive(Clone, Debug, Default)]
pub struct RecordNode {
    properties: Vec<Property>,
    parent: Option<RecordNodeId>,
    children: Vec<RecordNodeId>,
    pub(crate) source: NodeSource,
}

/// The places of a node in the text of its SGF file, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NodeSource {
    /// At its semicolon.
    pub(crate) begin: usize,
    /// After its last property.
    pub(crate) end: usize,
    /// At the closing bracket of its comment; `None` without a comment.
    pub(crate) comment_end: Option<usize>,
}

impl PartialEq for RecordNode {
    fn eq(&self, other: &Self) -> bool {
        self.properties == other.properties
    }
}

impl RecordNode {
    /// Returns the properties in the order of the file.
    pub fn properties(&self) -> &[Property] {
        &self.properties
    }

    /// Returns the values of a property; empty when the node does not have the property.
    pub fn values(&self, name: &str) -> &[PropertyValue] {
        self.place_of(name).map_or(&[], |place| &self.properties[place].values)
    }

    /// Returns the first value of a property; `None` when the node does not have it.
    pub fn value(&self, name: &str) -> Option<&PropertyValue> {
        self.values(name).first()
    }

    /// Returns the trimmed text of the first value of a property; `None` when the node does not
    /// have it.
    pub fn text(&self, name: &str) -> Option<String> {
        self.value(name).map(|value| value.text().trim().to_owned())
    }

    /// Returns the comment, property `C`; `None` without one. Each value is a line of it.
    pub fn comment(&self) -> Option<String> {
        let texts: Vec<String> = self.values("C").iter().map(PropertyValue::text).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }

    /// Returns the time that the move of the node took, property [`TIME`]; `None` if it is unknown.
    pub fn time(&self) -> Option<Duration> {
        self.text(TIME)?.parse().ok().map(Duration::from_millis)
    }

    /// Returns the node before this one; `None` at the root.
    pub fn parent(&self) -> Option<RecordNodeId> {
        self.parent
    }

    /// Returns the nodes after this one: the first continues the main line, the others are
    /// variations.
    pub fn children(&self) -> &[RecordNodeId] {
        &self.children
    }

    /// Replaces all values of a property by one value.
    pub fn set(&mut self, name: &str, text: &str) {
        self.set_value(name, PropertyValue::new(text));
    }

    pub(crate) fn set_value(&mut self, name: &str, value: PropertyValue) {
        *self.values_mut(name) = vec![value];
    }

    /// Adds a value to a property.
    pub fn add(&mut self, name: &str, text: &str) {
        self.add_value(name, PropertyValue::new(text));
    }

    pub(crate) fn add_value(&mut self, name: &str, value: PropertyValue) {
        let values = self.values_mut(name);
        // A RenLib library has millions of nodes with one value each.
        values.reserve_exact(usize::from(values.is_empty()));
        values.push(value);
    }

    /// Returns the values of a property, which is added without values if the node does not have
    /// it.
    fn values_mut(&mut self, name: &str) -> &mut Vec<PropertyValue> {
        let place = self.place_of(name).unwrap_or_else(|| {
            self.properties.reserve_exact(usize::from(self.properties.is_empty()));
            self.properties.push(Property { name: name.to_owned(), values: Vec::new() });
            self.properties.len() - 1
        });
        &mut self.properties[place].values
    }

    fn place_of(&self, name: &str) -> Option<usize> {
        self.properties.iter().position(|property| property.name == name)
    }

    /// Sets a property. A new property becomes the first one.
    pub fn set_first(&mut self, name: &str, text: &str) {
        let is_new = self.place_of(name).is_none();
        self.set(name, text);
        if is_new {
            self.properties.rotate_right(1);
        }
    }

    /// Replaces the values of properties for which `written` returns another text.
    pub(crate) fn rewrite(&mut self, names: &[&str], written: impl Fn(&str) -> Option<String>) {
        let properties = self.properties.iter_mut();
        let found = properties.filter(|property| names.contains(&property.name.as_str()));
        for value in found.flat_map(|property| &mut property.values) {
            if let Some(text) = written(value.text().trim()) {
                *value = PropertyValue::new(&text).at(value.place());
            }
        }
    }

    /// Removes a property.
    pub fn remove(&mut self, name: &str) {
        self.properties.retain(|property| property.name != name);
    }

    /// Appends `text` to the comment, on a new line.
    pub fn remark(&mut self, text: &str) {
        let comment = self.comment().filter(|comment| !comment.is_empty());
        let before = comment.map_or_else(String::new, |comment| comment + "\n");
        self.set("C", &(before + text));
    }
}

/// The most nodes of a game.
const MAX_NODES: usize = 4 << 20;

/// The memory of a usual node, in bytes.
const NODE_BYTES: usize = 400;

/// Returns whether there is memory for so many nodes more.
pub(crate) fn has_memory_for(nodes: usize) -> bool {
    nodes < 1 << 14 || has_memory(nodes.saturating_mul(NODE_BYTES))
}

/// Returns whether the system gives so many bytes. They are given back.
pub(crate) fn has_memory(bytes: usize) -> bool {
    let mut memory: Vec<u8> = Vec::new();
    let is_there = memory.try_reserve_exact(bytes).is_ok();
    // The compiler must not leave out memory that nobody uses.
    std::hint::black_box(&memory);
    is_there
}

/// Tengen's own property for the time of a move, in milliseconds. SGF has none.
pub const TIME: &str = "XT";

/// A game: a tree of nodes. The root describes the game. Most other nodes have one move each.
///
/// The properties are those of SGF for every format: `B` and `W` for moves, `C` for comments, `SZ`
/// for the size of the board, `RU` for the rules, `PB` and `PW` for the players.
///
/// ```
/// use tengen_records::Record;
///
/// let mut game = Record::new();
/// let first = game.add_child(game.root());
/// game.node_mut(first).set("B", "hh");
/// let second = game.add_child(first);
/// game.node_mut(second).set("W", "ih");
/// let variation = game.add_child(first);
/// game.node_mut(variation).set("W", "gg");
/// let moves: Vec<_> = game.main_line().map(|id| game.node(id).properties().len()).collect();
/// assert_eq!(moves, [0, 1, 1]);
/// ```
#[derive(Clone, Debug)]
pub struct Record {
    /// All nodes; the root is the first.
    nodes: Vec<RecordNode>,
}

impl Default for Record {
    fn default() -> Self {
        Self { nodes: vec![RecordNode::default()] }
    }
}

impl PartialEq for Record {
    /// Returns whether both records are the same tree of equal nodes.
    fn eq(&self, other: &Self) -> bool {
        let mut pairs = vec![(self.root(), other.root())];
        while let Some((one, two)) = pairs.pop() {
            let (one, two) = (self.node(one), other.node(two));
            if one != two || one.children.len() != two.children.len() {
                return false;
            }
            pairs.extend(one.children.iter().copied().zip(two.children.iter().copied()));
        }
        true
    }
}

impl Record {
    /// Creates a record with an empty root node.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the root.
    pub fn root(&self) -> RecordNodeId {
        RecordNodeId(0)
    }

    /// Returns a node. `id` must be from this record.
    pub fn node(&self, id: RecordNodeId) -> &RecordNode {
        &self.nodes[id.0 as usize]
    }

    /// Returns a node for changes. `id` must be from this record.
    pub fn node_mut(&mut self, id: RecordNodeId) -> &mut RecordNode {
        &mut self.nodes[id.0 as usize]
    }

    /// Returns the root for changes.
    pub(crate) fn root_mut(&mut self) -> &mut RecordNode {
        &mut self.nodes[0]
    }

    /// Returns the number of nodes, at least 1.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a node as the last child of `parent`, and returns it.
    pub fn add_child(&mut self, parent: RecordNodeId) -> RecordNodeId {
        let id = RecordNodeId(self.nodes.len() as u32);
        self.nodes.push(RecordNode { parent: Some(parent), ..RecordNode::default() });
        self.nodes[parent.0 as usize].children.push(id);
        id
    }

    /// Returns a copy without the nodes of `branches` and all nodes after them. The root stays.
    #[must_use]
    pub fn without(&self, branches: &[RecordNodeId]) -> Self {
        let mut copy = Self::new();
        copy.nodes[0].properties.clone_from(&self.nodes[0].properties);
        let mut open = vec![(self.root(), copy.root())];
        while let Some((from, to)) = open.pop() {
            for child in self.node(from).children.iter().filter(|id| !branches.contains(id)) {
                let id = copy.add_child(to);
                copy.node_mut(id).properties.clone_from(&self.node(*child).properties);
                open.push((*child, id));
            }
        }
        copy
    }

    /// Returns an error if a file has too many nodes for one game, or for the memory. A reader asks
    /// before it adds a node.
    pub(crate) fn check_room(&self, place: Place) -> Result<(), Fault> {
        let count = self.nodes.len();
        // The list of nodes grows rarely.
        if count < self.nodes.capacity() || has_memory_for(count) && count < MAX_NODES {
            return Ok(());
        }
        Err(Fault::new(place, FaultKind::TooLarge { nodes: count }))
    }

    /// Returns the nodes of the main line: the root, then always the first child.
    pub fn main_line(&self) -> impl Iterator<Item = RecordNodeId> {
        std::iter::successors(Some(self.root()), |id| self.node(*id).children.first().copied())
    }

    /// Returns all nodes in depth-first order, so that the main line comes first.
    pub fn ids(&self) -> impl Iterator<Item = RecordNodeId> {
        let mut open = vec![self.root()];
        std::iter::from_fn(move || {
            let id = open.pop()?;
            open.extend(self.node(id).children.iter().rev());
            Some(id)
        })
    }
}

#[cfg(test)]
mod tests;
