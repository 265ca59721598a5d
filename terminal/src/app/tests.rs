//! Tests of the app with a scripted engine.

use std::time::Duration;

use tengen_engine::{
    Answer, Catalog, Chosen, GameSpec, Limits, Move, Point, Report, Score, Side, Wdl,
};
use tengen_games::CATALOG;

use super::{App, Effect, GameSetup, Show};
use crate::clock::TimeControl;
use crate::command::{Command, Humans};
use crate::engine::{Job, SearchEvent};
use crate::game::{Ending, Player, SeatedGame};

const START: Duration = Duration::ZERO;

/// The app, with the messages and searches that it asked for.
struct TestApp {
    app: App,
    message: Vec<String>,
    jobs: Vec<Job>,
    is_over: bool,
}

fn spec(variant: &str) -> GameSpec {
    CATALOG.describe(variant, &Chosen::new()).expect("a variant")
}

fn setup(variant: &str, humans: Humans, swaps: bool) -> GameSetup {
    let spec = spec(variant);
    let rule = swaps.then(|| CATALOG.opening_rule(&spec, "swap2").unwrap());
    let game = SeatedGame::new(CATALOG.position(&spec), rule);
    GameSetup { humans, level: 3, ..GameSetup::of(game) }
}

/// Sets full strength.
fn full(setup: GameSetup) -> GameSetup {
    GameSetup { level: 10, ..setup }
}

impl TestApp {
    fn new(variant: &str, humans: Humans) -> Self {
        Self::with(setup(variant, humans, false))
    }

    fn with(setup: GameSetup) -> Self {
        let app = App::new(setup, START);
        let mut test = Self { app, message: Vec::new(), jobs: Vec::new(), is_over: false };
        test.collect();
        test
    }

    fn collect(&mut self) {
        for effect in self.app.take_effects() {
            match effect {
                Effect::Search(job) => self.jobs.push(*job),
                Effect::Show(Show::Sentence(sentence)) => self.message.push(sentence),
                Effect::Show(Show::Lines(lines)) => self.message.extend(lines),
                Effect::Quit => self.is_over = true,
                _ => {}
            }
        }
    }

    /// Types a line and returns the messages.
    fn say(&mut self, line: &str) -> Vec<String> {
        let command = Command::read(line).expect("a command").expect("not blank");
        self.do_at(command, START)
    }

    fn do_at(&mut self, command: Command, now: Duration) -> Vec<String> {
        self.message.clear();
        self.app.command(command, now);
        self.collect();
        std::mem::take(&mut self.message)
    }

    fn last_job(&self) -> &Job {
        self.jobs.last().expect("a search")
    }

    fn mv(&self, name: &str) -> Move {
        let point: Point = name.parse().expect("a point");
        self.app.game().spec().grid.expect("a grid").move_to(point)
    }

    /// Answers the last search.
    fn answer(&mut self, score: Score, moves: &[&str]) -> Vec<String> {
        let ticket = self.last_job().ticket;
        self.answer_to(ticket, score, moves)
    }

    fn answer_to(&mut self, ticket: u64, score: Score, moves: &[&str]) -> Vec<String> {
        let moves: Vec<Move> = moves.iter().map(|name| self.mv(name)).collect();
        let mut answer = Answer::blank(score, moves.first().copied());
        answer.report = self.line(1, score, &moves);
        self.on_search_event(SearchEvent::Answer(ticket, answer))
    }

    fn line(&self, rank: usize, score: Score, moves: &[Move]) -> Report<Move> {
        let mut report = Report::blank(score, None);
        (report.depth, report.line, report.pv) = (8, rank, moves.to_vec());
        report.wdl = Some(Wdl { win: 600, draw: 0, loss: 400 });
        report
    }

    fn report(&mut self, rank: usize, score: Score, moves: &[&str]) {
        let moves: Vec<Move> = moves.iter().map(|name| self.mv(name)).collect();
        let (ticket, report) = (self.last_job().ticket, self.line(rank, score, &moves));
        self.on_search_event(SearchEvent::Report(ticket, report));
    }

    fn on_search_event(&mut self, news: SearchEvent) -> Vec<String> {
        self.message.clear();
        self.app.on_search_event(news, START);
        self.collect();
        std::mem::take(&mut self.message)
    }

