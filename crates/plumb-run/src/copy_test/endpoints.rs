//! Where does the source lie, and where do copies arrive? Scratch folders here, folders on a daemon or a share, all removed at the end.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, anyhow, bail};
use plumb_load::copy::tree::Tree;
use plumb_load::copy::{CopyStep, Landing};
use plumb_load::site::Scratch;
use plumb_model::results::copies::copy_steps;
use plumb_model::target::Target;
use plumb_model::target::remote::Remote;
use plumb_words::english;

use super::daemon::Daemon;
use super::elsewhere::{Module, Share, scratch_name};
use super::programs::{Program, Reach};
use crate::notices::say;

/// Folder of the tree that is read back, at the destination.
const PRISTINE: &str = "pristine";

/// What the user named as the destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    Folder(PathBuf),
    /// `rsync://host/module[/path]`, without a slash at its end.
    Module(String),
    Share(Remote),
}

impl Destination {
    /// Errors: an address of another protocol, or none.
    pub fn parse(text: &str) -> anyhow::Result<Destination> {
        if let Some(rest) = text.strip_prefix("rsync://") {
            let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
            if host.is_empty() || path.trim_matches('/').is_empty() {
                bail!("{text} has no module: use rsync://host/module");
            }
            return Ok(Destination::Module(text.trim_end_matches('/').to_string()));
        }
        match text.parse::<Target>()? {
            Target::Path(path) => Ok(Destination::Folder(path)),
            Target::Remote(remote) if text.starts_with("smb://") => Ok(Destination::Share(remote)),
            _ => bail!(
                "cannot copy to {text}: use a folder, rsync://host/module, or smb://user@host/share"
            ),
        }
    }

    /// What stands as the target in the records.
    pub fn target(&self) -> anyhow::Result<Target> {
        Ok(match self {
            Destination::Folder(path) => Target::Path(path.clone()),
            Destination::Share(remote) => Target::Remote(remote.clone()),
            // The peer of the copies; the module stands in the conditions.
            Destination::Module(address) => {
                let authority = address
                    .trim_start_matches("rsync://")
                    .split('/')
                    .next()
                    .unwrap_or_default();
                let host = authority
                    .rsplit_once('@')
                    .map_or(authority, |(_, host)| host);
                let has_port = host
                    .rsplit_once(':')
                    .is_some_and(|(_, port)| port.parse::<u16>().is_ok());
                format!("tcp://{host}{}", if has_port { "" } else { ":873" }).parse()?
            }
        })
    }
}

/// A scratch folder that is removed with this value.
struct CopyFolder(RefCell<Scratch>);

impl CopyFolder {
    fn make(folder: &Path) -> anyhow::Result<CopyFolder> {
        plumb_load::site::warn_of_stale(folder)
            .iter()
            .for_each(|warning| say(&format!("plumb: {}", english(warning))));
        // Programs take paths, not descriptors: nobody else may be able to lead a path elsewhere while they run.
        plumb_load::site::refuse_path_of_others(folder)?;
        Ok(CopyFolder(RefCell::new(Scratch::make(folder, false)?)))
    }

    fn folder(&self, name: &str) -> anyhow::Result<PathBuf> {
        // Whatever a program puts there goes with it.
        self.0
            .borrow_mut()
            .own_tree(name.split('/').next().unwrap_or(name))?;
        let folder = self.0.borrow().path().join(name);
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("{}: cannot be created", folder.display()))?;
        // Programs run in any folder: their words must not depend on ours.
        std::path::absolute(&folder)
            .with_context(|| format!("{}: has no absolute path", folder.display()))
    }
}

impl Drop for CopyFolder {
    fn drop(&mut self) {
        if let Err(error) = self.0.get_mut().remove() {
            say(&format!("plumb: {error}"));
        }
    }
}

/// Everything that is copied from and to. Fields are dropped in their order: the daemon ends before its folder goes.
pub struct Endpoints {
    daemon: Option<Daemon>,
    module: Option<Module>,
    share: Option<Share>,
    far: Option<CopyFolder>,
    near: CopyFolder,
    tree: Arc<Tree>,
    source: PathBuf,
}

/// Parameters of the endpoints.
pub struct EndpointOptions<'a> {
    pub from: &'a Path,
    pub to: &'a Destination,
    pub tree: Tree,
    pub programs: &'a [Program],
    /// All programs copy through plumb's own daemon.
    pub daemon: bool,
    pub password: Option<&'a str>,
    pub stop: &'a AtomicBool,
}

impl Endpoints {
    /// Creates the tree at both ends. Errors: an endpoint is not writable, has no space, or is unreachable; everything is removed then.
    pub fn make(options: EndpointOptions<'_>) -> anyhow::Result<Endpoints> {
        let near = CopyFolder::make(options.from)?;
        let source = near.folder("source")?;
        let far = match options.to {
            Destination::Folder(folder) => Some(CopyFolder::make(folder)?),
            _ => None,
        };
        if let Some(far) = &far {
            near.0.borrow().join(&far.0.borrow())?;
        }
        lay(&options.tree, &source, options.stop)?;
        let mut endpoints = Endpoints {
            daemon: None,
            module: None,
            share: None,
            far,
            near,
            tree: Arc::new(options.tree),
            source,
        };
        if let Some(far) = &endpoints.far {
            lay(&endpoints.tree, &far.folder(PRISTINE)?, options.stop)?;
            if options.daemon
                || options
                    .programs
                    .iter()
                    .any(|program| program.reach == Reach::Daemon)
            {
                endpoints.daemon = Some(Daemon::start(
                    &std::path::absolute(far.0.borrow().path())?,
                    &endpoints.near.folder("daemon")?,
                )?);
            }
        }
        match options.to {
            Destination::Folder(_) => {}
            Destination::Module(address) => {
                let folder = scratch_name();
                endpoints
                    .near
                    .0
                    .borrow()
                    .note_remote_side(&format!("{address}/{folder}"))?;
                endpoints.module = Some(Module::make(
                    (address, folder),
                    &endpoints.near.folder("empty")?,
                    &endpoints.source,
                    options.stop,
                )?)
            }
            Destination::Share(remote) => {
                let folder = scratch_name();
                endpoints.near.0.borrow().note_remote_side(&format!(
                    "{}/{folder}",
                    remote.to_string().trim_end_matches('/')
                ))?;
                endpoints.share = Some(Share::make(
                    (remote, &folder),
                    options.password,
                    &endpoints.near.folder("login")?,
                    &endpoints.source,
                    options.programs.len(),
                    options.stop,
                )?);
            }
        }
        Ok(endpoints)
    }

