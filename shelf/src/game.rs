//! [`Game`]: a game as the shelf stores it.

use std::sync::Arc;

use tengen_engine::Placement;

use crate::ruleset::Ruleset;

/// What is remarkable about a game, as bits of `games.marks`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Marks(pub(crate) i64);

impl Marks {
    /// A move cannot be played.
    pub const ILLEGAL: Self = Self(1);
    /// A move was forbidden, and lost.
    pub const FORBIDDEN: Self = Self(2);
    /// Moves follow after the end of the game.
    pub const GOES_ON: Self = Self(4);
    /// The board shows another result than the record.
    pub const WRONG_RESULT: Self = Self(8);
    /// The record names no rules, or vague ones.
    pub const RULES_TAKEN: Self = Self(16);
    /// The date of the record can be read in two ways; only its year counts, if that is certain.
    pub const VAGUE_DATE: Self = Self(32);

    /// The marks and their names.
    pub const NAMED: [(Self, &'static str); 6] = [
        (Self::ILLEGAL, "illegal move"),
        (Self::FORBIDDEN, "forbidden move"),
        (Self::GOES_ON, "goes on after its end"),
        (Self::WRONG_RESULT, "wrong result"),
        (Self::RULES_TAKEN, "rules not named"),
        (Self::VAGUE_DATE, "ambiguous date"),
    ];

    /// Returns whether all of `other` are set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Sets `other`.
    pub(crate) fn set(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Returns the names of the marks that are set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMED.into_iter().filter(move |(mark, _)| self.has(*mark)).map(|(_, name)| name)
    }
}

/// A game that is added to the shelf.
#[derive(Clone, Debug)]
pub(crate) struct Game {
    pub(crate) ruleset: Arc<Ruleset>,
    /// The names of the players, of the event and of the rules; `None` if unknown.
    pub(crate) players: [Option<String>; 2],
    pub(crate) event: Option<String>,
    pub(crate) rule: Option<String>,
    pub(crate) round: Option<String>,
    /// YYYYMMDD, with 00 for what is unknown.
    pub(crate) date: Option<i64>,
    /// 1, 0 or -1, for the first player.
    pub(crate) result: Option<i64>,
    pub(crate) ending: Option<String>,
    pub(crate) opening: Option<String>,
    pub(crate) marks: Marks,
    /// The number of moves until the board ended the game.
    pub(crate) ended: Option<usize>,
    pub(crate) start: Option<Placement>,
    pub(crate) moves: Vec<u16>,
    pub(crate) rest: Option<String>,
    /// A JSON object.
    pub(crate) headers: Option<String>,
}

/// A tree of moves that is added to the shelf.
#[derive(Clone, Default, Debug)]
pub(crate) struct Tree {
    pub(crate) nodes: usize,
    pub(crate) sgf: String,
    pub(crate) moves: Vec<TreeMove>,
    /// Keys of positions, and comments about them.
    pub(crate) notes: Vec<(i64, String)>,
}

/// A move of a tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TreeMove {
    pub(crate) key: i64,
    pub(crate) mv: u16,
    pub(crate) child: i64,
    pub(crate) label: Option<String>,
}

/// What a record holds: a game, a tree, or a game with variations.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub(crate) ruleset: Arc<Ruleset>,
    pub(crate) game: Option<Game>,
    pub(crate) tree: Option<Tree>,
}

/// Returns a name without differences that do not matter: case, and blanks.
pub(crate) fn plain_name(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Latin letters with signs, and the letters without them.
const LETTERS: [(&str, char); 16] = [
    ("àáâãäåāăąạảấầẩẫậắằẳẵặ", 'a'),
    ("çćĉċč", 'c'),
    ("ďđ", 'd'),
    ("èéêëēĕėęěẹẻẽếềểễệ", 'e'),
    ("ĝğġģ", 'g'),
    ("ìíîïĩīĭįıỉị", 'i'),
    ("ķ", 'k'),
    ("ĺļľł", 'l'),
    ("ñńņň", 'n'),
    ("òóôõöøōŏőơọỏốồổỗộớờởỡợ", 'o'),
    ("ŕŗř", 'r'),
    ("śŝşšș", 's'),
    ("ţťț", 't'),
    ("ùúûüũūŭůűųưụủứừửữự", 'u'),
    ("ýÿŷỳỵỷỹ", 'y'),
    ("źżž", 'z'),
];

/// Returns a name as a search sees it: without case, signs on Latin letters, and wide forms of letters.
pub(crate) fn folded(name: &str) -> String {
    let fold = |c: char| match c {
        // A sign that is a character of its own.
        '\u{300}'..='\u{36f}' => None,
        // Wide forms of ASCII.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0),
        _ => Some(
            LETTERS.iter().find(|(signed, _)| signed.contains(c)).map_or(c, |(_, plain)| *plain),
        ),
    };
    plain_name(&plain_name(name).chars().filter_map(fold).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::folded;

    #[test]
    fn a_search_sees_no_case_no_signs_and_no_width() {
        for (name, seen) in [
            ("Shōgetsu", "shogetsu"),
            ("Sho\u{304}getsu", "shogetsu"),
            ("ＳＯＳＵＫＥ　Ｋ", "sosuke k"),
            ("  Jürgen \t ŁUKASZ", "jurgen lukasz"),
            ("Nguyễn Đức", "nguyen duc"),
            ("中村 茂", "中村 茂"),
        ] {
            assert_eq!(folded(name), seen);
        }
    }
}
