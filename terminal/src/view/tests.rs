//! Tests of the screen, read back from a terminal in memory.

use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{
    KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::style::Color;
use tengen_engine::backend::Catalog;
use tengen_engine::{Chosen, Point, Report, Score, Style, Wdl};
use tengen_games::CATALOG;

use crate::app::{App, Effect, GameSetup, Show};
use crate::clock::TimeControl;
use crate::command::{Command, Humans, NewGame};
use crate::engine::SearchEvent;
use crate::game::SeatedGame;
use crate::look::{Colours, Look};
use crate::ui::{Prompt, Ui};
use crate::view::screen::draw;

const FULL: Look = Look { is_ascii: false, colours: Colours::Palette };

fn app(variant: &str, chosen: &[(&'static str, i64)], moves: &str) -> App {
    let chosen: Chosen = chosen.iter().copied().collect();
    let spec = CATALOG.describe(variant, &chosen).expect("a variant");
    let mut position = CATALOG.position(&spec);
    let moves = position.split_moves(moves);
    position.play_all(&moves).expect("legal moves");
    App::new(GameSetup::of(SeatedGame::new(position, None)), Duration::ZERO)
}

/// Returns the screen of an app in a window of this size.
fn shown(app: &App, ui: &mut Ui, look: Look, (width, height): (u16, u16)) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal");
    let now = Duration::from_secs(1);
    terminal.draw(|frame| draw(frame, app, ui, look, now)).expect("a screen");
    terminal.backend().buffer().clone()
}

fn rows(buffer: &Buffer) -> Vec<String> {
    let cells = |y| (0..buffer.area.width).filter_map(move |x| Some(buffer.cell((x, y))?.symbol()));
    (0..buffer.area.height).map(|y| cells(y).collect()).collect()
}

/// Returns the sign on a point, with the signs on both sides.
fn sign(buffer: &Buffer, ui: &Ui, name: &str) -> String {
    let (x, y) =
        ui.layout.expect("a board").screen_position(point(name)).expect("a point that is shown");
    (x - 1..=x + 1).filter_map(|x| Some(buffer.cell((x, y))?.symbol())).collect()
}

fn point(name: &str) -> Point {
    name.parse().expect("a point")
}

fn press(ui: &mut Ui, app: &App, code: KeyCode) -> Option<Command> {
    ui.key(KeyEvent::new(code, KeyModifiers::NONE), app)
}

fn letters(ui: &mut Ui, app: &App, text: &str) {
    for c in text.chars() {
        assert_eq!(press(ui, app, KeyCode::Char(c)), None);
    }
}

#[test]
fn stones_marks_and_brackets_are_where_the_coordinates_say() {
    let app = app("renju", &[], "h8 a1 i8 a3 j7 a5 j6 o15");
    let mut ui = Ui::new(&app);
    for (look, black, white, cross) in [(FULL, "●", "●", "×"), (Look::PLAIN, "X", "O", "#")] {
        let screen = shown(&app, &mut ui, look, (80, 24));
        assert_eq!(sign(&screen, &ui, "i8").chars().nth(1), black.chars().next());
        assert_eq!(sign(&screen, &ui, "a3").chars().nth(1), white.chars().next());
        assert_eq!(sign(&screen, &ui, "j8").chars().nth(1), cross.chars().next());
        assert_eq!(sign(&screen, &ui, "h8"), format!("[{black}]"));
        assert_eq!(sign(&screen, &ui, "o15"), format!("({white})"));
        let rows = rows(&screen);
        assert!(rows[0].starts_with("Tengen  renju: 15x15 board"), "{rows:#?}");
        assert!(rows[22].starts_with("Black is to move."), "{rows:#?}");
        assert!(rows[23].contains("? help") && rows[23].contains("Q quit"), "{rows:#?}");
        assert!(rows.iter().any(|row| row.contains(" 7 ") && row.contains("j6")), "{rows:#?}");
    }
}

#[test]
fn colours_are_used_only_if_the_look_has_them() {
    let app = app("gomoku", &[], "h8 i9");
    let colours = |look| {
        let screen = shown(&app, &mut Ui::new(&app), look, (80, 24));
        screen
            .content()
            .iter()
            .filter(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset)
            .count()
    };
    assert_eq!(colours(Look::PLAIN), 0);
    assert_eq!(colours(Look { is_ascii: false, colours: Colours::None }), 0);
    assert!(colours(FULL) > 225);
    assert!(colours(Look { is_ascii: false, colours: Colours::Sixteen }) > 225);
}

#[test]
fn every_board_is_shown_at_every_size_of_the_window() {
    for (width, height) in [(1, 1), (3, 3), (5, 5), (7, 6), (15, 15), (22, 22), (26, 26), (26, 1)] {
        let sizes = [("BoardWidth", width), ("BoardHeight", height), ("ConnectK", 1)];
        for falls in [0, 1] {
            let chosen = [&sizes[..], &[("Gravity", falls)]].concat();
            let app = app("custom", &chosen, "");
            for window in
                [(1, 1), (4, 3), (10, 5), (20, 8), (24, 40), (80, 24), (120, 40), (300, 90)]
            {
                let mut ui = Ui::new(&app);
                for _ in 0..30 {
                    press(&mut ui, &app, KeyCode::Left);
                    press(&mut ui, &app, KeyCode::Up);
                }
                let screen = shown(&app, &mut ui, FULL, window);
                assert_eq!((screen.area.width, screen.area.height), window);
                // The cursor is visible wherever there is room for a board.
                if let Some(layout) = ui.layout {
                    let cursor = ui.marked(&app).expect("a cursor");
                    let (x, y) = layout.screen_position(cursor).expect("the cursor is in sight");
                    assert_eq!(layout.point_at(x, y), Some(cursor));
                }
                assert!(ui.layout.is_some() || window.0 < 10 || window.1 < 8, "{window:?}");
            }
        }
    }
}

#[test]
fn a_board_of_fifteen_fits_into_eighty_columns_with_its_panel() {
    let app = app("gomoku", &[], "h8");
    let mut ui = Ui::new(&app);
    let screen = rows(&shown(&app, &mut ui, FULL, (80, 24)));
    assert!(screen.iter().any(|row| row.starts_with("15 ")), "{screen:#?}");
    assert!(screen.iter().any(|row| row.starts_with(" 1 ")), "{screen:#?}");
    assert!(screen.iter().any(|row| row.contains("> ●  White")), "{screen:#?}");
}

#[test]
fn the_winning_line_and_the_message_are_shown() {
    let app = app("tictactoe", &[], "a1 b1 a2 b2 a3");
    let mut ui = Ui::new(&app);
    let screen = shown(&app, &mut ui, FULL, (80, 24));
    let (x, y) = ui.layout.expect("a board").screen_position(point("a2")).expect("on the board");
    let (won, x_other) = (screen.cell((x, y)).expect("a cell").bg, x + 4);
    assert_ne!(won, screen.cell((x_other, y)).expect("a cell").bg);
    assert!(rows(&screen)[22].starts_with("X has won: a1 to a3."));
}

/// Shows a screen while Tengen thinks, after these lines were typed.
fn thinking(ui: &mut Ui, lines: &[&str]) -> String {
    let mut app = app("gomoku", &[], "");
    app.command(Command::Humans(Humans::First), Duration::ZERO);
    app.command(Command::Move("h8".into()), Duration::ZERO);
    app.take_effects();
    for line in lines {
        letters(ui, &app, line);
        let Some(command) = press(ui, &app, KeyCode::Enter) else { continue };
        app.command(command, Duration::ZERO);
        let sentences = app.take_effects().into_iter().filter_map(|effect| match effect {
            Effect::Show(Show::Sentence(sentence)) => Some(sentence),
            _ => None,
        });
        ui.reply(sentences.collect());
    }
    rows(&shown(&app, ui, FULL, (80, 24)))[21..23].join(" ")
}

#[test]
fn a_message_stays_while_tengen_thinks() {
    let full = "Tengen is thinking, 1 s. G: move now, Backspace: take back.";
    assert!(thinking(&mut Ui::default(), &[]).contains(full));
    for (line, message) in [
        ("level 77", "level 77: say a number from 0 to 10. Tengen is thinking, 1 s."),
        ("level", "Tengen plays at level 4 of 10. Tengen is thinking, 1 s."),
        ("hint", "Tengen is thinking. \"go\": move now;"),
        ("to 9", "to 9: the game has 1 moves. Tengen is thinking, 1 s."),
    ] {
        let shown = thinking(&mut Ui::default(), &[line]);
        assert!(shown.contains(message), "{line}: {shown}");
    }
}

#[test]
fn what_happens_meanwhile_does_not_replace_an_answer_until_the_next_key() {
    let app = app("gomoku", &[], "");
    let mut ui = Ui::new(&app);
    letters(&mut ui, &app, "level 77");
    press(&mut ui, &app, KeyCode::Enter);
    let answer = "level 77: say a number from 0 to 10.";
    for news in ["Tengen plays h9.", "Tengen plays k4."] {
        ui.tell_news(&[news.to_owned()]);
        assert_eq!(ui.message(), format!("{answer} {news}"));
    }
    press(&mut ui, &app, KeyCode::Left);
    assert!(ui.message().starts_with(answer));
    ui.tell_news(&["Tengen plays a1.".to_owned()]);
    assert_eq!(ui.message(), "Tengen plays a1.");
    press(&mut ui, &app, KeyCode::Esc);
    assert_eq!(ui.message(), "");
}

#[test]
fn the_panel_is_complete_at_eighty_columns() {
    for (variant, width) in [("gomoku", 15), ("renju", 15), ("freestyle20", 20), ("cfour", 7)] {
        let mut app = app(variant, &[], "");
        app.command(Command::Humans(Humans::First), Duration::ZERO);
        let clock =
            TimeControl::Game { base: Duration::from_secs(6000), increment: Duration::ZERO };
        let game = NewGame {
            variant: app.game().spec().variant,
            chosen: app.game().spec().chosen.clone(),
            opening: None,
            humans: Humans::First,
            level: 10,
            time: Some(clock),
        };
        app.command(Command::Begin(Box::new(game)), Duration::ZERO);
        app.command(Command::Analysis(Some(true)), Duration::ZERO);
        let start = app.game().position().legal()[0];
        let mut line = vec![start];
        let mut position = app.game().position().duplicate();
        while line.len() < 12 {
            position.play(*line.last().expect("a move")).expect("legal");
            line.push(position.legal()[0]);
        }
        let mut report = Report::blank(Score::heuristic(1), None);
        (report.depth, report.nodes, report.line, report.pv) = (17, 123_456, 1, line.clone());
        report.wdl = Some(Wdl { win: 550, draw: 0, loss: 450 });
        let job = app.take_effects().into_iter().rev().find_map(|effect| match effect {
            Effect::Search(job) => Some(job.ticket),
            _ => None,
        });
        app.on_search_event(SearchEvent::Report(job.expect("a search"), report), Duration::ZERO);
        let screen = rows(&shown(&app, &mut Ui::new(&app), FULL, (80, 24))).join("\n");
        let [first, second] =
            if variant == "cfour" { ["Red", "Yellow"] } else { ["Black", "White"] };
        for part in [
            format!("{first}, you"),
            "level 10".to_owned(),
            format!("{first} 99:59"),
            format!("{second} 100:00"),
            format!("55 % {first}"),
            "depth 17, 123k".to_owned(),
        ] {
            assert!(screen.contains(&part), "{variant} {width}: {part}\n{screen}");
        }
        // A coordinate is shown whole or not at all.
        let names = app.game().position().write_line(&line, Style::Plain);
        let (_, rest) = screen.split_once(" 1 ").expect("a ranked move");
        let ranked = screen.lines().find(|row| row.contains(&format!(" 1 {}", names[0])));
        let (_, shown) = ranked.expect(rest).rsplit_once(" 1 ").expect("a line");
        let shown: Vec<&str> = shown.split_whitespace().collect();
        assert_eq!(shown, names[..shown.len()], "{screen}");
    }
}

#[test]
fn keys_move_play_and_ask() {
    let app = app("gomoku", &[], "");
    let mut ui = Ui::new(&app);
    press(&mut ui, &app, KeyCode::Up);
    press(&mut ui, &app, KeyCode::Right);
    assert_eq!(press(&mut ui, &app, KeyCode::Enter), Some(Command::Move("i9".into())));
    press(&mut ui, &app, KeyCode::Home);
    assert_eq!(press(&mut ui, &app, KeyCode::Char(' ')), Some(Command::Move("a9".into())));
    for (code, command) in [
        (KeyCode::Backspace, Command::Undo),
        (KeyCode::PageUp, Command::Back),
        (KeyCode::Char('H'), Command::Hint),
        (KeyCode::Char('A'), Command::Analysis(None)),
        (KeyCode::Char('+'), Command::Level(Some(5))),
        (KeyCode::Char('-'), Command::Level(Some(3))),
        (KeyCode::Char('q'), Command::Quit),
    ] {
        assert_eq!(press(&mut ui, &app, code), Some(command));
    }
    let control =
        |ui: &mut Ui, c| ui.key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL), &app);
    assert_eq!(control(&mut ui, 'z'), Some(Command::Undo));
    assert_eq!(control(&mut ui, 'c'), Some(Command::Quit));
}

