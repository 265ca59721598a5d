//! Reasons for bad moves. The findings are given, so only the facts that a replay shows are tested here;
//! `lab/reasons.py` checks the reasons of played games with rules of its own.

use tengen_engine::backend::Catalog;
use tengen_engine::{Chosen, Position, Score, Side, Style, Wdl};
use tengen_games::CATALOG;
use tengen_protocol::judge::language::{Language, Stones};
use tengen_protocol::judge::reason::{KeyKind, Means, Reason, ReasonKind};
use tengen_protocol::judge::review::{Finding, GameJudge};

const EVEN: Score = Score::DRAW;

/// Plays moves in a new game.
fn played(variant: &str, moves: &str) -> Box<dyn Position> {
    let spec = CATALOG.describe(variant, &Chosen::new()).expect("a variant of the catalogue");
    let mut position = CATALOG.position(&spec);
    let moves: Vec<&str> = moves.split_whitespace().collect();
    position.play_all(&moves).unwrap_or_else(|error| panic!("{moves:?}: {error}"));
    position
}

/// Returns the finding of a position with this score and this line.
fn finding(position: &dyn Position, score: Score, line: &str) -> Finding {
    let wdl = match score {
        score if score.is_win() => Wdl::WON,
        score if score.is_loss() => Wdl::LOST,
        _ => Wdl::DRAWN,
    };
    let (turn, from) = (position.turn(), position.played().len());
    let line: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let mut end = position.duplicate();
    end.play_all(&line.iter().map(String::as_str).collect::<Vec<_>>()).expect("a legal line");
    Finding { turn, score, wdl, is_drawn: false, line, moves: end.played()[from..].to_vec() }
}

/// Returns why the last of `moves` is bad, and the words. `before` and `after` are the scores and lines found.
fn reason(
    variant: &str,
    moves: &str,
    before: (Score, &str),
    after: (Score, &str),
) -> (Reason, String) {
    let last = played(variant, moves);
    let mut start = last.duplicate();
    start.undo();
    let mut judge = GameJudge::new(&*last, Style::Plain, &CATALOG).explain_all(true);
    let count = last.played().len();
    for turn in 0..count - 1 {
        let mut position = last.duplicate();
        position.undo_to(turn);
        judge.add(turn, finding(&*position, EVEN, ""));
    }
    judge.add(count - 1, finding(&*start, before.0, before.1));
    judge.add(count, finding(&*last, after.0, after.1));
    let judged = judge.judged().last().expect("a judged move");
    let reason = judged.reason.as_deref().expect("every move has a reason").clone();
    let stones = Stones::of(last.spec());
    for language in Language::ALL {
        let text = language.reason(&reason, &judged.mv, stones);
        assert!(!text.is_empty() && !text.contains('{'), "{language:?}: {text}");
    }
    let text = Language::En.reason(&reason, &judged.mv, stones);
    (reason, text)
}

#[test]
fn a_three_and_a_four_that_are_left_are_named_with_their_points() {
    let lost = (Score::win_in(5), "k8");
    let (three, text) = reason("gomokufreestyle", "h8 a1 i8 c1 j8 e1", (EVEN, ""), lost);
    assert_eq!((three.kind, three.side), (ReasonKind::LeavesThree, Side::First));
    assert_eq!(
        text,
        "e1 leaves an open three: Black makes an open four on g8, k8. g8 or k8 would have stopped it."
    );
    let moves = "h8 a1 i8 c1 j8 g8 k8 e1";
    let (four, text) = reason("gomokufreestyle", moves, (EVEN, ""), (Score::win_in(1), "l8"));
    assert_eq!((four.kind, four.by), (ReasonKind::LeavesFour, Some(Means::AtOnce)));
    assert_eq!(text, "Black threatened to win at once on l8, and e1 does not stop it.");
    let won = (Score::win_in(1), "l8");
    let moves = format!("{moves} o15");
    let (missed, text) = reason("gomokufreestyle", &moves, won, (EVEN, ""));
    assert_eq!((missed.kind, missed.is_refutation()), (ReasonKind::MissesWin, false));
    assert_eq!(text, "l8 wins at once.");
}

