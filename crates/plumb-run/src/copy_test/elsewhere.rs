//! How are folders made, emptied, fetched and removed where only a protocol leads? With rsync on a module, with smbclient on a share.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use plumb_load::copy::{Landing, write_private};
use plumb_model::target::remote::Remote;
use plumb_words::english;

use super::programs::SMBCLIENT;
use crate::measurement::random_number;
use crate::notices::say;

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
                &format!("{}/", module.address("pristine")),
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
        Landing::Elsewhere {
            empty: owned(&["rsync", "-r", "--delete", &slash(&self.empty), &address]),
            fetch: owned(&["rsync", "-a", &address, &slash(&fetched)]),
            fetched,
        }
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

/// A folder of plumb's own on an SMB share, reached by smbclient; removed with this value.
pub struct Share {
    remote: Remote,
    /// Path on the share with backslashes.
    folder: String,
    /// Holds user and password, for its owner only: they never stand in a process list (smbclient(1), --authentication-file).
    login: PathBuf,
    /// There is something to remove.
    made: bool,
}

impl Share {
    /// Makes the folder with one for each of `sides`, and in it the tree that is read back. Errors: the server refuses.
    pub fn make(
        (remote, name): (&Remote, &str),
        password: Option<&str>,
        state: &Path,
        source: &Path,
        sides: usize,
        stop: &AtomicBool,
    ) -> anyhow::Result<Share> {
        let login = state.join("smbclient.login");
        let line = |key: &str, value: Option<&str>| {
            value
                .map(|value| format!("{key} = {value}\n"))
                .unwrap_or_default()
        };
        let text = line("username", remote.user.as_deref())
            + &line("password", password)
            + &line("domain", remote.domain.as_deref());
        if text.lines().count() > 3 {
            bail!(
                "the password for {remote} contains a line break, which smbclient does not support"
            );
        }
        write_private(&login, &text)
            .with_context(|| format!("{}: cannot be written", login.display()))?;
        let below = remote.below_share().replace('/', "\\");
        let folder = if below.is_empty() {
            name.to_string()
        } else {
            format!("{below}\\{name}")
        };
        let mut share = Share {
            remote: remote.clone(),
            folder,
            login,
            made: false,
        };
        let what = format!("{remote} cannot be written");
        let order = |words: &[String]| {
            serve(words, &what, PATIENCE, stop)
                .map_err(|error| anyhow!("{error}: {}", remedy(&error.to_string(), remote)))
        };
        order(&share.call(&format!("mkdir \"{}\"", share.folder)))?;
        // From here on there is something to remove.
        share.made = true;
        let mut orders = vec![format!("mkdir \"{}\\pristine\"", share.folder)];
        orders.extend((0..sides).map(|side| format!("mkdir \"{}\\side-{side}\"", share.folder)));
        order(&share.call(&orders.join("; ")))?;
        order(&share.words("pristine", source, true))?;
        Ok(share)
    }

    fn call(&self, orders: &str) -> Vec<String> {
        let service = format!("//{}/{}", self.remote.host, self.remote.share());
        let port = self.remote.port().to_string();
        let mut words = owned(&[SMBCLIENT, &service, "-p", &port, "-m", "SMB3"]);
        match self.remote.user {
            Some(_) => words.extend(owned(&["-A", &self.login.to_string_lossy()])),
            None => words.push("-N".into()),
        }
        words.extend(owned(&["-c", orders]));
        words
    }

    /// The words that copy a folder here to one there, or back.
    pub fn words(&self, folder: &str, here: &Path, to_share: bool) -> Vec<String> {
        let order = if to_share { "mput *" } else { "mget *" };
        self.call(&format!(
            "cd \"{}\\{folder}\"; lcd \"{}\"; recurse ON; prompt OFF; {order}",
            self.folder,
            here.display()
        ))
    }

    /// Address of a folder.
    pub fn address(&self, folder: &str) -> String {
        let share = Remote {
            path: format!(
                "{}/{}/{folder}",
                self.remote.share(),
                self.folder.replace('\\', "/")
            ),
            ..self.remote.clone()
        };
        share.to_string()
    }

    pub fn landing(&self, folder: &str, fetched: PathBuf) -> Landing {
        let path = format!("{}\\{folder}", self.folder);
        Landing::Elsewhere {
            empty: self.call(&format!("deltree \"{path}\"; mkdir \"{path}\"")),
            fetch: self.words(folder, &fetched, false),
            fetched,
        }
    }
}

/// Remedy for an error of smbclient. Plumb has used the share before: server, share, user and password are right.
fn remedy(output: &str, remote: &Remote) -> String {
    let user = remote.user.as_deref().unwrap_or("an anonymous user");
    let any = |statuses: &[&str]| {
        statuses
            .iter()
            .any(|status| output.contains(&format!("NT_STATUS_{status}")))
    };
    if any(&["ACCESS_DENIED", "MEDIA_WRITE_PROTECTED"]) {
        return format!(
            "the share may be read-only; name a share or folder that {user} can write to"
        );
    }
    if any(&["OBJECT_PATH_NOT_FOUND", "OBJECT_NAME_NOT_FOUND"]) {
        return "its folder does not exist: create it, or name another".into();
    }
    if any(&["DISK_FULL", "QUOTA_EXCEEDED"]) {
        return "free some space there, or copy a smaller tree (--tree)".into();
    }
    format!("check that the share exists, and that {user} can write to it")
}

impl Drop for Share {
    fn drop(&mut self) {
        if !self.made {
            return;
        }
        let words = self.call(&format!("deltree \"{}\"", self.folder));
        if let Err(error) = serve(
            &words,
            "files that plumb created could not be removed",
            PATIENCE,
            &AtomicBool::new(false),
        ) {
            say(&format!(
                "plumb: {error}; to remove them by hand: {} on {}",
                self.folder, self.remote
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
