//! Carries out each command.

use std::time::Duration;

use tengen_engine::opening::{Course, OpeningRule, Pending, PendingKind};
use tengen_engine::{BoardOption, Chosen, GameSpec, Side, Strength, Variant};

use super::{App, Effect, Question, Show, players};
use crate::clock::{Clock, TimeControl};
use crate::command::{Command, Humans, NewGame};
use crate::game::{Ending, Player, SeatedGame, Turn, side_name};
use crate::sentences;

impl App {
    /// Carries out a command.
    pub(crate) fn command(&mut self, command: Command, now: Duration) {
        match command {
            Command::Move(text) => self.play_text(&text, now),
            Command::Choose(choice) => self.choose(choice, now),
            Command::Undo => self.undo(now),
            Command::Redo => self.redo(now),
            Command::Hint => self.ask(Question::Hint),
            Command::Value => self.ask(Question::Value),
            Command::Resign => self.resign(),
            Command::Swap => self.swap_sides(now),
            Command::Humans(humans) => self.set_humans(humans, now),
            Command::Level(level) => self.set_level(level),
            Command::Go => self.go(now),
            Command::Back | Command::Forward | Command::First | Command::End => {
                self.browse(&command);
            }
            Command::To(ply) => self.go_to_ply(ply),
            Command::Variation(step) => self.variation(step),
            Command::Analysis(on) => self.set_analysis(on),
            Command::Lines(lines) => self.set_lines(lines),
            Command::Review => self.begin_review(),
            Command::Mistake(step) => self.go_to_mistake(step),
            Command::Last => self.tell_last(),
            Command::Board => self.effects.push(Effect::Show(Show::Board)),
            Command::Moves => self.show_moves(),
            Command::Forbidden => self.tell_forbidden(),
            Command::Clock => self.tell_clock(now),
            Command::Comment(text) => self.comment(&text),
            Command::Save(name) => self.effects.push(Effect::Save(name)),
            Command::Load(name) => self.effects.push(Effect::Load(name)),
            Command::New(words) => self.new_game(&words, now),
            Command::Begin(game) => self.begin(*game, now),
            Command::Help => self.effects.push(Effect::Show(Show::Help)),
            Command::Quit => self.effects.push(Effect::Quit),
        }
        self.schedule(now);
    }

    fn play_text(&mut self, text: &str, now: Duration) {
        if let Some(why) = self.refuse_engine_turn() {
            return self.tell(why);
        }
        if self.game.pending().is_some() {
            return self.act(text, now);
        }
        let mv = match self.game.read(text) {
            Ok(mv) => mv,
            Err(why) => return self.tell(unread_message(text, &why)),
        };
        let side = self.game.position().turn();
        self.game.play(mv);
        let name = self.game.last().map(|last| last.name.clone()).unwrap_or_default();
        self.tell(match self.game.has_engine() {
            true => format!("You play {name}."),
            false => format!("{} plays {name}.", side_name(self.game.spec(), side)),
        });
        self.after_move(now);
    }

    /// Carries out an act of a person in the opening.
    fn act(&mut self, text: &str, now: Duration) {
        let act = match self.game.read_act(text) {
            Ok(act) => act,
            Err(why) => return self.tell(format!("{why}.")),
        };
        let before = self.game.opening().cloned();
        let Some(before) = before.filter(|_| self.game.act(act)) else { return };
        let who = match self.game.has_engine() {
            true => "You",
            false => side_name(self.game.spec(), self.colour_of_decision(&before)),
        };
        self.tell(sentences::acts(&self.game, &before, &[act], who));
        self.after_move(now);
    }

    fn choose(&mut self, word: &str, now: Duration) {
        match (self.game.pending(), self.game.actor()) {
            (Some(_), Some(Player::Human)) => self.act(word, now),
            (Some(_), _) => self.tell("Tengen is to choose."),
            _ => self.tell("There is nothing to choose now."),
        }
    }

    fn undo(&mut self, now: Duration) {
        let Some(undone) = self.game.undo() else {
            return self.tell(match self.game.tree().ply() {
                0 => "There is no move to take back.",
                _ => "There is no move of yours to take back.",
            });
        };
        self.changed();
        self.position_chosen(now);
        let names: Vec<String> = undone.into_iter().map(|played| played.name).collect();
        let turn = sentences::turn(&self.game);
        self.tell(match names.as_slice() {
            [] => format!("The game continues. {turn}"),
            _ => format!("Taken back: {}. {turn}", names.join(", ")),
        });
    }

