//! The board with an engine that the tests make up.

use std::time::Duration;

use tengen_engine::{
    Answer, Catalog, Chosen, GameSpec, Limits, Move, Point, Report, Score, Settings, Side, Wdl,
};
use tengen_games::CATALOG;

use super::{App, Effect, GameSetup};
use crate::clock::TimeControl;
use crate::command::{Command, Humans};
use crate::engine::{Job, News};
use crate::game::{Ending, Player, SeatedGame};

const START: Duration = Duration::ZERO;

/// An application with what it asked for and told.
struct Desk {
    app: App,
    message: Vec<String>,
    jobs: Vec<Job>,
    is_over: bool,
}

fn spec(variant: &str) -> GameSpec {
    CATALOG.describe(variant, &Chosen::new()).expect("a variant")
}

fn setup(variant: &str, humans: Humans, swaps: bool) -> GameSetup {
    GameSetup {
        catalog: &CATALOG,
        game: SeatedGame::new(CATALOG.position(&spec(variant)), swaps),
        message: None,
        humans,
        level: 3,
        limits: Limits::default(),
        settings: Settings::default(),
        time: None,
    }
}

impl Desk {
    fn new(variant: &str, humans: Humans) -> Self {
        Self::with(setup(variant, humans, false))
    }

    fn with(setup: GameSetup) -> Self {
        let app = App::new(setup, START);
        let mut desk = Self { app, message: Vec::new(), jobs: Vec::new(), is_over: false };
        desk.collect();
        desk
    }

    fn collect(&mut self) {
        for effect in self.app.take_effects() {
            match effect {
                Effect::Search(job) => self.jobs.push(*job),
                Effect::Tell(sentence) => self.message.push(sentence),
                Effect::ShowLines(lines) => self.message.extend(lines),
                Effect::Quit => self.is_over = true,
                _ => {}
            }
        }
    }

    /// Types a line and returns what is told.
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

    /// The engine answers its last search.
    fn answer(&mut self, score: Score, moves: &[&str]) -> Vec<String> {
        let ticket = self.last_job().ticket;
        self.answer_to(ticket, score, moves)
    }

    fn answer_to(&mut self, ticket: u64, score: Score, moves: &[&str]) -> Vec<String> {
        let moves: Vec<Move> = moves.iter().map(|name| self.mv(name)).collect();
        let mut answer = Answer::blank(score, moves.first().copied());
        answer.report = self.line(1, score, &moves);
        self.hear(News::Answer(ticket, answer))
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
        self.hear(News::Report(ticket, report));
    }

    fn hear(&mut self, news: News) -> Vec<String> {
        self.message.clear();
        self.app.hear(news, START);
        self.collect();
        std::mem::take(&mut self.message)
    }

    fn moves(&self) -> Vec<&str> {
        let tree = self.app.game().tree();
        tree.line().into_iter().filter_map(|id| Some(tree.played(id)?.name.as_str())).collect()
    }
}

#[test]
fn a_move_is_told_and_the_engine_replies() {
    let mut desk = Desk::new("gomoku", Humans::First);
    assert!(desk.jobs.is_empty());
    assert_eq!(desk.say("h8"), ["You play h8."]);
    assert_eq!(desk.jobs.len(), 1);
    assert_eq!(desk.last_job().settings.strength.skill, 3);
    assert_eq!(desk.answer(Score::DRAW, &["i9"]), ["Tengen plays i9."]);
    assert_eq!(desk.moves(), ["h8", "i9"]);
    assert!(!desk.app.is_searching());
}

#[test]
fn undo_while_the_engine_thinks_stops_it_and_its_late_answer_changes_nothing() {
    let mut desk = Desk::new("gomoku", Humans::First);
    desk.say("h8");
    let (ticket, signal) = (desk.last_job().ticket, desk.last_job().signal.clone());
    assert_eq!(desk.say("undo"), ["Taken back: h8. Your turn, Black."]);
    assert!(signal.is_stopped() && !desk.app.is_searching());
    assert!(desk.answer_to(ticket, Score::DRAW, &["i9"]).is_empty());
    assert!(desk.moves().is_empty());
    // The next move is another search.
    desk.say("j10");
    assert_ne!(desk.last_job().ticket, ticket);
    assert!(desk.answer_to(ticket, Score::DRAW, &["i9"]).is_empty());
    desk.answer(Score::DRAW, &["k11"]);
    assert_eq!(desk.moves(), ["j10", "k11"]);
}

