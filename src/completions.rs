//! `tengen completions` and `tengen man`: completion scripts and manual pages, made from the
//! definition of the command line.

use clap::Command;
use clap_complete::Shell;

use crate::exit_status::{Refusal, print};

const COMPLETIONS: &str = "\
Examples:
  tengen completions bash > tengen.bash
      for bash: put the file into ~/.local/share/bash-completion/completions/ as tengen
  tengen completions zsh > _tengen
      for zsh: put it into a directory of $fpath
  tengen completions fish > tengen.fish
      for fish: put it into ~/.config/fish/completions/";

const MAN: &str = "\
Examples:
  tengen man > tengen.1
      read it with: man ./tengen.1
  tengen man analyze > tengen-analyze.1
      the page of a subcommand
  tengen man book build > tengen-book-build.1
      the page of a subcommand's own subcommand";

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
    let mut page = Vec::new();
    clap_mangen::Man::new(page_of(&args.subcommand, command)?).render(&mut page)?;
    print(page)
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
            let why = format!("{of} has no subcommand \"{name}\": there are {known}");
            return Err(Refusal(why).into());
        };
        command = found.clone();
    }
    Ok(command)
}

/// Returns the command without the subcommands `help`, which have no page.
fn without_help(command: Command) -> Command {
    command.disable_help_subcommand(true).mut_subcommands(without_help)
}
