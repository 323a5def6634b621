//! Is the name of a descriptor that of a file, or of a pipe, socket or terminal?

/// Whether the kernel's name of an open file is that of a file or device, not of a pipe, socket, terminal or similar.
pub fn is_file_name(name: &str) -> bool {
    name.starts_with('/') && !is_terminal(name) && !name.starts_with("/memfd:")
}

pub fn is_terminal(name: &str) -> bool {
    name == "/dev/tty" || name.starts_with("/dev/pts/") || name.starts_with("/dev/ttyS")
}