#[test]
fn a_move_out_of_turn_or_out_of_place_changes_nothing_and_is_explained() {
    let mut desk = Desk::new("gomoku", Humans::First);
    assert_eq!(desk.say("z9"), ["move \"z9\": outside the board (a1 to o15)."]);
    assert!(desk.say("dance")[0].ends_with("; help lists the commands."));
    desk.say("h8");
    let message = desk.say("i9");
    assert_eq!(message, ["Tengen is thinking: go has it move at once, undo takes back."]);
    assert_eq!(desk.jobs.len(), 1);
    desk.answer(Score::DRAW, &["i9"]);
    assert_eq!(desk.say("i9"), ["move \"i9\": i9 is taken."]);
}

#[test]
fn a_hint_is_a_point_first_and_a_line_when_asked_again() {
    let mut desk = Desk::new("gomoku", Humans::First);
    assert!(desk.say("hint").is_empty());
    assert!(desk.last_job().settings.strength.analyses);
    assert_eq!(desk.answer(Score::heuristic(9), &["h8", "i9", "j8"]), ["Hint: h8."]);
    assert_eq!(desk.app.ghosts().len(), 1);
    assert_eq!(desk.say("hint"), ["Hint: h8 i9 j8 (60 % for Black)."]);
    let ghosts = desk.app.ghosts();
    assert_eq!(ghosts.len(), 3);
    assert_eq!((ghosts[1].side, ghosts[1].number), (Side::Second, 2));
    assert_eq!(desk.say("value"), ["Best is h8 (60 % for Black)."]);
    assert_eq!(desk.jobs.len(), 1);
    desk.say("a1");
    assert!(desk.app.ghosts().is_empty());
}

#[test]
fn the_analysis_follows_the_position_and_ends_when_it_is_turned_off() {
    let mut desk = Desk::new("gomoku", Humans::Both);
    assert_eq!(desk.say("analysis on"), ["Analysis is on."]);
    assert_eq!(desk.last_job().settings.multi_pv, 5);
    desk.report(1, Score::heuristic(9), &["h8"]);
    desk.report(2, Score::heuristic(3), &["i8"]);
    assert_eq!(desk.app.values().len(), 2);
    assert_eq!(desk.app.values()[0].1.short(), "60");
    let first = desk.last_job().signal.clone();
    desk.say("h8");
    assert!(first.is_stopped() && desk.jobs.len() == 2);
    assert!(desk.app.values().is_empty());
    let second = desk.last_job().signal.clone();
    assert_eq!(desk.say("analysis off"), ["Analysis is off."]);
    assert!(second.is_stopped() && !desk.app.is_searching());
}

#[test]
fn an_analysis_gives_way_to_the_engines_move_and_comes_back() {
    let mut desk = Desk::new("cfour", Humans::First);
    desk.say("analysis");
    assert_eq!(desk.last_job().settings.multi_pv, 7);
    desk.say("d");
    assert_eq!(desk.last_job().settings.strength.skill, 3);
    desk.answer(Score::DRAW, &["d2"]);
    assert_eq!(desk.jobs.len(), 3);
    assert!(desk.last_job().settings.strength.analyses);
}

#[test]
fn looking_back_stops_nothing_but_play_and_a_move_there_is_a_variation() {
    let mut desk = Desk::new("gomoku", Humans::First);
    desk.say("h8");
    desk.answer(Score::DRAW, &["i9"]);
    desk.say("j10");
    desk.answer(Score::DRAW, &["k11"]);
    let jobs = desk.jobs.len();
    assert_eq!(desk.say("back"), ["Move 3 of 4: Black j10."]);
    // The engine's turn, but an earlier position: it does not move.
    assert_eq!(desk.jobs.len(), jobs);
    assert!(desk.say("a1")[0].starts_with("Tengen is to move here"));
    assert_eq!(desk.say("to 2"), ["Move 2 of 4: White i9."]);
    assert_eq!(desk.say("a1"), ["You play a1."]);
    desk.answer(Score::DRAW, &["b2"]);
    assert_eq!(desk.moves(), ["h8", "i9", "a1", "b2"]);
    desk.say("back");
    assert_eq!(desk.say("variation"), ["Move 3 of 4: Black j10."]);
    assert_eq!(desk.say("end"), ["Move 4 of 4: White k11."]);
    assert_eq!(desk.say("forward"), ["This is the last move."]);
    assert_eq!(desk.say("to 9"), ["to 9: the game has 4 moves."]);
}

#[test]
fn sides_are_swapped_and_the_engine_takes_over() {
    let mut desk = Desk::new("gomoku", Humans::First);
    let message = desk.say("swap");
    assert_eq!(message, ["Black (Tengen), White (you). Tengen plays Black and is to move."]);
    assert_eq!(desk.answer(Score::DRAW, &["h8"]), ["Tengen plays h8."]);
    // Its own first move is not the player's to take back.
    assert_eq!(desk.say("undo"), ["There is no move of yours to take back."]);
    desk.say("play both");
    assert!(!desk.app.game().has_engine());
    assert_eq!(desk.say("i9"), ["White plays i9."]);
    assert_eq!(
        desk.say("go")[0],
        "Black (Tengen), White (you). Tengen plays Black and is to move."
    );
    assert!(desk.app.is_searching());
}

