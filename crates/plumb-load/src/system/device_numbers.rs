//! Which device is a device file? Known by the numbers that Linux gives it.

/// Major and minor number of a device.
#[cfg(target_os = "linux")]
pub fn known(device: u64) -> Option<(u32, u32)> {
    Some((rustix::fs::major(device), rustix::fs::minor(device)))
}

/// Devices that are judged by name, with the numbers that Linux gives them (Documentation/admin-guide/devices.txt).
#[cfg(all(unix, not(target_os = "linux")))]
const NAMED: [(&str, (u32, u32)); 6] = [
    ("/dev/mem", (1, 1)),
    ("/dev/kmem", (1, 2)),
    ("/dev/null", (1, 3)),
    ("/dev/io", (1, 4)),
    ("/dev/zero", (1, 5)),
    ("/dev/full", (1, 7)),
];

/// Elsewhere numbers of devices mean nothing: FreeBSD gives them as they come (devfs(5)). Known are the few that plumb judges by; `None` for all others.
#[cfg(all(unix, not(target_os = "linux")))]
pub fn known(device: u64) -> Option<(u32, u32)> {
    use std::os::unix::fs::MetadataExt;
    let is_it =
        |path: &str| std::fs::metadata(path).is_ok_and(|metadata| metadata.rdev() == device);
    NAMED
        .iter()
        .find(|(path, _)| is_it(path))
        .map(|(_, number)| *number)
}
