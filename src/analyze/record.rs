//! The games of a record file: by which rules, on which board, with which stones and moves.
//!
//! It knows what the properties of a game mean, not what its rules allow.

use std::path::Path;
use std::rc::Rc;

use tengen_engine::text::quotable;
use tengen_engine::{Grid, Side};

use super::ru::{self, FREESTYLE, Rule};
use super::setup::{Setup, needed, read_bytes};
use super::sgf::{Collection, Game, Node, Place, Remark, Value};
use super::stones::{Size, Stone, point, turn_after};
use crate::exit_status::Refusal;

/// A file of games.
pub(super) struct RecordFile {
    name: String,
    collection: Collection,
}

/// A game of a file.
#[derive(Clone)]
pub(super) struct Record {
    file: Rc<RecordFile>,
    index: usize,
}

/// The number that SGF has for five in a row.
const FIVE_IN_A_ROW: &str = "4";

impl RecordFile {
    pub(super) fn read(path: &Path) -> anyhow::Result<Rc<Self>> {
        let name = path.display().to_string();
        let collection = Collection::read(&read_bytes(path)?);
        let collection = collection.map_err(|error| Refusal(format!("{name}: {error}")))?;
        Ok(Rc::new(Self { name, collection }))
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the games, at least one.
    pub(super) fn games(self: &Rc<Self>) -> impl ExactSizeIterator<Item = Record> + use<> {
        let file = Rc::clone(self);
        (0..self.collection.games.len()).map(move |index| Record { file: Rc::clone(&file), index })
    }

    /// Returns the file with remarks in its games: a list for each of the first games.
    pub(super) fn with(&self, remarks: &[Vec<Remark>]) -> Vec<u8> {
        self.collection.with(remarks)
    }
}

impl Record {
    fn game(&self) -> &Game {
        &self.file.collection.games[self.index]
    }

    fn root(&self) -> &Node {
        &self.game().nodes[0]
    }

    fn refusal(&self, place: Place, why: &str) -> Refusal {
        Refusal(format!("{}: {place}: {why}", self.file.name))
    }

    /// By which rules it is played, as far as it says.
    pub(super) fn rule(&self) -> Result<Rule, Refusal> {
        let name = self.root().text("RU").unwrap_or_default();
        if let Some(variant) = ru::variant(name) {
            return Ok(Rule { variant, overline: true, warning: None });
        }
        if self.root().text("GM") != Some(FIVE_IN_A_ROW) {
            let why = "the record does not say which game it is (no GM[4], and no known rule as RU): name it with --variant";
            return Err(Refusal(format!("{}: {why}", self.file.name)));
        }
        let warning = self.root().value("RU").filter(|_| !name.is_empty()).map(|value| {
            format!(
                "{}: {}: RU[{}] is no rule of five in a row known here: the game is judged as {FREESTYLE}; --variant chooses another",
                self.file.name, value.place, quotable(name)
            )
        });
        Ok(Rule { variant: FREESTYLE, overline: true, warning })
    }

    /// Returns the size of its board, where it says so.
    pub(super) fn size(&self) -> Result<Option<Size>, Refusal> {
        let Some(value) = self.root().value("SZ") else { return Ok(None) };
        let sides: Vec<Option<u32>> =
            value.text.split(':').map(|side| side.trim().parse().ok()).collect();
        match sides[..] {
            [Some(side)] => Ok(Some((side, side))),
            [Some(columns), Some(rows)] => Ok(Some((columns, rows))),
            _ => {
                let why = format!("SZ[{}] is no size of a board", quotable(&value.text));
                Err(self.refusal(value.place, &why))
            }
        }
    }

    /// Returns what the game can read, on its grid; a game without a grid has none.
    pub(super) fn setup(&self, grid: Option<Grid>) -> Result<Setup, Refusal> {
        let Contents { stones, turn, played } = self.contents()?;
        let grid = needed(grid)?;
        let mut setup = Setup::of_stones(grid, &stones, turn)
            .map_err(|Refusal(why)| Refusal(format!("{}: {why}", self.file.name)))?;
        let mut mover = turn.unwrap_or_else(|| turn_after(&stones));
        for Played { node, side, value } in played {
            let number = setup.moves.len() + 1;
            let text = value.text.trim();
            let refused = |why: &str| {
                self.refusal(value.place, &format!("move {number} \"{}\": {why}", quotable(text)))
            };
            if side != mover {
                return Err(refused("the other player is to move"));
            }
            let name = |(column, row)| point(grid, column, row).map(|point| point.to_string());
            let point = read_point(text).map_or(Ok(text.to_owned()), name);
            setup.moves.push(point.map_err(|why| refused(&why))?);
            setup.places.push(format!("{}: {}", self.file.name, value.place));
            setup.nodes.push(node);
            mover = mover.other();
        }
        Ok(setup)
    }

    fn contents(&self) -> Result<Contents<'_>, Refusal> {
        let mut contents = Contents::default();
        for (place, node) in self.game().nodes.iter().enumerate() {
            self.put_stones(node, &mut contents)?;
            let Contents { turn, played, .. } = &mut contents;
            *turn = turn.or(node.text("PL").and_then(side_named));
            for (name, side) in [("B", Side::First), ("W", Side::Second)] {
                let Some(value) = node.value(name) else { continue };
                *turn = turn.or(Some(side));
                played.push(Played { node: place, side, value });
            }
        }
        Ok(contents)
    }

    /// Puts down the stones that a node puts without a move.
    fn put_stones(&self, node: &Node, contents: &mut Contents<'_>) -> Result<(), Refusal> {
        for (name, side) in [("AB", Some(Side::First)), ("AW", Some(Side::Second)), ("AE", None)] {
            for value in node.values(name).unwrap_or_default() {
                let Some(side) = side.filter(|_| contents.played.is_empty()) else {
                    let moves = contents.played.len();
                    let why =
                        format!("{name} after move {moves}: a game whose board is changed by hand");
                    return Err(self.refusal(value.place, &why));
                };
                let corners: Vec<_> =
                    value.text.split(':').map(|corner| read_point(corner.trim())).collect();
                let (from, to) = match corners[..] {
                    [Some(point)] => (point, point),
                    [Some(from), Some(to)] => (from, to),
                    _ => {
                        let why = format!("{name}[{}] is no point", quotable(&value.text));
                        return Err(self.refusal(value.place, &why));
                    }
                };
                for row in from.1..=to.1 {
                    let stone = |column| Stone { column, row, side };
                    contents.stones.extend((from.0..=to.0).map(stone));
                }
            }
        }
        Ok(())
    }
}

/// A move of a record, as it is written there.
struct Played<'a> {
    node: usize,
    side: Side,
    value: &'a Value,
}

#[derive(Default)]
struct Contents<'a> {
    /// Put down before the first move.
    stones: Vec<Stone>,
    /// Whose turn it is then, where the record says so.
    turn: Option<Side>,
    played: Vec<Played<'a>>,
}

fn side_named(colour: &str) -> Option<Side> {
    match colour.chars().next()? {
        'B' | 'b' => Some(Side::First),
        'W' | 'w' => Some(Side::Second),
        _ => None,
    }
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
