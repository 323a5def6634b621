//! What does a call to libfabric return, and which error does it report?

use std::io;

use plumb_model::statement::Statement;

use super::library::Library;

/// There is no libfabric: why, and how to install it.
pub fn library_is_missing(reason: Statement) -> Statement {
    Statement::new("rdma-library-is-missing").part("reason", reason)
}

/// An error number of libfabric below 256 is the system's.
pub fn error_cause(error: i32) -> Statement {
    if error < 256 {
        Statement::verbatim(io::Error::from_raw_os_error(error).to_string())
    } else {
        Statement::new("libfabric-error").name("number", error.to_string())
    }
}

/// A call that the provider does not have.
pub fn not_offered(call: &'static str) -> Statement {
    Statement::new("libfabric-call-not-offered").name("call", call)
}

/// A failed call, with libfabric's error.
pub fn call_failed(library: &Library, call: &'static str, rc: isize) -> Statement {
    Statement::new("libfabric-call-failed")
        .name("call", call)
        .name("error", library.error(rc))
}