    fn redo(&mut self, now: Duration) {
        if self.game.redo() == 0 {
            return self.tell("There is no move to play again.");
        }
        self.changed();
        self.position_chosen(now);
        let name = self.game.last().map(|last| last.name.clone()).unwrap_or_default();
        self.tell(format!("Played again up to {name}. {}", sentences::turn(&self.game)));
    }

    /// Handles a position that the player chose, from which the game continues.
    fn position_chosen(&mut self, now: Duration) {
        let node = self.game.tree().current();
        if let Some(clock) = &mut self.clock {
            clock.go_to(node, now);
        }
        self.is_live = self.game.has_human();
        (self.question, self.hint) = (None, None);
        self.epoch += 1;
        self.revision += 1;
    }

    fn ask(&mut self, question: Question) {
        if let Some(why) = self.refuse_engine_turn() {
            return self.tell(why);
        }
        if self.game.pending().is_some() {
            return self.tell(sentences::turn(&self.game));
        }
        let node = self.game.tree().current();
        if question == Question::Hint
            && let Some(hint) = self.hint.as_mut().filter(|hint| hint.node == node)
        {
            hint.shows_line = true;
        }
        self.question = Some((node, question));
        let summary = self.game.tree().summary(node);
        // A running analysis answers a question from this depth on, in plies.
        const MIN_DEPTH: u32 = 6;
        if summary.is_some_and(|it| it.is_complete || (self.analyses && it.depth >= MIN_DEPTH)) {
            self.answer_question();
        }
    }

    fn resign(&mut self) {
        if let Some(why) = self.refuse_engine_turn() {
            return self.tell(why);
        }
        if !self.game.has_sides() {
            return self.tell("Nobody has a side yet: finish the opening first.");
        }
        if !self.game.tree().is_at_end() {
            return self.tell("This is an earlier position: \"end\" goes to the last one.");
        }
        self.game.end(Ending::Resigned(self.game.position().turn()));
        self.changed();
        self.tell(sentences::turn(&self.game));
    }

    fn swap_sides(&mut self, now: Duration) {
        if matches!(self.game.pending(), Some(Pending { kind: PendingKind::MaySwap { .. }, .. })) {
            return self.choose("swap", now);
        }
        let swapped = match self.humans {
            Humans::First => Humans::Second,
            Humans::Second => Humans::First,
            Humans::Both => return self.tell("Tengen has no side; to play it: \"play first\"."),
            Humans::None => return self.tell("Tengen plays both sides; to play: \"play first\"."),
        };
        self.humans = swapped;
        self.game.swap_players();
        self.position_chosen(now);
        self.tell(self.sides());
    }

    fn set_humans(&mut self, humans: Humans, now: Duration) {
        self.humans = humans;
        self.game.set_players(players(humans));
        self.position_chosen(now);
        self.is_live = true;
        self.tell(self.sides());
    }

    /// Returns a message about who plays which side, and whose turn it is.
    fn sides(&self) -> String {
        let name = |side| sentences::side_and_player(&self.game, side);
        let turn = sentences::turn(&self.game);
        format!("{}, {}. {turn}", name(Side::First), name(Side::Second))
    }

    fn set_level(&mut self, level: Option<u8>) {
        if let Some(level) = level.map(|level| level.min(Strength::FULL)) {
            self.epoch += u64::from(level != self.level);
            self.revision += 1;
            self.level = level;
        }
        self.tell(format!("Tengen plays at level {} of {}.", self.level, Strength::FULL));
    }

    fn go(&mut self, now: Duration) {
        if self.game.turn() == Turn::Over {
            return self.tell("The game is over.");
        }
        if self.game.actor() == Some(Player::Engine) {
            match self.running.as_ref().filter(|_| self.is_live) {
                // The stopped search still answers with its best move so far, which is played.
                Some(running) => running.signal.stop(),
                None => self.position_chosen(now),
            }
            self.is_live = true;
            return;
        }
        if !self.game.has_sides() {
            return self.tell(sentences::turn(&self.game));
        }
        let humans = match self.game.position().turn() {
            Side::First => Humans::Second,
            Side::Second => Humans::First,
        };
        self.set_humans(humans, now);
    }

