//! How does a shell complete the commands of plumb? By a script generated from the definition of the command line.

use clap::{Args, Command};
use clap_complete::Shell;

use super::Outcome;
use crate::streams::print_exactly;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plumb completions bash > ~/.local/share/bash-completion/completions/plumb\n  \
plumb completions zsh > ~/.zfunc/_plumb          (a folder of $fpath)\n  \
plumb completions fish > ~/.config/fish/completions/plumb.fish\n  \
plumb completions powershell >> $PROFILE"
)]
pub struct CompletionsArguments {
    /// Shell that reads the script
    #[arg(value_enum)]
    pub shell: Shell,
}

/// `plumb completions`, for this command line.
pub fn completions(
    arguments: &CompletionsArguments,
    mut command: Command,
) -> anyhow::Result<Outcome> {
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, name, &mut script);
    print_exactly(&script)?;
    Ok(Outcome::Done)
}
