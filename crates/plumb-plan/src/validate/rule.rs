//! What is a rule of a plan? The key that it names, and why a job breaks it, with an alternative.

use plumb_model::workload::{Job, OperationKind};

/// Linux moves at most this many bytes in one call (MAX_RW_COUNT, include/linux/fs.h).
pub(super) const BLOCK_MAX: u64 = 0x7fff_f000;
/// A trim transfers nothing: it may be as long as the length of an operation allows, in full pages.
pub(super) const TRIM_MAX: u64 = 0xffff_f000;

/// A violation: the key to name, and what is wrong.
pub(super) type Misfit = (&'static str, String);

/// The violation for this key, if something is wrong.
pub(super) fn misfit(
    wrong: bool,
    key: &'static str,
    message: impl FnOnce() -> String,
) -> Option<Misfit> {
    wrong.then(|| (key, message()))
}

/// Smallest logical block of any device: offset and length of direct I/O are multiples of it (open(2), NOTES on O_DIRECT).
pub(super) const SECTOR_BYTES: u64 = 512;

/// One rule.
pub(super) struct Rule {
    /// The key whose origin is named with the refusal.
    pub key: &'static str,
    /// Why the job breaks it, and an alternative; `None` if it does not.
    pub broken: fn(&Job) -> Option<String>,
}

/// A rule that names this key.
pub(super) const fn rule(key: &'static str, broken: fn(&Job) -> Option<String>) -> Rule {
    Rule { key, broken }
}

/// Rules for jobs that meet a condition.
pub(super) struct Group {
    pub concerns: fn(&Job) -> bool,
    pub rules: &'static [Rule],
}

/// Rules for every job.
pub(super) const fn always(rules: &'static [Rule]) -> Group {
    Group {
        concerns: |_| true,
        rules,
    }
}

/// The mix has this kind of operation.
pub(super) fn has(job: &Job, kind: OperationKind) -> bool {
    job.workload.mix.0.iter().any(|(item, _)| *item == kind)
}
