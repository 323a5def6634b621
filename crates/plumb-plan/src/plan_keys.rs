//! Which keys are at the top of a plan file, and what is said where one of them stands elsewhere?

/// What is at the top of a plan, with its meaning.
pub const PLAN_KEYS: &[(&str, &str)] = &[
    ("name", "Short name of the plan."),
    ("title", "Purpose of the plan, in one sentence."),
    (
        "note",
        "What the results include and exclude, in a few sentences; also allowed in a [[step]].",
    ),
    (
        "experiment",
        "Published experiment that the plan repeats, E1 to E6: its results end with the published figures next to them.",
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
        "Seed of a shuffled order; 0: drawn at the start of the run.",
    ),
    (
        "steady",
        "Table that ends the rounds when the results of the tracked steps are steady: steps, figure (iops, bandwidth, latency), window, data-excursion-percent, slope-excursion-percent, capacities.",
    ),
    ("defaults", "Table of keys for all steps."),
    (
        "sweep",
        "Table of keys with lists of values: runs all steps for each combination of values, in each round; several tables as [[sweep]]. Combinations with a block larger than the size are skipped.",
    ),
    (
        "left-out",
        "Only in a printed plan: skipped steps of the sweep.",
    ),
    (
        "step",
        "List of steps, each with a name, keys, a sweep and jobs that run beside it; once = true runs it one time, before the rounds; stands-for names tests of other programs that it stands for.",
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
