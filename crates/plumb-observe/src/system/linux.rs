//! What does Linux report only by a call: of files and devices, of this process, and by trials?

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, FileType, StatxAttributes, StatxFlags};

use super::{DirectTrial, Exclusive, Identity, Kind, Space};

/// What `path` is.
pub(crate) fn identity(path: &Path) -> io::Result<Identity> {
    let selected = StatxFlags::BASIC_STATS | StatxFlags::MNT_ID | StatxFlags::DIOALIGN;
    let found = rustix::fs::statx(CWD, path, AtFlags::empty(), selected)?;
    let reported = |flag: StatxFlags| found.stx_mask & flag.bits() != 0;
    let kind = match FileType::from_raw_mode(found.stx_mode.into()) {
        FileType::Directory => Kind::Directory,
        FileType::RegularFile => Kind::File,
        FileType::BlockDevice => Kind::BlockDevice,
        FileType::CharacterDevice => Kind::CharacterDevice,
        _ => Kind::Other,
    };
    Ok(Identity {
        kind,
        size_bytes: found.stx_size,
        device: (found.stx_dev_major, found.stx_dev_minor),
        stands_for: (found.stx_rdev_major, found.stx_rdev_minor),
        mount_id: reported(StatxFlags::MNT_ID).then_some(found.stx_mnt_id),
        is_compressed: found
            .stx_attributes_mask
            .contains(StatxAttributes::COMPRESSED)
            .then(|| found.stx_attributes.contains(StatxAttributes::COMPRESSED)),
        direct_alignment_bytes: reported(StatxFlags::DIOALIGN)
            .then_some(found.stx_dio_offset_align.into()),
    })
}

/// Space of the file system that holds `path`.
pub(crate) fn space(path: &Path) -> io::Result<Space> {
    let found = rustix::fs::statvfs(path)?;
    let bytes = |blocks: u64| blocks.saturating_mul(found.f_frsize);
    Ok(Space {
        total_bytes: bytes(found.f_blocks),
        free_bytes: bytes(found.f_bavail),
    })
}

/// Ticks of USER_HZ in a second: the unit of /proc/stat.
pub(crate) fn clock_ticks_per_second() -> f64 {
    system_value(libc::_SC_CLK_TCK)
}

/// Size of a page of memory.
pub(crate) fn page_bytes() -> f64 {
    system_value(libc::_SC_PAGESIZE)
}

/// What sysconf(3) says. Asked of the C library: rustix looks into the kernel's shared object for it, which is not there under valgrind.
fn system_value(name: libc::c_int) -> f64 {
    // SAFETY: sysconf takes any number and touches no memory of ours.
    unsafe { libc::sysconf(name) as f64 }
}

/// CPU time in user and kernel mode, in nanoseconds, of all threads of this process but the one that asks, ended ones and those that the kernel made for
/// io_uring (iou-wrk, iou-sqp) included: they are threads of the process (create_io_thread in kernel/fork.c).
pub(crate) fn cpu_of_other_threads() -> Option<(u64, u64)> {
    let of = |who: libc::c_int| {
        let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: getrusage writes one rusage to the pointer, which is valid for it.
        let usage = unsafe {
            (libc::getrusage(who, usage.as_mut_ptr()) == 0).then(|| usage.assume_init())
        }?;
        let ns =
            |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000;
        Some((ns(usage.ru_utime), ns(usage.ru_stime)))
    };
    // The part first: what is spent between the two calls is counted for the others, not taken from them.
    let (own, all) = (of(libc::RUSAGE_THREAD)?, of(libc::RUSAGE_SELF)?);
    Some((all.0.saturating_sub(own.0), all.1.saturating_sub(own.1)))
}

/// CPU time of this process in nanoseconds, all threads, ended ones included.
pub(crate) fn process_cpu_ns() -> Option<u64> {
    let mut time = std::mem::MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: clock_gettime writes one timespec to the pointer, which is valid for it.
    let time = unsafe {
        if libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, time.as_mut_ptr()) != 0 {
            return None;
        }
        time.assume_init()
    };
    Some(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

/// Voluntary and involuntary context switches of this process, all threads.
pub(crate) fn context_switches() -> Option<(u64, u64)> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: getrusage writes one rusage to the pointer, which is valid for it.
    let usage = unsafe {
        if libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) != 0 {
            return None;
        }
        usage.assume_init()
    };
    Some((
        u64::try_from(usage.ru_nvcsw).ok()?,
        u64::try_from(usage.ru_nivcsw).ok()?,
    ))
}

