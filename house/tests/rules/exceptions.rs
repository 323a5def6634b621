//! Where does a rule not hold, and why? The only list; it may only shrink: an entry that is no longer needed fails the tests.

/// Static values that can change: (path, name).
pub const CHANGING_STATICS: &[(&str, &str)] = &[
    // The handler of SIGBUS, of which a process has one, finds the mapping here in which it was raised.
    ("crates/plumb-load/src/engines/mmap/unix.rs", "GUARDS"),
    // Set once by main before anything is printed: units, language, preferences.
    ("crates/plumb-words/src/numbers.rs", "CHOSEN"),
    ("crates/plumb/src/streams.rs", "LANGUAGE_WORDS"),
    ("crates/plumb/src/settings.rs", "PREFERRED"),
    // Messages that wait while a view has the terminal.
    ("crates/plumb/src/streams.rs", "WAITING"),
    // Modes of the terminal before the view; a panic or a second signal restores them.
    ("crates/plumb/src/system/terminal.rs", "HELD"),
    // The request to stop of the process, as signals are for the process; the exit code reads it last.
    ("crates/plumb/src/outcome.rs", "STOP"),
];

/// Texts of plumb-analyse that read as prose: how many each file may have. Conditions of a publication are compared as English texts; trend.rs cites a paper.
pub const PROSE: &[(&str, usize)] = &[
    ("crates/plumb-analyse/src/compare/published.rs", 4),
    ("crates/plumb-analyse/src/trend.rs", 1),
];
