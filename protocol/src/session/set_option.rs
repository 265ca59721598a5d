//! Applies the checked values of options.
//!
//! [`crate::options`] checks the ranges. The queue has stopped a search that an option would
//! disturb.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tengen_engine::Strength;
use tengen_engine::text::Style;

use super::active_game::ChosenFile;
use super::searching::sink;
use super::{Effect, Session};
use crate::options::{Key, NOTATION_VALUES, Value};

/// The note to a client that turns the book on in a build without one.
const NO_BOOK: &str = "option OwnBook: this build has no opening book; BookFile names one";

impl Session {
    pub(super) fn set_option(&mut self, name: &str, value: Option<&str>) {
        match self.options.read(name, value) {
            Ok((Key::LogFile, _)) if self.is_remote() => {
                self.refuse_remote("option Debug Log File");
            }
            Ok((Key::BookFile, _)) if self.is_remote() => self.refuse_remote("option BookFile"),
            Ok((Key::EvalFile, _)) if self.is_remote() => self.refuse_remote("option EvalFile"),
            Ok((key, Value::Number(number))) => self.set_number(key, number),
            Ok((Key::LogFile, Value::Text(path))) => {
                let path = Some(path).filter(|path| !path.is_empty()).map(PathBuf::from);
                self.effects.push(Effect::Log(path));
            }
            Ok((Key::BookFile, Value::Text(path))) => self.open_file(ChosenFile::Book, &path),
            Ok((Key::EvalFile, Value::Text(path))) => self.open_file(ChosenFile::Eval, &path),
            Ok((Key::ClearHash, Value::Pressed)) => self.active.clear_hash(),
            Ok(_) => {}
            Err(error) => self.refuse(error.to_string()),
        }
    }

    fn set_number(&mut self, key: Key, number: i64) {
        let size = usize::try_from(number).unwrap_or_default();
        let settings = *self.active.settings();
        let settings = match key {
            Key::Hash => settings.with_hash_mib(size),
            Key::Threads => settings.with_threads(size),
            Key::MultiPv => settings.with_multi_pv(size),
            Key::Ponder => settings.with_ponder(number != 0),
            Key::OwnBook => {
                if number != 0 && self.active.lacks_book() {
                    self.note(NO_BOOK.to_owned());
                }
                settings.with_own_book(number != 0)
            }
            Key::BookChoice | Key::BookWidth | Key::BookDepth => {
                let mut choice = settings.book_choice;
                match key {
                    Key::BookChoice => choice.is_best = number == 0,
                    Key::BookWidth => choice.width = size,
                    _ => choice.depth = size,
                }
                settings.with_book_choice(choice)
            }
            Key::MoveOverhead => {
                settings.with_overhead(Duration::from_millis(number.unsigned_abs()))
            }
            Key::NodesTime => settings.with_nodes_per_ms(u32::try_from(number).unwrap_or(u32::MAX)),
            Key::Skill | Key::SkillSeed | Key::LimitStrength | Key::Elo | Key::Analyse => {
                settings.with_strength(self.strength(key, number))
            }
            Key::ShowWdl => {
                self.shows_wdl = number != 0;
                return;
            }
            Key::Variant => return self.set_variant(size),
            Key::Notation => {
                self.notation = size;
                return self.apply_style();
            }
            Key::Game(name) => return self.set_rule(name, number),
            Key::ClearHash | Key::About | Key::Opponent => return,
            Key::LogFile | Key::BookFile | Key::EvalFile => return,
        };
        self.active.configure(settings);
    }

    fn open_file(&mut self, kind: ChosenFile, path: &str) {
        let file = Some(Path::new(path)).filter(|_| !path.is_empty());
        if let Err(error) = self.active.open_file(kind, file) {
            self.refuse(kind.refusal(path, &*error));
        }
    }

    /// Returns the strength after the option `key` is set to `number`.
    fn strength(&mut self, key: Key, number: i64) -> Strength {
        let strength = self.active.settings().strength;
        match key {
            Key::Skill => {
                let skill = u8::try_from(number).unwrap_or(Strength::FULL);
                return strength.with_skill(skill);
            }
            Key::SkillSeed => {
                return strength.with_seed(u32::try_from(number).unwrap_or_default());
            }
            Key::Analyse => return strength.with_analysis(number != 0),
            Key::LimitStrength => self.uses_elo = number != 0,
            _ => self.elo = u16::try_from(number).unwrap_or(u16::MAX),
        }
        strength.with_elo(self.uses_elo.then_some(self.elo))
    }

    /// Changes to the variant at `index` in the list of the option.
    fn set_variant(&mut self, index: usize) {
        let named = index.checked_sub(1).and_then(|at| self.engine.catalog.variants().get(at));
        self.note_drops(named.is_some());
        let variant = named.map_or(self.initial_variant, |variant| variant.name);
        match self.active.choose_variant(variant) {
            Ok(true) => self.on_game_changed(),
            Ok(false) => {}
            Err(why) => return self.refuse(why),
        }
        self.announce();
    }

    fn set_rule(&mut self, name: &'static str, value: i64) {
        match self.active.choose(name, value) {
            Ok(true) => {
                self.on_game_changed();
                self.announce();
            }
            Ok(false) => {}
            Err(why) => self.refuse(why),
        }
    }

    /// Handles a change of the game. The previous backend will not answer any more, so pending
    /// `isready` commands go to the new one.
    pub(super) fn on_game_changed(&mut self) {
        self.backend_ticket = self.next_ticket();
        self.active.set_sink(sink(&self.post, self.backend_ticket));
        for _ in 0..std::mem::take(&mut self.pending_readies) {
            self.ready();
        }
    }

    /// Writes moves as drops from now on, if the client wrote drops.
    pub(super) fn note_drops(&mut self, wrote_drops: bool) {
        if wrote_drops && !self.client_writes_drops && self.dialect.writes_drops() {
            self.client_writes_drops = true;
            self.apply_style();
        }
    }

    fn apply_style(&mut self) {
        self.style = match NOTATION_VALUES.get(self.notation) {
            Some(&"drop") => Style::Drop,
            Some(&"plain") => Style::Plain,
            Some(&"column") => Style::Column,
            _ if self.client_writes_drops => Style::Drop,
            _ => Style::Plain,
        };
    }
}