/// Bytes of the file that were never written: holes and unwritten extents (Documentation/filesystems/fiemap.rst).
///
/// Data that is still on its way to an unwritten extent looks unwritten, so a file that seems to have such bytes is synced and asked again.
pub(crate) fn unwritten_bytes(file: &File, size_bytes: u64) -> io::Result<u64> {
    match unwritten_once(file, size_bytes, false) {
        Ok(0) => Ok(0),
        Ok(_) => unwritten_once(file, size_bytes, true),
        Err(error) => match holes_bytes(file, size_bytes) {
            // A file system that knows no holes claims that all is data: only a hole that was found reports something.
            Ok(bytes) if bytes > 0 => Ok(bytes),
            _ => Err(error),
        },
    }
}

fn unwritten_once(file: &File, size_bytes: u64, sync: bool) -> io::Result<u64> {
    let mut written = 0u64;
    plumb_system::fiemap::visit(file, size_bytes, sync, |extent| {
        if !extent.is_unwritten() {
            let end = extent.logical.saturating_add(extent.bytes).min(size_bytes);
            written += end.saturating_sub(extent.logical);
        }
    })?;
    Ok(size_bytes.saturating_sub(written))
}

/// Bytes in holes, by lseek(2) SEEK_DATA and SEEK_HOLE.
fn holes_bytes(file: &File, size_bytes: u64) -> io::Result<u64> {
    use rustix::fs::SeekFrom;
    let (mut at, mut holes) = (0u64, 0u64);
    while at < size_bytes {
        let data = match rustix::fs::seek(file, SeekFrom::Data(at)) {
            Ok(data) => data.min(size_bytes),
            Err(rustix::io::Errno::NXIO) => size_bytes,
            Err(error) => return Err(error.into()),
        };
        holes += data - at;
        if data >= size_bytes {
            break;
        }
        at = rustix::fs::seek(file, SeekFrom::Hole(data))?;
    }
    Ok(holes)
}

/// Bytes of a file or block device that are in the page cache: cachestat(2) of Linux 6.5, else mincore(2).
pub(crate) fn cached_bytes(file: &File, size_bytes: u64) -> io::Result<u64> {
    /// Linux 6.5: the same number on all architectures.
    const SYS_CACHESTAT: libc::c_long = 451;
    #[repr(C)]
    struct Range {
        offset: u64,
        length: u64,
    }
    #[repr(C)]
    #[derive(Default)]
    struct CacheStat {
        cache: u64,
        dirty: u64,
        writeback: u64,
        evicted: u64,
        recently_evicted: u64,
    }
    let range = Range {
        offset: 0,
        length: size_bytes,
    };
    let mut found = CacheStat::default();
    // SAFETY: the descriptor is open; both pointers are to values of the layout that linux/mman.h gives, alive during the call.
    let outcome = unsafe {
        libc::syscall(
            SYS_CACHESTAT,
            file.as_raw_fd(),
            &raw const range,
            &raw mut found,
            0u32,
        )
    };
    if outcome == 0 {
        return Ok((found.cache * page_bytes() as u64).min(size_bytes));
    }
    let error = io::Error::last_os_error();
    if error.raw_os_error() != Some(libc::ENOSYS) {
        Err(error)
    } else {
        resident_bytes(file, size_bytes)
    }
}

/// The same by mincore(2), for kernels before 6.5. Linux 5.2 and newer answer "all cached" to those who may not write the file, so these get
/// an error instead.
fn resident_bytes(file: &File, size_bytes: u64) -> io::Result<u64> {
    let may_write = rustix::fs::access(
        format!("/proc/self/fd/{}", file.as_raw_fd()),
        rustix::fs::Access::WRITE_OK,
    )
    .is_ok();
    if !may_write {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "the kernel reports cached pages only to users who may write the file",
        ));
    }
    const WINDOW_BYTES: u64 = 1 << 30;
    let page_bytes = page_bytes() as u64;
    let mut resident = 0u64;
    let mut offset = 0;
    while offset < size_bytes {
        let length = WINDOW_BYTES.min(size_bytes - offset) as usize;
        let mut pages = vec![0u8; length.div_ceil(page_bytes as usize)];
        // SAFETY: a fresh mapping of an open file at a page-aligned offset, never dereferenced, unmapped before the next; mincore writes one byte
        // for each page of `length`, which is how long `pages` is.
        let outcome = unsafe {
            let offset = libc::off_t::try_from(offset).map_err(io::Error::other)?;
            let position = libc::mmap(
                std::ptr::null_mut(),
                length,
                libc::PROT_READ,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                offset,
            );
            if position == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            let outcome = match libc::mincore(position, length, pages.as_mut_ptr()) {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            };
            libc::munmap(position, length);
            outcome
        };
        outcome?;
        resident += pages.iter().filter(|page| **page & 1 == 1).count() as u64 * page_bytes;
        offset += length as u64;
    }
    Ok(resident.min(size_bytes))
}

