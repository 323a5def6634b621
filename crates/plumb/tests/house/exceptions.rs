//! Where does a rule not hold, and why? The only list; it may only shrink: an entry that is no longer needed fails the tests.

/// Lines that a file may have without its tests.
pub const FILE_LINES_MAX: usize = 500;
/// Lines that a function may have.
pub const FUNCTION_LINES_MAX: usize = 70;

/// Files that are longer: (path, lines they may have, reason).
pub const LONG_FILES: &[(&str, usize, &str)] = &[];

/// Files outside of engines/, sources/, host and buffers that ask which system they are built for: (path, reason).
pub const SYSTEM_QUESTIONS: &[(&str, &str)] =
    &[("crates/plumb-load/src/engines.rs", "the list of engines: leaves out those that a system cannot have")];

/// Static values that can change: (path, name, reason).
pub const CHANGING_STATICS: &[(&str, &str, &str)] = &[];
