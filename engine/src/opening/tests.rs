//! Tests of the ranking of moves and of equal offers.

use super::*;
use crate::search::level::Strength;
use crate::text::coords::Grid;

fn grid() -> Grid {
    Grid::new(15, 15).unwrap()
}

fn points(names: &str) -> Vec<Point> {
    names.split_whitespace().map(|name| name.parse().unwrap()).collect()
}

fn report(depth: u32, score: i32, names: &str) -> Report<Move> {
    let notation = GridNotation::new(grid(), false);
    let pv = points(names).into_iter().map(|point| notation.move_to(point)).collect();
    Report { depth, pv, ..Report::blank(Score::heuristic(score), None) }
}

fn answer(best: &str) -> Answer<Move> {
    let notation = GridNotation::new(grid(), false);
    let mut answer = Answer::blank(Score::heuristic(0), None);
    answer.best = points(best).first().map(|point| notation.move_to(*point));
    answer
}

#[test]
fn the_score_of_the_iteration_before_is_kept_with_the_last() {
    let mut ranking = MoveRanking::default();
    for (depth, score) in [(5, -90), (5, -80), (6, 70)] {
        ranking.note(&report(depth, score, "h8 i8"));
    }
    ranking.note(&report(6, 3, "a1"));
    let ranked = ranking.ranked(&answer("h8"), GridNotation::new(grid(), false), 2);
    assert_eq!(ranked.len(), 2);
    assert_eq!(
        (ranked[0].score, ranked[0].before),
        (Score::heuristic(70), Some(Score::heuristic(-80)))
    );
    assert_eq!(ranked[0].value(), -5);
    assert_eq!(ranked[0].reply, points("i8").first().copied());
    assert_eq!((ranked[1].reply, ranked[1].before), (None, None));
}

#[test]
fn moves_that_left_the_ranking_are_dropped() {
    let mut ranking = MoveRanking::default();
    for (depth, score, name) in [(4, 300, "a1"), (5, 20, "h8"), (5, 10, "i9")] {
        ranking.note(&report(depth, score, name));
    }
    let notation = GridNotation::new(grid(), false);
    let names = |lines| -> Vec<String> {
        let ranked = ranking.ranked(&answer("h8"), notation, lines);
        ranked.iter().map(|ranked| ranked.point.to_string()).collect()
    };
    assert_eq!(names(2), ["h8", "i9"]);
    assert_eq!(names(3), ["a1", "h8", "i9"]);
}

#[test]
fn equal_points_follow_the_symmetry_of_the_stones() {
    let equal = |stones: &str, point: &str| {
        let (stones, point) = (points(stones), points(point)[0]);
        let all: Vec<Point> = grid().all().map(|cell| grid().point(cell)).collect();
        let mut found: Vec<String> = all
            .into_iter()
            .filter(|other| symmetry::equal_point(&stones, &[*other], point, grid()).is_some())
            .map(|point| point.to_string())
            .collect();
        found.sort();
        found.join(" ")
    };
    // The official example: D8 and a fourth stone below make two axes, one of them between the rows 7
    // and 8.
    assert_eq!(equal("h8 h9 h7 h6", "g8"), "g7 g8 i7 i8");
    assert_eq!(equal("h8 h9 h7 h6", "h10"), "h10 h5");
    assert_eq!(equal("h8 h9 h7 g6", "g8"), "g8");
    // On the empty board the axes are those of the board.
    assert_eq!(equal("", "a2"), "a14 a2 b1 b15 n1 n15 o14 o2");
    assert_eq!(
        symmetry::distinct(
            &[],
            &grid().all().map(|cell| grid().point(cell)).collect::<Vec<_>>(),
            grid()
        )
        .len(),
        36
    );
}

const STONE: OpeningStep = OpeningStep::Place(Actor::Player(0), Area::Board);

