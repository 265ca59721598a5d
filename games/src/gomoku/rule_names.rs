//! The names that programs and players use for the rules, in lower case without blanks and signs.
//!
//! The standards for game records do not define these names. Numbers are those of Gomocup.
// CITE: https://github.com/nkg114mc/c-gomoku-cli (numbers as RU)
// CITE: https://plastovicka.github.io/protocl2en.htm (the numbers)

use tengen_engine::{NameStrength, RuleNames};

use crate::entry::OVERLINE;

#[rustfmt::skip]
pub(super) const FREESTYLE: &[RuleNames] = &[
    RuleNames::new(&[
        "0", "free", "freestyle", "gomokufreestyle", "freegomoku", "freestylegomoku",
        "gomokufree", "fiveormore", "5ormore", "fastgame", "norestriction", "norestrictions",
        "norestrictionsinmoves", "unrestricted", "noforbidden", "noforbiddenmoves", "свободный",
        // "Without forbidden points", in simplified and traditional Chinese, and in Japanese.
        "无禁手", "無禁手", "无禁", "無禁", "禁手なし",
    ])
    .with_strength(NameStrength::Adjective),
    RuleNames::new(&[
        "fiveinarow", "5inarow", "5inrow", "fiveinrow", "gobang", "piskvorky", "piškvorky",
        "гомоку",
        // Wuziqi.
        "五子棋", "五子",
        // Gomokunarabe.
        "五目並べ", "五目ならべ",
        // Omok.
        "오목",
    ])
    .with_strength(NameStrength::Game),
];

#[rustfmt::skip]
pub(super) const STANDARD: &[RuleNames] = &[
    RuleNames::new(&[
        "1", "standard", "standardgomoku", "gomokustandard", "exact", "exact5", "exactfive",
        "exactly5", "exactlyfive", "exactfiveinarow", "exactlyfiveinarow", "nooverline",
        "nooverlines", "gomokunooverline", "标准规则", "标准",
    ])
    .with_strength(NameStrength::Adjective),
    RuleNames::new(&["gomoku"]).with_strength(NameStrength::Game),
];

#[rustfmt::skip]
pub(super) const RENJU: &[RuleNames] = &[
    RuleNames::new(&[
        "4", "renju", "rif", "rifrules", "rifrule", "renjurules", "soosorv", "soosõrv", "soosyrv",
        "taraguchi", "yamaguchi", "yamasyrv", "yamasorv", "yamasõrv", "tarannikov", "sakata",
        "linhuan", "рэндзю",
        // Renju, and "with forbidden points".
        "连珠", "連珠", "有禁手", "有禁", "禁手あり",
        // Renju in Korean.
        "렌주",
    ]),
];

pub(super) const CARO: &[RuleNames] = &[
    RuleNames::new(&["8", "caro", "vietnamese", "carogomoku", "gomokucaro"]),
    RuleNames::new(&["9", "caroexact", "exactcaro", "standardcaro"])
        .with_options(&[(OVERLINE.name(), 0)]),
];
