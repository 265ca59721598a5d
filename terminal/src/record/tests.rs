//! Tests of records: what is written is read again.

use std::time::Duration;

use tengen_engine::Chosen;
use tengen_engine::backend::Catalog;
use tengen_games::CATALOG;

use super::*;
use crate::app::GameSetup;
use crate::command::Command;

const TREE: &str = "(;FF[4]GM[4]SZ[15]RU[renju]PB[One]EV[Cup]C[Start]\n\
    ;B[hh];W[ig]\n(;B[ii]C[a \\] b];W[gg])\n(;B[gi](;W[aa])(;W[bb])))";

fn opened(game: SeatedGame) -> App {
    App::new(GameSetup::of(game), Duration::ZERO)
}

fn written(app: &App) -> String {
    String::from_utf8(write(app).expect("a grid")).expect("UTF-8")
}

/// Returns all moves of a game with their variations in brackets.
fn outline(game: &SeatedGame, from: GameNodeId) -> String {
    let children = game.tree().children(from);
    let parts = children.iter().filter_map(|id| {
        let name = &game.tree().played(*id)?.name;
        Some(format!("{name}{}", outline(game, *id)))
    });
    match children.len() {
        0 => String::new(),
        1 => format!(" {}", parts.collect::<String>()),
        _ => parts.map(|part| format!("({part})")).collect(),
    }
}

#[test]
fn variations_comments_and_names_are_written_and_read_again() {
    let (game, message) = read("a.sgf", TREE.as_bytes(), &CATALOG, None).expect("a record");
    assert_eq!(message, "a.sgf: renju, 4 moves. Opening: I7 Hogetsu 浦月 (Bay Moon).");
    assert_eq!(outline(&game, game.tree().root()), " h8 i9(i7 g9)(g7(a15)(b14))");
    let first = written(&opened(game));
    for part in ["PB[One]", "EV[Cup]", "C[Start]", "C[a \\] b]", "RU[renju]"] {
        assert!(first.contains(part), "{part}: {first}");
    }
    let (game, _) = read("b.sgf", first.as_bytes(), &CATALOG, None).expect("our own record");
    assert_eq!(outline(&game, game.tree().root()), " h8 i9(i7 g9)(g7(a15)(b14))");
    assert_eq!(written(&opened(game)), first);
}

