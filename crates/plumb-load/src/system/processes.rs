//! Which processes are there, and which have a file or a device open, run it or map it? Asked of device and inode, so that another mount, name space or name does not hide it.

use std::fs;
use std::path::{Path, PathBuf};

use super::files::Identity;
use super::kernel_files::{entries, link, text};
use super::openers::{self, Number};

/// Most processes that a message names.
const NAMED_MAX: usize = 3;

/// Ids of all processes that /proc shows, this one left out.
pub fn ids() -> Vec<u32> {
    let own = std::process::id();
    entries(Path::new("/proc"))
        .iter()
        .filter_map(|name| name.parse::<u32>().ok())
        .filter(|process| *process != own)
        .collect()
}

/// `process 123 (postgres)`.
pub fn name(process: u32) -> String {
    let name = text(format!("/proc/{process}/comm")).unwrap_or_default();
    format!("process {process} ({})", name.trim_end())
}

/// Processes that have the file open, run it or map it; at most three.
#[cfg(windows)]
pub fn users(_: Identity, path: &Path) -> Vec<String> {
    super::windows::processes::users(path)
}

/// The same by what /proc shows of them.
#[cfg(not(windows))]
pub fn users(file: Identity, path: &Path) -> Vec<String> {
    use super::openers::Seen;

    let is_it = |seen: Seen| seen.identity == file;
    let uses = |process: &u32| {
        // Known from the first moment of a program on, before its pages are mapped (begin_new_exec in fs/exec.c).
        let is_run =
            || openers::look(Path::new(&format!("/proc/{process}/exe"))).is_some_and(is_it);
        descriptors(*process).any(|descriptor| openers::look(&descriptor).is_some_and(is_it))
            || is_run()
            || maps(*process, file, path)
    };
    ids()
        .into_iter()
        .filter(uses)
        .take(NAMED_MAX)
        .map(name)
        .collect()
}

/// True when this process has the file open itself.
pub fn has_it_open(file: Identity) -> bool {
    descriptors(std::process::id())
        .any(|descriptor| openers::look(&descriptor).is_some_and(|seen| seen.identity == file))
}

/// Processes that have one of the block devices open for writing, as a virtual machine has its disk: without a claim in the kernel. At most three.
pub fn writers(devices: &[Number]) -> Vec<String> {
    let writes = |process: &u32| {
        descriptors(*process).any(|descriptor| {
            let is_it = openers::look(&descriptor)
                .and_then(|seen| seen.block_device)
                .is_some_and(|number| devices.contains(&number));
            is_it && is_open_for_writing(&descriptor)
        })
    };
    ids()
        .into_iter()
        .filter(writes)
        .take(NAMED_MAX)
        .map(name)
        .collect()
}

/// Open descriptors of a process that lead to files with a name; sockets, pipes and the like are left out by their links.
fn descriptors(process: u32) -> impl Iterator<Item = PathBuf> {
    let folder = PathBuf::from(format!("/proc/{process}/fd"));
    let paths = entries(&folder)
        .into_iter()
        .map(move |number| folder.join(number));
    paths.filter(|path| link(path).is_some_and(|to| to.is_absolute()))
}

/// The last octal digit of the flags gives the access: 0 is reading only (proc_pid_fdinfo(5)). In doubt, yes.
fn is_open_for_writing(descriptor: &Path) -> bool {
    let Some((process, number)) = descriptor
        .parent()
        .and_then(Path::parent)
        .zip(descriptor.file_name())
    else {
        return true;
    };
    let text = text(process.join("fdinfo").join(number)).unwrap_or_default();
    let flags = text
        .lines()
        .find_map(|line| u32::from_str_radix(line.strip_prefix("flags:")?.trim(), 8).ok());
    flags.is_none_or(|flags| flags & 3 != 0)
}

/// True when the process maps the file. A line of maps (proc_pid_maps(5)) is `FROM-TO rwxp OFFSET DEVICE INODE PATH`; its numbers differ from those of
/// stat(2) on btrfs and overlay, therefore the link of the range is looked at where this user may.
#[cfg(not(windows))]
fn maps(process: u32, file: Identity, path: &Path) -> bool {
    let text = text(format!("/proc/{process}/maps")).unwrap_or_default();
    text.lines().any(|line| {
        let mut fields = line.split_ascii_whitespace();
        let range = fields.next().unwrap_or_default();
        let is_inode = fields.nth(3).and_then(|inode| inode.parse().ok()) == Some(file.inode);
        let is_path = line
            .find('/')
            .is_some_and(|at| Path::new(&line[at..]) == path);
        (is_inode || is_path)
            && openers::look(Path::new(&format!("/proc/{process}/map_files/{range}")))
                .map_or(is_path, |seen| seen.identity == file)
    })
}

/// The command line of a process, its words ended by zero bytes; `None` when there is no such process, or the system does not report it.
pub fn command_line(process: u32) -> Option<Vec<u8>> {
    fs::read(format!("/proc/{process}/cmdline")).ok()
}

/// When a process started, in clock ticks since the boot; `None` when there is no such process, or the system does not report it.
///
/// Field 22 of /proc/PID/stat (proc_pid_stat(5)); the name in parentheses before may hold anything.
#[cfg(not(any(target_os = "freebsd", target_os = "macos")))]
pub fn start(process: u32) -> Option<String> {
    #[cfg(windows)]
    return super::windows::processes::start(process);
    #[cfg(not(windows))]
    text(format!("/proc/{process}/stat"))?
        .rsplit_once(')')?
        .1
        .split_whitespace()
        .nth(19)
        .map(str::to_owned)
}

#[cfg(any(target_os = "freebsd", target_os = "macos"))]
pub use super::sysctl::process_start as start;

/// The PID name space of this process: process numbers of different ones cannot be compared. Empty when the system does not report it.
pub fn name_space() -> String {
    link("/proc/self/ns/pid")
        .map(|link| link.display().to_string())
        .unwrap_or_default()
}
