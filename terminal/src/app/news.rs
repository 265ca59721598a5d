//! Handles search events and the moves of the engine.

use std::time::Duration;

use tengen_engine::opening::{Act, Course, Decision, OpeningName};
use tengen_engine::{Answer, Move, Side, Strength};

use super::schedule::{Purpose, RunningSearch};
use super::{App, Hint, Question};
use crate::engine::SearchEvent;
use crate::game::{Player, side_name};
use crate::sentences;

impl App {
    /// Handles a search event. Events of an abandoned search change nothing.
    pub(crate) fn on_search_event(&mut self, event: SearchEvent, now: Duration) {
        let ticket = match &event {
            SearchEvent::Report(ticket, _)
            | SearchEvent::Answer(ticket, _)
            | SearchEvent::Failed(ticket, _) => *ticket,
        };
        let Some(running) = self.running.as_mut().filter(|running| running.ticket == ticket) else {
            return;
        };
        match event {
            SearchEvent::Report(_, report) => {
                running.summary.note(&report, self.game.spec(), running.plies_left);
                if running.purpose == Purpose::Choice {
                    running.ranking.note(&report);
                }
                if running.purpose == Purpose::Analysis {
                    let (node, summary) = (running.node, running.summary.clone());
                    self.game.tree_mut().set_summary(node, summary);
                }
            }
            SearchEvent::Answer(_, answer) => {
                if let Some(running) = self.running.take() {
                    self.answered(running, answer, now);
                }
                self.schedule(now);
            }
            SearchEvent::Failed(_, why) => {
                self.stop_searching();
                self.tell(format!("Tengen cannot search: {why}."));
                self.schedule(now);
            }
        }
    }

    /// Ends all requests to the engine after it failed.
    fn stop_searching(&mut self) {
        self.running = None;
        (self.is_live, self.analyses) = (false, false);
        (self.question, self.review) = (None, None);
    }

    fn answered(&mut self, running: RunningSearch, answer: Answer<Move>, now: Duration) {
        let RunningSearch { purpose, node, mut summary, plies_left, ranking, .. } = running;
        if answer.has_unreported {
            summary.note(&answer.report, self.game.spec(), plies_left);
        }
        summary.is_complete = true;
        match purpose {
            Purpose::Move => match answer.best {
                Some(mv) => self.engine_plays(&[mv], now),
                None => self.report_no_move(),
            },
            // The next search or the decision follows (`schedule`).
            Purpose::Choice => {
                if let (Some((_, chooser)), Some(grid)) = (&mut self.chooser, self.game.spec().grid)
                {
                    chooser.add_result(&ranking, &answer, grid);
                }
            }
            Purpose::Question => {
                self.game.tree_mut().set_summary(node, summary);
                self.answer_question();
            }
            Purpose::Review => {
                self.game.tree_mut().set_summary(node, summary);
                self.reviewed(node);
            }
            Purpose::Analysis => self.game.tree_mut().set_summary(node, summary),
        }
    }

    fn report_no_move(&mut self) {
        self.stop_searching();
        self.tell("Tengen found no move.");
    }

    /// Plays the engine's moves and announces them in one sentence.
    fn engine_plays(&mut self, moves: &[Move], now: Duration) {
        let side = self.game.position().turn();
        let mut names = Vec::new();
        for &mv in moves {
            let before = self.game.tree().current();
            self.game.play(mv);
            if self.game.tree().current() != before {
                names.extend(self.game.last().map(|last| last.name.clone()));
            }
        }
        if names.is_empty() {
            return self.report_no_move();
        }
        let who = match self.game.has_human() {
            true => "Tengen",
            false => side_name(self.game.spec(), side),
        };
        self.tell(format!("{who} plays {}.", names.join(", ")));
        self.after_move(now);
    }

    /// Handles a move that was played: sets the clocks and announces the end of the game.
    pub(super) fn after_move(&mut self, now: Duration) {
        if self.game.has_engine() {
            // The line that was played last is the main line.
            self.game.tree_mut().promote();
        }
        self.count_time(now);
        self.changed();
        self.is_live = true;
        self.hint = None;
        self.question = None;
        self.epoch += 1;
        if let Some(name) = self.new_opening() {
            self.tell(format!("Opening: {name}."));
        }
        // After an opening the sides are new to a person.
        let ends_opening = self.game.opening().is_some_and(|course| {
            course.is_over() && course.stones().len() == self.game.tree().ply()
        });
        let is_open = !self.game.has_sides() || ends_opening;
        let is_asked = is_open && self.game.actor() == Some(Player::Human);
        if self.game.ending().is_some() || is_asked {
            self.tell(sentences::turn(&self.game));
        }
    }

    /// Returns the name of the opening if the last move completed it.
    fn new_opening(&self) -> Option<&'static OpeningName> {
        let last = self.game.opening().and_then(|course| course.acts().last());
        if !last.is_none_or(|act| matches!(act, Act::Point(_))) {
            return None;
        }
        let name = self.catalog.opening_name(self.game.position())?;
        let mut before = self.game.position().duplicate();
        before.undo();
        self.catalog.opening_name(&*before).is_none().then_some(name)
    }

    /// Sets the clocks after a move. Stones of an opening cost no time.
    fn count_time(&mut self, now: Duration) {
        let node = self.game.tree().current();
        let mover = self.game.position().turn().other();
        let has_sides = self.game.has_sides();
        match &mut self.clock {
            Some(clock) if has_sides => clock.moved(mover, node, now),
            Some(clock) => clock.restart_turn(now),
            None => {}
        }
    }

    /// Carries out the engine's decision in the opening, and announces it.
    pub(super) fn engine_chooses(&mut self, decision: &Decision, now: Duration) {
        let Some(before) = self.game.opening().cloned() else { return self.report_no_move() };
        let done: Vec<_> =
            decision.acts.iter().copied().take_while(|act| self.game.act(*act)).collect();
        if done.is_empty() {
            return self.report_no_move();
        }
        let who = match self.game.has_human() {
            true => "Tengen",
            false => side_name(self.game.spec(), self.colour_of_decision(&before)),
        };
        self.tell(sentences::acts(&self.game, &before, &done, who));
        self.after_move(now);
        // The searches of a decision have full strength, so only full strength uses their move.
        let then = decision.then.filter(|_| self.level == Strength::FULL && self.game.has_sides());
        if let (Some(point), Some(grid)) = (then, self.game.spec().grid) {
            self.engine_plays(&[grid.move_to(point)], now);
        }
    }

    /// Returns the colour of the player who decided after `before`.
    pub(super) fn colour_of_decision(&self, before: &Course) -> Side {
        before.pending().map_or(Side::First, |pending| pending.colour)
    }

    /// Answers the question of the player from the search result of its position.
    pub(super) fn answer_question(&mut self) {
        let Some((node, question)) = self.question.take() else { return };
        let Some(summary) = self.game.tree().summary(node) else { return };
        let Some(line) = summary.best() else {
            return self.tell("Tengen has found no move yet.");
        };
        let names = self.game.position().write_line(&line.moves, tengen_engine::Style::Plain);
        let Some(first) = names.first() else { return };
        let value = self.value_words(line);
        let shows_line = self.hint.is_some_and(|hint| hint.node == node);
        let message = match question {
            Question::Hint if shows_line => format!("Hint: {} ({value}).", names.join(" ")),
            Question::Hint => format!("Hint: {first}."),
            Question::Value => format!("Best is {first} ({value})."),
        };
        if question == Question::Hint {
            self.hint = Some(Hint { node, shows_line });
        }
        self.tell(message);
    }
}
