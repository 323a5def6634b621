//! How are blocks discarded on Windows? FSCTL_FILE_LEVEL_TRIM for files, a data set request for disks.

use std::ptr::{null, null_mut};

use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::Win32::System::IO::{DeviceIoControl, OVERLAPPED};
use windows_sys::Win32::System::Ioctl as ioctl;

/// By which request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trim {
    /// Of a file, whose clusters stay its own (FSCTL_FILE_LEVEL_TRIM).
    File,
    /// Of a disk (IOCTL_STORAGE_MANAGE_DATA_SET_ATTRIBUTES with DeviceDsmAction_Trim).
    Disk,
}

impl Trim {
    /// Of a file or device.
    pub fn of(block_device: bool) -> Trim {
        match block_device {
            true => Trim::Disk,
            false => Trim::File,
        }
    }

    /// For the record.
    pub fn name(self) -> &'static str {
        match self {
            Trim::File => "trim by FSCTL_FILE_LEVEL_TRIM",
            Trim::Disk => "trim by IOCTL_STORAGE_MANAGE_DATA_SET_ATTRIBUTES",
        }
    }
}

/// DEVICE_MANAGE_DATA_SET_ATTRIBUTES with one range behind it (winioctl.h).
#[repr(C)]
struct DiskRequest {
    bytes: u32,
    action: u32,
    flags: u32,
    parameters_at: u32,
    parameters_bytes: u32,
    ranges_at: u32,
    ranges_bytes: u32,
    _padding: u32,
    range: [u64; 2],
}

/// DeviceDsmAction_Trim.
const TRIM: u32 = 1;

/// Starts a trim, or carries it out where `control` is null. Returns as DeviceIoControl; the request itself is copied by the kernel (METHOD_BUFFERED) before
/// it comes back.
///
/// # Safety
/// The handle is open; `control` is null or stays where it is until the operation has come back.
pub unsafe fn start(
    handle: HANDLE,
    trim: Trim,
    (offset, length): (u64, u64),
    control: *mut OVERLAPPED,
) -> i32 {
    let of_file = ioctl::FILE_LEVEL_TRIM {
        Key: 0,
        NumRanges: 1,
        Ranges: [ioctl::FILE_LEVEL_TRIM_RANGE {
            Offset: offset,
            Length: length,
        }],
    };
    let of_disk = DiskRequest {
        bytes: std::mem::offset_of!(DiskRequest, _padding) as u32,
        action: TRIM,
        flags: 0,
        parameters_at: 0,
        parameters_bytes: 0,
        ranges_at: std::mem::offset_of!(DiskRequest, range) as u32,
        ranges_bytes: size_of::<[u64; 2]>() as u32,
        _padding: 0,
        range: [offset, length],
    };
    let (code, request, bytes): (u32, *const core::ffi::c_void, usize) = match trim {
        Trim::File => (
            ioctl::FSCTL_FILE_LEVEL_TRIM,
            (&raw const of_file).cast(),
            size_of_val(&of_file),
        ),
        Trim::Disk => (
            ioctl::IOCTL_STORAGE_MANAGE_DATA_SET_ATTRIBUTES,
            (&raw const of_disk).cast(),
            size_of_val(&of_disk),
        ),
    };
    let mut filled = 0u32;
    let filled = match control.is_null() {
        true => &raw mut filled,
        false => null_mut(),
    };
    // SAFETY: the request is as long as passed; the rest as promised by the caller.
    unsafe {
        DeviceIoControl(
            handle,
            code,
            request,
            bytes as u32,
            null::<core::ffi::c_void>().cast_mut(),
            0,
            filled,
            control,
        )
    }
}
