//! What does Linux report of a thread, and how does it pin, wake and account for it?

use super::*;

/// The shortest slice of a thread that Linux takes (kernel/sched/syscalls.c, __setparam_fair).
const SHORT_SLICE_NS: u64 = 100_000;

/// Threads of the process up to which those of the kernel are counted.
const THREADS_COUNTED_MAX: u64 = 400;

/// The account of the calling thread; `None` when the system does not report it.
pub fn thread_account() -> Option<ThreadAccount> {
    // SAFETY: timespec is plain data, zero is a valid value.
    let mut time: libc::timespec = unsafe { std::mem::zeroed() };
    // getrusage reads what the scheduler noted at its last tick, up to 10 ms ago (kernel/sched/cputime.c, cputime_adjust); reading the thread's
    // clock brings that up to date first, so that short intervals have their true CPU time.
    // SAFETY: the pointer is valid for the length of the call; a failure leaves the account as the last tick knew it.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
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
        waited_for_cpu_ns: waited_for_cpu_ns(),
        minor_faults: Some(usage.ru_minflt as u64),
        major_faults: Some(usage.ru_majflt as u64),
    })
}

/// The second number of /proc/PID/schedstat: time spent waiting on a run queue (Documentation/scheduler/sched-stats.rst).
fn waited_for_cpu_ns() -> Option<u64> {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()?
        .split_ascii_whitespace()
        .nth(1)?
        .parse()
        .ok()
}

/// CPUs that this process may run on, in rising order.
pub fn allowed_cpus() -> Vec<u32> {
    // SAFETY: cpu_set_t is a plain bit set; zero is the empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: pointer and size belong together.
    let rc = unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set) };
    // SAFETY: CPU_ISSET reads within the set for indices below CPU_SETSIZE.
    (0..libc::CPU_SETSIZE as usize)
        .filter(|cpu| rc == 0 && unsafe { libc::CPU_ISSET(*cpu, &set) })
        .map(|cpu| cpu as u32)
        .collect()
}

/// Confines the calling thread to these CPUs.
///
/// # Errors
/// The kernel's own, such as EINVAL when none of them is online or allowed.
pub fn pin_thread(cpus: &[u32]) -> std::io::Result<()> {
    // SAFETY: as above.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    for cpu in cpus.iter().filter(|cpu| **cpu < libc::CPU_SETSIZE as u32) {
        // SAFETY: the index is below CPU_SETSIZE.
        unsafe { libc::CPU_SET(*cpu as usize, &mut set) };
    }
    // SAFETY: pointer and size belong together; 0 is the calling thread.
    match unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

