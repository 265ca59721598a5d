//! `arena report`: prints the tables of a run from its journal, writes its files again, and writes its page.

use std::path::Path;

use tengen_engine::text::quotable;
use tengen_runs::journal::read_folder;

use super::before::rated;
use super::folder::RunFolder;
use super::page;
use super::play::caption;
use super::{Context, Ended, Failure, refuse};
use crate::config::Config;
use crate::output::files::Files;
use crate::output::{report, table};
use crate::record::{GameRecord, JournalRecord, RunHead};
use crate::tally::TestProgress;

/// The names of the options, for messages.
const OPTIONS: &str = "--details, --markdown, --html, --rebuild";

/// The options of `arena report`.
#[derive(Default, PartialEq, Eq)]
struct Options {
    with_details: bool,
    is_markdown: bool,
    is_html: bool,
    rebuilds: bool,
}

/// Prints the tables of a run folder. With `--rebuild` it also writes the files of the run again.
pub(super) fn report(args: &[String], context: &mut Context<'_>) -> Ended {
    let (folder, page, options) = read(args)?;
    let folder = RunFolder::open(Path::new(folder))?;
    if let Some(page) = page {
        return page::write(&folder, Path::new(page), context);
    }
    let config = Config::read(&folder.settings()?, context.catalog)?;
    let records = read_folder(&folder.0)?;
    let own = || config.engines.iter().map(|engine| engine.label()).collect();
    let names = RunHead::of(&records).map_or_else(own, |head| head.players.clone());
    let (tally, test) = TestProgress::of(&config, &names, &records);
    let ratings = rated(&tally, &config);
    if options.rebuilds {
        let caption = caption(&config, &config.spec(context.catalog)?, &names);
        let games: Vec<&GameRecord> = records.iter().filter_map(JournalRecord::game).collect();
        let files = Files::open(&config.outputs, &folder.0, caption, &games)?;
        files.write_tables(&tally, &ratings)?;
    }
    let is_page = options.is_markdown || options.is_html;
    let width = if is_page { usize::MAX } else { context.console.width() };
    let with_details = options.with_details;
    let sections = table::sections(&tally, &ratings, test.as_ref(), &config, with_details, width);
    let title = folder.title(&config);
    context.print(&match (options.is_markdown, options.is_html) {
        (true, _) => report::markdown(&sections, &title),
        (_, true) => report::html(&sections, &title),
        _ => report::text(&sections, width),
    })
}

/// Reads the command line: the folder, the file of its page, and the options.
fn read(args: &[String]) -> Result<(&str, Option<&str>, Options), Failure> {
    let mut options = Options::default();
    let mut folders = Vec::new();
    for arg in args {
        match arg.strip_prefix('-').map(|name| name.strip_prefix('-').unwrap_or(name)) {
            Some("details") => options.with_details = true,
            Some("markdown") => options.is_markdown = true,
            Some("html") => options.is_html = true,
            Some("rebuild") => options.rebuilds = true,
            Some(_) => {
                return refuse!("report: \"{}\": it must be one of {OPTIONS}", quotable(arg));
            }
            None => folders.push(arg.as_str()),
        }
    }
    if options.is_markdown && options.is_html {
        return refuse!("report: one of --markdown and --html at most");
    }
    match folders.as_slice() {
        [folder] => Ok((folder, None, options)),
        [folder, page] if page.ends_with(".html") && options == Options::default() => {
            Ok((folder, Some(page), options))
        }
        [_, page] if page.ends_with(".html") => {
            refuse!("report: \"{}\" is a page, which takes no other option", quotable(page))
        }
        [_, page] => {
            refuse!("report: \"{}\": the name of a page must end with .html", quotable(page))
        }
        _ => refuse!("report: the folder of one run expected, then FILE.html, or {OPTIONS}"),
    }
}