    /// What one program copies in one direction.
    pub fn step(
        &self,
        side: usize,
        program: &Program,
        step: &str,
        through_daemon: bool,
    ) -> anyhow::Result<CopyStep> {
        let writes = step == copy_steps::WRITE;
        let folder = if writes {
            format!("side-{side}")
        } else {
            PRISTINE.to_string()
        };
        let back = self.near.folder("back")?;
        let near = |path: &Path| path.to_string_lossy().into_owned();
        let far_here = match &self.far {
            Some(far) => Some(far.folder(&folder)?),
            None => None,
        };
        let far = match (&self.daemon, &self.module, &self.share, &far_here) {
            (Some(daemon), ..) if through_daemon || program.reach == Reach::Daemon => {
                daemon.address(&folder)
            }
            (_, Some(module), ..) => module.address(&folder),
            (_, _, Some(share), _) => share.address(&folder),
            (.., Some(here)) => near(here),
            _ => bail!("{} has no destination", program.name),
        };
        let words = match &self.share {
            Some(share) if program.words.is_empty() => {
                share.words(&folder, if writes { &self.source } else { &back }, writes)
            }
            _ if writes => program.words(&near(&self.source), &far),
            _ => program.words(&far, &near(&back)),
        };
        let landing = match (writes, &self.module, &self.share, &far_here) {
            (false, ..) => Landing::Here(back),
            (true, Some(module), ..) => module.landing(&folder, self.near.folder("fetched")?),
            (true, _, Some(share), _) => share.landing(&folder, self.near.folder("fetched")?),
            (true, _, _, Some(here)) => Landing::Here(here.clone()),
            (true, ..) => bail!("{} has no destination", program.name),
        };
        let from = if writes {
            Some(self.source.clone())
        } else {
            far_here
        };
        Ok(CopyStep {
            tree: self.tree.clone(),
            words,
            exit_max: program.exit_max,
            from,
            landing,
        })
    }
}

/// Writes the tree, with a sentence on what to do when it has no room.
fn lay(tree: &Tree, folder: &Path, stop: &AtomicBool) -> anyhow::Result<()> {
    let made = tree.make(folder, stop, &mut |_| {});
    if stop.load(Ordering::Relaxed) {
        bail!("interrupted while the tree was created; files created so far were removed");
    }
    made.map_err(|error| match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
            anyhow!("{error}: no space for {}; use a smaller --tree, or other folders with --from and --to", tree.shape)
        }
        _ => anyhow!("cannot create the tree: {error}"),
    })
}

/// Refuses what cannot work before anything is made. Errors: the first program that cannot reach the destination.
pub fn refuse_unreachable(
    programs: &[Program],
    to: &Destination,
    daemon: bool,
) -> anyhow::Result<()> {
    if daemon && !matches!(to, Destination::Folder(_)) {
        bail!(
            "--daemon starts an rsync daemon on this host, and --to names another destination: omit one of them"
        );
    }
    for program in programs {
        let name = &program.name;
        match (to, program.reach) {
            (_, Reach::Any) => {}
            (Destination::Folder(_), Reach::Smb) => {
                bail!("{name} copies to a share: specify it, as in --to smb://user@host/share")
            }
            (Destination::Folder(_), Reach::Folders) if daemon => {
                bail!("{name} cannot copy to an rsync daemon: omit it or --daemon")
            }
            (Destination::Folder(_), _)
            | (Destination::Module(_), Reach::Rsync | Reach::Daemon)
            | (Destination::Share(_), Reach::Smb) => {}
            (Destination::Module(address), _) => {
                bail!("{name} cannot copy to {address}: use rsync, or your own command")
            }
            (Destination::Share(remote), _) => {
                bail!(
                    "{name} cannot copy to {remote}: use smbclient, or your own command; for a mounted share use its mount point"
                )
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn destinations_are_distinguished() {
        assert_eq!(
            Destination::parse("/mnt/x").expect("folder"),
            Destination::Folder("/mnt/x".into())
        );
        let module = Destination::parse("rsync://me@nas:8730/backup/").expect("module");
        assert_eq!(
            module,
            Destination::Module("rsync://me@nas:8730/backup".into())
        );
        assert_eq!(
            module.target().expect("target").to_string(),
            "tcp://nas:8730"
        );
        assert_eq!(
            Destination::parse("rsync://nas/b")
                .expect("module")
                .target()
                .expect("target")
                .to_string(),
            "tcp://nas:873"
        );
        assert!(matches!(
            Destination::parse("smb://u@h/s").expect("share"),
            Destination::Share(_)
        ));
        for text in [
            "rsync://nas",
            "rsync:///x",
            "nfs://h/e",
            "null:",
            "",
            "ftp://x/y",
        ] {
            assert!(Destination::parse(text).is_err(), "{text}");
        }
    }
}
