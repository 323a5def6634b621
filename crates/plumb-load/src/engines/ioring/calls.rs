//! Where are the calls of I/O rings? In kernelbase.dll from Windows 11 on; a program that was linked with them would not start elsewhere.

use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::Win32::Storage::FileSystem as fs;
use windows_sys::core::{BOOL, HRESULT};

/// The calls, as ioringapi.h declares them.
#[derive(Clone, Copy)]
pub struct Calls {
    pub create: unsafe extern "system" fn(
        fs::IORING_VERSION,
        fs::IORING_CREATE_FLAGS,
        u32,
        u32,
        *mut fs::HIORING,
    ) -> HRESULT,
    pub close: unsafe extern "system" fn(fs::HIORING) -> HRESULT,
    pub submit: unsafe extern "system" fn(fs::HIORING, u32, u32, *mut u32) -> HRESULT,
    pub pop: unsafe extern "system" fn(fs::HIORING, *mut fs::IORING_CQE) -> HRESULT,
    pub is_supported: unsafe extern "system" fn(fs::HIORING, fs::IORING_OP_CODE) -> BOOL,
    pub register_files:
        unsafe extern "system" fn(fs::HIORING, u32, *const HANDLE, usize) -> HRESULT,
    pub register_buffers: unsafe extern "system" fn(
        fs::HIORING,
        u32,
        *const fs::IORING_BUFFER_INFO,
        usize,
    ) -> HRESULT,
    pub read: unsafe extern "system" fn(
        fs::HIORING,
        fs::IORING_HANDLE_REF,
        fs::IORING_BUFFER_REF,
        u32,
        u64,
        usize,
        fs::IORING_SQE_FLAGS,
    ) -> HRESULT,
    pub write: unsafe extern "system" fn(
        fs::HIORING,
        fs::IORING_HANDLE_REF,
        fs::IORING_BUFFER_REF,
        u32,
        u64,
        fs::FILE_WRITE_FLAGS,
        usize,
        fs::IORING_SQE_FLAGS,
    ) -> HRESULT,
    pub flush: unsafe extern "system" fn(
        fs::HIORING,
        fs::IORING_HANDLE_REF,
        fs::FILE_FLUSH_MODE,
        usize,
        fs::IORING_SQE_FLAGS,
    ) -> HRESULT,
}

impl Calls {
    /// Those of this system; `None` before Windows 11 22H2, the first with writes.
    pub fn of_system() -> Option<Calls> {
        use libloading::os::windows::Library;

        let library = Library::open_already_loaded("kernelbase.dll").ok()?;
        // SAFETY: the types are those of ioringapi.h, and kernelbase.dll stays as long as the process.
        unsafe {
            Some(Calls {
                create: *library.get(b"CreateIoRing\0").ok()?,
                close: *library.get(b"CloseIoRing\0").ok()?,
                submit: *library.get(b"SubmitIoRing\0").ok()?,
                pop: *library.get(b"PopIoRingCompletion\0").ok()?,
                is_supported: *library.get(b"IsIoRingOpSupported\0").ok()?,
                register_files: *library.get(b"BuildIoRingRegisterFileHandles\0").ok()?,
                register_buffers: *library.get(b"BuildIoRingRegisterBuffers\0").ok()?,
                read: *library.get(b"BuildIoRingReadFile\0").ok()?,
                write: *library.get(b"BuildIoRingWriteFile\0").ok()?,
                flush: *library.get(b"BuildIoRingFlushFile\0").ok()?,
            })
        }
    }
}
