//! A folder with a shelf, and what tests do with it.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tengen_games::CATALOG;
use tengen_records::Record;
use tengen_shelf::{
    Explored, Filter, FoundGames, ImportOptions, ImportReport, ImportWatcher, PositionAsked, Shelf,
    explore, find, import,
};

/// A folder for files and a shelf.
pub(crate) struct Desk {
    folder: TempDir,
}

/// Keeps the problems of an import, and stops it after some portions.
#[derive(Default)]
pub(crate) struct Notes {
    pub(crate) problems: Vec<String>,
    /// The number of portions, stored or indexed, after which the import ends; `None` is never.
    pub(crate) left: Option<usize>,
}

impl Notes {
    fn goes_on(&mut self) -> bool {
        match &mut self.left {
            None => true,
            Some(0) => false,
            Some(left) => {
                *left -= 1;
                true
            }
        }
    }
}

impl ImportWatcher for Notes {
    fn problem(&mut self, text: &str) {
        self.problems.push(text.to_owned());
    }

    fn stored(&mut self, _: u64) -> bool {
        self.goes_on()
    }

    fn indexed(&mut self, _: u64) -> bool {
        self.goes_on()
    }
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file, and returns its path.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, content).expect("a file");
        path
    }

    pub(crate) fn shelf(&self) -> Shelf {
        self.shelf_named("my.shelf")
    }

    pub(crate) fn shelf_named(&self, name: &str) -> Shelf {
        Shelf::create_or_open(&self.path(name), &CATALOG).expect("a shelf")
    }

    /// Returns a shelf with the games of a file.
    pub(crate) fn with(
        &self,
        name: &str,
        content: impl AsRef<[u8]>,
    ) -> (Shelf, ImportReport, Notes) {
        let file = self.file(name, content);
        let mut shelf = self.shelf();
        let (report, notes) = add(&mut shelf, &[&file]);
        (shelf, report, notes)
    }
}

/// Imports files.
pub(crate) fn add(shelf: &mut Shelf, files: &[&Path]) -> (ImportReport, Notes) {
    let mut notes = Notes::default();
    let report = try_add(shelf, files, &mut notes).expect("an import");
    (report, notes)
}

pub(crate) fn try_add(
    shelf: &mut Shelf,
    files: &[&Path],
    notes: &mut Notes,
) -> Result<ImportReport, tengen_shelf::Error> {
    let game = |record: &Record| record.spec(&CATALOG);
    let files: Vec<PathBuf> = files.iter().map(|file| file.to_path_buf()).collect();
    import(shelf, &files, &ImportOptions::new(&game), notes)
}

/// Returns the position after moves on the board with the most games.
pub(crate) fn after(shelf: &mut Shelf, moves: &str) -> PositionAsked {
    let (ruleset, _) = shelf.rulesets().expect("boards").remove(0);
    let points: Vec<_> =
        moves.split_whitespace().map(|text| text.parse().expect("a point")).collect();
    PositionAsked::new(ruleset, None, &points)
}

/// Returns what was played after moves.
pub(crate) fn explored(shelf: &mut Shelf, moves: &str) -> Explored {
    let asked = after(shelf, moves);
    explore(shelf, &asked, &Filter::default(), &|| false).expect("counts")
}

/// Returns games, wins, draws and losses of each move after a position.
pub(crate) fn counts(shelf: &mut Shelf, moves: &str) -> Vec<[u64; 4]> {
    let moves = explored(shelf, moves).moves.into_iter().map(|mv| mv.results);
    let mut counts: Vec<[u64; 4]> =
        moves.map(|one| [one.games, one.wins, one.draws, one.losses]).collect();
    counts.sort_unstable();
    counts
}

/// Returns the games that a filter takes.
pub(crate) fn found(shelf: &mut Shelf, filter: &Filter) -> FoundGames {
    find(shelf, filter, None, None, None, &|| false).expect("games")
}
