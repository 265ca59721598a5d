//! Games of Gomocup engines, and the Swap2 opening.

use tengen_engine::opening::{Act, Decision};

use super::*;

/// Creates a Gomocup engine that puts its stones side by side in row `row`.
fn gomocup(row: u32) -> Engine {
    let mut next = 0;
    let mut in_board = false;
    Box::new(move |line| {
        if line.starts_with("START") {
            next = 0;
        }
        if let Some(actions) = handshake(line) {
            return actions;
        }
        in_board = (in_board || line == "BOARD") && line != "DONE";
        let asked = line == "BEGIN" || line.starts_with("TURN") || line == "DONE";
        if asked && !in_board {
            next += 1;
            return say(&format!("{},{row}", next - 1));
        }
        Vec::new()
    })
}

#[test]
fn two_gomocup_engines_follow_the_game_move_by_move() {
    let time = clock("3+0");
    let mut players = vec![player("one", time), player("two", time)];
    for player in &mut players {
        player.proto = Proto::Gomocup;
    }
    let rules = rules("gomokufreestyle", players);
    let board = CATALOG.position(&rules.spec);
    let mut script = Script::new(Box::new(|name| gomocup(if name == "one" { 3 } else { 9 })));
    let mut runner = GameRunner::new(rules, board);
    let mut plan = Plan {
        fixture: Fixture { id: 0, round: 0, encounter: 0, players: [0, 1] },
        opening_number: 0,
        opening: Opening::default(),
        started: String::new(),
        options: Default::default(),
    };
    let GameOutcome::Finished(record) = runner.play(&mut script, &task(&plan)) else { panic!() };
    assert_eq!((record.score, record.end.kind), (GameScore::First, EndKind::Line));
    assert_eq!(record.moves[..3], ["a12", "a6", "b12"]);
    let log = script.log.join("\n");
    for part in ["0 BEGIN", "1 INFO time_left 3000\n1 TURN 0,3", "0 TURN 0,9", "1 INFO rule 0"] {
        assert!(log.contains(part), "{part}: {log}");
    }
    assert!(!log.contains("BOARD"));
    // After an opening, the board is sent once.
    let spec = spec("gomokufreestyle");
    let mut board = CATALOG.position(&spec);
    for mv in ["h8", "i9", "j10"] {
        board.play_text(mv).unwrap();
    }
    plan.opening.moves = board.played().to_vec();
    plan.fixture.id = 1;
    script.log.clear();
    let GameOutcome::Finished(record) = runner.play(&mut script, &task(&plan)) else { panic!() };
    assert_eq!((record.opening_plies, record.score), (3, GameScore::Second));
    let log = script.log.join("\n");
    assert!(log.contains("1 BOARD\n1 7,7,2\n1 8,6,1\n1 9,5,2\n1 DONE"), "{log}");
    assert!(log.contains("0 BOARD\n0 7,7,1\n0 8,6,2\n0 9,5,1\n0 0,9,2\n0 DONE"), "{log}");
    assert_eq!(log.matches("BOARD").count(), 2);
}

/// Creates a Gomocup engine with an answer to Swap2 for each number of stones. Then it plays in row
/// `row`.
fn swapping(row: u32, answers: &'static [(usize, &'static str)]) -> Engine {
    let mut plays = gomocup(row);
    let mut stones = None;
    Box::new(move |line| {
        if line == "SWAP2BOARD" {
            stones = Some(0);
            return Vec::new();
        }
        let Some(count) = &mut stones else { return plays(line) };
        if line != "DONE" {
            *count += 1;
            return Vec::new();
        }
        let answer = answers.iter().find(|(known, _)| known == count);
        stones = None;
        vec![Action::Say(20, answer.map_or_else(String::new, |(_, text)| (*text).to_owned()))]
    })
}

/// Plays a game that begins with Swap2. Each engine plays in its own row.
fn swap2(
    one: &'static [(usize, &'static str)],
    two: &'static [(usize, &'static str)],
    proto_of_two: Proto,
) -> GameRecord {
    let mut players = vec![player("one", clock("3+0")), player("two", clock("3+0"))];
    players[0].proto = Proto::Gomocup;
    players[1].proto = proto_of_two;
    let rules = rules("gomokufreestyle", players);
    let board_spec = rules.spec.clone();
    let board = CATALOG.position(&board_spec);
    let mut script = Script::new(Box::new(move |name| match name {
        "one" => swapping(3, one),
        _ => swapping(13, two),
    }));
    let mut runner = GameRunner::new(rules, board);
    let decision = Decision { acts: vec![Act::Swap], then: None };
    let rule = CATALOG.opening_rule(&board_spec, "swap2").unwrap();
    let decider = Box::new(move |_: &_, _| Some(decision.clone()));
    runner.opening = Some(OpeningPlay { rule, decider });
    let plan = Plan {
        fixture: Fixture { id: 0, round: 0, encounter: 0, players: [0, 1] },
        opening_number: 0,
        opening: Opening::default(),
        started: String::new(),
        options: Default::default(),
    };
    match runner.play(&mut script, &task(&plan)) {
        GameOutcome::Finished(record) => {
            assert_eq!(replay(&runner, &record, &plan), Ok(()), "{record:?}");
            *record
        }
        other => panic!("{other:?}"),
    }
}

fn task(plan: &Plan) -> Task<Plan> {
    Task { id: plan.fixture.id, attempt: 0, work: plan.clone() }
}

