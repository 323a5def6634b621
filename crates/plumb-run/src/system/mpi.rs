//! Which MPI library is on this machine, and how is it called? Opened at run time: plumb is linked to none, and the launcher's own is the one that fits.
//!
//! Open MPI and MPICH (with what keeps its ABI: Intel MPI, MVAPICH) differ in what a handle is: an address in the one, a number in the other; the ABI that
//! MPI 5.0 brought has numbers of its own, and its libraries one name. Handles are passed as words here. Where a function takes an `int`, it looks at the lower half of the register (System V ABI for x86-64, section 3.2.3; AAPCS64, section 6.8.2).

use std::error::Error;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};

/// MPI_MAX_LIBRARY_VERSION_STRING: 256 in Open MPI, 8192 in MPICH and in the ABI of MPI 5.0.
const VERSION_MAX: usize = 8192;
/// MPI_MAX_ERROR_STRING: 256 in Open MPI, 512 in MPICH and in the ABI of MPI 5.0.
const ERROR_MAX: usize = 512;
/// The one tag of all messages.
const TAG: c_int = 7475;

type Word = usize;

/// A status is 24 bytes in Open MPI, 20 in MPICH and 32 in the ABI of MPI 5.0.
type Status = [c_int; 16];

/// What differs between the families.
struct Family {
    /// MPI_THREAD_FUNNELED: all calls come from the thread that initialised it.
    thread_funneled: c_int,
    comm_world: Word,
    byte: Word,
    errors_return: Word,
    any_source: c_int,
    /// Where MPI_SOURCE stands in a status, in words of 4 bytes.
    source_at: usize,
}

/// The numbers of the MPI Forum's mpi.h for the ABI of MPI 5.0: <https://github.com/mpi-forum/mpi-abi-stubs>.
const STANDARD: Family = Family {
    thread_funneled: 1024,
    comm_world: 0x101,
    byte: 0x247,
    errors_return: 0x142,
    any_source: -1,
    source_at: 0,
};

/// The common ABI of MPICH 3.1 and later, Intel MPI and others: <https://www.mpich.org/abi/>; the numbers stand in MPICH's mpi.h.
const MPICH: Family = Family {
    thread_funneled: 1,
    comm_world: 0x4400_0000,
    byte: 0x4c00_010d,
    errors_return: 0x5400_0001,
    any_source: -2,
    source_at: 2,
};

/// An MPI that is initialised. It belongs to the thread that opened it.
pub struct Mpi {
    family: Family,
    calls: Calls,
    name: String,
    rank: u32,
    size: u32,
    /// Calls come from one thread.
    not_send: std::marker::PhantomData<*const ()>,
}

/// A message that is under way: its bytes stay where they are until it has been taken.
pub struct Sending {
    request: Box<Word>,
    _bytes: Vec<u8>,
}

/// A message that is on its way to this rank: the library writes to its bytes until it is there.
pub struct Receiving {
    from: u32,
    request: Box<Word>,
    bytes: Vec<u8>,
}

impl Receiving {
    pub fn from(&self) -> u32 {
        self.from
    }