/// A buffer of `length` bytes that begins at a multiple of `alignment`: (owner, where it begins).
fn aligned(length: usize, alignment: usize) -> (Vec<u8>, usize) {
    let owner = vec![0u8; length + alignment];
    let begin = owner.as_ptr().align_offset(alignment);
    (owner, begin)
}

/// Block sizes that a trial reads with, smallest first.
const TRIAL_BYTES: [u64; 3] = [512, 4096, 65536];

/// Opens `path` with O_DIRECT and reads its first block, with growing block sizes until one goes through.
pub(crate) fn try_direct_read(path: &Path) -> DirectTrial {
    match OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_DIRECT | libc::O_NONBLOCK)
        .open(path)
    {
        Ok(file) => smallest_read(&file),
        Err(error) => refusal("opening it with O_DIRECT", &error),
    }
}

fn smallest_read(file: &File) -> DirectTrial {
    let mut last = DirectTrial::Untried("nothing was read".into());
    for block_bytes in TRIAL_BYTES {
        let (mut buffer, begin) = aligned(block_bytes as usize, block_bytes as usize);
        match file.read_at(&mut buffer[begin..begin + block_bytes as usize], 0) {
            Ok(_) => return DirectTrial::Works(block_bytes),
            Err(error) => last = refusal("an aligned read with O_DIRECT", &error),
        }
    }
    last
}

fn refusal(what: &str, error: &io::Error) -> DirectTrial {
    let reason = match error.kind() {
        io::ErrorKind::UnexpectedEof => format!("{what} was short"),
        _ => format!("{what} failed: {error}"),
    };
    match error.raw_os_error() {
        Some(libc::EINVAL | libc::EOPNOTSUPP | libc::ENOTTY) => DirectTrial::Refused(reason),
        _ => DirectTrial::Untried(reason),
    }
}

/// Makes a scratch file in `folder`, writes 4 KiB to it with O_DIRECT, reads them back, and compares. The file loses its name at once, so
/// that nothing stays behind even when the process is killed. Also reports what statx says of the file's O_DIRECT alignment.
pub(crate) fn try_direct_in(folder: &Path) -> (DirectTrial, Option<u64>) {
    const LENGTH: usize = 4096;
    let path = folder.join(format!(".plumb-direct-trial-{}", std::process::id()));
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path);
    let reported = file
        .as_ref()
        .ok()
        .and_then(|_| identity(&path).ok()?.direct_alignment_bytes);
    // The name is needed once more, to open the file with the flag: a file system may refuse it after it has created the file.
    let direct = file.and_then(|_| {
        let opened = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(libc::O_DIRECT)
            .open(&path);
        std::fs::remove_file(&path)?;
        Ok(opened)
    });
    let file = match direct {
        Ok(Ok(file)) => file,
        Ok(Err(error)) => {
            return (
                refusal("opening a scratch file with O_DIRECT", &error),
                reported,
            );
        }
        Err(error) => {
            return (
                DirectTrial::Untried(format!(
                    "cannot make a scratch file in {}: {error}",
                    folder.display()
                )),
                reported,
            );
        }
    };
    let (mut written, begin) = aligned(LENGTH, LENGTH);
    written[begin..]
        .iter_mut()
        .zip(0u32..)
        .for_each(|(byte, at)| *byte = (at.wrapping_mul(2_654_435_761) >> 24) as u8);
    let written = &written[begin..begin + LENGTH];
    if let Err(error) = file.write_all_at(written, 0) {
        return (
            refusal("an aligned write of 4 KiB with O_DIRECT", &error),
            reported,
        );
    }
    let (mut read, begin) = aligned(LENGTH, LENGTH);
    match file.read_exact_at(&mut read[begin..begin + LENGTH], 0) {
        Ok(()) if &read[begin..begin + LENGTH] == written => (smallest_read(&file), reported),
        Ok(()) => (
            DirectTrial::Refused("data written with O_DIRECT did not read back".into()),
            reported,
        ),
        Err(error) => (
            refusal("an aligned read of 4 KiB with O_DIRECT", &error),
            reported,
        ),
    }
}