/// The proposal of three stones on the empty board.
const PROPOSAL: (usize, &str) = (0, "7,7 8,7 9,9");

#[test]
fn players_choose_their_sides_in_swap2() {
    let swapped = swap2(&[PROPOSAL], &[(3, "SWAP")], Proto::Gomocup);
    assert_eq!((swapped.players, swapped.opening_plies), ([1, 0], 3));
    assert_eq!(swapped.moves[..4], ["h8", "i8", "j6", "a12"]);
    assert_eq!(swapped.opened.course, ["one places h8 i8 j6", "two swaps"]);
    assert_eq!(swapped.opened.acts.join(" "), "h8 i8 j6 swap");
    // White moves first after three stones, and completes five in a row first.
    assert_eq!((swapped.score, swapped.first_to_note()), (GameScore::Second, 1));
    // The decision was on the clock.
    assert_eq!(swapped.notes[0].left_millis, Some(2980));

    let stays = swap2(&[PROPOSAL], &[(3, "0,0")], Proto::Gomocup);
    assert_eq!((stays.players, stays.opening_plies), ([0, 1], 4));
    let back = swap2(&[PROPOSAL, (5, "SWAP")], &[(3, "0,0 14,0")], Proto::Gomocup);
    assert_eq!((back.players, back.opening_plies), ([0, 1], 5));
    let over = swap2(&[PROPOSAL, (5, "0,14")], &[(3, "0,0 14,0")], Proto::Gomocup);
    assert_eq!((over.players, over.opening_plies), ([1, 0], 6));
    assert_eq!(
        over.opened.course[1..],
        ["two chooses two, places a15 o15", "one keeps the colour"]
    );
}

#[test]
fn a_bad_answer_in_swap2_loses_and_is_quoted() {
    for (answer, text) in [
        ("7,7 8,7", "answered SWAP2BOARD with \"7,7 8,7\""),
        ("SWAP", "answered SWAP2BOARD with \"swap\""),
        ("7,7 8,7 7,7", "answered SWAP2BOARD with the stone \"7,7\""),
        ("7,7 8,7 99,9", "answered SWAP2BOARD with the stone \"99,9\""),
    ] {
        let answers: &'static [(usize, &'static str)] = Box::leak(Box::new([(0, answer)]));
        let record = swap2(answers, &[], Proto::Gomocup);
        assert_eq!((record.score, record.end.kind), (GameScore::Second, EndKind::Illegal));
        assert_eq!(record.end.text, text);
    }
}

#[test]
fn a_search_decides_in_swap2_for_engines_that_cannot_be_asked() {
    let record = swap2(&[PROPOSAL], &[], Proto::Uci);
    assert_eq!(record.opened.course[1], "two swaps by a search of the arena");
    assert_eq!(record.players, [1, 0]);
}

/// Creates an engine like [`gomocup`] that writes its moves in the form `write`.
fn writing(row: u32, write: impl Fn(&str) -> String + 'static) -> Engine {
    let mut plays = gomocup(row);
    Box::new(move |line| {
        let actions = plays(line).into_iter();
        let actions = actions.map(|action| match action {
            Action::Say(after, text) if text.starts_with(|c: char| c.is_ascii_digit()) => {
                Action::Say(after, write(&text))
            }
            other => other,
        });
        actions.collect()
    })
}

/// Plays a game of an engine that writes its moves in the form `write`, and moves first.
fn written(time: TimeControl, write: impl Fn(&str) -> String + Clone + 'static) -> GameRecord {
    let mut players = vec![player("one", time), player("two", time)];
    for player in &mut players {
        player.proto = Proto::Gomocup;
    }
    let rules = rules("gomokufreestyle", players);
    let board = CATALOG.position(&rules.spec);
    let mut script = Script::new(Box::new(move |name| match name {
        "one" => writing(3, write.clone()),
        _ => gomocup(9),
    }));
    let plan = Plan {
        fixture: Fixture { id: 0, round: 0, encounter: 0, players: [0, 1] },
        opening_number: 0,
        opening: Opening::default(),
        started: String::new(),
        options: Default::default(),
    };
    let outcome = GameRunner::new(rules, board).play(&mut script, &task(&plan));
    let GameOutcome::Finished(record) = outcome else { panic!("{outcome:?}") };
    *record
}

#[test]
fn moves_are_read_as_engines_write_them() {
    for form in ["X, Y", "X,Y text", "(X,Y)", " X ,Y", "[X, Y] score 5"] {
        let record = written(clock("3+0"), move |text| {
            let (x, y) = text.split_once(',').unwrap();
            form.replace('X', x).replace('Y', y)
        });
        assert_eq!((record.score, record.end.kind), (GameScore::First, EndKind::Line), "{form}");
    }
}

#[test]
fn an_answer_that_cannot_be_read_is_quoted() {
    let nodes = TimeControl { nodes: Some(1000), ..TimeControl::default() };
    for line in ["ERROR no idea", "UNKNOWN command", "bestmuve foo", "7;7", "h8"] {
        for (time, kind) in [(clock("3+0"), EndKind::Time), (nodes, EndKind::Stall)] {
            let record = written(time, move |_| line.to_owned());
            assert_eq!((record.score, record.end.kind), (GameScore::Second, kind), "{line}");
            let quoted = format!("; it answered \"{line}\"");
            assert!(record.end.text.ends_with(&quoted), "{}", record.end.text);
            assert!(record.warnings.iter().any(|warning| warning.line == line), "{record:?}");
        }
    }
}
