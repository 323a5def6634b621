//! What can a job file need from the machine? Included files, patterns in files, environment variables, reserved keywords.

/// Access to the machine that a job file needs.
pub struct Surroundings<'a> {
    /// The text of the file that an `include` names. The error gives the reason if it is unavailable.
    pub include: &'a mut dyn FnMut(&str) -> Result<String, String>,
    /// The value of an environment variable, for `${NAME}`.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// The content of the file that a pattern names (`buffer_pattern='FILE'`). The error gives the reason if it is unavailable.
    pub pattern: &'a dyn Fn(&str) -> Result<Vec<u8>, String>,
    /// The value of a reserved keyword, if known: `pagesize` (bytes), `mb_memory` (MiB), `ncpus` (online CPUs).
    pub keyword: &'a dyn Fn(&str) -> Option<u64>,
}