#[test]
fn letters_are_coordinates_or_words_and_a_wrong_one_is_reported() {
    let app = app("gomoku", &[("BoardWidth", 22), ("BoardHeight", 22)], "");
    let mut ui = Ui::new(&app);
    letters(&mut ui, &app, "q17x");
    press(&mut ui, &app, KeyCode::Backspace);
    assert_eq!(press(&mut ui, &app, KeyCode::Enter), Some(Command::Move("q17".into())));
    letters(&mut ui, &app, "level 7");
    assert_eq!(press(&mut ui, &app, KeyCode::Enter), Some(Command::Level(Some(7))));
    letters(&mut ui, &app, "level 70");
    assert_eq!(press(&mut ui, &app, KeyCode::Enter), None);
    assert_eq!(ui.message(), "level 70: say a number from 0 to 10.");
    letters(&mut ui, &app, "h8");
    press(&mut ui, &app, KeyCode::Esc);
    assert!(ui.typed.is_empty());
    letters(&mut ui, &app, "q");
    assert_eq!(press(&mut ui, &app, KeyCode::Enter), Some(Command::Quit));
}

#[test]
fn resigning_needs_a_yes() {
    let app = app("gomoku", &[], "");
    let mut ui = Ui::new(&app);
    assert_eq!(press(&mut ui, &app, KeyCode::Char('R')), None);
    assert_eq!(ui.prompt, Some(Prompt::Resign));
    assert_eq!(press(&mut ui, &app, KeyCode::Enter), None);
    assert_eq!(ui.prompt, None);
    press(&mut ui, &app, KeyCode::Char('R'));
    assert_eq!(press(&mut ui, &app, KeyCode::Char('y')), Some(Command::Resign));
}

