//! Where does a rule not hold, and why? The only list; it may only shrink: an entry that is no longer needed fails the tests.

/// Files outside of engines/, sources/, system/ and buffers that ask which system they are built for: (path, reason).
pub const SYSTEM_QUESTIONS: &[(&str, &str)] = &[(
    "crates/plumb-load/src/engines.rs",
    "the list of engines: leaves out those that a system cannot have",
)];

/// Static values that can change: (path, name, reason).
pub const CHANGING_STATICS: &[(&str, &str, &str)] = &[
    (
        "crates/plumb-load/src/engines/mmap/unix.rs",
        "GUARDS",
        "the handler of SIGBUS, which the process has one of, finds here the mapping in which it was raised",
    ),
    (
        "crates/plumb-model/src/keys.rs",
        "KEYS",
        "the schema of a job, read when it is first asked and the same ever after",
    ),
    (
        "crates/plumb-words/src/words.rs",
        "ENGLISH",
        "a catalogue, read when it is first asked and the same ever after",
    ),
    (
        "crates/plumb-words/src/words.rs",
        "CHINESE",
        "a catalogue, read when it is first asked and the same ever after",
    ),
    (
        "crates/plumb-words/src/words.rs",
        "JAPANESE",
        "a catalogue, read when it is first asked and the same ever after",
    ),
    (
        "crates/plumb-words/src/numbers.rs",
        "CHOSEN",
        "the units of the process, said once by main before anything is shown",
    ),
    (
        "crates/plumb/src/streams.rs",
        "SPOKEN",
        "the language of the process, said once by main before anything is shown",
    ),
    (
        "crates/plumb/src/settings.rs",
        "PREFERRED",
        "what the user prefers, said once by main before anything is done",
    ),
    (
        "crates/plumb/src/streams.rs",
        "WAITING",
        "what is told while a view has the terminal, until it is given back",
    ),
    (
        "crates/plumb/src/system/terminal.rs",
        "HELD",
        "the modes to which the terminal goes back, also by a panic or a second signal, which know no owner",
    ),
    (
        "crates/plumb/src/outcome.rs",
        "STOP",
        "the request to end of the process, for which there are signals once; the exit code asks it last",
    ),
];

/// Texts of plumb-analyse that read as prose: how many each file may have. What a run says to the conditions of a publication is put as publications put
/// it, in English words, because they are compared as texts; the other one is where a method is published.
pub const PROSE: &[(&str, usize)] = &[
    ("crates/plumb-analyse/src/compare/published.rs", 4),
    ("crates/plumb-analyse/src/trend.rs", 1),
];
