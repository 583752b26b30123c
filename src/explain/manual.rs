//! The command line as a shell and as `man` want it. Invariant: both are made of the declarations that are parsed by, so
//! neither knows an option that is not there.

use anyhow::bail;
use clap::{Args, Command};
use clap_complete::Shell;

use crate::console::output;
use crate::console::printable::printable;
use crate::terms::exit::Exit;

/// Print completions for a shell
#[derive(Args, Debug)]
#[command(verbatim_doc_comment, after_help = COMPLETIONS)]
pub struct CompletionsArgs {
    #[arg(value_enum)]
    pub shell: Shell,
}

const COMPLETIONS: &str = "\
Examples:
  idem completions bash > ~/.local/share/bash-completion/completions/idem
  idem completions zsh > ~/.zfunc/_idem
  idem completions fish > ~/.config/fish/completions/idem.fish";

/// Print the manual page of idem, or of one of its commands
#[derive(Args, Debug)]
#[command(verbatim_doc_comment, after_help = MAN)]
pub struct ManArgs {
    /// One of the commands, as `probe`; without it the page of idem
    pub command: Option<String>,
}

const MAN: &str = "\
Examples:
  idem man probe | man -l -
  idem man > ~/.local/share/man/man1/idem.1";

/// Prints the completions. Errors: none but of writing, which the exit code tells.
pub fn completions(args: &CompletionsArgs, mut idem: Command) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut idem, "idem", &mut script);
    Ok(output::report(Exit::Ok, |out| out.write_all(&script)))
}

/// Prints the page. Errors: there is no such command.
pub fn man(args: &ManArgs, mut idem: Command) -> anyhow::Result<Exit> {
    idem.build();
    let page = match &args.command {
        None => idem,
        Some(name) => match idem.get_subcommands().find(|known| known.get_name() == name) {
            Some(known) => known.clone().display_name(format!("idem-{name}")),
            None => {
                let names: Vec<_> = idem.get_subcommands().map(Command::get_name).collect();
                bail!("no command is called {}; give one of {}", printable(name), names.join(", "))
            }
        },
    };
    let mut roff = Vec::new();
    clap_mangen::Man::new(page).render(&mut roff)?;
    Ok(output::report(Exit::Ok, |out| out.write_all(&roff)))
}
