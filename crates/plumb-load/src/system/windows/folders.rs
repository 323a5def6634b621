//! How does Windows reach a file by the handle of a folder?

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io;
use std::os::windows::ffi::{OsStrExt, OsStringExt};
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsRawHandle;
use std::path::Path;

use windows_sys::Wdk::Storage::FileSystem as nt;
use windows_sys::Win32::Foundation::ERROR_NO_MORE_FILES;
use windows_sys::Win32::Storage::FileSystem as fs;
use windows_sys::Win32::System::IO::IO_STATUS_BLOCK;

use super::files::{self, MADE};
use super::handles::{
    self, CreateOptions, SHARE_ALL, checked, no_link, open_at as open_name, succeeded,
};
use super::security;
use crate::system::file_traits::{Flags, SmallTraits, Traits};

/// What a folder is opened with: its names, and what lies in it.
const FOLDER: u32 = fs::FILE_LIST_DIRECTORY | fs::FILE_TRAVERSE | fs::FILE_READ_ATTRIBUTES;

/// Folders are reached by their handles here.
pub fn holds_folders() -> bool {
    true
}

pub fn open_folder(path: &Path) -> io::Result<File> {
    let opened = std::fs::OpenOptions::new()
        .access_mode(FOLDER | fs::READ_CONTROL | fs::SYNCHRONIZE)
        .share_mode(SHARE_ALL)
        .custom_flags(fs::FILE_FLAG_BACKUP_SEMANTICS | fs::FILE_FLAG_OPEN_REPARSE_POINT)
        .open(path)?;
    let opened = no_link(opened)?;
    match opened.metadata()?.is_dir() {
        true => Ok(opened),
        false => Err(io::ErrorKind::NotADirectory.into()),
    }
}

pub fn open_folder_at(folder: &File, name: &Path) -> io::Result<File> {
    let options = CreateOptions {
        access: FOLDER | fs::READ_CONTROL,
        options: nt::FILE_DIRECTORY_FILE,
        ..CreateOptions::default()
    };
    no_link(open_name(folder, name, options)?)
}

/// By the name of the folder: the caller checks that it is the right one.
pub fn open_above(folder: &File) -> io::Result<File> {
    let path = path_of(folder).ok_or(io::ErrorKind::NotFound)?;
    open_folder(path.parent().unwrap_or(&path))
}

pub use handles::path_of;

pub fn open_at(folder: &File, name: &Path, flags: Flags) -> io::Result<File> {
    let mut options = nt::FILE_NON_DIRECTORY_FILE;
    for (is_set, option) in [
        (flags.direct, nt::FILE_NO_INTERMEDIATE_BUFFERING),
        (flags.sync || flags.data_sync, nt::FILE_WRITE_THROUGH),
    ] {
        options |= if is_set { option } else { 0 };
    }
    let rights = |is_set, rights| if is_set { rights } else { 0 };
    let access = rights(flags.read, fs::FILE_GENERIC_READ)
        | rights(flags.write, fs::FILE_GENERIC_WRITE)
        | fs::FILE_READ_ATTRIBUTES;
    let security = security::private();
    let options = CreateOptions {
        access,
        share: SHARE_ALL,
        disposition: if flags.create {
            nt::FILE_CREATE
        } else {
            nt::FILE_OPEN
        },
        options,
        attributes: match flags.marked {
            true => MADE,
            false => fs::FILE_ATTRIBUTE_NORMAL,
        },
        security: match flags.create {
            true => security.as_ptr(),
            false => std::ptr::null(),
        },
    };
    let opened = open_name(folder, name, options)?;
    let custom = handles::custom_flags(flags);
    handles::with_its_data(opened, handles::access(flags), SHARE_ALL, custom)
}

pub fn traits_at(folder: &File, name: &Path) -> io::Result<Traits> {
    files::traits(&open_name(folder, name, CreateOptions::default())?)
}