    fn moves(&self) -> Vec<&str> {
        let tree = self.app.game().tree();
        tree.line().into_iter().filter_map(|id| Some(tree.played(id)?.name.as_str())).collect()
    }
}

#[test]
fn a_move_is_announced_and_the_engine_replies() {
    let mut test = TestApp::new("gomoku", Humans::First);
    assert!(test.jobs.is_empty());
    assert_eq!(test.say("h8"), ["You play h8."]);
    assert_eq!(test.jobs.len(), 1);
    assert_eq!(test.last_job().settings.strength.skill, 3);
    assert_eq!(test.answer(Score::DRAW, &["i9"]), ["Tengen plays i9."]);
    assert_eq!(test.moves(), ["h8", "i9"]);
    assert!(!test.app.is_searching());
}

#[test]
fn undo_while_the_engine_thinks_stops_it_and_its_late_answer_changes_nothing() {
    let mut test = TestApp::new("gomoku", Humans::First);
    test.say("h8");
    let (ticket, signal) = (test.last_job().ticket, test.last_job().signal.clone());
    assert_eq!(test.say("undo"), ["Taken back: h8. Your turn, Black."]);
    assert!(signal.is_stopped() && !test.app.is_searching());
    assert!(test.answer_to(ticket, Score::DRAW, &["i9"]).is_empty());
    assert!(test.moves().is_empty());
    // The next move is another search.
    test.say("j10");
    assert_ne!(test.last_job().ticket, ticket);
    assert!(test.answer_to(ticket, Score::DRAW, &["i9"]).is_empty());
    test.answer(Score::DRAW, &["k11"]);
    assert_eq!(test.moves(), ["j10", "k11"]);
}

#[test]
fn a_move_out_of_turn_or_out_of_place_changes_nothing_and_is_explained() {
    let mut test = TestApp::new("gomoku", Humans::First);
    assert_eq!(test.say("z9"), ["move \"z9\": outside the board (a1 to o15)."]);
    assert!(test.say("dance")[0].ends_with("; help lists the commands."));
    test.say("h8");
    let message = test.say("i9");
    assert_eq!(message, ["Tengen is thinking. \"go\": move now; \"undo\": take back."]);
    assert_eq!(test.jobs.len(), 1);
    test.answer(Score::DRAW, &["i9"]);
    assert_eq!(test.say("i9"), ["move \"i9\": i9 is taken."]);
}

#[test]
fn a_hint_is_a_point_first_and_a_line_when_asked_again() {
    let mut test = TestApp::new("gomoku", Humans::First);
    assert!(test.say("hint").is_empty());
    assert!(test.last_job().settings.strength.analyses);
    assert_eq!(test.answer(Score::heuristic(9), &["h8", "i9", "j8"]), ["Hint: h8."]);
    assert_eq!(test.app.ghosts().len(), 1);
    assert_eq!(test.say("hint"), ["Hint: h8 i9 j8 (60 % for Black)."]);
    let ghosts = test.app.ghosts();
    assert_eq!(ghosts.len(), 3);
    assert_eq!((ghosts[1].side, ghosts[1].number), (Side::Second, 2));
    assert_eq!(test.say("value"), ["Best is h8 (60 % for Black)."]);
    assert_eq!(test.jobs.len(), 1);
    test.say("a1");
    assert!(test.app.ghosts().is_empty());
}

#[test]
fn the_analysis_follows_the_position_and_ends_when_it_is_turned_off() {
    let mut test = TestApp::new("gomoku", Humans::Both);
    assert_eq!(test.say("analysis on"), ["Analysis is on."]);
    assert_eq!(test.last_job().settings.multi_pv, 5);
    test.report(1, Score::heuristic(9), &["h8"]);
    test.report(2, Score::heuristic(3), &["i8"]);
    assert_eq!(test.app.values().len(), 2);
    assert_eq!(test.app.values()[0].1.short(), "60");
    let first = test.last_job().signal.clone();
    test.say("h8");
    assert!(first.is_stopped() && test.jobs.len() == 2);
    assert!(test.app.values().is_empty());
    let second = test.last_job().signal.clone();
    assert_eq!(test.say("analysis off"), ["Analysis is off."]);
    assert!(second.is_stopped() && !test.app.is_searching());
}