    fn browse(&mut self, command: &Command) {
        let tree = self.game.tree();
        let target = match command {
            Command::Back => tree.parent(tree.current()),
            Command::Forward => tree.next(),
            Command::First => Some(tree.root()),
            _ => tree.whole_line().last().copied(),
        };
        match target.filter(|id| *id != tree.current()) {
            Some(id) => self.show(id),
            None if matches!(command, Command::Back | Command::First) => {
                self.tell("This is the beginning of the game.");
            }
            None => self.tell("This is the last move."),
        }
    }

    fn go_to_ply(&mut self, ply: usize) {
        let line = self.game.tree().whole_line();
        if ply > line.len() {
            return self.tell(format!("to {ply}: the game has {} moves.", line.len()));
        }
        let node = ply.checked_sub(1).map_or(self.game.tree().root(), |index| line[index]);
        self.show(node);
    }

    fn variation(&mut self, step: isize) {
        match self.game.tree().sibling(step) {
            Some(id) => self.show(id),
            None => self.tell("There is no other variation of this move."),
        }
    }

    /// Shows a node of the game.
    pub(super) fn show(&mut self, id: crate::tree::GameNodeId) {
        self.game.go_to(id);
        (self.question, self.hint) = (None, None);
        // At the last move the game continues.
        self.is_live = self.game.tree().is_at_end() && self.game.has_human();
        self.epoch += 1;
        self.tell(self.position_message());
    }

    /// Returns a message about the shown position: the last move with its mark, reason and comment, or else
    /// whose turn it is.
    fn position_message(&self) -> String {
        let tree = self.game.tree();
        let whole = tree.whole_line().len();
        let Some(last) = self.game.last() else {
            return format!(
                "Beginning of the game, {whole} moves. {}",
                sentences::turn(&self.game)
            );
        };
        let side = side_name(self.game.spec(), last.side);
        let sign = self.grade(tree.current()).sign();
        let mut message = format!("Move {} of {whole}: {side} {}{sign}.", tree.ply(), last.name);
        if self.game.ending().is_some() {
            message += &format!(" {}", sentences::turn(&self.game));
        }
        if let Some(reason) = self.reason(tree.current()) {
            message += &format!(" {reason}");
        }
        match tree.comment(tree.current()) {
            "" => message,
            comment => format!("{message} {}", comment.replace('\n', " ")),
        }
    }

    fn set_analysis(&mut self, on: Option<bool>) {
        self.analyses = on.unwrap_or(!self.analyses);
        self.tell(if self.analyses { "Analysis is on." } else { "Analysis is off." });
    }

    fn set_lines(&mut self, lines: usize) {
        self.lines = lines;
        self.epoch += 1;
        let moves = if lines == 1 { "move" } else { "moves" };
        self.tell(format!("The analysis ranks {lines} {moves}."));
    }

    fn tell_last(&mut self) {
        let Some(last) = self.game.last() else { return self.tell("There is no move yet.") };
        let who = sentences::side_and_player(&self.game, last.side);
        self.tell(format!("Move {}: {who} {}.", self.game.tree().ply(), last.name));
    }

    fn show_moves(&mut self) {
        const A_LINE: usize = 10;
        let line = self.game.tree().whole_line();
        if line.is_empty() {
            return self.tell("There is no move yet.");
        }
        let name = |index: usize| {
            let id = line[index];
            let name = self.game.tree().played(id).map(|played| played.name.as_str());
            let here = if index + 1 == self.game.tree().ply() { "*" } else { "" };
            format!("{}{}{here}", name.unwrap_or_default(), self.grade(id).sign())
        };
        let rows = (0..line.len()).step_by(A_LINE).map(|from| {
            let names: Vec<String> = (from..line.len().min(from + A_LINE)).map(name).collect();
            format!("{:>3}. {}", from + 1, names.join(" "))
        });
        self.effects.push(Effect::Show(Show::Lines(rows.collect())));
    }

    fn tell_forbidden(&mut self) {
        let side = side_name(self.game.spec(), self.game.position().turn());
        let points: Vec<String> =
            self.game.forbidden().iter().map(|(at, rule)| format!("{at} ({rule})")).collect();
        self.tell(match points.is_empty() {
            true => format!("No point is forbidden to {side}."),
            false => format!("Forbidden to {side}: {}.", points.join(", ")),
        });
    }

