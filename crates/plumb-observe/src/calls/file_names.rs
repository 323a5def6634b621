//! Is what a descriptor is called a file, or a pipe, socket or terminal?

/// Whether the name that the kernel gives an open file is that of a file or device, and not of a pipe, socket, terminal or the like.
pub fn is_file_name(name: &str) -> bool {
    name.starts_with('/') && !is_terminal(name) && !name.starts_with("/memfd:")
}

pub fn is_terminal(name: &str) -> bool {
    name == "/dev/tty" || name.starts_with("/dev/pts/") || name.starts_with("/dev/ttyS")
}
