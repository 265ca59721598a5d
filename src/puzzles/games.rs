//! The games of a collection, and their positions: each one once, whatever symmetry it has.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};
use tengen_engine::backend::Catalog;
use tengen_engine::{GameSpec, Move, Placement, Position};
use tengen_games::CATALOG;
use tengen_records::{Collection, ReadOptions, Record};
use tengen_runs::journal;

use super::Args;
use crate::exit_status::{Refusal, report, warn};
use crate::record_files::{Warnings, game_name, game_of, playable, read_games, refusal};
use crate::symmetry::symmetries;

/// The names of files that folders are searched for.
const EXTENSIONS: [&str; 7] = ["sgf", "pgn", "psq", "lib", "txt", "mov", "jsonl"];

/// A game of a file.
#[derive(Debug)]
pub(super) struct Game {
    pub(super) file: String,
    /// The number of the game in its file, from 1.
    pub(super) number: usize,
    pub(super) spec: GameSpec,
    /// The stones before the first move; `None` for the start of the game.
    pub(super) start: Option<Placement>,
    pub(super) moves: Vec<Move>,
}

/// The games of a collection.
#[derive(Default)]
pub(super) struct Games {
    pub(super) games: Vec<Arc<Game>>,
    /// How many games and files were refused.
    pub(super) refused: usize,
    /// How many games are of another variant than the one that the user named.
    pub(super) left_out: usize,
}

/// A position of a game: after this number of its moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct PositionId {
    /// The index of the game.
    pub(super) game: usize,
    pub(super) plies: usize,
}

impl Game {
    /// Returns the position after the first `plies` moves.
    pub(super) fn position(&self, plies: usize) -> Result<Box<dyn Position>, String> {
        let mut position = CATALOG.position(&self.spec);
        if let Some(start) = &self.start {
            position.place(start).map_err(|why| why.to_string())?;
        }
        for mv in &self.moves[..plies] {
            position.play(*mv).map_err(|why| why.to_string())?;
        }
        Ok(position)
    }
}

impl Games {
    /// Reads the games of files and folders. What cannot be read is reported, or with `--strict`
    /// refused.
    pub(super) fn read(args: &Args) -> anyhow::Result<Self> {
        let (mut games, mut errors) = (Self::default(), Vec::new());
        for path in files_of(&args.collection, &args.out)? {
            match games.add_file(&path, args) {
                Err(why) if args.strict || !why.is::<Refusal>() => return Err(why),
                Err(why) => errors.push(why),
                Ok(()) => {}
            }
        }
        games.refused += errors.len();
        if games.games.is_empty() && games.left_out == 0 && !errors.is_empty() {
            return Err(errors.swap_remove(0));
        }
        errors.iter().for_each(|why| report(&why.to_string()));
        Ok(games)
    }

    /// Adds the games of a file. The error is that of the file, or of its only game.
    fn add_file(&mut self, path: &Path, args: &Args) -> anyhow::Result<()> {
        let file = path.display().to_string();
        let options = ReadOptions::new().skips_bad_games(!args.strict);
        let collection = read_games(path, options, &args.board)?;
        let mut warnings = Warnings::of(&file, &collection);
        let count = collection.records().len();
        for index in 0..count {
            let place = game_name(&file, index + 1, count);
            match game(&collection, index, &place, args, &mut warnings) {
                Ok(Some(game)) => {
                    let number = index + 1;
                    self.games.push(Arc::new(Game { file: file.clone(), number, ..game }));
                }
                Ok(None) => self.left_out += 1,
                Err(why) if args.strict || count == 1 => return Err(why.into()),
                Err(why) => {
                    report(&why.to_string());
                    self.refused += 1;
                }
            }
        }
        Ok(())
    }

