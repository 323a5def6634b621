//! Which system calls are file I/O, and what do they do to the open files of a process? The same for every tracing method.

pub(crate) mod activity;
pub(crate) mod arguments;
pub(crate) mod descriptors;
pub(crate) mod errno;
pub(crate) mod file_names;
pub(crate) mod named;
pub(crate) mod numbers;
pub(crate) mod open_flags;
pub(crate) mod processes;
pub(crate) mod table;