/// Gives the requests of the calling thread a priority: class 1 (realtime) to 3 (idle), and a level from 0 on (ioprio_set(2)).
///
/// # Errors
/// The kernel's own, such as EPERM for the realtime class.
pub fn set_io_priority(class: u8, level: u8) -> std::io::Result<()> {
    /// IOPRIO_WHO_PROCESS, and where the class stands (linux/ioprio.h).
    const OF_THREAD: libc::c_int = 1;
    const CLASS_SHIFT: u32 = 13;
    let priority = libc::c_int::from(class) << CLASS_SHIFT | libc::c_int::from(level);
    // SAFETY: takes numbers; 0 is the calling thread.
    match unsafe { libc::syscall(libc::SYS_ioprio_set, OF_THREAD, 0, priority) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

/// Gives the calling thread a table of descriptors of its own (unshare(2)): what it opens from now on, only it has open. While no other thread shares the table, the kernel
/// looks a descriptor up without counting who uses it, as in a program of one thread; where a call moves a byte, that is a tenth of its time.
pub fn own_descriptors() {
    // SAFETY: takes a number. If it fails, the table stays shared, which is only slower.
    unsafe { libc::unshare(libc::CLONE_FILES) };
}

/// Takes memory of the calling thread from these nodes from now on (set_mempolicy(2)).
///
/// # Errors
/// The kernel's own, such as EINVAL when there is no such node.
pub fn set_memory_policy(policy: &plumb_model::workload::MemoryPolicy) -> std::io::Result<()> {
    use plumb_model::workload::MemoryPolicy;
    const WORD_BITS: usize = libc::c_ulong::BITS as usize;
    let mode = match policy {
        MemoryPolicy::Local => libc::MPOL_LOCAL,
        MemoryPolicy::Prefer(_) => libc::MPOL_PREFERRED,
        MemoryPolicy::Bind(_) => libc::MPOL_BIND,
        MemoryPolicy::Interleave(_) => libc::MPOL_INTERLEAVE,
    };
    let words = policy
        .nodes()
        .iter()
        .max()
        .map_or(0, |most| *most as usize / WORD_BITS + 1);
    let mut mask = vec![0 as libc::c_ulong; words];
    for node in policy.nodes() {
        mask[*node as usize / WORD_BITS] |= 1 << (*node as usize % WORD_BITS);
    }
    // The kernel uses one bit less than passed.
    let bits = if words == 0 { 0 } else { words * WORD_BITS + 1 };
    // SAFETY: reads as many words as there are; without any it takes none.
    match unsafe { libc::syscall(libc::SYS_set_mempolicy, mode, mask.as_ptr(), bits) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

/// CPUs of a memory node, from sysfs; empty when there is no such node.
pub fn cpus_of_node(node: u32) -> Vec<u32> {
    let list = std::fs::read_to_string(format!("/sys/devices/system/node/node{node}/cpulist"))
        .unwrap_or_default();
    match list.trim().parse() {
        Ok(plumb_model::workload::Pin::Cpus(cpus)) => cpus,
        _ => Vec::new(),
    }
}

/// Timers of this thread fire as exactly as the hardware can: the default slack of 50 us would be most of a short wait.
pub fn sharpen_timers() {
    // SAFETY: PR_SET_TIMERSLACK takes a number and changes nothing but the calling thread's timers.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1usize) };
}

/// What offsets and lengths of direct I/O on the file must be multiples of (STATX_DIOALIGN, Linux 6.1). `None`: there is none, buffers would have to be aligned more than
/// to a page, or the kernel or the file system does not report it.
pub fn direct_alignment_bytes(file: &std::fs::File) -> Option<u64> {
    use rustix::fs::{AtFlags, StatxFlags, statx};
    let found = statx(file, c"", AtFlags::EMPTY_PATH, StatxFlags::DIOALIGN).ok()?;
    let (memory, offset) = (found.stx_dio_mem_align, found.stx_dio_offset_align);
    let is_told = found.stx_mask & StatxFlags::DIOALIGN.bits() != 0;
    (is_told && offset > 0 && memory <= 4096).then_some(u64::from(offset))
}

/// Discards a range of a block device: ioctl BLKDISCARD. Returns as ioctl(2).
pub fn discard(fd: std::os::fd::RawFd, offset: u64, bytes: u64) -> libc::c_int {
    /// _IO(0x12, 119), linux/fs.h.
    const BLKDISCARD: libc::c_ulong = 0x1277;
    let range = [offset, bytes];
    // SAFETY: BLKDISCARD reads two 64-bit numbers from the pointer.
    unsafe { libc::ioctl(fd, BLKDISCARD as _, range.as_ptr()) }
}

/// Discards a block as a call does it: ioctl BLKDISCARD on a device, a punched hole in a file. Returns as these.
pub fn trim_call(
    fd: std::os::fd::RawFd,
    block_device: bool,
    offset: u64,
    bytes: u64,
) -> libc::c_int {
    if block_device {
        return discard(fd, offset, bytes);
    }
    let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
    // SAFETY: plain call on an open descriptor.
    unsafe { offsets::fallocate(fd, mode, offset as offsets::off_t, bytes as offsets::off_t) }
}

/// The calling thread, which works little and often waits, gets a CPU soon after it has something to do, by the best means that the system allows:
/// before every thread of ordinary priority (SCHED_FIFO, sched(7): CAP_SYS_NICE or RLIMIT_RTPRIO), else with the most weight among them (nice -20,
/// setpriority(2); of no use against other sessions where autogroups are on), else in short slices, which Linux 6.12 and later give sooner
/// (sched_setattr(2)). None of them is passed on to a thread that it starts.
pub fn run_promptly() {
    // SAFETY: sched_param is plain data, zero is a valid value; musl's has fields for a policy that Linux does not have.
    let mut least: libc::sched_param = unsafe { std::mem::zeroed() };
    least.sched_priority = 1;
    let policy = libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK;
    // By number: musl's function always refuses, because it cannot do what POSIX requires (the entire process).
    // SAFETY: the pointer is valid for the length of the call; 0 is the calling thread.
    if unsafe { libc::syscall(libc::SYS_sched_setscheduler, 0, policy, &raw const least) } == 0 {
        return;
    }
    // SAFETY: takes numbers and changes nothing but the calling thread's weight.
    if unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, -20) } == 0 {
        return;
    }
    // SAFETY: sched_attr is plain data, zero is a valid value.
    let mut short: libc::sched_attr = unsafe { std::mem::zeroed() };
    (short.size, short.sched_runtime) = (size_of::<libc::sched_attr>() as u32, SHORT_SLICE_NS);
    short.sched_flags = libc::SCHED_FLAG_RESET_ON_FORK as u64;
    // SAFETY: the pointer is valid for the length of the call, its size is passed; 0 is the calling thread, 0 no flags.
    unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const short, 0) };
}