    /// What was sent, once the message [is there](Mpi::is_received).
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// A barrier that this rank has entered.
pub struct Entered(Box<Word>);

macro_rules! calls {
    ($($name:ident: $symbol:literal ($($argument:ty),*);)*) => {
        /// The functions that are called.
        struct Calls { $($name: unsafe extern "C" fn($($argument),*) -> c_int,)* }

        impl Calls {
            /// Errors: the library lacks one of them.
            fn of(library: &Library) -> Result<Calls, libloading::Error> {
                // SAFETY: the MPI standard gives these functions these arguments, in every version since 3.0.
                unsafe {
                    Ok(Calls { $($name: *library.get(concat!($symbol, "\0").as_bytes())?,)* })
                }
            }
        }
    };
}

calls! {
    init_thread: "MPI_Init_thread" (*mut c_int, *mut *mut *mut c_char, c_int, *mut c_int);
    finalize: "MPI_Finalize" ();
    comm_rank: "MPI_Comm_rank" (Word, *mut c_int);
    comm_size: "MPI_Comm_size" (Word, *mut c_int);
    comm_set_errhandler: "MPI_Comm_set_errhandler" (Word, Word);
    get_library_version: "MPI_Get_library_version" (*mut c_char, *mut c_int);
    error_string: "MPI_Error_string" (c_int, *mut c_char, *mut c_int);
    isend: "MPI_Isend" (*const c_void, c_int, Word, c_int, c_int, Word, *mut Word);
    iprobe: "MPI_Iprobe" (c_int, c_int, Word, *mut c_int, *mut Status);
    get_count: "MPI_Get_count" (*const Status, Word, *mut c_int);
    irecv: "MPI_Irecv" (*mut c_void, c_int, Word, c_int, c_int, Word, *mut Word);
    test: "MPI_Test" (*mut Word, *mut c_int, *mut Status);
    ibarrier: "MPI_Ibarrier" (Word, *mut Word);
}

/// Opens the first of these libraries that is there, and initialises it.
///
/// # Errors
/// None is there (each with the reason), or one is there and is no MPI that plumb knows, or does not initialise.
pub fn open(files: &[&str]) -> Result<Mpi, String> {
    let mut tried = Vec::new();
    for file in files {
        // SAFETY: what the initialisers of an MPI library do is what every program that is linked to it starts with. Its own plug-ins look for its symbols
        // among the global ones.
        match unsafe { Library::open(Some(*file), RTLD_NOW | RTLD_GLOBAL) } {
            Ok(library) => return initialised(file, library),
            Err(error) => tried.push(describe(file, &error)),
        }
    }
    Err(tried.join("; "))
}

/// The loader's own words, which name the file on most systems.
fn describe(file: &str, error: &libloading::Error) -> String {
    let words = error
        .source()
        .map_or(error.to_string(), |why| why.to_string());
    match words.contains(file) {
        true => words,
        false => format!("{file}: {words}"),
    }
}

fn initialised(file: &str, library: Library) -> Result<Mpi, String> {
    let family = family(file, &library).map_err(|why| format!("{file}: {why}"))?;
    let calls = Calls::of(&library).map_err(|error| describe(file, &error))?;
    // The library is used until the process ends: its threads and exit handlers outlive any handle of it.
    std::mem::forget(library);
    let mut provided = 0;
    // SAFETY: null for both arguments of main is allowed (MPI 4.0, section 11.2.1); `provided` is written.
    let code = unsafe {
        (calls.init_thread)(
            ptr::null_mut(),
            ptr::null_mut(),
            family.thread_funneled,
            &mut provided,
        )
    };
    if code != 0 {
        return Err(format!("{file}: MPI_Init_thread failed with {code}"));
    }
    let mut mpi = Mpi {
        family,
        calls,
        name: String::new(),
        rank: 0,
        size: 0,
        not_send: std::marker::PhantomData,
    };
    let world = mpi.family.comm_world;
    let (mut rank, mut size) = (0, 0);
    // SAFETY: the library is initialised, and the handles are those of its family.
    unsafe {
        // A message that fails is an answer, not the end of the process.
        mpi.check((mpi.calls.comm_set_errhandler)(
            world,
            mpi.family.errors_return,
        ))?;
        mpi.check((mpi.calls.comm_rank)(world, &mut rank))?;
        mpi.check((mpi.calls.comm_size)(world, &mut size))?;
    }
    (mpi.rank, mpi.size) = (rank as u32, size as u32);
    mpi.name = format!("{} ({file})", mpi.version());
    Ok(mpi)
}

/// Open MPI's handles are addresses of its own objects; those of the others are numbers that their ABI keeps, and their file is named by the ABI.
///
/// Errors: none of the three.
fn family(file: &str, library: &Library) -> Result<Family, String> {
    let name = file.rsplit('/').next().unwrap_or(file);
    // Asked first: a library of the ABI may bring its implementation's own with it, whose symbols are then found too.
    if name.starts_with("libmpi_abi.") {
        return standard(library);
    }
    // SAFETY: only the address is taken, nothing is read there.
    let address = |name: &[u8]| unsafe { library.get::<*const c_void>(name) };
    let address = |name: &[u8]| Some(address(name).ok()?.into_raw() as Word);
    if let (Some(comm_world), Some(byte), Some(errors_return)) = (
        address(b"ompi_mpi_comm_world\0"),
        address(b"ompi_mpi_byte\0"),
        address(b"ompi_mpi_errors_return\0"),
    ) {
        return Ok(Family {
            thread_funneled: 1,
            comm_world,
            byte,
            errors_return,
            any_source: -1,
            source_at: 0,
        });
    }
    // The ABI's own number in the file's name, or a function that MPICH and what is made of it have, and nobody else.
    if name.contains(".so.12") || address(b"MPIR_Err_return_comm\0").is_some() {
        return Ok(MPICH);
    }
    Err("not Open MPI, MPICH, or a library with the MPI 5.0 ABI".into())
}

/// Errors: a version of the ABI that came later, whose numbers may be others.
fn standard(library: &Library) -> Result<Family, String> {
    let (mut major, mut minor) = (-1, -1);
    // SAFETY: the arguments are those of MPI 5.0, which allows the call before MPI is initialised.
    let code = unsafe {
        let version = library
            .get::<unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int>(b"MPI_Abi_get_version\0")
            .map_err(|_| "no MPI_Abi_get_version")?;
        version(&mut major, &mut minor)
    };
    match (code, major) {
        (0, 1) => Ok(STANDARD),
        _ => Err(format!(
            "MPI ABI version {major}.{minor}: plumb supports version 1"
        )),
    }
}

impl Mpi {
    pub fn rank(&self) -> u32 {
        self.rank
    }

