//! The output files beside the journal. Each finished game is appended. On opening, the files are
//! completed from the records.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tengen_runs::files::{Target, with_room};
use tengen_runs::{Error, replace};

use super::{Caption, csv, json, pgn, sgf};
use crate::config::{OutputConfig, OutputFile};
use crate::record::GameRecord;
use crate::stats::ratings::Ratings;
use crate::tally::Tally;

/// Writes a game in the format of a file; `None` if the format cannot hold it.
type Writer = fn(&GameRecord, &Caption) -> Option<String>;

/// Why standard output is no file of a run.
const SHOWS_RUN: &str = "standard output shows the run: name a file";

/// A file of games.
struct GameFile {
    path: PathBuf,
    file: File,
    write: Writer,
}

/// The output files of a run.
pub struct Files {
    caption: Caption,
    games: Vec<GameFile>,
    tables: Option<PathBuf>,
    /// How long a write waits for room on the disk.
    patience: Duration,
}

impl Files {
    /// Opens the files. An incomplete game at the end is cut off, and missing `games` are appended.
    pub fn open(
        outputs: &OutputConfig,
        folder: &Path,
        caption: Caption,
        games: &[&GameRecord],
    ) -> Result<Self, Error> {
        let tables = outputs.csv.path(folder, "");
        let table = match &tables {
            Some(folder) => OutputFile::At(folder.join("games.csv")),
            None => OutputFile::Off,
        };
        let sgf_file = if caption.grid.is_some() { &outputs.sgf } else { &OutputFile::Off };
        let named: [(&OutputFile, &str, &str, Writer); 4] = [
            (&outputs.pgn, "games.pgn", "", |record, caption| Some(pgn::game(record, caption))),
            (sgf_file, "games.sgf", "", sgf::game),
            (&outputs.jsonl, "games.jsonl", "", |record, caption| {
                Some(json::game(record, caption))
            }),
            (&table, "", csv::GAMES_HEAD, |record, caption| Some(csv::game(record, caption))),
        ];
        let mut files = Vec::new();
        for (file, name, head, write) in named {
            let Some(path) = file.path(folder, name) else { continue };
            let texts: Vec<String> =
                games.iter().filter_map(|record| write(record, &caption)).collect();
            let file = match file {
                OutputFile::Append(_) => append(&path, &texts),
                _ => open(&path, (head.to_owned() + &texts.concat()).as_bytes()),
            };
            let file = file.map_err(Error::at(&path))?;
            files.push(GameFile { path, file, write });
        }
        Ok(Self { caption, games: files, tables, patience: Duration::ZERO })
    }

    /// Lets writes wait for room on the disk, at most for `patience`.
    pub const fn wait_for_room(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// Appends a game to all files.
    pub fn add(&mut self, record: &GameRecord) -> Result<(), Error> {
        for GameFile { path, file, write } in &mut self.games {
            let Some(text) = write(record, &self.caption) else { continue };
            let written = with_room(file, self.patience, |file| file.write_all(text.as_bytes()));
            written.map_err(Error::at(path))?;
        }
        Ok(())
    }

    /// Writes the tables of players and encounters again.
    pub fn write_tables(&self, tally: &Tally, ratings: &Ratings) -> Result<(), Error> {
        let Some(folder) = &self.tables else { return Ok(()) };
        for (name, text) in [
            ("players.csv", csv::players(tally, ratings)),
            ("encounters.csv", csv::encounters(tally)),
        ] {
            let path = folder.join(name);
            replace(&path, text.as_bytes())?;
        }
        Ok(())
    }
}

/// Opens a file of games for the games after `whole`. A device or a pipe gets `whole` again.
fn open(path: &Path, whole: &[u8]) -> io::Result<File> {
    match Target::of(path)? {
        Target::File(path) => set_content(&path, whole),
        Target::Device(path) => {
            let mut file = OpenOptions::new().append(true).open(path)?;
            file.write_all(whole)?;
            Ok(file)
        }
        Target::Standard => Err(io::Error::other(SHOWS_RUN)),
    }
}

/// Opens a file that may have games of others, and adds the `games` that it lacks. A game that was not
/// written to its end is completed.
fn append(path: &Path, games: &[String]) -> io::Result<File> {
    let path = match Target::of(path)? {
        Target::File(path) => path,
        Target::Device(_) => return open(path, games.concat().as_bytes()),
        Target::Standard => return Err(io::Error::other(SHOWS_RUN)),
    };
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
    let mut found = Vec::new();
    file.read_to_end(&mut found)?;
    let text = String::from_utf8_lossy(&found);
    let mut missing = games.iter().filter(|game| !text.contains(*game)).map(String::as_str);
    let first = missing.next().unwrap_or_default();
    let begun = (1..first.len()).rev().find(|end| found.ends_with(&first.as_bytes()[..*end]));
    if begun.is_none() && found.last().is_some_and(|last| *last != b'\n') {
        file.write_all(b"\n")?;
    }
    file.write_all(&first.as_bytes()[begun.unwrap_or(0)..])?;
    missing.try_for_each(|game| file.write_all(game.as_bytes()))?;
    Ok(file)
}

/// Refuses `named` outputs that would replace a file that another run or program wrote. Each has the
/// name of its option.
pub fn check<'a>(
    named: impl IntoIterator<Item = (&'static str, &'a Path)>,
    force: bool,
) -> Result<(), String> {
    for (option, path) in named {
        let name = path.display();
        let target = Target::of(path).map_err(|why| format!("-{option} {name}: {why}"))?;
        let is_empty = || path.metadata().is_ok_and(|file| file.len() == 0);
        if target == Target::Standard {
            return Err(format!("-{option} {name}: {SHOWS_RUN}"));
        }
        if target.is_taken() && !is_empty() && !force {
            return Err(format!("-{option}: {name} exists: -force overwrites it"));
        }
        target.check().map_err(|why| format!("-{option}: cannot write {name}: {why}"))?;
    }
    Ok(())
}

/// Makes `whole` the content of a file. The equal part at the beginning is not written again.
fn set_content(path: &Path, whole: &[u8]) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let mut file = options.read(true).write(true).create(true).truncate(false).open(path)?;
    let mut found = Vec::new();
    Read::by_ref(&mut file).take(whole.len() as u64).read_to_end(&mut found)?;
    let equal = found.iter().zip(whole).take_while(|(one, other)| one == other).count();
    file.set_len(equal as u64)?;
    file.seek(SeekFrom::Start(equal as u64))?;
    file.write_all(&whole[equal..])?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_added_once_after_those_of_others() {
        let path = std::env::temp_dir().join(format!("tengen-append-{}.pgn", std::process::id()));
        let content = |games: &[&str]| {
            let games: Vec<String> = games.iter().map(|game| (*game).to_owned()).collect();
            append(&path, &games).unwrap();
            std::fs::read_to_string(&path).unwrap()
        };
        std::fs::write(&path, "[Event \"other\"]\n\n1-0").unwrap();
        let (one, two) = ("[Event \"a\"]\n\n1-0\n\n", "[Event \"b\"]\n\n0-1\n\n");
        let whole = format!("[Event \"other\"]\n\n1-0\n{one}{two}");
        assert_eq!(content(&[one, two]), whole);
        assert_eq!(content(&[one, two]), whole);
        // The process was killed while it wrote the second game.
        std::fs::write(&path, &whole[..whole.len() - 9]).unwrap();
        assert_eq!(content(&[one, two]), whole);
        std::fs::remove_file(&path).unwrap();
    }
}
