//! Which fixtures do the tests use? Real files, small file systems and loop devices, removed when a test ends.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

use plumb_load::site::{Needs, Overwrite, Preparing, Site, SiteError};
use plumb_model::target::Target;

/// Content that identifies file and offset: each byte is a function of its offset.
pub fn byte_at(index: u32, offset: u64) -> u8 {
    (offset / 7 + offset + u64::from(index) * 31 + 1) as u8
}

fn fill(index: u32, offset: u64, bytes: &mut [u8]) {
    for (place, byte) in bytes.iter_mut().enumerate() {
        *byte = byte_at(index, offset + place as u64);
    }
}

/// Calls `work` with what a claim needs: known content, a stop flag that is not set, no display.
pub fn preparing<T>(work: impl FnOnce(&mut Preparing<'_>) -> T) -> T {
    let stop = AtomicBool::new(false);
    work(&mut Preparing {
        fill: &mut fill,
        stop: &stop,
        progress: &mut |_| {},
    })
}

pub fn claim(path: &Path, needs: &Needs, permission: &Overwrite) -> Result<Site, SiteError> {
    preparing(|preparing| {
        Site::claim(
            &Target::Path(path.to_path_buf()),
            needs,
            &permission.clone().into(),
            preparing,
        )
    })
}

/// The text of the error that a claim must give.
pub fn refusal(path: &Path, needs: &Needs, permission: &Overwrite) -> String {
    match claim(path, needs, permission) {
        Ok(site) => panic!("claimed {site:?}"),
        Err(error) => error.to_string(),
    }
}

pub fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

/// True for root; else prints why the test is skipped.
pub fn may_mount(test: &str) -> bool {
    let root = std::fs::metadata("/proc/self").expect("/proc").uid() == 0
        && Path::new("/dev/loop-control").exists();
    if !root {
        println!("skipped: {test} needs root and loop devices");
    }
    root
}

pub fn run(program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .map_err(|error| format!("{program}: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        false => Err(format!(
            "{program} {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}

/// A loop device on a file of its own.
pub struct Loop {
    pub device: PathBuf,
    _folder: tempfile::TempDir,
}

impl Loop {
    /// `prepare` may write into the image before the kernel sees it.
    pub fn new(bytes: u64, prepare: impl FnOnce(&Path)) -> Loop {
        let folder = tempfile::tempdir().expect("a folder");
        let image = folder.path().join("image");
        std::fs::File::create(&image)
            .and_then(|file| file.set_len(bytes))
            .expect("an image");
        prepare(&image);
        let device = run(
            "losetup",
            &["-P", "-f", "--show", image.to_str().expect("a name")],
        )
        .expect("a loop device");
        Loop {
            device: device.into(),
            _folder: folder,
        }
    }

    pub fn name(&self) -> &str {
        self.device.to_str().expect("a name")
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = run("losetup", &["-d", self.name()]);
    }
}

/// A mounted file system.
pub struct Mounted {
    pub point: tempfile::TempDir,
}

impl Mounted {
    pub fn device(device: &Path) -> Result<Mounted, String> {
        let point = tempfile::tempdir().expect("a folder");
        run(
            "mount",
            &[
                device.to_str().expect("a name"),
                point.path().to_str().expect("a name"),
            ],
        )?;
        Ok(Mounted { point })
    }

    pub fn tmpfs(options: &str) -> Mounted {
        let point = tempfile::tempdir().expect("a folder");
        run(
            "mount",
            &[
                "-t",
                "tmpfs",
                "-o",
                options,
                "tmpfs",
                point.path().to_str().expect("a name"),
            ],
        )
        .expect("a tmpfs");
        Mounted { point }
    }

    pub fn path(&self) -> &Path {
        self.point.path()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // The kernel closes files of an ended process's ring a moment later.
        for _ in 0..100 {
            if run("umount", &[self.path().to_str().expect("a name")]).is_ok() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
}
