//! Which keys stand at the top of a plan file, and what is said where one of them stands elsewhere?

/// What stands at the top of a plan, with its meaning.
pub const PLAN_KEYS: &[(&str, &str)] = &[
    ("name", "Short name of the plan."),
    ("title", "One sentence: the question that the plan answers."),
    (
        "note",
        "What the figures include and what they do not, in some sentences; a [[step]] may have one too.",
    ),
    (
        "rounds",
        "How often every step is repeated; with steady, at most.",
    ),
    (
        "order",
        "Order of steps and rounds: sequential, interleaved, or shuffled.",
    ),
    (
        "seed",
        "Seed of the order when shuffled; 0 means drawn when the run begins.",
    ),
    (
        "steady",
        "Table that ends the rounds when the figures of the tracked steps are steady: steps, figure (iops, bandwidth, latency), window, data-excursion-percent, slope-excursion-percent, capacities.",
    ),
    ("defaults", "Table of keys that hold for all steps."),
    (
        "sweep",
        "Table of keys with lists of values: the whole list of steps is gone through for each combination of them, also in each round; several as [[sweep]]. Combinations with a block larger than the size are left out.",
    ),
    (
        "left-out",
        "Only in a printed plan: steps of the sweep that were left out.",
    ),
    (
        "step",
        "List of steps, each with a name, keys, a sweep and jobs beside it; once = true runs it one time, before the rounds.",
    ),
];

/// What is said of a key that no job has: a key of the plan only stands in the wrong place; of any other `message` says it.
pub(crate) fn unknown_in_a_job(name: &str, message: String) -> String {
    match PLAN_KEYS.iter().any(|(known, _)| *known == name) {
        true => format!(
            "'{name}' is a key of the whole plan: write it at the top of the file, above the first table ([defaults], [[step]])"
        ),
        false => message,
    }
}
