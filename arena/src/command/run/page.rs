//! The page of a run: served during a run, by `arena show`, and written to a file by `arena report`.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::mpsc;

use parking_lot::Mutex;
use tengen_engine::text::quotable;
use tengen_runs::replace;

use super::before::PreparedRun;
use super::folder::RunFolder;
use super::{Context, Ended, Failure, Status, refusal, refuse};
use crate::config::Config;
use crate::watch::RunView;

/// The address of `arena show` without `-page`.
const ADDRESS: &str = "127.0.0.1:7880";

/// Serves the page of a run that begins now, if it has one.
pub(super) fn serve_live(run: &PreparedRun, context: &mut Context<'_>) -> Result<(), Failure> {
    let Some(address) = run.config.page else { return Ok(()) };
    let title = run.folder.title(&run.config);
    let view = RunView::open(&run.folder.0, title, run.config.clone(), run.spec.clone())?;
    serve(view, address, context)
}

/// Shows the run of a folder until the user interrupts.
pub(super) fn show(args: &[String], context: &mut Context<'_>) -> Ended {
    let (folder, address) = match args {
        [folder] => (folder, ADDRESS),
        [folder, option, address] if option.trim_start_matches('-') == "page" => {
            (folder, address.as_str())
        }
        _ => {
            let found = quotable(&args.join(" "));
            return refuse!("show \"{found}\": it must be FOLDER, or FOLDER -page {ADDRESS}");
        }
    };
    let address: SocketAddr = address.parse().map_err(|_| {
        let found = quotable(address);
        refusal!("-page \"{found}\": it must be an address and a port, such as {ADDRESS}")
    })?;
    let view = open(&RunFolder::open(Path::new(folder))?, context)?;
    let (sender, interrupted) = mpsc::channel();
    context.console.on_interrupt(Box::new(move || {
        let _ = sender.send(());
    }));
    serve(view, address, context)?;
    let _ = interrupted.recv();
    Ok(Status::Done)
}

/// Writes the page of a run with all its games to a file.
pub(super) fn write(folder: &RunFolder, path: &Path, context: &mut Context<'_>) -> Ended {
    let run = open(folder, context)?.export()?;
    let page = context.console.run_file(&run).map_err(Failure::refused)?;
    replace(path, page.as_bytes())?;
    Ok(Status::Done)
}

/// Opens the view of a run that this process does not play.
fn open(folder: &RunFolder, context: &mut Context<'_>) -> Result<RunView, Failure> {
    let config = Config::read(&folder.settings()?, context.catalog)?;
    let (title, spec) = (folder.title(&config), config.spec(context.catalog)?);
    Ok(RunView::open(&folder.0, title, config, spec)?)
}

/// Serves a page until the program ends.
fn serve(view: RunView, address: SocketAddr, context: &mut Context<'_>) -> Result<(), Failure> {
    let view = Mutex::new(view);
    let answer = Box::new(move |path: &str| view.lock().answer(path));
    let url = context.console.serve_run(address, answer);
    let url = url.map_err(|why| refusal!("-page {address}: {why}; port 0 is any free one"))?;
    context.note(&format!("the run is shown at {url}"));
    Ok(())
}
