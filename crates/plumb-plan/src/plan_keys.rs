//! Which keys are at the top of a plan file, and what is said where one of them stands elsewhere?

/// What is at the top of a plan, with its meaning.
pub const PLAN_KEYS: &[(&str, &str)] = &[
    ("name", "Short name of the plan."),
    ("title", "One line: what the plan measures."),
    (
        "note",
        "What the figures include and exclude, in a few sentences; a [[step]] may have its own.",
    ),
    (
        "rounds",
        "Repetitions of every step; with steady, the maximum.",
    ),
    (
        "order",
        "Order of steps and rounds: sequential, interleaved, or shuffled.",
    ),
    (
        "seed",
        "Seed of the shuffled order; 0: drawn at the start of the run.",
    ),
    (
        "steady",
        "Table that stops the rounds once the figures of the tracked steps are steady: steps, figure (iops, bandwidth, latency), window, data-excursion-percent, slope-excursion-percent, capacities.",
    ),
    ("defaults", "Table of keys that apply to all steps."),
    (
        "sweep",
        "Table of keys with lists of values: all steps run for each combination, in each round; for several tables use [[sweep]]. Combinations with a block larger than the size are left out.",
    ),
    (
        "left-out",
        "Only in a printed plan: steps of the sweep that were left out.",
    ),
    (
        "step",
        "List of steps, each with a name, keys, a sweep and concurrent jobs; once = true runs it only once, before the rounds.",
    ),
];

/// What is said of a key that no job has: a key of the plan only is in the wrong place; of any other `message` says it.
pub(crate) fn unknown_in_a_job(name: &str, message: String) -> String {
    match PLAN_KEYS.iter().any(|(known, _)| *known == name) {
        true => format!(
            "'{name}' is a top-level key; put it at the top of the file, above the first table ([defaults], [[step]])"
        ),
        false => message,
    }
}