    pub fn size(&self) -> u32 {
        self.size
    }

    /// Which file it is, and its own description: `Open MPI v4.1.4 (libmpi.so.40)`.
    pub fn name(&self) -> String {
        self.name.clone()
    }

    /// `Open MPI v4.1.4`, the start of the library's description.
    fn version(&self) -> String {
        let mut text = vec![0 as c_char; VERSION_MAX + 1];
        let mut length = 0;
        // SAFETY: the buffer has the length that the standard demands.
        let code = unsafe { (self.calls.get_library_version)(text.as_mut_ptr(), &mut length) };
        if code != 0 {
            return "MPI".into();
        }
        // SAFETY: the library ends the text with a zero, and so does the buffer.
        let text = unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy();
        let first = text.lines().next().unwrap_or_default();
        let first = first.split(',').next().unwrap_or_default();
        // `MPICH Version:      4.0.2`
        let words = first.split_whitespace().filter(|word| *word != "Version:");
        words.collect::<Vec<_>>().join(" ")
    }

    /// Errors: the code is one of an error, in the library's words.
    fn check(&self, code: c_int) -> Result<(), String> {
        if code == 0 {
            return Ok(());
        }
        let mut text = [0 as c_char; ERROR_MAX + 1];
        let mut length = 0;
        // SAFETY: the buffer has the length that the standard demands.
        unsafe { (self.calls.error_string)(code, text.as_mut_ptr(), &mut length) };
        // SAFETY: the buffer ends with a zero, whatever was written.
        let text = unsafe { CStr::from_ptr(text.as_ptr()) };
        Err(format!("MPI: {}", text.to_string_lossy()))
    }

    /// Begins to send. Errors: the library's.
    pub fn send(&self, to: u32, bytes: Vec<u8>) -> Result<Sending, String> {
        let length = c_int::try_from(bytes.len())
            .map_err(|_| format!("a message of {} bytes is too large for MPI", bytes.len()))?;
        let mut sending = Sending {
            request: Box::new(0),
            _bytes: bytes,
        };
        let to = to as c_int;
        // SAFETY: the bytes and the request stay where they are until `is_sent`, or for good.
        let code = unsafe {
            (self.calls.isend)(
                sending._bytes.as_ptr().cast(),
                length,
                self.family.byte,
                to,
                TAG,
                self.family.comm_world,
                &mut *sending.request,
            )
        };
        self.check(code).map(|()| sending)
    }

