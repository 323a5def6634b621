//! Which processes have a block device open for writing? From /proc.

use std::fs::File;
use std::path::Path;

use super::block_device_number;
use super::block_devices::Device;
use super::kernel_files::{below_root, full_text, names, text};

/// Name of the program that a process runs.
#[cfg(windows)]
pub(crate) fn name(pid: u32) -> Option<String> {
    super::process_name(pid)
}

/// Name of the program that a process runs (proc_pid_comm(5)).
#[cfg(not(windows))]
pub(crate) fn name(pid: u32) -> Option<String> {
    let name = full_text(Path::new("/"), &format!("proc/{pid}/comm")).ok()?;
    Some(name.trim_end().to_owned())
}

/// The numbers of /proc/PID/io (proc_pid_io(5)): calls of the read and write kind, bytes that they requested, and bytes of the storage. A line that does not end
/// was cut short, and its number is missing.
pub(crate) fn io_counts(text: &str) -> [Option<f64>; 6] {
    const NAMES: [&str; 6] = [
        "syscr",
        "syscw",
        "rchar",
        "wchar",
        "read_bytes",
        "write_bytes",
    ];
    let mut counts = [None; NAMES.len()];
    for line in text.split_inclusive('\n') {
        let named = line
            .strip_suffix('\n')
            .and_then(|line| line.split_once(": "));
        let Some((name, number)) = named else {
            continue;
        };
        if let Some(at) = NAMES.iter().position(|known| *known == name) {
            counts[at] = number.trim().parse::<u64>().ok().map(|count| count as f64);
        }
    }
    counts
}

/// Bytes that the kernel has charged to a process (`self`: this one), its threads and the children that it has waited for: fetched from storage, and to be
/// written there; `None` where it may not be seen.
pub(crate) fn bytes_of_process(process: &str) -> Option<(u64, u64)> {
    let text = full_text(Path::new("/"), &format!("proc/{process}/io")).ok()?;
    let [.., read, written] = io_counts(&text);
    Some((read? as u64, written? as u64))
}

/// Numbers of the threads of a process; none when it has ended.
pub(crate) fn threads_of(process: u32) -> Vec<u32> {
    let names = names(Path::new("/"), &format!("proc/{process}/task"));
    names.iter().filter_map(|name| name.parse().ok()).collect()
}

/// Numbers of the processes that a thread started and that are there; none where the kernel does not list them.
pub(crate) fn children_of(process: u32, thread: u32) -> Vec<u32> {
    let path = format!("proc/{process}/task/{thread}/children");
    let children = full_text(Path::new("/"), &path).unwrap_or_default();
    let numbers = children.split_ascii_whitespace();
    numbers.filter_map(|number| number.parse().ok()).collect()
}

/// The times of a thread on a CPU and waiting for one (`schedstat`), to be read again and again; `None` when it has ended, or they are not counted.
pub(crate) fn times_of_thread(process: u32, thread: u32) -> Option<File> {
    of_thread(process, thread, "schedstat")
}

/// The system call that a thread is in (`syscall`), to be read again and again; `None` when it has ended, or this user may not see it.
pub(crate) fn call_of_thread(process: u32, thread: u32) -> Option<File> {
    of_thread(process, thread, "syscall")
}

fn of_thread(process: u32, thread: u32, name: &str) -> Option<File> {
    let path = format!("proc/{process}/task/{thread}/{name}");
    File::open(below_root(Path::new("/"), &path).ok()?).ok()
}

/// Fields of /proc/PID/stat by their number in proc_pid_stat(5), from the third on. The second is the program's name in parentheses, and may hold blanks and
/// parentheses itself: what follows is counted from the last one.
pub(crate) fn stat_field(text: &str, number: usize) -> Option<f64> {
    let (_, rest) = text.rsplit_once(") ")?;
    let field = rest.split_ascii_whitespace().nth(number.checked_sub(3)?)?;
    field.parse::<u64>().ok().map(|value| value as f64)
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
            let Ok(descriptor_path) = below_root(root, &format!("proc/{process}/fd/{descriptor}"))
            else {
                continue;
            };
            let link = std::fs::read_link(&descriptor_path).unwrap_or_default();
            // By its number too: the device file may be another one, or one of another mount name space.
            let number = || block_device_number(&descriptor_path).filter(|_| link.is_absolute());
            let is_it = |(path, requested): &(&String, Option<(u32, u32)>)| {
                link == Path::new(path.as_str()) || requested.is_some() && number() == *requested
            };
            let Some((path, _)) = paths.iter().zip(numbers.iter().copied()).find(is_it) else {
                continue;
            };
            // The last octal digit of the flags reports the access: 0 is reading only (man 5 proc_pid_fdinfo).
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
