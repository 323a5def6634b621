//! Which leftovers of killed runs are in a directory? Lists them, and removes them with `--remove`.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use plumb_load::share::join;
use plumb_load::shares;
use plumb_load::site::{Leftover, leftovers, scratch_leftovers};
use plumb_model::target::Target;
use plumb_model::target::remote::Remote;
use plumb_model::text::shell::quoted_path;
use plumb_words::numbers::show_bytes;

use super::Outcome;
use crate::settings::{connection_choice, parse_pair};
use crate::streams::{print, say};
use plumb_run::copy_test::source_folders;
use plumb_run::secrets::{self, Login};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plumb clean\n  plumb clean /mnt/data\n  plumb clean /mnt/data --remove\n  plumb clean s3://bucket/prefix\n\n\
Covers only files that carry plumb's mark, that no running plumb uses, and that belong to this user.\n\
Exit codes: 0 listed or removed, or nothing found; 2 something could not be removed, with a message."
)]
pub struct CleanArguments {
    /// Directories or folders on shares (smb://, nfs://, s3://) to search, without subdirectories [default: the current directory, and the source folders of copy tests]
    #[arg(value_name = "PLACE")]
    pub directories: Vec<PathBuf>,
    /// Remove the leftovers instead of only listing them
    #[arg(long)]
    pub remove: bool,
    /// Set a key of the connection to a share: endpoint-url=http://store:9000, region=eu-central-1, nfs=3; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = parse_pair)]
    pub set: Vec<(String, String)>,
}

/// `plumb clean`.
pub fn clean(arguments: &CleanArguments) -> anyhow::Result<Outcome> {
    let (remotes, directories) = divided(&arguments.directories)?;
    if !remotes.is_empty() && directories.is_empty() {
        return clean_shares(&remotes, arguments);
    }
    if !remotes.is_empty() {
        bail!("directories and shares are cleaned by separate commands: name one of the two kinds");
    }
    if !arguments.set.is_empty() {
        bail!("--set configures the connection to a share: omit it, or name a folder on a share");
    }
    let found = found_in(&directories)?;
    if found.is_empty() {
        print("No leftovers of killed runs found.")?;
        return Ok(Outcome::Done);
    }
    let lines: Vec<String> = found.iter().map(line).collect();
    if !arguments.remove {
        let directories: String = arguments
            .directories
            .iter()
            .map(|directory| format!(" {}", quoted_path(directory)))
            .collect();
        print(&format!(
            "{}\nNothing was removed. To remove these: plumb clean{directories} --remove",
            lines.join("\n")
        ))?;
        return Ok(Outcome::Done);
    }
    let mut outcome = Outcome::Done;
    for (leftover, line) in found.into_iter().zip(lines) {
        match leftover.remove() {
            Ok(()) => print(&format!("removed: {line}"))?,
            Err(error) => {
                say(&format!("plumb: {error}"));
                outcome = Outcome::NotDone;
            }
        }
    }
    Ok(outcome)
}

/// Addresses of shares, and directories.
fn divided(named: &[PathBuf]) -> anyhow::Result<(Vec<Remote>, Vec<PathBuf>)> {
    let (mut remotes, mut directories) = (Vec::new(), Vec::new());
    for path in named {
        match path.to_str().filter(|text| text.contains("://")) {
            Some(text) => remotes.push(text.parse::<Remote>()?),
            None => directories.push(path.clone()),
        }
    }
    if let Some(peer) = remotes.iter().find(|remote| !remote.scheme.is_share()) {
        bail!("{peer} has no files: name a directory or a folder on a share");
    }
    Ok((remotes, directories))
}

/// Lists or removes the folders that runs made on shares. Whether a run still uses one is not visible from here, which the list says.
fn clean_shares(remotes: &[Remote], arguments: &CleanArguments) -> anyhow::Result<Outcome> {
    let secrets = secrets::gather(remotes, &Login::default())?;
    let mut found = Vec::new();
    for remote in remotes {
        let choice = connection_choice(&Target::Remote(remote.clone()), &arguments.set)?;
        let share = shares::connect(remote, secrets.of(remote), &choice)?;
        let folder = remote.below_share();
        for name in share.folders_of_runs(folder)? {
            found.push((
                share.clone(),
                join(folder, &name),
                format!("{remote}/{name}"),
            ));
        }
    }
    if found.is_empty() {
        print("No leftovers of killed runs found.")?;
        return Ok(Outcome::Done);
    }
    if !arguments.remove {
        let lines = found.iter().map(|(_, _, shown)| shown.as_str());
        let mut addresses: String = remotes.iter().map(|remote| format!(" {remote}")).collect();
        for (key, value) in &arguments.set {
            addresses += &format!(" --set {key}={value}");
        }
        print(&format!(
            "{}\nNothing was removed. A run that is still active may use these, which is not visible from here. To remove these: plumb clean{addresses} --remove",
            lines.collect::<Vec<_>>().join("\n")
        ))?;
        return Ok(Outcome::Done);
    }
    let mut outcome = Outcome::Done;
    for (share, path, shown) in found {
        match share.remove_all(&path) {
            Ok(()) => print(&format!("removed: {shown}"))?,
            Err(error) => {
                say(&format!("plumb: {error}"));
                outcome = Outcome::NotDone;
            }
        }
    }
    Ok(outcome)
}

/// The leftovers in these directories, each once.
fn found_in(directories: &[PathBuf]) -> anyhow::Result<Vec<Leftover>> {
    let mut all = Vec::new();
    for directory in directories {
        all.extend(leftovers(&followed(directory)?)?);
    }
    if directories.is_empty() {
        all.extend(leftovers(Path::new("."))?);
        // The user did not name these: an unreadable one holds nothing of this user.
        all.extend(
            source_folders()
                .iter()
                .flat_map(|directory| scratch_leftovers(directory).unwrap_or_default()),
        );
    }
    let mut found: Vec<Leftover> = Vec::new();
    for leftover in all {
        if !found.iter().any(|known| known.is_same(&leftover)) {
            found.push(leftover);
        }
    }
    Ok(found)
}

/// Resolves a symlink that the user names. Symlinks below it are not followed.
fn followed(directory: &Path) -> anyhow::Result<PathBuf> {
    if !directory.is_symlink() {
        return Ok(directory.to_path_buf());
    }
    let leads_to = directory
        .canonicalize()
        .with_context(|| format!("{}: the symlink is broken", directory.display()))?;
    say(&format!(
        "plumb: {} is a symlink to {}",
        directory.display(),
        leads_to.display()
    ));
    Ok(leads_to)
}

/// `/mnt/data/.plumb-0123456789abcdef  scratch folder of a run that was killed, 1 GiB`.
fn line(leftover: &Leftover) -> String {
    format!(
        "{}  {}, {}",
        leftover.path.display(),
        leftover.what,
        show_bytes(leftover.bytes as f64)
    )
}
