//! Which io_uring requests read, write or flush? By opcode (include/uapi/linux/io_uring.h).

use plumb_model::trace::events::CallClass;

/// Opcode, name and class.
pub const REQUESTS: [(u8, &str, CallClass); 7] = [
    (1, "io_uring readv", CallClass::Read),
    (2, "io_uring writev", CallClass::Write),
    (3, "io_uring fsync", CallClass::Metadata),
    (4, "io_uring read_fixed", CallClass::Read),
    (5, "io_uring write_fixed", CallClass::Write),
    (22, "io_uring read", CallClass::Read),
    (23, "io_uring write", CallClass::Write),
];