#[test]
fn the_engine_plays_itself_until_it_is_looked_back() {
    let mut desk = Desk::new("tictactoe", Humans::None);
    assert_eq!(desk.answer(Score::DRAW, &["b2"]), ["Black plays b2."]);
    assert_eq!(desk.answer(Score::DRAW, &["a1"]), ["White plays a1."]);
    desk.say("undo");
    assert!(!desk.app.is_searching());
    desk.say("go");
    assert!(desk.app.is_searching());
}

#[test]
fn resigning_ends_the_game_and_can_be_taken_back() {
    let mut desk = Desk::new("gomoku", Humans::First);
    assert_eq!(desk.say("resign"), ["Black (you) resigns: White (Tengen) has won."]);
    assert!(desk.say("h8")[0].starts_with("The game is over"));
    assert_eq!(desk.say("undo"), ["The game goes on. Your turn, Black."]);
    assert_eq!(desk.say("h8"), ["You play h8."]);
}

#[test]
fn a_won_game_is_told_with_its_line() {
    let mut desk = Desk::new("tictactoe", Humans::Both);
    for name in ["a1", "b1", "a2", "b2"] {
        desk.say(name);
    }
    let message = desk.say("a3");
    assert_eq!(message, ["Black plays a3.", "Black has won: a1 to a3."]);
    assert_eq!(desk.say("hint")[0], "The game is over: undo goes back, new begins another one.");
}

#[test]
fn go_has_the_engine_move_with_what_it_knows() {
    let mut desk = Desk::new("gomoku", Humans::First);
    desk.say("h8");
    let signal = desk.last_job().signal.clone();
    desk.say("go");
    assert!(signal.is_stopped() && desk.jobs.len() == 1);
    assert_eq!(desk.answer(Score::DRAW, &["i9"]), ["Tengen plays i9."]);
}

#[test]
fn a_search_that_fails_is_told_and_not_tried_for_ever() {
    let mut desk = Desk::new("gomoku", Humans::First);
    desk.say("h8");
    let ticket = desk.last_job().ticket;
    let message = desk.hear(News::Failed(ticket, "no memory".to_owned()));
    assert_eq!(message, ["Tengen cannot search: no memory."]);
    assert_eq!((desk.jobs.len(), desk.app.is_searching()), (1, false));
    desk.say("go");
    assert_eq!(desk.jobs.len(), 2);
}

#[test]
fn a_changed_level_begins_the_move_anew() {
    let mut desk = Desk::new("gomoku", Humans::Second);
    assert_eq!(desk.say("level 10"), ["Tengen plays at level 10 of 10."]);
    assert_eq!(desk.jobs.len(), 2);
    assert!(desk.jobs[0].signal.is_stopped());
    assert_eq!(desk.last_job().limits.movetime, Some(Duration::from_secs(3)));
    assert_eq!(desk.say("level"), ["Tengen plays at level 10 of 10."]);
}

#[test]
fn a_player_who_thinks_too_long_loses_and_the_engine_keeps_its_time() {
    let limit = Duration::from_secs(10);
    let timed =
        GameSetup { time: Some(TimeControl::Move(limit)), ..setup("gomoku", Humans::First, false) };
    let mut desk = Desk::with(timed);
    let left = |desk: &Desk, seconds| desk.app.time_left(Side::First, Duration::from_secs(seconds));
    assert_eq!(left(&desk, 4), Some(Duration::from_secs(6)));
    desk.do_at(Command::Move("h8".into()), Duration::from_secs(9));
    assert_eq!(desk.last_job().limits.movetime, Some(Duration::from_secs(9)));
    assert_eq!(left(&desk, 9), None);
    desk.answer(Score::DRAW, &["i9"]);
    desk.app.tick(Duration::from_secs(9));
    assert_eq!(desk.app.game().ending(), None);
    desk.app.tick(Duration::from_secs(11));
    assert_eq!(desk.app.game().ending(), Some(Ending::Time(Side::First)));
    desk.collect();
    assert_eq!(desk.message, ["Black (you) has run out of time: White (Tengen) has won."]);
}

