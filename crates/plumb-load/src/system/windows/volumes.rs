//! What are devices on Windows (`\\.\PhysicalDrive1`, `\\.\D:`), who uses them, and how are they kept from others while they are written?

use std::fs::File;
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsRawHandle;
use std::path::{Component, Path, PathBuf, Prefix};

use windows_sys::Win32::Storage::FileSystem as fs;
use windows_sys::Win32::System::Ioctl as ioctl;

use super::handles::{SHARE_ALL, control, custom_flags, path_of, wide};
use crate::system::file_traits::Flags;

/// IOCTL_VOLUME_GET_VOLUME_DISK_EXTENTS (winioctl.h).
const GET_VOLUME_DISK_EXTENTS: u32 = 0x0056_0000;

/// True of a name in the name space of devices: `\\.\PhysicalDrive1`, `\\.\D:`, `\\?\GLOBALROOT\Device\...`, `\\?\Volume{...}` without a backslash behind it.
pub fn is_device(path: &Path) -> bool {
    let mut parts = path.components();
    let Some(Component::Prefix(prefix)) = parts.next() else {
        return false;
    };
    let has_more = path.as_os_str().as_encoded_bytes().ends_with(b"\\")
        || parts.any(|part| matches!(part, Component::Normal(_)));
    match prefix.kind() {
        Prefix::DeviceNS(_) => !has_more,
        Prefix::Verbatim(name) => {
            let name = name.to_string_lossy().to_ascii_lowercase();
            let is_named = |begin: &str| name.starts_with(begin);
            name == "globalroot" || (is_named("physicaldrive") || is_named("volume{")) && !has_more
        }
        _ => false,
    }
}

/// Number of the disk, and of the partition on it (0: the entire disk); `None` of a file, or if the driver does not report it.
pub fn device_number(file: &File) -> Option<(u32, u32)> {
    // Files answer many requests that are meant for what lies below them: a device is what has a length as one.
    length(file)?;
    let mut answer = [0u8; 12];
    let number = |bytes: &[u8]| Some(u32::from_le_bytes(bytes.try_into().ok()?));
    match control(
        file,
        ioctl::IOCTL_STORAGE_GET_DEVICE_NUMBER,
        &[],
        &mut answer,
    ) {
        // u32::MAX: it has no partitions.
        Ok(12) => {
            let partition = number(&answer[8..])?;
            Some((
                number(&answer[4..8])?,
                if partition == u32::MAX { 0 } else { partition },
            ))
        }
        _ => None,
    }
}

/// Bytes of a disk or volume; `None` of anything else.
pub fn length(file: &File) -> Option<u64> {
    let mut answer = [0u8; 8];
    match control(file, ioctl::IOCTL_DISK_GET_LENGTH_INFO, &[], &mut answer) {
        Ok(8) => Some(u64::from_le_bytes(answer)),
        _ => None,
    }
}

/// Opens a disk or volume. With [`Flags::exclusive`] it fails with `ResourceBusy` while anybody has a file open on a volume of it.
pub fn open(path: &Path, flags: Flags) -> io::Result<File> {
    let mut options = std::fs::OpenOptions::new();
    options
        .read(flags.read)
        .write(flags.write)
        .share_mode(SHARE_ALL)
        .custom_flags(custom_flags(flags));
    let opened = options.open(path)?;
    if flags.exclusive {
        for volume in volumes_on(&opened) {
            // Locked for this moment only: the lock ends with its handle.
            control(&volume.file, ioctl::FSCTL_LOCK_VOLUME, &[], &mut [])
                .map_err(|_| io::Error::from(io::ErrorKind::ResourceBusy))?;
        }
    }
    Ok(opened)
}

/// Takes the volumes of a disk from everybody: each is locked, or dismounted where files on it are open, which then are no more. They are free again when the
/// handles are closed. Errors: a volume that holds a file system is named itself; only its disk can be taken.
pub fn take(path: &Path) -> io::Result<Vec<File>> {
    let opened = open(
        path,
        Flags {
            read: true,
            ..Flags::default()
        },
    )?;
    if formatted_volume(path, &opened).is_some() {
        return Err(io::Error::new(
            io::ErrorKind::Unsupported,
            r"a volume with a file system is not written by its own name: name its disk (\\.\PhysicalDriveN, see Get-Disk), or a file on it",
        ));
    }
    let take = |volume: Volume| {
        let control = |code| control(&volume.file, code, &[], &mut []);
        let locked = control(ioctl::FSCTL_LOCK_VOLUME);
        control(ioctl::FSCTL_DISMOUNT_VOLUME)?;
        locked.or_else(|_| control(ioctl::FSCTL_LOCK_VOLUME))?;
        Ok(volume.file)
    };
    volumes_on(&opened).into_iter().map(take).collect()
}

