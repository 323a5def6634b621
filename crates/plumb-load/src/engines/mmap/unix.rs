//! How is a file mapped on Unix, and what happens where a page cannot be had?

use std::io;
use std::os::fd::{AsRawFd, RawFd};

use plumb_model::statement::Statement;
use plumb_model::workload::AccessHint;

use crate::engine::{OpenFile, Unavailable};
use crate::system::{self, offsets};

/// One mapped file.
pub struct Map {
    address: *mut u8,
    pub bytes: usize,
    pub writable: bool,
    /// Open as long as the engine lives.
    file: RawFd,
    /// Which entry of the fault table watches this mapping.
    guard: usize,
}

/// Needed as long as files are mapped.
pub struct Watch;

impl Watch {
    pub fn begin() -> Watch {
        faults::install();
        Watch
    }
}

pub fn map(file: &OpenFile) -> Result<Map, Unavailable> {
    let path = file.path.display().to_string();
    let bytes = usize::try_from(file.end_bytes)
        .ok()
        .filter(|bytes| *bytes > 0);
    let bytes = bytes.ok_or_else(|| {
        Unavailable(Statement::new("mapped-file-has-no-size").name("path", &path))
    })?;
    // A shared writable mapping needs a descriptor that can read.
    let protection = libc::PROT_READ
        | if file.writable && file.readable {
            libc::PROT_WRITE
        } else {
            0
        };
    if !file.readable {
        return Err(Unavailable(
            Statement::new("mapped-file-is-not-readable").name("path", &path),
        ));
    }
    // SAFETY: a new mapping at an address of the kernel's choice; the descriptor is open.
    let address = unsafe {
        offsets::mmap(
            std::ptr::null_mut(),
            bytes,
            protection,
            libc::MAP_SHARED,
            file.file.as_raw_fd(),
            0,
        )
    };
    if address == libc::MAP_FAILED {
        return Err(Unavailable(
            Statement::new("file-cannot-be-mapped")
                .name("path", &path)
                .name("error", io::Error::last_os_error().to_string()),
        ));
    }
    let advice = match file.hint {
        AccessHint::None | AccessHint::Noreuse => None,
        AccessHint::Sequential => Some(libc::MADV_SEQUENTIAL),
        AccessHint::Random => Some(libc::MADV_RANDOM),
    };
    if let Some(advice) = advice {
        // SAFETY: the range is exactly the new mapping. It is a hint: without it the pages come all the same.
        unsafe { libc::madvise(address, bytes, advice) };
    }
    let guard = faults::watch(address.cast(), bytes)
        .ok_or_else(|| Unavailable(Statement::new("too-many-mappings")))?;
    Ok(Map {
        address: address.cast(),
        bytes,
        writable: protection & libc::PROT_WRITE != 0,
        file: file.file.as_raw_fd(),
        guard,
    })
}

