//! Which system calls are input and output of files, and what do they do to the files that a process has open? The same for every way in which they were seen.

pub(crate) mod arguments;
pub(crate) mod descriptors;
pub(crate) mod errno;
pub(crate) mod file_names;
pub(crate) mod named;
pub(crate) mod numbers;
pub(crate) mod open_flags;
pub(crate) mod processes;
pub(crate) mod table;
