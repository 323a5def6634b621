//! Is libfabric there, and what does it offer? Opened when it is first needed, so that plumb builds and runs without it.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::ManuallyDrop;
use std::sync::Arc;

use plumb_model::statement::Statement;

use super::bindings::{API_VERSION, FabricAttributes, FabricFid, Offer};

/// Under which names the system's loader finds the library.
#[cfg(windows)]
pub const NAMES: &[&str] = &["libfabric.dll"];
#[cfg(target_os = "macos")]
pub const NAMES: &[&str] = &[
    "libfabric.1.dylib",
    "/opt/homebrew/lib/libfabric.1.dylib",
    "/usr/local/lib/libfabric.1.dylib",
];
#[cfg(not(any(windows, target_os = "macos")))]
pub const NAMES: &[&str] = &["libfabric.so.1"];

type GetOffers = unsafe extern "C" fn(
    u32,
    *const c_char,
    *const c_char,
    u64,
    *const Offer,
    *mut *mut Offer,
) -> c_int;
type OpenFabric =
    unsafe extern "C" fn(*mut FabricAttributes, *mut *mut FabricFid, *mut c_void) -> c_int;
type ToString = unsafe extern "C" fn(*mut c_char, usize, *const c_void, c_int) -> *mut c_char;

/// The library, with the functions that it exports; all others are in tables of what these return.
pub struct Library {
    get_info: GetOffers,
    free_info: unsafe extern "C" fn(*mut Offer),
    duplicate_info: unsafe extern "C" fn(*const Offer) -> *mut Offer,
    pub(super) open_fabric: OpenFabric,
    strerror: unsafe extern "C" fn(c_int) -> *const c_char,
    to_string: Option<ToString>,
    version: u32,
    // Never closed: providers leave threads and handlers of the process's end behind (atexit), which live in its code.
    _library: ManuallyDrop<libloading::Library>,
}

impl Library {
    /// Opens the first library of these names that is there.
    ///
    /// # Errors
    /// There is none, or it is none that plumb knows: what was looked for, in one clause.
    pub fn open(names: &[&str]) -> Result<Arc<Library>, Statement> {
        let mut reason = String::new();
        for name in names {
            // SAFETY: the initialisers of libfabric and of the providers that it loads have no preconditions (fabric(7)).
            match unsafe { libloading::Library::new(*name) } {
                Ok(library) => {
                    return Library::resolve(library).map(Arc::new).map_err(|error| {
                        Statement::new("libfabric-is-another-library")
                            .name("name", *name)
                            .name("error", error.to_string())
                    });
                }
                // The loader's message names the file; the first name is the usual location.
                Err(error) if reason.is_empty() => reason = error.to_string(),
                Err(_) => {}
            }
        }
        Err(Statement::new("libfabric-was-not-found")
            .names("names", names.iter().copied())
            .name("error", reason.trim()))
    }

    fn resolve(library: libloading::Library) -> Result<Library, libloading::Error> {
        // SAFETY: the types are those of the library's manual pages, and the functions are called only while it is loaded, which it stays.
        unsafe {
            let version: unsafe extern "C" fn() -> u32 = *library.get(b"fi_version\0")?;
            Ok(Library {
                get_info: *library.get(b"fi_getinfo\0")?,
                free_info: *library.get(b"fi_freeinfo\0")?,
                duplicate_info: *library.get(b"fi_dupinfo\0")?,
                open_fabric: *library.get(b"fi_fabric\0")?,
                strerror: *library.get(b"fi_strerror\0")?,
                // Came with version 1.13.
                to_string: library.get(b"fi_tostr_r\0").ok().map(|symbol| *symbol),
                version: version(),
                _library: ManuallyDrop::new(library),
            })
        }
    }

    /// The library's version, such as `1.17`.
    pub fn version(&self) -> String {
        format!("{}.{}", self.version >> 16, self.version & 0xffff)
    }

    /// An error number in words; its sign does not matter.
    pub fn error(&self, number: isize) -> String {
        let number = i32::try_from(number.unsigned_abs()).unwrap_or(i32::MAX);
        // SAFETY: the function returns a static text for any number.
        let words = unsafe { text((self.strerror)(number)) };
        words
            .filter(|words| !words.is_empty())
            .unwrap_or_else(|| format!("error {number}"))
    }