#[test]
fn a_click_plays_where_it_began_and_ended() {
    let app = app("gomoku", &[], "");
    let mut ui = Ui::new(&app);
    shown(&app, &mut ui, FULL, (120, 40));
    let layout = ui.layout.expect("a board");
    let mut mouse = |kind, name: &str, by: u16| {
        let (x, y) = layout.screen_position(point(name)).expect("on the board");
        let event = MouseEvent { kind, column: x + by, row: y, modifiers: KeyModifiers::NONE };
        ui.mouse(event, &app)
    };
    let (down, up) =
        (MouseEventKind::Down(MouseButton::Left), MouseEventKind::Up(MouseButton::Left));
    assert_eq!(mouse(down, "c3", 0), None);
    assert_eq!(mouse(up, "c3", 1), Some(Command::Move("c3".into())));
    mouse(down, "c3", 0);
    assert_eq!(mouse(up, "d3", 0), None);
    // A click between two points does nothing.
    mouse(down, "c3", 2);
    assert_eq!(mouse(up, "c3", 2), None);
    assert_eq!(mouse(up, "c3", 0), None);
}

#[test]
fn where_stones_fall_the_cursor_marks_the_landing_point() {
    let app = app("cfour", &[], "d1 d2");
    let mut ui = Ui::new(&app);
    let screen = shown(&app, &mut ui, FULL, (80, 24));
    assert_eq!(sign(&screen, &ui, "d3"), "[·]");
    assert_eq!(press(&mut ui, &app, KeyCode::Enter), Some(Command::Move("4".into())));
}