#[test]
fn an_analysis_stops_for_the_engines_move_and_restarts() {
    let mut test = TestApp::new("cfour", Humans::First);
    test.say("analysis");
    assert_eq!(test.last_job().settings.multi_pv, 7);
    test.say("d");
    assert_eq!(test.last_job().settings.strength.skill, 3);
    test.answer(Score::DRAW, &["d2"]);
    assert_eq!(test.jobs.len(), 3);
    assert!(test.last_job().settings.strength.analyses);
}

#[test]
fn looking_back_pauses_the_game_and_a_move_there_is_a_variation() {
    let mut test = TestApp::new("gomoku", Humans::First);
    test.say("h8");
    test.answer(Score::DRAW, &["i9"]);
    test.say("j10");
    test.answer(Score::DRAW, &["k11"]);
    let jobs = test.jobs.len();
    assert_eq!(test.say("back"), ["Move 3 of 4: Black j10."]);
    // It is the engine's turn, but it does not move at an earlier position.
    assert_eq!(test.jobs.len(), jobs);
    assert!(test.say("a1")[0].starts_with("Tengen is to move."));
    assert_eq!(test.say("to 2"), ["Move 2 of 4: White i9."]);
    assert_eq!(test.say("a1"), ["You play a1."]);
    test.answer(Score::DRAW, &["b2"]);
    assert_eq!(test.moves(), ["h8", "i9", "a1", "b2"]);
    test.say("back");
    assert_eq!(test.say("variation"), ["Move 3 of 4: Black j10."]);
    assert_eq!(test.say("end"), ["Move 4 of 4: White k11."]);
    assert_eq!(test.say("forward"), ["This is the last move."]);
    assert_eq!(test.say("to 9"), ["to 9: the game has 4 moves."]);
}

#[test]
fn sides_are_swapped_and_the_engine_takes_over() {
    let mut test = TestApp::new("gomoku", Humans::First);
    let message = test.say("swap");
    assert_eq!(message, ["Black (Tengen), White (you). Tengen plays Black and is to move."]);
    assert_eq!(test.answer(Score::DRAW, &["h8"]), ["Tengen plays h8."]);
    // The player cannot take back the engine's first move.
    assert_eq!(test.say("undo"), ["There is no move of yours to take back."]);
    test.say("play both");
    assert!(!test.app.game().has_engine());
    assert_eq!(test.say("i9"), ["White plays i9."]);
    assert_eq!(
        test.say("go")[0],
        "Black (Tengen), White (you). Tengen plays Black and is to move."
    );
    assert!(test.app.is_searching());
}

#[test]
fn the_engine_plays_itself_until_a_move_is_taken_back() {
    let mut test = TestApp::new("tictactoe", Humans::None);
    assert_eq!(test.answer(Score::DRAW, &["b2"]), ["X plays b2."]);
    assert_eq!(test.answer(Score::DRAW, &["a1"]), ["O plays a1."]);
    test.say("undo");
    assert!(!test.app.is_searching());
    test.say("go");
    assert!(test.app.is_searching());
}

#[test]
fn resigning_ends_the_game_and_can_be_taken_back() {
    let mut test = TestApp::new("gomoku", Humans::First);
    assert_eq!(test.say("resign"), ["Black (you) resigns: White (Tengen) has won."]);
    assert!(test.say("h8")[0].starts_with("The game is over"));
    assert_eq!(test.say("undo"), ["The game continues. Your turn, Black."]);
    assert_eq!(test.say("h8"), ["You play h8."]);
}

#[test]
fn a_win_is_announced_with_its_line() {
    let mut test = TestApp::new("tictactoe", Humans::Both);
    for name in ["a1", "b1", "a2", "b2"] {
        test.say(name);
    }
    let message = test.say("a3");
    assert_eq!(message, ["X plays a3.", "X has won: a1 to a3."]);
    assert_eq!(test.say("hint")[0], "The game is over: undo goes back, new begins another one.");
}

#[test]
fn go_makes_the_engine_play_its_best_move_so_far() {
    let mut test = TestApp::new("gomoku", Humans::First);
    test.say("h8");
    let signal = test.last_job().signal.clone();
    test.say("go");
    assert!(signal.is_stopped() && test.jobs.len() == 1);
    assert_eq!(test.answer(Score::DRAW, &["i9"]), ["Tengen plays i9."]);
}

