//! Which MPI library is on this machine, and how is it called? Opened at run time: plumb is linked to none, and the launcher's own is the one that fits.
//!
//! Open MPI 4 and 5 and MPICH 4 (with what keeps its ABI: Intel MPI, MVAPICH) differ in what a handle is: an address in the one, a number in the other. Handles are
//! passed as words here. Where a function takes an `int`, it looks at the lower half of the register (System V ABI for x86-64, section 3.2.3; AAPCS64, section 6.8.2).

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};

/// MPI_THREAD_FUNNELED is 1 in both: all calls come from the thread that initialised it.
const THREAD_FUNNELED: c_int = 1;
/// MPI_MAX_LIBRARY_VERSION_STRING: 256 in Open MPI, 8192 in MPICH.
const VERSION_MAX: usize = 8192;
/// MPI_MAX_ERROR_STRING: 256 in Open MPI, 512 in MPICH.
const ERROR_MAX: usize = 512;
/// The one tag of all messages.
const TAG: c_int = 7475;

type Word = usize;

/// A status is 24 bytes in Open MPI and 20 in MPICH.
type Status = [c_int; 16];

/// What differs between the families.
struct Family {
    comm_world: Word,
    byte: Word,
    errors_return: Word,
    any_source: c_int,
    /// Where MPI_SOURCE stands in a status, in words of 4 bytes.
    source_at: usize,
}

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
    recv: "MPI_Recv" (*mut c_void, c_int, Word, c_int, c_int, Word, *mut Status);
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
            Err(error) => tried.push(format!("{file}: {error}")),
        }
    }
    Err(tried.join("; "))
}

fn initialised(file: &str, library: Library) -> Result<Mpi, String> {
    let family = family(&library).ok_or_else(|| {
        format!("{file}: neither Open MPI nor MPICH: plumb knows the handles of these two only")
    })?;
    let calls = Calls::of(&library).map_err(|error| format!("{file}: {error}"))?;
    // The library is used until the process ends: its threads and exit handlers outlive any handle of it.
    std::mem::forget(library);
    let mut provided = 0;
    // SAFETY: null for both arguments of main is allowed (MPI 4.0, section 11.2.1); `provided` is written.
    let code = unsafe {
        (calls.init_thread)(
            ptr::null_mut(),
            ptr::null_mut(),
            THREAD_FUNNELED,
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

/// Open MPI's handles are addresses of its own objects; MPICH's are numbers that its ABI keeps.
fn family(library: &Library) -> Option<Family> {
    // SAFETY: only the address is taken, nothing is read there.
    let address = |name: &[u8]| unsafe { library.get::<*const c_void>(name) };
    let address = |name: &[u8]| Some(address(name).ok()?.into_raw() as Word);
    if let (Some(comm_world), Some(byte), Some(errors_return)) = (
        address(b"ompi_mpi_comm_world\0"),
        address(b"ompi_mpi_byte\0"),
        address(b"ompi_mpi_errors_return\0"),
    ) {
        return Some(Family {
            comm_world,
            byte,
            errors_return,
            any_source: -1,
            source_at: 0,
        });
    }
    // A function that MPICH and what is made of it have, and nobody else.
    address(b"MPIR_Err_return_comm\0").or_else(|| address(b"MPIX_Comm_revoke\0"))?;
    Some(Family {
        comm_world: 0x4400_0000,
        byte: 0x4c00_010d,
        errors_return: 0x5400_0001,
        any_source: -2,
        source_at: 2,
    })
}

impl Mpi {
    pub fn rank(&self) -> u32 {
        self.rank
    }

    pub fn size(&self) -> u32 {
        self.size
    }

    /// Which file it is, and what it says of itself: `Open MPI v4.1.4 (libmpi.so.40)`.
    pub fn name(&self) -> String {
        self.name.clone()
    }

    /// `Open MPI v4.1.4`, the first words of what the library says of itself.
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
        first.split_whitespace().collect::<Vec<_>>().join(" ")
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
        let length = c_int::try_from(bytes.len()).map_err(|_| "a message is too long for MPI")?;
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

    /// The next message that is there, with its sender. Errors: the library's.
    pub fn receive(&self) -> Result<Option<(u32, Vec<u8>)>, String> {
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
        let mut bytes = vec![0u8; length.max(0) as usize];
        // SAFETY: the buffer has the length of that message, which is the next of this source and tag.
        let code = unsafe {
            (self.calls.recv)(
                bytes.as_mut_ptr().cast(),
                length,
                byte,
                source,
                TAG,
                comm_world,
                &mut status,
            )
        };
        self.check(code)?;
        Ok(Some((source as u32, bytes)))
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

/// The library still writes to the request of a message or barrier that was not waited for.
pub fn leave_to_the_library(sending: Vec<Sending>, entered: Option<Entered>) {
    std::mem::forget((sending, entered));
}