    /// Empty hints, to be filled in.
    pub fn hints(self: &Arc<Self>) -> Option<Offers> {
        // SAFETY: fi_dupinfo of nothing allocates an empty structure with all its parts (fi_getinfo(3)).
        let first = unsafe { (self.duplicate_info)(std::ptr::null()) };
        (!first.is_null()).then(|| Offers {
            library: self.clone(),
            first,
        })
    }

    /// What is offered for these hints, best first. `source`: the address of this side, by number.
    ///
    /// # Errors
    /// The library's error number, negated; -61 (no data) when nothing fits.
    pub fn offers(
        self: &Arc<Self>,
        source: Option<&str>,
        hints: Option<&Offers>,
    ) -> Result<Offers, isize> {
        let node = source.and_then(|source| CString::new(source).ok());
        let flags = if node.is_some() {
            super::bindings::FI_SOURCE | super::bindings::FI_NUMERICHOST
        } else {
            0
        };
        let mut first = std::ptr::null_mut();
        // SAFETY: all pointers are valid over the call or null where the function allows it; the result is freed by `Offers`.
        let rc = unsafe {
            (self.get_info)(
                self.version.min(API_VERSION),
                node.as_ref().map_or(std::ptr::null(), |node| node.as_ptr()),
                std::ptr::null(),
                flags,
                hints.map_or(std::ptr::null(), |hints| hints.first.cast_const()),
                &raw mut first,
            )
        };
        if rc == 0 && !first.is_null() {
            Ok(Offers {
                library: self.clone(),
                first,
            })
        } else {
            Err(rc as isize)
        }
    }

    /// What the library calls this value of this type (`FI_TYPE_...`).
    pub fn name_of<T>(&self, value: &T, kind: c_int) -> Option<String> {
        let mut buffer = [0 as c_char; 256];
        // SAFETY: the buffer is as long as passed; `value` is of the type that `kind` stands for, as all callers see to.
        let shown = unsafe {
            self.to_string?(
                buffer.as_mut_ptr(),
                buffer.len(),
                std::ptr::from_ref(value).cast(),
                kind,
            )
        };
        // SAFETY: the function returns the buffer, with a zero at its end.
        unsafe { text(shown) }.filter(|shown| !shown.is_empty())
    }
}

/// A list of what is offered, or hints. Freed at its end.
pub struct Offers {
    library: Arc<Library>,
    first: *mut Offer,
}

impl Offers {
    /// The first of the list.
    pub fn first(&self) -> *mut Offer {
        self.first
    }

    /// All of the list.
    pub fn iter(&self) -> impl Iterator<Item = &Offer> {
        // SAFETY: the list is the library's own, valid until it is freed, and nobody changes it while it is borrowed.
        std::iter::successors(unsafe { self.first.as_ref() }, |info| unsafe {
            info.next.as_ref()
        })
    }
}

impl Drop for Offers {
    fn drop(&mut self) {
        // SAFETY: the list came from the library and is freed once.
        unsafe { (self.library.free_info)(self.first) };
    }
}

/// A text of the library.
///
/// # Safety
/// `pointer` is null or points to bytes that end with a zero.
pub unsafe fn text(pointer: *const c_char) -> Option<String> {
    // SAFETY: as the caller promises.
    (!pointer.is_null()).then(|| {
        unsafe { CStr::from_ptr(pointer) }
            .to_string_lossy()
            .into_owned()
    })
}

#[cfg(test)]
mod tests {
    use plumb_words::english;

    use super::*;

    #[test]
    fn a_missing_library_is_reported_with_the_name_that_was_looked_for() {
        let error = Library::open(&["libfabric-that-is-nowhere.so.1", "nor-this.so"])
            .err()
            .expect("missing");
        let error = english(&error);
        assert!(
            error.contains("libfabric-that-is-nowhere.so.1 and nor-this.so")
                && error.contains("not found"),
            "{error}"
        );
        assert!(!error.contains('\n'), "{error}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_library_that_is_something_else_is_refused() {
        let error = Library::open(&["libc.so.6"]).err().expect("something else");
        let error = english(&error);
        assert!(error.contains("libc.so.6 is not libfabric"), "{error}");
    }
}