    fn tell_clock(&mut self, now: Duration) {
        let message = match self.time_control() {
            None => "There is no clock.".to_owned(),
            Some(TimeControl::Move(limit)) => {
                match self.time_left(self.game.position().turn(), now) {
                    Some(left) => format!("You have {} s for this move.", left.as_secs()),
                    None => format!("There are {} s for each move.", limit.as_secs()),
                }
            }
            Some(TimeControl::Game { base, .. }) => {
                let left = self.game_clocks(now).unwrap_or([base; 2]);
                format!("Clocks: {}.", sentences::clocks(&self.game, left))
            }
        };
        self.tell(message);
    }

    fn comment(&mut self, text: &str) {
        let here = self.game.tree().current();
        self.game.tree_mut().set_comment(here, text);
        self.changed();
        self.tell(if text.is_empty() {
            "The comment is taken away."
        } else {
            "The comment is kept."
        });
    }

    /// Begins a game. `words` may name a variant, a size and an opening rule, in any order.
    fn new_game(&mut self, words: &[String], now: Duration) {
        let spec = self.game.spec();
        let (mut name, mut chosen) = (spec.variant, spec.chosen.clone());
        let mut rule = self.game.opening().filter(|_| words.is_empty()).map(Course::rule);
        for word in words {
            if let Some(variant) = self.catalog.variant(word) {
                (name, chosen) = (variant.name, Chosen::new());
            }
        }
        let mut rule_name = None;
        for word in words {
            if let Some(size) = board_size(word) {
                BoardOption::set_size(&mut chosen, size);
                if !self.catalog.variant(name).is_some_and(Variant::takes_size) {
                    return self.tell(format!("new {word}: {name} is played on one size only."));
                }
            } else if self.catalog.variant(word).is_none() {
                rule_name = Some(word);
            }
        }
        let spec = match self.catalog.describe(name, &chosen) {
            Ok(spec) => spec,
            Err(error) => return self.tell(format!("new {}: {error}", words.join(" "))),
        };
        if let Some(name) = rule_name {
            rule = match self.catalog.opening_rule(&spec, name) {
                Ok(rule) => Some(rule),
                Err(why) => {
                    let names: Vec<&str> =
                        self.catalog.variants().iter().map(|it| it.name).collect();
                    return self.tell(format!(
                        "new {name}: no variant or size such as 15x15 or 15, and {why}; \
                         variants are {}.",
                        names.join(", ")
                    ));
                }
            };
        }
        self.begin_game(&spec, rule, now);
    }

    /// Begins the game that was chosen in the dialog.
    fn begin(&mut self, game: NewGame, now: Duration) {
        let spec = match self.catalog.describe(game.variant, &game.chosen) {
            Ok(spec) => spec,
            Err(error) => return self.tell(format!("{error}.")),
        };
        (self.humans, self.level) = (game.humans, game.level);
        self.clock = game.time.map(|control| Clock::new(control, now));
        let rule = game.opening.and_then(|name| self.catalog.opening_rule(&spec, name).ok());
        self.begin_game(&spec, rule, now);
    }

    fn begin_game(&mut self, spec: &GameSpec, rule: Option<&'static OpeningRule>, now: Duration) {
        let mut game = SeatedGame::new(self.catalog.position(spec), rule);
        game.set_players(players(self.humans));
        self.open(game, self.humans);
        if let Some(clock) = &mut self.clock {
            clock.restart(now);
        }
        self.announce_game();
    }
}

/// Returns the columns and rows of a text like `15x15`, `15*15` or `15`.
fn board_size(word: &str) -> Option<(i64, i64)> {
    let (width, height) = word.split_once(['x', 'X', '*', '\u{d7}']).unwrap_or((word, word));
    Some((width.parse().ok()?, height.parse().ok()?))
}

/// Returns the message for a text that is not a move. It mentions the commands if the text looks
/// like a word.
fn unread_message(text: &str, why: &str) -> String {
    let looks_like_word =
        text.chars().filter(|c| c.is_alphabetic()).count() > 1 && !text.starts_with(['p', 'P']);
    let hint = if looks_like_word { "; help lists the commands" } else { "" };
    format!("{why}{hint}.")
}