pub fn small_traits_at(folder: &File, name: &Path) -> io::Result<SmallTraits> {
    let opened = open_name(folder, name, CreateOptions::default())?;
    let Traits {
        kind,
        size_bytes,
        modified_ns,
        ..
    } = files::traits(&opened)?;
    let (born_ns, is_marked) = files::birth(&opened)?;
    Ok(SmallTraits {
        kind,
        size_bytes,
        modified_ns,
        born_ns,
        is_marked,
    })
}

pub fn is_marked(file: &File) -> bool {
    files::birth(file).is_ok_and(|(_, is_marked)| is_marked)
}

/// Only this user, administrators and the system may enter it.
pub fn make_folder(folder: &File, name: &Path) -> io::Result<()> {
    let security = security::private();
    let options = CreateOptions {
        disposition: nt::FILE_CREATE,
        options: nt::FILE_DIRECTORY_FILE,
        attributes: fs::FILE_ATTRIBUTE_DIRECTORY,
        security: security.as_ptr(),
        ..CreateOptions::default()
    };
    open_name(folder, name, options).map(drop)
}

/// Opens what is to get another name, or none.
fn to_move(folder: &File, name: &Path) -> io::Result<File> {
    let options = CreateOptions {
        access: fs::DELETE | fs::FILE_READ_ATTRIBUTES,
        ..CreateOptions::default()
    };
    open_name(folder, name, options)
}

/// As rename(2): a file that has the name gives way.
pub fn rename(folder: &File, from: &Path, to: &Path) -> io::Result<()> {
    give_name(&to_move(folder, from)?, folder, to, true)
}

pub fn move_to(folder: &File, name: &Path, to: &File, new_name: &Path) -> io::Result<()> {
    give_name(&to_move(folder, name)?, to, new_name, false)
}

/// FILE_RENAME_INFORMATION (ntifs.h): the name goes from the handle of a folder.
fn give_name(opened: &File, folder: &File, name: &Path, replaces: bool) -> io::Result<()> {
    // The folder that the name lies in, reached without links.
    let (parent, last) = match (name.parent(), name.file_name()) {
        (Some(parent), Some(last)) if !parent.as_os_str().is_empty() => {
            (Some(open_folder_at(folder, parent)?), last)
        }
        (_, last) => (None, last.ok_or(io::ErrorKind::InvalidInput)?),
    };
    let root = parent.as_ref().unwrap_or(folder).as_raw_handle();
    let name: Vec<u16> = last.encode_wide().collect();
    let name_at = std::mem::offset_of!(nt::FILE_RENAME_INFORMATION, FileName);
    // Words, so that the structure lies as it must.
    let mut words =
        vec![0usize; (name_at + size_of_val(name.as_slice())).div_ceil(size_of::<usize>()) + 1];
    let information: *mut nt::FILE_RENAME_INFORMATION = words.as_mut_ptr().cast();
    // SAFETY: the memory is as long as structure and name together, zeroed and aligned; what is written lies in it.
    let status = unsafe {
        (*information).Anonymous.ReplaceIfExists = replaces;
        (*information).RootDirectory = root;
        (*information).FileNameLength = size_of_val(name.as_slice()) as u32;
        let to = information.cast::<u8>().add(name_at).cast::<u16>();
        std::ptr::copy_nonoverlapping(name.as_ptr(), to, name.len());
        let mut status = IO_STATUS_BLOCK::default();
        nt::NtSetInformationFile(
            opened.as_raw_handle(),
            &raw mut status,
            information.cast(),
            size_of_val(words.as_slice()) as u32,
            nt::FileRenameInformation,
        )
    };
    checked(status)
}

