//! Loads the game of a record from a file.

use std::fs::{File, metadata};
use std::io::Read;

use tengen_engine::BoardOption;
use tengen_records::{Fault, Format, ReadOptions, read};

use super::Session;

/// The largest record, in bytes.
const MAX_BYTES: u64 = 16 << 20;

impl Session {
    /// Loads the game of a file in the format SGF: the position before the move `before`, counted from 1;
    /// after the last move if it is `None`. A record that names no rules has those of the current game. On
    /// an error nothing changes.
    pub(super) fn load(&mut self, file: &str, before: Option<usize>) -> Result<(), String> {
        let (catalog, bytes) = (self.engine.catalog, read_bytes(file)?);
        let said = |fault: Fault| fault.to_string();
        let games = read(&bytes, &ReadOptions::new().format(Format::SGF)).map_err(said)?;
        let record = games.records().first().ok_or("the file has no game")?;
        let chosen = record.choose(catalog).ok().filter(|choice| choice.warning.is_none());
        let (variant, mut options) = match chosen {
            Some(choice) => (choice.variant, choice.chosen),
            None => (self.active.variant(), self.active.spec().chosen.clone()),
        };
        if record.board_size().map_err(said)?.is_some() {
            options.retain(|name, _| !BoardOption::named(name).is_some_and(BoardOption::is_size));
        }
        record.add_size(catalog, variant, &mut options).map_err(said)?;
        let spec = catalog.describe(variant, &options).map_err(|error| error.to_string())?;
        let (_, mut position) = record.played(catalog, &spec).map_err(said)?;
        let moves = before.map_or(usize::MAX, |before| before.saturating_sub(1));
        position.undo_to(moves.min(position.played().len()));
        let options: Vec<_> = spec.chosen.iter().map(|(name, value)| (*name, *value)).collect();
        self.change_game(variant, &options, None).map_err(|error| error.to_string())?;
        self.active.new_game();
        self.active.set_to(position);
        Ok(())
    }
}

/// Returns the bytes of a file. A pipe or a device could have no end.
fn read_bytes(file: &str) -> Result<Vec<u8>, String> {
    let is_file = metadata(file).map_err(|error| error.to_string())?.is_file();
    if !is_file {
        return Err("it is no file".to_owned());
    }
    let mut bytes = Vec::new();
    let opened = File::open(file).map(|opened| opened.take(MAX_BYTES + 1));
    let read = opened.and_then(|mut opened| opened.read_to_end(&mut bytes));
    read.map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("it has more than {} MiB", MAX_BYTES >> 20));
    }
    Ok(bytes)
}