    /// True once the bytes of a message are not needed any more. Errors: the library's.
    pub fn is_sent(&self, sending: &mut Sending) -> Result<bool, String> {
        self.is_done(&mut sending.request)
    }

    fn is_done(&self, request: &mut Word) -> Result<bool, String> {
        let mut done = 0;
        let mut status: Status = [0; 16];
        // SAFETY: the request is one that the library gave.
        let code = unsafe { (self.calls.test)(request, &mut done, &mut status) };
        self.check(code).map(|()| done != 0)
    }

    /// Begins to receive the next message that was sent to this rank. Errors: the library's.
    pub fn receive(&self) -> Result<Option<Receiving>, String> {
        let (mut is_there, mut length) = (0, 0);
        let mut status: Status = [0; 16];
        let Family {
            comm_world,
            byte,
            any_source,
            source_at,
            ..
        } = self.family;
        // SAFETY: a status of any family fits.
        let code =
            unsafe { (self.calls.iprobe)(any_source, TAG, comm_world, &mut is_there, &mut status) };
        self.check(code)?;
        if is_there == 0 {
            return Ok(None);
        }
        // SAFETY: the status is that of the message that was found.
        self.check(unsafe { (self.calls.get_count)(&status, byte, &mut length) })?;
        let source = status[source_at];
        let mut receiving = Receiving {
            from: source as u32,
            request: Box::new(0),
            bytes: vec![0; length.max(0) as usize],
        };
        // MPI_Recv would wait for the rest of a long message, for ever when its sender is lost.
        // SAFETY: the bytes have the length of that message, which is the next of this source and tag; they and the request stay where they are until
        // `is_received`, or for good.
        let code = unsafe {
            (self.calls.irecv)(
                receiving.bytes.as_mut_ptr().cast(),
                length,
                byte,
                source,
                TAG,
                comm_world,
                &mut *receiving.request,
            )
        };
        self.check(code).map(|()| Some(receiving))
    }

    /// True once all of a message is there. Errors: the library's.
    pub fn is_received(&self, receiving: &mut Receiving) -> Result<bool, String> {
        self.is_done(&mut receiving.request)
    }

    /// Enters a barrier of all ranks. Errors: the library's.
    pub fn enter_barrier(&self) -> Result<Entered, String> {
        let mut entered = Entered(Box::new(0));
        // SAFETY: the request stays where it is until it is done, or for good.
        let code = unsafe { (self.calls.ibarrier)(self.family.comm_world, &mut *entered.0) };
        self.check(code).map(|()| entered)
    }

    /// True once all ranks have entered it. Errors: the library's.
    pub fn is_passed(&self, entered: &mut Entered) -> Result<bool, String> {
        self.is_done(&mut entered.0)
    }

    /// Leaves MPI, which waits for all ranks to do so.
    pub fn finalize(self) {
        // SAFETY: it is initialised, and nothing is called after it.
        unsafe { (self.calls.finalize)() };
    }
}

/// The library still reads and writes what was not waited for.
pub fn leave_to_the_library(
    sending: Vec<Sending>,
    receiving: Vec<Receiving>,
    entered: Option<Entered>,
) {
    std::mem::forget((sending, receiving, entered));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_that_was_tried_is_named_with_the_reason() {
        let tried = open(&["libplumb-1.so", "libplumb-2.so"]).map(drop);
        let tried = tried.expect_err("there is none");
        let (first, second) = tried.split_once("; ").expect("two reasons");
        assert!(first.contains("libplumb-1.so"), "{tried}");
        assert!(second.contains("libplumb-2.so"), "{tried}");
        assert!(!tried.contains("dlopen failed"), "{tried}");
    }

    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn what_is_no_mpi_is_refused() {
        let refused = open(&["libc.so.6"]).map(drop).expect_err("no MPI");
        assert!(refused.contains("not Open MPI, MPICH"), "{refused}");
    }
}