/// The file system of a volume that is named by itself: its drive, and what kind.
fn formatted_volume(path: &Path, opened: &File) -> Option<(String, String)> {
    let name = path.to_string_lossy().strip_prefix(r"\\.\")?.to_owned();
    if device_number(opened).is_some_and(|(_, partition)| partition == 0) {
        return None;
    }
    let root = wide(Path::new(&format!(r"{name}\")));
    let mut kind = [0u16; 64];
    let none = std::ptr::null_mut();
    // SAFETY: the name ends with 0; pointer and length belong together, null is allowed for what is not requested.
    let is_formatted = unsafe {
        fs::GetVolumeInformationW(
            root.as_ptr(),
            none,
            0,
            none.cast(),
            none.cast(),
            none.cast(),
            kind.as_mut_ptr(),
            kind.len() as u32,
        )
    } != 0;
    is_formatted.then(|| (name, until_zero(&kind).concat()))
}

/// A volume, and where it can be seen.
pub struct Volume {
    pub file: File,
    pub mounted_at: Vec<PathBuf>,
}

/// Volumes with at least a part on the disk that this handle leads to.
pub fn volumes_on(disk: &File) -> Vec<Volume> {
    let Some((number, 0)) = device_number(disk) else {
        return Vec::new();
    };
    let opened = volume_names().into_iter().filter_map(|name| {
        let device = name.strip_suffix('\\').unwrap_or(&name);
        let file = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .share_mode(SHARE_ALL)
            .open(device)
            .ok()?;
        Some((name, file))
    });
    opened
        .filter(|(_, file)| disks_of(file).contains(&number))
        .map(|(name, file)| Volume {
            file,
            mounted_at: mount_points(&name),
        })
        .collect()
}

/// Numbers of the disks on which a volume lies (VOLUME_DISK_EXTENTS).
fn disks_of(volume: &File) -> Vec<u32> {
    const HEAD_BYTES: usize = 8;
    const EXTENT_BYTES: usize = 24;
    let mut answer = vec![0u8; HEAD_BYTES + 128 * EXTENT_BYTES];
    let filled = control(volume, GET_VOLUME_DISK_EXTENTS, &[], &mut answer).unwrap_or(0);
    let extents = answer.get(HEAD_BYTES..filled).unwrap_or_default();
    extents
        .chunks_exact(EXTENT_BYTES)
        .filter_map(|extent| Some(u32::from_le_bytes(extent.get(..4)?.try_into().ok()?)))
        .collect()
}

/// `\\?\Volume{...}\` of each volume of this machine.
fn volume_names() -> Vec<String> {
    let mut name = [0u16; 260];
    let mut found = Vec::new();
    // SAFETY: pointer and length belong together; the handle is closed below.
    unsafe {
        let search = fs::FindFirstVolumeW(name.as_mut_ptr(), name.len() as u32);
        if search == windows_sys::Win32::Foundation::INVALID_HANDLE_VALUE {
            return found;
        }
        loop {
            found.extend(until_zero(&name).into_iter().next());
            if fs::FindNextVolumeW(search, name.as_mut_ptr(), name.len() as u32) == 0 {
                break;
            }
        }
        fs::FindVolumeClose(search);
    }
    found
}

/// Drive letters and folders of a volume.
fn mount_points(name: &str) -> Vec<PathBuf> {
    let name = wide(Path::new(name));
    let mut answer = vec![0u16; 4096];
    let mut filled = 0;
    // SAFETY: the name ends with 0; pointer and length belong together.
    let result = unsafe {
        fs::GetVolumePathNamesForVolumeNameW(
            name.as_ptr(),
            answer.as_mut_ptr(),
            answer.len() as u32,
            &raw mut filled,
        )
    };
    match result {
        0 => Vec::new(),
        _ => until_zero(&answer).into_iter().map(PathBuf::from).collect(),
    }
}

/// Texts that each end with 0, up to an empty one.
fn until_zero(words: &[u16]) -> Vec<String> {
    words
        .split(|word| *word == 0)
        .take_while(|text| !text.is_empty())
        .map(String::from_utf16_lossy)
        .collect()
}

/// Who uses a device, each as a phrase that follows "it is". Empty when no volume of this machine lies on it, and it holds no file system itself.
pub fn uses(path: &Path) -> Vec<String> {
    let Ok(opened) = open(
        path,
        Flags {
            read: true,
            ..Flags::default()
        },
    ) else {
        return Vec::new();
    };
    let result = |volume: Volume| match volume.mounted_at.is_empty() {
        true => "a disk with a volume that is mounted nowhere".to_owned(),
        false => {
            let shown = volume.mounted_at.iter();
            let mount_points: Vec<_> = shown
                .map(|mount_point| mount_point.display().to_string())
                .collect();
            format!("mounted at {}", mount_points.join(", "))
        }
    };
    let mut found: Vec<_> = volumes_on(&opened).into_iter().map(result).collect();
    if let Some((name, kind)) = formatted_volume(path, &opened) {
        found.push(format!(r"mounted at {name}\ ({kind})"));
    }
    found
}

/// Flushes the volume that a file lies on; `None` where this user may not.
pub fn flush_volume_of(file: &File) -> Option<io::Result<()>> {
    let path = path_of(file)?;
    let Some(Component::Prefix(prefix)) = path.components().next() else {
        return None;
    };
    let Prefix::Disk(letter) = prefix.kind() else {
        return None;
    };
    let volume = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .share_mode(SHARE_ALL)
        .open(format!(r"\\.\{}:", char::from(letter)))
        .ok()?;
    // SAFETY: plain call on an open handle.
    Some(super::handles::succeeded(unsafe {
        fs::FlushFileBuffers(volume.as_raw_handle())
    }))
}
