//! How are folders made, emptied, fetched and removed where only a protocol leads? With rsync on a module, by plumb's own access on a share and in a bucket.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use plumb_load::copy::tree::Tree;
use plumb_load::copy::{FarFolder, Landing, write_private};
use plumb_load::secret::Secret;
use plumb_load::share::{ShareError, SharedShare, join};
use plumb_load::shares::{self, s3};
use plumb_model::target::remote::{Remote, Scheme};
use plumb_model::workload::EngineChoice;
use plumb_words::english;
use zeroize::Zeroizing;

use super::programs::SMBCLIENT;
use crate::measurement::random_number;
use crate::notices::say;

/// Folder of the tree that is read back, at the destination.
pub const PRISTINE: &str = "pristine";
/// How long making and removing a folder may take.
const PATIENCE: Option<Duration> = Some(Duration::from_secs(600));

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| word.to_string()).collect()
}

/// Name of a folder of plumb's own.
pub fn scratch_name() -> String {
    format!(".plumb-{:016x}", random_number())
}

/// A folder of plumb's own in a module of an rsync daemon; removed with this value.
pub struct Module {
    /// `rsync://host/module/path`, and the folder in it.
    address: String,
    folder: String,
    /// An empty folder here: what is copied from it removes.
    empty: PathBuf,
}

impl Module {
    /// Makes the folder, and in it the tree that is read back. Errors: the daemon refuses.
    pub fn make(
        (address, folder): (&str, String),
        empty: &Path,
        source: &Path,
        stop: &AtomicBool,
    ) -> anyhow::Result<Module> {
        let what = format!(
            "{address} cannot be written (check that the module exists, is not read-only, and that you have access; set the password in RSYNC_PASSWORD)"
        );
        let first = owned(&[
            "rsync",
            "-r",
            &slash(empty),
            &format!("{address}/{folder}/"),
        ]);
        serve(&first, &what, PATIENCE, stop)?;
        // From here on there is something to remove.
        let module = Module {
            address: address.into(),
            folder,
            empty: empty.into(),
        };
        serve(
            &owned(&[
                "rsync",
                "-a",
                &slash(source),
                &format!("{}/", module.address(PRISTINE)),
            ]),
            &what,
            PATIENCE,
            stop,
        )?;
        Ok(module)
    }

    /// Address of a folder.
    pub fn address(&self, folder: &str) -> String {
        format!("{}/{}/{folder}", self.address, self.folder)
    }

    pub fn landing(&self, folder: &str, fetched: PathBuf) -> Landing {
        let address = format!("{}/", self.address(folder));
        let folder = FarFolder::Commands {
            empty: owned(&["rsync", "-r", "--delete", &slash(&self.empty), &address]),
            fetch: owned(&["rsync", "-a", &address, &slash(&fetched)]),
        };
        Landing::Elsewhere { folder, fetched }
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // Only our folder is included, and what is excluded is not deleted (rsync(1), --delete).
        let (ours, address) = (
            format!("--include=/{}/***", self.folder),
            format!("{}/", self.address),
        );
        let words = owned(&[
            "rsync",
            "-r",
            "--delete",
            &ours,
            "--exclude=*",
            &slash(&self.empty),
            &address,
        ]);
        if let Err(error) = serve(
            &words,
            "files that plumb created could not be removed",
            PATIENCE,
            &AtomicBool::new(false),
        ) {
            say(&format!(
                "plumb: {error}; to remove them by hand: {}",
                self.address("")
            ));
        }
    }
}

fn slash(path: &Path) -> String {
    format!("{}/", path.display())
}

/// A folder of plumb's own on an SMB share or in a bucket, by plumb's own access; removed with this value.
pub struct OnShare {
    remote: Remote,
    share: SharedShare,
    /// Path on the share.
    folder: String,
    access: Access,
}

