//! Can the end of a step be made durable there?

use super::rule::{Rule, rule};

pub(super) const RULES: &[Rule] = &[rule("flush-at-end", |job| {
    let by_name = job.workload.flush_at_end && !job.workload.modifies_blocks();
    (by_name && job.target.remote().is_some()).then(|| {
            "flush-at-end syncs the file system of the files, which a share does not support; remove it, or mount the share".into()
        })
})];
