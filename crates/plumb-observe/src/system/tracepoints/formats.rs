//! Where do the fields of a tracepoint stand? As the kernel writes it in the file `format` of each.

/// A tracepoint: its number, and where its two fields of interest begin in what it records, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Format {
    pub id: u16,
    pub first: usize,
    pub second: usize,
}

/// The tracepoints that are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Formats {
    /// raw_syscalls:sys_enter with its number and arguments.
    pub entered: Format,
    /// raw_syscalls:sys_exit with its number and result.
    pub left: Format,
    /// io_uring:io_uring_submit_req with request and opcode, and io_uring:io_uring_complete with request and result; missing on kernels without them.
    pub requests: Option<(Format, Format)>,
    pub opens: Opens,
}

/// Calls whose second argument is a path, and those whose first one is; the first of all is needed, others may be missing on a kernel or architecture.
pub(crate) const SECOND_IS_PATH: [&str; 9] = [
    "openat",
    "newfstatat",
    "statx",
    "unlinkat",
    "mkdirat",
    "renameat2",
    "readlinkat",
    "faccessat2",
    "utimensat",
];
pub(crate) const FIRST_IS_PATH: [&str; 9] = [
    "open", "creat", "chdir", "stat", "lstat", "access", "unlink", "mkdir", "rename",
];

/// The tracepoints where such calls end (syscalls:sys_exit_openat and so on), by number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Opens {
    pub second: [Option<u16>; SECOND_IS_PATH.len()],
    pub first: [Option<u16>; FIRST_IS_PATH.len()],
}

/// Reads the file `format` of a tracepoint for two of its fields.
pub(crate) fn format_of(text: &str, first: &str, second: &str) -> Option<Format> {
    let id = text.lines().find_map(|line| line.strip_prefix("ID: "))?;
    let offset_of = |name: &str| {
        let of_field = |line: &str| {
            let mut parts = line.trim().split(';');
            let field = parts.next()?.strip_prefix("field:")?;
            let last = field.rsplit([' ', '*']).next()?;
            let last = last.split('[').next()?;
            let offset = parts.find_map(|part| part.trim().strip_prefix("offset:"))?;
            (last == name).then(|| offset.parse::<usize>().ok())?
        };
        text.lines().find_map(of_field)
    };
    Some(Format {
        id: id.trim().parse().ok()?,
        first: offset_of(first)?,
        second: offset_of(second)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_where_the_kernel_says() {
        let text = "name: sys_enter\nID: 443\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
            \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n\
            \tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n\nprint fmt: \"NR %ld\", REC->id\n";
        assert_eq!(
            format_of(text, "id", "args"),
            Some(Format {
                id: 443,
                first: 8,
                second: 16
            })
        );
        let pointer = "ID: 7\n\tfield:void * req;\toffset:16;\tsize:8;\tsigned:0;\n\tfield:u8 opcode;\toffset:32;\tsize:1;\tsigned:0;\n";
        assert_eq!(
            format_of(pointer, "req", "opcode"),
            Some(Format {
                id: 7,
                first: 16,
                second: 32
            })
        );
        assert_eq!(format_of(text, "id", "ret"), None);
        assert_eq!(format_of("", "id", "ret"), None);
    }
}
