//! Which files has a process open, and how are they called? From /proc, where the system has it.

use std::path::Path;

use super::kernel_files::{below_root, full_text, link, names};

/// A file that a process has open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenedFile {
    pub descriptor: i64,
    /// A path, or what the kernel calls a pipe, socket and the like (`pipe:[4711]`).
    pub name: String,
    /// In bytes from its start.
    pub position: Option<u64>,
    /// Those of open(2).
    pub flags: Option<u64>,
}

/// What this descriptor of a thread stands for now; missing when it is closed, or may not be looked into.
pub(crate) fn name_of_descriptor(thread: u32, descriptor: i64) -> Option<String> {
    name(&format!("proc/{thread}/fd/{descriptor}"))
}

/// Whether the program of a process is a 32-bit one (ELF); missing when it may not be looked into.
pub(crate) fn is_32_bit(process: u32) -> Option<bool> {
    use std::io::Read;

    let mut begin = [0; 5];
    let program = below_root(root(), &format!("proc/{process}/exe")).ok()?;
    let mut program = std::fs::File::open(program).ok()?;
    program.read_exact(&mut begin).ok()?;
    begin
        .starts_with(b"\x7fELF")
        .then_some(begin.last() == Some(&1))
}

/// The working directory of a thread now; missing when it has ended.
pub(crate) fn working_folder(thread: u32) -> Option<String> {
    let folder = link(root(), &format!("proc/{thread}/cwd")).ok()?;
    let folder = folder.to_str()?;
    (!folder.ends_with(" (deleted)")).then(|| folder.to_string())
}

/// That of the machine itself.
fn root() -> &'static Path {
    Path::new("/")
}

fn name(path: &str) -> Option<String> {
    let name = link(root(), path).ok()?;
    let name = name.to_string_lossy();
    // What the kernel adds to the name of a file that has none any more.
    let name = name.strip_suffix(" (deleted)").unwrap_or(&name);
    Some(name.to_string())
}

/// All that a process has open; none when it may not be looked into.
pub(crate) fn opened_files(process: u32) -> Vec<OpenedFile> {
    let entries = names(root(), &format!("proc/{process}/fd"));
    let descriptors = entries.iter().filter_map(|entry| entry.parse::<i64>().ok());
    descriptors
        .filter_map(|descriptor| {
            let reported = full_text(root(), &format!("proc/{process}/fdinfo/{descriptor}"));
            let reported = reported.unwrap_or_default();
            let field = |name: &str| {
                let mut lines = reported.lines();
                lines.find_map(|line| Some(line.strip_prefix(name)?.trim().to_string()))
            };
            Some(OpenedFile {
                descriptor,
                name: name_of_descriptor(process, descriptor)?,
                position: field("pos:").and_then(|text| text.parse().ok()),
                flags: field("flags:").and_then(|text| u64::from_str_radix(&text, 8).ok()),
            })
        })
        .collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::{Seek, SeekFrom};
    use std::os::fd::AsRawFd;

    use super::*;

    #[test]
    fn a_file_that_is_open_here_is_found_with_its_position() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(8192).unwrap();
        file.seek(SeekFrom::Start(4096)).unwrap();
        let descriptor = i64::from(file.as_file().as_raw_fd());
        let found = opened_files(std::process::id());
        let found = found.iter().find(|of| of.descriptor == descriptor).unwrap();
        assert_eq!(found.name, file.path().to_str().unwrap());
        assert_eq!(found.position, Some(4096));
        // It is open for reading and writing, and is not handed on.
        assert_eq!(found.flags.unwrap() & 0o2_000_003, 0o2_000_002);
        assert_eq!(
            name_of_descriptor(std::process::id(), descriptor),
            Some(found.name.clone())
        );
    }
}