/// The result of this call.
fn checked(rc: libc::c_int) -> io::Result<()> {
    if rc < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

impl Map {
    /// Copies a block to the buffer. False: a page of it could not be had.
    ///
    /// # Safety
    /// The block lies in the mapping, and the buffer holds as many bytes.
    #[inline(always)]
    pub unsafe fn read(&self, offset: usize, buffer: *mut u8, length: usize) -> bool {
        // SAFETY: as promised by the caller.
        self.guarded(offset, length, |block| unsafe {
            std::ptr::copy_nonoverlapping(block, buffer, length);
        })
    }

    /// Copies the buffer to a block. False: a page of it could not be had.
    ///
    /// # Safety
    /// As for [`Map::read`]; the mapping is writable.
    #[inline(always)]
    pub unsafe fn write(&self, offset: usize, buffer: *const u8, length: usize) -> bool {
        // SAFETY: as promised by the caller.
        self.guarded(offset, length, |block| unsafe {
            std::ptr::copy_nonoverlapping(buffer, block, length);
        })
    }

    /// Pages that cannot be had raise SIGBUS, which `faults` turns into an anonymous page and a count.
    #[inline(always)]
    fn guarded(&self, offset: usize, length: usize, copy: impl FnOnce(*mut u8)) -> bool {
        let before = faults::seen(self.guard);
        // SAFETY: the block lies in the mapping.
        copy(unsafe { self.address.add(offset) });
        // The loads of the copy must have ended before the clock is read.
        system::load_fence();
        let all_there = faults::seen(self.guard) == before;
        if !all_there {
            self.take_back(offset, length);
        }
        all_there
    }

    /// Brings the file to stable storage with all its metadata.
    pub fn fsync(&self) -> io::Result<()> {
        self.flush()?;
        // SAFETY: plain call on an open descriptor.
        checked(unsafe { libc::fsync(self.file) })
    }

    /// Writes out what was changed through the mapping.
    pub fn flush(&self) -> io::Result<()> {
        // SAFETY: the range is exactly the mapping.
        checked(unsafe { libc::msync(self.address.cast(), self.bytes, libc::MS_SYNC) })
    }

    /// Maps the file again where page faults failed: the anonymous pages in their place would answer every later operation as if all were well.
    #[cold]
    fn take_back(&self, offset: usize, length: usize) {
        let (begin, end) = (
            offset & !(system::page_bytes() - 1),
            (offset + length).next_multiple_of(system::page_bytes()),
        );
        let protection = libc::PROT_READ | if self.writable { libc::PROT_WRITE } else { 0 };
        // SAFETY: the pages lie inside the mapping, which ends at a page boundary. When the call fails, the anonymous pages stay.
        unsafe {
            let address = self.address.add(begin).cast();
            offsets::mmap(
                address,
                end - begin,
                protection,
                libc::MAP_SHARED | libc::MAP_FIXED,
                self.file,
                begin as offsets::off_t,
            );
        }
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        faults::forget(self.guard);
        // SAFETY: mapped by this value, unmapped once.
        unsafe { libc::munmap(self.address.cast(), self.bytes) };
    }
}

/// A page of a mapping that the device cannot read (EIO), or that a shrunken file no longer has, raises SIGBUS, which would end the
/// process and lose the run. The handler puts an anonymous page in its place and counts: the operation is then reported as EIO.
/// A signal handler can only reach statics; this table is the one exception to "no global state".
mod faults {
    use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};

    const MAPPINGS: usize = 4096;

    struct Guard {
        address: AtomicPtr<u8>,
        bytes: AtomicUsize,
        faults: AtomicU64,
    }

    static GUARDS: [Guard; MAPPINGS] = [const {
        Guard {
            address: AtomicPtr::new(std::ptr::null_mut()),
            bytes: AtomicUsize::new(0),
            faults: AtomicU64::new(0),
        }
    }; MAPPINGS];

    /// Watches a mapping; `None` when the table is full.
    pub fn watch(address: *mut u8, bytes: usize) -> Option<usize> {
        let reserved = std::ptr::dangling_mut::<u8>();
        let found = GUARDS.iter().position(|guard| {
            guard
                .address
                .compare_exchange(
                    std::ptr::null_mut(),
                    reserved,
                    Ordering::AcqRel,
                    Ordering::Relaxed,
                )
                .is_ok()
        })?;
        GUARDS[found].bytes.store(bytes, Ordering::Release);
        GUARDS[found].address.store(address, Ordering::Release);
        Some(found)
    }

    /// Stops watching.
    pub fn forget(guard: usize) {
        GUARDS[guard].bytes.store(0, Ordering::Release);
        GUARDS[guard]
            .address
            .store(std::ptr::null_mut(), Ordering::Release);
    }

    /// Faults so far.
    #[inline(always)]
    pub fn seen(guard: usize) -> u64 {
        GUARDS[guard].faults.load(Ordering::Relaxed)
    }

    /// Installs the handler, anew for each engine: libraries that were loaded since (providers of libfabric) may have put their own in its place.
    pub fn install() {
        // From here on it is known without a call, also to the handler.
        crate::system::page_bytes();
        // SAFETY: sigaction is plain data; the handler is async-signal-safe: atomics and mmap only.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handle as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO;
            libc::sigemptyset(&mut action.sa_mask);
            libc::sigaction(libc::SIGBUS, &action, std::ptr::null_mut());
        }
    }

    extern "C" fn handle(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
        // SAFETY: the kernel hands a valid siginfo; si_addr is the address that faulted.
        let address = unsafe { (*info).si_addr() } as usize;
        for guard in &GUARDS {
            let (start, bytes) = (
                guard.address.load(Ordering::Acquire) as usize,
                guard.bytes.load(Ordering::Acquire),
            );
            if bytes > 0 && (start..start + bytes).contains(&address) {
                guard.faults.fetch_add(1, Ordering::Relaxed);
                let page_bytes = crate::system::page_bytes();
                let page = address & !(page_bytes - 1);
                let flags = libc::MAP_FIXED | libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
                // SAFETY: the page lies inside a mapping of ours.
                let placed = unsafe {
                    libc::mmap(
                        page as *mut _,
                        page_bytes,
                        libc::PROT_READ | libc::PROT_WRITE,
                        flags,
                        -1,
                        0,
                    )
                };
                if placed != libc::MAP_FAILED {
                    return;
                }
            }
        }
        // Not one of ours: the default action, which ends the process with a core dump as without the handler.
        // SAFETY: both calls are async-signal-safe.
        unsafe {
            libc::signal(libc::SIGBUS, libc::SIG_DFL);
            libc::raise(libc::SIGBUS);
        }
    }
}