/// How programs get access.
enum Access {
    /// smbclient reads user and password from this file, for its owner only: they never stand in a process list (smbclient(1), --authentication-file).
    Smbclient(PathBuf),
    /// Programs for object stores read variables.
    Variables(Vec<(&'static str, Secret)>),
}

impl OnShare {
    /// Makes the folder, and in it the tree that is read back, which lies in the folder `source`. Errors: the server refuses.
    pub fn make(
        (remote, name): (&Remote, &str),
        password: Option<&Secret>,
        state: &Path,
        (tree, source): (&Tree, &Path),
        stop: &AtomicBool,
    ) -> anyhow::Result<OnShare> {
        let access = match remote.scheme {
            Scheme::S3 => Access::Variables(
                s3::variables_for_programs(remote).map_err(|why| anyhow!(english(&why)))?,
            ),
            _ => Access::Smbclient(login_of_smbclient(remote, password, state)?),
        };
        // What was made is removed even after a stop.
        let share = shares::connect(remote, password, &EngineChoice::default())?;
        let refused =
            |error: ShareError| anyhow!("{remote} cannot be written: {}", english(&error.why));
        let folder = join(remote.below_share(), name);
        if !share.lock().has_prefixes() {
            share.lock().make_folder(&folder).map_err(refused)?;
        }
        // From here on there is something to remove.
        let on_share = OnShare {
            remote: remote.clone(),
            share,
            folder,
            access,
        };
        let pristine = join(&on_share.folder, PRISTINE);
        FarFolder::put(&on_share.share, tree, source, &pristine, stop)
            .map_err(|why| anyhow!("{remote} cannot be written: {}", english(&why)))?;
        Ok(on_share)
    }

    /// The words for smbclient that copy a folder here to one there, or back; empty for an object store.
    pub fn words(&self, folder: &str, here: &Path, to_share: bool) -> Vec<String> {
        let Access::Smbclient(login) = &self.access else {
            return Vec::new();
        };
        let service = format!("//{}/{}", self.remote.host, self.remote.share());
        let port = self.remote.port().to_string();
        let mut words = owned(&[SMBCLIENT, &service, "-p", &port, "-m", "SMB3"]);
        match self.remote.user {
            Some(_) => words.extend(owned(&["-A", &login.to_string_lossy()])),
            None => words.push("-N".into()),
        }
        let order = if to_share { "mput *" } else { "mget *" };
        let orders = format!(
            "cd \"{}\"; lcd \"{}\"; recurse ON; prompt OFF; {order}",
            join(&self.folder, folder).replace('/', "\\"),
            here.display()
        );
        words.extend(owned(&["-c", &orders]));
        words
    }

    /// Variables that programs need beside those of plumb.
    pub fn environment(&self) -> Vec<(&'static str, Secret)> {
        match &self.access {
            Access::Smbclient(_) => Vec::new(),
            Access::Variables(variables) => variables.clone(),
        }
    }

    /// Address of a folder.
    pub fn address(&self, folder: &str) -> String {
        let below = join(&self.folder, folder);
        let share = Remote {
            path: match self.remote.share() {
                "" => below,
                share => join(share, &below),
            },
            ..self.remote.clone()
        };
        share.to_string()
    }

    pub fn landing(&self, folder: &str, fetched: PathBuf) -> Landing {
        let folder = FarFolder::OnShare {
            share: self.share.clone(),
            path: join(&self.folder, folder),
        };
        Landing::Elsewhere { folder, fetched }
    }
}

fn login_of_smbclient(
    remote: &Remote,
    password: Option<&Secret>,
    state: &Path,
) -> anyhow::Result<PathBuf> {
    let login = state.join("smbclient.login");
    let line = |key: &str, value: Option<&str>| {
        value
            .map(|value| format!("{key} = {value}\n"))
            .unwrap_or_default()
    };
    let text = Zeroizing::new(
        line("username", remote.user.as_deref())
            + &line("password", password.map(Secret::expose))
            + &line("domain", remote.domain.as_deref()),
    );
    if text.lines().count() > 3 {
        bail!("the password for {remote} contains a line break, which smbclient does not support");
    }
    write_private(&login, &text)
        .with_context(|| format!("{}: cannot be written", login.display()))?;
    Ok(login)
}

impl Drop for OnShare {
    fn drop(&mut self) {
        if let Err(error) = self.share.remove_all(&self.folder) {
            say(&format!(
                "plumb: files that plumb created could not be removed: {error}; to remove them: plumb clean {} --remove",
                self.remote
            ));
        }
    }
}

/// Runs a command that creates or removes a folder. An error starts with `what`.
fn serve(
    words: &[String],
    what: &str,
    timeout: Option<Duration>,
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    plumb_load::copy::serve(words, timeout, stop)
        .map_err(|why| anyhow!("{what}: {}", english(&why)))
}