#[test]
fn the_help_is_turned_page_by_page_and_closed() {
    let app = app("gomoku", &[], "");
    let mut ui = Ui::new(&app);
    press(&mut ui, &app, KeyCode::Char('?'));
    let top = rows(&shown(&app, &mut ui, FULL, (80, 24)));
    assert!(top[0].starts_with("Keys and words"), "{top:#?}");
    for _ in 0..9 {
        press(&mut ui, &app, KeyCode::PageDown);
    }
    let bottom = rows(&shown(&app, &mut ui, FULL, (80, 24)));
    assert!(bottom[23].starts_with("Esc closes this page"), "{bottom:#?}");
    press(&mut ui, &app, KeyCode::Esc);
    assert!(rows(&shown(&app, &mut ui, FULL, (80, 24)))[0].starts_with("Tengen"));
}

fn screen_has(app: &App, ui: &mut Ui, text: &str) -> bool {
    rows(&shown(app, ui, Look::PLAIN, (80, 24))).iter().any(|row| row.contains(text))
}

#[test]
fn the_dialog_for_a_new_game_chooses_everything_by_keys() {
    let mut app = app("renju", &[], "h8 i9");
    let mut ui = Ui::new(&app);
    assert_eq!(press(&mut ui, &app, KeyCode::Char('B')), None);
    assert!(screen_has(&app, &mut ui, "New game") && screen_has(&app, &mut ui, "< renju >"));
    for _ in CATALOG.variants() {
        if !screen_has(&app, &mut ui, "< caro >") {
            press(&mut ui, &app, KeyCode::Right);
        }
    }
    // A size that the rules do not allow is refused, and the row stays.
    let type_size = |ui: &mut Ui, digits: [char; 2]| {
        for digit in digits {
            press(ui, &app, KeyCode::Char(digit));
        }
        press(ui, &app, KeyCode::Down)
    };
    press(&mut ui, &app, KeyCode::Down);
    assert_eq!(type_size(&mut ui, ['9', '9']), None);
    assert!(screen_has(&app, &mut ui, "Width 99") && screen_has(&app, &mut ui, "> Width"));
    type_size(&mut ui, ['1', '3']);
    type_size(&mut ui, ['1', '4']);
    press(&mut ui, &app, KeyCode::End);
    let command = press(&mut ui, &app, KeyCode::Enter).expect("a game");
    assert!(ui.form.is_none());
    app.command(command, Duration::ZERO);
    assert_eq!(app.game().spec().variant, "caro");
    assert_eq!(app.game().spec().size(), Some((13, 14)));
    assert!(app.game().tree().is_empty());
}

