//! How is the memory behind a share kept from limiting a client? In 4 KiB pages a fifth of the server's time on a write goes into their book-keeping; in huge pages none does.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder in memory in huge pages, mounted for as long as this value lives.
pub struct HugePages {
    folder: PathBuf,
}

impl HugePages {
    /// Mounts a tmpfs of at most `bytes` on an empty folder; None where this user or kernel may not.
    pub fn mount(folder: &Path, bytes: u64) -> Option<HugePages> {
        let options = format!("huge=always,size={bytes},mode=0755");
        let mut command = Command::new("mount");
        command
            .args(["-t", "tmpfs", "-o", &options, "plumb-bench"])
            .arg(folder)
            .stderr(Stdio::null());
        command
            .status()
            .is_ok_and(|status| status.success())
            .then(|| HugePages {
                folder: folder.into(),
            })
    }
}

impl Drop for HugePages {
    fn drop(&mut self) {
        // Lazily: the server still holds the folder, and ends after this.
        let _ = Command::new("umount").arg("-l").arg(&self.folder).status();
    }
}
