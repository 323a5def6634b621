//! Which users of a file or a device does the kernel report? Its numbers, the file behind a loop device, leases, claims, name spaces.

use plumb_model::statement::Statement;
use std::path::Path;

use super::files::Identity;

/// Number of a device: major, minor.
pub type Number = (u32, u32);

/// Which file a path leads to, looked up without a request to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    pub identity: Identity,
    /// Number of the device when it is a block device.
    pub block_device: Option<Number>,
}

/// Who else has a file open, in any container and the kernel itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
pub enum Openers {
    Nobody,
    Readers,
    Writers,
    /// The file system has no leases, or this user may not take one.
    Unknown,
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::{File, OpenOptions};
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::{AtFlags, FileType, StatxFlags};

    use super::*;

    /// LOOP_GET_STATUS64 of linux/loop.h, and its number of bytes.
    const LOOP_GET_STATUS64: libc::c_ulong = 0x4C05;
    const LOOP_INFO_BYTES: usize = 232;
    /// F_SETSIG of linux/fcntl.h.
    const F_SETSIG: libc::c_int = 10;
    /// Inode of the name space of processes that the machine started with: PROC_PID_INIT_INO of linux/proc_ns.h.
    const FIRST_PID_NAMESPACE: &str = "pid:[4026531836]";

    /// Follows links, also those of /proc/PID/fd, which lead to the open file itself. AT_STATX_DONT_SYNC: a server that does not answer is not waited for.
    pub fn look(path: &Path) -> Option<Seen> {
        let mask = StatxFlags::TYPE | StatxFlags::INO;
        let found =
            rustix::fs::statx(rustix::fs::CWD, path, AtFlags::STATX_DONT_SYNC, mask).ok()?;
        let is_block = FileType::from_raw_mode(found.stx_mode.into()) == FileType::BlockDevice;
        Some(Seen {
            identity: Identity {
                device: rustix::fs::makedev(found.stx_dev_major, found.stx_dev_minor),
                inode: found.stx_ino,
            },
            block_device: is_block.then_some((found.stx_rdev_major, found.stx_rdev_minor)),
        })
    }

    /// What a loop device shows, by its device file.
    pub fn loop_backing(device: &Path) -> Option<Seen> {
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC)
            .open(device)
            .ok()?;
        let mut found = [0u64; LOOP_INFO_BYTES / 8];
        // SAFETY: struct loop_info64 has 232 bytes and begins with lo_device, lo_inode and lo_rdevice of 64 bits each; it lives over the call.
        let rc =
            unsafe { libc::ioctl(file.as_raw_fd(), LOOP_GET_STATUS64 as _, found.as_mut_ptr()) };
        let [device, inode, rdev, ..] = found;
        // huge_encode_dev of the kernel is the encoding of st_dev.
        let number = (rustix::fs::major(rdev), rustix::fs::minor(rdev));
        (rc == 0).then_some(Seen {
            identity: Identity { device, inode },
            block_device: (rdev != 0).then_some(number),
        })
    }

    /// Asks by leases (fcntl(2), F_SETLEASE): one for writing is given while nobody else has the file open, one for reading while nobody has it open for
    /// writing. Both are released at once. No file of this process may be open on it.
    pub fn openers(path: &Path) -> Openers {
        let flags = libc::O_NONBLOCK | libc::O_NOFOLLOW | libc::O_NOCTTY;
        let Ok(file) = OpenOptions::new().read(true).custom_flags(flags).open(path) else {
            return Openers::Unknown;
        };
        // Who opens the file just now makes the kernel send a signal, SIGIO by default, which would end this process. SIGURG is ignored.
        // SAFETY: fcntl with a number takes no memory.
        if unsafe { libc::fcntl(file.as_raw_fd(), F_SETSIG, libc::SIGURG) } != 0 {
            return Openers::Unknown;
        }
        match (lease(&file, libc::F_WRLCK), || lease(&file, libc::F_RDLCK)) {
            (Some(true), _) => Openers::Nobody,
            (Some(false), reading) => match reading() {
                Some(true) => Openers::Readers,
                Some(false) => Openers::Writers,
                None => Openers::Unknown,
            },
            (None, _) => Openers::Unknown,
        }
    }

    /// Takes a lease and gives it back. `None`: there are no leases here.
    fn lease(file: &File, kind: libc::c_int) -> Option<bool> {
        // SAFETY: fcntl with a number takes no memory.
        let rc = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLEASE, kind) };
        match (rc, std::io::Error::last_os_error().raw_os_error()) {
            (0, _) => {
                // SAFETY: as above.
                unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLEASE, libc::F_UNLCK) };
                Some(true)
            }
            (_, Some(libc::EAGAIN)) => Some(false),
            _ => None,
        }
    }

    /// Why some processes cannot be looked into from here; `None` when all can.
    pub fn unseen_processes() -> Option<Statement> {
        if !rustix::process::geteuid().is_root() {
            return Some(Statement::new("unseen-processes-of-others"));
        }
        let name_space = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
        (name_space != Path::new(FIRST_PID_NAMESPACE))
            .then(|| Statement::new("unseen-outside-the-container"))
    }
}

/// Opening a file on Windows declares what others may do with it meanwhile.
#[cfg(windows)]
mod windows {
    use std::os::windows::fs::OpenOptionsExt;

    use windows_sys::Win32::Foundation::{ERROR_SHARING_VIOLATION, GENERIC_READ};
    use windows_sys::Win32::Storage::FileSystem::FILE_SHARE_READ;

    use super::*;

    /// Asks by opening the file alone, and again beside readers. No file of this process may be open on it.
    pub fn openers(path: &Path) -> Openers {
        // Whether it goes beside what others have open; `None`: it cannot be tried.
        let goes_beside = |share: u32| {
            let mut options = std::fs::OpenOptions::new();
            options.access_mode(GENERIC_READ).share_mode(share);
            match options.open(path) {
                Ok(_) => Some(true),
                Err(error) => {
                    let is_shared = error.raw_os_error() == Some(ERROR_SHARING_VIOLATION as i32);
                    is_shared.then_some(false)
                }
            }
        };
        match goes_beside(0) {
            Some(true) => Openers::Nobody,
            Some(false) => match goes_beside(FILE_SHARE_READ) {
                Some(true) => Openers::Readers,
                Some(false) => Openers::Writers,
                None => Openers::Unknown,
            },
            None => Openers::Unknown,
        }
    }

    pub fn look(_: &Path) -> Option<Seen> {
        None
    }

    pub fn loop_backing(_: &Path) -> Option<Seen> {
        None
    }

    /// An open is visible to every other one, of any process.
    pub fn unseen_processes() -> Option<Statement> {
        None
    }
}

#[cfg(not(any(target_os = "linux", windows)))]
mod other {
    use super::*;

    pub fn look(_: &Path) -> Option<Seen> {
        None
    }

    pub fn loop_backing(_: &Path) -> Option<Seen> {
        None
    }

    pub fn openers(_: &Path) -> Openers {
        Openers::Unknown
    }

    pub fn unseen_processes() -> Option<Statement> {
        Some(Statement::new("unseen-on-this-system"))
    }
}

#[cfg(target_os = "linux")]
pub use linux::{look, loop_backing, openers, unseen_processes};
#[cfg(not(any(target_os = "linux", windows)))]
pub use other::{look, loop_backing, openers, unseen_processes};
#[cfg(windows)]
pub use windows::{look, loop_backing, openers, unseen_processes};