#[test]
fn escape_closes_the_dialog_and_keeps_the_game() {
    let app = app("renju", &[], "h8 i9");
    let mut ui = Ui::new(&app);
    for code in [KeyCode::Char('B'), KeyCode::Right, KeyCode::Esc] {
        assert_eq!(press(&mut ui, &app, code), None);
    }
    assert!(ui.form.is_none());
    assert_eq!(app.game().spec().variant, "renju");
}

#[test]
fn the_dialog_is_complete_in_a_small_window() {
    for look in [Look::PLAIN, Look { is_ascii: !Look::PLAIN.is_ascii, ..Look::PLAIN }] {
        for variant in ["custom", "gomoku", "cfour"] {
            let app = app(variant, &[], "");
            let mut ui = Ui::new(&app);
            press(&mut ui, &app, KeyCode::Char('B'));
            let screen = rows(&shown(&app, &mut ui, look, (80, 24)));
            for text in [" New game ", "[ Start ]", "Enter start  Esc cancel"] {
                assert!(screen.iter().any(|row| row.contains(text)), "{variant}: {screen:#?}");
            }
        }
    }
}

#[test]
fn a_click_on_a_row_takes_the_next_value_and_start_begins() {
    let app = app("gomoku", &[], "");
    let mut ui = Ui::new(&app);
    press(&mut ui, &app, KeyCode::Char('B'));
    let mut click = |name: &str| {
        let screen = rows(&shown(&app, &mut ui, Look::PLAIN, (80, 24)));
        let y = screen.iter().position(|row| row.contains(name)).expect("a row") as u16;
        let event = |kind| MouseEvent { kind, column: 30, row: y, modifiers: KeyModifiers::NONE };
        ui.mouse(event(MouseEventKind::Down(MouseButton::Left)), &app);
        ui.mouse(event(MouseEventKind::Up(MouseButton::Left)), &app)
    };
    assert_eq!(click("You play"), None);
    assert_eq!(click("Clock"), None);
    let Some(Command::Begin(game)) = click("[ Start ]") else { panic!("no game begins") };
    assert_eq!(game.humans, Humans::None);
    assert_eq!(game.time, Some(TimeControl::Move(Duration::from_secs(5))));
}
