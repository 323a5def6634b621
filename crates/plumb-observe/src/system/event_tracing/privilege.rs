//! How is a right made use of that this user has? Privileges are off in the token of a process until it asks for them.

use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::ptr;

use windows_sys::Win32::Foundation::LUID;
use windows_sys::Win32::Security::{
    AdjustTokenPrivileges, LUID_AND_ATTRIBUTES, LookupPrivilegeValueW, SE_PRIVILEGE_ENABLED,
    TOKEN_ADJUST_PRIVILEGES, TOKEN_PRIVILEGES, TOKEN_QUERY,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

use crate::system::windows::wide;

/// Makes use of SeSystemProfilePrivilege where this user has it; where not, the call that needs it says so.
pub fn use_profile_privilege() {
    let mut token = ptr::null_mut();
    let access = TOKEN_ADJUST_PRIVILEGES | TOKEN_QUERY;
    // SAFETY: the handle of the process is always open, and that of its token becomes ours.
    let token = unsafe {
        if OpenProcessToken(GetCurrentProcess(), access, &raw mut token) == 0 {
            return;
        }
        OwnedHandle::from_raw_handle(token)
    };
    let mut number = LUID::default();
    let name = wide("SeSystemProfilePrivilege");
    // SAFETY: the name ends with 0, and the number, the token and the privileges live over the calls.
    unsafe {
        if LookupPrivilegeValueW(ptr::null(), name.as_ptr(), &raw mut number) == 0 {
            return;
        }
        let selected = TOKEN_PRIVILEGES {
            PrivilegeCount: 1,
            Privileges: [LUID_AND_ATTRIBUTES {
                Luid: number,
                Attributes: SE_PRIVILEGE_ENABLED,
            }],
        };
        AdjustTokenPrivileges(
            token.as_raw_handle(),
            0,
            &raw const selected,
            0,
            ptr::null_mut(),
            ptr::null_mut(),
        );
    }
}