pub fn remove(folder: &File, name: &Path, is_folder: bool) -> io::Result<()> {
    let opened = to_move(folder, name)?;
    let is_other = opened.metadata()?.is_dir() != is_folder;
    if is_other {
        return Err(match is_folder {
            true => io::ErrorKind::NotADirectory.into(),
            false => io::ErrorKind::IsADirectory.into(),
        });
    }
    // The name is gone at once where the system has that (Windows 10 1607), else when the last handle is closed.
    let at_once = fs::FILE_DISPOSITION_INFO_EX {
        Flags: fs::FILE_DISPOSITION_FLAG_DELETE | fs::FILE_DISPOSITION_FLAG_POSIX_SEMANTICS,
    };
    let at_close = fs::FILE_DISPOSITION_INFO { DeleteFile: true };
    // SAFETY: the structure is that of the class, and as long as passed.
    let gone = succeeded(unsafe {
        fs::SetFileInformationByHandle(
            opened.as_raw_handle(),
            fs::FileDispositionInfoEx,
            (&raw const at_once).cast(),
            size_of_val(&at_once) as u32,
        )
    });
    if gone.is_ok()
        || gone
            .as_ref()
            .is_err_and(|error| error.kind() == io::ErrorKind::DirectoryNotEmpty)
    {
        return gone;
    }
    // SAFETY: as above.
    succeeded(unsafe {
        fs::SetFileInformationByHandle(
            opened.as_raw_handle(),
            fs::FileDispositionInfo,
            (&raw const at_close).cast(),
            size_of_val(&at_close) as u32,
        )
    })
}

pub fn names(folder: &File, name: &Path) -> io::Result<Vec<OsString>> {
    const NAME_AT: usize = std::mem::offset_of!(fs::FILE_FULL_DIR_INFO, FileName);
    const LENGTH_AT: usize = std::mem::offset_of!(fs::FILE_FULL_DIR_INFO, FileNameLength);
    let opened = open_folder_at(folder, name)?;
    let mut found = Vec::new();
    // Words, so that the entries lie as they must.
    let mut words = vec![0u64; 8192];
    let mut class = fs::FileFullDirectoryRestartInfo;
    loop {
        // SAFETY: pointer and length belong together.
        let filled = succeeded(unsafe {
            fs::GetFileInformationByHandleEx(
                opened.as_raw_handle(),
                class,
                words.as_mut_ptr().cast(),
                size_of_val(words.as_slice()) as u32,
            )
        });
        class = fs::FileFullDirectoryInfo;
        match filled {
            Err(error) if error.raw_os_error() == Some(ERROR_NO_MORE_FILES as i32) => {
                return Ok(found);
            }
            filled => filled?,
        }
        // SAFETY: the words are memory of our own, and bytes have no alignment.
        let bytes = unsafe {
            std::slice::from_raw_parts(words.as_ptr().cast::<u8>(), size_of_val(words.as_slice()))
        };
        let mut at = 0;
        loop {
            let entry = bytes.get(at..).unwrap_or_default();
            let number = |at: usize| {
                let four = entry.get(at..at + 4)?.try_into().ok()?;
                Some(u32::from_le_bytes(four) as usize)
            };
            let (Some(next), Some(length)) = (number(0), number(LENGTH_AT)) else {
                return Err(io::ErrorKind::InvalidData.into());
            };
            let name = entry
                .get(NAME_AT..NAME_AT + length)
                .ok_or(io::ErrorKind::InvalidData)?;
            let name: Vec<u16> = name
                .chunks_exact(2)
                .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
                .collect();
            let name = OsString::from_wide(&name);
            if name != "." && name != ".." {
                found.push(name);
            }
            match next {
                0 => break,
                next => at += next,
            }
        }
    }
}

pub fn owner(file: &File) -> io::Result<String> {
    security::owner(file)
}

pub fn others_write(file: &File) -> io::Result<bool> {
    security::others_write(file)
}

