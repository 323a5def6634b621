//! How does the BPF program come into the kernel, and its records out of it? By bpf(2), at the tracepoints where opens end, and a ring of memory that is shared with this process.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::program::{PATH_AT, PATH_BYTES, PathOffsets, RECORD_BYTES, program};
use super::requested::RequestedPath;
use super::types::Types;
use crate::system::opened_files::working_folder;

/// Commands of bpf(2).
const MAP_CREATE: libc::c_int = 0;
const PROG_LOAD: libc::c_int = 5;
/// BPF_MAP_TYPE_RINGBUF (Linux 5.8), and BPF_PROG_TYPE_TRACEPOINT.
const RING: u32 = 27;
const TRACEPOINT: u32 = 5;
/// Bytes of the ring: some 4,000 opens between two looks.
const RING_BYTES: usize = 2 << 20;
/// What the helpers ask for; a licence like that of this program, beside the kernel's.
const LICENCE: &[u8] = b"Dual MIT/GPL\0";
/// Types of the running kernel.
const TYPES: &str = "/sys/kernel/btf/vmlinux";
/// The numbers of threads are those of this one, in which BPF counts (PROC_PID_INIT_INO).
const FIRST_NUMBERING: &str = "pid:[4026531836]";
/// A record that is being written, and one that is none.
const BUSY: u32 = 1 << 31;
const DISCARDED: u32 = 1 << 30;
const HEADER_BYTES: usize = 8;

/// The part of union bpf_attr for a map.
#[repr(C)]
struct MapAttributes {
    kind: u32,
    key_bytes: u32,
    value_bytes: u32,
    entries: u32,
    flags: u32,
}

/// The part for a program.
#[repr(C)]
struct ProgramAttributes {
    kind: u32,
    instructions: u32,
    code: u64,
    licence: u64,
    log_level: u32,
    log_bytes: u32,
    log: u64,
    kernel_version: u32,
    flags: u32,
    name: [u8; 16],
}

/// Which register of struct pt_regs has the path: of calls with the path as second argument (openat), and as first (open), as far as there are such.
#[cfg(target_arch = "x86_64")]
const REGISTERS: [Option<(&str, u32)>; 2] = [Some(("si", 0)), Some(("di", 0))];
#[cfg(target_arch = "aarch64")]
const REGISTERS: [Option<(&str, u32)>; 2] = [Some(("regs", 8)), Some(("orig_x0", 0))];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const REGISTERS: [Option<(&str, u32)>; 2] = [None, None];

/// The program at work, and its ring.
pub(crate) struct OpenPaths {
    ring: Ring,
    /// The program is in the kernel as long as these are open.
    _events: Vec<OwnedFd>,
}

impl OpenPaths {
    /// Begins with the tracepoints where calls end whose second argument is a path, and others whose first one is. `attach` opens an event of a tracepoint, to which a program can be attached.
    ///
    /// Errors: the kernel has no such programs or does not report its types, or this user may not use them.
    pub fn at(
        second: &[u16],
        first: &[u16],
        attach: impl Fn(u16, RawFd) -> io::Result<OwnedFd>,
    ) -> io::Result<OpenPaths> {
        let numbering = std::fs::read_link("/proc/self/ns/pid")?;
        if numbering.as_os_str() != FIRST_NUMBERING {
            return Err(unsupported("thread ids are in a separate namespace"));
        }
        let bytes = std::fs::read(TYPES)?;
        let types =
            Types::of(&bytes).ok_or_else(|| unsupported("the kernel types are not as expected"))?;
        let [of_second, of_first] = REGISTERS.map(|register| positions(&types, register));
        let of_second =
            of_second.ok_or_else(|| unsupported("the kernel does not expose the path"))?;
        let map = create_ring()?;
        let ring = Ring::of(&map)?;
        let load = |positions| load(&program(map.as_raw_fd(), positions));
        let mut events = Vec::new();
        for (positions, ids) in [(Some(of_second), second), (of_first, first)] {
            let Some(positions) = positions.filter(|_| !ids.is_empty()) else {
                continue;
            };
            let program = load(positions)?;
            for id in ids {
                events.push(attach(*id, program.as_raw_fd())?);
            }
        }
        Ok(OpenPaths {
            ring,
            _events: events,
        })
    }

    /// Hands on the paths since the last time; of each thread in the order of time.
    pub fn drain(&mut self, take: &mut dyn FnMut(RequestedPath)) {
        self.ring.drain(|record| {
            if let Some(requested) = requested(record) {
                take(requested);
            }
        });
    }
}

fn unsupported(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, why)
}

fn positions(types: &Types<'_>, register: Option<(&str, u32)>) -> Option<PathOffsets> {
    let (name, more) = register?;
    let events = types.field("task_struct", "perf_event_ctxp")?;
    // Before Linux 6.2 those of hardware come first.
    let events = events.offset + if events.is_array { 8 } else { 0 };
    let path = types.field("pt_regs", name)?.offset + more;
    Some(PathOffsets {
        events: events.try_into().ok()?,
        path: path.try_into().ok()?,
    })
}

