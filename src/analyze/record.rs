//! The games of a record file in any supported format: their rules, boards, stones and moves.

use std::path::Path;
use std::rc::Rc;

use tengen_engine::GridNotation;
use tengen_games::CATALOG;
use tengen_records::{Collection, Fault, ReadOptions, Remark};

use super::setup::{RuleOfGame, Start, StartAndMoves, require_grid};
use super::stones::Size;
use crate::exit_status::Refusal;
use crate::files::read_bytes;
use crate::record_files::refusal;

/// A file of games.
pub(super) struct RecordFile {
    name: String,
    collection: Collection,
}

/// A game of a file.
#[derive(Clone)]
pub(super) struct ReviewedGame {
    file: Rc<RecordFile>,
    index: usize,
}

impl RecordFile {
    /// Reads a file. `notation` is the board of the game that the user has named.
    pub(super) fn read(path: &Path, notation: Option<GridNotation>) -> anyhow::Result<Rc<Self>> {
        let name = path.display().to_string();
        let options = ReadOptions::new().named(&name);
        let options = match notation {
            Some(notation) => options.on(notation),
            None => options,
        };
        let collection = tengen_records::read(&read_bytes(path)?, &options);
        let collection = collection.map_err(|fault| refusal(&name, &fault))?;
        Ok(Rc::new(Self { name, collection }))
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the games, at least one.
    pub(super) fn games(self: &Rc<Self>) -> impl ExactSizeIterator<Item = ReviewedGame> + use<> {
        let file = Rc::clone(self);
        let count = self.collection.records().len();
        (0..count).map(move |index| ReviewedGame { file: Rc::clone(&file), index })
    }

    /// Returns the file as SGF with remarks in its games. `remarks` has a list for each of the
    /// first games.
    pub(super) fn annotated(&self, remarks: &[Vec<Remark>]) -> Vec<u8> {
        self.collection.to_annotated_sgf(remarks)
    }
}

impl ReviewedGame {
    fn record(&self) -> &tengen_records::Record {
        &self.file.collection.records()[self.index]
    }

    fn refusal(&self, fault: &Fault) -> Refusal {
        refusal(&self.file.name, fault)
    }

    /// Returns the rules that the record names.
    pub(super) fn rule(&self) -> Result<RuleOfGame, Refusal> {
        let choice = self.record().choose(&CATALOG).map_err(|fault| self.refusal(&fault))?;
        let warning = choice
            .warning
            .map(|fault| format!("{}: {fault}; --variant chooses another", self.file.name));
        let overline = choice.chosen.get("Overline") != Some(&0);
        Ok(RuleOfGame { variant: choice.variant, overline, warning })
    }

    /// Returns the size of the board; `None` if the record does not name it.
    pub(super) fn size(&self) -> Result<Option<Size>, Refusal> {
        self.record().board_size().map_err(|fault| self.refusal(&fault))
    }

    /// Returns the game as PSQ.
    pub(super) fn psq(&self, notation: Option<GridNotation>) -> Result<String, Refusal> {
        let no_grid = || Refusal("this game has no board of points, as PSQ needs".to_owned());
        let psq = self.record().to_psq(notation.ok_or_else(no_grid)?);
        psq.map_err(|fault| self.refusal(&fault))
    }

    /// Returns the start and the moves of the record. Refuses a game without a grid.
    pub(super) fn setup(&self, notation: Option<GridNotation>) -> Result<StartAndMoves, Refusal> {
        let notation = require_grid(notation)?;
        let line = self.record().line(notation).map_err(|fault| self.refusal(&fault))?;
        let mut setup = StartAndMoves::default();
        if !line.is_from_start() {
            setup.start = Start::Stones(line.start);
        }
        for played in line.moves {
            setup.moves.push(played.point.to_string());
            let name = &self.file.name;
            setup.places.push(match played.place {
                Some(place) => format!("{name}: {place}"),
                None => name.clone(),
            });
            setup.nodes.push(played.node);
        }
        Ok(setup)
    }
}
