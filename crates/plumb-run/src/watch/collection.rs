//! Which collections run in the background? Each has a folder by its name: its description, a lock held while it runs, and a stop request.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use plumb_model::run::watch::Collection;

use crate::Stop;

/// Characters of a name at most.
const NAME_MAX: usize = 64;
/// A wish to end is seen within this.
const NAP: Duration = Duration::from_millis(100);
/// A check whether one is running holds its lock for a moment.
const LOOKS_WAITED_FOR: u32 = 10;
/// Longest wait for the end of one: its last sample and its record.
const END_DUE: Duration = Duration::from_secs(30);

/// The folder of one collection, whether it exists or not.
#[derive(Debug, Clone)]
pub struct CollectionHandle {
    folder: PathBuf,
    name: String,
}

/// A collection found in its folder.
#[derive(Debug)]
pub struct FoundCollection {
    pub collection: Collection,
    /// False: it has ended by itself, or was killed.
    pub is_running: bool,
}

/// Held by the process that collects. What it leaves at its end gives the location of its record.
#[derive(Debug)]
pub struct HeldCollection {
    _lock: File,
}

impl CollectionHandle {
    /// Below this folder of states. Errors: the name is none.
    pub fn of(states: &Path, name: &str) -> anyhow::Result<CollectionHandle> {
        let is_plain = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
        if name.is_empty()
            || name.len() > NAME_MAX
            || name.starts_with(['.', '-'])
            || !name.chars().all(is_plain)
        {
            bail!(
                "'{name}' is not a valid collection name: use up to {NAME_MAX} letters, digits, '-', '_' and '.'"
            );
        }
        Ok(CollectionHandle {
            folder: states.to_owned(),
            name: name.to_owned(),
        })
    }

    fn file(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("{}.{ending}", self.name))
    }

    /// Where the collecting process reports its error.
    pub fn log(&self) -> PathBuf {
        self.file("log")
    }

    /// What is there; `None`: nothing of this name. Errors: it cannot be read.
    pub fn look(&self) -> anyhow::Result<Option<FoundCollection>> {
        let file = self.file("json");
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).context(file.display().to_string()),
        };
        let collection: Collection =
            serde_json::from_str(&text).with_context(|| format!("{}", file.display()))?;
        Ok(Some(FoundCollection {
            collection,
            is_running: self.is_locked()?,
        }))
    }

    fn is_locked(&self) -> anyhow::Result<bool> {
        let path = self.file("lock");
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error).context(path.display().to_string()),
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(error).context(path.display().to_string()),
        }
    }

    /// Creates the folder for the collecting process. Errors: it cannot be created, or one of this name is running.
    pub fn prepare(&self) -> anyhow::Result<()> {
        let shown = self.folder.display();
        std::fs::create_dir_all(&self.folder).with_context(|| format!("{shown}"))?;
        match self.look()? {
            Some(found) if found.is_running => Err(self.goes_on(&found.collection)),
            _ => Ok(()),
        }
    }

    fn goes_on(&self, collection: &Collection) -> anyhow::Error {
        anyhow::anyhow!(
            "collection {} is running already and records to {}; stop it with 'plumb watch stop {}', or use another name",
            self.name,
            collection.folder.display(),
            self.name
        )
    }

    /// Takes the lock for this process, which collects until a stop is requested here, by a signal, or by [`CollectionHandle::end`].
    ///
    /// Errors: another process holds it, or it cannot be written.
    pub fn hold(&self, collection: &Collection, stop: &Stop) -> anyhow::Result<HeldCollection> {
        let path = self.file("lock");
        let shown = || path.display().to_string();
        let lock = File::create(&path).with_context(shown)?;
        let mut looks_left = LOOKS_WAITED_FOR;
        while let Err(error) = lock.try_lock() {
            match error {
                TryLockError::Error(error) => return Err(error).with_context(shown),
                TryLockError::WouldBlock if looks_left > 0 => {
                    looks_left -= 1;
                    std::thread::sleep(NAP / 10);
                }
                TryLockError::WouldBlock => return Err(self.goes_on(collection)),
            }
        }
        let wish = self.file("stop");
        forget(&wish)?;
        let text = serde_json::to_string(collection)?;
        let file = self.file("json");
        std::fs::write(&file, text + "\n").with_context(|| file.display().to_string())?;
        let stop = stop.clone();
        std::thread::Builder::new()
            .name("plumb-collection".into())
            .spawn(move || {
                while !stop.is_requested() {
                    if wish.exists() {
                        stop.request_end();
                    }
                    std::thread::sleep(NAP);
                }
            })
            .context("cannot start a thread")?;
        Ok(HeldCollection { _lock: lock })
    }

    /// Asks the collection to end, waits for it, and forgets it. `None`: there is none of this name.
    ///
    /// Errors: it does not end.
    pub fn end(&self) -> anyhow::Result<Option<FoundCollection>> {
        let Some(found) = self.look()? else {
            return Ok(None);
        };
        if found.is_running {
            let wish = self.file("stop");
            File::create(&wish).with_context(|| wish.display().to_string())?;
            let due = Instant::now() + END_DUE;
            while self.is_locked()? {
                if Instant::now() >= due {
                    bail!(
                        "{} was requested to stop, and is still running: its record in {} may be incomplete",
                        self.name,
                        found.collection.folder.display()
                    );
                }
                std::thread::sleep(NAP / 4);
            }
        }
        for ending in ["stop", "json", "log", "lock"] {
            forget(&self.file(ending))?;
        }
        Ok(Some(found))
    }
}