#[test]
fn a_failed_search_is_reported_and_not_repeated() {
    let mut test = TestApp::new("gomoku", Humans::First);
    test.say("h8");
    let ticket = test.last_job().ticket;
    let message = test.on_search_event(SearchEvent::Failed(ticket, "no memory".to_owned()));
    assert_eq!(message, ["Tengen cannot search: no memory."]);
    assert_eq!((test.jobs.len(), test.app.is_searching()), (1, false));
    test.say("go");
    assert_eq!(test.jobs.len(), 2);
}

#[test]
fn a_changed_level_restarts_the_search() {
    let mut test = TestApp::new("gomoku", Humans::Second);
    assert_eq!(test.say("level 10"), ["Tengen plays at level 10 of 10."]);
    assert_eq!(test.jobs.len(), 2);
    assert!(test.jobs[0].signal.is_stopped());
    assert_eq!(test.last_job().limits.movetime, Some(Duration::from_secs(3)));
    assert_eq!(test.say("level"), ["Tengen plays at level 10 of 10."]);
}

#[test]
fn a_player_who_thinks_too_long_loses_and_the_engine_keeps_its_time() {
    let limit = Duration::from_secs(10);
    let timed =
        GameSetup { time: Some(TimeControl::Move(limit)), ..setup("gomoku", Humans::First, false) };
    let mut test = TestApp::with(timed);
    let left =
        |test: &TestApp, seconds| test.app.time_left(Side::First, Duration::from_secs(seconds));
    assert_eq!(left(&test, 4), Some(Duration::from_secs(6)));
    test.do_at(Command::Move("h8".into()), Duration::from_secs(9));
    assert_eq!(test.last_job().limits.movetime, Some(Duration::from_secs(9)));
    assert_eq!(left(&test, 9), None);
    test.answer(Score::DRAW, &["i9"]);
    test.app.tick(Duration::from_secs(9));
    assert_eq!(test.app.game().ending(), None);
    test.app.tick(Duration::from_secs(11));
    assert_eq!(test.app.game().ending(), Some(Ending::Time(Side::First)));
    test.collect();
    assert_eq!(test.message, ["Black (you) has run out of time: White (Tengen) has won."]);
}

#[test]
fn both_clocks_of_a_game_count_and_undo_sets_them_back() {
    let seconds = Duration::from_secs;
    let control = TimeControl::Game { base: seconds(60), increment: seconds(5) };
    let timed = GameSetup { time: Some(control), ..setup("gomoku", Humans::First, false) };
    let mut test = TestApp::with(timed);
    let left = |test: &TestApp, now| {
        [Side::First, Side::Second].map(|side| test.app.time_left(side, seconds(now)))
    };
    test.do_at(Command::Move("h8".into()), seconds(10));
    assert_eq!(left(&test, 12), [Some(seconds(55)), Some(seconds(58))]);
    let clock = test.last_job().limits.clock.expect("the engine sees the clocks");
    assert_eq!(clock.remaining, [Some(seconds(55)), Some(seconds(60))]);
    test.do_at(Command::Undo, seconds(20));
    assert_eq!(left(&test, 20), [Some(seconds(60)), Some(seconds(60))]);
    test.do_at(Command::Move("h8".into()), seconds(21));
    test.app.tick(seconds(81));
    assert_eq!(test.app.game().ending(), Some(Ending::Time(Side::Second)));
}