/// What a record says; `None` when the path could not be read, or is longer than the record.
fn requested(record: &[u8]) -> Option<RequestedPath> {
    let word = |at: usize| -> Option<u64> {
        Some(u64::from_ne_bytes(record.get(at..at + 8)?.try_into().ok()?))
    };
    let length = usize::try_from(word(16)? as i64).ok()?;
    if !(2..PATH_BYTES).contains(&length) {
        return None;
    }
    let path = record.get(PATH_AT..PATH_AT + length - 1)?;
    let path = String::from_utf8_lossy(path).into_owned();
    let thread = word(8)? as u32;
    let folder = match path.starts_with('/') {
        true => None,
        false => working_folder(thread),
    };
    Some(RequestedPath {
        thread,
        at_ns: word(0)?,
        path,
        folder,
    })
}

/// Calls bpf(2) for a new descriptor.
fn bpf<T>(command: libc::c_int, attributes: &T) -> io::Result<OwnedFd> {
    // SAFETY: the attributes are valid for reading and as long as they say, and so is what they point to, which the callers keep; both commands give a descriptor that nobody
    // else has, or an error.
    unsafe {
        let found = libc::syscall(
            libc::SYS_bpf,
            command,
            std::ptr::from_ref(attributes),
            size_of::<T>(),
        );
        if found < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(OwnedFd::from_raw_fd(found as RawFd))
    }
}

fn create_ring() -> io::Result<OwnedFd> {
    let attributes = MapAttributes {
        kind: RING,
        key_bytes: 0,
        value_bytes: 0,
        entries: RING_BYTES as u32,
        flags: 0,
    };
    bpf(MAP_CREATE, &attributes)
}

fn load(code: &[[u8; 8]]) -> io::Result<OwnedFd> {
    let mut name = [0; 16];
    name[..11].copy_from_slice(b"plumb_opens");
    let attributes = ProgramAttributes {
        kind: TRACEPOINT,
        instructions: code.len() as u32,
        code: code.as_ptr() as u64,
        licence: LICENCE.as_ptr() as u64,
        log_level: 0,
        log_bytes: 0,
        log: 0,
        kernel_version: 0,
        flags: 0,
        name,
    };
    bpf(PROG_LOAD, &attributes)
}

/// The ring: a page that this process writes, one that the kernel writes, and the data, which is mapped twice so that every record is in one piece.
struct Ring {
    consumer: NonNull<u8>,
    producer: NonNull<u8>,
    page_bytes: usize,
}

impl Ring {
    fn of(map: &OwnedFd) -> io::Result<Ring> {
        let page_bytes = crate::system::page_bytes() as usize;
        let mapped = |protection, at: usize, bytes| {
            // SAFETY: a new mapping at an address that the kernel chooses; it is unmapped in drop, and nowhere else.
            let memory = unsafe {
                libc::mmap(
                    std::ptr::null_mut(),
                    bytes,
                    protection,
                    libc::MAP_SHARED,
                    map.as_raw_fd(),
                    at as libc::off_t,
                )
            };
            match NonNull::new(memory.cast::<u8>()) {
                Some(memory) if memory.as_ptr().cast() != libc::MAP_FAILED => Ok(memory),
                _ => Err(io::Error::last_os_error()),
            }
        };
        let consumer = mapped(libc::PROT_READ | libc::PROT_WRITE, 0, page_bytes)?;
        let length = page_bytes + 2 * RING_BYTES;
        let producer = mapped(libc::PROT_READ, page_bytes, length).inspect_err(|_| {
            // SAFETY: mapped just now, and nothing refers to it.
            unsafe { libc::munmap(consumer.as_ptr().cast(), page_bytes) };
        })?;
        Ok(Ring {
            consumer,
            producer,
            page_bytes,
        })
    }

    fn drain(&mut self, mut take: impl FnMut(&[u8])) {
        // SAFETY: both words begin their pages, and the kernel and this process read and write them as whole words.
        let (consumed, produced) = unsafe {
            (
                AtomicU64::from_ptr(self.consumer.as_ptr().cast()),
                AtomicU64::from_ptr(self.producer.as_ptr().cast()),
            )
        };
        let mut at = consumed.load(Ordering::Relaxed);
        while at < produced.load(Ordering::Acquire) {
            let begin = self.page_bytes + (at as usize & (RING_BYTES - 1));
            // SAFETY: records begin at multiples of 8 bytes within the data, whose header the kernel writes as a whole word.
            let header = unsafe { AtomicU32::from_ptr(self.producer.as_ptr().add(begin).cast()) };
            let header = header.load(Ordering::Acquire);
            if header & BUSY != 0 {
                break;
            }
            let length = (header & !(BUSY | DISCARDED)) as usize;
            if header & DISCARDED == 0 && length == RECORD_BYTES {
                // SAFETY: within the mapping, which has the data twice; the kernel writes there again only when the consumer's word has passed it.
                let record = unsafe {
                    std::slice::from_raw_parts(
                        self.producer.as_ptr().add(begin + HEADER_BYTES),
                        RECORD_BYTES,
                    )
                };
                take(record);
            }
            at += (length + HEADER_BYTES).next_multiple_of(8) as u64;
            consumed.store(at, Ordering::Release);
        }
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: the mappings are this one's own, and nothing refers to them any more.
        unsafe {
            libc::munmap(self.consumer.as_ptr().cast(), self.page_bytes);
            let length = self.page_bytes + 2 * RING_BYTES;
            libc::munmap(self.producer.as_ptr().cast(), length);
        }
    }
}