/// Threads of this process that the kernel made to carry out io_uring requests it could not start without blocking. Not counted in a process of
/// very many threads: each worker looks through all of them, and the time for that grows with the square of their number.
pub fn io_uring_kernel_workers() -> usize {
    use std::os::unix::fs::MetadataExt;
    // The folder has a link for each thread (proc_task_getattr in fs/proc/base.c).
    if std::fs::metadata("/proc/self/task").is_ok_and(|folder| folder.nlink() > THREADS_COUNTED_MAX)
    {
        return 0;
    }
    let tasks = std::fs::read_dir("/proc/self/task")
        .into_iter()
        .flatten()
        .flatten();
    tasks
        .filter(|task| {
            std::fs::read_to_string(task.path().join("comm"))
                .is_ok_and(|name| name.starts_with("iou-wrk"))
        })
        .count()
}

/// True when the kernel itself trusts the processor's counter: constant rate, runs in all sleep states, same on all CPUs.
pub fn counter_is_steady() -> bool {
    let source =
        std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource")
            .unwrap_or_default();
    if cfg!(target_arch = "aarch64") {
        // The architecture demands all three of this timer (Arm ARM, the Generic Timer).
        return source.trim() == "arch_sys_counter";
    }
    if !cfg!(target_arch = "x86_64") {
        return false;
    }
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let flags = cpu
        .lines()
        .find(|line| line.starts_with("flags"))
        .unwrap_or_default();
    source.trim() == "tsc"
        && ["constant_tsc", "nonstop_tsc"]
            .iter()
            .all(|flag| flags.split_ascii_whitespace().any(|have| have == *flag))
}

/// Memory of this host in bytes, or less where its cgroup allows less.
pub fn memory_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let total = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let total = total
        .split_ascii_whitespace()
        .next()?
        .parse::<u64>()
        .ok()?
        .checked_mul(1024)?;
    let limit = std::fs::read_to_string("/sys/fs/cgroup/memory.max")
        .ok()
        .and_then(|text| text.trim().parse().ok());
    Some(total.min(limit.unwrap_or(u64::MAX)))
}

/// Name of this host; empty if the system does not report it it in this file.
pub fn host_name() -> String {
    kernel_files::trimmed("/proc/sys/kernel/hostname")
}
