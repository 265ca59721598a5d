//! The names that programs and players use for the rules, in lower case without blanks and signs.
//!
//! The standards for game records do not define these names. Numbers are those of Gomocup.
// CITE: https://github.com/nkg114mc/c-gomoku-cli (numbers as RU)
// CITE: https://plastovicka.github.io/protocl2en.htm (the numbers)

use tengen_engine::{NameStrength, RuleNames};

use crate::entry::OVERLINE;

pub(super) const FREESTYLE: &[RuleNames] = &[
    RuleNames::new(&[
        "0",
        "free",
        "freestyle",
        "gomokufreestyle",
        "freegomoku",
        "freestylegomoku",
        "gomokufree",
        "fiveormore",
        "5ormore",
        "fastgame",
        "norestriction",
        "norestrictions",
        "norestrictionsinmoves",
        "unrestricted",
        "noforbidden",
        "noforbiddenmoves",
        "\u{441}\u{432}\u{43e}\u{431}\u{43e}\u{434}\u{43d}\u{44b}\u{439}",
        // "Without forbidden points", in simplified and traditional Chinese, and in Japanese.
        "\u{65e0}\u{7981}\u{624b}",
        "\u{7121}\u{7981}\u{624b}",
        "\u{65e0}\u{7981}",
        "\u{7121}\u{7981}",
        "\u{7981}\u{624b}\u{306a}\u{3057}",
    ])
    .with_strength(NameStrength::Adjective),
    RuleNames::new(&[
        "fiveinarow",
        "5inarow",
        "5inrow",
        "fiveinrow",
        "gobang",
        "piskvorky",
        "pi\u{161}kvorky",
        "\u{433}\u{43e}\u{43c}\u{43e}\u{43a}\u{443}",
        // Wuziqi.
        "\u{4e94}\u{5b50}\u{68cb}",
        "\u{4e94}\u{5b50}",
        // Gomokunarabe.
        "\u{4e94}\u{76ee}\u{4e26}\u{3079}",
        "\u{4e94}\u{76ee}\u{306a}\u{3089}\u{3079}",
        // Omok.
        "\u{c624}\u{baa9}",
    ])
    .with_strength(NameStrength::Game),
];

pub(super) const STANDARD: &[RuleNames] = &[
    RuleNames::new(&[
        "1",
        "standard",
        "standardgomoku",
        "gomokustandard",
        "exact",
        "exact5",
        "exactfive",
        "exactly5",
        "exactlyfive",
        "exactfiveinarow",
        "exactlyfiveinarow",
        "nooverline",
        "nooverlines",
        "gomokunooverline",
        "\u{6807}\u{51c6}\u{89c4}\u{5219}",
        "\u{6807}\u{51c6}",
    ])
    .with_strength(NameStrength::Adjective),
    RuleNames::new(&["gomoku"]).with_strength(NameStrength::Game),
];

pub(super) const RENJU: &[RuleNames] = &[RuleNames::new(&[
    "4",
    "renju",
    "rif",
    "rifrules",
    "rifrule",
    "renjurules",
    "soosorv",
    "soos\u{f5}rv",
    "soosyrv",
    "taraguchi",
    "yamaguchi",
    "yamasyrv",
    "yamasorv",
    "yamas\u{f5}rv",
    "tarannikov",
    "sakata",
    "linhuan",
    "\u{440}\u{44d}\u{43d}\u{434}\u{437}\u{44e}",
    // Renju, and "with forbidden points".
    "\u{8fde}\u{73e0}",
    "\u{9023}\u{73e0}",
    "\u{9024}\u{73e0}",
    "\u{6709}\u{7981}\u{624b}",
    "\u{6709}\u{7981}",
    "\u{7981}\u{624b}\u{3042}\u{308a}",
    // Renju in Korean.
    "\u{b80c}\u{c8fc}",
])];

pub(super) const CARO: &[RuleNames] = &[
    RuleNames::new(&["8", "caro", "vietnamese", "carogomoku", "gomokucaro"]),
    RuleNames::new(&["9", "caroexact", "exactcaro", "standardcaro"])
        .with_options(&[(OVERLINE.0, 0)]),
];
