//! Is anything stored by this job?

use plumb_model::engines;
use plumb_model::target::Target;
use plumb_model::workload::Job;

/// Nothing is stored by it.
pub(super) fn is_nowhere_by(engine: &str) -> bool {
    engines::is_null(engine)
}

/// Nothing is stored there.
pub(super) fn is_nowhere(job: &Job) -> bool {
    job.target == Target::Null || is_nowhere_by(&job.engine.engine)
}