/// All collections below this folder of states, by name. Errors: it cannot be read.
pub fn collections(states: &Path) -> anyhow::Result<Vec<FoundCollection>> {
    let entries = match std::fs::read_dir(states) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).context(states.display().to_string()),
    };
    let mut found = Vec::new();
    for entry in entries {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if let Some(name) = name.strip_suffix(".json") {
            found.extend(CollectionHandle::of(states, name)?.look()?);
        }
    }
    found.sort_by(|a, b| a.collection.name.cmp(&b.collection.name));
    Ok(found)
}

/// Removes a file that may not be there.
fn forget(file: &Path) -> anyhow::Result<()> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).context(file.display().to_string())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collection(name: &str) -> Collection {
        Collection {
            name: name.into(),
            folder: "/somewhere/r.plumb".into(),
            started: "2026-11-22T07:50:48+00:00".into(),
        }
    }

    #[test]
    fn one_goes_on_while_its_process_holds_it_and_ends_when_it_is_asked() {
        let states = tempfile::tempdir().expect("folder");
        let handle = CollectionHandle::of(states.path(), "night").expect("a name");
        assert!(handle.look().expect("readable").is_none());
        handle.prepare().expect("nothing there");
        let stop = Stop::new();
        let held = handle.hold(&collection("night"), &stop).expect("free");
        let refusal = handle.prepare().expect_err("it goes on").to_string();
        assert!(refusal.contains("plumb watch stop night"), "{refusal}");
        assert!(handle.hold(&collection("night"), &Stop::new()).is_err());
        assert!(!stop.is_requested());
        let asked = stop.clone();
        let collecting = std::thread::spawn(move || {
            while !asked.is_requested() {
                std::thread::sleep(NAP / 10);
            }
            drop(held);
        });
        let ended = handle.end().expect("ends").expect("was there");
        collecting.join().expect("ended");
        assert!(ended.is_running && stop.is_requested());
        assert_eq!(ended.collection, collection("night"));
        assert!(collections(states.path()).expect("readable").is_empty());
    }

    #[test]
    fn one_whose_process_is_gone_is_reported_as_ended_until_it_is_forgotten() {
        let states = tempfile::tempdir().expect("folder");
        for name in ["b", "a"] {
            let handle = CollectionHandle::of(states.path(), name).expect("a name");
            drop(handle.hold(&collection(name), &Stop::new()).expect("free"));
        }
        let found = collections(states.path()).expect("readable");
        let running: Vec<_> = found
            .iter()
            .map(|found| (found.collection.name.as_str(), found.is_running))
            .collect();
        assert_eq!(running, [("a", false), ("b", false)]);
        let handle = CollectionHandle::of(states.path(), "a").expect("a name");
        assert!(!handle.end().expect("gone").expect("was there").is_running);
        assert!(handle.end().expect("none").is_none());
    }

    #[test]
    fn a_name_is_no_path() {
        for name in ["", "../x", "a/b", ".a", "-a", "a b", &"x".repeat(65)] {
            assert!(
                CollectionHandle::of(Path::new("/x"), name).is_err(),
                "{name}"
            );
        }
    }
}
