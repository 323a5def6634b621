//! Where does the source lie, and where do copies arrive? Scratch folders here, folders on a daemon or a share, all removed at the end.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, anyhow, bail};
use plumb_load::copy::tree::Tree;
use plumb_load::copy::{CopyStep, Landing};
use plumb_load::secret::Secrets;
use plumb_load::site::Scratch;
use plumb_model::results::copies::copy_steps;
use plumb_model::target::Target;
use plumb_model::target::remote::{Remote, Scheme};
use plumb_words::english;

use super::daemon::Daemon;
use super::elsewhere::{Module, OnShare, PRISTINE, scratch_name};
use super::programs::{Program, Reach};
use crate::notices::say;

/// What the user named as the destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    Folder(PathBuf),
    /// `rsync://host/module[/path]`, without a slash at its end.
    Module(String),
    /// An SMB share, or a bucket of an object store.
    Share(Remote),
}

impl Destination {
    /// What a program has to reach.
    fn kind(&self) -> Reach {
        match self {
            Destination::Folder(_) => Reach::Folder,
            Destination::Module(_) => Reach::Module,
            Destination::Share(remote) if remote.scheme == Scheme::S3 => Reach::Bucket,
            Destination::Share(_) => Reach::Share,
        }
    }

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
            Target::Remote(remote) if matches!(remote.scheme, Scheme::Smb | Scheme::S3) => {
                Ok(Destination::Share(remote))
            }
            _ => bail!(
                "cannot copy to {text}: use a folder, rsync://host/module, smb://user@host/share, or s3://bucket/prefix"
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

/// A folder of plumb's own at the destination, which is removed with this value.
enum Far {
    Folder(CopyFolder),
    Module(Module),
    Share(OnShare),
}

/// Everything that is copied from and to. Fields are dropped in their order: the daemon ends before its folder goes.
pub struct Endpoints {
    daemon: Option<Daemon>,
    far: Far,
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
    pub secrets: &'a Secrets,
    pub stop: &'a AtomicBool,
}

impl Endpoints {
    /// Creates the tree at both ends. Errors: an endpoint is not writable, has no space, or is unreachable; everything is removed then.
    pub fn make(options: EndpointOptions<'_>) -> anyhow::Result<Endpoints> {
        let near = CopyFolder::make(options.from)?;
        let source = near.folder("source")?;
        let tree = Arc::new(options.tree);
        let far_folder = match options.to {
            Destination::Folder(folder) => {
                let far = CopyFolder::make(folder)?;
                near.0.borrow().join(&far.0.borrow())?;
                Some(far)
            }
            _ => None,
        };
        lay(&tree, &source, options.stop)?;
        let note = |address: &str| near.0.borrow().note_remote_side(address);
        let mut daemon = None;
        let far = match (options.to, far_folder) {
            (_, Some(far)) => {
                lay(&tree, &far.folder(PRISTINE)?, options.stop)?;
                if options.daemon || options.programs.iter().any(Program::needs_daemon) {
                    daemon = Some(Daemon::start(
                        &std::path::absolute(far.0.borrow().path())?,
                        &near.folder("daemon")?,
                    )?);
                }
                Far::Folder(far)
            }
            (Destination::Module(address), None) => {
                let folder = scratch_name();
                note(&format!("{address}/{folder}"))?;
                let empty = near.folder("empty")?;
                Far::Module(Module::make(
                    (address, folder),
                    &empty,
                    &source,
                    options.stop,
                )?)
            }
            (Destination::Share(remote), None) => {
                let folder = scratch_name();
                note(&format!(
                    "{}/{folder}",
                    remote.to_string().trim_end_matches('/')
                ))?;
                let share = OnShare::make(
                    (remote, &folder),
                    options.secrets.of(remote),
                    &near.folder("login")?,
                    (&tree, &source),
                    options.stop,
                )?;
                Far::Share(share)
            }
            (Destination::Folder(folder), None) => bail!("{}: not created", folder.display()),
        };
        Ok(Endpoints {
            daemon,
            far,
            near,
            tree,
            source,
        })
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
        let (here, far) = match &self.far {
            Far::Folder(far) => {
                let here = far.folder(&folder)?;
                let address = near(&here);
                (Some(here), address)
            }
            Far::Module(module) => (None, module.address(&folder)),
            Far::Share(share) => (None, share.address(&folder)),
        };
        let far = match &self.daemon {
            Some(daemon) if through_daemon || program.needs_daemon() => daemon.address(&folder),
            _ => far,
        };
        let words = match writes {
            true => program.words(false, &near(&self.source), &far),
            false => program.words(true, &far, &near(&back)),
        };
        let words = match &self.far {
            Far::Share(share) if words.is_empty() => {
                share.words(&folder, if writes { &self.source } else { &back }, writes)
            }
            _ => words,
        };
        let landing = match (&self.far, &here) {
            _ if !writes => Landing::Here(back),
            (Far::Module(module), _) => module.landing(&folder, self.near.folder("fetched")?),
            (Far::Share(share), _) => share.landing(&folder, self.near.folder("fetched")?),
            (Far::Folder(_), Some(here)) => Landing::Here(here.clone()),
            (Far::Folder(_), None) => bail!("{} has no destination", program.name),
        };
        let from = match writes {
            true => Some(self.source.clone()),
            false => here,
        };
        let environment = match &self.far {
            Far::Share(share) => share.environment(),
            _ => Vec::new(),
        };
        Ok(CopyStep {
            tree: self.tree.clone(),
            words,
            environment,
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
        if !program.reaches(to.kind()) {
            let share = "for a mounted share use its mount point";
            match to {
                Destination::Folder(_) if program.reaches(Reach::Share) => {
                    bail!("{name} copies to a share: specify it, as in --to smb://user@host/share")
                }
                Destination::Folder(_) => {
                    bail!("{name} copies to a bucket: specify it, as in --to s3://bucket/prefix")
                }
                Destination::Module(address) => {
                    bail!("{name} cannot copy to {address}: use rsync, or your own command")
                }
                Destination::Share(remote) if to.kind() == Reach::Bucket => bail!(
                    "{name} cannot copy to {remote}: use aws, s5cmd, rclone, or your own command"
                ),
                Destination::Share(remote) => bail!(
                    "{name} cannot copy to {remote}: use smbclient, or your own command; {share}"
                ),
            }
        }
        if daemon && !program.reaches(Reach::Module) {
            bail!("{name} cannot copy to an rsync daemon: omit it or --daemon");
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
        let kind = |text: &str| Destination::parse(text).expect("share").kind();
        assert_eq!(kind("smb://u@h/s"), Reach::Share);
        assert_eq!(kind("s3://bucket/prefix"), Reach::Bucket);
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
