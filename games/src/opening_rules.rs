//! The opening rules, as data: what the players place, swap, declare and offer.
// CITE: https://en.wikipedia.org/wiki/Renju_opening_rules, https://www.renju.net, and Gomocup, "SWAP2
// in the protocol", https://gomocup.org/swap2board/

use tengen_engine::opening::Actor::{NotToMove, Player, ToMove};
use tengen_engine::opening::Area::{Board, Outside, Square};
use tengen_engine::opening::OpeningStep::{Declare, Keep, MaySwap, Offer, Place};
use tengen_engine::opening::{BoardNeed, OfferCount, OpeningRule, OpeningStep, OtherWay};
use tengen_engine::{Grid, Point};

/// Stones 1 to 3 of a renju opening, by player 1: the centre, then a square around it.
const FIRST: OpeningStep = Place(Player(0), Square(1));
const SECOND: OpeningStep = Place(Player(0), Square(3));
const THIRD: OpeningStep = Place(Player(0), Square(5));

/// A stone of one player who places several.
const FREE_STONE: OpeningStep = Place(Player(0), Board);

const DECLARED: OpeningStep = Offer(OfferCount::Declared);

/// The board that the renju rules need: the largest square of a step is 9x9.
const RENJU_BOARD: BoardNeed = BoardNeed::OddSides(9);

/// The score of Black at which a game of renju is even after an opening, in centipawns. In games of the
/// engine against itself White was better with 0, and Black with 37 (docs/measurements/gomoku.md).
const EVEN_IN_RENJU: i32 = 20;

/// The rules for all games of five in a row and similar ones.
pub(crate) static GENERAL: [OpeningRule; 6] = [
    OpeningRule {
        name: "free",
        aliases: &["none"],
        title: "free",
        summary: "no opening rule",
        steps: &[],
        board: BoardNeed::Points(1),
        even: 0,
        first_stones: None,
    },
    OpeningRule {
        name: "pro",
        aliases: &[],
        title: "pro",
        summary: "Black begins in the centre, and places stone 3 outside the central 5x5 square",
        steps: &[Place(ToMove, Square(1)), Place(ToMove, Board), Place(ToMove, Outside(5))],
        board: BoardNeed::Sides(7),
        even: 0,
        first_stones: None,
    },
    OpeningRule {
        name: "longpro",
        aliases: &[],
        title: "long pro",
        summary: "Black begins in the centre, and places stone 3 outside the central 7x7 square",
        steps: &[Place(ToMove, Square(1)), Place(ToMove, Board), Place(ToMove, Outside(7))],
        board: BoardNeed::Sides(9),
        even: 0,
        first_stones: None,
    },
    OpeningRule {
        name: "swap",
        aliases: &["swap3"],
        title: "swap",
        summary: "one player places three stones, the other one chooses a colour",
        steps: &[FREE_STONE, FREE_STONE, FREE_STONE, MaySwap(None)],
        board: BoardNeed::Points(25),
        even: 0,
        first_stones: Some(first_stones),
    },
    OpeningRule {
        name: "swap2",
        aliases: &[],
        title: "Swap2",
        summary: "one player places three stones; the other one chooses a colour, or places two \
                  more stones and lets the first one choose",
        steps: &[FREE_STONE, FREE_STONE, FREE_STONE, MaySwap(Some(&TWO_MORE))],
        board: BoardNeed::Points(25),
        even: 0,
        first_stones: Some(first_stones),
    },
    OpeningRule {
        name: "swap1",
        aliases: &["swapafterfirstmove", "swapafter1stmove"],
        title: "swap after the first move",
        summary: "one player places the first stone, the other one chooses a colour",
        steps: &[FREE_STONE, MaySwap(None)],
        board: BoardNeed::Points(25),
        even: 0,
        first_stones: None,
    },
];

/// In Swap2: the second player places a white and a black stone, and the first one chooses.
static TWO_MORE: OtherWay = OtherWay {
    word: "two",
    summary: "place two more stones and let the other player choose",
    exchanges: true,
    steps: &[Place(Player(1), Board), Place(Player(1), Board), MaySwap(None)],
};

