//! What do FreeBSD calls report about the machine and its mounts? As FreeBSD says it; the environment makes facts of it.
#![cfg_attr(
    not(target_os = "freebsd"),
    allow(dead_code, reason = "other systems have nothing to tell here")
)]

use std::path::Path;

use super::kernel_files::Known;

/// The machine, as sysctl(8) names its values.
#[derive(Debug, Clone)]
pub(crate) struct Host {
    pub name: Known<String>,
    /// `FreeBSD 14.1-RELEASE`.
    pub system: Known<String>,
    pub kernel: Known<String>,
    pub hypervisor: Known<String>,
    pub load_1min: Known<f64>,
    pub processor: Known<String>,
    pub threads: Known<u64>,
    pub domains: Known<u64>,
    pub memory_bytes: Known<u64>,
    /// Free pages and those that can be used again at once.
    pub memory_available_bytes: Known<u64>,
    pub clock: Known<String>,
}

/// A mounted file system (getfsstat(2)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MountedAt {
    pub point: String,
    pub source: String,
    pub file_system: String,
    /// f_flags.
    pub flags: u64,
    pub total_bytes: u64,
    /// For users without privileges; below 0 where they have none left.
    pub free_bytes: i64,
}

/// Flags of sys/mount.h by the names that mount(8) shows.
const FLAGS: [(u64, &str); 14] = [
    (0x1, "read-only"),
    (0x2, "synchronous"),
    (0x4, "noexec"),
    (0x8, "nosuid"),
    (0x10, "nfsv4acls"),
    (0x20, "union"),
    (0x40, "asynchronous"),
    (0x0080_0000, "gjournal"),
    (0x1000, "local"),
    (0x0020_0000, "soft-updates"),
    (0x1000_0000, "noatime"),
    (0x4000_0000, "noclusterr"),
    (0x8000_0000, "noclusterw"),
    (1 << 33, "untrusted"),
];
const READ_ONLY: u64 = 0x1;
const LOCAL: u64 = 0x1000;

impl MountedAt {
    /// `local, soft-updates`, as mount(8) shows them.
    pub(crate) fn options(&self) -> String {
        let set = FLAGS.iter().filter(|(flag, _)| self.flags & flag != 0);
        set.map(|(_, name)| *name).collect::<Vec<_>>().join(", ")
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.flags & READ_ONLY != 0
    }

    /// Its data is on another machine.
    pub(crate) fn is_remote(&self) -> bool {
        self.flags & LOCAL == 0
    }

    pub(crate) fn is_in_memory(&self) -> bool {
        self.file_system == "tmpfs"
    }
}

/// The mount that holds a path: the longest that it is below, of equals the last, which is on top.
pub(crate) fn holds<'m>(mounts: &'m [MountedAt], path: &Path) -> Option<&'m MountedAt> {
    let above = mounts.iter().filter(|mount| path.starts_with(&mount.point));
    above.max_by_key(|mount| mount.point.len())
}

#[cfg(target_os = "freebsd")]
pub(crate) use calls::{host, mounts};

#[cfg(not(target_os = "freebsd"))]
pub(crate) fn host() -> Known<Host> {
    Err("only available on FreeBSD".into())
}

#[cfg(not(target_os = "freebsd"))]
pub(crate) fn mounts() -> Known<Vec<MountedAt>> {
    Err("only available on FreeBSD".into())
}

#[cfg(target_os = "freebsd")]
mod calls {
    use std::ffi::CStr;

    use super::super::sysctl;
    use super::*;

    fn text(name: &CStr) -> Known<String> {
        sysctl::text(name)
            .map(|text| text.trim().to_owned())
            .ok_or_else(|| untold(name))
    }

    fn number(name: &CStr) -> Known<u64> {
        sysctl::number(name).ok_or_else(|| untold(name))
    }

    fn untold(name: &CStr) -> String {
        format!("sysctl {} returns nothing", name.to_string_lossy())
    }

    pub(crate) fn host() -> Known<Host> {
        let pages = |names: [&CStr; 2]| -> Known<u64> {
            let page = number(c"hw.pagesize")?;
            Ok(names
                .into_iter()
                .map(number)
                .sum::<Known<u64>>()?
                .saturating_mul(page))
        };
        Ok(Host {
            name: text(c"kern.hostname"),
            system: text(c"kern.osrelease").map(|release| format!("FreeBSD {release}")),
            kernel: text(c"kern.version"),
            hypervisor: text(c"kern.vm_guest"),
            load_1min: load(),
            processor: text(c"hw.model"),
            threads: number(c"hw.ncpu"),
            domains: number(c"vm.ndomains"),
            memory_bytes: number(c"hw.physmem"),
            memory_available_bytes: pages([
                c"vm.stats.vm.v_free_count",
                c"vm.stats.vm.v_inactive_count",
            ]),
            clock: text(c"kern.timecounter.hardware"),
        })
    }

    fn load() -> Known<f64> {
        let mut loads = [0.0; 3];
        // SAFETY: there is room for the three numbers that are requested.
        match unsafe { libc::getloadavg(loads.as_mut_ptr(), 3) } {
            1.. => Ok(loads[0]),
            _ => Err("getloadavg returns nothing".into()),
        }
    }

    pub(crate) fn mounts() -> Known<Vec<MountedAt>> {
        let failed = || format!("getfsstat fails: {}", std::io::Error::last_os_error());
        // SAFETY: without a buffer only the number of mounts is reported.
        let count = unsafe { libc::getfsstat(std::ptr::null_mut(), 0, libc::MNT_NOWAIT) };
        let count = usize::try_from(count).map_err(|_| failed())? + 8;
        // SAFETY: plain data, of which zero is a valid value.
        let mut found: Vec<libc::statfs> = vec![unsafe { std::mem::zeroed() }; count];
        let bytes = std::mem::size_of_val(found.as_slice()) as libc::c_long;
        // SAFETY: the buffer has the size that is said. MNT_NOWAIT: a server that does not answer is not waited for.
        let reported = unsafe { libc::getfsstat(found.as_mut_ptr(), bytes, libc::MNT_NOWAIT) };
        found.truncate(usize::try_from(reported).map_err(|_| failed())?);
        Ok(found.iter().map(mounted).collect())
    }

    fn mounted(found: &libc::statfs) -> MountedAt {
        let text = |characters: &[libc::c_char]| {
            let bytes: Vec<u8> = characters
                .iter()
                .take_while(|character| **character != 0)
                .map(|character| *character as u8)
                .collect();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        MountedAt {
            point: text(&found.f_mntonname),
            source: text(&found.f_mntfromname),
            file_system: text(&found.f_fstypename),
            flags: found.f_flags,
            total_bytes: found.f_blocks.saturating_mul(found.f_bsize),
            free_bytes: found
                .f_bavail
                .saturating_mul(i64::try_from(found.f_bsize).unwrap_or(i64::MAX)),
        }
    }
}
