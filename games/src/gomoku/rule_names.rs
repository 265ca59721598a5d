//! The names that programs and players use for the rules, in lower case without blanks and signs.
//!
//! The standards for game records do not define these names. Numbers are those of Gomocup.
// CITE: https://github.com/nkg114mc/c-gomoku-cli (numbers as RU)
// CITE: https://plastovicka.github.io/protocl2en.htm (the numbers)

use tengen_engine::RuleNames;

use crate::entry::OVERLINE;

pub(super) const FREESTYLE: &[RuleNames] = &[RuleNames::new(&[
    "0",
    "fiveinarow",
    "5inarow",
    "fiveormore",
    "free",
    "freegomoku",
    "freestylegomoku",
    "gomokufree",
    "freestyle15",
    "freestyle1515",
    "fastgame",
    "norestrictions",
    "unrestricted",
    "piskvorky",
    "pi\u{161}kvorky",
    "\u{433}\u{43e}\u{43c}\u{43e}\u{43a}\u{443}",
    // Wuziqi, and "without forbidden points", in simplified and traditional Chinese.
    "\u{4e94}\u{5b50}\u{68cb}",
    "\u{65e0}\u{7981}\u{624b}",
    "\u{7121}\u{7981}\u{624b}",
    "\u{65e0}\u{7981}",
    "\u{7121}\u{7981}",
    // Gomokunarabe.
    "\u{4e94}\u{76ee}\u{4e26}\u{3079}",
    "\u{4e94}\u{76ee}\u{306a}\u{3089}\u{3079}",
])];

pub(super) const STANDARD: &[RuleNames] = &[RuleNames::new(&[
    "1",
    "standardgomoku",
    "gomokustandard",
    "standard15",
    "exact",
    "exact5",
    "exactfive",
    "exactly5",
    "exactlyfive",
    "exactfiveinarow",
    "nooverline",
    "nooverlines",
    "gomokunooverline",
    "\u{6807}\u{51c6}\u{89c4}\u{5219}",
])];

pub(super) const RENJU: &[RuleNames] = &[RuleNames::new(&[
    "4",
    "rif",
    "renjurif",
    "rifrenju",
    "rifrules",
    "rifrule",
    "renjurules",
    "renju15",
    "freerenju",
    "renjufree",
    "renjufreeopening",
    "swaprenju",
    "soosorv",
    "soos\u{f5}rv",
    "soosyrv",
    "soosorv8",
    "soos\u{f5}rv8",
    "soosorv7",
    "soosorv6",
    "soosorv5",
    "soosyrv8",
    "taraguchi",
    "taraguchi10",
    "taraguchi5",
    "yamaguchi",
    "tarannikov",
    "sakata",
    "\u{440}\u{44d}\u{43d}\u{434}\u{437}\u{44e}",
    // Renju, and "with forbidden points".
    "\u{8fde}\u{73e0}",
    "\u{9023}\u{73e0}",
    "\u{9024}\u{73e0}",
    "\u{6709}\u{7981}\u{624b}",
    "\u{6709}\u{7981}",
])];

pub(super) const CARO: &[RuleNames] = &[
    RuleNames::new(&["8", "vietnamese", "carogomoku", "gomokucaro", "caro15"]),
    RuleNames::new(&["9", "caroexact", "standardcaro"]).with_options(&[(OVERLINE.0, 0)]),
];
