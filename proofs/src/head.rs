//! The head of a proof: the claim, the game and what the body holds.

use std::fmt::Write as _;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use tengen_engine::backend::Catalog;
use tengen_engine::{BoardOption, Chosen, GameSpec, Side};

/// The first line of every proof.
pub(crate) const FORMAT: &str = "tengen-proof 1";

/// What a proof shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The side whose strategy the proof holds.
    pub side: Side,
    /// Whether this side wins. Otherwise it does not lose.
    pub wins: bool,
}

impl Claim {
    /// Every claim and its text.
    const ALL: [(Self, &str); 4] = [
        (Self { side: Side::First, wins: true }, "first wins"),
        (Self { side: Side::First, wins: false }, "first draws"),
        (Self { side: Side::Second, wins: true }, "second wins"),
        (Self { side: Side::Second, wins: false }, "second draws"),
    ];

    /// Returns the claim in words, such as `first wins`.
    pub fn text(self) -> &'static str {
        let found = Self::ALL.iter().find(|(claim, _)| *claim == self);
        found.map_or("", |(_, text)| text)
    }

    /// Reads a claim; `None` if the text is not one.
    pub fn read(text: &str) -> Option<Self> {
        Some(Self::ALL.iter().find(|(_, known)| *known == text)?.0)
    }
}

/// The head of a proof.
#[derive(Clone, PartialEq, Debug)]
pub struct Head {
    /// The game.
    pub spec: GameSpec,
    /// The moves to the position that the claim is about, in the plain style, blank-separated.
    pub moves: String,
    /// What the proof shows, if no position is open.
    pub claim: Claim,
    /// The number of positions that are left open. With one, nothing is proven.
    pub open: u64,
    /// The number of lines of the body: positions for which the file names a move or a rule.
    pub positions: u64,
    /// The number of lines whose position comes again.
    pub shared: u64,
    /// The SHA-256 of the body's bytes, in lower case.
    pub sha256: String,
}

/// The names of the lines of a head, in their order.
pub(crate) const FIELDS: [&str; 7] =
    ["game", "rules", "moves", "claim", "positions", "shared", "sha256"];

impl Head {
    /// Reads the values of the [`FIELDS`]. An error has the index of the field.
    pub(crate) fn read(
        values: &[String; 7],
        catalog: &dyn Catalog,
    ) -> Result<Self, (usize, String)> {
        let [game, rules, moves, claim, positions, shared, sha256] = values;
        let spec = described(game, catalog).map_err(|why| (0, why))?;
        if spec.rules != *rules {
            return Err((1, format!("{game} is {}, not {rules}", spec.rules)));
        }
        let (text, open) = match claim.split_once(", ") {
            None => (&**claim, Some(0)),
            Some((text, open)) => (text, read_open(open)),
        };
        let (claim, open) = Claim::read(text).zip(open).ok_or_else(|| {
            let known = Claim::ALL.map(|(_, text)| text).join(", ");
            (3, format!("no claim: {claim}; there are {known}"))
        })?;
        let number = |field: usize, text: &str| {
            text.parse::<u64>().map_err(|_| (field, format!("not a number: {text}")))
        };
        let (positions, shared) = (number(4, positions)?, number(5, shared)?);
        let (moves, sha256) = (moves.clone(), sha256.clone());
        Ok(Self { spec, moves, claim, open, positions, shared, sha256 })
    }
}

/// Reads how many positions are open, such as `12 open`.
fn read_open(text: &str) -> Option<u64> {
    text.strip_suffix(" open")?.parse().ok().filter(|open| *open > 0)
}

/// Returns the game that [`GameSpec::id`] wrote.
fn described(id: &str, catalog: &dyn Catalog) -> Result<GameSpec, String> {
    let mut words = id.split(' ');
    let name = words.next().unwrap_or_default();
    let mut chosen = Chosen::new();
    for word in words {
        let option = word.split_once('=').and_then(|(option, value)| {
            Some((BoardOption::named(option)?.name(), value.parse().ok()?))
        });
        let (option, value) = option.ok_or_else(|| format!("no option of a board: {word}"))?;
        chosen.insert(option, value);
    }
    catalog.describe(name, &chosen).map_err(|why| why.to_string())
}

/// The line of a position that is left open.
pub const OPEN: &str = "?";

/// Writes a proof: the head, an empty line and the lines of `body`. A line that begins with `*` is the
/// line of a position that comes again; [`OPEN`] leaves the position open.
pub fn write(spec: &GameSpec, moves: &str, claim: Claim, body: &[String]) -> Vec<u8> {
    let mut text = String::new();
    for line in body {
        text.push_str(line);
        text.push('\n');
    }
    let shared = body.iter().filter(|line| line.starts_with('*')).count().to_string();
    let sha256 = HEXLOWER.encode(&Sha256::digest(&text));
    let (positions, id) = (body.len().to_string(), spec.id());
    let claim = match body.iter().filter(|line| *line == OPEN).count() {
        0 => claim.text().to_owned(),
        open => format!("{}, {open} open", claim.text()),
    };
    let values = [&id, &spec.rules, moves, &claim, &positions, &shared, &sha256];
    let mut head = format!("{FORMAT}\n");
    for (field, value) in FIELDS.iter().zip(values) {
        let _ = writeln!(head, "{}", format!("{field} {value}").trim_end());
    }
    head.push('\n');
    (head + &text).into_bytes()
}