#[test]
fn stones_put_down_and_the_end_are_part_of_a_record() {
    let text = "(;GM[4]SZ[9]RU[gomoku]AB[aa][bb][cc][dd]AW[ab][ac][ad][ae]PL[B];B[ee])";
    let (mut game, _) = read("a.sgf", text.as_bytes(), &CATALOG, None).expect("a record");
    assert_eq!(game.ending(), None);
    game.go_to_end();
    let text = written(&opened(game));
    for part in ["AB[aa][bb][cc][dd]", "PL[B]", "RE[B+]", "B[ee]"] {
        let sorted = part == "AB[aa][bb][cc][dd]" && text.contains("AB[");
        assert!(sorted || text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_resignation_is_a_result() {
    let spec = CATALOG.describe("cfour", &Chosen::new()).expect("a variant");
    let mut app = opened(SeatedGame::new(CATALOG.position(&spec), None));
    app.command(Command::Move("d".into()), Duration::ZERO);
    app.command(Command::Resign, Duration::ZERO);
    let text = written(&app);
    assert!(text.contains("RE[B+R]") && text.contains("RU[cfour]"), "{text}");
}

#[test]
fn a_resumed_game_has_the_same_players() {
    let spec = CATALOG.describe("gomoku", &Chosen::new()).expect("a variant");
    for (_, humans) in Humans::ALL {
        let mut app = opened(SeatedGame::new(CATALOG.position(&spec), None));
        app.command(Command::Move("h8".into()), Duration::ZERO);
        app.command(Command::Level(Some(7)), Duration::ZERO);
        app.command(Command::Humans(humans), Duration::ZERO);
        let (mut game, _) =
            read("a", written(&app).as_bytes(), &CATALOG, None).expect("our own record");
        let level = (humans != Humans::Both).then_some(7);
        assert_eq!(resume(&mut game, None), Resumed { humans, level, time: None });
        assert_eq!(game.tree().ply(), 1);
    }
}

/// Keeps a game in progress and reads it again.
fn kept(app: &App, now: Duration) -> (SeatedGame, Resumed) {
    let bytes = write_kept(app, now).expect("a grid");
    let (mut game, _) = read("a", &bytes, &CATALOG, None).expect("our own record");
    let resumed = resume(&mut game, None);
    (game, resumed)
}

fn say(app: &mut App, lines: &str) {
    for line in lines.split(", ") {
        let command = Command::read(line).expect("a command").expect("not blank");
        app.command(command, Duration::ZERO);
    }
}

fn fresh(variant: &str, swaps: bool) -> App {
    let spec = CATALOG.describe(variant, &Chosen::new()).expect("a variant");
    let rule = swaps.then(|| CATALOG.opening_rule(&spec, "swap2").expect("a rule"));
    opened(SeatedGame::new(CATALOG.position(&spec), rule))
}

#[test]
fn moves_taken_back_are_not_in_the_record() {
    let mut app = fresh("gomoku", false);
    say(&mut app, "h8, i9, j10, undo, undo");
    assert!(written(&app).ends_with("\n;B[hh])\n"), "{}", written(&app));
    say(&mut app, "resign");
    assert!(written(&app).contains("RE[B+R]"), "{}", written(&app));
    let (game, _) = kept(&app, Duration::ZERO);
    assert_eq!(game.ending(), Some(Ending::Resigned(Side::Second)));
    // The result goes with the resignation, and the moves come back with redo.
    say(&mut app, "undo, redo");
    let text = written(&app);
    assert!(!text.contains("RE[") && text.contains("W[ig]"), "{text}");
    say(&mut app, "undo, undo");
    assert_eq!(kept(&app, Duration::ZERO).0.tree().ply(), 0);
}

#[test]
fn a_result_that_the_record_gave_stays_until_the_game_goes_on() {
    for result in ["B+R", "W+T", "B+F", "0", "Void", "W+Time"] {
        let text = format!("(;GM[4]SZ[15]RE[{result}];B[hh];W[ig])");
        let (mut game, _) = read("a", text.as_bytes(), &CATALOG, None).expect("a record");
        let expected = if result == "W+Time" { "W+T" } else { result };
        game.go_to_end();
        let is_over = result.ends_with(['R', 'T', 'e']);
        assert_eq!(game.ending().is_some(), is_over, "{result}");
        let mut app = opened(game);
        assert!(written(&app).contains(&format!("RE[{expected}]")), "{}", written(&app));
        say(&mut app, if is_over { "undo, a1" } else { "a1" });
        assert!(!written(&app).contains("RE["), "{}", written(&app));
    }
}

#[test]
fn a_kept_game_is_continued_where_it_was_left() {
    let mut app = fresh("gomoku", false);
    say(&mut app, "h8, i9, j10, back, back, a1, level 7, play second");
    let (game, resumed) = kept(&app, Duration::ZERO);
    let names: Vec<_> = game
        .tree()
        .line()
        .into_iter()
        .map(|id| &game.tree().played(id).expect("a move").name)
        .collect();
    assert_eq!(names, ["h8", "a1"]);
    assert_eq!(resumed, Resumed { humans: Humans::Second, level: Some(7), time: None });
    // A saved game has no such marks.
    assert!(!written(&app).contains("XU[") && !written(&app).contains("XH["));
}

#[test]
fn a_kept_opening_goes_on() {
    let mut app = fresh("gomoku", true);
    say(&mut app, "h8, i9, j10, more, k11");
    let (game, _) = kept(&app, Duration::ZERO);
    assert_eq!(game.opening(), app.game().opening());
    assert!(!game.has_sides() && game.turn() == app.game().turn());
    say(&mut app, "l12, white");
    let (game, _) = kept(&app, Duration::ZERO);
    assert!(game.has_sides() && game.turn() == app.game().turn());
}

#[test]
fn a_kept_game_has_its_clocks() {
    let seconds = Duration::from_secs;
    let time = Some(TimeControl::Game { base: seconds(60), increment: seconds(5) });
    let spec = CATALOG.describe("gomoku", &Chosen::new()).expect("a variant");
    let setup = |game, time| GameSetup { time, ..GameSetup::of(game) };
    let mut app = App::new(setup(SeatedGame::new(CATALOG.position(&spec), None), time), seconds(0));
    app.command(Command::Move("h8".into()), seconds(10));
    app.command(Command::Move("i9".into()), seconds(30));
    let (game, resumed) = kept(&app, seconds(33));
    assert_eq!(resumed.time, time);
    let again = App::new(setup(game, resumed.time), seconds(100));
    assert_eq!(again.times(seconds(101)), Some([seconds(51), seconds(45)]));
    // Another time control begins anew.
    let (mut game, _) =
        read("a", &write_kept(&app, seconds(33)).expect("a grid"), &CATALOG, None).expect("ours");
    let other = Some(TimeControl::Move(seconds(9)));
    assert_eq!(resume(&mut game, other).time, other);
    let again = App::new(setup(game, other), seconds(0));
    assert_eq!(again.times(seconds(0)), Some([seconds(9); 2]));
    // A loss on time is the end, also after a break.
    app.tick(seconds(100));
    let (game, _) = kept(&app, seconds(100));
    assert_eq!(game.ending(), Some(Ending::Time(Side::First)));
}

#[test]
fn what_cannot_be_played_is_reported_with_its_place() {
    for (text, why) in [
        ("", "a: the file is empty"),
        ("(;GM[4]SZ[15];B[hh];W[hh])", "a: line 1, character 23: move 2 \"hh\": h8 is taken"),
        ("(;GM[1]SZ[9];B[ee])", "a: line 1, character 6: GM[1] is Go"),
    ] {
        let refused = read("a", text.as_bytes(), &CATALOG, None).map(|(_, message)| message);
        assert!(refused.as_ref().is_err_and(|error| error.starts_with(why)), "{refused:?}");
    }
    let unplayable = "(;GM[4]SZ[15]RU[renju];B[hh](;W[ig])(;W[hh];B[aa]))";
    let (_, message) = read("a", unplayable.as_bytes(), &CATALOG, None).expect("a main line");
    assert_eq!(message, "a: renju, 2 moves. Variations that cannot be played are left out: 1.");
}
