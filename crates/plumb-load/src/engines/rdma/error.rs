//! What does an error number of libfabric say?

use std::io;

/// An error number of libfabric below 256 is the system's.
pub fn error_text(error: i32) -> String {
    if error < 256 {
        io::Error::from_raw_os_error(error).to_string()
    } else {
        format!("libfabric error {error}")
    }
}
