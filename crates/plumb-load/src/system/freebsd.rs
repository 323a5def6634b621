//! What does FreeBSD report of a thread, how does it pin it, and how does it discard blocks? From its manual pages: this was never run.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, RawFd};

use super::*;

/// Numbers of CPUs that the kernel's sets have room for (cpuset(2): CPU_MAXSIZE); a smaller buffer than the kernel's own set is refused with ERANGE.
const CPUS: usize = 1024;
type CpuSet = [u64; CPUS / 64];
/// CPU_WHICH_DOMAIN of sys/cpuset.h.
const WHICH_DOMAIN: libc::c_int = 6;

/// How a trim is done, for the record: on a disk, and on a file.
pub const TRIM_CALLS: [&str; 2] = ["trim by ioctl DIOCGDELETE", "trim by fspacectl"];

/// The account of the calling thread (getrusage(2), RUSAGE_THREAD). CPU wait time is not reported.
pub fn thread_account() -> Option<ThreadAccount> {
    // SAFETY: rusage is plain data, zero is a valid value, and the kernel fills it before it is read.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is valid for the length of the call.
    let rc = unsafe { libc::getrusage(libc::RUSAGE_THREAD, &mut usage) };
    let ns = |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000;
    (rc == 0).then(|| ThreadAccount {
        user_ns: ns(usage.ru_utime),
        system_ns: ns(usage.ru_stime),
        voluntary_switches: Some(usage.ru_nvcsw as u64),
        involuntary_switches: Some(usage.ru_nivcsw as u64),
        waited_for_cpu_ns: None,
        minor_faults: Some(usage.ru_minflt as u64),
        major_faults: Some(usage.ru_majflt as u64),
    })
}

/// The CPUs of a thread, or of a memory domain.
fn cpus_of(which: libc::c_int, id: libc::id_t) -> Vec<u32> {
    let mut set: CpuSet = [0; CPUS / 64];
    // SAFETY: the buffer is a set of bits of the size that is passed.
    let rc = unsafe {
        libc::cpuset_getaffinity(
            libc::CPU_LEVEL_WHICH,
            which,
            id,
            size_of::<CpuSet>(),
            (&raw mut set).cast(),
        )
    };
    let is_in = |cpu: &u32| set[*cpu as usize / 64] >> (cpu % 64) & 1 == 1;
    (0..CPUS as u32)
        .filter(|cpu| rc == 0 && is_in(cpu))
        .collect()
}

/// -1 is the calling thread (cpuset(2)).
const THIS: libc::id_t = -1;

/// CPUs that this thread may run on, in rising order.
pub fn allowed_cpus() -> Vec<u32> {
    cpus_of(libc::CPU_WHICH_TID, THIS)
}

/// Confines the calling thread to these CPUs.
///
/// # Errors
/// The kernel's own, such as EDEADLK when none of them is allowed.
pub fn pin_thread(cpus: &[u32]) -> io::Result<()> {
    let mut set: CpuSet = [0; CPUS / 64];
    for cpu in cpus.iter().filter(|cpu| **cpu < CPUS as u32) {
        set[*cpu as usize / 64] |= 1 << (cpu % 64);
    }
    // SAFETY: as above; the set is only read.
    let rc = unsafe {
        libc::cpuset_setaffinity(
            libc::CPU_LEVEL_WHICH,
            libc::CPU_WHICH_TID,
            THIS,
            size_of::<CpuSet>(),
            (&raw const set).cast(),
        )
    };
    checked(rc)
}

/// CPUs of a memory domain (numa(4)); empty when there is no such domain.
pub fn cpus_of_node(node: u32) -> Vec<u32> {
    cpus_of(WHICH_DOMAIN, node.into())
}

/// There is nothing to set for one thread.
pub fn sharpen_timers() {}

/// The calling thread gets a CPU soon after it has something to do: with the most weight that it may have.
pub fn run_promptly() {
    // SAFETY: takes numbers and changes nothing but a priority.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, -20) };
}

/// True where the kernel itself takes its time from the time-stamp counter, and holds it for constant and the same on all CPUs (timecounters(4)).
pub fn counter_is_steady() -> bool {
    if !cfg!(target_arch = "x86_64") {
        return false;
    }
    let is_set = |name| sysctl::number(name) == Some(1);
    sysctl::text(c"kern.timecounter.hardware").is_some_and(|name| name.starts_with("TSC"))
        && is_set(c"kern.timecounter.invariant_tsc")
        && is_set(c"kern.timecounter.smp_tsc")
}

/// Memory of this host in bytes.
pub fn memory_bytes() -> Option<u64> {
    sysctl::number(c"hw.physmem")
}

pub fn host_name() -> String {
    sysctl::text(c"kern.hostname").unwrap_or_default()
}

/// _IOR('d', 129, off_t) and _IOW('d', 136, off_t[2]) of sys/disk.h.
const DIOCGMEDIASIZE: libc::c_ulong = 0x4008_6481;
const DIOCGDELETE: libc::c_ulong = 0x8010_6488;

/// Bytes of a disk; `None` of everything else. Disks are character devices here (geom(4)).
pub fn disk_bytes(file: &File) -> Option<u64> {
    let mut bytes: libc::off_t = 0;
    // SAFETY: the call writes one off_t.
    let rc = unsafe { libc::ioctl(file.as_raw_fd(), DIOCGMEDIASIZE, &raw mut bytes) };
    (rc == 0).then_some(bytes as u64)
}

pub fn is_disk(file: &File) -> bool {
    disk_bytes(file).is_some()
}

/// Discards a range: of a disk by DIOCGDELETE (disk(4)), of a file by fspacectl(2), which FreeBSD has since 14.0.
///
/// # Errors
/// The kernel's own; `Unsupported` where there is no such call.
pub fn trim(fd: RawFd, is_disk: bool, offset: u64, bytes: u64) -> io::Result<()> {
    if is_disk {
        let range = [offset as libc::off_t, bytes as libc::off_t];
        // SAFETY: the call reads two off_t.
        return checked(unsafe { libc::ioctl(fd, DIOCGDELETE, range.as_ptr()) });
    }
    let deallocate = fspacectl().ok_or_else(|| io::Error::from_raw_os_error(libc::ENOSYS))?;
    let range = libc::spacectl_range {
        r_offset: offset as libc::off_t,
        r_len: bytes as libc::off_t,
    };
    // SAFETY: the range is read during the call; where the rest goes, null is allowed.
    checked(unsafe {
        deallocate(
            fd,
            libc::SPACECTL_DEALLOC,
            &raw const range,
            0,
            std::ptr::null_mut(),
        )
    })
}

type SpaceControl = unsafe extern "C" fn(
    libc::c_int,
    libc::c_int,
    *const libc::spacectl_range,
    libc::c_int,
    *mut libc::spacectl_range,
) -> libc::c_int;

/// Looked up by name: a program that is linked with it does not start before FreeBSD 14.
fn fspacectl() -> Option<SpaceControl> {
    // SAFETY: the name ends with a zero byte.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"fspacectl".as_ptr()) };
    // SAFETY: the type is that of fspacectl(2).
    (!found.is_null())
        .then(|| unsafe { std::mem::transmute::<*mut libc::c_void, SpaceControl>(found) })
}

fn checked(rc: libc::c_int) -> io::Result<()> {
    match rc {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Not reported by the kernel.
pub fn direct_alignment_bytes(_: &std::fs::File) -> Option<u64> {
    None
}
