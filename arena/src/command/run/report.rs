//! `arena report`: prints the tables of a run from its journal, and writes its files again.

use std::path::Path;

use tengen_engine::backend::Catalog;
use tengen_runs::journal::read_folder;

use super::before::streams;
use super::folder::RunFolder;
use super::play::caption;
use super::{Console, Failure, Status, print};
use crate::config::Config;
use crate::output::files::Files;
use crate::output::table;
use crate::tournament::record::{GameRecord, JournalRecord};
use crate::tournament::tally::{Tally, TestProgress};

/// Prints the tables of a run folder. With `--rebuild` it also writes the files of the run again.
pub(super) fn report(
    args: &[String],
    catalog: &dyn Catalog,
    console: &mut dyn Console,
) -> Result<Status, Failure> {
    let rebuild = args.iter().any(|arg| matches!(arg.as_str(), "--rebuild" | "-rebuild"));
    let names: Vec<&String> = args.iter().filter(|arg| !arg.starts_with('-')).collect();
    let unknown = args.iter().find(|arg| arg.starts_with('-') && !arg.ends_with("-rebuild"));
    let ([name], None) = (names.as_slice(), unknown) else {
        return Err(Failure::refused(
            "report: the folder of a run expected, and --rebuild at most",
        ));
    };
    let folder = RunFolder::open(Path::new(name))?;
    let config = Config::read(&folder.settings()?, catalog)?;
    let records = read_folder(&folder.0)?;
    let games: Vec<&GameRecord> = records.iter().filter_map(JournalRecord::game).collect();
    let names = records.iter().find_map(|record| match record {
        JournalRecord::Head(head) => Some(head.players.clone()),
        _ => None,
    });
    let names =
        names.unwrap_or_else(|| config.engines.iter().map(|engine| engine.label()).collect());
    let mut tally = Tally::new(&names);
    games.iter().for_each(|game| tally.add(game));
    let test = TestProgress::of(&config, &tally);
    let seed = config.seed ^ streams::RATINGS;
    let ratings = table::ratings(&tally, config.bootstrap as usize, seed);
    if rebuild {
        let caption = caption(&config, &config.spec(catalog)?, &names);
        let files = Files::open(&config.outputs, &folder.0, caption, &games)?;
        files.write_tables(&tally, &ratings)?;
    }
    let text = table::report(&tally, &ratings, test.as_ref(), console.width());
    print(console, &text)
}
