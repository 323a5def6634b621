//! To whom does a file belong on Windows, and who else may change it? By owner and access list.

use std::fs::File;
use std::io;
use std::os::windows::io::AsRawHandle;
use std::ptr::null_mut;

use windows_sys::Win32::Foundation::{CloseHandle, GENERIC_ALL, GENERIC_WRITE, HANDLE, LocalFree};
use windows_sys::Win32::Security as security;
use windows_sys::Win32::Security::Authorization as authorization;
use windows_sys::Win32::Storage::FileSystem as fs;
use windows_sys::Win32::System::SystemServices::ACCESS_ALLOWED_ACE_TYPE;
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

use super::handles::succeeded;

/// Full access for the owner, the system and administrators, for nobody else, and so for what is made below (Security Descriptor String Format).
const PRIVATE: &str = "D:P(A;OICI;FA;;;OW)(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)";
/// The system, administrators, and the creator of a file.
const TRUSTED: [&str; 4] = ["S-1-5-18", "S-1-5-32-544", "S-1-3-0", "S-1-3-4"];

/// Memory that the system has given.
pub struct Given(*mut core::ffi::c_void);

impl Given {
    pub fn as_ptr(&self) -> *const core::ffi::c_void {
        self.0
    }
}

impl Drop for Given {
    fn drop(&mut self) {
        // SAFETY: from a call that gives memory to be freed so, or null; freed once.
        unsafe { LocalFree(self.0) };
    }
}

/// The security descriptor [`PRIVATE`]; null, which means as the folder hands on, where the system cannot make one.
pub fn private() -> Given {
    let text: Vec<u16> = PRIVATE.encode_utf16().chain([0]).collect();
    let mut made = null_mut();
    // SAFETY: the text ends with 0; the pointer is filled in with memory that is ours then, or stays null.
    unsafe {
        authorization::ConvertStringSecurityDescriptorToSecurityDescriptorW(
            text.as_ptr(),
            authorization::SDDL_REVISION_1,
            &raw mut made,
            null_mut(),
        )
    };
    Given(made)
}

/// Owner and access list of a file, and the descriptor that they lie in.
fn owner_and_list(file: &File) -> io::Result<(Given, security::PSID, *mut security::ACL)> {
    let (mut owner, mut list, mut descriptor) = (null_mut(), null_mut(), null_mut());
    // SAFETY: the handle is open; the pointers are filled in, the first two into what the last leads to, which is ours then.
    let code = unsafe {
        authorization::GetSecurityInfo(
            file.as_raw_handle(),
            authorization::SE_FILE_OBJECT,
            security::OWNER_SECURITY_INFORMATION | security::DACL_SECURITY_INFORMATION,
            &raw mut owner,
            null_mut(),
            &raw mut list,
            null_mut(),
            &raw mut descriptor,
        )
    };
    match code {
        0 => Ok((Given(descriptor), owner, list)),
        code => Err(io::Error::from_raw_os_error(code as i32)),
    }
}

/// A security identifier as text: `S-1-5-18`.
///
/// # Safety
/// `sid` leads to a valid identifier.
unsafe fn text_of(sid: security::PSID) -> io::Result<String> {
    let mut text = null_mut();
    // SAFETY: as promised by the caller; the text that is filled in ends with 0, and is ours then.
    unsafe {
        succeeded(authorization::ConvertSidToStringSidW(sid, &raw mut text))?;
        let given = Given(text.cast());
        let length = (0..).take_while(|at| *text.add(*at) != 0).count();
        let found = String::from_utf16_lossy(std::slice::from_raw_parts(text, length));
        drop(given);
        Ok(found)
    }
}

/// The owner's security identifier.
pub fn owner(file: &File) -> io::Result<String> {
    let (_descriptor, owner, _) = owner_and_list(file)?;
    // SAFETY: the system filled it in, and what it lies in is still there.
    unsafe { text_of(owner) }
}

/// True when its list lets in others than owner, administrators and the system to change it. A file without a list is open to everybody.
pub fn others_write(file: &File) -> io::Result<bool> {
    let (_descriptor, owner, list) = owner_and_list(file)?;
    if list.is_null() {
        return Ok(true);
    }
    // SAFETY: owner and list lie in the descriptor, which is still there; each entry of the list is as long as its header says, and those of this type have an
    // identifier behind their mask.
    unsafe {
        let owner = text_of(owner)?;
        for number in 0..u32::from((*list).AceCount) {
            let mut entry = null_mut();
            succeeded(security::GetAce(list, number, &raw mut entry))?;
            let header: *const security::ACE_HEADER = entry.cast();
            let only_below = u32::from((*header).AceFlags) & security::INHERIT_ONLY_ACE != 0;
            if u32::from((*header).AceType) != ACCESS_ALLOWED_ACE_TYPE || only_below {
                continue;
            }
            let allowed: *mut security::ACCESS_ALLOWED_ACE = entry.cast();
            let changes = fs::FILE_WRITE_DATA
                | fs::FILE_APPEND_DATA
                | fs::FILE_DELETE_CHILD
                | fs::DELETE
                | fs::WRITE_DAC
                | fs::WRITE_OWNER
                | GENERIC_WRITE
                | GENERIC_ALL;
            let whose = text_of((&raw mut (*allowed).SidStart).cast())?;
            if (*allowed).Mask & changes != 0
                && whose != owner
                && !TRUSTED.contains(&whose.as_str())
            {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// True of a file whose owner is the user of this process, or whom the files of this user belong to (administrators, say).
pub fn is_of_this_user(file: &File) -> bool {
    let own = [security::TokenUser, security::TokenOwner].map(of_token);
    owner(file).is_ok_and(|owner| own.iter().flatten().any(|own| *own == owner))
}

/// The identifier of this class in the token of this process; TOKEN_USER and TOKEN_OWNER both begin with a pointer to it.
fn of_token(class: security::TOKEN_INFORMATION_CLASS) -> Option<String> {
    let mut token: HANDLE = null_mut();
    let mut words = [0usize; 64];
    let mut filled = 0;
    // SAFETY: pointer and length belong together; the first word that the system fills in leads to an identifier within the words.
    unsafe {
        succeeded(OpenProcessToken(
            GetCurrentProcess(),
            security::TOKEN_QUERY,
            &raw mut token,
        ))
        .ok()?;
        let owner_and_list = succeeded(security::GetTokenInformation(
            token,
            class,
            words.as_mut_ptr().cast(),
            size_of_val(&words) as u32,
            &raw mut filled,
        ));
        CloseHandle(token);
        owner_and_list.ok()?;
        text_of(words[0] as security::PSID).ok()
    }
}