#[test]
fn a_review_marks_mistakes() {
    let mut test = TestApp::new("gomoku", Humans::Both);
    for name in ["h8", "i9", "a1"] {
        test.say(name);
    }
    assert_eq!(test.say("review"), ["Tengen judges 4 positions."]);
    // The marks depend neither on the machine nor on earlier searches.
    let job = test.last_job();
    assert!(job.is_fresh && job.limits == Limits::default().with_nodes(50_000));
    let shares = [(600, "h8"), (400, "i9"), (600, "j7"), (900, "k8")];
    let mut message = Vec::new();
    for (win, best) in shares {
        let (ticket, mv) = (test.last_job().ticket, test.mv(best));
        let mut answer = Answer::blank(Score::heuristic(1), Some(mv));
        answer.report = test.line(1, Score::heuristic(1), &[mv]);
        answer.report.wdl = Some(Wdl { win, draw: 0, loss: 1000 - win });
        message = test.on_search_event(SearchEvent::Answer(ticket, answer));
    }
    assert_eq!(message, ["Mistakes: Black 1, White 0: 3 a1??. Searched to depth 8."]);
    test.say("start");
    assert_eq!(
        test.say("mistake"),
        ["Move 3 of 3: Black a1??. No forced win is known; by evaluation 50 % less."]
    );
    assert_eq!(test.say("mistake"), ["There is no further mistake."]);
    assert_eq!(test.say("moves"), ["  1. h8 i9 a1??*"]);
}

#[test]
fn swap2_lets_the_player_choose_and_announces_the_engines_choice() {
    let mut test = TestApp::with(full(setup("gomoku", Humans::Second, true)));
    // The engine opens: two stones are given, the third one is searched, and then the position after it.
    assert_eq!(test.last_job().position.played().len(), 2);
    assert!(!test.last_job().moves.is_empty());
    assert!(test.answer(Score::heuristic(3), &["h13"]).is_empty());
    assert_eq!(test.last_job().position.played().len(), 3);
    let message = test.answer(Score::heuristic(-3), &["h12"]);
    assert!(message[0].starts_with("Tengen plays ") && test.moves().len() == 3, "{message:?}");
    assert!(message[1].starts_with("Swap2: you, White now: swap "), "{message:?}");
    assert!(test.say("a1")[0].starts_with("a1: not possible now; possible: swap (take"));
    test.say("more");
    test.say("a1");
    test.say("b1");
    // The engine chooses after five stones: a bad position for White is swapped.
    let message = test.answer(Score::heuristic(-90), &["c3"]);
    assert_eq!(message[0], "Tengen takes Black.");
    assert_eq!(test.app.game().player(Side::First), Player::Engine);
    assert_eq!(test.app.game().actor(), Some(Player::Human));
}

#[test]
fn the_engine_makes_each_choice_of_swap2() {
    for (score, message) in [
        (Score::heuristic(200), "Tengen keeps White."),
        (Score::heuristic(-200), "Tengen takes Black."),
        (
            Score::heuristic(3),
            "Tengen chooses: place two more stones and let the other player choose; plays g7, g9.",
        ),
    ] {
        let mut test = TestApp::with(full(setup("gomoku", Humans::First, true)));
        for name in ["h14", "i15", "h8"] {
            test.say(name);
        }
        assert!(test.last_job().settings.multi_pv > 100);
        test.report(1, score, &["g7", "g9"]);
        assert_eq!(test.answer(score, &["g7", "g9"])[0], message);
        assert_eq!(test.app.game().actor(), Some(Player::Human));
    }
}

/// A course of each rule, with the player who has Black at its end.
const COURSES: [(&str, &str, usize); 10] = [
    ("pro", "h8 i9 k8", 0),
    ("longpro", "h8 i9 l8", 0),
    ("swap", "h8 i9 a1 swap", 1),
    ("swap2", "h8 i9 a1 two b1 c1 stay", 1),
    ("swap1", "a1 swap", 1),
    ("rif", "h8 h9 i9 stay a1 b1 c1 c1", 0),
    ("yamaguchi", "h8 h9 i9 3 swap a1 b1 c1 d1 d1", 1),
    ("tarannikov", "h8 swap h9 stay i9 swap k8 stay l8 swap", 1),
    ("taraguchi10", "h8 stay h9 stay i9 stay k8 ten a1 b1 c1 d1 e1 f1 g1 h1 i1 j1 j1", 0),
    ("soosorv8", "h8 h9 i9 swap a1 2 swap b1 c1 b1", 0),
];

