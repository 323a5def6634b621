//! What volume or share does a path are on, and which disk carries it?

use std::fs::{File, OpenOptions};
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsRawHandle;
use std::path::{Path, PathBuf};
use std::ptr;

use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_BACKUP_SEMANTICS, FILE_SHARE_DELETE, FILE_SHARE_READ, FILE_SHARE_WRITE,
    GetDiskFreeSpaceW, GetDriveTypeW, GetVolumeInformationW, GetVolumeNameForVolumeMountPointW,
    GetVolumePathNameW,
};
use windows_sys::Win32::System::IO::DeviceIoControl;
use windows_sys::Win32::System::Ioctl::{
    DISK_GEOMETRY_EX, FSCTL_GET_INTEGRITY_INFORMATION, FSCTL_GET_INTEGRITY_INFORMATION_BUFFER,
    IOCTL_DISK_GET_DRIVE_GEOMETRY_EX, IOCTL_STORAGE_GET_DEVICE_NUMBER,
    IOCTL_STORAGE_QUERY_PROPERTY, PropertyStandardQuery, STORAGE_ACCESS_ALIGNMENT_DESCRIPTOR,
    STORAGE_ADAPTER_DESCRIPTOR, STORAGE_DEVICE_NUMBER, STORAGE_PROPERTY_ID, STORAGE_PROPERTY_QUERY,
    STORAGE_WRITE_CACHE_PROPERTY, StorageAccessAlignmentProperty, StorageAdapterProperty,
    StorageDeviceProperty, StorageDeviceSeekPenaltyProperty, StorageDeviceWriteCacheProperty,
};

use super::{failed, wide};
use crate::system::kernel_files::Known;
use crate::system::windows_facts::kinds::{Disk, DriveKind, Volume};

/// Longest path that Windows takes, in units of UTF-16.
const LONGEST: usize = 32 * 1024;

/// The volume or share that holds a path that exists.
pub(crate) fn volume_of(path: &Path) -> Known<Volume> {
    let point = volume_path(path)?;
    let name = wide(&point);
    // SAFETY: the name ends with 0.
    let kind = match unsafe { GetDriveTypeW(name.as_ptr()) } {
        2 => DriveKind::Removable,
        3 => DriveKind::Fixed,
        4 => DriveKind::Remote,
        6 => DriveKind::Memory,
        _ => DriveKind::Other,
    };
    let (file_system, flags) = match information(&name) {
        Ok((file_system, flags)) => (Ok(file_system), flags),
        Err(reason) => (Err(reason), 0),
    };
    Ok(Volume {
        source: source(&point, &name),
        file_system,
        flags,
        kind,
        cluster_bytes: cluster_bytes(&name),
        integrity: integrity(path),
        point,
    })
}

fn volume_path(path: &Path) -> Known<PathBuf> {
    let name = wide(path);
    let mut buffer = vec![0u16; LONGEST];
    // SAFETY: the name ends with 0, and the buffer is as long as is said.
    let done =
        unsafe { GetVolumePathNameW(name.as_ptr(), buffer.as_mut_ptr(), buffer.len() as u32) };
    match done {
        0 => Err(failed("GetVolumePathName")),
        _ => Ok(PathBuf::from(until_zero(&buffer))),
    }
}

fn until_zero(units: &[u16]) -> String {
    let length = units.iter().position(|unit| *unit == 0);
    String::from_utf16_lossy(&units[..length.unwrap_or(units.len())])
}

fn source(point: &Path, name: &[u16]) -> String {
    let mut buffer = [0u16; 64];
    // SAFETY: the name ends with 0, and the buffer is as long as is said; a name of a volume has 50 units.
    let done = unsafe {
        GetVolumeNameForVolumeMountPointW(name.as_ptr(), buffer.as_mut_ptr(), buffer.len() as u32)
    };
    match done {
        0 => point.display().to_string(),
        _ => until_zero(&buffer),
    }
}