/// Three stones, a swap, a fourth stone, two offers.
static RULE: OpeningRule = OpeningRule {
    name: "offers",
    aliases: &[],
    title: "offers",
    summary: "",
    steps: &[
        STONE,
        STONE,
        STONE,
        OpeningStep::MaySwap(None),
        OpeningStep::Place(Actor::ToMove, Area::Board),
        OpeningStep::Offer(OfferCount::Fixed(2)),
        OpeningStep::Keep,
    ],
    board: BoardNeed::Points(25),
    even: 0,
    first_stones: None,
};

/// Returns the decision after `acts`, if `score` is the score of a move for its side after a number
/// of stones. Checks that the searches share the limits.
fn decide(acts: &str, strength: &Strength, score: fn(usize, Point) -> i32) -> String {
    let notation = GridNotation::new(grid(), false);
    let mut course = Course::new(&RULE, grid());
    for text in acts.split_whitespace() {
        course.act(course.read(text).unwrap()).unwrap();
    }
    let mut chooser = Chooser::new(course.clone(), strength);
    let mut share = 0.0;
    loop {
        let search = match chooser.choice() {
            Choice::Search(search) => search,
            Choice::Decided(decision) => {
                assert!(share <= 1.0001, "{share}");
                let texts: Vec<String> =
                    decision.acts.iter().map(|act| course.write(*act)).collect();
                return texts.join(" ");
            }
        };
        assert!(search.share > 0.02, "{search:?}");
        share += search.share;
        let all = grid().all().map(|cell| grid().point(cell));
        let mut moves: Vec<Point> = match search.moves.is_empty() {
            true => all.filter(|point| !search.stones.contains(point)).collect(),
            false => search.moves.clone(),
        };
        let value = |point: &Point| score(search.stones.len(), *point);
        moves.sort_by_key(|point| std::cmp::Reverse(value(point)));
        let mut ranking = MoveRanking::default();
        for point in moves.iter().take(search.lines) {
            ranking.note(&report(5, value(point), &point.to_string()));
        }
        chooser.add_result(&ranking, &answer(&moves[0].to_string()), notation);
    }
}

/// One fifth is very good for Black, all others are bad.
fn one_good_fifth(stones: usize, point: Point) -> i32 {
    let is_best = point.to_string() == "g8";
    match stones {
        3 => {
            if is_best {
                -500
            } else {
                -600
            }
        }
        4 => {
            if is_best {
                500
            } else {
                -80 - point.row as i32
            }
        }
        _ => 0,
    }
}

#[test]
fn two_offers_are_worth_the_second_best_fifth() {
    let full = Strength::default();
    // White is to move. Without the offers, White would be lost.
    let decision = decide("h8 h9 i9", &full, one_good_fifth);
    assert!(decision.starts_with("stay "), "{decision}");
    let lost = |stones, point: Point| match stones {
        4 => 100 + point.row as i32,
        _ => -100,
    };
    assert_eq!(decide("h8 h9 i9", &full, lost), "swap");
}

#[test]
fn black_offers_the_best_fifths_and_white_keeps_the_worst() {
    let full = Strength::default();
    let fifths = |_, point: Point| match point.to_string().as_str() {
        "g7" => 90,
        "j8" => 80,
        _ => -50,
    };
    assert_eq!(decide("h8 h9 i9 stay k7", &full, fifths), "g7 j8");
    assert_eq!(decide("h8 h9 i9 stay k7 g7 j8", &full, fifths), "j8");
}

#[test]
fn steps_without_a_search_leave_the_limits_to_the_others() {
    let stones = decide("", &Strength::default(), |_, point| point.column as i32 - 7);
    assert_eq!(stones.split(' ').count(), 3, "{stones}");
}

#[test]
fn a_weaker_level_decides_worse() {
    let lost = |stones, _| if stones == 4 { 100 } else { -100 };
    let swaps = |skill: u8| {
        let decisions = (1..40).map(|seed| {
            let strength = Strength::default().with_skill(skill).with_seed(seed);
            decide("h8 h9 i9", &strength, lost)
        });
        decisions.filter(|decision| decision == "swap").count()
    };
    assert_eq!(swaps(Strength::FULL), 39);
    assert!(swaps(0) < 30, "{}", swaps(0));
}
