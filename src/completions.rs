//! `tengen completions` and `tengen man`: completion scripts and manual pages, made from the
//! definition of the command line.

use clap::Command;
use clap_complete::Shell;

use crate::exit_status::{print, refuse};

const COMPLETIONS: &str = include_str!("help/completions.txt").trim_ascii_end();

const MAN: &str = include_str!("help/man.txt").trim_ascii_end();

/// Print a script with which a shell completes the command line.
#[derive(clap::Args)]
#[command(after_help = COMPLETIONS)]
pub(crate) struct Args {
    /// The shell.
    shell: Shell,
}

/// Print the manual page, of the whole or of a subcommand.
#[derive(clap::Args)]
#[command(after_help = MAN)]
pub(crate) struct ManArgs {
    /// A subcommand, and one of its own.
    subcommand: Vec<String>,
}

/// Prints the script for `command`, the whole command line.
pub(crate) fn run(args: &Args, mut command: Command) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "tengen", &mut script);
    print(script)
}

/// Prints the page for `command`, the whole command line.
pub(crate) fn man(args: &ManArgs, command: Command) -> anyhow::Result<()> {
    let command = page_of(&args.subcommand, command)?;
    let own_help = own_help(&command);
    let page = clap_mangen::Man::new(command);
    let mut out = Vec::new();
    let Some(text) = own_help else {
        page.render(&mut out)?;
        return print(out);
    };
    page.render_title(&mut out)?;
    page.render_name_section(&mut out)?;
    page.render_synopsis_section(&mut out)?;
    page.render_description_section(&mut out)?;
    out.extend(preformatted("COMMANDS AND OPTIONS", &text).into_bytes());
    print(out)
}

/// Returns the help of a command that reads its own options; `None` for a command of clap.
fn own_help(command: &Command) -> Option<String> {
    #[cfg(feature = "arena")]
    if command.get_name() == "arena" {
        return tengen_arena::command::help(&["help".to_owned()]);
    }
    let _ = command;
    None
}

/// Returns a section of a manual page with the lines of `text` as they are.
fn preformatted(title: &str, text: &str) -> String {
    let line = |line: &str| {
        let line = line.replace('\\', "\\e").replace('-', "\\-");
        // A line that begins with a point or an apostrophe would be a request.
        let guard = if line.starts_with(['.', '\'']) { "\\&" } else { "" };
        format!("{guard}{line}\n")
    };
    let lines: String = text.lines().map(line).collect();
    format!(".SH \"{title}\"\n.nf\n{lines}.fi\n")
}

fn page_of(subcommand: &[String], command: Command) -> anyhow::Result<Command> {
    let mut command = without_help(command);
    // `build` gives every subcommand its full name.
    command.build();
    for name in subcommand {
        let Some(found) = command.find_subcommand(name) else {
            // Hidden subcommands are not listed, as in the help.
            let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
            let known: Vec<_> = shown.map(Command::get_name).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            let of = command.get_bin_name().unwrap_or_else(|| command.get_name());
            refuse!("{of} has no subcommand \"{name}\": there are {known}");
        };
        command = found.clone();
    }
    Ok(command)
}

/// Returns the command without the subcommands `help`, which have no page.
fn without_help(command: Command) -> Command {
    command.disable_help_subcommand(true).mut_subcommands(without_help)
}
