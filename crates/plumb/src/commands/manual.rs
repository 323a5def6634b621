//! What is in the manual pages? The help texts, one page for plumb and one for each verb.

use anyhow::{Context, bail};
use clap::{Args, Command};
use clap_mangen::Man;
use plumb_model::text::nearest::nearest;

use super::Outcome;
use crate::streams::{print, print_exactly};

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  plumb manual plumb-run | man -l -\n  \
plumb manual plumb-run > ~/.local/share/man/man1/plumb-run.1")]
pub struct ManualArguments {
    /// Page to print, such as plumb-run
    #[arg(default_value = "plumb")]
    pub page: String,
    /// List the pages
    #[arg(long, conflicts_with = "page")]
    pub list: bool,
}

/// `plumb manual`, of this command line.
pub fn manual(arguments: &ManualArguments, command: Command) -> anyhow::Result<Outcome> {
    let pages = pages(command);
    let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
    if arguments.list {
        print(&names.join("\n"))?;
        return Ok(Outcome::Done);
    }
    let Some((name, command)) = pages.iter().find(|(name, _)| *name == arguments.page) else {
        bail!(
            "there is no page '{}'{}; plumb manual --list lists all pages",
            arguments.page,
            nearest(&arguments.page, &names)
        );
    };
    let mut page = Vec::new();
    Man::new(command.clone())
        .title(name.to_uppercase())
        .source(concat!("plumb ", env!("CARGO_PKG_VERSION")))
        .manual("plumbline")
        .render(&mut page)
        .with_context(|| format!("cannot render the page {name}"))?;
    // The heading that pages have for this (man-pages(7)).
    let page = String::from_utf8_lossy(&page).replace(".SH EXTRA\n", ".SH NOTES\n");
    print_exactly(page.as_bytes())?;
    Ok(Outcome::Done)
}

/// The commands that have a page, by its name: plumb and its verbs.
fn pages(command: Command) -> Vec<(String, Command)> {
    let mut command = command.disable_help_subcommand(true);
    // The flags of a workload are defined when a verb is built.
    command.build();
    let of_verbs = command
        .get_subcommands()
        .filter(|verb| !verb.is_hide_set())
        .map(|verb| (format!("plumb-{}", verb.get_name()), verb.clone()));
    std::iter::once(("plumb".to_owned(), command.clone()))
        .chain(of_verbs)
        .collect()
}