/// The rules for renju only.
pub(crate) static RENJU: [OpeningRule; 5] = [
    OpeningRule {
        name: "rif",
        aliases: &["classical", "classic"],
        title: "RIF",
        summary: "one of the 26 openings, a swap, two fifth stones offered",
        steps: &[
            FIRST,
            SECOND,
            THIRD,
            MaySwap(None),
            Place(ToMove, Board),
            Offer(OfferCount::Fixed(2)),
            Keep,
        ],
        board: RENJU_BOARD,
        even: EVEN_IN_RENJU,
        first_stones: None,
    },
    OpeningRule {
        name: "yamaguchi",
        aliases: &[],
        title: "Yamaguchi",
        summary: "one of the 26 openings and a number of fifth stones, a swap, the fifths offered",
        steps: &[
            FIRST,
            SECOND,
            THIRD,
            Declare(Player(0), None),
            MaySwap(None),
            Place(ToMove, Board),
            DECLARED,
            Keep,
        ],
        board: RENJU_BOARD,
        even: EVEN_IN_RENJU,
        first_stones: None,
    },
    OpeningRule {
        name: "tarannikov",
        aliases: &[],
        title: "Tarannikov",
        summary: "a swap after each of five stones, each in a square around the centre",
        steps: &[
            Place(ToMove, Square(1)),
            MaySwap(None),
            Place(ToMove, Square(3)),
            MaySwap(None),
            Place(ToMove, Square(5)),
            MaySwap(None),
            Place(ToMove, Square(7)),
            MaySwap(None),
            Place(ToMove, Square(9)),
            MaySwap(None),
        ],
        board: RENJU_BOARD,
        even: EVEN_IN_RENJU,
        first_stones: None,
    },
    OpeningRule {
        name: "taraguchi10",
        aliases: &["taraguchi"],
        title: "Taraguchi-10",
        summary: "a swap after each of four stones; then a fifth stone and a swap, or ten fifth \
                  stones offered without a swap",
        steps: &[
            Place(ToMove, Square(1)),
            MaySwap(None),
            Place(ToMove, Square(3)),
            MaySwap(None),
            Place(ToMove, Square(5)),
            MaySwap(None),
            Place(ToMove, Square(7)),
            MaySwap(Some(&TEN_FIFTHS)),
            Place(ToMove, Square(9)),
            MaySwap(None),
        ],
        board: RENJU_BOARD,
        even: EVEN_IN_RENJU,
        first_stones: None,
    },
    OpeningRule {
        name: "soosorv8",
        aliases: &["soosorv", "soos\u{f5}rv8", "soos\u{f5}rv"],
        title: "Soos\u{f5}rv-8",
        summary: "one of the 26 openings, a swap, a fourth stone with a number of fifth stones, a \
                  swap, the fifths offered",
        steps: &[
            FIRST,
            SECOND,
            THIRD,
            MaySwap(None),
            Place(ToMove, Board),
            Declare(NotToMove, Some(8)),
            MaySwap(None),
            DECLARED,
            Keep,
        ],
        board: RENJU_BOARD,
        even: EVEN_IN_RENJU,
        first_stones: None,
    },
];

/// In Taraguchi-10: Black gives up the swap and offers ten fifth stones.
static TEN_FIFTHS: OtherWay = OtherWay {
    word: "ten",
    summary: "offer ten fifth stones, without a swap",
    exchanges: false,
    steps: &[Offer(OfferCount::Fixed(10)), Keep],
};

/// Returns the first two stones of `swap` and `swap2`: near the edge, where Black has the least
/// space.
fn first_stones(grid: Grid) -> Vec<Point> {
    let column = grid.width() / 2;
    let first = grid.point_from_top(column, 1.min(grid.height() - 1));
    let second = grid.point_from_top((column + 1).min(grid.width() - 1), 0);
    first.into_iter().chain(second).collect()
}

#[cfg(test)]
mod tests;
