//! Records that were changed do not fit their games.

use super::*;
use crate::config::ResignRule;
use crate::record::{GameEnd, MoveNote, ProofNote};

/// Changes a record.
type Change = fn(&mut GameRecord);

/// A game of a match with a clock, and its plan.
fn played(change: impl FnOnce(&mut RunRules)) -> (Match, GameRecord, Plan) {
    let mut game = Match::with(|| good(3), clock("1+0"), change);
    let GameOutcome::Finished(record) = game.play() else { panic!() };
    let fixture = Fixture { id: 0, round: 0, encounter: 0, players: [0, 1] };
    let plan = Plan {
        fixture,
        opening_number: 0,
        opening: Opening::default(),
        started: String::new(),
        options: Default::default(),
    };
    (game, *record, plan)
}

fn end(kind: EndKind) -> GameEnd {
    GameEnd { kind, text: String::new() }
}

#[test]
fn a_changed_record_is_refused() {
    let (game, record, plan) = played(|_| {});
    assert_eq!(replay(&game.runner, &record, &plan), Ok(()));
    let changes: [(&str, Change); 20] = [
        ("illegal", |record| record.moves[6] = "a9".into()),
        ("column", |record| record.moves[1] = "nonsense".into()),
        ("not those of a game", |record| record.moves[0] = "A1".into()),
        ("by the rules it ends 1-0", |record| record.score = GameScore::Second),
        ("by the rules it ends 1-0", |record| record.end.kind = EndKind::FullBoard),
        ("by the rules it ends 1-0", |record| record.end.text = "crashed".into()),
        ("notes about 6", |record| drop(record.notes.pop())),
        ("cannot end 1-0 by \"line\"", |record| {
            record.moves.pop();
            record.notes.pop();
        }),
        ("goes on after its end", |record| {
            record.moves.push("b4".into());
            record.notes.push(MoveNote::default());
        }),
        ("another opening", |record| record.opening_plies = 1),
        ("another opening", |record| record.opening_plies = 99),
        ("another opening", |record| record.opened.acts.push("swap".into())),
        ("another opening", |record| record.opened.rule = Some("swap2".into())),
        ("another starting position", |record| record.start = Some("x".into())),
        ("another engine moved first", |record| record.players = [1, 0]),
        ("clock", |record| record.notes[2].left_millis = Some(5000)),
        ("clock", |record| record.notes[2].left_millis = None),
        ("longer than the game", |record| record.notes[2].micros = 900_000_000),
        ("no score", |record| record.notes[2].said.score = Some("\u{1b}[2J".into())),
        ("notes about 7", |record| record.moves.clear()),
    ];
    for (why, change) in changes {
        let mut changed = record.clone();
        change(&mut changed);
        let found = replay(&game.runner, &changed, &plan).unwrap_err();
        assert!(found.contains(why), "{why}: {found}");
    }
}

#[test]
fn an_end_that_the_rules_do_not_know_must_be_possible() {
    let (game, mut record, plan) = played(|_| {});
    record.moves.pop();
    record.notes.pop();
    let mut ends = |kind, score| {
        (record.end, record.score) = (end(kind), score);
        replay(&game.runner, &record, &plan).is_ok()
    };
    // The first player is to move.
    for kind in [EndKind::Illegal, EndKind::Resign, EndKind::Time] {
        assert!(ends(kind, GameScore::Second) && !ends(kind, GameScore::First), "{kind:?}");
        assert!(!ends(kind, GameScore::Draw), "{kind:?}");
    }
    for kind in [EndKind::Crash, EndKind::Stall, EndKind::Memory, EndKind::Flood] {
        assert!(ends(kind, GameScore::First) && !ends(kind, GameScore::Draw), "{kind:?}");
    }
    use EndKind::{DrawScores, Forbidden, FullBoard, Length, NoMove, Proof};
    for kind in [FullBoard, NoMove, Forbidden, DrawScores, Length, Proof] {
        assert!(!ends(kind, GameScore::Draw) && !ends(kind, GameScore::First), "{kind:?}");
    }
}

#[test]
fn ends_by_scores_are_counted_again() {
    let resign = ResignRule { move_count: 1, score: 5, two_sided: false };
    let (game, record, plan) = played(|rules| rules.config.max_moves = Some(2));
    assert_eq!(record.end.kind, EndKind::Length);
    let mut changed = record.clone();
    (changed.end, changed.score) = (end(EndKind::Resign), GameScore::First);
    assert!(replay(&game.runner, &changed, &plan).is_err());
    let (game, mut record, plan) = played(|rules| rules.config.resign = Some(resign));
    record.notes[1].said.score = Some("-9.00".into());
    assert!(replay(&game.runner, &record, &plan).unwrap_err().contains("goes on"));
    // A proof counts only where games may end by proof.
    let note = ProofNote {
        ply: 6,
        score: GameScore::First,
        plies: None,
        by: "solver".into(),
        tree: None,
        played_on: false,
    };
    let (game, mut record, plan) = played(|_| {});
    record.moves.pop();
    record.notes.pop();
    (record.end, record.proof) = (end(EndKind::Proof), Some(note));
    assert!(replay(&game.runner, &record, &plan).is_err());
}

/// A machine says by how much it scaled the clocks, where the run asks for that and only there.
#[test]
fn scaled_clocks_are_checked_by_their_factor() {
    let scaled = |rules: &mut RunRules| {
        rules.players.iter_mut().for_each(|player| player.time = player.time.scaled(Some(2.0)));
    };
    let (game, mut record, plan) = played(scaled);
    let (_, board) = game.runner.checked_by();
    let check = |record: &GameRecord, scale_nps| {
        let mut rules =
            rules("cfour", vec![player("one", clock("1+0")), player("two", clock("1+0"))]);
        rules.config.scale_nps = scale_nps;
        Replay::new(rules.into(), None).check(record, &plan, board.duplicate()).map(drop)
    };
    assert!(check(&record, Some(1000)).unwrap_err().contains("were not scaled"));
    record.clock_scale = Some(2.0);
    assert_eq!(check(&record, Some(1000)), Ok(()));
    assert!(check(&record, None).unwrap_err().contains("scaled by 2"));
    record.clock_scale = Some(3.0);
    assert!(check(&record, Some(1000)).unwrap_err().contains("its clock does not fit"));
    record.clock_scale = Some(1e9);
    assert!(check(&record, Some(1000)).is_err());
}