fn information(name: &[u16]) -> Known<(String, u32)> {
    let mut file_system = [0u16; 64];
    let mut flags = 0;
    // SAFETY: the name ends with 0, and the buffer is as long as is said; what is not wanted has no place.
    let done = unsafe {
        GetVolumeInformationW(
            name.as_ptr(),
            ptr::null_mut(),
            0,
            ptr::null_mut(),
            ptr::null_mut(),
            &mut flags,
            file_system.as_mut_ptr(),
            file_system.len() as u32,
        )
    };
    match done {
        0 => Err(failed("GetVolumeInformation")),
        _ => Ok((until_zero(&file_system), flags)),
    }
}

fn cluster_bytes(name: &[u16]) -> Known<u64> {
    let (mut sectors, mut bytes, mut free, mut all) = (0, 0, 0, 0);
    // SAFETY: the name ends with 0, and the numbers live over the call.
    let done =
        unsafe { GetDiskFreeSpaceW(name.as_ptr(), &mut sectors, &mut bytes, &mut free, &mut all) };
    match done {
        0 => Err(failed("GetDiskFreeSpace")),
        _ => Ok(u64::from(sectors) * u64::from(bytes)),
    }
}

/// Whether a file or folder has integrity streams (ReFS): missing where the file system knows no such thing.
fn integrity(path: &Path) -> Option<bool> {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(FILE_FLAG_BACKUP_SEMANTICS)
        .open(path)
        .ok()?;
    let mut reported = FSCTL_GET_INTEGRITY_INFORMATION_BUFFER::default();
    control(&file, FSCTL_GET_INTEGRITY_INFORMATION, &(), &mut reported).ok()?;
    Some(reported.ChecksumAlgorithm != 0)
}

/// Asks a driver. Errors: it does not know the question, or nobody may ask.
fn control<Q, A>(file: &File, code: u32, question: &Q, answer: &mut A) -> Known<u32> {
    let mut length = 0;
    let question_bytes = size_of::<Q>() as u32;
    let question = match question_bytes {
        0 => ptr::null(),
        _ => ptr::from_ref(question).cast(),
    };
    // SAFETY: the handle is open and not asynchronous; question and answer are plain values of the system's layout, as long as is said, and live over the call.
    let done = unsafe {
        DeviceIoControl(
            file.as_raw_handle(),
            code,
            question,
            question_bytes,
            ptr::from_mut(answer).cast(),
            size_of::<A>() as u32,
            &mut length,
            ptr::null_mut(),
        )
    };
    match done {
        0 => Err(std::io::Error::last_os_error().to_string()),
        _ => Ok(length),
    }
}

/// A property of the device in words of 4 bytes, which its structures consist of (winioctl.h).
fn property(file: &File, id: STORAGE_PROPERTY_ID) -> Known<[u32; 256]> {
    let query = STORAGE_PROPERTY_QUERY {
        PropertyId: id,
        QueryType: PropertyStandardQuery,
        AdditionalParameters: [0],
    };
    let mut answer = [0u32; 256];
    control(file, IOCTL_STORAGE_QUERY_PROPERTY, &query, &mut answer)?;
    Ok(answer)
}

/// A property as its structure.
fn property_as<T: Copy>(file: &File, id: STORAGE_PROPERTY_ID) -> Known<T> {
    let words = property(file, id)?;
    debug_assert!(size_of::<T>() <= size_of_val(&words));
    // SAFETY: the answer has the layout of T, whose fields are numbers, is at least as long, and begins where 4 bytes may begin.
    Ok(unsafe { words.as_ptr().cast::<T>().read_unaligned() })
}

