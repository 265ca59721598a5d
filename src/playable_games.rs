//! [`Reader`]: reads the games of files that can be played, and reports the others.

use tengen_engine::GameSpec;
use tengen_games::CATALOG;
use tengen_records::{Collection, MainLine, Record};

use crate::board::BoardArgs;
use crate::exit_status::{Refusal, report};
use crate::record_files::{Warnings, game_name, game_of, play, refusal};

/// A game of a file.
pub(crate) struct FileGame<'c> {
    /// The number in the file, from 1.
    pub(crate) number: usize,
    /// The name of the game in messages.
    pub(crate) place: String,
    pub(crate) record: &'c Record,
    /// The game and its moves; `None` if it cannot be played.
    pub(crate) played: Option<(GameSpec, MainLine)>,
}

/// Reads games as the user says.
pub(crate) struct Reader<'a> {
    board: &'a BoardArgs,
    /// Whether a game that cannot be played is an error.
    strict: bool,
    /// Whether games of another variant than the one that the user named are left out.
    leaves_out: bool,
    /// The number of games that were left out.
    pub(crate) left_out: usize,
    /// The number of games that were refused.
    pub(crate) refused: usize,
    /// Why the first one was.
    pub(crate) first_error: Option<Refusal>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(board: &'a BoardArgs, strict: bool) -> Self {
        Self { board, strict, leaves_out: false, left_out: 0, refused: 0, first_error: None }
    }

    /// Leaves out games of another variant than the one that the user named.
    pub(crate) fn leaving_out(self) -> Self {
        Self { leaves_out: true, ..self }
    }

    /// Calls `each` with each game of the file `name` that could be read. The error is that of a game if
    /// it is the only one.
    pub(crate) fn read<'c>(
        &mut self,
        name: &str,
        collection: &'c Collection,
        mut each: impl FnMut(FileGame<'c>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let mut warnings = Warnings::of(name, collection);
        let count = collection.records().len();
        for (index, record) in collection.records().iter().enumerate() {
            let number = index + 1;
            let place = game_name(name, number, count);
            let is_read = collection.fault(index).is_none();
            if self.leaves_out && is_read && self.is_of_other_variant(record)? {
                self.left_out += 1;
                continue;
            }
            let played = match self.play(collection, index, &place, &mut warnings) {
                Ok(played) => Some(played),
                Err(why) if self.strict || count == 1 => return Err(why),
                Err(why) => {
                    report(&why.to_string());
                    self.refused += 1;
                    self.first_error.get_or_insert(why);
                    None
                }
            };
            if is_read {
                each(FileGame { number, place, record, played })?;
            }
        }
        Ok(())
    }

    fn play(
        &self,
        collection: &Collection,
        index: usize,
        place: &str,
        warnings: &mut Warnings,
    ) -> Result<(GameSpec, MainLine), Refusal> {
        if let Some(fault) = collection.fault(index) {
            return Err(refusal(place, fault));
        }
        let record = &collection.records()[index];
        let (spec, warning) = game_of(record, self.board, place)?;
        warning.iter().for_each(|fault| warnings.say(fault));
        let (played, _) = play(record, &spec, place)?;
        Ok((spec, played.line))
    }

    /// Returns whether a record names its rules, and the user names others.
    fn is_of_other_variant(&self, record: &Record) -> Result<bool, Refusal> {
        let Some(named) = self.board.named_game()? else { return Ok(false) };
        let names_rules =
            record.node(record.root()).text("RU").is_some_and(|rules| !rules.trim().is_empty());
        let own = record.spec(&CATALOG).ok().filter(|(_, warning)| warning.is_none());
        Ok(names_rules && own.is_some_and(|(own, _)| own.variant != named.variant))
    }
}
