//! Which file system do tests break? One of their own: held in memory, mounted with FUSE, it stores what it is given and fails as a test tells it to.
//!
//! ```ignore
//! let Some(broken) = FaultFs::mount(Options::default()) else { return }; // `skipped: reason` was printed
//! broken.inject(Fault::every(Call::Read, 50, Effect::FlipBit(17)).of_size(4096));
//! // ... measure in broken.path(), in this process or, better, in another ...
//! assert_eq!(mismatches_told, broken.injected(Call::Read));
//! ```
//!
//! A fault counts the calls that fit it from the moment it is injected, so one that is meant for a measurement is injected when the file is laid out, or
//! names a size that the layout does not use. `injections` tells what was done to which bytes, in order; nothing else is ever wrong with the file system.
//! `Effect::Hang` keeps the reply back until `release` (or the end of the value). The kernel splits and merges what goes through its page cache:
//! sizes are those of the application with direct I/O, and for writes of up to 1 MiB without `write_back_cache`.

#![allow(dead_code)]

mod faults;
mod nodes;
mod served;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use fuser::{BackgroundSession, Config, MountOption};

pub use faults::{Call, Effect, Fault, Injection};
use served::Served;

/// How a file system answers besides its faults.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// An open with O_DIRECT is refused with EINVAL.
    pub refuse_direct: bool,
    /// Every file is opened with FOPEN_DIRECT_IO: nothing goes through the page cache, whatever the application asks for; shared mappings for writing
    /// are refused by the kernel.
    pub always_direct: bool,
    /// FUSE_WRITEBACK_CACHE: writes end in the page cache, and one that fails later is told by fsync(2) or close(2) alone, as on a local file system.
    pub write_back_cache: bool,
    /// Bytes that statfs(2) gives as size and, less what is stored, as free; 0 is 64 GiB. Writes beyond it are not refused: inject ENOSPC.
    pub capacity: u64,
    /// Of the mode of a new file the permissions alone are kept, as network file systems do that emulate it.
    pub permissions_only: bool,
}

/// The mounted file system. Ends when dropped, with everything in it.
pub struct FaultFs {
    served: Arc<Served>,
    /// Missing only while it is dropped.
    session: Option<BackgroundSession>,
    folder: tempfile::TempDir,
}

impl FaultFs {
    /// Mounts one; `None`, with the reason printed, where FUSE cannot be had.
    pub fn mount(options: Options) -> Option<FaultFs> {
        let folder = tempfile::tempdir().expect("a folder");
        let served = Arc::new(Served::new(options));
        let mut config = Config::default();
        config.mount_options = vec![
            MountOption::FSName("plumb-faults".into()),
            MountOption::DefaultPermissions,
        ];
        config.n_threads = Some(2);
        match fuser::spawn_mount(served::Answers(served.clone()), folder.path(), &config) {
            Ok(session) => Some(FaultFs {
                served,
                session: Some(session),
                folder,
            }),
            Err(error) => {
                println!("skipped: no FUSE file system can be mounted here: {error}");
                None
            }
        }
    }

    /// Where it is mounted.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Adds a fault. Where several fit one call, the first takes it; each counts it.
    pub fn inject(&self, fault: Fault) {
        self.served.faults().inject(fault);
    }

    /// Takes all faults away. What they have done stays counted.
    pub fn heal(&self) {
        self.served.faults().heal();
    }

    /// Answers everything that hangs, in the order in which it was asked.
    pub fn release(&self) {
        self.served.release();
    }

    /// How many calls hang now.
    pub fn hanging(&self) -> usize {
        self.served.faults().held.len()
    }

    /// How many faults were injected into this kind of call.
    pub fn injected(&self, call: Call) -> u64 {
        self.injections()
            .iter()
            .filter(|injection| injection.call == call)
            .count() as u64
    }

    /// Everything that was injected, in order.
    pub fn injections(&self) -> Vec<Injection> {
        self.served.faults().injections.clone()
    }

    /// How many calls of this kind were served, those with faults included.
    pub fn served(&self, call: Call) -> u64 {
        self.served.faults().served.get(&call).copied().unwrap_or(0)
    }

    /// What is stored of a file, past the page cache. `None`: there is no such file. `path`: from the root of the file system.
    pub fn stored(&self, path: &str) -> Option<Vec<u8>> {
        self.served.nodes().stored(path)
    }
}

impl Drop for FaultFs {
    fn drop(&mut self) {
        self.heal();
        self.release();
        // Lazily: what a killed process left open must not keep the mount.
        let path: PathBuf = self.folder.path().into();
        let silent = |program: &str, words: &[&str]| {
            let ended = Command::new(program)
                .args(words)
                .arg(&path)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            ended.is_ok_and(|status| status.success())
        };
        let _ = silent("umount", &["-l"]) || silent("fusermount3", &["-u", "-z"]);
        drop(self.session.take());
    }
}