/// The disk under a volume of this machine. Nobody needs rights for it: the volume is opened without access to its data.
pub(crate) fn disk_of(volume: &Volume) -> Known<Disk> {
    let device = match volume.source.starts_with(r"\\?\Volume") {
        true => volume.source.trim_end_matches('\\').to_owned(),
        false => format!(
            r"\\.\{}",
            volume.point.display().to_string().trim_end_matches('\\')
        ),
    };
    let file = OpenOptions::new()
        .access_mode(0)
        .share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)
        .open(&device)
        .map_err(|error| format!("cannot open {device}: {error}"))?;
    let mut number = STORAGE_DEVICE_NUMBER::default();
    let numbered = control(&file, IOCTL_STORAGE_GET_DEVICE_NUMBER, &(), &mut number);
    let mut geometry = DISK_GEOMETRY_EX::default();
    let measured = control(&file, IOCTL_DISK_GET_DRIVE_GEOMETRY_EX, &(), &mut geometry);
    let descriptor = property(&file, StorageDeviceProperty);
    let alignment =
        property_as::<STORAGE_ACCESS_ALIGNMENT_DESCRIPTOR>(&file, StorageAccessAlignmentProperty);
    let cache = property_as::<STORAGE_WRITE_CACHE_PROPERTY>(&file, StorageDeviceWriteCacheProperty);
    let adapter = property_as::<STORAGE_ADAPTER_DESCRIPTOR>(&file, StorageAdapterProperty);
    let seek = property(&file, StorageDeviceSeekPenaltyProperty);
    Ok(Disk {
        number: numbered.map(|_| number.DeviceNumber),
        model: descriptor.clone().and_then(|words| model(&words)),
        bus: descriptor.map(|words| words[7]),
        size_bytes: measured.and_then(|_| {
            u64::try_from(geometry.DiskSize).map_err(|_| "a negative size".to_owned())
        }),
        // A byte after two words.
        seek_penalty: seek.map(|words| words[2].to_ne_bytes()[0] != 0),
        write_cache: cache.map(|cache| (cache.WriteCacheType, cache.WriteCacheEnabled)),
        logical_sector_bytes: alignment.clone().map(|of| of.BytesPerLogicalSector),
        physical_sector_bytes: alignment.map(|of| of.BytesPerPhysicalSector),
        transfer_max_bytes: adapter.map(|adapter| adapter.MaximumTransferLength),
    })
}

/// Manufacturer and product of STORAGE_DEVICE_DESCRIPTOR, whose offsets lead to texts that end with 0; 0 for none.
fn model(words: &[u32; 256]) -> Known<String> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let text = |offset: u32| {
        let from = bytes
            .get(offset as usize..)
            .filter(|_| offset > 0)
            .unwrap_or_default();
        let until = from.split(|byte| *byte == 0).next().unwrap_or_default();
        String::from_utf8_lossy(until).trim().to_owned()
    };
    let model = format!("{} {}", text(words[3]), text(words[4]));
    match model.trim() {
        "" => Err("the device reports no name".into()),
        model => Ok(model.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_device_is_found_by_its_offsets() {
        let mut bytes = [0u8; 1024];
        bytes[12..16].copy_from_slice(&40u32.to_ne_bytes());
        bytes[16..20].copy_from_slice(&60u32.to_ne_bytes());
        bytes[40..46].copy_from_slice(b"INTEL ");
        bytes[60..75].copy_from_slice(b"SSDPE21D280GA  ");
        let mut words = [0u32; 256];
        for (word, four) in words.iter_mut().zip(bytes.chunks_exact(4)) {
            *word = u32::from_ne_bytes([four[0], four[1], four[2], four[3]]);
        }
        assert_eq!(model(&words).as_deref(), Ok("INTEL SSDPE21D280GA"));
        words[3] = 0;
        words[4] = 5000;
        assert!(model(&words).is_err());
    }

    #[test]
    fn a_folder_of_this_machine_lies_on_a_volume() {
        let folder = tempfile::tempdir().unwrap();
        let volume = volume_of(folder.path()).unwrap();
        assert!(folder.path().starts_with(&volume.point), "{volume:?}");
        assert!(volume.cluster_bytes.clone().unwrap() >= 512, "{volume:?}");
        // Wine has no such answers, and Windows has: both are reported without a panic.
        drop(disk_of(&volume));
    }
}