    /// Returns the positions of all games in their order, each one once up to symmetry, and the
    /// SHA-256 of them. Finished games have none.
    pub(super) fn positions(&self) -> Result<(Vec<PositionId>, Sha256), String> {
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        let mut digest = Sha256::new();
        for (index, game) in self.games.iter().enumerate() {
            let Some(notation) = game.spec.grid else { continue };
            let (grid, rules) =
                (notation.grid(), format!("{:?}", (game.spec.variant, &game.spec.chosen)));
            let maps = symmetries(grid, notation.falls());
            let mut position = game.position(0)?;
            for plies in 0..=game.moves.len() {
                if position.outcome().is_some() {
                    break;
                }
                let stones: Vec<u8> = grid
                    .all()
                    .map(|cell| {
                        position.stone(grid.point(cell)).map_or(0, |side| 1 + side.index() as u8)
                    })
                    .collect();
                let image = |map: &Vec<u32>| -> Vec<u8> {
                    let mut image = vec![0; stones.len()];
                    map.iter().zip(&stones).for_each(|(to, stone)| image[*to as usize] = *stone);
                    image
                };
                let least = maps.iter().map(image).min().unwrap_or_default();
                let key = Sha256::new()
                    .chain_update(&rules)
                    .chain_update([position.turn().index() as u8]);
                if seen.insert(key.chain_update(least).finalize()) {
                    digest.update(format!("{rules} {}\n", position.fen(false)));
                    found.push(PositionId { game: index, plies });
                }
                if let Some(mv) = game.moves.get(plies) {
                    position.play(*mv).map_err(|why| why.to_string())?;
                }
            }
        }
        Ok((found, digest))
    }
}

/// Returns a game of a collection without its file and number; `None` if its record names another
/// variant than the user.
fn game(
    collection: &Collection,
    index: usize,
    place: &str,
    args: &Args,
    warnings: &mut Warnings,
) -> Result<Option<Game>, Refusal> {
    if let Some(fault) = collection.fault(index) {
        return Err(refusal(place, fault));
    }
    let record = &collection.records()[index];
    if is_of_other_variant(record, args)? {
        return Ok(None);
    }
    let (spec, warning) = game_of(record, &args.board, place)?;
    warning.iter().for_each(|fault| warnings.say(fault));
    let (line, left_out) = playable(record, &spec).map_err(|fault| refusal(place, &fault))?;
    if let Some(fault) = left_out {
        warn(&format!("{place}: {fault}"));
    }
    let start = (!line.is_from_start()).then(|| line.start.clone());
    let moves = spec.grid.map_or_else(Vec::new, |notation| {
        line.moves.iter().map(|played| notation.move_to(played.point)).collect()
    });
    Ok(Some(Game { file: String::new(), number: 0, spec, start, moves }))
}

/// Returns whether a record names its rules, and the user names others.
fn is_of_other_variant(record: &Record, args: &Args) -> Result<bool, Refusal> {
    let Some(named) = args.board.named_game()? else { return Ok(false) };
    let names_rules =
        record.node(record.root()).text("RU").is_some_and(|rules| !rules.trim().is_empty());
    let own = record.spec(&CATALOG).ok().filter(|(_, warning)| warning.is_none());
    Ok(names_rules && own.is_some_and(|(own, _)| own.variant != named.variant))
}

/// Returns the files to read: those that the user named, and in folders all files of records but
/// `out`, in the order of their names.
fn files_of(paths: &[PathBuf], out: &Path) -> Result<Vec<PathBuf>, Refusal> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let before = files.len();
        add_folder(path, out, &mut files)?;
        if files.len() == before {
            let known = EXTENSIONS.join(", .");
            let why = format!("{}: the folder has no file .{known}", path.display());
            return Err(Refusal(why));
        }
    }
    Ok(files)
}

fn add_folder(folder: &Path, out: &Path, files: &mut Vec<PathBuf>) -> Result<(), Refusal> {
    let unreadable = |error| Refusal::unreadable(folder, &error);
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let mut paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<Vec<PathBuf>>>()
        .map_err(unreadable)?;
    paths.sort();
    for path in paths {
        // A link to a folder could lead back to it.
        if path.is_dir() && !path.is_symlink() {
            add_folder(&path, out, files)?;
        } else if path.is_file() && path != out && is_of_records(&path) {
            files.push(path);
        }
    }
    Ok(())
}

fn is_of_records(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let is_known = extension
        .is_some_and(|extension| EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str()));
    is_known && !path.ends_with(journal::FILE)
}
