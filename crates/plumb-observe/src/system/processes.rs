//! Which processes have a block device open for writing? From /proc.

use std::path::Path;

use super::block_device_number;
use super::block_devices::Device;
use super::kernel_files::{names, text};

/// Name of the program that a process runs (proc_pid_comm(5)).
pub(crate) fn name(pid: u32) -> Option<String> {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    Some(name.trim_end().to_owned())
}

/// Other programs that have one of the devices open for writing: a virtual machine's disk is held so, without a claim in the kernel. Sees only
/// the processes that this user may look into.
pub(crate) fn writers(root: &Path, devices: &[&str]) -> Vec<String> {
    let paths: Vec<String> = devices.iter().map(|name| format!("/dev/{name}")).collect();
    let numbers: Vec<_> = devices
        .iter()
        .map(|name| {
            Device::of_name(root, name)
                .ok()
                .and_then(|device| device.number)
        })
        .collect();
    let own = std::process::id().to_string();
    let mut found = Vec::new();
    for process in names(root, "proc")
        .iter()
        .filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()) && **name != own)
    {
        for descriptor in names(root, &format!("proc/{process}/fd")) {
            let descriptor_path = root.join(format!("proc/{process}/fd/{descriptor}"));
            let link = std::fs::read_link(&descriptor_path).unwrap_or_default();
            // By its number too: the device file may be another one, or one of another mount name space.
            let number = || block_device_number(&descriptor_path).filter(|_| link.is_absolute());
            let is_it = |(path, asked): &(&String, Option<(u32, u32)>)| {
                link == Path::new(path.as_str()) || asked.is_some() && number() == *asked
            };
            let Some((path, _)) = paths.iter().zip(numbers.iter().copied()).find(is_it) else {
                continue;
            };
            // The last octal digit of the flags tells the access: 0 is reading only (man 5 proc_pid_fdinfo).
            let flags =
                text(root, &format!("proc/{process}/fdinfo/{descriptor}")).unwrap_or_default();
            let flags = flags
                .lines()
                .find_map(|line| u32::from_str_radix(line.strip_prefix("flags:")?.trim(), 8).ok());
            if flags.is_none_or(|flags| flags & 3 != 0) {
                let program = text(root, &format!("proc/{process}/comm")).unwrap_or_default();
                found.push(format!(
                    "{path} is open for writing by process {process} ({program})"
                ));
                break;
            }
        }
    }
    found
}
