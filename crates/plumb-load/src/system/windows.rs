//! What does Windows report of a thread and of the machine, and how is a thread pinned?

pub mod files;
pub mod folders;
pub mod handles;
pub mod processes;
pub mod second_handle;
mod security;
pub mod trim;
pub mod volumes;

use std::io;

use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::SystemInformation as information;
use windows_sys::Win32::System::Threading as threading;

use self::handles::succeeded;
use super::ThreadAccount;

/// CPUs of a processor group; a thread can be pinned within one of them.
const CPUS_OF_GROUP: u32 = 64;

/// CPU time of the calling thread. Windows adds a full tick (usually 15.6 ms) to the thread that runs at its end: of use over seconds. It does not report
/// context
/// switches.
pub fn thread_account() -> Option<ThreadAccount> {
    let mut times = [FILETIME::default(); 4];
    let [created, exited, kernel, user] = &mut times;
    // SAFETY: a handle that means the calling thread, and pointers that are valid over the call.
    succeeded(unsafe {
        threading::GetThreadTimes(threading::GetCurrentThread(), created, exited, kernel, user)
    })
    .ok()?;
    let ns = |time: &FILETIME| {
        (u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime)) * 100
    };
    Some(ThreadAccount {
        user_ns: ns(user),
        system_ns: ns(kernel),
        voluntary_switches: None,
        involuntary_switches: None,
        waited_for_cpu_ns: None,
        minor_faults: None,
        major_faults: None,
    })
}

/// CPUs that this process may run on, in rising order: 64 for each processor group.
pub fn allowed_cpus() -> Vec<u32> {
    // SAFETY: takes no memory.
    let groups = unsafe { threading::GetActiveProcessorGroupCount() };
    if groups <= 1 {
        let (mut own, mut system) = (0usize, 0usize);
        // SAFETY: the pointers are valid over the call.
        let result = succeeded(unsafe {
            threading::GetProcessAffinityMask(
                threading::GetCurrentProcess(),
                &raw mut own,
                &raw mut system,
            )
        });
        return match result {
            Ok(()) => (0..CPUS_OF_GROUP)
                .filter(|cpu| own >> cpu & 1 == 1)
                .collect(),
            Err(_) => Vec::new(),
        };
    }
    // A process may use all groups as long as nobody has confined it.
    (0..groups)
        .flat_map(|group| {
            // SAFETY: takes a number.
            let count = unsafe { threading::GetActiveProcessorCount(group) };
            (0..count).map(move |cpu| u32::from(group) * CPUS_OF_GROUP + cpu)
        })
        .collect()
}

/// Confines the calling thread to these CPUs, which must be of one processor group.
///
/// # Errors
/// They are of several groups, or the system refuses.
pub fn pin_thread(cpus: &[u32]) -> io::Result<()> {
    let group = cpus.first().map_or(0, |cpu| cpu / CPUS_OF_GROUP);
    if cpus.iter().any(|cpu| cpu / CPUS_OF_GROUP != group) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "a thread runs in one processor group: name CPUs of one group only (64 per group)",
        ));
    }
    let bit = |cpu: &u32| 1usize << (cpu % CPUS_OF_GROUP);
    let affinity = information::GROUP_AFFINITY {
        Mask: cpus.iter().map(bit).fold(0, |mask, bit| mask | bit),
        Group: group as u16,
        Reserved: [0; 3],
    };
    // SAFETY: a handle that means the calling thread; the structure lives over the call, null is allowed for the affinity before.
    succeeded(unsafe {
        threading::SetThreadGroupAffinity(
            threading::GetCurrentThread(),
            &raw const affinity,
            std::ptr::null_mut(),
        )
    })
}

/// CPUs of a memory node; empty when there is no such node.
pub fn cpus_of_node(node: u32) -> Vec<u32> {
    let mut found = information::GROUP_AFFINITY::default();
    let Ok(number) = u16::try_from(node) else {
        return Vec::new();
    };
    // SAFETY: the pointer is valid over the call.
    match succeeded(unsafe { threading::GetNumaNodeProcessorMaskEx(number, &raw mut found) }) {
        Ok(()) => (0..CPUS_OF_GROUP)
            .filter(|cpu| found.Mask >> cpu & 1 == 1)
            .map(|cpu| u32::from(found.Group) * CPUS_OF_GROUP + cpu)
            .collect(),
        Err(_) => Vec::new(),
    }
}

/// The standard library sleeps by timers of high resolution (CREATE_WAITABLE_TIMER_HIGH_RESOLUTION) where the system has them.
pub fn sharpen_timers() {}

/// The calling thread works little and often waits: it comes before others of ordinary priority.
pub fn run_promptly() {
    // SAFETY: a handle that means the calling thread, and a number. Where it is refused, nothing changes.
    unsafe {
        threading::SetThreadPriority(
            threading::GetCurrentThread(),
            threading::THREAD_PRIORITY_HIGHEST,
        )
    };
}

pub fn io_uring_kernel_workers() -> usize {
    0
}

/// Memory of this machine in bytes.
pub fn memory_bytes() -> Option<u64> {
    let mut found = information::MEMORYSTATUSEX {
        dwLength: size_of::<information::MEMORYSTATUSEX>() as u32,
        ..Default::default()
    };
    // SAFETY: the structure contains its length, and lives over the call.
    succeeded(unsafe { information::GlobalMemoryStatusEx(&raw mut found) }).ok()?;
    Some(found.ullTotalPhys)
}

/// Not reported by the system.
pub fn direct_alignment_bytes(_: &std::fs::File) -> Option<u64> {
    None
}

/// Name of this host; empty if the system does not report it it.
pub fn host_name() -> String {
    let mut name = [0u16; 256];
    let mut length = name.len() as u32;
    // SAFETY: pointer and length belong together.
    let result = succeeded(unsafe {
        information::GetComputerNameExW(
            information::ComputerNameDnsHostname,
            name.as_mut_ptr(),
            &raw mut length,
        )
    });
    match result {
        Ok(()) => String::from_utf16_lossy(name.get(..length as usize).unwrap_or_default()),
        Err(_) => String::new(),
    }
}

/// The processor counts time at a constant rate in all sleep states (CPUID 8000_0007h, bit 8 of EDX), and Windows keeps the counters of all processors together.
pub fn counter_is_steady() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::__cpuid;
        const POWER: u32 = 0x8000_0007;
        const INVARIANT: u32 = 1 << 8;
        __cpuid(0x8000_0000).eax >= POWER && __cpuid(POWER).edx & INVARIANT != 0
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}