/// Opens a block device read-only with O_EXCL, which the kernel refuses while anything claims it or a part of it: a mount in any namespace,
/// swap, md, device mapper, bcache, ZFS, or another program (open(2), O_EXCL; bd_prepare_to_claim in block/bdev.c).
pub(crate) fn try_exclusive(path: &Path) -> Exclusive {
    match OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_EXCL | libc::O_NONBLOCK)
        .open(path)
    {
        Ok(_) => Exclusive::Free,
        Err(error) if error.raw_os_error() == Some(libc::EBUSY) => Exclusive::Claimed,
        Err(error) => Exclusive::Untried(format!("cannot open {}: {error}", path.display())),
    }
}

/// The number of the block device that a path leads to, links of /proc/PID/fd included. A server that does not answer is not waited for.
pub(crate) fn block_device_number(path: &Path) -> Option<(u32, u32)> {
    use rustix::fs::{AtFlags, CWD, FileType, StatxFlags, statx};
    let found = statx(CWD, path, AtFlags::STATX_DONT_SYNC, StatxFlags::TYPE).ok()?;
    let is_block = FileType::from_raw_mode(found.stx_mode.into()) == FileType::BlockDevice;
    is_block.then_some((found.stx_rdev_major, found.stx_rdev_minor))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::Kind;
    use std::os::unix::fs::FileExt;

    fn scratch() -> (tempfile::TempDir, std::fs::File) {
        let folder = tempfile::tempdir().unwrap();
        let file = std::fs::File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(folder.path().join("file"))
            .unwrap();
        (folder, file)
    }

    #[test]
    fn preallocated_extents_are_unwritten_until_they_are_written() {
        let (_folder, file) = scratch();
        if let Err(error) =
            rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, 1 << 20)
        {
            eprintln!("skipped: the file system does not preallocate: {error}");
            return;
        }
        let unwritten = || match unwritten_bytes(&file, 1 << 20) {
            Err(error) if error.raw_os_error() == Some(libc::EOPNOTSUPP) => None,
            reported => Some(reported.unwrap()),
        };
        let Some(before) = unwritten() else {
            eprintln!("skipped: the file system tells no extents");
            return;
        };
        assert_eq!(before, 1 << 20);
        assert_eq!(
            holes_bytes(&file, 1 << 20).unwrap(),
            1 << 20,
            "SEEK_DATA passes over unwritten extents too"
        );
        // Not synced by the writer: the data is still on its way to the extent when it is requested.
        file.write_all_at(&[1; 1 << 18], 0).unwrap();
        assert_eq!(unwritten(), Some((1 << 20) - (1 << 18)));
    }

    #[test]
    fn a_file_of_more_extents_than_one_call_tells_is_added_up() {
        let (_folder, file) = scratch();
        const BLOCK: u64 = 65536;
        (0..300).for_each(|number| file.write_all_at(&[1; 4096], number * BLOCK).unwrap());
        file.set_len(300 * BLOCK).unwrap();
        match unwritten_bytes(&file, 300 * BLOCK) {
            Ok(unwritten) => assert_eq!(unwritten, 300 * (BLOCK - 4096)),
            Err(error) => eprintln!("skipped: the file system tells no extents: {error}"),
        }
    }

    #[test]
    fn both_calls_agree_on_what_is_cached() {
        let (_folder, file) = scratch();
        file.write_all_at(&[1; 100_000], 0).unwrap();
        assert_eq!(resident_bytes(&file, 100_000).unwrap(), 100_000);
        assert_eq!(cached_bytes(&file, 100_000).unwrap(), 100_000);
    }

    #[test]
    fn a_file_that_is_no_device_can_be_opened_exclusively_and_a_missing_one_not() {
        let (folder, _file) = scratch();
        assert_eq!(try_exclusive(&folder.path().join("file")), Exclusive::Free);
        assert!(matches!(
            try_exclusive(&folder.path().join("none")),
            Exclusive::Untried(_)
        ));
    }

    #[test]
    fn identity_follows_symlinks() {
        let (folder, _file) = scratch();
        std::os::unix::fs::symlink("file", folder.path().join("link")).unwrap();
        assert_eq!(
            identity(&folder.path().join("link")).unwrap(),
            identity(&folder.path().join("file")).unwrap()
        );
        assert_eq!(identity(folder.path()).unwrap().kind, Kind::Directory);
        assert_eq!(identity(Path::new("/dev/null")).unwrap().stands_for, (1, 3));
    }

    #[test]
    fn waiting_counts_as_voluntary_switches() {
        let before = context_switches().unwrap().0;
        (0..5).for_each(|_| std::thread::sleep(std::time::Duration::from_millis(1)));
        assert!(context_switches().unwrap().0 >= before + 5);
    }
}