#[test]
fn a_proven_draw_is_told_as_one() {
    let moves = "d1 d2 d3 d4 d5 b1 c1 c2 e1 f1 b2";
    let last = played("cfour", moves);
    let judged = |before, is_drawn| {
        let mut judge = GameJudge::new(&*last, Style::Plain, &CATALOG).explain_all(true);
        for turn in 0..=11 {
            let mut position = last.duplicate();
            position.undo_to(turn);
            let score = if turn == 10 { before } else { EVEN };
            let found = finding(&*position, score, "");
            judge.add(turn, Finding { is_drawn: is_drawn && turn == 11, ..found });
        }
        let judged = judge.judged().last().expect("a judged move");
        let reason = judged.reason.as_deref().expect("every move has a reason");
        (reason.kind, Language::En.reason(reason, &judged.mv, Stones::of(last.spec())))
    };
    let (kind, text) = judged(Score::heuristic(300), true);
    assert_eq!((kind, &*text), (ReasonKind::Draws, "After b2, the game is a draw, by proof."));
    let (kind, text) = judged(Score::win_in(15), true);
    let missed = "Red had a proven win; moves: 8. After b2, the game is a draw, by proof.";
    assert_eq!((kind, &*text), (ReasonKind::MissesWin, missed));
    // A score of 0 alone proves nothing.
    assert_eq!(judged(EVEN, false), (ReasonKind::Quiet, "No forced win is known.".to_owned()));
}

#[test]
fn no_point_is_said_to_stop_two_wins_and_a_loss_before_the_move_is_told() {
    let said = |variant, moves, after| reason(variant, moves, (EVEN, ""), after);
    // White's four is open: j8 would be forbidden, and stops nothing.
    let renju = "j6 f8 j7 g8 k9 h8 l10 i8 e8";
    let (open, text) = said("renju", renju, (Score::win_in(1), "j8"));
    assert_eq!((open.kind, open.rule, open.stops.len()), (ReasonKind::LeavesFour, "", 0));
    assert_eq!(text, "White threatened to win at once on e8, j8: no move stops all of them.");
    // d4 stops one of two, and opens d5.
    let falling =
        "a1 a2 f1 g1 b1 d1 e1 g2 c1 e2 f2 e3 f3 f4 f5 c2 g3 b2 d2 b3 b4 c3 d3 c4 c5 e4 d4";
    let (open, text) = said("cfour", falling, (Score::win_in(1), "e5"));
    assert_eq!((open.kind, open.stops.len()), (ReasonKind::LeavesFour, 0), "{text}");
    assert_eq!(text, "Yellow threatened to win at once on d4, e5: no move stops all of them.");
    let lost = (Score::loss_in(28), "");
    let (was_lost, text) = reason("cfour", "d1 d2 d3 d4 d5 b1 c1 c2 e1 f1 b2", lost, (EVEN, ""));
    assert_eq!((was_lost.kind, was_lost.plies), (ReasonKind::WasLost, Some(28)));
    assert_eq!(text, "The position before the move was lost already, by a proof.");
}

#[test]
fn a_win_by_fours_is_told_with_its_fork_and_the_points_that_stop_it() {
    let moves = "g8 h8 k12 i8 a1 j8 c3 k9 e1 k10 a5 k11 o1";
    let refuted = (Score::win_in(3), "k8 l8 k7");
    let (reason, text) = reason("gomokufreestyle", moves, (EVEN, ""), refuted);
    assert_eq!((reason.kind, reason.by), (ReasonKind::AllowsWin, Some(Means::Fours)));
    let key = reason.key.as_ref().expect("a fork decides");
    assert_eq!((key.kind, key.threats.len()), (KeyKind::TwoPoints, 2));
    assert_eq!(
        text,
        "After o1, White wins by fours; moves: 2. k8 l8 k7. k8 threatens to win on k7, l8: only one can be stopped. \
         k7, k8 or l8 would have stopped the fours."
    );
}

#[test]
fn a_forbidden_move_and_a_forbidden_answer_are_named_with_their_rule() {
    // h8 makes two fours.
    let moves = "h7 a1 h6 a3 h5 a5 g8 a7 f8 a9 e8 a11 h8";
    let (own, text) = reason("renju", moves, (EVEN, ""), (Score::win_in(0), ""));
    assert_eq!((own.kind, own.rule), (ReasonKind::Forbidden, "double-four"));
    assert_eq!(text, "h8 is forbidden (double-four: e8-h8, h5-h8), and loses.");
    // h8 makes two threes. White needs it for a five.
    let needed = "g8 f6 i8 g7 h7 i9 h9 j10 o1";
    let (left, text) = reason("renju", needed, (EVEN, ""), (Score::win_in(1), "h8"));
    assert_eq!(
        (left.kind, left.rule, &left.stops[..]),
        (ReasonKind::LeavesFour, "double-three", &[][..])
    );
    assert_eq!(left.lines.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3]);
    assert_eq!(
        text,
        "White threatened to win at once on h8, and o1 does not stop it. Only h8 would stop it, and that is forbidden \
         (double-three: g8-i8, h7-h9)."
    );
    let (_, text) =
        reason("renju", "h3 a1 h4 a2 h5 b1 h7 c5 h8 d1 h6", (EVEN, ""), (Score::win_in(0), ""));
    assert_eq!(text, "h6 is forbidden (overline: h3-h8), and loses.");
}

