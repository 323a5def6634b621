//! Does this job store anything?

use plumb_model::engines;
use plumb_model::target::Target;
use plumb_model::workload::Job;

/// It stores nothing.
pub(super) fn is_nowhere_by(engine: &str) -> bool {
    engines::is_null(engine)
}

/// The target stores nothing.
pub(super) fn is_nowhere(job: &Job) -> bool {
    job.target == Target::Null || is_nowhere_by(&job.engine.engine)
}
