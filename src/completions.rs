//! `tengen completions` and `tengen man`: what shells and manual readers want to know of the command
//! line, made from its definition.

use clap::Command;
use clap_complete::Shell;

use crate::ending::print;

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
      the page of a subcommand";

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
    /// A subcommand.
    subcommand: Option<String>,
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
    clap_mangen::Man::new(page_of(args.subcommand.as_deref(), command)?).render(&mut page)?;
    print(page)
}

fn page_of(subcommand: Option<&str>, command: Command) -> anyhow::Result<Command> {
    let Some(name) = subcommand else { return Ok(command) };
    let Some(found) = command.find_subcommand(name) else {
        let known: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
        let why = format!("no subcommand \"{name}\": there are {}", known.join(", "));
        return Err(crate::ending::Refusal(why).into());
    };
    let title: &'static str = Box::leak(format!("tengen-{name}").into_boxed_str());
    Ok(found.clone().name(title))
}