#[test]
fn both_clocks_of_a_game_count_and_undo_sets_them_back() {
    let seconds = Duration::from_secs;
    let control = TimeControl::Game { base: seconds(60), increment: seconds(5) };
    let timed = GameSetup { time: Some(control), ..setup("gomoku", Humans::First, false) };
    let mut desk = Desk::with(timed);
    let left = |desk: &Desk, now| {
        [Side::First, Side::Second].map(|side| desk.app.time_left(side, seconds(now)))
    };
    desk.do_at(Command::Move("h8".into()), seconds(10));
    assert_eq!(left(&desk, 12), [Some(seconds(55)), Some(seconds(58))]);
    let clock = desk.last_job().limits.clock.expect("the engine sees the clocks");
    assert_eq!(clock.remaining, [Some(seconds(55)), Some(seconds(60))]);
    desk.do_at(Command::Undo, seconds(20));
    assert_eq!(left(&desk, 20), [Some(seconds(60)), Some(seconds(60))]);
    desk.do_at(Command::Move("h8".into()), seconds(21));
    desk.app.tick(seconds(81));
    assert_eq!(desk.app.game().ending(), Some(Ending::Time(Side::Second)));
}

#[test]
fn a_review_marks_what_was_given_away() {
    let mut desk = Desk::new("gomoku", Humans::Both);
    for name in ["h8", "i9", "a1"] {
        desk.say(name);
    }
    assert_eq!(desk.say("review"), ["Tengen judges 4 positions."]);
    let shares = [(600, "h8"), (400, "i9"), (600, "j7"), (900, "k8")];
    let mut message = Vec::new();
    for (win, best) in shares {
        let (ticket, mv) = (desk.last_job().ticket, desk.mv(best));
        let mut answer = Answer::blank(Score::heuristic(1), Some(mv));
        answer.report = desk.line(1, Score::heuristic(1), &[mv]);
        answer.report.wdl = Some(Wdl { win, draw: 0, loss: 1000 - win });
        message = desk.hear(News::Answer(ticket, answer));
    }
    assert_eq!(message, ["Mistakes: Black 1, White 0: 3 a1??."]);
    desk.say("start");
    assert_eq!(desk.say("mistake"), ["Move 3 of 3: Black a1??."]);
    assert_eq!(desk.say("mistake"), ["There is no further mistake."]);
    assert_eq!(desk.say("moves"), ["  1. h8 i9 a1??*"]);
}

#[test]
fn swap2_lets_the_player_choose_and_tells_what_the_engine_chose() {
    let mut desk = Desk::with(setup("gomoku", Humans::Second, true));
    // The engine opens: two stones are given, and one is searched.
    assert_eq!(desk.last_job().position.played().len(), 2);
    assert!(!desk.last_job().moves.is_empty());
    let message = desk.answer(Score::heuristic(3), &["h13"]);
    assert!(message[0].starts_with("Tengen plays ") && desk.moves().len() == 3, "{message:?}");
    assert_eq!(message[1], "Swap2: choose black or white, or more to put two stones.");
    assert!(desk.say("a1")[0].starts_with("Swap2"));
    desk.say("more");
    desk.say("a1");
    desk.say("b1");
    // The engine chooses after five stones: a bad position for White is swapped.
    let message = desk.answer(Score::heuristic(-90), &["c3"]);
    assert_eq!(message[0], "Tengen takes Black. You play White.");
    assert_eq!(desk.app.game().player(Side::First), Player::Engine);
    assert_eq!(desk.app.game().actor(), Some(Player::Human));
}

#[test]
fn swap2_is_answered_by_the_engine_in_each_of_its_ways() {
    for (score, message) in [
        (Score::heuristic(200), "Tengen takes White. You play Black."),
        (Score::heuristic(-200), "Tengen takes Black. You play White."),
        (Score::heuristic(3), "Tengen puts two stones more and lets you choose."),
    ] {
        let mut desk = Desk::with(setup("gomoku", Humans::First, true));
        for name in ["h14", "i15", "h8"] {
            desk.say(name);
        }
        assert!(desk.last_job().settings.multi_pv > 100);
        desk.report(1, score, &["g7", "g9"]);
        assert_eq!(desk.answer(score, &["g7", "g9"])[0], message);
        assert_eq!(desk.app.game().actor(), Some(Player::Human));
    }
}

#[test]
fn a_new_game_may_be_of_another_variant_and_size() {
    let mut desk = Desk::new("gomoku", Humans::First);
    desk.say("h8");
    let message = desk.say("new renju 13x13");
    assert!(message[0].starts_with("renju: 13x13 board"), "{message:?}");
    assert!(desk.moves().is_empty() && !desk.app.is_searching());
    assert_eq!(desk.say("new cfour 9x9"), ["new 9x9: cfour is played on one size only."]);
    assert!(desk.say("new chess")[0].contains("variants are cfour,"));
    assert!(desk.say("new gomoku 99x99")[0].contains("BoardWidth 99"));
    assert_eq!(desk.app.game().spec().variant, "renju");
}

#[test]
fn leaving_is_one_word() {
    let mut desk = Desk::new("gomoku", Humans::First);
    desk.say("quit");
    assert!(desk.is_over);
}
