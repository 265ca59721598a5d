//! What is to be analysed: a position or a game, from the command line or a file, as texts that the
//! game can read.

use std::fs;
use std::io::Read;
use std::path::Path;

use anyhow::Context;
use tengen_engine::Side;
use tengen_engine::backend::Catalog;
use tengen_engine::notation::quotable;
use tengen_games::CATALOG;

use super::sgf::{Node, Record};
use super::stones::{Sheet, Size, Stone, point_name, position, turn_after};
use crate::ending::Refusal;

/// Where positions come from, not yet fitted to a board.
pub(super) enum Source {
    /// A position in the game's own text, the starting position when `None`, and moves.
    Text {
        start: Option<String>,
        moves: Vec<String>,
    },
    Record(Record),
    Sheet(Sheet),
}

/// A position and the moves played from it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Setup {
    /// The starting position when `None`.
    pub(super) start: Option<String>,
    pub(super) moves: Vec<String>,
    /// For each move the place of its node, where they come from a record.
    pub(super) nodes: Vec<usize>,
}

/// The whole of a file, or of standard input when it is `-`.
pub(super) fn read_file(path: &Path) -> anyhow::Result<String> {
    if path == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
        return Ok(text);
    }
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

impl Source {
    /// Reads a game record.
    pub(super) fn record(path: &Path) -> anyhow::Result<Record> {
        let text = read_file(path)?;
        let record = Record::read(&text);
        Ok(record.map_err(|error| Refusal(format!("{}: {error}", path.display())))?)
    }

    /// Reads a board.
    pub(super) fn sheet(path: &Path) -> anyhow::Result<Self> {
        let sheet = Sheet::read(&read_file(path)?);
        Ok(Self::Sheet(sheet.map_err(|why| Refusal(format!("{}: {why}", path.display())))?))
    }

    /// The variant it is from, where it says so.
    pub(super) fn variant(&self) -> Result<Option<&'static str>, Refusal> {
        match self {
            Self::Text { .. } => Ok(None),
            Self::Sheet(sheet) => Ok(Some(sheet.variant.unwrap_or(FREESTYLE))),
            Self::Record(record) => variant_of(record),
        }
    }

    /// The size of its board, where it says so.
    pub(super) fn size(&self) -> Result<Option<Size>, Refusal> {
        match self {
            Self::Text { .. } => Ok(None),
            Self::Sheet(sheet) => Ok(sheet.size),
            Self::Record(record) => size_of(record),
        }
    }

    /// What the game can read, on a board of `size`; a game without a board has none.
    pub(super) fn setup(&self, size: Option<Size>) -> Result<Setup, Refusal> {
        let (stones, turn, played) = match self {
            Self::Text { start, moves } => {
                let (start, moves) = (start.clone(), moves.clone());
                return Ok(Setup { start, moves, nodes: Vec::new() });
            }
            Self::Sheet(sheet) => (sheet.stones.clone(), sheet.turn, Vec::new()),
            Self::Record(record) => contents(record)?,
        };
        let size = size.ok_or_else(|| Refusal("this game has no board to put stones on".into()))?;
        let turn = turn.unwrap_or_else(|| turn_after(&stones));
        let is_start = stones.is_empty() && turn == Side::First;
        let start =
            (!is_start).then(|| position(size, &stones, turn)).transpose().map_err(Refusal)?;
        let mut setup = Setup { start, ..Setup::default() };
        let mut mover = turn;
        for Played { node, side, value } in played {
            let number = setup.moves.len() + 1;
            if side != mover {
                return Err(Refusal(format!(
                    "move {number} \"{value}\": the other player is to move"
                )));
            }
            let name = |(column, row)| point_name(column, row, size.1);
            let point = read_point(&value).map_or(Ok(value.clone()), name);
            setup
                .moves
                .push(point.map_err(|why| Refusal(format!("move {number} \"{value}\": {why}")))?);
            setup.nodes.push(node);
            mover = mover.other();
        }
        Ok(setup)
    }
}