/// Who may rename folders on the way is not looked into here.
pub fn is_safe_on_the_way(_: &Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;
    use crate::system::file_traits::PathKind;

    const TO_MAKE: Flags = Flags {
        read: true,
        write: true,
        create: true,
        direct: false,
        sync: false,
        data_sync: false,
        exclusive: false,
        marked: false,
    };

    #[test]
    fn files_are_reached_by_the_handle_of_a_folder() {
        let temporary = tempfile::tempdir().expect("a folder");
        let folder = open_folder(temporary.path()).expect("opened");
        let name = Path::new;
        make_folder(&folder, name("mine")).expect("made");
        let mine = open_folder_at(&folder, name("mine")).expect("opened");
        let mut file = open_at(&mine, name("one"), TO_MAKE).expect("made");
        file.write_all(b"12345").expect("written");
        let taken = open_at(&mine, name("one"), TO_MAKE).expect_err("taken");
        assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
        let traits = traits_at(&folder, name("mine/one")).expect("traits");
        assert_eq!((traits.kind, traits.size_bytes), (PathKind::File, 5));
        assert_eq!(
            traits.identity,
            files::traits(&file).expect("traits").identity
        );
        assert!(traits.identity.is_some() && traits.modified_ns.is_some());
        drop(file);

        rename(&mine, name("one"), name("two")).expect("renamed");
        open_at(&mine, name("one"), TO_MAKE).expect("free again");
        rename(&mine, name("two"), name("one")).expect("replaces");
        let found: Vec<_> = names(&mine, name(".")).expect("names");
        assert_eq!(found, ["one"]);
        let read = Flags {
            write: false,
            create: false,
            ..TO_MAKE
        };
        let mut text = String::new();
        let mut file = open_at(&mine, name("one"), read).expect("still there");
        file.read_to_string(&mut text).expect("read");
        assert_eq!(text, "12345");
        drop(file);
        make_folder(&folder, name("other")).expect("made");
        let taken = move_to(&mine, name("one"), &folder, name("other"));
        assert!(taken.is_err(), "a folder has that name");
        remove(&folder, name("other"), true).expect("removed");

        assert!(open_at(&mine, name("../x"), TO_MAKE).is_err(), "no way up");
        assert!(remove(&mine, name("one"), true).is_err(), "it is no folder");
        let full = remove(&folder, name("mine"), true);
        assert!(full.is_err(), "it is not empty");
        remove(&mine, name("one"), false).expect("removed");
        let gone = traits_at(&mine, name("one")).expect_err("gone");
        assert_eq!(gone.kind(), io::ErrorKind::NotFound);
        move_to(&folder, name("mine"), &folder, name("yours")).expect("moved");
        drop(mine);
        remove(&folder, name("yours"), true).expect("removed");
        assert!(names(&folder, name(".")).expect("names").is_empty());
    }

    #[test]
    fn files_of_one_user_have_one_owner() {
        let temporary = tempfile::tempdir().expect("a folder");
        let folder = open_folder(temporary.path()).expect("opened");
        make_folder(&folder, Path::new("mine")).expect("made");
        let mine = open_folder_at(&folder, Path::new("mine")).expect("opened");
        let file = open_at(&mine, Path::new("one"), TO_MAKE).expect("made");
        assert_eq!(owner(&mine).expect("owner"), owner(&file).expect("owner"));
        assert!(owner(&file).expect("owner").starts_with("S-1-"));
        assert!(security::is_of_this_user(&file));
    }

    #[test]
    fn a_lock_keeps_others_out_and_data_stays_readable() {
        let temporary = tempfile::tempdir().expect("a folder");
        let path = temporary.path().join("file");
        std::fs::write(&path, b"12345").expect("written");
        let open = || {
            std::fs::OpenOptions::new()
                .read(true)
                .write(true)
                .open(&path)
        };
        let (one, other) = (open().expect("opened"), open().expect("opened"));
        assert!(!files::has_record_lock(&one));
        assert!(files::lock(&one).expect("asked"));
        assert!(!files::lock(&other).expect("asked"));
        assert_eq!(std::fs::read(&path).expect("read"), b"12345");
        drop(one);
        assert!(files::lock(&other).expect("asked"));
    }
}
