//! What may a job file ask of the machine that reads it? Included files, environment variables, reserved keywords.

/// What a job file may ask of the machine that reads it.
pub struct Surroundings<'a> {
    /// The text of the file that an `include` names, as it is written there. The error says why it cannot be had.
    pub include: &'a mut dyn FnMut(&str) -> Result<String, String>,
    /// The value of an environment variable, for `${NAME}`.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// The number that a reserved keyword stands for, where it is known: `pagesize` (bytes), `mb_memory` (MiB), `ncpus` (CPUs online).
    pub keyword: &'a dyn Fn(&str) -> Option<u64>,
}