#[test]
fn a_good_move_says_how_it_wins_or_that_nothing_is_proven() {
    let lost = (Score::loss_in(2), "g8 l8");
    let (wins, text) = reason("gomokufreestyle", "h8 a1 i8 c1 j8 e1 k8", (EVEN, ""), lost);
    assert_eq!(
        (wins.kind, wins.by, wins.is_refutation()),
        (ReasonKind::Wins, Some(Means::Fours), false)
    );
    assert_eq!(
        text,
        "k8 wins by fours; moves: 2. k8 g8 l8. k8 threatens to win on g8, l8: only one can be stopped."
    );
    let (won, text) = reason(
        "gomokufreestyle",
        "h8 a1 i8 c1 j8 e1 k8 g8 l8",
        (EVEN, ""),
        (Score::loss_in(0), ""),
    );
    assert_eq!((won.kind, text.as_str()), (ReasonKind::Wins, "l8 wins at once."));
    let (_, text) = reason("gomokufreestyle", "h8 i9", (EVEN, ""), (EVEN, ""));
    assert_eq!(text, "No forced win is known.");
}

#[test]
fn a_proven_win_of_four_in_a_row_names_the_threat_that_zugzwang_gives() {
    let (had, text) = reason("cfour", "b b b c c d c d d g", (EVEN, ""), (Score::win_in(19), ""));
    let hold = had.hold.expect("a3 and e3 are held");
    assert_eq!((hold.point.to_string().as_str(), hold.made_by), ("a3", None));
    let rule = "when the other columns are full, the opponent has to play below it.";
    assert_eq!(
        text,
        format!("After g1, Red has a proven win; moves: 10. Red has an odd threat on a3: {rule}")
    );
    let (_, text) = reason("cfour", "b b b c c d c d", (EVEN, ""), (Score::win_in(21), "d3"));
    assert_eq!(
        text,
        format!("After d2, Red has a proven win; moves: 11. d3 makes an odd threat on a3: {rule}")
    );
    // Not zugzwang, but a threat wins: d4 threatens d5, and then d6.
    let moves = "d f g c e g c f a c c d e f f d e e f g e c f c g g a e g b b b a a b b a";
    let (stacked, text) = reason("cfour", moves, (EVEN, ""), (Score::win_in(5), "b6 a6 d4 d5 d6"));
    let key = stacked.key.as_ref().expect("two points decide");
    assert_eq!((key.kind, stacked.hold), (KeyKind::Stacked, None));
    assert!(
        text.ends_with(
            "d4 threatens to win on d5, d6, one above the other: only one can be stopped."
        )
    );
    // Without a proof the rule says nothing.
    let (quiet, _) = reason("cfour", "b b b c c d c d d g", (EVEN, ""), (Score::heuristic(50), ""));
    assert_eq!((quiet.kind, quiet.hold), (ReasonKind::Quiet, None));
}

#[test]
fn four_in_a_row_has_reasons_of_its_own() {
    let moves = "a a b b g c g c d";
    let (below, text) = reason("cfour", moves, (EVEN, ""), (Score::win_in(1), "d2"));
    assert_eq!((below.kind, below.side), (ReasonKind::PutsBelow, Side::Second));
    assert_eq!(text, "d1 puts a stone under d2, where Yellow wins at once.");
    // Yellow itself plays under its own threat.
    let moves = "a a b b g c g c f d";
    let (given, text) = reason("cfour", moves, (Score::win_in(9), "a"), (EVEN, "d2"));
    assert_eq!(given.kind, ReasonKind::GivesUpThreat, "{text}");
    assert_eq!(text, "d1 lets the opponent take d2: Yellow loses an even threat.");
}

#[test]
fn without_a_proof_the_words_say_so() {
    let won = (Score::win_in(9), "");
    let (missed, text) = reason("gomokufreestyle", "h8 i9 g7", won, (EVEN, ""));
    assert_eq!((missed.kind, missed.by), (ReasonKind::MissesWin, None));
    assert_eq!(text, "Black had a proven win; moves: 5.");
    let quiet = Reason { kind: ReasonKind::Quiet, ..missed };
    let text = Language::En.reason(&quiet, "g7", Stones::Laid);
    assert_eq!(text, "No forced win is known; by evaluation 50 % less.");
}