/// What records of five in a row are played by unless they say otherwise.
const FREESTYLE: &str = "gomokufreestyle";

/// The number that SGF has for five in a row.
const FIVE_IN_A_ROW: &str = "4";

fn variant_of(record: &Record) -> Result<Option<&'static str>, Refusal> {
    let root = &record.nodes[0];
    let rules = root.value("RU").unwrap_or_default().trim();
    let named = CATALOG.variants().iter().find(|variant| variant.name.eq_ignore_ascii_case(rules));
    match (named, root.value("GM").map(str::trim)) {
        (Some(variant), _) => Ok(Some(variant.name)),
        (None, Some(FIVE_IN_A_ROW)) => Ok(Some(FREESTYLE)),
        (None, _) => Err(Refusal(
            "the record does not say which game it is (no GM[4], and no variant as RU): name it with --variant"
                .to_owned(),
        )),
    }
}

fn size_of(record: &Record) -> Result<Option<Size>, Refusal> {
    let Some(text) = record.nodes[0].value("SZ") else { return Ok(None) };
    let sides: Vec<Option<u32>> = text.split(':').map(|side| side.trim().parse().ok()).collect();
    match sides[..] {
        [Some(side)] => Ok(Some((side, side))),
        [Some(columns), Some(rows)] => Ok(Some((columns, rows))),
        _ => Err(Refusal(format!("SZ[{}] is no size of a board", quotable(text)))),
    }
}

/// A move of a record, as it is written there.
struct Played {
    node: usize,
    side: Side,
    value: String,
}

type Contents = (Vec<Stone>, Option<Side>, Vec<Played>);

/// The stones put down before the first move, whose turn it is then, and the moves.
fn contents(record: &Record) -> Result<Contents, Refusal> {
    let (mut stones, mut turn, mut played) = (Vec::new(), None, Vec::<Played>::new());
    for (place, node) in record.nodes.iter().enumerate() {
        if let Some(name) = ["AB", "AW", "AE"].into_iter().find(|name| node.values(name).is_some())
        {
            if name == "AE" || !played.is_empty() {
                let why = format!(
                    "{name} after move {}: a game whose board is changed by hand",
                    played.len()
                );
                return Err(Refusal(why));
            }
            put_stones(node, &mut stones)?;
        }
        turn = turn.or(node.value("PL").and_then(side_named));
        for (name, side) in [("B", Side::First), ("W", Side::Second)] {
            let Some(value) = node.value(name) else { continue };
            turn = turn.or(Some(side));
            played.push(Played { node: place, side, value: value.trim().to_owned() });
        }
    }
    Ok((stones, turn, played))
}

fn side_named(colour: &str) -> Option<Side> {
    match colour.trim().chars().next()? {
        'B' | 'b' => Some(Side::First),
        'W' | 'w' => Some(Side::Second),
        _ => None,
    }
}

fn put_stones(node: &Node, stones: &mut Vec<Stone>) -> Result<(), Refusal> {
    for (name, side) in [("AB", Side::First), ("AW", Side::Second)] {
        for value in node.values(name).unwrap_or_default() {
            let corners: Vec<_> =
                value.split(':').map(|corner| read_point(corner.trim())).collect();
            let (from, to) = match corners[..] {
                [Some(point)] => (point, point),
                [Some(from), Some(to)] => (from, to),
                _ => return Err(Refusal(format!("{name}[{}] is no point", quotable(value)))),
            };
            for row in from.1..=to.1 {
                stones.extend((from.0..=to.0).map(|column| Stone { column, row, side }));
            }
        }
    }
    Ok(())
}

/// Column and row, from the left and the top, of two letters; other forms the game reads itself.
fn read_point(value: &str) -> Option<(u32, u32)> {
    match value.as_bytes() {
        [column @ b'a'..=b'z', row @ b'a'..=b'z'] => {
            Some((u32::from(column - b'a'), u32::from(row - b'a')))
        }
        _ => None,
    }
}