#[test]
fn an_opening_of_each_rule_is_played_in_words_and_kept_in_the_record() {
    for (name, acts, first) in COURSES {
        let mut test = TestApp::new("renju", Humans::Both);
        let begun = test.say(&format!("new renju {name}"));
        let title = CATALOG.opening_rule(&spec("renju"), name).unwrap().title;
        assert!(begun.iter().any(|line| line.starts_with(title)), "{begun:?}");
        for act in acts.split(' ') {
            assert!(!test.app.game().has_sides(), "{name}");
            // A forbidden step changes nothing and is refused with a reason.
            let refused = test.say("z26");
            assert!(refused[0].contains(": "), "{refused:?}");
            let told = test.say(act);
            assert!(told[0].ends_with('.') && !told[0].contains("not allowed"), "{told:?}");
        }
        let game = test.app.game();
        assert!(game.has_sides(), "{name}");
        assert_eq!(game.seat(Side::First), first, "{name}");
        let record = String::from_utf8(crate::record::write(&test.app).unwrap()).unwrap();
        assert!(record.contains(&format!("XW[{name} {acts}]")), "{record}");
        let read = crate::record::read("a", record.as_bytes(), &CATALOG, None).unwrap().0;
        assert_eq!(read.opening(), game.opening(), "{name}");
        // All of it is taken back, one act at a time.
        for _ in acts.split(' ') {
            test.say("undo");
        }
        assert_eq!(test.moves(), [""; 0], "{name}");
        assert!(test.app.game().opening().is_some_and(|course| course.acts().is_empty()));
    }
}

#[test]
fn the_engine_plays_an_opening_of_each_rule_against_itself() {
    for (name, ..) in COURSES {
        let spec = spec("renju");
        let rule = CATALOG.opening_rule(&spec, name).unwrap();
        let game = SeatedGame::new(CATALOG.position(&spec), Some(rule));
        let setup = GameSetup { humans: Humans::None, ..full(GameSetup::of(game)) };
        let mut test = TestApp::with(setup);
        for _ in 0..60 {
            if test.app.game().has_sides() {
                break;
            }
            let job = test.last_job();
            let moves = if job.moves.is_empty() { job.position.legal() } else { job.moves.clone() };
            let grid = job.position.spec().grid.unwrap();
            let names: Vec<String> = moves
                .iter()
                .take(job.settings.multi_pv)
                .map(|mv| grid.point_of(*mv).unwrap().to_string())
                .collect();
            for (rank, name) in (1..).zip(&names) {
                test.report(rank, Score::heuristic(5 - rank as i32), &[name]);
            }
            test.answer(Score::heuristic(4), &[&names[0]]);
        }
        let course = test.app.game().opening().unwrap();
        assert!(course.is_over(), "{name}: {} {}", course.text(), course.wanted());
    }
}

#[test]
fn the_board_marks_what_the_opening_allows() {
    let mut test = TestApp::new("renju", Humans::Both);
    test.say("new rif");
    test.say("h8");
    let marks = |app: &App, mark: char| {
        let lines = crate::view::board::plain_lines(app);
        lines.iter().map(|line| line.matches(mark).count()).sum::<usize>()
    };
    assert_eq!(marks(&test.app, '+'), 8);
    for act in ["h9", "i9", "stay", "a1", "b1", "c1"] {
        test.say(act);
    }
    assert_eq!((marks(&test.app, '+'), marks(&test.app, '*')), (0, 2));
}

#[test]
fn a_new_game_may_be_of_another_variant_and_size() {
    let mut test = TestApp::new("gomoku", Humans::First);
    test.say("h8");
    let message = test.say("new renju 13x13");
    assert!(message[0].starts_with("renju: 13x13 board"), "{message:?}");
    assert!(test.moves().is_empty() && !test.app.is_searching());
    for (words, size) in [("20", 20), ("gomoku 19", 19), ("renju 14*14", 14), ("13\u{d7}13", 13)] {
        let message = test.say(&format!("new {words}"));
        assert!(message[0].contains(&format!("{size}x{size} board")), "{message:?}");
    }
    test.say("new renju 13x13");
    assert_eq!(test.say("new cfour 9x9"), ["new 9x9: cfour is played on one size only."]);
    assert!(test.say("new chess")[0].contains("variants are cfour,"));
    assert!(test.say("new gomoku 99x99")[0].contains("BoardWidth 99"));
    assert_eq!(test.app.game().spec().variant, "renju");
}

#[test]
fn quit_ends_the_app() {
    let mut test = TestApp::new("gomoku", Humans::First);
    test.say("quit");
    assert!(test.is_over);
}
